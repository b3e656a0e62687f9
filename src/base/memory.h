// Allocation that does not fail: running out of memory ends the process, through the
// handler of hp_on_out_of_memory().  Sizes that come from an input are limited by the
// code that reads the input, before they get here.
#ifndef HP_BASE_MEMORY_H
#define HP_BASE_MEMORY_H

#include "base/err.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>

// Begins a function that only prefetches: GCC 12 treats such a function, unless it is
// inlined at once, as one without effect and drops the calls.
#define HP_PREFETCHES static inline __attribute__((always_inline))

void *hp_alloc(size_t size); // zeroed; never NULL, even for size 0; free() releases it

// Copy a C string; the caller frees the copy.
char *hp_copy(const char *text);

// Format a message, or any text, as printf() does into a new string, which the caller
// frees.
HP_PRINTF(1, 2)

char *hp_printed(const char *format, ...);

HP_PRINTF(1, 0)

char *hp_vprinted(const char *format, va_list args);

// Grow a malloc()ed array to room for at least `count` items; a small one doubles, a
// large one grows by a smaller part.  Returns its new address and sets *capacity.
void *hp_grow(void *items, size_t *capacity, size_t count, size_t item_size);

// Grow the array so that item `i` exists, and set *count; items from the old *count on
// are zeros.
void *hp_reach(void *items, size_t *count, size_t *capacity, size_t i, size_t item_size);

// Sort structs that begin with a uint64_t by that key, in time linear in their number.
// Stable: equal keys keep their order.
void hp_sort_by_key(void *items, size_t count, size_t item_size);

// Sort numbers and drop duplicates.  Returns how many numbers are left.
size_t hp_sort_distinct(uint64_t *numbers, size_t count);

// Return freed memory inside the heap of the process to the system: call this before
// allocating something large that does not fit into the gaps.
void hp_trim_heap(void);

// Set the path of the input that this thread reads from now on, NULL for none; the
// out-of-memory handler gets it.  The text stays the caller's.
void hp_set_memory_input(const char *input);

// Call the out-of-memory handler, or abort.  `wanted`: the size that could not be
// allocated; 0: not known.
_Noreturn void hp_out_of_memory(size_t wanted);

// A bump allocator: all of its objects are freed together, by hp_arena_done().
// {0} is an empty one.
struct hp_arena {
    struct hp_chunk *chunks; // newest first
    char *next, *end;        // free room in the newest chunk
};

// Free all objects of the arena, which is then empty.
void hp_arena_done(struct hp_arena *arena);

size_t hp_arena_size(const struct hp_arena *arena); // bytes of all chunks

// Allocate zeroed memory, aligned to `align`, a power of two; never NULL.
void *hp_arena_alloc(struct hp_arena *arena, size_t size, size_t align);

#endif

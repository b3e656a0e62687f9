// Allocation that does not fail: running out of memory ends the process, through the
// handler of hp_on_out_of_memory().  Sizes that come from input are held to a limit
// by whoever reads them, before they get here.
#ifndef HP_BASE_MEMORY_H
#define HP_BASE_MEMORY_H

#include "base/err.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>

// Begins a function that does nothing but prefetch: GCC 12 takes one that is not inlined at once for one that does
// nothing, and drops its calls.
#define HP_PREFETCHES static inline __attribute__((always_inline))

void *hp_alloc(size_t size); // zeroed; never NULL, also for size 0

char *hp_copy(const char *text);

// What is printed, to be freed.
HP_PRINTF(1, 2)

char *hp_printed(const char *format, ...);

HP_PRINTF(1, 0)

char *hp_vprinted(const char *format, va_list args);

// Grow a malloc()ed array to room for at least `count` items: doubled, or by less if it is large.
void *hp_grow(void *items, size_t *capacity, size_t count, size_t item_size);

// The same for item `i`; items from *count up to it are zeros.
void *hp_reach(void *items, size_t *count, size_t *capacity, size_t i, size_t item_size);

// Sort structs that begin with a uint64_t by that; equal ones stay in order.
void hp_sort_by_key(void *items, size_t count, size_t item_size);

// What was freed within the heap of the process goes back to the system: before something large that
// will not fit into its holes.
void hp_give_back(void);

// What this thread needs memory for from now on, for the handler: the path of an input, or
// NULL.  It stays the caller's.
void hp_memory_is_for(const char *input);

_Noreturn void hp_out_of_memory(size_t wanted);

// A bump allocator: everything in it dies together, in hp_arena_done().
// {0} is an empty one.
struct hp_arena {
    struct hp_chunk *chunks; // newest first
    char *next, *end;        // free room in the newest chunk
};

void hp_arena_done(struct hp_arena *arena);

size_t hp_arena_size(const struct hp_arena *arena); // bytes of all chunks

// Zeroed memory; never NULL.
void *hp_arena_alloc(struct hp_arena *arena, size_t size, size_t align);

#endif

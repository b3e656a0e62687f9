#include "base/memory.h"

#include "hprof-agg/hprof-agg.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MEDIUM = 256 << 10, // bytes from which on arrays grow by a quarter
    LARGE = 2 << 20,    // bytes from which on they grow by an eighth
    SPARING = 32 << 20, // bytes from which on they grow by a 32nd
    // Bytes of a huge page.
    HUGE_PAGE = 2 << 20,
    // Bytes of an array from which on huge pages are worth it, although the last one may
    // be mostly unused.
    HUGE = 8 << 20,
    OVERHEAD = 64, // bytes that malloc() adds to an allocation, at most
};

static hp_out_of_memory_fn *out_of_memory_handler;
// Path of the input that this thread is reading; NULL: none.
static _Thread_local const char *current_input;

void hp_on_out_of_memory(hp_out_of_memory_fn *handler) {
    out_of_memory_handler = handler;
}

void hp_set_memory_input(const char *input) {
    current_input = input;
}

_Noreturn void hp_out_of_memory(size_t wanted) {
    if (out_of_memory_handler) {
        out_of_memory_handler(wanted, current_input);
    }
    abort();
}

// Ask the kernel for huge pages, if the memory is large enough.  Without them each small
// page is a page fault at first use: a million rows of a map took 43,000 of them, a third
// of the time.  The range is extended to whole pages, because a mapping can grow in place
// only while all of it has the same advice.
static void prefer_huge_pages(void *memory, size_t size) {
    if (size >= HUGE) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory;
        size_t before = start & (page - 1);
        size_t whole = (before + size + page - 1) & ~(page - 1);
        // A hint; failing is harmless.
        madvise((char *)memory - before, whole, MADV_HUGEPAGE);
    }
}

void *hp_alloc(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory) {
        hp_out_of_memory(size);
    }
    prefer_huge_pages(memory, size);
    return memory;
}

char *hp_copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(hp_alloc(size), text, size);
}

char *hp_vprinted(const char *format, va_list args) {
    char *text, room[HP_MESSAGE_FORMAT_SIZE];
    if (vasprintf(&text, hp_message_format(format, room), args) < 0) {
        hp_out_of_memory(0);
    }
    return text;
}

char *hp_printed(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = hp_vprinted(format, args);
    va_end(args);
    return text;
}

// The next capacity of an array, in items: at least `count`.  Room that was never touched
// is also part of a memory limit: doubling would waste half of the limit.  Large arrays
// are moved page by page, without a copy, so that small steps cost little.
static size_t next_capacity(size_t capacity, size_t count, size_t item_size) {
    size_t step = capacity < MEDIUM / item_size    ? capacity
                  : capacity < LARGE / item_size   ? capacity / 4
                  : capacity < SPARING / item_size ? capacity / 8
                                                   : capacity / 32;
    size_t wanted = capacity ? capacity + step : 16;
    return wanted < count ? count : wanted;
}

// Round a large capacity up so that its allocation is a multiple of a huge page: only
// then does Linux (from 6.7 on) place it at the start of one, and can huge pages follow
// when it grows.
static size_t in_whole_huge_pages(size_t capacity, size_t item_size) {
    size_t size = capacity * item_size, over = (size + OVERHEAD) % HUGE_PAGE;
    bool fits = size < HUGE || over == 0 || size > SIZE_MAX - HUGE_PAGE;
    return fits ? capacity : (size + HUGE_PAGE - over) / item_size;
}

void *hp_grow(void *items, size_t *capacity, size_t count, size_t item_size) {
    if (count <= *capacity) {
        return items;
    }
    size_t wanted = next_capacity(*capacity, count, item_size);
    if (wanted > SIZE_MAX / item_size) {
        hp_out_of_memory(SIZE_MAX);
    }
    wanted = in_whole_huge_pages(wanted, item_size);
    void *grown = realloc(items, wanted * item_size);
    // Memory is nearly used up: take what is needed, plus a little.
    if (!grown && wanted > count) {
        wanted = count + count / 64;
        grown = realloc(items, wanted * item_size);
    }
    if (!grown) {
        hp_out_of_memory(wanted * item_size);
    }
    *capacity = wanted;
    prefer_huge_pages(grown, wanted * item_size);
    return grown;
}

void *hp_reach(void *items, size_t *count, size_t *capacity, size_t i, size_t item_size) {
    if (i >= *count) {
        items = hp_grow(items, capacity, i + 1, item_size);
        memset((char *)items + *count * item_size, 0, (i + 1 - *count) * item_size);
        *count = i + 1;
    }
    return items;
}

void hp_trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// --- order --------------------------------------------------------------------------------

enum {
    DIGIT = 11, // bits of the key that one pass sorts by, starting with the low ones
    DIGITS = 1 << DIGIT,
};

// Return the key that an item begins with; items need not be aligned.
static uint64_t key_of(const char *item) {
    uint64_t key;
    memcpy(&key, item, sizeof key);
    return key;
}

// Return the bits in which the keys of the items differ from each other: passes of the
// sort over other bits can be skipped.
static uint64_t differing_bits(const char *items, size_t count, size_t item_size) {
    uint64_t bits = 0;
    for (size_t i = 1; i < count; i++) {
        bits |= key_of(items + i * item_size) ^ key_of(items);
    }
    return bits;
}

// Copy the items from `from` to `to`, sorted by one digit of the key, the DIGIT bits from
// bit `shift` on (a counting sort); items with equal digits keep their order.
static inline void sort_items_by_digit(char *to, const char *from, size_t count,
                                       size_t item_size, int shift) {
    size_t places[DIGITS] = {0}, place = 0;
    for (size_t i = 0; i < count; i++) {
        places[key_of(from + i * item_size) >> shift & (DIGITS - 1)]++;
    }
    for (size_t i = 0; i < DIGITS; i++) {
        size_t items = places[i];
        places[i] = place;
        place += items;
    }
    for (size_t i = 0; i < count; i++) {
        const char *item = from + i * item_size;
        size_t at = places[key_of(item) >> shift & (DIGITS - 1)]++;
        memcpy(to + at * item_size, item, item_size);
    }
}

// Do the same as sort_items_by_digit(), with the item size as a constant for common
// sizes, because the compiler then inlines the copies.
static void sort_by_digit(char *to, const char *from, size_t count, size_t item_size,
                          int shift) {
    switch (item_size) {
    case 16:
        sort_items_by_digit(to, from, count, 16, shift);
        break;
    case 24:
        sort_items_by_digit(to, from, count, 24, shift);
        break;
    case 32:
        sort_items_by_digit(to, from, count, 32, shift);
        break;
    case 40:
        sort_items_by_digit(to, from, count, 40, shift);
        break;
    default:
        sort_items_by_digit(to, from, count, item_size, shift);
    }
}

void hp_sort_by_key(void *items, size_t count, size_t item_size) {
    uint64_t bits = differing_bits(items, count, item_size);
    if (bits == 0) {
        return;
    }
    char *other = malloc(count * item_size), *from = items, *to = other;
    if (!other) {
        hp_out_of_memory(count * item_size);
    }
    for (int shift = 0; shift < 64; shift += DIGIT) {
        if (bits >> shift & (DIGITS - 1)) {
            char *sorted = to;
            sort_by_digit(to, from, count, item_size, shift);
            to = from;
            from = sorted;
        }
    }
    if (from == other) {
        memcpy(items, other, count * item_size);
    }
    free(other);
}

size_t hp_sort_distinct(uint64_t *numbers, size_t count) {
    size_t left = 0;
    hp_sort_by_key(numbers, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        if (left == 0 || numbers[i] != numbers[left - 1]) {
            numbers[left++] = numbers[i];
        }
    }
    return left;
}

// --- arenas -------------------------------------------------------------------------------

enum {
    // Bytes of the first chunk of an arena, and of the largest that doubling leads to.
    SMALLEST_CHUNK = 1 << 12,
    LARGEST_CHUNK = 2 << 20,
};

struct hp_chunk {
    // The chunk that was allocated before; NULL: none.
    struct hp_chunk *older;
    // Size of the array `bytes`.
    size_t room;
    alignas(max_align_t) char bytes[];
};

void hp_arena_done(struct hp_arena *arena) {
    struct hp_chunk *chunk = arena->chunks;
    while (chunk) {
        struct hp_chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    *arena = (struct hp_arena){0};
}

size_t hp_arena_size(const struct hp_arena *arena) {
    size_t size = 0;
    for (const struct hp_chunk *chunk = arena->chunks; chunk; chunk = chunk->older) {
        size += sizeof *chunk + chunk->room;
    }
    return size;
}

// Add a chunk with room for at least `size` bytes.  Chunks double up to a bound, so that
// a small arena stays small.
static void add_chunk(struct hp_arena *arena, size_t size) {
    size_t room = arena->chunks ? arena->chunks->room * 2 : SMALLEST_CHUNK;
    room = room > LARGEST_CHUNK ? LARGEST_CHUNK : room;
    room = room < size ? size : room;
    if (room > SIZE_MAX / 2) {
        hp_out_of_memory(size);
    }
    struct hp_chunk *chunk = hp_alloc(sizeof *chunk + room);
    chunk->older = arena->chunks;
    chunk->room = room;
    arena->chunks = chunk;
    arena->next = chunk->bytes;
    arena->end = chunk->bytes + room;
}

void *hp_arena_alloc(struct hp_arena *arena, size_t size, size_t align) {
    size_t pad = -(uintptr_t)arena->next & (align - 1);
    size_t room = (size_t)(arena->end - arena->next);
    if (!arena->chunks || pad > room || size > room - pad) {
        add_chunk(arena, size);
        pad = 0; // a new chunk is aligned for every type
    }
    char *result = arena->next + pad;
    arena->next = result + size;
    return result;
}

#include "base/arena.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    SMALLEST_CHUNK = 1 << 12,
    LARGEST_CHUNK = 8 << 20,
};

struct hp_chunk {
    struct hp_chunk *older;
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

// Chunks double up to a bound, so that a small arena stays small.
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
        pad = 0; // a chunk begins aligned for everything
    }
    char *result = arena->next + pad;
    arena->next = result + size;
    return result;
}

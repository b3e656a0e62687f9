// A bump allocator: everything in it dies together, in hp_arena_done().
#ifndef HP_BASE_ARENA_H
#define HP_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

// {0} is an empty arena.
struct hp_arena {
    struct hp_chunk *chunks; // newest first
    char *next, *end;        // free room in the newest chunk
};

void hp_arena_done(struct hp_arena *arena);

// Zeroed memory; never NULL.
void *hp_arena_alloc(struct hp_arena *arena, size_t size, size_t align);

#endif

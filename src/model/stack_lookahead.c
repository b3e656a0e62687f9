#include "model/stack_lookahead.h"

enum {
    LINE = 64,           // bytes of a cache line
    MOST_FETCHED = 1024, // bytes of one stack that are prefetched at most
    STEP = 4,            // stacks that are announced between two steps of one stack
    FEW = 4096,          // a profile of fewer stacks is in a cache anyway
};

// Prefetch a range of memory, its first MOST_FETCHED bytes and its last byte.
HP_PREFETCHES void fetch(const void *at, size_t size) {
    const char *bytes = at;
    for (size_t i = 0; i < size && i < MOST_FETCHED; i += LINE) {
        __builtin_prefetch(bytes + i);
    }
    if (size > 0) { // the range may begin within a line, and so end in another
        __builtin_prefetch(bytes + size - 1);
    }
}

// Set `*number` to the number of the stack in the first slot of a hash, which is probably
// the stack with that hash.  Returns false if the slot is empty.
static bool find(const struct hp_profile *profile, uint32_t hash, uint32_t *number) {
    const struct hp_index *index = &profile->index.stacks;
    *number = index->slots[hash & (index->slot_count - 1)] - 1;
    return *number < profile->stacks.count;
}

// Step 2 of prefetching a stack that will be added: fetch the stack in the slot of its
// hash.
HP_PREFETCHES void fetch_stack(const struct hp_profile *profile, uint32_t hash) {
    uint32_t number;
    if (find(profile, hash, &number)) {
        __builtin_prefetch(&profile->index.stacks.hashes.at[number]);
        fetch(&profile->stacks.at[number], sizeof *profile->stacks.at);
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            if (hp_profile_has_errors(profile, i)) {
                __builtin_prefetch(&profile->errors.stacks[i].of.at[number]);
            }
        }
    }
}

// Step 3 of prefetching a stack that will be added: fetch its frames and errors, if its
// hash is equal.
HP_PREFETCHES void fetch_frames(const struct hp_profile *profile, uint32_t hash) {
    uint32_t number;
    if (!find(profile, hash, &number) ||
        profile->index.stacks.hashes.at[number] != (hash | HP_INDEX_KEYED)) {
        return;
    }
    const struct hp_stack *stack = &profile->stacks.at[number];
    fetch(stack->frames, stack->depth * sizeof *stack->frames);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            fetch(hp_stack_error(&profile->errors.stacks[i], number),
                  sizeof(struct hp_error));
        }
    }
}

void hp_stack_lookahead(struct hp_stack_lookahead *ahead,
                        const struct hp_profile *profile, const hp_frame_id *frames,
                        uint32_t depth) {
    const struct hp_index *index = &profile->index.stacks;
    if (profile->stacks.count < FEW || index->slot_count == 0) {
        return;
    }
    size_t i = ahead->seen++;
    uint32_t *hash = &ahead->hashes[i % HP_LOOKAHEAD_SIZE];
    *hash = hp_profile_stack_hash(frames, depth, (hp_string){0});
    hp_index_prefetch(index, *hash);
    if (i >= STEP) {
        fetch_stack(profile, ahead->hashes[(i - STEP) % HP_LOOKAHEAD_SIZE]);
    }
    if (i >= 2 * STEP) {
        fetch_frames(profile, ahead->hashes[(i - 2 * STEP) % HP_LOOKAHEAD_SIZE]);
    }
}

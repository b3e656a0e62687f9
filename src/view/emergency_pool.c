#include "view/emergency_pool.h"

#include "view/frame_rules.h"

#include <string.h>

enum part {
    OTHER,
    ALLOCATOR,
    LIBRARY, // libstdc++
    LINKER,
};

static enum part part_of(const char *path) {
    const char *name = hp_span_basename(hp_span_of(path)).at;
    return strncmp(name, "libstdc++.so", strlen("libstdc++.so")) == 0 ? LIBRARY
           : strncmp(name, "ld-", strlen("ld-")) == 0                 ? LINKER
           : hp_is_allocator_module(path)                             ? ALLOCATOR
                                                                      : OTHER;
}

// Return the number of a stack's frame that allocates the pool; its depth: none does.
static uint32_t find_frame(const struct hp_profile *profile, const struct hp_stack *stack,
                           const unsigned char *parts) {
    uint32_t at = 0, i;
    const struct hp_frame *frames = profile->frames.at;
    while (at < stack->depth &&
           parts[frames[stack->frames[at].n].module.n] == ALLOCATOR) {
        at++;
    }
    bool is_it = at + 1 < stack->depth;
    for (i = at; i < stack->depth && is_it; i++) {
        const struct hp_frame *frame = &frames[stack->frames[i].n];
        is_it = parts[frame->module.n] == (i == at ? LIBRARY : LINKER) &&
                (i > at || frame->lines == 0);
    }
    return is_it ? at : stack->depth;
}

bool *hp_emergency_pool_frames(const struct hp_profile *profile) {
    unsigned char *parts = hp_alloc(profile->modules.count * sizeof *parts);
    bool *is_pool = NULL, has_library = false;
    for (size_t i = 0; i < profile->modules.count; i++) {
        parts[i] =
            (unsigned char)part_of(hp_profile_text(profile, profile->modules.at[i].path));
        has_library |= parts[i] == LIBRARY;
    }
    for (size_t i = 0; has_library && i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        uint32_t at = find_frame(profile, stack, parts);
        if (at < stack->depth) {
            is_pool =
                is_pool ? is_pool : hp_alloc(profile->frames.count * sizeof *is_pool);
            is_pool[stack->frames[at].n] = true;
        }
    }
    free(parts);
    return is_pool;
}

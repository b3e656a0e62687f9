// A stack of the pool, leaf first:
//
//     libjemalloc.so.2   libjemalloc.so.2   libstdc++.so.6   ld-linux-x86-64.so.2 ...
#include "lib/emergency_pool.h"

#include "view/frame_rules.h"

#include <stdlib.h>
#include <string.h>

enum part {
    OTHER,
    ALLOCATOR,
    LIBRARY, // libstdc++
    LINKER,
};

static enum part part_of(const char *path) {
    struct hp_span name = hp_span_basename(hp_span_of(path));
    return hp_span_starts(name, "libstdc++.so") ? LIBRARY
           : hp_span_starts(name, "ld-")        ? LINKER
           : hp_is_allocator_module(path)       ? ALLOCATOR
                                                : OTHER;
}

// Return the frame of a stack that allocates the pool; NULL: none does.
static struct hp_frame *find_frame(const struct hp_profile *profile,
                                   const struct hp_stack *stack, const enum part *parts) {
    struct hp_frame *found = NULL;
    uint32_t i = 0;
    for (; i < stack->depth && !found; i++) {
        struct hp_frame *frame = &profile->frames.at[stack->frames[i].n];
        enum part part = parts[frame->module.n];
        if (part != ALLOCATOR && (part != LIBRARY || frame->lines > 0)) {
            return NULL;
        }
        found = part == LIBRARY ? frame : NULL;
    }
    bool is_called = i < stack->depth;
    for (; i < stack->depth; i++) {
        hp_module_id module = profile->frames.at[stack->frames[i].n].module;
        is_called &= parts[module.n] == LINKER;
    }
    return is_called ? found : NULL;
}

// Give a frame its name, as the symbolizer would.
static void name_frame(struct hp_profile *profile, struct hp_frame *frame) {
    hp_string name = hp_strtab_add(&profile->strings, hp_span_of(HP_EMERGENCY_POOL));
    frame->first_line = (uint32_t)profile->lines.count;
    frame->lines = 1;
    hp_vec_push(&profile->lines, ((struct hp_line){.function = name, .linkage = name}));
}

void hp_name_emergency_pool(struct hp_profile *profile) {
    enum part *parts = hp_alloc(profile->modules.count * sizeof *parts);
    bool has_library = false;
    for (size_t i = 0; i < profile->modules.count; i++) {
        parts[i] = part_of(hp_profile_text(profile, profile->modules.at[i].path));
        has_library |= parts[i] == LIBRARY;
    }
    for (size_t i = 0; has_library && i < profile->stacks.count; i++) {
        struct hp_frame *frame = find_frame(profile, &profile->stacks.at[i], parts);
        if (frame) {
            name_frame(profile, frame);
        }
    }
    free(parts);
}

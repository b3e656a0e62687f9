#include "view/naming.h"

#include "view/allocator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    JEMALLOC_DEPTH = 128, // PROF_BT_MAX_DEFAULT
};

// Text under construction; grows as needed.
struct builder {
    HP_VEC(char) text;
};

HP_PRINTF(2, 3)

static void build(struct builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    hp_vec_reserve(&b->text, (size_t)size + 1);
    va_start(args, format);
    vsnprintf(b->text.at + b->text.count, (size_t)size + 1, format, args);
    va_end(args);
    b->text.count += (size_t)size;
}

static struct hp_span built(const struct builder *b) {
    return (struct hp_span){b->text.at, b->text.count};
}

static const char *basename_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

// "libfoo.so.1+0x1234"; "0x7f2bde8a2630" for a frame in no mapping.
static void build_place(struct builder *b, const struct hp_profile *profile,
                        const struct hp_frame *frame) {
    const struct hp_module *module = &profile->modules.at[frame->module.n];
    if (module->kind != HP_MODULE_NONE) {
        build(b, "%s+", basename_of(hp_profile_text(profile, module->path)));
    }
    build(b, "0x%llx", (unsigned long long)frame->offset);
}

static void build_source(struct builder *b, const struct hp_profile *profile,
                         const struct hp_line *line) {
    if (line->file.n) {
        build(b, " %s", hp_profile_text(profile, line->file));
    }
    if (line->file.n && line->line) {
        build(b, ":%u", line->line);
    }
}

static void build_function(struct builder *b, const struct hp_profile *profile,
                           const struct hp_frame *frame, const struct hp_line *line) {
    if (line && line->function.n) {
        build(b, "%s", hp_profile_text(profile, line->function));
    } else {
        build_place(b, profile, frame);
    }
}

static void build_module(struct builder *b, const struct hp_profile *profile,
                         const struct hp_frame *frame) {
    const struct hp_module *module = &profile->modules.at[frame->module.n];
    build(b, "%s",
          module->kind == HP_MODULE_NONE ? "[unmapped]"
                                         : hp_profile_text(profile, module->path));
}

// The name of one call; `line` is NULL where there are no symbols.
static void build_name(struct builder *b, const struct hp_profile *profile,
                       const struct hp_frame *frame, const struct hp_line *line,
                       enum hp_granularity by) {
    switch (by) {
    case HP_BY_FUNCTION:
        build_function(b, profile, frame, line);
        break;
    case HP_BY_LINE:
        build_function(b, profile, frame, line);
        if (line) {
            build_source(b, profile, line);
        }
        break;
    case HP_BY_FILE:
        if (line && line->file.n) {
            build(b, "%s", hp_profile_text(profile, line->file));
        } else {
            build_module(b, profile, frame);
        }
        break;
    case HP_BY_MODULE:
        build_module(b, profile, frame);
        break;
    case HP_BY_ADDRESS:
        build_place(b, profile, frame);
        if (line && line->function.n) {
            build(b, " %s", hp_profile_text(profile, line->function));
            build_source(b, profile, line);
        }
        break;
    case HP_BY_INPUT: // no frame has such a name
    case HP_BY_THREAD:
    case HP_BY_LABEL:
        break;
    }
}

static void add_call(struct hp_naming *naming, struct builder *b,
                     const struct hp_frame *frame, const struct hp_line *line,
                     enum hp_granularity by) {
    const struct hp_profile *profile = naming->profile;
    b->text.count = 0;
    build_name(b, profile, frame, line, by);
    struct hp_call call = {.node = {hp_strtab_add(&naming->names, built(b)).n}};
    const struct hp_module *module = &profile->modules.at[frame->module.n];
    call.is_allocator =
        hp_is_allocator_module(hp_strtab_span(&profile->strings, module->path)) ||
        (line &&
         hp_is_allocator_function(hp_strtab_span(&profile->strings, line->function)));
    hp_vec_push(&naming->calls, call);
}

// Most frames have one call: the walk is then one look-up a frame.  Node 0 is no name.
static void find_only_calls(struct hp_naming *naming) {
    for (size_t i = 0; i + 1 < naming->first_call.count; i++) {
        const uint32_t *first = &naming->first_call.at[i];
        bool is_only = first[1] - first[0] == 1;
        hp_vec_push(&naming->only,
                    is_only ? naming->calls.at[first[0]].node : (hp_node_id){0});
    }
}

void hp_naming_init(struct hp_naming *naming, const struct hp_profile *profile,
                    const struct hp_report_options *options) {
    *naming = (struct hp_naming){.profile = profile, .all_frames = options->all_frames};
    struct builder b = {0};
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        uint32_t first = options->no_inlines && frame->lines > 0 ? frame->lines - 1 : 0;
        hp_vec_push(&naming->first_call, (uint32_t)naming->calls.count);
        if (frame->lines == 0) {
            add_call(naming, &b, frame, NULL, options->by);
        }
        for (uint32_t l = first; l < frame->lines; l++) {
            add_call(naming, &b, frame, &profile->lines.at[frame->first_line + l],
                     options->by);
        }
    }
    hp_vec_push(&naming->first_call, (uint32_t)naming->calls.count);
    find_only_calls(naming);
    naming->truncated.n = hp_strtab_add(&naming->names, hp_span_of("[truncated]")).n;
    naming->empty.n = hp_strtab_add(&naming->names, hp_span_of("[empty stack]")).n;
    hp_vec_done(&b.text);
}

void hp_naming_done(struct hp_naming *naming) {
    hp_strtab_done(&naming->names);
    hp_vec_done(&naming->calls);
    hp_vec_done(&naming->first_call);
    hp_vec_done(&naming->only);
}

struct hp_span hp_node_name(const struct hp_naming *naming, hp_node_id node) {
    return hp_strtab_span(&naming->names, (hp_string){node.n});
}

int hp_node_compare(const struct hp_naming *naming, hp_node_id a, hp_node_id b) {
    return hp_span_compare(hp_node_name(naming, a), hp_node_name(naming, b));
}

void hp_naming_skip_allocator(const struct hp_naming *naming,
                              const struct hp_stack *stack, uint32_t *frame,
                              uint32_t *call) {
    for (*frame = 0; *frame < stack->depth; ++*frame) {
        const uint32_t *first = &naming->first_call.at[stack->frames[*frame].n];
        for (*call = first[0]; *call < first[1]; ++*call) {
            if (!naming->calls.at[*call].is_allocator) {
                return;
            }
        }
    }
}

static hp_node_id root_of(const struct hp_naming *naming, const struct hp_stack *stack) {
    if (stack->depth == 0) {
        return naming->empty;
    }
    uint32_t frame = stack->frames[stack->depth - 1].n;
    return naming->calls.at[naming->first_call.at[frame + 1] - 1].node;
}

static void push_calls(const struct hp_naming *naming, struct hp_walk *walk,
                       uint32_t call, uint32_t end) {
    hp_vec_reserve(&walk->nodes, end - call);
    for (; call < end; call++) {
        walk->nodes.at[walk->nodes.count++] = naming->calls.at[call].node;
    }
}

void hp_naming_walk(const struct hp_naming *naming, const struct hp_stack *stack,
                    struct hp_walk *walk) {
    uint32_t frame = 0, call = 0;
    walk->nodes.count = 0;
    if (!naming->all_frames) {
        hp_naming_skip_allocator(naming, stack, &frame, &call);
        if (frame < stack->depth) { // some calls of this frame may have been dropped
            uint32_t id = stack->frames[frame++].n;
            push_calls(naming, walk, call, naming->first_call.at[id + 1]);
        }
    }
    hp_vec_reserve(&walk->nodes, stack->depth - frame);
    for (; frame < stack->depth; frame++) {
        uint32_t id = stack->frames[frame].n;
        hp_node_id only = naming->only.at[id];
        if (only.n) {
            walk->nodes.at[walk->nodes.count++] = only;
        } else {
            const uint32_t *first = &naming->first_call.at[id];
            push_calls(naming, walk, first[0], first[1]);
            hp_vec_reserve(&walk->nodes, stack->depth - frame);
        }
    }
    if (walk->nodes.count == 0) {
        hp_vec_push(&walk->nodes, root_of(naming, stack));
    }
}

bool hp_stack_is_truncated(const struct hp_stack *stack) {
    return stack->depth == JEMALLOC_DEPTH;
}

#include "view/open_code.h"

#include <stdlib.h>
#include <string.h>

// --- modules ------------------------------------------------------------------------------

static bool has_open_files(const struct hp_profile *profile, hp_string path,
                           uint32_t *builds) {
    bool is_open = false;
    const struct hp_module *module;
    HP_VEC(uint32_t) known = {0};
    hp_vec_each (module, &profile->modules) {
        if (module->kind != HP_MODULE_FILE || module->path.n != path.n) {
            continue;
        }
        bool has_file =
            module->proof == HP_PROOF_FITS || module->proof == HP_PROOF_UNCHECKED;
        bool is_known = false;
        for (size_t i = 0; i < known.count; i++) {
            is_known |= known.at[i] == module->builds.n;
        }
        if (has_file && !is_known) {
            hp_vec_push(&known, module->builds.n);
        }
        is_open |= module->proof == HP_PROOF_OPEN;
    }
    *builds = (uint32_t)known.count;
    hp_vec_done(&known);
    return is_open && *builds > 0;
}

static bool is_listed(const struct hp_open_code *open, hp_string path) {
    const struct hp_open_module *module;
    hp_vec_each (module, &open->modules) {
        if (module->path.n == path.n) {
            return true;
        }
    }
    return false;
}

static void find_modules(struct hp_open_code *open, const struct hp_profile *profile) {
    const struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        struct hp_open_module found = {.path = module->path};
        if (module->proof == HP_PROOF_OPEN && open->modules.count < HP_OPEN_MODULES &&
            !is_listed(open, module->path) &&
            has_open_files(profile, module->path, &found.builds)) {
            hp_vec_push(&open->modules, found);
        }
    }
}

// Of each module of the profile its bit, or 0; to be freed.
static uint64_t *find_bits(const struct hp_open_code *open,
                           const struct hp_profile *profile) {
    uint64_t *bits = hp_alloc(profile->modules.count * sizeof *bits);
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        for (size_t k = 0; k < open->modules.count; k++) {
            bool is_its = module->kind == HP_MODULE_FILE &&
                          module->path.n == open->modules.at[k].path.n;
            bits[i] |= is_its ? (uint64_t)1 << k : 0;
        }
    }
    return bits;
}

// --- frames and stacks -----------------------------------------------------------------------

// What is known of each frame and stack, while dumps are looked at.
struct finder {
    struct hp_open_code *open;
    const struct hp_view *view;
    uint64_t *bits;     // of each module
    uint64_t *of_stack; // of each stack: modules that it has frames of
};

static bool is_nameless(const struct hp_profile *profile, const struct hp_frame *frame) {
    return frame->lines == 0 &&
           profile->modules.at[frame->module.n].proof == HP_PROOF_OPEN;
}

static void mark_own(struct hp_open_code *open, uint64_t bits) {
    for (size_t i = 0; i < open->modules.count; i++) {
        open->modules.at[i].is_own |= (bits >> i & 1) != 0;
    }
}

static void look_at_frames(struct finder *finder) {
    const struct hp_naming *naming = &finder->view->naming;
    const struct hp_profile *profile = finder->view->profile;
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        uint64_t bits = finder->bits[frame->module.n];
        uint32_t last = bits ? naming->first_call.at[i + 1] : 0;
        for (uint32_t call = naming->first_call.at[i]; call < last; call++) {
            uint32_t node = naming->calls.at[call].node.n;
            bool is_open = is_nameless(profile, frame);
            finder->open->of_node[node] |= bits;
            finder->open->nameless[node] |= is_open ? bits : 0;
            if (is_open && naming->calls.at[call].class == HP_CLASS_OWN) {
                mark_own(finder->open, bits);
            }
        }
    }
}

static void look_at_stacks(struct finder *finder) {
    const struct hp_profile *profile = finder->view->profile;
    for (size_t s = 0; s < profile->stacks.count; s++) {
        const struct hp_stack *stack = &profile->stacks.at[s];
        for (uint32_t i = 0; i < stack->depth; i++) {
            const struct hp_frame *frame = &profile->frames.at[stack->frames[i].n];
            uint64_t bits = finder->bits[frame->module.n];
            finder->of_stack[s] |= bits;
            finder->open->of_stack[s] |= is_nameless(profile, frame) ? bits : 0;
        }
    }
}

static void look_at_input(struct finder *finder, size_t number, int side) {
    const struct hp_profile *profile = finder->view->profile;
    const struct hp_input_record *input = &profile->inputs.at[number];
    struct hp_open_code *open = finder->open;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    uint64_t has = 0;
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        uint64_t without = open->of_stack[seen.stack];
        uint64_t any = finder->of_stack[seen.stack];
        hp_fixed value = seen.values.of[finder->view->options.metric];
        has |= any;
        open->of_input[number] |= without;
        for (size_t i = 0; any != 0 && i < open->modules.count; i++) {
            open->modules.at[i].bytes[side] += without >> i & 1 ? value : 0;
            open->modules.at[i].all[side] += any >> i & 1 ? value : 0;
        }
    }
    hp_history_done_reading(&reader);
    for (size_t i = 0; i < open->modules.count; i++) {
        struct hp_open_module *module = &open->modules.at[i];
        module->dumps[side] += has >> i & 1 ? 1 + input->others : 0;
        module->open[side] += open->of_input[number] >> i & 1 ? 1 + input->others : 0;
    }
}

// Rows that stand for code; others are what they are in any build.
static bool has_rows_of_code(const struct hp_view *view) {
    enum hp_granularity by = view->options.by;
    return by == HP_BY_FUNCTION || by == HP_BY_LINE || by == HP_BY_FILE ||
           by == HP_BY_ADDRESS;
}

void hp_open_code_init(struct hp_open_code *open, const struct hp_view *view,
                       const struct hp_sides *sides) {
    const struct hp_profile *profile = view->profile;
    *open = (struct hp_open_code){.of_node = NULL};
    if (has_rows_of_code(view)) {
        find_modules(open, profile);
    }
    if (open->modules.count == 0) {
        return;
    }
    size_t nodes = hp_node_count(&view->naming);
    open->of_node = hp_alloc(nodes * sizeof *open->of_node);
    open->nameless = hp_alloc(nodes * sizeof *open->nameless);
    open->of_stack = hp_alloc(profile->stacks.count * sizeof *open->of_stack);
    open->of_input = hp_alloc(profile->inputs.count * sizeof *open->of_input);
    struct finder finder = {.open = open, .view = view};
    finder.bits = find_bits(open, profile);
    finder.of_stack = hp_alloc(profile->stacks.count * sizeof *finder.of_stack);
    look_at_frames(&finder);
    look_at_stacks(&finder);
    for (size_t i = 0; i < sides->base.count; i++) {
        look_at_input(&finder, sides->base.at[i], 0);
    }
    for (size_t i = 0; i < sides->new.count; i++) {
        look_at_input(&finder, sides->new.at[i], 1);
    }
    free(finder.bits);
    free(finder.of_stack);
}

void hp_open_code_done(struct hp_open_code *open) {
    hp_vec_done(&open->modules);
    free(open->of_node);
    free(open->nameless);
    free(open->of_stack);
    free(open->of_input);
    *open = (struct hp_open_code){.of_node = NULL};
}

struct hp_span hp_open_module_path(const struct hp_view *view,
                                   const struct hp_open_module *module) {
    return hp_strtab_span(&view->profile->strings, module->path);
}

// --- the other dumps ------------------------------------------------------------------------

void hp_open_code_sides(const struct hp_open_code *open, const struct hp_view *view,
                        const struct hp_sides *all, uint64_t modules,
                        struct hp_sides *sides) {
    *sides = (struct hp_sides){.dumps = {0, 0}};
    for (int side = 0; side < 2; side++) {
        size_t count = side == 0 ? all->base.count : all->new.count;
        for (size_t i = 0; i < count; i++) {
            size_t number = side == 0 ? all->base.at[i] : all->new.at[i];
            if (hp_open_code_has(open, number, modules)) {
                continue;
            }
            if (side == 0) {
                hp_vec_push(&sides->base, number);
            } else {
                hp_vec_push(&sides->new, number);
            }
            sides->dumps[side] += 1 + view->profile->inputs.at[number].others;
        }
        sides->units[side] = sides->dumps[side];
    }
}

double hp_open_code_bytes(const struct hp_open_code *open, uint64_t modules,
                          bool has_name, int side, const struct hp_sides *sides,
                          enum hp_metric metric) {
    double bytes = 0;
    for (size_t i = 0; i < open->modules.count; i++) {
        const struct hp_open_module *module = &open->modules.at[i];
        if (modules >> i & 1 && sides->dumps[side] > 0) {
            hp_fixed sum = has_name ? module->bytes[side] : module->all[side];
            bytes += hp_fixed_double(sum, metric) / (double)sides->dumps[side];
        }
    }
    return bytes;
}

#include "view/charges.h"

#include "view/frame_rules.h"
#include "view/nameless_wrappers.h"
#include "view/shortname.h"
#include "view/top.h"
#include "view/visible_frames.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// Share of the total from which on the first function of a table may be a wrapper of an
// allocating function.
static const double much = 0.25;

// --- weights ------------------------------------------------------------------------------

// Add the value that each stack has in one input to `weights`, an array by stack.
static void add_input(hp_fixed *weights, const struct hp_view *view, uint32_t input) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &view->profile->history, input);
    while (hp_history_next(&reader, &seen)) {
        weights[seen.stack] += seen.values.of[view->options.metric];
    }
    hp_history_done_reading(&reader);
}

// Add to `weights` the value that each stack has in the inputs of one side of a diff.
// Returns the number of these inputs.
static size_t add_side(hp_fixed *weights, const struct hp_view *view,
                       enum hp_input_side side) {
    const struct hp_profile *profile = view->profile;
    size_t count = 0;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        if (hp_input_is_used(input) && input->is_base == (side == HP_SIDE_BASE)) {
            add_input(weights, view, input->number);
            count++;
        }
    }
    return count;
}

// Add to `weights` the last dump of each series; the dumps of a series are adjacent.
static void add_last_dumps(hp_fixed *weights, const struct hp_view *view) {
    const struct hp_series_dump *dumps = view->series;
    for (size_t i = 0; i < view->series_count; i++) {
        if (i + 1 == view->series_count || dumps[i + 1].series != dumps[i].series) {
            add_input(weights, view, dumps[i].input->number);
        }
    }
}

// Return the value of each stack of the profile for this report; the caller frees it.
// `*inputs`: number of inputs that the values have to be divided by.
static hp_fixed *weigh(const struct hp_view *view, size_t *inputs) {
    const struct hp_profile *profile = view->profile;
    hp_fixed *weights = hp_alloc(profile->stacks.count * sizeof *weights);
    *inputs = 1;
    if (view->report->has_sides) {
        *inputs = add_side(weights, view, HP_SIDE_NEW);
    } else if (view->report->needs_series && view->report->is_table) {
        add_last_dumps(weights, view);
    } else {
        for (size_t i = 0; i < profile->stacks.count; i++) {
            weights[i] = profile->stacks.at[i].values.of[view->options.metric];
        }
    }
    return weights;
}

// --- charges ------------------------------------------------------------------------------

// Return the source line of a call; NULL: it has no symbols.
static const struct hp_line *line_of(const struct hp_naming *naming, uint32_t call) {
    uint32_t line = naming->calls.at[call].line;
    return line > 0 ? &naming->profile->lines.at[line - 1] : NULL;
}

static bool is_go(const struct hp_naming *naming, uint32_t call) {
    const struct hp_line *line = line_of(naming, call);
    return line &&
           hp_span_ends(hp_strtab_span(&naming->profile->strings, line->file), ".go");
}

// Add the value of a stack to `moved` if folding attributes it to a caller of the
// allocating call, and to `libraries` if it is attributed to a library's function.
static void charge(struct hp_charges *charges, const struct hp_naming *naming,
                   const struct hp_stack *stack, hp_fixed weight) {
    struct hp_charged charged = hp_charged_call(naming, stack);
    if (charged.call != charged.allocating) {
        charges->moved[naming->calls.at[charged.allocating].class] += weight;
        charges->all_moved += weight;
        charges->is_go |= is_go(naming, charged.allocating);
    }
    if (naming->calls.at[charged.call].class == HP_CLASS_LIBRARY) {
        charges->libraries += weight;
    }
}

static bool is_visible(const struct hp_view *view, size_t stack) {
    return !view->is_visible || view->is_visible[stack];
}

struct hp_charges hp_charges_of(const struct hp_view *view) {
    const struct hp_naming *naming = &view->naming;
    struct hp_charges charges = {0};
    bool is_moved = (naming->folds & ~(1u << HP_CLASS_ALLOCATOR)) != 0;
    if (view->options.by > HP_BY_FILE || !is_moved) {
        return charges;
    }
    size_t inputs;
    hp_fixed *weights = weigh(view, &inputs);
    for (size_t i = 0; i < naming->profile->stacks.count; i++) {
        charges.total += weights[i];
        if (weights[i] != 0 && is_visible(view, i)) {
            charge(&charges, naming, &naming->profile->stacks.at[i], weights[i]);
        }
    }
    free(weights);
    charges.total = hp_mean_of(charges.total, inputs);
    charges.all_moved = hp_mean_of(charges.all_moved, inputs);
    charges.libraries = hp_mean_of(charges.libraries, inputs);
    for (size_t i = 0; i < HP_CLASSES; i++) {
        charges.moved[i] = hp_mean_of(charges.moved[i], inputs);
    }
    return charges;
}

// --- folding libraries, too ---------------------------------------------------------------

// Return the innermost call that would stay visible if libraries were folded, too; NULL:
// none.
static const struct hp_call *left_call(const struct hp_naming *naming,
                                       const struct hp_stack *stack) {
    for (uint32_t i = 0; i < stack->depth; i++) {
        const uint32_t *first = &naming->first_call.at[stack->frames[i].n];
        for (uint32_t k = first[0]; k < first[1]; k++) {
            const struct hp_call *call = &naming->calls.at[k];
            if (!call->is_folded && call->class != HP_CLASS_LIBRARY) {
                return call;
            }
        }
    }
    return NULL;
}

// Return the node that a stack would be attributed to if libraries were folded, too: that
// of the call left visible, or else that of the allocating call.
static hp_node_id owner_of(const struct hp_naming *naming, const struct hp_stack *stack) {
    const struct hp_call *left = left_call(naming, stack);
    uint32_t allocating = hp_charged_call(naming, stack).allocating;
    return left && left->class != HP_CLASS_NONE ? left->node
                                                : naming->calls.at[allocating].node;
}

hp_fixed hp_largest_owner(const struct hp_view *view) {
    const struct hp_naming *naming = &view->naming;
    hp_fixed *owners = hp_alloc(hp_node_count(naming) * sizeof *owners);
    hp_fixed largest = 0;
    size_t inputs;
    hp_fixed *weights = weigh(view, &inputs);
    for (size_t i = 0; i < naming->profile->stacks.count; i++) {
        if (weights[i] != 0 && is_visible(view, i)) {
            hp_fixed *owner = &owners[owner_of(naming, &naming->profile->stacks.at[i]).n];
            *owner += weights[i];
            largest = *owner > largest ? *owner : largest;
        }
    }
    free(weights);
    free(owners);
    return hp_mean_of(largest, inputs);
}

// --- source files -------------------------------------------------------------------------

// Sums of one side of a comparison, by the module of the allocating call: all memory, and
// memory whose allocating call has a known source file.
struct known_files {
    hp_fixed *all, *with_file;
};

// Sum one side of a comparison by module.  The caller frees both arrays.
static void sum_known(struct known_files *known, const struct hp_view *view,
                      enum hp_input_side side) {
    const struct hp_profile *profile = view->profile;
    hp_fixed *weights = hp_alloc(profile->stacks.count * sizeof *weights);
    *known = (struct known_files){
        hp_alloc(profile->modules.count * sizeof *known->all),
        hp_alloc(profile->modules.count * sizeof *known->with_file),
    };
    add_side(weights, view, side);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        uint32_t call = hp_charged_call(&view->naming, &profile->stacks.at[i]).allocating;
        uint32_t module = hp_call_module(&view->naming, call).n;
        const struct hp_line *line = line_of(&view->naming, call);
        known->all[module] += weights[i];
        known->with_file[module] += line && line->file.n ? weights[i] : 0;
    }
    free(weights);
}

static double add_up(const struct hp_profile *profile, const hp_fixed *sums) {
    hp_fixed sum = 0;
    for (size_t i = 0; i < profile->modules.count; i++) {
        sum += sums[i];
    }
    return (double)sum;
}

// Sum the memory of one side of a comparison that is in modules which the other side does
// not have, or in no module.
static double add_up_alone(const struct hp_profile *profile,
                           const struct known_files *side,
                           const struct known_files *other) {
    hp_fixed sum = 0;
    for (size_t i = 0; i < profile->modules.count; i++) {
        bool is_none = profile->modules.at[i].kind == HP_MODULE_NONE;
        sum += is_none || other->all[i] == 0 ? side->all[i] : 0;
    }
    return (double)sum;
}

bool hp_files_differ(const struct hp_view *view, double least, double shares[2]) {
    const struct hp_profile *profile = view->profile;
    struct known_files sides[2];
    double alone = 0;
    for (int i = 0; i < 2; i++) {
        sum_known(&sides[i], view, i == 0 ? HP_SIDE_BASE : HP_SIDE_NEW);
    }
    for (int i = 0; i < 2; i++) {
        double all = add_up(profile, sides[i].all);
        shares[i] = all > 0 ? add_up(profile, sides[i].with_file) / all : (double)NAN;
        alone = all > 0 ? fmax(alone, add_up_alone(profile, &sides[i], &sides[!i]) / all)
                        : alone;
    }
    for (int i = 0; i < 2; i++) {
        free(sides[i].all);
        free(sides[i].with_file);
    }
    return alone > least && fabs(shares[1] - shares[0]) > least; // false for NAN
}

// --- unknown wrappers ---------------------------------------------------------------------

static bool looks_allocating(const char *name) {
    return strcasestr(name, "alloc") || strcasestr(name, "dup") ||
           strcasestr(name, "new") || strcasestr(name, "get_buffer");
}

// Write a pattern that matches the name itself and is a single word for a shell, in
// quotes if need be.  Returns false if it does not fit or cannot be quoted.
static bool put_pattern(const char *name, char *text, size_t room) {
    size_t used = 0;
    bool is_word = name[strspn(name,
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_:/-")] == '\0';
    text[used] = '\'';
    used += !is_word;
    for (; *name != '\0' && used + 4 < room; name++) {
        if (*name == '\'') {
            return false;
        }
        text[used] = '\\';
        used += strchr("\\^$.[|()?*+{", *name) != NULL;
        text[used++] = *name;
    }
    text[used] = '\'';
    used += !is_word;
    text[used] = '\0';
    return *name == '\0';
}

// Whether a visible call of the stack is a caller of the node.
static bool has_caller(const struct hp_naming *naming, const struct hp_stack *stack,
                       hp_node_id node) {
    bool is_above = false;
    for (uint32_t i = 0; i < stack->depth; i++) {
        const uint32_t *first = &naming->first_call.at[stack->frames[i].n];
        for (uint32_t k = first[0]; k < first[1]; k++) {
            const struct hp_call *call = &naming->calls.at[k];
            bool is_node = call->node.n == node.n;
            if (is_above && !is_node && !call->is_folded &&
                call->class != HP_CLASS_NONE) {
                return true;
            }
            is_above |= is_node && !call->is_folded;
        }
    }
    return false;
}

// Whether the node has a caller that can be charged instead.
static bool has_callers(const struct hp_view *view, hp_node_id node) {
    const struct hp_profile *profile = view->profile;
    for (size_t i = 0; i < profile->stacks.count; i++) {
        if (is_visible(view, i) &&
            has_caller(&view->naming, &profile->stacks.at[i], node)) {
            return true;
        }
    }
    return false;
}

// Write a pattern of functions without names, in quotes, that seem to be an allocator.
// Returns false if no function calls them.
static bool put_nameless(const struct hp_view *view, hp_node_id node, char *text,
                         size_t room) {
    size_t count = hp_nameless_wrappers(view, node, text + 1, room - 2);
    if (count == 1) {
        return put_pattern(hp_node_full_name(&view->naming, node).at, text, room);
    }
    *text = '\'';
    memcpy(text + 1 + strlen(text + 1), "'", sizeof "'");
    return count > 1 && !memchr(text + 1, '\'', strlen(text + 1) - 1);
}

const char *hp_likely_wrapper(const struct hp_view *view, double *share, char *name,
                              size_t room) {
    const struct hp_naming *naming = &view->naming;
    if (view->options.kind != HP_REPORT_TOP || view->options.by != HP_BY_FUNCTION ||
        view->options.sort != HP_SORT_FLAT || view->rows.count == 0) {
        return NULL;
    }
    hp_node_id node = view->rows.at[0].node;
    enum hp_frame_class class = hp_node_class(naming, node);
    bool folds_wrappers = (naming->folds >> HP_CLASS_WRAPPER & 1) != 0;
    const struct hp_origin *origin = hp_view_origin(view, node);
    hp_fixed flat = hp_top_flat(view->extra, node, view->options.metric).sum;
    *share = (double)flat / (double)view->head.total.of[view->options.metric];
    struct hp_span shown = hp_node_full_name(naming, node);
    char *bare = hp_alloc(hp_short_name_room(shown.size));
    bool has_name = origin->function.n != 0;
    const char *text = has_name ? hp_bare_name(shown, bare).at : shown.at;
    bool is_suspect =
        folds_wrappers && *share > much &&
        (class == HP_CLASS_OWN || class == HP_CLASS_LIBRARY) &&
        (!has_name || looks_allocating(text)) && strstr(shown.at, text) &&
        has_callers(view, node) &&
        (has_name ? put_pattern(text, name, room) : put_nameless(view, node, name, room));
    free(bare);
    return is_suspect ? name : NULL;
}

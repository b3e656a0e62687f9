// Data of an HTML page.  First the rows of the report, and the largest boxes of a flame
// graph as a tree, the callees of each by value; then all stacks, folded or not.  The
// stacks for the boxes are freed before the others are made, so that memory is needed for
// one of the two only.
#include "view/facet.h"
#include "view/flames.h"
#include "view/groups.h"

#include <math.h>

enum {
    MOST_NODES = 100, // nodes of the tree
    // Approximate limit of the bytes of all boxes in the file; the smallest are merged.
    MOST_BYTES = 1 << 20,
    MOST_GROUPS = 16, // groups of inputs in a facet; each may have values of each stack
};

// The boxes of the flame graph that become nodes of the tree of calls.
struct picker {
    const struct hp_flames *flames;
    HP_VEC(uint32_t) boxes; // boxes with a name, the largest first
};

// Whether a box of the flame graph is one function: it is neither the root nor a merged
// box.
static bool has_name(const struct hp_flame *flame) {
    return flame->parent != HP_NO_PARENT && flame->merged == 0;
}

// Return the larger one of a box's values before and after.
static hp_fixed value_of(const struct hp_flame *flame) {
    return flame->before > flame->after ? flame->before : flame->after;
}

// Order boxes by value, then by number.  So a caller is before its callees: its value is
// at least theirs, and its number smaller.
static int by_value(const void *left, const void *right, void *context) {
    const struct hp_flame *flames = ((const struct picker *)context)->flames->all.at;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    hp_fixed of_a = value_of(&flames[a]), of_b = value_of(&flames[b]);
    if (of_a != of_b) {
        return of_a > of_b ? -1 : 1;
    }
    return (a > b) - (a < b);
}

// Pick the MOST_NODES largest boxes.
static void pick(struct picker *picker) {
    for (uint32_t i = 0; i < picker->flames->all.count; i++) {
        if (has_name(&picker->flames->all.at[i])) {
            hp_vec_push(&picker->boxes, i);
        }
    }
    hp_vec_sort_r(&picker->boxes, by_value, picker);
    picker->boxes.count =
        picker->boxes.count < MOST_NODES ? picker->boxes.count : MOST_NODES;
}

// Return the index in picker->boxes of the largest callee of `box` that is not in the
// tree yet (is_done); HP_NO_PARENT: none.
static uint32_t next_on(const struct picker *picker, const bool *is_done, uint32_t box) {
    for (size_t i = 0; i < picker->boxes.count; i++) {
        uint32_t number = picker->boxes.at[i];
        if (!is_done[i] && picker->flames->all.at[number].parent == box) {
            return (uint32_t)i;
        }
    }
    return HP_NO_PARENT;
}

// Append the picked boxes to view->tree, each caller before its callees, and these by
// value, the largest first.
static void put_in_order(struct hp_view *view, const struct picker *picker) {
    bool is_done[MOST_NODES] = {false};
    // The box of each node of the tree; the node whose callees are being added.
    uint32_t box_of[MOST_NODES], node = HP_NO_PARENT;
    while (view->tree.count < picker->boxes.count) {
        uint32_t next = next_on(picker, is_done, node == HP_NO_PARENT ? 0 : box_of[node]);
        if (next == HP_NO_PARENT) {
            node = view->tree.at[node].parent;
            continue;
        }
        const struct hp_flame *flame = &picker->flames->all.at[picker->boxes.at[next]];
        const struct hp_change *change = hp_flame_change(picker->flames, flame);
        struct hp_page_node added = {.name = flame->name,
                                     .parent = node,
                                     .before = flame->before,
                                     .sum = flame->after,
                                     .error = flame->error,
                                     .p = change ? change->p : (double)NAN,
                                     .is_significant = change && change->is_significant};
        is_done[next] = true;
        if (node != HP_NO_PARENT) {
            view->tree.at[node].children++;
        }
        node = (uint32_t)view->tree.count;
        box_of[node] = picker->boxes.at[next];
        hp_vec_push(&view->tree, added);
    }
}

// --- changes ------------------------------------------------------------------------------

// Copy the boxes that were compared, with their changes, to changes->boxes.  Callers are
// before their callees.
static void keep_boxes(struct hp_page_changes *changes, const struct hp_flames *flames) {
    uint32_t *number_of = hp_alloc(flames->all.count * sizeof *number_of);
    for (uint32_t i = 0; i < flames->all.count; i++) {
        const struct hp_flame *flame = &flames->all.at[i];
        const struct hp_change *change = hp_flame_change(flames, flame);
        number_of[i] = HP_NO_PARENT;
        if (has_name(flame) && change) {
            struct hp_page_box box = {flame->name, number_of[flame->parent], *change};
            number_of[i] = (uint32_t)changes->boxes.count;
            hp_vec_push(&changes->boxes, box);
        }
    }
    free(number_of);
}

// Compare functions by flat or by cum, and keep the result in view->changes.
static void compare_by(struct hp_view *view, const struct hp_sides *sides, bool by_cum) {
    struct hp_page_changes *changes = view->changes;
    struct hp_members members;
    hp_members_init(&members, &view->naming, by_cum);
    const struct hp_difference *report = view->report->has_sides ? view->extra : NULL;
    hp_difference_init(&changes->made[by_cum], view, sides, &members,
                       report ? &report->open : NULL);
    hp_members_done(&members);
    changes->by[by_cum] = &changes->made[by_cum];
}

// Make view->changes.  The report of a diff has made one of the two comparisons, by flat
// or by cum, already.
static void compare(struct hp_view *view, const struct hp_flames *flames) {
    struct hp_sides sides;
    struct hp_page_changes *changes = view->changes = hp_alloc(sizeof *changes);
    bool by_cum = view->options.sort == HP_SORT_CUM;
    hp_page_sides(view, &sides);
    compare_by(view, &sides, !by_cum);
    if (view->report->has_sides) {
        changes->by[by_cum] = view->extra;
    } else {
        compare_by(view, &sides, by_cum);
    }
    hp_sides_done(&sides);
    keep_boxes(changes, flames);
}

// --- series -------------------------------------------------------------------------------

// Return the sampling error of a dump's total, in the column of the metric.
static struct hp_error error_of(const struct hp_view *view,
                                const struct hp_series_dump *dump) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    struct hp_error sum = {0};
    hp_history_open(&reader, &view->profile->history, dump->input->number);
    while (hp_history_next(&reader, &seen)) {
        hp_error_add(&sum, &seen.errors[hp_column_of(view->options.metric)]);
    }
    hp_history_done_reading(&reader);
    return sum;
}

// Add to the changes of a trend's page the trends by cum if the report is by flat, or the
// reverse, and the sampling error of each dump's total.
static void add_series(struct hp_view *view) {
    struct hp_page_changes *changes = view->changes;
    hp_trends_init(&changes->other, view, view->options.sort != HP_SORT_CUM);
    changes->sampled = hp_alloc(view->series_count * sizeof *changes->sampled);
    for (size_t i = 0; i < view->series_count; i++) {
        changes->sampled[i] = error_of(view, &view->series[i]);
    }
}

// --- facet --------------------------------------------------------------------------------

bool hp_page_has_facet(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool has_key = options->by != HP_BY_LABEL || options->label;
    return view->use.shape == HP_SHAPE_PAGE && options->kind == HP_REPORT_TOP &&
           has_key && options->by >= HP_BY_INPUT && !hp_is_of_parts(options->by);
}

int hp_page_take_facet(struct hp_view *view, struct hp_err *err) {
    const struct hp_facet *facet = &view->facet;
    if (!hp_page_has_facet(view)) {
        return HP_OK;
    }
    hp_facet_init(&view->facet, view);
    if (facet->inputs.count > 0 && facet->values.count > MOST_GROUPS) {
        bool is_input = view->options.by == HP_BY_INPUT;
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("page-many-groups",
                                  "html shows at most %d values of --by=%s, these are "
                                  "%zu. Use %s"),
                       MOST_GROUPS, facet->key, facet->values.count,
                       is_input ? "--by=process, or --format=text" : "--format=text");
    }
    if (view->head.has_moments && view->head.processes->largest > 1) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "page-adds-up-dumps",
                "html by %s would add up dumps of one process. Use --dumps=sum, or "
                "trend"),
            facet->key);
    }
    view->options.by = HP_BY_FUNCTION;
    return HP_OK;
}

// --- all ----------------------------------------------------------------------------------

int hp_page_build(struct hp_view *view, struct hp_err *err) {
    struct hp_flames flames;
    struct picker picker = {.flames = &flames};
    int ret = view->report->build(view, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
    hp_flames_init(&flames, view, MOST_BYTES);
    pick(&picker);
    put_in_order(view, &picker);
    hp_vec_done(&picker.boxes);
    if (flames.is_comparison) {
        compare(view, &flames);
    }
    if (view->report == &hp_report_trend) {
        add_series(view);
    }
    hp_flames_done(&flames);
    hp_stack_sums_done(&view->cache->sums);
    view->cache->sums = (struct hp_stack_sums){0};
    hp_stacks_done(&view->stacks);
    hp_stacks_init_sites(&view->stacks, &view->naming, view->facet.of_set);
    return HP_OK;
}

void hp_page_done(struct hp_view *view) {
    hp_facet_done(&view->facet);
    hp_vec_done(&view->tree);
    if (view->changes) {
        hp_difference_done(&view->changes->made[0]);
        hp_difference_done(&view->changes->made[1]);
        hp_vec_done(&view->changes->boxes);
        hp_trends_done(&view->changes->other);
        free(view->changes->sampled);
        free(view->changes);
    }
}

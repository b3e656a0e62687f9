// The report `stacks`: every distinct stack of names, the largest first.
#include "view/stack_groups.h"
#include "view/view.h"

#include <stdlib.h>

// Whether the value of a stack of the view is not 0 in a metric that the format shows.
static bool holds_any(const struct hp_view *view, uint32_t stack) {
    const struct hp_values *values = &hp_view_stack_sums(view)->values[stack];
    bool all = (view->use.can & HP_HAS_ALL_METRICS) != 0, found = false;
    for (enum hp_metric i = 0; i < HP_METRICS; i++) {
        found |= values->of[i] != 0 && (all || i == view->options.metric);
    }
    return found;
}

// Remove stacks whose values are all 0 from view->by_value.  view->listed becomes the
// number of the other stacks, which move to the front.
static void drop_nothing(struct hp_view *view) {
    for (size_t i = 0; i < view->stacks.all.count; i++) {
        if (holds_any(view, view->by_value[i])) {
            view->by_value[view->listed++] = view->by_value[i];
        }
    }
}

// Set the number of stacks that HP_LIMIT_ENOUGH shows.
static void find_enough(struct hp_view *view) {
    struct hp_enough values = {.count = 0};
    for (size_t i = 0; i < view->listed; i++) {
        hp_enough_add(
            &values,
            hp_view_stack_amount(view, view->by_value[i], view->options.metric).sum);
    }
    view->enough = hp_view_enough(view, &values, 0);
}

struct hp_span hp_view_stack_group(const struct hp_view *view, uint32_t stack) {
    const struct hp_strtab *names = view->extra;
    return names ? hp_strtab_span(names, view->stacks.all.at[stack].tags)
                 : (struct hp_span){"", 0};
}

static void done(struct hp_view *view) {
    hp_strtab_done(view->extra);
}

// Find the stacks, those of different groups apart, and keep the names of the groups.
static int find_stacks(struct hp_view *view, struct hp_err *err) {
    const struct hp_group_rules *rules = &view->options.groups;
    struct hp_stack_groups groups;
    if (rules->count == 0) {
        hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
        return HP_OK;
    }
    int ret = hp_stack_groups_init(&groups, view->profile, rules->at, rules->count, err);
    if (ret == HP_OK) {
        struct hp_strtab *names = view->extra = hp_alloc(sizeof *names);
        for (size_t i = 0; i < view->profile->stacks.count; i++) {
            const char *name = groups.names.at[groups.of_stack[i]];
            groups.of_stack[i] = hp_strtab_add(names, hp_span_of(name)).n;
        }
        hp_stacks_init_groups(&view->stacks, &view->naming, groups.of_stack);
    }
    hp_stack_groups_done(&groups);
    return ret;
}

static int build(struct hp_view *view, struct hp_err *err) {
    int ret = find_stacks(view, err);
    if (ret != HP_OK) {
        return ret;
    }
    view->by_value =
        hp_stacks_by_value(&view->stacks, hp_view_stack_sums(view), view->options.metric);
    drop_nothing(view);
    find_enough(view);
    return HP_OK;
}

const struct hp_report hp_report_stacks = {
    .name = "stacks",
    .help = "every distinct stack with its values",
    .build = build,
    .done = done,
};

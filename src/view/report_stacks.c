// The report `stacks`: every distinct stack of names, the largest first.
#include "view/view.h"

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

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
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
};

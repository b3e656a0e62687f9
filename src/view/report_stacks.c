// Every distinct stack of names, the largest first.
#include "view/view.h"

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
    view->by_value =
        hp_stacks_by_value(&view->stacks, hp_view_stack_sums(view), view->options.metric);
    return HP_OK;
}

const struct hp_report hp_report_stacks = {
    .name = "stacks",
    .help = "every distinct stack with its values",
    .build = build,
};

#include "view/report_stacks.h"

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    struct hp_stack_list *list = view->extra = hp_alloc(sizeof *list);
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
    list->order =
        hp_stacks_by_value(&view->stacks, hp_view_stack_sums(view), view->options.metric);
    return HP_OK;
}

static void done(struct hp_view *view) {
    struct hp_stack_list *list = view->extra;
    free(list->order);
}

struct hp_amount hp_stack_list_amount(const struct hp_view *view, size_t i,
                                      enum hp_metric metric) {
    const struct hp_stack_list *list = view->extra;
    const struct hp_stack_sums *sums = hp_view_stack_sums(view);
    uint32_t stack = list->order[i];
    return (struct hp_amount){
        .sum = sums->values[stack].of[metric],
        .error = &sums->errors[stack * HP_COLUMNS + hp_column_of(metric)],
    };
}

unsigned hp_stack_list_flags(const struct hp_view *view, size_t i) {
    enum hp_metric metric = view->options.metric;
    struct hp_amount amount = hp_stack_list_amount(view, i, metric);
    return hp_precision_flags(&view->precision, amount.sum, amount.error, metric);
}

const struct hp_report hp_report_stacks = {
    .name = "stacks",
    .all_metrics = true,
    .build = build,
    .done = done,
};

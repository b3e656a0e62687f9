// As json_head.c tells, with rows
//
//     {"frames": ["leaf", "main"], "truncated": false, "value": ESTIMATES,
//      "effective_samples": 12.3, "flags": ["few-samples"]}
//
// of all metrics, leaf first, the largest in the metric asked for first.
#include "report/json/json.h"

struct entry {
    const struct hp_view *view;
    uint32_t stack;
};

static struct hp_amount amount_of(const void *data, enum hp_metric metric) {
    const struct entry *entry = data;
    return hp_view_stack_amount(entry->view, entry->stack, metric);
}

static void put_frames(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_stack_key *stack) {
    hp_sink_text(out, "{\"frames\": [");
    for (uint32_t i = 0; i < stack->depth; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_string(out, hp_view_node(view, (hp_node_id){stack->at[i]}));
    }
    hp_sink_print(out, "], \"truncated\": %s,\n   ", stack->truncated ? "true" : "false");
}

static void put_stack(struct hp_sink *out, const struct hp_view *view, uint32_t stack) {
    enum hp_metric metric = view->options.metric;
    struct entry entry = {view, stack};
    struct hp_amount amount = hp_view_stack_amount(view, stack, metric);
    put_frames(out, view, &view->stacks.all.at[stack]);
    hp_json_key(out, "value");
    hp_json_estimates(out, view, amount_of, &entry);
    hp_sink_text(out, ",\n   ");
    hp_json_key(out, "effective_samples");
    hp_json_double(out, hp_precision_samples(&view->precision, amount.sum, amount.error,
                                             metric));
    hp_sink_text(out, ", \"flags\": ");
    hp_json_flags(out, hp_view_stack_flags(view, stack));
    hp_sink_text(out, "}");
}

void hp_json_stacks(struct hp_sink *out, const struct hp_view *view) {
    hp_json_begin(out, view);
    for (size_t i = 0; i < hp_view_shown(view, view->stacks.all.count); i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        put_stack(out, view, view->by_value[i]);
    }
    hp_sink_text(out, "]");
    hp_json_end(out, view);
}

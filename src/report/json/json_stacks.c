// As json_head.c tells, with rows
//
//     {"frames": ["leaf", "main"], "truncated": false, "value": ESTIMATES,
//      "effective_samples": 12.3, "flags": ["few-samples"],
//      "sizes": [{"size": 96, "is_likely": true, "objects": 20000.123, "bytes": 1920011.790}]}
//
// of all metrics, leaf first, the largest in the metric asked for first.  Sizes are those of what
// is in use, or allocated, as the metric is; null are mixed ones.
#include "report/json/json.h"

#include "base/units.h"
#include "view/size_rows.h"

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

static void put_sizes(struct hp_sink *out, const struct hp_view *view, uint32_t stack) {
    size_t count;
    const struct hp_size_part *const *parts = hp_view_stack_sizes(view, stack, &count);
    hp_sink_text(out, ",\n   \"sizes\": [");
    for (size_t i = 0; i < count; i++) {
        const struct hp_size_part *part = parts[i];
        char size[HP_NUMBER_SIZE];
        hp_format_integer(size, (hp_int128)part->size);
        hp_sink_print(out, "%s{\"size\": %s, \"is_likely\": %s, \"objects\": ",
                      i > 0 ? ", " : "", part->size == HP_MIXED_SIZES ? "null" : size,
                      part->is_likely ? "true" : "false");
        hp_json_fixed(out, part->objects, HP_INUSE_OBJECTS);
        hp_sink_text(out, ", \"bytes\": ");
        hp_json_fixed(out, part->bytes, HP_INUSE_SPACE);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
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
    put_sizes(out, view, stack);
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

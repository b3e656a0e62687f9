// value value_low value_high effective_samples flags sizes group stack
//
// The column `group` is there with --groups only.
//
// Sizes are written as "96:20000.123,~2048:3.000,mixed:2.000": a size in bytes, a colon,
// and the number of objects.  "~" says that some of these objects could have other sizes.
//
// A stack is its names from the root with ';' between them; a ';' within a name is \;.
#include "report/tsv/tsv.h"

#include "base/units.h"
#include "view/size_rows.h"

#include <string.h>

// Write a name of a stack as part of a cell, with \; for ';'.
static void put_name(struct hp_sink *out, struct hp_span name) {
    const char *semicolon;
    while ((semicolon = memchr(name.at, ';', name.size)) != NULL) {
        size_t size = (size_t)(semicolon - name.at);
        hp_tsv_text(out, (struct hp_span){name.at, size});
        hp_sink_text(out, "\\;");
        name = hp_span_from(name, size + 1);
    }
    hp_tsv_text(out, name);
}

// Write the stack and the newline.
static void put_stack(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_stack_key *stack) {
    if (stack->truncated) {
        put_name(out, hp_view_node(view, view->naming.truncated));
        hp_sink_text(out, ";");
    }
    for (uint32_t i = stack->depth; i-- > 0;) {
        put_name(out, hp_view_node(view, (hp_node_id){stack->at[i]}));
        hp_sink_text(out, i > 0 ? ";" : "\n");
    }
}

// Write the sizes of a stack's objects in the column of the metric.
static void put_sizes(struct hp_sink *out, const struct hp_view *view, uint32_t stack) {
    size_t count;
    const struct hp_size_part *const *parts =
        hp_view_stack_sizes(view, stack, hp_column_of(view->options.metric), &count);
    for (size_t i = 0; i < count; i++) {
        bool is_mixed = parts[i]->size == HP_MIXED_SIZES;
        char size[HP_NUMBER_SIZE];
        hp_format_integer(size, (hp_int128)parts[i]->size);
        hp_sink_print(out, "%s%s%s:", i > 0 ? "," : "",
                      parts[i]->is_likely && !is_mixed ? "~" : "",
                      is_mixed ? "mixed" : size);
        hp_json_fixed(out, parts[i]->objects, HP_INUSE_OBJECTS);
    }
}

void hp_tsv_stacks(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    bool has_groups = view->options.groups.count > 0;
    hp_sink_text(out, "value\tvalue_low\tvalue_high\teffective_samples\tflags\tsizes\t");
    hp_sink_text(out, has_groups ? "group\tstack\n" : "stack\n");
    for (size_t i = 0; i < hp_view_shown(view, view->listed); i++) {
        uint32_t stack = view->by_value[i];
        struct hp_amount amount = hp_view_stack_amount(view, stack, metric);
        hp_tsv_estimate(out, view, &amount, metric);
        hp_tsv_double(out, hp_precision_samples(&view->precision, amount.sum,
                                                amount.error, metric));
        hp_sink_text(out, "\t");
        hp_tsv_flags(out, hp_view_stack_flags(view, stack));
        hp_sink_text(out, "\t");
        put_sizes(out, view, stack);
        hp_sink_text(out, "\t");
        if (has_groups) {
            hp_tsv_text(out, hp_view_stack_group(view, stack));
            hp_sink_text(out, "\t");
        }
        put_stack(out, view, &view->stacks.all.at[stack]);
    }
}

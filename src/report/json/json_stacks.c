// As json_head.c describes, with rows
//
//     {"frames": ["leaf", "main"], "classes": ["own", "own"], "truncated": false,
//      "value": ESTIMATES, "effective_samples": 12.3, "flags": ["few-samples"],
//      "sizes": [{"size": 96, "is_likely": true, "objects": 20000.123,
//                 "bytes": 1920011.790}]}
//
// in all metrics; frames are leaf first, and the stack that is largest in the requested
// metric comes first.  Sizes are those of objects in use or allocated, as the metric is;
// a size of null is a mix of sizes.  After the rows there is
//
//     "names": [{"name": "leaf", "class": "own", "function": "leaf",
//                "module": "/srv/app", "file": "/srv/app/leaf.c", "line": 7}, ...]
//
// for each frame that occurs in rows, with null for members that are not known or have
// several values.
#include "report/json/json.h"

#include "base/units.h"
#include "view/size_rows.h"

#include <stdlib.h>

// The stack and the view that amount_of() reads.
struct stack_entry {
    const struct hp_view *view;
    uint32_t stack;
};

static struct hp_amount amount_of(const void *data, enum hp_metric metric) {
    const struct stack_entry *entry = data;
    return hp_view_stack_amount(entry->view, entry->stack, metric);
}

// Write the frames of a stack and their classes; opens the row.
static void put_frames(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_stack_key *stack) {
    hp_sink_text(out, "{\"frames\": [");
    for (uint32_t i = 0; i < stack->depth; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_string(out, hp_view_node(view, (hp_node_id){stack->at[i]}));
    }
    hp_sink_text(out, "],\n   \"classes\": [");
    for (uint32_t i = 0; i < stack->depth; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_class(out, hp_node_class(&view->naming, (hp_node_id){stack->at[i]}));
    }
    hp_sink_print(out, "], \"truncated\": %s,\n   ", stack->truncated ? "true" : "false");
}

// Write the sizes of a stack's objects.
static void put_sizes(struct hp_sink *out, const struct hp_view *view, uint32_t stack) {
    size_t count;
    const struct hp_size_part *const *parts =
        hp_view_stack_sizes(view, stack, hp_column_of(view->options.metric), &count);
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

// Write a stack as a row.
static void put_stack(struct hp_sink *out, const struct hp_view *view, uint32_t stack) {
    enum hp_metric metric = view->options.metric;
    struct stack_entry entry = {view, stack};
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

// For each node, whether it occurs in a row; the caller frees the result.
static bool *find_shown(const struct hp_view *view) {
    bool *is_shown = hp_alloc(hp_node_count(&view->naming));
    for (size_t i = 0; i < hp_view_shown(view, view->listed); i++) {
        const struct hp_stack_key *stack = &view->stacks.all.at[view->by_value[i]];
        for (uint32_t k = 0; k < stack->depth; k++) {
            is_shown[stack->at[k]] = true;
        }
    }
    return is_shown;
}

// Write a text with its key after a comma; null if it is empty.
static void put_text(struct hp_sink *out, const char *key, struct hp_span text) {
    hp_sink_text(out, ", ");
    hp_json_key(out, key);
    hp_json_text(out, text);
}

// Write the name, class, function, module, source file and line of a node.
static void put_origin(struct hp_sink *out, const struct hp_view *view, hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(view, node);
    const struct hp_module *module = hp_view_module(view, origin->module);
    hp_sink_text(out, "{");
    hp_json_name(out, view, node);
    put_text(out, "function", hp_naming_function(&view->naming, origin->function));
    put_text(out, "module", hp_view_string(view, module->path));
    put_text(out, "file", hp_view_string(view, origin->file));
    if (origin->line > 0) {
        hp_sink_print(out, ", \"line\": %u}", (unsigned)origin->line);
    } else {
        hp_sink_text(out, ", \"line\": null}");
    }
}

// Write the module, source file and line of each node that occurs in rows, sorted by
// name.
static void put_names(struct hp_sink *out, const struct hp_view *view) {
    size_t count = hp_node_count(&view->naming), shown = 0;
    hp_node_id *nodes = hp_alloc(count * sizeof *nodes);
    bool *is_shown = find_shown(view);
    for (uint32_t i = 0; i < count; i++) {
        nodes[shown].n = i;
        shown += is_shown[i];
    }
    hp_nodes_sort(&view->naming, nodes, shown);
    hp_sink_text(out, ",\n \"names\": [");
    for (size_t i = 0; i < shown; i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        put_origin(out, view, nodes[i]);
    }
    hp_sink_text(out, "]");
    free(is_shown);
    free(nodes);
}

void hp_json_stacks(struct hp_sink *out, const struct hp_view *view) {
    hp_json_begin(out, view);
    for (size_t i = 0; i < hp_view_shown(view, view->listed); i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        put_stack(out, view, view->by_value[i]);
    }
    hp_sink_text(out, "]");
    put_names(out, view);
    hp_json_end(out, view);
}

// As json_head.c describes, with rows
//
//     {"frames": ["leaf", "main"], "classes": ["own", "own"], "truncated": false,
//      "value": ESTIMATES, "effective_samples": 12.3, "flags": ["few-samples"],
//      "sizes": [{"size": 96, "is_likely": true, "objects": 20000.123,
//                 "bytes": 1920011.790}]}
//
// in all metrics; with --groups also "group": "parser".  Frames are leaf first, and the stack that is largest in the requested
// metric comes first.  Sizes are those of objects in use or allocated, as the metric is;
// a size of null is a mix of sizes.  After the rows there is
//
//     "names": [{"name": "leaf", "class": "own", "function": "leaf",
//                "module": "/srv/app", "file": "/srv/app/leaf.c", "line": 7}, ...]
//
// for each frame that occurs in rows, with null for members that are not known or have
// several values.
#include "report/json/json.h"

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

// Write the frames of a stack and their classes.
static void put_frames(struct hp_json *json, const struct hp_view *view,
                       const struct hp_stack_key *stack) {
    hp_json_open(json, "frames", '[');
    for (uint32_t i = 0; i < stack->depth; i++) {
        hp_json_put_string(json, NULL, hp_view_node(view, (hp_node_id){stack->at[i]}));
    }
    hp_json_close(json);
    hp_json_line(json, 3);
    hp_json_open(json, "classes", '[');
    for (uint32_t i = 0; i < stack->depth; i++) {
        hp_node_id node = {stack->at[i]};
        hp_json_class(json, NULL, hp_node_class(&view->naming, node));
    }
    hp_json_close(json);
    hp_json_put_truth(json, "truncated", stack->truncated);
    hp_json_line(json, 3);
}

// Write the sizes of a stack's objects.
static void put_sizes(struct hp_json *json, const struct hp_view *view, uint32_t stack) {
    size_t count;
    const struct hp_size_part *const *parts =
        hp_view_stack_sizes(view, stack, hp_column_of(view->options.metric), &count);
    hp_json_line(json, 3);
    hp_json_open(json, "sizes", '[');
    for (size_t i = 0; i < count; i++) {
        const struct hp_size_part *part = parts[i];
        hp_json_open(json, NULL, '{');
        if (part->size == HP_MIXED_SIZES) {
            hp_json_put_null(json, "size");
        } else {
            hp_json_put_count(json, "size", part->size);
        }
        hp_json_put_truth(json, "is_likely", part->is_likely);
        hp_json_put_fixed(json, "objects", part->objects, HP_INUSE_OBJECTS);
        hp_json_put_fixed(json, "bytes", part->bytes, HP_INUSE_SPACE);
        hp_json_close(json);
    }
    hp_json_close(json);
}

// Write a stack as a row.
static void put_stack(struct hp_json *json, const struct hp_view *view, uint32_t stack) {
    enum hp_metric metric = view->options.metric;
    struct stack_entry entry = {view, stack};
    struct hp_amount amount = hp_view_stack_amount(view, stack, metric);
    hp_json_row(json, 2);
    put_frames(json, view, &view->stacks.all.at[stack]);
    struct hp_span group = hp_view_stack_group(view, stack);
    if (group.size > 0) {
        hp_json_put_text(json, "group", group);
    }
    hp_json_estimates(json, "value", view, amount_of, &entry);
    hp_json_line(json, 3);
    hp_json_put_double(json, "effective_samples",
                       hp_precision_samples(&view->precision, amount.sum, amount.error,
                                            metric));
    hp_json_flags(json, "flags", hp_view_stack_flags(view, stack));
    put_sizes(json, view, stack);
    hp_json_close(json);
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

// Write the name, class, function, module, source file and line of a node.
static void put_origin(struct hp_json *json, const struct hp_view *view,
                       hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(view, node);
    const struct hp_module *module = hp_view_module(view, origin->module);
    hp_json_row(json, 2);
    hp_json_name(json, view, node);
    hp_json_put_text(json, "function",
                     hp_naming_function(&view->naming, origin->function));
    hp_json_put_text(json, "module", hp_view_string(view, module->path));
    hp_json_put_text(json, "file", hp_view_string(view, origin->file));
    hp_json_put_known(json, "line", origin->line);
    hp_json_close(json);
}

// Write the module, source file and line of each node that occurs in rows, sorted by
// name.
static void put_names(struct hp_json *json, const struct hp_view *view) {
    size_t count = hp_node_count(&view->naming), shown = 0;
    hp_node_id *nodes = hp_alloc(count * sizeof *nodes);
    bool *is_shown = find_shown(view);
    for (uint32_t i = 0; i < count; i++) {
        nodes[shown].n = i;
        shown += is_shown[i];
    }
    hp_nodes_sort(&view->naming, nodes, shown);
    hp_json_line(json, 1);
    hp_json_open(json, "names", '[');
    for (size_t i = 0; i < shown; i++) {
        put_origin(json, view, nodes[i]);
    }
    hp_json_close(json);
    free(is_shown);
    free(nodes);
}

void hp_json_stacks(struct hp_sink *out, const struct hp_view *view) {
    struct hp_json json = {.out = out};
    hp_json_begin(&json, view);
    for (size_t i = 0; i < hp_view_shown(view, view->listed); i++) {
        put_stack(&json, view, view->by_value[i]);
    }
    hp_json_close(&json);
    put_names(&json, view);
    hp_json_end(&json, view);
}

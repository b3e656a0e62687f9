// As json_head.c describes, with rows
//
//     {"parent": 0, "depth": 1, "name": "f", "class": "own", "cum": ESTIMATE,
//      "flat": 1.500}
//
// in the metric that was asked for; "flat" is null in an inverted tree.  "parent" is the
// number of an earlier row, from 0 on, or null.  "hidden": 3 is the number of nodes that
// are not shown because of --limit and --min-share.
#include "report/json/json.h"

#include "view/report_tree.h"

// Write a node of the tree as a row, without the braces around it.
static void put_node(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_tree_node *node) {
    const struct hp_tree *tree = view->extra;
    enum hp_metric metric = view->options.metric;
    struct hp_amount cum = hp_tree_cum(tree, node);
    hp_json_key(out, "parent");
    if (node->parent == HP_NO_PARENT) {
        hp_sink_text(out, "null");
    } else {
        hp_sink_print(out, "%u", (unsigned)node->parent);
    }
    hp_sink_print(out, ", \"depth\": %u, ", (unsigned)node->depth);
    hp_json_name(out, view, node->name);
    hp_sink_text(out, ", \"cum\": ");
    hp_json_estimate(out, view, &cum, metric);
    hp_sink_text(out, ", \"flat\": ");
    if (view->options.tree.invert) {
        hp_sink_text(out, "null");
    } else {
        hp_json_fixed(out, hp_tree_flat(tree, node), metric);
    }
}

void hp_json_tree(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    hp_json_begin(out, view);
    size_t count = tree->nodes.count, shown = hp_view_fitting(view, count);
    for (size_t i = 0; i < shown; i++) {
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        put_node(out, view, &tree->nodes.at[i]);
        hp_sink_text(out, "}");
    }
    hp_sink_print(out, "],\n \"hidden\": %zu", tree->hidden + count - shown);
    hp_json_end(out, view);
}

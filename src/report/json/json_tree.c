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

// Write a node of the tree as a row.
static void put_node(struct hp_json *json, const struct hp_view *view,
                     const struct hp_tree_node *node) {
    const struct hp_tree *tree = view->extra;
    enum hp_metric metric = view->options.metric;
    struct hp_amount cum = hp_tree_cum(tree, node);
    hp_json_row(json, 2);
    if (node->parent == HP_NO_PARENT) {
        hp_json_put_null(json, "parent");
    } else {
        hp_json_put_count(json, "parent", node->parent);
    }
    hp_json_put_count(json, "depth", node->depth);
    hp_json_name(json, view, node->name);
    hp_json_estimate(json, "cum", view, &cum, metric);
    if (view->options.tree.invert) {
        hp_json_put_null(json, "flat");
    } else {
        hp_json_put_fixed(json, "flat", hp_tree_flat(tree, node), metric);
    }
    hp_json_close(json);
}

void hp_json_tree(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_tree *tree = view->extra;
    struct hp_json json = {.out = out};
    hp_json_begin(&json, view);
    size_t count = tree->nodes.count, shown = hp_view_fitting(view, count);
    for (size_t i = 0; i < shown; i++) {
        put_node(&json, view, &tree->nodes.at[i]);
    }
    hp_json_close(&json);
    hp_json_line(&json, 1);
    hp_json_put_count(&json, "hidden", tree->hidden + count - shown);
    hp_json_end(&json, view);
}

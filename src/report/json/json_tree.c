// As json.c, with rows
//
//     {"parent": 0, "depth": 1, "name": "f", "cum": NUMBER, "flat": 1.500}
//
// of the metric asked for; "flat" is null if inverted.  "parent" is the number of a row before this one, from 0, or null.
// After the rows "hidden": 3 tells how many nodes --limit and --min-share left out.
#include "report/json/json.h"
#include "report/json/jsontext.h"
#include "view/tree.h"

static void put_node(const struct hp_json_report *r, const struct hp_tree *tree,
                     const struct hp_tree_node *node) {
    enum hp_metric metric = r->options->metric;
    hp_json_key(r->out, "parent");
    if (node->parent == HP_NO_PARENT) {
        hp_sink_text(r->out, "null");
    } else {
        hp_sink_print(r->out, "%u", (unsigned)node->parent);
    }
    hp_sink_print(r->out, ", \"depth\": %u, \"name\": ", (unsigned)node->depth);
    hp_json_string(r->out, hp_node_name(&tree->naming, node->name));
    hp_sink_text(r->out, ", \"cum\": ");
    hp_json_number(r, node->cum, &node->error, metric);
    hp_sink_text(r->out, ", \"flat\": ");
    if (r->options->invert) {
        hp_sink_text(r->out, "null");
    } else {
        hp_json_fixed(r->out, node->flat, metric);
    }
}

void hp_json_tree(const struct hp_json_report *r) {
    struct hp_tree tree;
    hp_tree_init(&tree, r->profile, r->options);
    hp_json_begin(r, &tree.naming, "tree");
    for (size_t i = 0; i < tree.nodes.count; i++) {
        hp_sink_text(r->out, i > 0 ? ",\n  {" : "\n  {");
        put_node(r, &tree, &tree.nodes.at[i]);
        hp_sink_text(r->out, "}");
    }
    hp_sink_print(r->out, "],\n \"hidden\": %zu", tree.hidden);
    hp_json_foot(r->out, r->profile);
    hp_tree_done(&tree);
}

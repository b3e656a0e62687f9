// What graphs of calls have in common, whoever draws them.
#ifndef HP_REPORT_CALLGRAPH_H
#define HP_REPORT_CALLGRAPH_H

#include "report/pictures.h"
#include "report/text/text_names.h"

struct hp_callgraph {
    const struct hp_view *view;
    enum hp_metric metric;
    hp_fixed total, filtered;
    size_t drawn;        // of the rows, the first so many
    uint32_t *number_of; // of each node: its place among the rows, and one; 0: not shown
    struct hp_text_names *names; // of those shown, no two of them the same
};

// Of a view's nodes, at most so many.
void hp_callgraph_init(struct hp_callgraph *graph, const struct hp_view *view,
                       size_t most);
void hp_callgraph_done(struct hp_callgraph *graph);

// Whether an edge is large enough, and between nodes that are shown.
bool hp_callgraph_has(const struct hp_callgraph *graph, const struct hp_edge *edge);

// From 0 to `most`, as a value is 0 to all that filters leave.
int hp_callgraph_scale(const struct hp_callgraph *graph, hp_fixed value, int most);

// The color of a node, by what it holds with all that it calls.
unsigned hp_callgraph_color(const struct hp_callgraph *graph, hp_fixed cum);

// "58.4 MiB", "58.4 MiB (72.0%)"
void hp_callgraph_put_value(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value);
void hp_callgraph_put_share(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value);

// What is drawn, and what is not: lines, safe for terminals; to be freed.
char *hp_callgraph_head(const struct hp_callgraph *graph);

#endif

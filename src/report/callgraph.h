// The call graph that dot.c, and callgraph.c as a picture, draw: its nodes, edges,
// colours and texts.
#ifndef HP_REPORT_CALLGRAPH_H
#define HP_REPORT_CALLGRAPH_H

#include "report/pictures.h"
#include "report/text/text_names.h"

// The nodes of a view's call graph that are drawn, and the totals that they are compared
// with.
struct hp_callgraph {
    const struct hp_view *view;
    enum hp_metric metric;
    // In the metric: the sum of all stacks, and of the stacks that filters leave.
    hp_fixed total, filtered;
    size_t drawn; // rows that are nodes of the picture: the first ones of the view
    // Number of each node of the naming among the drawn ones, from 1 on; 0: not drawn.
    uint32_t *number_of;
    struct hp_text_names *names; // distinct names of the drawn nodes
};

// Choose the nodes to draw: the first view->drawn rows, but at most `most`.  Borrows the
// view. hp_callgraph_done() frees the members of the graph.
void hp_callgraph_init(struct hp_callgraph *graph, const struct hp_view *view,
                       size_t most);
void hp_callgraph_done(struct hp_callgraph *graph);

// Whether an edge is drawn: both of its nodes are drawn, and at least 1/1000 of the
// filtered total passes it.
bool hp_callgraph_has(const struct hp_callgraph *graph, const struct hp_edge *edge);

// Scale a value to 0 ...  `most`, in proportion to the filtered total.
int hp_callgraph_scale(const struct hp_callgraph *graph, hp_fixed value, int most);

// The colour of a node as 0xRRGGBB: the larger its cum, the redder.
unsigned hp_callgraph_color(const struct hp_callgraph *graph, hp_fixed cum);

// hp_callgraph_put_value() writes a value, "58.4 MiB"; hp_callgraph_put_share() writes it
// with its share of the total, "58.4 MiB (72.0%)".
void hp_callgraph_put_value(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value);
void hp_callgraph_put_share(struct hp_sink *out, const struct hp_callgraph *graph,
                            hp_fixed value);

// The text above a graph: the metric, its total, and how many nodes and edges are drawn.
// Its lines end with newlines and are safe for terminals; the caller frees it.
char *hp_callgraph_head(const struct hp_callgraph *graph);

#endif

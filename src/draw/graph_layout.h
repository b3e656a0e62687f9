// Where the boxes and edges of a graph are drawn: callers above what they call, in layers, as
// Sugiyama, Tagawa and Toda have it (1981).
//
// Lengths are whole hundredths of a point: every machine finds the same.  It takes
// less than a second for any graph: what would be too much is left out, the lightest edges first.
#ifndef HP_DRAW_GRAPH_LAYOUT_H
#define HP_DRAW_GRAPH_LAYOUT_H

#include "draw/draw.h"

enum {
    HP_LAYOUT_NODES = HP_GRAPH_NODES, // there may be no more
    HP_LAYOUT_EDGES = 20000,
    // Of all edges that are drawn: one lighter is not, if it would need more.
    HP_LAYOUT_BENDS = 60000,
};

struct hp_layout_point {
    int64_t x, y; // down
};

struct hp_layout_node {
    int64_t width, height;
    struct hp_layout_point at; // found: the upper left corner
};

struct hp_layout_edge {
    uint32_t from, to;  // nodes; of a pair and a direction there is one
    int64_t weight;     // above 0: the heavier, the rather it leads down
    int64_t line_width; // the head of its arrow is three times as wide, and a little
    int64_t label_width, label_height;
    bool is_drawn;                   // found, as is all that follows
    bool is_turned;                  // it leads up
    size_t first, count;             // its line, among the points, towards `to`
    struct hp_layout_point label_at; // the upper left corner
};

struct hp_layout {
    struct hp_layout_node *nodes; // the caller's
    size_t node_count;
    struct hp_layout_edge *edges; // the caller's
    size_t edge_count;
    HP_VEC(struct hp_layout_point) points; // found
    int64_t width, height;
    size_t crossings; // of lines, in all
};

// The upper left corner of all is at (0, 0).
void hp_layout_find(struct hp_layout *layout);
void hp_layout_done(struct hp_layout *layout);

#endif

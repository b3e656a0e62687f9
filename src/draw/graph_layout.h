// Layout of a call graph: places of its boxes and edges, with callers above what they
// call, in layers, after Sugiyama, Tagawa and Toda (1981).
//
// Lengths are whole hundredths of a point, so that every machine finds the same layout.
// Any graph takes less than a second: where the work would be too much, edges are not
// drawn, the lightest first.
#ifndef HP_DRAW_GRAPH_LAYOUT_H
#define HP_DRAW_GRAPH_LAYOUT_H

#include "draw/draw.h"

enum {
    HP_LAYOUT_NODES = HP_GRAPH_NODES, // most nodes that a caller may pass
    // Most edges that are drawn.
    HP_LAYOUT_EDGES = 20000,
    // Most bends of all drawn edges together: an edge that would exceed this is not
    // drawn.
    HP_LAYOUT_BENDS = 60000,
};

struct hp_layout_point {
    int64_t x, y; // y grows downwards
};

struct hp_layout_node {
    // Size of the box; set by the caller.
    int64_t width, height;
    struct hp_layout_point at; // result: the upper left corner
};

struct hp_layout_edge {
    uint32_t from, to; // Nodes. There is at most one edge for each pair and direction.
    int64_t weight; // Above 0. The heavier an edge, the more likely it leads downwards.
    int64_t line_width; // the head of its arrow is a little more than three times as wide
    // Size of the label; 0: none.
    int64_t label_width, label_height;
    // Result, as are all members below.  False: it was too much for the layout.
    bool is_drawn;
    bool is_turned; // whether it leads upwards
    // Its line, as a part of the layout's points, in the direction of `to`.
    size_t first, count;
    struct hp_layout_point label_at; // the upper left corner of the label
};

struct hp_layout {
    struct hp_layout_node *nodes; // set and owned by the caller
    size_t node_count;
    struct hp_layout_edge *edges; // set and owned by the caller
    size_t edge_count;
    HP_VEC(struct hp_layout_point) points; // result: the points of all lines
    // Result: the size of the whole picture.
    int64_t width, height;
    size_t crossings; // result: how often lines cross
};

// Find all results.  The upper left corner of the picture is at (0, 0).
void hp_layout_find(struct hp_layout *layout);
// Free the points; nodes and edges stay the caller's.
void hp_layout_done(struct hp_layout *layout);

#endif

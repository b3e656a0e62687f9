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
    // Largest number of edges that are drawn.
    HP_LAYOUT_EDGES = 20000,
    // Largest number of bends of all drawn edges together: an edge that would exceed this
    // is not drawn.
    HP_LAYOUT_BENDS = 60000,
};

struct hp_layout_point {
    int64_t x, y; // y grows downwards
};

struct hp_layout_node {
    // Size of the node's box; set by the caller.
    int64_t width, height;
    struct hp_layout_point at; // result: the upper left corner of the box
};

struct hp_layout_edge {
    uint32_t from, to; // Nodes. There is at most one edge for each pair and direction.
    int64_t weight; // Above 0. The heavier an edge, the more likely it leads downwards.
    int64_t line_width; // the head of its arrow is a little more than three times as wide
    // Size of the label; 0: the edge has none.
    int64_t label_width, label_height;
    // Result, as are all members below.  False: the edge is not drawn, as it was too much
    // for the layout.
    bool is_drawn;
    bool is_turned; // whether the edge leads upwards
    // The points of its line: a range of the layout's points, from `from` to `to`.
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
    size_t crossings; // result: number of crossings of edges
};

// Compute the members marked as results.  The picture begins at x = 0 and y = 0.
void hp_layout_find(struct hp_layout *layout);
// Free the points; nodes and edges stay the caller's.
void hp_layout_done(struct hp_layout *layout);

// --- ranks -----------------------------------------------------------------------------
//
// A graph while it is laid out (struct hp_ranks).  Its vertices are the nodes and the
// bends of edges.  Nodes take every second layer.  An edge is bent in each layer that it
// passes, so that it becomes a chain of links between neighbouring layers.  Its label is
// at one of these bends, in a layer without boxes.

enum {
    HP_RANK_LABEL_GAP = 4 * HP_POINT, // from a line to its label
    // Room at the right of a box for an edge from a node to itself.
    HP_RANK_LOOP = 14 * HP_POINT,
};

// A node, or a bend of an edge.  Its line is the vertical line at `x`: through the middle
// of the node's box, or the part of the edge at the bend.
struct hp_rank_vertex {
    // Number of its layer from the top, and of its place in it from the left.
    uint32_t layer, place;
    // If not is_bend, the vertex is the node of the same number.
    bool is_bend, has_label;
    int64_t left, right, height; // room to the left and right of its line, and its height
    int64_t x;                   // x of its line
};

// A part of an edge, between a vertex and one in the layer below.
struct hp_rank_link {
    uint32_t upper, lower;    // vertices
    int64_t upper_x, lower_x; // x at which the link meets each of them
    // Whether the link crosses a link between two bends.  That one is drawn straight, so
    // this one need not be.
    bool is_crossing_a_straight;
};

// Links by one of their ends.
struct hp_rank_links {
    size_t *first; // for each vertex: where its links begin in `at`; then the end
    // Numbers of links, those of a vertex together; hp_ranks_sort_links() sorts these
    // from the left.
    uint32_t *at;
};

// One edge that is drawn.  Its links have successive numbers from the top, and so have
// its bends, which are vertices.
struct hp_rank_edge {
    // Index of the edge in the layout's edges.
    uint32_t edge;
    uint32_t upper, lower; // nodes
    // Its first link and first bend; the number of its bends (there is one link more);
    // and the bend that the label is at.
    uint32_t first_link, first_bend, bends, label;
};

struct hp_ranks {
    HP_VEC(struct hp_rank_vertex) vertices; // the nodes, then the bends
    HP_VEC(struct hp_rank_link) links;
    // The edges that are drawn, except those from a node to itself.
    HP_VEC(struct hp_rank_edge) edges;
    // For each vertex: its links to the layer above, and to the layer below.
    struct hp_rank_links up, down;
    size_t layers;
    size_t *first;   // for each layer: where it begins in `order`; then the end
    uint32_t *order; // vertices, layer after layer, from the left
};

// Distance from the middle of an edge's line to its label, clear of the head of its
// arrow.
static inline int64_t hp_ranks_label_gap(const struct hp_layout_edge *edge) {
    return HP_RANK_LABEL_GAP + edge->line_width * 3 / 2;
}

// Number of vertices in a layer.
static inline size_t hp_ranks_size(const struct hp_ranks *ranks, size_t layer) {
    return ranks->first[layer + 1] - ranks->first[layer];
}

// Set layer[node] for each node: callers are above what they call, except for edges that
// are turned; of each circle the lightest edges are turned.  `edges` has the numbers of
// the edges to be drawn, the heaviest first.
void hp_layers_find(const struct hp_layout *layout, const uint32_t *edges, size_t count,
                    uint32_t *layer);

// Set `order`, and the place of each vertex, so that few links cross.  Returns the number
// of crossings.
size_t hp_crossings_reduce(struct hp_ranks *ranks);
// Count the crossings of links in the present order of the vertices.
size_t hp_crossings_count(const struct hp_ranks *ranks);

// Set the x of each vertex; the bends of an edge get one x where that is possible.
void hp_coordinates_find(struct hp_ranks *ranks);

// Set the places of boxes, lines and labels in the layout, and its width and height.
// Shifts the x of all vertices so that the leftmost x of the picture is 0.
void hp_routes_find(struct hp_ranks *ranks, struct hp_layout *layout);

// Sort the links of each vertex by the places of their other ends.  To be called when the
// order is final; hp_coordinates_find() and hp_routes_find() need it.
void hp_ranks_sort_links(struct hp_ranks *ranks);

#endif

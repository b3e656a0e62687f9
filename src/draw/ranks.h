// A graph while it is laid out: nodes in every other layer, and each edge bent in all layers
// that it passes, so that it links neighbours.  In one of those between it has its label.
#ifndef HP_DRAW_RANKS_H
#define HP_DRAW_RANKS_H

#include "draw/graph_layout.h"

enum {
    HP_RANK_LABEL_GAP = 4 * HP_POINT, // beside the line
    HP_RANK_LOOP = 14 * HP_POINT,     // beside a box that has a call of itself
};

struct hp_rank_vertex {
    uint32_t layer, place;       // from the top, from the left
    bool is_bend, has_label;     // else it is the node of the same number
    int64_t left, right, height; // the room that it takes beside its line
    int64_t x;                   // of its line
};

struct hp_rank_link {
    uint32_t upper, lower;       // vertices
    int64_t upper_x, lower_x;    // where it meets them
    bool is_crossing_a_straight; // no part of what is drawn as one line
};

struct hp_rank_links {
    size_t *first; // of each vertex, and one behind the last
    uint32_t *at;  // links, once places are settled from the left
};

// The links of an edge follow each other, from the top, and so do its bends.
struct hp_rank_edge {
    uint32_t edge;
    uint32_t upper, lower;                         // nodes
    uint32_t first_link, first_bend, bends, label; // the latter: a bend
};

struct hp_ranks {
    HP_VEC(struct hp_rank_vertex) vertices; // the nodes, then bends
    HP_VEC(struct hp_rank_link) links;
    HP_VEC(struct hp_rank_edge) edges; // those that are drawn, but for calls of oneself
    struct hp_rank_links up, down;
    size_t layers;
    size_t *first;   // of each layer, and one behind the last
    uint32_t *order; // vertices, layer after layer, from the left
};

// The layer of each node, callers above what they call but for edges that are turned; of a
// circle those that weigh least.  `edges` are numbers, the heaviest first.
void hp_layers_find(const struct hp_layout *layout, const uint32_t *edges, size_t count,
                    uint32_t *layer);

// Order the vertices of each layer so that few links cross; how many do.
size_t hp_crossings_reduce(struct hp_ranks *ranks);
size_t hp_crossings_count(const struct hp_ranks *ranks);

// Give each vertex its x: those of an edge in one line where that can be.
void hp_coordinates_find(struct hp_ranks *ranks);

// The boxes and lines of the layout.
void hp_routes_find(struct hp_ranks *ranks, struct hp_layout *layout);

// By the places of their other ends.
void hp_ranks_sort_links(struct hp_ranks *ranks);

// From the middle of an edge's line to its label, clear of the head of its arrow.
static inline int64_t hp_ranks_label_gap(const struct hp_layout_edge *edge) {
    return HP_RANK_LABEL_GAP + edge->line_width * 3 / 2;
}

static inline size_t hp_ranks_size(const struct hp_ranks *ranks, size_t layer) {
    return ranks->first[layer + 1] - ranks->first[layer];
}

#endif

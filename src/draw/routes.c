// Lines of edges, when each vertex has its place: downwards from a box, straight through
// each layer at the x of the bend there, and down to a box.  Only lines are drawn between
// layers, so that none passes through a box.
#include "draw/graph_layout.h"

enum {
    // Gap between layers; up to MOST_SLANT more where lines are slanted.
    LAYER_GAP = 11 * HP_POINT,
    MOST_SLANT = 60 * HP_POINT,
    SLANT = 6,               // the gap grows by the widest slant divided by this
    LINE_GAP = 9 * HP_POINT, // between two lines at one box, if the box is wide enough
    CORNER = 5 * HP_POINT,   // part at the corners of a box where no line ends
};

// --- ends of links ------------------------------------------------------------------------

// Context for sorting links by one of their ends.
struct link_order {
    const struct hp_ranks *ranks;
    bool is_lower; // sort by the lower ends, not the upper ends
};

static int compare_links(const void *left, const void *right, void *context) {
    const struct link_order *order = context;
    const struct hp_rank_link *links = order->ranks->links.at;
    const struct hp_rank_vertex *vertices = order->ranks->vertices.at;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    uint32_t a = vertices[order->is_lower ? links[i].lower : links[i].upper].place;
    uint32_t b = vertices[order->is_lower ? links[k].lower : links[k].upper].place;
    return a != b ? (a < b ? -1 : 1) : (i > k) - (i < k);
}

void hp_ranks_sort_links(struct hp_ranks *ranks) {
    for (int down = 0; down < 2; down++) {
        struct hp_rank_links *links = down ? &ranks->down : &ranks->up;
        struct link_order order = {ranks, down != 0};
        for (size_t i = 0; i < ranks->vertices.count; i++) {
            size_t first = links->first[i], count = links->first[i + 1] - first;
            if (count > 1) {
                qsort_r(links->at + first, count, sizeof *links->at, compare_links,
                        &order);
            }
        }
    }
}

// The nearest number from `least` to `most`.
static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

// Place the ends of links at a box, `down`: of those below it.  Each end is as straight
// above or below the other end of its link as the width of the box (2 * half) allows;
// ends keep their order and have gaps between them.
static void place_ends(struct hp_ranks *ranks, uint32_t vertex, bool down, int64_t half) {
    const struct hp_rank_links *links = down ? &ranks->down : &ranks->up;
    const uint32_t *at = links->at + links->first[vertex];
    size_t count = links->first[vertex + 1] - links->first[vertex];
    int64_t corner = half < CORNER ? half : CORNER;
    int64_t left = ranks->vertices.at[vertex].x - half + corner;
    int64_t right = left + 2 * (half - corner);
    int64_t gap =
        count > 1 ? clamp((right - left) / (int64_t)(count - 1), 0, LINE_GAP) : 0;
    int64_t least = left, most = right;
    for (size_t i = 0; i < count; i++, least += gap) {
        struct hp_rank_link *link = &ranks->links.at[at[i]];
        int64_t *x = down ? &link->upper_x : &link->lower_x;
        int64_t other = ranks->vertices.at[down ? link->lower : link->upper].x;
        *x = clamp(other, least, right);
        least = *x;
    }
    for (size_t i = count; i-- > 0; most -= gap) {
        struct hp_rank_link *link = &ranks->links.at[at[i]];
        int64_t *x = down ? &link->upper_x : &link->lower_x;
        *x = clamp(*x, left, most);
        most = *x;
    }
}

// Place both ends of all links; at bends they are on the line of the bend.
static void place_all_ends(struct hp_ranks *ranks, const struct hp_layout *layout) {
    struct hp_rank_link *link;
    hp_vec_each (link, &ranks->links) {
        link->upper_x = ranks->vertices.at[link->upper].x;
        link->lower_x = ranks->vertices.at[link->lower].x;
    }
    for (uint32_t i = 0; i < ranks->vertices.count && !ranks->vertices.at[i].is_bend;
         i++) {
        place_ends(ranks, i, true, layout->nodes[i].width / 2);
        place_ends(ranks, i, false, layout->nodes[i].width / 2);
    }
}

// --- heights ------------------------------------------------------------------------------

// The vertical extent of a layer.
struct band {
    int64_t top, bottom;
};

// Find the vertical extents of all layers, from the top.  A layer is as high as its
// highest box, and its gap to the layer above is the larger the more slanted the lines
// between them are.  The caller frees the result.
static struct band *find_bands(const struct hp_ranks *ranks) {
    struct band *bands = hp_alloc((ranks->layers + 1) * sizeof *bands);
    const struct hp_rank_vertex *vertex;
    const struct hp_rank_link *link;
    hp_vec_each (link, &ranks->links) {
        struct band *band = &bands[ranks->vertices.at[link->lower].layer];
        int64_t across = link->upper_x - link->lower_x;
        int64_t slant = clamp((across < 0 ? -across : across) / SLANT, 0, MOST_SLANT);
        band->top = band->top > slant ? band->top : slant;
    }
    hp_vec_each (vertex, &ranks->vertices) {
        struct band *band = &bands[vertex->layer];
        band->bottom = band->bottom > vertex->height ? band->bottom : vertex->height;
    }
    int64_t y = -(int64_t)LAYER_GAP;
    for (size_t i = 0; i < ranks->layers; i++) {
        int64_t height = bands[i].bottom;
        bands[i].top += y + LAYER_GAP;
        y = bands[i].bottom = bands[i].top + height;
    }
    return bands;
}

// --- boxes and lines ----------------------------------------------------------------------

// Return the leftmost x that any vertex takes, with the room beside its line.
static int64_t find_left(const struct hp_ranks *ranks) {
    int64_t left = INT64_MAX;
    const struct hp_rank_vertex *vertex;
    hp_vec_each (vertex, &ranks->vertices) {
        left = vertex->x - vertex->left < left ? vertex->x - vertex->left : left;
    }
    return left;
}

// Move all vertices so that the leftmost x is 0, and set the width of the picture.
static void shift(struct hp_ranks *ranks, struct hp_layout *layout) {
    int64_t by = -find_left(ranks);
    struct hp_rank_vertex *vertex;
    hp_vec_each (vertex, &ranks->vertices) {
        vertex->x += by;
        int64_t right = vertex->x + vertex->right;
        layout->width = right > layout->width ? right : layout->width;
    }
}

// Place the boxes of nodes in the middle of their layers.
static void place_nodes(const struct hp_ranks *ranks, struct hp_layout *layout,
                        const struct band *bands) {
    for (size_t i = 0; i < layout->node_count; i++) {
        struct hp_layout_node *node = &layout->nodes[i];
        const struct hp_rank_vertex *vertex = &ranks->vertices.at[i];
        const struct band *band = &bands[vertex->layer];
        node->at.x = vertex->x - vertex->left;
        node->at.y = (band->top + band->bottom - node->height) / 2;
    }
}

// Add a point to the line that begins at the point `first`, unless the line ends there
// already.  If the last piece and the new one are vertical, the last one is extended
// instead.
static void add_point(struct hp_layout *layout, size_t first, int64_t x, int64_t y) {
    size_t count = layout->points.count - first;
    struct hp_layout_point *last =
        count > 0 ? &layout->points.at[first + count - 1] : NULL;
    if (last && last->x == x && last->y == y) {
        return;
    }
    if (last && count > 1 && last->x == x && last[-1].x == x) {
        last->y = y;
        return;
    }
    hp_vec_push(&layout->points, ((struct hp_layout_point){x, y}));
}

// Reverse the order of points: an edge that leads upwards was laid out from its callee.
static void turn(struct hp_layout_point *points, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        struct hp_layout_point point = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = point;
    }
}

// Set the line of an edge, from its caller to its callee, and the place of its label.
static void place_line(const struct hp_ranks *ranks, struct hp_layout *layout,
                       const struct band *bands, const struct hp_rank_edge *added) {
    struct hp_layout_edge *edge = &layout->edges[added->edge];
    const struct hp_layout_node *upper = &layout->nodes[added->upper];
    const struct hp_rank_link *links = &ranks->links.at[added->first_link];
    size_t first = edge->first = layout->points.count;
    add_point(layout, first, links[0].upper_x, upper->at.y + upper->height);
    for (uint32_t i = 0; i <= added->bends; i++) {
        uint32_t layer = ranks->vertices.at[links[i].upper].layer;
        add_point(layout, first, links[i].upper_x, bands[layer].bottom);
        add_point(layout, first, links[i].lower_x, bands[layer + 1].top);
    }
    add_point(layout, first, links[added->bends].lower_x,
              layout->nodes[added->lower].at.y);
    edge->count = layout->points.count - first;
    if (edge->is_turned) {
        turn(layout->points.at + first, edge->count);
    }
    const struct hp_rank_vertex *label = &ranks->vertices.at[added->label];
    const struct band *band = &bands[label->layer];
    edge->label_at.x = label->x + hp_ranks_label_gap(edge);
    edge->label_at.y = (band->top + band->bottom - edge->label_height) / 2;
}

// Set the line of an edge from a node to itself: to the right of the box, and back.
static void place_loop(struct hp_layout *layout, struct hp_layout_edge *edge) {
    const struct hp_layout_node *node = &layout->nodes[edge->from];
    int64_t right = node->at.x + node->width, third = node->height / 3;
    size_t first = edge->first = layout->points.count;
    add_point(layout, first, right, node->at.y + third);
    add_point(layout, first, right + HP_RANK_LOOP, node->at.y + third);
    add_point(layout, first, right + HP_RANK_LOOP, node->at.y + 2 * third);
    add_point(layout, first, right, node->at.y + 2 * third);
    edge->count = layout->points.count - first;
    edge->label_at.x = right + HP_RANK_LOOP + hp_ranks_label_gap(edge);
    edge->label_at.y = node->at.y + (node->height - edge->label_height) / 2;
}

void hp_routes_find(struct hp_ranks *ranks, struct hp_layout *layout) {
    shift(ranks, layout);
    place_all_ends(ranks, layout);
    struct band *bands = find_bands(ranks);
    place_nodes(ranks, layout, bands);
    layout->height = bands[ranks->layers - 1].bottom;
    const struct hp_rank_edge *added;
    hp_vec_each (added, &ranks->edges) {
        place_line(ranks, layout, bands, added);
    }
    for (size_t i = 0; i < layout->edge_count; i++) {
        struct hp_layout_edge *edge = &layout->edges[i];
        if (edge->is_drawn && edge->from == edge->to) {
            place_loop(layout, edge);
        }
    }
    free(bands);
}

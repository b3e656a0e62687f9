// Turns the graph into vertices in layers, calls the steps of the layout one after the
// other, and frees what they used.
#include "draw/graph_layout.h"

// --- vertices -----------------------------------------------------------------------------

// Order edges by weight, the heaviest first, then by their ends, so that the order is the
// same on every machine.
static int compare_edges(const void *left, const void *right, void *context) {
    const struct hp_layout_edge *edges = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct hp_layout_edge *a = &edges[i], *b = &edges[k];
    return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1)
           : a->from != b->from   ? (a->from < b->from ? -1 : 1)
                                  : (a->to > b->to) - (a->to < b->to);
}

// Fill `edges` with the numbers of the edges between different nodes, the heaviest first,
// and reset the results of all edges.  Returns the number of edges to be drawn, at most
// HP_LAYOUT_EDGES.  Edges from a node to itself are drawn in any case.
static size_t sort_edges(struct hp_layout *layout, uint32_t *edges) {
    size_t count = 0;
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        struct hp_layout_edge *edge = &layout->edges[i];
        edge->is_drawn = edge->from == edge->to;
        edge->is_turned = false;
        edge->first = edge->count = 0;
        if (edge->from != edge->to) {
            edges[count++] = i;
        }
    }
    if (count > 0) {
        qsort_r(edges, count, sizeof *edges, compare_edges, layout->edges);
    }
    return count < HP_LAYOUT_EDGES ? count : HP_LAYOUT_EDGES;
}

// Add the nodes as vertices.  Half of a box is on either side of its line; an edge from a
// node to itself takes room at the right.
static void add_nodes(struct hp_ranks *ranks, const struct hp_layout *layout,
                      const uint32_t *layer) {
    for (size_t i = 0; i < layout->node_count; i++) {
        const struct hp_layout_node *node = &layout->nodes[i];
        hp_vec_push(&ranks->vertices, ((struct hp_rank_vertex){
                                          .layer = 2 * layer[i],
                                          .left = node->width / 2,
                                          .right = node->width - node->width / 2,
                                          .height = node->height,
                                      }));
    }
    for (size_t i = 0; i < layout->edge_count; i++) {
        const struct hp_layout_edge *edge = &layout->edges[i];
        if (edge->is_drawn) {
            struct hp_rank_vertex *vertex = &ranks->vertices.at[edge->from];
            int64_t height = edge->label_height;
            vertex->right += HP_RANK_LOOP + hp_ranks_label_gap(edge) + edge->label_width;
            vertex->height = vertex->height > height ? vertex->height : height;
        }
    }
}

// Add a bend of an edge, with room for the edge's label if that is at this bend.
static void add_bend(struct hp_ranks *ranks, const struct hp_layout_edge *edge,
                     uint32_t layer, bool has_label) {
    struct hp_rank_vertex bend = {.layer = layer,
                                  .is_bend = true,
                                  .has_label = has_label};
    bend.left = bend.right = edge->line_width / 2;
    if (has_label) {
        bend.right = hp_ranks_label_gap(edge) + edge->label_width;
        bend.height = edge->label_height;
    }
    hp_vec_push(&ranks->vertices, bend);
}

// Add an edge: a bend in each layer that it passes, and links between these.  The label
// is at the bend closest to the middle that is in a layer without boxes.  An edge with
// too many bends is not drawn.
static void add_edge(struct hp_ranks *ranks, struct hp_layout *layout, uint32_t number) {
    struct hp_layout_edge *edge = &layout->edges[number];
    uint32_t from = ranks->vertices.at[edge->from].layer;
    uint32_t to = ranks->vertices.at[edge->to].layer;
    edge->is_turned = from > to;
    uint32_t top = edge->is_turned ? to : from;
    struct hp_rank_edge added = {
        .edge = number,
        .upper = edge->is_turned ? edge->to : edge->from,
        .lower = edge->is_turned ? edge->from : edge->to,
        .first_link = (uint32_t)ranks->links.count,
        .first_bend = (uint32_t)ranks->vertices.count,
        .bends = (edge->is_turned ? from : to) - top - 1,
    };
    if (ranks->vertices.count - layout->node_count + added.bends > HP_LAYOUT_BENDS) {
        return;
    }
    added.label = added.first_bend + (added.bends / 2 & ~1U);
    uint32_t above = added.upper;
    for (uint32_t i = 0; i < added.bends; i++) {
        uint32_t bend = added.first_bend + i;
        add_bend(ranks, edge, top + 1 + i, bend == added.label && edge->label_width > 0);
        hp_vec_push(&ranks->links,
                    ((struct hp_rank_link){.upper = above, .lower = bend}));
        above = bend;
    }
    hp_vec_push(&ranks->links,
                ((struct hp_rank_link){.upper = above, .lower = added.lower}));
    hp_vec_push(&ranks->edges, added);
    edge->is_drawn = true;
}

// Fill `links`: for each vertex, the links whose lower end it is (`is_lower`), or upper
// end.
static void find_links(const struct hp_ranks *ranks, struct hp_rank_links *links,
                       bool is_lower) {
    size_t vertices = ranks->vertices.count, count = ranks->links.count;
    links->first = hp_alloc((vertices + 2) * sizeof *links->first);
    links->at = hp_alloc(count * sizeof *links->at);
    for (size_t i = 0; i < count; i++) {
        const struct hp_rank_link *link = &ranks->links.at[i];
        links->first[(is_lower ? link->lower : link->upper) + 2]++;
    }
    for (size_t i = 2; i < vertices + 2; i++) {
        links->first[i] += links->first[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_rank_link *link = &ranks->links.at[i];
        links->at[links->first[(is_lower ? link->lower : link->upper) + 1]++] = i;
    }
}

// Count the layers and the vertices of each, set ranks->first, and allocate ranks->order,
// which is filled later.
static void find_layers(struct hp_ranks *ranks) {
    const struct hp_rank_vertex *vertex;
    hp_vec_each (vertex, &ranks->vertices) {
        ranks->layers =
            vertex->layer >= ranks->layers ? vertex->layer + 1 : ranks->layers;
    }
    ranks->first = hp_alloc((ranks->layers + 1) * sizeof *ranks->first);
    ranks->order = hp_alloc(ranks->vertices.count * sizeof *ranks->order);
    hp_vec_each (vertex, &ranks->vertices) {
        ranks->first[vertex->layer + 1]++;
    }
    for (size_t i = 1; i <= ranks->layers; i++) {
        ranks->first[i] += ranks->first[i - 1];
    }
}

// Build vertices, links and layers from the graph.
static void init(struct hp_ranks *ranks, struct hp_layout *layout) {
    uint32_t *edges = hp_alloc(layout->edge_count * sizeof *edges);
    uint32_t *layer = hp_alloc(layout->node_count * sizeof *layer);
    size_t count = sort_edges(layout, edges);
    hp_layers_find(layout, edges, count, layer);
    add_nodes(ranks, layout, layer);
    for (size_t i = 0; i < count; i++) {
        add_edge(ranks, layout, edges[i]);
    }
    find_layers(ranks);
    find_links(ranks, &ranks->up, true);
    find_links(ranks, &ranks->down, false);
    free(edges);
    free(layer);
}

// Free everything that the steps allocated in `ranks`.
static void done(struct hp_ranks *ranks) {
    hp_vec_done(&ranks->vertices);
    hp_vec_done(&ranks->links);
    hp_vec_done(&ranks->edges);
    free(ranks->up.first);
    free(ranks->up.at);
    free(ranks->down.first);
    free(ranks->down.at);
    free(ranks->first);
    free(ranks->order);
}

// --- all of it ----------------------------------------------------------------------------

void hp_layout_find(struct hp_layout *layout) {
    struct hp_ranks ranks = {0};
    layout->points.count = 0;
    layout->width = layout->height = 0;
    layout->crossings = 0;
    if (layout->node_count > 0) {
        init(&ranks, layout);
        layout->crossings = hp_crossings_reduce(&ranks);
        hp_ranks_sort_links(&ranks);
        hp_coordinates_find(&ranks);
        hp_routes_find(&ranks, layout);
    }
    done(&ranks);
}

void hp_layout_done(struct hp_layout *layout) {
    hp_vec_done(&layout->points);
}

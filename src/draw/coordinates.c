// The x of each vertex, after Brandes and Köpf (2001).  Each vertex is aligned with the
// median of its neighbours in the layer above, which makes blocks of vertices with one x;
// blocks are placed side by side as close as possible.  The same is done with the layer
// below, and both are done from the left and from the right.  Each vertex gets the mean
// of the two middle results of these four.  An edge with bends is straight between its
// first and last bend.
//
// Blocks are placed by the longest paths between them, as dagre does: the compaction of
// the paper fails where classes of blocks overlap (Brandes, Walter and Zink, 2020).
#include "draw/graph_layout.h"

enum {
    VARIANTS = 4,            // downwards or upwards, from the left or from the right
    BEND_GAP = 8 * HP_POINT, // between two bends
    // Between a node and another vertex.
    NODE_GAP = 16 * HP_POINT,
};

// State while vertices get positions in their layers, in four passes.
struct placer {
    struct hp_ranks *ranks;
    // For each vertex: the root of its block, which is one of its vertices; and the next
    // vertex of the block, in a ring.
    uint32_t *root, *next;
    uint32_t *blocks; // roots of blocks, from left to right
    // For each block, by its root: number of its vertices whose left neighbour is in a
    // block that sort_blocks() has not reached yet.
    uint32_t *waiting;
    int64_t *x;               // x of each block, by its root
    int64_t *found[VARIANTS]; // result of each pass for each vertex
};

// Least distance between the lines of two adjacent vertices.
static int64_t gap_between(const struct hp_ranks *ranks, uint32_t left, uint32_t right) {
    const struct hp_rank_vertex *a = &ranks->vertices.at[left];
    const struct hp_rank_vertex *b = &ranks->vertices.at[right];
    return a->right + (a->is_bend && b->is_bend ? BEND_GAP : NODE_GAP) + b->left;
}

// --- blocks -------------------------------------------------------------------------------

// Mark the links between a layer and the one below that cross a link between two bends.
static void mark_crossing_below(struct hp_ranks *ranks, size_t layer) {
    size_t size = hp_ranks_size(ranks, layer + 1), done = 0;
    uint32_t least = 0;
    const uint32_t *order = ranks->order + ranks->first[layer + 1];
    for (size_t i = 0; i < size; i++) {
        const struct hp_rank_vertex *vertex = &ranks->vertices.at[order[i]];
        size_t only = ranks->up.first[order[i]];
        const struct hp_rank_vertex *above =
            vertex->is_bend
                ? &ranks->vertices.at[ranks->links.at[ranks->up.at[only]].upper]
                : NULL;
        bool is_straight = above != NULL && above->is_bend;
        uint32_t most = is_straight ? above->place : UINT32_MAX;
        for (; (is_straight || i + 1 == size) && done <= i; done++) {
            for (size_t k = ranks->up.first[order[done]];
                 k < ranks->up.first[order[done] + 1]; k++) {
                struct hp_rank_link *link = &ranks->links.at[ranks->up.at[k]];
                uint32_t place = ranks->vertices.at[link->upper].place;
                link->is_crossing_a_straight = place < least || place > most;
            }
        }
        least = is_straight ? most : least;
    }
}

// Align a vertex with its median neighbour in the layer above (`down`) or below; if that
// is not possible and there are two medians, with the other one.  `*last` is the place of
// the neighbour that the previous alignment in the layer was with, at first -1, or
// INT64_MAX from the right: alignments must not cross.
static void align_vertex(struct placer *p, uint32_t vertex, bool down, bool from_right,
                         int64_t *last) {
    const struct hp_ranks *ranks = p->ranks;
    const struct hp_rank_links *links = down ? &ranks->up : &ranks->down;
    size_t first = links->first[vertex], count = links->first[vertex + 1] - first;
    for (size_t i = 0; i < 2 && count > 0 && p->next[vertex] == vertex; i++) {
        size_t median = (i == 0) == from_right ? count / 2 : (count - 1) / 2;
        const struct hp_rank_link *link = &ranks->links.at[links->at[first + median]];
        uint32_t other = down ? link->upper : link->lower;
        int64_t place = ranks->vertices.at[other].place;
        bool is_free = from_right ? place < *last : place > *last;
        if (is_free && !link->is_crossing_a_straight) {
            p->next[vertex] = p->root[other];
            p->root[vertex] = p->root[other];
            p->next[other] = vertex;
            *last = place;
        }
    }
}

// Build the blocks of one pass: set p->root and p->next.
static void align(struct placer *p, bool down, bool from_right) {
    struct hp_ranks *ranks = p->ranks;
    for (uint32_t i = 0; i < ranks->vertices.count; i++) {
        p->root[i] = p->next[i] = i;
    }
    for (size_t i = 1; i < ranks->layers; i++) {
        size_t layer = down ? i : ranks->layers - 1 - i,
               size = hp_ranks_size(ranks, layer);
        const uint32_t *order = ranks->order + ranks->first[layer];
        int64_t last = from_right ? INT64_MAX : -1;
        for (size_t k = 0; k < size; k++) {
            align_vertex(p, order[from_right ? size - 1 - k : k], down, from_right,
                         &last);
        }
    }
}

// --- places -------------------------------------------------------------------------------

// Find the vertex next to another in the same layer, on the right or on the left; false
// if there is none.
static bool find_neighbour(const struct hp_ranks *ranks, uint32_t vertex, bool on_right,
                           uint32_t *found) {
    const struct hp_rank_vertex *v = &ranks->vertices.at[vertex];
    size_t at = ranks->first[v->layer] + v->place;
    if (on_right ? at + 1 == ranks->first[v->layer + 1] : v->place == 0) {
        return false;
    }
    *found = ranks->order[on_right ? at + 1 : at - 1];
    return true;
}

// Fill p->blocks, so that each block is after the blocks to its left.  Returns the number
// of blocks.
static size_t sort_blocks(struct placer *p) {
    const struct hp_ranks *ranks = p->ranks;
    size_t count = 0, vertices = ranks->vertices.count;
    memset(p->waiting, 0, vertices * sizeof *p->waiting);
    for (size_t i = 0; i < vertices; i++) {
        p->waiting[p->root[i]] += ranks->vertices.at[i].place > 0;
    }
    for (uint32_t i = 0; i < vertices; i++) {
        if (p->root[i] == i && p->waiting[i] == 0) {
            p->blocks[count++] = i;
        }
    }
    for (size_t done = 0; done < count; done++) {
        uint32_t vertex = p->blocks[done], right;
        do {
            if (find_neighbour(ranks, vertex, true, &right) &&
                --p->waiting[p->root[right]] == 0) {
                p->blocks[count++] = p->root[right];
            }
            vertex = p->next[vertex];
        } while (vertex != p->blocks[done]);
    }
    return count;
}

// Find the x of a block that is as close to its neighbours on one side as the gaps allow;
// false if it has no neighbours on that side.
static bool find_nearest(const struct placer *p, uint32_t block, bool on_right,
                         int64_t *nearest) {
    bool has_any = false;
    uint32_t vertex = block, other;
    do {
        if (find_neighbour(p->ranks, vertex, on_right, &other)) {
            int64_t x = p->x[p->root[other]];
            x = on_right ? x - gap_between(p->ranks, vertex, other)
                         : x + gap_between(p->ranks, other, vertex);
            bool is_nearer = on_right ? x < *nearest : x > *nearest;
            *nearest = !has_any || is_nearer ? x : *nearest;
            has_any = true;
        }
        vertex = p->next[vertex];
    } while (vertex != block);
    return has_any;
}

// Place each block as close as possible to its neighbours on the side where the pass
// began, then move blocks back towards their neighbours on the other side.
static void place_blocks(struct placer *p, size_t count, bool from_right) {
    for (size_t i = 0; i < count; i++) {
        uint32_t block = p->blocks[from_right ? count - 1 - i : i];
        int64_t x = 0;
        p->x[block] = find_nearest(p, block, from_right, &x) ? x : 0;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t block = p->blocks[from_right ? i : count - 1 - i];
        int64_t x = 0;
        if (find_nearest(p, block, !from_right, &x)) {
            p->x[block] = from_right ? (x < p->x[block] ? x : p->x[block])
                                     : (x > p->x[block] ? x : p->x[block]);
        }
    }
}

// --- the four together --------------------------------------------------------------------

// The leftmost and the rightmost x that vertices take, with the room beside their lines.
struct extent {
    int64_t left, right;
};

static struct extent extent_of(const struct hp_ranks *ranks, const int64_t *x) {
    struct extent extent = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < ranks->vertices.count; i++) {
        const struct hp_rank_vertex *v = &ranks->vertices.at[i];
        extent.left = x[i] - v->left < extent.left ? x[i] - v->left : extent.left;
        extent.right = x[i] + v->right > extent.right ? x[i] + v->right : extent.right;
    }
    return extent;
}

// Shift the results so that passes from the left begin where the narrowest begins, and
// passes from the right end where it ends.
static void match_sides(struct placer *p) {
    struct extent extents[VARIANTS], narrowest = {0, INT64_MAX};
    for (int i = 0; i < VARIANTS; i++) {
        extents[i] = extent_of(p->ranks, p->found[i]);
        if (extents[i].right - extents[i].left < narrowest.right - narrowest.left) {
            narrowest = extents[i];
        }
    }
    for (int i = 0; i < VARIANTS; i++) {
        int64_t shift = i % 2 == 0 ? narrowest.left - extents[i].left
                                   : narrowest.right - extents[i].right;
        for (size_t v = 0; v < p->ranks->vertices.count; v++) {
            p->found[i][v] += shift - narrowest.left; // no x is below zero afterwards
        }
    }
}

// The mean of the two middle values of four, rounded down.
static int64_t mean_of_middle(const int64_t x[VARIANTS]) {
    int64_t sum = 0, least = x[0], most = x[0];
    for (int i = 0; i < VARIANTS; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    sum -= least + most;
    return sum >= 0 ? sum / 2 : -((1 - sum) / 2); // rounded down
}

void hp_coordinates_find(struct hp_ranks *ranks) {
    size_t count = ranks->vertices.count;
    struct placer p = {
        .ranks = ranks,
        .root = hp_alloc(count * sizeof *p.root),
        .next = hp_alloc(count * sizeof *p.next),
        .blocks = hp_alloc(count * sizeof *p.blocks),
        .waiting = hp_alloc(count * sizeof *p.waiting),
        .x = hp_alloc(count * sizeof *p.x),
    };
    for (size_t layer = 0; layer + 1 < ranks->layers; layer++) {
        mark_crossing_below(ranks, layer);
    }
    for (int i = 0; i < VARIANTS; i++) {
        p.found[i] = hp_alloc(count * sizeof *p.found[i]);
        align(&p, i < 2, i % 2 != 0);
        place_blocks(&p, sort_blocks(&p), i % 2 != 0);
        for (size_t v = 0; v < count; v++) {
            p.found[i][v] = p.x[p.root[v]];
        }
    }
    match_sides(&p);
    for (size_t v = 0; v < count; v++) {
        int64_t x[VARIANTS] = {p.found[0][v], p.found[1][v], p.found[2][v],
                               p.found[3][v]};
        ranks->vertices.at[v].x = mean_of_middle(x);
    }
    for (int i = 0; i < VARIANTS; i++) {
        free(p.found[i]);
    }
    free(p.root);
    free(p.next);
    free(p.blocks);
    free(p.waiting);
    free(p.x);
}

// Layers are found in two steps.  First the edges are put into a topological order one by
// one, the heaviest first; an edge is turned if it would close a circle.  Where a new
// edge contradicts the order, the order is repaired as by Pearce and Kelly (2007): only
// nodes between the ends of the edge move, those that the edge reaches and those that
// reach it.  A node is then placed one layer below its lowest caller (longest path), or
// closer to what it calls where that makes the edges shorter in total.
#include "draw/graph_layout.h"

enum {
    // Steps of all searches; beyond this, edges against the order are turned without a
    // search.
    MOST_STEPS = 20000000,
    ROUNDS = 8, // rounds in which each node moves closer to its neighbours
};

struct node_list {
    uint32_t *at;
    size_t count, capacity;
};

// State while an order of the nodes is searched for in which few edges go backwards.
struct layer_sorter {
    const struct hp_layout *layout;
    size_t *first;      // first edge of each node in `incident`, and one past the last
    uint32_t *incident; // numbers of edges, those of a node together
    // For each edge: whether it is in the order yet; whether it was turned.
    bool *is_in, *is_turned;
    uint32_t *rank, *at; // place of each node in the order; node at each place
    // For each node: number of the last search that met it; and number of the present
    // search.
    uint32_t *seen, round;
    // Nodes that a search found downwards and upwards; the places to share out among
    // them.
    struct node_list reached, reaching, ranks;
    size_t steps;
};

// The upper end of an edge, which is the callee if the edge is turned.
static uint32_t caller_of(const struct layer_sorter *s, uint32_t edge) {
    const struct hp_layout_edge *e = &s->layout->edges[edge];
    return s->is_turned[edge] ? e->to : e->from;
}

static uint32_t callee_of(const struct layer_sorter *s, uint32_t edge) {
    const struct hp_layout_edge *e = &s->layout->edges[edge];
    return s->is_turned[edge] ? e->from : e->to;
}

// Fill s->first and s->incident with the edges of each node.  No edge may lead from a
// node to itself.
static void find_incident(struct layer_sorter *s, const uint32_t *edges, size_t count) {
    size_t nodes = s->layout->node_count;
    s->first = hp_alloc((nodes + 2) * sizeof *s->first);
    s->incident = hp_alloc(2 * count * sizeof *s->incident);
    for (size_t i = 0; i < count; i++) {
        s->first[s->layout->edges[edges[i]].from + 2]++;
        s->first[s->layout->edges[edges[i]].to + 2]++;
    }
    for (size_t i = 2; i < nodes + 2; i++) {
        s->first[i] += s->first[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        s->incident[s->first[s->layout->edges[edges[i]].from + 1]++] = edges[i];
        s->incident[s->first[s->layout->edges[edges[i]].to + 1]++] = edges[i];
    }
}

// --- the order ----------------------------------------------------------------------------

// The other end of an edge if the edge leaves `node` in the direction of the search;
// otherwise `node` itself.
static uint32_t other_end(struct layer_sorter *s, uint32_t node, uint32_t edge,
                          bool down) {
    s->steps++;
    if (!s->is_in[edge]) {
        return node;
    }
    return down && caller_of(s, edge) == node    ? callee_of(s, edge)
           : !down && callee_of(s, edge) == node ? caller_of(s, edge)
                                                 : node;
}

// Find the nodes that are reached from `start` (downwards or upwards), and that are not
// beyond `end` in the order; `start` is included.  Sets s->reached or s->reaching.
// Returns whether `end` is among them.
static bool search(struct layer_sorter *s, uint32_t start, uint32_t end, bool down) {
    struct node_list *found = down ? &s->reached : &s->reaching;
    size_t done = 0;
    found->count = 0;
    s->seen[start] = ++s->round;
    hp_vec_push(found, start);
    while (done < found->count) {
        uint32_t node = found->at[done++];
        for (size_t i = s->first[node]; i < s->first[node + 1]; i++) {
            uint32_t other = other_end(s, node, s->incident[i], down);
            bool is_between =
                down ? s->rank[other] <= s->rank[end] : s->rank[other] >= s->rank[end];
            if (is_between && s->seen[other] != s->round) {
                s->seen[other] = s->round;
                hp_vec_push(found, other);
            }
        }
    }
    return s->seen[end] == s->round;
}

static int compare_numbers(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Replace nodes by their places in the order, and sort these.
static void to_ranks(const struct layer_sorter *s, uint32_t *nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        nodes[i] = s->rank[nodes[i]];
    }
    if (count > 0) {
        qsort(nodes, count, sizeof *nodes, compare_numbers);
    }
}

// Repair the order: the nodes that reach the caller come first, then those that the
// callee reaches, in the places that both groups had.
static void repair_order(struct layer_sorter *s) {
    size_t above = s->reaching.count;
    to_ranks(s, s->reaching.at, above);
    to_ranks(s, s->reached.at, s->reached.count);
    hp_vec_append(&s->reaching, s->reached.at, s->reached.count);
    size_t count = s->reaching.count;
    s->ranks.count = 0;
    hp_vec_append(&s->ranks, s->reaching.at, count);
    hp_vec_sort(&s->ranks, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        s->reaching.at[i] = s->at[s->reaching.at[i]];
    }
    for (size_t i = 0; i < count; i++) {
        s->rank[s->reaching.at[i]] = s->ranks.at[i];
        s->at[s->ranks.at[i]] = s->reaching.at[i];
    }
}

// Put an edge into the order.  It is turned if it closes a circle, or if no steps are
// left to find out.
static void add_edge(struct layer_sorter *s, uint32_t edge) {
    uint32_t from = s->layout->edges[edge].from, to = s->layout->edges[edge].to;
    if (s->rank[from] > s->rank[to]) {
        s->is_turned[edge] = s->steps > MOST_STEPS || search(s, to, from, true);
    }
    if (s->rank[from] > s->rank[to] && !s->is_turned[edge]) {
        search(s, from, to, false);
        repair_order(s);
    }
    s->is_in[edge] = true;
}

// --- layers -------------------------------------------------------------------------------

// Place each node one layer below its lowest caller.
static void find_longest_paths(const struct layer_sorter *s, uint32_t *layer) {
    for (size_t i = 0; i < s->layout->node_count; i++) {
        uint32_t node = s->at[i];
        for (size_t k = s->first[node]; k < s->first[node + 1]; k++) {
            uint32_t edge = s->incident[k], callee = callee_of(s, edge);
            if (callee != node && layer[callee] <= layer[node]) {
                layer[callee] = layer[node] + 1;
            }
        }
    }
}

// Move a node towards its callers or its callees, whichever edges weigh more in total, as
// far as its edges allow.
static void move_closer(const struct layer_sorter *s, uint32_t *layer, uint32_t node) {
    int64_t up = 0, down = 0;
    uint32_t highest = 0, lowest = UINT32_MAX;
    for (size_t k = s->first[node]; k < s->first[node + 1]; k++) {
        uint32_t edge = s->incident[k], caller = caller_of(s, edge);
        int64_t weight = s->layout->edges[edge].weight;
        if (caller != node) {
            up += weight;
            highest = layer[caller] + 1 > highest ? layer[caller] + 1 : highest;
        } else {
            uint32_t callee = callee_of(s, edge);
            down += weight;
            lowest = layer[callee] - 1 < lowest ? layer[callee] - 1 : lowest;
        }
    }
    if (down > up) {
        layer[node] = lowest;
    } else if (up > down) {
        layer[node] = highest;
    }
}

// Renumber the layers so that none is without nodes.
static void close_gaps(uint32_t *layer, size_t count) {
    uint32_t *number = hp_alloc((count + 1) * sizeof *number), next = 0;
    for (size_t i = 0; i < count; i++) {
        number[layer[i]] = 1;
    }
    for (size_t i = 0; i <= count; i++) {
        number[i] = number[i] ? next++ : 0;
    }
    for (size_t i = 0; i < count; i++) {
        layer[i] = number[layer[i]];
    }
    free(number);
}

void hp_layers_find(const struct hp_layout *layout, const uint32_t *edges, size_t count,
                    uint32_t *layer) {
    size_t nodes = layout->node_count;
    struct layer_sorter s = {
        .layout = layout,
        .is_in = hp_alloc(layout->edge_count),
        .is_turned = hp_alloc(layout->edge_count),
        .rank = hp_alloc(nodes * sizeof *s.rank),
        .at = hp_alloc(nodes * sizeof *s.at),
        .seen = hp_alloc(nodes * sizeof *s.seen),
    };
    find_incident(&s, edges, count);
    for (uint32_t i = 0; i < nodes; i++) {
        s.rank[i] = s.at[i] = i;
        layer[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        add_edge(&s, edges[i]);
    }
    find_longest_paths(&s, layer);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = nodes; i-- > 0;) {
            move_closer(&s, layer, s.at[i]);
        }
    }
    close_gaps(layer, nodes);
    free(s.first);
    free(s.incident);
    free(s.is_in);
    free(s.is_turned);
    free(s.rank);
    free(s.at);
    free(s.seen);
    hp_vec_done(&s.reached);
    hp_vec_done(&s.reaching);
    hp_vec_done(&s.ranks);
}

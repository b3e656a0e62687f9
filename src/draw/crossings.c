// Places in layers, after Sugiyama and others (1981).  Sweeping down and up in turn,
// vertices are sorted by the mean place (barycentre) of their neighbours in the previous
// layer, and adjacent vertices are exchanged as long as fewer links cross (transposition,
// as in Gansner and others, 1993).  The sweeps start from several orders: those of
// depth-first searches downwards and upwards that visit the heaviest edge first or last,
// then of searches that reverse this at some vertices, as long as there is time.  The
// best result of all is kept.
#include "draw/graph_layout.h"

enum {
    SWEEPS = 24,           // sweeps after each start
    MOST_STEPS = 40000000, // steps of all exchanges together
    UNIT = 1024,           // the means are in units of 1 / UNIT places
    MOST_STARTS = 64,      // most orders to start from
    // Fewest orders to start from, whatever the size of the graph.
    LEAST_STARTS = 2,
    // Number of vertices of the graph times number of starts, at most; but there are
    // always LEAST_STARTS.
    START_WORK = 20000,
};

// State of the sweeps; the order itself is in `ranks`.
struct sweeper {
    struct hp_ranks *ranks;
    uint32_t *best;         // the order with the fewest crossings so far
    uint32_t *counts;       // a Fenwick tree over places, for counting crossings
    struct sweep_key *keys; // for sorting one layer
    // Pairs of links that exchanges have compared so far, and pairs of vertices.
    size_t steps;
};

// A vertex with the mean place of its neighbours, in 1/UNIT; ties are sorted by `place`.
struct sweep_key {
    uint64_t mean;
    uint32_t place, vertex;
};

// Place of the lower or the upper end of a link.
static uint32_t place_of(const struct hp_ranks *ranks, uint32_t link, bool is_lower) {
    const struct hp_rank_link *l = &ranks->links.at[link];
    return ranks->vertices.at[is_lower ? l->lower : l->upper].place;
}

// Set the places of the vertices of a layer from its order.
static void renumber(struct hp_ranks *ranks, size_t layer) {
    for (size_t i = 0; i < hp_ranks_size(ranks, layer); i++) {
        ranks->vertices.at[ranks->order[ranks->first[layer] + i]].place = (uint32_t)i;
    }
}

// --- counting -----------------------------------------------------------------------------

// Number of places in the tree that are at most `place`.
static size_t count_up_to(const uint32_t *tree, size_t place) {
    size_t count = 0;
    for (size_t i = place + 1; i > 0; i &= i - 1) {
        count += tree[i];
    }
    return count;
}

// Add a place to the tree.
static void add_place(uint32_t *tree, size_t size, size_t place) {
    for (size_t i = place + 1; i <= size; i += i & (~i + 1)) {
        tree[i]++;
    }
}

// Count the crossings of links below a layer: two links cross if one begins further left
// and ends further right.
static size_t count_below(const struct hp_ranks *ranks, uint32_t *tree, size_t layer) {
    size_t size = hp_ranks_size(ranks, layer + 1), links = 0, crossings = 0;
    const struct hp_rank_links *down = &ranks->down;
    memset(tree, 0, (size + 1) * sizeof *tree);
    for (size_t i = ranks->first[layer]; i < ranks->first[layer + 1]; i++) {
        uint32_t vertex = ranks->order[i];
        size_t first = down->first[vertex], end = down->first[vertex + 1];
        for (size_t k = first; k < end; k++) {
            crossings += links - count_up_to(tree, place_of(ranks, down->at[k], true));
        }
        for (size_t k = first; k < end; k++) {
            add_place(tree, size, place_of(ranks, down->at[k], true));
        }
        links += end - first;
    }
    return crossings;
}

// Count the crossings in all layers.
static size_t count_all(const struct hp_ranks *ranks, uint32_t *tree) {
    size_t crossings = 0;
    for (size_t layer = 0; layer + 1 < ranks->layers; layer++) {
        crossings += count_below(ranks, tree, layer);
    }
    return crossings;
}

size_t hp_crossings_count(const struct hp_ranks *ranks) {
    uint32_t *tree = hp_alloc((ranks->vertices.count + 1) * sizeof *tree);
    size_t crossings = count_all(ranks, tree);
    free(tree);
    return crossings;
}

// --- means --------------------------------------------------------------------------------

static int compare_keys(const void *left, const void *right) {
    const struct sweep_key *a = left, *b = right;
    return a->mean != b->mean ? (a->mean < b->mean ? -1 : 1)
                              : (a->place > b->place) - (a->place < b->place);
}

// Sort the vertices of a layer by the mean places of their neighbours above (`by_upper`)
// or below.  Vertices without links keep their places, and the others are sorted around
// them.  If `flips` is set, of equal vertices the last comes first.
static void sort_layer(struct sweeper *s, size_t layer, bool by_upper, bool flips) {
    struct hp_ranks *ranks = s->ranks;
    const struct hp_rank_links *links = by_upper ? &ranks->up : &ranks->down;
    uint32_t *order = ranks->order + ranks->first[layer];
    size_t size = hp_ranks_size(ranks, layer), count = 0;
    for (uint32_t i = 0; i < size; i++) {
        size_t first = links->first[order[i]], end = links->first[order[i] + 1];
        uint64_t sum = 0;
        for (size_t k = first; k < end; k++) {
            sum += place_of(ranks, links->at[k], !by_upper);
        }
        if (end > first) {
            s->keys[count++] = (struct sweep_key){sum * UNIT / (end - first),
                                                  flips ? UINT32_MAX - i : i, order[i]};
        }
    }
    if (count > 0) {
        qsort(s->keys, count, sizeof *s->keys, compare_keys);
    }
    for (size_t i = 0, next = 0; i < size; i++) {
        if (links->first[order[i]] < links->first[order[i] + 1]) {
            order[i] = s->keys[next++].vertex;
        }
    }
    renumber(ranks, layer);
}

// Sort all layers once, downwards in even sweeps and upwards in odd ones.  Every other
// pair of sweeps reverses ties.
static void sweep(struct sweeper *s, int number) {
    bool flips = number % 4 >= 2;
    if (number % 2 == 0) {
        for (size_t layer = 1; layer < s->ranks->layers; layer++) {
            sort_layer(s, layer, true, flips);
        }
    } else {
        for (size_t layer = s->ranks->layers; layer-- > 1;) {
            sort_layer(s, layer - 1, false, flips);
        }
    }
}

// --- exchanges ----------------------------------------------------------------------------

// The number of crossings of the links of two adjacent vertices that exchanging them
// would remove; below zero: it would add some.
static int64_t gain(struct sweeper *s, const struct hp_rank_links *links, uint32_t left,
                    uint32_t right) {
    int64_t more = 0;
    bool is_lower = links == &s->ranks->down;
    for (size_t i = links->first[left]; i < links->first[left + 1]; i++) {
        uint32_t a = place_of(s->ranks, links->at[i], is_lower);
        for (size_t k = links->first[right]; k < links->first[right + 1]; k++) {
            uint32_t b = place_of(s->ranks, links->at[k], is_lower);
            more += (a > b) - (a < b);
            s->steps++;
        }
    }
    return more;
}

// Exchange adjacent vertices of a layer where that removes crossings.  Returns whether
// any were exchanged.
static bool exchange_in(struct sweeper *s, size_t layer) {
    struct hp_ranks *ranks = s->ranks;
    bool has_changed = false;
    uint32_t *order = ranks->order + ranks->first[layer];
    for (size_t i = 1; i < hp_ranks_size(ranks, layer) && s->steps < MOST_STEPS; i++) {
        uint32_t left = order[i - 1], right = order[i];
        s->steps++;
        if (gain(s, &ranks->up, left, right) + gain(s, &ranks->down, left, right) > 0) {
            order[i - 1] = right;
            order[i] = left;
            ranks->vertices.at[right].place--;
            ranks->vertices.at[left].place++;
            has_changed = true;
        }
    }
    return has_changed;
}

// Exchange adjacent vertices in all layers until nothing changes.  It ends, because each
// exchange removes crossings.
static void exchange(struct sweeper *s) {
    bool has_changed = true;
    while (has_changed && s->steps < MOST_STEPS) {
        has_changed = false;
        for (size_t layer = 0; layer < s->ranks->layers; layer++) {
            has_changed |= exchange_in(s, layer);
        }
    }
}

// --- all of it ----------------------------------------------------------------------------

// A depth-first search over vertices that defines an order to start from.
struct order_search {
    struct hp_ranks *ranks;
    // Whether the search leads downwards; whether it follows the last link of a vertex
    // first.
    bool down, from_right;
    uint32_t turns; // bits that decide at which vertices the order of links is reversed
    // Whether each vertex has been visited.
    bool *is_met;
    size_t *filled; // number of vertices placed in each layer
    // The stack of the search; a vertex may be on it several times.
    HP_VEC(uint32_t) open;
};

// Visit a vertex: give it the next place in its layer and push its neighbours.
static void meet(struct order_search *s, uint32_t vertex) {
    struct hp_rank_vertex *v = &s->ranks->vertices.at[vertex];
    const struct hp_rank_links *links = s->down ? &s->ranks->down : &s->ranks->up;
    s->is_met[vertex] = true;
    v->place = (uint32_t)s->filled[v->layer]++;
    s->ranks->order[s->ranks->first[v->layer] + v->place] = vertex;
    size_t first = links->first[vertex], end = links->first[vertex + 1];
    bool is_turned = (vertex * s->turns * UINT32_C(2654435761)) >> 31;
    for (size_t k = first; k < end; k++) {
        size_t next = s->from_right != is_turned ? k : first + end - 1 - k;
        const struct hp_rank_link *link = &s->ranks->links.at[links->at[next]];
        hp_vec_push(&s->open, s->down ? link->lower : link->upper);
    }
}

// Order the vertices as a depth-first search visits them, which leaves no crossings in a
// tree.  The number `start` decides the direction and the order of links.
static void begin(struct hp_ranks *ranks, int start) {
    bool down = start % 2 == 0;
    size_t count = ranks->vertices.count;
    struct order_search s = {.ranks = ranks,
                             .down = down,
                             .from_right = start % 4 >= 2,
                             .turns = (uint32_t)(start / 4),
                             .is_met = hp_alloc(count),
                             .filled = hp_alloc((ranks->layers + 1) * sizeof *s.filled)};
    const size_t *first = down ? ranks->up.first : ranks->down.first;
    // The first turn starts only at vertices that nothing leads to.
    for (size_t turn = 0; turn < 2 * count; turn++) {
        uint32_t root = (uint32_t)(turn % count);
        if (turn >= count || first[root] == first[root + 1]) {
            hp_vec_push(&s.open, root);
        }
        while (s.open.count > 0) {
            uint32_t vertex = s.open.at[--s.open.count];
            if (!s.is_met[vertex]) {
                meet(&s, vertex);
            }
        }
    }
    hp_vec_done(&s.open);
    free(s.is_met);
    free(s.filled);
}

// Sweep from one starting order, downwards or upwards first, and keep the best order
// found.  `least`: fewest crossings so far.  Returns the fewest after these sweeps.
static size_t sweep_all(struct sweeper *s, int start, size_t least) {
    struct hp_ranks *ranks = s->ranks;
    size_t size = ranks->vertices.count * sizeof *s->best;
    begin(ranks, start);
    for (int i = -1; i < SWEEPS && least > 0; i++) {
        if (i >= 0) {
            sweep(s, i + start % 2);
            exchange(s);
        }
        size_t crossings = count_all(ranks, s->counts);
        if (crossings < least) {
            least = crossings;
            memcpy(s->best, ranks->order, size);
        }
    }
    return least;
}

// Number of starting orders: the more vertices, the fewer.
static size_t starts_of(size_t vertices) {
    size_t starts = START_WORK / (vertices + 1);
    return starts < LEAST_STARTS  ? LEAST_STARTS
           : starts > MOST_STARTS ? MOST_STARTS
                                  : starts;
}

size_t hp_crossings_reduce(struct hp_ranks *ranks) {
    size_t count = ranks->vertices.count;
    struct sweeper s = {
        .ranks = ranks,
        .best = hp_alloc(count * sizeof *s.best),
        .counts = hp_alloc((count + 1) * sizeof *s.counts),
        .keys = hp_alloc(count * sizeof *s.keys),
    };
    size_t least = SIZE_MAX;
    size_t starts = starts_of(count);
    for (size_t start = 0; start < starts && least > 0; start++) {
        least = sweep_all(&s, (int)start, least);
    }
    memcpy(ranks->order, s.best, count * sizeof *s.best);
    for (size_t layer = 0; layer < ranks->layers; layer++) {
        renumber(ranks, layer);
    }
    free(s.best);
    free(s.counts);
    free(s.keys);
    return least;
}

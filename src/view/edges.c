#include "view/edges.h"

struct key {
    hp_node_id caller, callee;
};

struct builder {
    struct hp_edges *edges;
    struct hp_strtab keys; // the bytes of all keys, to find them again
    HP_VEC(size_t) seen;   // of each edge: the last trace that it was counted in, and one
};

static void add_call(struct builder *b, struct key key, bool is_through, size_t trace,
                     hp_fixed value) {
    struct hp_span bytes = {(const char *)&key, sizeof key};
    uint32_t number = hp_strtab_add(&b->keys, bytes).n - 1;
    if (number == b->edges->edges.count) {
        hp_vec_push(&b->edges->edges,
                    ((struct hp_edge){key.caller, key.callee, 0, true}));
        hp_vec_push(&b->seen, 0);
    }
    struct hp_edge *edge = &b->edges->edges.at[number];
    edge->is_through &= is_through;
    if (b->seen.at[number] != trace + 1) {
        b->seen.at[number] = trace + 1;
        edge->value += value;
    }
}

static void add_trace(struct builder *b, const struct hp_trace *trace, size_t number,
                      hp_fixed value, const bool *is_shown) {
    hp_node_id caller = {0};
    uint32_t caller_depth = 0;
    for (uint32_t i = trace->depth; i-- > 0;) {
        hp_node_id node = trace->nodes[i];
        if (is_shown[node.n]) {
            if (caller.n) {
                add_call(b, (struct key){caller, node}, caller_depth != i + 1, number,
                         value);
            }
            caller = node;
            caller_depth = i;
        }
    }
}

static int compare(const void *left, const void *right) {
    const struct hp_edge *a = left, *b = right;
    if (a->caller.n != b->caller.n) {
        return a->caller.n < b->caller.n ? -1 : 1;
    }
    return (a->callee.n > b->callee.n) - (a->callee.n < b->callee.n);
}

void hp_edges_init(struct hp_edges *edges, const struct hp_traces *traces,
                   enum hp_metric metric, const bool *is_shown) {
    *edges = (struct hp_edges){0};
    struct builder b = {.edges = edges};
    for (size_t i = 0; i < traces->traces.count; i++) {
        const struct hp_trace *trace = &traces->traces.at[i];
        add_trace(&b, trace, i, trace->values.of[metric], is_shown);
    }
    if (edges->edges.count > 0) {
        qsort(edges->edges.at, edges->edges.count, sizeof *edges->edges.at, compare);
    }
    hp_strtab_done(&b.keys);
    hp_vec_done(&b.seen);
}

void hp_edges_done(struct hp_edges *edges) {
    hp_vec_done(&edges->edges);
}

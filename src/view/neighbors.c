#include "view/neighbors.h"

#include "base/hash.h"
#include "base/index.h"
#include "view/picks.h"
#include "view/walk.h"

// A picked node and one beside it.
struct edge {
    hp_node_id center, other;
    bool is_callee; // the other
    uint32_t seen;  // the number of the last stack it was counted in
    hp_fixed value;
    struct hp_error error;
};

struct collector {
    HP_VEC(struct edge) edges;
    struct hp_index index;
    const bool *is_picked; // of each node
    uint32_t number;       // of the stack
    hp_fixed value;
    const struct hp_error *error;
};

static uint32_t hash_of(hp_node_id center, hp_node_id other, bool is_callee) {
    uint32_t key[] = {center.n, other.n, is_callee};
    return (uint32_t)hp_hash_bytes(key, sizeof key, hp_hash_key());
}

static void reindex(struct collector *collector) {
    hp_index_widen(&collector->index, collector->edges.count);
    for (uint32_t i = 0; i < collector->edges.count; i++) {
        const struct edge *edge = &collector->edges.at[i];
        uint32_t hash = hash_of(edge->center, edge->other, edge->is_callee);
        hp_index_place(&collector->index, hash, i);
    }
}

static struct edge *find_edge(struct collector *collector, hp_node_id center,
                              hp_node_id other, bool is_callee) {
    struct hp_index *index = &collector->index;
    if (hp_index_is_full(index, collector->edges.count)) {
        reindex(collector);
    }
    uint32_t hash = hash_of(center, other, is_callee);
    size_t mask = index->slot_count - 1;
    for (size_t i = hash & mask; index->slots[i]; i = (i + 1) & mask) {
        struct edge *edge = &collector->edges.at[index->slots[i] - 1];
        if (edge->center.n == center.n && edge->other.n == other.n &&
            edge->is_callee == is_callee) {
            return edge;
        }
    }
    hp_index_place(index, hash, (uint32_t)collector->edges.count);
    return hp_vec_push(
        &collector->edges,
        ((struct edge){.center = center, .other = other, .is_callee = is_callee}));
}

static void add_edge(struct collector *collector, hp_node_id center, hp_node_id other,
                     bool is_callee) {
    if (!collector->is_picked[center.n]) {
        return;
    }
    struct edge *edge = find_edge(collector, center, other, is_callee);
    if (edge->seen != collector->number) {
        edge->seen = collector->number;
        edge->value += collector->value;
        if (collector->error) {
            hp_error_add(&edge->error, collector->error);
        }
    }
}

static void add_stack(struct collector *collector, const struct hp_walk *walk) {
    for (size_t i = 1; i < walk->nodes.count; i++) {
        hp_node_id callee = walk->nodes.at[i - 1], caller = walk->nodes.at[i];
        if (callee.n != caller.n) {
            add_edge(collector, callee, caller, false);
            add_edge(collector, caller, callee, true);
        }
    }
}

static void collect(struct collector *collector, const struct hp_naming *naming,
                    enum hp_metric metric) {
    const struct hp_profile *profile = naming->profile;
    const struct hp_error *errors = profile->errors[hp_column_of(metric)].at;
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        collector->number++;
        collector->value = profile->stacks.at[i].values.of[metric];
        collector->error = errors ? &errors[i] : NULL;
        if (hp_walk_nodes(naming, &profile->stacks.at[i], &walk)) {
            if (walk.truncated) {
                hp_vec_push(&walk.nodes, naming->truncated);
            }
            add_stack(collector, &walk);
        }
    }
    hp_walk_done(&walk);
    hp_index_drop(&collector->index);
}

static int by_center(const void *left, const void *right, void *context) {
    const struct edge *a = left, *b = right;
    if (a->center.n != b->center.n) {
        return a->center.n < b->center.n ? -1 : 1;
    }
    if (a->is_callee != b->is_callee) {
        return a->is_callee ? 1 : -1;
    }
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return hp_node_compare(context, a->other, b->other);
}

// Of each node its first edge.
static size_t *find_firsts(const struct collector *collector, size_t nodes) {
    size_t *first = hp_alloc((nodes + 1) * sizeof *first), edge = 0;
    for (size_t node = 0; node <= nodes; node++) {
        while (edge < collector->edges.count &&
               collector->edges.at[edge].center.n < node) {
            edge++;
        }
        first[node] = edge;
    }
    return first;
}

static void add_row(struct hp_neighbors *neighbors, const struct hp_row *row,
                    const struct edge *edges, size_t count) {
    struct hp_neighborhood area = {.row = *row, .first = neighbors->all.count};
    for (size_t i = 0; i < count; i++) {
        area.callers += !edges[i].is_callee;
        area.callees += edges[i].is_callee;
        hp_vec_push(&neighbors->all, ((struct hp_neighbor){edges[i].other, edges[i].value,
                                                           edges[i].error}));
    }
    hp_vec_push(&neighbors->rows, area);
}

void hp_neighbors_init(struct hp_neighbors *neighbors, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    *neighbors = (struct hp_neighbors){0};
    struct hp_table *table = &neighbors->table;
    hp_table_init(table, profile, options, HP_TABLE_BOTH_ERRORS);
    size_t nodes = table->naming.names.strings.count;
    bool *is_picked = hp_picks_new(&table->naming);
    struct collector collector = {.is_picked = is_picked};
    collect(&collector, &table->naming, options->metric);
    if (collector.edges.count > 0) {
        qsort_r(collector.edges.at, collector.edges.count, sizeof *collector.edges.at,
                by_center, &table->naming);
    }
    size_t *first = find_firsts(&collector, nodes);
    const struct hp_row *row;
    hp_vec_each (row, &table->rows) {
        size_t begin = first[row->node.n], end = first[row->node.n + 1];
        if (is_picked[row->node.n]) {
            add_row(neighbors, row, collector.edges.at + begin, end - begin);
        }
    }
    free(first);
    free(is_picked);
    hp_vec_done(&collector.edges);
}

void hp_neighbors_done(struct hp_neighbors *neighbors) {
    hp_table_done(&neighbors->table);
    hp_vec_done(&neighbors->rows);
    hp_vec_done(&neighbors->all);
}

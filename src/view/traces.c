#include "view/traces.h"

#include "base/hash.h"
#include "base/index.h"
#include "view/walk.h"

#include <string.h>

static int compare_names(const void *left, const void *right, void *context) {
    return hp_node_compare(context, *(const hp_node_id *)left,
                           *(const hp_node_id *)right);
}

// Node numbers in the order of their names, so that stacks can be compared as numbers.
static uint32_t *rank_names(struct hp_naming *naming) {
    size_t count = naming->names.strings.count;
    hp_node_id *order = hp_alloc(count * sizeof *order);
    uint32_t *rank = hp_alloc(count * sizeof *rank);
    for (uint32_t i = 0; i < count; i++) {
        order[i].n = i;
    }
    qsort_r(order, count, sizeof *order, compare_names, naming);
    for (uint32_t i = 0; i < count; i++) {
        rank[order[i].n] = i;
    }
    free(order);
    return rank;
}

struct order {
    const struct hp_traces *traces;
    uint32_t *rank; // of each node
};

static int compare_traces(const void *left, const void *right, void *context) {
    const struct order *order = context;
    const uint32_t *rank = order->rank;
    const struct hp_trace *a = &order->traces->traces.at[*(const uint32_t *)left];
    const struct hp_trace *b = &order->traces->traces.at[*(const uint32_t *)right];
    uint32_t common = a->depth < b->depth ? a->depth : b->depth;
    for (uint32_t i = 1; i <= common; i++) {
        uint32_t node_a = rank[a->nodes[a->depth - i].n];
        uint32_t node_b = rank[b->nodes[b->depth - i].n];
        if (node_a != node_b) {
            return node_a < node_b ? -1 : 1;
        }
    }
    if (a->depth != b->depth) {
        return a->depth < b->depth ? -1 : 1;
    }
    return (int)a->truncated - (int)b->truncated;
}

// By name from the root.
static void sort(struct hp_traces *traces) {
    size_t count = traces->traces.count;
    struct order by_name = {traces, rank_names(&traces->naming)};
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *place = hp_alloc(count * sizeof *place);
    struct hp_trace *sorted = hp_alloc(count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, compare_traces, &by_name);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
        sorted[i] = traces->traces.at[order[i]];
    }
    for (size_t i = 0; i < traces->naming.profile->stacks.count; i++) {
        uint32_t *trace = &traces->trace_of[i];
        *trace = *trace == HP_NO_TRACE ? HP_NO_TRACE : place[*trace];
    }
    free(by_name.rank);
    free(order);
    free(place);
    free(traces->traces.at);
    traces->traces.at = sorted;
    traces->traces.capacity = count;
}

// --- distinct ones ------------------------------------------------------------------------

static uint32_t hash_of(const hp_node_id *nodes, size_t depth) {
    return (uint32_t)hp_hash_bytes(nodes, depth * sizeof *nodes, hp_hash_key());
}

static void reindex(struct hp_index *index, const struct hp_traces *traces) {
    hp_index_widen(index, traces->traces.count);
    for (size_t i = 0; i < traces->traces.count; i++) {
        const struct hp_trace *trace = &traces->traces.at[i];
        hp_index_place(index, hash_of(trace->nodes, trace->depth), (uint32_t)i);
    }
}

static bool is_trace(const struct hp_trace *trace, const struct hp_walk *walk) {
    return trace->depth == walk->nodes.count && trace->truncated == walk->truncated &&
           memcmp(trace->nodes, walk->nodes.at, trace->depth * sizeof *trace->nodes) == 0;
}

static void add_errors(struct hp_trace *trace, const struct hp_profile *profile,
                       size_t stack) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            hp_error_add(&trace->errors[i], &profile->errors[i].at[stack]);
        }
    }
}

static void add_walk(struct hp_traces *traces, struct hp_index *index,
                     const struct hp_walk *walk, size_t number) {
    const struct hp_stack *stack = &traces->naming.profile->stacks.at[number];
    if (hp_index_is_full(index, traces->traces.count)) {
        reindex(index, traces);
    }
    uint32_t hash = hash_of(walk->nodes.at, walk->nodes.count);
    size_t mask = index->slot_count - 1;
    for (size_t i = hash & mask; index->slots[i]; i = (i + 1) & mask) {
        struct hp_trace *trace = &traces->traces.at[index->slots[i] - 1];
        if (is_trace(trace, walk)) {
            hp_values_add(&trace->values, &stack->values);
            add_errors(trace, traces->naming.profile, number);
            traces->trace_of[number] = index->slots[i] - 1;
            return;
        }
    }
    size_t size = walk->nodes.count * sizeof *walk->nodes.at;
    hp_node_id *copy = hp_arena_alloc(&traces->arena, size, alignof(hp_node_id));
    memcpy(copy, walk->nodes.at, size);
    hp_index_place(index, hash, (uint32_t)traces->traces.count);
    traces->trace_of[number] = (uint32_t)traces->traces.count;
    struct hp_trace *trace =
        hp_vec_push(&traces->traces,
                    ((struct hp_trace){.values = stack->values,
                                       .nodes = copy,
                                       .depth = (uint32_t)walk->nodes.count,
                                       .truncated = walk->truncated}));
    add_errors(trace, traces->naming.profile, number);
}

void hp_traces_init(struct hp_traces *traces, const struct hp_profile *profile,
                    const struct hp_report_options *options) {
    *traces = (struct hp_traces){0};
    hp_naming_init(&traces->naming, profile, options);
    traces->trace_of = hp_alloc(profile->stacks.count * sizeof *traces->trace_of);
    struct hp_index index = {0};
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        hp_values_add(&traces->total, &stack->values);
        traces->trace_of[i] = HP_NO_TRACE;
        if (hp_walk_nodes(&traces->naming, stack, &walk)) {
            hp_values_add(&traces->left, &stack->values);
            add_walk(traces, &index, &walk, i);
        }
    }
    hp_index_drop(&index);
    hp_walk_done(&walk);
    sort(traces);
}

// --- by value -----------------------------------------------------------------------------

struct ranked {
    hp_fixed value;
    size_t place;
};

static int by_value(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

void hp_traces_sort_by(struct hp_traces *traces, enum hp_metric metric) {
    size_t count = traces->traces.count;
    if (count == 0) {
        return;
    }
    struct ranked *order = hp_alloc(count * sizeof *order);
    struct hp_trace *sorted = hp_alloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct ranked){traces->traces.at[i].values.of[metric], i};
    }
    qsort(order, count, sizeof *order, by_value);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = traces->traces.at[order[i].place];
    }
    free(order);
    free(traces->traces.at);
    traces->traces.at = sorted;
    traces->traces.capacity = count;
}

void hp_traces_done(struct hp_traces *traces) {
    hp_naming_done(&traces->naming);
    hp_arena_done(&traces->arena);
    free(traces->trace_of);
    hp_vec_done(&traces->traces);
}

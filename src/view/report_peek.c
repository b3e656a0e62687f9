#include "view/report_peek.h"

#include "base/hash.h"
#include "view/visible_frames.h"

// A selected node and one beside it; what is in front of `seen` is found by the index.
struct edge {
    hp_node_id center, other;
    uint32_t is_callee; // the other; 0 or 1
    uint32_t seen;      // the number of the last stack it was counted in
    hp_fixed value;
    struct hp_error error;
};

struct collector {
    HP_VEC(struct edge) edges;
    struct hp_index index;
    const bool *is_selected; // of each node
    uint32_t number;         // of the stack
    hp_fixed value;
    const struct hp_error *error;
};

static struct edge *find_edge(struct collector *collector, hp_node_id center,
                              hp_node_id other, bool is_callee) {
    struct edge edge = {.center = center, .other = other, .is_callee = is_callee};
    uint32_t number = hp_index_of(&collector->index, &collector->edges, &edge,
                                  offsetof(struct edge, seen));
    if (number == collector->edges.count) {
        hp_vec_push(&collector->edges, edge);
    }
    return &collector->edges.at[number];
}

static void add_edge(struct collector *collector, hp_node_id center, hp_node_id other,
                     bool is_callee) {
    if (!collector->is_selected[center.n]) {
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

static void add_stack(struct collector *collector,
                      const struct hp_visible_frames *frames) {
    for (size_t i = 1; i < frames->nodes.count; i++) {
        hp_node_id callee = frames->nodes.at[i - 1], caller = frames->nodes.at[i];
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
    struct hp_visible_frames frames = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        collector->number++;
        collector->value = profile->stacks.at[i].values.of[metric];
        collector->error = errors ? &errors[i] : NULL;
        if (hp_visible_nodes(naming, &profile->stacks.at[i], &frames)) {
            if (frames.truncated) {
                hp_vec_push(&frames.nodes, naming->truncated);
            }
            add_stack(collector, &frames);
        }
    }
    hp_visible_frames_done(&frames);
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

static void add_area(struct hp_neighbors *neighbors, const struct edge *edges,
                     size_t count) {
    struct hp_neighborhood area = {.first = neighbors->all.count};
    for (size_t i = 0; i < count; i++) {
        if (edges[i].value == 0) {
            continue;
        }
        area.callers += !edges[i].is_callee;
        area.callees += edges[i].is_callee;
        hp_vec_push(&neighbors->all, ((struct hp_neighbor){edges[i].other, edges[i].value,
                                                           edges[i].error}));
    }
    hp_vec_push(&neighbors->areas, area);
}

static bool holds_any(const struct hp_neighbors *neighbors, const struct hp_view *view,
                      hp_node_id node) {
    enum hp_metric metric = view->options.metric;
    return hp_top_flat(&neighbors->top, node, metric).sum != 0 ||
           hp_top_cum(&neighbors->top, node, metric).sum != 0;
}

// Keep the rows that were selected, each with its neighbors.
static void find_neighbors(struct hp_neighbors *neighbors, struct hp_view *view,
                           const bool *is_selected) {
    struct collector collector = {.is_selected = is_selected};
    size_t nodes = view->naming.names.strings.count, kept = 0;
    collect(&collector, &view->naming, view->options.metric);
    hp_vec_sort_r(&collector.edges, by_center, &view->naming);
    size_t *first = find_firsts(&collector, nodes);
    for (size_t i = 0; i < view->rows.count; i++) {
        struct hp_row_key row = view->rows.at[i];
        size_t begin = first[row.node.n], end = first[row.node.n + 1];
        if (is_selected[row.node.n] && holds_any(neighbors, view, row.node)) {
            add_area(neighbors, collector.edges.at + begin, end - begin);
            view->rows.at[kept++] = row;
        }
    }
    view->rows.count = kept;
    free(first);
    hp_vec_done(&collector.edges);
}

// --- selection ----------------------------------------------------------------------------

static void select_nodes(const struct hp_naming *naming, bool *is_selected) {
    const struct hp_call *call;
    hp_vec_each (call, &naming->calls) {
        is_selected[call->node.n] |= (call->marks & hp_mark_of(HP_PICK)) != 0;
    }
}

size_t hp_neighbors_shown(const struct hp_view *view, size_t row, bool are_callees) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    size_t count = are_callees ? area->callees : area->callers;
    if (view->options.limit != HP_LIMIT_ENOUGH) {
        return hp_view_limited(view, count);
    }
    const struct hp_neighbor *all =
        neighbors->all.at + area->first + (are_callees ? area->callers : 0);
    hp_fixed *values = hp_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = all[i].value;
    }
    hp_fixed whole =
        hp_top_cum(&neighbors->top, view->rows.at[row].node, view->options.metric).sum;
    size_t shown = hp_view_enough(view, values, count, whole);
    free(values);
    return shown;
}

// --- the report ---------------------------------------------------------------------------

enum field {
    FLAT,
    CUM,
};

static const struct hp_field fields[] = {
    {{"flat", "flat", NULL, HP_CELL_ESTIMATE}, FLAT},
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE}, CUM},
};

static int refuse_nothing(const struct hp_view *view, const bool *is_selected,
                          struct hp_err *err) {
    const struct hp_neighbors *neighbors = view->extra;
    for (size_t i = 0; i < view->naming.names.strings.count; i++) {
        if (is_selected[i] && neighbors->top.seen[i]) {
            return hp_fail(
                err, HP_E_EMPTY,
                "nothing to report: the pattern matches no %s that holds anything",
                hp_granularity_text(view->options.by));
        }
    }
    return hp_fail(err, HP_E_EMPTY, "nothing to report: the pattern matches no %s%s",
                   hp_granularity_text(view->options.by),
                   view->head.is_filtered ? " that the filters leave" : "");
}

static int build(struct hp_view *view, struct hp_err *err) {
    struct hp_neighbors *neighbors = view->extra = hp_alloc(sizeof *neighbors);
    bool *is_selected = hp_alloc(view->naming.names.strings.count + 1);
    struct hp_top_errors errors = {{false}, {false}};
    enum hp_column column = hp_column_of(view->options.metric);
    select_nodes(&view->naming, is_selected);
    errors.flat[column] = errors.cum[column] = view->head.is_uncertain[column];
    hp_top_init(&neighbors->top, view, errors);
    hp_top_sum_nodes(&neighbors->top, view, true);
    hp_top_sort_rows(&neighbors->top, view, view->options.sort);
    find_neighbors(neighbors, view, is_selected);
    int ret = view->rows.count == 0 ? refuse_nothing(view, is_selected, err) : HP_OK;
    free(is_selected);
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    return ret;
}

static void done(struct hp_view *view) {
    struct hp_neighbors *neighbors = view->extra;
    hp_top_done(&neighbors->top);
    hp_vec_done(&neighbors->areas);
    hp_vec_done(&neighbors->all);
}

static void cell(const struct hp_view *view, size_t row, int field, enum hp_metric metric,
                 struct hp_content *content) {
    const struct hp_neighbors *neighbors = view->extra;
    hp_node_id node = view->rows.at[row].node;
    content->amount = field == FLAT ? hp_top_flat(&neighbors->top, node, metric)
                                    : hp_top_cum(&neighbors->top, node, metric);
}

const struct hp_report hp_report_peek = {
    .name = "peek",
    .help = "who calls the functions that match, and whom they call",
    .takes_pattern = true,
    .build = build,
    .cell = cell,
    .done = done,
};

#include "view/top.h"

#include "view/unseen.h"
#include "view/visible_frames.h"

#include <math.h>
#include <string.h>

// --- sums ---------------------------------------------------------------------------------

// Choose the metrics to add up: the one that is shown, and others that the format asks
// for and inputs have.  Rows of sizes need the number of objects, too.
static void choose_metrics(struct hp_top *top, const struct hp_view *view) {
    bool all = (view->use.can & HP_HAS_ALL_METRICS) != 0;
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        enum hp_column column = hp_column_of(view->options.metric);
        bool counts = hp_is_of_parts(view->options.by) && metric == hp_objects_of(column);
        bool is_wanted = metric == view->options.metric || counts ||
                         (all && hp_view_has_metric(view, metric));
        top->slot[metric] = is_wanted ? top->metrics : SIZE_MAX;
        top->of[top->metrics] = metric;
        top->metrics += is_wanted;
    }
}

void hp_top_init(struct hp_top *top, const struct hp_view *view,
                 struct hp_top_errors errors) {
    static const struct hp_error none;
    size_t nodes = hp_node_count(&view->naming);
    *top = (struct hp_top){.seen = hp_alloc(nodes * sizeof *top->seen)};
    choose_metrics(top, view);
    top->flat = hp_alloc(nodes * top->metrics * sizeof *top->flat);
    top->cum = hp_alloc(nodes * top->metrics * sizeof *top->cum);
    // Errors of few rows are added up in a pass of their own: errors of all nodes would
    // take more time than everything else.
    bool are_few = errors.rows < nodes / 4;
    top->place = are_few ? hp_alloc(nodes * sizeof *top->place) : NULL;
    top->leaf =
        are_few ? hp_alloc((view->profile->stacks.count + 1) * sizeof *top->leaf) : NULL;
    size_t size = (are_few ? errors.rows + 1 : nodes) * sizeof(struct hp_error);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        top->exact[i] = view->head.is_uncertain[i] ? NULL : &none;
        top->flat_errors[i] = errors.flat[i] ? hp_alloc(size) : NULL;
        top->cum_errors[i] = errors.cum[i] ? hp_alloc(size) : NULL;
    }
}

void hp_top_done(struct hp_top *top) {
    free(top->flat);
    free(top->cum);
    free(top->seen);
    free(top->size_of);
    free(top->place);
    free(top->leaf);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        free(top->flat_errors[i]);
        free(top->cum_errors[i]);
    }
}

void hp_top_add(const struct hp_top *top, hp_fixed *sums, hp_node_id node,
                const struct hp_values *values) {
    hp_fixed *sum = &sums[node.n * top->metrics];
    for (size_t i = 0; i < top->metrics; i++) { // no overflow: the sum of all stacks fits
        sum[i] += values->of[top->of[i]];
    }
}

// Add the values of a stack to cum of its nodes.  The loops for one metric and for all
// metrics are separate, as most of the time is spent here.
static void add_to_nodes(const struct hp_top *top, const hp_node_id *nodes, size_t count,
                         const struct hp_values *values) {
    if (top->metrics == HP_METRICS) { // slots are in the order of metrics
        for (size_t i = 0; i < count; i++) {
            hp_fixed *sum = &top->cum[nodes[i].n * HP_METRICS];
            for (int k = 0; k < HP_METRICS; k++) {
                sum[k] += values->of[k];
            }
        }
        return;
    }
    if (top->metrics > 1) {
        for (size_t i = 0; i < count; i++) {
            hp_top_add(top, top->cum, nodes[i], values);
        }
        return;
    }
    hp_fixed *cum = top->cum, value = values->of[top->of[0]];
    for (size_t i = 0; i < count; i++) {
        cum[nodes[i].n] += value;
    }
}

// Add the error of a stack to the errors of nodes (`sums`), in each column in which these
// are not NULL.  The numbers in `nodes` are indices into sums[column].
static void add_errors(struct hp_error *const sums[HP_COLUMNS], const hp_node_id *nodes,
                       size_t count, const struct hp_profile *profile, size_t stack) {
    for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
        const struct hp_error *error =
            sums[k] && count > 0 ? hp_stack_error(&profile->errors.stacks[k], stack)
                                 : NULL;
        for (size_t i = 0; i < count && error; i++) {
            hp_error_add(&sums[k][nodes[i].n], error);
        }
    }
}

// Add the samples of a stack to top->samples of nodes, at most HP_MANY_SAMPLES, in the
// columns in which intervals allow for the choice of the largest rows.
static void add_samples(const struct hp_top *top, const hp_node_id *nodes, size_t count,
                        const struct hp_profile *profile, size_t stack) {
    for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
        unsigned char *samples = top->samples[k];
        uint64_t more =
            samples ? hp_stack_error(&profile->errors.stacks[k], stack)->samples : 0;
        for (size_t i = 0; i < count && samples; i++) {
            uint64_t sum = samples[nodes[i].n] + more;
            samples[nodes[i].n] =
                (unsigned char)(sum < HP_MANY_SAMPLES ? sum : HP_MANY_SAMPLES);
        }
    }
}

// Whether flat or cum of a node is not 0 in any metric that is added up.
static bool holds_any(const struct hp_top *top, hp_node_id node) {
    bool found = false;
    for (size_t i = 0; i < top->metrics; i++) {
        size_t at = node.n * top->metrics + i;
        found |= top->flat[at] != 0 || top->cum[at] != 0;
    }
    return found;
}

// Add a row for each node whose flat or cum is not 0.  Room for the rows is reserved
// first: moving the array would take as long as writing it.
static void add_rows(const struct hp_top *top, struct hp_view *view) {
    size_t nodes = hp_node_count(&view->naming), count = 0;
    for (size_t i = 0; i < nodes; i++) {
        count += top->seen[i] != 0;
    }
    hp_vec_reserve(&view->rows, count);
    for (uint32_t i = 0; i < nodes; i++) {
        if (top->seen[i] && holds_any(top, (hp_node_id){i})) {
            hp_view_add_row(view, (hp_node_id){i});
        }
    }
}

void hp_top_drop_nothing(const struct hp_top *top, struct hp_view *view) {
    size_t kept = 0;
    for (size_t i = 0; i < view->rows.count; i++) {
        struct hp_row_key row = view->rows.at[i];
        if (holds_any(top, row.node)) {
            view->rows.at[kept++] = row;
        }
    }
    view->rows.count = kept;
}

void hp_top_sum_nodes(struct hp_top *top, struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_visible_frames frames = {.seen = top->seen};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        if (hp_visible_nodes(&view->naming, stack, &frames)) {
            const hp_node_id *nodes = frames.nodes.at; // the first one is the leaf
            size_t count = frames.nodes.count;
            hp_top_add(top, top->flat, nodes[0], &stack->values);
            add_to_nodes(top, nodes, count, &stack->values);
            add_samples(top, nodes, view->options.sort == HP_SORT_CUM ? count : 1,
                        profile, i);
            if (top->leaf) {
                top->leaf[i] = nodes[0];
            } else {
                add_errors(top->flat_errors, nodes, 1, profile, i);
                add_errors(top->cum_errors, nodes, count, profile, i);
            }
        }
    }
    hp_visible_frames_done(&frames);
    add_rows(top, view);
}

// For each frame, whether one of its calls is in a shown row: most stacks have no such
// frame, and can be skipped.  The caller frees the array.
static bool *find_shown_frames(const struct hp_top *top, const struct hp_naming *naming) {
    size_t count = naming->first_call.count - 1;
    bool *has_shown = hp_alloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *first = &naming->first_call.at[i];
        for (uint32_t call = first[0]; call < first[1]; call++) {
            has_shown[i] |= top->place[naming->calls.at[call].node.n] != 0;
        }
    }
    return has_shown;
}

// Whether any frame of a stack may be in a shown row.
static bool may_be_shown(const struct hp_stack *stack, const bool *has_shown) {
    bool found = stack->depth == 0; // the node of a stack without frames is of no frame
    for (uint32_t i = 0; !found && i < stack->depth; i++) {
        found = has_shown[stack->frames[i].n];
    }
    return found;
}

// Replace nodes by the numbers of their rows, and drop nodes that are not shown.  Returns
// the number of the others.
static size_t keep_shown(const uint32_t *place, hp_node_id *nodes, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        nodes[kept].n = place[nodes[i].n];
        kept += nodes[kept].n != 0;
    }
    return kept;
}

// Add up the errors of cum of the rows that are shown, in a pass over the stacks.
static void add_cum_errors(struct hp_top *top, const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_visible_frames frames = {.seen = top->seen};
    bool *has_shown = find_shown_frames(top, &view->naming);
    memset(top->seen, 0, hp_node_count(&view->naming) * sizeof *top->seen);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        if (may_be_shown(stack, has_shown) &&
            hp_visible_nodes(&view->naming, stack, &frames)) {
            hp_node_id *nodes = frames.nodes.at;
            size_t count = keep_shown(top->place, nodes, frames.nodes.count);
            add_errors(top->cum_errors, nodes, count, profile, i);
        }
    }
    hp_visible_frames_done(&frames);
    free(has_shown);
}

void hp_top_sum_errors(struct hp_top *top, const struct hp_view *view) {
    if (!top->place) {
        return;
    }
    for (size_t i = 0; i < hp_view_needed(view, view->rows.count); i++) {
        top->place[view->rows.at[i].node.n] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < view->profile->stacks.count; i++) {
        hp_node_id shown = {top->place[top->leaf[i].n]};
        add_errors(top->flat_errors, &shown, shown.n != 0, view->profile, i);
    }
    if (top->cum_errors[HP_COLUMN_INUSE] || top->cum_errors[HP_COLUMN_ALLOC]) {
        add_cum_errors(top, view);
    }
}

// --- order --------------------------------------------------------------------------------

// Up to this number, the first rows are found by insertion instead of a sort of all rows.
enum {
    FEW_ROWS = 200,
};

// Order of rows: by flat, then by cum, or the other way round; then by size or name.  If
// rows are sorted by name, no values are used.
struct row_order {
    const struct hp_top *top;
    const struct hp_naming *naming;
    // Flat and cum in the view's metric: that of node n is at index n * top->metrics.
    // NULL: not used.
    const hp_fixed *first, *second;
};

// The value of a row in `values`: order->first or order->second.
static hp_fixed value_of(const struct row_order *order, const hp_fixed *values,
                         const struct hp_row_key *row) {
    return values[row->node.n * order->top->metrics];
}

static int compare(const void *left, const void *right, void *context) {
    const struct row_order *order = context;
    const struct hp_row_key *a = left, *b = right;
    const hp_fixed *const columns[] = {order->first, order->second};
    for (int i = 0; i < 2 && columns[i]; i++) {
        hp_fixed value_a = value_of(order, columns[i], a);
        hp_fixed value_b = value_of(order, columns[i], b);
        if (value_a != value_b) {
            return value_a > value_b ? -1 : 1;
        }
    }
    const uint64_t *sizes = order->top->size_of;
    uint32_t node_a = a->node.n, node_b = b->node.n;
    return sizes ? (sizes[node_a] > sizes[node_b]) - (sizes[node_a] < sizes[node_b])
                 : hp_node_compare(order->naming, a->node, b->node);
}

// Insert a row into the `first` first rows, which are sorted, by binary search.  The last
// one of these moves to the former position of the row.
static void insert(struct hp_row_key *rows, size_t first, struct hp_row_key *row,
                   struct row_order *order) {
    struct hp_row_key new = *row;
    size_t at = 0, end = first - 1;
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        bool is_after = compare(&new, &rows[middle], order) > 0;
        at = is_after ? middle + 1 : at;
        end = is_after ? end : middle;
    }
    *row = rows[first - 1];
    memmove(&rows[at + 1], &rows[at], (first - 1 - at) * sizeof *rows);
    rows[at] = new;
}

// The value of a row in order->first; 0 if rows are sorted by name.
static hp_fixed first_value(const struct row_order *order, const struct hp_row_key *row) {
    return order->first ? value_of(order, order->first, row) : 0;
}

// Move the `first` first rows of the order to the front, and sort them.  If these are
// few, most other rows need only one comparison: of one value with that of the last of
// these rows.  Returns the number of rows that are sorted, at least `first`.
static size_t sort_first(const struct hp_view *view, size_t first,
                         struct row_order *order) {
    struct hp_row_key *rows = view->rows.at;
    if (first > FEW_ROWS || first >= view->rows.count) {
        hp_vec_sort_r(&view->rows, compare, order);
        return view->rows.count;
    }
    qsort_r(rows, first, sizeof *rows, compare, order);
    hp_fixed least = first_value(order, &rows[first - 1]);
    for (size_t i = first; i < view->rows.count; i++) {
        if (first_value(order, &rows[i]) >= least &&
            compare(&rows[i], &rows[first - 1], order) < 0) {
            insert(rows, first, &rows[i], order);
            least = first_value(order, &rows[first - 1]);
        }
    }
    return first;
}

// The order that the rows are sorted by.
static struct row_order order_of(const struct hp_top *top, const struct hp_view *view) {
    size_t slot = top->slot[view->options.metric];
    const hp_fixed *flat = top->flat + slot, *cum = top->cum + slot;
    struct row_order order = {.top = top, .naming = &view->naming};
    if (top->sort != HP_SORT_NAME) {
        bool by_cum = top->sort == HP_SORT_CUM;
        order.first = by_cum ? cum : flat;
        order.second = by_cum ? flat : cum;
    }
    return order;
}

void hp_top_sort_rows(struct hp_top *top, struct hp_view *view, enum hp_sort sort,
                      size_t first) {
    top->sort = sort;
    struct row_order order = order_of(top, view);
    top->sorted = sort_first(view, first, &order);
}

void hp_top_sort_rest(struct hp_top *top, const struct hp_view *view) {
    struct row_order order = order_of(top, view);
    top->sorted = sort_first(view, view->rows.count, &order);
}

// --- amounts of nodes ---------------------------------------------------------------------

// Flat or cum (`sums`, `errors`) of a node in a metric.  The error is NULL if it is
// neither added up nor 0.
static struct hp_amount amount_of(const struct hp_top *top, const hp_fixed *sums,
                                  struct hp_error *const errors[HP_COLUMNS],
                                  hp_node_id node, enum hp_metric metric) {
    const struct hp_error *found = errors[hp_column_of(metric)];
    uint32_t place = top->place ? top->place[node.n] : node.n;
    if (top->slot[metric] == SIZE_MAX) {
        return (struct hp_amount){.range = {NAN, NAN}, .is_unknown = true};
    }
    return (struct hp_amount){
        .sum = sums[node.n * top->metrics + top->slot[metric]],
        .error = found && place > 0 ? &found[place] : top->exact[hp_column_of(metric)],
        .range = {NAN, NAN},
    };
}

struct hp_amount hp_top_flat(const struct hp_top *top, hp_node_id node,
                             enum hp_metric metric) {
    return amount_of(top, top->flat, top->flat_errors, node, metric);
}

struct hp_amount hp_top_cum(const struct hp_top *top, hp_node_id node,
                            enum hp_metric metric) {
    return amount_of(top, top->cum, top->cum_errors, node, metric);
}

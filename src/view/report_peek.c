// The report `peek`.  A call is identified by its caller and its callee.  The stacks that
// contain a call are kept as a list, from which its error is added up when the call is
// shown; most calls are not shown.  If all rows are shown, errors are added up while the
// calls are found instead, as walking through all lists would touch all of the memory
// once more.
#include "view/report_peek.h"

#include "base/hash.h"
#include "view/visible_frames.h"

enum {
    MANY = 16, // errors of calls in at least this many stacks are kept once computed
};

// State while the callers and callees of selected functions are searched for.
struct collector {
    struct hp_neighbors *neighbors;
    // Finds the index in neighbors->calls by the hash of callee and caller.
    struct hp_index index;
    const bool *is_selected;              // by node: whether the pattern selects it
    const struct hp_stack_errors *errors; // errors of the profile's stacks; NULL: unknown
};

// Find the call of `callee` by `caller`; add it if it is new.  The result is valid until
// this function is called again.
static struct hp_neighbor_call *find_call(struct collector *collector, hp_node_id callee,
                                          hp_node_id caller) {
    struct hp_neighbors *neighbors = collector->neighbors;
    uint64_t key = (uint64_t)callee.n << 32 | caller.n;
    uint32_t hash = (uint32_t)hp_hash_mix(key ^ hp_hash_key(), 0x9e3779b97f4a7c15), found;
    for (size_t at = hash; hp_index_next(&collector->index, hash, &at, &found);) {
        struct hp_neighbor_call *call = &neighbors->calls.at[found];
        if (call->callee.n == callee.n && call->caller.n == caller.n) {
            return call;
        }
    }
    hp_index_put(&collector->index, hash, neighbors->calls.count);
    return hp_vec_push(&neighbors->calls,
                       ((struct hp_neighbor_call){.callee = callee, .caller = caller}));
}

// Put a stack at the front of the list of the stacks that contain a call.
static void keep_stack(struct hp_neighbors *neighbors, struct hp_neighbor_call *call,
                       uint32_t stack) {
    struct hp_neighbor_stack place = {stack, call->last};
    hp_vec_push(&neighbors->stacks, place);
    call->last = (uint32_t)neighbors->stacks.count;
}

// Add the error of a further stack to that of a call; used if adds_up is set.  The first
// stack of the call is in call->last, and its error is copied with the second stack.
static void add_error(struct collector *collector, const struct hp_neighbor_call *call,
                      uint32_t stack) {
    struct hp_neighbors *neighbors = collector->neighbors;
    size_t number = (size_t)(call - neighbors->calls.at);
    uint32_t *place = hp_vec_reach(&neighbors->error_of, number);
    if (*place == 0) {
        hp_vec_push(&neighbors->errors,
                    *hp_stack_error(collector->errors, call->last - 1));
        *place = (uint32_t)neighbors->errors.count;
    }
    hp_error_add(&neighbors->errors.at[*place - 1],
                 hp_stack_error(collector->errors, stack));
}

// Record that a stack contains a call, so that the error of the call can be added up.
static void note_stack(struct collector *collector, struct hp_neighbor_call *call,
                       uint32_t stack) {
    if (!collector->neighbors->adds_up) {
        keep_stack(collector->neighbors, call, stack);
    } else if (call->last > 0) {
        add_error(collector, call, stack);
    } else {
        call->last = stack + 1;
    }
}

// Add a stack to the calls in it whose caller or callee is selected, once to each.
static void add_stack(struct collector *collector, const struct hp_visible_frames *frames,
                      uint32_t stack, hp_fixed value) {
    for (size_t i = 1; i < frames->nodes.count; i++) {
        hp_node_id callee = frames->nodes.at[i - 1], caller = frames->nodes.at[i];
        bool is_wanted =
            collector->is_selected[callee.n] || collector->is_selected[caller.n];
        if (callee.n == caller.n || !is_wanted) {
            continue;
        }
        struct hp_neighbor_call *call = find_call(collector, callee, caller);
        if (call->seen != stack + 1) {
            call->seen = stack + 1;
            call->value += value;
            if (collector->errors) {
                note_stack(collector, call, stack);
            }
        }
    }
}

// Find all calls whose caller or callee is selected.  The node of the frames
// that were cut off is a caller, too.
static void collect(struct collector *collector, const struct hp_naming *naming,
                    enum hp_metric metric) {
    const struct hp_profile *profile = naming->profile;
    struct hp_visible_frames frames = {0};
    const struct hp_stack_errors *errors = &profile->errors.stacks[hp_column_of(metric)];
    collector->errors = errors->of.count > 0 ? errors : NULL;
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        if (hp_visible_nodes(naming, stack, &frames)) {
            if (frames.truncated) {
                hp_vec_push(&frames.nodes, naming->truncated);
            }
            add_stack(collector, &frames, i, stack->values.of[metric]);
        }
    }
    hp_visible_frames_done(&frames);
    hp_index_drop(&collector->index);
    struct hp_neighbors *neighbors = collector->neighbors;
    if (neighbors->calls.count > 0) {
        (void)hp_vec_reach(&neighbors->error_of, neighbors->calls.count - 1);
    }
}

hp_fixed hp_neighbor_value(const struct hp_view *view,
                           const struct hp_neighbor *neighbor) {
    const struct hp_neighbors *neighbors = view->extra;
    return neighbors->calls.at[neighbor->call].value;
}

// Add up the error of a call from its list of stacks.  Returns the number of its stacks.
static size_t sum_errors(const struct hp_view *view, uint32_t call,
                         struct hp_error *error) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_stack_errors *errors =
        &view->profile->errors.stacks[hp_column_of(view->options.metric)];
    size_t count = 0;
    *error = (struct hp_error){0};
    for (uint32_t i = neighbors->calls.at[call].last; i > 0; count++) {
        const struct hp_neighbor_stack *place = &neighbors->stacks.at[i - 1];
        hp_error_add(error, hp_stack_error(errors, place->stack));
        i = place->next;
    }
    return count;
}

struct hp_amount hp_neighbor_amount(const struct hp_view *view,
                                    const struct hp_neighbor *neighbor,
                                    struct hp_error *error) {
    struct hp_neighbors *neighbors = view->extra;
    uint32_t *known = &neighbors->error_of.at[neighbor->call];
    uint32_t last = neighbors->calls.at[neighbor->call].last;
    if (*known > 0) {
        *error = neighbors->errors.at[*known - 1];
    } else if (neighbors->adds_up && last > 0) {
        enum hp_column column = hp_column_of(view->options.metric);
        *error = *hp_stack_error(&view->profile->errors.stacks[column], last - 1);
    } else if (sum_errors(view, neighbor->call, error) >= MANY) {
        hp_vec_push(&neighbors->errors, *error);
        *known = (uint32_t)neighbors->errors.count;
    }
    return (struct hp_amount){.sum = hp_neighbor_value(view, neighbor), .error = error};
}

// --- groups -------------------------------------------------------------------------------

// State of the division of neighbors into groups: callers of each row, and callees of
// each row.
struct neighbor_groups {
    struct hp_neighbors *neighbors;
    uint32_t *row; // by node: its row + 1; 0: the node is no row
    // For each row: the index in neighbors->all for its next caller, and for its next
    // callee.
    size_t *next;
    uint32_t *rank; // by node: its rank by name among all neighbors
};

// Order of neighbors in a group: by value, then by name.
static int by_value(const void *left, const void *right, void *context) {
    const struct neighbor_groups *groups = context;
    const struct hp_neighbor *a = left, *b = right;
    const struct hp_neighbor_call *calls = groups->neighbors->calls.at;
    hp_fixed of_a = calls[a->call].value, of_b = calls[b->call].value;
    if (of_a != of_b) {
        return of_a > of_b ? -1 : 1;
    }
    uint32_t rank_of_a = groups->rank[a->node.n], rank_of_b = groups->rank[b->node.n];
    return (rank_of_a > rank_of_b) - (rank_of_a < rank_of_b);
}

// Put a neighbor into the group of callers or callees of `center`, if that is a row.
// Before neighbors->all is allocated, only count it.
static void put(struct neighbor_groups *groups, hp_node_id center, bool are_callees,
                struct hp_neighbor neighbor) {
    if (groups->row[center.n] > 0) {
        size_t *next = &groups->next[2 * (groups->row[center.n] - 1) + are_callees];
        if (groups->neighbors->all) {
            groups->neighbors->all[*next] = neighbor;
        }
        ++*next;
    }
}

// For each call whose value is not 0, put its caller into the callers of its callee, and
// its callee into the callees of its caller.
static void put_all(struct neighbor_groups *groups) {
    for (uint32_t i = 0; i < groups->neighbors->calls.count; i++) {
        const struct hp_neighbor_call *call = &groups->neighbors->calls.at[i];
        if (call->value != 0) {
            put(groups, call->callee, false, (struct hp_neighbor){call->caller, i});
            put(groups, call->caller, true, (struct hp_neighbor){call->callee, i});
        }
    }
}

// Replace the sizes of groups in `next` by the indices in neighbors->all where the groups
// begin.  Returns the sum of the sizes.
static size_t add_up(size_t *next, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = next[i];
        next[i] = sum;
        sum += size;
    }
    return sum;
}

// Find the rank by name of each node that is a neighbor.
static void rank_neighbors(struct neighbor_groups *groups, const struct hp_naming *naming,
                           size_t count) {
    HP_VEC(hp_node_id) nodes = {0};
    bool *is_known = hp_alloc(hp_node_count(naming));
    for (size_t i = 0; i < count; i++) {
        hp_node_id node = groups->neighbors->all[i].node;
        if (!is_known[node.n]) {
            hp_vec_push(&nodes, node);
        }
        is_known[node.n] = true;
    }
    groups->rank = hp_nodes_rank(naming, nodes.at, nodes.count);
    hp_vec_done(&nodes);
    free(is_known);
}

// Sort one group of neighbors, the callers or the callees of a row.
static void sort_group(struct neighbor_groups *groups, size_t first, size_t count) {
    struct hp_neighbor *all = groups->neighbors->all;
    if (count > 1) {
        qsort_r(all + first, count, sizeof *all, by_value, groups);
    }
}

// Sort the groups of all rows, and record where they are in neighbors->areas.  The array
// `next` now contains the ends of the groups, which follow each other without gaps.
static void add_areas(struct neighbor_groups *groups, size_t rows) {
    struct hp_neighbors *neighbors = groups->neighbors;
    const size_t *ends = groups->next;
    size_t first = 0;
    for (size_t i = 0; i < rows; i++) {
        struct hp_neighborhood area = {first, ends[2 * i] - first,
                                       ends[2 * i + 1] - ends[2 * i]};
        sort_group(groups, first, area.callers);
        sort_group(groups, first + area.callers, area.callees);
        hp_vec_push(&neighbors->areas, area);
        first = ends[2 * i + 1];
    }
}

// Divide all neighbors into groups: first count those of each group, then put them into
// neighbors->all.
static void group(struct hp_neighbors *neighbors, const struct hp_view *view) {
    struct neighbor_groups groups = {
        .neighbors = neighbors,
        .row = hp_alloc(hp_node_count(&view->naming) * sizeof *groups.row),
        .next = hp_alloc(2 * view->rows.count * sizeof *groups.next),
    };
    for (uint32_t i = 0; i < view->rows.count; i++) {
        groups.row[view->rows.at[i].node.n] = i + 1;
    }
    put_all(&groups);
    size_t count = add_up(groups.next, 2 * view->rows.count);
    neighbors->all = hp_alloc(count * sizeof *neighbors->all);
    put_all(&groups);
    rank_neighbors(&groups, &view->naming, count);
    add_areas(&groups, view->rows.count);
    free(groups.row);
    free(groups.next);
    free(groups.rank);
}

// Whether flat or cum of a node is not 0 in the view's metric.
static bool holds_any(const struct hp_neighbors *neighbors, const struct hp_view *view,
                      hp_node_id node) {
    enum hp_metric metric = view->options.metric;
    return hp_top_flat(&neighbors->top, node, metric).sum != 0 ||
           hp_top_cum(&neighbors->top, node, metric).sum != 0;
}

// Keep the rows that are selected and whose flat or cum is not 0; find their neighbors.
static void find_neighbors(struct hp_neighbors *neighbors, struct hp_view *view,
                           const bool *is_selected) {
    struct collector collector = {.neighbors = neighbors, .is_selected = is_selected};
    size_t kept = 0;
    for (size_t i = 0; i < view->rows.count; i++) {
        struct hp_row_key row = view->rows.at[i];
        if (is_selected[row.node.n] && holds_any(neighbors, view, row.node)) {
            view->rows.at[kept++] = row;
        }
    }
    view->rows.count = kept;
    neighbors->adds_up = hp_view_needed(view, kept) == kept;
    collect(&collector, &view->naming, view->options.metric);
    group(neighbors, view);
}

// --- selection ----------------------------------------------------------------------------

// Set is_selected of the nodes that have a call which the pattern selects.
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
        neighbors->all + area->first + (are_callees ? area->callers : 0);
    struct hp_enough values = {.count = 0};
    for (size_t i = 0; i < count && i < HP_MOST_ROWS; i++) {
        hp_enough_add(&values, hp_neighbor_value(view, &all[i]));
    }
    hp_fixed whole =
        hp_top_cum(&neighbors->top, view->rows.at[row].node, view->options.metric).sum;
    return hp_view_enough(view, &values, whole);
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn flat_cell, cum_cell;

static const struct hp_field fields[] = {
    {{"flat", "flat", NULL, HP_CELL_ESTIMATE}, flat_cell},
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE}, cum_cell},
};

// Fail with the reason why no function is shown.
static int refuse_nothing(const struct hp_view *view, const bool *is_selected,
                          struct hp_err *err) {
    const struct hp_neighbors *neighbors = view->extra;
    for (size_t i = 0; i < hp_node_count(&view->naming); i++) {
        if (is_selected[i] && neighbors->top.seen[i]) {
            return hp_fail(err, HP_E_EMPTY,
                           HP_MESSAGE("peek-holds-nothing",
                                      "no %s with memory matches the pattern"),
                           hp_granularity_text(view->options.by));
        }
    }
    return hp_fail(err, HP_E_EMPTY,
                   HP_MESSAGE("peek-no-match", "no %s%s matches the pattern"),
                   hp_granularity_text(view->options.by),
                   view->head.is_filtered
                       ? hp_words(HP_WORDS("of-peek-filtered", " in the filtered stacks"))
                       : "");
}

static int build(struct hp_view *view, struct hp_err *err) {
    struct hp_neighbors *neighbors = view->extra = hp_alloc(sizeof *neighbors);
    bool *is_selected = hp_alloc(hp_node_count(&view->naming) + 1);
    struct hp_top_errors errors = {.rows = SIZE_MAX};
    enum hp_column column = hp_column_of(view->options.metric);
    select_nodes(&view->naming, is_selected);
    errors.flat[column] = errors.cum[column] = view->head.is_uncertain[column];
    hp_top_init(&neighbors->top, view, errors);
    hp_top_sum_nodes(&neighbors->top, view);
    hp_top_sort_rows(&neighbors->top, view, view->options.sort, SIZE_MAX);
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
    free(neighbors->all);
    hp_vec_done(&neighbors->calls);
    hp_vec_done(&neighbors->stacks);
    hp_vec_done(&neighbors->errors);
    hp_vec_done(&neighbors->error_of);
}

static void flat_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_neighbors *neighbors = at->view->extra;
    hp_node_id node = at->view->rows.at[at->row].node;
    content->amount = hp_top_flat(&neighbors->top, node, at->metric);
}

static void cum_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_neighbors *neighbors = at->view->extra;
    hp_node_id node = at->view->rows.at[at->row].node;
    content->amount = hp_top_cum(&neighbors->top, node, at->metric);
}

bool hp_neighbors_may_wrap(const struct hp_view *view) {
    const struct hp_neighbors *neighbors = view->extra;
    return view->rows.count == 1 && neighbors->areas.at[0].callers > 0 &&
           hp_top_flat(&neighbors->top, view->rows.at[0].node, view->options.metric).sum >
               0;
}

const struct hp_report hp_report_peek = {
    .name = "peek",
    .help = "who calls the functions that match, and whom they call",
    .takes_pattern = true,
    .build = build,
    .done = done,
};

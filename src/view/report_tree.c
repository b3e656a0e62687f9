// Nodes are made as stacks need them, found by parent and name; a node comes after its parent.
// Sorted by parent, value and name, children lie side by side, and a list of what is still to
// be visited, as deep as the tree, gives the final order.  Nothing here calls itself: there
// are stacks of any depth.
#include "view/report_tree.h"

#include "base/hash.h"
#include "view/visible_frames.h"

// --- growing ------------------------------------------------------------------------------

struct grower {
    const struct hp_view *view;
    struct hp_tree *tree;
    struct hp_index index;
};

static uint32_t find_child(struct grower *grower, uint32_t parent, hp_node_id name) {
    struct hp_tree *tree = grower->tree;
    struct hp_tree_node node = {.name = name, .parent = parent};
    uint32_t number = hp_index_of(&grower->index, &tree->nodes, &node,
                                  offsetof(struct hp_tree_node, depth));
    if (number == tree->nodes.count) {
        hp_vec_push(&tree->nodes, node);
    }
    return number;
}

static void add_stack(struct grower *grower, const struct hp_visible_frames *frames,
                      hp_fixed value, const struct hp_error *error) {
    uint32_t number = HP_NO_PARENT;
    size_t count = frames->nodes.count;
    for (size_t i = 0; i < count; i++) {
        size_t place = grower->view->options.invert ? i : count - 1 - i;
        number = find_child(grower, number, frames->nodes.at[place]);
        struct hp_tree_node *node = &grower->tree->nodes.at[number];
        node->cum += value;
        if (error) {
            hp_error_add(&node->error, error);
        }
    }
    grower->tree->nodes.at[number].flat += value;
}

static void grow(struct grower *grower) {
    const struct hp_profile *profile = grower->view->profile;
    const struct hp_naming *naming = &grower->view->naming;
    enum hp_metric metric = grower->view->options.metric;
    const struct hp_error *errors = profile->errors[hp_column_of(metric)].at;
    struct hp_visible_frames frames = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[metric];
        if (value != 0 && hp_visible_nodes(naming, &profile->stacks.at[i], &frames)) {
            if (frames.truncated) {
                hp_vec_push(&frames.nodes, naming->truncated);
            }
            add_stack(grower, &frames, value, errors ? &errors[i] : NULL);
        }
    }
    hp_visible_frames_done(&frames);
    hp_index_drop(&grower->index);
}

// --- order --------------------------------------------------------------------------------

struct order {
    const struct hp_tree *tree;
    const struct hp_naming *naming;
};

static int by_parent(const void *left, const void *right, void *context) {
    const struct order *order = context;
    const struct hp_tree *tree = order->tree;
    const struct hp_tree_node *a = &tree->nodes.at[*(const uint32_t *)left];
    const struct hp_tree_node *b = &tree->nodes.at[*(const uint32_t *)right];
    if (a->parent != b->parent) {
        return a->parent < b->parent ? -1 : 1;
    }
    if (a->cum != b->cum) {
        return a->cum > b->cum ? -1 : 1;
    }
    return hp_node_compare(order->naming, a->name, b->name);
}

// Where the children of each node begin in `order`; those without a parent come last.
static uint32_t *find_children(const struct hp_tree *tree, const uint32_t *order) {
    size_t count = tree->nodes.count, next = 0;
    uint32_t *first = hp_alloc((count + 1) * sizeof *first);
    for (uint32_t i = 0; i < count; i++) {
        first[i] = (uint32_t)next;
        while (next < count && tree->nodes.at[order[next]].parent == i) {
            next++;
        }
    }
    first[count] = (uint32_t)next;
    return first;
}

struct visits {
    HP_VEC(uint32_t) pending; // the next of them last
};

static void push_backwards(struct visits *visits, const uint32_t *order, size_t begin,
                           size_t end) {
    while (end > begin) {
        hp_vec_push(&visits->pending, order[--end]);
    }
}

// Numbers of nodes, each before its children.
static uint32_t *put_in_order(const struct hp_tree *tree,
                              const struct hp_naming *naming) {
    size_t count = tree->nodes.count, placed = 0;
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *sequence = hp_alloc(count * sizeof *sequence);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    if (count > 0) {
        qsort_r(order, count, sizeof *order, by_parent, &(struct order){tree, naming});
    }
    uint32_t *first = find_children(tree, order);
    struct visits visits = {0};
    push_backwards(&visits, order, first[count], count);
    while (visits.pending.count > 0) {
        uint32_t number = visits.pending.at[--visits.pending.count];
        sequence[placed++] = number;
        push_backwards(&visits, order, first[number], first[number + 1]);
    }
    hp_vec_done(&visits.pending);
    free(first);
    free(order);
    return sequence;
}

// --- runs ---------------------------------------------------------------------------------

static bool is_foreign(const struct hp_view *view, const struct hp_tree_node *node) {
    enum hp_frame_class class = hp_node_class(&view->naming, node->name);
    return class != HP_CLASS_OWN && class != HP_CLASS_NONE && class != HP_CLASSES;
}

static uint32_t *count_children(const struct hp_tree *tree) {
    uint32_t *children = hp_alloc(tree->nodes.count * sizeof *children);
    const struct hp_tree_node *node;
    hp_vec_each (node, &tree->nodes) {
        if (node->parent != HP_NO_PARENT) {
            children[node->parent]++;
        }
    }
    return children;
}

// A node goes on with what is above it where there is nothing else, of as much, and no code of
// the program.  What allocates has a line of its own.
static bool goes_on(const struct hp_view *view, const struct hp_tree_node *above,
                    const struct hp_tree_node *node) {
    bool inverted = view->options.invert;
    bool allocates = inverted ? above->parent == HP_NO_PARENT : node->flat != 0;
    return node->cum == above->cum && !allocates && is_foreign(view, above) &&
           is_foreign(view, node);
}

// Where code of the program alone is asked for, other frames of one value are one line.
static void find_runs(struct hp_tree *tree, const struct hp_view *view,
                      const uint32_t *sequence) {
    size_t count = tree->nodes.count;
    enum hp_frames frames = view->options.frames;
    bool are_folded = frames == HP_FRAMES_CODE || frames == HP_FRAMES_OWN;
    uint32_t *children = count_children(tree);
    uint32_t *head = hp_alloc(count * sizeof *head);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = sequence[i];
        struct hp_tree_node *node = &tree->nodes.at[number];
        uint32_t above = node->parent;
        bool is_inside = are_folded && above != HP_NO_PARENT && children[above] == 1 &&
                         goes_on(view, &tree->nodes.at[above], node);
        head[number] = is_inside ? head[above] : number;
        node->run = 0;
        tree->nodes.at[head[number]].run++;
    }
    free(head);
    free(children);
}

// --- choice -------------------------------------------------------------------------------

struct ranked {
    hp_fixed value;
    uint32_t place; // in the sequence
};

static int by_value(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

static bool is_large(const struct hp_view *view, hp_fixed value) {
    hp_fixed total = view->head.total.of[view->options.metric];
    double size = (double)(value < 0 ? -value : value);
    return size >= view->options.min_share * (double)total;
}

// Nodes with a line of their own, by value; how many there are.
static struct ranked *rank(const struct hp_tree *tree, const uint32_t *sequence,
                           size_t *count) {
    struct ranked *ranked = hp_alloc(tree->nodes.count * sizeof *ranked);
    *count = 0;
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[sequence[i]];
        if (node->run > 0) {
            ranked[(*count)++] = (struct ranked){node->cum, i};
        }
    }
    if (*count > 0) {
        qsort(ranked, *count, sizeof *ranked, by_value);
    }
    return ranked;
}

// Who asks for a share is shown what has it.
static void find_enough(struct hp_view *view, const struct ranked *ranked, size_t count) {
    hp_fixed whole = view->head.filtered.of[view->options.metric];
    hp_fixed *values = hp_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = ranked[i].value;
    }
    if (view->options.min_share <= 0) {
        view->enough = hp_view_enough(view, values, count, whole);
    }
    free(values);
}

// Whether each node is kept.  A node comes before its children in any case, unless some values
// are negative: so what is above it is kept, too.
static bool *choose(const struct hp_tree *tree, const uint32_t *sequence,
                    struct hp_view *view) {
    size_t count;
    struct ranked *ranked = rank(tree, sequence, &count);
    bool *is_kept = hp_alloc(tree->nodes.count);
    find_enough(view, ranked, count);
    size_t limit = hp_view_shown(view, count);
    for (size_t i = 0; i < limit; i++) {
        uint32_t number = sequence[ranked[i].place];
        if (!is_large(view, ranked[i].value)) {
            continue;
        }
        for (; number != HP_NO_PARENT && !is_kept[number];
             number = tree->nodes.at[number].parent) {
            is_kept[number] = true;
        }
    }
    for (size_t i = 0; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[sequence[i]];
        is_kept[sequence[i]] |= node->run == 0 && is_kept[node->parent];
    }
    free(ranked);
    return is_kept;
}

static void hide(struct hp_tree *tree, const struct hp_tree_node *node) {
    hp_fixed size = node->cum < 0 ? -node->cum : node->cum;
    tree->hidden++;
    tree->hidden_flat += node->flat;
    tree->hidden_most = size > tree->hidden_most ? size : tree->hidden_most;
}

// Parents get the numbers they have afterwards.
static void keep(struct hp_tree *tree, const uint32_t *sequence, const bool *is_kept) {
    size_t count = tree->nodes.count, kept = 0;
    struct hp_tree_node *nodes = hp_alloc(count * sizeof *nodes);
    uint32_t *number_of = hp_alloc(count * sizeof *number_of);
    for (size_t i = 0; i < count; i++) {
        struct hp_tree_node node = tree->nodes.at[sequence[i]];
        if (!is_kept[sequence[i]]) {
            hide(tree, &node);
            continue;
        }
        number_of[sequence[i]] = (uint32_t)kept;
        if (node.parent != HP_NO_PARENT) {
            node.parent = number_of[node.parent];
            node.depth = nodes[node.parent].depth + 1;
            nodes[node.parent].shown++;
        }
        tree->roots += node.parent == HP_NO_PARENT;
        nodes[kept++] = node;
    }
    free(number_of);
    free(tree->nodes.at);
    tree->nodes.at = nodes;
    tree->nodes.capacity = count;
    tree->nodes.count = kept;
}

static void mark_last(struct hp_tree *tree) {
    size_t count = tree->nodes.count;
    bool *has_later = hp_alloc(count + 1); // the last of the roots
    for (size_t i = count; i-- > 0;) {
        struct hp_tree_node *node = &tree->nodes.at[i];
        size_t parent = node->parent == HP_NO_PARENT ? count : node->parent;
        node->is_last = !has_later[parent];
        has_later[parent] = true;
    }
    free(has_later);
}

static void tree_init(struct hp_tree *tree, struct hp_view *view) {
    struct grower grower = {.view = view, .tree = tree};
    grow(&grower);
    uint32_t *sequence = put_in_order(tree, &view->naming);
    find_runs(tree, view, sequence);
    bool *is_kept = choose(tree, sequence, view);
    keep(tree, sequence, is_kept);
    mark_last(tree);
    free(is_kept);
    free(sequence);
}

// --- the report ---------------------------------------------------------------------------

enum field {
    CUM,
    FLAT,
};

static const struct hp_field fields[] = {
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE}, CUM},
    {{"flat", "flat", NULL, HP_CELL_SUM}, FLAT},
};

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    struct hp_tree *tree = view->extra = hp_alloc(sizeof *tree);
    tree_init(tree, view);
    const struct hp_tree_node *node;
    hp_vec_each (node, &tree->nodes) {
        struct hp_row_key *row = hp_view_add_row(view, node->name);
        row->parent = node->parent;
        row->depth = node->depth;
    }
    hp_view_set_fields(view, fields, view->options.invert ? 1 : 2);
    return HP_OK;
}

static void done(struct hp_view *view) {
    struct hp_tree *tree = view->extra;
    hp_vec_done(&tree->nodes);
}

static void cell(const struct hp_view *view, size_t row, int field, enum hp_metric metric,
                 struct hp_content *content) {
    const struct hp_tree *tree = view->extra;
    const struct hp_tree_node *node = &tree->nodes.at[row];
    if (metric == view->options.metric) {
        content->amount = (struct hp_amount){
            .sum = field == CUM ? node->cum : node->flat,
            .error = field == CUM ? &node->error : NULL,
            .range = content->amount.range,
        };
    }
}

const struct hp_report hp_report_tree = {
    .name = "tree",
    .help = "who calls the functions that hold the memory, from the roots on",
    .build = build,
    .cell = cell,
    .done = done,
};

// The report `tree`.
//
// Distinct stacks are sorted by their steps, so that stacks with a common beginning are
// neighbours.  One pass over them makes the branches: fewer than twice the number of
// stacks, however deep they are.  A branch is open as long as each next stack passes it
// to its end.  If a stack passes only its upper part, that part becomes a branch of its
// own, above the rest.
//
// Branches are ranked and chosen first, and nodes are made for the chosen ones only.  No
// function here is recursive, as stacks may have any depth.
#include "view/report_tree.h"

// --- growing ------------------------------------------------------------------------------

// State while the tree of calls is built.
struct tree_grower {
    const struct hp_view *view;
    struct hp_tree *tree;
    struct hp_stacks stacks;
    struct hp_stack_order order; // order of `stacks`; ranks are numbers of nodes
    HP_VEC(uint32_t) open;       // open branches, each below the one before
    uint32_t *branch_of;         // by stack: the branch at whose end it ends
    hp_fixed *values;            // by stack, in the view's metric
    // By stack: a stack of the profile that it contains has a value, even if the sum is
    // 0.
    bool *has_any;
    struct hp_tree_branch *branches; // tree->branches.at, set at the end of grow()
    uint32_t *sequence;              // numbers of branches: parents first, then by cum
    bool *is_foreign;                // by node: its code is not the program's own
    // Code that is not the program's own is folded: frames with the same value share one
    // line.
    bool are_folded;
};

// Set g->values to the value of each stack of the view in the view's metric.
static void sum_stacks(struct tree_grower *g) {
    const struct hp_profile *profile = g->view->profile;
    enum hp_metric metric = g->view->options.metric;
    g->values = hp_alloc(g->stacks.all.count * sizeof *g->values);
    g->has_any = hp_alloc(g->stacks.all.count);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[metric];
        uint32_t stack = g->stacks.of_profile[i];
        if (value != 0 && stack != HP_NO_STACK) {
            g->values[stack] += value;
            g->has_any[stack] = true;
        }
    }
}

// The node of a stack at a depth of the tree.
static uint32_t step(const struct tree_grower *g, uint32_t stack, uint32_t depth) {
    return hp_stack_step(&g->order, &g->stacks.all.at[stack], depth);
}

// Number of steps that two stacks have in common, from the root of the tree on.
static uint32_t shared_steps(const struct tree_grower *g, uint32_t a, uint32_t b) {
    uint32_t of_a = hp_stack_steps(&g->stacks.all.at[a]),
             of_b = hp_stack_steps(&g->stacks.all.at[b]);
    uint32_t most = of_a < of_b ? of_a : of_b, shared = 0;
    while (shared < most && step(g, a, shared) == step(g, b, shared)) {
        shared++;
    }
    return shared;
}

// The lowest open branch; HP_NO_PARENT: none.
static uint32_t last_open(const struct tree_grower *g) {
    return g->open.count > 0 ? g->open.at[g->open.count - 1] : HP_NO_PARENT;
}

// Make a branch, whose children are complete, a child of `parent`, and add its cum to
// that.
static void put_below(struct tree_grower *g, uint32_t number, uint32_t parent) {
    struct hp_tree_branch *branches = g->tree->branches.at;
    branches[number].parent = parent;
    if (parent != HP_NO_PARENT) {
        branches[parent].cum += branches[number].cum;
        branches[parent].children++;
    }
}

// Close the branches that begin at `depth` or below.  A branch that begins above `depth`
// and goes on below it is divided: its upper part becomes a new branch, which stays open.
static void close_below(struct tree_grower *g, uint32_t depth) {
    uint32_t last;
    while ((last = last_open(g)) != HP_NO_PARENT &&
           g->tree->branches.at[last].begin >= depth) {
        g->open.count--;
        put_below(g, last, last_open(g));
    }
    if (last != HP_NO_PARENT && g->tree->branches.at[last].end > depth) {
        struct hp_tree_branch above = {
            .begin = g->tree->branches.at[last].begin,
            .end = depth,
            .stack = g->tree->branches.at[last].stack,
        };
        uint32_t number = (uint32_t)g->tree->branches.count;
        hp_vec_push(&g->tree->branches, above);
        g->tree->branches.at[last].begin = depth;
        g->open.at[g->open.count - 1] = number;
        put_below(g, last, number);
    }
}

// Add a stack, the next one in the order, to the branches.  It has `shared` steps in
// common with the stack before.
static void add_stack(struct tree_grower *g, uint32_t stack, uint32_t shared) {
    uint32_t steps = hp_stack_steps(&g->stacks.all.at[stack]);
    close_below(g, shared);
    if (steps > shared) {
        struct hp_tree_branch branch = {.begin = shared, .end = steps, .stack = stack};
        hp_vec_push(&g->open, (uint32_t)g->tree->branches.count);
        hp_vec_push(&g->tree->branches, branch);
    }
    g->branch_of[stack] = last_open(g);
    struct hp_tree_branch *end = &g->tree->branches.at[last_open(g)];
    end->cum += g->values[stack];
    end->flat += g->values[stack];
}

// Make all branches from the stacks with values.
static void grow(struct tree_grower *g) {
    const struct hp_naming *naming = g->stacks.naming;
    size_t count = g->stacks.all.count;
    uint32_t before = HP_NO_STACK;
    g->order = (struct hp_stack_order){
        .stacks = g->stacks.all.at,
        .truncated = naming->truncated.n,
        .from_leaf = g->view->options.tree.invert,
    };
    g->branch_of = hp_alloc(count * sizeof *g->branch_of);
    sum_stacks(g);
    for (uint32_t i = 0; i < count; i++) {
        if (g->has_any[i]) {
            add_stack(g, i, before == HP_NO_STACK ? 0 : shared_steps(g, before, i));
            before = i;
        }
    }
    close_below(g, 0);
    g->branches = g->tree->branches.at;
}

// Free the state, except the tree.
static void grower_done(struct tree_grower *g) {
    hp_stacks_done(&g->stacks);
    hp_vec_done(&g->open);
    free(g->branch_of);
    free(g->values);
    free(g->has_any);
    free(g->sequence);
    free(g->is_foreign);
}

// --- order --------------------------------------------------------------------------------

// Order of branches: by parent, then by cum.  Children of one parent were made in the
// order of names, so that children with equal cum are ordered by number.
static int by_parent(const void *left, const void *right, void *context) {
    const struct hp_tree_branch *branches = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (branches[a].parent != branches[b].parent) {
        return branches[a].parent < branches[b].parent ? -1 : 1;
    }
    if (branches[a].cum != branches[b].cum) {
        return branches[a].cum > branches[b].cum ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

// Find for each branch the index of its first child in the branches sorted by parent.
// Roots come last: the array has one more element, with the index of the first root.  The
// caller frees it.
static uint32_t *find_children(const struct hp_tree *tree) {
    size_t count = tree->branches.count;
    uint32_t *first = hp_alloc((count + 1) * sizeof *first);
    for (uint32_t i = 0; i < count; i++) {
        first[i + 1] = first[i] + tree->branches.at[i].children;
    }
    return first;
}

// The branches that are still to be visited, used instead of recursion.
struct visits {
    HP_VEC(uint32_t) pending; // the next one is the last element
};

// Push a range of `order`, so that its first element is visited first.
static void push_backwards(struct visits *visits, const uint32_t *order, size_t begin,
                           size_t end) {
    while (end > begin) {
        hp_vec_push(&visits->pending, order[--end]);
    }
}

// List all branches of the tree in g->sequence: each branch, then its children with all
// below them, those with the largest cum first.
static void put_in_order(struct tree_grower *g) {
    size_t count = g->tree->branches.count, placed = 0;
    uint32_t *order = hp_alloc(count * sizeof *order);
    g->sequence = hp_alloc(count * sizeof *g->sequence);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    if (count > 0) {
        qsort_r(order, count, sizeof *order, by_parent, g->branches);
    }
    uint32_t *first = find_children(g->tree);
    struct visits visits = {0};
    push_backwards(&visits, order, first[count], count);
    while (visits.pending.count > 0) {
        uint32_t number = visits.pending.at[--visits.pending.count];
        g->sequence[placed++] = number;
        push_backwards(&visits, order, first[number], first[number + 1]);
    }
    hp_vec_done(&visits.pending);
    free(first);
    free(order);
}

// --- runs ---------------------------------------------------------------------------------

// The node of a branch at a depth of the tree.
static hp_node_id node_at(const struct tree_grower *g,
                          const struct hp_tree_branch *branch, uint32_t depth) {
    return (hp_node_id){step(g, branch->stack, depth)};
}

// Set are_folded, and is_foreign of each node: whether its frames can share a line of
// text, because only code of the program is shown frame by frame.
static void find_foreign(struct tree_grower *g) {
    const struct hp_naming *naming = &g->view->naming;
    enum hp_frames frames = g->view->options.frames.fold;
    size_t count = hp_node_count(naming);
    g->are_folded = frames == HP_FRAMES_CODE || frames == HP_FRAMES_OWN;
    g->is_foreign = hp_alloc(count * sizeof *g->is_foreign);
    for (uint32_t i = 0; i < count && g->are_folded; i++) {
        enum hp_frame_class class = hp_node_class(naming, (hp_node_id){i});
        g->is_foreign[i] = class != HP_CLASS_OWN && class != HP_CLASS_GENERATED &&
                           class != HP_CLASS_NONE && class != HP_CLASSES;
    }
}

// Whether the node of a branch at a depth shares the line of text of the node above.  It
// does if it is the only child of that node, has the same value, and neither of them is
// code of the program, or both are one function, which calls itself.  A node that
// allocates has its own line.
static bool goes_on(const struct tree_grower *g, const struct hp_tree_branch *branch,
                    uint32_t depth) {
    const struct hp_tree_branch *above = branch;
    if (!g->are_folded || depth == 0) {
        return false;
    }
    if (depth == branch->begin) {
        above = &g->branches[branch->parent];
        if (above->children > 1 || above->cum != branch->cum) {
            return false;
        }
    }
    bool inverted = g->view->options.tree.invert;
    bool ends = depth == branch->end - 1 && branch->flat != 0;
    bool allocates = inverted ? depth == 1 : ends;
    hp_node_id caller = node_at(g, above, depth - 1), callee = node_at(g, branch, depth);
    return !allocates &&
           ((g->is_foreign[caller.n] && g->is_foreign[callee.n]) || caller.n == callee.n);
}

// Number of lines of text that begin with a node of the branch.
static uint32_t count_lines(const struct tree_grower *g,
                            const struct hp_tree_branch *branch) {
    uint32_t lines = branch->end - branch->begin;
    for (uint32_t i = branch->begin; i < branch->end && g->are_folded; i++) {
        lines -= goes_on(g, branch, i);
    }
    return lines;
}

// --- choice -------------------------------------------------------------------------------

// A branch in the order by value.
struct ranked_branch {
    hp_fixed value;
    uint32_t place; // place in g->sequence
    uint32_t lines; // number of lines of text of the branch
};

// Order branches by value, the largest first, then by position in the sequence.
static int by_value(const void *left, const void *right) {
    const struct ranked_branch *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

// Whether a value reaches options.min_share of the total.
static bool is_large(const struct hp_view *view, hp_fixed value) {
    hp_fixed total = view->head.total.of[view->options.metric];
    double size = (double)(value < 0 ? -value : value);
    return size >= view->options.tree.min_share * (double)total;
}

// Return the branches sorted by value, and set *lines to the number of lines of text of
// all of them.  The caller frees the array.
static struct ranked_branch *rank(const struct tree_grower *g, size_t *lines) {
    size_t count = g->tree->branches.count;
    struct ranked_branch *ranked = hp_alloc(count * sizeof *ranked);
    *lines = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_tree_branch *branch = &g->branches[g->sequence[i]];
        ranked[i] = (struct ranked_branch){branch->cum, i, count_lines(g, branch)};
        *lines += ranked[i].lines;
    }
    if (count > 0) {
        qsort(ranked, count, sizeof *ranked, by_value);
    }
    return ranked;
}

// Set the number of lines that HP_LIMIT_ENOUGH shows; `lines` is that of all branches.
// Does nothing with options.min_share, which decides instead.
static void find_enough(struct hp_view *view, const struct ranked_branch *ranked,
                        size_t lines) {
    hp_fixed whole = view->head.filtered.of[view->options.metric];
    struct hp_enough values = {.count = 0};
    size_t count = lines < HP_MOST_ROWS ? lines : HP_MOST_ROWS;
    while (values.count < count) {
        for (uint32_t i = 0; i < ranked->lines && values.count < count; i++) {
            hp_enough_add(&values, ranked->value);
        }
        ranked++;
    }
    if (view->options.tree.min_share <= 0) {
        view->enough = hp_view_enough(view, &values, whole);
    }
}

// Show (`kept`) the nodes on the first `lines` lines of a branch, and all nodes above it.
static void keep_lines(struct tree_grower *g, struct hp_tree_branch *branch,
                       size_t lines) {
    uint32_t kept = 0, size = branch->end - branch->begin;
    for (; kept < size && lines > 0; kept++) {
        lines -= !goes_on(g, branch, branch->begin + kept);
    }
    branch->kept = kept > branch->kept ? kept : branch->kept;
    while (kept > 0 && branch->parent != HP_NO_PARENT) {
        branch = &g->branches[branch->parent];
        if (branch->kept == branch->end - branch->begin) {
            break;
        }
        branch->kept = branch->end - branch->begin;
    }
}

// Also show the nodes after the shown ones of a branch that share the line of text of the
// node above them.
static void keep_runs(struct tree_grower *g, struct hp_tree_branch *branch) {
    uint32_t size = branch->end - branch->begin;
    const struct hp_tree_branch *above =
        branch->parent == HP_NO_PARENT ? NULL : &g->branches[branch->parent];
    bool is_above_kept = above && above->kept == above->end - above->begin;
    while (branch->kept < size && (branch->kept > 0 || is_above_kept) &&
           goes_on(g, branch, branch->begin + branch->kept)) {
        branch->kept++;
    }
}

// Choose the nodes to show: the largest ones, up to the limit on lines.  A parent is at
// least as large as its children, except where values are negative; for these,
// keep_lines() keeps all nodes above.
static void choose(struct tree_grower *g, struct hp_view *view) {
    size_t lines, left;
    struct ranked_branch *ranked = rank(g, &lines);
    find_enough(view, ranked, lines);
    left = hp_view_limited(view, lines);
    for (size_t i = 0; i < g->tree->branches.count && left > 0; i++) {
        size_t taken = ranked[i].lines < left ? ranked[i].lines : left;
        left -= taken;
        if (is_large(view, ranked[i].value)) {
            keep_lines(g, &g->branches[g->sequence[ranked[i].place]], taken);
        }
    }
    for (size_t i = 0; i < g->tree->branches.count; i++) {
        keep_runs(g, &g->branches[g->sequence[i]]);
    }
    free(ranked);
}

// --- nodes --------------------------------------------------------------------------------

// Add the nodes of a branch that are not shown to the sums of hidden nodes.
static void hide(struct hp_tree *tree, const struct hp_tree_branch *branch) {
    hp_fixed size = branch->cum < 0 ? -branch->cum : branch->cum;
    uint32_t hidden = branch->end - branch->begin - branch->kept;
    if (hidden > 0) {
        tree->hidden += hidden;
        tree->hidden_flat += branch->flat;
        tree->hidden_most = size > tree->hidden_most ? size : tree->hidden_most;
    }
}

// Make the shown nodes of a branch.  The first one is a child of node `parent`.  *line is
// the number of the node that begins the current line of text.
static void add_nodes(struct tree_grower *g, uint32_t number, uint32_t parent,
                      uint32_t *line) {
    const struct hp_tree_branch *branch = &g->branches[number];
    struct hp_tree *tree = g->tree;
    for (uint32_t i = branch->begin; i < branch->begin + branch->kept; i++) {
        uint32_t at = (uint32_t)tree->nodes.count;
        struct hp_tree_node node = {.name = node_at(g, branch, i),
                                    .parent = parent,
                                    .depth = i,
                                    .branch = number};
        hp_vec_push(&tree->nodes, node);
        *line = goes_on(g, branch, i) ? *line : at;
        tree->nodes.at[*line].run++;
        tree->roots += parent == HP_NO_PARENT;
        if (parent != HP_NO_PARENT) {
            tree->nodes.at[parent].shown++;
        }
        parent = at;
    }
}

// Reserve exactly the room for all shown nodes.  Growing the array step by step would
// leave holes in the heap.
static void reserve_nodes(struct tree_grower *g) {
    const struct hp_tree_branch *branch;
    size_t kept = 0;
    hp_vec_each (branch, &g->tree->branches) {
        kept += branch->kept;
    }
    hp_vec_reserve(&g->tree->nodes, kept);
}

// Make all nodes that are shown, parents first.
static void keep(struct tree_grower *g) {
    size_t count = g->tree->branches.count;
    reserve_nodes(g);
    uint32_t *last = hp_alloc(count * sizeof *last); // last node of each branch
    uint32_t line = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = g->sequence[i], above = g->branches[number].parent;
        hide(g->tree, &g->branches[number]);
        add_nodes(g, number, above == HP_NO_PARENT ? above : last[above], &line);
        last[number] = (uint32_t)g->tree->nodes.count - 1;
    }
    free(last);
}

// Whether the line of a node is of one function: the line ends before node `end`.
static bool is_of_one_function(const struct hp_tree *tree, size_t head, size_t end) {
    while (head + 1 < end &&
           tree->nodes.at[end - 1].name.n == tree->nodes.at[head].name.n) {
        end--;
    }
    return head + 1 == end;
}

// Put the calls of a function to itself on one line, although they have different values,
// where all other children of the callers are hidden.  A node that allocates has its own
// line.
static void fold_recursion(struct tree_grower *g) {
    struct hp_tree *tree = g->tree;
    bool inverted = g->view->options.tree.invert;
    for (size_t i = 1, line = 0; i < tree->nodes.count && g->are_folded; i++) {
        struct hp_tree_node *node = &tree->nodes.at[i], *above = node - 1;
        bool is_below = node->parent == i - 1 && above->shown == 1 && node->run > 0 &&
                        node->name.n == tree->nodes.at[line].name.n;
        bool allocates =
            inverted ? node->depth == 1
                     : hp_tree_flat(tree, above) != 0 || hp_tree_flat(tree, node) != 0;
        if (is_below && !allocates && is_of_one_function(tree, line, i) &&
            is_of_one_function(tree, i, i + node->run)) {
            tree->nodes.at[line].run += node->run;
            node->run = 0;
        }
        line = node->run > 0 ? i : line;
    }
}

// Set is_last of all nodes.
static void mark_last(struct hp_tree *tree) {
    size_t count = tree->nodes.count;
    bool *has_later = hp_alloc(count + 1); // the last element represents the roots
    for (size_t i = count; i-- > 0;) {
        struct hp_tree_node *node = &tree->nodes.at[i];
        size_t parent = node->parent == HP_NO_PARENT ? count : node->parent;
        node->is_last = !has_later[parent];
        has_later[parent] = true;
    }
    free(has_later);
}

// --- errors -------------------------------------------------------------------------------

// Give each branch the index of its error: branches with shown nodes, and roots, have an
// error of their own; other branches share that of the branch above.  Returns the number
// of errors.
static size_t number_errors(struct tree_grower *g) {
    size_t count = 0;
    for (size_t i = 0; i < g->tree->branches.count; i++) {
        struct hp_tree_branch *branch = &g->branches[g->sequence[i]];
        bool has_own = branch->kept > 0 || branch->parent == HP_NO_PARENT;
        branch->error = has_own ? (uint32_t)count++ : g->branches[branch->parent].error;
    }
    return count;
}

// Add up the errors of all branches: first of the stacks that end in each branch, then
// from the lowest branches upwards those of its children.
static void add_errors(struct tree_grower *g) {
    const struct hp_profile *profile = g->view->profile;
    enum hp_metric metric = g->view->options.metric;
    const struct hp_stack_errors *errors = &profile->errors.stacks[hp_column_of(metric)];
    struct hp_error *sums = g->tree->errors =
        hp_alloc(number_errors(g) * sizeof *g->tree->errors);
    for (size_t i = 0; i < errors->of.count; i++) {
        uint32_t stack = g->stacks.of_profile[i];
        if (profile->stacks.at[i].values.of[metric] != 0 && stack != HP_NO_STACK) {
            hp_error_add(&sums[g->branches[g->branch_of[stack]].error],
                         hp_stack_error(errors, i));
        }
    }
    for (size_t i = g->tree->branches.count; i-- > 0;) {
        const struct hp_tree_branch *branch = &g->branches[g->sequence[i]];
        if (branch->kept > 0 && branch->parent != HP_NO_PARENT) {
            hp_error_add(&sums[g->branches[branch->parent].error], &sums[branch->error]);
        }
    }
}

struct hp_amount hp_tree_cum(const struct hp_tree *tree,
                             const struct hp_tree_node *node) {
    const struct hp_tree_branch *branch = &tree->branches.at[node->branch];
    return (struct hp_amount){.sum = branch->cum, .error = &tree->errors[branch->error]};
}

hp_fixed hp_tree_flat(const struct hp_tree *tree, const struct hp_tree_node *node) {
    const struct hp_tree_branch *branch = &tree->branches.at[node->branch];
    return node->depth == branch->end - 1 ? branch->flat : 0;
}

// Build the tree of a view.
static void tree_init(struct hp_tree *tree, struct hp_view *view) {
    struct tree_grower g = {.view = view, .tree = tree};
    hp_stacks_init(&g.stacks, HP_STACKS_OF_TREE, &view->naming, &view->options);
    grow(&g);
    put_in_order(&g);
    find_foreign(&g);
    choose(&g, view);
    keep(&g);
    fold_recursion(&g);
    mark_last(tree);
    add_errors(&g);
    grower_done(&g);
    hp_trim_heap(); // return freed memory to the system: rows take as much next
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn flat_cell, cum_cell;

static const struct hp_field fields[] = {
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE}, cum_cell},
    {{"flat", "flat", NULL, HP_CELL_SUM}, flat_cell},
};

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    struct hp_tree *tree = view->extra = hp_alloc(sizeof *tree);
    tree_init(tree, view);
    const struct hp_tree_node *node;
    hp_vec_reserve(&view->rows, tree->nodes.count);
    hp_vec_each (node, &tree->nodes) {
        struct hp_row_key *row = hp_view_add_row(view, node->name);
        row->parent = node->parent;
        row->depth = node->depth;
    }
    hp_view_set_fields(view, fields, view->options.tree.invert ? 1 : 2);
    return HP_OK;
}

static void done(struct hp_view *view) {
    struct hp_tree *tree = view->extra;
    hp_vec_done(&tree->nodes);
    hp_vec_done(&tree->branches);
    free(tree->errors);
}

static void cum_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_tree *tree = at->view->extra;
    struct hp_interval unknown = content->amount.range;
    content->amount = hp_tree_cum(tree, &tree->nodes.at[at->row]);
    content->amount.range = unknown;
}

static void flat_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_tree *tree = at->view->extra;
    content->amount.sum = hp_tree_flat(tree, &tree->nodes.at[at->row]);
    content->amount.is_unknown = false;
}

const struct hp_report hp_report_tree = {
    .name = "tree",
    .help = "who calls the functions that hold the memory, from the roots on",
    .has_one_metric = true,
    .build = build,
    .done = done,
};

// Nodes are made as stacks need them, found by parent and name; a node comes after its parent.
// Sorted by parent, value and name, children lie side by side, and a list of what is still to
// be visited, as deep as the tree, gives the final order.  Nothing here calls itself: there
// are stacks of any depth.
#include "view/tree.h"

#include "base/hash.h"
#include "base/index.h"
#include "view/chosen.h"
#include "view/walk.h"

#include <string.h>

// --- growing ------------------------------------------------------------------------------

struct grower {
    struct hp_tree *tree;
    struct hp_index index;
    enum hp_metric metric;
    bool is_inverted;
};

static uint32_t hash_of(uint32_t parent, hp_node_id name) {
    uint32_t key[] = {parent, name.n};
    return (uint32_t)hp_hash_bytes(key, sizeof key, hp_hash_key());
}

static void reindex(struct grower *grower) {
    const struct hp_tree *tree = grower->tree;
    hp_index_widen(&grower->index, tree->nodes.count);
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const struct hp_tree_node *node = &tree->nodes.at[i];
        hp_index_place(&grower->index, hash_of(node->parent, node->name), i);
    }
}

static uint32_t find_child(struct grower *grower, uint32_t parent, hp_node_id name) {
    struct hp_tree *tree = grower->tree;
    if (hp_index_is_full(&grower->index, tree->nodes.count)) {
        reindex(grower);
    }
    uint32_t hash = hash_of(parent, name);
    size_t mask = grower->index.slot_count - 1;
    for (size_t i = hash & mask; grower->index.slots[i]; i = (i + 1) & mask) {
        uint32_t number = grower->index.slots[i] - 1;
        const struct hp_tree_node *node = &tree->nodes.at[number];
        if (node->parent == parent && node->name.n == name.n) {
            return number;
        }
    }
    uint32_t number = (uint32_t)tree->nodes.count;
    hp_index_place(&grower->index, hash, number);
    hp_vec_push(&tree->nodes, ((struct hp_tree_node){.name = name, .parent = parent}));
    return number;
}

static void add_stack(struct grower *grower, const struct hp_walk *walk, hp_fixed value,
                      const struct hp_error *error) {
    uint32_t number = HP_NO_PARENT;
    size_t count = walk->nodes.count;
    for (size_t i = 0; i < count; i++) {
        size_t place = grower->is_inverted ? i : count - 1 - i;
        number = find_child(grower, number, walk->nodes.at[place]);
        struct hp_tree_node *node = &grower->tree->nodes.at[number];
        node->cum += value;
        if (error) {
            hp_error_add(&node->error, error);
        }
    }
    grower->tree->nodes.at[number].flat += value;
}

static void grow(struct grower *grower) {
    struct hp_tree *tree = grower->tree;
    const struct hp_profile *profile = tree->naming.profile;
    const struct hp_error *errors = profile->errors[hp_column_of(grower->metric)].at;
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[grower->metric];
        tree->total += value;
        if (value != 0 && hp_walk_nodes(&tree->naming, &profile->stacks.at[i], &walk)) {
            if (walk.truncated) {
                hp_vec_push(&walk.nodes, tree->naming.truncated);
            }
            add_stack(grower, &walk, value, errors ? &errors[i] : NULL);
        }
    }
    hp_walk_done(&walk);
    hp_index_drop(&grower->index);
}

// --- order --------------------------------------------------------------------------------

struct order {
    const struct hp_tree *tree;
};

static int by_parent(const void *left, const void *right, void *context) {
    const struct hp_tree *tree = ((const struct order *)context)->tree;
    const struct hp_tree_node *a = &tree->nodes.at[*(const uint32_t *)left];
    const struct hp_tree_node *b = &tree->nodes.at[*(const uint32_t *)right];
    if (a->parent != b->parent) {
        return a->parent < b->parent ? -1 : 1;
    }
    if (a->cum != b->cum) {
        return a->cum > b->cum ? -1 : 1;
    }
    return hp_node_compare(&tree->naming, a->name, b->name);
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
static uint32_t *put_in_order(const struct hp_tree *tree) {
    size_t count = tree->nodes.count, placed = 0;
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *sequence = hp_alloc(count * sizeof *sequence);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    if (count > 0) {
        qsort_r(order, count, sizeof *order, by_parent, &(struct order){tree});
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

static bool is_large(const struct hp_tree *tree, hp_fixed value, double min_share) {
    double size = (double)(value < 0 ? -value : value);
    return size >= min_share * (double)tree->total;
}

// Whether each node is kept.  A node comes before its children in any case, unless some values
// are negative: so what is above it is kept, too.
static bool *choose(const struct hp_tree *tree, const uint32_t *sequence,
                    const struct hp_report_options *options) {
    size_t count = tree->nodes.count, limit = hp_chosen_rows(options, count);
    struct ranked *ranked = hp_alloc(count * sizeof *ranked);
    bool *is_kept = hp_alloc(count);
    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (struct ranked){tree->nodes.at[sequence[i]].cum, i};
    }
    if (count > 0) {
        qsort(ranked, count, sizeof *ranked, by_value);
    }
    for (size_t i = 0; i < limit; i++) {
        uint32_t number = sequence[ranked[i].place];
        if (!is_large(tree, ranked[i].value, options->min_share)) {
            continue;
        }
        for (; number != HP_NO_PARENT && !is_kept[number];
             number = tree->nodes.at[number].parent) {
            is_kept[number] = true;
        }
    }
    free(ranked);
    return is_kept;
}

// Parents get the numbers they have afterwards.
static void keep(struct hp_tree *tree, const uint32_t *sequence, const bool *is_kept) {
    size_t count = tree->nodes.count, kept = 0;
    struct hp_tree_node *nodes = hp_alloc(count * sizeof *nodes);
    uint32_t *number_of = hp_alloc(count * sizeof *number_of);
    for (size_t i = 0; i < count; i++) {
        struct hp_tree_node node = tree->nodes.at[sequence[i]];
        if (!is_kept[sequence[i]]) {
            tree->hidden++;
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

void hp_tree_init(struct hp_tree *tree, const struct hp_profile *profile,
                  const struct hp_report_options *options) {
    *tree = (struct hp_tree){0};
    struct grower grower = {.tree = tree,
                            .metric = options->metric,
                            .is_inverted = options->invert};
    hp_naming_init(&tree->naming, profile, options);
    grow(&grower);
    uint32_t *sequence = put_in_order(tree);
    bool *is_kept = choose(tree, sequence, options);
    keep(tree, sequence, is_kept);
    mark_last(tree);
    free(is_kept);
    free(sequence);
}

void hp_tree_done(struct hp_tree *tree) {
    hp_naming_done(&tree->naming);
    hp_vec_done(&tree->nodes);
}

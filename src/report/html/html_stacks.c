// The tree of all frames depth first, the nodes where stacks end, and the sums of stacks.
// Only the distinct sums of each column are written, because most stacks have few
// samples, and many have the same sum.
#include "report/html/html.h"

#include "report/json/json.h"

#include <stdio.h>

// --- nodes --------------------------------------------------------------------------------

// The stacks in order, whose common beginnings are nodes of the tree.
struct tree_walk {
    const struct hp_stack_key *stacks;
    size_t count;
};

static struct tree_walk walk_of(const struct hp_view *view) {
    return (struct tree_walk){view->stacks.all.at, view->stacks.all.count};
}

// Return the number of the call that a page shows (site) in a stack at a depth, counted
// from the root.
static uint32_t from_root(const struct hp_stack_key *stack, uint32_t depth) {
    return stack->at[stack->depth - 1 - depth];
}

// Number of nodes, from the root on, that stack `i` shares with the previous stack.
static uint32_t common(const struct tree_walk *walk, size_t i) {
    uint32_t depth = 0;
    if (i == 0) {
        return 0;
    }
    const struct hp_stack_key *a = &walk->stacks[i - 1], *b = &walk->stacks[i];
    while (depth < a->depth && depth < b->depth &&
           from_root(a, depth) == from_root(b, depth)) {
        depth++;
    }
    return depth;
}

// Write the depth of each node, as the difference to the previous node.
static void put_depths(struct hp_sink *out, const struct tree_walk *walk) {
    int64_t depth = 0;
    hp_sink_text(out, "\"depth\":[");
    for (size_t i = 0; i < walk->count && !out->error; i++) {
        for (uint32_t k = common(walk, i); k < walk->stacks[i].depth; k++) {
            hp_sink_put(out, ",", depth > 0);
            hp_html_put_integer(out, (int64_t)k + 1 - depth);
            depth = (int64_t)k + 1;
        }
    }
    hp_sink_text(out, "],\n");
}

// Write the number of the frame of each node.
static void put_frames(struct hp_sink *out, const struct tree_walk *walk,
                       const uint32_t *frame_of) {
    struct hp_json json = {.out = out, .is_dense = true};
    hp_json_open(&json, "frame", '[');
    for (size_t i = 0; i < walk->count && !out->error; i++) {
        for (uint32_t k = common(walk, i); k < walk->stacks[i].depth; k++) {
            hp_html_put_integer(hp_json_value(&json, NULL),
                                (int64_t)frame_of[from_root(&walk->stacks[i], k)] - 1);
        }
    }
    hp_json_close(&json);
    hp_sink_text(out, "},\n");
}

// Write the node of each end of a stack, as the difference to the node of the end before.
// Stacks that only a label distinguishes end at the same node.
static void put_ends(struct hp_sink *out, const struct tree_walk *walk,
                     const struct hp_html_ends *ends) {
    int64_t nodes = 0, last = 0;
    size_t known = 0; // stacks whose nodes are counted
    hp_sink_text(out, "\"ends\":{\"node\":[");
    for (size_t i = 0; i < ends->count && !out->error; i++) {
        for (; known <= ends->at[i].stack; known++) {
            nodes += (int64_t)walk->stacks[known].depth - common(walk, known);
        }
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, nodes - 1 - last);
        last = nodes - 1;
    }
    hp_sink_text(out, "],\n");
}

void hp_html_put_nodes(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables,
                       const struct hp_html_ends *ends) {
    struct tree_walk walk = walk_of(view);
    hp_sink_text(out, "\"nodes\":{");
    put_depths(out, &walk);
    put_frames(out, &walk, tables->frame_of);
    put_ends(out, &walk, ends);
}

// --- sums ---------------------------------------------------------------------------------

// The members of a sum of a stack (bytes, objects and their errors) that the script
// needs.
enum member {
    BYTES,
    OBJECTS,
    VARIANCE,
    OBJECTS_VARIANCE,
    OBSERVED,
    HIDDEN,
    EXCESS,
    SAMPLES,
    PERIOD,
    WEIGHT,
    FLAGS,
    MEMBERS,
};

struct page_sum {
    double of[MEMBERS];
};

// The distinct sums of one column in all stacks read so far; the sum of a stack without
// memory (all members 0) is not among them.
struct hp_html_sums {
    enum hp_column column;
    // Dumps that values are the mean of; errors are those of the sum and are divided by
    // this.
    double dumps;
    size_t count; // number of stacks
    // For each stack: index in `all` of its sum as last read, + 1; 0: it has no memory
    uint32_t *of;
    HP_VEC(struct page_sum) all;
    struct hp_index index;
};

// The values of a stack in the column, and their errors per dump.
static struct page_sum sum_of(const struct hp_html_sums *sums,
                              const struct hp_stack_sums *of, uint32_t stack) {
    const struct hp_error *error = hp_stack_sums_error(of, stack, sums->column);
    const hp_fixed *values = of->values[stack].of;
    double dumps = sums->dumps, one = 1 << HP_ERROR_FRACTION;
    return (struct page_sum){{
        [BYTES] = hp_fixed_double(values[hp_space_of(sums->column)], HP_INUSE_SPACE),
        [OBJECTS] =
            hp_fixed_double(values[hp_objects_of(sums->column)], HP_INUSE_OBJECTS),
        [VARIANCE] = (double)error->variance / dumps / dumps,
        [OBJECTS_VARIANCE] = (double)error->objects_variance / one / dumps / dumps,
        [OBSERVED] = (double)error->observed_bytes / dumps,
        [HIDDEN] = (double)error->hidden_bytes_max / dumps,
        [EXCESS] = (double)error->excess_bytes_max / dumps,
        [SAMPLES] = (double)error->samples / dumps,
        [PERIOD] = (double)error->period / dumps,
        [WEIGHT] = error->max_weight / dumps,
        [FLAGS] = error->flags,
    }};
}

// Find or add a sum; returns its number, from 1 on, or 0 if all members are 0.
static uint32_t find_sum(struct hp_html_sums *sums, const struct page_sum *wanted) {
    static const struct page_sum nothing;
    uint32_t hash = (uint32_t)hp_hash_bytes(wanted, sizeof *wanted, hp_hash_key()), found;
    if (memcmp(wanted, &nothing, sizeof nothing) == 0) {
        return 0;
    }
    for (size_t at = hash; hp_index_next(&sums->index, hash, &at, &found);) {
        if (memcmp(wanted, &sums->all.at[found], sizeof *wanted) == 0) {
            return found + 1;
        }
    }
    hp_index_put(&sums->index, hash, sums->all.count);
    hp_vec_push(&sums->all, *wanted);
    return (uint32_t)sums->all.count;
}

struct hp_html_sums *hp_html_sums_new(size_t stacks, enum hp_column column,
                                      double dumps) {
    struct hp_html_sums *sums = hp_alloc(sizeof *sums);
    sums->column = column;
    sums->dumps = dumps;
    sums->count = stacks;
    sums->of = hp_alloc(stacks * sizeof *sums->of);
    return sums;
}

const uint32_t *hp_html_sums_read(struct hp_html_sums *sums,
                                  const struct hp_stack_sums *of) {
    for (uint32_t i = 0; i < sums->count; i++) {
        struct page_sum sum = sum_of(sums, of, i);
        sums->of[i] = find_sum(sums, &sum);
    }
    return sums->of;
}

void hp_html_sums_free(struct hp_html_sums *sums) {
    if (sums) {
        hp_index_drop(&sums->index);
        hp_vec_done(&sums->all);
        free(sums->of);
        free(sums);
    }
}

// --- as columns ---------------------------------------------------------------------------

// Write a number with 12 digits: the error is a thousandth of the tolerance of sums,
// 1e-9.
static void put_number(struct hp_sink *out, double number) {
    if (number == 0) {
        hp_sink_text(out, "0");
    } else {
        hp_sink_print(out, "%.12g", number);
    }
}

// Write one member of all distinct sums; the first element, 0, is for stacks without
// memory.
static void put_members(struct hp_sink *out, const struct hp_html_sums *sums,
                        enum member member) {
    hp_sink_text(out, "[0");
    for (size_t i = 0; i < sums->all.count && !out->error; i++) {
        hp_sink_text(out, ",");
        put_number(out, sums->all.at[i].of[member]);
    }
    hp_sink_text(out, "]");
}

void hp_html_put_values(struct hp_sink *out, const struct hp_html_sums *sums) {
    static const char *const names[MEMBERS] = {
        [BYTES] = "bytes",       [OBJECTS] = "objects",
        [VARIANCE] = "variance", [OBJECTS_VARIANCE] = "objects_variance",
        [OBSERVED] = "observed", [HIDDEN] = "hidden",
        [EXCESS] = "excess",     [SAMPLES] = "samples",
        [PERIOD] = "period",     [WEIGHT] = "weight",
        [FLAGS] = "flags",
    };
    for (enum member i = 0; i < MEMBERS; i++) {
        hp_sink_print(out, "%s\"%s\":", i > 0 ? ",\n" : "{", names[i]);
        put_members(out, sums, i);
    }
    hp_sink_text(out, "}");
}

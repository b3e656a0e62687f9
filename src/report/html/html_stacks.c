// The tree of all frames depth first, where stacks end, and what they hold: of each column the distinct
// sums, as most stacks of few samples have one of a few.
#include "report/html/html.h"

#include <stdio.h>

// --- nodes --------------------------------------------------------------------------------

struct walk {
    const struct hp_stack_key *stacks;
    size_t count;
};

static struct walk walk_of(const struct hp_view *view) {
    return (struct walk){view->stacks.all.at, view->stacks.all.count};
}

static uint32_t from_root(const struct hp_stack_key *stack, uint32_t depth) {
    return stack->at[stack->depth - 1 - depth];
}

// How many nodes of a stack are those of the one before.
static uint32_t common(const struct walk *walk, size_t i) {
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

static void put_depths(struct hp_sink *out, const struct walk *walk) {
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

static void put_frames(struct hp_sink *out, const struct walk *walk,
                       const uint32_t *frame_of) {
    const char *between = "";
    hp_sink_text(out, "\"frame\":[");
    for (size_t i = 0; i < walk->count && !out->error; i++) {
        for (uint32_t k = common(walk, i); k < walk->stacks[i].depth; k++) {
            hp_sink_text(out, between);
            hp_html_put_integer(out,
                                (int64_t)frame_of[from_root(&walk->stacks[i], k)] - 1);
            between = ",";
        }
    }
    hp_sink_text(out, "]},\n");
}

// All of them end at nodes of their own, the first `i` - 1 before it.
static void put_ends(struct hp_sink *out, const struct walk *walk) {
    int64_t nodes = 0, last = 0;
    hp_sink_text(out, "\"ends\":{\"node\":[");
    for (size_t i = 0; i < walk->count && !out->error; i++) {
        nodes += (int64_t)walk->stacks[i].depth - common(walk, i);
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, nodes - 1 - last);
        last = nodes - 1;
    }
    hp_sink_text(out, "],\n");
}

void hp_html_put_nodes(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables) {
    struct walk walk = walk_of(view);
    hp_sink_text(out, "\"nodes\":{");
    put_depths(out, &walk);
    put_frames(out, &walk, tables->frame_of);
    put_ends(out, &walk);
}

// --- sums ---------------------------------------------------------------------------------

// Of one column, the first of which is of nothing.
struct hp_html_sums {
    const struct hp_stack_sums *all;
    enum hp_column column;
    size_t count;             // of stacks
    double dumps;             // of which values are the mean, and errors the sum
    uint32_t *of;             // of each stack
    HP_VEC(uint32_t) example; // of each sum but the first: a stack that has it
};

// All that is written of a sum; there is no padding.
struct sum {
    hp_fixed of[2]; // bytes and objects
    hp_int128 variance, objects_variance;
    hp_uint128 observed, hidden, excess;
    uint64_t samples, period;
    double max_weight;
    uint64_t flags;
};

static struct sum sum_of(const struct hp_html_sums *sums, uint32_t stack) {
    const struct hp_stack_sums *all = sums->all;
    const struct hp_error *error = hp_stack_sums_error(all, stack, sums->column);
    const struct hp_values *values = &all->values[stack];
    return (struct sum){
        .of = {values->of[hp_space_of(sums->column)],
               values->of[hp_objects_of(sums->column)]},
        .variance = error->variance,
        .objects_variance = error->objects_variance,
        .observed = error->observed_bytes,
        .hidden = error->hidden_bytes_max,
        .excess = error->excess_bytes_max,
        .samples = error->samples,
        .period = error->period,
        .max_weight = error->max_weight,
        .flags = error->flags,
    };
}

static uint32_t find_sum(struct hp_html_sums *sums, struct hp_index *index,
                         uint32_t stack) {
    static const struct sum nothing;
    struct sum wanted = sum_of(sums, stack), known;
    uint32_t hash = (uint32_t)hp_hash_bytes(&wanted, sizeof wanted, hp_hash_key()), found;
    if (memcmp(&wanted, &nothing, sizeof wanted) == 0) {
        return 0;
    }
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        known = sum_of(sums, sums->example.at[found]);
        if (memcmp(&wanted, &known, sizeof wanted) == 0) {
            return found + 1;
        }
    }
    hp_index_put(index, hash, sums->example.count);
    hp_vec_push(&sums->example, stack);
    return (uint32_t)sums->example.count;
}

struct hp_html_sums *hp_html_sums_new(const struct hp_stack_sums *of, size_t stacks,
                                      enum hp_column column, double dumps) {
    struct hp_html_sums *sums = hp_alloc(sizeof *sums);
    struct hp_index index = {0};
    sums->all = of;
    sums->column = column;
    sums->count = stacks;
    sums->dumps = dumps;
    sums->of = hp_alloc(stacks * sizeof *sums->of);
    for (uint32_t i = 0; i < stacks; i++) {
        sums->of[i] = find_sum(sums, &index, i);
    }
    hp_index_drop(&index);
    return sums;
}

void hp_html_sums_free(struct hp_html_sums *sums) {
    if (sums) {
        free(sums->of);
        hp_vec_done(&sums->example);
        free(sums);
    }
}

// --- as columns ---------------------------------------------------------------------------

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

static double member_of(const struct sum *sum, enum member member, double dumps) {
    switch (member) {
    case BYTES:
        return hp_fixed_double(sum->of[0], HP_INUSE_SPACE);
    case OBJECTS:
        return hp_fixed_double(sum->of[1], HP_INUSE_OBJECTS);
    case VARIANCE:
        return (double)sum->variance / dumps / dumps;
    case OBJECTS_VARIANCE:
        return (double)sum->objects_variance / (1 << HP_ERROR_FRACTION) / dumps / dumps;
    case OBSERVED:
        return (double)sum->observed / dumps;
    case HIDDEN:
        return (double)sum->hidden / dumps;
    case EXCESS:
        return (double)sum->excess / dumps;
    case SAMPLES:
        return (double)sum->samples / dumps;
    case PERIOD:
        return (double)sum->period / dumps;
    case WEIGHT:
        return sum->max_weight / dumps;
    case FLAGS:
        return (double)sum->flags;
    case MEMBERS:
        break;
    }
    return 0;
}

// What is lost of it is a thousandth of what sums are held to, 1e-9.
static void put_number(struct hp_sink *out, double number) {
    if (number == 0) {
        hp_sink_text(out, "0");
    } else {
        hp_sink_print(out, "%.12g", number);
    }
}

static void put_members(struct hp_sink *out, const struct hp_html_sums *sums,
                        enum member member) {
    hp_sink_text(out, "[0");
    for (size_t i = 0; i < sums->example.count && !out->error; i++) {
        struct sum sum = sum_of(sums, sums->example.at[i]);
        hp_sink_text(out, ",");
        put_number(out, member_of(&sum, member, sums->dumps));
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

static uint32_t sum_at(const void *data, size_t i) {
    return ((const struct hp_html_sums *)data)->of[i];
}

void hp_html_put_sums(struct hp_sink *out, const struct hp_html_sums *sums) {
    hp_html_put_numbers(out, sums->count, sum_at, sums);
}

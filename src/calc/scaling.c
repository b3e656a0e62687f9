#include "calc/scaling.h"

enum {
    LINES_THAT_PROVE = 8, // rewritten bytes are multiples of 8 by chance once in 8
};

struct sums {
    hp_uint128 objects, bytes;
};

static void add(struct sums *sums, struct hp_count count) {
    sums->objects += count.objects;
    sums->bytes += count.bytes;
}

static bool is_sum(struct sums sums, struct hp_count header) {
    return sums.objects == header.objects && sums.bytes == header.bytes;
}

// Size classes are multiples of 8, so raw bytes are; and the header of a raw dump is the
// sum of its stacks, which rewritten numbers have no reason to be.  A damaged file may have
// lost stacks: then enough multiples of 8 must do.
static enum hp_scaling scaling_of(const struct hp_dump *dump, bool adds_up) {
    uint64_t low_bits = 0, lines = 0;
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        low_bits |= stack->counts.inuse.bytes | stack->counts.alloc.bytes;
        lines += stack->counts.inuse.bytes > 0;
        lines += stack->counts.alloc.bytes > 0;
    }
    if (lines == 0 || dump->scaling != HP_SCALING_NONE_SEEN) {
        return lines == 0 ? HP_SCALING_NONE_SEEN : dump->scaling;
    }
    if (low_bits % 8 != 0 || (!adds_up && lines < LINES_THAT_PROVE)) {
        return HP_SCALING_UNBIASED;
    }
    return dump->period == 1 ? HP_SCALING_EXACT : HP_SCALING_RAW;
}

struct hp_dump_scaling hp_dump_scaling_of(const struct hp_dump *dump) {
    struct sums inuse = {0}, alloc = {0};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        add(&inuse, stack->counts.inuse);
        add(&alloc, stack->counts.alloc);
    }
    bool adds_up = is_sum(inuse, dump->header.inuse) && is_sum(alloc, dump->header.alloc);
    return (struct hp_dump_scaling){.scaling = scaling_of(dump, adds_up),
                                    .adds_up = adds_up,
                                    .has_alloc = alloc.objects > 0 || alloc.bytes > 0};
}

// Size classes are multiples of 8.  So raw bytes are multiples of 8, and a raw header is
// the sum of its stacks.  Rewritten numbers need not add up.  They need not be multiples
// of 8 either, except those of small objects of one size, which both kinds print alike.
//
// A damaged file may have lost stacks or have changed digits.  Then a dump is taken to be
// raw if many lines are multiples of 8 that jemalloc does not print when it rewrites,
// because they are of several sizes.  A single line is enough if it has one object of the
// size of a class and rewriting would have printed another number.
#include "calc/scaling.h"

#include "calc/probability.h"
#include "calc/recover_size.h"

#include <string.h>

enum {
    // Single objects that are enough.  By chance whole pages are a class in one case of
    // four or more.
    LONE_THAT_PROVE = 8,
    // Lines that are enough.  By chance rewritten bytes are a multiple of 8 in one case
    // of 8.
    LINES_THAT_PROVE = 8,
    MEMOS = 1024, // entries of the cache
    // Raw-looking lines needed for each other line.  Others may be damaged lines of a raw
    // dump, and raw-looking ones accidents in a rewritten dump.
    OUTWEIGHS = 4,
};

// Exact sums over stacks.
struct count_sums {
    hp_uint128 objects, bytes;
};

static void add(struct count_sums *sums, struct hp_count count) {
    sums->objects += count.objects;
    sums->bytes += count.bytes;
}

static bool is_sum(struct count_sums sums, struct hp_count header) {
    return sums.objects == header.objects && sums.bytes == header.bytes;
}

// Lines of both columns: those whose bytes are a multiple of 8, and others.
struct lines {
    uint64_t eights, others;
};

static void count_line(struct lines *lines, uint64_t bytes) {
    lines->eights += bytes > 0 && bytes % 8 == 0;
    lines->others += bytes % 8 != 0;
}

// Return whether rewriting would have changed the numbers.  For objects much larger than
// the period it leaves no trace.
static bool leaves_trace(struct hp_count count, uint64_t period) {
    double bytes = (double)count.bytes, mean = bytes / (double)count.objects;
    return bytes * (1 - hp_one_minus_exp(mean / (double)period)) >= 8;
}

// Return whether a line looks raw: its bytes are a multiple of 8, and jemalloc would not
// print these numbers if it had rewritten objects of one size.
static bool says_raw(const struct hp_size_classes *classes, struct hp_count count) {
    uint64_t n, size;
    return count.objects > 0 && count.bytes > 0 && count.bytes % 8 == 0 &&
           leaves_trace(count, classes->period) &&
           !hp_recover_size(classes, count, &n, &size);
}

// Return whether this line alone proves that the dump is raw.
static bool proves_raw(const struct hp_size_classes *classes, struct hp_count count) {
    return count.objects == 1 && hp_is_class_size(count.bytes) &&
           says_raw(classes, count);
}

// Return whether some line proves that the dump is raw.
static bool has_proof(const struct hp_dump *dump, const struct hp_size_classes *classes) {
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        if (proves_raw(classes, stack->counts.inuse) ||
            proves_raw(classes, stack->counts.alloc)) {
            return true;
        }
    }
    return false;
}

// A cached result of says_raw().  Most stacks have one of few pairs of numbers.
struct memo {
    struct hp_count count;
    bool says_raw;
};

// Return says_raw(), from the cache if possible.
static bool recall(struct memo memos[MEMOS], const struct hp_size_classes *classes,
                   struct hp_count count) {
    struct memo *memo = &memos[hp_count_hash(count) % MEMOS];
    if (memo->count.objects != count.objects || memo->count.bytes != count.bytes) {
        *memo = (struct memo){count, says_raw(classes, count)};
    }
    return memo->says_raw;
}

// Return whether a dump is raw although its numbers do not add up.
static bool is_raw_though_damaged(const struct hp_dump *dump, struct lines lines) {
    uint64_t found = 0, needed = OUTWEIGHS * lines.others;
    needed = needed < LINES_THAT_PROVE ? LINES_THAT_PROVE : needed;
    bool is_enough = lines.eights >= needed;
    if (dump->period <= 1 || (!is_enough && lines.others > 0)) {
        return is_enough && lines.others == 0;
    }
    struct hp_size_classes classes = {0};
    hp_size_classes_init(&classes, dump->period);
    if (!is_enough) {
        return has_proof(dump, &classes);
    }
    struct memo memos[MEMOS];
    memset(memos, 0, sizeof memos);
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        found += recall(memos, &classes, stack->counts.inuse);
        found += recall(memos, &classes, stack->counts.alloc);
        if (found >= needed) {
            return true;
        }
    }
    return false;
}

// Decide how the numbers of a dump are scaled.
static enum hp_scaling scaling_of(const struct hp_dump *dump, struct lines lines,
                                  bool adds_up) {
    bool is_empty = lines.eights + lines.others == 0 && dump->types.count == 0;
    if (is_empty || dump->scaling != HP_SCALING_NONE_SEEN) {
        return is_empty ? HP_SCALING_NONE_SEEN : dump->scaling;
    }
    bool is_raw = adds_up ? lines.others == 0 : is_raw_though_damaged(dump, lines);
    if (!is_raw) {
        return HP_SCALING_UNBIASED;
    }
    return dump->period == 1 ? HP_SCALING_EXACT : HP_SCALING_RAW;
}

struct hp_dump_scaling hp_dump_scaling_of(const struct hp_dump *dump) {
    struct count_sums inuse = {0}, alloc = {0};
    struct lines lines = {0, 0};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        add(&inuse, stack->counts.inuse);
        add(&alloc, stack->counts.alloc);
        count_line(&lines, stack->counts.inuse.bytes);
        count_line(&lines, stack->counts.alloc.bytes);
    }
    bool adds_up = is_sum(inuse, dump->header.inuse) && is_sum(alloc, dump->header.alloc);
    return (struct hp_dump_scaling){.scaling = scaling_of(dump, lines, adds_up),
                                    .adds_up = adds_up,
                                    .has_alloc = alloc.objects > 0 || alloc.bytes > 0};
}

// --- sizes of lone objects -------------------------------------------------------------

// Lines with a single object: large ones, and those whose size is no class.
struct lone {
    uint64_t large, large_no_class, small_no_class;
};

// Count a line.
static void see_lone(struct lone *counts, struct hp_count line) {
    bool is_large = line.bytes > HP_LARGE_FROM;
    if (line.objects == 1) {
        counts->large += is_large;
        *(is_large ? &counts->large_no_class : &counts->small_no_class) +=
            !hp_is_class_size(line.bytes);
    }
}

static void see_both(struct lone *counts, const struct hp_counts *lines) {
    see_lone(counts, lines->inuse);
    see_lone(counts, lines->alloc);
}

struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump) {
    struct lone counts = {0};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        see_both(&counts, &stack->counts);
        for (uint32_t i = 0; i < stack->lines; i++) {
            see_both(&counts, &dump->thread_lines.at[stack->first_line + i].counts);
        }
    }
    return (struct hp_lone_sizes){
        .small_are_classes = counts.small_no_class == 0,
        .large_are_classes =
            counts.large >= LONE_THAT_PROVE && counts.large_no_class == 0,
    };
}

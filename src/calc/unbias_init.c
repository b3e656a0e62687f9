// Decide how to read the numbers of a dump: rewritten or raw, with which sample period,
// and whether to search for sizes.
#include "calc/probability.h"
#include "calc/recover_size.h"
#include "calc/unbias.h"
#include "model/dump.h"

#include <string.h>

// --- scaling ---------------------------------------------------------------------------
//
// Find out whether the numbers of a dump are raw (sampled counts) or were rewritten by
// jemalloc (prof_unbias), so that jeprof's formula gives an estimate.
//
// Size classes are multiples of 8.  So raw bytes are multiples of 8, and a raw header is
// the sum of its stacks.  Rewritten numbers need not add up.  They need not be multiples
// of 8 either, except those of small objects of one size, which both kinds print alike.
//
// A damaged file may have lost stacks or have changed digits.  Then a dump is taken to be
// raw if many lines are multiples of 8 that jemalloc does not print when it rewrites,
// because they are of several sizes.  A single line is enough if it has one object of the
// size of a class and rewriting would have printed another number.

// How the numbers of a dump are scaled.
struct hp_dump_scaling {
    enum hp_scaling scaling; // HP_SCALING_NONE_SEEN: the dump has no numbers
    bool adds_up;   // the numbers of the stacks add up to those of the header, unscaled
    bool has_alloc; // some stack has numbers of allocations since the start
};

// Properties of lines of raw numbers that have a single object.  Their bytes are the size
// that jemalloc gave to the object.
struct hp_lone_sizes {
    // All such objects of up to HP_LARGE_FROM bytes have the size of a class; also true
    // if there are none.
    bool small_are_classes;
    // All single objects of more than HP_LARGE_FROM bytes have the size of a class, and
    // there are enough of them to prove it.
    bool large_are_classes;
};

enum {
    // Lines of a single large object that prove together that large sizes are rounded up
    // to size classes.  If they were rounded to pages, at least one of four such sizes
    // would still be a class by chance.
    LONE_THAT_PROVE = 8,
    // Lines that prove together that a dump is raw.  Bytes that jemalloc rewrote are a
    // multiple of 8 by chance in one line of 8.
    LINES_THAT_PROVE = 8,
    MEMOS = 1024, // lines whose result is cached
    // The number of lines that look raw must be at least this many times that of other
    // lines.  Others may be damaged lines of a raw dump, and those that look raw may be
    // accidents in a rewritten dump.
    OUTWEIGHS = 4,
};

// Exact sums of printed numbers over the stacks of a dump.
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

// Numbers of lines, counted in both columns (in use, and allocated): lines whose bytes
// are a multiple of 8, and others.
struct line_counts {
    uint64_t eights, others;
};

static void count_line(struct line_counts *lines, uint64_t bytes) {
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

// Return whether this line alone proves that the dump is raw: that jemalloc printed
// sampled counts without rewriting them (prof_unbias).
static bool proves_raw(const struct hp_size_classes *classes, struct hp_count count) {
    return count.objects == 1 && hp_is_class_size(count.bytes) &&
           says_raw(classes, count);
}

// Return whether at least one line proves that the dump is raw: that jemalloc printed
// sampled counts without rewriting them (prof_unbias).
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

// Return what says_raw() returns for `count`: whether the line looks as if jemalloc had
// not rewritten it.  The result is taken from the cache if it is there.
static bool recall(struct memo memos[MEMOS], const struct hp_size_classes *classes,
                   struct hp_count count) {
    struct memo *memo = &memos[hp_count_hash(count) % MEMOS];
    if (memo->count.objects != count.objects || memo->count.bytes != count.bytes) {
        *memo = (struct memo){count, says_raw(classes, count)};
    }
    return memo->says_raw;
}

// Return whether a dump is raw although its numbers do not add up.
static bool is_raw_though_damaged(const struct hp_dump *dump, struct line_counts lines) {
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
static enum hp_scaling scaling_of(const struct hp_dump *dump, struct line_counts lines,
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

// Find out how the numbers of a dump are scaled: as its format states, or else deduced
// from the numbers.
static struct hp_dump_scaling hp_dump_scaling_of(const struct hp_dump *dump) {
    struct count_sums inuse = {0}, alloc = {0};
    struct line_counts lines = {0, 0};
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

// Numbers of lines with a single object: of large ones, and of large and small ones whose
// size is no class.
struct lone {
    uint64_t large, large_no_class, small_no_class;
};

// Count a line in *counts if it has a single object.
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

// Find out whether the single objects of a dump have sizes of classes, by all lines,
// those of threads included.
static struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump) {
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

// --- unbias init -----------------------------------------------------------------------

enum {
    JEPROF_PERIOD = 131072, // the sample period that jeprof assumes if none is given
    // Most different lines, of 2 to HP_MOST_READ objects, in a dump.  If there are more,
    // object sizes are searched for only in lines of up to HP_FEWER_READ objects.
    MOST_LINES = 2048,
};

// Return whether a line may be raw.  A single object has the size of a class or of whole
// pages; otherwise the line was rewritten.
static bool may_be_raw(struct hp_count count) {
    bool has_pages = count.bytes > HP_LARGE_FROM && count.bytes % HP_PAGE == 0;
    return hp_is_one_raw_size(count) &&
           (count.objects > 1 || has_pages || hp_is_class_size(count.bytes));
}

// Return whether the dump contains the objects in use twice, instead of allocations since
// the start: GetHeapSample() writes it so.
static bool repeats_inuse(const struct hp_dump *dump, enum hp_estimator estimator) {
    return dump->producer == HP_PRODUCER_GPERFTOOLS_SAMPLE &&
           estimator == HP_ESTIMATOR_BEST;
}

// Return whether a dump that seems raw is more likely rewritten.  In a dump of one stack
// the header is trivially the sum, and its bytes may be a multiple of 8 by chance.  So
// look whether every line is what jemalloc writes for objects of one size, and some line
// cannot be raw.
static bool fits_better_rewritten(const struct hp_unbias *unbias,
                                  const struct hp_dump *dump) {
    bool is_odd = false;
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        const struct hp_count counts[] = {stack->counts.inuse, stack->counts.alloc};
        for (int i = 0; i < 2; i++) {
            uint64_t n, size;
            if (counts[i].objects > 0 &&
                !hp_recover_size(&unbias->classes, counts[i], &n, &size)) {
                return false;
            }
            is_odd |= counts[i].objects > 0 && !may_be_raw(counts[i]);
        }
    }
    return is_odd;
}

// Return the sample period.  If a sampled dump has none, jeprof's estimator assumes a
// value.
static uint64_t period_of(const struct hp_dump *dump, enum hp_estimator estimator) {
    bool is_classic = dump->scaling != HP_SCALING_NONE_SEEN;
    return is_classic && dump->period == 0 && estimator == HP_ESTIMATOR_JEPROF
               ? JEPROF_PERIOD
               : dump->period;
}

// Prepare the search for sizes.  It is done for dumps of jemalloc, unless the sizes of
// single objects show other size classes than the known ones.
static void set_decoding(struct hp_unbias *unbias, const struct hp_dump *dump) {
    bool is_raw = unbias->scaling == HP_SCALING_RAW;
    bool has_pages = !is_raw && unbias->large_sizes == HP_LARGE_PAGES;
    if (unbias->period <= 1 || unbias->estimator != HP_ESTIMATOR_BEST ||
        dump->producer != HP_PRODUCER_JEMALLOC ||
        !(is_raw || unbias->scaling == HP_SCALING_UNBIASED)) {
        return;
    }
    unbias->most_decoded = HP_MOST_READ;
    unbias->large_from = UINT64_MAX;
    if (is_raw) { // raw lines have true sizes
        struct hp_lone_sizes lone = hp_lone_sizes_of(dump);
        bool are_classes =
            unbias->large_sizes == HP_LARGE_CLASSES ||
            (unbias->large_sizes == HP_LARGE_AUTO && lone.large_are_classes);
        unbias->large_from = are_classes ? UINT64_MAX : HP_LARGE_FROM;
        unbias->most_decoded = lone.small_are_classes ? HP_MOST_READ : 1;
    }
    if (unbias->most_decoded > HP_FEWER_READ && hp_count_few(dump) > MOST_LINES) {
        unbias->most_decoded = HP_FEWER_READ;
    }
    hp_class_weights_init(&unbias->weights, unbias->period, unbias->byte_rate, has_pages);
    hp_decoder_init(&unbias->decoder, &unbias->classes, is_raw);
}

// Invalidate the cache if the terms of its estimates changed.  Dumps of one program
// mostly have the same terms, and many equal numbers.
static void forget_other_memos(struct hp_unbias *unbias) {
    bool decodes = unbias->most_decoded > 0;
    struct hp_unbias_terms terms = {
        .estimator = unbias->estimator,
        .scaling = unbias->scaling,
        .period = unbias->period,
        .most_decoded = unbias->most_decoded,
        .large_from = decodes ? unbias->large_from : 0,
        .has_pages = decodes && unbias->weights.has_pages,
        .may_be_of_means = unbias->scaled.may_be_of_means,
        .is_unknown = unbias->scaled.is_unknown,
        .byte_rate = unbias->byte_rate,
    };
    if (unbias->epoch == 0 || memcmp(&unbias->terms, &terms, sizeof terms) != 0) {
        unbias->terms = terms;
        unbias->epoch++;
    }
}

void hp_unbias_init(struct hp_unbias *unbias, enum hp_estimator estimator,
                    const struct hp_dump *dump) {
    hp_prior_clear(&unbias->prior);
    unbias->has_prior = false;
    unbias->dump = dump;
    unbias->most_decoded = 0;
    unbias->large_bytes = 0;
    unbias->estimator = estimator;
    struct hp_dump_scaling found = hp_dump_scaling_of(dump);
    unbias->adds_up = found.adds_up;
    unbias->has_alloc = found.has_alloc && !repeats_inuse(dump, estimator);
    unbias->as_is =
        dump->scaling == HP_SCALING_EXACT || dump->scaling == HP_SCALING_SCALED;
    unbias->scaled = (struct hp_scaled){.period = 0};
    if (found.scaling == HP_SCALING_SCALED) {
        hp_scaled_init(&unbias->scaled, dump);
    }
    unbias->is_first_version = dump->is_first_version;
    unbias->period = period_of(dump, estimator);
    unbias->byte_rate = 0;
    if (unbias->period >= 2) {
        unbias->byte_rate = found.scaling == HP_SCALING_PER_LINE
                                ? 1 / (double)unbias->period
                                : hp_byte_rate(unbias->period);
    }
    if (unbias->period >= 1) {
        hp_size_classes_init(&unbias->classes, unbias->period);
    }
    bool is_guess =
        found.scaling == HP_SCALING_RAW && dump->scaling == HP_SCALING_NONE_SEEN;
    unbias->scaling =
        is_guess && unbias->period > 1 && fits_better_rewritten(unbias, dump)
            ? HP_SCALING_UNBIASED
            : found.scaling;
    set_decoding(unbias, dump);
    forget_other_memos(unbias);
}

void hp_unbias_set_large_sizes(struct hp_unbias *unbias, enum hp_large_sizes sizes) {
    if (sizes != unbias->large_sizes) {
        unbias->large_sizes = sizes;
        set_decoding(unbias, unbias->dump);
        forget_other_memos(unbias);
    }
}

void hp_unbias_done(struct hp_unbias *unbias) {
    hp_decoder_done(&unbias->decoder);
    hp_prior_clear(&unbias->prior);
}

// If a dump does not contain the sizes of sampled objects, it is scaled in one of two
// ways.
//
// In the formulas R is the sample period, S the size of an object, and p = p(S) the
// probability that an object of this size is sampled.
//
// RAW (jemalloc < 5.3, or prof_unbias:false) contains n sampled objects of b bytes
// together. Each thread's line is taken as n objects of b/n bytes.  This is right if they
// are of one size; otherwise it is low by at most 23 % in bytes.
//
// UNBIASED (jemalloc >= 5.3) contains rewritten numbers (c', b'), from which jeprof's
// formula recovers jemalloc's own, better, sums over size classes: C objects, B bytes.
//
//     C = sum of round(8/p)/8, B = sum of round(S/p) over the sampled objects
//     c' = round(C q), b' = round(B q), q = 1 - e^(-(B/C)/R)
//
// Both roundings cost up to a few percent.  From (c', b') the n and S of n objects of one
// size class S can be recovered, so the roundings are undone: see recover_size.h.  For
// few objects all sizes can often be recovered: see decoded.h.
//
// If a dump lists the sampled objects of a stack with their sizes, memory in use is
// estimated from these, and the counts are used only for allocations since the start.
//
// PER_LINE (gperftools' samples, Go) contains n and S.  The gaps between its samples are
// not whole numbers of bytes, so p(S) = 1 - e^(-S/R) exactly; with jemalloc it is 1 - (1
// - 1/R)^S.
#include "calc/unbias.h"

#include "calc/probability.h"
#include "calc/recover_size.h"
#include "calc/uncertainty.h"

#include <string.h>

// --- scaled ----------------------------------------------------------------------------

// pprof's label "bytes" is the size S of objects.  If n objects were sampled Go prints
//
//     objects = int(n / p), bytes = int(n S / p), p = 1 - e^(-S/R)
//
// so bytes p / S is n, except for the fraction that int() drops.  tcmalloc has the same
// label but other weights, for which this is a whole number only by accident.  If it is
// whole in all lines with the label, the numbers are Go's.  Otherwise it is only certain
// that one object was sampled.
//
// Lines without the label may be raw numbers of jemalloc, each scaled by its mean size,
// as jemalloc_pprof does.  The bytes that this may hide are in the upper bound: see
// uncertainty.c.

enum {
    USUAL_PERIOD = 524288, // bytes; used for the error if the sample period is unknown
};

// Return the absolute value.  Numbers of 2^63 and more are negative: they are of a
// difference, whose error is unknown.
static uint64_t magnitude(uint64_t number) {
    return number >> 63 ? -number : number;
}

// Return the share of the objects of a size that is sampled.
static double share_of(const struct hp_scaled *scaled, uint64_t size) {
    return scaled->period > 1 ? hp_one_minus_exp((double)size / (double)scaled->period)
                              : 1;
}

// Return whether `exact` may have been printed as `printed`: they differ by less than one
// unit, or a little more if the number is huge.
static bool is_near(double exact, uint64_t printed) {
    double off = exact - (double)printed;
    return off * off < 1 + (double)printed * 0x1p-48;
}

// Return the number of sampled objects of `size` bytes for which Go prints `count`; 0 if
// there is none.
static uint64_t sampled_objects(const struct hp_scaled *scaled, struct hp_count count,
                                uint64_t size) {
    double p = share_of(scaled, size);
    uint64_t bytes = magnitude(count.bytes), objects = magnitude(count.objects);
    double n = (double)bytes * p / (double)size + 0.5;
    bool is_one_sign = (count.bytes ^ count.objects) >> 63 == 0;
    if (!is_one_sign || !(n < 0x1p52)) {
        return 0;
    }
    n = (double)(uint64_t)n;
    return is_near(n * (double)size / p, bytes) && is_near(n / p, objects) ? (uint64_t)n
                                                                           : 0;
}

// Return whether the number of sampled objects can be recovered in all lines with a size.
static bool recovers_objects(const struct hp_scaled *scaled, const struct hp_dump *dump) {
    for (size_t i = 0; i < dump->extras.count && i < dump->stacks.count; i++) {
        const struct hp_counts *counts = &dump->stacks.at[i].counts;
        uint64_t size = dump->extras.at[i].object_size;
        for (enum hp_column k = 0; size > 0 && k < HP_COLUMNS; k++) {
            struct hp_count count = hp_count_in(counts, k);
            if ((count.objects | count.bytes) != 0 &&
                sampled_objects(scaled, count, size) == 0) {
                return false;
            }
        }
    }
    return true;
}

void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump) {
    scaled->period = dump->period > 0 ? dump->period : USUAL_PERIOD;
    scaled->recovers_objects = dump->period > 0 && recovers_objects(scaled, dump);
    scaled->is_unknown = dump->producer == HP_PRODUCER_FOLDED;
    scaled->may_be_of_means = dump->producer == HP_PRODUCER_PPROF ||
                              dump->producer == HP_PRODUCER_PPROF_JEMALLOC ||
                              dump->producer == HP_PRODUCER_PPROF_OURS;
}

// Return the printed numbers as an estimate without an error.
static struct hp_unbiased as_printed(struct hp_count count) {
    return (struct hp_unbiased){
        .objects = (hp_fixed)(int64_t)count.objects * (1LL << HP_OBJECTS_FRACTION),
        .bytes = (hp_fixed)(int64_t)count.bytes * (1LL << HP_SPACE_FRACTION),
    };
}

// Estimate n sampled objects.  The bytes stay as printed; the printed number of objects
// is replaced, because int() may have dropped nearly a whole object.
static struct hp_unbiased of_sampled(const struct hp_scaled *scaled,
                                     struct hp_count count, uint64_t n, uint64_t size) {
    double p = share_of(scaled, size);
    struct hp_unbiased e = hp_unbiased_of((double)n / p, 0);
    e.bytes = as_printed(count).bytes;
    if (e.bytes < 0) {
        e.objects = -e.objects;
    } else {
        e.error = hp_error_of_one_size(n, size, p, scaled->period, &e.too_big);
    }
    return e;
}

struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size) {
    uint64_t n =
        size > 0 && scaled->recovers_objects ? sampled_objects(scaled, count, size) : 0;
    if (n > 0) {
        return of_sampled(scaled, count, n, size);
    }
    struct hp_unbiased e = as_printed(count);
    if (!scaled->is_unknown && (count.objects | count.bytes) >> 63 == 0) {
        e.error = hp_error_of_scaled(count, size, scaled->may_be_of_means, scaled->period,
                                     &e.too_big);
    }
    return e;
}

// --- unbias ----------------------------------------------------------------------------

// Return whether numbers of a line are negative, that is 2^63 or more.  Only differences
// of two pprof profiles have such numbers; their error is unknown.
static bool is_difference(struct hp_count count) {
    return (count.objects | count.bytes) >> 63;
}

// Return the counts as an estimate, without unsampling.
static struct hp_unbiased as_counted(struct hp_count count) {
    struct hp_unbiased e = {
        .objects = (hp_fixed)(int64_t)count.objects * (1LL << HP_OBJECTS_FRACTION),
        .bytes = (hp_fixed)(int64_t)count.bytes * (1LL << HP_SPACE_FRACTION),
    };
    if (!is_difference(count)) {
        e.error =
            (struct hp_error){.observed_bytes = count.bytes, .samples = count.objects};
    }
    return e;
}

// Estimate n sampled objects of one known size.
struct hp_unbiased hp_unbias_objects(const struct hp_unbias *unbias, uint64_t n,
                                     uint64_t size) {
    if (unbias->period <= 1) {
        return as_counted((struct hp_count){n, n * size});
    }
    double p = hp_one_minus_exp((double)size * unbias->byte_rate);
    struct hp_unbiased e = hp_unbiased_of((double)n / p, (double)n * (double)size / p);
    e.error = hp_error_of_one_size(n, size, p, unbias->period, &e.too_big);
    e.large_bytes = size > HP_LARGE_FROM ? e.bytes : 0;
    return e;
}

// Estimate a line by jeprof's formula, from the mean size of its objects; one_minus_exp
// computes 1 - e^-x.
static struct hp_unbiased by_mean_size(struct hp_count count, uint64_t period,
                                       double one_minus_exp(double)) {
    double mean = (double)count.bytes / (double)count.objects;
    double p = one_minus_exp(mean / (double)period);
    return hp_unbiased_of((double)count.objects / p, (double)count.bytes / p);
}

static const struct hp_thread_line *lines_of(const struct hp_dump *dump,
                                             const struct hp_dump_stack *stack) {
    return hp_vec_from(&dump->thread_lines, stack->first_line);
}

// --- one pair of numbers -----------------------------------------------------------

bool hp_unbias_one_size(const struct hp_unbias *unbias, struct hp_count count,
                        uint64_t *n, uint64_t *size) {
    if (unbias->scaling == HP_SCALING_UNBIASED) {
        return hp_recover_size(&unbias->classes, count, n, size);
    }
    *n = count.objects;
    *size = count.bytes / count.objects;
    return hp_is_one_raw_size(count) ||
           (unbias->scaling == HP_SCALING_PER_LINE && count.bytes % count.objects == 0);
}

// Return the possible object sizes of a line.  If the line has more than
// unbias->most_decoded objects, or fewer than two, it has no readings and is not
// complete.
struct hp_readings hp_unbias_readings(struct hp_unbias *unbias, struct hp_count count) {
    bool may_be_no_class =
        unbias->scaling == HP_SCALING_RAW && count.bytes > unbias->large_from;
    if (count.objects < 2 || count.objects > unbias->most_decoded) {
        return (struct hp_readings){0};
    }
    struct hp_readings readings = hp_decode(&unbias->decoder, count);
    readings.is_open = readings.complete && may_be_no_class;
    readings.complete &= !may_be_no_class;
    return readings;
}

// Estimate sampled objects of several unknown sizes.
static struct hp_unbiased of_mix(const struct hp_unbias *unbias, struct hp_count count) {
    struct hp_unbiased e = by_mean_size(count, unbias->period, hp_one_minus_exp);
    if (e.too_big) {
        return e;
    }
    double objects = hp_fixed_double(e.objects, HP_INUSE_OBJECTS);
    double bytes = hp_fixed_double(e.bytes, HP_INUSE_SPACE);
    e.error =
        unbias->scaling == HP_SCALING_UNBIASED
            ? hp_error_of_rewritten(count, objects, bytes, unbias->period, &e.too_big)
            : hp_error_of_raw(count, objects, bytes, unbias->period, &e.too_big);
    e.error.read[HP_READ_NONE] = unbias->most_decoded > 0;
    if (bytes / objects > HP_LARGE_FROM) {
        e.large_bytes = e.bytes;
        // Otherwise the weights are those of another dump.
        if (unbias->most_decoded > 0 && unbias->weights.has_pages) {
            hp_read_mix_as_pages(&unbias->weights, bytes / objects, &e);
        }
    }
    return e;
}

// Estimate a line for which one size is by far the most likely.  The size is recorded as
// unique only if all other readings were tried, as is done for few objects.
static struct hp_unbiased of_one_likely_size(struct hp_unbias *unbias,
                                             struct hp_count count, uint64_t n,
                                             uint64_t size) {
    bool may_be_less =
        unbias->most_decoded > 0 && unbias->weights.has_pages && size > HP_LARGE_FROM;
    struct hp_unbiased e = may_be_less ? hp_estimate_class(&unbias->weights, n, size)
                                       : hp_unbias_objects(unbias, n, size);
    struct hp_readings readings = {0};
    e.n = n;
    e.size = size;
    if (unbias->most_decoded == 0) {
        return e;
    }
    readings = n <= HP_FEWER_READ ? hp_unbias_readings(unbias, count) : readings;
    bool is_unique =
        !may_be_less && (n == 1 || (readings.complete && readings.count == 1));
    e.error.read[is_unique ? HP_READ_UNIQUE : HP_READ_SEVERAL] = 1;
    // Readings by classes are among those of sizes that may be no classes.
    if ((readings.complete || readings.is_open) && readings.count > 0) {
        hp_widen_to_readings(&unbias->weights, readings, &e);
    }
    return e;
}

// Estimate objects whose sizes may be no classes.  The estimate assumes classes, which
// are as likely as not; the bounds include any sizes.
static struct hp_unbiased of_open_mix(const struct hp_unbias *unbias,
                                      struct hp_count count, struct hp_unbiased likely) {
    struct hp_unbiased e = of_mix(unbias, count);
    double least = hp_fixed_double(e.bytes, HP_INUSE_SPACE);
    double bytes = hp_fixed_double(likely.bytes, HP_INUSE_SPACE);
    double most = least + (double)e.error.hidden_bytes_max;
    likely.error = e.error;
    hp_error_bound(&likely.error, bytes - least, most - bytes, &likely.too_big);
    return likely;
}

// Replace the number of objects of an estimate by that of the mean size.  In raw lines
// one tiny object more or less hardly changes the bytes, but the number of objects is
// unknown.
static void count_as_mix(const struct hp_unbias *unbias, struct hp_count count,
                         struct hp_unbiased *e) {
    struct hp_unbiased mix = of_mix(unbias, count);
    e->objects = mix.objects;
    e->error.objects_variance = mix.error.objects_variance;
    e->error.max_weight = mix.error.max_weight;
    e->error.flags |= HP_ERROR_AT_LEAST;
}

// Estimate a line by the combinations of object sizes that explain it (its readings),
// which are complete, or complete for size classes.
static struct hp_unbiased of_readings(struct hp_unbias *unbias, struct hp_count count,
                                      struct hp_readings readings, struct hp_prior *prior,
                                      uint32_t leaf) {
    struct hp_unbiased e = hp_estimate_readings(&unbias->weights, readings, prior, leaf);
    if (unbias->scaling == HP_SCALING_RAW && (readings.count > 1 || readings.is_open)) {
        count_as_mix(unbias, count, &e);
    }
    return readings.is_open ? of_open_mix(unbias, count, e) : e;
}

// Compute the estimate of a cache entry from its counts.
static void work_out(struct hp_unbias *unbias, struct hp_unbiased_memo *memo) {
    uint64_t n = 0, size = 0;
    bool is_scaled = unbias->scaling == HP_SCALING_SCALED;
    memo->needs_prior = false;
    if (is_scaled || hp_unbias_one_size(unbias, memo->count, &n, &size)) {
        memo->estimate = is_scaled ? hp_scaled_estimate(&unbias->scaled, memo->count, 0)
                                   : of_one_likely_size(unbias, memo->count, n, size);
        return;
    }
    struct hp_readings readings = hp_unbias_readings(unbias, memo->count);
    if ((!readings.complete && !readings.is_open) || readings.count == 0) {
        memo->estimate = of_mix(unbias, memo->count);
        return;
    }
    memo->needs_prior = readings.count > 1;
    memo->estimate = of_readings(unbias, memo->count, readings, NULL, 0);
}

// Return the cache entry of a pair of objects and bytes; its estimate is computed if it
// is not in the cache.  Valid until the next call.
static struct hp_unbiased_memo *recall(struct hp_unbias *unbias, struct hp_count count) {
    struct hp_unbiased_memo *memo =
        &unbias->memos[hp_count_hash(count) % HP_UNBIASED_MEMOS];
    if (memo->epoch != unbias->epoch || memo->count.objects != count.objects ||
        memo->count.bytes != count.bytes) {
        memo->epoch = unbias->epoch;
        memo->count = count;
        work_out(unbias, memo);
    }
    return memo;
}

// Return how the object sizes that an estimate assumes were recovered from the dump.
static enum hp_read read_of(const struct hp_unbiased *estimate) {
    const uint32_t *read = estimate->error.read;
    return estimate->too_big || read[HP_READ_NONE] > 0 ? HP_READ_NONE
           : read[HP_READ_SEVERAL] > 0                 ? HP_READ_SEVERAL
                                                       : HP_READ_UNIQUE;
}

// --- sizes that the leaf has elsewhere -------------------------------------------------

// Add the object sizes of a line to unbias->prior, for its leaf, if they are certain.
static void learn(struct hp_unbias *unbias, struct hp_count line, uint32_t leaf) {
    if (line.objects == 0) {
        return;
    }
    const struct hp_unbiased *e = &recall(unbias, line)->estimate;
    if (read_of(e) != HP_READ_UNIQUE) {
        return;
    }
    if (e->n > 0) { // objects of one size
        hp_prior_add(&unbias->prior, leaf, e->size, e->n);
        return;
    }
    struct hp_readings only = hp_unbias_readings(unbias, line);
    for (unsigned i = 0; only.count > 0 && i < only.at->count; i++) {
        hp_prior_add(&unbias->prior, leaf, hp_class_size(only.at->classes[i]), 1);
    }
}

struct hp_prior *hp_unbias_prior(struct hp_unbias *unbias) {
    const struct hp_dump *dump = unbias->dump;
    const struct hp_dump_stack *stack;
    if (unbias->has_prior) {
        return &unbias->prior;
    }
    unbias->has_prior = true;
    hp_vec_each (stack, &dump->stacks) {
        uint32_t leaf = hp_dump_site(dump, &unbias->prior.owners, stack);
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            learn(unbias, hp_count_in(&stack->counts, i), leaf);
            for (uint32_t k = 0; k < stack->lines; k++) {
                learn(unbias, hp_count_in(&lines_of(dump, stack)[k].counts, i), leaf);
            }
        }
    }
    return &unbias->prior;
}

struct hp_unbiased hp_unbias_line(struct hp_unbias *unbias, struct hp_count count,
                                  const struct hp_dump_stack *stack) {
    if (count.objects == 0) {
        return (struct hp_unbiased){0};
    }
    const struct hp_unbiased_memo *memo = recall(unbias, count);
    if (!memo->needs_prior) {
        return memo->estimate;
    }
    // This reads other lines, and so invalidates the cache entry.
    struct hp_prior *prior = hp_unbias_prior(unbias);
    return of_readings(unbias, count, hp_unbias_readings(unbias, count), prior,
                       hp_dump_site(unbias->dump, &prior->owners, stack));
}

// Return whether counts are used without unsampling.
static bool takes_as_is(const struct hp_unbias *unbias) {
    return unbias->estimator == HP_ESTIMATOR_NONE || unbias->period == 0 ||
           unbias->as_is ||
           (unbias->scaling == HP_SCALING_EXACT &&
            unbias->estimator == HP_ESTIMATOR_BEST);
}

bool hp_unbias_undoes(const struct hp_unbias *unbias) {
    return unbias->estimator == HP_ESTIMATOR_BEST &&
           unbias->scaling != HP_SCALING_SCALED && !takes_as_is(unbias);
}

// Estimate a line by jeprof's formula for dumps with "heap/N" in the header: a sample of
// x bytes on average represents as many objects as fit into the period.
static struct hp_unbiased first_version(struct hp_count count, uint64_t period) {
    double mean = (double)count.bytes / (double)count.objects;
    double share = mean / (double)period;
    double factor = share < 1 ? 1 / share : 1;
    return hp_unbiased_of((double)count.objects * factor, (double)count.bytes * factor);
}

// Estimate a pair of numbers as jeprof does.
static struct hp_unbiased jeprofs(const struct hp_unbias *unbias, struct hp_count count) {
    return unbias->is_first_version
               ? first_version(count, unbias->period)
               : by_mean_size(count, unbias->period, hp_one_minus_exp_naive);
}

// --- a stack -------------------------------------------------------------------------

// Return whether the lines of the threads add up to the stack.  Raw lines do, unless the
// file is damaged.
static bool lines_add_up(const struct hp_dump *dump, const struct hp_dump_stack *stack,
                         enum hp_column column) {
    struct hp_count left = hp_count_in(&stack->counts, column);
    for (uint32_t i = 0; i < stack->lines; i++) {
        struct hp_count line = hp_count_in(&lines_of(dump, stack)[i].counts, column);
        left.objects -= line.objects;
        left.bytes -= line.bytes;
    }
    return left.objects == 0 && left.bytes == 0;
}

// Return how object sizes were recovered in the thread line of a stack in which they are
// least known.
static enum hp_read read_of_lines(struct hp_unbias *unbias, const struct hp_dump *dump,
                                  const struct hp_dump_stack *stack,
                                  enum hp_column column) {
    enum hp_read worst = HP_READ_UNIQUE;
    for (uint32_t i = 0; i < stack->lines; i++) {
        struct hp_count line = hp_count_in(&lines_of(dump, stack)[i].counts, column);
        enum hp_read read =
            line.objects > 0 ? read_of(&recall(unbias, line)->estimate) : HP_READ_UNIQUE;
        worst = read > worst ? read : worst;
    }
    return worst;
}

// Return whether the lines of the threads are used instead of the stack's own counts.
// They are a finer split of the same numbers.  For raw numbers they are never worse.  For
// rewritten numbers they are better only if more is known about their sizes than about
// those of the stack.
bool hp_unbias_takes_lines(struct hp_unbias *unbias, const struct hp_dump *dump,
                           const struct hp_dump_stack *stack, enum hp_column column) {
    if (stack->lines == 0) {
        return false;
    }
    if (unbias->scaling != HP_SCALING_UNBIASED) {
        return lines_add_up(dump, stack, column);
    }
    struct hp_count total = hp_count_in(&stack->counts, column);
    enum hp_read read =
        total.objects > 0 ? read_of(&recall(unbias, total)->estimate) : HP_READ_UNIQUE;
    return read > HP_READ_UNIQUE && read_of_lines(unbias, dump, stack, column) < read;
}

// Add an estimate to a sum.
static void add(struct hp_unbiased *sum, const struct hp_unbiased *e) {
    sum->too_big |= e->too_big;
    sum->too_big |= __builtin_add_overflow(sum->objects, e->objects, &sum->objects);
    sum->too_big |= __builtin_add_overflow(sum->bytes, e->bytes, &sum->bytes);
    sum->large_bytes += e->large_bytes;
    sum->too_big |= !hp_error_add(&sum->error, &e->error);
}

bool hp_unbias_takes_listed(const struct hp_unbias *unbias) {
    return unbias->period > 0 && unbias->estimator == HP_ESTIMATOR_BEST;
}

// Estimate the memory in use of a stack from the objects that it lists.
static struct hp_unbiased sum_of_listed(const struct hp_unbias *unbias,
                                        const struct hp_dump *dump,
                                        struct hp_stack_extra extra) {
    struct hp_unbiased sum = {0};
    for (uint32_t i = 0; i < extra.listed; i++) {
        const struct hp_listed *object = &dump->listed.at[extra.first_listed + i];
        struct hp_unbiased e = hp_unbias_objects(unbias, 1, object->size);
        e.large_bytes = 0; // a listed size is exact
        add(&sum, &e);
    }
    return sum;
}

// Estimate a stack as the sum of the estimates of the lines of its threads.
static struct hp_unbiased sum_of_lines(struct hp_unbias *unbias,
                                       const struct hp_dump *dump,
                                       const struct hp_dump_stack *stack,
                                       enum hp_column column) {
    struct hp_unbiased sum = {0};
    for (uint32_t i = 0; i < stack->lines; i++) {
        struct hp_count line = hp_count_in(&lines_of(dump, stack)[i].counts, column);
        struct hp_unbiased e = hp_unbias_line(unbias, line, stack);
        add(&sum, &e);
    }
    if (unbias->most_decoded > 0) { // one stack counts once, by its least known line
        enum hp_read read = read_of(&sum);
        memset(sum.error.read, 0, sizeof sum.error.read);
        sum.error.read[read] = 1;
    }
    return sum;
}

// Return estimate `e` of a stack, with a smaller error if the lines of its threads show
// one.  The objects and bytes are unchanged.
static struct hp_unbiased with_lines(struct hp_unbias *unbias, const struct hp_dump *dump,
                                     const struct hp_dump_stack *stack,
                                     enum hp_column column, struct hp_unbiased e) {
    if (stack->lines == 0 || unbias->scaling != HP_SCALING_UNBIASED ||
        !(e.error.flags & HP_ERROR_MIXED)) {
        return e;
    }
    struct hp_error lines = sum_of_lines(unbias, dump, stack, column).error;
    if (lines.variance > 0 && lines.variance < e.error.variance) {
        e.error.variance = lines.variance;
    }
    if (lines.objects_variance > 0 && lines.objects_variance < e.error.objects_variance) {
        e.error.objects_variance = lines.objects_variance;
    }
    if (lines.observed_bytes > e.error.observed_bytes) {
        e.error.observed_bytes = lines.observed_bytes;
    }
    return e;
}

// Estimate a column by the counts of the stack and its threads, without listed objects.
struct hp_unbiased hp_unbias_counts(struct hp_unbias *unbias, const struct hp_dump *dump,
                                    const struct hp_dump_stack *stack,
                                    enum hp_column column) {
    struct hp_count count = hp_count_in(&stack->counts, column);
    if (unbias->scaling == HP_SCALING_SCALED && unbias->estimator == HP_ESTIMATOR_BEST) {
        uint64_t size =
            hp_dump_extra(dump, (size_t)(stack - dump->stacks.at)).object_size;
        return size > 0 ? hp_scaled_estimate(&unbias->scaled, count, size)
                        : recall(unbias, count)->estimate;
    }
    if (takes_as_is(unbias) || count.bytes == 0) {
        return as_counted(count);
    }
    if (unbias->estimator == HP_ESTIMATOR_JEPROF) {
        return jeprofs(unbias, count);
    }
    return hp_unbias_takes_lines(unbias, dump, stack, column)
               ? sum_of_lines(unbias, dump, stack, column)
               : with_lines(unbias, dump, stack, column,
                            hp_unbias_line(unbias, count, stack));
}

// Estimate one column of a stack.
static struct hp_unbiased estimate(struct hp_unbias *unbias, const struct hp_dump *dump,
                                   const struct hp_dump_stack *stack,
                                   enum hp_column column) {
    if (column == HP_COLUMN_ALLOC && !unbias->has_alloc) {
        return (struct hp_unbiased){0};
    }
    struct hp_stack_extra extra = hp_dump_extra(dump, (size_t)(stack - dump->stacks.at));
    if (column == HP_COLUMN_INUSE && extra.listed > 0 && hp_unbias_takes_listed(unbias)) {
        return sum_of_listed(unbias, dump, extra);
    }
    return hp_unbias_counts(unbias, dump, stack, column);
}

// Return the estimate of one column of a stack if it depends on nothing but the stack's
// own counts: a pointer into the cache, which saves a copy for nearly all stacks.  NULL
// for all other stacks.
static const struct hp_unbiased *usual(struct hp_unbias *unbias,
                                       const struct hp_dump_stack *stack,
                                       enum hp_column column) {
    struct hp_count count = hp_count_in(&stack->counts, column);
    bool has_more = stack->lines > 0 || unbias->dump->extras.count > 0 ||
                    (column == HP_COLUMN_ALLOC && !unbias->has_alloc);
    if (has_more || count.bytes == 0 || count.objects == 0 || !hp_unbias_undoes(unbias)) {
        return NULL;
    }
    const struct hp_unbiased_memo *memo = recall(unbias, count);
    return memo->needs_prior ? NULL : &memo->estimate;
}

bool hp_unbias_stack(struct hp_unbias *unbias, const struct hp_dump *dump,
                     const struct hp_dump_stack *stack, struct hp_values *values,
                     struct hp_error errors[HP_COLUMNS]) {
    bool fits = true;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        struct hp_unbiased other;
        const struct hp_unbiased *e = usual(unbias, stack, i);
        if (!e) {
            other = estimate(unbias, dump, stack, i);
            e = &other;
        }
        values->of[hp_space_of(i)] = e->bytes;
        values->of[hp_objects_of(i)] = e->objects;
        unbias->large_bytes += i == HP_COLUMN_INUSE ? e->large_bytes : 0;
        errors[i] = e->error;
        fits &= !e->too_big;
    }
    return fits;
}

// Estimates of memory that sampling missed, after Good and Turing.
//
// In stacks with exactly one sample, the sample represents more memory than its own
// object.  This excess is on average as much as the stacks without any sample hold.  For
// an object of size S that is sampled with probability p, it is g = S (1 - p) / p.  With
// n samples in a stack, the square of the error of the estimate is on average
//
//     v = sum over n = 1 of g (g + S) + sum over n = 2 of 2 g1 g2
//
// A single stack of x bytes is missed with probability e^(-x/R), where R is the sample
// period, whatever the sizes of its objects.  T bytes contain at most T/x such stacks.
// So with the confidence of the view, no stack is missed that holds more than
//
//     x with (T/x) e^(-x/R) = 1 - confidence, where T is the upper bound of all memory
//
// nor more than all missed stacks together.
#include "view/unseen.h"

#include "stats/distributions.h"

#include <math.h>

static const double much = 0.2; // as a share of the memory that was seen

// Sums over stacks: by how much estimates exceed the objects that were sampled, and the
// variance of that.  They are exact integers, so that the order of stacks does not
// matter.
struct excess_sums {
    hp_int128 beyond, variance; // in bytes and bytes^2
};

// Add a stack of `bytes` bytes, if it has one or two samples; other stacks add nothing.
static void add(struct excess_sums *sums, hp_int128 bytes, const struct hp_error *error) {
    hp_int128 beyond = bytes - (hp_int128)error->observed_bytes;
    if (error->period > 0 && error->samples == 1) {
        sums->beyond += beyond;
        sums->variance += beyond * bytes;
    } else if (error->period > 0 && error->samples == 2 && error->flags == 0) {
        sums->variance += beyond * beyond / 2;
    }
}

// Return the y for which log(y) + y is `level`, by Newton's method, from below.
static double invert(double level) {
    double y = level < 1 ? exp(level - 1) : level - log(level);
    for (int i = 0; i < 20; i++) {
        y += (level - log(y) - y) / (1 + 1 / y);
    }
    return y;
}

// Return an upper bound of the bytes of any single stack that was not sampled: the x at
// the top of this file.  most_in_all: the T there, an upper bound of all memory, sampled
// or not; `miss`: 1 - confidence.
static double most_in_one(double most_in_all, double period, double miss) {
    return period > 0 && most_in_all > 0
               ? period * invert(log(most_in_all / (period * miss)))
               : 0;
}

// Memory that was seen in a column, in all inputs or in some of them.
struct seen_part {
    struct excess_sums sums; // over the stacks of the column
    hp_fixed total;          // bytes of these stacks
    struct hp_error error;   // of `total`
};

// The metric of bytes in a column.
static enum hp_metric space_of(enum hp_column column) {
    return column == HP_COLUMN_ALLOC ? HP_ALLOC_SPACE : HP_INUSE_SPACE;
}

// Estimate the memory that sampling missed from the memory that it saw.
static struct hp_unseen estimate_unseen(const struct hp_view *view, enum hp_column column,
                                        const struct seen_part *seen) {
    enum hp_metric space = space_of(column);
    double miss = 1 - view->options.confidence, period = (double)seen->error.period;
    double estimate = (double)seen->sums.beyond, variance = (double)seen->sums.variance;
    double z = hp_normal_quantile_above(miss);
    double highest = estimate + period + z * sqrt(variance + 2 * period * period);
    struct hp_interval all =
        hp_precision_range(&view->precision, seen->total, &seen->error, space);
    double found = hp_fixed_double(seen->total, space) - estimate;
    bool is_known = !(seen->error.flags & HP_ERROR_UNCOUNTED);
    return (struct hp_unseen){
        .is_known = is_known,
        .estimate = estimate,
        .highest = highest,
        .stack = fmin(most_in_one(all.high, period, miss), highest),
        .is_much = is_known && estimate > 0 && highest > much * found,
    };
}

// The estimate for all inputs.  It is not known if the column has no errors, if the view
// hides errors, or if an input is the merge of others.
static struct hp_unseen estimate_of_all(const struct hp_view *view,
                                        enum hp_column column) {
    const struct hp_profile *profile = view->profile;
    enum hp_metric space = space_of(column);
    struct seen_part seen = {.total = view->head.total.of[space],
                             .error = view->head.errors[column]};
    if (!view->precision.is_known[column] || view->head.summary[HP_SIDE_ALL].is_merged) {
        return (struct hp_unseen){.is_known = false};
    }
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[space];
        add(&seen.sums, hp_fixed_round(value, space),
            hp_stack_error(&profile->errors.stacks[column], i));
    }
    return estimate_unseen(view, column, &seen);
}

struct hp_unseen hp_unseen_in(const struct hp_view *view, enum hp_column column) {
    struct hp_unseen **kept = &view->cache->unseen[column];
    if (!*kept) {
        *kept = hp_alloc(sizeof **kept);
        **kept = estimate_of_all(view, column);
    }
    return **kept;
}

struct hp_unseen hp_unseen_of(const struct hp_view *view) {
    return hp_unseen_in(view, hp_column_of(view->options.metric));
}

// --- estimates for a part of the inputs ---------------------------------------------------------

// The value of one stack in some of the inputs.
struct seen_stack {
    hp_fixed value;
    struct hp_error error;
};

// Add the stacks of an input, from the history, to `held`, an array by stack.
static void add_input(struct seen_stack *held, const struct hp_profile *profile,
                      const struct hp_input_record *input, enum hp_column column) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        held[seen.stack].value += seen.values.of[space_of(column)];
        hp_error_add(&held[seen.stack].error, &seen.errors[column]);
    }
    hp_history_done_reading(&reader);
}

// Sum of the stacks in `held`.
static struct seen_part seen_of(const struct seen_stack *held, size_t count,
                                enum hp_column column) {
    struct seen_part seen = {.total = 0};
    for (size_t i = 0; i < count; i++) {
        seen.total += held[i].value;
        hp_error_add(&seen.error, &held[i].error);
        add(&seen.sums, hp_fixed_round(held[i].value, space_of(column)), &held[i].error);
    }
    return seen;
}

bool hp_is_much_unseen(const struct hp_view *view, enum hp_column column, uint32_t place,
                       uint64_t period) {
    const struct hp_profile *profile = view->profile;
    struct seen_stack *held = hp_alloc(profile->stacks.count * sizeof *held);
    const struct hp_facet_input *input;
    bool is_merged = false;
    hp_vec_each (input, &view->facet.inputs) {
        if (input->place == place) {
            add_input(held, profile, input->record, column);
            is_merged |= hp_input_is_merged(input->record);
        }
    }
    struct seen_part seen = seen_of(held, profile->stacks.count, column);
    seen.error.period = period;
    free(held);
    return !is_merged && estimate_unseen(view, column, &seen).is_much;
}

// --- rows that are shown because they are the largest ----------------------------------------

// Rows are sorted by size, so that the first of many rows with few samples are the ones
// that sampling found more often than other rows of their size.  An interval that is
// right for 95 of 100 rows is wrong mainly for these: its lower end is too high.  All
// lower ends of M rows are right together with the confidence of the view if each has the
// confidence 1 - (1 - confidence) / M.  This includes the first rows, too.  With f1 rows
// of one sample and f2 rows of two,
//
//     M = rows seen + f1 (f1 - 1) / (2 (f2 + 1))
//
// which is Chao's lower bound of the number of rows (1984).
//
// This is done only if sampling missed much memory: otherwise the largest rows are large
// by more than luck.

bool hp_are_chosen(const struct hp_view *view, enum hp_column column) {
    return view->options.sort != HP_SORT_NAME && hp_unseen_in(view, column).is_much;
}

double hp_chosen_among(const unsigned char *samples, size_t count) {
    double found[HP_MANY_SAMPLES + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        found[samples[i]]++;
    }
    return found[1] + found[2] + found[HP_MANY_SAMPLES] +
           found[1] * (found[1] - 1) / (2 * (found[2] + 1));
}

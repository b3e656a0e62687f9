// Good and Turing's estimate: what one sample stands for beyond its own object, in the
// stacks that have just one, is on average what the stacks without any hold.  With
// g = S (1 - p) / p, the square of its error is on average that of
//
//     v = sum over n = 1 of g (g + S) + sum over n = 2 of 2 g1 g2
//
// One stack of x bytes is missed with probability e^(-x/R), whatever the sizes of its objects.
// In T bytes there are at most T/x of them, so that with the confidence asked for none is missed
// that holds more than
//
//     x with (T/x) e^(-x/R) = 1 - confidence, T the most that all may hold
//
// nor more than all stacks together that were missed.
#include "view/unseen.h"

#include "stats/distributions.h"

#include <math.h>

static const double much = 0.2; // as a share of what was seen

// Exact sums: stacks come in any order.
struct sums {
    hp_int128 beyond, variance; // bytes, bytes^2
};

static void add(struct sums *sums, hp_int128 bytes, const struct hp_error *error) {
    hp_int128 beyond = bytes - (hp_int128)error->observed_bytes;
    if (error->period > 0 && error->samples == 1) {
        sums->beyond += beyond;
        sums->variance += beyond * bytes;
    } else if (error->period > 0 && error->samples == 2 && error->flags == 0) {
        sums->variance += beyond * beyond / 2;
    }
}

// y with log(y) + y = level, by Newton's method from below.
static double invert(double level) {
    double y = level < 1 ? exp(level - 1) : level - log(level);
    for (int i = 0; i < 20; i++) {
        y += (level - log(y) - y) / (1 + 1 / y);
    }
    return y;
}

static double most_in_one(double most_in_all, double period, double miss) {
    return period > 0 && most_in_all > 0
               ? period * invert(log(most_in_all / (period * miss)))
               : 0;
}

// What is seen of a column: of all inputs, or of some.
struct seen {
    struct sums sums; // of its stacks
    hp_fixed total;
    struct hp_error error; // of that
};

static enum hp_metric space_of(enum hp_column column) {
    return column == HP_COLUMN_ALLOC ? HP_ALLOC_SPACE : HP_INUSE_SPACE;
}

static struct hp_unseen estimate_unseen(const struct hp_view *view, enum hp_column column,
                                        const struct seen *seen) {
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

static struct hp_unseen estimate_of_all(const struct hp_view *view,
                                        enum hp_column column) {
    const struct hp_profile *profile = view->profile;
    enum hp_metric space = space_of(column);
    struct seen seen = {.total = view->head.total.of[space],
                        .error = view->head.errors[column]};
    if (!view->precision.is_known[column] || view->head.summary[HP_SIDE_ALL].is_merged) {
        return (struct hp_unseen){.is_known = false};
    }
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[space];
        add(&seen.sums, hp_fixed_round(value, space),
            hp_stack_error(&profile->errors[column], i));
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

// --- of a group of inputs -----------------------------------------------------------------------

// What a stack holds in some of the inputs.
struct held {
    hp_fixed value;
    struct hp_error error;
};

static void add_input(struct held *held, const struct hp_profile *profile,
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

static struct seen seen_of(const struct held *held, size_t count, enum hp_column column) {
    struct seen seen = {.total = 0};
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
    struct held *held = hp_alloc(profile->stacks.count * sizeof *held);
    const struct hp_facet_input *input;
    bool is_merged = false;
    hp_vec_each (input, &view->facet.inputs) {
        if (input->place == place) {
            add_input(held, profile, input->record, column);
            is_merged |= hp_input_is_merged(input->record);
        }
    }
    struct seen seen = seen_of(held, profile->stacks.count, column);
    seen.error.period = period;
    free(held);
    return !is_merged && estimate_unseen(view, column, &seen).is_much;
}

// --- rows that are shown because they are the largest ----------------------------------------

// Of many rows that sampling found once or twice, or not at all, the first are those that it
// found more often than others of their size.  An interval that holds 95 of 100 rows then misses
// these above all: its lower end is too high.  The lower end that all of M rows together are
// above with the confidence asked for is that for (1 - confidence) / M each, and the first rows
// are among them whichever they are.  With f1 and f2 of rows that have one sample and two,
//
//     M = rows seen + f1 (f1 - 1) / (2 (f2 + 1))
//
// which is Chao's lower bound of how many there are (1984).
//
// It is done where the memory that was missed is a matter at all: else rows are what they are by
// more than luck.

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

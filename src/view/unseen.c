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

static struct hp_unseen estimate_unseen(const struct hp_view *view,
                                        enum hp_column column) {
    const struct hp_profile *profile = view->profile;
    enum hp_metric space = column == HP_COLUMN_ALLOC ? HP_ALLOC_SPACE : HP_INUSE_SPACE;
    const struct hp_error *total = &view->head.errors[column];
    double miss = 1 - view->options.confidence, period = (double)total->period;
    struct sums sums = {0};
    if (!view->precision.is_known[column] || view->head.summary[HP_SIDE_ALL].is_merged) {
        return (struct hp_unseen){.is_known = false};
    }
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[space];
        add(&sums, hp_fixed_round(value, space),
            hp_stack_error(&profile->errors[column], i));
    }
    double estimate = (double)sums.beyond, variance = (double)sums.variance;
    double z = hp_normal_quantile_above(miss);
    double highest = estimate + period + z * sqrt(variance + 2 * period * period);
    struct hp_interval all =
        hp_precision_range(&view->precision, view->head.total.of[space], total, space);
    double seen = hp_fixed_double(view->head.total.of[space], space) - estimate;
    return (struct hp_unseen){
        .is_known = !(total->flags & HP_ERROR_UNCOUNTED),
        .estimate = estimate,
        .highest = highest,
        .stack = fmin(most_in_one(all.high, period, miss), highest),
        .is_much =
            !(total->flags & HP_ERROR_UNCOUNTED) && estimate > 0 && highest > much * seen,
    };
}

struct hp_unseen hp_unseen_in(const struct hp_view *view, enum hp_column column) {
    struct hp_unseen **kept = &view->cache->unseen[column];
    if (!*kept) {
        *kept = hp_alloc(sizeof **kept);
        **kept = estimate_unseen(view, column);
    }
    return **kept;
}

struct hp_unseen hp_unseen_of(const struct hp_view *view) {
    return hp_unseen_in(view, hp_column_of(view->options.metric));
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

// Judges the largest and the smallest dumps of a distribution, and finds its quantiles,
// if only sums over replicates (64 classes of dumps, model/between.h) are known.
//
// A dump of T bytes is subtracted from its replicate, and compared with the rest: n dumps
// with the mean m and the variance s^2 between them, in R replicates:
//
//     t = (T - m) / sqrt(s^2 (1 + 1/n))
//
// has R - 1 degrees of freedom.  The sampling error of a single dump is not stored; it is
// taken to be a share of the whole error, in proportion to its bytes.  Headers of dumps
// change the total of each dump by the same amount, as only the sum of all changes is
// stored.  In the adjustment for several tests, all other dumps are included with p = 1.
#include "view/spread.h"

#include "stats/distributions.h"
#include "stats/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- groups -------------------------------------------------------------------------------

// The p-value of the t test of one dump of `total` bytes, in replicate `group`, against
// all others; 1 if there are too few replicates.  `others` are the sums of all dumps; this
// dump is subtracted here.
static double t_test(struct hp_group_sums others, unsigned group, double total) {
    double bytes = 0, dumps = 0, squares = 0, units = 0;
    others.bytes[group] -= total;
    others.dumps[group] -= 1;
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        bytes += others.bytes[i];
        dumps += others.dumps[i];
    }
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        double n = others.dumps[i];
        double away = n > 0 ? others.bytes[i] - n * bytes / dumps : 0;
        squares += n > 0 ? away * away / n : 0;
        units += n > 0;
    }
    if (units < 2) {
        return 1;
    }
    double away = total - bytes / dumps;
    double sd = sqrt(squares / (units - 1) * (1 + 1 / dumps));
    if (sd <= 0) {
        return away != 0 ? 0 : 1;
    }
    return 2 * hp_student_above(fabs(away) / sd, units - 1);
}

// --- one dump -----------------------------------------------------------------------------

// The p-value of the difference between a dump of `total` bytes and the mean of the other
// dumps, if there is only sampling error.  `all` is the sum of all `dumps` dumps.
static double sampling_p(struct hp_measure all, double total, double dumps) {
    double share = all.estimate > 0 ? fmin(fmax(total / all.estimate, 0), 1) : 0;
    double others = dumps - 1;
    struct hp_measure own = {
        .estimate = total,
        .highest = total + (all.highest - all.estimate) * share,
        .variance = all.variance * share,
        .max_weight = all.max_weight,
    };
    struct hp_measure mean = {
        .estimate = (all.estimate - total) / others,
        .highest = (all.highest - own.highest) / others,
        .variance = all.variance * (1 - share) / others / others,
        .max_weight = all.max_weight / others,
    };
    return 2 * fmin(hp_growth_p(mean, own), hp_growth_p(own, mean));
}

// The name of a dump: the first of its names in byte order, so that it does not depend on
// the order of the partial files.  If there is none, its digest in hexadecimal, written
// to spread->hexadecimal[i].
static const char *name_of(struct hp_spread *spread, const struct hp_profile *profile,
                           const struct hp_extreme *dump, size_t i) {
    const char *first = NULL;
    const struct hp_named_dump *named;
    hp_vec_each (named, &profile->inputs.named) {
        if (named->id[0] == dump->id[0] && named->id[1] == dump->id[1] &&
            (!first || strcmp(named->name, first) < 0)) {
            first = named->name;
        }
    }
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        struct hp_digest id = hp_dump_identity(input->content, &input->identity);
        if (!first && !input->is_group && id.of[0] == dump->id[0] &&
            id.of[1] == dump->id[1]) {
            first = input->public.name;
        }
    }
    if (!first) {
        snprintf(spread->hexadecimal[i], sizeof spread->hexadecimal[i], "%016llx%04llx",
                 (unsigned long long)dump->id[0], (unsigned long long)dump->id[1]);
    }
    return first ? first : spread->hexadecimal[i];
}

// Order of outliers: by p-value, then by name, then by value.
static int by_p(const void *left, const void *right) {
    const struct hp_outlier *a = left, *b = right;
    if (a->p != b->p) {
        return a->p < b->p ? -1 : 1;
    }
    int order = strcmp(a->name, b->name);
    return order ? order : (a->value > b->value) - (a->value < b->value);
}

// Set `q` of all outliers, p adjusted for the number of inputs (Benjamini and Hochberg),
// and keep only significant outliers.
static void keep_outliers(struct hp_spread *spread, double confidence) {
    struct hp_outlier *all = spread->outliers.at;
    double tested = (double)spread->inputs, q = 1;
    hp_vec_sort(&spread->outliers, by_p);
    for (size_t i = spread->outliers.count; i-- > 0;) {
        q = fmin(q, all[i].p * tested / (double)(i + 1));
        all[i].q = q;
    }
    while (spread->outliers.count > 0 &&
           all[spread->outliers.count - 1].q > 1 - confidence) { // q ascends
        spread->outliers.count--;
    }
}

// --- all extremes -------------------------------------------------------------------------

// Change the sums of all replicates, which are sums of stacks, to what the headers of the
// dumps show.  Each of the `dumps` dumps gets an equal share of the change, as the gains
// of single dumps are not known.  Returns this share.
static double take_mean_gain(struct hp_group_sums *groups,
                             const struct hp_profile *profile,
                             const struct hp_sides *sides, enum hp_column column,
                             double dumps) {
    struct hp_error ignored = {0};
    hp_fixed gained = 0;
    for (size_t i = 0; i < sides->new.count &&hp_profile_has_all_shards(profile); i++) {
        hp_input_add_gain(hp_sides_input(sides, profile, 1, i), column, &gained,
                          &ignored);
    }
    double gain = hp_fixed_double(gained, hp_space_of(column)) / dumps;
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        groups->bytes[i] += groups->dumps[i] * gain;
    }
    return gain;
}

// Set the quantiles: the ends of the buckets of `totals` that contain them.
static void find_quantiles(struct hp_spread *spread, const struct hp_totals *totals) {
    static const double shares[HP_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    double dumps = (double)totals->none;
    const struct hp_bucket *bucket;
    hp_vec_each (bucket, &totals->buckets) {
        dumps += (double)bucket->dumps;
    }
    for (int i = 0; i < HP_QUANTILES && dumps > 0; i++) {
        double before = (double)totals->none;
        struct hp_quantile quantile = {.share = shares[i]};
        hp_vec_each (bucket, &totals->buckets) {
            if (before < shares[i] * dumps) {
                quantile.low = hp_bucket_start(bucket->number);
                quantile.high = hp_bucket_start(bucket->number + 1);
            }
            before += (double)bucket->dumps;
        }
        spread->quantiles[spread->quantile_count++] = quantile;
    }
}

void hp_spread_judge_extremes(struct hp_spread *spread, const struct hp_profile *profile,
                              const struct hp_sides *sides, const struct hp_side_sum *sum,
                              const struct hp_report_options *options) {
    enum hp_column column = hp_column_of(options->metric);
    struct hp_totals all = {.none = 0};
    struct hp_group_sums groups = hp_between_groups(&sides->between[1], column);
    struct hp_measure measure = hp_measure_of(sum->value, &sum->error, options->metric);
    double dumps = (double)spread->inputs;
    double gain = take_mean_gain(&groups, profile, sides, column, dumps);
    const struct hp_label_set *set;
    hp_vec_each (set, &sides->between[1].dumps.sets) {
        hp_totals_join(&all, &set->totals[column]);
    }
    find_quantiles(spread, &all);
    for (uint32_t i = 0; i < all.largest_count + all.smallest_count; i++) {
        const struct hp_extreme *dump = i < all.largest_count
                                            ? &all.largest[i]
                                            : &all.smallest[i - all.largest_count];
        double total = (double)dump->total + gain;
        double sampling = sampling_p(measure, total, dumps);
        struct hp_outlier outlier = {
            .input = HP_INPUT_NOT_LISTED,
            .name = name_of(spread, profile, dump, i),
            .value = (hp_fixed)(total * (double)(1LL << HP_SPACE_FRACTION)),
            .others = (measure.estimate - total) / (dumps - 1),
            .p = fmin(fmax(sampling, t_test(groups, dump->group, total)), 1),
        };
        hp_vec_push(&spread->outliers, outlier);
    }
    hp_vec_done(&all.buckets);
    keep_outliers(spread, options->confidence);
}

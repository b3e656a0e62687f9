// Intervals (docs/explanation/statistics.md) contain the truth in at least 95 of 100
// dumps, and are no wider than necessary.
//
// There are 93 cells, each with both scalings.  89 of them are 17 mixes of sizes, from 16
// bytes to 16 periods, in stacks of 0.01, 0.1, 0.3, 1, 3, 10, 30, 100 and 1000 periods of
// bytes, unless that is less than an object.  4 are stacks of about one period.
//
// The coverage for equal objects is also computed exactly: where objects are about as
// large as the period, the possible estimates are so far apart that some numbers of
// objects have a coverage a little below 0.95.
#include "lines.h"

#include "calc/uncertainty.h"
#include "sim/binomial.h"
#include "sim/horvitz.h"
#include "stats/distributions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUMPS = 20000,
    CELLS = 93,
    R = PERIOD,
};

static struct line_reading readings[SCALINGS];

// --- many dumps -------------------------------------------------------------------------

// How the bytes of a stack are distributed over its sizes.
enum share {
    EQUAL_BYTES,
    EQUAL_OBJECTS,
    PARETO, // the number of objects is proportional to size^-1.2
};

static const double bytes_of[] = {0.01, 0.1, 0.3, 1, 3, 10, 30, 100, 1000}; // in periods

enum {
    AMOUNTS = sizeof bytes_of / sizeof *bytes_of,
};

struct mix {
    const char *name;
    int first; // index of the smallest amount in bytes_of
    enum share share;
    uint64_t sizes[MOST_SIZES];
};

#define POWERS                                                                       \
    16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, R / 32, R / 16, R / 8, R / 4, \
        R / 2, R, 2 * R, 4 * R, 8 * R, 16 * R

static const struct mix mixes[] = {
    {"16", 0, EQUAL_BYTES, {16}},
    {"R/16", 1, EQUAL_BYTES, {R / 16}},
    {"R/4", 2, EQUAL_BYTES, {R / 4}},
    {"R", 3, EQUAL_BYTES, {R}},
    {"1.5R", 3, EQUAL_BYTES, {R / 2 * 3}},
    {"2R", 4, EQUAL_BYTES, {2 * R}},
    {"3R", 4, EQUAL_BYTES, {3 * R}},
    {"4R", 4, EQUAL_BYTES, {4 * R}},
    {"8R", 5, EQUAL_BYTES, {8 * R}},
    {"16R", 5, EQUAL_BYTES, {16 * R}},
    {"16 and 2R", 4, EQUAL_BYTES, {16, 2 * R}},
    {"16 and 16R", 6, EQUAL_BYTES, {16, 16 * R}},
    {"48 to 80K", 2, EQUAL_OBJECTS, {48, 640, 10240, 81920}},
    {"1.5R and 16R", 6, EQUAL_OBJECTS, {R / 2 * 3, 16 * R}},
    {"16 to 4R", 5, EQUAL_BYTES, {16, R / 4, R, 4 * R}},
    {"powers", 6, EQUAL_BYTES, {POWERS}},
    {"pareto", 4, PARETO, {POWERS}},
};

// The stacks of about one period: size and number of objects.
static const uint64_t near_one[][2] = {
    {16, R / 16 * 4 / 5}, {16, R / 16 * 5 / 4}, {R / 4, 3}, {R / 4, 5}};

static double weight(enum share share, uint64_t size) {
    switch (share) {
    case EQUAL_BYTES:
        return 1;
    case EQUAL_OBJECTS:
        return (double)size;
    case PARETO:
        return pow((double)size, 1 - 1.2);
    }
    return 0;
}

static void make_mixed(struct source *source, const struct mix *mix, double bytes) {
    double all = 0;
    for (int i = 0; i < MOST_SIZES && mix->sizes[i]; i++) {
        all += weight(mix->share, mix->sizes[i]);
    }
    source_init(source, R);
    for (int i = 0; i < MOST_SIZES && mix->sizes[i]; i++) {
        double part = weight(mix->share, mix->sizes[i]) / all;
        source_add_bytes(source, mix->sizes[i], part * bytes);
    }
}

struct interval_cell {
    struct source source;
    char name[64];
};

static int make_cells(struct interval_cell cells[CELLS]) {
    int count = 0;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        for (int k = mixes[i].first; k < AMOUNTS; k++) {
            struct interval_cell *cell = &cells[count++];
            make_mixed(&cell->source, &mixes[i], bytes_of[k] * R);
            snprintf(cell->name, sizeof cell->name, "%s, %g R", mixes[i].name,
                     cell->source.bytes / R);
        }
    }
    for (size_t i = 0; i < sizeof near_one / sizeof *near_one; i++) {
        struct interval_cell *cell = &cells[count++];
        source_init(&cell->source, R);
        source_add(&cell->source, near_one[i][0], near_one[i][1]);
        snprintf(cell->name, sizeof cell->name, "%d, %g R", (int)near_one[i][0],
                 cell->source.bytes / R);
    }
    return count;
}

// The width of Fay and Feuer's interval of an estimate.
static double width_of(double bytes, double variance) {
    double more = bytes + R, more_variance = variance + (double)R * R;
    double high = more_variance / more *
                  hp_gamma_quantile_above(more * more / more_variance, 0.025);
    return bytes > 0 ? high - variance / bytes *
                                  hp_gamma_quantile_below(bytes * bytes / variance, 0.025)
                     : high;
}

// The width of that interval if every sampled object were known: with the true variance
// if all objects have one size, else with the largest variance that such a sum can have.
static double width_of_known(const struct source *source, struct hps_tally sampled) {
    if (sampled.objects == 0) {
        return width_of(0, 0);
    }
    if (source->sizes > 1) {
        double objects = (double)sampled.eighths / 8,
               bytes = (double)sampled.weighted_bytes;
        return width_of(bytes, hps_largest_variance(objects, bytes, R));
    }
    double objects = (double)sampled.objects / source->of[0].probability;
    uint64_t size = source->of[0].size;
    return width_of(objects * (double)size, objects * hps_bytes_variance(size, R));
}

// The result of a line, kept because few lines are different.
struct result {
    bool known;
    struct hp_count printed;
    bool holds;
    double width, width_of_known;
    double other_sizes; // part of the width due to other sizes that print the same
};

enum {
    RESULTS = 4096,
};

static struct result results[SCALINGS][RESULTS];

static const struct result *result_of(const struct source *source, int scaling,
                                      struct hps_tally sampled) {
    struct hp_count printed = reading_printed(&readings[scaling], sampled);
    uint64_t hash = hp_hash_mix(printed.objects, printed.bytes ^ 0x9e3779b97f4a7c15);
    struct result *result = &results[scaling][hash % RESULTS];
    if (!result->known || result->printed.objects != printed.objects ||
        result->printed.bytes != printed.bytes) {
        struct estimate estimate = reading_of(&readings[scaling], printed);
        struct hp_interval range = hp_interval_of(measure_of(&estimate), 0.95);
        *result = (struct result){
            .known = true,
            .printed = printed,
            .holds = holds(range, source->bytes),
            .width = range.high - range.low,
            .width_of_known = width_of_known(source, sampled),
            .other_sizes = (double)estimate.error.hidden_bytes_max +
                           (double)estimate.error.excess_bytes_max,
        };
    }
    return result;
}

// Sums over many dumps.
struct coverage_sums {
    int held;
    double width, width_of_known, other_sizes;
};

static void sample(const struct source *source, uint64_t seed,
                   struct coverage_sums sums[SCALINGS]) {
    struct hps_random random;
    hps_random_init_nth(&random, 9, seed);
    memset(results, 0, sizeof results);
    for (int i = 0; i < DUMPS; i++) {
        struct hps_tally sampled = source_draw(source, &random);
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            const struct result *result = result_of(source, scaling, sampled);
            sums[scaling].held += result->holds;
            sums[scaling].width += result->width;
            sums[scaling].width_of_known += result->width_of_known;
            sums[scaling].other_sizes += result->other_sizes;
        }
    }
}

static void make_readings(void) {
    for (int scaling = 0; scaling < SCALINGS; scaling++) {
        reading_init(&readings[scaling], R, scalings[scaling]);
    }
}

static void check_cell(const struct interval_cell *cell, const struct coverage_sums *sums,
                       int scaling) {
    double coverage = (double)sums->held / DUMPS;
    cr_expect(coverage >= least_share(0.95, DUMPS), "%s, %s: %f", cell->name,
              scaling_names[scaling], coverage);
    // Large objects may be missed, which makes the upper end of their interval longer.
    double most = (double)cell->source.of[0].size <= 1.6 * R ? 1.08 : 1.3;
    if (cell->source.sizes == 1 || scalings[scaling] == HP_SCALING_UNBIASED) {
        double ratio = (sums->width - sums->other_sizes) / sums->width_of_known;
        cr_expect(ratio <= most, "%s, %s: %f", cell->name, scaling_names[scaling], ratio);
    }
}

Test(intervals, hold_the_bytes_of_a_stack_and_are_no_wider_than_they_need_be) {
    static struct interval_cell cells[CELLS];
    make_readings();
    cr_assert_eq(make_cells(cells), CELLS);
    for (int i = 0; i < CELLS; i++) {
        struct coverage_sums sums[SCALINGS] = {0};
        sample(&cells[i].source, (uint64_t)i, sums);
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            check_cell(&cells[i], &sums[scaling], scaling);
        }
    }
}

// --- several periods --------------------------------------------------------------------

// The sum of 2,000 objects of 32 KiB with a period of 64 KiB, and 3 objects of 2 MiB with
// a period of 4 MiB.  Mostly one or two of the 3 are sampled.
Test(intervals, of_several_periods_have_room_for_a_sample_of_the_largest) {
    static const struct {
        uint64_t size, count, period;
    } parts[] = {{32 << 10, 2000, 64 << 10}, {2 << 20, 3, 4 << 20}};
    struct hps_random random;
    int held = 0;
    hps_random_init_nth(&random, 9, 1000);
    for (int i = 0; i < DUMPS; i++) {
        double bytes = 0, truth = 0;
        struct hp_error sum = {.variance = 0};
        for (int k = 0; k < 2; k++) {
            double size = (double)parts[k].size;
            double p = -expm1(size * log1p(-1 / (double)parts[k].period));
            uint64_t n = hps_binomial(&random, parts[k].count, p);
            bool too_big = false;
            struct hp_error error =
                hp_error_of_one_size(n, parts[k].size, p, parts[k].period, &too_big);
            cr_assert(hp_error_add(&sum, &error) && !too_big);
            bytes += (double)n * size / p;
            truth += (double)parts[k].count * size;
        }
        hp_fixed value = (hp_fixed)(bytes * (1 << HP_SPACE_FRACTION));
        struct hp_measure m = hp_measure_of(value, &sum, HP_INUSE_SPACE);
        held += holds(hp_interval_of(m, 0.95), truth);
    }
    cr_expect(held >= least_share(0.95, DUMPS) * DUMPS, "%d", held);
}

// --- exact probabilities ---------------------------------------------------------------

enum {
    MOST_OBJECTS = 100,
};

// The probability that exactly `n` of the objects are sampled.
static double probability_of(const struct source_size *of, uint64_t n) {
    double all = (double)of->count, k = (double)n;
    int sign;
    return exp(lgamma_r(all + 1, &sign) - lgamma_r(k + 1, &sign) -
               lgamma_r(all - k + 1, &sign) + k * log(of->probability) +
               (all - k) * log1p(-of->probability));
}

// The probability that the interval contains the true bytes of equal objects.
static double exact_coverage(uint64_t size, uint64_t count, int scaling) {
    struct source source;
    double sum = 0;
    source_init(&source, R);
    source_add(&source, size, count);
    const struct source_size *of = &source.of[0];
    for (uint64_t n = 0; n <= count; n++) {
        struct hps_tally sampled = {n, n * of->one.bytes, n * of->one.eighths,
                                    n * of->one.weighted_bytes};
        struct estimate estimate =
            reading_of(&readings[scaling], reading_printed(&readings[scaling], sampled));
        struct hp_interval range = hp_interval_of(measure_of(&estimate), 0.95);
        sum += holds(range, source.bytes) ? probability_of(of, n) : 0;
    }
    return sum;
}

Test(intervals, hold_the_bytes_of_equal_objects_with_at_least_this_probability) {
    static const struct {
        uint64_t size;
        double least;
    } rows[] = {
        {R / 16, 0.95},     {R / 8, 0.95},  {R / 4, 0.9499},    {R / 2, 0.949},
        {R / 8 * 5, 0.948}, {R, 0.947},     {R / 4 * 5, 0.947}, {R / 2 * 3, 0.943},
        {R / 4 * 7, 0.946}, {2 * R, 0.949}, {R / 2 * 5, 0.957}, {3 * R, 0.96},
        {4 * R, 0.96},      {5 * R, 0.95},  {6 * R, 0.949},     {8 * R, 0.967},
    };

    make_readings();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint64_t count = 1; count <= MOST_OBJECTS; count++) {
            for (int scaling = 0; scaling < SCALINGS; scaling++) {
                double probability = exact_coverage(rows[i].size, count, scaling);
                cr_expect(probability >= rows[i].least, "%d x %g R, %s: %f", (int)count,
                          (double)rows[i].size / R, scaling_names[scaling], probability);
            }
        }
    }
}

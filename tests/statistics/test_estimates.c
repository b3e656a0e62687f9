// The estimates of docs/explanation/sampling.md have no bias: many dumps of one stream
// of allocations, whose true numbers are known.  The seeds are fixed; |z| < 6 would
// fail for two of 10^9 seeds.
#include "sim/horvitz.h"
#include "sim/sampling.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum {
    DUMPS = 20000,
    MANY_DUMPS = 100000,
    MOST_SAMPLES = 4096,
};

// Sums of a series of numbers, for its mean and the standard error of the mean.
struct sample_series {
    double count, sum, squares;
};

static void add(struct sample_series *series, double x) {
    series->count++;
    series->sum += x;
    series->squares += x * x;
}

static double mean(struct sample_series s) {
    return s.sum / s.count;
}

// The difference of the mean and `expected`, in standard errors.
static double z_of_mean(struct sample_series s, double expected) {
    double variance = s.squares / s.count - mean(s) * mean(s);
    return (mean(s) - expected) / sqrt(variance / s.count);
}

static void allocate(struct hps_stream *stream, uint32_t stack, uint64_t size,
                     int count) {
    for (int i = 0; i < count; i++) {
        hps_stream_allocate(stream, 0, stack, size);
    }
}

// Make one stack with objects of sizes 16, R/4, R and 4R; the objects of each size have
// 4R bytes together.
static void make_mixed(struct hps_stream *stream, uint64_t period) {
    allocate(stream, 0, 16, (int)period / 4);
    allocate(stream, 0, period / 4, 16);
    allocate(stream, 0, period, 4);
    allocate(stream, 0, 4 * period, 1);
}

// Find the sizes of the sampled live objects of one stack.  Returns their number.
static uint64_t sizes_of(const struct hps_sampling *sampling, uint32_t stack,
                         uint64_t sizes[MOST_SAMPLES]) {
    uint64_t n = 0;
    for (size_t i = 0; i < sampling->count; i++) {
        if (sampling->sampled[i].stack == stack && sampling->sampled[i].live) {
            cr_assert_lt(n, MOST_SAMPLES);
            sizes[n++] = sampling->sampled[i].size;
        }
    }
    return n;
}

// The theoretical moments of the estimates for a stream of one stack.
struct theory {
    double bytes, objects, variance;
    double excess; // kurtosis of the estimated bytes, less 3
};

static struct theory theory_of(const struct hps_stream *stream, uint64_t period) {
    struct theory theory = {0};
    double fourth = 0;
    for (size_t i = 0; i < stream->count; i++) {
        double size = (double)stream->events[i].size;
        double p = 1 - pow(1 - 1 / (double)period, size), odds = (1 - p) / p;
        theory.bytes += size;
        theory.objects++;
        theory.variance += size * size * odds;
        // The fourth cumulant of S/p times a Bernoulli variable of probability p.
        fourth += pow(size, 4) * (p * pow(odds, 4) + (1 - p) - 3 * odds * odds);
    }
    theory.excess = fourth / (theory.variance * theory.variance);
    return theory;
}

// --- estimates of a mixed stack -------------------------------------------------------

// The estimates of many dumps of a mixed stack.
struct mixed {
    struct theory theory;
    struct sample_series bytes, objects, variance,
        squares; // squares: of the error of `bytes`
    int below;   // dumps in which the bound is less than the variance
};

static struct mixed sample_mixed(uint64_t period) {
    static uint64_t sizes[MOST_SAMPLES];
    struct hps_stream stream = {0};
    struct hps_sampling sampling;
    struct hps_random random;
    make_mixed(&stream, period);
    struct mixed mixed = {.theory = theory_of(&stream, period)};
    hps_sampling_init(&sampling, &stream);
    hps_random_init_nth(&random, 4, period);
    for (int i = 0; i < DUMPS; i++) {
        hps_sampling_draw(&sampling, period, &random);
        uint64_t n = sizes_of(&sampling, 0, sizes);
        struct hps_horvitz e = hps_horvitz_of(sizes, n, period);
        double error = e.bytes - mixed.theory.bytes;
        add(&mixed.bytes, e.bytes);
        add(&mixed.objects, e.objects);
        add(&mixed.variance, e.variance);
        add(&mixed.squares, error * error);
        mixed.below += n > 0 && hps_largest_variance(e.objects, e.bytes, period) <
                                    e.variance * (1 - 1e-9);
    }
    hps_sampling_done(&sampling);
    hps_stream_done(&stream);
    return mixed;
}

static const uint64_t periods[] = {16, 256, 4096};

Test(estimates, of_a_stack_of_mixed_sizes_are_right_on_average) {
    for (int i = 0; i < 3; i++) {
        struct mixed m = sample_mixed(periods[i]);
        double bytes = z_of_mean(m.bytes, m.theory.bytes);
        double objects = z_of_mean(m.objects, m.theory.objects);
        cr_expect(fabs(bytes) < 6, "period %d: z of bytes = %f", (int)periods[i], bytes);
        cr_expect(fabs(objects) < 6, "period %d: z of objects = %f", (int)periods[i],
                  objects);
    }
}

Test(estimates, are_off_by_the_variance_of_theory) {
    for (int i = 0; i < 3; i++) {
        struct mixed m = sample_mixed(periods[i]);
        double ratio = mean(m.squares) / m.theory.variance;
        double margin = 6 * sqrt((2 + m.theory.excess) / DUMPS);
        cr_expect(margin < 0.15, "%f", margin);
        cr_expect(fabs(ratio - 1) < margin, "period %d: ratio %f, margin %f",
                  (int)periods[i], ratio, margin);
    }
}

Test(estimates, give_their_variance_without_bias_and_never_beyond_its_bound) {
    for (int i = 0; i < 3; i++) {
        struct mixed m = sample_mixed(periods[i]);
        double z = z_of_mean(m.variance, m.theory.variance);
        cr_expect(fabs(z) < 6, "period %d: z = %f", (int)periods[i], z);
        cr_expect_eq(m.below, 0, "period %d: %d dumps", (int)periods[i], m.below);
    }
}

// --- stacks that are never sampled ----------------------------------------------------

// The share of dumps in which none of `objects` objects of a size is sampled.
static double share_unseen(uint64_t period, uint64_t size, int objects) {
    struct hps_stream stream = {0};
    struct hps_sampling sampling;
    struct hps_random random;
    allocate(&stream, 0, size, objects);
    hps_sampling_init(&sampling, &stream);
    hps_random_init_nth(&random, 11, size * (uint64_t)objects);
    double unseen = 0;
    for (int i = 0; i < MANY_DUMPS; i++) {
        hps_sampling_draw(&sampling, period, &random);
        unseen += sampling.count == 0;
    }
    hps_sampling_done(&sampling);
    hps_stream_done(&stream);
    return unseen / MANY_DUMPS;
}

Test(unseen, is_a_stack_of_any_sizes_with_the_probability_that_its_bytes_give) {
    static const struct {
        uint64_t size;
        int objects;
    } rows[] = {{16, 64}, {16, 256}, {512, 8}, {4096, 1}, {4096, 2}, {8192, 1}};

    const double period = 4096;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double bytes = (double)rows[i].size * rows[i].objects;
        double probability = pow(1 - 1 / period, bytes);
        double share = share_unseen(4096, rows[i].size, rows[i].objects);
        double z =
            (share - probability) / sqrt(probability * (1 - probability) / MANY_DUMPS);
        cr_expect(fabs(z) < 6, "row %zu: z = %f", i, z);
        cr_expect(fabs(probability / exp(-bytes / period) - 1) < 1e-3);
    }
}

// The statement "nothing seen: at most 2.996 R bytes" is wrong with probability 1/20 for
// a stack that has a little more.
Test(unseen, stacks_beyond_the_bound_are_as_rare_as_it_says) {
    const double limit = 0.05 + 6 * sqrt(0.05 * 0.95 / MANY_DUMPS);
    const int just_above = (int)(2.9957 * 4096 / 16) + 1;
    double small = share_unseen(4096, 16, just_above);
    cr_expect(small < limit && small > 0.045, "%f", small);
    double large = share_unseen(4096, 12272, 1); // 2.9961 R
    cr_expect(large < limit && large > 0.045, "%f", large);
}

// --- all stacks that are never sampled --------------------------------------------------

enum {
    STACKS = 60,
};

static void make_many_stacks(struct hps_stream *stream) {
    static const uint64_t sizes[] = {16, 208, 1024, 4096, 7168};
    for (uint32_t i = 0; i < STACKS; i++) {
        allocate(stream, i, sizes[i % 5], 1 + (int)(i % 7) * (i % 5 == 0 ? 32 : 1));
        allocate(stream, i, sizes[(i + 2) % 5], (int)(i % 3));
    }
}

// Estimate the bytes in stacks that are never sampled by Good and Turing's formula.
// *error becomes the error of the estimate, *variance the estimated square of the error.
static void estimate_unseen(const struct hps_sampling *sampling, uint64_t period,
                            const struct hps_truth *truth, double *error,
                            double *variance) {
    static uint64_t sizes[MOST_SAMPLES];
    *error = *variance = 0;
    for (uint32_t i = 0; i < STACKS; i++) {
        uint64_t n = sizes_of(sampling, i, sizes);
        double g = n > 0 ? hps_unseen_part(sizes[0], period) : 0;
        if (n == 0) {
            *error -= (double)truth[i].live_bytes;
        } else if (n == 1) {
            *error += g;
            *variance += g * (g + (double)sizes[0]);
        } else if (n == 2) {
            *variance += 2 * g * hps_unseen_part(sizes[1], period);
        }
    }
}

Test(unseen, bytes_of_all_stacks_never_sampled_are_estimated_without_bias) {
    const uint64_t period = 4096;
    struct hps_stream stream = {0};
    struct hps_sampling sampling;
    struct hps_random random;
    struct sample_series errors = {0}, squares = {0}, variances = {0};
    make_many_stacks(&stream);
    struct hps_truth *truth = hps_stream_truth(&stream);
    hps_sampling_init(&sampling, &stream);
    hps_random_init(&random, 12);
    for (int i = 0; i < MANY_DUMPS; i++) {
        double error, variance;
        hps_sampling_draw(&sampling, period, &random);
        estimate_unseen(&sampling, period, truth, &error, &variance);
        add(&errors, error);
        add(&squares, error * error);
        add(&variances, variance);
    }
    double z = z_of_mean(errors, 0), ratio = mean(squares) / mean(variances);
    cr_expect(fabs(z) < 6, "z = %f", z);
    cr_expect(fabs(ratio - 1) < 0.03, "ratio %f", ratio);
    free(truth);
    hps_sampling_done(&sampling);
    hps_stream_done(&stream);
}

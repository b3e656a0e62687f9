// Gaps and decisions must be distributed as theory says (docs/explanation/sampling.md).
// The seeds are fixed; |z| < 6 would fail for two of 10^9 seeds.
#include "core/gap.h"
#include "core/sampler.h"
#include "sim/goodness.h"

#include <criterion/criterion.h>
#include <math.h>

enum {
    DRAWS = 1000000,
    SIZES = 6,
};

static void seed(struct hps_random *random, uint64_t period) {
    hps_random_init_nth(random, 20261121, period);
}

static double probability_up_to(uint64_t n, double period) {
    return -expm1((double)n * log1p(-1 / period));
}

static double chi_square_of_gaps(uint64_t period) {
    struct hps_goodness goodness;
    struct hps_random random;
    seed(&random, period);
    hps_goodness_init(&goodness, probability_up_to, (double)period);
    cr_assert_eq(goodness.bins, HPS_GOODNESS_BINS);
    for (int i = 0; i < DRAWS; i++) {
        hps_goodness_add(&goodness, hps_gap_geometric(&random, period));
    }
    return hps_goodness_chi_square(&goodness);
}

Test(gaps, follow_the_geometric_distribution_and_no_more_closely_than_chance_does) {
    static const uint64_t periods[] = {256, 4096};
    for (int i = 0; i < 2; i++) {
        double chi_square = chi_square_of_gaps(periods[i]);
        cr_expect(chi_square > 16.92 && chi_square < 155.07, "period %d: %f",
                  (int)periods[i], chi_square);
    }
}

Test(gaps, are_one_when_every_byte_is_sampled) {
    struct hps_random random;
    seed(&random, 1);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(hps_gap_geometric(&random, 1), 1);
    }
}

static uint64_t nth_size(int i, uint64_t period) {
    const uint64_t sizes[SIZES] = {1, 8, 16, period / 8, period, 3 * period};
    return sizes[i];
}

// Count the sampled ones of 10^6 objects, and those whose predecessor was sampled as
// well.
static void count_samples(uint64_t size, uint64_t period, double *single, double *both) {
    struct hps_random random;
    struct hps_sampler sampler;
    seed(&random, period + size);
    hps_sampler_init(&sampler, period, &random);
    bool last = false;
    *single = *both = 0;
    for (int i = 0; i < DRAWS; i++) {
        bool taken = hps_sampler_takes(&sampler, size);
        *single += taken;
        *both += taken && last;
        last = taken;
    }
}

static const uint64_t periods[] = {16, 256};

Test(decisions, sample_an_object_with_the_probability_that_a_byte_of_it_is_a_sample) {
    for (int i = 0; i < 2 * SIZES; i++) {
        uint64_t period = periods[i / SIZES], size = nth_size(i % SIZES, period);
        double single, both;
        count_samples(size, period, &single, &both);
        double p = 1 - pow(1 - 1 / (double)period, (double)size);
        double z = (single - DRAWS * p) / sqrt(DRAWS * p * (1 - p));
        cr_expect(fabs(z) < 6, "period %d, %d bytes: z = %f", (int)period, (int)size, z);
    }
}

Test(decisions, are_independent_of_the_one_before) {
    for (int i = 0; i < 2 * SIZES; i++) {
        uint64_t period = periods[i / SIZES], size = nth_size(i % SIZES, period);
        double single, both;
        count_samples(size, period, &single, &both);
        double p = 1 - pow(1 - 1 / (double)period, (double)size), pairs = DRAWS - 1;
        double variance = pairs * p * p * (1 - p * p) * (1 + 2 * p / (1 + p));
        double z = (both - pairs * p * p) / sqrt(variance);
        cr_expect(fabs(z) < 6, "period %d, %d bytes: z = %f", (int)period, (int)size, z);
    }
}

// Deciding about a run of objects at once gives the same result as deciding about each.
Test(decisions, come_out_the_same_for_runs_of_objects) {
    static const uint64_t run = 37, size = 24;
    struct hps_random random;
    struct hps_sampler one, many;
    seed(&random, 0);
    hps_sampler_init(&one, 256, &random);
    hps_sampler_init(&many, 256, &random);
    for (int i = 0; i < 10000; i++) {
        uint64_t passed = 0;
        while (passed < run && !hps_sampler_takes(&one, size)) {
            passed++;
        }
        uint64_t at_once = hps_sampler_pass(&many, size, run);
        cr_assert_eq(at_once, passed);
        if (passed < run) {
            cr_assert(hps_sampler_takes(&many, size));
        }
    }
}

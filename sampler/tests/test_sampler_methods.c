// Tests of the sampling methods of the simulator.  Expected values follow from formulas;
// random numbers have fixed seeds.
#include "sim/binomial.h"
#include "sim/evaluation.h"
#include "sim/horvitz.h"
#include "sim/method_gap.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Small objects of two kinds between larger ones; one kind is freed at once.
static void make_blend(struct hps_stream *stream) {
    for (int i = 0; i < 20; i++) {
        hps_stream_allocate(stream, 0, 0, 16);
        hps_stream_free(stream, hps_stream_allocate(stream, 0, 0, 48));
        hps_stream_allocate(stream, 0, 1, i % 2 ? 200 : 700);
        hps_stream_allocate(stream, 0, 0, 16);
    }
}

static const struct hps_workload blend = {
    .name = "blend", .period = 256, .stacks = "small large", .make = make_blend};

// Evaluate a method on a workload; the caller releases the result.
static struct hps_evaluation evaluate(const char *method,
                                      const struct hps_workload *workload,
                                      uint64_t streams) {
    struct hps_stream stream = {0};
    workload->make(&stream);
    struct hps_layout layout;
    hps_layout_init(&layout, &stream, workload->period);
    layout.interval = workload->interval;
    struct hps_plan plan;
    hps_plan_init(&plan, hps_method_find(method), &layout);
    struct hps_evaluation evaluation;
    hps_evaluation_init(&evaluation, workload, &plan);
    struct hps_random random;
    hps_random_init(&random, 1);
    hps_evaluation_run(&evaluation, &plan, streams, &random);
    hps_plan_done(&plan);
    hps_layout_done(&layout);
    hps_stream_done(&stream);
    return evaluation;
}

// Expect a value within 6 standard errors; 1e-9 % is allowed for rounding.
static void expect_near(double measured, double expected, double se, const char *what) {
    cr_expect_lt(fabs(measured - expected), 6 * se + 1e-9, "%s: %g, not %g +- %g", what,
                 measured, expected, se);
}

// Expect no bias, and the theoretical root mean square errors.
static void expect_theory(const struct hps_score *score, const char *what) {
    expect_near(score->bytes.mean, 0, hps_errors_bias_se(&score->bytes), what);
    expect_near(score->objects.mean, 0, hps_errors_bias_se(&score->objects), what);
    expect_near(hps_errors_rmse(&score->bytes), score->bytes.theory,
                hps_errors_rmse_se(&score->bytes), what);
    expect_near(hps_errors_rmse(&score->objects), score->objects.theory,
                hps_errors_rmse_se(&score->objects), what);
}

Test(methods, without_bias_have_the_errors_of_theory_for_bytes_and_objects) {
    for (const struct hps_method *method = hps_methods; method->name; method++) {
        if (method->unbiased && method->variance) {
            struct hps_evaluation evaluation = evaluate(method->name, &blend, 20000);
            expect_theory(&evaluation.total, method->name);
            expect_theory(&evaluation.stacks[0], method->name);
            expect_theory(&evaluation.stacks[1], method->name);
            hps_evaluation_done(&evaluation);
        }
    }
}

Test(methods, at_random_distances_or_phases_have_no_bias_where_no_object_is_large) {
    static const char *const names[] = {"every-random", "nursery-random"};
    const struct hps_workload *tiny = hps_workload_find("tiny");
    for (int i = 0; i < 2; i++) {
        struct hps_evaluation evaluation = evaluate(names[i], tiny, 5000);
        expect_near(evaluation.total.bytes.mean, 0,
                    hps_errors_bias_se(&evaluation.total.bytes), names[i]);
        cr_expect_lt(hps_errors_rmse(&evaluation.total.bytes), 1.5, "far from 17.9");
        hps_evaluation_done(&evaluation);
    }
}

// Expected numbers are those of table 7.3 in the project's design.
Test(methods, at_fixed_distances_fall_into_step_with_a_program) {
    static const char *const names[] = {"every", "nursery"};
    for (int i = 0; i < 2; i++) {
        struct hps_evaluation periodic =
            evaluate(names[i], hps_workload_find("periodic"), 2);
        cr_expect_eq(periodic.stacks[0].bytes.mean, -100);
        cr_expect_eq(periodic.stacks[1].bytes.mean, 6300);
        hps_evaluation_done(&periodic);
    }
    struct hps_evaluation victim = evaluate("every", hps_workload_find("victim"), 2);
    cr_expect_eq(victim.stacks[1].bytes.mean, -100);
    cr_expect(hps_evaluation_flagged(&victim));
    hps_evaluation_done(&victim);
    victim = evaluate("nursery-random", hps_workload_find("victim"), 20);
    cr_expect_gt(victim.stacks[1].bytes.mean, 36000, "blamed for what X allocates");
    hps_evaluation_done(&victim);
}

Test(methods, take_as_many_stacks_as_jemalloc_does) {
    const struct hps_workload *pareto = hps_workload_find("pareto");
    for (const struct hps_method *method = hps_methods; method->name; method++) {
        struct hps_evaluation evaluation = evaluate(method->name, pareto, 200);
        double walks = (double)evaluation.walks / 200;
        // sqrt(59.9 / 200) is the largest standard error.  Without a random phase the
        // number is an integer.
        cr_expect_lt(fabs(walks - 59.86), 6 * 0.55, "%s: %g", method->name, walks);
        hps_evaluation_done(&evaluation);
    }
}

// One object in 8001 has half of the bytes; none of the 20 streams samples it.
Test(methods, are_not_blamed_for_a_rare_sample_that_did_not_come_up) {
    struct hps_evaluation evaluation = evaluate("objects", hps_workload_find("pair"), 20);
    cr_assert_eq(evaluation.stacks[1].bytes.mean, -100);
    cr_expect(!hps_evaluation_flagged(&evaluation));
    hps_evaluation_done(&evaluation);
}

// --- three methods with the same distribution ------------------------------------------

// Sample 20000 streams, and count how many have each number of sampled bytes of live
// objects.
static void count_hits(const char *method, uint64_t seed, uint64_t *histogram,
                       size_t bins) {
    struct hps_stream stream = {0};
    make_blend(&stream);
    struct hps_layout layout;
    hps_layout_init(&layout, &stream, 512);
    struct hps_plan plan;
    hps_plan_init(&plan, hps_method_find(method), &layout);
    struct hps_random random;
    hps_random_init(&random, seed);
    for (int i = 0; i < 20000; i++) {
        struct hps_estimate estimates[3] = {0};
        plan.method->run(&plan, &random, estimates);
        size_t hits = (size_t)((estimates[0].bytes + estimates[1].bytes) / 512);
        histogram[hits < bins ? hits : bins - 1]++;
    }
    hps_plan_done(&plan);
    hps_layout_done(&layout);
    hps_stream_done(&stream);
}

Test(methods, that_sample_bytes_agree_in_distribution_with_the_binomial) {
    enum {
        BINS = 41,
        BYTES = 20 * 32 + 10 * 900,
    };

    static const char *const names[] = {"bytes-coins", "bytes-gaps", "bytes-counted"};
    for (uint64_t n = 0; n < 3; n++) {
        uint64_t histogram[BINS] = {0};
        count_hits(names[n], n + 1, histogram, BINS);
        double chance = pow(1 - 1.0 / 512, BYTES), chi_square = 0, pooled = 0;
        uint64_t pooled_hits = 0;
        int bins = 0;
        for (unsigned k = 0; k < BINS; k++) {
            pooled += 20000 * chance;
            pooled_hits += histogram[k];
            chance *= (BYTES - k) / (k + 1.0) / 511;
            if (pooled >= 20) { // rare numbers share a bin
                chi_square += pow((double)pooled_hits - pooled, 2) / pooled;
                pooled = 0;
                pooled_hits = 0;
                bins++;
            }
        }
        cr_expect_geq(bins, 20);
        double spread = sqrt(2 * (double)bins);
        cr_expect_lt(fabs(chi_square - bins), 6 * spread, "%s: %g of %d", names[n],
                     chi_square, bins);
    }
}

Test(methods, that_weigh_better_have_smaller_variance) {
    for (uint64_t period = 16; period <= 4096; period *= 16) {
        for (uint64_t size = 1; size <= 64 * period; size += 1 + size / 7) {
            double r = (double)period, s = (double)size;
            double horvitz = hps_bytes_variance(size, period);
            double after = r * (r - 1) * hps_inclusion(size, period);
            double bytes = s * (r - 1);
            cr_expect_leq(horvitz, after * (1 + 1e-12), "%g of %g", s, r);
            cr_expect_leq(after, bytes * (1 + 1e-12), "%g of %g", s, r);
        }
    }
}

// --- uniform gaps -------------------------------------------------------------------

Test(methods, with_uniform_gaps_sample_as_renewal_theory_has_it) {
    struct hps_stream stream = {0};
    make_blend(&stream);
    struct hps_layout layout;
    hps_layout_init(&layout, &stream, 256);
    struct hps_plan plan;
    hps_plan_init(&plan, hps_method_find("uniform-max"), &layout);
    double *chances = malloc(layout.count * sizeof *chances);
    double walks = hps_method_gap_uniform_chances(&layout, plan.interval, chances);
    double expected = 0;
    for (uint32_t i = 0; i < layout.count; i++) {
        expected += layout.slots[i] < 2 ? chances[i] * plan.weights[i] : 0;
    }
    expected /= (double)(layout.truths[0].live_bytes + layout.truths[1].live_bytes);
    struct hps_evaluation evaluation = evaluate("uniform-max", &blend, 50000);
    expect_near(evaluation.total.bytes.mean, 100 * (expected - 1),
                hps_errors_bias_se(&evaluation.total.bytes), "bytes");
    cr_expect(hps_errors_flagged(&evaluation.total.bytes), "they have a memory");
    expect_near((double)evaluation.walks / 50000, walks, sqrt(walks / 50000), "walks");
    hps_evaluation_done(&evaluation);
    free(chances);
    hps_plan_done(&plan);
    hps_layout_done(&layout);
    hps_stream_done(&stream);
}

// --- binomial numbers and workloads ----------------------------------------------------

Test(binomial, has_its_mean_and_variance_for_few_and_for_many_trials) {
    static const struct {
        uint64_t n;
        double chance;
    } cases[] = {{1, 0.3}, {40, 0.5}, {262144, 1.0 / 4096}, {1000000, 0.002}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum {
            DRAWS = 20000,
        };
        struct hps_random random;
        hps_random_init(&random, i + 1);
        double n = (double)cases[i].n, p = cases[i].chance;
        double mean = n * p, variance = mean * (1 - p), sum = 0, squares = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            double distance = (double)hps_binomial(&random, cases[i].n, p) - mean;
            sum += distance;
            squares += distance * distance;
        }
        double fourth = 3 + (1 - 6 * p * (1 - p)) / variance; // the kurtosis
        expect_near(sum / DRAWS, 0, sqrt(variance / DRAWS), "mean");
        expect_near(squares / DRAWS, variance, variance * sqrt((fourth - 1) / DRAWS),
                    "variance");
    }
}

Test(workloads, have_the_bytes_that_the_designs_figures_follow_from) {
    static const struct {
        const char *name;
        uint64_t objects, bytes;
    } expected[] = {
        {"tiny", 8000, 128000},      {"r-size", 200, 819200},
        {"mix", 4212, 461312},       {"pareto", 3000, 307872},
        {"periodic", 2000, 1638400}, {"victim", 2200, 2040000},
        {"churn", 530, 277760},      {"pair", 8001, 128000},
        {"large", 30, 744 * 4096},   {"two-stack", 1000001, 8000000 + (8 << 20)},
        {"huge", 20, 1984 * 4096},   {"spread", 2 * ((2 << 20) - 1), 42 << 24},
        {"few", 542, 4096 / 8 * 73},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct hps_stream stream = {0};
        hps_workload_find(expected[i].name)->make(&stream);
        struct hps_truth *truths = hps_stream_truth(&stream);
        uint64_t objects = 0, bytes = 0;
        for (uint32_t stack = 0; stack < stream.stacks; stack++) {
            objects += truths[stack].live_objects;
            bytes += truths[stack].live_bytes;
        }
        cr_expect_eq(objects, expected[i].objects, "%s", expected[i].name);
        cr_expect_eq(bytes, expected[i].bytes, "%s", expected[i].name);
        free(truths);
        hps_stream_done(&stream);
    }
}

Test(workloads, name_each_of_their_stacks) {
    for (const struct hps_workload *one = hps_workloads; one->name; one++) {
        struct hps_stream stream = {0};
        one->make(&stream);
        uint32_t names = 1;
        for (const char *c = one->stacks; *c; c++) {
            names += *c == ' ';
        }
        cr_expect_eq(names, stream.stacks, "%s", one->name);
        hps_stream_done(&stream);
    }
}

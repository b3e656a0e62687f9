// Tests of trends.  Expected values were computed by another program, with inverted
// matrices; other tests check series without anything to test.
#include "stats/trend.h"
#include "stats/trend_shape.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    M = 12,
    N = 16,
};

static const double uneven[M] = {0, 1, 2, 4, 5, 7, 8, 9, 12, 13, 14, 15.5};
static const double rising[M] = {100, 103, 101, 108, 107, 112,
                                 118, 113, 121, 125, 122, 130};
static const double swinging[N] = {50, 54, 57, 53, 49, 48, 52, 58,
                                   61, 60, 55, 54, 57, 62, 66, 63};

// Expect the p-value and the lower bound of a rise.
static void check(struct hp_rise rise, double p, double least) {
    cr_expect(fabs(rise.p - p) <= 1e-9 * p, "p %.12g, not %.12g", rise.p, p);
    cr_expect(fabs(rise.least - least) <= 1e-9 * fabs(least), "at least %.12g, not %.12g",
              rise.least, least);
}

// Times 0, 1, 2 ...; the caller frees the result.
static struct hp_trend_times *even(size_t count, double confidence) {
    double times[100];
    for (size_t i = 0; i < count; i++) {
        times[i] = (double)i;
    }
    return hp_trend_times_new(times, count, confidence);
}

Test(slopes, of_uneven_times_are_those_of_matrices) {
    struct hp_trend_times *times = hp_trend_times_new(uneven, M, 0.95);
    check(hp_trend_of_line(times, rising), 2.92026735065e-07, 1.53475123098);
    check(hp_trend_of_parts(times, rising), 0.0167682620103, 0.503746376063);
    hp_trend_times_free(times);
    times = hp_trend_times_new(uneven, M, 0.8);
    check(hp_trend_of_line(times, rising), 2.92026735065e-07, 1.68826692306);
    hp_trend_times_free(times);
}

Test(slopes, of_values_near_the_ones_before_are_those_of_matrices) {
    struct hp_trend_times *times = even(N, 0.95);
    check(hp_trend_of_line(times, swinging), 0.190208169687, -0.818727954207);
    check(hp_trend_of_parts(times, swinging), 0.246650384365, -1.97434280747);
    hp_trend_times_free(times);
}

Test(slopes, do_not_depend_on_the_unit_of_time_or_on_when_it_began) {
    double later[M];
    for (int i = 0; i < M; i++) {
        later[i] = 1.7e9 + 3600 * uneven[i];
    }
    struct hp_trend_times *times = hp_trend_times_new(later, M, 0.95);
    check(hp_trend_of_line(times, rising), 2.92026735065e-07, 1.53475123098 / 3600);
    check(hp_trend_of_parts(times, rising), 0.0167682620103, 0.503746376063 / 3600);
    hp_trend_times_free(times);
}

Test(slopes, of_equal_values_are_0_for_certain) {
    double values[M];
    struct hp_trend_times *times = hp_trend_times_new(uneven, M, 0.95);
    for (int i = 0; i < M; i++) {
        values[i] = 1e6 / 3;
    }
    struct hp_rise rise =
        hp_trend_of_all(times, values, hp_trend_of_sampling(times, values, 0));
    cr_expect_eq(rise.p, 1, "%g", rise.p);
    cr_expect_eq(rise.least, 0, "%g", rise.least);
    cr_expect_eq(hp_trend_slope(times, values), 0);
    hp_trend_times_free(times);
}

Test(slopes, of_a_line_are_its_own) {
    double values[M];
    struct hp_trend_times *times = hp_trend_times_new(uneven, M, 0.95);
    for (int i = 0; i < M; i++) {
        values[i] = 5e6 + 1000 * uneven[i];
    }
    struct hp_rise rise =
        hp_trend_of_all(times, values, hp_trend_of_sampling(times, values, 0));
    cr_expect_lt(rise.p, 1e-12, "%g", rise.p);
    cr_expect(fabs(rise.least - 1000) < 0.01, "%g", rise.least);
    hp_trend_times_free(times);
}

Test(slopes, of_dumps_made_at_one_time_are_finite) {
    const double twice[M] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6};
    const double once[M] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    struct hp_trend_times *times = hp_trend_times_new(twice, M, 0.95);
    struct hp_rise rise = hp_trend_of_line(times, rising);
    cr_expect(rise.p > 0 && rise.p < 0.05 && rise.least > 0, "%g, %g", rise.p,
              rise.least);
    hp_trend_times_free(times);
    times = hp_trend_times_new(once, M, 0.95); // three parts have no slope
    rise = hp_trend_of_all(times, rising, hp_trend_of_sampling(times, rising, 1));
    cr_expect_eq(rise.p, 1, "%g", rise.p);
    cr_expect_leq(rise.least, 0, "%g", rise.least);
    hp_trend_times_free(times);
    const double never[M] = {0};
    times = hp_trend_times_new(never, M, 0.95);
    rise = hp_trend_of_all(times, rising, hp_trend_of_sampling(times, rising, 1));
    cr_expect_eq(rise.p, 1, "%g", rise.p);
    cr_expect_leq(rise.least, 0, "%g", rise.least);
    hp_trend_times_free(times);
}

Test(slopes, are_of_a_line_or_of_half_a_wave) {
    const double once[M] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    double line[M], wave[M];
    struct hp_trend_times *times = hp_trend_times_new(uneven, M, 0.95);
    for (int i = 0; i < M; i++) {
        double phase = (uneven[i] - uneven[0]) / (uneven[M - 1] - uneven[0]);
        double noise = i % 2 ? 0.2 : -0.2;
        line[i] = 100 + 20 * phase + noise;
        wave[i] = 100 - 10 * cos(acos(-1) * phase) + noise;
    }
    cr_expect(hp_trend_is_line(times, line));
    cr_expect_not(hp_trend_is_line(times, wave)); // the values rise all the time
    struct hp_rise rise =
        hp_trend_of_all(times, wave, hp_trend_of_sampling(times, wave, 0));
    cr_expect_lt(rise.p, 0.05, "%g", rise.p);
    hp_trend_times_free(times);
    times = hp_trend_times_new(once, M, 0.95); // both have only two different values
    cr_expect(hp_trend_is_line(times, rising));
    hp_trend_times_free(times);
}

Test(slopes, of_fewer_than_eight_dumps_are_those_of_sampling) {
    struct hp_rise sampling = {0.01, 2};
    for (size_t count = 2; count <= N; count++) {
        struct hp_trend_times *times = even(count, 0.95);
        struct hp_rise rise = hp_trend_of_all(times, swinging, sampling);
        cr_expect_eq(rise.p == 0.01 && rise.least == 2, count < HP_TREND_LEAST, "%zu",
                     count);
        hp_trend_times_free(times);
    }
}

Test(slopes, bounds_are_above_0_where_p_is_below_1_less_confidence) {
    for (int percent = 50; percent < 100; percent++) {
        double confidence = percent / 100.;
        struct hp_trend_times *times = even(N, confidence);
        struct hp_rise rise =
            hp_trend_of_all(times, swinging, hp_trend_of_sampling(times, swinging, 1));
        cr_expect_eq(rise.p<1 - confidence, rise.least> 0, "%d: %g, %g", percent, rise.p,
                     rise.least);
        hp_trend_times_free(times);
    }
}

// --- shapes ----------------------------------------------------------------------------

Test(slopes, shapes_are_distinguished) {
    double step[N], levelled[N], line[N], flat[N], down[N];
    for (int i = 0; i < N; i++) {
        step[i] = i < 5 ? 100 : 110;
        levelled[i] = 200 - 100 * exp(-i / 3.);
        line[i] = 100 + i;
        flat[i] = 100;
        down[i] = -step[i];
    }
    cr_expect_eq(hp_trend_shape_of(step, N, true), HP_TREND_STEP);
    cr_expect_eq(hp_trend_shape_of(levelled, N, true), HP_TREND_LEVELLED);
    cr_expect_eq(hp_trend_shape_of(line, N, true), HP_TREND_STEADY);
    cr_expect_eq(hp_trend_shape_of(line, N, false), HP_TREND_NONE);
    cr_expect_eq(hp_trend_shape_of(flat, N, false), HP_TREND_NONE);
    cr_expect_eq(hp_trend_shape_of(down, N, false), HP_TREND_NONE);
    cr_expect_eq(hp_trend_shape_of(step, HP_TREND_LEAST - 1, false), HP_TREND_NONE);
}

// Kendall's tau by comparing all pairs.
static double slow_tau(const double *values, size_t count) {
    double sum = 0, all = 0, ties = 0;
    for (size_t j = 1; j < count; j++) {
        for (size_t i = 0; i < j; i++) {
            sum += (values[j] > values[i]) - (values[j] < values[i]);
            ties += values[j] == values[i];
            all++;
        }
    }
    return all > ties ? sum / sqrt(all * (all - ties)) : 0;
}

Test(slopes, tau_counts_each_pair) {
    enum {
        MOST = 300
    };

    double values[MOST] = {0};
    for (size_t count = 0; count < MOST; count++) {
        for (size_t i = 0; i < count; i++) {
            values[i] =
                (double)(i * 7919 * (count + 1) % (1 + count % 50)) + (double)(i / 3);
        }
        double tau = hp_trend_tau(values, count);
        cr_expect(fabs(tau - slow_tau(values, count)) < 1e-12, "%zu: %g", count, tau);
    }
}

// Whether there is a cycle, by the definition in the source file, one distance after the
// other.
static bool is_cycle_one_by_one(const double *off, size_t count) {
    double whole = 0, lowest = 0;
    for (size_t j = 0; j < count; j++) {
        whole += off[j] * off[j] / (double)count;
    }
    for (size_t k = 1; k <= count / 3; k++) {
        double sum = 0;
        for (size_t j = k; j < count; j++) {
            sum += off[j] * off[j - k] / (double)(count - k);
        }
        if (k >= 4 && lowest <= -0.3 * whole && sum >= 0.5 * whole) {
            return true;
        }
        lowest = fmin(lowest, sum);
    }
    return false;
}

// For long series all distances are computed together; the result has to be the same.
Test(slopes, cycles_of_long_series_are_those_of_each_distance) {
    enum {
        LONG = 1500,
        SEEDS = 60
    };

    static double values[LONG];
    int cycles = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        uint64_t state = seed;
        double mean = 0, rise = 0, squares = 0, length = 3 + 12 * seed % 700;
        for (size_t j = 0; j < LONG; j++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            double noise = (double)(state >> 33) / 0x1p31 - 0.5;
            double angle = 2 * 3.14159265358979 * (double)j / length;
            values[j] = 1e6 + 1e4 * (sin(angle) + (seed % 7) * 0.6 * noise);
            mean += values[j] / LONG;
        }
        double *off = malloc(sizeof values);
        for (size_t j = 0; j < LONG; j++) {
            double place = (double)j - (LONG - 1) / 2.0;
            rise += place * (values[j] - mean);
            squares += place * place;
        }
        for (size_t j = 0; j < LONG; j++) {
            double place = (double)j - (LONG - 1) / 2.0;
            off[j] = values[j] - mean - rise / squares * place;
        }
        bool is_cycle = is_cycle_one_by_one(off, LONG);
        enum hp_trend_shape shape = hp_trend_shape_of(values, LONG, false);
        cr_expect_eq(shape == HP_TREND_CYCLE, is_cycle, "seed %u", seed);
        cycles += is_cycle;
        free(off);
    }
    cr_expect(cycles > SEEDS / 4 && cycles < SEEDS, "%d cycles of %d", cycles, SEEDS);
}

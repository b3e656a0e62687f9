// The report's tests (view/difference.c, stats/trend.c) are turned around: with the
// standard errors that they used, src/stats/power.c finds the change.
//
// A diff.  The new side is taken to have the estimate of the base, with its own error.
// The difference of both estimates varies by the sum of both variances.
//
// A trend.  Sampling has the standard error (slope - bound) / z, by the bound of its test;
// the values around the line have the standard deviation and correlation of these.  Each
// byte of a growth adds as much variance as one of the mean total has.
#include "view/detectable.h"

#include "stats/distributions.h"
#include "stats/power.h"
#include "view/difference.h"
#include "view/trends.h"

#include <math.h>

// Growth above which the condition of --fail-if is met; 0: there is no condition.
static double limit_of(const struct hp_view *view, double base) {
    const struct hp_gate *gate = view->options.gate;
    return !gate ? 0 : gate->growth * (gate->is_share ? fmax(base, 0) : 1);
}

// The p-value that counts as found.
static double level_of(const struct hp_view *view) {
    const struct hp_gate *gate = view->options.gate;
    return gate && gate->p > 0 ? gate->p : 1 - view->options.confidence;
}

// --- diff ---------------------------------------------------------------------------------

// Whether the condition of --fail-if is met, or cannot be judged.
static bool is_met(const struct hp_view *view) {
    struct hp_excess first;
    return hp_view_exceeds(view, &first) || hp_view_is_open(view);
}

// Whether a diff found a change, or, with --fail-if, what that looks for.
static bool is_any_found(const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    bool found = difference->total.is_significant;
    if (view->options.gate) {
        return is_met(view);
    }
    const struct hp_change *change;
    hp_vec_each (change, &difference->rows) {
        found |= change->is_significant;
    }
    return found;
}

// The test of sampling, without a change.
static struct hp_growth_model model_of(const struct hp_change *total) {
    struct hp_measure before = total->tested[0], after = total->tested[1];
    double noise = before.variance + after.variance, bytes = after.estimate;
    struct hp_growth_model model =
        hp_growth_model_of(bytes > 0 ? after : before, after.variance);
    double shift = before.estimate - after.estimate;
    after.estimate = before.estimate;
    after.highest += shift;
    after.observed = fmin(after.observed, after.estimate);
    model.before = before;
    model.after = after;
    model.noise = noise;
    return model;
}

// The smallest change between several processes; `level` is that of one side.
static double change_of_sides(const struct hp_difference *difference,
                              const struct hp_growth_model *model, double level,
                              double limit) {
    const struct hp_change *total = &difference->total;
    double base = total->sides[0].estimate, sd = total->ratio.tests[0].sd;
    double freedom = total->ratio.tests[0].freedom;
    double sampled = fmax(hp_growth_at(model, level), limit), means = 0;
    size_t count[2];
    for (int i = 0; i < 2; i++) {
        bool has_groups = difference->groups[i] > 0;
        count[i] = has_groups ? difference->groups[i] : difference->inputs[i];
    }
    if (!(sd > 0)) {
        return sampled;
    }
    struct hp_side_power *power = hp_side_power_new(count, level);
    double errors = hp_detectable_difference(power, log1p(sampled / base) / sd, freedom);
    if (total->means.sd > 0) {
        means = total->means.sd *
                hp_detectable_difference(power, sampled / total->means.sd, freedom);
    }
    hp_side_power_free(power);
    return fmax(base * expm1(errors * sd), means);
}

struct hp_detectable hp_detectable_change(const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    const struct hp_change *total = &difference->total;
    struct hp_detectable found = {.is_known = false};
    if (difference->test == HP_TEST_NONE || !total->is_known || isnan(total->p) ||
        is_any_found(view)) {
        return found;
    }
    struct hp_growth_model model = model_of(total);
    double base = total->sides[0].estimate, level = level_of(view) / 2;
    double limit = limit_of(view, base);
    found.change = total->ratio.count > 0 && base > 0
                       ? change_of_sides(difference, &model, level, limit)
                       : hp_detectable_growth(&model, level, limit);
    found.is_known = isfinite(found.change);
    found.share = base > 0 ? found.change / base : (double)NAN;
    found.is_of_sampling = !hp_difference_allows_for_processes(difference->test);
    found.is_at_most = difference->test == HP_TEST_PROCESS;
    found.is_of_gate = view->options.gate != NULL;
    found.is_too_few = total->ratio.count > 0 && found.share > HP_MOST_TIMES;
    if (found.is_too_few) {
        found.change = found.share = (double)NAN;
    }
    return found;
}

// --- trend --------------------------------------------------------------------------------

// Whether a trend found growth, or, with --fail-if, what that looks for.
static bool grows(const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    bool found = hp_largest_trend(trends)->total.is_significant;
    if (view->options.gate) {
        return is_met(view);
    }
    for (size_t i = 0; i < trends->rows.count; i++) {
        found |= trends->rows.at[i]->is_significant;
    }
    return found;
}

// The times and totals of a trend, in the units of its slopes.
struct course {
    double *times, *values;
    double mean;
};

// Read the totals of a trend; the caller frees course->times.
static void read_course(const struct hp_view *view, const struct hp_trend *trend,
                        struct course *course) {
    enum hp_metric metric = view->options.metric;
    double seconds = trend->unit->seconds;
    course->times = hp_alloc(2 * trend->dumps * sizeof *course->times);
    course->values = course->times + trend->dumps;
    course->mean = 0;
    for (size_t i = 0; i < trend->dumps; i++) {
        const struct hp_series_dump *dump = &view->series[trend->place + i];
        struct hp_values whole = hp_input_whole(dump->input);
        course->times[i] = seconds > 0 ? dump->time / seconds : dump->time;
        course->values[i] = hp_fixed_double(whole.of[metric], metric);
        course->mean += course->values[i] / (double)trend->dumps;
    }
}

// Set the variance that hp_trend_of_sampling() takes, from the bound that it returned,
// and what growth adds to it.
static void set_variance(const struct hp_trend *trend, const struct hp_trend_times *times,
                         double confidence, struct hp_slope_noise *noise) {
    const struct hp_trend_row *total = &trend->total;
    double span = trend->span, positive = 0, rises = 0;
    double growth = hp_fixed_double(total->last - total->first, HP_INUSE_SPACE);
    bool is_of_ends = trend->test == HP_TEST_PROCESS_ACCUM && span > 0;
    double slope = is_of_ends ? growth / span : total->slope_whole;
    double sd =
        (slope - total->sampling.least) / hp_normal_quantile_above(1 - confidence);
    for (size_t i = 0; i < trend->dumps; i++) {
        double weight = hp_trend_weight(times, i);
        positive += fmax(weight, 0);
        rises += fabs(weight) * (hp_trend_time(times, i) - hp_trend_time(times, 0));
    }
    if (positive > 0) {
        noise->variance = sd > 0 ? sd * sd / positive : 0;
        noise->variance_per_slope =
            noise->noise_per_byte * (is_of_ends ? 1 / span / positive : rises);
    }
}

struct hp_detectable hp_detectable_growth_of_trend(const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = hp_largest_trend(trends);
    struct hp_detectable found = {.is_known = false};
    struct course course;
    if (!trend->can_test_growth || !isfinite(trend->total.sampling.least) ||
        grows(view)) {
        return found;
    }
    read_course(view, trend, &course);
    struct hp_trend_times *times =
        hp_trend_times_new(course.times, trend->dumps, 1 - level_of(view));
    struct hp_noise noise =
        hp_noise_around_line(course.times, course.values, trend->dumps);
    double samples = trend->total.samples;
    struct hp_slope_noise of = {.sd = noise.sd,
                                .noise_per_byte =
                                    samples > 0 ? course.mean / samples : 0};
    set_variance(trend, times, view->options.confidence, &of);
    struct hp_noisy_series *noisy = hp_noisy_series_new(times, trend->dumps, noise);
    double slope = hp_detectable_slope(noisy, of);
    double span = course.times[trend->dumps - 1] - course.times[0];
    found.change = fmax(slope * span, limit_of(view, course.values[0]));
    found.share = course.mean > 0 ? found.change / course.mean : (double)NAN;
    found.is_known = isfinite(found.change);
    found.is_of_gate = view->options.gate != NULL;
    hp_noisy_series_free(noisy);
    hp_trend_times_free(times);
    free(course.times);
    return found;
}

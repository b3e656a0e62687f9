// The spread of H inputs.  Their variance is s^2, and sampling adds W to it on average;
// so the inputs themselves have the variance s^2 - W.  If that is 0, (H - 1) s^2 / W has
// the chi-squared distribution with H - 1 degrees of freedom.
//
// Each input is compared with the others twice: by a t test with their variance, and for
// sampling alone.  If inputs are not known one by one, H replicates give s^2
// (model/between.h).
#include "view/spread.h"

#include "stats/distributions.h"
#include "stats/measure.h"

#include <math.h>

// Mean effective samples of an input, below which p is not computed.
static const double least_samples = 1;

enum {
    LEAST_INPUTS = 4, // fewer inputs are not compared with each other
};

// --- rows ---------------------------------------------------------------------------------

// The p-value of the chi-squared test of `variance`, the variance between `units` inputs
// or replicates; `sampling` is the part that sampling adds on average.
static double p_of(double variance, double sampling, double units) {
    if (sampling <= 0) {
        return variance > 0 ? 0 : 1;
    }
    return hp_gamma_above((units - 1) / 2, (units - 1) * variance / sampling / 2);
}

// The spread of one row, from its sum over the inputs.  If has_errors is false, the part
// that sampling adds is not known, and sd and p are NAN.
static struct hp_spread_row row_of(const struct hp_side_sum *sum,
                                   const struct hp_sides *sides, enum hp_metric metric,
                                   bool has_errors) {
    double n = (double)sides->dumps[1], units = (double)sides->units[1];
    double variance = hp_scatter_variance(&sum->values);
    double sampling = (double)sum->plug_in / n;
    struct hp_measure all = hp_measure_of(sum->value, &sum->error, metric);
    bool is_known = has_errors && units > 1;
    bool tested =
        is_known && all.estimate > 0 && hp_effective_samples(all) >= least_samples * n;
    return (struct hp_spread_row){
        .mean = all.estimate / n,
        .sd = is_known ? sqrt(fmax(variance - sampling, 0)) : (double)NAN,
        .p = tested ? p_of(variance, sampling, units) : (double)NAN,
    };
}

// --- outliers -----------------------------------------------------------------------------

// Sum of the stacks of one input that filters leave.
struct single_input {
    hp_fixed value;
    struct hp_error error;
    double bytes; // `value` in bytes or objects
};

// Read one input from the history, and add up its visible stacks.  `is_whole`: these are
// all stacks.
static struct single_input sum_of_input(const struct hp_profile *profile,
                                        const struct hp_input_record *input,
                                        enum hp_metric metric, const bool *is_visible,
                                        bool is_whole) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    struct single_input sum = {.value = 0};
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        if (is_visible[seen.stack]) {
            sum.value += seen.values.of[metric];
            hp_error_add(&sum.error, &seen.errors[hp_column_of(metric)]);
        }
    }
    hp_history_done_reading(&reader);
    if (is_whole && hp_fraction(metric) == HP_SPACE_FRACTION) {
        hp_input_add_gain(input, hp_column_of(metric), &sum.value, &sum.error);
    }
    sum.bytes = hp_fixed_double(sum.value, metric);
    return sum;
}

// Mean of the sums of all inputs, and the sum of their squared distances from it.
struct moments {
    double count, mean, squares; // `squares` is not divided by `count`
};

// Return the moments of all inputs, computed in two passes.
static struct moments moments_of(const struct single_input *all, size_t count) {
    struct moments m = {.count = (double)count};
    for (size_t i = 0; i < count; i++) {
        m.mean += all[i].bytes / m.count;
    }
    for (size_t i = 0; i < count; i++) {
        m.squares += (all[i].bytes - m.mean) * (all[i].bytes - m.mean);
    }
    return m;
}

// Return the p-value of a t test of one input against all others.  Without this input,
// the mean is further from it by the distance from the mean of all inputs, divided by the
// number of the others, and the sum of squares is smaller by the term that is subtracted.
static double t_test(double value, struct moments m) {
    double away = value - m.mean, others = m.count - 1;
    double distance = away * m.count / others;
    double squares = fmax(m.squares - away * away * m.count / others, 0);
    double sd = sqrt(squares / (others - 1) * (1 + 1 / others));
    if (sd <= 0) {
        return distance != 0 ? 0 : 1;
    }
    return 2 * hp_student_above(fabs(distance) / sd, others - 1);
}

// The mean of all inputs except `self`, with its error.  `others` is their number, and
// `sum` the sum of all inputs.
static struct hp_measure mean_of_others(const struct hp_side_sum *sum,
                                        const struct single_input *self, double others,
                                        enum hp_metric metric) {
    struct hp_error error = sum->error;
    error.variance -= self->error.variance;
    error.objects_variance -= self->error.objects_variance;
    error.hidden_bytes_max -= self->error.hidden_bytes_max;
    error.excess_bytes_max -= self->error.excess_bytes_max;
    error.observed_bytes -= self->error.observed_bytes;
    error.samples -= self->error.samples;
    struct hp_measure m = hp_measure_of(sum->value - self->value, &error, metric);
    return hp_measure_mean(m, others);
}

// Compare one input with the others.  Its p is the larger one of the t test and of the
// test for sampling alone.  The caller sets `input`, `name` and `q`.
static struct hp_outlier judge(const struct single_input *self, struct moments moments,
                               const struct hp_side_sum *sum, enum hp_metric metric) {
    struct hp_measure mean = mean_of_others(sum, self, moments.count - 1, metric);
    struct hp_error error = self->error;
    error.period = sum->error.period;
    error.max_weight = sum->error.max_weight;
    struct hp_measure own = hp_measure_of(self->value, &error, metric);
    double sampling = 2 * fmin(hp_growth_p(mean, own), hp_growth_p(own, mean));
    return (struct hp_outlier){
        .value = self->value,
        .others = mean.estimate,
        .p = fmin(fmax(sampling, t_test(self->bytes, moments)), 1),
    };
}

// Order of outliers: by p, then by input.
static int by_p(const void *left, const void *right) {
    const struct hp_outlier *a = left, *b = right;
    if (a->p != b->p) {
        return a->p < b->p ? -1 : 1;
    }
    return (a->input > b->input) - (a->input < b->input);
}

// Add to spread->outliers the inputs that are significant after adjustment for the number
// of inputs, sorted by p.
static void keep_outliers(struct hp_spread *spread, struct hp_outlier *all, size_t count,
                          double confidence) {
    double *p = hp_alloc(count * sizeof *p);
    for (size_t i = 0; i < count; i++) {
        p[i] = all[i].p;
    }
    hp_adjust_significance(p, count);
    for (size_t i = 0; i < count; i++) {
        all[i].q = p[i];
        if (p[i] <= 1 - confidence) {
            hp_vec_push(&spread->outliers, all[i]);
        }
    }
    free(p);
    hp_vec_sort(&spread->outliers, by_p);
}

// Compare each input with the others, and find the outliers.  `sum` is the sum of all
// inputs.
static void find_outliers(struct hp_spread *spread, const struct hp_view *view,
                          const struct hp_sides *sides, const struct hp_side_sum *sum) {
    const struct hp_profile *profile = view->profile;
    size_t count = sides->new.count;
    enum hp_metric metric = view->options.metric;
    bool is_whole = !view->head.is_filtered && hp_profile_has_all_shards(profile);
    struct single_input *all = hp_alloc(count * sizeof *all);
    struct hp_outlier *judged = hp_alloc(count * sizeof *judged);
    bool *is_visible = hp_visible_stacks(&view->naming);
    for (size_t i = 0; i < count; i++) {
        const struct hp_input_record *input =
            &profile->inputs.records.at[sides->new.at[i]];
        all[i] = sum_of_input(profile, input, metric, is_visible, is_whole);
    }
    free(is_visible);
    struct moments moments = moments_of(all, count);
    for (size_t i = 0; i < count; i++) {
        judged[i] = judge(&all[i], moments, sum, metric);
        judged[i].input = sides->new.at[i];
        judged[i].name = profile->inputs.records.at[sides->new.at[i]].public.name;
    }
    keep_outliers(spread, judged, count, view->options.confidence);
    free(judged);
    free(all);
}

// --- the spread of all rows ---------------------------------------------------------------

static const struct hp_spread_row unknown = {NAN, NAN, NAN};

// Make the row of each node.  Dumps that lack names of a module of the node are excluded
// from its row, or the row is not known if too few are left.
static void make_rows(struct hp_spread *spread, const struct hp_view *view,
                      const struct hp_sides *sides, const struct hp_members *members,
                      const struct hp_sums *sums) {
    enum hp_metric metric = view->options.metric;
    bool has_errors = hp_profile_has_errors(view->profile, hp_column_of(metric));
    const struct hp_open_code *open = &spread->open;
    struct hp_named_list named = {0};
    spread->rows = hp_alloc(members->node_count * sizeof *spread->rows);
    for (size_t i = 0; i < members->node_count; i++) {
        struct hp_spread_row *row = &spread->rows[i];
        uint64_t modules = open->modules.count > 0 ? open->of_node[i] : 0;
        uint64_t in_some = modules & ~open->by_address;
        *row = row_of(&sums[i].sides[1], sides, metric, has_errors);
        if (in_some != 0) {
            const struct hp_named_dumps *dumps =
                hp_named_list_get(&named, open, view, sides, members, in_some);
            *row = dumps->is_enough ? row_of(&dumps->sums[i].sides[1], &dumps->sides,
                                             metric, has_errors)
                                    : unknown;
        }
        if (modules != 0 && open->open_nodes[i] != 0) {
            row->p = NAN; // one address may be two functions
        }
    }
    hp_named_list_done(&named);
}

void hp_spread_init(struct hp_spread *spread, const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    const struct hp_report_options *options = &view->options;
    struct hp_members members;
    struct hp_sides sides;
    hp_sides_init(&sides, profile);
    hp_members_init(&members, &view->naming, options->sort == HP_SORT_CUM);
    struct hp_sums *sums =
        hp_diff_sums(profile, &sides, &members, options->metric, false);
    bool has_errors = hp_profile_has_errors(profile, hp_column_of(options->metric));
    *spread = (struct hp_spread){
        .inputs = sides.dumps[1],
        .groups = sides.has_groups[1] ? sides.units[1] : 0,
        .has_filters = options->filter_count > 0,
    };
    hp_open_code_init(&spread->open, view, &sides, false);
    for (size_t i = members.node_count; i < members.node_count + 2; i++) {
        if (i == members.node_count || !view->head.is_filtered) {
            hp_diff_sums_take_gain(&sums[i], profile, &sides, options->metric, false);
        }
    }
    make_rows(spread, view, &sides, &members, sums);
    hp_holders_init(&spread->holders, view, &sides, &members, &spread->open);
    spread->total =
        row_of(&sums[members.node_count].sides[1], &sides, options->metric, has_errors);
    if (spread->groups > 0 && !spread->has_filters) {
        hp_spread_judge_extremes(spread, profile, &sides,
                                 &sums[members.node_count].sides[1], options);
    } else if (spread->groups == 0 && has_errors && sides.new.count >= LEAST_INPUTS) {
        find_outliers(spread, view, &sides, &sums[members.node_count + 1].sides[1]);
    }
    free(sums);
    hp_members_done(&members);
    hp_sides_done(&sides);
}

void hp_spread_done(struct hp_spread *spread) {
    hp_holders_done(&spread->holders);
    hp_open_code_done(&spread->open);
    free(spread->rows);
    hp_vec_done(&spread->outliers);
}

// The slope of a line fitted to B_j at the times t_j is b = sum a_j B_j, with a_j = (t_j - t) /
// sum (t_j - t)^2, t the mean.  One sampled object is in some dumps that follow one another,
// so that dumps of one process are not independent; whatever the lifetimes,
//
//     Var(b) <= A sum |a_j| V_j, A = sum of the positive a_j
//
// and z = b / sqrt(bound) is held against the normal distribution.  That is all of sampling;
// that memory goes up and down by itself is in how the values scatter around the line, which a
// t test of the fit counts.  The larger p is the row's.

#include "view/report_trend.h"

#include "stats/distributions.h"
#include "stats/measure.h"

#include <math.h>

static const double least_samples = 2.5; // of a row, on average of the dumps
static const double seconds_per_hour = 3600;

enum {
    LEAST_FITTED = 4, // dumps, for values to be able to scatter
};

// --- the series ---------------------------------------------------------------------------

struct dump {
    const struct hp_input_record *input;
    size_t number; // in the profile's list
    double time;   // hours, or its place
    double weight; // a_j
};

static void fit(struct dump *dumps, size_t count) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        mean += dumps[i].time / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        squares += (dumps[i].time - mean) * (dumps[i].time - mean);
    }
    for (size_t i = 0; i < count; i++) {
        dumps[i].weight = squares > 0 ? (dumps[i].time - mean) / squares : 0;
    }
}

static struct dump *make_series(const struct hp_view *view) {
    const struct hp_series_dump *series = view->series;
    size_t count = view->series_count;
    struct dump *dumps = hp_alloc(count * sizeof *dumps);
    for (size_t i = 0; i < count; i++) {
        double time = series[i].time;
        dumps[i] = (struct dump){
            .input = series[i].input,
            .number = series[i].number,
            .time = view->head.has_times ? time / seconds_per_hour : time,
        };
    }
    fit(dumps, count);
    return dumps;
}

// --- sums ---------------------------------------------------------------------------------

// Of a node over the dumps that were read.
struct sum {
    hp_fixed first, before, now; // in the first dump, the one before, the present one
    hp_int128 variance;          // of now
    double slope, bound, samples;
    unsigned flags; // of all errors
    size_t grew;
    double *values; // of each dump; NULL: no stack counts here
};

struct adder {
    const struct hp_profile *profile;
    const struct hp_members *members;
    enum hp_metric metric;
    const struct dump *dumps;
    struct sum *sums; // of each node, the total, and what filters leave
};

static hp_int128 variance_of(const struct hp_error *error, enum hp_metric metric) {
    return hp_fraction(metric) == HP_SPACE_FRACTION
               ? error->variance
               : error->objects_variance >> HP_ERROR_FRACTION;
}

static void add(struct sum *sum, hp_fixed value, const struct hp_error *error,
                enum hp_metric metric) {
    sum->now += value;
    sum->variance += variance_of(error, metric);
    sum->flags |= error->flags;
}

static void read_dump(struct adder *adder, const struct dump *dump) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    const struct hp_members *members = adder->members;
    hp_history_open(&reader, &adder->profile->history, dump->input->number);
    while (hp_history_next(&reader, &seen)) {
        hp_fixed value = seen.values.of[adder->metric];
        const struct hp_error *error = &seen.errors[hp_column_of(adder->metric)];
        size_t end = members->first.at[seen.stack + 1];
        for (size_t i = members->first.at[seen.stack]; i < end; i++) {
            add(&adder->sums[members->nodes.at[i].n], value, error, adder->metric);
        }
        add(&adder->sums[members->node_count], value, error, adder->metric);
        if (hp_members_has(members, seen.stack)) {
            add(&adder->sums[members->node_count + 1], value, error, adder->metric);
        }
    }
    hp_history_done_reading(&reader);
}

static void conclude_dump(struct sum *sum, const struct dump *dump, size_t place,
                          enum hp_metric metric) {
    double value = hp_fixed_double(sum->now, metric), variance = (double)sum->variance;
    if (place == 0) {
        sum->first = sum->now;
    } else {
        sum->grew += sum->now > sum->before;
    }
    sum->values[place] = value;
    sum->slope += dump->weight * value;
    sum->bound += fabs(dump->weight) * variance;
    sum->samples += variance > 0 ? value * value / variance : value > 0 ? INFINITY : 0;
    sum->before = sum->now;
    sum->now = 0;
    sum->variance = 0;
}

static void sum_up(struct adder *adder, struct hp_trend *trend) {
    size_t nodes = adder->members->node_count, all = nodes + 2, used = 2;
    adder->sums = hp_alloc(all * sizeof *adder->sums);
    bool *is_used = hp_alloc(all);
    is_used[nodes] = is_used[nodes + 1] = true;
    for (size_t i = 0; i < adder->members->nodes.count; i++) {
        used += !is_used[adder->members->nodes.at[i].n];
        is_used[adder->members->nodes.at[i].n] = true;
    }
    trend->values = hp_alloc(used * trend->dumps * sizeof *trend->values);
    for (size_t i = 0, row = 0; i < all; i++) {
        if (is_used[i]) {
            adder->sums[i].values = trend->values + trend->dumps * row++;
        }
    }
    free(is_used);
    for (size_t j = 0; j < trend->dumps; j++) {
        read_dump(adder, &adder->dumps[j]);
        for (size_t i = 0; i < all; i++) {
            if (adder->sums[i].values) {
                conclude_dump(&adder->sums[i], &adder->dumps[j], j, adder->metric);
            }
        }
    }
}

// --- rows ---------------------------------------------------------------------------------

static double positive_weights(const struct dump *dumps, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += fmax(dumps[i].weight, 0);
    }
    return sum;
}

static double p_of(double slope, double sd) {
    if (sd > 0) {
        return hp_normal_above(slope / sd);
    }
    return slope > 0 ? 0 : 1;
}

static bool can_scatter(const struct dump *dumps, size_t count) {
    return count >= LEAST_FITTED && positive_weights(dumps, count) > 0;
}

// The probability that values which only scatter rise by as much.
static double p_of_fit(const struct sum *sum, const struct dump *dumps, size_t count) {
    double mean = 0, mean_time = 0, squares = 0, rest = 0;
    for (size_t j = 0; j < count; j++) {
        mean += sum->values[j] / (double)count;
        mean_time += dumps[j].time / (double)count;
    }
    for (size_t j = 0; j < count; j++) {
        double time = dumps[j].time - mean_time;
        double off = sum->values[j] - mean - sum->slope * time;
        squares += time * time;
        rest += off * off;
    }
    double freedom = (double)count - 2;
    return rest > 0
               ? hp_student_above(sum->slope / sqrt(rest / freedom / squares), freedom)
               : p_of(sum->slope, 0);
}

static struct hp_trend_row make_row(const struct hp_trend *trend, const struct sum *sum,
                                    const struct dump *dumps, double half_per_sd) {
    double sd = sqrt(sum->bound);
    // Of objects of mixed sizes nobody knows how far their number is off.
    bool is_known = sum->flags == 0 || trend->is_of_space;
    bool tested = trend->test != HP_TEST_NONE && is_known;
    return (struct hp_trend_row){
        .first = sum->first,
        .last = sum->before,
        .slope = sum->slope,
        .slope_error = tested ? half_per_sd * sd : NAN,
        .p = tested ? p_of(sum->slope, sd) : NAN,
        .q = NAN,
        .fit_p = tested && trend->is_fitted ? p_of_fit(sum, dumps, trend->dumps) : NAN,
        .grew = sum->grew,
        .samples = sum->samples / (double)trend->dumps,
        .values = sum->values,
    };
}

static int by_growth(const void *left, const void *right, void *context) {
    const struct hp_trend_row *a = left, *b = right;
    double low_a = a->slope - (isnan(a->slope_error) ? 0 : a->slope_error);
    double low_b = b->slope - (isnan(b->slope_error) ? 0 : b->slope_error);
    if (low_a != low_b) {
        return low_a > low_b ? -1 : 1;
    }
    return hp_node_compare(context, a->node, b->node);
}

static void adjust(struct hp_trend *trend) {
    double *p = hp_alloc(trend->rows.count * sizeof *p);
    for (size_t i = 0; i < trend->rows.count; i++) {
        struct hp_trend_row *row = &trend->rows.at[i];
        row->p = row->samples >= least_samples ? fmax(row->p, row->fit_p) : NAN;
        p[i] = row->p;
    }
    hp_adjust_significance(p, trend->rows.count);
    for (size_t i = 0; i < trend->rows.count; i++) {
        trend->rows.at[i].q = p[i];
    }
    free(p);
}

// Of many rows: there is but one, so that nothing has to be adjusted.
static void conclude_sum(struct hp_trend_row *sum) {
    sum->p = fmax(sum->p, sum->fit_p);
    sum->q = sum->p;
}

// Where the dumps tell what was freed in between, the last against the first tells more.
static void test_by_difference(struct hp_trend *trend, struct hp_view *view,
                               const struct dump *dumps,
                               const struct hp_members *members) {
    struct hp_sides sides = {0};
    struct hp_difference difference;
    hp_vec_push(&sides.base, dumps[0].number);
    hp_vec_push(&sides.new, dumps[trend->dumps - 1].number);
    hp_difference_init(&difference, view, &sides, members);
    trend->test = difference.test;
    if (difference.test == HP_TEST_PROCESS_ACCUM) {
        double *p = hp_alloc(members->node_count * sizeof *p);
        for (size_t i = 0; i < difference.rows.count; i++) {
            p[difference.rows.at[i].node.n] = difference.rows.at[i].growth_p;
        }
        for (size_t i = 0; i < trend->rows.count; i++) {
            struct hp_trend_row *row = &trend->rows.at[i];
            row->p = row->first != 0 || row->last != 0 ? p[row->node.n] : 1;
        }
        trend->total.p = difference.total.growth_p;
        trend->filtered.p = difference.filtered.growth_p;
        free(p);
    }
    hp_difference_done(&difference);
    hp_sides_done(&sides);
}

static void make_rows(struct hp_trend *trend, const struct adder *adder,
                      double confidence) {
    double positive = positive_weights(adder->dumps, trend->dumps);
    double half_per_sd = hp_normal_quantile_above((1 - confidence) / 2);
    size_t nodes = adder->members->node_count;
    for (size_t i = 0; i < nodes + 2; i++) {
        adder->sums[i].bound *= positive;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (adder->sums[i].values && adder->sums[i].samples > 0) {
            hp_vec_push(&trend->rows,
                        make_row(trend, &adder->sums[i], adder->dumps, half_per_sd))
                ->node.n = i;
        }
    }
    trend->total = make_row(trend, &adder->sums[nodes], adder->dumps, half_per_sd);
    trend->filtered = make_row(trend, &adder->sums[nodes + 1], adder->dumps, half_per_sd);
}

static void trend_init(struct hp_trend *trend, struct hp_view *view,
                       const struct hp_members *members) {
    const struct hp_report_options *options = &view->options;
    struct dump *dumps = make_series(view);
    struct adder adder = {.profile = view->profile,
                          .members = members,
                          .metric = options->metric,
                          .dumps = dumps};
    bool has_errors = view->precision.is_known[hp_column_of(options->metric)];
    size_t last = view->series_count - 1;
    *trend = (struct hp_trend){
        .test = has_errors ? HP_TEST_PROCESS : HP_TEST_NONE,
        .is_of_space = hp_fraction(options->metric) == HP_SPACE_FRACTION,
        .is_fitted = has_errors && can_scatter(dumps, view->series_count),
        .dumps = view->series_count,
        .hours = view->head.has_times ? dumps[last].time - dumps[0].time : (double)NAN,
    };
    sum_up(&adder, trend);
    make_rows(trend, &adder, options->confidence);
    if (has_errors) {
        test_by_difference(trend, view, dumps, members);
        adjust(trend);
        conclude_sum(&trend->total);
        conclude_sum(&trend->filtered);
    }
    hp_vec_sort_r(&trend->rows, by_growth, &view->naming);
    free(adder.sums);
    free(dumps);
}

static void trend_done(struct hp_trend *trend) {
    hp_vec_done(&trend->rows);
    free(trend->values);
}

static double tau_of(const struct hp_trend *trend, const struct hp_trend_row *row) {
    double sum = 0, pairs = 0, ties = 0;
    for (size_t j = 1; j < trend->dumps; j++) {
        for (size_t i = 0; i < j; i++) {
            double step = row->values[j] - row->values[i];
            sum += step > 0 ? 1 : step < 0 ? -1 : 0;
            ties += step == 0;
            pairs++;
        }
    }
    return pairs > ties ? sum / sqrt(pairs * (pairs - ties)) : 0;
}

static bool is_significant(const struct hp_trend_row *row, double confidence) {
    return row->slope > 0 && row->q <= 1 - confidence; // false for NAN
}

// --- the report ---------------------------------------------------------------------------

enum field {
    FIRST,
    LAST,
    SLOPE,
    P,
    Q,
    TAU,
    GREW,
    SIGNIFICANT,
    VALUES,
};

static const struct hp_field fields[] = {
    {{"first", "first", NULL, HP_CELL_SUM}, FIRST, HP_NEW_LINE},
    {{"last", "last", NULL, HP_CELL_SUM}, LAST},
    {{"slope", NULL, NULL, HP_CELL_RATE}, SLOPE, HP_SHOWN_SIGNED | HP_NEW_LINE},
    {{"p", "p", "", HP_CELL_P},
     P,
     HP_SHOWN_MARK | HP_NEW_LINE,
     NULL,
     0,
     "2.5 samples a dump"},
    {{"q", NULL, "", HP_CELL_P}, Q},
    {{"tau", "tau", "", HP_CELL_NUMBER},
     TAU,
     HP_ROUGH,
     NULL,
     6,
     "tau is 1 where each value is more than the one before; grew counts in how many of the "
     "steps"},
    {{"grew", "grew", "", HP_CELL_COUNT}, GREW, 0, NULL, 10},
    {{"significant", NULL, "", HP_CELL_TRUTH}, SIGNIFICANT},
    {{"values", NULL, NULL, HP_CELL_SERIES}, VALUES, HP_NEW_LINE},
};

static void set_fields(struct hp_view *view, const struct hp_trend *trend) {
    static const char *const units[2][2] = {{"objects/dump", "objects/hour"},
                                            {"bytes/dump", "bytes/hour"}};
    bool is_tested = trend->test != HP_TEST_NONE, has_times = !isnan(trend->hours);
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    struct hp_field *slope = &view->fields.at[SLOPE];
    slope->shown |= is_tested ? HP_SHOWN_ERROR : 0;
    slope->column.title = has_times ? "slope/hour" : "slope/dump";
    slope->column.unit = units[trend->is_of_space][has_times];
    view->fields.at[P].column.title = is_tested ? "p" : NULL;
}

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    struct hp_trend *trend = view->extra = hp_alloc(sizeof *trend);
    struct hp_members members;
    hp_members_init(&members, &view->naming, view->options.sort == HP_SORT_CUM);
    trend_init(trend, view, &members);
    hp_members_done(&members);
    const struct hp_trend_row *row;
    hp_vec_each (row, &trend->rows) {
        hp_view_add_row(view, row->node);
    }
    set_fields(view, trend);
    return HP_OK;
}

static void done(struct hp_view *view) {
    trend_done(view->extra);
}

static const struct hp_trend_row *row_of(const struct hp_view *view, size_t row) {
    const struct hp_trend *trend = view->extra;
    return row == HP_ROW_TOTAL      ? &trend->total
           : row == HP_ROW_FILTERED ? &trend->filtered
                                    : &trend->rows.at[row];
}

static void cell(const struct hp_view *view, size_t number, int field,
                 enum hp_metric metric, struct hp_content *content) {
    const struct hp_trend *trend = view->extra;
    const struct hp_trend_row *row = row_of(view, number);
    const double numbers[] = {
        [SLOPE] = row->slope,
        [P] = row->p,
        [Q] = row->q,
        [TAU] = field == TAU ? tau_of(trend, row) : (double)NAN,
        [GREW] = (double)row->grew,
        [SIGNIFICANT] = is_significant(row, view->options.confidence),
        [VALUES] = NAN,
    };
    if (metric != view->options.metric) {
        return; // it is not known
    }
    content->number = numbers[field];
    content->whole = (double)trend->dumps - 1;
    content->series = row->values;
    content->count = trend->dumps;
    content->amount = (struct hp_amount){
        .sum = field == FIRST ? row->first : row->last,
        .range = field == SLOPE ? (struct hp_interval){row->slope - row->slope_error,
                                                       row->slope + row->slope_error}
                                : content->amount.range,
    };
}

static unsigned flags(const struct hp_view *view, size_t row) {
    return is_significant(row_of(view, row), view->options.confidence)
               ? HP_ROW_SIGNIFICANT
               : 0;
}

static struct hp_growth growth(const struct hp_view *view, size_t number) {
    const struct hp_trend_row *row = row_of(view, number);
    return (struct hp_growth){row->first, row->last, row->q};
}

const struct hp_report hp_report_trend = {
    .name = "trend",
    .help = "how functions grew over a series of dumps of one process",
    .is_table = true,
    .needs_series = true,
    .build = build,
    .cell = cell,
    .flags = flags,
    .growth = growth,
    .done = done,
};

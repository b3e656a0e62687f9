// Trends of series of dumps.  Values of each dump are added up stack by stack;
// stats/trend.c decides whether they grow.  If dumps also have allocated bytes, comparing
// the last dump with the first one shows growth beyond sampling error better than the
// slope does.
#include "view/trends.h"

#include "stats/measure.h"
#include "stats/trend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Mean effective samples of a dump, below which a row is not tested.
static const double least_samples = 2.5;
static const double seconds_per_hour = 3600;

// Units of slopes, the shortest first.
static const struct hp_trend_unit units[] = {
    {"dump", 0, {"objects/dump", "bytes/dump"}, "per dump"},
    {"second", 1, {"objects/second", "bytes/second"}, "per second"},
    {"minute", 60, {"objects/minute", "bytes/minute"}, "per minute"},
    {"hour", 3600, {"objects/hour", "bytes/hour"}, "per hour"},
    {"day", 86400, {"objects/day", "bytes/day"}, "per day"},
};

// --- the series ---------------------------------------------------------------------------

// A dump of the series whose trend is computed.
struct dump {
    const struct hp_input_record *input;
    size_t number;                  // number in profile->inputs.records
    double weight;                  // weight in the slope, as an absolute value
    double weights[HP_ONSET_SPANS]; // such weights in the slope of each span (onset.h)
};

// Time from the first dump of a series to the last, in seconds; without times, the number
// of steps between dumps.
static double span_of(const struct hp_series_dump *series, size_t count) {
    return series[count - 1].time - series[0].time;
}

// The unit of slopes.  All series have the same one, so that they can be compared: the
// unit of the longest series.
static const struct hp_trend_unit *unit_of(const struct hp_view *view) {
    size_t unit = view->head.has_times ? 1 : 0, count = sizeof units / sizeof *units;
    double span = 0;
    for (size_t i = 0, length; i < view->series_count; i += length) {
        length = hp_series_length(view->series + i, view->series_count - i);
        span = fmax(span, span_of(view->series + i, length));
    }
    while (unit > 0 && unit + 1 < count && span >= 2 * units[unit + 1].seconds) {
        unit++;
    }
    return &units[unit];
}

// Return the dumps of a series, and set *times and *onsets, which depend on the times
// only.  The caller frees all three.
static struct dump *make_series(const struct hp_view *view,
                                const struct hp_series_dump *series, size_t count,
                                struct hp_trend_times **times,
                                struct hp_onset_times **onsets) {
    double seconds = unit_of(view)->seconds;
    double *in_units = hp_alloc(count * sizeof *in_units);
    struct dump *dumps = hp_alloc(count * sizeof *dumps);
    for (size_t i = 0; i < count; i++) {
        in_units[i] = seconds > 0 ? series[i].time / seconds : series[i].time;
    }
    *times = hp_trend_times_new(in_units, count, view->options.confidence);
    *onsets = hp_onset_times_new(in_units, count, view->options.confidence);
    for (size_t i = 0; i < count; i++) {
        dumps[i] = (struct dump){
            .input = series[i].input,
            .number = series[i].number,
            .weight = fabs(hp_trend_weight(*times, i)),
        };
        for (size_t k = 0; k < HP_ONSET_SPANS; k++) {
            dumps[i].weights[k] = fabs(hp_onset_weight(*onsets, k, i));
        }
    }
    free(in_units);
    return dumps;
}

// --- sums ---------------------------------------------------------------------------------

// Sums of one node, of the total, or of what filters leave, over the dumps that were read
// so far.
struct trend_sum {
    // Value in the first dump, in the dump before, and in the current one.
    hp_fixed first, before, now;
    hp_int128 variance; // variance of `now`
    // Sums over the dumps: of the variance times the weight of the dump, and of the
    // effective samples.
    double weighted, samples;
    double of_spans[HP_ONSET_SPANS]; // `weighted` with the weights in each span
    unsigned flags;                  // flags of all errors that were added
    size_t grew;  // number of dumps with a higher value than the one before
    bool is_used; // some stack of the profile is added to this place
};

// State while the dumps of a series are added up.
struct trend_adder {
    const struct hp_profile *profile;
    const struct hp_members *members;
    enum hp_metric metric;
    const struct dump *dumps;
    bool is_filtered;       // the filters leave less than all stacks
    struct trend_sum *sums; // by place: nodes, the total, and the filtered sum
};

// Variance of a value, in bytes^2 or objects^2.
static hp_int128 variance_of(const struct hp_error *error, enum hp_metric metric) {
    return hp_fraction(metric) == HP_SPACE_FRACTION
               ? error->variance
               : error->objects_variance >> HP_ERROR_FRACTION;
}

// Add the value of a stack in the current dump to the sum of a node, of the total, or of
// what filters leave (a place).
static void add(const struct trend_adder *adder, size_t place, hp_fixed value,
                const struct hp_error *error) {
    struct trend_sum *sum = &adder->sums[place];
    sum->now += value;
    sum->variance += variance_of(error, adder->metric);
    sum->flags |= error->flags;
}

// Whether a place is a sum of all stacks.
static bool is_of_all(const struct trend_adder *adder, size_t place) {
    size_t nodes = adder->members->node_count;
    return place == nodes || (place == nodes + 1 && !adder->is_filtered);
}

// What the header of dump `j` of the series adds to the sum of all stacks.
static hp_fixed gain_of(const struct trend_adder *adder, size_t j) {
    struct hp_error ignored = {0};
    hp_fixed gain = 0;
    if (hp_fraction(adder->metric) == HP_SPACE_FRACTION &&
        hp_profile_has_all_shards(adder->profile)) {
        hp_input_add_gain(adder->dumps[j].input, hp_column_of(adder->metric), &gain,
                          &ignored);
    }
    return gain;
}

// Read dump number `place` of the series from the history; add its values to the places
// and to `held`.
static void read_dump(struct trend_adder *adder, struct hp_stack_series *held,
                      uint32_t place) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    const struct hp_members *members = adder->members;
    hp_history_open(&reader, &adder->profile->history, adder->dumps[place].input->number);
    while (hp_history_next(&reader, &seen)) {
        hp_fixed value = seen.values.of[adder->metric];
        hp_stack_series_add(held, seen.stack, place, value);
        const struct hp_error *error = &seen.errors[hp_column_of(adder->metric)];
        size_t end = members->first.at[seen.stack + 1];
        for (size_t i = members->first.at[seen.stack]; i < end; i++) {
            add(adder, members->nodes.at[i].n, value, error);
        }
        add(adder, members->node_count, value, error);
        if (hp_members_has(members, seen.stack)) {
            add(adder, members->node_count + 1, value, error);
        }
    }
    hp_history_done_reading(&reader);
}

// Add the values of the current dump, number `place` of the series, to the sums of one
// row over all dumps; clear them for the next dump.
static void conclude_dump(struct trend_sum *sum, const struct dump *dump, size_t place,
                          enum hp_metric metric) {
    double value = hp_fixed_double(sum->now, metric), variance = (double)sum->variance;
    sum->first = place == 0 ? sum->now : sum->first;
    sum->grew += place > 0 && sum->now > sum->before;
    sum->weighted += dump->weight * variance;
    for (size_t i = 0; i < HP_ONSET_SPANS; i++) {
        sum->of_spans[i] += dump->weights[i] * variance;
    }
    sum->samples += variance > 0 ? value * value / variance : value > 0 ? INFINITY : 0;
    sum->before = sum->now;
    sum->now = 0;
    sum->variance = 0;
}

// Read all dumps of a series; make adder->sums, which the caller frees, and trend->held.
static void sum_up(struct trend_adder *adder, struct hp_trend *trend) {
    const struct hp_members *members = adder->members;
    size_t nodes = members->node_count, all = nodes + 2;
    adder->sums = hp_alloc(all * sizeof *adder->sums);
    adder->sums[nodes].is_used = adder->sums[nodes + 1].is_used = true;
    for (size_t i = 0; i < members->nodes.count; i++) {
        adder->sums[members->nodes.at[i].n].is_used = true;
    }
    hp_stack_series_init(&trend->held, adder->profile->stacks.count);
    for (uint32_t j = 0; j < trend->dumps; j++) {
        read_dump(adder, &trend->held, j);
        trend->stacks[0] = j == 0 ? adder->sums[nodes].now : trend->stacks[0];
        trend->stacks[1] = adder->sums[nodes].now;
        for (size_t i = 0; i < all; i++) {
            adder->sums[i].now += is_of_all(adder, i) ? gain_of(adder, j) : 0;
            if (adder->sums[i].is_used) {
                conclude_dump(&adder->sums[i], &adder->dumps[j], j, adder->metric);
            }
        }
    }
    hp_stack_series_sort(&trend->held, (uint32_t)trend->dumps);
}

// --- rows ---------------------------------------------------------------------------------

static const struct hp_rise unknown = {NAN, NAN};

// Data from which the rows of a series are made.
struct trend_maker {
    const struct trend_adder *adder;
    const struct hp_trend_times *times;
    const struct hp_onset_times *onsets;
    // By place: growth of the last dump over the first one; NULL: the slope is tested
    // instead.
    struct hp_rise *rises;
    struct spans *spans; // growth of the last dump over the first one of each span
    struct hp_row_values *values;
    double confidence;
    bool has_errors;
    const struct hp_open_code *open;
    // Bits of modules for which some dump of the series lacks names.
    uint64_t open_modules;
};

// A comparison of the last dump with an earlier one.
struct comparison {
    size_t first; // number of the earlier dump in the series
    double alpha; // error probability of the lower bounds of growth that are computed
    // Rows whose p is at least this need no bound: their bound at `alpha` is 0 or below.
    double least_p;
};

// The growth of a change between two dumps: its p-value, and its lower bound per unit of
// time.  `span` is the time between both dumps, in units.
static struct hp_rise rise_of(const struct hp_change *change, double span,
                              const struct comparison *of) {
    bool is_asked = !(change->growth_p >= of->least_p); // true for NAN
    double least =
        !is_asked ? -INFINITY
        : span > 0 && change->is_known
            ? hp_least_growth(change->tested[0], change->tested[1], of->alpha) / span
            : (double)NAN;
    return (struct hp_rise){change->growth_p, least};
}

// Return the growth of each of `nodes` nodes, of the total and of the filtered sum.  The
// caller frees the array.
static struct hp_rise *make_rises(const struct hp_difference *difference, size_t nodes,
                                  double span, const struct comparison *of) {
    struct hp_rise *rises = hp_alloc((nodes + 2) * sizeof *rises);
    for (size_t i = 0; i < difference->rows.count; i++) {
        const struct hp_change *change = &difference->rows.at[i];
        rises[change->node.n] = rise_of(change, span, of);
    }
    rises[nodes] = rise_of(&difference->total, span, of);
    rises[nodes + 1] = rise_of(&difference->filtered, span, of);
    return rises;
}

void hp_trend_sides(const struct hp_trend *trend, const struct hp_view *view,
                    struct hp_sides *sides) {
    const struct hp_series_dump *series = view->series + trend->place;
    *sides = (struct hp_sides){.dumps = {1, 1}, .units = {1, 1}};
    hp_vec_push(&sides->base, series[0].number);
    hp_vec_push(&sides->new, series[trend->dumps - 1].number);
}

// Compare the last dump with an earlier one.  Returns the growth of each node, of the
// total and of the filtered sum, per unit of time; NULL if the dumps do not show how much
// was freed between them.  The caller frees the array.  Sets trend->test if the earlier
// dump is the first one.
static struct hp_rise *test_by_difference(struct hp_trend *trend, struct hp_view *view,
                                          const struct hp_members *members,
                                          const struct comparison *of) {
    struct hp_sides sides;
    struct hp_difference difference;
    struct hp_rise *rises = NULL;
    const struct hp_series_dump *series = view->series + trend->place;
    double span = series[trend->dumps - 1].time - series[of->first].time;
    hp_trend_sides(trend, view, &sides);
    sides.base.at[0] = series[of->first].number;
    enum hp_difference_test test = hp_difference_test_of(view, &sides);
    trend->test = of->first == 0 ? test : trend->test;
    if (test == HP_TEST_PROCESS_ACCUM) {
        hp_difference_init(&difference, view, &sides, members, NULL);
        span = trend->unit->seconds > 0 ? span / trend->unit->seconds : span;
        rises = make_rises(&difference, members->node_count, span, of);
        hp_difference_done(&difference);
    }
    hp_sides_done(&sides);
    return rises;
}

// For each span of last dumps, the growth of each node and total from the first dump of
// the span to the last one.  Made on demand.
struct spans {
    struct hp_trend *trend;
    struct hp_view *view;
    const struct hp_members *members;
    const struct hp_onset_times *onsets;
    struct hp_rise *rises[HP_ONSET_SPANS];
};

// Return the growth of each node and total in span i of the last dumps; NULL if the first
// dump of the span does not allow the test, as it has no allocation counts.
static const struct hp_rise *rises_in_span(struct spans *spans, size_t i) {
    double alpha = hp_onset_alpha(spans->onsets);
    struct comparison of = {hp_onset_span(spans->onsets, i).first, alpha,
                            i < HP_ONSET_SUFFIXES ? alpha : 0};
    if (!spans->rises[i]) {
        spans->rises[i] =
            test_by_difference(spans->trend, spans->view, spans->members, &of);
    }
    return spans->rises[i];
}

// Free maker->rises, and the growth in each span.
static void free_rises(struct trend_maker *maker) {
    free(maker->rises);
    for (size_t i = 0; i < HP_ONSET_SPANS; i++) {
        free(maker->spans->rises[i]);
    }
}

// The data of sampling_in_span(): the row whose onset is searched, and its values.
struct asker {
    const struct trend_maker *maker;
    const double *values;
    size_t place;
};

// Growth of a row beyond sampling error in span i.
static struct hp_rise sampling_in_span(const void *data, size_t i) {
    const struct asker *asker = data;
    const struct trend_maker *maker = asker->maker;
    const struct trend_sum *sum = &maker->adder->sums[asker->place];
    const struct hp_rise *rises = maker->rises ? rises_in_span(maker->spans, i) : NULL;
    return rises
               ? rises[asker->place]
               : hp_onset_of_sampling(maker->onsets, i, asker->values, sum->of_spans[i]);
}

// Set the shape of a row with an onset: HP_TREND_SINCE, unless the dumps since the onset
// are a step or a warm-up.
static void set_shape_since(const struct trend_maker *maker, const double *values,
                            size_t count, struct hp_trend_row *row) {
    const struct hp_onset *onset = &row->onset;
    size_t first = 0;
    for (size_t i = 0; i < HP_ONSET_SUFFIXES; i++) {
        struct hp_onset_span span = hp_onset_span(maker->onsets, i);
        double off = fabs((double)span.first - (double)onset->dump);
        bool is_nearer = off < fabs((double)first - (double)onset->dump);
        first = span.count > HP_TREND_LEAST && is_nearer ? span.first : first;
    }
    enum hp_trend_shape shape = hp_trend_shape_of(values + first, count - first, false);
    bool is_no_growth = shape == HP_TREND_STEP || shape == HP_TREND_LEVELLED;
    row->shape = first > 0 && is_no_growth ? shape : HP_TREND_SINCE;
    row->step = first + hp_trend_step_of(values + first, count - first);
}

// Set the shape, the onset, `rise`, `slope` and `q` of a row, if it can be tested.
static void conclude(const struct hp_trend *trend, const struct trend_maker *maker,
                     const double *values, struct hp_trend_row *row) {
    if (!trend->can_test_growth || row->is_open || isnan(row->sampling.p)) {
        return;
    }
    struct hp_rise whole = hp_trend_of_all(maker->times, values, row->sampling);
    bool grows = whole.p < 1 - maker->confidence;
    row->shape = hp_trend_shape_of(values, trend->dumps,
                                   grows && hp_trend_is_line(maker->times, values));
    row->step = hp_trend_step_of(values, trend->dumps);
    struct asker asker = {maker, values, row->place};
    row->onset = hp_onset_find(maker->onsets, values, sampling_in_span, &asker, whole);
    row->rise = row->onset.rise;
    if (row->onset.is_since &&
        (row->shape == HP_TREND_NONE || row->shape == HP_TREND_STEADY)) {
        set_shape_since(maker, values, trend->dumps, row);
    }
    row->step_rise = values[row->step] - values[row->step - 1];
    row->slope = row->shape == HP_TREND_SINCE ? row->onset.slope : row->slope;
    row->rise.least = isinf(row->rise.least) ? (double)NAN : row->rise.least;
    row->q = row->rise.p; // p is adjusted later
}

// Growth of a row beyond sampling error; NAN if it cannot be tested.
static struct hp_rise sampling_of(const struct hp_trend *trend,
                                  const struct trend_maker *maker,
                                  const struct hp_trend_row *row, const double *values) {
    const struct trend_sum *sum = &maker->adder->sums[row->place];
    bool is_node = row->place < maker->adder->members->node_count;
    // The error of a number of objects is not known if their sizes are mixed.
    bool is_known = sum->flags == 0 || trend->is_of_space;
    if (!maker->has_errors || (is_node && !(row->samples >= least_samples))) {
        return unknown;
    }
    if (maker->rises) {
        bool is_seen = !is_node || row->first != 0 || row->last != 0;
        return is_seen ? maker->rises[row->place] : (struct hp_rise){1, 0};
    }
    return is_known ? hp_trend_of_sampling(maker->times, values, sum->weighted) : unknown;
}

// Return the values of a place in each dump.  The caller frees the array.
static double *values_of(const struct hp_trend *trend, const struct trend_maker *maker,
                         size_t place) {
    const struct trend_adder *adder = maker->adder;
    double *values = hp_alloc(trend->dumps * sizeof *values);
    memcpy(values, hp_row_values_of(maker->values, &trend->held, place, adder->metric),
           trend->dumps * sizeof *values);
    for (size_t j = 0; j < trend->dumps && is_of_all(adder, place); j++) {
        values[j] += hp_fixed_double(gain_of(adder, j), adder->metric);
    }
    return values;
}

// Set the label of a row's shape: "since 13", "step 7" count the dumps of the series from
// 1.
static void label_shape(struct hp_trend_row *row) {
    const char *label = hp_trend_shape_label(row->shape);
    snprintf(row->shape_label, sizeof row->shape_label, "%s", label);
    if (row->shape == HP_TREND_SINCE) {
        snprintf(row->shape_label, sizeof row->shape_label, "since %zu",
                 row->onset.dump + 1);
    } else if (row->shape == HP_TREND_STEP) {
        snprintf(row->shape_label, sizeof row->shape_label, "step %zu", row->step + 1);
    }
}

// Make the row of a place.
static struct hp_trend_row make_row(const struct hp_trend *trend,
                                    const struct trend_maker *maker, size_t place) {
    const struct trend_sum *sum = &maker->adder->sums[place];
    double *values = values_of(trend, maker, place);
    struct hp_trend_row row = {
        .first = sum->first,
        .last = sum->before,
        .slope = hp_trend_slope(maker->times, values),
        .slope_whole = hp_trend_slope(maker->times, values),
        .rise = unknown,
        .q = NAN,
        .grew = sum->grew,
        .samples = sum->samples / (double)trend->dumps,
        .place = place,
    };
    bool is_node = place < maker->adder->members->node_count;
    row.is_open = is_node && maker->open_modules != 0 &&
                  (maker->open->of_node[place] & maker->open_modules) != 0;
    row.sampling = sampling_of(trend, maker, &row, values);
    conclude(trend, maker, values, &row);
    label_shape(&row);
    free(values);
    return row;
}

// Set is_significant of a row from its shape, slope and q.
static void mark(struct hp_trend_row *row, double confidence) {
    bool grows = row->shape == HP_TREND_STEADY || row->shape == HP_TREND_SINCE;
    row->is_significant =
        grows && row->slope > 0 && row->q < 1 - confidence; // false for NAN
}

// The modules for which some of `count` dumps lack names, as bits.
static uint64_t find_open(const struct hp_open_code *open, const struct dump *dumps,
                          size_t count) {
    uint64_t modules = 0;
    for (size_t i = 0; open->modules.count > 0 && i < count; i++) {
        modules |= open->of_input[dumps[i].number];
    }
    return modules;
}

// Make the rows of a series, its total, and the sum of the stacks that filters leave.
static void make_rows(struct hp_trend *trend, const struct trend_maker *maker) {
    size_t nodes = maker->adder->members->node_count;
    for (uint32_t i = 0; i < nodes; i++) {
        if (maker->adder->sums[i].is_used && maker->adder->sums[i].samples > 0) {
            hp_vec_push(&trend->rows, make_row(trend, maker, i))->node.n = i;
        }
    }
    trend->total = make_row(trend, maker, nodes);
    trend->filtered = make_row(trend, maker, nodes + 1);
    mark(&trend->total, maker->confidence);
    mark(&trend->filtered, maker->confidence);
}

// Replace `q` of all rows, which is p so far, by p adjusted for the number of rows of all
// series; set is_significant of each.
static void adjust(struct hp_trends *trends, double confidence) {
    double *p = hp_alloc(trends->rows.count * sizeof *p);
    for (size_t i = 0; i < trends->rows.count; i++) {
        p[i] = trends->rows.at[i]->q;
        trends->tested += isnan(p[i]) ? 0 : 1;
    }
    hp_adjust_significance(p, trends->rows.count);
    for (size_t i = 0; i < trends->rows.count; i++) {
        trends->rows.at[i]->q = p[i];
        mark(trends->rows.at[i], confidence);
    }
    free(p);
}

// Absolute difference between the values of a row in the first dump and in the last.
static hp_fixed size_of_change(const struct hp_trend_row *row) {
    return row->last < row->first ? row->first - row->last : row->last - row->first;
}

// Order of rows: significant ones first, then by size of the change, then by name.
static int by_change(const void *left, const void *right, void *context) {
    const struct hp_trend_row *a = *(struct hp_trend_row *const *)left;
    const struct hp_trend_row *b = *(struct hp_trend_row *const *)right;
    if (a->is_significant != b->is_significant) {
        return a->is_significant ? -1 : 1;
    }
    hp_fixed change_a = size_of_change(a), change_b = size_of_change(b);
    if (change_a != change_b) {
        return change_a > change_b ? -1 : 1;
    }
    int order = hp_node_compare(context, a->node, b->node);
    return order ? order : (a->trend > b->trend) - (a->trend < b->trend);
}

// Set the unit of a series, and its length in units and in hours.  `span`: see span_of().
static void set_span(struct hp_trend *trend, const struct hp_view *view, double span) {
    double seconds = unit_of(view)->seconds;
    trend->unit = unit_of(view);
    trend->span = seconds > 0 ? span / seconds : span;
    trend->hours = seconds > 0 ? span / seconds_per_hour : (double)NAN;
}

// Compute the trend of one series.
static void trend_init(struct hp_trend *trend, struct hp_view *view,
                       const struct hp_members *members, struct hp_trends *trends,
                       const struct hp_series_dump *series) {
    size_t place = (size_t)(series - view->series);
    size_t count = hp_series_length(series, view->series_count - place);
    struct hp_trend_times *times;
    struct hp_onset_times *onsets;
    struct dump *dumps = make_series(view, series, count, &times, &onsets);
    struct trend_adder adder = {.profile = view->profile,
                                .members = members,
                                .metric = view->options.metric,
                                .dumps = dumps,
                                .is_filtered = view->head.is_filtered};
    bool has_errors = view->precision.is_known[hp_column_of(view->options.metric)];
    *trend = (struct hp_trend){
        .test = has_errors ? HP_TEST_PROCESS : HP_TEST_NONE,
        .is_of_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION,
        .can_test_growth = has_errors && hp_series_can_test_growth(series, count),
        .place = place,
        .dumps = count,
    };
    set_span(trend, view, span_of(series, count));
    hp_series_name(view->profile, series, trend->name);
    sum_up(&adder, trend);
    struct spans spans = {trend, view, members, onsets, {NULL}};
    struct comparison whole = {0, 1 - view->options.confidence, INFINITY};
    struct trend_maker maker = {.adder = &adder,
                                .times = times,
                                .onsets = onsets,
                                .spans = &spans,
                                .values = trends->values,
                                .confidence = view->options.confidence,
                                .has_errors = has_errors,
                                .open = &trends->open,
                                .open_modules = find_open(&trends->open, dumps, count)};
    if (has_errors) {
        maker.rises = test_by_difference(trend, view, members, &whole);
    }
    make_rows(trend, &maker);
    free_rises(&maker);
    hp_trend_times_free(times);
    hp_onset_times_free(onsets);
    free(adder.sums);
    free(dumps);
}

// Compute the trend of each series with two dumps or more, and sort the rows of all
// series together.
static void init_each(struct hp_trends *trends, struct hp_view *view,
                      const struct hp_members *members) {
    const struct hp_series_dump *series = view->series;
    trends->values = hp_row_values_new(members, view->series_count);
    trends->of = hp_alloc((series[view->series_count - 1].series + (size_t)1) *
                          sizeof *trends->of);
    for (size_t i = 0, length; i < view->series_count; i += length) {
        length = hp_series_length(series + i, view->series_count - i);
        if (length > 1) {
            trend_init(&trends->of[trends->count++], view, members, trends, series + i);
        }
    }
    for (size_t i = 0; i < trends->count; i++) {
        struct hp_trend *trend = &trends->of[i];
        struct hp_trend_row *row;
        hp_vec_each (row, &trend->rows) {
            row->trend = trend;
            hp_vec_push(&trends->rows, row);
        }
        trend->total.trend = trend->filtered.trend = trend;
    }
    if (view->precision.is_known[hp_column_of(view->options.metric)]) {
        adjust(trends, view->options.confidence);
    }
    hp_vec_sort_r(&trends->rows, by_change, &view->naming);
}

// --- all series ---------------------------------------------------------------------------

// Find code that lacks names in some dumps.  The dumps of a series are of one process,
// with one build of each module.
static void find_open_code(struct hp_trends *trends, const struct hp_view *view) {
    struct hp_sides sides = {.dumps = {0, view->series_count}};
    for (size_t i = 0; i < view->series_count; i++) {
        hp_vec_push(&sides.new, view->series[i].number);
    }
    hp_open_code_init(&trends->open, view, &sides, true);
    hp_sides_done(&sides);
}

void hp_trends_init(struct hp_trends *trends, struct hp_view *view, bool by_cum) {
    struct hp_members members;
    *trends = (struct hp_trends){.metric = view->options.metric};
    hp_members_init(&members, &view->naming, by_cum);
    find_open_code(trends, view);
    init_each(trends, view, &members);
    hp_members_done(&members);
}

void hp_trends_done(struct hp_trends *trends) {
    for (size_t i = 0; i < trends->count; i++) {
        hp_vec_done(&trends->of[i].rows);
        hp_stack_series_done(&trends->of[i].held);
    }
    hp_row_values_free(trends->values);
    hp_open_code_done(&trends->open);
    hp_vec_done(&trends->rows);
    free(trends->of);
}

const struct hp_trend *hp_largest_trend(const struct hp_trends *trends) {
    const struct hp_trend *largest = &trends->of[0];
    for (size_t i = 1; i < trends->count; i++) {
        const struct hp_trend *trend = &trends->of[i];
        bool is_larger = trend->total.last - trend->total.first >
                         largest->total.last - largest->total.first;
        largest = is_larger ? trend : largest;
    }
    return largest;
}

// The verdict on a row that does not grow steadily: which part of its growth is one step.
static enum hp_trend_verdict verdict_of_step(const struct hp_trend_row *row) {
    static const double nearly_all = 0.8, most = 0.5;
    enum hp_metric metric = row->trend->is_of_space ? HP_INUSE_SPACE : HP_INUSE_OBJECTS;
    double growth = hp_fixed_double(row->last - row->first, metric);
    bool is_step = row->shape == HP_TREND_STEP && growth > 0;
    return is_step && row->step_rise >= nearly_all * growth ? HP_VERDICT_STEP
           : is_step && row->step_rise > most * growth      ? HP_VERDICT_MOSTLY
                                                            : HP_VERDICT_UNSTEADY;
}

enum hp_trend_verdict hp_trend_verdict_of(const struct hp_trend_row *row) {
    return row->trend->test == HP_TEST_NONE                      ? HP_VERDICT_UNTESTED
           : !row->trend->can_test_growth                        ? HP_VERDICT_FEW
           : isnan(row->rise.p)                                  ? HP_VERDICT_UNTESTED
           : row->is_significant && row->shape == HP_TREND_SINCE ? HP_VERDICT_SINCE
           : row->is_significant                                 ? HP_VERDICT_GROWS
                                                                 : verdict_of_step(row);
}

bool hp_series_can_test_growth(const struct hp_series_dump *series, size_t count) {
    return count >= HP_TREND_LEAST && span_of(series, count) > 0;
}

// The report `trend`: rows for the trends that trends.c has computed, significant growth
// first.
#include "view/trends.h"

#include "stats/trend.h"
#include "view/view.h"

#include <math.h>

static const double seconds_per_day = 86400;

// Columns of the report.
enum field {
    FIRST,
    LAST,
    SLOPE,
    SLOPE_WHOLE,
    AT_LEAST,
    PER,
    PER_DAY,
    P,
    P_SIDES,
    P_SAMPLING,
    Q,
    SHAPE,
    ONSET_DUMP,
    ONSET_FROM,
    ONSET_TO,
    ONSET_TIME,
    ONSET_GROWTH,
    ONSET_AT_LEAST,
    ONSET_STEPS,
    TAU,
    GREW,
    SIGNIFICANT,
    VALUES,
    PROCESS,
};

static const struct hp_field fields[] = {
    {{"first", "first", NULL, HP_CELL_SUM}, FIRST, HP_NEW_LINE, .leaves = 3},
    {{"last", "last", NULL, HP_CELL_SUM}, LAST, .leaves = 8},
    {{"slope", NULL, NULL, HP_CELL_RATE}, SLOPE, HP_SHOWN_SIGNED | HP_NEW_LINE},
    {{"slope_whole", NULL, NULL, HP_CELL_RATE}, SLOPE_WHOLE, HP_SHOWN_SIGNED},
    {{"at_least", NULL, NULL, HP_CELL_RATE},
     AT_LEAST,
     HP_SHOWN_SIGNED | HP_ROUGH,
     NULL,
     17,
     .leaves = 7},
    {{"per", NULL, "", HP_CELL_TEXT}, PER},
    {{"per_day", NULL, NULL, HP_CELL_RATE}, PER_DAY, HP_SHOWN_SIGNED},
    {{"p", NULL, "", HP_CELL_P}, P, HP_NEW_LINE, NULL, 0, "2.5 samples a dump", 6},
    {{"p_sides", NULL, "", HP_CELL_COUNT}, P_SIDES},
    {{"p_sampling", NULL, "", HP_CELL_P},
     P_SAMPLING,
     0,
     NULL,
     10,
     HP_WORDS(
         "note-p-of-sampling",
         "p sampling: probability that sampling alone shows growth this large; it does "
         "not allow for values that go up and down"),
     5},
    {{"q", NULL, "", HP_CELL_P}, Q},
    {{"shape", NULL, "", HP_CELL_TEXT},
     SHAPE,
     0,
     NULL,
     8,
     HP_WORDS(
         "note-grows-by",
         "grows by at least: a lower bound; marked is growth that is steady, or steady "
         "since a dump, no step, no cycle, nor what half a wave explains better"),
     4},
    {{"onset_dump", NULL, "", HP_CELL_TEXT}, ONSET_DUMP, HP_NEW_LINE, "onset"},
    {{"onset_from", NULL, "", HP_CELL_TEXT}, ONSET_FROM, 0, "onset"},
    {{"onset_to", NULL, "", HP_CELL_TEXT}, ONSET_TO, 0, "onset"},
    {{"onset_time", NULL, "s", HP_CELL_NUMBER}, ONSET_TIME, 0, "onset"},
    {{"onset_growth", NULL, NULL, HP_CELL_NUMBER}, ONSET_GROWTH, 0, "onset"},
    {{"onset_at_least", NULL, NULL, HP_CELL_NUMBER}, ONSET_AT_LEAST, HP_ROUGH, "onset"},
    {{"onset_steps", NULL, "", HP_CELL_COUNT}, ONSET_STEPS, 0, "onset"},
    {{"tau", "tau", "", HP_CELL_NUMBER},
     TAU,
     HP_ROUGH | HP_NEW_LINE,
     NULL,
     6,
     HP_WORDS(
         "note-tau",
         "tau: 1 where each value is more than the one before; grew: in how many of the "
         "steps"),
     2},
    {{"grew", "grew", "", HP_CELL_COUNT}, GREW, 0, NULL, 10, .leaves = 1},
    {{"significant", NULL, "", HP_CELL_TRUTH}, SIGNIFICANT},
    {{"values", NULL, NULL, HP_CELL_SERIES}, VALUES, HP_NEW_LINE},
    {{"process", NULL, "", HP_CELL_TEXT}, PROCESS},
};

// Set the columns and their units.  The column `process` is used only with several
// series.
static void set_fields(struct hp_view *view, const struct hp_trends *trends) {
    const struct hp_trend *trend = hp_largest_trend(trends);
    size_t count = sizeof fields / sizeof *fields;
    hp_view_set_fields(view, fields, trends->count > 1 ? count : count - 1);
    struct hp_field *field = view->fields.at;
    field[SLOPE].column.title = trend->unit->title;
    field[SLOPE].column.unit = trend->unit->of[trend->is_of_space];
    field[SLOPE_WHOLE].column.unit = trend->unit->of[trend->is_of_space];
    field[AT_LEAST].column.unit = trend->unit->of[trend->is_of_space];
    field[PER_DAY].column.unit = trend->is_of_space ? "bytes/day" : "objects/day";
    if (trend->can_test_growth) {
        field[AT_LEAST].column.title = "grows by at least";
        field[P].column.title = "p growth";
        field[P].shown |= HP_SHOWN_MARK;
        field[SHAPE].column.title = "shape";
    } else if (trend->test != HP_TEST_NONE) {
        field[P_SAMPLING].column.title = "p sampling";
    }
}

// Fail if the condition of --fail-if has a bound for p, and no series can have a p-value.
// Such a condition can never hold, so that it would never fail a run.
static int refuse_gate(const struct hp_view *view, struct hp_err *err) {
    const struct hp_gate *gate = view->options.gate;
    bool can = false;
    for (size_t i = 0, length; i < view->series_count; i += length) {
        length = hp_series_length(view->series + i, view->series_count - i);
        can |= hp_series_can_test_growth(view->series + i, length);
    }
    if (gate && gate->p > 0 && !can) {
        return hp_fail(
            err, HP_E_EMPTY,
            HP_MESSAGE(
                "trend-without-p",
                "there is no p to hold the condition p<%g against: a trend of fewer "
                "than %d dumps, or of dumps of one time, claims no growth"),
            gate->p, HP_TREND_LEAST);
    }
    return HP_OK;
}

static int build(struct hp_view *view, struct hp_err *err) {
    if (refuse_gate(view, err) != HP_OK) {
        return (int)err->code;
    }
    struct hp_trends *trends = view->extra = hp_alloc(sizeof *trends);
    hp_trends_init(trends, view, view->options.sort == HP_SORT_CUM);
    for (size_t i = 0; i < trends->rows.count; i++) {
        const struct hp_trend_row *row = trends->rows.at[i];
        hp_view_add_row(view, row->node)->prefix =
            trends->count > 1 ? row->trend->name : NULL;
    }
    hp_view_find_changes(view);
    set_fields(view, trends);
    return HP_OK;
}

static void done(struct hp_view *view) {
    hp_trends_done(view->extra);
}

// Row `row` of the report; or for HP_ROW_TOTAL or HP_ROW_FILTERED that sum of the series
// that grew most.
static const struct hp_trend_row *row_of(const struct hp_view *view, size_t row) {
    const struct hp_trends *trends = view->extra;
    return row == HP_ROW_TOTAL      ? &hp_largest_trend(trends)->total
           : row == HP_ROW_FILTERED ? &hp_largest_trend(trends)->filtered
                                    : trends->rows.at[row];
}

const double *hp_trend_values(const struct hp_view *view, size_t number) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend_row *row = row_of(view, number);
    return hp_row_values_of(trends->values, &row->trend->held, row->place,
                            view->options.metric);
}

// Name of the dump in column `field`: the last dump before the onset, or one of the two
// dumps between which the onset lies; "" if there is no onset.
static const char *onset_name(const struct hp_view *view, const struct hp_trend_row *row,
                              int field) {
    const struct hp_onset *onset = &row->onset;
    size_t dump = field == ONSET_FROM ? onset->from
                  : field == ONSET_TO ? onset->to
                                      : onset->dump;
    return row->shape == HP_TREND_SINCE
               ? view->series[row->trend->place + dump].input->public.name
               : "";
}

// The number of an onset in column `field`; NAN if there is no onset.
static double onset_number(const struct hp_view *view, const struct hp_trend_row *row,
                           int field) {
    const struct hp_onset *onset = &row->onset;
    if (field == ONSET_STEPS) {
        return onset->steps;
    }
    if (row->shape != HP_TREND_SINCE || (field == ONSET_TIME && !view->head.has_times)) {
        return NAN;
    }
    return field == ONSET_TIME     ? view->series[row->trend->place + onset->dump].time
           : field == ONSET_GROWTH ? onset->growth
                                   : onset->least;
}

static void cell(const struct hp_view *view, size_t number, int field,
                 enum hp_metric metric, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(view, number);
    const struct hp_trend *trend = row->trend;
    const struct hp_trend_unit *unit = trend->unit;
    const double *values =
        field == TAU || field == VALUES ? hp_trend_values(view, number) : NULL;
    const double numbers[] = {
        [SLOPE] = row->slope,
        [SLOPE_WHOLE] = row->slope_whole,
        [AT_LEAST] = row->rise.least,
        [PER] = NAN,
        [PER_DAY] = unit->seconds > 0 ? row->slope * (seconds_per_day / unit->seconds)
                                      : (double)NAN,
        [P] = row->rise.p,
        [P_SIDES] = 1,
        [P_SAMPLING] = row->sampling.p,
        [Q] = row->q,
        [TAU] = field == TAU ? hp_trend_tau(values, trend->dumps) : (double)NAN,
        [GREW] = (double)row->grew,
        [SIGNIFICANT] = row->is_significant,
        [VALUES] = NAN,
        [PROCESS] = NAN,
    };
    if (metric != view->options.metric) {
        return; // only the view's metric is tested
    }
    bool is_onset = field >= ONSET_TIME && field <= ONSET_STEPS;
    content->number = is_onset ? onset_number(view, row, field) : numbers[field];
    content->whole = (double)trend->dumps - 1;
    content->text = field == PROCESS ? trend->name
                    : field == PER   ? unit->name
                    : field >= ONSET_DUMP && field <= ONSET_TO
                        ? onset_name(view, row, field)
                        : hp_trend_shape_name(row->shape);
    content->series = values;
    content->count = trend->dumps;
    content->amount = (struct hp_amount){
        .sum = field == FIRST ? row->first : row->last,
        .range = {NAN, NAN},
    };
}

static unsigned flags(const struct hp_view *view, size_t row) {
    return row_of(view, row)->is_significant ? HP_ROW_SIGNIFICANT : 0;
}

// Return the growth of a row, which the condition of --fail-if judges.
static struct hp_growth growth(const struct hp_view *view, size_t number) {
    const struct hp_trend_row *row = row_of(view, number);
    return (struct hp_growth){
        .before = row->first, .after = row->last, .p = row->q, .is_open = row->is_open};
}

static const struct hp_open_code *open_code(const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    return &trends->open;
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
    .open_code = open_code,
    .done = done,
};

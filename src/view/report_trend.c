// The report `trend`: rows for the trends that trends.c has computed, significant growth
// first.
#include "view/trends.h"

#include "stats/trend.h"
#include "view/view.h"

#include <math.h>

static const double seconds_per_day = 86400;

static hp_cell_fn first_cell, last_cell, number_cell, per_cell, shape_cell,
    onset_name_cell, onset_cell, step_name_cell, step_time_cell, grew_cell, tau_cell,
    values_cell, process_cell;

// Numbers of columns that share an accessor.
enum field {
    SLOPE,
    SLOPE_WHOLE,
    AT_LEAST,
    PER_DAY,
    P,
    P_SIDES,
    P_SAMPLING,
    Q,
    SIGNIFICANT,
    ONSET_DUMP = 0,
    ONSET_FROM,
    ONSET_TO,
    ONSET_TIME,
    ONSET_GROWTH,
    ONSET_AT_LEAST,
    ONSET_STEPS,
};

static const struct hp_field fields[] = {
    {{"first", "first", NULL, HP_CELL_SUM},
     first_cell,
     HP_NEW_LINE | HP_SHOWN_IN_ASCII,
     .leaves = 3},
    {{"last", "last", NULL, HP_CELL_SUM}, last_cell, .leaves = 8},
    {{"slope", NULL, NULL, HP_CELL_RATE},
     number_cell,
     HP_SHOWN_SIGNED | HP_NEW_LINE,
     .id = SLOPE},
    {{"slope_whole", NULL, NULL, HP_CELL_RATE},
     number_cell,
     HP_SHOWN_SIGNED,
     .id = SLOPE_WHOLE},
    {{"at_least", NULL, NULL, HP_CELL_RATE},
     number_cell,
     HP_SHOWN_SIGNED | HP_ROUGH | HP_SHOWN_DASH,
     .leaves = 5,
     .id = AT_LEAST},
    {{"per", NULL, NULL, HP_CELL_TEXT}, per_cell},
    {{"per_day", NULL, NULL, HP_CELL_RATE}, number_cell, HP_SHOWN_SIGNED, .id = PER_DAY},
    {{"p", NULL, NULL, HP_CELL_P}, number_cell, HP_NEW_LINE, .leaves = 7, .id = P},
    {{"p_sides", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = P_SIDES},
    {{"p_sampling", NULL, NULL, HP_CELL_P},
     number_cell,
     HP_SHOWN_DETAIL,
     NULL,
     10,
     HP_WORDS("note-p-of-sampling",
              "p sampling: one-sided p-value that covers sampling error only, not values "
              "that go up and down"),
     5,
     .id = P_SAMPLING},
    {{"q", NULL, NULL, HP_CELL_P}, number_cell, .id = Q},
    {{"shape", NULL, NULL, HP_CELL_TEXT}, shape_cell, 0, NULL, 8, .leaves = 6},
    {{"onset_dump", NULL, NULL, HP_CELL_TEXT},
     onset_name_cell,
     HP_NEW_LINE,
     "onset",
     .id = ONSET_DUMP},
    {{"onset_from", NULL, NULL, HP_CELL_TEXT},
     onset_name_cell,
     0,
     "onset",
     .id = ONSET_FROM},
    {{"onset_to", NULL, NULL, HP_CELL_TEXT}, onset_name_cell, 0, "onset", .id = ONSET_TO},
    {{"onset_time", NULL, NULL, HP_CELL_NUMBER},
     onset_cell,
     0,
     "onset",
     .id = ONSET_TIME,
     .unit = HP_IN_TIME},
    {{"onset_growth", NULL, NULL, HP_CELL_NUMBER},
     onset_cell,
     0,
     "onset",
     .id = ONSET_GROWTH,
     .unit = HP_IN_METRIC},
    {{"onset_at_least", NULL, NULL, HP_CELL_NUMBER},
     onset_cell,
     HP_ROUGH,
     "onset",
     .id = ONSET_AT_LEAST,
     .unit = HP_IN_METRIC},
    {{"onset_steps", NULL, NULL, HP_CELL_COUNT},
     onset_cell,
     0,
     "onset",
     .id = ONSET_STEPS},
    {{"step_dump", NULL, NULL, HP_CELL_TEXT}, step_name_cell, HP_NEW_LINE, "step"},
    {{"step_time", NULL, NULL, HP_CELL_NUMBER},
     step_time_cell,
     0,
     "step",
     .unit = HP_IN_TIME},
    {{"tau", "tau", NULL, HP_CELL_NUMBER},
     tau_cell,
     HP_ROUGH | HP_NEW_LINE | HP_SHOWN_DETAIL,
     NULL,
     6,
     HP_WORDS(
         "note-tau",
         "tau: Kendall's rank correlation with time; grew: number of steps that rose"),
     2},
    {{"grew", "grew", NULL, HP_CELL_COUNT},
     grew_cell,
     HP_SHOWN_DETAIL,
     NULL,
     10,
     .leaves = 1},
    {{"significant", NULL, NULL, HP_CELL_TRUTH}, number_cell, .id = SIGNIFICANT},
    {{"values", "dumps", NULL, HP_CELL_SERIES}, values_cell, HP_NEW_LINE, .leaves = 4},
    {{"process", NULL, NULL, HP_CELL_TEXT}, process_cell},
};

// Set the columns and their units.  The column `process` is used only with several
// series.
static void set_fields(struct hp_view *view, const struct hp_trends *trends) {
    const struct hp_trend *trend = hp_largest_trend(trends);
    size_t count = sizeof fields / sizeof *fields;
    hp_view_set_fields(view, fields, trends->count > 1 ? count : count - 1);
    struct hp_field *at_least = hp_view_field(view, "at_least");
    const char *unit = trend->unit->of[trend->is_of_space];
    hp_view_field(view, "slope")->column.title = trend->unit->title;
    hp_view_field(view, "slope")->column.unit = unit;
    hp_view_field(view, "slope_whole")->column.unit = unit;
    at_least->column.unit = unit;
    hp_view_field(view, "per_day")->column.unit =
        trend->is_of_space ? "bytes/day" : "objects/day";
    if (trend->can_test_growth) {
        at_least->column.title = "at least";
        hp_view_field(view, "p")->column.title = "p";
        hp_view_field(view, "p")->shown |= HP_SHOWN_MARK;
        hp_view_field(view, "shape")->column.title = "shape";
    } else if (trend->test != HP_TEST_NONE) {
        hp_view_field(view, "p_sampling")->column.title = "p sampling";
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
                "--fail-if: no p to compare with %g, as there are fewer than %d dumps, "
                "or all of one time"),
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

// Name of a dump: the last one before the onset, or one of the two dumps between which
// the onset lies; "" if there is no onset.
static void onset_name_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    const size_t dumps[] = {[ONSET_DUMP] = row->onset.dump,
                            [ONSET_FROM] = row->onset.from,
                            [ONSET_TO] = row->onset.to};
    if (row->shape == HP_TREND_SINCE) {
        size_t place = row->trend->place + dumps[at->field->id];
        content->text = at->view->series[place].input->public.name;
    }
}

// A number of an onset; not known if there is no onset.
static void onset_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    const struct hp_onset *onset = &row->onset;
    const struct hp_series_dump *dumps = at->view->series + row->trend->place;
    if (at->field->id == ONSET_STEPS) {
        content->number = onset->steps;
    } else if (row->shape != HP_TREND_SINCE) {
        content->number = NAN;
    } else if (at->field->id == ONSET_TIME) {
        content->number =
            at->view->head.has_times ? dumps[onset->dump].time : (double)NAN;
    } else {
        content->number = at->field->id == ONSET_GROWTH ? onset->growth : onset->least;
    }
}

// Name of the dump after a step; "" if there is none.
static void step_name_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    if (row->shape == HP_TREND_STEP) {
        size_t place = row->trend->place + row->step;
        content->text = at->view->series[place].input->public.name;
    }
}

// Time of the dump after a step; not known if there is no step.
static void step_time_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    bool is_known = row->shape == HP_TREND_STEP && at->view->head.has_times;
    content->number =
        is_known ? at->view->series[row->trend->place + row->step].time : (double)NAN;
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    double seconds = row->trend->unit->seconds;
    const double numbers[] = {
        [SLOPE] = row->slope,
        [SLOPE_WHOLE] = row->slope_whole,
        [AT_LEAST] = row->rise.least,
        [PER_DAY] = seconds > 0 ? row->slope * (seconds_per_day / seconds) : (double)NAN,
        [P] = row->rise.p,
        [P_SIDES] = 1,
        [P_SAMPLING] = row->sampling.p,
        [Q] = row->q,
        [SIGNIFICANT] = row->is_significant,
    };
    content->number = numbers[at->field->id];
}

static void first_cell(const struct hp_cell_at *at, struct hp_content *content) {
    hp_fixed sum = row_of(at->view, at->row)->first;
    content->amount = (struct hp_amount){.sum = sum, .range = {NAN, NAN}};
}

static void last_cell(const struct hp_cell_at *at, struct hp_content *content) {
    hp_fixed sum = row_of(at->view, at->row)->last;
    content->amount = (struct hp_amount){.sum = sum, .range = {NAN, NAN}};
}

static void per_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text = row_of(at->view, at->row)->trend->unit->name;
}

static void shape_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    content->text = hp_trend_shape_name(row->shape);
    content->label = row->shape_label;
}

static void process_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text = row_of(at->view, at->row)->trend->name;
}

static void grew_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_trend_row *row = row_of(at->view, at->row);
    content->number = (double)row->grew;
    content->whole = (double)row->trend->dumps - 1;
}

static void tau_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->number = hp_trend_tau(hp_trend_values(at->view, at->row),
                                   row_of(at->view, at->row)->trend->dumps);
}

static void values_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->series = hp_trend_values(at->view, at->row);
    content->count = row_of(at->view, at->row)->trend->dumps;
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
    .has_one_metric = true,
    .build = build,
    .flags = flags,
    .growth = growth,
    .open_code = open_code,
    .done = done,
};

// The rows of a plan, and its headline.  Shares are of the total or of the row.
//
//     {head, "rows": [{"period": 65536, "setting": "lg_prof_sample:16",
//                      "live_samples": 1200, "stacks": 300,
//                      "samples_per_second": 150 or null, "cpu_at_most": 0.01 or null,
//                      "memory": 1.5 or null, "change_given": 0.1,
//                      "total": CELL, "first": [CELL, ...],
//                      "trends": [0.2, 0.1, 0.05] or null}, ...],
//      "choose": 131072 or null, "setting": "lg_prof_sample:17" or null, "see": 0.05,
//      "processes_given": 1, "processes_needed": 12 or null,
//      "limited_by_memory": false,
//      "first": [{"name": "f", "class": "own", "bytes": 1.5, "samples": 120,
//                 "spread": 0.1 or null}, ...],
//      "total_spread": 0.1 or null, "sides": [1, 3, 8], "series": [8, 24, 100],
//      "freed": 0.1 or null, "sample_microseconds": 16.2, "lacks": "times" or null,
//      "variance_ratio": 1.01 or null, tail}
//
// CELL is {"half_width": 0.05, "changes": [0.1, 0.2, 0.3] or null, "rough": false}.
#include "report/json/json.h"

#include "view/report_plan.h"

#include <math.h>

static void put_numbers(struct hp_json *json, const char *key, const double *numbers,
                        size_t count) {
    hp_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        hp_json_put_rough(json, NULL, numbers[i]);
    }
    hp_json_close(json);
}

static void put_sizes(struct hp_json *json, const char *key, const size_t *numbers,
                      size_t count) {
    hp_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        hp_json_put_count(json, NULL, numbers[i]);
    }
    hp_json_close(json);
}

static void put_setting(struct hp_json *json, const struct hp_plan *plan,
                        uint64_t period) {
    char text[64];
    hp_plan_setting(text, plan->producer, period);
    hp_json_put_word(json, "setting", text);
}

static void put_cell(struct hp_json *json, const char *key,
                     const struct hp_plan_cell *cell) {
    hp_json_open(json, key, '{');
    hp_json_put_rough(json, "half_width", cell->half);
    if (isnan(cell->changes[0])) {
        hp_json_put_null(json, "changes");
    } else {
        put_numbers(json, "changes", cell->changes, HP_PLAN_COMPARISONS);
    }
    hp_json_put_truth(json, "rough", cell->is_rough);
    hp_json_close(json);
}

static void put_row(struct hp_json *json, const struct hp_plan *plan,
                    const struct hp_plan_row *row) {
    hp_json_row(json, 2);
    hp_json_put_count(json, "period", row->period);
    put_setting(json, plan, row->period);
    hp_json_put_rough(json, "live_samples", row->samples);
    hp_json_put_rough(json, "stacks", row->stacks);
    hp_json_put_rough(json, "samples_per_second", row->rate);
    hp_json_put_rough(json, "cpu_at_most", row->load);
    hp_json_line(json, 3);
    hp_json_put_rough(json, "memory", row->memory);
    hp_json_put_rough(json, "change_given", row->given);
    hp_json_line(json, 3);
    put_cell(json, "total", &row->total);
    hp_json_line(json, 3);
    hp_json_open(json, "first", '[');
    for (size_t i = 0; i < plan->row_count; i++) {
        hp_json_line(json, 4);
        put_cell(json, NULL, &row->rows[i]);
    }
    hp_json_close(json);
    if (plan->has_series) {
        put_numbers(json, "trends", row->trends, HP_PLAN_SERIES);
    } else {
        hp_json_put_null(json, "trends");
    }
    hp_json_close(json);
}

static double spread_of(const struct hp_plan_target *target) {
    return target->spread.freedom > 0 ? target->spread.share : (double)NAN;
}

// Write the rows of `top` that the plan is about.
static void put_targets(struct hp_json *json, const struct hp_view *view,
                        const struct hp_plan *plan) {
    hp_json_line(json, 1);
    hp_json_open(json, "first", '[');
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct hp_plan_target *target = &plan->rows[i];
        hp_json_row(json, 2);
        hp_json_name(json, view, target->node);
        hp_json_put_rough(json, "bytes", target->bytes);
        hp_json_put_rough(json, "samples", target->samples);
        hp_json_put_rough(json, "spread", spread_of(target));
        hp_json_close(json);
    }
    hp_json_close(json);
    hp_json_put_rough(json, "total_spread", spread_of(&plan->total));
}

// Write the headline.
static void put_choice(struct hp_json *json, const struct hp_plan *plan) {
    hp_json_line(json, 1);
    if (plan->chosen < HP_PLAN_PERIODS) {
        uint64_t period = plan->of[plan->chosen].period;
        hp_json_put_count(json, "choose", period);
        put_setting(json, plan, period);
    } else {
        hp_json_put_null(json, "choose");
        hp_json_put_null(json, "setting");
    }
    hp_json_put_rough(json, "see", plan->see);
    hp_json_put_count(json, "processes_given", plan->processes);
    hp_json_put_known(json, "processes_needed", plan->needed);
    hp_json_put_truth(json, "limited_by_memory", plan->is_limited);
}

void hp_json_plan(struct hp_sink *out, const struct hp_view *view) {
    static const char *const lacks[] = {
        [HP_PLAN_LACKS_NOTHING] = "",
        [HP_PLAN_LACKS_COUNTS] = "counts",
        [HP_PLAN_LACKS_DUMPS] = "dumps",
        [HP_PLAN_LACKS_TIMES] = "times",
    };
    const struct hp_plan *plan = view->extra;
    struct hp_json json = {.out = out};
    hp_json_begin(&json, view);
    for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
        put_row(&json, plan, &plan->of[i]);
    }
    hp_json_close(&json);
    put_choice(&json, plan);
    put_targets(&json, view, plan);
    put_sizes(&json, "sides", hp_plan_processes, HP_PLAN_COMPARISONS);
    put_sizes(&json, "series", hp_plan_dumps, HP_PLAN_SERIES);
    hp_json_put_rough(&json, "freed", plan->freed < 1 ? plan->freed : (double)NAN);
    hp_json_put_rough(&json, "sample_microseconds", plan->cost * 1e6);
    hp_json_put_text(&json, "lacks", hp_span_of(lacks[plan->lack]));
    hp_json_put_rough(&json, "variance_ratio", plan->ratio);
    hp_json_end(&json, view);
}

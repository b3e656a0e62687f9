// The lines of trend:
//
//     GROWING +6.0 MiB per dump, at least +2.8 MiB; 13.1 → 70.8 MiB in 10 dumps, p = 0.01
//     1 of 5 functions grows steadily. Times unknown: see --time-from
//     (the table)
//     … 2 unchanged (-n 0: all)    * steady growth at a 5% false discovery rate
//     at least: 95% lower bound
//
// With details, there are also the slope, the span and the method of each series.
#include "report/text/text.h"

#include "stats/trend.h"
#include "view/trends.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ONSETS = 5, // rows that get a line about since when they grow
    WORDS = 62,      // cells of the other words of a sentence with a name
};

// Write a rate: "+1.2 MiB per hour".
static void put_rate(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_trend *trend, double rate) {
    char text[HP_SIGNED_SIZE];
    hp_text_rate(text, rate, view->options.metric, view->options.unit);
    hp_sink_print(out, "%s per %s", text, trend->unit->name);
}

// Write the name of a dump in the series of a row.
static void put_dump(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_trend_row *row, size_t dump) {
    const char *name = view->series[row->trend->place + dump].input->public.name;
    hp_sink_escaped(out, hp_span_of(name));
}

void hp_text_put_dump(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row, size_t dump) {
    const char *name = view->series[row->trend->place + dump].input->public.name;
    hp_sink_escaped(out, hp_span_basename(hp_span_of(name)));
}

// Write the time that a series spans: "1.5 seconds".
static void put_span(struct hp_sink *out, const struct hp_trend *trend) {
    char number[32];
    snprintf(number, sizeof number, "%.3g", trend->span);
    hp_sink_print(out, "%s %s%s", number, trend->unit->name,
                  strcmp(number, "1") == 0 ? "" : "s");
}

// Write the number of dumps, and the time they span if it is known.
static void put_length(struct hp_sink *out, const struct hp_trend *trend) {
    hp_sink_print(out, "%zu dumps", trend->dumps);
    if (!isnan(trend->hours)) {
        hp_sink_text(out, " over ");
        put_span(out, trend);
    }
}

// --- the answer ---------------------------------------------------------------------------

// Write the first and the last value, and the number of dumps.
static void put_values(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_trend_row *row) {
    hp_text_put_course(out, view, row->first, row->last);
    hp_sink_print(out, " in %zu dumps", row->trend->dumps);
    hp_text_put_lost(out, view);
}

// Write how fast a sum grows: "+6.0 MiB per dump, at least +2.8 MiB; 13.1 → 70.8 MiB in
// 10 dumps, p = 0.0100".
static void put_growth(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_trend_row *row) {
    char least[HP_SIGNED_SIZE];
    put_rate(out, view, row->trend, row->slope);
    if (row->rise.least > 0) {
        hp_text_rate(least, row->rise.least, view->options.metric, view->options.unit);
        hp_sink_print(out, ", at least %s", least);
    }
    hp_sink_text(out, "; ");
    put_values(out, view, row);
    hp_sink_text(out, ", ");
    hp_text_put_p(out, row->rise.p);
}

// Write that most of the growth of a sum was one step.
static void put_grown(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row, bool is_all) {
    hp_sink_print(out, is_all ? HP_MESSAGE("trend-step", "Grew in one step: ")
                              : HP_MESSAGE("trend-mostly", "Mostly one step: "));
    put_values(out, view, row);
    hp_sink_print(out, HP_MESSAGE("trend-no-more", "; no steady growth ("));
    hp_text_put_p(out, row->rise.p);
    hp_sink_text(out, ")");
}

// Write that a series has too few dumps for a verdict.
static void put_few(struct hp_sink *out, const struct hp_view *view,
                    const struct hp_trend_row *row) {
    size_t dumps = row->trend->dumps;
    if (dumps < HP_TREND_LEAST) {
        hp_sink_print(out,
                      HP_MESSAGE("trend-few-dumps",
                                 "Too few dumps (%zu; %d are needed) to test growth: "),
                      dumps, HP_TREND_LEAST);
    } else {
        hp_sink_print(out,
                      HP_MESSAGE("trend-one-time", "Too few dumps at different times: "));
    }
    hp_text_put_course(out, view, row->first, row->last);
    hp_text_put_lost(out, view);
}

// Write that a sum does not grow steadily, and what its shape is instead.
static void put_unsteady(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_trend_row *row) {
    bool has_shape = row->shape == HP_TREND_LEVELLED || row->shape == HP_TREND_CYCLE;
    hp_sink_print(out, HP_MESSAGE("trend-unsteady", "No steady growth%s%s%s: "),
                  has_shape ? " (" : "", has_shape ? row->shape_label : "",
                  has_shape ? ")" : "");
    put_values(out, view, row);
    hp_sink_text(out, ", ");
    hp_text_put_p(out, row->rise.p);
}

// Whether the verdict is about a step, which the next line names.
static bool is_step(enum hp_trend_verdict verdict) {
    return verdict == HP_VERDICT_STEP || verdict == HP_VERDICT_MOSTLY;
}

// Number of rows that grow steadily.
static size_t count_growing(const struct hp_trends *trends) {
    size_t count = 0;
    for (size_t i = 0; i < trends->rows.count; i++) {
        count += trends->rows.at[i]->is_significant;
    }
    return count;
}

// Write that some rows grow, although their sum does not grow steadily.
static void put_growing_rows(struct hp_sink *out, const struct hp_view *view,
                             const struct hp_trend_row *total, size_t grow) {
    const char *kind = hp_view_row_kind(view);
    bool is_whole = hp_trend_verdict_of(total) == HP_VERDICT_STEP;
    hp_sink_print(out, HP_MESSAGE("trend-rows-growing", "GROWING in %zu %s%s; total%s: "),
                  grow, kind, hp_text_plural(kind, grow == 1),
                  is_whole ? " in one step" : "");
    put_values(out, view, total);
    hp_sink_text(out, " (");
    hp_text_put_p(out, total->rise.p);
    hp_sink_text(out, ")");
}

// Write the verdict on a sum of a series, with its first and last value.
static void put_verdict(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_trend_row *row) {
    switch (hp_trend_verdict_of(row)) {
    case HP_VERDICT_GROWS:
        hp_sink_print(out, HP_MESSAGE("trend-growing", "GROWING "));
        put_growth(out, view, row);
        break;
    case HP_VERDICT_SINCE:
        hp_sink_print(out, HP_MESSAGE("trend-since", "GROWING since "));
        hp_text_put_dump(out, view, row, row->onset.dump);
        hp_sink_text(out, ": ");
        put_growth(out, view, row);
        break;
    case HP_VERDICT_STEP:
        put_grown(out, view, row, true);
        break;
    case HP_VERDICT_MOSTLY:
        put_grown(out, view, row, false);
        break;
    case HP_VERDICT_UNSTEADY:
        put_unsteady(out, view, row);
        break;
    case HP_VERDICT_FEW:
        put_few(out, view, row);
        break;
    case HP_VERDICT_UNTESTED:
        put_values(out, view, row);
        hp_sink_print(out, HP_MESSAGE("trend-untested", "; growth is not tested"));
        break;
    }
}

void hp_text_trend_answer(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = hp_largest_trend(trends);
    if (trends->count > 1) {
        hp_sink_escaped(out, hp_span_of(trend->name));
        hp_sink_text(out, ": ");
    }
    enum hp_trend_verdict verdict = hp_trend_verdict_of(&trend->total);
    bool is_unsteady = is_step(verdict) || verdict == HP_VERDICT_UNSTEADY;
    size_t grow = trends->count == 1 && is_unsteady ? count_growing(trends) : 0;
    if (grow > 0) {
        put_growing_rows(out, view, &trend->total, grow);
    } else {
        put_verdict(out, view, &trend->total);
    }
}

size_t hp_text_series_length(const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    return trends->count == 1 ? trends->of[0].dumps : 0;
}

// --- the line below it --------------------------------------------------------------------

// Whether the exit dump of a series is not one of its dumps.
static bool lacks_exit(const struct hp_view *view, const struct hp_trend *trend) {
    const struct hp_series_dump *dumps = view->series + trend->place;
    const struct hp_processes *processes = view->head.processes;
    if (dumps[0].process >= processes->all.count) {
        return false;
    }
    const struct hp_process *process = &processes->all.at[dumps[0].process];
    bool is_there = false;
    for (size_t i = 0; i < trend->dumps; i++) {
        is_there |= dumps[i].number == process->exit;
    }
    return process->exit != HP_NO_INPUT && process->dumps > trend->dumps && !is_there;
}

// Write how much a total grew since its onset, and where that may lie.
static void put_since(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row) {
    const struct hp_onset *onset = &row->onset;
    char growth[HP_SIGNED_SIZE], least[HP_SIGNED_SIZE];
    hp_text_rate(growth, onset->growth, view->options.metric, view->options.unit);
    hp_text_rate(least, onset->least, view->options.metric, view->options.unit);
    hp_sink_print(out, HP_MESSAGE("total-since", "%s since, at least %s"), growth, least);
    if (onset->from < onset->to) {
        hp_sink_print(out, HP_MESSAGE("total-began", "; began between "));
        hp_text_put_dump(out, view, row, onset->from);
        hp_sink_text(out, " and ");
        hp_text_put_dump(out, view, row, onset->to);
    }
}

// Write how much a total grew in one step, at which dump, and when that was: "step of +6.2
// MiB at app.7.heap, 1.5 hours after the first dump".
static void put_step(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_trend_row *row) {
    const struct hp_trend *trend = row->trend;
    const struct hp_series_dump *dumps = view->series + trend->place;
    char rise[HP_SIGNED_SIZE];
    hp_text_rate(rise, row->step_rise, view->options.metric, view->options.unit);
    hp_sink_print(out, HP_MESSAGE("total-step", "step of %s at "), rise);
    hp_text_put_dump(out, view, row, row->step);
    if (!isnan(trend->hours) && trend->unit->seconds > 0) {
        char number[32];
        snprintf(number, sizeof number, "%.3g",
                 (dumps[row->step].time - dumps[0].time) / trend->unit->seconds);
        hp_sink_print(out,
                      HP_MESSAGE("total-step-time", ", %s %s%s after the first dump"),
                      number, trend->unit->name, strcmp(number, "1") == 0 ? "" : "s");
    }
}

// Write the name of the first row, and how fast it grows.
static void put_first(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend_row *row = trends->rows.at[0];
    size_t width = view->options.text.width;
    struct hp_text_cut cut = {.room = width == 0              ? 0
                                      : width > WORDS * 5 / 4 ? width - WORDS
                                                              : WORDS / 4,
                              .is_ascii = view->options.text.ascii};
    struct hp_buffer safe = {0}, name = {0};
    hp_text_append_safe(&safe, hp_view_name(view, 0));
    hp_text_cut_name(&name, hp_buffer_span(&safe), &cut);
    hp_sink_put(out, name.text.at, name.text.count);
    hp_sink_text(out, ", ");
    put_rate(out, view, row->trend, row->slope);
    hp_vec_done(&safe.text);
    hp_vec_done(&name.text);
}

// Write how many rows grow steadily, and the first one.
static void put_rows(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const char *kind = hp_view_row_kind(view);
    size_t grow = count_growing(trends);
    if (trends->tested == 0) {
        hp_sink_print(out, HP_MESSAGE("no-row-tested", "no %s has enough samples"), kind);
    } else if (grow == 0) {
        hp_sink_print(out, HP_MESSAGE("no-row-grows", "no %s of %zu grows steadily"),
                      kind, trends->tested);
    } else {
        hp_sink_print(out, HP_MESSAGE("rows-grow", "%zu of %zu %s%s grow%s steadily"),
                      grow, trends->tested, kind,
                      hp_text_plural(kind, trends->tested == 1), grow == 1 ? "s" : "");
        hp_sink_text(out, grow == 1 ? ": " : ", most ");
        put_first(out, view);
    }
}

// Write which verdicts the series of several processes have.
static void put_series(struct hp_sink *out, const struct hp_trends *trends) {
    size_t grow = 0;
    for (size_t i = 0; i < trends->count; i++) {
        grow += trends->of[i].total.is_significant;
    }
    hp_sink_print(out,
                  HP_MESSAGE("series-grow", "%zu of %zu processes grow%s steadily, "),
                  grow, trends->count, grow == 1 ? "s" : "");
}

// Write which rows grow, and in which processes.
static void put_growing(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    if (trends->count > 1) {
        put_series(out, trends);
    }
    put_rows(out, view);
}

static void put_total_step(struct hp_sink *out, const struct hp_view *view) {
    put_step(out, view, &hp_largest_trend(view->extra)->total);
}

// Write at which dump the total grew in one step, and which rows grow; if the line has no
// room for both, only the rows, or the step if none grows.  `rest`: cells of the other
// parts of the line.
static void put_step_and_rows(struct hp_sink *out, const struct hp_view *view,
                              size_t rest) {
    struct hp_buffer step = {0}, rows = {0};
    size_t width = view->options.text.width;
    bool is_ascii = view->options.text.ascii, any = count_growing(view->extra) > 0;
    size_t cells = hp_text_cells(hp_text_made(&step, view, put_total_step), is_ascii) +
                   hp_text_cells(hp_text_made(&rows, view, put_growing), is_ascii);
    bool has_both = width == 0 || cells + 2 + rest <= width;
    if (has_both || !any) {
        hp_sink_put(out, step.text.at, step.text.count);
    }
    hp_sink_text(out, has_both ? "; " : "");
    if (has_both || any) {
        hp_sink_put(out, rows.text.at, rows.text.count);
    }
    hp_vec_done(&step.text);
    hp_vec_done(&rows.text);
}

// Write the end of the line about rows and dumps: times, and an exit dump that is not
// used.
static void put_dumps(struct hp_sink *out, const struct hp_view *view,
                      const char *begin) {
    const struct hp_trend *trend = hp_largest_trend(view->extra);
    enum hp_trend_verdict verdict = hp_trend_verdict_of(&trend->total);
    bool grows = verdict == HP_VERDICT_GROWS || verdict == HP_VERDICT_SINCE;
    if (!isnan(trend->hours)) {
        hp_sink_print(out, "%s%zu dumps span ", begin, trend->dumps);
        put_span(out, trend);
        begin = "; ";
    } else if (grows) {
        hp_sink_print(out,
                      HP_MESSAGE("times-unknown", "%stimes unknown: see --time-from"),
                      begin);
        begin = "; ";
    }
    if (lacks_exit(view, trend)) {
        hp_sink_print(out, HP_MESSAGE("exit-left-out", "%sthe exit dump is excluded"),
                      begin);
        begin = "; ";
    }
    hp_sink_text(out, begin[0] != '\0' ? "\n" : "");
}

static void put_all_dumps(struct hp_sink *out, const struct hp_view *view) {
    put_dumps(out, view, "; ");
}

// Write a line about rows and dumps.
static void put_second(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trend *trend = hp_largest_trend(view->extra);
    enum hp_trend_verdict verdict = hp_trend_verdict_of(&trend->total);
    struct hp_buffer selection = {0}, dumps = {0};
    const char *begin =
        hp_text_made(&selection, view, hp_text_selection).size > 0 ? "; " : "";
    size_t rest = hp_text_cells(hp_buffer_span(&selection), false) +
                  hp_text_cells(hp_text_made(&dumps, view, put_all_dumps), false);
    hp_sink_put(out, selection.text.at, selection.text.count);
    hp_vec_done(&selection.text);
    hp_vec_done(&dumps.text);
    if (verdict == HP_VERDICT_SINCE) {
        hp_sink_text(out, begin);
        put_since(out, view, &trend->total);
        begin = "; ";
    } else if (trend->can_test_growth) {
        hp_sink_text(out, begin);
        if (is_step(verdict)) {
            put_step_and_rows(out, view, rest);
        } else {
            put_growing(out, view);
        }
        begin = "; ";
    }
    put_dumps(out, view, begin);
}

// --- details ------------------------------------------------------------------------------

// Write the line that says how growth was tested.
static void put_method(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_trend *trend) {
    bool is_jemalloc = view->head.summary[HP_SIDE_ALL].is_jemalloc;
    const char *sampling =
        trend->test == HP_TEST_PROCESS_ACCUM
            ? HP_WORDS("slope-first-last", "last against first dump (paired)")
        : is_jemalloc ? HP_WORDS("slope-sharper",
                                 "slope with its sampling error (more sensitive with "
                                 "prof_accum:true)")
                      : HP_WORDS("slope-any", "slope with its sampling error");
    if (trend->test == HP_TEST_NONE) {
        return;
    }
    if (trend->can_test_growth) {
        hp_sink_print(
            out,
            HP_MESSAGE("method-of-three",
                       "method     largest p of three tests: %s, trend line with "
                       "autocorrelated noise, slopes of four segments\n"),
            hp_words(sampling));
    } else {
        hp_sink_print(out,
                      HP_MESSAGE("method-of-sampling",
                                 "method     %s; fluctuation is not tested\n"),
                      hp_words(sampling));
    }
}

// Write since when a row grows: "... grows since app.7.13.heap: +1.0 MiB per dump, at
// least +758.4 KiB; +11.9 MiB since, at least +8.9 MiB".
static void put_onset(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row) {
    const struct hp_onset *onset = &row->onset;
    char growth[HP_SIGNED_SIZE], least[HP_SIGNED_SIZE];
    enum hp_metric metric = view->options.metric;
    hp_sink_print(out, HP_MESSAGE("grows-since", " grows since "));
    put_dump(out, view, row, onset->dump);
    hp_sink_text(out, ": ");
    put_rate(out, view, row->trend, row->slope);
    hp_sink_text(out, ", at least ");
    put_rate(out, view, row->trend, row->rise.least);
    hp_text_rate(growth, onset->growth, metric, view->options.unit);
    hp_text_rate(least, onset->least, metric, view->options.unit);
    hp_sink_print(out, HP_MESSAGE("since-at-least", "; %s since, at least %s"), growth,
                  least);
    if (onset->from < onset->to) {
        hp_sink_print(out, HP_MESSAGE("began-between", "; it began between "));
        put_dump(out, view, row, onset->from);
        hp_sink_text(out, " and ");
        put_dump(out, view, row, onset->to);
    }
    hp_sink_text(out, "\n");
}

// Write for the first growing rows since which dump they grow.
static void put_onsets(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    unsigned lines = 0;
    for (size_t i = 0; i < trends->rows.count && lines < MOST_ONSETS; i++) {
        const struct hp_trend_row *row = trends->rows.at[i];
        bool is_since = row->shape == HP_TREND_SINCE && row->is_significant;
        if (!is_since && row->onset.steps == 0) {
            continue;
        }
        lines++;
        hp_sink_escaped(out, hp_view_name(view, i));
        if (is_since) {
            put_onset(out, view, row);
        } else {
            hp_sink_print(
                out,
                HP_MESSAGE(
                    "rose-recently",
                    " rose in each of the last %u steps, more than sampling explains: "
                    "%d dumps since it began are needed to distinguish growth from a step\n"),
                row->onset.steps, HP_TREND_LEAST);
        }
    }
}

// Write the slope of the total with its lower bound, its p-value and its shape.
static void put_slope(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend *trend) {
    const struct hp_trend_row *total = &trend->total;
    enum hp_metric metric = view->options.metric;
    enum hp_unit unit = view->options.unit;
    char text[HP_SIGNED_SIZE];
    hp_sink_text(out, "slope      ");
    put_rate(out, view, trend, total->slope);
    if (strcmp(trend->unit->name, "hour") == 0) {
        hp_text_rate(text, total->slope * 24, metric, unit);
        hp_sink_print(out, ", %s per day", text);
    }
    if (!isnan(total->rise.p)) {
        hp_sink_text(out, ", at least ");
        put_rate(out, view, trend, total->rise.least);
        hp_sink_text(out, ", ");
        hp_text_put_p(out, total->rise.p);
        hp_sink_print(out, ", shape %s", total->shape_label);
    } else if (!isnan(total->sampling.p)) {
        hp_sink_text(out, ", p sampling: ");
        hp_text_put_p(out, total->sampling.p);
    }
    hp_sink_text(out, "\n");
}

// Write the span of a series, and the limit of every test: a long cycle looks like
// growth.
static void put_horizon(struct hp_sink *out, const struct hp_trend *trend) {
    hp_sink_text(out, "span       ");
    if (isnan(trend->hours)) {
        hp_sink_print(out, "%zu dumps, times not known", trend->dumps);
    } else {
        put_span(out, trend);
    }
    hp_sink_print(
        out,
        HP_MESSAGE(
            "span-cycle",
            "; a cycle longer than half of this, or a rise that has not come back yet, "
            "cannot be distinguished from growth\n"));
}

// Write the values of the first and the last dump that filters leave; nothing without
// filters.
static void put_filtered_trend(struct hp_sink *out, const struct hp_view *view,
                               const struct hp_trend *trend) {
    enum hp_metric metric = view->options.metric;
    char first[HP_NUMBER_SIZE], last[HP_NUMBER_SIZE];
    if (hp_text_filters(out, view)) {
        hp_text_format(first, trend->filtered.first, metric, view->options.unit);
        hp_text_format(last, trend->filtered.last, metric, view->options.unit);
        hp_sink_print(out, "%s of the first, %s of the last\n", first, last);
    }
}

// Write all that is known of one series.
static void put_trend(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend *trend) {
    const struct hp_trends *trends = view->extra;
    if (trends->count > 1) {
        hp_sink_escaped(out, hp_span_of(trend->name));
        hp_sink_text(out, ": ");
        put_verdict(out, view, &trend->total);
        hp_sink_text(out, "\n");
    }
    put_slope(out, view, trend);
    put_method(out, view, trend);
    put_horizon(out, trend);
}

void hp_text_trend_facts(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    hp_text_moments(out, view);
    if (trends->count == 1) {
        put_length(out, &trends->of[0]);
    } else {
        hp_sink_print(out, "%zu series, each of a process", trends->count);
    }
    hp_sink_text(out, " · ");
    hp_text_inputs(out, view);
    for (size_t i = 0; i < trends->count; i++) {
        put_trend(out, view, &trends->of[i]);
    }
    if (hp_largest_trend(trends)->test != HP_TEST_NONE) {
        hp_sink_print(out, HP_MESSAGE("note-p-one-sided", "p          one-sided\n"));
    }
    put_onsets(out, view);
}

void hp_text_trend_head(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    if (!hp_text_put_answer(out, view, hp_text_trend_answer)) {
        hp_sink_text(out, "\n");
        hp_text_open(out, view);
    }
    hp_sink_text(out, "\n");
    put_second(out, view);
    for (size_t i = 0; i < trends->count; i++) {
        put_filtered_trend(out, view, &trends->of[i]);
    }
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

// The lines above the tables of diff, trend and lifetime:
//
//     1 base, 1 new · jemalloc heap_v2 · sample period 512 KiB · 7 stacks
//     base       58.4 MiB ± 4.0 MiB
//     new        65.0 MiB ± 4.2 MiB
//     change     +6.6 MiB, 2-sided p 0.0012
//     tested as  one dump of each of two processes: what sampling leaves open in both
#include "report/text/text.h"

#include "view/detectable.h"
#include "view/difference.h"
#include "view/recent_rows.h"
#include "view/report_lifetime.h"
#include "view/trends.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Write a p-value after its name, ", 2-sided p 0.0012"; nothing if it is not known.
static void put_p(struct hp_sink *out, const char *which, double p) {
    char text[HP_NUMBER_SIZE];
    if (!isnan(p)) {
        hp_text_p(text, p);
        hp_sink_print(out, ", %s %s", which, text);
    }
}

// Write what a comparison that found nothing could have found.
static void put_detectable(struct hp_sink *out, const struct hp_view *view,
                           struct hp_detectable found) {
    char change[HP_NUMBER_SIZE];
    enum hp_metric metric = view->options.metric;
    if (!found.is_known) {
        return;
    }
    hp_text_format(change, hp_text_fixed(found.change, metric), metric,
                   view->options.unit);
    hp_sink_print(
        out,
        found.is_of_gate
            ? HP_MESSAGE("detectable-by-gate",
                         "finds      by --fail-if, in 4 of 5 such comparisons a "
                         "growth of the total by %s")
            : HP_MESSAGE("detectable",
                         "finds      in 4 of 5 such comparisons a change of the "
                         "total by %s"),
        change);
    if (!isnan(found.share)) {
        hp_sink_print(out, " (%.*f%%)", found.share < 0.1 ? 1 : 0, found.share * 100);
    }
    hp_sink_print(out, "%s%s\n",
                  found.is_at_most ? hp_words(HP_WORDS("detectable-or-less", " or less"))
                                   : "",
                  found.is_of_sampling
                      ? hp_words(HP_WORDS("detectable-by-sampling",
                                          ", with sampling error only; differences "
                                          "between processes add to it"))
                      : "");
}

// --- diff ---------------------------------------------------------------------------------

// Whether all inputs are dumps of jemalloc, which has settings that make tests sharper.
static bool is_jemalloc(const struct hp_view *view) {
    return view->head.summary[HP_SIDE_ALL].is_jemalloc;
}

// Write a line if p does not allow for the differences between processes.
static void put_not_known(struct hp_sink *out, enum hp_difference_test test) {
    if (!hp_difference_allows_for_processes(test)) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "spread-not-known",
                "not known  what differs between processes by itself: three dumps or "
                "more would tell\n"));
    }
}

// Write the line that says how changes were tested.
static void put_difference_test(struct hp_sink *out, const struct hp_view *view,
                                enum hp_difference_test test) {
    static const char *const sentences[] = {
        [HP_TEST_INDEPENDENT] = HP_WORDS(
            "tested-two-processes",
            "one dump of each of two processes, with the sampling error of both"),
        [HP_TEST_PROCESS] = HP_WORDS(
            "tested-one-process",
            "two dumps of one process, as if they shared no object: p is an upper limit"),
        [HP_TEST_PROCESS_ACCUM] = HP_WORDS(
            "tested-one-process-accum",
            "two dumps of one process: what is in both cancels out, prof_accum tells "
            "how much can have been freed"),
        [HP_TEST_FLEETS] = HP_WORDS(
            "tested-averages",
            "averages of several dumps a side: p allows for how much they differ among "
            "themselves"),
        [HP_TEST_ONE] = HP_WORDS(
            "tested-one-against-averages",
            "one dump against averages of several: p allows for how much these differ, "
            "and the one is taken to differ as they do"),
        [HP_TEST_SAMPLING] = HP_WORDS(
            "tested-sampling",
            "several dumps as one, of which nothing tells how they differ: the sampling "
            "error of both sides"),
    };
    const struct hp_difference *difference = view->extra;
    if (difference->is_reset && test != HP_TEST_NONE) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "tested-across-reset",
                "tested as  two dumps of one process with prof.reset between them: what "
                "grew alone, with the sampling error of both\n"));
    } else if (test != HP_TEST_NONE) {
        hp_sink_print(out, "tested as  %s%s\n", hp_words(sentences[test]),
                      test == HP_TEST_PROCESS && is_jemalloc(view)
                          ? " (sharper with prof_accum:true)"
                          : "");
    }
}

// Write a line if processes have dumps on both sides, which the test does not allow for.
static void put_shared(struct hp_sink *out, const struct hp_difference *difference) {
    if (difference->shared > 0) {
        hp_sink_print(
            out,
            HP_MESSAGE("processes-on-both-sides",
                       "the same   %zu process%s on both sides: p is an upper limit\n"),
            difference->shared, difference->shared == 1 ? " is" : "es are");
    }
}

// Write for which sides the spread is known from replicates (classes of dumps) only, and
// from how many.
static void put_groups(struct hp_sink *out, const struct hp_difference *difference) {
    static const char *const sides[] = {"base", "new"};
    const char *begin = "spread     ";
    for (int i = 0; i < 2 && difference->test == HP_TEST_FLEETS; i++) {
        if (difference->groups[i] > 0) {
            hp_sink_print(out, "%sof %s from %zu groups of dumps", begin, sides[i],
                          difference->groups[i]);
            begin = ", ";
        }
    }
    hp_sink_text(out, begin[0] == ',' ? "\n" : "");
}

// Write whether the total changed significantly, how many rows did, and how many are new
// or gone; nothing if changes were not tested.
static void put_verdict(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_difference *difference) {
    bool is_sure = difference->total.p < 1 - view->options.confidence;
    bool allows = hp_difference_allows_for_processes(difference->test);
    const char *changed =
        allows ? "changed significantly" : "changed beyond sampling error";
    size_t significant = 0, new = 0, gone = 0;
    const struct hp_change *row;
    hp_vec_each (row, &difference->rows) {
        significant += row->is_significant;
        new += hp_change_is_new(row);
        gone += hp_change_is_gone(row);
    }
    if (difference->test == HP_TEST_NONE || difference->is_same) {
        return;
    }
    hp_sink_print(out, HP_MESSAGE("verdict-whole", "verdict    the whole change %s; "),
                  isnan(difference->total.p) ? "is not tested"
                  : !is_sure                 ? "may be chance"
                  : allows                   ? "is significant"
                                             : "is beyond sampling error");
    if (difference->tested == 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-no-rows", "no row is tested"));
    } else if (significant == 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-none", "none of %zu rows tested %s"),
                      difference->tested, changed);
    } else {
        hp_sink_print(out, HP_MESSAGE("verdict-rows", "%zu of %zu rows tested %s"),
                      significant, difference->tested, changed);
    }
    hp_sink_print(out, HP_MESSAGE("verdict-new-and-gone", "; %zu new, %zu gone\n"), new,
                  gone);
}

// Write a line with a label, the total of one side and its interval.
static void put_side(struct hp_sink *out, const struct hp_view *view, const char *label,
                     hp_fixed value, struct hp_interval range) {
    struct hp_text_estimate text;
    hp_text_measure(&text, value, range, view->options.metric, view->options.unit);
    hp_sink_print(out, "%-9s  %s", label, text.value);
    hp_text_put_interval(out, &text);
    hp_sink_text(out, "\n");
}

// Write the values of both sides that filters leave, and the p-value of their change;
// nothing without filters.
static void put_filtered_change(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    const struct hp_change *filtered = &difference->filtered;
    enum hp_metric metric = view->options.metric;
    char before[HP_NUMBER_SIZE], after[HP_NUMBER_SIZE];
    if (hp_text_filters(out, view)) {
        hp_text_format(before, filtered->before, metric, view->options.unit);
        hp_text_format(after, filtered->after, metric, view->options.unit);
        hp_sink_print(out, "%s of base, %s of new", before, after);
        put_p(out, "2-sided p", filtered->p);
        hp_sink_text(out, "\n");
    }
}

// Write a line with a label and an amount.
static void put_amount_line(struct hp_sink *out, const struct hp_view *view,
                            const char *label, hp_fixed value) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, view->options.metric, view->options.unit);
    hp_sink_print(out, "%-9s  %s\n", label, text);
}

// Write the head for inputs that are differences of profiles themselves, whose changes
// cannot be tested.
static void put_differences(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    const struct hp_change *total = &difference->total, *left = &difference->filtered;
    char text[HP_SIGNED_SIZE], grew[HP_NUMBER_SIZE], shrank[HP_NUMBER_SIZE];
    enum hp_metric metric = view->options.metric;
    size_t others = view->head.summary[HP_SIDE_ALL].used, differences = 0;
    for (size_t i = 0; i < view->head.input_count; i++) {
        const struct hp_input_record *input = &view->head.inputs[i];
        bool is_difference = hp_input_is_used(input) && input->negative > 0;
        differences += is_difference ? 1 + input->others : 0;
    }
    others -= differences;
    hp_text_moments(out, view);
    hp_sink_print(out, "%zu difference%s", differences, differences == 1 ? "" : "s");
    if (others > 0) {
        hp_sink_print(out, ", %zu other input%s", others, others == 1 ? "" : "s");
    }
    hp_sink_text(out, " · ");
    hp_text_inputs(out, view);
    put_amount_line(out, view, "grew", total->after);
    put_amount_line(out, view, "shrank", total->before);
    hp_text_signed(text, total->after - total->before, metric, view->options.unit);
    hp_sink_print(out, "change     %s\n", text);
    if (hp_text_filters(out, view)) {
        hp_text_format(grew, left->after, metric, view->options.unit);
        hp_text_format(shrank, left->before, metric, view->options.unit);
        hp_sink_print(out, "%s that grew, %s that shrank\n", grew, shrank);
    }
}

void hp_text_diff_facts(struct hp_sink *out, const struct hp_view *view) {
    if (hp_view_is_of_differences(view)) {
        put_differences(out, view);
        return;
    }
    const struct hp_difference *difference = view->extra;
    const struct hp_change *total = &difference->total;
    enum hp_metric metric = view->options.metric;
    char base[HP_NUMBER_SIZE], new[HP_NUMBER_SIZE], text[HP_NUMBER_SIZE];
    hp_format_grouped(base, (hp_int128)difference->inputs[0]);
    hp_format_grouped(new, (hp_int128)difference->inputs[1]);
    hp_text_moments(out, view);
    hp_sink_print(out, "%s base, %s new · ", base, new);
    hp_text_inputs(out, view);
    double confidence = view->options.confidence;
    put_side(out, view, "base", total->before, hp_change_side(total, 0, confidence));
    put_side(out, view, "new", total->after, hp_change_side(total, 1, confidence));
    hp_fixed growth = total->after - total->before;
    hp_text_format(text, growth < 0 ? -growth : growth, metric, view->options.unit);
    hp_sink_print(out, "change     %s%s", growth < 0 ? "-" : "+", text);
    put_p(out, "2-sided p", total->p);
    hp_sink_text(out, "\n");
    put_verdict(out, view, difference);
    put_difference_test(out, view, difference->test);
    put_not_known(out, difference->test);
    put_detectable(out, view, hp_detectable_change(view));
    put_shared(out, difference);
    put_groups(out, difference);
    put_filtered_change(out, view);
}

void hp_text_diff_head(struct hp_sink *out, const struct hp_view *view) {
    hp_text_diff_facts(out, view);
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

// Write the explanation of p below a table: what p is, which rows have none, and what the
// mark means when many rows are tested.  `sentences` are the parts of the text that
// differ between reports.
static void put_note(struct hp_sink *out, const struct hp_view *view,
                     const char *const sentences[3], const char *few, size_t tested,
                     bool allows_for_processes) {
    bool is_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    char rows[HP_NUMBER_SIZE];
    // One of this many marked rows is wrong on average.
    double marked = 100 / (100 - view->options.confidence * 100);
    hp_format_grouped(rows, (hp_int128)tested);
    hp_sink_print(out,
                  HP_MESSAGE("note-fewer-samples", "%s; - where %s fewer than %s%s\n"),
                  hp_words(sentences[0]), hp_words(sentences[2]), few,
                  is_space ? "" : " or objects of mixed sizes");
    hp_sink_print(out, HP_MESSAGE("note-marked-rows", "* %s even among %s row%s tested"),
                  sentences[1], rows, tested == 1 ? "" : "s");
    if (allows_for_processes) {
        hp_sink_print(out,
                      HP_MESSAGE("note-marked-wrong",
                                 ": on average at most 1 in %g rows so marked is wrong"),
                      marked);
    }
    hp_sink_text(out, "\n");
}

void hp_text_diff_note(struct hp_sink *out, const struct hp_view *view, const char *few) {
    const struct hp_difference *difference = view->extra;
    bool allows_for_processes = hp_difference_allows_for_processes(difference->test);
    const char *const sentences[3] = {
        allows_for_processes
            ? HP_WORDS("note-p-change",
                       "p: probability of a change this large, up or down, with no real "
                       "change")
            : HP_WORDS(
                  "note-p-sampling",
                  "p: probability of a change this large, up or down, by sampling alone"),
        hp_difference_mark(difference->test),
        HP_WORDS("note-stands-on", "what changed stands on"),
    };
    put_note(out, view, sentences, few, difference->tested, allows_for_processes);
}

void hp_text_trend_note(struct hp_sink *out, const struct hp_view *view,
                        const char *few) {
    static const char *const sentences[3] = {
        HP_WORDS("note-p-growth",
                 "p growth: probability of growth this large where nothing grows"),
        "grows,",
        "there are",
    };
    const struct hp_trends *trends = view->extra;
    put_note(out, view, sentences, few, trends->tested, true);
}

bool hp_text_no_change(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    if (!view->report->has_sides || !difference->is_same) {
        return false;
    }
    if (hp_view_is_of_differences(view)) {
        hp_sink_print(out,
                      HP_MESSAGE("no-difference", "no change: nothing grew or shrank\n"));
    } else {
        hp_sink_print(out,
                      HP_MESSAGE("no-change", "no change: every %s holds what it held\n"),
                      hp_view_row_kind(view));
    }
    return true;
}

enum {
    MOST_ONSETS = 5, // rows that get a line about since when they grow
};

// --- trend --------------------------------------------------------------------------------

// Write the line that says how growth was tested.
static void put_trend_test(struct hp_sink *out, const struct hp_view *view,
                           const struct hp_trend *trend) {
    const char *sampling =
        trend->test == HP_TEST_PROCESS_ACCUM
            ? HP_WORDS("slope-first-last",
                       "last dump against first, where what is in both cancels out "
                       "(prof_accum)")
        : is_jemalloc(view)
            ? HP_WORDS("slope-sharper",
                       "slope of a line, for sampling however long objects live (sharper "
                       "with prof_accum:true)")
            : HP_WORDS("slope-any",
                       "slope of a line, for sampling however long objects live");
    const char *rest = HP_WORDS(
        "slope-shape",
        "a line that values go up and down around; slopes of four parts; the largest p "
        "counts");
    if (trend->test == HP_TEST_NONE) {
        return;
    }
    if (!trend->can_test_growth) {
        rest =
            trend->dumps < HP_TREND_LEAST
                ? HP_WORDS(
                      "trend-few-dumps",
                      "fewer than 8 dumps: no claim of growth, p is that of sampling "
                      "alone")
                : HP_WORDS("trend-one-time",
                           "dumps of one time: no claim of growth, p is that of sampling "
                           "alone");
    }
    hp_sink_print(out, "tested as  %s; %s\n", hp_words(sampling), hp_words(rest));
}

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

void hp_text_onsets(struct hp_sink *out, const struct hp_view *view) {
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
                    "%d dumps since it began are needed to tell growth from a step\n"),
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
        put_p(out, "p growth", total->rise.p);
        hp_sink_print(out, ", shape %s", hp_trend_shape_name(total->shape));
    } else {
        put_p(out, "p sampling", total->sampling.p);
    }
    hp_sink_text(out, "\n");
}

// Write the time that a series spans: "1.5 seconds".
static void put_span(struct hp_sink *out, const struct hp_trend *trend) {
    char number[32];
    snprintf(number, sizeof number, "%.3g", trend->span);
    hp_sink_print(out, "%s %s%s", number, trend->unit->name,
                  strcmp(number, "1") == 0 ? "" : "s");
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
            "cannot be told from growth\n"));
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

// Write the number of dumps, and the time they span if it is known.
static void put_length(struct hp_sink *out, const struct hp_trend *trend) {
    hp_sink_print(out, "%zu dumps", trend->dumps);
    if (!isnan(trend->hours)) {
        hp_sink_text(out, " over ");
        put_span(out, trend);
    }
}

// Write the lines about one series.
static void put_trend(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend *trend) {
    enum hp_metric metric = view->options.metric;
    char first[HP_NUMBER_SIZE], last[HP_NUMBER_SIZE];
    hp_text_format(first, trend->total.first, metric, view->options.unit);
    hp_text_format(last, trend->total.last, metric, view->options.unit);
    hp_sink_print(out, "first      %s\nlast       %s\n", first, last);
    put_slope(out, view, trend);
    put_trend_test(out, view, trend);
    put_horizon(out, trend);
    put_filtered_trend(out, view, trend);
}

void hp_text_trend_facts(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    if (trends->count == 1) {
        put_length(out, &trends->of[0]);
    } else {
        hp_sink_print(out, "%zu series, each of a process", trends->count);
    }
    hp_sink_text(out, " · ");
    hp_text_inputs(out, view);
    for (size_t i = 0; i < trends->count; i++) {
        const struct hp_trend *trend = &trends->of[i];
        if (trends->count > 1) {
            hp_sink_print(out, "%s: ", trend->name);
            put_length(out, trend);
            hp_sink_text(out, "\n");
        }
        put_trend(out, view, trend);
    }
    put_detectable(out, view, hp_detectable_growth_of_trend(view));
}

void hp_text_trend_head(struct hp_sink *out, const struct hp_view *view) {
    hp_text_trend_facts(out, view);
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

// --- lifetime -----------------------------------------------------------------------------

// Write the bounds of the share that is still live at the last dump: "at least 1.2% and
// at most 3.4% of that ...".
static void put_survivors(struct hp_sink *out, const struct hp_view *view,
                          const struct hp_lifetime_row *row) {
    if (isnan(row->share.high)) {
        hp_sink_print(
            out,
            HP_MESSAGE("nothing-allocated",
                       "nothing was allocated between the first dump and the last\n"));
        return;
    }
    hp_sink_print(
        out,
        HP_MESSAGE(
            "live-at-last",
            "at least %.3g%% and at most %.3g%% of that is live at the last (%g%% each, "
            "however long objects live)\n"),
        100 * row->share.low, 100 * row->share.high, 100 * view->options.confidence);
}

// Write how much was allocated between the first and the last dump, and what share of it
// is still live.
static void put_window(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetimes *lifetimes = view->extra;
    const struct hp_lifetime_row *total = hp_lifetime_row(view, HP_ROW_TOTAL);
    char allocated[HP_NUMBER_SIZE], seconds[32] = "";
    hp_text_format(allocated, total->allocated, HP_ALLOC_SPACE, view->options.unit);
    if (!isnan(lifetimes->seconds)) {
        snprintf(seconds, sizeof seconds, " in %.3g seconds", lifetimes->seconds);
    }
    hp_sink_print(
        out,
        HP_MESSAGE(
            "window-of-series",
            "window     %s allocated by the process from the first dump to the last%s\n"),
        allocated, seconds);
    hp_sink_text(out, "survives   ");
    put_survivors(out, view, total);
}

// Write how much of the memory that filters leave was allocated, and survives; nothing
// without filters.
static void put_filtered_lifetime(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetime_row *filtered = hp_lifetime_row(view, HP_ROW_FILTERED);
    char allocated[HP_NUMBER_SIZE];
    if (hp_text_filters(out, view)) {
        hp_text_format(allocated, filtered->allocated, HP_ALLOC_SPACE,
                       view->options.unit);
        hp_sink_print(out, "%s; ", allocated);
        put_survivors(out, view, filtered);
    }
}

// Write how many records of allocations were excluded, and why.
static void put_left_out(struct hp_sink *out, const struct hp_recent_row *total) {
    if (total->negative > 0) {
        hp_sink_print(
            out,
            HP_MESSAGE("left-out-by-clock",
                       "left out   %zu freed before they were made, by a clock that went "
                       "back\n"),
            total->negative);
    }
    if (total->no_time > 0) {
        hp_sink_print(out,
                      HP_MESSAGE("left-out-unknown",
                                 "left out   %zu freed at a time that is not told\n"),
                      total->no_time);
    }
}

// Write how objects are counted that one stack freed in one tick of the clock, if there
// are any.
static void put_batches(struct hp_sink *out, const struct hp_recent_row *total) {
    char largest[HP_NUMBER_SIZE];
    hp_format_grouped(largest, (hp_int128)total->largest_batch);
    if (total->largest_batch > 1) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "batches",
                "batches    what one stack frees in one tick is one death: the largest "
                "is of %s objects\n"),
            largest);
    }
}

// Write the head for lifetimes from the records of prof_recent.
static void put_recent_head(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_recent_rows *rows = view->extra;
    const struct hp_recent_row *total = &rows->total;
    char window[HP_LIFESPAN_SIZE], tick[HP_LIFESPAN_SIZE];
    hp_lifespan_format(window, rows->window, 0);
    hp_lifespan_format(tick, rows->tick, 0);
    hp_sink_print(out, "%zu sampled allocations, the last of the process · ",
                  total->sampled);
    hp_text_inputs(out, view);
    hp_sink_print(
        out,
        HP_MESSAGE(
            "window-of-recent",
            "window     %s from the first of them: of longer lifetimes nothing is "
            "known\nclock      in ticks of %s, the least difference between two "
            "times\nsurvives   %zu are live: they live longer than they have so far "
            "(Kaplan-Meier)\nintervals  %g%%, by jackknife over batches, with Student's "
            "t of one less than these\n"),
        window, tick, total->live, 100 * view->options.confidence);
    put_batches(out, total);
    put_left_out(out, total);
    if (hp_text_filters(out, view)) {
        hp_sink_print(out, "%zu of them\n", rows->filtered.sampled);
    }
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

void hp_text_lifetime_head(struct hp_sink *out, const struct hp_view *view) {
    if (hp_view_is_recent(view)) {
        put_recent_head(out, view);
        return;
    }
    const struct hp_lifetimes *lifetimes = view->extra;
    hp_sink_print(out, "%zu dumps · ", lifetimes->dumps);
    hp_text_inputs(out, view);
    put_window(out, view);
    put_filtered_lifetime(out, view);
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

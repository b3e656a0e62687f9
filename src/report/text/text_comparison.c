// The lines of diff:
//
//     +57.7 MiB ± 3.3 MiB: 13.1 → 70.8 MiB in use, significant (p < 0.0001)
//     2 of 3 functions tested changed significantly, 1 is new
//     (the table)
//     … 2 unchanged (-n 0: all)    * significant at a 5% false discovery rate
//
// With details, there are also the total of each side and how changes were tested.
#include "report/text/text.h"

#include "view/detectable.h"
#include "view/difference.h"
#include "view/trends.h"

#include <math.h>
#include <string.h>

// --- parts of diff and trend --------------------------------------------------------------

// Write a change as a share of the base, or of the mean of a series: " (67% of base)".  A
// share that is no longer plain is written as a multiple.
static void put_share(struct hp_sink *out, const struct hp_view *view, double share) {
    static const double much = 10;
    const char *whole = view->report->has_sides
                            ? hp_words(HP_WORDS("of-base", "base"))
                            : hp_words(HP_WORDS("of-mean", "the mean"));
    if (share >= much) {
        hp_sink_print(out, HP_MESSAGE("share-times", " (%.0f times %s)"), share, whole);
    } else if (!isnan(share)) {
        hp_sink_print(out, HP_MESSAGE("share-of", " (%.*f%% of %s)"), share < 0.1 ? 1 : 0,
                      share * 100, whole);
    }
}

// Write the smallest change that most comparisons like this one find.
static void put_detectable(struct hp_sink *out, const struct hp_view *view,
                           struct hp_detectable found) {
    char change[HP_NUMBER_SIZE];
    enum hp_metric metric = view->options.metric;
    if (!found.is_known) {
        return;
    }
    if (found.is_too_few) {
        hp_sink_print(out,
                      HP_MESSAGE("detectable-too-few",
                                 "too few processes to find a change of less than %d "
                                 "times the base"),
                      HP_MOST_TIMES);
        return;
    }
    hp_text_format(change, hp_text_fixed(found.change, metric), metric,
                   view->options.unit);
    hp_sink_print(
        out,
        found.is_of_gate
            ? HP_MESSAGE("detectable-by-gate",
                         "4 of 5 such comparisons would find growth by --fail-if: %s")
        : view->report->has_sides
            ? HP_MESSAGE("detectable",
                         "4 of 5 such comparisons would find a change of %s")
            : HP_MESSAGE("detectable-growth",
                         "4 of 5 such series would show steady growth of %s"),
        change);
    put_share(out, view, found.share);
    hp_sink_print(out, "%s%s",
                  found.is_at_most ? hp_words(HP_WORDS("detectable-or-less", " or less"))
                                   : "",
                  found.is_of_sampling ? hp_words(HP_WORDS("detectable-by-sampling",
                                                           ", sampling error only"))
                                       : "");
}

void hp_text_detectable(struct hp_sink *out, const struct hp_view *view) {
    if (!hp_view_is_of_differences(view)) {
        put_detectable(out, view,
                       view->report->has_sides ? hp_detectable_change(view)
                                               : hp_detectable_growth_of_trend(view));
    }
}

// Whether too few processes leave an end of the interval of a change open.
static bool is_open(const struct hp_change *change, double confidence) {
    struct hp_interval range = hp_change_range(change, confidence);
    return isinf(range.low) || isinf(range.high);
}

struct hp_text_marks hp_text_marks_of(const struct hp_view *view, size_t shown) {
    struct hp_text_marks marks = {.is_marked = false};
    bool is_diff = view->report->has_sides;
    const struct hp_difference *difference = is_diff ? view->extra : NULL;
    const struct hp_trends *trends = is_diff ? NULL : view->extra;
    for (size_t i = 0; i < shown; i++) {
        const struct hp_trend_row *row = is_diff ? NULL : trends->rows.at[i];
        marks.is_open |=
            is_diff && is_open(&difference->rows.at[i], view->options.confidence);
        marks.is_marked |= (hp_view_flags(view, i) & HP_ROW_SIGNIFICANT) != 0;
        if (is_diff) {
            marks.is_untested |=
                difference->test != HP_TEST_NONE && isnan(difference->rows.at[i].p);
        } else {
            marks.is_untested |= row->trend->can_test_growth && isnan(row->rise.p);
            marks.has_bound |= row->rise.least > 0;
            bool is_since = row->shape == HP_TREND_SINCE && !marks.since;
            bool is_step = row->shape == HP_TREND_STEP && !marks.step;
            marks.since = is_since ? row : marks.since;
            marks.step = is_step ? row : marks.step;
        }
    }
    return marks;
}

// Whether the p-values of a report allow for everything that varies.
static bool allows_for_all(const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    return !view->report->has_sides ||
           hp_difference_allows_for_processes(difference->test);
}

// Write what the marks of rows mean.
static void put_mark(struct hp_sink *out, const struct hp_view *view,
                     struct hp_text_marks marks) {
    double rate = 100 - view->options.confidence * 100;
    if (marks.is_marked && !allows_for_all(view)) {
        hp_sink_print(out, HP_MESSAGE("mark-sampling", "* beyond sampling error"));
    } else if (marks.is_marked) {
        hp_sink_print(
            out, HP_MESSAGE("mark-significant", "* %s at a %g%% false discovery rate"),
            view->report->has_sides ? "significant" : "steady growth", rate);
    }
    if (marks.is_untested) {
        hp_sink_print(out, HP_MESSAGE("mark-untested", "%sp -: too few samples"),
                      marks.is_marked ? "; " : "");
    }
    if (marks.is_open) {
        hp_sink_print(out, HP_MESSAGE("mark-open", "%sCI ?: too few processes"),
                      marks.is_marked || marks.is_untested ? "; " : "");
    }
}

// --- diff ---------------------------------------------------------------------------------

// Whether all inputs are dumps of jemalloc, which has settings that make tests sharper.
static bool is_jemalloc(const struct hp_view *view) {
    return view->head.summary[HP_SIDE_ALL].is_jemalloc;
}

// Write the line that says how changes were tested.
static void put_method(struct hp_sink *out, const struct hp_view *view,
                       enum hp_difference_test test) {
    static const char *const sentences[] = {
        [HP_TEST_INDEPENDENT] =
            HP_WORDS("tested-two-processes",
                     "unpaired, one dump of each of two processes, by the sampling error "
                     "of both"),
        [HP_TEST_PROCESS] = HP_WORDS("tested-one-process",
                                     "unpaired, two dumps of one process; conservative: "
                                     "p is an upper limit"),
        [HP_TEST_PROCESS_ACCUM] = HP_WORDS(
            "tested-one-process-accum",
            "paired, two dumps of one process; allocation counters show how much can have "
            "been freed"),
        [HP_TEST_FLEETS] = HP_WORDS("tested-averages",
                                    "averages of several dumps a side; p allows for how "
                                    "much these differ"),
        [HP_TEST_ONE] = HP_WORDS("tested-one-against-averages",
                                 "one dump against averages of several; p assumes that "
                                 "the one varies as the several do"),
        [HP_TEST_SAMPLING] = HP_WORDS("tested-sampling",
                                      "averages by their sampling error; how processes "
                                      "differ is unknown"),
    };
    const struct hp_difference *difference = view->extra;
    if (difference->is_reset && test != HP_TEST_NONE) {
        hp_sink_print(
            out,
            HP_MESSAGE("tested-across-reset",
                       "method     unpaired, two dumps of one process with prof.reset "
                       "between them; only growth is tested\n"));
    } else if (test != HP_TEST_NONE) {
        hp_sink_print(out, "method     %s%s\n", hp_words(sentences[test]),
                      test == HP_TEST_PROCESS && is_jemalloc(view)
                          ? hp_words(HP_WORDS("sharper-with-accum",
                                              ". More sensitive with prof_accum:true"))
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

// Write the verdict on the change of the total, with its p-value.
static void put_verdict(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_change *total, bool allows) {
    bool is_sure = total->p < 1 - view->options.confidence;
    if (isnan(total->p)) {
        hp_sink_print(out, HP_MESSAGE("verdict-untested", "not tested"));
        return;
    }
    if (is_sure && allows) {
        hp_sink_print(out, HP_MESSAGE("verdict-significant", "significant ("));
    } else if (is_sure) {
        hp_sink_print(out, HP_MESSAGE("verdict-sampling", "beyond sampling error ("));
    } else if (allows) {
        hp_sink_print(out, HP_MESSAGE("verdict-chance", "not significant ("));
    } else {
        hp_sink_print(out, HP_MESSAGE("verdict-noise", "within sampling error ("));
    }
    hp_text_put_p(out, total->p);
    hp_sink_text(out, ")");
}

void hp_text_diff_answer(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    const struct hp_change *total = &difference->total;
    char text[HP_NUMBER_SIZE];
    bool is_mean = difference->inputs[0] > 1 || difference->inputs[1] > 1;
    bool is_same = difference->is_same && total->before == total->after;
    if (is_same) {
        hp_text_format(text, total->after, view->options.metric, view->options.unit);
        hp_sink_print(out, HP_MESSAGE("no-change", "no change: %s "), text);
    } else {
        hp_text_put_change(out, view, total->after - total->before,
                           hp_change_range(total, view->options.confidence));
        hp_sink_text(out, is_mean ? ": mean " : ": ");
        hp_text_put_course(out, view, total->before, total->after);
        hp_sink_text(out, " ");
    }
    hp_text_put_metric(out, view);
    if (difference->test != HP_TEST_NONE && !is_same) {
        hp_sink_text(out, ", ");
        put_verdict(out, view, total,
                    hp_difference_allows_for_processes(difference->test));
    }
}

// Write how many rows changed, and how many are new or gone; nothing if changes were not
// tested.  `is_in_part`: the text before it says that rows are compared in part.
static void put_rows(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_difference *difference, bool is_in_part) {
    const char *kind = hp_view_row_kind(view);
    const char *changed = hp_difference_allows_for_processes(difference->test)
                              ? "changed significantly"
                              : "changed beyond sampling error";
    size_t significant = 0, new = 0, gone = 0, tested = difference->tested;
    const struct hp_change *row;
    hp_vec_each (row, &difference->rows) {
        significant += row->is_significant;
        new += hp_change_is_new(row);
        gone += hp_change_is_gone(row);
    }
    if (difference->test == HP_TEST_NONE || difference->is_same) {
        return;
    }
    if (tested == 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-no-rows", "no %s has enough samples"),
                      kind);
    } else if (significant == 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-none", "none of %zu %s%s%s %s"), tested,
                      kind, hp_text_plural(kind, tested == 1),
                      is_in_part ? "" : " tested", changed);
    } else {
        hp_sink_print(out, HP_MESSAGE("verdict-rows", "%zu of %zu %s%s%s %s"),
                      significant, tested, kind, hp_text_plural(kind, tested == 1),
                      is_in_part ? "" : " tested", changed);
    }
    if (new > 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-new", ", %zu new"), new);
    }
    if (gone > 0) {
        hp_sink_print(out, HP_MESSAGE("verdict-gone", ", %zu gone"), gone);
    }
}

// Write a line: which dumps were used, or how many rows changed; both if they fit.
// `has_open`: the first line had no room for which code is compared in part.
static void put_second(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_difference *difference, bool has_open) {
    struct hp_buffer line = {0}, changed = {0};
    struct hp_sink rows;
    size_t sources = hp_view_source_count(view), width = view->options.text.width;
    hp_sink_init(&rows, hp_buffer_write, &changed);
    if (has_open) {
        hp_text_open(&rows, view);
        hp_sink_text(&rows, ": ");
    }
    put_rows(&rows, view, difference, has_open);
    hp_sink_flush(&rows);
    hp_text_made(&line, view, hp_text_selection);
    for (size_t i = 0; i < sources; i++) {
        hp_buffer_append(&line, hp_span_of(line.text.count > 0 ? "; " : ""));
        hp_text_append_safe(&line, hp_view_source(view, i));
    }
    bool has_both = line.text.count > 0 && changed.text.count > 0;
    size_t cells = hp_text_cells(hp_buffer_span(&line), false) +
                   hp_text_cells(hp_buffer_span(&changed), false);
    bool fits = width == 0 || cells + 2 <= width;
    hp_sink_put(out, line.text.at, line.text.count);
    hp_sink_text(out, has_both ? fits ? "; " : "\n" : "");
    hp_sink_put(out, changed.text.at, changed.text.count);
    hp_sink_text(out, line.text.count + changed.text.count > 0 ? "\n" : "");
    hp_vec_done(&line.text);
    hp_vec_done(&changed.text);
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
        if (!isnan(filtered->p)) {
            hp_sink_text(out, ", ");
            hp_text_put_p(out, filtered->p);
        }
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
    double confidence = view->options.confidence;
    char base[HP_NUMBER_SIZE], new[HP_NUMBER_SIZE];
    hp_format_grouped(base, (hp_int128)difference->inputs[0]);
    hp_format_grouped(new, (hp_int128)difference->inputs[1]);
    hp_text_moments(out, view);
    hp_sink_print(out, "%s base, %s new · ", base, new);
    hp_text_inputs(out, view);
    put_side(out, view, "base", total->before, hp_change_side(total, 0, confidence));
    put_side(out, view, "new", total->after, hp_change_side(total, 1, confidence));
    put_method(out, view, difference->test);
    if (difference->test != HP_TEST_NONE) {
        hp_sink_print(out, HP_MESSAGE("note-p-two-sided", "p          two-sided\n"));
    }
    put_shared(out, difference);
    put_groups(out, difference);
}

void hp_text_diff_head(struct hp_sink *out, const struct hp_view *view) {
    if (hp_view_is_of_differences(view)) {
        put_differences(out, view);
        hp_text_warnings(out, view);
        hp_sink_text(out, "\n");
        return;
    }
    const struct hp_difference *difference = view->extra;
    bool is_all_said = hp_text_put_answer(out, view, hp_text_diff_answer);
    hp_sink_text(out, "\n");
    put_second(out, view, difference, !is_all_said);
    put_filtered_change(out, view);
    hp_text_warnings(out, view);
    bool is_all =
        difference->is_same && difference->total.before == difference->total.after;
    hp_sink_text(out, is_all ? "" : "\n");
}

// --- marks --------------------------------------------------------------------------------

// Write what columns mean, for the marks that are shown.
static void put_columns(struct hp_sink *out, const struct hp_view *view,
                        struct hp_text_marks marks) {
    const char *begin = "";
    if (marks.has_bound) {
        hp_sink_print(out, HP_MESSAGE("note-bound", "at least: %g%% lower bound"),
                      100 * view->options.confidence);
        begin = "; ";
    }
    if (marks.since) {
        hp_sink_print(out, HP_MESSAGE("note-since", "%s%s: after "), begin,
                      marks.since->shape_label);
        hp_text_put_dump(out, view, marks.since, marks.since->onset.dump);
        begin = "; ";
    }
    if (marks.step) {
        hp_sink_print(out, HP_MESSAGE("note-step", "%s%s: at "), begin,
                      marks.step->shape_label);
        hp_text_put_dump(out, view, marks.step, marks.step->step);
        begin = "; ";
    }
    if (!view->report->has_sides && marks.is_marked) {
        hp_sink_print(out,
                      HP_MESSAGE("note-cycle",
                                 "%sa cycle of over %zu dumps looks like growth"),
                      begin, hp_largest_trend(view->extra)->dumps / 2);
    }
}

void hp_text_explain_marks(struct hp_buffer *mark, struct hp_buffer *columns,
                           const struct hp_view *view, struct hp_text_marks marks) {
    struct hp_sink out;
    hp_sink_init(&out, hp_buffer_write, mark);
    put_mark(&out, view, marks);
    hp_sink_flush(&out);
    hp_sink_init(&out, hp_buffer_write, columns);
    put_columns(&out, view, marks);
    hp_sink_flush(&out);
}

void hp_text_mark_lines(struct hp_sink *out, const struct hp_view *view, size_t shown) {
    struct hp_buffer texts[3] = {{{0}}};
    struct hp_text_marks marks = hp_text_marks_of(view, shown);
    marks.since = marks.step = NULL; // a page names the dump where a row is opened
    hp_text_explain_marks(&texts[0], &texts[1], view, marks);
    hp_text_made(&texts[2], view, hp_text_detectable);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hp_sink_put(out, texts[i].text.at, texts[i].text.count);
        hp_sink_text(out, texts[i].text.count > 0 ? "\n" : "");
        hp_vec_done(&texts[i].text);
    }
}

bool hp_text_no_change(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    if (!view->report->has_sides || !difference->is_same) {
        return false;
    }
    if (hp_view_is_of_differences(view)) {
        hp_sink_print(out,
                      HP_MESSAGE("no-difference", "no change: nothing grew or shrank\n"));
    } else if (difference->total.before != difference->total.after) {
        hp_sink_print(out, HP_MESSAGE("no-row-changed", "no %s changed\n"),
                      hp_view_row_kind(view));
    }
    return true;
}

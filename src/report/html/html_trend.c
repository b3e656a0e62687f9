// The parts of a page of a trend: its table and sentence.  Its tree shows what changed
// from the first to the last dump of the process that has grown most.
#include "report/html/html.h"

#include "report/json/json.h"
#include "report/text/text.h"
#include "view/flames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LINE = 20, // most blocks of the line that shows the values of a row
};

// A row of the table.
static const struct hp_trend_row *row_at(const struct hp_view *view, size_t row) {
    return ((const struct hp_trends *)view->extra)->rows.at[row];
}

// --- head ---------------------------------------------------------------------------------

// Write the title: the number of dumps and the time they cover, or the number of series
// if there are several.
static void title(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    char number[32];
    if (trends->count > 1) {
        hp_sink_print(out, "heap profiles, %zu series", trends->count);
        return;
    }
    hp_sink_print(out, "heap profiles, %zu dumps", trends->of[0].dumps);
    if (!isnan(trends->of[0].hours)) {
        snprintf(number, sizeof number, "%.3g", trends->of[0].span);
        hp_sink_print(out, " over %s %s%s", number, trends->of[0].unit->name,
                      strcmp(number, "1") == 0 ? "" : "s");
    }
}

// Write how fast a row grows: "+1.2 MiB per hour, at least +1.0 MiB, p = 0.01,
// steady".  Without enough dumps for growth, p is that of sampling alone.
static void put_slope(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row) {
    enum hp_metric metric = view->options.metric;
    enum hp_unit unit = view->options.unit;
    char text[HP_SIGNED_SIZE], p[HP_NUMBER_SIZE];
    bool is_growth_tested = !isnan(row->rise.p);
    hp_text_rate(text, row->slope, metric, unit);
    hp_sink_print(out, "%s per %s", text, row->trend->unit->name);
    if (is_growth_tested && row->rise.least > 0) {
        hp_text_rate(text, row->rise.least, metric, unit);
        hp_sink_print(out, ", at least %s", text);
    }
    if (is_growth_tested || !isnan(row->sampling.p)) {
        hp_sink_text(out, is_growth_tested ? ", " : ", sampling ");
        hp_text_p(p, is_growth_tested ? row->rise.p : row->sampling.p);
        hp_sink_text(out, p[0] == '<' ? "p &lt; " : "p = ");
        hp_sink_text(out, p + (p[0] == '<'));
    }
    if (is_growth_tested && row->shape != HP_TREND_NONE) {
        hp_sink_print(out, ", %s", hp_trend_shape_label(row->shape));
    }
}

// Write the first and the last value of a row, and its slope with bound and p-value.
static void put_ends(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_trend_row *row) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, row->first, view->options.metric, view->options.unit);
    hp_sink_print(out, "%s → ", text);
    hp_text_format(text, row->last, view->options.metric, view->options.unit);
    hp_sink_print(out, "%s: ", text);
    put_slope(out, view, row);
}

// Write the growth of the process that has grown most, and the row that grew most.
static void sentence(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = hp_largest_trend(trends);
    hp_html_answer(out, view, hp_text_trend_answer);
    if (view->head.is_filtered) {
        hp_sink_text(out, "; filters leave ");
        put_ends(out, view, &trend->filtered);
    }
    if (trends->rows.count > 0 && row_at(view, 0)->first != row_at(view, 0)->last) {
        hp_sink_text(out, "; most in ");
        hp_html_text(out, hp_html_name(view, tables, view->rows.at[0].node));
        hp_sink_text(out, ", ");
        put_slope(out, view, row_at(view, 0));
    }
}

// Write the lines that explain p, the mark and the bound of growth.
static void notes(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trend *trend = hp_largest_trend(view->extra);
    hp_text_mark_lines(out, view, hp_html_shown(view));
    if (!trend->can_test_growth && trend->test != HP_TEST_NONE) {
        hp_sink_print(out,
                      HP_MESSAGE("page-p-sampling",
                                 "p sampling: one-sided p-value that covers sampling "
                                 "error only\n"));
    }
}

// --- table --------------------------------------------------------------------------------

static void titles(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = hp_largest_trend(trends);
    hp_html_put_title(out, "first", "first");
    hp_html_put_title(out, "last", "last");
    hp_html_put_title(out, "slope", trend->unit->title);
    if (trend->can_test_growth) {
        hp_html_put_title(out, "least", "at least");
    }
    hp_html_put_title(out, "p", trend->can_test_growth ? "p" : "p sampling");
    if (trend->can_test_growth) {
        hp_html_put_title(out, "shape", "shape");
    }
    hp_html_put_title(out, "line", "over the dumps");
    if (trends->count > 1) {
        hp_html_put_title(out, "process", "process");
    }
}

// Write a rate; "-" if it is not known.
static void put_rate(struct hp_sink *out, const struct hp_view *view, const char *key,
                     double rate) {
    char text[HP_SIGNED_SIZE] = "-";
    if (!isnan(rate)) {
        hp_text_rate(text, rate, view->options.metric, view->options.unit);
    }
    hp_html_put_cell(out, key, text);
}

// Write the values of a row over the dumps as a line of blocks; if there are many dumps,
// only some of them.
static void put_line(struct hp_sink *out, const struct hp_view *view, size_t row) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t values = row_at(view, row)->trend->dumps;
    const double *all = hp_trend_values(view, row);
    size_t length = values < LINE ? values : LINE;
    double most = 0;
    for (size_t i = 0; i < values; i++) {
        most = fmax(most, all[i]);
    }
    hp_sink_text(out, "<td data-key=\"line\">");
    for (size_t i = 0; i < length; i++) {
        double value = all[i * (values - 1) / (length - 1)];
        double level = most > 0 ? floor(8 * value / most + 1e-9) : 0;
        hp_sink_text(out, blocks[(size_t)fmax(0, fmin(level, 7))]);
    }
    hp_sink_text(out, "</td>");
}

// A bound with as many digits as the data has, so that the table and the script show the
// same.
static double rough(double bound) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", bound);
    return strtod(text, NULL);
}

static void cells(struct hp_sink *out, const struct hp_view *view, size_t number) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend_row *row = row_at(view, number);
    bool can_test_growth = hp_largest_trend(trends)->can_test_growth;
    char p[HP_NUMBER_SIZE], marked[HP_NUMBER_SIZE + 2];
    hp_html_put_amount(out, view, "first", row->first);
    hp_html_put_amount(out, view, "last", row->last);
    put_rate(out, view, "slope", row->slope);
    if (can_test_growth) {
        put_rate(out, view, "least", rough(row->rise.least));
    }
    hp_text_p(p, can_test_growth ? row->rise.p : row->sampling.p);
    snprintf(marked, sizeof marked, "%s%s", p, row->is_significant ? " *" : "");
    hp_html_put_cell(out, "p", marked);
    if (can_test_growth) {
        hp_html_put_cell(out, "shape", hp_trend_shape_label(row->shape));
    }
    put_line(out, view, number);
    if (trends->count > 1) {
        hp_html_put_cell(out, "process", row->trend->name);
    }
}

// --- summary ------------------------------------------------------------------------------

// Write the growth of a row as members of an object.
static void put_row(struct hp_json *json, const struct hp_view *view,
                    const struct hp_trend_row *row) {
    enum hp_metric metric = view->options.metric;
    hp_json_put_fixed(json, "first", row->first, metric);
    hp_json_put_fixed(json, "last", row->last, metric);
    hp_json_put_double(json, "slope", row->slope);
    hp_json_put_rough(json, "at_least", row->rise.least);
    hp_json_put_word(json, "per", row->trend->unit->name);
    hp_json_put_p(json, "p", row->rise.p);
    hp_json_put_word(json, "shape", hp_trend_shape_name(row->shape));
    hp_json_put_truth(json, "significant", row->is_significant);
    if (((const struct hp_trends *)view->extra)->count > 1) {
        hp_json_put_word(json, "process", row->trend->name);
    }
}

static void total(struct hp_json *json, const struct hp_view *view) {
    hp_json_open(json, "total", '{');
    put_row(json, view, &hp_largest_trend(view->extra)->total);
    hp_json_close(json);
}

static void fields(struct hp_json *json, const struct hp_view *view, size_t row) {
    put_row(json, view, row_at(view, row));
}

const struct hp_html_kind hp_html_trend = {
    .title = title,
    .head = hp_text_trend_facts,
    .titles = titles,
    .notes = notes,
    .total = total,
    .sentence = sentence,
    .cells = cells,
    .node = hp_html_change_node,
    .fields = fields,
};

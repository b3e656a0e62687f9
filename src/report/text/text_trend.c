//        first          last        slope/h         ± 95%         p    tau      grew   function
//      2.0 MiB       8.0 MiB      +1.7 MiB       0.4 MiB  <0.0001*  1.00     11/11   leak
//
// The surest growth first: rows are ordered by the lower end of their slope.
#include "report/text/text.h"

#include "view/chosen.h"
#include "view/trend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_slope(struct hp_sink *out, double slope,
                      const struct hp_report_options *options, int width) {
    char text[HP_NUMBER_SIZE], padded[HP_NUMBER_SIZE + 1];
    hp_text_format(text, hp_text_fixed(fabs(slope), options->metric), options->metric,
                   options->unit);
    bool is_none = strcmp(text, "0 B") == 0 || strcmp(text, "0") == 0;
    snprintf(padded, sizeof padded, "%s%s", is_none ? "" : slope < 0 ? "-" : "+", text);
    hp_sink_print(out, "%*s", width, padded);
}

static void put_half(struct hp_sink *out, double half,
                     const struct hp_report_options *options, int width) {
    char text[HP_NUMBER_SIZE] = "-";
    if (half > 0) { // false for NAN
        hp_text_format(text, hp_text_fixed(half, options->metric), options->metric,
                       options->unit);
    }
    hp_sink_print(out, "%*s", width, text);
}

static void put_left(struct hp_sink *out, const struct hp_trend *trend,
                     const struct hp_report_options *options) {
    char text[HP_NUMBER_SIZE];
    if (!hp_text_filters(out, trend->naming.profile)) {
        return;
    }
    hp_text_format(text, trend->left.first, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "%s of the first, ", text);
    hp_text_format(text, trend->left.last, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "%s of the last\n", text);
}

static void put_test(struct hp_sink *out, const struct hp_trend *trend) {
    if (trend->test == HP_TEST_NONE) {
        return;
    }
    hp_sink_print(out, "tested as  %s; %s\n",
                  trend->test == HP_TEST_PROCESS_ACCUM
                      ? "last dump against first, where what is in both cancels out "
                        "(prof_accum)"
                      : "slope of a line, for sampling however long objects live "
                        "(sharper with prof_accum:true)",
                  trend->is_fitted
                      ? "and as a line from which values scatter"
                      : "so few dumps do not tell whether values only scatter");
}

static void put_header(struct hp_sink *out, const struct hp_trend *trend,
                       const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    const struct hp_trend_row *total = &trend->total;
    struct hp_report_options plain = *options;
    plain.unit = HP_UNIT_AUTO;
    char text[HP_NUMBER_SIZE];
    hp_sink_print(out, "%zu dumps", trend->dumps);
    if (!isnan(trend->hours)) {
        hp_sink_print(out, " over %.3g hours", trend->hours);
    }
    hp_sink_text(out, " · ");
    hp_text_inputs(out, profile);
    hp_text_format(text, total->first, options->metric, plain.unit);
    hp_sink_print(out, "first      %s\n", text);
    hp_text_format(text, total->last, options->metric, plain.unit);
    hp_sink_print(out, "last       %s\nslope      ", text);
    put_slope(out, total->slope, &plain, 0);
    if (total->slope_error > 0) { // false for NAN
        hp_sink_text(out, " ± ");
        put_half(out, total->slope_error, &plain, 0);
    }
    hp_sink_text(out, isnan(trend->hours) ? " per dump" : " per hour");
    if (!isnan(total->p)) {
        hp_sink_text(out, ", p ");
        hp_text_p(out, total->p, 0);
    }
    hp_sink_text(out, "\n");
    put_test(out, trend);
    put_left(out, trend, options);
    hp_text_warnings(out, profile, options);
    hp_sink_text(out, "\n");
}

enum {
    P_WIDTH = 8,
    TAU_WIDTH = 6,
    GREW_WIDTH = 10,
};

static void put_titles(struct hp_sink *out, const struct hp_trend *trend,
                       const struct hp_report_options *options) {
    hp_sink_print(out, "%s%*s %*s %*s", options->color ? "\033[1m" : "", HP_COLUMN,
                  "first", HP_COLUMN, "last", HP_COLUMN,
                  isnan(trend->hours) ? "slope/dump" : "slope/hour");
    if (trend->test != HP_TEST_NONE) {
        hp_sink_text(out, " ");
        hp_text_error_title(out, options);
        hp_sink_print(out, " %*s ", P_WIDTH, "p");
    }
    hp_sink_print(out, " %*s %*s  %s%s\n", TAU_WIDTH, "tau", GREW_WIDTH, "grew",
                  hp_text_row_name(options->by), options->color ? "\033[0m" : "");
}

static void put_row(struct hp_sink *out, const struct hp_trend *trend,
                    const struct hp_trend_row *row,
                    const struct hp_report_options *options) {
    char grew[HP_NUMBER_SIZE];
    hp_text_value(out, row->first, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_value(out, row->last, options, HP_COLUMN);
    hp_sink_text(out, " ");
    put_slope(out, row->slope, options, HP_COLUMN);
    if (trend->test != HP_TEST_NONE) {
        hp_sink_text(out, " ");
        put_half(out, row->slope_error, options, HP_ERROR_WIDTH);
        hp_sink_text(out, "  ");
        hp_text_p(out, row->p, P_WIDTH);
        bool significant = hp_trend_is_significant(row, hp_chosen_confidence(options));
        hp_sink_text(out, significant ? "*" : " ");
    }
    snprintf(grew, sizeof grew, "%zu/%zu", row->grew, trend->dumps - 1);
    hp_sink_print(out, " %*.2f %*s  ", TAU_WIDTH, hp_trend_tau(trend, row), GREW_WIDTH,
                  grew);
    hp_sink_escaped(out, hp_node_name(&trend->naming, row->node));
    hp_sink_text(out, "\n");
}

void hp_text_trend(struct hp_sink *out, const struct hp_profile *profile,
                   const struct hp_report_options *options) {
    struct hp_trend trend;
    hp_trend_init(&trend, profile, options);
    put_header(out, &trend, profile, options);
    put_titles(out, &trend, options);
    size_t count = trend.rows.count;
    size_t limit = hp_chosen_rows(options, count);
    for (size_t i = 0; i < limit; i++) {
        put_row(out, &trend, &trend.rows.at[i], options);
    }
    if (limit < count) {
        hp_sink_print(out, "… %zu more: --limit=0 shows all\n", count - limit);
    }
    if (trend.test != HP_TEST_NONE) {
        hp_text_significance_note(out, options, "2.5 samples a dump");
    }
    hp_sink_text(out,
                 "tau is 1 where each value is more than the one before; grew counts "
                 "in how many of the steps\n");
    hp_trend_done(&trend);
}

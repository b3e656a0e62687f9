// Memory in use in the JSON format that github-action-benchmark stores and compares, as
// its customSmallerIsBetter: the total first, then one entry for each row.
//
//     [{"name": "inuse-space", "unit": "bytes", "value": 218308608, "range": "± 9751756",
//       "extra": "3 inputs"},
//      {"name": "inuse-space: small", "unit": "bytes", "value": 160956416, "range": ...,
//       "extra": "73.7% of the total"}]
//
// Bytes and objects are whole numbers; "range" is missing if a value has no error.  The
// action puts names between backticks into tables of its comments, so that ` and | become
// \x60 and \x7C.
#include "report/json/json_text.h"
#include "report/text/text.h"

#include <string.h>

// Begin an entry with its name: the metric and the name of the row.  An empty name: it is
// the entry of the total.
static void put_name(struct hp_sink *out, const struct hp_view *view,
                     struct hp_span name) {
    const char *metric = hp_view_metric_name(view, view->options.metric);
    struct hp_buffer text = {0};
    hp_text_append_safe(&text, hp_span_of(metric));
    hp_vec_append(&text.text, ": ", name.size > 0 ? strlen(": ") : 0);
    hp_text_append_safe(&text, name);
    hp_sink_text(out, "{\"name\": \"");
    for (size_t i = 0; i < text.text.count; i++) {
        char c = text.text.at[i];
        if (c == '`' || c == '|') {
            hp_sink_print(out, "\\\\x%02X", (unsigned)c);
        } else {
            hp_sink_text(out, c == '"' || c == '\\' ? "\\" : "");
            hp_sink_put(out, &c, 1);
        }
    }
    hp_sink_text(out, "\"");
    hp_vec_done(&text.text);
}

// Write the unit: "bytes", "objects", or the own unit of a sample type that is not in
// bytes.
static void put_unit(struct hp_sink *out, const struct hp_view *view) {
    bool is_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    bool has_own = view->projection && !is_space;
    hp_sink_text(out, ", \"unit\": ");
    hp_json_string(out, has_own ? hp_view_string(view, view->type->unit)
                                : hp_span_of(is_space ? "bytes" : "objects"));
}

// Write an interval without its unit and its commas, "± 9751756": the action does not
// find a number that has a unit.
static void put_range(struct hp_sink *out, const char *interval) {
    for (; *interval != '\0' && strcmp(interval, " B") != 0; interval++) {
        hp_sink_put(out, interval, *interval != ',');
    }
}

// Write the value as a whole number, and its interval unless that is "".
static void put_value(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_amount *amount,
                      const struct hp_text_estimate *text) {
    hp_sink_text(out, ", \"value\": ");
    hp_sink_integer(out, hp_fixed_round(amount->sum, view->options.metric));
    if (text->interval[0] != '\0') {
        hp_sink_text(out, ", \"range\": \"");
        put_range(out, text->interval);
        hp_sink_text(out, "\"");
    }
}

// Write the entry of the total; its "extra" is the number of inputs.
static void put_total(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    enum hp_column column = hp_column_of(metric);
    struct hp_amount amount = {.sum = view->head.whole.of[metric],
                               .error = &view->head.whole_errors[column],
                               .is_total = true};
    struct hp_text_estimate text;
    uint64_t used = view->head.summary[HP_SIDE_ALL].merged_used;
    hp_text_estimate(&text, view, &amount, metric);
    if (!view->head.is_total_uncertain[column]) {
        text.interval[0] = '\0';
    }
    put_name(out, view, (struct hp_span){"", 0});
    put_unit(out, view);
    put_value(out, view, &amount, &text);
    hp_sink_print(out, ", \"extra\": \"%llu input%s\"}", (unsigned long long)used,
                  used == 1 ? "" : "s");
}

// Write the entry of a row; its "extra" is its share of the total, if there is a total.
static void put_row(struct hp_sink *out, const struct hp_view *view, size_t row) {
    enum hp_metric metric = view->options.metric;
    const struct hp_field *field = &view->fields.at[view->options.sort == HP_SORT_CUM];
    struct hp_content content = hp_view_cell(view, row, field, metric);
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    hp_text_row_estimate(&text, view, &content.amount);
    if (!hp_text_has_errors(view)) {
        text.interval[0] = '\0';
    }
    put_name(out, view, hp_view_name(view, row));
    put_unit(out, view);
    put_value(out, view, &content.amount, &text);
    if (view->head.has_total) {
        hp_text_share(share, content.amount.sum, view->head.total.of[metric]);
        hp_sink_print(out, ", \"extra\": \"%s of the total\"", share);
    }
    hp_sink_text(out, "}");
}

static void write_top(struct hp_sink *out, const struct hp_view *view) {
    const char *between = "[";
    if (view->head.has_total) {
        hp_sink_text(out, between);
        put_total(out, view);
        between = ",\n ";
    }
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        hp_sink_text(out, between);
        put_row(out, view, i);
        between = ",\n ";
    }
    hp_sink_text(out, "]\n");
}

// Always use bytes as the unit: the action compares plain numbers.
static void complete(struct hp_report_options *options) {
    options->unit = HP_UNIT_B;
    options->text.width = 0;
    options->text.ascii = false;
}

const struct hp_format hp_format_benchmark = {
    .name = "benchmark",
    .files = "*.benchmark.json",
    .help =
        "total and rows as measurements that github-action-benchmark keeps and compares",
    .can = HP_READ_AS_DOUBLE | HP_CAN_LIMIT | HP_CAN_CUT | HP_CAN_INTERVALS,
    .limit = HP_LIMIT_ENOUGH,
    .shape = HP_SHAPE_ROWS,
    .complete = complete,
    .write = {[HP_REPORT_TOP] = write_top},
};

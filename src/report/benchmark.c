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
#include "report/json/json_writer.h"
#include "report/text/text.h"

#include <string.h>

// Begin an entry with its name: the metric and the name of the row.  An empty name: it is
// the entry of the total.
static void put_name(struct hp_json *json, const struct hp_view *view,
                     struct hp_span name) {
    const char *metric = hp_view_metric_name(view, view->options.metric);
    struct hp_buffer safe = {0}, text = {0};
    hp_text_append_safe(&safe, hp_span_of(metric));
    hp_buffer_append(&safe, hp_span_of(name.size > 0 ? ": " : ""));
    hp_text_append_safe(&safe, name);
    for (size_t i = 0; i < safe.text.count; i++) {
        char c = safe.text.at[i];
        hp_buffer_append(&text, c == '`'   ? hp_span_of("\\x60")
                                : c == '|' ? hp_span_of("\\x7C")
                                           : (struct hp_span){&c, 1});
    }
    if (json->has_item) {
        hp_json_line(json, 1);
    }
    hp_json_open(json, NULL, '{');
    hp_json_put_string(json, "name", hp_buffer_span(&text));
    hp_vec_done(&safe.text);
    hp_vec_done(&text.text);
}

// Write the unit: "bytes", "objects", or the own unit of a sample type that is not in
// bytes.
static void put_unit(struct hp_json *json, const struct hp_view *view) {
    bool is_space = hp_fraction(view->options.metric) == HP_SPACE_FRACTION;
    bool has_own = view->projection && !is_space;
    hp_json_put_string(json, "unit",
                       has_own ? hp_view_string(view, view->type->unit)
                               : hp_span_of(is_space ? "bytes" : "objects"));
}

// Write an interval without its unit and its commas, "± 9751756": the action does not
// find a number that has a unit.
static void put_range(struct hp_json *json, const char *interval) {
    struct hp_buffer text = {0};
    for (; *interval != '\0' && strcmp(interval, " B") != 0; interval++) {
        hp_vec_append(&text.text, interval, *interval != ',');
    }
    hp_json_put_string(json, "range", hp_buffer_span(&text));
    hp_vec_done(&text.text);
}

// Write the value as a whole number, and its interval unless that is "".
static void put_value(struct hp_json *json, const struct hp_view *view,
                      const struct hp_amount *amount,
                      const struct hp_text_estimate *text) {
    hp_json_put_integer(json, "value", hp_fixed_round(amount->sum, view->options.metric));
    if (text->interval[0] != '\0') {
        put_range(json, text->interval);
    }
}

// Write the entry of the total; its "extra" is the number of inputs.
static void put_total(struct hp_json *json, const struct hp_view *view) {
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
    put_name(json, view, (struct hp_span){"", 0});
    put_unit(json, view);
    put_value(json, view, &amount, &text);
    hp_sink_print(hp_json_value(json, "extra"), "\"%llu input%s\"",
                  (unsigned long long)used, used == 1 ? "" : "s");
    hp_json_close(json);
}

// Write the entry of a row; its "extra" is its share of the total, if there is a total.
static void put_row(struct hp_json *json, const struct hp_view *view, size_t row) {
    enum hp_metric metric = view->options.metric;
    const struct hp_field *field = &view->fields.at[view->options.sort == HP_SORT_CUM];
    struct hp_content content = hp_view_cell(view, row, field, metric);
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    hp_text_row_estimate(&text, view, &content.amount);
    if (!hp_text_has_errors(view)) {
        text.interval[0] = '\0';
    }
    put_name(json, view, hp_view_name(view, row));
    put_unit(json, view);
    put_value(json, view, &content.amount, &text);
    if (view->head.has_total) {
        hp_text_share(share, content.amount.sum, view->head.total.of[metric]);
        hp_sink_print(hp_json_value(json, "extra"), "\"%s of the total\"", share);
    }
    hp_json_close(json);
}

static void write_top(struct hp_sink *out, const struct hp_view *view) {
    struct hp_json json = {.out = out};
    hp_json_open(&json, NULL, '[');
    if (view->head.has_total) {
        put_total(&json, view);
    }
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        put_row(&json, view, i);
    }
    hp_json_close(&json);
    hp_sink_text(out, "\n");
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

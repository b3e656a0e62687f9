// CELLS are "key": CELL for each column.
//
// * An estimate is {"estimate": 1.500, "low": 1, "high": 2}.  In a report of all metrics
//   it is an object of such objects by the names of the metrics; for a sample type it is
//   an object with one, by the name of the type.  "low" and "high" are null if they are
//   not known, and "estimate" is null if it is too high as the largest of several dumps.
//   If the ends of a count allow for no sizes but those sampled, there is also
//   "of": "sizes seen".
// * A rate is three keys: "key", "key_low" and "key_high".
// * Columns of a group are one object: "spread": {"mean": ..., "sd": ..., "p": ...}.
#include "report/json/json.h"

#include <math.h>
#include <string.h>

// --- numbers ------------------------------------------------------------------------------

void hp_json_key(struct hp_sink *out, const char *name) {
    hp_sink_text(out, "\"");
    hp_sink_text(out, name);
    hp_sink_text(out, "\": ");
}

void hp_json_class(struct hp_sink *out, enum hp_frame_class class) {
    hp_json_text(out, hp_span_of(class < HP_CLASSES ? hp_frame_class_name(class) : ""));
}

void hp_json_name(struct hp_sink *out, const struct hp_view *view, hp_node_id node) {
    hp_sink_text(out, "\"name\": ");
    hp_json_string(out, hp_view_node(view, node));
    hp_sink_text(out, ", \"class\": ");
    hp_json_class(out, hp_node_class(&view->naming, node));
}

// Write an estimate and its interval, without the closing brace.
static void put_ends(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_amount *amount, struct hp_interval range,
                     enum hp_metric metric) {
    hp_sink_text(out, "{\"estimate\": ");
    if (hp_view_is_too_high(view, range)) {
        hp_sink_text(out, "null");
    } else {
        hp_json_fixed(out, amount->sum, metric);
    }
    hp_sink_text(out, ", \"low\": ");
    hp_json_double(out, range.low);
    hp_sink_text(out, ", \"high\": ");
    hp_json_double(out, range.high);
}

void hp_json_ends(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_amount *amount, enum hp_metric metric) {
    put_ends(out, view, amount, hp_view_range(view, amount, metric), metric);
    hp_sink_text(out, "}");
}

void hp_json_range(struct hp_sink *out, struct hp_interval range) {
    hp_sink_text(out, "{\"low\": ");
    hp_json_double(out, range.low);
    hp_sink_text(out, ", \"high\": ");
    hp_json_double(out, range.high);
    hp_sink_text(out, "}");
}

// Write the part of an interval that is due to rounding; nothing if there is none.
static void put_rounding(struct hp_sink *out, const struct hp_amount *amount,
                         struct hp_interval range, enum hp_metric metric) {
    if (!amount->error || isnan(range.low)) {
        return;
    }
    struct hp_interval rounding =
        hp_precision_rounding(amount->sum, amount->error, metric);
    if (rounding.high > rounding.low) {
        hp_sink_text(out, ", \"rounding\": ");
        hp_json_range(out, rounding);
    }
}

void hp_json_estimate(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric) {
    struct hp_interval range = hp_view_range(view, amount, metric);
    bool is_of_seen = hp_precision_is_of_seen_sizes(amount->error, range, metric);
    put_ends(out, view, amount, range, metric);
    hp_sink_text(out, is_of_seen ? ", \"of\": \"sizes seen\"" : "");
    put_rounding(out, amount, range, metric);
    hp_sink_text(out, "}");
}

void hp_json_estimates(struct hp_sink *out, const struct hp_view *view,
                       hp_json_amount_fn *amount, const void *data) {
    hp_sink_text(out, "{");
    if (view->projection) {
        enum hp_metric metric = view->options.metric;
        struct hp_amount of_type = amount(data, metric);
        hp_json_string(out, hp_span_of(view->type_name));
        hp_sink_text(out, ": ");
        hp_json_estimate(out, view, &of_type, metric);
    }
    for (enum hp_metric metric = 0; !view->projection && metric < HP_METRICS; metric++) {
        hp_sink_text(out, metric > 0 ? ", " : "");
        hp_json_key(out, hp_metric_name(metric));
        if (hp_view_has_metric(view, metric)) {
            struct hp_amount of_metric = amount(data, metric);
            hp_json_estimate(out, view, &of_metric, metric);
        } else {
            hp_sink_text(out, "null");
        }
    }
    hp_sink_text(out, "}");
}

void hp_json_flags(struct hp_sink *out, unsigned flags) {
    const char *between = "";
    hp_sink_text(out, "[");
    for (unsigned bit = 0; bit < HP_ROW_FLAGS; bit++) {
        if (flags & 1u << bit) {
            hp_sink_print(out, "%s\"%s\"", between, hp_row_flag_text(bit));
            between = ", ";
        }
    }
    hp_sink_text(out, "]");
}

// --- cells --------------------------------------------------------------------------------

// The cell that amount_of_cell() reads, by its row and its column.
struct cell {
    const struct hp_view *view;
    size_t row;
    const struct hp_field *field;
};

static struct hp_amount amount_of_cell(const void *data, enum hp_metric metric) {
    const struct cell *cell = data;
    return hp_view_cell(cell->view, cell->row, cell->field, metric).amount;
}

// Write the values of a cell that has one for each dump, as an array.
static void put_series(struct hp_sink *out, const struct hp_content *content) {
    hp_sink_text(out, "[");
    for (size_t i = 0; i < content->count; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_double(out, content->series[i]);
    }
    hp_sink_text(out, "]");
}

// Write a number with the digits that its column has.
static void put_number(struct hp_sink *out, const struct hp_field *field, double number) {
    if (field->column.cell == HP_CELL_P) {
        hp_json_p(out, number);
    } else if (field->shown & HP_ROUGH) {
        hp_json_rough(out, number);
    } else {
        hp_json_double(out, number);
    }
}

// Write an estimate in the report's metric, or in all metrics if the field asks for that.
static void put_estimate(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_field *field, size_t row) {
    enum hp_metric metric = view->options.metric;
    struct cell cell = {view, row, field};
    if (field->shown & HP_ALL_METRICS) {
        hp_json_estimates(out, view, amount_of_cell, &cell);
        return;
    }
    struct hp_amount amount = amount_of_cell(&cell, metric);
    hp_json_estimate(out, view, &amount, metric);
}

// Write the value of a cell.
static void put_cell(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_field *field, size_t row) {
    enum hp_metric metric = view->options.metric;
    struct hp_content content = {.number = 0};
    if (field->column.cell != HP_CELL_ESTIMATE && field->column.cell != HP_CELL_FLAGS) {
        content = hp_view_cell(view, row, field, metric);
    }
    switch (field->column.cell) {
    case HP_CELL_ESTIMATE:
        put_estimate(out, view, field, row);
        break;
    case HP_CELL_SUM:
        hp_json_fixed(out, content.amount.sum, metric);
        break;
    case HP_CELL_RATE:
    case HP_CELL_NUMBER:
    case HP_CELL_COUNT:
    case HP_CELL_P:
        put_number(out, field, content.number);
        break;
    case HP_CELL_TEXT:
        hp_json_string(out, hp_span_of(content.text));
        break;
    case HP_CELL_TRUTH:
        hp_sink_text(out, content.number != 0 ? "true" : "false");
        break;
    case HP_CELL_FLAGS:
        hp_json_flags(out, hp_view_flags(view, row));
        break;
    case HP_CELL_SERIES:
        put_series(out, &content);
        break;
    }
}

// Whether two columns of a report belong to the same inner object of a row, by the names
// of these objects; false if either has none (NULL).
static bool same_group(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

void hp_json_cells(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const char *group = NULL;
    for (size_t i = 0; i < view->fields.count; i++) {
        const struct hp_field *field = &view->fields.at[i];
        const char *key = field->column.key;
        bool goes_on = same_group(group, field->group);
        hp_sink_text(out, group && !goes_on ? "}" : "");
        hp_sink_text(out, i == 0 ? "" : field->shown & HP_NEW_LINE ? ",\n   " : ", ");
        group = field->group;
        if (group && !goes_on) {
            hp_sink_print(out, "\"%s\": {", group);
        }
        hp_json_key(out, group ? key + strlen(group) + 1 : key);
        put_cell(out, view, field, row);
    }
    hp_sink_text(out, group ? "}" : "");
}

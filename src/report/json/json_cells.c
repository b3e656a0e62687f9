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
#include <stdio.h>
#include <string.h>

// --- numbers ------------------------------------------------------------------------------

void hp_json_class(struct hp_json *json, const char *key, enum hp_frame_class class) {
    hp_json_put_text(json, key,
                     hp_span_of(class < HP_CLASSES ? hp_frame_class_name(class) : ""));
}

void hp_json_put_reason(struct hp_json *json, const char *key,
                        const struct hp_input *input) {
    const struct hp_err *err = input->err;
    char text[sizeof err->message + 128] = "";
    if (err) {
        snprintf(text, sizeof text, "%s%s%s", err->message, err->sys != 0 ? ": " : "",
                 err->sys != 0 ? strerror(err->sys) : "");
    }
    hp_json_put_text(json, key, hp_span_of(text));
}

void hp_json_name(struct hp_json *json, const struct hp_view *view, hp_node_id node) {
    hp_json_put_string(json, "name", hp_view_node(view, node));
    hp_json_class(json, "class", hp_node_class(&view->naming, node));
}

static void put_range(struct hp_json *json, struct hp_interval range) {
    hp_json_put_double(json, "low", range.low);
    hp_json_put_double(json, "high", range.high);
}

void hp_json_range(struct hp_json *json, const char *key, struct hp_interval range) {
    hp_json_open(json, key, '{');
    put_range(json, range);
    hp_json_close(json);
}

// Write the members of an estimate and its interval.
static void put_ends(struct hp_json *json, const struct hp_view *view,
                     const struct hp_amount *amount, struct hp_interval range,
                     enum hp_metric metric) {
    if (hp_view_is_too_high(view, range)) {
        hp_json_put_null(json, "estimate");
    } else {
        hp_json_put_fixed(json, "estimate", amount->sum, metric);
    }
    put_range(json, range);
}

void hp_json_ends(struct hp_json *json, const char *key, const struct hp_view *view,
                  const struct hp_amount *amount, enum hp_metric metric) {
    hp_json_open(json, key, '{');
    put_ends(json, view, amount, hp_view_range(view, amount, metric), metric);
    hp_json_close(json);
}

// Write the interval that sampling alone would leave.
static void put_sampling(struct hp_json *json, const struct hp_view *view,
                         const struct hp_amount *amount, enum hp_metric metric) {
    struct hp_error error = *amount->error;
    struct hp_amount sampled = *amount;
    error.hidden_bytes_max = error.excess_bytes_max = 0;
    sampled.error = &error;
    hp_json_range(json, "sampling", hp_view_range(view, &sampled, metric));
}

// Write the part of an interval that is due to rounding, and of several dumps, whose
// roundings add up, also the part that is due to sampling; nothing if there is no
// rounding.
static void put_parts(struct hp_json *json, const struct hp_view *view,
                      const struct hp_amount *amount, struct hp_interval range,
                      enum hp_metric metric) {
    if (!amount->error || isnan(range.low)) {
        return;
    }
    struct hp_interval rounding =
        hp_precision_rounding(amount->sum, amount->error, metric);
    if (rounding.high > rounding.low) {
        if (view->head.summary[HP_SIDE_ALL].merged_used > 1) {
            put_sampling(json, view, amount, metric);
        }
        hp_json_range(json, "rounding", rounding);
    }
}

void hp_json_estimate(struct hp_json *json, const char *key, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric) {
    struct hp_interval range = hp_view_range(view, amount, metric);
    hp_json_open(json, key, '{');
    put_ends(json, view, amount, range, metric);
    if (hp_precision_is_of_seen_sizes(amount->error, range, metric)) {
        hp_json_put_word(json, "of", "sizes seen");
    }
    put_parts(json, view, amount, range, metric);
    hp_json_close(json);
}

void hp_json_estimates(struct hp_json *json, const char *key, const struct hp_view *view,
                       hp_json_amount_fn *amount, const void *data) {
    hp_json_open(json, key, '{');
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        bool is_shown = view->projection ? metric == view->options.metric
                                         : hp_view_has_metric(view, metric);
        if (is_shown) {
            struct hp_amount of_metric = amount(data, metric);
            if (view->projection) {
                hp_json_key(json, hp_span_of(view->type_name));
            }
            hp_json_estimate(json, view->projection ? NULL : hp_metric_name(metric), view,
                             &of_metric, metric);
        } else if (!view->projection) {
            hp_json_put_null(json, hp_metric_name(metric));
        }
    }
    hp_json_close(json);
}

void hp_json_flags(struct hp_json *json, const char *key, unsigned flags) {
    hp_json_open(json, key, '[');
    for (unsigned bit = 0; bit < HP_ROW_FLAGS; bit++) {
        if (flags & 1u << bit) {
            hp_json_put_word(json, NULL, hp_row_flag_text(bit));
        }
    }
    hp_json_close(json);
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
static void put_series(struct hp_json *json, const char *key,
                       const struct hp_content *content) {
    hp_json_open(json, key, '[');
    for (size_t i = 0; i < content->count; i++) {
        hp_json_put_double(json, NULL, content->series[i]);
    }
    hp_json_close(json);
}

// Write a number with the digits that its column has.
static void put_number(struct hp_json *json, const char *key,
                       const struct hp_field *field, double number) {
    if (field->column.cell == HP_CELL_P) {
        hp_json_put_p(json, key, number);
    } else if (field->shown & HP_ROUGH) {
        hp_json_put_rough(json, key, number);
    } else {
        hp_json_put_double(json, key, number);
    }
}

// Write an estimate in the report's metric, or in all metrics if the field asks for that.
static void put_estimate(struct hp_json *json, const char *key, const struct cell *cell) {
    enum hp_metric metric = cell->view->options.metric;
    if (cell->field->shown & HP_ALL_METRICS) {
        hp_json_estimates(json, key, cell->view, amount_of_cell, cell);
        return;
    }
    struct hp_amount amount = amount_of_cell(cell, metric);
    hp_json_estimate(json, key, cell->view, &amount, metric);
}

// Write the value of a cell.
static void put_cell(struct hp_json *json, const char *key, const struct cell *cell) {
    enum hp_metric metric = cell->view->options.metric;
    struct hp_content content = {.number = 0};
    if (cell->field->column.cell != HP_CELL_ESTIMATE) {
        content = hp_view_cell(cell->view, cell->row, cell->field, metric);
    }
    switch (cell->field->column.cell) {
    case HP_CELL_ESTIMATE:
        put_estimate(json, key, cell);
        break;
    case HP_CELL_SUM:
        hp_json_put_fixed(json, key, content.amount.sum, metric);
        break;
    case HP_CELL_RATE:
    case HP_CELL_NUMBER:
    case HP_CELL_COUNT:
    case HP_CELL_P:
        put_number(json, key, cell->field, content.number);
        break;
    case HP_CELL_TEXT:
        hp_json_put_word(json, key, content.text);
        break;
    case HP_CELL_TRUTH:
        hp_json_put_truth(json, key, content.number != 0);
        break;
    case HP_CELL_FLAGS:
        hp_json_flags(json, key, hp_view_flags(cell->view, cell->row));
        break;
    case HP_CELL_SERIES:
        put_series(json, key, &content);
        break;
    }
}

// Whether two columns of a report belong to the same inner object of a row, by the names
// of these objects; false if either has none (NULL).
static bool same_group(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

void hp_json_cells(struct hp_json *json, const struct hp_view *view, size_t row) {
    const char *group = NULL;
    for (size_t i = 0; i < view->fields.count; i++) {
        const struct hp_field *field = &view->fields.at[i];
        const char *key = field->column.key;
        bool goes_on = same_group(group, field->group);
        if (group && !goes_on) {
            hp_json_close(json);
        }
        if (i > 0 && field->shown & HP_NEW_LINE) {
            hp_json_line(json, 3);
        }
        group = field->group;
        if (group && !goes_on) {
            hp_json_open(json, group, '{');
        }
        put_cell(json, group ? key + strlen(group) + 1 : key,
                 &(struct cell){view, row, field});
    }
    if (group) {
        hp_json_close(json);
    }
}

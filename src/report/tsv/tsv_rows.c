// Tab-separated tables of one metric for scripts: a line of titles, which are the keys of
// the columns, then one line for each row.  An estimate takes three cells; the first is
// empty if the value is too high, as the largest of several dumps.
//
//     flat flat_low flat_high ... name function module file line class
#include "report/tsv/tsv.h"

#include <math.h>

// Write the line of titles.
static void put_titles(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_field *field;
    const char *between = "";
    hp_vec_each (field, &view->fields) {
        enum hp_cell cell = field->column.cell;
        const char *key = field->column.key;
        hp_sink_print(out, "%s%s", between, key);
        if (cell == HP_CELL_ESTIMATE) {
            hp_sink_print(out, "\t%s_low\t%s_high", key, key);
        }
        between = "\t";
    }
    hp_sink_text(out, hp_tsv_place_titles);
}

// Write the numbers of a series into one cell, with commas between.
static void put_series(struct hp_sink *out, const struct hp_content *content) {
    for (size_t i = 0; i < content->count; i++) {
        hp_sink_print(out, "%s%.9g", i > 0 ? "," : "", content->series[i]);
    }
}

// Write a number that may be unknown, without a tab before it, with the digits that its
// column has.
static void put_number(struct hp_sink *out, const struct hp_field *field, double number) {
    bool is_p = field->column.cell == HP_CELL_P,
         is_rough = (field->shown & HP_ROUGH) != 0;
    if (isfinite(number)) {
        (is_p ? hp_json_p : is_rough ? hp_json_rough : hp_json_double)(out, number);
    }
}

// Write a cell of a row, without a tab before it.
static void put_cell(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_field *field, size_t row) {
    enum hp_metric metric = view->options.metric;
    struct hp_content content = hp_view_cell(view, row, field, metric);
    switch (field->column.cell) {
    case HP_CELL_ESTIMATE:
        hp_tsv_estimate(out, view, &content.amount, metric);
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
        hp_tsv_text(out, hp_span_of(content.text));
        break;
    case HP_CELL_TRUTH:
        hp_sink_text(out, content.number != 0 ? "yes" : "no");
        break;
    case HP_CELL_FLAGS:
        hp_tsv_flags(out, hp_view_flags(view, row));
        break;
    case HP_CELL_SERIES:
        put_series(out, &content);
        break;
    }
}

static void write_rows(struct hp_sink *out, const struct hp_view *view) {
    put_titles(out, view);
    for (size_t i = 0; i < hp_view_shown(view, view->rows.count); i++) {
        const struct hp_field *field;
        const char *between = "";
        hp_vec_each (field, &view->fields) {
            hp_sink_text(out, between);
            put_cell(out, view, field, i);
            between = "\t";
        }
        hp_tsv_place(out, view, view->rows.at[i].node);
    }
}

const struct hp_format hp_format_tsv = {
    .name = "tsv",
    .files = "*.tsv *.tab",
    .help = "a line of titles, then one line a row with tabs between its cells",
    .can = HP_CAN_LIMIT | HP_CAN_CUT | HP_CAN_SPREAD | HP_CAN_INTERVALS |
           HP_CAN_ALL_ENDS | HP_CAN_NEGATIVE,
    .shape = HP_SHAPE_ROWS,
    .write_rows = write_rows,
    .write = {[HP_REPORT_STACKS] = hp_tsv_stacks},
};

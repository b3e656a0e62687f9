// Cells are right-aligned, one space apart; the names follow after two spaces:
//
//        flat  flat%         cum             95% CI   function
//     154 MiB  73.7%   161.5 MiB           ± 18 MiB   small
#include "report/text/text_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- cells --------------------------------------------------------------------------------

struct hp_text_cell hp_text_amount_cell(hp_fixed sum,
                                        const struct hp_text_estimate *estimate) {
    return (
        struct hp_text_cell){.kind = HP_TEXT_AMOUNT, .sum = sum, .estimate = estimate};
}

struct hp_text_cell hp_text_error_cell(const struct hp_view *view,
                                       const struct hp_amount *amount,
                                       const struct hp_text_estimate *estimate) {
    unsigned flags = hp_precision_flags(&view->precision, amount->sum, amount->error,
                                        view->options.metric);
    // A few samples of large objects can show the value well: then there is no mark.
    bool is_few = (flags & (HP_ROW_SEEN_ONCE | HP_ROW_FEW_SAMPLES)) != 0;
    char mark = is_few && estimate->is_wide ? '*' : ' ';
    return (struct hp_text_cell){.kind = HP_TEXT_INTERVAL,
                                 .estimate = estimate,
                                 .mark = mark};
}

struct hp_text_cell hp_text_field_cell(const struct hp_field *field,
                                       const struct hp_content *content) {
    static const enum hp_text_kind by_cell[] = {
        [HP_CELL_P] = HP_TEXT_P,
        [HP_CELL_RATE] = HP_TEXT_RATE,
        [HP_CELL_COUNT] = HP_TEXT_COUNT,
        [HP_CELL_TEXT] = HP_TEXT_NAME,
        [HP_CELL_NUMBER] = HP_TEXT_NOTHING, // by its unit
    };

    static const enum hp_text_kind by_unit[] = {
        [HP_IN_USUAL] = HP_TEXT_DECIMAL,   [HP_IN_METRIC] = HP_TEXT_QUANTITY,
        [HP_IN_BYTES] = HP_TEXT_BYTES,     [HP_IN_FRACTION] = HP_TEXT_FRACTION,
        [HP_IN_SECONDS] = HP_TEXT_DECIMAL, [HP_IN_TIME] = HP_TEXT_DECIMAL,
    };

    bool is_number = field->column.cell == HP_CELL_NUMBER;
    return (struct hp_text_cell){
        .kind = is_number ? by_unit[field->unit] : by_cell[field->column.cell],
        .number = content->number,
        .of = content->whole,
        .text = content->label ? content->label : content->text,
    };
}

// Format a number that is known.
static void format_number(enum hp_metric metric, enum hp_unit unit,
                          const struct hp_text_cell *cell, char text[HP_SIGNED_SIZE]) {
    metric = cell->kind == HP_TEXT_BYTES ? HP_INUSE_SPACE : metric;
    hp_fixed amount = hp_text_fixed(cell->number, metric);
    if (cell->kind == HP_TEXT_END) {
        hp_text_signed(text, amount, metric, unit);
    } else if (cell->kind == HP_TEXT_RATE) {
        hp_text_rate(text, cell->number, metric, unit);
    } else if (cell->kind == HP_TEXT_QUANTITY || cell->kind == HP_TEXT_BYTES) {
        hp_text_format(text, amount, metric, unit);
    } else if (cell->kind == HP_TEXT_COUNT && cell->of > 0) {
        snprintf(text, HP_NUMBER_SIZE, "%.0f/%.0f", cell->number, cell->of);
    } else if (cell->kind == HP_TEXT_COUNT) {
        hp_format_grouped(text, (hp_int128)round(cell->number));
    } else if (cell->kind == HP_TEXT_DECIMAL) {
        snprintf(text, HP_NUMBER_SIZE, "%.2f", cell->number);
    } else if (cell->kind == HP_TEXT_P) {
        hp_text_p(text, cell->number);
    } else {
        snprintf(text, HP_NUMBER_SIZE,
                 cell->kind == HP_TEXT_FRACTION ? "%.3g%%" : "%.1f%%",
                 100 * cell->number);
    }
}

// Format an amount; one that is equal to the estimate of the row is formatted like it.
static void format_sum(enum hp_metric metric, enum hp_unit unit,
                       const struct hp_text_cell *cell, char text[HP_SIGNED_SIZE]) {
    if (cell->estimate && cell->estimate->is_alone) {
        strcpy(text, "-");
    } else if (cell->estimate && cell->sum == cell->estimate->sum) {
        strcpy(text, cell->estimate->value);
    } else if (cell->kind == HP_TEXT_SIGNED) {
        hp_text_signed(text, cell->sum, metric, unit);
    } else {
        hp_text_format(text, cell->sum, metric, unit);
    }
}

void hp_text_cell_number(const struct hp_view *view, enum hp_metric metric,
                         const struct hp_text_cell *cell, char text[HP_SIGNED_SIZE]) {
    enum hp_unit unit = view->options.unit;
    strcpy(text, "-");
    if (cell->kind == HP_TEXT_AMOUNT || cell->kind == HP_TEXT_SIGNED) {
        format_sum(metric, unit, cell, text);
    } else if (cell->kind == HP_TEXT_SHARE) {
        hp_text_share(text, cell->sum, cell->whole);
    } else if (cell->kind == HP_TEXT_GROWTH && cell->whole > 0) {
        snprintf(text, HP_NUMBER_SIZE, "%+.1f%%",
                 (double)cell->sum * 100 / (double)cell->whole);
    } else if (cell->kind >= HP_TEXT_END && !isnan(cell->number)) {
        format_number(metric, unit, cell, text);
    }
}

struct hp_span hp_text_cell_text(struct hp_text_table *table, size_t column) {
    const struct hp_text_cell *cell = &table->cells.at[column];
    struct hp_buffer *text = &table->text;
    char number[HP_SIGNED_SIZE];
    text->text.count = 0;
    if (cell->kind == HP_TEXT_WORD) {
        hp_buffer_append(text, hp_span_of(cell->text));
    } else if (cell->kind == HP_TEXT_INTERVAL) {
        hp_buffer_append(text, hp_span_of(cell->estimate->interval));
    } else if (cell->kind == HP_TEXT_NAME) {
        struct hp_text_cut cut = {.room = (size_t)table->columns.at[column].width};
        struct hp_buffer safe = {0};
        hp_text_append_safe(&safe, hp_span_of(cell->text));
        hp_text_cut_name(text, hp_buffer_span(&safe), &cut);
        hp_vec_done(&safe.text);
    } else if (cell->kind != HP_TEXT_NOTHING) {
        hp_text_cell_number(table->page->view, table->metric, cell, number);
        hp_buffer_append(text, hp_span_of(number));
    }
    return hp_buffer_span(text);
}

// --- columns ------------------------------------------------------------------------------

void hp_text_table_init(struct hp_text_table *table, struct hp_text_page *page) {
    *table = (struct hp_text_table){
        .page = page,
        .metric = page->view->options.metric,
        .title = hp_view_row_kind(page->view),
        .gap = 2,
    };
}

void hp_text_table_done(struct hp_text_table *table) {
    hp_vec_done(&table->columns);
    hp_vec_done(&table->cells);
    hp_vec_done(&table->name.text);
    hp_vec_done(&table->line.text);
    hp_vec_done(&table->text.text);
}

struct hp_text_column *hp_text_table_add(struct hp_text_table *table, const char *title,
                                         int width, int leaves) {
    hp_vec_push(&table->cells, ((struct hp_text_cell){.kind = HP_TEXT_NOTHING}));
    struct hp_text_column *column =
        hp_vec_push(&table->columns,
                    ((struct hp_text_column){.width = width, .leaves = leaves}));
    snprintf(column->title, sizeof column->title, "%s", title);
    return column;
}

struct hp_text_column *hp_text_table_add_error(struct hp_text_table *table,
                                               const char *of, int width, int leaves) {
    struct hp_text_column *column = hp_text_table_add(table, "", width, leaves);
    snprintf(column->title, sizeof column->title, "%s%s%g%% CI", of, *of ? " " : "",
             table->page->view->options.confidence * 100);
    column->has_mark = true;
    return column;
}

// The least cells that a name gets before columns are dropped.  Names of lines and
// addresses get half as much again, for the file and line beside the function.
static size_t least_name(const struct hp_view *view) {
    enum {
        // Least cells of a name at 40 columns; one more for each 5 columns, up to MOST.
        LEAST = 20,
        MOST = 28,
    };

    size_t least = LEAST + (view->options.text.width - HP_LEAST_WIDTH) / 5;
    enum hp_granularity by = view->options.by;
    bool has_place = by == HP_BY_LINE || by == HP_BY_ADDRESS;
    least = least < MOST ? least : MOST;
    return has_place ? least + least / 2 : least;
}

// The cells that a column takes, with those that are dropped together with it.
static size_t cells_of(const struct hp_text_table *table, size_t number) {
    size_t cells = 0;
    do {
        const struct hp_text_column *column = &table->columns.at[number];
        cells += (size_t)(column->width + column->has_mark + !column->is_glued);
    } while (++number < table->columns.count && table->columns.at[number].is_joined);
    return cells;
}

// The column to drop next: the lowest `leaves`, the last one of equals; NULL if none can
// be dropped.
static struct hp_text_column *next_to_leave(struct hp_text_table *table) {
    struct hp_text_column *next = NULL, *column;
    hp_vec_each (column, &table->columns) {
        if (column->leaves > 0 && !column->is_gone && !column->is_joined &&
            (!next || column->leaves <= next->leaves)) {
            next = column;
        }
    }
    return next;
}

void hp_text_table_fit(struct hp_text_table *table, size_t before) {
    const struct hp_view *view = table->page->view;
    size_t width = view->options.text.width, used = before;
    if (width == 0) {
        return;
    }
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct hp_text_column *column = &table->columns.at[i];
        used += column->is_gone || column->is_joined ? 0 : cells_of(table, i);
    }
    struct hp_text_column *column;
    size_t least = least_name(view);
    least = table->longest > 0 && table->longest < least ? table->longest : least;
    while (used + least > width && (column = next_to_leave(table)) != NULL) {
        size_t number = (size_t)(column - table->columns.at);
        used -= cells_of(table, number);
        do {
            table->columns.at[number].is_gone = true;
        } while (++number < table->columns.count && table->columns.at[number].is_joined);
    }
    table->room = width > used + 1 ? width - used : 1;
}

// --- rows ---------------------------------------------------------------------------------

static void append_spaces(struct hp_buffer *line, int count) {
    for (; count > 0; count--) {
        hp_vec_push(&line->text, ' ');
    }
}

// Append a cell, or the title of its column, right-aligned, and its mark.
static void append_cell(struct hp_text_table *table, size_t number, bool is_title) {
    const struct hp_text_column *column = &table->columns.at[number];
    const struct hp_text_cell *cell = &table->cells.at[number];
    struct hp_span text =
        is_title ? hp_span_of(column->title) : hp_text_cell_text(table, number);
    bool is_ascii =
        cell->kind == HP_TEXT_INTERVAL && table->page->view->options.text.ascii;
    append_spaces(&table->line, column->width - (int)hp_text_cells(text, is_ascii));
    hp_buffer_append(&table->line, text);
    if (column->has_mark) {
        hp_vec_push(&table->line.text, (cell->mark && !is_title ? cell->mark : ' '));
    }
}

// Append the cells of a row, or the titles.
static void append_cells(struct hp_text_table *table, bool is_title) {
    bool is_first = true;
    for (size_t i = 0; i < table->columns.count; i++) {
        if (!table->columns.at[i].is_gone) {
            append_spaces(&table->line, !is_first && !table->columns.at[i].is_glued);
            append_cell(table, i, is_title);
            is_first = false;
        }
    }
    append_spaces(&table->line, table->gap);
}

struct hp_span hp_text_table_line(struct hp_text_table *table, enum hp_text_row kind) {
    bool is_title = kind == HP_TEXT_TITLES;
    bool has_color = table->page->view->options.text.color && is_title;
    table->line.text.count = 0;
    hp_buffer_append(&table->line, hp_span_of(has_color ? "\033[1m" : ""));
    for (size_t i = 0; kind == HP_TEXT_REMARK && i < table->remark_at; i++) {
        const struct hp_text_column *column = &table->columns.at[i];
        append_spaces(&table->line, column->is_gone ? 0 : column->width + 1);
    }
    if (kind != HP_TEXT_REMARK) {
        append_cells(table, is_title);
    }
    hp_buffer_append(&table->line,
                     is_title ? hp_span_of(table->title) : hp_buffer_span(&table->name));
    hp_buffer_append(&table->line, hp_span_of(has_color ? "\033[0m" : ""));
    return hp_buffer_span(&table->line);
}

void hp_text_table_name(struct hp_text_table *table, struct hp_span text) {
    hp_buffer_append(&table->name, text);
}

// Remember the marks of the present row, for the legend.
static void note_marks(struct hp_text_table *table, enum hp_text_row kind) {
    for (size_t i = 0; i < table->cells.count && kind == HP_TEXT_CELLS; i++) {
        const struct hp_text_cell *cell = &table->cells.at[i];
        bool is_shown = cell->kind == HP_TEXT_INTERVAL && !table->columns.at[i].is_gone;
        table->has_interval |= is_shown && cell->estimate->interval[0] != '\0';
        table->has_few |= is_shown && cell->mark == '*';
    }
    table->has_offset |= table->name.text.count > 0 &&
                         memmem(table->name.text.at, table->name.text.count, "@0x", 3);
}

void hp_text_table_put(struct hp_text_table *table, enum hp_text_row kind) {
    struct hp_text_page *page = table->page;
    note_marks(table, kind);
    hp_sink_flush(&page->lines);
    if (table->is_source) {
        page->put_line(page, hp_text_table_line(table, kind), true);
    } else {
        page->put_row(page, table, kind);
    }
    table->name.text.count = 0;
    struct hp_text_cell *cell;
    hp_vec_each (cell, &table->cells) {
        *cell = (struct hp_text_cell){.kind = HP_TEXT_NOTHING};
    }
}

// --- the page -----------------------------------------------------------------------------

void hp_text_page_put(struct hp_text_page *page, int indent, struct hp_span text) {
    struct hp_buffer line = {0};
    append_spaces(&line, indent);
    hp_buffer_append(&line, text);
    hp_sink_flush(&page->lines);
    page->put_line(page, hp_buffer_span(&line), true);
    hp_vec_done(&line.text);
}

//           flat  flat%   sum%           cum   cum%       flat at 95%   function
//        154 MiB  73.7%  73.7%     161.5 MiB  77.6%          ± 18 MiB   small
//      0.37 MiB    0.2%  73.9%      0.37 MiB   0.2%  0.37 … 1.40 MiB *  large
//
//         base        new     change         95% CI       p   function
//     58.4 MiB   65.0 MiB   +6.6 MiB  +2.1 … +11.0   0.0012*  leaf_mixed
//            -    2.0 MiB   +2.0 MiB   +0.2 … +5.1   0.0400   new: leaf
//
//         last  per hour  at least       p   shape  10 dumps  function
//      8.0 MiB  +1.7 MiB  +1.4 MiB <0.0001* steady  ▃▃▄▅▆▇██  leak
//
// The writer of any report that is a table: the columns are the
// fields of the view that have a title, with the parts that their bits of enum hp_shown
// ask for.  In top, the columns flat, flat%, sum%, cum and cum% have the values that
// jeprof and pprof show.
#include "report/text/text_table.h"

#include "view/top.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // Widths of columns, in cells of the terminal.
    SHARE_WIDTH = 6,
    GROWTH_WIDTH = 8,
    P_WIDTH = 8,
    CHANGE_WIDTH = 20, // of an interval of a change, where lines have any width
    // Bytes of the text before a name, with its NUL: "new: ~".
    PREFIX_SIZE = 32,
};

// What a column of text shows of a field.
enum shown_part {
    NUMBER,
    SHARE,
    RUNNING,
    GROWTH,
    CHANGE, // the interval of a change
    SHARES, // the interval of a share
    DRAWN,  // a series, drawn as a line
    INTERVAL,
    MARK,
};

// Order in which columns are dropped: running shares first, then other shares, then
// intervals, then numbers.
enum {
    RUNNING_LEAVES = 1,
    SHARE_LEAVES,
    INTERVAL_LEAVES,
    NUMBERS_LEAVE, // plus hp_field.leaves
};

// The field that a column of text belongs to, and what it shows of it.
struct column_piece {
    const struct hp_field *field;
    enum shown_part part;
};

// State of writing a table.
struct rows {
    struct hp_sink *out; // lines below the table
    const struct hp_view *view;
    struct hp_text_table table;
    HP_VEC(struct column_piece) pieces; // one for each column
    enum hp_metric metric;
    // Total of the view, and total of the base in a comparison: the wholes of shares
    hp_fixed total, base;
    hp_fixed running; // sum of the rows so far, in the column that is added up
    // The field whose interval is shown; the field after which it is shown.  NULL: none.
    const struct hp_field *with_error, *last_estimate;
    // The estimate of the present row; equal values in the row are written like it.
    struct hp_text_estimate estimate;
    struct hp_text_widths widths;
    struct hp_text_names *names;
    struct hp_text_estimate change; // the change of the present row and its interval
    char series[HP_TEXT_SERIES_SIZE];
};

// Whether the text shows a field: it has a title, and room and characters for it.
static bool is_shown(const struct hp_view *view, const struct hp_field *field) {
    const struct hp_text_options *text = &view->options.text;
    bool is_drawn = field->column.cell == HP_CELL_SERIES;
    return field->column.title && !(field->shown & HP_SHOWN_DETAIL && !text->details) &&
           !(field->shown & HP_SHOWN_IN_ASCII && !text->details && !text->ascii) &&
           !(is_drawn && text->ascii);
}

// Find the field whose interval is shown, and the field after which it is shown.
static void find_error(struct rows *t) {
    const struct hp_field *field;
    hp_vec_each (field, &t->view->fields) {
        if (field->column.cell == HP_CELL_ESTIMATE && field->column.title) {
            t->last_estimate = field;
        }
        if (field->shown & HP_SHOWN_ERROR) {
            t->with_error = field;
        }
    }
}

// --- columns ------------------------------------------------------------------------------

// Set t->widths, so that the values and intervals of the first `shown` rows fit.
static void measure(struct rows *t, size_t shown) {
    t->widths = hp_text_widths_of(t->view);
    for (size_t i = 0; t->with_error && i < shown; i++) {
        struct hp_content content = hp_view_cell(t->view, i, t->with_error, t->metric);
        hp_text_widen(&t->widths, t->view, &content.amount);
    }
}

// Width of the numbers in a column, in cells of the terminal.
static int width_of(const struct rows *t, const struct hp_field *field) {
    return field->width > 0                      ? field->width
           : field->column.cell == HP_CELL_P     ? P_WIDTH
           : field->column.cell == HP_CELL_COUNT ? P_WIDTH
                                                 : t->widths.amount;
}

// Add a column that shows a piece of a field.
static struct hp_text_column *add(struct rows *t, const struct hp_field *field,
                                  enum shown_part part, int width, int leaves) {
    static const char *const titles[] = {
        [RUNNING] = "sum%",
        [GROWTH] = "of base",
        [MARK] = "",
    };
    const char *title = titles[part] ? titles[part] : field->column.title;
    hp_vec_push(&t->pieces, ((struct column_piece){field, part}));
    return hp_text_table_add(&t->table, title, width, leaves);
}

// Add the columns with shares of a field.
static void add_shares(struct rows *t, const struct hp_field *field, int leaves) {
    if (field->shown & HP_SHOWN_SHARE) {
        strcat(add(t, field, SHARE, SHARE_WIDTH, leaves > 0 ? SHARE_LEAVES : 0)->title,
               "%");
    }
    if (field->shown & HP_SHOWN_RUNNING) {
        add(t, field, RUNNING, SHARE_WIDTH, RUNNING_LEAVES);
    }
    if (field->shown & HP_SHOWN_GROWTH) {
        add(t, field, GROWTH, GROWTH_WIDTH, SHARE_LEAVES);
    }
}

// Add the column with the interval of a change.
static void add_interval(struct rows *t, const struct hp_field *field) {
    struct hp_text_column *column = add(t, field, CHANGE, CHANGE_WIDTH, INTERVAL_LEAVES);
    snprintf(column->title, sizeof column->title, "%g%% CI",
             t->view->options.confidence * 100);
}

// Add the column of a series, drawn as a line; its title says how many dumps it has.
static void add_series(struct rows *t, const struct hp_field *field, int leaves) {
    struct hp_text_column *column = add(t, field, DRAWN, HP_TEXT_SERIES_CELLS, leaves);
    size_t dumps = hp_text_series_length(t->view);
    if (dumps > 0) {
        snprintf(column->title, sizeof column->title, "%zu dumps", dumps);
    }
}

// Add the columns of a field that has a title.
static void add_columns(struct rows *t, const struct hp_field *field) {
    int leaves = field->leaves > 0 ? NUMBERS_LEAVE + field->leaves : 0;
    if (field->column.cell == HP_CELL_SERIES) {
        add_series(t, field, leaves);
        return;
    }
    if (field->unit == HP_IN_FRACTION && field->shown & HP_SHOWN_ENDS) {
        add(t, field, SHARES, CHANGE_WIDTH, leaves);
        return;
    }
    add(t, field, NUMBER, width_of(t, field), leaves);
    add_shares(t, field, leaves);
    if (field->shown & HP_SHOWN_ENDS) {
        add_interval(t, field);
    }
    if (field == t->last_estimate && t->with_error) {
        hp_vec_push(&t->pieces, ((struct column_piece){t->with_error, INTERVAL}));
        bool is_cum = strcmp(t->with_error->column.key, "cum") == 0;
        hp_text_table_add_error(&t->table, is_cum ? "cum" : "", t->widths.error,
                                INTERVAL_LEAVES);
    }
    if (field->shown & HP_SHOWN_MARK) {
        add(t, field, MARK, 1, 0)->is_glued = true;
    }
}

// Whether a column was not dropped that shows a piece of a field.
static bool shows(const struct rows *t, const struct hp_field *field,
                  enum shown_part part) {
    bool found = false;
    for (size_t i = 0; i < t->pieces.count; i++) {
        found |= t->pieces.at[i].field == field && t->pieces.at[i].part == part &&
                 !t->table.columns.at[i].is_gone;
    }
    return found;
}

// Whether the column with this key was not dropped.
static bool shows_key(const struct rows *t, const char *key) {
    bool found = false;
    for (size_t i = 0; i < t->pieces.count; i++) {
        found |= strcmp(t->pieces.at[i].field->column.key, key) == 0 &&
                 !t->table.columns.at[i].is_gone;
    }
    return found;
}

// --- cells --------------------------------------------------------------------------------

// An amount by the rules of its field.
static struct hp_text_cell amount_cell(const struct rows *t, const struct hp_field *field,
                                       hp_fixed sum) {
    bool has_sign = (field->shown & (HP_SHOWN_SIGNED | HP_SHOWN_GROWTH)) != 0;
    return (struct hp_text_cell){
        .kind = sum == 0 && field->shown & HP_SHOWN_DASH ? HP_TEXT_DASH
                : has_sign                               ? HP_TEXT_SIGNED
                                                         : HP_TEXT_AMOUNT,
        .sum = sum,
        .estimate = t->with_error ? &t->estimate : NULL,
    };
}

// The amount, number or text of a field.
static struct hp_text_cell number_cell(const struct rows *t, const struct hp_field *field,
                                       const struct hp_content *content) {
    enum hp_cell cell = field->column.cell;
    bool has_no_bound = field->shown & HP_SHOWN_DASH && !(content->number > 0);
    return cell == HP_CELL_ESTIMATE || cell == HP_CELL_SUM
               ? amount_cell(t, field, content->amount.sum)
           : cell == HP_CELL_RATE && has_no_bound
               ? (struct hp_text_cell){.kind = HP_TEXT_DASH}
               : hp_text_field_cell(field, content);
}

// A piece of a field.
static struct hp_text_cell cell_of(struct rows *t, const struct column_piece *piece,
                                   const struct hp_content *content, bool is_marked) {
    const struct hp_amount *amount = &content->amount;
    switch (piece->part) {
    case NUMBER:
        t->running += piece->field->shown & HP_SHOWN_RUNNING ? amount->sum : 0;
        return number_cell(t, piece->field, content);
    case SHARE:
        return hp_text_share_cell(amount->sum, t->total);
    case RUNNING:
        return hp_text_share_cell(t->running, t->total);
    case GROWTH:
        return (struct hp_text_cell){.kind = HP_TEXT_GROWTH,
                                     .sum = amount->sum,
                                     .whole = t->base};
    case CHANGE:
        hp_text_change(&t->change, amount->sum, amount->range, t->metric,
                       t->view->options.unit);
        if (t->change.other_unit) {
            strcat(strcat(t->change.interval, " "), t->change.other_unit);
        }
        return (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = t->change.interval};
    case SHARES:
        hp_text_shares(t->change.interval, amount->range.low, amount->range.high);
        return (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = t->change.interval};
    case DRAWN:
        hp_text_series(t->series, content->series, content->count);
        return (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = t->series};
    case INTERVAL:
        return hp_text_error_cell(t->view, amount, &t->estimate);
    case MARK:
        break;
    }
    return (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = is_marked ? "*" : " "};
}

// Build the text between the numbers and the name: "new: ", or "~" if sizes are not
// certain.
static void build_prefix(const struct hp_view *view, size_t row, char text[PREFIX_SIZE]) {
    const char *prefix = view->rows.at[row].prefix;
    snprintf(text, PREFIX_SIZE, "%s%s%s", prefix ? prefix : "", prefix ? ": " : "",
             view->rows.at[row].is_likely ? "~" : "");
}

// Set the cells of a row.
static void set_cells(struct rows *t, size_t row) {
    bool is_marked = (hp_view_flags(t->view, row) & HP_ROW_SIGNIFICANT) != 0;
    const struct hp_field *last = NULL;
    struct hp_content content = {.number = 0};
    if (t->with_error) {
        content = hp_view_cell(t->view, row, t->with_error, t->metric);
        hp_text_row_estimate(&t->estimate, t->view, &content.amount);
    }
    for (size_t i = 0; i < t->pieces.count; i++) {
        const struct column_piece *piece = &t->pieces.at[i];
        if (t->table.columns.at[i].is_gone) {
            continue;
        }
        if (piece->field != last && piece->part != MARK) {
            content = hp_view_cell(t->view, row, piece->field, t->metric);
            last = piece->field;
        }
        t->table.cells.at[i] = cell_of(t, piece, &content, is_marked);
    }
}

// Write a row, and below it with --pairs the two stacks that allocated and freed most of
// its objects.
static void put_row(struct rows *t, size_t row) {
    char prefix[PREFIX_SIZE];
    set_cells(t, row);
    build_prefix(t->view, row, prefix);
    hp_text_table_name(&t->table, hp_span_of(prefix));
    hp_text_table_name(&t->table, hp_text_name(t->names, t->view->rows.at[row].node));
    hp_text_table_put(&t->table, HP_TEXT_CELLS);
    if (t->view->options.pairs) {
        hp_text_recent_pair(t->out, t->view, row);
    }
}

// Return the most cells that the columns need for the cells of the first `shown` rows.
// The caller frees the array.
static int *measure_cells(struct rows *t, size_t shown) {
    bool is_ascii = t->view->options.text.ascii;
    int *widths = hp_alloc(t->pieces.count * sizeof *widths);
    t->table.longest = hp_text_cells(hp_span_of(t->table.title), is_ascii);
    for (size_t i = 0; i < t->pieces.count; i++) {
        struct hp_text_column *column = &t->table.columns.at[i];
        widths[i] = (int)hp_text_cells(hp_span_of(column->title), is_ascii);
        column->width = 0; // texts are not shortened
    }
    for (size_t row = 0; row < shown; row++) {
        set_cells(t, row);
        for (size_t i = 0; i < t->pieces.count; i++) {
            struct hp_span text = hp_text_cell_text(&t->table, i);
            int cells = (int)hp_text_cells(text, is_ascii);
            widths[i] = cells > widths[i] ? cells : widths[i];
        }
        char prefix[PREFIX_SIZE];
        build_prefix(t->view, row, prefix);
        size_t name = hp_view_name(t->view, row).size + strlen(prefix);
        t->table.longest = name > t->table.longest ? name : t->table.longest;
    }
    t->running = 0; // the rows are added up again when they are written
    return widths;
}

// Fit the columns to the cells of the first `shown` rows, where lines must fit.
static void tighten(struct rows *t, size_t shown) {
    if (t->view->options.text.width == 0 || t->with_error) {
        return;
    }
    int *widths = measure_cells(t, shown);
    for (size_t i = 0; i < t->pieces.count; i++) {
        int most = t->pieces.at[i].field->width;
        bool is_text = t->pieces.at[i].field->column.cell == HP_CELL_TEXT;
        t->table.columns.at[i].width =
            is_text && most > 0 && widths[i] > most ? most : widths[i];
    }
    free(widths);
}

// Use room that names do not need for a second space between columns.
static void loosen(struct rows *t) {
    size_t columns = t->pieces.count;
    if (t->table.longest == 0 || t->table.room < t->table.longest + columns) {
        return;
    }
    for (size_t i = 0; i < columns; i++) {
        struct hp_text_column *column = &t->table.columns.at[i];
        bool has_space = i > 0 && !column->is_gone && !column->is_glued;
        column->width += has_space;
        t->table.room -= has_space;
    }
}

// Find distinct names for the rows that are shown, and those that the headline may name.
static void name_rows(struct rows *t, size_t shown) {
    t->names = hp_text_names_new(t->view);
    size_t count = hp_text_named(t->view); // rows that a headline may name
    count = count > shown ? count : shown;
    for (size_t i = 0; i < count; i++) {
        char prefix[PREFIX_SIZE];
        build_prefix(t->view, i, prefix);
        size_t used = strlen(prefix);
        size_t room = t->table.room == 0     ? 0
                      : t->table.room > used ? t->table.room - used
                                             : 1;
        hp_text_names_add(t->names, t->view->rows.at[i].node, room);
    }
    hp_text_names_make_distinct(t->names);
}

// --- below the table ----------------------------------------------------------------------

// Whether the table has a column that is added up.
static bool adds_up(const struct hp_view *view) {
    bool found = false;
    const struct hp_field *field;
    hp_vec_each (field, &view->fields) {
        found |= (field->shown & HP_SHOWN_RUNNING) != 0;
    }
    return found;
}

// Count significant rows from row `from` on.  Reports without flags of their own have
// none: precision alone does not make a row significant.
static size_t count_marked(const struct hp_view *view, size_t from) {
    size_t count = 0;
    for (size_t i = from; view->report->flags && i < view->rows.count; i++) {
        count += (hp_view_flags(view, i) & HP_ROW_SIGNIFICANT) != 0;
    }
    return count;
}

// Return how far a row changed.
static hp_fixed change_of(const struct hp_view *view, size_t row) {
    struct hp_growth growth = view->report->growth(view, row);
    return growth.after - growth.before;
}

// Write how much the rows from row `from` on grew and shrank together.  If rows are
// sorted by cum, and so contain each other, write the largest change of any of them
// instead.
static void put_changes(struct hp_sink *out, const struct rows *t, size_t from) {
    const struct hp_view *view = t->view;
    bool by_cum = view->options.sort == HP_SORT_CUM;
    hp_fixed sums[2] = {0, 0}, most = 0;
    char text[HP_SIGNED_SIZE];
    for (size_t i = from; i < view->rows.count; i++) {
        hp_fixed change = change_of(view, i);
        sums[change < 0] += change;
        change = change < 0 ? -change : change;
        most = change > most ? change : most;
    }
    if (by_cum) {
        hp_text_format(text, most, t->metric, view->options.unit);
        hp_sink_print(out,
                      HP_MESSAGE("rows-changed-less", ", none changed by more than %s"),
                      text);
    }
    for (int i = 0; i < 2 && !by_cum; i++) {
        if (sums[i] != 0) {
            hp_text_signed(text, sums[i], t->metric, view->options.unit);
            hp_sink_print(out, "%s %s", i == 1 && sums[0] != 0 ? " and" : ",", text);
        }
    }
    hp_sink_text(out, by_cum ? "" : " together");
}

// Write how many rows from row `from` on are not shown, and how they changed.
static void put_hidden(struct hp_sink *out, const struct rows *t, size_t from) {
    const struct hp_view *view = t->view;
    size_t rows = view->rows.count - from, marked = count_marked(view, from), same = 0;
    for (size_t i = from; view->report->growth && i < view->rows.count; i++) {
        same += change_of(view, i) == 0;
    }
    hp_sink_text(out, "… ");
    if (rows > same + marked) {
        hp_sink_print(out, HP_MESSAGE("marked-left", "%zu more"), rows - same - marked);
    }
    if (marked > 0) {
        hp_sink_print(out, HP_MESSAGE("marked-left-too", "%s%zu more marked"),
                      rows > same + marked ? " and " : "", marked);
    }
    if (view->report->growth && rows > same) {
        put_changes(out, t, from);
    }
    if (same > 0) {
        hp_sink_print(out, HP_MESSAGE("rows-unchanged", "%s%zu unchanged"),
                      rows > same ? "; " : "", same);
    }
    hp_text_how_to_see_all(out, view);
}

// Make the note on the rows that are not shown, without the end of its line.
static struct hp_span make_rest(const struct rows *t, size_t shown,
                                struct hp_buffer *text) {
    struct hp_sink lines;
    hp_sink_init(&lines, hp_buffer_write, text);
    if (t->view->rows.count > shown) {
        put_hidden(&lines, t, shown);
    }
    hp_sink_flush(&lines);
    text->text.count -= text->text.count > 0;
    return hp_buffer_span(text);
}

// Whether a report compares, so that its rows have marks.
static bool has_marks(const struct hp_view *view) {
    return view->report->growth && !hp_view_is_of_differences(view);
}

// Write the notes on rows that are not shown and on marks.
static void put_rest_and_marks(const struct rows *t, size_t shown,
                               struct hp_text_notes *notes) {
    struct hp_buffer rest = {0}, mark = {0}, more = {0};
    struct hp_span left = make_rest(t, shown, &rest);
    if (has_marks(t->view)) {
        struct hp_text_marks marks = hp_text_marks_of(t->view, shown);
        marks.is_untested &= shows_key(t, "p");
        marks.has_bound &= shows_key(t, "at_least");
        marks.since = shows_key(t, "shape") ? marks.since : NULL;
        marks.step = shows_key(t, "shape") ? marks.step : NULL;
        hp_text_explain_marks(&mark, &more, t->view, marks);
    }
    if (t->table.has_offset) {
        hp_buffer_append(&mark, hp_span_of(mark.text.count > 0 ? "; " : ""));
        hp_buffer_append(&mark, hp_span_of(hp_text_offset_legend()));
    }
    hp_text_note_beside(notes, left, hp_buffer_span(&mark), hp_buffer_span(&mark));
    hp_text_note(notes, hp_buffer_span(&more));
    hp_vec_done(&rest.text);
    hp_vec_done(&mark.text);
    hp_vec_done(&more.text);
}

// Write the notes that explain columns.
static void put_notes(const struct rows *t, struct hp_text_notes *notes) {
    const struct hp_field *field;
    hp_vec_each (field, &t->view->fields) {
        bool has_number = shows(t, field, NUMBER) || shows(t, field, SHARES);
        if (field->note && is_shown(t->view, field) && has_number) {
            hp_text_note(notes, hp_span_of(hp_words(field->note)));
        }
    }
}

// --- all ----------------------------------------------------------------------------------

// Write the head of the kind of report; the names of the rows are known.
static void put_head(const struct rows *t) {
    static hp_writer *const heads[HP_REPORT_KINDS] = {
        [HP_REPORT_DIFF] = hp_text_diff_head,
        [HP_REPORT_TREND] = hp_text_trend_head,
        [HP_REPORT_LIFETIME] = hp_text_lifetime_head,
    };
    hp_writer *own = heads[t->view->options.kind];
    if (own) {
        own(t->out, t->view);
    } else {
        hp_text_headline(t->out, t->view, t->names);
        hp_text_source(t->out, t->view);
        hp_text_warnings(t->out, t->view);
        hp_sink_text(t->out, "\n");
    }
}

// Write everything below the table of a profile.
static void finish(struct rows *t, size_t shown) {
    const struct hp_view *view = t->view;
    struct hp_text_draft rest;
    hp_text_draft_init(&rest);
    if (view->rows.count > shown && adds_up(view)) {
        hp_text_rest(&rest.out, view, view->rows.count - shown, hp_view_row_kind(view),
                     view->head.filtered.of[t->metric] - t->running);
    }
    put_notes(t, &(struct hp_text_notes){.out = t->out, .view = view});
    hp_text_finish(&t->table, hp_text_draft_end(&rest));
    hp_text_draft_done(&rest);
}

// Write everything below the table of a comparison, a trend or lifetimes.
static void finish_changes(struct rows *t, size_t shown) {
    static hp_writer *const facts[HP_REPORT_KINDS] = {
        [HP_REPORT_DIFF] = hp_text_diff_facts,
        [HP_REPORT_TREND] = hp_text_trend_facts,
        [HP_REPORT_LIFETIME] = hp_text_lifetime_facts,
    };
    const struct hp_view *view = t->view;
    struct hp_text_notes notes = {.out = t->out, .view = view};
    struct hp_buffer found = {0}, moved = {0};
    put_rest_and_marks(t, shown, &notes);
    put_notes(t, &notes);
    if (has_marks(view)) {
        hp_text_note(&notes, hp_text_made(&found, view, hp_text_detectable));
    }
    if (view->options.text.details) {
        hp_text_folding_notes(t->out, view);
    } else {
        hp_text_note(&notes, hp_text_made(&moved, view, hp_text_moved));
    }
    if (facts[view->options.kind]) {
        hp_text_details(t->out, view, facts[view->options.kind]);
    }
    hp_vec_done(&found.text);
    hp_vec_done(&moved.text);
}

// Whether a row of code holds nothing and can be counted instead of shown: an order by
// flat, or by change, puts such rows last.
static bool is_nothing(const struct rows *t, size_t row) {
    const struct hp_view *view = t->view;
    if (view->report->growth) {
        struct hp_growth growth = view->report->growth(view, row);
        return growth.after == growth.before &&
               (hp_view_flags(view, row) & HP_ROW_SIGNIFICANT) == 0;
    }
    return view->report->divides_stacks && view->options.sort == HP_SORT_FLAT &&
           hp_view_cell(view, row, view->fields.at, t->metric).amount.sum == 0;
}

// The number of rows that are shown: without those of nothing, unless all are asked for.
static size_t rows_to_show(const struct rows *t) {
    const struct hp_view *view = t->view;
    size_t shown = hp_view_shown(view, view->rows.count);
    bool is_code = view->options.by < HP_BY_INPUT;
    while (is_code && view->options.limit != 0 && view->options.sort != HP_SORT_NAME &&
           shown > 1 && is_nothing(t, shown - 1)) {
        shown--;
    }
    return shown;
}

// Add the columns that fit, and name the rows.
static void set_columns(struct rows *t, size_t shown) {
    const struct hp_field *field;
    measure(t, shown);
    hp_vec_each (field, &t->view->fields) {
        if (is_shown(t->view, field)) {
            add_columns(t, field);
        }
    }
    if (t->view->options.by == HP_BY_AGE) {
        t->table.title = "age so far"; // of objects in use: it is no lifetime
    }
    tighten(t, shown);
    hp_text_table_fit(&t->table, 1);
    loosen(t);
    name_rows(t, shown);
}

void hp_text_rows(struct hp_text_page *page, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    struct rows t = {.out = &page->lines, .view = view, .metric = metric};
    t.total = view->head.total.of[metric];
    t.base =
        view->report->growth ? view->report->growth(view, HP_ROW_TOTAL).before : t.total;
    find_error(&t);
    size_t shown = rows_to_show(&t);
    hp_text_table_init(&t.table, page);
    set_columns(&t, shown);
    put_head(&t);
    if (hp_text_no_change(t.out, view)) {
        hp_text_details(t.out, view, hp_text_diff_facts);
    } else {
        hp_text_table_put(&t.table, HP_TEXT_TITLES);
        for (size_t i = 0; i < shown; i++) {
            put_row(&t, i);
        }
        if (view->options.columns.spread) {
            hp_text_spread(t.out, view);
        }
        bool has_changes = view->report->has_sides || view->report->needs_series;
        (has_changes ? finish_changes : finish)(&t, shown);
    }
    hp_text_names_free(t.names);
    hp_vec_done(&t.pieces);
    hp_text_table_done(&t.table);
}

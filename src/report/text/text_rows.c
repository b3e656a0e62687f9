//           flat  flat%   sum%           cum   cum%       flat at 95%   function
//        154 MiB  73.7%  73.7%     161.5 MiB  77.6%          ± 18 MiB   small
//      0.37 MiB    0.2%  73.9%      0.37 MiB   0.2%  0.37 … 1.40 MiB *  large
//
//         base        new     change of base       from         to 2-sided p   function
//     58.4 MiB   65.0 MiB   +6.6 MiB   +8.1%   +2.1 MiB  +11.0 MiB    0.0012*  leaf_mixed
//            -    2.0 MiB   +2.0 MiB   +2.5%   +0.2 MiB   +5.1 MiB    0.0400   new: leaf
//
//        first       last slope/hour grows by at least p growth   shape ...  function
//      2.0 MiB    8.0 MiB   +1.7 MiB          +1.4 MiB <0.0001*  steady ...  leak
//
// The writer of any report that is a table: the columns are the
// fields of the view that have a title, with the parts that their bits of enum hp_shown
// ask for.  In top, the columns flat, flat%, sum%, cum and cum% have the values that
// jeprof and pprof show.
#include "report/text/text_table.h"

#include "view/top.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    // Widths of columns, in cells of the terminal.
    SHARE_WIDTH = 6,
    GROWTH_WIDTH = 8,
    P_WIDTH = 8,
    // Bytes of the text before a name, with its NUL: "new: ~".
    PREFIX_SIZE = 32,
};

// What a column of text shows of a field.
enum shown_part {
    NUMBER,
    SHARE,
    RUNNING,
    GROWTH,
    LOW_END,
    HIGH_END,
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
};

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
        [RUNNING] = "sum%", [GROWTH] = "of base", [LOW_END] = "from",
        [HIGH_END] = "to",  [MARK] = "",
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

// Add the columns of a field that has a title.
static void add_columns(struct rows *t, const struct hp_field *field) {
    int leaves = field->leaves > 0 ? NUMBERS_LEAVE + field->leaves : 0;
    add(t, field, NUMBER, width_of(t, field), leaves);
    add_shares(t, field, leaves);
    if (field->shown & HP_SHOWN_ENDS) {
        add(t, field, LOW_END, t->widths.amount, INTERVAL_LEAVES);
        add(t, field, HIGH_END, t->widths.amount, INTERVAL_LEAVES)->is_joined = true;
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
    return cell == HP_CELL_ESTIMATE || cell == HP_CELL_SUM
               ? amount_cell(t, field, content->amount.sum)
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
    case LOW_END:
        return (struct hp_text_cell){.kind = HP_TEXT_END, .number = amount->range.low};
    case HIGH_END:
        return (struct hp_text_cell){.kind = HP_TEXT_END, .number = amount->range.high};
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

// Write how much the rows from row `from` on grew and shrank together.  If rows are
// sorted by cum, and so contain each other, write the largest change of any of them
// instead.
static void put_changes(const struct rows *t, size_t from) {
    const struct hp_view *view = t->view;
    bool by_cum = view->options.sort == HP_SORT_CUM;
    hp_fixed sums[2] = {0, 0}, most = 0;
    char text[HP_SIGNED_SIZE];
    for (size_t i = from; view->report->growth && i < view->rows.count; i++) {
        struct hp_growth growth = view->report->growth(view, i);
        hp_fixed change = growth.after - growth.before;
        sums[change < 0] += change;
        change = change < 0 ? -change : change;
        most = change > most ? change : most;
    }
    if (view->report->growth && most == 0) {
        hp_sink_print(t->out, HP_MESSAGE("rows-unchanged", ", unchanged"));
    } else if (by_cum && most > 0) {
        hp_text_format(text, most, t->metric, view->options.unit);
        hp_sink_print(t->out,
                      HP_MESSAGE("rows-changed-less", ", none changed by more than %s"),
                      text);
    }
    for (int i = 0; i < 2 && !by_cum; i++) {
        if (sums[i] != 0) {
            hp_text_signed(text, sums[i], t->metric, view->options.unit);
            hp_sink_print(t->out, "%s %s", i == 1 && sums[0] != 0 ? " and" : ",", text);
        }
    }
    hp_sink_text(t->out, !by_cum && most > 0 ? " together" : "");
}

// Write the last line of a truncated table of a comparison.
static void put_rest(const struct rows *t, size_t shown) {
    const struct hp_view *view = t->view;
    size_t rows = view->rows.count - shown;
    size_t marked = count_marked(view, shown);
    if (rows > 0) {
        hp_sink_print(t->out, HP_MESSAGE("marked-left", "… %zu more"), rows - marked);
        if (marked > 0) {
            hp_sink_print(t->out, HP_MESSAGE("marked-left-too", " and %zu more marked"),
                          marked);
        }
        put_changes(t, shown);
        hp_text_how_to_see_all(t->out, view);
    }
}

// Write the lines below the table that explain its columns.
static void put_notes(const struct rows *t) {
    const struct hp_field *field;
    hp_vec_each (field, &t->view->fields) {
        if (!field->column.title) {
            continue;
        }
        if (shows(t, field, LOW_END)) {
            hp_sink_print(
                t->out,
                HP_MESSAGE("note-change-interval",
                           "from … to holds the true change in %g%% of cases\n"),
                t->view->options.confidence * 100);
        }
        if (field->shown & HP_SHOWN_MARK && t->view->report->has_sides) {
            hp_text_diff_note(t->out, t->view, field->note);
        } else if (field->shown & HP_SHOWN_MARK) {
            hp_text_trend_note(t->out, t->view, field->note);
            hp_text_onsets(t->out, t->view);
        } else if (field->note && shows(t, field, NUMBER)) {
            hp_sink_print(t->out, "%s\n", hp_words(field->note));
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
    put_notes(t);
    hp_text_finish(&t->table, hp_text_draft_end(&rest));
    hp_text_draft_done(&rest);
}

// Write everything below the table of a comparison, a trend or lifetimes.
static void finish_changes(struct rows *t, size_t shown) {
    put_rest(t, shown);
    put_notes(t);
    hp_text_folding_notes(t->out, t->view);
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
    return view->options.kind == HP_REPORT_TOP && view->options.sort == HP_SORT_FLAT &&
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
        if (field->column.title) {
            add_columns(t, field);
        }
    }
    hp_text_table_fit(&t->table, 1);
    name_rows(t, shown);
    if (t->view->options.by == HP_BY_AGE) {
        t->table.title = "age so far"; // of objects in use: it is no lifetime
    }
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
    if (!hp_text_no_change(t.out, view)) {
        hp_text_table_put(&t.table, HP_TEXT_TITLES);
        for (size_t i = 0; i < shown; i++) {
            put_row(&t, i);
        }
        if (view->options.columns.spread) {
            hp_text_spread(t.out, view);
        }
        (view->options.kind == HP_REPORT_TOP ? finish : finish_changes)(&t, shown);
    }
    hp_text_names_free(t.names);
    hp_vec_done(&t.pieces);
    hp_text_table_done(&t.table);
}

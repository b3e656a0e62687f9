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
// The format of text, and the writer of any report that is a table: the columns are the
// fields of the view that have a title, with the parts that their bits of enum hp_shown
// ask for.  In top, the columns flat, flat%, sum%, cum and cum% have the values that
// jeprof and pprof show.
#include "report/text/text.h"

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

// Bit of table.gone for the number of a field, beside bits of enum hp_shown for the
// field's share, interval and others.
enum {
    NUMBER_GONE = 1 << 30,
};

// State of writing a table.
struct table {
    struct hp_sink *out;
    const struct hp_view *view;
    enum hp_metric metric;
    // Total of the view, and total of the base in a comparison: the wholes of shares
    hp_fixed total, base;
    hp_fixed running; // sum of the rows so far, in the column that is added up
    // The field whose interval is shown; the field after which it is shown.  NULL: none.
    const struct hp_field *with_error, *last_estimate;
    // The estimate of the present row; equal values in the row are written like it.
    struct hp_text_estimate estimate;
    struct hp_text_widths widths;
    unsigned *gone; // for each field: the parts that were dropped, as bits
    size_t room;    // cells of a name and the prefix before it; 0: any
    struct hp_text_names *names;
};

// Whether a field has estimates, which have intervals.
static bool is_estimate(const struct hp_field *field) {
    return field->column.cell == HP_CELL_ESTIMATE;
}

// Find the field whose interval is shown, and the field after which it is shown.
static void find_error(struct table *t) {
    const struct hp_field *field;
    hp_vec_each (field, &t->view->fields) {
        if (is_estimate(field) && field->column.title) {
            t->last_estimate = field;
        }
        if (field->shown & HP_SHOWN_ERROR) {
            t->with_error = field;
        }
    }
}

// Width of the numbers in a column, in cells of the terminal.
static int width_of(const struct table *t, const struct hp_field *field) {
    return field->width > 0                      ? field->width
           : field->column.cell == HP_CELL_P     ? P_WIDTH
           : field->column.cell == HP_CELL_COUNT ? P_WIDTH
                                                 : t->widths.amount;
}

// Whether the number of a field is shown.
static bool has_number(const struct table *t, const struct hp_field *field) {
    return field->column.title && !(t->gone[field - t->view->fields.at] & NUMBER_GONE);
}

// Whether a part of a field is asked for and was not dropped.
static bool shows(const struct table *t, const struct hp_field *field,
                  enum hp_shown what) {
    return (field->shown & ~t->gone[field - t->view->fields.at] & what) != 0;
}

// Whether the interval is written after this field.
static bool has_error_after(const struct table *t, const struct hp_field *field) {
    return field == t->last_estimate && t->with_error &&
           shows(t, t->with_error, HP_SHOWN_ERROR);
}

// --- what fits ----------------------------------------------------------------------------

// A thing that a column of a table shows of a field (its number, share, interval ...),
// its width, and its bit in table.gone.
struct column_piece {
    size_t field;
    unsigned bit;
};

// All parts of the fields of a table, and their cells.  Running shares are dropped first,
// then other shares, then intervals, then numbers.
struct pieces {
    HP_VEC(struct column_piece) of;
    HP_VEC(struct hp_text_part) parts; // one for each element of `of`
};

enum {
    RUNNING_LEAVES = 1,
    SHARE_LEAVES,
    INTERVAL_LEAVES,
    NUMBERS_LEAVE, // plus hp_field.leaves
};

// Set t->widths, so that the values and intervals of the first `shown` rows fit.
static void measure(struct table *t, size_t shown) {
    t->widths = hp_text_widths_of(t->view);
    for (size_t i = 0; t->with_error && i < shown; i++) {
        struct hp_content content = hp_view_cell(t->view, i, t->with_error, t->metric);
        hp_text_widen(&t->widths, t->view, &content.amount);
    }
}

// Add a thing that a column shows of a field, with its width in cells; `leaves` as in
// struct hp_text_part.
static void add_piece(struct pieces *pieces, size_t field, unsigned bit, int cells,
                      int leaves) {
    hp_vec_push(&pieces->of, ((struct column_piece){field, bit}));
    hp_vec_push(&pieces->parts, ((struct hp_text_part){(size_t)cells, leaves, false}));
}

// Add the things that the columns of field number `number` show; none if it has no title.
static void add_pieces(struct pieces *pieces, const struct table *t, size_t number) {
    const struct hp_field *field = &t->view->fields.at[number];
    int amount = t->widths.amount + 1;
    int leaves = field->leaves > 0 ? NUMBERS_LEAVE + field->leaves : 0;
    if (!field->column.title) {
        return;
    }
    add_piece(pieces, number, NUMBER_GONE, width_of(t, field) + 1, leaves);
    if (field->shown & HP_SHOWN_SHARE) {
        add_piece(pieces, number, HP_SHOWN_SHARE, SHARE_WIDTH + 1,
                  leaves > 0 ? SHARE_LEAVES : 0);
    }
    if (field->shown & HP_SHOWN_RUNNING) {
        add_piece(pieces, number, HP_SHOWN_RUNNING, SHARE_WIDTH + 1, RUNNING_LEAVES);
    }
    if (field->shown & HP_SHOWN_GROWTH) {
        add_piece(pieces, number, HP_SHOWN_GROWTH, GROWTH_WIDTH + 1, SHARE_LEAVES);
    }
    if (field->shown & HP_SHOWN_ENDS) {
        add_piece(pieces, number, HP_SHOWN_ENDS, 2 * amount, INTERVAL_LEAVES);
    }
    if (field == t->with_error) {
        add_piece(pieces, number, HP_SHOWN_ERROR, t->widths.error + 2, INTERVAL_LEAVES);
    }
    if (field->shown & HP_SHOWN_MARK) {
        add_piece(pieces, number, HP_SHOWN_MARK, 1, 0);
    }
}

// Drop parts of fields until names have room: set t->gone and t->room.
static void fit(struct table *t) {
    struct pieces pieces = {0};
    t->gone = hp_alloc(t->view->fields.count * sizeof *t->gone);
    // There are two spaces before a name, and one before each field.
    add_piece(&pieces, 0, 0, 1, 0);
    for (size_t i = 0; i < t->view->fields.count; i++) {
        add_pieces(&pieces, t, i);
    }
    t->room = hp_text_fit(t->view, pieces.parts.at, pieces.parts.count);
    for (size_t i = 0; i < pieces.of.count; i++) {
        const struct column_piece *piece = &pieces.of.at[i];
        t->gone[piece->field] |= pieces.parts.at[i].is_gone ? piece->bit : 0;
    }
    hp_vec_done(&pieces.of);
    hp_vec_done(&pieces.parts);
}

// --- titles -------------------------------------------------------------------------------

// Write the titles of the columns of a field.
static void put_title(const struct table *t, const struct hp_field *field) {
    const char *title = field->column.title;
    int amount = t->widths.amount;
    char text[HP_NUMBER_SIZE];
    hp_text_put(t->out, title, width_of(t, field));
    if (shows(t, field, HP_SHOWN_SHARE)) {
        snprintf(text, sizeof text, "%s%%", title);
        hp_sink_print(t->out, HP_TEXT_NEXT "%*s", SHARE_WIDTH, text);
    }
    if (shows(t, field, HP_SHOWN_RUNNING)) {
        hp_sink_print(t->out, HP_TEXT_NEXT "%*s", SHARE_WIDTH, "sum%");
    }
    if (shows(t, field, HP_SHOWN_GROWTH)) {
        hp_sink_print(t->out, HP_TEXT_NEXT "%*s", GROWTH_WIDTH, "of base");
    }
    if (shows(t, field, HP_SHOWN_ENDS)) {
        hp_sink_print(t->out, HP_TEXT_NEXT "%*s" HP_TEXT_NEXT "%*s", amount, "from",
                      amount, "to");
    }
    if (has_error_after(t, field)) {
        hp_sink_text(t->out, HP_TEXT_NEXT);
        hp_text_error_title(t->out, t->view, t->with_error->column.title,
                            t->widths.error);
    }
}

// The title of the column of names.  Ages are those of objects in use, which are not
// lifetimes.
static const char *title_of_rows(const struct hp_view *view) {
    return view->options.by == HP_BY_AGE ? "age so far" : hp_view_row_kind(view);
}

// Write the line of titles.
static void put_titles(const struct table *t) {
    const struct hp_field *field;
    const char *between = "";
    hp_sink_print(t->out, "%s%s", HP_TEXT_ROW, hp_text_bold(t->view));
    hp_vec_each (field, &t->view->fields) {
        if (has_number(t, field)) {
            hp_sink_text(t->out, between);
            put_title(t, field);
            between = HP_TEXT_NEXT;
        }
        bool is_marked = shows(t, field, HP_SHOWN_MARK) && field->column.title;
        hp_sink_text(t->out, is_marked ? " " : "");
    }
    hp_sink_print(t->out, HP_TEXT_NEXT " %s%s\n", title_of_rows(t->view),
                  hp_text_plain(t->view));
}

// --- cells --------------------------------------------------------------------------------

// Write an end of an interval of a change; "-" if it is not known.
static void put_end(const struct table *t, double end) {
    char text[HP_SIGNED_SIZE] = "-";
    if (!isnan(end)) {
        hp_text_signed(text, hp_text_fixed(end, t->metric), t->metric,
                       t->view->options.unit);
    }
    hp_sink_text(t->out, HP_TEXT_NEXT);
    hp_text_put(t->out, text, t->widths.amount);
}

// Write a growth as a share of the base's total, "+8.1%"; "-" if that total is not above
// 0.
static void put_growth_share(const struct table *t, hp_fixed growth) {
    char text[HP_NUMBER_SIZE] = "-";
    if (t->base > 0) {
        snprintf(text, sizeof text, "%+.1f%%", (double)growth * 100 / (double)t->base);
    }
    hp_sink_text(t->out, HP_TEXT_NEXT);
    hp_text_put(t->out, text, GROWTH_WIDTH);
}

// Format an amount by the rules of its field; a value that equals the estimate of the row
// is formatted like it.
static void format_amount(const struct table *t, const struct hp_field *field,
                          hp_fixed value, char text[HP_SIGNED_SIZE]) {
    bool is_alone = t->with_error && t->estimate.is_alone && is_estimate(field);
    if ((value == 0 && (field->shown & HP_SHOWN_DASH)) || is_alone) {
        strcpy(text, "-");
    } else if (t->with_error && value == t->estimate.sum) {
        strcpy(text, t->estimate.value);
    } else if (field->shown & (HP_SHOWN_SIGNED | HP_SHOWN_GROWTH)) {
        hp_text_signed(text, value, t->metric, t->view->options.unit);
    } else {
        hp_text_format(text, value, t->metric, t->view->options.unit);
    }
}

// Format a number by the kind and the unit of its field; "-" if it is not known.
static void format_number(const struct table *t, const struct hp_field *field,
                          const struct hp_content *content, char text[HP_SIGNED_SIZE]) {
    if (isnan(content->number)) {
        strcpy(text, "-");
    } else if (field->column.cell == HP_CELL_P) {
        hp_text_p(text, content->number);
    } else if (field->column.cell == HP_CELL_RATE) {
        hp_text_rate(text, content->number, t->metric, t->view->options.unit);
    } else if (field->column.cell == HP_CELL_COUNT && content->whole > 0) {
        snprintf(text, HP_NUMBER_SIZE, "%.0f/%.0f", content->number, content->whole);
    } else if (field->column.cell == HP_CELL_COUNT) {
        hp_format_grouped(text, (hp_int128)round(content->number));
    } else if (field->unit == HP_IN_FRACTION) {
        snprintf(text, HP_NUMBER_SIZE, "%.3g%%", 100 * content->number);
    } else if (field->unit == HP_IN_METRIC) {
        hp_text_format(text, hp_text_fixed(content->number, t->metric), t->metric,
                       t->view->options.unit);
    } else {
        snprintf(text, HP_NUMBER_SIZE, "%.2f", content->number);
    }
}

// Write a text cell.  It may be a name from the inputs and longer than its column, so
// that it is made safe and shortened.
static void put_text(const struct table *t, const struct hp_field *field,
                     const char *text) {
    struct hp_text_cut cut = {.room = (size_t)width_of(t, field)};
    struct hp_buffer safe = {0}, shown = {0};
    hp_text_append_safe(&safe, hp_span_of(text));
    hp_text_cut_name(&shown, hp_buffer_span(&safe), &cut);
    hp_buffer_append(&shown, (struct hp_span){"", 1});
    hp_text_put(t->out, shown.text.at, width_of(t, field));
    hp_vec_done(&safe.text);
    hp_vec_done(&shown.text);
}

// Write the number or text of a field.
static void put_number(const struct table *t, const struct hp_field *field,
                       const struct hp_content *content) {
    char text[HP_SIGNED_SIZE];
    enum hp_cell cell = field->column.cell;
    if (cell == HP_CELL_ESTIMATE || cell == HP_CELL_SUM) {
        format_amount(t, field, content->amount.sum, text);
    } else if (cell == HP_CELL_TEXT) {
        put_text(t, field, content->text);
        return;
    } else {
        format_number(t, field, content, text);
    }
    hp_text_put(t->out, text, width_of(t, field));
}

// Write the interval of a row.
static void put_error(const struct table *t, size_t row) {
    struct hp_content content = hp_view_cell(t->view, row, t->with_error, t->metric);
    hp_sink_text(t->out, HP_TEXT_NEXT);
    hp_text_error(t->out, t->view, &content.amount, &t->estimate, t->widths.error);
}

// Write all parts of a field that are shown, and add to the running sum.
static void put_cell(struct table *t, const struct hp_field *field, size_t row) {
    struct hp_content content = hp_view_cell(t->view, row, field, t->metric);
    put_number(t, field, &content);
    if (shows(t, field, HP_SHOWN_SHARE)) {
        hp_sink_text(t->out, HP_TEXT_NEXT);
        hp_text_percent(t->out, content.amount.sum, t->total);
    }
    if (field->shown & HP_SHOWN_RUNNING) {
        t->running += content.amount.sum;
    }
    if (shows(t, field, HP_SHOWN_RUNNING)) {
        hp_sink_text(t->out, HP_TEXT_NEXT);
        hp_text_percent(t->out, t->running, t->total);
    }
    if (shows(t, field, HP_SHOWN_GROWTH)) {
        put_growth_share(t, content.amount.sum);
    }
    if (shows(t, field, HP_SHOWN_ENDS)) {
        put_end(t, content.amount.range.low);
        put_end(t, content.amount.range.high);
    }
    if (has_error_after(t, field)) {
        put_error(t, row);
    }
}

// Build the text between the numbers and the name: "new: ", or "~" if sizes are not
// certain.
static void build_prefix(const struct hp_view *view, size_t row, char text[PREFIX_SIZE]) {
    const char *prefix = view->rows.at[row].prefix;
    snprintf(text, PREFIX_SIZE, "%s%s%s", prefix ? prefix : "", prefix ? ": " : "",
             view->rows.at[row].is_likely ? "~" : "");
}

// Write a row, and below it with --pairs the two stacks that allocated and freed most of
// its objects.
static void put_row(struct table *t, size_t row) {
    const struct hp_field *field;
    const char *between = "";
    char prefix[PREFIX_SIZE];
    bool is_marked = (hp_view_flags(t->view, row) & HP_ROW_SIGNIFICANT) != 0;
    if (t->with_error) {
        struct hp_content content = hp_view_cell(t->view, row, t->with_error, t->metric);
        hp_text_row_estimate(&t->estimate, t->view, &content.amount);
    }
    hp_sink_text(t->out, HP_TEXT_ROW);
    hp_vec_each (field, &t->view->fields) {
        if (has_number(t, field)) {
            hp_sink_text(t->out, between);
            put_cell(t, field, row);
            between = HP_TEXT_NEXT;
        }
        if (shows(t, field, HP_SHOWN_MARK) && field->column.title) {
            hp_sink_text(t->out, is_marked ? "*" : " ");
        }
    }
    build_prefix(t->view, row, prefix);
    hp_sink_print(t->out, HP_TEXT_NEXT " %s", prefix);
    hp_text_put_name(t->out, t->names, t->view->rows.at[row].node);
    hp_sink_text(t->out, "\n");
    if (t->view->options.pairs) {
        hp_text_recent_pair(t->out, t->view, row);
    }
}

// Find distinct names for the rows that are shown.
static void name_rows(struct table *t, size_t shown) {
    t->names = hp_text_names_new(t->view);
    for (size_t i = 0; i < shown; i++) {
        char prefix[PREFIX_SIZE];
        build_prefix(t->view, i, prefix);
        size_t used = strlen(prefix);
        size_t room = t->room == 0 ? 0 : t->room > used ? t->room - used : 1;
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
static void put_changes(const struct table *t, size_t from) {
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

// Write the last line of a truncated table.
static void put_rest(const struct table *t, size_t shown) {
    const struct hp_view *view = t->view;
    size_t rows = view->rows.count - shown;
    size_t marked = count_marked(view, shown);
    if (rows > 0 && adds_up(view)) {
        hp_text_rest(t->out, view, rows, hp_view_row_kind(view),
                     view->head.filtered.of[t->metric] - t->running);
    } else if (rows > 0) {
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
static void put_notes(const struct table *t) {
    const struct hp_field *field;
    hp_vec_each (field, &t->view->fields) {
        if (!field->column.title) {
            continue;
        }
        if (shows(t, field, HP_SHOWN_ERROR)) {
            hp_text_error_note(t->out, t->view);
        }
        if (shows(t, field, HP_SHOWN_ENDS)) {
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
        } else if (field->note && has_number(t, field)) {
            hp_sink_print(t->out, "%s\n", hp_words(field->note));
        }
    }
}

// --- all ----------------------------------------------------------------------------------

// Write the head of the kind of report.
static void put_head(const struct table *t) {
    static hp_writer *const heads[HP_REPORT_KINDS] = {
        [HP_REPORT_DIFF] = hp_text_diff_head,
        [HP_REPORT_TREND] = hp_text_trend_head,
        [HP_REPORT_LIFETIME] = hp_text_lifetime_head,
    };
    hp_writer *own = heads[t->view->options.kind];
    (own ? own : hp_text_head)(t->out, t->view);
}

// Write a table as lines with marks.
static void put_rows(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    struct table t = {.out = out, .view = view, .metric = metric};
    size_t shown = hp_view_shown(view, view->rows.count);
    t.total = view->head.total.of[metric];
    t.base =
        view->report->growth ? view->report->growth(view, HP_ROW_TOTAL).before : t.total;
    find_error(&t);
    put_head(&t);
    if (hp_text_no_change(out, view)) {
        return;
    }
    measure(&t, shown);
    fit(&t);
    name_rows(&t, shown);
    put_titles(&t);
    for (size_t i = 0; i < shown; i++) {
        put_row(&t, i);
    }
    put_rest(&t, shown);
    put_notes(&t);
    if (view->options.columns.spread) {
        hp_text_spread(out, view);
    }
    hp_text_folding_notes(out, view);
    hp_text_names_free(t.names);
    free(t.gone);
}

void hp_text_marked(struct hp_sink *out, const struct hp_view *view) {
    static hp_writer *const writers[HP_REPORT_KINDS] = {
        [HP_REPORT_STACKS] = hp_text_stacks, [HP_REPORT_TREE] = hp_text_tree,
        [HP_REPORT_PEEK] = hp_text_peek,     [HP_REPORT_LIST] = hp_text_list,
        [HP_REPORT_INFO] = hp_text_info,     [HP_REPORT_ACCOUNT] = hp_text_account,
    };
    hp_writer *writer = writers[view->options.kind];
    (writer ? writer : put_rows)(out, view);
}

static void write_text(struct hp_sink *out, const struct hp_view *view) {
    hp_text_put_lines(out, view, hp_text_marked);
}

// Widen a width that is too narrow for a report.
static void complete(struct hp_report_options *options) {
    bool is_too_narrow = options->text.width > 0 && options->text.width < HP_LEAST_WIDTH;
    options->text.width = is_too_narrow ? HP_LEAST_WIDTH : options->text.width;
}

const struct hp_format hp_format_text = {
    .name = "text",
    .files = "*.txt *.text",
    .help = "tables for people",
    .can = HP_CAN_LIMIT | HP_CAN_CUT | HP_CAN_SPREAD | HP_CAN_INTERVALS | HP_CAN_UNIT |
           HP_CAN_COLOR | HP_CAN_NEGATIVE | HP_HAS_SHORT_NAMES | HP_CAN_WIDTH |
           HP_IS_FOR_PEOPLE,
    .limit = HP_LIMIT_ENOUGH,
    .shape = HP_SHAPE_ROWS,
    .write_rows = write_text,
    .complete = complete,
    .write =
        {
            [HP_REPORT_STACKS] = write_text,
            [HP_REPORT_TREE] = write_text,
            [HP_REPORT_PEEK] = write_text,
            [HP_REPORT_LIST] = write_text,
            [HP_REPORT_INFO] = write_text,
        },
};

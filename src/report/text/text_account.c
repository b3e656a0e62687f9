// The report of account, table by table:
//
//     jemalloc holds 112.3 MiB: 74.7 dirty pages, 16.2 free in slabs, 21.4 other
//
//     Allocator (malloc_stats)
//             bytes     source  option                    account
//         112.3 MiB      stats                            resident
//          34.2 MiB      stats                              active
//     ...
//     note: by the allocator the program holds ...
//
// The name of an amount is followed by its interval; an amount of unknown error has
// "about" in front of it.  With --waste the report shows the free memory in slabs
// instead:
//
//     16.2 MiB of 35.5 MiB in slabs are free
//             free  slabs not full objects             live   share  size class
//         15.0 MiB  1,527    1,526  19,563          1.8 MiB          96 B
//                                   19,777  1.81 ± 0.17 MiB  100.0%    leak < main
//     96 B: almost only leak < main has objects in these slabs
#include "report/text/text_table.h"

#include "view/account_waste.h"
#include "view/report_account.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STEP = 2, // cells by which a level of rows is indented
};

// State of writing the report of account.
struct account {
    struct hp_sink *out; // lines that are not part of a table
    const struct hp_view *view;
    const struct hp_account_rows *rows; // rows of the tables; NULL: with --waste
    struct hp_text_table table;
    HP_VEC(const struct hp_field *) fields; // one for each column
};

// Add the columns that fit.
static void fit(struct account *a) {
    enum {
        WIDEST = 16, // room for "about 1023.9 MiB"
    };

    const struct hp_field *field;
    hp_vec_each (field, &a->view->fields) {
        if (field->column.title) {
            hp_vec_push(&a->fields, field);
            hp_text_table_add(&a->table, field->column.title,
                              field->width > 0 ? field->width : WIDEST, field->leaves);
        }
    }
    hp_text_table_fit(&a->table, 1);
}

// --- rows ---------------------------------------------------------------------------------

static void append(struct hp_buffer *text, const char *more) {
    hp_buffer_append(text, hp_span_of(more));
}

// Set the name of the present row, shortened to its room, and free the text.
static void set_name(struct account *a, struct hp_buffer *whole) {
    struct hp_text_cut cut = {.room = a->table.room,
                              .is_ascii = a->view->options.text.ascii};
    hp_text_cut_text(&a->table.name, hp_buffer_span(whole), &cut);
    hp_vec_done(&whole->text);
}

// Append `what` and a number of bytes; nothing if the number is not known.
static void append_bytes(struct hp_buffer *text, const struct account *a,
                         const char *what, double bytes) {
    char amount[HP_NUMBER_SIZE];
    if (!isnan(bytes)) {
        hp_text_format(amount, hp_text_fixed(bytes, HP_INUSE_SPACE), HP_INUSE_SPACE,
                       a->view->options.unit);
        append(text, what);
        append(text, amount);
    }
}

// Name an amount, with everything known about it: "files, Pss 841.0 KiB,
// private 128.0 KiB", "objects by the profile (7.2 … 8.9 MiB)".
static void name_amount(struct account *a, size_t row,
                        const struct hp_text_estimate *estimate) {
    const struct hp_account_row *of = &a->rows->of.at[row];
    struct hp_buffer whole = {0};
    for (uint32_t i = 0; i < a->view->rows.at[row].depth * STEP; i++) {
        append(&whole, " ");
    }
    struct hp_span name = hp_view_name(a->view, row);
    hp_text_append_safe(&whole, name);
    if (estimate->interval[0] != '\0') {
        append(&whole, estimate->is_half ? " " : " (");
        append(&whole, estimate->interval);
        append(&whole, estimate->is_half ? "" : ")");
    }
    append_bytes(&whole, a, ", Pss ", of->pss);
    append_bytes(&whole, a, ", private ", of->private);
    set_name(a, &whole);
}

// Name a size class, or indented below it a stack that holds its objects.
static void name_stack(struct account *a, size_t row) {
    struct hp_buffer whole = {0};
    append(&whole, a->view->rows.at[row].depth > 0 ? "  " : "");
    hp_text_append_safe(&whole, hp_view_name(a->view, row));
    set_name(a, &whole);
}

// A number by its column: a count, bytes or a share; nothing if it is not known.
static struct hp_text_cell number_cell(const struct hp_field *field,
                                       const struct hp_content *content) {
    struct hp_text_cell cell = hp_text_field_cell(field, content);
    bool is_share = cell.kind == HP_TEXT_DECIMAL;
    cell.kind = isnan(content->number) ? HP_TEXT_NOTHING
                : is_share             ? HP_TEXT_PERCENT
                                       : cell.kind;
    return cell;
}

// Format an amount.  In a table its interval is written after the name; with --waste the
// interval follows the amount.
static void format_amount(const struct account *a, const struct hp_amount *amount,
                          const struct hp_text_estimate *estimate, char *text,
                          size_t room) {
    bool is_open = isnan(amount->range.low) && isnan(amount->range.high);
    if (a->rows) {
        snprintf(text, room, "%s%s", is_open ? "about " : "", estimate->value);
    } else {
        bool is_range = *estimate->interval != '\0' && !estimate->is_half;
        snprintf(text, room, "%s%s%s%s", estimate->value,
                 is_range              ? " ("
                 : *estimate->interval ? " "
                                       : "",
                 estimate->interval, is_range ? ")" : "");
    }
}

// The field whose cells are amounts; every account has one.
static const struct hp_field *amount_field(const struct hp_view *view) {
    const struct hp_field *field = view->fields.at;
    while (field->column.cell != HP_CELL_ESTIMATE) {
        field++;
    }
    return field;
}

// Write a row: its cells, then its name.
static void put_row(struct account *a, size_t row) {
    struct hp_text_estimate estimate;
    char text[HP_NUMBER_SIZE + HP_INTERVAL_SIZE + 8] = "";
    struct hp_amount amount =
        hp_view_cell(a->view, row, amount_field(a->view), HP_INUSE_SPACE).amount;
    hp_text_estimate(&estimate, a->view, &amount, HP_INUSE_SPACE);
    format_amount(a, &amount, &estimate, text, sizeof text);
    for (size_t i = 0; i < a->fields.count; i++) {
        const struct hp_field *field = a->fields.at[i];
        enum hp_cell cell = field->column.cell;
        struct hp_content content = hp_view_cell(a->view, row, field, HP_INUSE_SPACE);
        bool is_amount = cell == HP_CELL_ESTIMATE;
        a->table.cells.at[i] =
            is_amount || cell == HP_CELL_TEXT
                ? (struct hp_text_cell){.kind = HP_TEXT_WORD,
                                        .text = is_amount ? text : content.text}
                : number_cell(field, &content);
    }
    if (a->rows) {
        name_amount(a, row, &estimate);
    } else {
        name_stack(a, row);
    }
    hp_text_table_put(&a->table, HP_TEXT_CELLS);
}

// --- tables -------------------------------------------------------------------------------

// Write the remarks of rows below their table.
static void put_notes(const struct account *a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (a->rows->of.at[i].note) {
            hp_sink_text(a->out, "note: ");
            hp_sink_escaped(a->out, hp_span_of(a->rows->of.at[i].note));
            hp_sink_text(a->out, "\n");
        }
    }
}

// Write one table, of rows `from` to `to` - 1: its name, titles, rows and remarks.
static void put_table(struct account *a, size_t from, size_t to) {
    hp_sink_print(a->out, "%s%s\n", from > 0 ? "\n" : "",
                  hp_account_table_text(a->rows->of.at[from].table));
    hp_text_table_put(&a->table, HP_TEXT_TITLES);
    for (size_t i = from; i < to; i++) {
        put_row(a, i);
    }
    put_notes(a, from, to);
}

// --- headline -----------------------------------------------------------------------------

enum {
    MOST_PARTS = 5, // parts of the resident memory that the headline names, at most
};

// The parts of the resident memory, the largest first.
struct parts {
    const struct account *a;
    HP_VEC(size_t) rows;
    double unit;         // bytes of the unit of all numbers
    const char *unit_of; // "MiB"
};

static double bytes_of(const struct parts *parts, size_t row) {
    return (double)parts->a->rows->of.at[row].bytes;
}

// A number in tenths of the unit, rounded, so that the parts can add up.
static hp_int128 tenths(const struct parts *parts, double bytes) {
    return (hp_int128)floor(bytes * 10 / parts->unit + 0.5);
}

static int by_bytes(const void *left, const void *right, void *data) {
    const struct parts *parts = data;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    double of_a = bytes_of(parts, a), of_b = bytes_of(parts, b);
    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : (a > b) - (a < b);
}

// Collect the rows below row 0, "resident", that have no rows below them.
static void find_parts(struct parts *parts) {
    const struct hp_view *view = parts->a->view;
    for (size_t i = 1; i < view->rows.count && view->rows.at[i].depth > 0; i++) {
        bool is_leaf = i + 1 == view->rows.count ||
                       view->rows.at[i + 1].depth <= view->rows.at[i].depth;
        if (is_leaf && parts->a->rows->of.at[i].adds) {
            hp_vec_push(&parts->rows, i);
        }
    }
    hp_vec_sort_r(&parts->rows, by_bytes, parts);
}

// A part in few words.
static void put_part(struct hp_sink *out, const struct parts *parts, size_t row) {
    static const char *const short_names[][2] = {
        {"objects of the program", "program objects"},
        {"objects of the program that are not sampled", "program objects"},
        {"profiler: extra size of sampled objects", "profiler"},
        {"pages of sampled objects", "sampled objects"},
        {"base: metadata of the allocator", "base"},
        {"a page beside each large object", "large object pads"},
    };
    struct hp_span name = hp_view_name(parts->a->view, row);
    char number[HP_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++) {
        name = hp_span_is(name, short_names[i][0]) ? hp_span_of(short_names[i][1]) : name;
    }
    hp_format_decimals(number, tenths(parts, bytes_of(parts, row)), 1);
    hp_sink_print(out, "%s ", number);
    hp_sink_escaped(out, name);
}

// Write the headline with a number of parts, and the sum of the others.
static void build_headline(struct hp_sink *out, const struct parts *parts, size_t count) {
    hp_int128 all = tenths(parts, bytes_of(parts, 0)), left = all;
    char number[HP_NUMBER_SIZE];
    hp_format_decimals(number, all, 1);
    hp_sink_print(out, HP_MESSAGE("account-headline", "jemalloc holds %s %s"), number,
                  parts->unit_of);
    hp_text_put_lost(out, parts->a->view);
    hp_sink_text(out, ": ");
    for (size_t i = 0; i < count; i++) {
        put_part(out, parts, parts->rows.at[i]);
        left -= tenths(parts, bytes_of(parts, parts->rows.at[i]));
        hp_sink_text(out, ", ");
    }
    hp_format_decimals(number, left, 1);
    hp_sink_print(out, HP_MESSAGE("account-headline-rest", "%s other\n"), number);
}

// Write the headline with as many parts as fit into the line.
static void put_headline(const struct account *a) {
    struct parts parts = {.a = a};
    size_t width = a->view->options.text.width, count;
    int power = hp_unit_power((hp_fixed)a->rows->of.at[0].bytes << HP_SPACE_FRACTION,
                              a->view->options.unit);
    parts.unit = ldexp(1, 10 * power);
    parts.unit_of = hp_unit_text(power);
    find_parts(&parts);
    count = parts.rows.count < MOST_PARTS ? parts.rows.count : MOST_PARTS;
    for (bool fits = false; !fits; count--) {
        struct hp_text_draft line;
        hp_text_draft_init(&line);
        build_headline(&line.out, &parts, count);
        struct hp_span text = hp_text_draft_end(&line);
        fits = width == 0 || count <= 1 || hp_text_cells(text, false) <= width;
        if (fits) {
            hp_sink_put(a->out, text.at, text.size);
            hp_sink_text(a->out, "\n");
            hp_text_draft_done(&line);
            break;
        }
        hp_text_draft_done(&line);
    }
    hp_vec_done(&parts.rows);
}

// Write what a screen leaves out: the inputs and how they were read.
static void put_facts(struct hp_sink *out, const struct hp_view *view) {
    char inputs[HP_NUMBER_SIZE];
    size_t used = view->head.summary[HP_SIDE_ALL].used;
    hp_text_moments(out, view);
    hp_format_grouped(inputs, (hp_int128)used);
    hp_sink_print(out, "%s input%s · ", inputs, used == 1 ? "" : "s");
    hp_text_inputs(out, view);
}

// Write the lines above the tables.
static void put_head(const struct account *a) {
    bool has_total = a->rows && a->view->rows.count > 0 && a->rows->of.at[0].bytes > 0;
    if (has_total) {
        put_headline(a);
    }
    hp_text_source(a->out, a->view);
    hp_text_warnings(a->out, a->view);
    hp_sink_text(a->out, has_total ? "\n" : "");
}

// --- all ----------------------------------------------------------------------------------

// Write the tables; consecutive rows of one table share its name.
static void put_tables(struct account *a, size_t shown) {
    for (size_t from = 0, to; from < shown; from = to) {
        const char *table = a->rows->of.at[from].table;
        for (to = from + 1; to < shown && a->rows->of.at[to].table == table;) {
            to++;
        }
        put_table(a, from, to);
    }
}

// Write the conclusion below the table of slabs for all size classes with one verdict:
// for classes with one holder a sentence each; for other verdicts all classes with one
// explanation: "256 B, 224 B: which of them ...".
static void put_verdict(const struct account *a, size_t shown,
                        enum hp_waste_verdict verdict) {
    const struct hp_waste *waste = a->view->extra;
    const char *between = "";
    for (size_t i = 0; i < shown; i++) {
        const struct hp_waste_row *row = &waste->of.at[i];
        if (!row->note || row->verdict != verdict) {
            continue;
        }
        hp_sink_text(a->out, between);
        hp_sink_escaped(a->out, verdict == HP_WASTE_ONE_HOLDER
                                    ? hp_span_of(row->note)
                                    : hp_view_name(a->view, i));
        between = verdict == HP_WASTE_ONE_HOLDER ? "\n" : ", ";
    }
    if (*between != '\0' && verdict != HP_WASTE_ONE_HOLDER) {
        hp_sink_print(a->out, ": %s", hp_waste_text(verdict));
    }
    hp_sink_text(a->out, *between != '\0' ? "\n" : "");
}

// Write the report with --waste: free memory in slabs by size class, with the stacks that
// hold objects there.
static void put_waste(struct account *a, size_t shown) {
    const struct hp_waste *waste = a->view->extra;
    char free[HP_NUMBER_SIZE], slabs[HP_NUMBER_SIZE];
    enum hp_unit unit = a->view->options.unit;
    hp_format_bytes(free, waste->free << HP_SPACE_FRACTION, unit);
    hp_format_bytes(slabs, waste->slabs << HP_SPACE_FRACTION, unit);
    hp_sink_print(a->out, HP_MESSAGE("free-in-slabs", "%s of %s in slabs are free\n"),
                  free, slabs);
    hp_text_table_put(&a->table, HP_TEXT_TITLES);
    for (size_t i = 0; i < shown; i++) {
        put_row(a, i);
    }
    for (enum hp_waste_verdict verdict = 0; verdict < HP_WASTE_VERDICTS; verdict++) {
        put_verdict(a, shown, verdict);
    }
}

void hp_text_account(struct hp_text_page *page, const struct hp_view *view) {
    bool is_waste = view->options.waste;
    struct account a = {.out = &page->lines,
                        .view = view,
                        .rows = is_waste ? NULL : view->extra};
    size_t shown = hp_view_shown(view, view->rows.count);
    hp_text_table_init(&a.table, page);
    a.table.metric = HP_INUSE_SPACE;
    fit(&a);
    put_head(&a);
    if (is_waste) {
        put_waste(&a, shown);
    } else {
        put_tables(&a, shown);
    }
    size_t rest = view->rows.count - shown;
    if (rest > 0) {
        hp_sink_print(a.out, HP_MESSAGE("more-rows-of-account", "… %zu more row%s"), rest,
                      rest == 1 ? "" : "s");
        hp_text_how_to_see_all(a.out, view);
    }
    hp_text_details(a.out, view, put_facts);
    hp_vec_done(&a.fields);
    hp_text_table_done(&a.table);
}

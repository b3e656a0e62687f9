// A table for people as values: columns, and the cells of one row at a time.  The text
// report and Markdown print the same tables; neither reads text that the other wrote.
//
// A report adds its columns (hp_text_table_add()), fits them into the line
// (hp_text_table_fit()), and fills in the cells and the name of a row before it puts it.
// What is no table is written to page->lines as lines of text.
#ifndef HP_REPORT_TEXT_TEXT_TABLE_H
#define HP_REPORT_TEXT_TEXT_TABLE_H

#include "report/text/text.h"

// What a cell shows.
enum hp_text_kind {
    HP_TEXT_NOTHING,
    HP_TEXT_DASH,
    HP_TEXT_WORD,     // `text`, which is safe
    HP_TEXT_NAME,     // `text` of an input: it is made safe and shortened to its column
    HP_TEXT_AMOUNT,   // `sum` in the metric of the table
    HP_TEXT_SIGNED,   // `sum` with its sign
    HP_TEXT_SHARE,    // the share of `sum` in `whole`
    HP_TEXT_GROWTH,   // the same with its sign; "-" if `whole` is not above 0
    HP_TEXT_INTERVAL, // the interval of `estimate`
    // `number`, "-" if it is not known:
    HP_TEXT_END,      // an amount with its sign
    HP_TEXT_RATE,     // an amount for each unit of time
    HP_TEXT_QUANTITY, // an amount in the metric
    HP_TEXT_BYTES,    // bytes, whatever the metric is
    HP_TEXT_COUNT,    // "5", or "5/7" if `of` is 7
    HP_TEXT_DECIMAL,  // two decimals
    HP_TEXT_FRACTION, // as a percentage of three digits
    HP_TEXT_PERCENT,  // as a percentage of one decimal
    HP_TEXT_P,
};

// The value of a cell; {0}: nothing.
struct hp_text_cell {
    enum hp_text_kind kind;
    hp_fixed sum, whole;
    double number, of;
    const char *text;
    // The estimate of the row, or NULL.  An amount that is equal to it is written in its
    // unit and digits; no amount is shown if an interval replaces the estimate.
    const struct hp_text_estimate *estimate;
    char mark; // a character after the cell; 0: none
};

// A column before the column of names.
struct hp_text_column {
    char title[2 * HP_NUMBER_SIZE];
    int width; // cells of the terminal, without its mark
    // Order in which columns are dropped if the table is too wide: 1 first; 0: never.
    int leaves;
    bool has_mark;  // room for a mark after each cell
    bool is_glued;  // no space before it; Markdown joins it with the column before it
    bool is_joined; // dropped together with the column before it
    bool is_gone;   // it has been dropped, or the report does not have it
};

struct hp_text_table {
    struct hp_text_page *page;
    enum hp_metric metric;
    HP_VEC(struct hp_text_column) columns;
    HP_VEC(struct hp_text_cell) cells; // of the present row, one for each column
    struct hp_buffer name;             // the name of the present row, safe
    struct hp_buffer line, text;       // the last line and the last cell that were made
    const char *title;                 // title of the column of names
    size_t room;                       // cells of a name; 0: as many as it needs
    size_t longest;   // cells that the longest name may need; 0: not known
    int gap;          // spaces before the names
    size_t remark_at; // column in whose place remarks begin
    bool is_source;   // rows are lines of text in Markdown, too
    // A row that was written has an interval; the mark of few samples; a place by its
    // offset in the file.
    bool has_interval, has_few, has_offset;
};

// What is put as one line of a table.
enum hp_text_row {
    HP_TEXT_TITLES,
    HP_TEXT_CELLS,
    HP_TEXT_REMARK, // a sentence instead of a row; it is the name
};

// Where a report for people goes: to the text report or to Markdown.
struct hp_text_page {
    struct hp_sink lines; // lines of text that are not part of a table
    const struct hp_view *view;
    struct hp_buffer line; // the beginning of a line
    bool is_aligned;       // columns have their widths: lines can stand above them
    // Write a line of text; is_fixed: it must not be wrapped.
    void (*put_line)(struct hp_text_page *page, struct hp_span line, bool is_fixed);
    void (*put_row)(struct hp_text_page *page, struct hp_text_table *table,
                    enum hp_text_row kind); // write a line of a table
};

// Write a line that must not be wrapped, after `indent` spaces.
void hp_text_page_put(struct hp_text_page *page, int indent, struct hp_span text);

// The type of a function that writes a kind of report.
typedef void hp_text_report(struct hp_text_page *page, const struct hp_view *view);

hp_text_report hp_text_rows, hp_text_stacks, hp_text_tree, hp_text_peek, hp_text_list,
    hp_text_account, hp_text_plan, hp_text_overview;

// Begin a table of a page; hp_text_table_done() frees its memory.
void hp_text_table_init(struct hp_text_table *table, struct hp_text_page *page);
void hp_text_table_done(struct hp_text_table *table);

// Add a column.  It may move when another one is added.
struct hp_text_column *hp_text_table_add(struct hp_text_table *table, const char *title,
                                         int width, int leaves);
// Add the column of intervals, with room for their marks.  `of`: the column that they are
// of, if it is not the first one; or "".
struct hp_text_column *hp_text_table_add_error(struct hp_text_table *table,
                                               const char *of, int width, int leaves);

// Drop columns until names have room, and set table->room.  `before`: cells of the line
// besides columns and names, at least 1.
void hp_text_table_fit(struct hp_text_table *table, size_t before);

// Append to the name of the present row.
void hp_text_table_name(struct hp_text_table *table, struct hp_span text);

// Write the present row, or the titles, and begin the next row.
void hp_text_table_put(struct hp_text_table *table, enum hp_text_row kind);

// The present row, or the titles, as a line of the text report; and the text of a cell of
// the present row, without spaces around it.  Both are valid until the next call.
struct hp_span hp_text_table_line(struct hp_text_table *table, enum hp_text_row kind);
struct hp_span hp_text_cell_text(struct hp_text_table *table, size_t column);

// The cell of a number or text of a field, by its type and its unit.
struct hp_text_cell hp_text_field_cell(const struct hp_field *field,
                                       const struct hp_content *content);
// Format a cell that has a number, in a metric.
void hp_text_cell_number(const struct hp_view *view, enum hp_metric metric,
                         const struct hp_text_cell *cell, char text[HP_SIGNED_SIZE]);

// The cell of an amount, and of the interval of an amount with its mark.
struct hp_text_cell hp_text_amount_cell(hp_fixed sum,
                                        const struct hp_text_estimate *estimate);
struct hp_text_cell hp_text_error_cell(const struct hp_view *view,
                                       const struct hp_amount *amount,
                                       const struct hp_text_estimate *estimate);

// The cell of a share; "-" if the whole is 0.
static inline struct hp_text_cell hp_text_share_cell(hp_fixed part, hp_fixed whole) {
    return (struct hp_text_cell){.kind = HP_TEXT_SHARE, .sum = part, .whole = whole};
}

// Write the end of a report on one profile: the note on the rows that are not shown (""
// if all are), the legend of the marks that the table has, what was attributed to callers,
// the next command, and with --verbose the facts.
void hp_text_finish(struct hp_text_table *table, struct hp_span rest);

#endif

// Reports as Markdown, for comments and summaries on GitHub and similar sites.  Tables
// become tables
//
//     | flat | flat% | cum | function |
//     | ---: | ---: | ---: | :--- |
//     | 153.5 MiB | 73.7% | 161.5 MiB | `small` |
//
// and everything else goes into blocks of code.  A name is a code span, in which sites
// look neither for markup or HTML nor for mentions or issue numbers.  Readers split a
// table into cells before they look for code spans, so that '|' in a name becomes \|; a
// backslash before it becomes \x5C, because readers do not agree on what it means there.
#include "report/text/text_page.h"

#include <string.h>

enum {
    // Backticks of the shortest fence around a block of code.
    LEAST_FENCE = 3,
};

// The page of a report in Markdown.
struct markdown {
    struct hp_text_page page;
    struct hp_sink *out;
    struct hp_buffer block; // the lines of a block of code being collected
    struct hp_buffer cell;  // room for a cell
    bool has_titles;        // the first titles have been put
    bool in_table;          // whether the last line was a row or a remark of a table
    bool has_any;           // whether anything has been written
};

// --- what is inert ------------------------------------------------------------------------

// The length of the longest run of a character.
static size_t longest_run(struct hp_span text, char of) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.size; i++) {
        run = text.at[i] == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_times(struct hp_sink *out, char what, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hp_sink_put(out, &what, 1);
    }
}

// Write the indentation in front of a name in a tree as no-break spaces, which are shown.
// Returns the rest of the text.
static struct hp_span put_steps(struct hp_sink *out, struct hp_span text) {
    while (text.size > 1 && text.at[0] == ' ') {
        hp_sink_text(out, "\u00a0");
        text = hp_span_from(text, 1);
    }
    return text;
}

// Write a name as a code span, with a fence that is longer than any run of backticks in
// it.
static void put_code(struct hp_sink *out, struct hp_span text) {
    size_t fence = longest_run(text, '`') + 1;
    bool is_padded =
        text.size > 0 && (text.at[0] == '`' || text.at[text.size - 1] == '`');
    put_times(out, '`', fence);
    hp_sink_text(out, is_padded ? " " : "");
    text = put_steps(out, text);
    for (size_t i = 0; i < text.size; i++) {
        bool is_before_bar = i + 1 < text.size && text.at[i + 1] == '|';
        if (text.at[i] == '|') {
            hp_sink_text(out, "\\|");
        } else if (text.at[i] == '\\' && is_before_bar) {
            hp_sink_text(out, "\\x5C");
        } else {
            hp_sink_put(out, text.at + i, 1);
        }
    }
    hp_sink_text(out, is_padded ? " " : "");
    put_times(out, '`', fence);
}

// Write numbers or titles, with the characters escaped that have a meaning in Markdown.
static void put_plain(struct hp_sink *out, struct hp_span text) {
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '<') {
            hp_sink_text(out, "&lt;");
        } else {
            hp_sink_text(out, strchr("*_[]|`@#&~\\", text.at[i]) ? "\\" : "");
            hp_sink_put(out, text.at + i, 1);
        }
    }
}

// --- tables -------------------------------------------------------------------------------

static struct hp_span trimmed(struct hp_span text) {
    while (text.size > 0 && text.at[0] == ' ') {
        text = hp_span_from(text, 1);
    }
    while (text.size > 0 && text.at[text.size - 1] == ' ') {
        text.size--;
    }
    return text;
}

// Write the columns of a row or of the titles, each with the columns glued to it.
static void put_columns(struct markdown *m, struct hp_text_table *table, bool is_title) {
    size_t count = table->columns.count;
    hp_sink_text(m->out, "|");
    for (size_t i = 0; i < count;) {
        m->cell.text.count = 0;
        bool is_gone = table->columns.at[i].is_gone;
        do {
            hp_buffer_append(&m->cell, is_title ? hp_span_of(table->columns.at[i].title)
                                                : hp_text_cell_text(table, i));
            hp_vec_append(&m->cell.text, &table->cells.at[i].mark,
                          !is_title && table->cells.at[i].mark != '\0');
        } while (++i < count && table->columns.at[i].is_glued);
        if (!is_gone) {
            hp_sink_text(m->out, " ");
            put_plain(m->out, trimmed(hp_buffer_span(&m->cell)));
            hp_sink_text(m->out, " |");
        }
    }
    hp_sink_text(m->out, " ");
}

// Write a row of cells and a name.
static void put_cells(struct markdown *m, struct hp_text_table *table, bool is_title) {
    put_columns(m, table, is_title);
    put_code(m->out, is_title ? hp_span_of(table->title) : hp_buffer_span(&table->name));
    hp_sink_text(m->out, " |\n");
}

// Write `text` once for each column of numbers.
static void put_for_columns(struct markdown *m, const struct hp_text_table *table,
                            const char *text) {
    const struct hp_text_column *column;
    hp_vec_each (column, &table->columns) {
        hp_sink_text(m->out, column->is_gone || column->is_glued ? "" : text);
    }
}

// Separate the next table or block from what is before it by an empty line.
static void begin_part(struct markdown *m) {
    hp_sink_text(m->out, m->has_any ? "\n" : "");
    m->has_any = true;
}

// Begin a table with its titles: numbers are aligned to the right, names to the left.
static void begin_table(struct markdown *m, struct hp_text_table *table) {
    begin_part(m);
    put_columns(m, table, true);
    put_plain(m->out, hp_span_of(table->title));
    hp_sink_text(m->out, " |\n");
    put_for_columns(m, table, "| ---: ");
    hp_sink_text(m->out, "| :--- |\n");
    m->in_table = true;
}

// Write a sentence that belongs to the table in the column of names.
static void put_remark(struct markdown *m, const struct hp_text_table *table) {
    put_for_columns(m, table, "| ");
    hp_sink_text(m->out, "| ");
    put_plain(m->out, trimmed(hp_buffer_span(&table->name)));
    hp_sink_text(m->out, " |\n");
}

// --- blocks -------------------------------------------------------------------------------

// Write the collected lines as a block of code; nothing if they are empty.
static void put_block(struct markdown *m) {
    struct hp_span block = {m->block.text.at, m->block.text.count};
    while (block.size > 0 && block.at[block.size - 1] == '\n') {
        block.size--;
    }
    size_t fence = longest_run(block, '`') + 1;
    fence = fence > LEAST_FENCE ? fence : LEAST_FENCE;
    if (block.size > 0) {
        begin_part(m);
        put_times(m->out, '`', fence);
        hp_sink_text(m->out, "text\n");
        hp_sink_put(m->out, block.at, block.size);
        hp_sink_text(m->out, "\n");
        put_times(m->out, '`', fence);
        hp_sink_text(m->out, "\n");
    }
    m->block.text.count = 0;
}

// --- lines --------------------------------------------------------------------------------

// Collect a line of a block of code.  An empty line is kept only within a block.
static void put_line(struct hp_text_page *page, struct hp_span line, bool is_fixed) {
    struct markdown *m = (struct markdown *)page;
    (void)is_fixed;
    if (line.size > 0 || m->block.text.count > 0) {
        hp_buffer_append(&m->block, line);
        hp_buffer_append(&m->block, hp_span_of("\n"));
    }
    m->in_table = false;
}

// Write a row.  The first titles are written when the first row is there.
static void put_row(struct hp_text_page *page, struct hp_text_table *table,
                    enum hp_text_row kind) {
    struct markdown *m = (struct markdown *)page;
    bool are_first = kind == HP_TEXT_TITLES && !m->has_titles;
    m->has_titles = true;
    if (kind == HP_TEXT_REMARK && !m->in_table) {
        put_line(page, hp_text_table_line(table, kind), false);
        return;
    }
    put_block(m);
    if (kind == HP_TEXT_REMARK) {
        put_remark(m, table);
    } else if (!are_first) {
        if (!m->in_table) {
            begin_table(m, table);
        }
        put_cells(m, table, kind == HP_TEXT_TITLES);
    }
}

static void write_markdown(struct hp_sink *out, const struct hp_view *view) {
    struct markdown m = {
        .page = {.view = view, .put_line = put_line, .put_row = put_row},
        .out = out,
    };
    hp_text_page_write(&m.page);
    put_block(&m);
    hp_vec_done(&m.block.text);
    hp_vec_done(&m.cell.text);
}

// The reader wraps lines itself, so that they are not wrapped here.
static void complete(struct hp_report_options *options) {
    options->text.width = 0;
    options->text.ascii = false;
    options->text.color = false;
}

const struct hp_format hp_format_markdown = {
    .name = "markdown",
    .files = "*.md *.markdown",
    .help = "tables for comments and summaries in a CI, names inert",
    .can = HP_CAN_LIMIT | HP_CAN_CUT | HP_CAN_SPREAD | HP_CAN_INTERVALS | HP_CAN_UNIT |
           HP_CAN_NEGATIVE | HP_HAS_SHORT_NAMES | HP_IS_FOR_PEOPLE,
    .limit = HP_LIMIT_ENOUGH,
    .shape = HP_SHAPE_ROWS,
    .write_rows = write_markdown,
    .complete = complete,
    .write =
        {
            [HP_REPORT_STACKS] = write_markdown,
            [HP_REPORT_TREE] = write_markdown,
            [HP_REPORT_PEEK] = write_markdown,
            [HP_REPORT_LIST] = write_markdown,
            [HP_REPORT_INFO] = write_markdown,
            [HP_REPORT_PLAN] = write_markdown,
        },
};

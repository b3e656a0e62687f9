// Reports as Markdown, for comments and summaries on GitHub and similar sites.  The lines
// of the text report are converted: tables become tables
//
//     | flat | flat% | cum | function |
//     | ---: | ---: | ---: | :--- |
//     | 153.5 MiB | 73.7% | 161.5 MiB | `small` |
//
// and everything else goes into blocks of code.  A name is a code span, in which sites
// look neither for markup or HTML nor for mentions or issue numbers.  Readers split a
// table into cells before they look for code spans, so that '|' in a name becomes \|; a
// backslash before it becomes \x5C, because readers do not agree on what it means there.
#include "report/text/text.h"

#include <string.h>

enum {
    ROW = '\036',  // the byte of HP_TEXT_ROW
    CELL = '\037', // the byte of HP_TEXT_CELL
    // Backticks of the shortest fence around a block of code.
    LEAST_FENCE = 3,
};

// State while the text report is converted to Markdown, line by line.
struct markdown {
    struct hp_sink *out;
    // The line being read; the lines of a block of code being collected.
    struct hp_buffer line, block;
    // Titles of the report's table; empty: not seen yet.  They begin each part of the
    // table again.
    struct hp_buffer titles;
    // Number of columns of the present table.
    size_t columns;
    bool in_table; // whether the last line was a row or a remark of a table
    bool has_any;  // whether anything has been written
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

// Write the cells of a row; the last one is a name if `has_name` is set.  Returns the
// number of cells.
static size_t put_cells(struct hp_sink *out, struct hp_span row, bool has_name) {
    size_t columns = 0;
    const char *next;
    hp_sink_text(out, "|");
    do {
        next = memchr(row.at, CELL, row.size);
        size_t size = next ? (size_t)(next - row.at) : row.size;
        struct hp_span cell = {row.at, size};
        hp_sink_text(out, " ");
        if (!next && has_name) {
            put_code(out, hp_span_from(cell, strlen("  ")));
        } else {
            put_plain(out, trimmed(cell));
        }
        hp_sink_text(out, " |");
        row = hp_span_from(row, next ? size + 1 : size);
        columns++;
    } while (next);
    hp_sink_text(out, "\n");
    return columns;
}

// Separate the next table or block from what is before it by an empty line.
static void begin_part(struct markdown *m) {
    hp_sink_text(m->out, m->has_any ? "\n" : "");
    m->has_any = true;
}

// Begin a table with the titles of the report: numbers are aligned to the right, names to
// the left.
static void begin_table(struct markdown *m) {
    struct hp_span titles = {m->titles.text.at, m->titles.text.count};
    begin_part(m);
    m->columns = put_cells(m->out, titles, false);
    for (size_t i = 0; i + 1 < m->columns; i++) {
        hp_sink_text(m->out, "| ---: ");
    }
    hp_sink_text(m->out, "| :--- |\n");
    m->in_table = true;
}

// Write a line that belongs to the table but has no numbers, in the column of names.
static void put_remark(const struct markdown *m, struct hp_span text) {
    for (size_t i = 0; i + 1 < m->columns; i++) {
        hp_sink_text(m->out, "| ");
    }
    hp_sink_text(m->out, "| ");
    put_plain(m->out, trimmed(text));
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

// Convert a row.  The first row of the report has the titles, which are kept.
static void take_row(struct markdown *m, struct hp_span row) {
    put_block(m);
    if (m->titles.text.count == 0) {
        hp_vec_append(&m->titles.text, row.at, row.size);
        return;
    }
    if (!m->in_table) {
        begin_table(m);
    }
    put_cells(m->out, row, true);
}

// Convert the line that is complete: it is a row, a remark below a row, or part of a
// block of code.  An empty line is kept only within a block.
static void take_line(struct markdown *m) {
    struct hp_span line = {m->line.text.at, m->line.text.count};
    bool is_row = line.size > 0 && line.at[0] == ROW;
    bool is_remark = line.size > 0 && line.at[0] == CELL;
    line = hp_span_from(line, is_row || is_remark);
    if (is_row && memchr(line.at, CELL, line.size)) {
        take_row(m, line);
    } else if (is_remark && m->in_table) {
        put_remark(m, line);
    } else if (line.size > 0 || m->block.text.count > 0) {
        hp_vec_append(&m->block.text, line.at, line.size);
        hp_vec_append(&m->block.text, "\n", 1);
        m->in_table = false;
    } else {
        m->in_table = false;
    }
    m->line.text.count = 0;
}

// An hp_write_fn that splits the text report into lines.
static int take(void *data, const void *bytes, size_t size) {
    struct markdown *m = data;
    const char *at = bytes, *end = at + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        hp_vec_append(&m->line.text, at, (size_t)(stop - at));
        if (newline) {
            take_line(m);
        }
        at = newline ? newline + 1 : end;
    }
    return 0; // m->out remembers a failure
}

static void write_markdown(struct hp_sink *out, const struct hp_view *view) {
    struct markdown m = {.out = out};
    struct hp_sink sink;
    struct hp_err err;
    hp_sink_init(&sink, take, &m);
    hp_text_marked(&sink, view);
    int ret = hp_sink_close(&sink, &err); // take() never fails
    (void)ret;
    put_block(&m);
    hp_vec_done(&m.line.text);
    hp_vec_done(&m.block.text);
    hp_vec_done(&m.titles.text);
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
        },
};

// Lines on their way to the output.  A line that is wider than the report continues on
// the next one, broken between words and indented below the text after its label:
//
//     not shown  about 1.2 MiB, at most
//                2.0 MiB, in stacks
//
// A path that is wider than a line stays whole, as does the command after "next:"; any
// other word is broken.  Lines of
// tables are never wrapped: their writers make them fit.  Without UTF-8 "…" becomes
// "...".
#include "report/text/text_page.h"

#include "base/utf8.h"

enum {
    MOST_INDENT = 16, // most spaces before a continued line
};

// The page of the text report.
struct line_writer {
    struct hp_text_page page;
    struct hp_sink *out;
    size_t width;
    bool is_ascii;
    struct hp_buffer ascii; // the last line that was written in ASCII
};

// --- words --------------------------------------------------------------------------------

static size_t count_spaces(struct hp_span text) {
    size_t count = 0;
    while (count < text.size && text.at[count] == ' ') {
        count++;
    }
    return count;
}

// Cells before the text that follows a label such as "in use     "; without a label, the
// indentation of the line.
static size_t indent_of(struct hp_span line, bool is_ascii) {
    size_t begin = count_spaces(line), at = begin;
    for (; at + 1 < line.size; at++) {
        if (line.at[at] == ' ' && line.at[at + 1] == ' ') {
            while (at < line.size && line.at[at] == ' ') {
                at++;
            }
            size_t cells = hp_text_cells((struct hp_span){line.at, at}, is_ascii);
            return cells <= MOST_INDENT ? cells : begin;
        }
    }
    return begin;
}

// Whether two words must stay on one line, as in "± 4.9 MiB".
static bool are_glued(struct hp_span before, struct hp_span word) {
    static const char *const behind[] = {"±", "+-", "…"};
    static const char *const in_front[] = {"B",    "KiB",  "MiB",  "GiB", "TiB", "…",
                                           "KiB,", "MiB,", "GiB,", "B,",  "·"};
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        if (hp_span_is(before, behind[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof in_front / sizeof *in_front; i++) {
        if (hp_span_is(word, in_front[i])) {
            return true;
        }
    }
    return false;
}

// The text up to the next space.
static struct hp_span first_word(struct hp_span text) {
    const char *space = memchr(text.at, ' ', text.size);
    return (struct hp_span){text.at, space ? (size_t)(space - text.at) : text.size};
}

// The first word and the words that must stay on its line.
static struct hp_span next_words(struct hp_span text) {
    struct hp_span word = first_word(text), all = word;
    for (;;) {
        struct hp_span rest = hp_span_from(text, all.size);
        struct hp_span next = first_word(hp_span_from(rest, count_spaces(rest)));
        if (count_spaces(rest) != 1 || next.size == 0 || !are_glued(word, next)) {
            return all;
        }
        all.size += 1 + next.size;
        word = next;
    }
}

// Write a word, broken if it is too long.  Returns the column where it ends.
static size_t put_word(struct line_writer *lines, struct hp_span word, size_t column) {
    bool is_path = memchr(word.at, '/', word.size) != NULL;
    while (word.size > 0) {
        size_t size = hp_utf8_first(word).size;
        // An escape sequence for a colour; nothing follows it in the word.
        if (word.at[0] == '\033') {
            size = word.size;
        }
        struct hp_span char_of = {word.at, size};
        size_t cells = hp_text_cells(char_of, lines->is_ascii);
        if (!is_path && column + cells > lines->width) {
            hp_sink_text(lines->out, "\n");
            column = 0;
        }
        hp_sink_put(lines->out, word.at, size);
        column += cells;
        word = hp_span_from(word, size);
    }
    return column;
}

// Write a line with line breaks.
static void put_wrapped(struct line_writer *lines, struct hp_span line) {
    size_t indent = indent_of(line, lines->is_ascii), spaces = count_spaces(line);
    size_t column = 0;
    bool is_first = true;
    while (line.size > spaces) {
        struct hp_span word = next_words(hp_span_from(line, spaces));
        size_t cells = hp_text_cells(word, lines->is_ascii);
        if (!is_first && column + spaces + cells > lines->width) {
            size_t before = indent + cells <= lines->width ? indent : 0;
            hp_sink_print(lines->out, "\n%*s", (int)before, "");
            column = before;
        } else {
            hp_sink_print(lines->out, "%*s", (int)spaces, "");
            column += spaces;
        }
        column = put_word(lines, word, column);
        line = hp_span_from(line, spaces + word.size);
        spaces = count_spaces(line);
        is_first = false;
    }
    hp_sink_text(lines->out, "\n");
}

// --- lines --------------------------------------------------------------------------------

// Return a line with all characters outside of ASCII replaced; valid until the next call.
static struct hp_span without_utf8(struct line_writer *lines, struct hp_span line) {
    char room[HP_TEXT_CODE_SIZE];
    lines->ascii.text.count = 0;
    while (line.size > 0) {
        struct hp_utf8 c = hp_utf8_first(line);
        const char *text = c.code > 0x7f ? hp_text_in_ascii(c.code, room) : line.at;
        size_t size = c.code > 0x7f ? strlen(text) : c.size;
        hp_vec_append(&lines->ascii.text, text, size);
        line = hp_span_from(line, c.size);
    }
    return (struct hp_span){lines->ascii.text.at, lines->ascii.text.count};
}

// Write a line, in ASCII if it must be, and wrapped if it is too wide and may be.
static void put_line(struct hp_text_page *page, struct hp_span line, bool is_fixed) {
    struct line_writer *lines = (struct line_writer *)page;
    if (lines->is_ascii) {
        line = without_utf8(lines, line);
    }
    bool is_command = hp_span_starts(line, "next: "); // a break would end it
    if (!is_fixed && !is_command && lines->width > 0 &&
        hp_text_cells(line, lines->is_ascii) > lines->width) {
        put_wrapped(lines, line);
    } else {
        hp_sink_put(lines->out, line.at, line.size);
        hp_sink_text(lines->out, "\n");
    }
}

static void put_row(struct hp_text_page *page, struct hp_text_table *table,
                    enum hp_text_row kind) {
    put_line(page, hp_text_table_line(table, kind), kind != HP_TEXT_REMARK);
}

static void write_text(struct hp_sink *out, const struct hp_view *view) {
    struct line_writer lines = {
        .page = {.view = view,
                 .put_line = put_line,
                 .put_row = put_row,
                 .is_aligned = true},
        .out = out,
        .width = view->options.text.width,
        .is_ascii = view->options.text.ascii,
    };
    hp_text_page_write(&lines.page);
    hp_vec_done(&lines.ascii.text);
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
            [HP_REPORT_PLAN] = write_text,
        },
};

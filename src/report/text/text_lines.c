// Lines on their way to the output.  A line that is wider than the report continues on
// the next one, broken between words and indented below the text after its label:
//
//     not shown  about 1.2 MiB, at most
//                2.0 MiB, in stacks
//
// A path that is wider than a line stays whole; any other word is broken.  Lines of
// tables are never wrapped: their writers make them fit.  Without UTF-8 "…" becomes
// "...".
#include "report/text/text.h"

#include "base/utf8.h"

enum {
    MOST_INDENT = 16, // most spaces before a continued line
    ROW = '\036',     // the byte of HP_TEXT_ROW
    CELL = '\037',    // the byte of HP_TEXT_CELL
};

// State while marked lines are wrapped and written, line by line.
struct line_writer {
    struct hp_sink *out;
    size_t width;
    bool is_ascii;
    // The line being read; the same line in ASCII.
    struct hp_buffer line, ascii;
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

// Remove the marks between cells.
static void drop_cells(struct hp_buffer *line) {
    size_t kept = 0;
    for (size_t i = 0; i < line->text.count; i++) {
        line->text.at[kept] = line->text.at[i];
        kept += line->text.at[i] != CELL;
    }
    line->text.count = kept;
}

// Write the line that was collected in lines->line, and empty it.
static void put_line(struct line_writer *lines) {
    drop_cells(&lines->line);
    struct hp_span line = {lines->line.text.at, lines->line.text.count};
    bool is_row = line.size > 0 && line.at[0] == ROW;
    line = hp_span_from(line, is_row);
    if (lines->is_ascii) {
        line = without_utf8(lines, line);
    }
    if (!is_row && lines->width > 0 &&
        hp_text_cells(line, lines->is_ascii) > lines->width) {
        put_wrapped(lines, line);
    } else {
        hp_sink_put(lines->out, line.at, line.size);
        hp_sink_text(lines->out, "\n");
    }
    lines->line.text.count = 0;
}

// An hp_write_fn that splits text into lines.
static int take(void *data, const void *bytes, size_t size) {
    struct line_writer *lines = data;
    const char *at = bytes, *end = at + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        hp_vec_append(&lines->line.text, at, (size_t)(stop - at));
        if (newline) {
            put_line(lines);
        }
        at = newline ? newline + 1 : end;
    }
    return 0; // lines->out remembers a failure
}

void hp_text_put_lines(struct hp_sink *out, const struct hp_view *view,
                       hp_writer *writer) {
    struct line_writer lines = {.out = out,
                                .width = view->options.text.width,
                                .is_ascii = view->options.text.ascii};
    struct hp_sink sink;
    struct hp_err err;
    hp_sink_init(&sink, take, &lines);
    writer(&sink, view);
    int ret = hp_sink_close(&sink, &err); // take() never fails
    (void)ret;
    hp_vec_done(&lines.line.text);
    hp_vec_done(&lines.ascii.text);
}

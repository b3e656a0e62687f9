//        flat         cum        cum at 95%   line
//
// f in /srv/app/f.c: 10.5 MiB flat, 12.0 MiB cum (14.8% of the total)
//                                               16  void *f(size_t n) {
//    10.5 MiB    12.0 MiB    9.6 … 14.7 MiB     17      return g(n);
//                                               18  }
//
// Each line that has memory is shown with some lines around it.  Of a function whose
// source is not found only the lines with memory are shown, without text.
#include "report/text/text_table.h"

#include "view/report_list.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 11,       // cells of a value; narrow, because source text needs room
    NUMBER_WIDTH = 8, // cells of a line number and the space before it
    // Lines shown before and after a line with memory.
    CONTEXT = 5,
    LONGEST = 400, // characters of a source line that are shown
    TAB = 8,
};

// The columns.
enum {
    FLAT,
    CUM,
    ERROR,
};

// State of writing the report of list: source lines by function.
struct list_writer {
    struct hp_sink *out; // lines that are not part of the table
    const struct hp_view *view;
    struct hp_text_table table; // its names are the numbers and the text of lines
    struct hp_text_widths widths;
    // Number of the last source shown; sources are numbered in the order of functions.
    uint32_t sources;
};

// Set the widths of columns so that the lines of the first `shown` functions fit.
static void measure(struct list_writer *list, size_t shown) {
    const struct hp_listing *listing = list->view->extra;
    list->widths = hp_text_widths_of(list->view);
    for (size_t i = 0; i < shown; i++) {
        const struct hp_listed_function *function = &listing->functions.at[i];
        for (size_t k = 0; k < function->count; k++) {
            const struct hp_listed_line *line = &listing->lines.at[function->first + k];
            struct hp_amount cum = {.sum = line->cum, .error = &line->error};
            hp_text_widen(&list->widths, list->view, &cum);
        }
    }
}

// Add the columns; intervals only if there is room for source text as well.
static void fit(struct list_writer *list) {
    struct hp_text_table *table = &list->table;
    hp_text_table_add(table, "flat", WIDTH, 0);
    hp_text_table_add(table, "cum", WIDTH, 0);
    hp_text_table_add_error(table, "cum", list->widths.error, 1)->is_gone =
        !hp_text_has_errors(list->view);
    hp_text_table_fit(table, NUMBER_WIDTH - 1);
    table->is_source = true;
    table->title = "line";
}

// Append text to the present line.
static void append(struct list_writer *list, const char *text) {
    hp_text_table_name(&list->table, hp_span_of(text));
}

// Flat or cum of a line, "-" for 0.
static struct hp_text_cell value_cell(hp_fixed value,
                                      const struct hp_text_estimate *estimate) {
    return value == 0 ? (struct hp_text_cell){.kind = HP_TEXT_DASH}
                      : hp_text_amount_cell(value, estimate);
}

// Write the present line with its values; NULL: it has no memory.
static void put_row(struct list_writer *list, const struct hp_listed_line *line) {
    struct hp_text_table *table = &list->table;
    struct hp_text_estimate text;
    // Without values the number of a line begins one cell earlier beside intervals.
    table->gap = line || table->columns.at[ERROR].is_gone;
    if (line) {
        struct hp_amount cum = {.sum = line->cum, .error = &line->error};
        hp_text_row_estimate(&text, list->view, &cum);
        table->cells.at[FLAT] = value_cell(line->flat, &text);
        table->cells.at[CUM] = value_cell(line->cum, &text);
        table->cells.at[ERROR] = hp_text_error_cell(list->view, &cum, &text);
    }
    hp_text_table_put(table, HP_TEXT_CELLS);
}

// Append source text with tabs as spaces, truncated if it is very long.
static void append_source(struct list_writer *list, struct hp_span text) {
    static const char spaces[] = "        ";
    size_t column = 0, start = 0, size = text.size < LONGEST ? text.size : LONGEST;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && text.at[i] != '\t') {
            column++;
            continue;
        }
        hp_text_append_safe(&list->table.name,
                            (struct hp_span){text.at + start, i - start});
        start = i + 1;
        if (i < size) {
            size_t step = TAB - column % TAB;
            hp_text_table_name(&list->table, (struct hp_span){spaces, step});
            column += step;
        }
    }
    append(list, size < text.size ? "…" : "");
}

// Write a line: its values, its number ("?" if 0) and its text, if the source has it.
static void put_line(struct list_writer *list, const struct hp_listed_line *line,
                     uint32_t number, const struct hp_source_file *source) {
    char text[HP_NUMBER_SIZE] = "      ?";
    if (number > 0) {
        snprintf(text, sizeof text, "%7u", (unsigned)number);
    }
    append(list, text);
    bool has_text = source && number > 0 && number <= source->line_count;
    if (has_text && source->lines[number - 1].size > 0) {
        append(list, "  ");
        append_source(list, source->lines[number - 1]);
    }
    put_row(list, line);
}

// Write element `i` of a function's lines with the source lines around it, up to the next
// line with memory. `from` is the number of the last line that has been shown, 0 if none;
// returns the new one.  A line can be after the end of a source that is not the version
// that was compiled.
static uint64_t put_around(struct list_writer *list,
                           const struct hp_listed_function *function, size_t i,
                           uint64_t from, const struct hp_source_file *source) {
    const struct hp_listing *listing = list->view->extra;
    const struct hp_listed_line *lines = &listing->lines.at[function->first];
    uint64_t number = lines[i].line, end = number + CONTEXT;
    uint64_t begin = number > CONTEXT + from ? number - CONTEXT : from + 1;
    if (i + 1 < function->count && lines[i + 1].line <= end) {
        end = lines[i + 1].line - 1;
    }
    if (begin > from + 1 && from > 0) {
        append(list, "      …");
        put_row(list, NULL);
    }
    for (uint64_t k = begin; k <= end; k++) {
        if (k == number || k <= source->line_count) {
            put_line(list, k == number ? &lines[i] : NULL, (uint32_t)k, source);
        }
    }
    return end;
}

// A remark that is written with the first function of a source.
static const char *const versions[] = {
    [HP_SOURCE_UNCHECKED] = "",
    [HP_SOURCE_NEWER] =
        HP_WORDS("source-newer",
                 "the source is newer than the binary: lines may have moved"),
    [HP_SOURCE_SAME] = "",
    [HP_SOURCE_DIFFERS] = HP_WORDS(
        "source-differs",
        "the source differs from the one that was compiled: lines may have moved"),
};

// Write the name, file and values of a function, and a remark if its source is not the
// version that was compiled, or cannot be read; the remark only once for each source.
static void put_function_title(const struct list_writer *list,
                               const struct hp_listed_function *function,
                               const struct hp_source_file *source) {
    const struct hp_view *view = list->view;
    char flat[HP_NUMBER_SIZE], cum[HP_NUMBER_SIZE];
    enum hp_metric metric = view->options.metric;
    hp_text_format(flat, function->flat, metric, list->view->options.unit);
    hp_text_format(cum, function->cum, metric, list->view->options.unit);
    hp_sink_text(list->out, "\n");
    hp_sink_escaped(list->out, hp_naming_function(&view->naming, function->function));
    hp_sink_text(list->out, " in ");
    hp_sink_escaped(list->out, function->file.n ? hp_view_string(view, function->file)
                                                : hp_span_of("an unknown file"));
    hp_sink_print(list->out, ": %s flat, %s cum", flat, cum);
    hp_text_of_total(list->out, view, function->cum);
    hp_sink_text(list->out, "\n");
    if (function->source > list->sources && *versions[source->version]) {
        hp_sink_print(list->out, "%s\n", hp_words(versions[source->version]));
    }
    if (function->source > list->sources && source->why) {
        hp_sink_print(list->out, HP_MESSAGE("no-source", "no source: %s\n"), source->why);
    }
}

// Write a function with its lines.
static void put_function(struct list_writer *list,
                         const struct hp_listed_function *function) {
    const struct hp_listing *listing = list->view->extra;
    const struct hp_source_file *source = hp_listing_source(list->view, function);
    uint64_t from = 0;
    put_function_title(list, function, source);
    for (size_t i = 0; i < function->count; i++) {
        const struct hp_listed_line *line = &listing->lines.at[function->first + i];
        if (source && source->lines && line->line > 0) {
            from = put_around(list, function, i, from, source);
        } else {
            put_line(list, line, line->line, NULL);
        }
    }
}

void hp_text_list(struct hp_text_page *page, const struct hp_view *view) {
    const struct hp_listing *listing = view->extra;
    struct hp_sink *out = &page->lines;
    struct list_writer list = {.out = out, .view = view};
    size_t count = listing->functions.count, shown = hp_view_shown(view, count);
    hp_text_table_init(&list.table, page);
    measure(&list, shown);
    fit(&list);
    hp_text_head(out, view);
    hp_text_table_put(&list.table, HP_TEXT_TITLES);
    for (size_t i = 0; i < shown; i++) {
        const struct hp_listed_function *function = &listing->functions.at[i];
        put_function(&list, function);
        list.sources = function->source > list.sources ? function->source : list.sources;
    }
    hp_sink_text(out, "\n");
    hp_fixed rest = 0;
    for (size_t i = shown; i < count; i++) {
        rest += listing->functions.at[i].flat;
    }
    struct hp_text_draft line;
    hp_text_draft_init(&line);
    if (shown < count) {
        hp_text_rest(&line.out, view, count - shown, "function", rest);
    }
    hp_text_finish(&list.table, hp_text_draft_end(&line));
    hp_text_draft_done(&line);
    hp_text_table_done(&list.table);
}

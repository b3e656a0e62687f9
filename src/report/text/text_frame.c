// The frame of every screen:
//
//     59.5 MiB ± 1.2 MiB in use; ...                    the headline, by the report
//     app.7.15.i15.heap: latest of 17 dumps ...         the source of the numbers
//     warning: no symbols for app (99% of memory): ...  at most three warnings
//
//     (the table)
//     … 153 more functions, 0.8% (-n 0: all)      * fewer than 5 samples
//     99% was allocated through ...                     notes, at most three lines
//
// What has no place here is written with --verbose, at the end; JSON has all of it.
#include "report/text/text_table.h"

#include "view/difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_WARNINGS = 3, // without --verbose
    WARNING_LINES = 2, // lines of a warning, without --verbose
    MOST_NOTES = 3,    // lines below a table, without --verbose
    NOTE_GAP = 3,      // spaces between two notes in one line, at least
};

// --- the line above a table ---------------------------------------------------------------

// Append " · " before every part but the first.
static void begin_part(struct hp_sink *out, bool *is_first) {
    hp_sink_text(out, *is_first ? "" : " · ");
    *is_first = false;
}

// Write what was read of the inputs, if not all, and how numbers were made, if not as
// usual.
static void put_selection(struct hp_sink *out, const struct hp_view *view,
                          bool *is_first) {
    const struct hp_head *head = &view->head;
    if (head->thread.size > 0) {
        begin_part(out, is_first);
        hp_sink_print(out, HP_MESSAGE("source-thread", "only thread "));
        hp_sink_escaped(out, head->thread);
    }
    if (head->older_than > 0) {
        char age[HP_NUMBER_SIZE];
        hp_format_double(age, (double)head->older_than / 1e9);
        begin_part(out, is_first);
        hp_sink_print(out, HP_MESSAGE("source-older", "only objects %s s old or older"),
                      age);
    }
    if (view->projection) {
        begin_part(out, is_first);
        hp_sink_print(out, HP_MESSAGE("source-unscaled",
                                      "added up unchanged: its scaling is unknown"));
    } else if (head->estimator != HP_ESTIMATOR_BEST) {
        begin_part(out, is_first);
        hp_sink_print(out,
                      head->estimator == HP_ESTIMATOR_JEPROF
                          ? HP_MESSAGE("source-jeprof", "jeprof's formula")
                          : HP_MESSAGE("source-raw", "sampled counts, not estimates"));
    }
}

void hp_text_selection(struct hp_sink *out, const struct hp_view *view) {
    bool is_first = true;
    put_selection(out, view, &is_first);
}

// Write the source as one line without its end: selections, and the sentences of the
// profile as far as the line has room for them.
static void put_source(struct hp_sink *out, const struct hp_view *view) {
    bool is_first = true;
    put_selection(out, view, &is_first);
    if (hp_view_source_count(view) > 0) {
        begin_part(out, &is_first);
        hp_sink_escaped(out, hp_view_source(view, 0));
    }
}

// Write a line, shortened to the width: first the file name at its beginning, "app.7.heap:
// latest of ...", then the line.
static void put_short_line(struct hp_sink *out, const struct hp_view *view,
                           struct hp_span line) {
    enum {
        LEAST_NAME = 12
    };

    size_t width = view->options.text.width;
    struct hp_text_cut cut = {.is_ascii = view->options.text.ascii};
    size_t cells = hp_text_cells(line, cut.is_ascii);
    const char *colon = memmem(line.at, line.size, ": ", 2);
    size_t size = colon ? (size_t)(colon - line.at) : 0;
    size = size > 0 && memchr(line.at, ' ', size) ? 0 : size; // it is no name
    struct hp_span name = {line.at, size}, rest = hp_span_from(line, size);
    struct hp_buffer text = {0};
    size_t of_rest = hp_text_cells(rest, cut.is_ascii);
    if (width > 0 && cells > width && size > LEAST_NAME &&
        of_rest + LEAST_NAME <= width) {
        cut.room = width - of_rest;
        hp_text_cut_path(&text, name, &cut);
        hp_buffer_append(&text, rest);
    } else {
        cut.room = width;
        hp_text_cut_text(&text, line, &cut);
    }
    hp_sink_put(out, text.text.at, text.text.count);
    hp_sink_text(out, "\n");
    hp_vec_done(&text.text);
}

void hp_text_source(struct hp_sink *out, const struct hp_view *view) {
    struct hp_buffer line = {0};
    if (hp_text_made(&line, view, put_source).size > 0) {
        put_short_line(out, view, hp_buffer_span(&line));
    }
    hp_vec_done(&line.text);
}

// --- warnings -----------------------------------------------------------------------------

// A warning of a screen.
struct line {
    struct hp_warning_rank rank;
    size_t order; // among those with equal ranks
    bool is_note;
    struct hp_buffer text;
};

struct lines {
    HP_VEC(struct line) all;
};

static void add_line(struct lines *lines, struct hp_warning_rank rank, bool is_note,
                     struct hp_span text) {
    struct line line = {.rank = rank, .order = lines->all.count, .is_note = is_note};
    hp_buffer_append(&line.text, text);
    hp_vec_push(&lines->all, line);
}

// Write how much memory is in stacks that were never sampled, if it is or may be much: the
// largest of many rows with few samples are large partly by chance.
static void put_unsampled(struct hp_sink *out, const struct hp_view *view) {
    static const double much = 0.2;
    double highest, share = hp_text_unsampled(view, &highest);
    bool is_jemalloc = view->head.summary[HP_SIDE_ALL].is_jemalloc;
    hp_sink_print(
        out,
        share >= much
            ? HP_MESSAGE("rows-too-high",
                         "about %.0f%% is in stacks without a sample. Shown rows "
                         "include it and are too high. Use a smaller %s")
            : HP_MESSAGE("rows-maybe-too-high",
                         "up to %.0f%% is in stacks without a sample. Shown rows "
                         "may be too high. Use a smaller %s"),
        100 * (share >= much ? share : highest),
        is_jemalloc ? "lg_prof_sample" : "sample period");
}

void hp_text_append_shortened(struct hp_buffer *out, struct hp_span text) {
    while (text.size > 0) {
        const char *space = memchr(text.at, ' ', text.size);
        size_t size = space ? (size_t)(space - text.at) : text.size;
        struct hp_span word = {text.at, size};
        const char *slash = memrchr(word.at, '/', word.size);
        bool is_path =
            slash && !hp_span_starts(word, "--") && slash + 1 < word.at + word.size;
        if (is_path && word.at[0] == '(') {
            hp_buffer_append(out, hp_span_of("("));
        }
        hp_buffer_append(out, is_path ? hp_span_from(word, (size_t)(slash + 1 - word.at))
                                      : word);
        hp_buffer_append(out, hp_span_of(space ? " " : ""));
        text = hp_span_from(text, space ? size + 1 : size);
    }
}

// Whether the total, which is by the headers of the dumps, differs so much from the sum of
// the stacks that the reader sees it in the shares.
static bool differs_from_stacks(const struct hp_view *view) {
    static const double much = 0.02; // of the total
    enum hp_metric metric = view->options.metric;
    double total = hp_fixed_double(view->head.whole.of[metric], metric);
    double stacks = hp_fixed_double(view->head.total.of[metric], metric);
    return view->head.has_gain && view->head.has_total && !view->report->growth &&
           fabs(stacks - total) > much * total;
}

static void put_stacks(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, view->head.total.of[metric], metric, view->options.unit);
    hp_sink_print(out,
                  HP_MESSAGE("stacks-add-up",
                             "stacks add up to %s, and shares are of this sum; the total "
                             "is by the headers"),
                  text);
}

// Whether the report has names of code, so that missing names matter.
static bool shows_names(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    return view->report->shows_code ? view->report->shows_code(options)
                                    : options->by < HP_BY_INPUT;
}

// Write that p does not allow for how processes differ; nothing if it does.
static void put_spread(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    if (difference->test == HP_TEST_INDEPENDENT) {
        hp_sink_print(out,
                      HP_MESSAGE("spread-not-known",
                                 "one process a side: p covers sampling error, not how "
                                 "processes differ"));
    } else if (difference->test == HP_TEST_SAMPLING) {
        hp_sink_print(out,
                      HP_MESSAGE("spread-unknown",
                                 "p covers sampling error, not how processes differ"));
    }
}

// Collect what a screen warns about; with `has_all` in full.
static void collect(struct lines *lines, const struct hp_view *view, bool has_all) {
    static const struct hp_warning_rank of_numbers = {HP_WARN_OF_NUMBERS, 1};
    // The second line of a comparison has all sentences about dumps, that of others one.
    bool has_both = view->report->has_sides && !hp_view_is_of_differences(view);
    size_t sources = hp_view_source_count(view);
    for (size_t i = has_both ? sources : 1; i < sources; i++) {
        add_line(lines, of_numbers, true, hp_view_source(view, i));
    }
    if (has_both) {
        struct hp_buffer text = {0};
        struct hp_span spread = hp_text_made(&text, view, put_spread);
        if (spread.size > 0) {
            add_line(lines, of_numbers, false, spread);
        }
        hp_vec_done(&text.text);
    }
    if (differs_from_stacks(view)) {
        struct hp_buffer text = {0};
        add_line(lines, of_numbers, true, hp_text_made(&text, view, put_stacks));
        hp_vec_done(&text.text);
    }
    // Rows of an account are not the largest of many.
    double unsampled = view->report->needs_accounts ? 0 : hp_text_unsampled(view, NULL);
    if (unsampled > 0) {
        struct hp_buffer text = {0};
        struct hp_warning_rank rank = {HP_WARN_OF_NUMBERS, unsampled};
        add_line(lines, rank, false, hp_text_made(&text, view, put_unsampled));
        hp_vec_done(&text.text);
    }
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        struct hp_warning_rank rank = hp_view_warning_rank(view, i);
        rank.is_detail |= rank.subject == HP_WARN_OF_NAMES && !shows_names(view);
        add_line(lines, rank, false,
                 has_all ? hp_view_warning(view, i) : hp_view_short_warning(view, i));
    }
}

// First what is not in the numbers, then what makes them wrong, then missing names; within
// each by share of the bytes.
static int by_rank(const void *left, const void *right) {
    const struct line *a = left, *b = right;
    return a->rank.subject != b->rank.subject
               ? (a->rank.subject > b->rank.subject) - (a->rank.subject < b->rank.subject)
           : a->rank.share != b->rank.share
               ? (a->rank.share < b->rank.share) - (a->rank.share > b->rank.share)
               : (a->order > b->order) - (a->order < b->order);
}

// Write a text made safe, and shortened to a number of lines; 0: of any length.
static void put_cut(struct hp_sink *out, const struct hp_view *view, struct hp_span text,
                    size_t lines) {
    // Cells that "warning: " and breaks between words take.
    enum {
        LOST = 24
    };

    size_t width = view->options.text.width;
    struct hp_text_cut cut = {.room = lines * width,
                              .is_ascii = view->options.text.ascii};
    struct hp_buffer safe = {0}, shown = {0};
    cut.room = cut.room > 2 * LOST ? cut.room - LOST : cut.room;
    hp_text_append_safe(&safe, text);
    hp_text_cut_text(&shown, hp_buffer_span(&safe), &cut);
    hp_sink_put(out, shown.text.at, shown.text.count);
    hp_vec_done(&safe.text);
    hp_vec_done(&shown.text);
}

// Write a warning; with `is_short` without the folders of paths, and in two lines.
static void put_line(struct hp_sink *out, const struct hp_view *view,
                     const struct line *line, bool is_short) {
    struct hp_buffer text = {0};
    hp_sink_text(out, view->options.text.color ? "\033[33m" : "");
    hp_sink_text(out, line->is_note ? "note:" : "warning:");
    hp_sink_text(out, view->options.text.color ? "\033[0m " : " ");
    if (is_short) {
        hp_text_append_shortened(&text, hp_buffer_span(&line->text));
    } else {
        hp_buffer_append(&text, hp_buffer_span(&line->text));
    }
    put_cut(out, view, hp_buffer_span(&text), is_short ? WARNING_LINES : 0);
    hp_sink_text(out, "\n");
    hp_vec_done(&text.text);
}

void hp_text_warnings(struct hp_sink *out, const struct hp_view *view) {
    bool has_all = view->options.text.details;
    struct lines lines = {0};
    struct line *line;
    size_t shown = 0, left = 0;
    collect(&lines, view, has_all);
    hp_vec_sort(&lines.all, by_rank);
    hp_vec_each (line, &lines.all) {
        bool is_asked = view->report->explains_inputs || !line->rank.is_detail;
        bool is_shown = has_all || (is_asked && shown < MOST_WARNINGS);
        if (is_shown) {
            put_line(out, view, line, !has_all);
        }
        shown += is_shown;
        left += !is_shown && is_asked;
        hp_vec_done(&line->text.text);
    }
    if (left > 0) {
        hp_sink_print(out, HP_MESSAGE("more-warnings", "%zu more warning%s: -v\n"), left,
                      left == 1 ? "" : "s");
    }
    hp_vec_done(&lines.all);
}

void hp_text_head(struct hp_sink *out, const struct hp_view *view) {
    hp_text_headline(out, view, NULL);
    hp_text_source(out, view);
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

// --- below a table ------------------------------------------------------------------------

static size_t cells_of(const struct hp_text_notes *notes, struct hp_span text) {
    return hp_text_cells(text, notes->view->options.text.ascii);
}

size_t hp_text_note_lines(const struct hp_text_notes *notes, struct hp_span text) {
    size_t width = notes->view->options.text.width, lines = text.size > 0, column = 0;
    while (text.size > 0) {
        const char *space = memchr(text.at, ' ', text.size);
        struct hp_span word = {text.at, space ? (size_t)(space - text.at) : text.size};
        size_t cells = cells_of(notes, word);
        bool breaks = width > 0 && column > 0 && column + 1 + cells > width;
        lines += breaks;
        column = breaks || column == 0 ? cells : column + 1 + cells;
        lines += width > 0 && column > width ? (column - 1) / width : 0;
        text = hp_span_from(text, word.size + (space != NULL));
    }
    return lines;
}

bool hp_text_note(struct hp_text_notes *notes, struct hp_span text) {
    size_t lines = hp_text_note_lines(notes, text);
    bool fits = notes->view->options.text.details || notes->lines + lines <= MOST_NOTES;
    if (text.size > 0 && fits) {
        notes->lines += lines;
        hp_sink_put(notes->out, text.at, text.size);
        hp_sink_text(notes->out, "\n");
    }
    return fits;
}

// Whether two notes fit into one line.
static bool fit(const struct hp_text_notes *notes, struct hp_span left,
                struct hp_span right) {
    size_t width = notes->view->options.text.width;
    return width == 0 ||
           cells_of(notes, left) + NOTE_GAP + cells_of(notes, right) <= width;
}

void hp_text_note_beside(struct hp_text_notes *notes, struct hp_span left,
                         struct hp_span right, struct hp_span shorter) {
    right = left.size > 0 && !fit(notes, left, right) ? shorter : right;
    if (left.size == 0 || right.size == 0 || !fit(notes, left, right)) {
        hp_text_note(notes, left);
        hp_text_note(notes, right);
        return;
    }
    struct hp_buffer line = {0};
    hp_buffer_append(&line, left);
    hp_buffer_append(&line, (struct hp_span){"   ", NOTE_GAP});
    hp_buffer_append(&line, right);
    hp_text_note(notes, hp_buffer_span(&line));
    hp_vec_done(&line.text);
}

// Append a part of the legend.
static void append_part(struct hp_buffer *legend, const char *part) {
    hp_buffer_append(legend, hp_span_of(legend->text.count > 0 ? "; " : ""));
    hp_buffer_append(legend, hp_span_of(part));
}

const char *hp_text_offset_legend(void) {
    return hp_words(HP_WORDS("legend-offset", "@ offset in the file"));
}

// Append the legend of the marks that the table has.
static void append_marks(struct hp_buffer *legend, const struct hp_text_table *table) {
    if (table->has_few) {
        append_part(legend, hp_words(HP_WORDS("legend-few", "* fewer than 5 samples")));
    }
    if (table->has_offset) {
        append_part(legend, hp_text_offset_legend());
    }
}

// Append the legend of the intervals, and of the marks.
static void append_legend(struct hp_buffer *legend, const struct hp_text_table *table) {
    char text[64];
    if (table->has_interval) {
        hp_message_print(text, sizeof text,
                         HP_MESSAGE("legend-interval", "±, …: %g%% confidence interval"),
                         table->page->view->options.confidence * 100);
        append_part(legend, text);
    }
    append_marks(legend, table);
}

// Write what a screen leaves out of a report on one profile.
static void put_details(struct hp_sink *out, const struct hp_view *view) {
    hp_text_facts(out, view);
    hp_text_folding_notes(out, view);
}

void hp_text_finish(struct hp_text_table *table, struct hp_span rest) {
    static hp_writer *const hints[HP_REPORT_KINDS] = {
        [HP_REPORT_TOP] = hp_text_next,
        [HP_REPORT_PEEK] = hp_text_wrapper_hint,
    };
    const struct hp_view *view = table->page->view;
    struct hp_sink *out = &table->page->lines;
    struct hp_text_notes notes = {.out = out, .view = view};
    struct hp_buffer legend = {0}, marks = {0}, moved = {0}, next = {0};
    hp_writer *hint = hints[view->options.kind];
    append_legend(&legend, table);
    append_marks(&marks, table);
    hp_text_note_beside(&notes, rest, hp_buffer_span(&legend), hp_buffer_span(&marks));
    if (hint) {
        hp_text_made(&next, view, hint);
    }
    size_t reserved = hp_text_note_lines(&notes, hp_buffer_span(&next));
    notes.lines += reserved;
    hp_text_note(&notes, hp_text_made(&moved, view, hp_text_moved));
    notes.lines -= reserved;
    hp_text_note(&notes, hp_buffer_span(&next));
    hp_text_details(out, view, put_details);
    hp_vec_done(&moved.text);
    hp_vec_done(&next.text);
    hp_vec_done(&legend.text);
    hp_vec_done(&marks.text);
}

void hp_text_details(struct hp_sink *out, const struct hp_view *view, hp_writer *facts) {
    if (view->options.text.details) {
        hp_sink_text(out, "\n");
        facts(out, view);
    }
}

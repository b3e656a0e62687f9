// The reports for people, as tables and lines of text.  Parts of them are used by
// Markdown, HTML, pictures and benchmark.
//
// Map of src/report/text:
//
//   text_table.h      tables as values, which Markdown prints, too
//   text_page.h       the beginning: it calls the writer of the kind of report
//   text_rows.c       the writer of any table with columns
//   text_tree.c, text_peek.c, text_stacks.c, text_list.c, text_overview.c, text_info.c,
//   text_account.c, text_plan.c   reports with a layout of their own
//   text_next.c       the next command
//   text_limits.c     what the first line says of skipped files, and of code without names
//   text_frame.c      what every screen has: head, warnings, notes, details
//   text_headline.c   the first line of a report on one profile
//   text_head.c       facts about inputs and totals
//   text_comparison.c, text_trend.c, text_lifetime.c   the same for diff, trend, lifetime
//   text_charges.c, text_spread.c, text_pairs.c   lines below a table or a row
//   text_cells.c, text_estimate.c    numbers and intervals
//   text_names.c, text_arguments.c   distinct names for rows
//   text_cut.c, text_widths.c        shortening names; how wide characters are
//   text_draft.c      texts in memory
//   text_lines.c      the format, and wrapping lines
//
// Invariants: rows of tables are values until text_lines.c or markdown.c prints them.
// Text from inputs is made safe for a terminal before anything else.  No two rows of a
// report have the same name.  Lines fit the width of the report: first columns are
// dropped, then names are shortened.
//
// Read text_rows.c first, then the files that it calls.
#ifndef HP_REPORT_TEXT_TEXT_H
#define HP_REPORT_TEXT_TEXT_H

#include "base/units.h"
#include "report/format.h"

enum {
    HP_LEAST_WIDTH = 40, // least width of a report; a narrower one is widened to this
    // Bytes of the text of a number with its sign, with the NUL.
    HP_SIGNED_SIZE = HP_NUMBER_SIZE + 1,
    HP_TEXT_CODE_SIZE = 16,    // room for "\\u{10FFFF}"
    HP_TEXT_SERIES_CELLS = 16, // most cells of a series that is drawn
    HP_TEXT_SERIES_SIZE = 3 * HP_TEXT_SERIES_CELLS + 1, // its bytes, with the NUL
};

// --- width --------------------------------------------------------------------------------

// Append untrusted text with its control characters escaped.
void hp_text_append_safe(struct hp_buffer *out, struct hp_span text);

// How to shorten a text that is already safe for a terminal.
struct hp_text_cut {
    size_t room;   // cells that the text may take; 0: do not shorten it
    bool is_ascii; // whether characters outside of ASCII will be replaced later
    // Shorten a name in its middle; false: first drop its less important parts
    bool keeps_ends;
};

// hp_text_char_cells() returns the cells that a character takes on a terminal: 0, 1 or 2.
// hp_text_in_ascii() returns the ASCII text that replaces a character outside of ASCII: a
// constant, or the text that it has written into `room`. hp_text_cells() returns the
// cells of a safe text, whose colours take none; with is_ascii it measures the text after
// that replacement.
int hp_text_char_cells(uint32_t code);
const char *hp_text_in_ascii(uint32_t code, char room[HP_TEXT_CODE_SIZE]);
size_t hp_text_cells(struct hp_span text, bool is_ascii);

// Append a text, shortened as `cut` says: hp_text_cut_name() takes the name of a
// function, hp_text_cut_path() a path, hp_text_cut_text() any other text.
void hp_text_cut_name(struct hp_buffer *out, struct hp_span name,
                      const struct hp_text_cut *cut);
void hp_text_cut_path(struct hp_buffer *out, struct hp_span path,
                      const struct hp_text_cut *cut);
void hp_text_cut_text(struct hp_buffer *out, struct hp_span text,
                      const struct hp_text_cut *cut);

// --- names --------------------------------------------------------------------------------

// The names of the nodes that rows or lines of one report have, all distinct.
struct hp_text_names;

// First add the node of each row, in the order of rows, with the cells that its name may
// take (0: any number); if a node is added several times, the smallest number is used.
// Then make the names distinct; only after that they can be read. hp_text_names_free()
// frees them.
struct hp_text_names *hp_text_names_new(const struct hp_view *view);
void hp_text_names_add(struct hp_text_names *names, hp_node_id node, size_t room);
void hp_text_names_make_distinct(struct hp_text_names *names);
struct hp_span hp_text_name(const struct hp_text_names *names, hp_node_id node);
void hp_text_names_free(struct hp_text_names *names);

// --- numbers ------------------------------------------------------------------------------

// Format an amount, "153.5 MiB" or "1,234". hp_text_fixed() converts a floating-point
// number of bytes or objects to an amount in fixed point, so that it can be formatted;
// the amount is limited to 2^120.
void hp_text_format(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit);
hp_fixed hp_text_fixed(double value, enum hp_metric metric);

// Format an amount with its sign: "+6.6 MiB".
void hp_text_signed(char text[HP_SIGNED_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit);

// Format a rate, in bytes or objects per unit of time, with its sign but without the unit
// of time: "+1.2 MiB"; it has no sign if it is rounded to zero.
void hp_text_rate(char text[HP_SIGNED_SIZE], double value, enum hp_metric metric,
                  enum hp_unit unit);

// Format a share, "73.7%"; "-" if `whole` is 0.
void hp_text_share(char text[HP_NUMBER_SIZE], hp_fixed part, hp_fixed whole);

// Format a p-value: "0.0012", "<0.0001"; "-" if it is NAN.  hp_text_put_p() writes it in
// a sentence: "p = 0.0012", "p < 0.0001".
void hp_text_p(char text[HP_NUMBER_SIZE], double p);
void hp_text_put_p(struct hp_sink *out, double p);

// Draw a series as a line of at most HP_TEXT_SERIES_CELLS cells, "▁▃▅▇█", from 0 to its
// largest value.  If there are more values, equal runs of them are averaged.
void hp_text_series(char text[HP_TEXT_SERIES_SIZE], const double *values, size_t count);

// Write two values of one metric: "13.1 → 70.8 MiB".
void hp_text_put_course(struct hp_sink *out, const struct hp_view *view, hp_fixed first,
                        hp_fixed last);
// Write what is not in the numbers: " (truncated dump)", " (2 dumps truncated, 1 of 4
// files skipped)"; nothing if no file is truncated or skipped.
void hp_text_put_lost(struct hp_sink *out, const struct hp_view *view);
// Write the noun of the metric in a sentence: "in use", "objects allocated", and what is
// not in the numbers.
void hp_text_put_metric(struct hp_sink *out, const struct hp_view *view);

// --- estimates ----------------------------------------------------------------------------

enum {
    // Bytes of the text of an interval, with the NUL.
    HP_INTERVAL_SIZE = 2 * HP_NUMBER_SIZE + 8,
};

// A value and its interval, to be read together: they are in one unit, and the value has
// no digit below the last one of its error.
struct hp_text_estimate {
    // The exact value, in fixed point.
    hp_fixed sum;
    char value[HP_SIGNED_SIZE]; // "73.5 MiB", or of a change "+44.5 MiB"
    // "± 4.9 MiB", "0.37 … 1.40 MiB", "17 or more", the reason why there is no interval,
    // or "" if the value is certain.
    char interval[HP_INTERVAL_SIZE];
    bool is_half; // whether the interval is written as "± 4.9 MiB"
    bool is_wide; // a side of the interval is longer than a quarter of the value
    // The interval replaces the value, which is too high as the largest of several dumps.
    bool is_alone;
    // Restriction of an interval of objects, for sentences: " of the sizes seen"; or
    // NULL.
    const char *note;
    // Of a change: the unit of its interval, where the change alone has another one; or NULL.
    const char *other_unit;
};

// Format a value whose interval is given; its ends are NAN if they are not known.
void hp_text_measure(struct hp_text_estimate *text, hp_fixed value,
                     struct hp_interval range, enum hp_metric metric, enum hp_unit unit);

// Format an estimate of a total with its interval. hp_text_row_estimate() does it for a
// row in the report's metric; the row gets no interval unless its value is based on
// samples.
void hp_text_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric);
void hp_text_row_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                          const struct hp_amount *amount);

// Format a change with its sign, "+44.5 MiB", and its interval in the same unit,
// "+41.2 … +47.9".  hp_text_put_change() writes both in a sentence: "+44.5 MiB ± 3.4 MiB"
// or "+0.2 MiB (-1.0 … +3.1)".
void hp_text_change(struct hp_text_estimate *text, hp_fixed value,
                    struct hp_interval range, enum hp_metric metric, enum hp_unit unit);
void hp_text_put_change(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                        struct hp_interval range);

// Format the bounds of a share: "2.2 … 3.6%"; "-" if they are not known.
void hp_text_shares(char text[HP_INTERVAL_SIZE], double low, double high);

// Write the interval after its value in a sentence: " ± 4.9 MiB" or " (0.37 … 1.40 MiB)";
// nothing if there is none, or if it replaces the value.
void hp_text_put_interval(struct hp_sink *out, const struct hp_text_estimate *text);

// Format a number of bytes: hp_text_about() rounds it to nearest, hp_text_at_most() up.
void hp_text_about(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit);
void hp_text_at_most(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit);

// --- cells --------------------------------------------------------------------------------

// The total that shares refer to; 0 if the inputs are differences of profiles, which have
// no shares.
hp_fixed hp_text_whole(const struct hp_view *view);
// Write the share that `value` has of the total, " (12.3% of the total)"; nothing if the
// inputs are differences of profiles.
void hp_text_of_total(struct hp_sink *out, const struct hp_view *view, hp_fixed value);
// Write the line below the table that explains intervals and marks.
void hp_text_error_note(struct hp_sink *out, const struct hp_view *view);

// Cells of the columns of amounts and of intervals (without the mark).
// hp_text_widths_of() returns the usual widths. hp_text_widen() widens them if a row's
// amount or interval is wider; it does nothing if lines may have any width.
struct hp_text_widths {
    int amount, error;
};

struct hp_text_widths hp_text_widths_of(const struct hp_view *view);
void hp_text_widen(struct hp_text_widths *widths, const struct hp_view *view,
                   const struct hp_amount *amount);

// Whether the report shows intervals: sampling leaves the values of its metric uncertain.
bool hp_text_has_errors(const struct hp_view *view);

// Return the plural ending of the word `what`: "es" after an s, else "s"; "" if `is_one`.
const char *hp_text_plural(const char *what, bool is_one);

// Write an amount as its share of the total, or with --verbose both; without shares the
// amount.
void hp_text_put_part(struct hp_sink *out, const struct hp_view *view, hp_fixed value);

// Write the end of a line about rows that are not shown: " (-n 0: all)", or " (cut at
// --max-bytes=N)".
void hp_text_how_to_see_all(struct hp_sink *out, const struct hp_view *view);

// Write the last line of a table that was truncated: "… 12 more functions, 1.5% (-n 0:
// all)", where `rows` is the number of omitted rows, `what` a row's noun and `value`
// their sum.
void hp_text_rest(struct hp_sink *out, const struct hp_view *view, size_t rows,
                  const char *what, hp_fixed value);

// Write the last lines of a report: how much memory folding attributed to callers,
// options that would fold more, and explanations of names and files.
void hp_text_folding_notes(struct hp_sink *out, const struct hp_view *view);

// --- the frame ----------------------------------------------------------------------------
//
// A screen has a headline and at most one line (the source) above its warnings and its
// table, at most three warnings of the most important ones, and at most three lines of
// notes below the table.  With --verbose there is no limit, and facts follow at the end.

// A text in memory that `out` writes into.  hp_text_draft_end() returns it without its
// last newline; hp_text_draft_done() frees it.
struct hp_text_draft {
    struct hp_buffer text;
    struct hp_sink out;
};

void hp_text_draft_init(struct hp_text_draft *draft);
struct hp_span hp_text_draft_end(struct hp_text_draft *draft);
void hp_text_draft_done(struct hp_text_draft *draft);

// Let a writer write into a text, and return the text.
struct hp_span hp_text_made(struct hp_buffer *text, const struct hp_view *view,
                            hp_writer *writer);

// Write the first line of a report on one profile: the total, and, if `names` is not
// NULL, the rows of top that hold most.
void hp_text_headline(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_text_names *names);
// Number of the first rows that it may name: their names must be in `names`.
size_t hp_text_named(const struct hp_view *view);

// hp_text_source() writes which dumps were read, in one line; nothing if that is a single
// one.  hp_text_warnings() writes the warnings; a second sentence about dumps is among
// them.
// hp_text_selection() writes what was read of the dumps, such as "only thread worker 2",
// without an end of the line; nothing if all was.
void hp_text_source(struct hp_sink *out, const struct hp_view *view);
void hp_text_selection(struct hp_sink *out, const struct hp_view *view);
void hp_text_warnings(struct hp_sink *out, const struct hp_view *view);

// Append a sentence with each path shortened to its last part.
void hp_text_append_shortened(struct hp_buffer *out, struct hp_span text);

// The share of the memory that was never sampled, if it is so much that the first rows
// are too high; else 0.  Then no share of a row may be in a headline.  Fills `highest`, the
// upper bound of the share, unless it is NULL.
double hp_text_unsampled(const struct hp_view *view, double *highest);

// The lines below a table; {out, view} begins.
struct hp_text_notes {
    struct hp_sink *out;
    const struct hp_view *view;
    size_t lines; // that were written
};

// Write a note, a line without its end; nothing and return false if there are too many.
// hp_text_note_lines() returns the lines that it takes.
// hp_text_note_beside() writes two in one line if they fit, with `shorter` instead of
// `right` if only that fits.  Empty texts write nothing.
bool hp_text_note(struct hp_text_notes *notes, struct hp_span text);
size_t hp_text_note_lines(const struct hp_text_notes *notes, struct hp_span text);
void hp_text_note_beside(struct hp_text_notes *notes, struct hp_span left,
                         struct hp_span right, struct hp_span shorter);

// Write how much was attributed to callers, without a line's end.
void hp_text_moved(struct hp_sink *out, const struct hp_view *view);

// The explanation of an "@" in the name of a row.
const char *hp_text_offset_legend(void);

// Write the command that answers the next question, without a line's end; nothing if
// there is none.
void hp_text_next(struct hp_sink *out, const struct hp_view *view);
// Write for the function of a peek how to attribute its memory to its callers; nothing if
// it cannot be an allocation wrapper.
void hp_text_wrapper_hint(struct hp_sink *out, const struct hp_view *view);

// With --verbose write an empty line and what `facts` writes: it goes to the end.
void hp_text_details(struct hp_sink *out, const struct hp_view *view, hp_writer *facts);

// --- heads --------------------------------------------------------------------------------

// Write the lines above a table: headline, source and warnings, and an empty line.
hp_writer hp_text_head, hp_text_diff_head, hp_text_trend_head, hp_text_lifetime_head;
// Write facts: the inputs and the totals; for a diff and a trend also how changes were
// tested.
hp_writer hp_text_facts, hp_text_diff_facts, hp_text_trend_facts, hp_text_lifetime_facts;

// Write side by side the stack that allocated most objects of a row and the stack that
// freed them (the row's hp_recent_pair), if there are any; for hp_view_is_recent().
void hp_text_recent_pair(struct hp_sink *out, const struct hp_view *view, size_t row);

// What the shown rows of a comparison have that is to be explained below the table.
struct hp_trend_row;

struct hp_text_marks {
    bool is_marked;   // a "*"
    bool is_untested; // a "-" instead of p
    bool is_open;     // a "?" instead of an end of an interval
    bool has_bound;   // lower bounds of growth
    // The first row with a shape "since 13", or "step 7"; NULL: there is none.
    const struct hp_trend_row *since, *step;
};

// Write the name of the file of a dump in the series of a row of a trend.
void hp_text_put_dump(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_trend_row *row, size_t dump);

// Find the marks in the first `shown` rows of a diff or a trend.
struct hp_text_marks hp_text_marks_of(const struct hp_view *view, size_t shown);

// Make the notes on marks and on columns, without the ends of lines; "" if nothing is to
// be explained.  hp_text_mark_lines() writes both, and what could have been found, for the
// first `shown` rows.
void hp_text_explain_marks(struct hp_buffer *mark, struct hp_buffer *columns,
                           const struct hp_view *view, struct hp_text_marks marks);
void hp_text_mark_lines(struct hp_sink *out, const struct hp_view *view, size_t shown);
// Write what a comparison that found nothing could have found, without the end of the
// line.
void hp_text_detectable(struct hp_sink *out, const struct hp_view *view);

// Write the answer of a diff or a trend in one sentence, without the end of the line:
// "+57.7 MiB ± 3.3 MiB: 13.1 → 70.8 MiB in use, significant (p < 0.0001)".
hp_writer hp_text_diff_answer, hp_text_trend_answer;

// Write which code cannot be compared as a whole, since some dumps lack its names: "cartd
// and 1 more compared in part"; nothing if that is a small part of the memory.
hp_writer hp_text_open;

// Write an answer of a comparison, and after it hp_text_open() if the line has room;
// otherwise return false.
bool hp_text_put_answer(struct hp_sink *out, const struct hp_view *view,
                        hp_writer *answer);

// The number of dumps of a trend; 0: it has several series.
size_t hp_text_series_length(const struct hp_view *view);

// Write the lines of --columns=spread below the rows: the inputs that stand out or hold most of a
// row, and how the totals of dumps are distributed.
void hp_text_spread(struct hp_sink *out, const struct hp_view *view);

// Write a line instead of the table of a diff if no row changed; returns false otherwise.
bool hp_text_no_change(struct hp_sink *out, const struct hp_view *view);

// Parts of the head. hp_text_moments() writes which dumps are used of processes with
// several dumps. hp_text_inputs() writes "jemalloc heap_v2 · sample period 512 KiB · 7
// stacks", and lines about --thread, --older-than or a sample type.
void hp_text_moments(struct hp_sink *out, const struct hp_view *view);
void hp_text_inputs(struct hp_sink *out, const struct hp_view *view);
// Write "filters    --focus=f leave "; without filters write nothing and return false.
bool hp_text_filters(struct hp_sink *out, const struct hp_view *view);

// Write the facts of info, which are lines only; and advice on a finer sample period.
hp_writer hp_text_info, hp_text_advice;
// Write the command that fetches the names of a binary without any; nothing if its build
// id is unknown.
void hp_text_fetch(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_module *module);

#endif

// The reports for people.
#ifndef HP_REPORT_TEXT_TEXT_H
#define HP_REPORT_TEXT_TEXT_H

#include "base/units.h"
#include "report/format.h"

enum {
    HP_LEAST_WIDTH = 40, // of a report
    HP_SIGNED_SIZE = HP_NUMBER_SIZE + 1,
    HP_TEXT_CODE_SIZE = 16, // of "\\u{10FFFF}"
};

// --- lines --------------------------------------------------------------------------------

// Begins a line that is not to be wrapped at the width of the report: a row, or source text.
#define HP_TEXT_ROW "\036"

// Begins a cell of such a row but the first, and a line that is no row but belongs into a table, below
// the names: no byte of the report.  The first row with cells has the titles.
#define HP_TEXT_CELL "\037"
#define HP_TEXT_NEXT HP_TEXT_CELL " " // from one cell to the next

// The report in lines with these marks, as they are before they are made to fit.
hp_writer hp_text_marked;

// What `writer` puts, its lines no wider than the report, if it has a width.
void hp_text_put_lines(struct hp_sink *out, const struct hp_view *view,
                       hp_writer *writer);

// --- width --------------------------------------------------------------------------------

// Append a text from outside, its control characters escaped.
void hp_text_append_safe(struct hp_buffer *out, struct hp_span text);

// How to shorten a text that is safe for a terminal.
struct hp_text_cut {
    size_t room;     // cells; 0: it is not shortened
    bool is_ascii;   // what is not ASCII is replaced later
    bool keeps_ends; // of a name, whatever its parts
};

// How many cells a character takes: 0, 1 or 2; what stands for one that is not ASCII; and a safe
// text, without its colors.
int hp_text_char_cells(uint32_t code);
const char *hp_text_in_ascii(uint32_t code, char room[HP_TEXT_CODE_SIZE]);
size_t hp_text_cells(struct hp_span text, bool is_ascii);

// Append a text so shortened: of a function, with what is left of its name; of a path; of others.
void hp_text_cut_name(struct hp_buffer *out, struct hp_span name,
                      const struct hp_text_cut *cut);
void hp_text_cut_path(struct hp_buffer *out, struct hp_span path,
                      const struct hp_text_cut *cut);
void hp_text_cut_text(struct hp_buffer *out, struct hp_span text,
                      const struct hp_text_cut *cut);

// What stands beside names: leaves a line that is too short for it, `leaves` 1 first, 0 never.
struct hp_text_part {
    size_t cells;
    int leaves;
    bool is_gone;
};

// Which parts have to leave; how many cells the name has, or 0: as many as it needs.
size_t hp_text_fit(const struct hp_view *view, struct hp_text_part *parts, size_t count);

// --- names --------------------------------------------------------------------------------

// What the rows of one report are called: no two of them the same.
struct hp_text_names;

// First all names in the order of rows, with the room that they have; of a node that has several
// rows, the least.  Then they are told apart.
struct hp_text_names *hp_text_names_new(const struct hp_view *view);
void hp_text_names_add(struct hp_text_names *names, hp_node_id node, size_t room);
void hp_text_names_tell_apart(struct hp_text_names *names);
struct hp_span hp_text_name(const struct hp_text_names *names, hp_node_id node);
void hp_text_put_name(struct hp_sink *out, const struct hp_text_names *names,
                      hp_node_id node);
void hp_text_names_free(struct hp_text_names *names);

// --- numbers ------------------------------------------------------------------------------

// "153.5 MiB" or "1,234"; and a number that is no exact sum, as one.
void hp_text_format(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit);
hp_fixed hp_text_fixed(double value, enum hp_metric metric);

// "+6.6 MiB"
void hp_text_signed(char text[HP_SIGNED_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit);

// The same of a rate; without a sign if it is too small to be told from nothing.
void hp_text_rate(char text[HP_SIGNED_SIZE], double value, enum hp_metric metric,
                  enum hp_unit unit);

// "73.7%", or "-" of nothing.
void hp_text_share(char text[HP_NUMBER_SIZE], hp_fixed part, hp_fixed whole);

// "0.0012", "<0.0001"; "-" if it is NAN.
void hp_text_p(char text[HP_NUMBER_SIZE], double p);

// --- estimates ----------------------------------------------------------------------------

enum {
    HP_INTERVAL_SIZE = 2 * HP_NUMBER_SIZE + 8,
};

// A value and what is open of it, to be read together: in one unit, and no digit of the value is
// less than the last of its error.
struct hp_text_estimate {
    hp_fixed sum;
    char value[HP_NUMBER_SIZE];      // "73.5 MiB"
    char interval[HP_INTERVAL_SIZE]; // "± 4.9 MiB", "0.37 … 1.40 MiB", "17 or more", why
                                     // there is none, or "" if nothing is open
    bool is_half;                    // the first of these
    bool is_alone;    // the interval stands in place of the value, which is too high
    const char *note; // what an interval of objects does not tell, for sentences; or NULL
};

// Of a value whose interval is known, or NAN.
void hp_text_measure(struct hp_text_estimate *text, hp_fixed value,
                     struct hp_interval range, enum hp_metric metric, enum hp_unit unit);

// Of a total; and of a row, of which nothing is told that does not stand on samples.
void hp_text_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                      const struct hp_amount *amount, enum hp_metric metric);
void hp_text_row_estimate(struct hp_text_estimate *text, const struct hp_view *view,
                          const struct hp_amount *amount);

// In a sentence behind the value: " ± 4.9 MiB", " (0.37 … 1.40 MiB)".
void hp_text_open(struct hp_sink *out, const struct hp_text_estimate *text);

// Bytes to the nearest, and what they are at most.
void hp_text_about(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit);
void hp_text_at_most(char text[HP_NUMBER_SIZE], double bytes, enum hp_unit unit);

// --- cells --------------------------------------------------------------------------------

// Right-aligned in so many cells.
void hp_text_put(struct hp_sink *out, const char *text, int width);

// The value of an estimate in a column of its own: "-" where its interval is alone.
void hp_text_put_value(struct hp_sink *out, const struct hp_text_estimate *text,
                       int width);

// Of the report's metric.
void hp_text_value(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                   int width);
// The total that shares are of; 0 of differences, of which nothing is a share.
hp_fixed hp_text_whole(const struct hp_view *view);
// " (12.3% of the total)", or nothing.
void hp_text_of_total(struct hp_sink *out, const struct hp_view *view, hp_fixed value);
void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole);

// The same, as it stands in an estimate if that is of as much.
void hp_text_value_of(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                      const struct hp_text_estimate *text, int width);

// What is open of an estimate, with a mark if it stands on few samples; the title of that column,
// by the column that it is of; what stands there of nothing; and the line below a table that
// says what they are.
void hp_text_error(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_amount *amount, const struct hp_text_estimate *text,
                   int width);
void hp_text_error_title(struct hp_sink *out, const struct hp_view *view, const char *of,
                         int width);
void hp_text_error_blank(struct hp_sink *out, int width);
void hp_text_error_note(struct hp_sink *out, const struct hp_view *view);

// Cells of the columns of amounts, and of what is open of them, without its mark: as a rule, and as
// the widest of what they hold needs where lines have to fit.
struct hp_text_widths {
    int amount, error;
};

struct hp_text_widths hp_text_widths_of(const struct hp_view *view);
void hp_text_widen(struct hp_text_widths *widths, const struct hp_view *view,
                   const struct hp_amount *amount);

// Whether the report shows what sampling leaves open.
bool hp_text_has_errors(const struct hp_view *view);

// What begins and ends a line of titles.
const char *hp_text_bold(const struct hp_view *view);
const char *hp_text_plain(const struct hp_view *view);

// What follows "address", or another word, of more than one.
const char *hp_text_plural(const char *what, bool is_one);

// How to see what is left out: ends such lines.
void hp_text_how_to_see_all(struct hp_sink *out, const struct hp_view *view);

// The last line of a table that was cut: `rows` more, which hold `value`.
void hp_text_rest(struct hp_sink *out, const struct hp_view *view, size_t rows,
                  const char *what, hp_fixed value);

// The last lines of all, on what folding moved.
void hp_text_charges(struct hp_sink *out, const struct hp_view *view);

// --- heads --------------------------------------------------------------------------------

// The lines above a table: what was read, its totals, what to know about it; and those of a
// comparison and a series.
hp_writer hp_text_head, hp_text_diff_head, hp_text_trend_head, hp_text_lifetime_head;

// Below a row of hp_view_is_recent() that has one.
void hp_text_recent_pair(struct hp_sink *out, const struct hp_view *view, size_t row);

// Below the tables of both: what p and its mark are.  `few` samples have none.
void hp_text_diff_note(struct hp_sink *out, const struct hp_view *view, const char *few);
void hp_text_spread(struct hp_sink *out, const struct hp_view *view); // below the rows
void hp_text_onsets(struct hp_sink *out,
                    const struct hp_view *view); // since when rows grow
void hp_text_trend_note(struct hp_sink *out, const struct hp_view *view, const char *few);

// Instead of the table of a diff in which every row holds what it held; false: of others.
bool hp_text_no_change(struct hp_sink *out, const struct hp_view *view);

// Parts of that: "jemalloc heap_v2 · sample period 512 KiB · 7 stacks" and the thread that alone
// was read, and the warnings.
void hp_text_moments(struct hp_sink *out, const struct hp_view *view);
void hp_text_inputs(struct hp_sink *out, const struct hp_view *view);
// "filters    --focus=f leave ", or nothing and false.
bool hp_text_filters(struct hp_sink *out, const struct hp_view *view);
void hp_text_warnings(struct hp_sink *out, const struct hp_view *view);

// --- reports ------------------------------------------------------------------------------

hp_writer hp_text_stacks, hp_text_tree, hp_text_peek, hp_text_list, hp_text_info,
    hp_text_account;

#endif

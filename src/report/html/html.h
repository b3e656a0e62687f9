// A report as one HTML file that needs nothing else: a part that can be read without a
// script, and the data that the page's script shows more of. schema/html.md says what is
// in it.
//
// Map of src/report/html:
//
//   html_document.c   the format, and the document from its policy to its end
//   html_static.c     the part without a script: sentence, table, tree
//   html_changes.c, html_trend.c   the same for a comparison and for a trend
//   html_tables.c     names, functions and frames by number
//   html_data.c       the data; parts are in html_stacks.c, html_ends.c, html_series.c
//   html_block.c      the element around the data, plain or compressed
//   html_summary.c    the first rows for programs;  html_text.c: text, cells, lines
//   page/, page_joiner.c   the script and the style, and how the build joins them
//
// Invariants: text from inputs is made safe in hp_html_text() or written as JSON that
// contains no HTML.  The policy of the page allows only the script and style of the
// build.  Large tables are written column by column and are never in memory as a whole.
//
// Read schema/html.md first, then html_document.c and html_data.c.
#ifndef HP_REPORT_HTML_HTML_H
#define HP_REPORT_HTML_HTML_H

#include "report/format.h"

// --- text ---------------------------------------------------------------------------------

// Write untrusted text between tags or in quotes; it is also made safe as for a terminal.
void hp_html_text(struct hp_sink *out, struct hp_span text);

// Write the lines of a text report as list items, "<li>in use · 73.5 MiB</li>".  Empty
// lines and the last `left_out` others are not written.
void hp_html_lines(struct hp_sink *out, const struct hp_view *view, hp_writer *writer,
                   size_t left_out);

// --- names ------------------------------------------------------------------------------

// The names that occur in stacks, by the numbers that the data uses.
struct hp_html_tables {
    // All texts; the numbers below are numbers of strings unless they say otherwise.
    struct hp_strtab strings;

    // By function: its full name, the name that filters look at, and the short name.
    // Function 0 has no name.
    struct {
        HP_VEC(uint32_t) full, match, shown;
    } functions;

    // By name: its full text, the text that is shown, and its node in the view.
    struct {
        HP_VEC(uint32_t) text, shown;
        HP_VEC(hp_node_id) nodes;
    } names;

    HP_VEC(uint32_t) sites; // for each frame: its site in the view
    // For each frame: its name, function, file and module.
    HP_VEC(uint32_t) name_of, function_of, file_of, module_of;
    uint32_t *frame_of;  // for each site: its frame, + 1; 0: no stack has it
    uint32_t *number_of; // for each node: its name, + 1; 0: no stack has it
};

// Collect everything that the stacks of a view name. hp_html_tables_done() frees it.
void hp_html_tables_init(struct hp_html_tables *tables, const struct hp_view *view);
void hp_html_tables_done(struct hp_html_tables *tables);

// The text that is shown for a node: its short name, made distinct if others have the
// same one.
struct hp_span hp_html_name(const struct hp_view *view,
                            const struct hp_html_tables *tables, hp_node_id node);

// --- what can be read without a script ----------------------------------------------------

// The writers that differ between top, a diff and a trend.
struct hp_html_kind {
    hp_writer *title;  // "heap profile of x.heap"
    hp_writer *head;   // lines of facts and warnings
    hp_writer *titles; // the titles of cells, after that of the name
    hp_writer *notes;  // lines: explanations of the table
    hp_writer *total;  // the total in the summary

    // Write the total, and where most of it is.
    void (*sentence)(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables);
    // Write the cells of a row, after that of the name.
    void (*cells)(struct hp_sink *out, const struct hp_view *view, size_t row);
    // Write the value before a name in the tree.
    void (*node)(struct hp_sink *out, const struct hp_view *view,
                 const struct hp_page_node *node);
    // Write members of a row of the summary, each after a comma.
    void (*fields)(struct hp_sink *out, const struct hp_view *view, size_t row);
};

extern const struct hp_html_kind hp_html_top, hp_html_diff, hp_html_trend;

// The writers for a view.
const struct hp_html_kind *hp_html_kind_of(const struct hp_view *view);

// Write the table, and the tree of calls, for readers without a script.
void hp_html_table(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_html_tables *tables);
void hp_html_tree(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// Write a cell or its title.  `key` identifies the column for the script; the title
// itself is not made safe.
void hp_html_put_title(struct hp_sink *out, const char *key, const char *title);
void hp_html_put_cell(struct hp_sink *out, const char *key, const char *text);
void hp_html_put_amount(struct hp_sink *out, const struct hp_view *view, const char *key,
                        hp_fixed amount);

// Write the change of a node in the tree, "61.3 MiB → 70.8 MiB: +9.5 MiB, p 0.01".
void hp_html_change_node(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_page_node *node);

// --- data ---------------------------------------------------------------------------------

// Write the element with the data.
void hp_html_data(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// The end of a stack, at the node of its leaf.
struct hp_html_end {
    uint32_t stack;
    // Place of the value among the facet's values if the facet is of inputs, else 0.
    uint32_t place;
    uint32_t value; // number of the facet's value
};

// Ends in the order of stacks, then of places.  The caller frees them with hp_vec_done().
struct hp_html_ends {
    struct hp_html_end *at;
    size_t count, capacity;
};

// Write the names and frames; write the tree of nodes, and the nodes where stacks end.
void hp_html_put_tables(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables);
void hp_html_put_nodes(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables,
                       const struct hp_html_ends *ends);

// Collects the distinct sums of a column, because most stacks have one of few sums.
// Values of the stacks are the mean of `dumps` dumps.
struct hp_html_sums *hp_html_sums_new(size_t stacks, enum hp_column column, double dumps);
void hp_html_sums_free(struct hp_html_sums *sums);
// Read the sums of all stacks; returns the number of each stack's sum, 0 if it holds
// nothing.  The result is valid until more is read.
const uint32_t *hp_html_sums_read(struct hp_html_sums *sums,
                                  const struct hp_stack_sums *of);
// Write the distinct sums, member by member.
void hp_html_put_values(struct hp_sink *out, const struct hp_html_sums *sums);

// Read the sums of stacks for each value of the facet, if it divides inputs.  Returns for
// each stack as many numbers as there are places; the caller frees them.
uint32_t *hp_html_split(const struct hp_view *view, struct hp_html_sums *sums);
// Number of places: the values of the facet if it divides inputs, else 1.
size_t hp_html_end_places(const struct hp_view *view);
// Find the ends of stacks: the places where any of `columns` has a sum.  Each column has
// a number for each place of each stack.
void hp_html_ends_init(struct hp_html_ends *ends, const struct hp_view *view,
                       const uint32_t *const *columns, size_t count);

// The dumps of a trend: the sums of all stacks in the first dump, and the changes in each
// later one.
struct hp_html_series *hp_html_series_new(const struct hp_view *view,
                                          struct hp_html_sums *sums);
void hp_html_series_free(struct hp_html_series *series);
// For each stack the number of its sum in the first dump.
const uint32_t *hp_html_series_first(const struct hp_html_series *series);
void hp_html_put_series(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables,
                        const struct hp_html_series *series);

// Write the changes of a comparison.
void hp_html_put_changes(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_html_tables *tables);

// Write an array of numbers, [1,2,3], that a function returns or an array contains; write
// one integer.
typedef uint32_t hp_html_number_fn(const void *data, size_t i);
void hp_html_put_numbers(struct hp_sink *out, size_t count, hp_html_number_fn *number,
                         const void *data);
void hp_html_put_integers(struct hp_sink *out, size_t count, const uint32_t *numbers);
void hp_html_put_integer(struct hp_sink *out, int64_t number);

// Write JSON inside an element with '<', '>' and '&' escaped, so that it contains no
// HTML.
void hp_html_put_inert(struct hp_sink *out, struct hp_span json);

// Write a <script> element with a JSON summary, for programs that read the page: the
// total, the number of rows of the report, and as many of its first rows as fit in 8,000
// bytes.
void hp_html_summary(struct hp_sink *out, const struct hp_view *view);

// Write the element around the data that `fill` writes: plain if it is small, else
// compressed.  `fill` is called once or twice and must write the same each time.
typedef void hp_html_fill(struct hp_sink *out, const void *data);
void hp_html_block(struct hp_sink *out, hp_html_fill *fill, const void *data);

// --- the page -----------------------------------------------------------------------------

// Made from page/ by the build; the digests are as a Content-Security-Policy has them.
extern const unsigned char hp_html_script[], hp_html_style[];
extern const size_t hp_html_script_size, hp_html_style_size;
extern const char hp_html_script_sha256[], hp_html_style_sha256[];

#endif

// A report as one HTML file that needs nothing else: what can be read without a script, and the
// data that the script of the page shows more of.  schema/html.md says what is in it.
#ifndef HP_REPORT_HTML_HTML_H
#define HP_REPORT_HTML_HTML_H

#include "report/format.h"

// --- text ---------------------------------------------------------------------------------

// A text from outside, made safe as for a terminal, between tags or in quotes.
void hp_html_text(struct hp_sink *out, struct hp_span text);

// The same of the lines that a writer for people puts: "<li>in use · 73.5 MiB</li>" of each but
// the last `left_out` and empty ones.
void hp_html_lines(struct hp_sink *out, const struct hp_view *view, hp_writer *writer,
                   size_t left_out);

// --- names ------------------------------------------------------------------------------

// What the stacks of a view name, by the numbers that the data calls it by.
struct hp_html_tables {
    struct hp_strtab strings;

    struct {
        HP_VEC(uint32_t) full, match, shown;
    } functions;

    struct {
        HP_VEC(uint32_t) text, shown;
        HP_VEC(hp_node_id) nodes;
    } names;

    HP_VEC(uint32_t) sites;                                    // of each frame the site
    HP_VEC(uint32_t) name_of, function_of, file_of, module_of; // of each frame
    uint32_t *frame_of;  // of each site, + 1; 0: no stack has it
    uint32_t *number_of; // of each node its name, + 1
};

void hp_html_tables_init(struct hp_html_tables *tables, const struct hp_view *view);
void hp_html_tables_done(struct hp_html_tables *tables);

// What a node is called: the short name, told apart from others that are shortened to the same.
struct hp_span hp_html_name(const struct hp_view *view,
                            const struct hp_html_tables *tables, hp_node_id node);

// --- what can be read without a script ----------------------------------------------------

// What differs between kinds of reports.
struct hp_html_kind {
    hp_writer *title;  // "heap profile of x.heap"
    hp_writer *head;   // lines of facts and warnings
    hp_writer *titles; // cells behind that of the name
    hp_writer *notes;  // lines: what is to be known of the table
    hp_writer *total;  // of the summary

    // What all comes to, and where most of it is.
    void (*sentence)(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables);
    void (*cells)(struct hp_sink *out, const struct hp_view *view, size_t row);
    // In front of a name in the tree.
    void (*node)(struct hp_sink *out, const struct hp_view *view,
                 const struct hp_page_node *node);
    // Members of a row of the summary, each behind a comma.
    void (*fields)(struct hp_sink *out, const struct hp_view *view, size_t row);
};

extern const struct hp_html_kind hp_html_top, hp_html_diff, hp_html_trend;

const struct hp_html_kind *hp_html_kind_of(const struct hp_view *view);

void hp_html_table(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_html_tables *tables);
void hp_html_tree(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// Cells and their titles; of the title itself nothing is made safe.
void hp_html_put_title(struct hp_sink *out, const char *key, const char *title);
void hp_html_put_cell(struct hp_sink *out, const char *key, const char *text);
void hp_html_put_amount(struct hp_sink *out, const struct hp_view *view, const char *key,
                        hp_fixed amount);

// "61.3 MiB -> 70.8 MiB: " of a call in the tree, and by how much it grew.
void hp_html_change_node(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_page_node *node);

// --- data ---------------------------------------------------------------------------------

// The element of the data.
void hp_html_data(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// Where a stack ends.
struct hp_html_end {
    uint32_t stack;
    uint32_t place; // of the facet's values, if it is of inputs; else 0
    uint32_t value; // of the facet
};

// In order.
struct hp_html_ends {
    struct hp_html_end *at;
    size_t count, capacity;
};

// Names, frames and nodes; where stacks end, and what they hold.
void hp_html_put_tables(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables);
void hp_html_put_nodes(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables,
                       const struct hp_html_ends *ends);

// The distinct sums of a column; of stacks whose values are the mean of so many dumps.
struct hp_html_sums *hp_html_sums_new(size_t stacks, enum hp_column column, double dumps);
void hp_html_sums_free(struct hp_html_sums *sums);
// Of each stack the number of what it holds, until more is read.
const uint32_t *hp_html_sums_read(struct hp_html_sums *sums,
                                  const struct hp_stack_sums *of);
void hp_html_put_values(struct hp_sink *out, const struct hp_html_sums *sums);

// Of groups of inputs the number of what each holds: of each stack as many as there are places; to be freed.
uint32_t *hp_html_split(const struct hp_view *view, struct hp_html_sums *sums);
// How many those are; else 1.
size_t hp_html_end_places(const struct hp_view *view);
// Those of columns with a number for each place of each stack.
void hp_html_ends_init(struct hp_html_ends *ends, const struct hp_view *view,
                       const uint32_t *const *columns, size_t count);

// Of a trend: what stacks hold in each dump.
struct hp_html_series *hp_html_series_new(const struct hp_view *view,
                                          struct hp_html_sums *sums);
void hp_html_series_free(struct hp_html_series *series);
const uint32_t *hp_html_series_first(const struct hp_html_series *series);
void hp_html_put_series(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables,
                        const struct hp_html_series *series);

// Of a comparison.
void hp_html_put_changes(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_html_tables *tables);

// [1,2,3]
typedef uint32_t hp_html_number_fn(const void *data, size_t i);
void hp_html_put_numbers(struct hp_sink *out, size_t count, hp_html_number_fn *number,
                         const void *data);
void hp_html_put_integers(struct hp_sink *out, size_t count, const uint32_t *numbers);
void hp_html_put_integer(struct hp_sink *out, int64_t number);

// JSON in an element, so that nothing in it is taken for HTML.
void hp_html_put_inert(struct hp_sink *out, struct hp_span json);

// The first rows, for programs.
void hp_html_summary(struct hp_sink *out, const struct hp_view *view);

// The element around what a writer puts, as it is or packed; it is called once or twice.
typedef void hp_html_fill(struct hp_sink *out, const void *data);
void hp_html_block(struct hp_sink *out, hp_html_fill *fill, const void *data);

// --- the page -----------------------------------------------------------------------------

// What the build makes of page/, with its digests as a policy has them.
extern const unsigned char hp_html_script[], hp_html_style[];
extern const size_t hp_html_script_size, hp_html_style_size;
extern const char hp_html_script_sha256[], hp_html_style_sha256[];

#endif

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
#include "report/json/json_writer.h"

// --- text ---------------------------------------------------------------------------------

// Write untrusted text between tags or in quotes; it is also made safe as for a terminal.
void hp_html_text(struct hp_sink *out, struct hp_span text);

// Write the lines of text that `writer` produces as list items, "<li>in use · 73.5
// MiB</li>", except empty lines and the last `left_out` lines that are not empty.
void hp_html_lines(struct hp_sink *out, const struct hp_view *view, hp_writer *writer,
                   size_t left_out);

// --- names ------------------------------------------------------------------------------

// The texts, functions, names and frames that occur in stacks.  The data of the page
// refers to each of them by its number in these tables.
struct hp_html_tables {
    // All texts.  A uint32_t below is the number of one of these strings, unless its
    // comment says otherwise.
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
    // For each frame: its index in `names` and in `functions`, and the strings of its
    // file and module.
    HP_VEC(uint32_t) name_of, function_of, file_of, module_of;
    uint32_t *frame_of;  // for each site: number of its frame, + 1; 0: no stack has it
    uint32_t *number_of; // for each node: index in `names`, + 1; 0: no stack has it
};

// Fill the tables with all calls in the stacks of a view. hp_html_tables_done() frees
// their members.
void hp_html_tables_init(struct hp_html_tables *tables, const struct hp_view *view);
void hp_html_tables_done(struct hp_html_tables *tables);

// The text that is shown for a node: its short name, made distinct if others have the
// same one.
struct hp_span hp_html_name(const struct hp_view *view,
                            const struct hp_html_tables *tables, hp_node_id node);

// --- what can be read without a script ----------------------------------------------------

// Writers of the parts of a page that differ between top, a diff and a trend.
struct hp_html_kind {
    hp_writer *title;  // title of the page: "heap profile of x.heap"
    hp_writer *head;   // lines of facts about the inputs
    hp_writer *titles; // titles of the columns after the column of names
    hp_writer *notes;  // lines below the table that explain it

    // Write the sentence at the top of the page: the total, and the row that has most of
    // it or changed most.
    void (*sentence)(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_html_tables *tables);
    // Write the cells of a row, except the name and the class.
    void (*cells)(struct hp_sink *out, const struct hp_view *view, size_t row);
    // Write the value or change of a node of the tree, before its name.
    void (*node)(struct hp_sink *out, const struct hp_view *view,
                 const struct hp_page_node *node);
    // Write the member "total" of the JSON summary, and the values of a row as members of
    // its object there.
    void (*total)(struct hp_json *json, const struct hp_view *view);
    void (*fields)(struct hp_json *json, const struct hp_view *view, size_t row);
};

extern const struct hp_html_kind hp_html_top, hp_html_diff, hp_html_trend;

// The writers for a view.
const struct hp_html_kind *hp_html_kind_of(const struct hp_view *view);

// The number of rows of the table, without those at its end that hold nothing or have not
// changed.
size_t hp_html_shown(const struct hp_view *view);

// Write what the text report says in its first line: `answer` writes that.
void hp_html_answer(struct hp_sink *out, const struct hp_view *view, hp_writer *answer);

// Write the table, and the tree of calls, for readers without a script.
void hp_html_table(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_html_tables *tables);
void hp_html_tree(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// Write a cell of the table, or the title of a column.  `key` identifies the column for
// the script; a title must be safe HTML already. hp_html_put_amount() writes "-" for 0.
void hp_html_put_title(struct hp_sink *out, const char *key, const char *title);
void hp_html_put_cell(struct hp_sink *out, const char *key, const char *text);
void hp_html_put_amount(struct hp_sink *out, const struct hp_view *view, const char *key,
                        hp_fixed amount);

// Write the change of a node in the tree, "61.3 MiB → 70.8 MiB: +9.5 MiB, p 0.01".
void hp_html_change_node(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_page_node *node);

// --- data ---------------------------------------------------------------------------------

// Write the <script> element with the data of the page.
void hp_html_data(struct hp_sink *out, const struct hp_view *view,
                  const struct hp_html_tables *tables);

// The end of a stack, at the node of its leaf.
struct hp_html_end {
    uint32_t stack;
    // Index of the value in the facet's values if the facet divides inputs, else 0.
    uint32_t place;
    uint32_t value; // index in the facet's values; unused without a facet
};

// The ends of all stacks, in the order of stacks, then of the values of the label or
// property that the page divides inputs by.  The caller frees them with hp_vec_done().
struct hp_html_ends {
    struct hp_html_end *at;
    size_t count, capacity;
};

// hp_html_put_tables() writes the functions, names and frames. hp_html_put_nodes() writes
// the tree of all stacks, and the node of each end.
void hp_html_put_tables(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables);
void hp_html_put_nodes(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables,
                       const struct hp_html_ends *ends);

// Collects the distinct sums (bytes, objects and their errors) that stacks have in a
// column: many stacks have equal sums.  The values that are read must be means of `dumps`
// dumps.
struct hp_html_sums *hp_html_sums_new(size_t stacks, enum hp_column column, double dumps);
void hp_html_sums_free(struct hp_html_sums *sums);
// Read the sums of all stacks from `of`.  Returns for each stack the number of its sum
// among the distinct sums, from 1 on; 0: the stack has no memory.  The result is valid
// until the next call.
const uint32_t *hp_html_sums_read(struct hp_html_sums *sums,
                                  const struct hp_stack_sums *of);
// Write the distinct sums as an object with one array for each member of a sum.
void hp_html_put_values(struct hp_sink *out, const struct hp_html_sums *sums);

// Divide the sums of stacks by the label or property that the page divides inputs by.
// Returns for each stack and each value of it (place) the number of the stack's sum over
// the inputs with this value.  The caller frees the result.
uint32_t *hp_html_split(const struct hp_view *view, struct hp_html_sums *sums);
// Return the number of values (places) of the label or property that the page divides
// inputs by; 1 if it does not divide inputs.
size_t hp_html_end_places(const struct hp_view *view);
// Find the ends of stacks: the values of the label or property that the page divides
// inputs by (places) for which the stack's sum is not 0 in some of the `count` columns.
// A column has the number of a sum for each place of each stack.  A stack without any sum
// has one end, at place 0.
void hp_html_ends_init(struct hp_html_ends *ends, const struct hp_view *view,
                       const uint32_t *const *columns, size_t count);

// Read the dumps of a trend: the sums of all stacks in the first dump, and the sums that
// changed in each later one.  Adds distinct sums to `sums`.
struct hp_html_series *hp_html_series_new(const struct hp_view *view,
                                          struct hp_html_sums *sums);
void hp_html_series_free(struct hp_html_series *series);
// For each stack, the number of its sum in the first dump; 0: none.  Borrowed from
// `series`.
const uint32_t *hp_html_series_first(const struct hp_html_series *series);
void hp_html_put_series(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables,
                        const struct hp_html_series *series);

// Write the results of a comparison: the change of the total, of each row, and of each
// box of the flame graph, with intervals and p-values.
void hp_html_put_changes(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_html_tables *tables);

// Write an array of numbers, [1,2,3]: hp_html_put_numbers() writes those that a function
// of this type returns for 0 to count - 1, hp_html_put_integers() those of an array.
// hp_html_put_integer() writes one number.
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

// The type of a function that writes the data of the page; it is called once or twice and
// must write the same each time.  hp_html_block() writes the element around these data:
// plain if they are small, else compressed.
typedef void hp_html_fill(struct hp_sink *out, const void *data);
void hp_html_block(struct hp_sink *out, hp_html_fill *fill, const void *data);

// --- the page -----------------------------------------------------------------------------

// The script and the style of the page, which the build makes from page/.  The digests
// are in base64, as in a Content-Security-Policy.
extern const unsigned char hp_html_script[], hp_html_style[];
extern const size_t hp_html_script_size, hp_html_style_size;
extern const char hp_html_script_sha256[], hp_html_style_sha256[];

#endif

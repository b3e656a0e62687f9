// The folder view/ turns a profile into a view: a report as a value.  The view decides
// once what a report shows: for all formats, for the gate of --fail-if and for
// programs.  A format (report/) turns a view into bytes and decides nothing else.
//
// Entry points: hp_view_build() in view_build.c checks the options, applies the filters
// and calls `build` of the struct hp_report of the kind.  hp_view_cell() and the
// functions after it in cells.c read a finished view.  Sums are made when a view is
// built; intervals and origins are computed when a caller asks for them, and kept in
// struct hp_view_cache.
//
// Files in the order of a build, which is also the order to read them in:
//     naming, node_names, shortname    a node for each name of a frame
//     frame_rules, charges             classes of code that are folded: library, wrapper
//     filter, visible_frames           which calls of a stack are shown
//     sites, stacks, stack_*           distinct stacks, their order and values
//     top, report_top, groups, *_rows  flat and cum of functions, inputs and sizes
//     report_tree, _peek, _list        trees, callers and callees, lines of source
//     diff_sums, difference, holders   comparisons; open_code: code without names in them
//     series, resets, trends           dumps of one process in the order of time
//     report_lifetime, _account        lifetimes; the statistics of the allocator
//     precision, unseen, spread        intervals, missed stacks, spread between inputs
//     page, flames, edges, facet       HTML pages and pictures
//
// Terms (see also model/profile.h):
//   node         a name that rows and steps of stacks have, as a number: naming.h
//   row          a line of a table; mostly a node with its sums
//   flat, cum    sums of the stacks that end at a node, and of those that pass it
//   class        the kind of code of a call: own, library, allocator ...: frame_rules.h
//   folded       a call is folded if its memory is attributed to its caller
//   call site    a call at one place of the source: sites.h
//   place        in stacks: the visible part of a frame, or a folded call: stacks.h
//   series       the dumps of one process in the order of time: series.h
//   facet        a property by which a page divides stacks further: facet.h
//   holder       a single input or all inputs with equal labels: holders.h
//   unit         in statistics, one observation: a dump or a replicate: diff_sums.h
//   open code    code that cannot be compared in all dumps: open_code.h
//   recent pair  the stack that allocated an object and the one that freed it
//
// Invariants: a view borrows its profile, which must not change.  A node is a number
// below hp_node_count(), and node 0 is none.  A stack is added to a node once, however
// often it passes there.  A report fills view->rows or view->stacks; the rest is in
// view->extra.
#ifndef HP_VIEW_VIEW_H
#define HP_VIEW_VIEW_H

#include "view/edges.h"
#include "view/precision.h"
#include "view/projection.h"
#include "view/series.h"
#include "view/stacks.h"

// --- columns ------------------------------------------------------------------------------

// Flags that say how a text table shows a column, besides its plain number; bits.
enum hp_shown {
    HP_SHOWN_SHARE = 1 << 0,   // the number as a share of the total
    HP_SHOWN_RUNNING = 1 << 1, // share that all rows up to this one have together
    // The number with its sign, and as a share of the column `base`.
    HP_SHOWN_GROWTH = 1 << 2,
    HP_SHOWN_SIGNED = 1 << 3, // the number with its sign
    HP_SHOWN_DASH = 1 << 4,   // 0 is shown as "-"
    // Half the width of its interval, printed after the last column of estimates.
    HP_SHOWN_ERROR = 1 << 5,
    HP_SHOWN_ENDS = 1 << 6, // its interval, in a column after it
    HP_SHOWN_MARK = 1 << 7, // a star if the row is significant
    // JSON writes the column for all metrics that the inputs have, not only for the
    // view's metric.
    HP_ALL_METRICS = 1 << 8,
    // Only four digits of the number are written: others may differ between machines.
    HP_ROUGH = 1 << 9,
    HP_NEW_LINE = 1 << 10,     // in formatted JSON the column begins a new line
    HP_SHOWN_DETAIL = 1 << 11, // only in a text with details
    // Only in a text with details, or one that cannot draw the column of a series.
    HP_SHOWN_IN_ASCII = 1 << 12,
};

// The unit of the numbers of a column.
enum hp_field_unit {
    // By the type of its cells: estimates, sums and series are in the metric, and other
    // numbers have no unit; the unit of a rate is set by the report in column.unit.
    HP_IN_USUAL,
    HP_IN_METRIC, // bytes or objects, as the metric is
    HP_IN_BYTES,
    HP_IN_FRACTION,
    HP_IN_SECONDS,
    HP_IN_TIME, // seconds since 1970
};

struct hp_content;
struct hp_field;
struct hp_view;

// A cell of a report, as an accessor gets it.
struct hp_cell_at {
    const struct hp_view *view;
    size_t row;
    const struct hp_field *field;
    enum hp_metric metric;
};

// Fills in the content of a cell; members that it leaves alone mean "not known".
typedef void hp_cell_fn(const struct hp_cell_at *at, struct hp_content *content);

// A column of a report, with the instructions for the formats that write it.
struct hp_field {
    // title NULL: text tables leave the column out; unit: hp_view_set_fields() sets it.
    struct hp_view_column column;
    hp_cell_fn *cell; // NULL: the column has the flags of the row
    unsigned shown;   // enum hp_shown
    // Columns of one group form one object in JSON.  In other formats their keys begin
    // with the name of the group, as in "spread_mean".  NULL: no group.
    const char *group;
    int width; // width in a text table, in characters; 0: the width of an amount
    // Printed below a text table.  With HP_SHOWN_MARK: the number of samples below which
    // a row gets no p, as in "5 samples".
    const char *note;
    // Order in which columns are dropped from a text table that is too wide for its line:
    // 1 is dropped first; 0: never.
    int leaves;
    int id; // distinguishes columns that share an accessor
    enum hp_field_unit unit;
};

// A number of bytes or objects: the exact sum and its error.
struct hp_amount {
    hp_fixed sum; // the sum, in fixed point: see hp_fraction()
    // Error that the interval is computed from; NULL: the interval is `range`.
    const struct hp_error *error;
    struct hp_interval range; // set if `error` is NULL; NAN where an end is not known
    bool is_unknown;          // the metric was not added up: the sum is not known either
    // The amount is the sum of all stacks, whose error may be known although errors of
    // rows are not.
    bool is_total;
    // Number of rows among which this one was chosen for its size: its interval is
    // widened to allow for that choice.  0 or 1: it was not chosen.
    double among;
};

// The content of one cell.  Which members are set depends on the cell type of the column.
struct hp_content {
    struct hp_amount amount;
    double number; // NAN: not known
    // HP_CELL_COUNT: the 7 in "5 of 7", if `number` is the 5; 0 or NAN: there is none.
    double whole;
    const char *text;
    const char *label;    // `text` for people; NULL: the same
    const double *series; // HP_CELL_SERIES: `count` values, one for each dump
    size_t count;
};

// A node of the call tree that a page shows without its script.  Only the
// largest nodes are kept.
struct hp_page_node {
    hp_node_id name;
    uint32_t parent;   // number in view->tree; HP_NO_PARENT: a root
    uint32_t children; // number of nodes whose parent this is
    // Sums of the stacks that pass the node, in the base and in the new inputs.  Without
    // a comparison `before` is 0, and `sum` is over all inputs.
    hp_fixed before, sum;
    struct hp_error error;
    double p; // p-value of the change, in a comparison; NAN: not tested
    bool is_significant;
};

// A row of a report.  Its name is the name of its node.
struct hp_row_key {
    hp_node_id node;
    uint32_t parent;    // number of the row above it in a tree; HP_NO_PARENT: none
    uint32_t depth;     // depth of the row in a tree; 0: a root
    bool is_likely;     // rows of sizes: some of its objects may have another size
    const char *prefix; // text tables print it before the name, as in "new"; or NULL
};

// The `parent` of a root.
#define HP_NO_PARENT UINT32_MAX

// Numbers of two rows that are in no table: the sum of all stacks that were read, and the
// sum of the stacks that filters leave.
#define HP_ROW_TOTAL    (SIZE_MAX - 1)
#define HP_ROW_FILTERED (SIZE_MAX - 2)

// --- kinds of reports ---------------------------------------------------------------------

struct hp_open_code;

// The kind of data, such as rows or stacks, that a view must have so that a format can
// write it.
enum hp_shape {
    HP_SHAPE_ROWS,      // rows, as the kind of report builds them
    HP_SHAPE_GRAPH,     // rows of top by cum, and the calls between them
    HP_SHAPE_NAMES,     // distinct stacks of names
    HP_SHAPE_ADDRESSES, // distinct stacks of addresses
    HP_SHAPE_PAGE,      // rows, stacks of sites, and the largest nodes of a tree of names
    HP_SHAPE_PROFILE,   // the profile itself, before names and filters
};

// The change of one row, which is compared with the condition of --fail-if.  Members that
// a kind of report does not know are NAN.
struct hp_growth {
    hp_fixed before, after; // its values in base and new, or in first and last dump
    // P-value of the growth, adjusted for the number of rows; for a total not adjusted.
    double p;
    bool is_open; // not compared: the row's code lacks names in some dumps
    // Rows of code that lacks names on one side or both.  `open_before` is the most that
    // the row may have held before in stacks that are not compared; `plain_p` is its
    // p-value if it held nothing in them.
    double open_before, plain_p;
    // `p` allows for sampling error only, not for differences between processes.
    bool is_of_sampling;
    bool has_own_open; // open_before is above 0, and the row is code of the program
};

// A kind of report: its needs and its functions.
struct hp_report {
    const char *name; // its command, as in "top"
    // One line for the list of commands; NULL: no command makes this report.
    const char *help;
    const char *row;        // what one row represents; NULL: options.by decides
    const char *format;     // its format if none is chosen; NULL: text
    bool is_table;          // the report is rows only: formats of rows can write it
    bool needs_accounts;    // inputs must have statistics of the allocator
    bool needs_allocations; // inputs must have allocated bytes and their errors
    bool needs_series;      // the report shows view->series: dumps in the order of time
    bool has_sides;         // inputs are divided into base and new
    bool takes_pattern;     // a pattern selects the functions that the report is about
    bool has_one_metric;    // cells are known in the metric of the options only
    bool divides_stacks;    // each stack is in the flat value of one row only
    bool shows_source;      // rows are lines of source files
    bool explains_inputs;   // details of inputs are what the reader asked for
    // Whether rows are named after code, so that missing names matter.  NULL: options.by
    // decides.
    bool (*shows_code)(const struct hp_report_options *options);
    // Add rows and columns.  Returns an error code.  NULL: the report has no rows.
    int (*build)(struct hp_view *view, struct hp_err *err);
    // Flags of a row, enum hp_row_flag.  NULL: they follow from the row's value in the
    // first column of type HP_CELL_ESTIMATE.
    unsigned (*flags)(const struct hp_view *view, size_t row);
    // The change of a row, for the gate.  NULL: the report compares nothing.
    struct hp_growth (*growth)(const struct hp_view *view, size_t row);
    // Modules whose functions could not be compared in all dumps; NULL: all can be
    // compared.
    const struct hp_open_code *(*open_code)(const struct hp_view *view);
    // The source file and line of a row; NULL: use the origin of its node.
    struct hp_origin (*origin)(const struct hp_view *view, size_t row);
    // Called before row `row` is read: sort the rows at least up to it, as `build` sorted
    // only the rows that the format needs.  NULL: `build` sorted all rows.
    void (*settle)(const struct hp_view *view, size_t row);
    void (*done)(struct hp_view *view); // free what `extra` owns; NULL: it owns nothing
};

// X(kind, report) for each kind of report.  A report is defined at the end of its file;
// reports without rows are in reports.c.
// clang-format off
#define HP_EACH_REPORT(X) \
    X(HP_REPORT_TOP, hp_report_top) \
    X(HP_REPORT_TREE, hp_report_tree) \
    X(HP_REPORT_PEEK, hp_report_peek) \
    X(HP_REPORT_LIST, hp_report_list) \
    X(HP_REPORT_STACKS, hp_report_stacks) \
    X(HP_REPORT_DIFF, hp_report_diff) \
    X(HP_REPORT_TREND, hp_report_trend) \
    X(HP_REPORT_MERGE, hp_report_merge) \
    X(HP_REPORT_TIMELINE, hp_report_timeline) \
    X(HP_REPORT_INFO, hp_report_info) \
    X(HP_REPORT_ACCOUNT, hp_report_account) \
    X(HP_REPORT_LIFETIME, hp_report_lifetime) \
    X(HP_REPORT_PLAN, hp_report_plan)
// clang-format on

#define HP_DECLARE_REPORT(kind, report) extern const struct hp_report report;
HP_EACH_REPORT(HP_DECLARE_REPORT)

// All reports, by their kind.
extern const struct hp_report *const hp_reports[HP_REPORT_KINDS];

// The requirements of the format that a view is built for.
struct hp_view_use {
    enum hp_shape shape;
    unsigned can;  // enum hp_format_ability
    bool all_rows; // a program reads the view: it may ask for rows past the limit
};

// --- the view -----------------------------------------------------------------------------

// Facts about the inputs, which all reports show.
struct hp_head {
    const struct hp_input_summary *summary; // [HP_SIDES]: of all inputs, and by side
    const struct hp_input_record *inputs;   // the inputs of the profile, used and skipped
    size_t input_count;
    const struct hp_processes *processes; // processes of the inputs
    // Which dump of each process is used.
    enum hp_snapshots snapshots;
    // The profile keeps all dumps of each process separately; `snapshots` does not apply.
    bool has_moments;
    // The profile has only some shards (parts of the stacks) of a larger one; {0}: all.
    struct hp_shards shards;
    enum hp_metric chosen_for; // metric by which the largest dump of a process was chosen
    struct hp_span thread;     // name of the only thread that was read; "": all threads
    uint64_t older_than; // nanoseconds: only objects older than this were read; 0: all
    size_t stacks;       // number of stacks of the profile
    // Sums of all stacks, and of the stacks that filters leave.
    struct hp_values total, filtered;
    // Sums of the inputs that are used, one dump of each process: of all their memory
    // (hp_input_whole()), and of their stacks.
    struct hp_values counted, counted_stacks;
    struct hp_error errors[HP_COLUMNS];          // errors of `total`; {0}: not known
    struct hp_error filtered_errors[HP_COLUMNS]; // errors of `filtered`
    // `total`, changed by the headers of the dumps (struct hp_header_gain), and its
    // errors.  It is what reports give as the total; shares are of `total`, to which the
    // stacks add up.
    struct hp_values whole;
    struct hp_error whole_errors[HP_COLUMNS];
    bool has_gain; // some header was used
    // Whether sampling leaves the values of a column uncertain, and intervals are to be
    // shown.
    bool is_uncertain[HP_COLUMNS];
    // The same for the total of a column, whose error may be known although errors of
    // rows are not.
    bool is_total_uncertain[HP_COLUMNS];
    // Filters are set; the profile has allocated bytes; its inputs have times.
    bool is_filtered, has_alloc, has_times;
    // False: rows are dumps of one process at several times, whose sum means nothing.
    bool has_total;
    bool has_input_labels; // some input has labels of its own
    // Earliest time of the inputs that are used, in seconds since 1970; NAN: not known.
    double first_time;
    enum hp_estimator estimator;
};

// Origins of nodes, found on demand, by number of the node.
struct hp_origins {
    struct hp_origin *of; // NULL: no origin was asked for yet
    uint8_t *state;       // NOT_ASKED, ASKED or FOUND, see cells.c
};

// Results that are computed on demand, and buffers for the last result that was returned.
struct hp_view_cache {
    struct hp_origins origins;
    struct hp_stack_sums sums; // sums of the view's stacks, with errors
    // Interval of a row without samples, which many rows share, by metric.
    struct hp_interval of_nothing[HP_METRICS];
    bool has_nothing[HP_METRICS]; // whether of_nothing is computed
    // Estimates of the stacks that sampling missed, by column; NULL: not computed yet.
    struct hp_unseen *unseen[HP_COLUMNS];
    struct hp_row row;          // returned by hp_view_row()
    struct hp_frame_info frame; // returned by hp_view_frame()
    // Returned by hp_view_stack().
    HP_VEC(uint32_t) frames;
    // Linked lists of the profile's stacks that are one stack of the view: the first of
    // each list by stack of the view, and the next one by stack of the profile.  Numbers
    // are increased by 1; 0: the list ends.
    uint32_t *first_member;
    uint32_t *next_member;
    struct hp_sizes sizes; // parts of the stack that hp_view_stack_sizes() got last
    // Returned by hp_view_stack_sizes(): the parts of `sizes`, most bytes first.
    HP_VEC(const struct hp_size_part *) parts;
};

// --- facet of a page: see facet.h ---------------------------------------------------------

// In hp_facet.of_set: samples with this set of labels do not have the property; the
// inputs that contain the stack have it instead.
#define HP_OF_INPUTS UINT32_MAX

// An input and the value that it has of the label or property by which the page divides
// stacks.
struct hp_facet_input {
    const struct hp_input_record *record; // borrowed
    uint32_t place;                       // index of its value in hp_facet.values
};

// The label or the property of inputs by which a page divides stacks further (its facet),
// and the values that it has.  {0}: there is none.  A place is an index into `values`.
struct hp_facet {
    char *key; // "thread", "label:tenant", "input"
    struct hp_strtab names;
    HP_VEC(hp_string) values; // strings of `names`, in byte order
    // By set of labels (profile->tags.sets): place of its value, or HP_OF_INPUTS.  Owned.
    uint32_t *of_set;
    HP_VEC(struct hp_facet_input) inputs; // empty if only samples have the property
};

// A warning about one report; both texts are owned.
struct hp_caution {
    char *code, *text;
};

// A report as a value.  Members are private to view/ and to the formats.
struct hp_view {
    // The profile that is shown, borrowed; only view/ reads it.
    const struct hp_profile *profile;
    const struct hp_report *report;
    struct hp_report_options options; // defaults are filled in: 0 means 0
    // The sample type that is shown instead of a metric; or NULL.
    const struct hp_sample_type *type;
    char *type_name; // name of `type`; owned
    // The profile with `type` as its metric: then `profile` points to it.  NULL: a metric
    // is shown.
    struct hp_profile *projection;
    // The profile whose stacks are groups, if rows are groups; else NULL.  Owned.
    struct hp_profile *grouped;
    // The profile whose stacks have outermost frames for the values of a label, if stacks
    // are listed by a label; else NULL.  Owned.
    struct hp_profile *labelled;
    // Differences of two profiles, divided into increases and decreases: then `profile`
    // points to it.  NULL: not divided.
    struct hp_profile *split;
    const struct hp_profile *whole; // the profile as it was given, with all metrics
    struct hp_view_use use;
    struct hp_head head;
    struct hp_precision precision;
    struct hp_filters filters;
    struct hp_frame_rule *rules; // copies of options.frame_rules; owned
    struct hp_naming naming;
    // By stack of the profile: whether filters leave any of it; NULL: there are no
    // filters.
    bool *is_visible;
    // Columns of the report, in their order.
    HP_VEC(struct hp_field) fields;
    // All rows of the report.  At least the first hp_view_needed() ones are sorted.
    HP_VEC(struct hp_row_key) rows;
    // Number of rows, or of stacks, that HP_LIMIT_ENOUGH shows.
    size_t enough;
    // Largest number of rows that options.max_bytes has room for; SIZE_MAX: no limit.
    size_t fitting;
    // Distinct stacks; {0} if the format needs none.
    struct hp_stacks stacks;
    // Numbers of the view's stacks, those of the largest value first; NULL: the report
    // does not sort stacks.
    uint32_t *by_value;
    // Number of the first stacks of by_value that the report shows: stacks whose value is
    // not 0.
    size_t listed;
    // Dumps of a timeline, a trend or a lifetime, by process and time.
    struct hp_series_dump *series;
    size_t series_count;
    struct hp_gate gate; // copy of options.gate
    // Another view whose rows are compared with the gate; NULL: the rows of this view.
    struct hp_view *judged;
    void *extra;                        // data of the kind of report; owned
    char *label;                        // copy of options.label; or NULL; owned
    HP_VEC(struct hp_caution) cautions; // warnings about this report only
    struct hp_edges edges;              // calls between the rows of a graph
    size_t drawn;                     // number of rows that a graph draws, the first ones
    HP_VEC(struct hp_page_node) tree; // nodes of a page, callers first, then by value
    struct hp_facet facet;            // how a page divides stacks further, as by thread
    struct hp_page_changes *changes;  // changes that a page of a comparison shows
    struct hp_view_cache *cache;
};

// Build a view as hp_view_new() does, from options whose defaults are filled in.  Returns
// NULL on failure, with the reason in `err`.  The caller frees it by hp_view_free().
struct hp_view *hp_view_build(const struct hp_profile *profile,
                              const struct hp_report_options *options,
                              struct hp_view_use use, struct hp_err *err);

// Whether a page divides stacks further, by labels of their samples or by properties of
// their inputs.  hp_page_take_facet() sets up view->facet of such a page, whose rows are
// functions from then on.  It returns HP_E_USAGE if the facet has too many values, or if
// dumps of one process would be added up.
bool hp_page_has_facet(const struct hp_view *view);
HP_MUST_CHECK int hp_page_take_facet(struct hp_view *view, struct hp_err *err);

// Add a warning to view->cautions; its code is that of the format.
HP_PRINTF(2, 3)
void hp_caution(struct hp_view *view, const char *format, ...);
// Add a warning with the code of `message`; takes `text` over.
void hp_caution_add(struct hp_view *view, const char *message, char *text);
// Add warnings to view->cautions: numbers that readers of its format cannot hold; names
// longer than the part that patterns are matched with; functions that are not compared
// in all dumps.  An empty report cannot print warnings: hp_cautions_explain() appends
// them to the message in `err`.
void hp_cautions_of_numbers(struct hp_view *view);
void hp_cautions_of_patterns(struct hp_view *view);
void hp_cautions_of_code(struct hp_view *view);
void hp_cautions_explain(const struct hp_view *view, struct hp_err *err);
void hp_cautions_done(struct hp_view *view);

// Build the rows of a page, and its tree, facet and changes.
HP_MUST_CHECK int hp_page_build(struct hp_view *view, struct hp_err *err);
void hp_page_done(struct hp_view *view);

// Append `count` columns to the report, while it is built.  hp_view_field() returns the
// column with a key, which the report must have.
void hp_view_set_fields(struct hp_view *view, const struct hp_field *fields,
                        size_t count);
struct hp_field *hp_view_field(struct hp_view *view, const char *key);

// Append a row without a parent.  The row may move when another one is added.
static inline struct hp_row_key *hp_view_add_row(struct hp_view *view, hp_node_id node) {
    return hp_vec_push(&view->rows,
                       ((struct hp_row_key){.node = node, .parent = HP_NO_PARENT}));
}

// Whether any stack that filters leave has a value below zero.
bool hp_view_is_negative(const struct hp_view *view);

// Number of rows that are shown, of `count` rows: as many as options.limit and
// options.max_bytes allow.  hp_view_limited() applies options.limit only.
size_t hp_view_shown(const struct hp_view *view, size_t count);
size_t hp_view_limited(const struct hp_view *view, size_t count);

// hp_view_all_shown(): number of the view's rows or stacks that options.limit alone would
// show, for any kind of report.  hp_view_fitting(): number of rows, of `count`, that
// options.max_bytes has room for; trees use it, as they apply options.limit when they are
// built.
size_t hp_view_all_shown(const struct hp_view *view);
size_t hp_view_fitting(const struct hp_view *view, size_t count);

// Bounds for the number of rows that HP_LIMIT_ENOUGH shows.
enum {
    HP_LEAST_ROWS = 10, // shown at least, if there are as many
    HP_MOST_ROWS = 20,  // shown at most
    // Rows that a headline compares, whatever the limit is.
    HP_LEAST_NEEDED = 12,
};

// Values of rows, the largest first.  Only as many are kept as may be shown.  {0} is
// empty.
struct hp_enough {
    hp_fixed first[HP_MOST_ROWS];
    size_t count; // number of values that were added
    hp_fixed all; // sum of the absolute values of all that were added
};

// Add a value, which must not be larger than the values added before.
static inline void hp_enough_add(struct hp_enough *values, hp_fixed value) {
    if (values->count < HP_MOST_ROWS) {
        values->first[values->count] = value;
    }
    values->count++;
    values->all += value < 0 ? -value : value;
}

// Number of rows that HP_LIMIT_ENOUGH shows: the first rows that together hold 95 % of
// values->all; or if rows are sorted by cum, and in trees and peek, the rows that hold at
// least 1 % of `whole` each.  The number is within HP_LEAST_ROWS and HP_MOST_ROWS.
// hp_view_find_changes() sets view->enough of a report of changes; significant rows are
// always included by cum.
size_t hp_view_enough(const struct hp_view *view, const struct hp_enough *values,
                      hp_fixed whole);
void hp_view_find_changes(struct hp_view *view);

// Number of rows, of `count`, that the format may ask for: all of them if use.all_rows is
// set, else as many as options.limit allows, and those that a headline compares.
size_t hp_view_needed(const struct hp_view *view, size_t count);

// Whether the inputs are differences of two profiles: numbers are changes, and have no
// shares.
static inline bool hp_view_is_of_differences(const struct hp_view *view) {
    return view->head.summary[HP_SIDE_ALL].is_difference;
}

// The noun for one row, as in "function".
const char *hp_view_row_kind(const struct hp_view *view);

// The content of a cell, the interval of an amount, and the flags of a row, enum
// hp_row_flag.
struct hp_content hp_view_cell(const struct hp_view *view, size_t row,
                               const struct hp_field *field, enum hp_metric metric);
struct hp_interval hp_view_range(const struct hp_view *view,
                                 const struct hp_amount *amount, enum hp_metric metric);
unsigned hp_view_flags(const struct hp_view *view, size_t row);

// The parts of the interval of the sum of all stacks, in bytes of a column.  They are not
// known if several dumps of one process are added up, or if sampling is the only part.
struct hp_error_parts {
    bool is_known;
    struct hp_interval sampling; // the interval if the estimate were not rounded
    struct hp_interval rounding; // hp_precision_rounding()
};

struct hp_error_parts hp_view_error_parts(const struct hp_view *view,
                                          enum hp_column column);

// Whether the value with this interval is too high, because the largest of several dumps
// of a process was chosen.  Reports then show the interval, which allows for the choice,
// instead of the value.  False for a
// page, which computes its intervals itself and shows both.
bool hp_view_is_too_high(const struct hp_view *view, struct hp_interval range);

// Whether the profile has errors of the stacks' values in a column.
bool hp_view_has_errors(const struct hp_view *view, enum hp_column column);

// Whether any used input has values of a metric.
bool hp_view_has_metric(const struct hp_view *view, enum hp_metric metric);

// The same for view->whole, the profile before the choice of a sample type or of a side.
// hp_view_whole_sums_init() prepares sums of its values over the stacks of the view.
bool hp_view_whole_has_metric(const struct hp_view *view, enum hp_metric metric);
bool hp_view_whole_has_errors(const struct hp_view *view, enum hp_column column);
void hp_view_whole_sums_init(const struct hp_view *view, struct hp_stack_sums *sums,
                             bool errors);

// Name of the metric that is shown, as in "inuse-space", or the name of a sample type.
const char *hp_view_metric_name(const struct hp_view *view, enum hp_metric metric);

// Whether an input is used for its process; and why or why not, as a text: "used", "an
// earlier moment".
bool hp_view_counts(const struct hp_view *view, size_t input);
const char *hp_view_moment_of(const struct hp_view *view, size_t input);

// The inputs for which a kind of diagnostic was recorded; and the name of the input with
// this digest, NULL if it is not known.
struct hp_diagnosed hp_view_diagnosed(const struct hp_view *view,
                                      enum hp_diagnostic_kind kind);
const char *hp_view_name_of_input(const struct hp_view *view, struct hp_digest id);

// Name of a node, name of a row, and the module, file and line that all frames of a node
// share.
struct hp_span hp_view_node(const struct hp_view *view, hp_node_id node);
struct hp_span hp_view_name(const struct hp_view *view, size_t row);
const struct hp_origin *hp_view_origin(const struct hp_view *view, hp_node_id node);

// Values of all stacks with their errors; the value of one stack; and its flags, enum
// hp_row_flag.
const struct hp_stack_sums *hp_view_stack_sums(const struct hp_view *view);
struct hp_amount hp_view_stack_amount(const struct hp_view *view, size_t stack,
                                      enum hp_metric metric);
unsigned hp_view_stack_flags(const struct hp_view *view, size_t stack);
// Return the name of a stack's group; "" if the report has no rules of groups.
struct hp_span hp_view_stack_group(const struct hp_view *view, uint32_t stack);

// Texts, labels of samples, modules, sample types and annotations of the profile.
struct hp_span hp_view_string(const struct hp_view *view, hp_string string);
// Whether names and build ids were replaced by hashes.
bool hp_view_is_redacted(const struct hp_view *view);
const struct hp_strtab *hp_view_tag_sets(const struct hp_view *view);
const struct hp_module *hp_view_module(const struct hp_view *view, hp_module_id module);
size_t hp_view_module_count(const struct hp_view *view);
// Number of frames of each module; the caller frees the array.
size_t *hp_view_frame_counts(const struct hp_view *view);
const struct hp_extent *hp_view_extents(const struct hp_view *view,
                                        const struct hp_module *module);
char *hp_view_type_name(const struct hp_view *view,
                        const struct hp_sample_type *type); // the caller frees it
const struct hp_sample_types *hp_view_types(const struct hp_view *view);
const struct hp_annotations *hp_view_annotations(const struct hp_view *view);

// Write the name of the process of a dump, as in "pid 7".
void hp_view_series_name(const struct hp_view *view, const struct hp_series_dump *dump,
                         char name[HP_SERIES_NAME_SIZE]);

// Sentences that say which dump of a process with several dumps is used; and warnings.
// `i` is below the count.
// hp_view_source(): a moment as a short sentence, for the line above a table.
// hp_view_short_warning(): a warning as a screen shows it without --verbose.
size_t hp_view_moment_count(const struct hp_view *view);
struct hp_span hp_view_moment(const struct hp_view *view, size_t i);
size_t hp_view_source_count(const struct hp_view *view);
struct hp_span hp_view_source(const struct hp_view *view, size_t i);
size_t hp_view_warning_count(const struct hp_view *view);
struct hp_span hp_view_warning(const struct hp_view *view, size_t i);
struct hp_span hp_view_short_warning(const struct hp_view *view, size_t i);
struct hp_warning_rank hp_view_warning_rank(const struct hp_view *view, size_t i);
// The code of a warning, which stays the same when its sentence changes; "" if it has none.
const char *hp_view_warning_code(const struct hp_view *view, size_t i);

// Write the whole profile as a partial file (.hpa).  A failure is kept in out->cause.
void hp_view_write_partial(struct hp_sink *out, const struct hp_view *view);

#endif

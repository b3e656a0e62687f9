// A report as a value: what it shows is decided here, once, for all formats, for the gate and
// for programs.  A format turns it into bytes and nothing else.
//
// A view has rows that columns describe, or stacks, or what its kind of report has beside them.
// Sums are made when it is built; intervals are computed when they are asked for.
#ifndef HP_VIEW_VIEW_H
#define HP_VIEW_VIEW_H

#include "view/edges.h"
#include "view/facet.h"
#include "view/precision.h"
#include "view/projection.h"
#include "view/series.h"
#include "view/stacks.h"

// --- columns ------------------------------------------------------------------------------

// How people see a column, beside its number; bits.
enum hp_shown {
    HP_SHOWN_SHARE = 1 << 0,   // its share of the total
    HP_SHOWN_RUNNING = 1 << 1, // the share of all rows up to this one
    HP_SHOWN_GROWTH = 1 << 2,  // with its sign, and as a share of the column `base`
    HP_SHOWN_SIGNED = 1 << 3,  // with its sign
    HP_SHOWN_DASH = 1 << 4,    // 0 is "-"
    HP_SHOWN_ERROR = 1 << 5,   // half of its interval, behind all estimates
    HP_SHOWN_ENDS = 1 << 6,    // both ends
    HP_SHOWN_MARK = 1 << 7,    // a star if the row is significant
    HP_ALL_METRICS = 1 << 8,   // for programs: of each metric that inputs tell
    HP_ROUGH = 1 << 9,         // of four digits: the last ones differ between machines
    HP_NEW_LINE = 1 << 10,     // where people read what is for programs: begins a line
};

// What a column is for those who write it.
struct hp_field {
    struct hp_view_column column; // title NULL: people do not see it
    int id;                       // the report's own
    unsigned shown;
    const char *group; // those of one group are one object in JSON, "group_key" elsewhere
    int width;         // for people; 0: that of an amount
    const char *note;  // below the table, for people; of HP_SHOWN_MARK: what has no p
    int leaves;        // a line that is too short for all: 1 is the first to; 0: it stays
};

// Bytes or objects: exact, and what is known of its error.
struct hp_amount {
    hp_fixed sum;
    const struct hp_error *error; // what `range` is to be computed from; or NULL
    struct hp_interval range;     // NAN where nothing is known
    bool is_unknown;              // the sum too: of a metric that was not added up
    bool is_total; // of all: its error may be known where those of rows are not
    double among;  // it was chosen for its size, among so many rows; 0 and 1: it was not
};

// What a row says in a column, as far as its kind of cell has it.
struct hp_content {
    struct hp_amount amount;
    double number; // NAN where it is not known
    double whole;  // of COUNT: out of so many; 0: not told
    const char *text;
    const double *series; // of SERIES
    size_t count;
};

// One of the largest of the tree of calls, as a page shows them without its script.
struct hp_page_node {
    hp_node_id name;
    uint32_t parent; // HP_NO_PARENT: none
    uint32_t children;
    hp_fixed before, sum; // before: 0 but in a comparison
    struct hp_error error;
    double p; // of a comparison; NAN: not tested
    bool is_significant;
};

// A row as it is built; its name is that of its node.
struct hp_row_key {
    hp_node_id node;
    uint32_t parent; // HP_NO_PARENT: none
    uint32_t depth;
    bool is_likely;     // of sizes: some of it could be of others
    const char *prefix; // for people, in front of the name: "new"; or NULL
};

#define HP_NO_PARENT UINT32_MAX

// Rows that are in no table: of all that was read, and of what filters leave.
#define HP_ROW_TOTAL    (SIZE_MAX - 1)
#define HP_ROW_FILTERED (SIZE_MAX - 2)

// --- kinds of reports ---------------------------------------------------------------------

struct hp_view;
struct hp_open_code;

enum hp_shape {
    HP_SHAPE_ROWS,      // as the kind of report has them
    HP_SHAPE_GRAPH,     // the rows of top by cum, and the calls between them
    HP_SHAPE_NAMES,     // stacks of names
    HP_SHAPE_ADDRESSES, // stacks of addresses
    HP_SHAPE_PAGE,      // rows, stacks of sites, and the largest of a tree of names
    HP_SHAPE_PROFILE,   // none: what there is before names and filters
};

// What a gate is held against; of what is of no kind of its own NAN.
struct hp_growth {
    hp_fixed before, after;
    double p;     // adjusted, but for that of a sum
    bool is_open; // the row was not compared
    // A row of code that has no names on one side or both may have had as much more before, in what is not
    // compared; and its p if it had not.
    double open_before, plain_p;
    bool is_of_sampling; // p allows for nothing else
    bool has_own_open;   // and this is code of the program itself
};

struct hp_report {
    const char *name;       // "top"
    const char *help;       // what it answers, in one line; NULL: no command asks for it
    const char *row;        // what one stands for; NULL: what options.by says
    bool is_table;          // its rows are all that it has: formats of rows write it
    bool needs_accounts;    // inputs have statistics beside them
    bool needs_allocations; // inputs say what was allocated, too, and how far it is off
    bool needs_series;      // the inputs are dumps of one process
    bool has_sides;         // the inputs have two sides
    bool takes_pattern;     // of the functions that it is about
    int (*build)(struct hp_view *view, struct hp_err *err); // NULL: there are no rows
    void (*cell)(const struct hp_view *view, size_t row, int field, enum hp_metric metric,
                 struct hp_content *content);
    unsigned (*flags)(const struct hp_view *view, size_t row);          // NULL: none
    struct hp_growth (*growth)(const struct hp_view *view, size_t row); // NULL: none
    // Modules whose functions could not be compared in all dumps; NULL: all can be.
    const struct hp_open_code *(*open_code)(const struct hp_view *view);
    // Where a row is in source files; NULL: where its node is.
    struct hp_origin (*origin)(const struct hp_view *view, size_t row);
    // Sort the rows up to this one, which may be beyond those that are needed; NULL: all are.
    void (*settle)(const struct hp_view *view, size_t row);
    void (*done)(struct hp_view *view); // NULL: there is nothing to free
};

// X(kind, report) of each.  A report is at the end of its file; those without rows are in
// reports.c.
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
    X(HP_REPORT_LIFETIME, hp_report_lifetime)
// clang-format on

#define HP_DECLARE_REPORT(kind, report) extern const struct hp_report report;
HP_EACH_REPORT(HP_DECLARE_REPORT)

extern const struct hp_report *const hp_reports[HP_REPORT_KINDS];

// What the format that a view is made for takes of it, and enum hp_format_ability.
struct hp_view_use {
    enum hp_shape shape;
    unsigned can;
    bool all_rows; // may be asked for, whatever the limit
};

// --- the view -----------------------------------------------------------------------------

// What all reports say of the inputs.
struct hp_head {
    const struct hp_input_summary *summary; // [HP_SIDES]
    const struct hp_input_record *inputs;
    size_t input_count;
    const struct hp_processes *processes; // of the inputs
    enum hp_snapshots snapshots;          // which of their dumps count, but
    bool has_moments;                     // all of them, each for itself
    struct hp_shards shards;              // that are there; {0}: all is
    enum hp_metric chosen_for;            // the metric that they were chosen for
    struct hp_span thread;                // that alone was read, or ""
    uint64_t older_than;                  // nanoseconds: nothing else was read; 0: all
    size_t stacks;                        // of the profile
    struct hp_values total, filtered;     // the latter: what filters leave
    struct hp_values counted;             // of the inputs that count, one of each process
    struct hp_error errors[HP_COLUMNS];   // where they are known
    struct hp_error filtered_errors[HP_COLUMNS];
    bool
        is_uncertain[HP_COLUMNS]; // sampling leaves something open, and it is to be shown
    // The same of the total, also where rows have no errors.
    bool is_total_uncertain[HP_COLUMNS];
    bool is_filtered, has_alloc, has_times;
    bool has_total; // else the rows are of moments, not to be added up
    bool has_input_labels;
    double first_time; // of all inputs that are used; NAN if they have none
    enum hp_estimator estimator;
};

// Of nodes: the state of each says whether its own is known.
struct hp_origins {
    struct hp_origin *of;
    uint8_t *state;
};

// What is made when someone asks, and what a program has asked for last.
struct hp_view_cache {
    struct hp_origins origins;
    struct hp_stack_sums sums;                 // of the stacks
    struct hp_interval of_nothing[HP_METRICS]; // of many rows
    bool has_nothing[HP_METRICS];
    struct hp_unseen *unseen[HP_COLUMNS];
    struct hp_row row;
    struct hp_frame_info frame;
    HP_VEC(uint32_t) frames;
    uint32_t *first_member; // of each stack, in the profile, + 1
    uint32_t *next_member;  // of each stack of the profile
    struct hp_sizes sizes;  // of the stack that was asked for last
    HP_VEC(const struct hp_size_part *) parts;
};

struct hp_view {
    const struct hp_profile *profile; // for view/ alone
    const struct hp_report *report;
    struct hp_report_options options;  // no zero stands for a default
    const struct hp_sample_type *type; // what is measured, if it is no metric; or NULL
    char *type_name;                   // what that is called
    struct hp_profile *projection;     // of it: then `profile`; NULL: that is the whole
    struct hp_profile *split;       // both sides of differences, or one: then `profile`
    const struct hp_profile *whole; // with all metrics
    struct hp_view_use use;
    struct hp_head head;
    struct hp_precision precision;
    struct hp_filters filters;
    struct hp_frame_rule *rules; // those of the options
    struct hp_naming naming;
    bool *is_visible; // of each stack of the profile; NULL: all are
    HP_VEC(struct hp_field) fields;
    HP_VEC(struct hp_row_key) rows; // all of them; sorted are those that are needed
    size_t enough;                  // of them, or of stacks, for HP_LIMIT_ENOUGH
    size_t fitting; // so many of them at most, for max_bytes; SIZE_MAX: any
    struct hp_stacks stacks;
    uint32_t *by_value; // their numbers, the largest first; NULL if nobody wants that
    size_t listed;      // so many of them, without those that hold nothing
    struct hp_series_dump *series; // of a timeline or a trend, in the order of time
    size_t series_count;
    struct hp_gate gate;     // options.gate
    struct hp_view *judged;  // whose rows it is held against; NULL: those of this view
    void *extra;             // the report's own
    char *label;             // options.label
    HP_VEC(char *) cautions; // warnings about this report alone
    struct hp_edges edges;   // of a graph
    size_t drawn;            // of its rows, the first so many
    HP_VEC(struct hp_page_node) tree; // of a page, callers first, by value
    struct hp_facet facet;            // of a page
    struct hp_page_changes *changes;  // of a page of a comparison
    struct hp_view_cache *cache;
};

// As hp_view_new(), of options in which no zero stands for a default.
struct hp_view *hp_view_build(const struct hp_profile *profile,
                              const struct hp_report_options *options,
                              struct hp_view_use use, struct hp_err *err);

// Whether a page is asked to tell stacks apart by what samples have, or by their inputs; from then on its rows stand
// for functions.  HP_E_USAGE: these are too many.
bool hp_page_has_facet(const struct hp_view *view);
HP_MUST_CHECK int hp_page_take_facet(struct hp_view *view, struct hp_err *err);

// Warnings about the report alone: numbers that readers of its format cannot hold, names that are longer
// than what patterns look at, functions that are not compared in all dumps.  A report that is empty cannot print them: they are added to its error.
void hp_cautions_of_numbers(struct hp_view *view);
void hp_cautions_of_patterns(struct hp_view *view);
void hp_cautions_of_code(struct hp_view *view);
void hp_cautions_explain(const struct hp_view *view, struct hp_err *err);
void hp_cautions_done(struct hp_view *view);

// The rows, and what a page has beside them.
HP_MUST_CHECK int hp_page_build(struct hp_view *view, struct hp_err *err);
void hp_page_done(struct hp_view *view);

// For a report while it is built.
void hp_view_set_fields(struct hp_view *view, const struct hp_field *fields,
                        size_t count);

static inline struct hp_row_key *hp_view_add_row(struct hp_view *view, hp_node_id node) {
    return hp_vec_push(&view->rows,
                       ((struct hp_row_key){.node = node, .parent = HP_NO_PARENT}));
}

// Whether some of what filters leave has a value below zero.
bool hp_view_is_negative(const struct hp_view *view);

// How many of the rows, or of `count` others, are shown; and what the limit says of what is none.
size_t hp_view_shown(const struct hp_view *view, size_t count);
size_t hp_view_limited(const struct hp_view *view, size_t count);

// How many of the rows of the report, of whatever kind, the limit would show; and those of a tree, where
// it has done its work, that are.
size_t hp_view_all_shown(const struct hp_view *view);
size_t hp_view_fitting(const struct hp_view *view, size_t count);

enum {
    HP_LEAST_ROWS = 10, // if there are as many
    HP_MOST_ROWS = 50,
};

// Values, the largest first, of which no more are kept than may be shown.  {0} has none.
struct hp_enough {
    hp_fixed first[HP_MOST_ROWS];
    size_t count;
    hp_fixed all; // the sizes of all of them
};

static inline void hp_enough_add(struct hp_enough *values, hp_fixed value) {
    if (values->count < HP_MOST_ROWS) {
        values->first[values->count] = value;
    }
    values->count++;
    values->all += value < 0 ? -value : value;
}

// For HP_LIMIT_ENOUGH: how many values are 95 % of all, or by cum, where the first are enough to tell it, 1 % of the
// whole each, but for the bounds above; and view->enough of a report of changes.
size_t hp_view_enough(const struct hp_view *view, const struct hp_enough *values,
                      hp_fixed whole);
void hp_view_find_changes(struct hp_view *view);

// And how many may be asked for.
size_t hp_view_needed(const struct hp_view *view, size_t count);

// Whether the inputs are differences of two profiles: numbers are what changed, and of nothing a share.
static inline bool hp_view_is_of_differences(const struct hp_view *view) {
    return view->head.summary[HP_SIDE_ALL].is_difference;
}

// What a row stands for: "function".
const char *hp_view_row_kind(const struct hp_view *view);

// What a row says; its interval; and what is known of an estimate, as in enum hp_row_flag.
struct hp_content hp_view_cell(const struct hp_view *view, size_t row, int field,
                               enum hp_metric metric);
struct hp_interval hp_view_range(const struct hp_view *view,
                                 const struct hp_amount *amount, enum hp_metric metric);
unsigned hp_view_flags(const struct hp_view *view, size_t row);

// Whether a value is the largest of several dumps, and too high for that: its interval, which allows for
// the choice, stands in its place.  A page works intervals out itself and shows both.
bool hp_view_is_too_high(const struct hp_view *view, struct hp_interval range);

// Whether errors of a column are known.
bool hp_view_has_errors(const struct hp_view *view, enum hp_column column);

// Whether any input that is used has numbers of a metric.
bool hp_view_has_metric(const struct hp_view *view, enum hp_metric metric);

// The same of the whole profile, whatever is measured; and its sums.
bool hp_view_whole_has_metric(const struct hp_view *view, enum hp_metric metric);
bool hp_view_whole_has_errors(const struct hp_view *view, enum hp_column column);
void hp_view_whole_sums_init(const struct hp_view *view, struct hp_stack_sums *sums,
                             bool errors);

// What is measured in the place of a metric: "inuse-space", or a sample type's name.
const char *hp_view_metric_name(const struct hp_view *view, enum hp_metric metric);

// Whether an input counts for its process, and why, or why not: "used", "an earlier moment".
bool hp_view_counts(const struct hp_view *view, size_t input);
const char *hp_view_moment_of(const struct hp_view *view, size_t input);

// The inputs that something of a kind is said of; and what one is called, NULL if that is not known.
struct hp_diagnosed hp_view_diagnosed(const struct hp_view *view,
                                      enum hp_diagnostic_kind kind);
const char *hp_view_name_of_input(const struct hp_view *view, struct hp_digest id);

struct hp_span hp_view_node(const struct hp_view *view, hp_node_id node);
struct hp_span hp_view_name(const struct hp_view *view, size_t row);
const struct hp_origin *hp_view_origin(const struct hp_view *view, hp_node_id node);

// What the stacks hold, with errors; what one holds, and what is known of it, as enum hp_row_flag.
const struct hp_stack_sums *hp_view_stack_sums(const struct hp_view *view);
struct hp_amount hp_view_stack_amount(const struct hp_view *view, size_t stack,
                                      enum hp_metric metric);
unsigned hp_view_stack_flags(const struct hp_view *view, size_t stack);

// Texts, labels of samples, modules and warnings of the inputs.
struct hp_span hp_view_string(const struct hp_view *view, hp_string string);
const struct hp_strtab *hp_view_tag_sets(const struct hp_view *view);
const struct hp_module *hp_view_module(const struct hp_view *view, hp_module_id module);
size_t hp_view_module_count(const struct hp_view *view);
size_t *hp_view_frame_counts(const struct hp_view *view); // of each module; to be freed
const struct hp_extent *hp_view_extents(const struct hp_view *view,
                                        const struct hp_module *module);
char *hp_view_type_name(const struct hp_view *view,
                        const struct hp_sample_type *type); // to be freed
const struct hp_sample_types *hp_view_types(const struct hp_view *view);
const struct hp_annotations *hp_view_annotations(const struct hp_view *view);

// "pid 7": of the process of a dump of a series.
void hp_view_series_name(const struct hp_view *view, const struct hp_series_dump *dump,
                         char name[HP_SERIES_NAME_SIZE]);

// Which dumps count, where a process has several.
size_t hp_view_moment_count(const struct hp_view *view);
struct hp_span hp_view_moment(const struct hp_view *view, size_t i);
size_t hp_view_warning_count(const struct hp_view *view);
struct hp_span hp_view_warning(const struct hp_view *view, size_t i);

// All of the profile, as a partial.
void hp_view_write_partial(struct hp_sink *out, const struct hp_view *view);

#endif

// A second command line of the program, compatible with jeprof: it takes jeprof's options
// and writes jeprof's reports.  A map of this folder:
//
// - jeprof.c: entry point hp_jeprof_run(); separates the program from the dumps among the
//   operands, reads and symbolizes the dumps, and starts a report or the shell.
// - jeprof_options.c: parses the options into struct hp_jeprof_options.
// - jeprof_stacks.c: struct hp_jeprof_stacks, the stacks of all dumps; removes the frames
//   that jeprof skips and marks those that match patterns.
// - jeprof_reports.c writes the reports, jeprof_dot.c those that are graphs.
// - jeprof_output.c: writes one report to a file.  jeprof_shell.c: the interactive shell.
//
// Frames are numbered by hp_jeprof_stacks.places, rows by .rows, stacks by .keys; numbers
// never change.  Options from HP_JEPROF_EXACT on are not jeprof's own.  With
// --exact-jeprof the numbers, and oddities of the output, are jeprof's; else sampling is
// undone as hprof-agg does.
//
// Read jeprof.c, jeprof_stacks.c, jeprof_reports.c in this order.
#ifndef HP_CLI_JEPROF_H
#define HP_CLI_JEPROF_H

#include "cli/settings.h"
#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

#include <stddef.h>
#include <stdio.h>

// --- options ------------------------------------------------------------------------------

// The options of jeprof are parsed as Perl's Getopt::Long does: one or two dashes, any
// case, an unambiguous beginning of a name, a value after "=" or in the next word, the
// prefix "no" for switches, and options after operands too.  Options that jeprof lacks
// have lower priority: an abbreviation that fits an option of jeprof never selects one of
// them.

// Numbers of the options, in the order of the table in jeprof_options.c.
enum hp_jeprof_option {
    HP_JEPROF_HELP,
    HP_JEPROF_VERSION,
    HP_JEPROF_CUM,
    HP_JEPROF_BASE,
    HP_JEPROF_SECONDS,
    HP_JEPROF_ADD_LIB,
    HP_JEPROF_LIB_PREFIX,
    HP_JEPROF_FUNCTIONS,
    HP_JEPROF_LINES,
    HP_JEPROF_ADDRESSES,
    HP_JEPROF_FILES,
    HP_JEPROF_TEXT,
    HP_JEPROF_CALLGRIND,
    HP_JEPROF_LIST,
    HP_JEPROF_DISASM,
    HP_JEPROF_SYMBOLS,
    HP_JEPROF_GV,
    HP_JEPROF_EVINCE,
    HP_JEPROF_WEB,
    HP_JEPROF_DOT,
    HP_JEPROF_PS,
    HP_JEPROF_PDF,
    HP_JEPROF_SVG,
    HP_JEPROF_GIF,
    HP_JEPROF_RAW,
    HP_JEPROF_COLLAPSED,
    HP_JEPROF_INTERACTIVE,
    HP_JEPROF_NODECOUNT,
    HP_JEPROF_NODEFRACTION,
    HP_JEPROF_EDGEFRACTION,
    HP_JEPROF_MAXDEGREE,
    HP_JEPROF_FOCUS,
    HP_JEPROF_THREAD,
    HP_JEPROF_IGNORE,
    HP_JEPROF_SCALE,
    HP_JEPROF_HEAPCHECK,
    HP_JEPROF_RETAIN,
    HP_JEPROF_EXCLUDE,
    HP_JEPROF_INUSE_SPACE,
    HP_JEPROF_INUSE_OBJECTS,
    HP_JEPROF_ALLOC_SPACE,
    HP_JEPROF_ALLOC_OBJECTS,
    HP_JEPROF_SHOW_BYTES,
    HP_JEPROF_DROP_NEGATIVE,
    HP_JEPROF_TOTAL_DELAY,
    HP_JEPROF_CONTENTIONS,
    HP_JEPROF_MEAN_DELAY,
    HP_JEPROF_TOOLS,
    HP_JEPROF_TEST,
    HP_JEPROF_DEBUG,
    HP_JEPROF_DEBUG_SYMS_BY_ID,
    HP_JEPROF_TEST_STRIDE,
    HP_JEPROF_EXACT, // not in jeprof, like all that follow
    HP_JEPROF_COMPAT,
    HP_JEPROF_SUM,
    HP_JEPROF_MAX_MEMORY, // the same as in hprof-agg, like those that follow
    HP_JEPROF_SANDBOX,
    HP_JEPROF_SOURCE_DIR,
    HP_JEPROF_OPTIONS,
};

// The options as given, and the values derived from them.  Indices are enum
// hp_jeprof_option.
struct hp_jeprof_options {
    bool is_on[HP_JEPROF_OPTIONS];
    const char *text[HP_JEPROF_OPTIONS]; // value, or NULL
    struct hp_cli_words operands;
    struct hp_cli_settings settings; // values of options that are hprof-agg's
    // The rest is derived from the options above:
    enum hp_jeprof_option mode; // the report; HP_JEPROF_OPTIONS: none was chosen
    enum hp_granularity by;     // the rows: functions, lines, files or addresses
    enum hp_metric metric;
    // Use jeprof's formula and rounding (--exact-jeprof or --compat=jeprof).
    bool exact;
    // Limits of graphs: number of nodes; edges into or out of a node; values of nodes and
    // of edges, as shares of the total.
    size_t nodecount, maxdegree;
    double nodefraction, edgefraction;
};

// Parse `words`; the strings have to outlive `options`.  Returns HP_OK or HP_E_USAGE.
// Call hp_jeprof_options_done() in either case.
int hp_jeprof_options_read(struct hp_jeprof_options *options, int count,
                           char *const *words, struct hp_err *err);

// Report options that do nothing here: print a note for each that is needless, and return
// HP_E_UNSUPPORTED, with a sentence that says what to do instead, for one that is
// refused.
int hp_jeprof_options_check(const struct hp_jeprof_options *options, struct hp_err *err);

void hp_jeprof_options_done(struct hp_jeprof_options *options);

// Description of option i < HP_JEPROF_OPTIONS for --help, or NULL if it is not listed
// there.  Sets the name and the placeholder of the value, "=N" or "".
const char *hp_jeprof_option_help(size_t i, const char **name, const char **value);

// --- stacks -------------------------------------------------------------------------------

// The data of jeprof's reports: all stacks of the dumps, or of their difference to a
// base.  Stacks have every frame at first; hp_jeprof_stacks_reduce() removes those that
// jeprof skips or the options exclude.

// A set of byte strings, numbered from 0 in the order in which they were added.  {0} is
// empty.
struct hp_jeprof_set {
    struct hp_jeprof_bytes { // owned; a NUL follows the bytes
        char *at;
        size_t size;
    } * items;

    size_t count;
    size_t *slots; // hash table: number + 1, or 0 for an empty slot
    size_t slot_count;
};

// Returns the number of the bytes; adds a copy if they are new.
size_t hp_jeprof_set_add(struct hp_jeprof_set *set, const void *bytes, size_t size);
void hp_jeprof_set_done(struct hp_jeprof_set *set);

// One call at one address, with names in the form that jeprof prints.  All strings are
// owned and safe for a terminal.
struct hp_jeprof_frame {
    char *name;       // short name; "libfoo.so+0x1234" without symbols
    char *full;       // name with its parameters
    char *file;       // "??" if unknown
    char *place;      // "FILE:LINE"; "??:0" if unknown
    char *address;    // "libfoo.so+0x1234"
    size_t row;       // number of its row (function, line ...) in hp_jeprof_stacks.rows
    bool is_inlined;  // inlined into the next frame of the stack
    bool has_name;    // false: there is no symbol, `name` is a module and an address
    bool is_skipped;  // the allocator's: removed together with all that it called
    unsigned matches; // bits of options whose pattern matches it, see bit_of()
};

// One distinct stack.
struct hp_jeprof_stack {
    uint32_t *frames; // numbers of frames, leaf first; owned
    size_t count;
    double value; // bytes or objects, in the metric of the options
};

// All stacks.  Start with {.options = options}.
struct hp_jeprof_stacks {
    const struct hp_jeprof_options *options;
    const struct hp_profile *profiles[2]; // profiles whose stacks were added; borrowed
    size_t profile_count;
    struct hp_jeprof_set places, rows; // keys that distinguish frames; texts of rows
    struct hp_jeprof_frame *frames;    // one for each of places
    struct hp_jeprof_set keys;         // keys that distinguish stacks
    struct hp_jeprof_stack *stacks;    // one for each of keys
    double total;    // sum of all stacks, set by hp_jeprof_stacks_reduce()
    bool has_warned; // the warning about long names was printed
};

// Add the stacks of a symbolized profile, with their values times `sign` (1, or -1 for a
// base).  The profile must outlive `stacks`.
int hp_jeprof_stacks_add(struct hp_jeprof_stacks *stacks,
                         const struct hp_profile *profile, double sign,
                         struct hp_err *err);

// After all profiles were added: set negative values of stacks to 0 if --drop_negative
// was given, compute the total, and remove from stacks the frames that jeprof skips or
// that --retain and --exclude remove.
void hp_jeprof_stacks_reduce(struct hp_jeprof_stacks *stacks);

// Set the row of each frame for rows of the granularity `by`.
void hp_jeprof_stacks_group(struct hp_jeprof_stacks *stacks, enum hp_granularity by);

void hp_jeprof_stacks_done(struct hp_jeprof_stacks *stacks);

// Whether the stack passes the options --focus and --ignore.
bool hp_jeprof_stack_is_shown(const struct hp_jeprof_stacks *stacks,
                              const struct hp_jeprof_stack *stack);

// Mark the frames that `pattern` matches with the bit of option `as`, and clear the bit
// in all others.  A NULL pattern matches no frame.  HP_E_USAGE if the pattern is invalid.
int hp_jeprof_stacks_match(struct hp_jeprof_stacks *stacks, const char *pattern,
                           enum hp_jeprof_option as, struct hp_err *err);

// Shorten a function's name in place, as ShortFunctionName() of jeprof does.
void hp_jeprof_short_name(char *name);

// Return the part of a path after its last '/', or the path if that part is empty.
const char *hp_jeprof_basename(const char *path);

// --- reports ------------------------------------------------------------------------------

// They are written from stacks that hp_jeprof_stacks_reduce() has prepared.

// Write "Total: 16.2 MB", or "Total (t3): 16.2 MB" if `thread` is not NULL; nothing if
// the total is 0.
void hp_jeprof_write_total(FILE *out, const struct hp_jeprof_stacks *stacks,
                           const char *thread);

// Write the table of rows (functions, lines, files or addresses) with flat and cum
// values, at most `limit` of them; 0: all.
void hp_jeprof_write_text(FILE *out, const struct hp_jeprof_stacks *stacks, size_t limit);

// Write one line for each distinct stack, with its value, for flame graphs; or all calls
// with their values, for KCachegrind.
void hp_jeprof_write_collapsed(FILE *out, const struct hp_jeprof_stacks *stacks);
void hp_jeprof_write_callgrind(FILE *out, const struct hp_jeprof_stacks *stacks);

// Write the graph of calls for Graphviz.  Returns false, and writes nothing, if no node
// is large enough.  `program` has to be safe for a terminal.
bool hp_jeprof_write_dot(FILE *out, const struct hp_jeprof_stacks *stacks,
                         const char *program);

// Draw the graph of calls as "svg", "pdf" or "ps".  Returns HP_E_EMPTY, and writes
// nothing, if no node is large enough.
int hp_jeprof_draw(FILE *out, const struct hp_jeprof_stacks *stacks, const char *program,
                   const char *format, struct hp_err *err);

// The sum of the values of the stacks that --focus and --ignore show; and the unit of
// printed values in the metric of the options: "MB", "B" or "objects".
double hp_jeprof_shown(const struct hp_jeprof_stacks *stacks);
const char *hp_jeprof_units(const struct hp_jeprof_options *options);

// A value of the metric, or its percentage of a total, formatted as jeprof prints it.
struct hp_jeprof_number {
    char text[48];
};

struct hp_jeprof_number hp_jeprof_number(const struct hp_jeprof_options *options,
                                         double value);
struct hp_jeprof_number hp_jeprof_share(double value, double total);

// Sums of shown stacks by row (function, line, file or address), in the metric of the
// options: `flat` is the sum of stacks with the row at the leaf, `cum` of those with the
// row anywhere.  A row that occurs several times in one stack is added to `cum` once.
// Rows without any shown stack are not in `order`.
struct hp_jeprof_sums {
    const struct hp_jeprof_stacks *stacks;
    double *flat, *cum;
    // Numbers of the `count` rows, sorted by flat or by cum as hp_jeprof_sums_init() was
    // asked, the largest first.
    size_t *order, count;
};

// Compute the sums, and sort rows by `cum` or by `flat`; `by_size` ignores the sign.  The
// stacks are borrowed.
void hp_jeprof_sums_init(struct hp_jeprof_sums *sums,
                         const struct hp_jeprof_stacks *stacks, bool by_cum,
                         bool by_size);
void hp_jeprof_sums_done(struct hp_jeprof_sums *sums);

// --- a run --------------------------------------------------------------------------------

// Whether argv[0] is "jeprof" or "hprof-jeprof", which selects this command line.
bool hp_jeprof_is_meant(const char *program);

// Run the command line `words`, which are argv without the program's name.  Returns the
// exit status: 0 or, as jeprof does, 1.
int hp_jeprof_run(int count, char *const *words);

// All data of a run; the inputs are read once for all commands of the shell.
struct hp_jeprof_session {
    struct hp_jeprof_options *options;
    struct hp_profile *profile, *base; // NULL without --base
    struct hp_jeprof_stacks stacks;
    const char *program; // path of the program that was profiled, as given; or NULL
    char *title;         // name of the program or of the first dump, safe for a terminal
};

// Write one report to the file `path`, or to standard output if that is NULL.
int hp_jeprof_report(struct hp_jeprof_session *session, const char *path,
                     enum hp_jeprof_option mode, struct hp_err *err);

// Write a report of the library, as hprof-agg does, to standard output: of functions that
// match `pattern`, without stacks that match `ignore`, which may be NULL.
int hp_jeprof_library_report(const struct hp_jeprof_session *session, const char *pattern,
                             const char *ignore, enum hp_report_kind kind,
                             struct hp_err *err);

// Run commands from standard input until it ends or the command is quit.
void hp_jeprof_shell(struct hp_jeprof_session *session);

#endif

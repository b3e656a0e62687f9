// Parse the options of jeprof as Perl's Getopt::Long does: one or two dashes, any case,
// an unambiguous beginning of a name, a value after "=" or in the next word, the prefix
// "no" for switches, and options after operands too.  Options that jeprof lacks have
// lower priority: an abbreviation that fits an option of jeprof never selects one of
// them.
#ifndef HP_CLI_JEPROF_OPTIONS_H
#define HP_CLI_JEPROF_OPTIONS_H

#include "cli/settings.h"
#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

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

#endif

// The options of jeprof, as Getopt::Long reads them: one or two dashes, any case, the beginning
// of a name if it is that of one alone, "=" or the next word for a value, "no" in front of what
// can be turned off, and options behind operands too.  What jeprof does not have is behind all that
// it has: no beginning of a name means it that may mean one of jeprof.
#ifndef HP_CLI_JEPROF_OPTIONS_H
#define HP_CLI_JEPROF_OPTIONS_H

#include "cli/settings.h"
#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

// In the order of the table.
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
    HP_JEPROF_EXACT, // ours, as those that follow
    HP_JEPROF_COMPAT,
    HP_JEPROF_SUM,
    HP_JEPROF_MAX_MEMORY, // as hprof-agg's own
    HP_JEPROF_SANDBOX,
    HP_JEPROF_SOURCE_DIR,
    HP_JEPROF_OPTIONS,
};

struct hp_jeprof_options {
    bool is_on[HP_JEPROF_OPTIONS];
    const char *text[HP_JEPROF_OPTIONS]; // the value, or NULL
    struct hp_cli_words operands;
    struct hp_cli_settings settings; // of hprof-agg's options
    // What they come to:
    enum hp_jeprof_option mode; // HP_JEPROF_OPTIONS if none is given
    enum hp_granularity by;
    enum hp_metric metric;
    bool exact;
    size_t nodecount, maxdegree;
    double nodefraction, edgefraction;
};

int hp_jeprof_options_read(struct hp_jeprof_options *options, int count,
                           char *const *words, struct hp_err *err);

// HP_E_UNSUPPORTED with a sentence for what we do not do; what has no effect is told on
// standard error.
int hp_jeprof_options_tell(const struct hp_jeprof_options *options, struct hp_err *err);

void hp_jeprof_options_done(struct hp_jeprof_options *options);

// The beginning of the name and what it does, for --help; i < HP_JEPROF_OPTIONS; NULL if
// it is nobody's business.
const char *hp_jeprof_option_help(size_t i, const char **name, const char **value);

#endif

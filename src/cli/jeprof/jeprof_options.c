#include "cli/jeprof/jeprof.h"

#include "cli/message.h"
#include "cli/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The kind of value that an option takes.
enum takes {
    NOTHING,
    SWITCH, // no value; "no" before the name turns it off
    TEXT,
    SETTING,  // the value of hprof-agg's option of the same name
    COUNT,    // a whole number
    FRACTION, // a number
};

// The role of an option.
enum option_role {
    PLAIN,
    MODE,     // chooses a report; at most one may be given
    GRAIN,    // chooses the rows; at most one
    METRIC,   // chooses the metric; at most one
    NEEDLESS, // has no effect: the reason is printed
    REFUSED,  // is an error: the message says what to use instead
};

#define BITMAP     "it is no form of ours: --svg or --pdf, or \"--dot | dot -Tgif > x.gif\""
#define VIEWER     "no program is started: --svg > x.svg, for a viewer of your own"
#define CONTENTION "it is about locks, and this is about memory"

// The table of options, in the order of enum hp_jeprof_option.
static const struct option_row {
    const char *name;
    enum takes takes;
    enum option_role part;
    const char *help; // help, reason or replacement, by the role; NULL: not in the help
} table[HP_JEPROF_OPTIONS] = {
    [HP_JEPROF_HELP] = {"help", SWITCH, PLAIN, "print this"},
    [HP_JEPROF_VERSION] = {"version", SWITCH, PLAIN, "print the version"},
    [HP_JEPROF_CUM] = {"cum", SWITCH, PLAIN,
                       "sort by what functions and their callees hold"},
    [HP_JEPROF_BASE] = {"base", TEXT, PLAIN, "subtract this dump"},
    [HP_JEPROF_SECONDS] = {"seconds", COUNT, PLAIN, NULL},
    [HP_JEPROF_ADD_LIB] = {"add_lib", TEXT, NEEDLESS,
                           "the memory map of the dump names all libraries"},
    [HP_JEPROF_LIB_PREFIX] = {"lib_prefix", TEXT, PLAIN,
                              "folders with binaries, separated by commas"},
    [HP_JEPROF_FUNCTIONS] = {"functions", SWITCH, GRAIN, "a row for each function"},
    [HP_JEPROF_LINES] = {"lines", SWITCH, GRAIN, "a row for each line"},
    [HP_JEPROF_ADDRESSES] = {"addresses", SWITCH, GRAIN, "a row for each address"},
    [HP_JEPROF_FILES] = {"files", SWITCH, GRAIN, "a row for each source file"},
    [HP_JEPROF_TEXT] = {"text", SWITCH, MODE, "a table"},
    [HP_JEPROF_CALLGRIND] = {"callgrind", SWITCH, MODE, "for KCachegrind"},
    [HP_JEPROF_LIST] = {"list", TEXT, MODE, "source of matching functions, line by line"},
    [HP_JEPROF_DISASM] =
        {"disasm", TEXT, REFUSED,
         "nothing is disassembled: --list shows lines, --addresses calls"},
    [HP_JEPROF_SYMBOLS] = {"symbols", SWITCH, REFUSED,
                           "addresses alone are not named: addr2line does it"},
    [HP_JEPROF_GV] = {"gv", SWITCH, REFUSED, VIEWER},
    [HP_JEPROF_EVINCE] = {"evince", SWITCH, REFUSED, VIEWER},
    [HP_JEPROF_WEB] = {"web", SWITCH, REFUSED, VIEWER},
    [HP_JEPROF_DOT] = {"dot", SWITCH, MODE, "the graph of calls, for Graphviz"},
    [HP_JEPROF_PS] = {"ps", SWITCH, MODE, "the same in PostScript"},
    [HP_JEPROF_PDF] = {"pdf", SWITCH, MODE, "the graph of calls, on a page"},
    [HP_JEPROF_SVG] = {"svg", SWITCH, MODE, "the graph of calls, for browsers"},
    [HP_JEPROF_GIF] = {"gif", SWITCH, REFUSED, BITMAP},
    [HP_JEPROF_RAW] =
        {"raw", SWITCH, REFUSED,
         "a dump and its names go into one file by hprof-agg merge -o x.pb.gz"},
    [HP_JEPROF_COLLAPSED] = {"collapsed", SWITCH, MODE, "stacks, for flame graphs"},
    [HP_JEPROF_INTERACTIVE] = {"interactive", SWITCH, MODE, "ask for commands"},
    [HP_JEPROF_NODECOUNT] = {"nodecount", COUNT, PLAIN, "maximum number of nodes: 80"},
    [HP_JEPROF_NODEFRACTION] = {"nodefraction", FRACTION, PLAIN,
                                "no nodes below this share of the total: .005"},
    [HP_JEPROF_EDGEFRACTION] = {"edgefraction", FRACTION, PLAIN, "no edges below: .001"},
    [HP_JEPROF_MAXDEGREE] = {"maxdegree", COUNT, PLAIN, "edges of a node: 8"},
    [HP_JEPROF_FOCUS] = {"focus", TEXT, PLAIN, "keep stacks that match"},
    [HP_JEPROF_THREAD] = {"thread", TEXT, PLAIN, "of one thread, by its number"},
    [HP_JEPROF_IGNORE] = {"ignore", TEXT, PLAIN, "no stacks with a match"},
    [HP_JEPROF_SCALE] = {"scale", COUNT, PLAIN, NULL},
    [HP_JEPROF_HEAPCHECK] = {"heapcheck", NOTHING, PLAIN,
                             "shade what allocates in graphs"},
    [HP_JEPROF_RETAIN] = {"retain", TEXT, PLAIN, "keep matching calls"},
    [HP_JEPROF_EXCLUDE] = {"exclude", TEXT, PLAIN, "no matching calls"},
    [HP_JEPROF_INUSE_SPACE] = {"inuse_space", SWITCH, METRIC, "bytes in use"},
    [HP_JEPROF_INUSE_OBJECTS] = {"inuse_objects", SWITCH, METRIC, "objects in use"},
    [HP_JEPROF_ALLOC_SPACE] = {"alloc_space", SWITCH, METRIC, "bytes ever allocated"},
    [HP_JEPROF_ALLOC_OBJECTS] = {"alloc_objects", SWITCH, METRIC,
                                 "objects ever allocated"},
    [HP_JEPROF_SHOW_BYTES] = {"show_bytes", SWITCH, PLAIN, "bytes, not megabytes"},
    [HP_JEPROF_DROP_NEGATIVE] = {"drop_negative", SWITCH, PLAIN,
                                 "with --base, no stacks that shrank"},
    [HP_JEPROF_TOTAL_DELAY] = {"total_delay", SWITCH, NEEDLESS, CONTENTION},
    [HP_JEPROF_CONTENTIONS] = {"contentions", SWITCH, NEEDLESS, CONTENTION},
    [HP_JEPROF_MEAN_DELAY] = {"mean_delay", SWITCH, NEEDLESS, CONTENTION},
    [HP_JEPROF_TOOLS] = {"tools", TEXT, NEEDLESS, "no other program is run"},
    [HP_JEPROF_TEST] = {"test", SWITCH, REFUSED, "the tests are in the source package"},
    [HP_JEPROF_DEBUG] = {"debug", SWITCH, PLAIN, NULL},
    [HP_JEPROF_DEBUG_SYMS_BY_ID] = {"debug-syms-by-id", SWITCH, NEEDLESS,
                                    "debug files are always found so"},
    [HP_JEPROF_TEST_STRIDE] = {"test_stride", COUNT, PLAIN, NULL},
    [HP_JEPROF_EXACT] = {"exact-jeprof", SWITCH, PLAIN,
                         "numbers of jeprof's formula, all dumps added up"},
    [HP_JEPROF_COMPAT] = {"compat", TEXT, PLAIN, "the same if \"jeprof\""},
    [HP_JEPROF_SUM] = {"sum", SWITCH, PLAIN, "add up dumps of one process, too"},
    [HP_JEPROF_MAX_MEMORY] = {"max-memory", SETTING, PLAIN,
                              "fail rather than allocate more: 500MiB, 8GiB, none"},
    [HP_JEPROF_SANDBOX] = {"sandbox", SETTING, PLAIN,
                           "of what reads binaries: auto, require, off"},
    [HP_JEPROF_SOURCE_DIR] = {"source-dir", SETTING, PLAIN,
                              "look for sources of --list below this directory, too"},
};

static bool takes_value(const struct option_row *row) {
    return row->takes >= TEXT;
}

// --- names -----------------------------------------------------------------------------

// Return the number of options that `name` may be short for, 1 if it is the full name of
// one, and store the last of them in *found.  Options that jeprof lacks are considered
// only if none of jeprof's fits, so that abbreviations in scripts keep their meaning.
static size_t find_prefix(const char *name, size_t size, size_t *found) {
    size_t count = 0;
    for (size_t i = 0; i < HP_JEPROF_OPTIONS; i++) {
        if (i == HP_JEPROF_EXACT && count > 0) {
            break;
        }
        if (strncasecmp(table[i].name, name, size) == 0) {
            *found = i;
            count++;
            if (strlen(table[i].name) == size) {
                return 1;
            }
        }
    }
    return count;
}

// Find the option by its name or a beginning of it; "no-cum" and "nocum" are "cum" with
// *is_off set.  HP_E_USAGE if there is none or several.
static int find(const char *name, size_t size, size_t *found, bool *is_off,
                struct hp_err *err) {
    size_t count = find_prefix(name, size, found);
    *is_off = false;
    if (count == 0 && size > 2 && strncasecmp(name, "no", 2) == 0) {
        size_t skip = name[2] == '-' || name[2] == '_' ? 3 : 2;
        count = size > skip ? find_prefix(name + skip, size - skip, found) : 0;
        *is_off = true;
        count = count > 0 && table[*found].takes != SWITCH ? 0 : count;
    }
    if (count == 1) {
        return HP_OK;
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("jeprof-option-unknown",
                                  "jeprof has %s option --%.*s, see --help"),
                       count == 0 ? "no" : "more than one", (int)size, name);
}

// --- values ----------------------------------------------------------------------------

// Read a number from 0 to 1e9; a COUNT has to be whole.
static int read_number(const char *text, const struct option_row *row, double *number,
                       struct hp_err *err) {
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    bool is_whole = strspn(text, "0123456789") == strlen(text);
    if (*end != '\0' || end == text || !(*number >= 0) || *number > 1e9 ||
        (row->takes == COUNT && !is_whole)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("jeprof-not-a-number", "--%s: %s is not a number"),
                           row->name, text);
    }
    return HP_OK;
}

// Pass the value to the setter of hprof-agg's option.  It points into argv and stays
// valid; setters of these options never write into it.
static int take_setting(struct hp_jeprof_options *options, size_t i, char *value,
                        struct hp_err *err) {
    const struct hp_cli_option *option;
    int ret = hp_cli_option_find(table[i].name, &option, err);
    return ret == HP_OK ? option->set(&options->settings, option, value, err) : ret;
}

// Check and store the value of option `i`.
static int take(struct hp_jeprof_options *options, size_t i, char *value,
                struct hp_err *err) {
    double number;
    if (table[i].takes == SETTING) {
        return take_setting(options, i, value, err);
    }
    if (table[i].takes == COUNT || table[i].takes == FRACTION) {
        int ret = read_number(value, &table[i], &number, err);
        if (ret != HP_OK) {
            return ret;
        }
    }
    // An empty text means that the option is not set, as in jeprof.
    options->is_on[i] = value == NULL || *value != '\0';
    options->text[i] = value != NULL && *value != '\0' ? value : NULL;
    return HP_OK;
}

// Read the option in `word`; its value may be in the next word: *next is then advanced
// past that.
static int read_option(struct hp_jeprof_options *options, char *word, char *const **next,
                       struct hp_err *err) {
    bool is_off;
    size_t i = 0;
    char *name = word + (word[1] == '-' ? 2 : 1);
    size_t size = strcspn(name, "=");
    int ret = find(name, size, &i, &is_off, err);
    if (ret != HP_OK) {
        return ret;
    }
    char *value = name[size] == '=' ? name + size + 1 : NULL;
    if (takes_value(&table[i])) {
        if (value == NULL && **next == NULL) {
            return hp_cli_fail(err, HP_E_USAGE,
                               HP_MESSAGE("jeprof-needs-value", "--%s needs a value"),
                               table[i].name);
        }
        return take(options, i, value != NULL ? value : *(*next)++, err);
    }
    if (value != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("jeprof-takes-no-value", "--%s takes no value"),
                           table[i].name);
    }
    options->is_on[i] = !is_off;
    return HP_OK;
}

// --- together --------------------------------------------------------------------------

// Find the given option of the role `part`, such as MODE; *found is HP_JEPROF_OPTIONS if
// none was given.  HP_E_USAGE if there are several.
static int find_one(const struct hp_jeprof_options *options, enum option_role part,
                    enum hp_jeprof_option *found, struct hp_err *err) {
    *found = HP_JEPROF_OPTIONS;
    for (size_t i = 0; i < HP_JEPROF_OPTIONS; i++) {
        if (table[i].part == part && options->is_on[i]) {
            if (*found != HP_JEPROF_OPTIONS) {
                return hp_cli_fail(err, HP_E_USAGE,
                                   HP_MESSAGE("jeprof-exclusive",
                                              "--%s and --%s cannot be combined"),
                                   table[*found].name, table[i].name);
            }
            *found = (enum hp_jeprof_option)i;
        }
    }
    return HP_OK;
}

int hp_jeprof_options_check(const struct hp_jeprof_options *options, struct hp_err *err) {
    for (size_t i = 0; i < HP_JEPROF_OPTIONS; i++) {
        if (options->is_on[i] && table[i].part == REFUSED) {
            return hp_cli_fail(err, HP_E_UNSUPPORTED,
                               HP_MESSAGE("jeprof-refused", "--%s: %s"), table[i].name,
                               table[i].help);
        }
        if (options->is_on[i] && table[i].part == NEEDLESS) {
            hp_cli_message(HP_MESSAGE("jeprof-needless", "--%s is not needed: %s"),
                           table[i].name, table[i].help);
        }
    }
    return HP_OK;
}

// The value of a numeric option, or a default.
static double number_of(const struct hp_jeprof_options *options, enum hp_jeprof_option i,
                        double otherwise) {
    return options->text[i] != NULL ? strtod(options->text[i], NULL) : otherwise;
}

// Derive report, rows, metric, `exact` and the limits of graphs from the options.
// Returns HP_OK or HP_E_USAGE.
static int settle(struct hp_jeprof_options *options, struct hp_err *err) {
    enum hp_jeprof_option grain, metric;
    int ret = find_one(options, MODE, &options->mode, err);
    ret = ret == HP_OK ? find_one(options, GRAIN, &grain, err) : ret;
    ret = ret == HP_OK ? find_one(options, METRIC, &metric, err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    options->by = grain == HP_JEPROF_LINES       ? HP_BY_LINE
                  : grain == HP_JEPROF_FILES     ? HP_BY_FILE
                  : grain == HP_JEPROF_ADDRESSES ? HP_BY_ADDRESS
                                                 : HP_BY_FUNCTION;
    options->metric = metric == HP_JEPROF_INUSE_OBJECTS   ? HP_INUSE_OBJECTS
                      : metric == HP_JEPROF_ALLOC_SPACE   ? HP_ALLOC_SPACE
                      : metric == HP_JEPROF_ALLOC_OBJECTS ? HP_ALLOC_OBJECTS
                                                          : HP_INUSE_SPACE;
    options->exact = options->is_on[HP_JEPROF_EXACT];
    const char *compat = options->text[HP_JEPROF_COMPAT];
    if (compat != NULL && strcmp(compat, "jeprof") != 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("jeprof-compat", "--compat takes jeprof, not %s"),
                           compat);
    }
    options->exact |= compat != NULL;
    options->nodecount = (size_t)number_of(options, HP_JEPROF_NODECOUNT, 80);
    options->maxdegree = (size_t)number_of(options, HP_JEPROF_MAXDEGREE, 8);
    options->nodefraction = number_of(options, HP_JEPROF_NODEFRACTION, .005);
    options->edgefraction = number_of(options, HP_JEPROF_EDGEFRACTION, .001);
    return HP_OK;
}

int hp_jeprof_options_read(struct hp_jeprof_options *options, int count,
                           char *const *words, struct hp_err *err) {
    char *const *end = words + count, *const *next = words;
    bool only_operands = false;
    *options = (struct hp_jeprof_options){.mode = HP_JEPROF_OPTIONS};
    while (next < end) {
        char *word = *next++;
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            hp_cli_words_add(&options->operands, word);
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else {
            int ret = read_option(options, word, &next, err);
            if (ret != HP_OK) {
                return ret;
            }
        }
    }
    bool is_asked = options->is_on[HP_JEPROF_HELP] || options->is_on[HP_JEPROF_VERSION];
    return is_asked ? HP_OK : settle(options, err);
}

void hp_jeprof_options_done(struct hp_jeprof_options *options) {
    free(options->operands.items);
    free(options->settings.source_dirs.items);
    options->operands = (struct hp_cli_words){0};
}

const char *hp_jeprof_option_help(size_t i, const char **name, const char **value) {
    *name = table[i].name;
    *value = table[i].takes == TEXT       ? "=TEXT"
             : table[i].takes == SETTING  ? "=WORD"
             : table[i].takes == COUNT    ? "=N"
             : table[i].takes == FRACTION ? "=SHARE"
                                          : "";
    bool has_effect = table[i].part != REFUSED && table[i].part != NEEDLESS;
    return has_effect ? table[i].help : NULL;
}

// Tables of options of jeprof and pprof.  Options that have the same name here (--focus,
// --hide, --inuse_space ...) are not in them, nor are those that measure time or
// contention.
#include "cli/habits.h"

#include "cli/message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Foreign words with the same advice.
struct habit {
    const char *words;   // separated by spaces
    const char *instead; // sentence with the advice
};

#define PICTURE                                                  \
    "use hprof-agg top -o x.svg INPUT... for a flame graph, or " \
    "hprof-jeprof --svg INPUT... >x.svg for a graph of calls"
#define PDF  "use hprof-agg top -o x.pdf INPUT..."
#define PAGE "use hprof-agg merge -o x.pb.gz INPUT..., then go tool pprof -http=: x.pb.gz"

static const struct habit habits[] = {
    // The format that is written
    {"text", "use hprof-agg top INPUT..., which writes text"},
    {"top", "use hprof-agg top INPUT..."},
    {"tree",
     "use hprof-agg tree INPUT..., or peek REGEX INPUT... for callers and callees"},
    {"peek", "use hprof-agg peek REGEX INPUT..."},
    {"list weblist", "use hprof-agg list REGEX INPUT..."},
    {"disasm",
     "there is no disassembly: use hprof-agg list REGEX INPUT..., or --by=address"},
    {"traces", "use hprof-agg stacks INPUT..."},
    {"comments", "use hprof-agg info INPUT..."},
    {"tags", "use hprof-agg top --by=label:KEY INPUT..."},
    {"svg png gif ps web gv evince eog", PICTURE},
    {"pdf", PDF},
    {"http no_browser", "no server is started: " PAGE},
    {"dot", "use hprof-agg dot INPUT..."},
    {"callgrind", "use hprof-agg callgrind -o callgrind.out.x INPUT..."},
    {"collapsed", "use hprof-agg folded INPUT..."},
    {"proto topproto", "use hprof-agg merge -o x.pb.gz INPUT..."},
    {"raw", "use hprof-agg merge -o x.pb.gz INPUT..., which has the names in it"},
    {"interactive", "there is no shell: each report is a command, see hprof-agg help"},
    // The rows
    {"functions", "use --by=function, the default"},
    {"filefunctions", "use --by=function, the default; json and tsv tell the file"},
    {"lines", "use --by=line"},
    {"files", "use --by=file; a list of paths is --files-from=FILE"},
    {"addresses", "use --by=address"},
    {"noinlines", "use --no-inlines"},
    {"call_tree", "use hprof-agg tree INPUT..."},
    {"tagfocus tagignore tagshow taghide tagroot tagleaf",
     "there are no filters of labels: use --by=label:KEY, a row for each"},
    // The measure
    {"sample_index",
     "use --metric=inuse-space, inuse-objects, alloc-space or alloc-objects"},
    {"show_bytes", "use --unit=B"},
    {"base diff_base", "instead of --base=A B use hprof-agg diff A B"},
    {"normalize",
     "leave it out: hprof-agg diff compares the dumps as they are, several on "
     "a side by their averages"},
    {"drop_negative", "leave it out: hprof-agg diff tells what shrank from what grew"},
    {"relative_percentages",
     "leave it out: a line above the table tells what filters leave, "
     "as a share of all"},
    // The part that is shown
    {"flat", "use --sort=flat, the default"},
    {"nodecount", "use --limit=N"},
    {"nodefraction edgefraction maxdegree trim",
     "use --limit=N, and --min-share=PERCENT of hprof-agg tree"},
    {"retain", "use --show=REGEX"},
    {"exclude", "use --hide=REGEX; frames of the allocator are left out anyway"},
    {"heapcheck", "leave it out"},
    // Places of names and sources
    {"lib_prefix add_lib debug-syms-by-id", "use --symbol-dir=DIR"},
    {"symbolize", "leave it out, or use --no-symbols: names are looked up by default"},
    {"source_path trim_path", "use --source-dir=DIR"},
    {"tools", "leave it out: no other program is run"},
    {"seconds timeout", "nothing is fetched: curl -s URL | hprof-agg top -"},
};

// The same for endings of file names.
static const struct habit kinds[] = {
    {"png gif ps", PICTURE},
    {"csv xls xlsx", "use --format=tsv"},
};

// Whether one of `words` is `word`, or begins with it if `begins`; letter case is
// ignored.
static bool has_word(const char *words, const char *word, bool begins) {
    size_t length = strlen(word);
    for (size_t size; *words != '\0'; words += size + strspn(words + size, " ")) {
        size = strcspn(words, " ");
        if ((begins ? size >= length : size == length) &&
            strncasecmp(words, word, length) == 0) {
            return true;
        }
    }
    return false;
}

const char *hp_cli_habit(const char *word, bool begins) {
    const char *found = NULL;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (has_word(habits[i].words, word, begins)) {
            if (found != NULL) {
                return NULL; // ambiguous
            }
            found = habits[i].instead;
        }
    }
    return found;
}

const char *hp_cli_habit_of_kind(const char *kind) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (has_word(kinds[i].words, kind, false)) {
            return kinds[i].instead;
        }
    }
    return NULL;
}

// --- addresses on the net --------------------------------------------------------------

// Whether the input is like "localhost:6060/debug/pprof/heap", which jeprof accepts, and
// no file.
static bool is_host_and_port(const char *input) {
    size_t host = strspn(input,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789.-");
    size_t port = input[host] == ':' ? strspn(input + host + 1, "0123456789") : 0;
    return host > 0 && port > 0 && input[host + 1 + port] == '/' &&
           access(input, F_OK) != 0;
}

bool hp_cli_is_url(const char *input) {
    return strncmp(input, "http://", 7) == 0 || strncmp(input, "https://", 8) == 0 ||
           is_host_and_port(input);
}

int hp_cli_fail_url(const char *url, const struct hp_cli_command *command,
                    struct hp_err *err) {
    char source[256] = "URL";
    size_t plain = strspn(url,
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789:/._-");
    if (strlen(url) < sizeof source - 2 && strchr(url, '\'') == NULL) {
        const char *quote = url[plain] != '\0' ? "'" : "";
        snprintf(source, sizeof source, "%s%s%s", quote, url, quote);
    }
    int ret =
        command->id == HP_CLI_DIFF
            ? hp_cli_fail(err, HP_E_USAGE,
                          "nothing is fetched from the net: curl -s %s -o x.heap, "
                          "and compare that",
                          source)
            : hp_cli_fail(err, HP_E_USAGE,
                          "nothing is fetched from the net: curl -s %s | hprof-agg "
                          "%s%s -",
                          source, command->name, command->takes_pattern ? " REGEX" : "");
    snprintf(err->where, sizeof err->where, "%s", url);
    return ret;
}

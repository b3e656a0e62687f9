#include "cli/command.h"

#include "cli/message.h"
#include "cli/suggestion.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// --- habits ----------------------------------------------------------------------------

// Tables of options of jeprof and pprof.  Options that have the same name here (--focus,
// --hide, --inuse_space ...) are not in them, nor are those that measure time or
// contention.

// Options and commands of jeprof and pprof that get the same advice.
struct habit {
    const char *words;   // separated by spaces
    const char *instead; // sentence with the advice
};

#define PICTURE                                         \
    "use hprof-agg top -o x.svg INPUT..., or of calls " \
    "hprof-jeprof --svg INPUT..."
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
    {"diff_base", "use hprof-agg diff --base=A B"},
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

// Commands that people try, because other tools have them or because of what they want to
// know.
static const struct habit tried[] = {
    {"leak leaks leaking memleak growth grow grows",
     "use hprof-agg trend INPUT... for many dumps of a process"},
    {"compare cmp delta difference regression",
     "use hprof-agg diff BASE NEW, or diff BASE... --to NEW..."},
    {"flamegraph flame flames icicle", "use hprof-agg top -o x.svg INPUT..."},
    {"serve server ui page browse browser dashboard",
     "no server is started: hprof-agg top -o x.html INPUT... writes a page"},
    {"report summary show print hotspots biggest largest histogram",
     "use hprof-agg top INPUT..."},
    {"callgraph graph", "use hprof-agg dot INPUT..."},
    {"caller callers callee callees who", "use hprof-agg peek REGEX INPUT..."},
    {"source sources annotate code", "use hprof-agg list REGEX INPUT..."},
    {"rss memory overhead fragmentation stats",
     "use hprof-agg account DUMP --stats=FILE"},
    {"convert export", "use hprof-agg merge -o FILE INPUT...: its suffix is the format"},
    {"aggregate combine sum add join", "use hprof-agg merge -o x.hpa INPUT..."},
    {"inspect check why explain files ls", "use hprof-agg info INPUT..."},
    {"temporary churn turnover survival", "use hprof-agg lifetime INPUT..."},
    {"record run collect attach start dump profile capture",
     "no program is run: docs/howto/get-a-dump.md says how programs write dumps"},
};

// Advice for endings of file names that are no formats here.
static const struct habit kinds[] = {
    {"png gif ps", PICTURE},
    {"csv xls xlsx", "use --format=tsv"},
};

// Whether one of `words`, which are separated by spaces, is `word` or, if `begins` is
// set, begins with it; letter case is ignored.
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

// Advice for a command that people try; NULL if there is none.
static const char *habit_of_command(const char *word) {
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (has_word(tried[i].words, word, false)) {
            return tried[i].instead;
        }
    }
    return hp_cli_habit(word, false);
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
            ? hp_cli_fail(
                  err, HP_E_USAGE,
                  HP_MESSAGE(
                      "net-url",
                      "hprof-agg does not use the network. Use: curl -s %s -o x.heap"),
                  source)
            : hp_cli_fail(
                  err, HP_E_USAGE,
                  HP_MESSAGE(
                      "net-url-of-command",
                      "hprof-agg does not use the network. Use: curl -s %s | hprof-agg "
                      "%s%s -"),
                  source, command->name, command->takes_pattern ? " REGEX" : "");
    snprintf(err->where, sizeof err->where, "%s", url);
    return ret;
}

// --- command ---------------------------------------------------------------------------

// The table of commands; seven of them write no report.
struct commands {
    struct hp_cli_command at[HP_REPORT_KINDS + 7];
    size_t count;
};

// The operands of a report, for its usage line.
static const char *arguments_of(enum hp_report_kind kind) {
    unsigned takes = hp_report_takes(kind);
    return (takes & HP_TAKES_PATTERN) != 0 ? "REGEX INPUT..."
           : (takes & HP_TAKES_BASE) != 0  ? "BASE NEW, or BASE... --to NEW..."
           : (takes & HP_TAKES_STATS) != 0 ? "DUMP --stats=FILE, or DUMP STATS..."
                                           : "INPUT...";
}

// Append a command for each kind of report that has a help text.
static void add_reports(struct commands *commands) {
    for (enum hp_report_kind kind = 0; kind < HP_REPORT_KINDS; kind++) {
        if (hp_report_help(kind) != NULL) {
            commands->at[commands->count++] = (struct hp_cli_command){
                .name = hp_report_name(kind),
                .arguments = arguments_of(kind),
                .help = hp_report_help(kind),
                .id = 1u << kind,
                .kind = kind,
                .takes_pattern = (hp_report_takes(kind) & HP_TAKES_PATTERN) != 0,
            };
        }
    }
}

// Commands that are no report.
static const struct hp_cli_command others[] = {
    {
        .name = "rows",
        .arguments = "--output=DIR [OPTION...] INPUT..., or --output=DIR --add-names",
        .help = "write dumps as rows, one for each stack, for DuckDB, ClickHouse or "
                "Spark; --add-names adds names of functions later",
        .id = HP_CLI_ROWS,
    },
    {
        .name = "manifest",
        .arguments = "--tasks=N --output=PREFIX PATH...",
        .help = "lists of the dumps that count, by their names, for N tasks on any "
                "number of "
                "machines",
        .id = HP_CLI_MANIFEST,
    },
    {
        .name = "digest",
        .arguments = "PARTIAL...",
        .help = "SHA-256 of the content of aggregate files; equal for equal dumps",
        .id = HP_CLI_DIGEST,
    },
    {
        .name = "jeprof",
        .arguments = "[PROGRAM] DUMP...",
        .help = "what jeprof does, with its options: also called hprof-jeprof",
        .id = HP_CLI_JEPROF,
    },
    {
        .name = "doctor",
        .arguments = "PID|PROGRAM|DUMP|DIR",
        .help = "why there is no profile of a program, and what to do",
        .id = HP_CLI_DOCTOR,
    },
    {
        .name = "help",
        .arguments = "[COMMAND]",
        .help = "how to use the tool, or a command; --all shows all options, formats the "
                "formats, frame-rules how frames are classified",
        .id = HP_CLI_HELP,
    },
    {
        .name = "version",
        .arguments = "",
        .help = "the version of the tool",
        .id = HP_CLI_VERSION,
    },
};

// The table of commands, which is built at the first call.
static const struct commands *all_commands(void) {
    static struct commands commands;
    if (commands.count == 0) {
        add_reports(&commands);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            commands.at[commands.count++] = others[i];
        }
    }
    return &commands;
}

size_t hp_cli_command_count(void) {
    return all_commands()->count;
}

const struct hp_cli_command *hp_cli_command(size_t i) {
    return &all_commands()->at[i];
}

const struct hp_cli_command *hp_cli_command_by_id(unsigned id) {
    const struct hp_cli_command *command = hp_cli_command(0);
    while (command->id != id) {
        command++;
    }
    return command;
}

// The command that is run if the name of a format is given as a word: `merge` if that
// writes the format, else the only command that does.  NULL if several write it, as with
// text.
static const struct hp_cli_command *command_of_format(const char *format) {
    const struct hp_cli_command *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        const struct hp_cli_command *command = hp_cli_command(i);
        if ((command->id & HP_CLI_REPORTS) != 0 &&
            hp_format_fits(format, command->kind)) {
            found = command;
            count++;
        }
    }
    bool merges = hp_format_fits(format, HP_REPORT_MERGE);
    return merges ? hp_cli_command_by_id(HP_CLI_MERGE) : count == 1 ? found : NULL;
}

const char *hp_cli_command_word(size_t i, const struct hp_cli_command **command) {
    if (i < hp_cli_command_count()) {
        *command = hp_cli_command(i);
        return (*command)->name;
    }
    i -= hp_cli_command_count();
    for (size_t all = 0; all < hp_format_count(); all++) {
        *command = command_of_format(hp_format_name(all));
        if (*command != NULL && i-- == 0) {
            return hp_format_name(all);
        }
    }
    return NULL;
}

bool hp_cli_command_is_known(const char *word) {
    bool is_known = false;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        is_known |= strcmp(word, hp_cli_command(i)->name) == 0;
    }
    for (size_t i = 0; i < hp_format_count(); i++) {
        is_known |= strcmp(word, hp_format_name(i)) == 0;
    }
    return is_known;
}

// Fail with HP_E_USAGE: `word` is not a command.  The message suggests what to use
// instead of a command of jeprof or pprof, a similar word, or help.
static int unknown(const char *word, struct hp_err *err) {
    const char *instead = habit_of_command(word);
    struct hp_cli_suggestion suggestion = {.word = word};
    const char *name;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        hp_cli_suggestion_try(&suggestion, hp_cli_command(i)->name);
    }
    for (size_t i = 0; i < hp_format_count(); i++) {
        name = hp_format_name(i);
        if (strcmp(word, name) == 0) {
            return hp_cli_fail(
                err, HP_E_USAGE,
                HP_MESSAGE(
                    "format-as-command",
                    "%s is a format, not a command. Use: hprof-agg top --format=%s"),
                name, name);
        }
        hp_cli_suggestion_try(&suggestion, name);
    }
    if (instead != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("command-hint", "unknown command %s: %s"), word,
                           instead);
    }
    if (suggestion.best != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("command-did-you-mean",
                                      "unknown command %s, did you mean %s?"),
                           word, suggestion.best);
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("command-unknown",
                                  "%s: no such file or command. See hprof-agg --help"),
                       word);
}

int hp_cli_command_find(const char *word, const struct hp_cli_command **command,
                        const char **format, struct hp_err *err) {
    const char *name;
    for (size_t i = 0; (name = hp_cli_command_word(i, command)) != NULL; i++) {
        if (strcmp(word, name) == 0) {
            *format = name != (*command)->name ? name : NULL;
            return HP_OK;
        }
    }
    return unknown(word, err);
}

#include "cli/brief.h"

#include <string.h>

#define FIRST HP_CLI_ON_FIRST_SCREEN
#define OTHER HP_CLI_WITH_COMMAND

static const struct hp_cli_brief table[] = {
    {"output", FIRST,
     "write FILE; its suffix selects the format: .svg (a flame graph) .html .json .tsv "
     ".md .pb.gz .folded .hpa"},
    {"format", FIRST, "select the format by name: help formats"},
    {"limit", FIRST, "rows to show, 0 = all"},
    {"cum", FIRST, "sort by a function and all it calls"},
    {"metric", FIRST, "inuse-space, inuse-objects, alloc-space, alloc-objects"},
    {"by", FIRST,
     "rows are: function, line, file, module, thread, process, size, label:host with "
     "--label-from"},
    {"focus", FIRST, "keep stacks that match"},
    {"ignore", FIRST, "drop stacks that match"},
    {"hide", FIRST, "remove matching calls from stacks"},
    {"frames", FIRST,
     "all, or without: no-alloc, no-std (default), no-libs; hidden code is attributed to "
     "its callers"},
    {"symbol-dir", FIRST, "also look for binaries and debug files in DIR"},
    {"fail-if", FIRST, "diff, trend: exit with 1, e.g. 'growth>5%,p<0.01'"},
    {"quiet", FIRST, "print errors only"},
    {"verbose", FIRST, "print more"},
    {"help", FIRST, "show this help, or that of a command"},
    {"version", FIRST, "show the version"},

    {"all", OTHER, "show all options and formats"},
    {"to", OTHER, "separate the dumps of the base from the new ones"},
    {"base", OTHER, "read FILE as the base"},
    {"time-from", OTHER, "take times from paths by REGEX, or from the files"},
    {"stats", OTHER, "the output of malloc_stats_print(..., \"J\")"},
    {"smaps", OTHER, "/proc/PID/smaps or smaps_rollup of the process"},
    {"see", OTHER, "choose a period that finds a change of PERCENT of the total (5)"},
    {"sample-cost", OTHER, "set the CPU time of one sample, in microseconds"},
    {"waste", OTHER, "show free slabs by size, and which stacks keep them"},
    {"recent", OTHER, "read jemalloc's prof_recent: how long objects lived"},
    {"pairs", OTHER, "with --recent: show which stack frees"},
    {"used", OTHER, "write the paths of used dumps, one a line"},
    {"add-names", OTHER, "add names of functions to the stacks in DIR"},
    {"tasks", OTHER, "split the dumps into N lists, by process"},
    {"shard", OTHER, "write only stacks of shard I of N, such as 0/4"},
    {"timeline", OTHER, "keep the dumps of a series apart"},
    {"with-builds", OTHER, "keep in x.hpa which builds the dumps ran"},
    {"with-names", OTHER, "keep in x.hpa the names of functions"},
    {"flavor", OTHER, "write pprof for pprof, pyroscope, parca or datadog"},
    {"redact", OTHER, "replace names by hashes"},
    {"invert", OTHER, "begin with the functions that allocate"},
    {"min-share", OTHER, "drop nodes below this share of the total"},
    {"source-dir", OTHER, "also look for source files in DIR"},
    {"columns", OTHER, "add columns: sizes, age, spread of the dumps"},
    {"files-from", OTHER, "read paths of dumps from FILE, one a line"},
    {"maps", OTHER, "the memory map of dumps that have none"},
    {"dumps", OTHER, "dump to use per process: latest, exit, peak, each, sum"},
    {"max-skipped", OTHER, "go on if N dumps, or P percent, cannot be used"},
    {"damaged", OTHER, "use or reject damaged dumps"},
    {"thread", OTHER, "use only memory allocated by this thread"},
    {"show", OTHER, "show only matching calls"},
    {"show-from", OTHER, "begin stacks at the match nearest to the root"},
    {"label-from", OTHER, "label dumps by named groups of REGEX in their paths"},
    {"names", OTHER, "show short or full names of functions"},
    {"no-symbols", OTHER, "do not open binaries"},
};

size_t hp_cli_brief_count(void) {
    return sizeof table / sizeof *table;
}

const struct hp_cli_brief *hp_cli_brief(size_t i) {
    return &table[i];
}

const struct hp_cli_option *hp_cli_brief_option(const struct hp_cli_brief *brief) {
    const struct hp_cli_option *option = hp_cli_option(0);
    while (strcmp(option->name, brief->option) != 0) {
        option++;
    }
    return option;
}

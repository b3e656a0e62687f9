#include "cli/option.h"

#include "cli/command.h"
#include "cli/message.h"
#include "cli/renamed.h"
#include "cli/setter.h"
#include "cli/suggestion.h"

#include <stdio.h>
#include <string.h>

// Sets of commands that accept an option.  A kind of report that none of the sets
// excludes takes the options of tables.
enum {
    ALL = HP_CLI_TAKES_INPUTS | HP_CLI_HELP | HP_CLI_VERSION | HP_CLI_DIGEST,
    REPORTS = HP_CLI_REPORTS,
    // Commands that read dumps.
    READS = HP_CLI_READS,
    INPUTS = HP_CLI_TAKES_INPUTS,
    // Reports that show frames, so that options can choose and classify these.
    FRAMES = REPORTS & ~HP_CLI_INFO,
    // Reports about stacks.
    VIEWS = FRAMES & ~HP_CLI_ACCOUNT & ~HP_CLI_PLAN,
    // Reports with rows.
    TABLES = VIEWS & ~HP_CLI_MERGE,
    // Reports that compare dumps.
    SERIES = HP_CLI_DIFF | HP_CLI_TREND,
    // Reports of one metric that --metric chooses; lifetime always shows bytes and
    // samples.
    METRICS = VIEWS & ~HP_CLI_LIFETIME,
    // Reports that can be written as pprof.
    PROFILES = HP_CLI_TOP | HP_CLI_STACKS | HP_CLI_MERGE | HP_CLI_DIFF,
};

enum {
    // Least number of letters from which on a word is compared with the beginnings of
    // other tools' options; a shorter word is taken for a misspelt option of this tool.
    ABBREVIATION_MIN = 4,
};

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define FIELD(name)  offsetof(struct hp_cli_settings, name)

// Choices have to be in the order of the enum whose values they set.
// clang-format off
static const struct hp_cli_option options[] = {
    {"files-from", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, INPUTS,
     "read the paths of further inputs from FILE, one a line; - is standard input; may "
"be "
     "repeated",
     hp_cli_set_word, FIELD(files_from), 0},
    {"tar", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, READS & ~HP_CLI_ACCOUNT,
     "read the files in a tar archive, plain, gzip or zstd, as further inputs; - is "
"standard "
     "input; may be repeated",
     hp_cli_set_word, FIELD(archives), 0},
    {"stats", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT,
     HP_CLI_ACCOUNT | HP_CLI_PLAN | HP_CLI_TOP | HP_CLI_INFO,
     "what malloc_stats_print(..., \"J\") of jemalloc wrote in the process of the dump",
     hp_cli_set_text, FIELD(read.stats), 0},
    {"smaps", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, HP_CLI_ACCOUNT,
     "its /proc/PID/smaps or smaps_rollup, for what the kernel counts",
     hp_cli_set_text, FIELD(read.smaps), 0},
    {"recent", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, HP_CLI_LIFETIME,
     "what jemalloc's prof_recent wrote in the process of the one dump, or of the one "
"/proc/PID/maps: "
     "how long what was allocated last lived",
     hp_cli_set_text, FIELD(read.recent), 0},
    {"maps", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, REPORTS,
     "the memory map of dumps of one process that have none: its /proc/PID/maps, or "
"another dump "
     "of it",
     hp_cli_set_text, FIELD(read.maps), 0},
    {"to", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, HP_CLI_DIFF,
     "inputs before this, also those of --files-from, are the base, inputs after it are "
     "new",
     hp_cli_set_to, FIELD(has_to), true},
    {"base", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_INPUT, HP_CLI_DIFF,
     "read FILE as the base, as jeprof and pprof do; may be repeated",
     hp_cli_set_word, FIELD(bases), 0},
    {"time-from", '\0', HP_CLI_TEXT, "REGEX|mtime", NULL, HP_CLI_GROUP_INPUT,
     HP_CLI_TREND | HP_CLI_LIFETIME | HP_CLI_MERGE | HP_CLI_PLAN,
     "when dumps were made: the first group of REGEX in their paths, or the times of "
"the files "
     "(default: what pprof inputs say)",
     hp_cli_set_text, FIELD(read.time_from), 0},
    {"dumps", '\0', HP_CLI_CHOICE, "WHICH",
     CHOICES("latest", "exit", "peak", "each", "sum"), HP_CLI_GROUP_INPUT,
     INPUTS & ~HP_CLI_TREND & ~HP_CLI_LIFETIME & ~HP_CLI_ROWS,
     "which dumps of a process are used: the latest (the default; in use: before its "
     "exit), that at its exit, the largest, each as a row, or their sum",
     hp_cli_set_enum, FIELD(read.snapshots), HP_SNAPSHOTS_LAST},
    {"null", '0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, INPUTS,
     "paths in --files-from, and in lists that are written, end in a NUL byte, not in a "
"newline",
     hp_cli_set_bool, FIELD(null_separated), true},
    {"on-duplicate", '\0', HP_CLI_CHOICE, "ACTION", CHOICES("refuse", "skip", "count"),
     HP_CLI_GROUP_INPUT, READS,
     "when the same dump is given twice: refuse (the default), skip the second, or "
"count both",
     hp_cli_set_duplicates, 0, 0},
    {"keep-unmapped", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, READS,
     "name frames in no mapping, and those of JIT compilers, by their addresses, not as "
"[unmapped] and [jit]",
     hp_cli_set_bool, FIELD(read.keep_unmapped), true},
    {"no-input-ids", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT,
     VIEWS & ~SERIES & ~HP_CLI_LIFETIME,
     "record no dumps in an aggregate file, so that duplicates are not detected; with "
     "--dumps=sum --on-duplicate=count any number of dumps takes the memory of one",
     hp_cli_set_bool, FIELD(read.no_input_ids), true},
    {"with-builds", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, HP_CLI_MERGE,
     "record which builds the dumps ran, where the binaries are available",
     hp_cli_set_bool, FIELD(read.with_builds), true},
    {"with-names", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, HP_CLI_MERGE,
     "keep the names of functions, so that reports need no binaries of the dumps",
     hp_cli_set_bool, FIELD(read.with_names), true},
    {"damaged", '\0', HP_CLI_CHOICE, "ACTION", CHOICES("use", "reject"),
     HP_CLI_GROUP_INPUT, READS,
     "use the readable part of a truncated dump, or reject also a dump with a malformed "
     "line (default: reject truncated dumps, skip malformed lines)",
     hp_cli_set_damaged, 0, 0},
    {"wait", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_INPUT, READS,
     "wait for a process that writes to a named FIFO",
     hp_cli_set_bool, FIELD(read.wait), true},
    {"max-skipped", '\0', HP_CLI_TEXT, "N|P%", NULL, HP_CLI_GROUP_INPUT, READS,
     "go on when at most N inputs, or P percent of them, cannot be used (default 0)",
     hp_cli_set_max_skipped, 0, 0},
    {"min-age", '\0', HP_CLI_TEXT, "SECONDS", NULL, HP_CLI_GROUP_INPUT, READS,
     "leave out files that were written to less than SECONDS ago: they may not be "
"complete",
     hp_cli_set_seconds, FIELD(read.min_age), 0},
    {"max-input-size", '\0', HP_CLI_TEXT, "SIZE", NULL, HP_CLI_GROUP_INPUT, READS,
     "read at most SIZE of one input, after decompression: 500MiB, 8GiB (default: of "
"compressed "
     "inputs the larger of 32 MiB and 200 times the file)",
     hp_cli_set_size, FIELD(read.max_input_size), 0},

    {"metric", '\0', HP_CLI_CHOICE, "METRIC",
     CHOICES("inuse-space", "inuse-objects", "alloc-space", "alloc-objects", "NAME"),
     HP_CLI_GROUP_MEASURE, METRICS,
     "what to measure, or the NAME of another sample type of pprof inputs, as "
"resident_space",
     hp_cli_set_metric, FIELD(report.metric), HP_INUSE_SPACE},
    {"inuse_space", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_MEASURE, METRICS,
     "as in jeprof: --metric=inuse-space",
     hp_cli_set_metric, FIELD(report.metric), HP_INUSE_SPACE},
    {"inuse_objects", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_MEASURE, METRICS,
     "as in jeprof: --metric=inuse-objects",
     hp_cli_set_metric, FIELD(report.metric), HP_INUSE_OBJECTS},
    {"alloc_space", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_MEASURE, METRICS,
     "as in jeprof: --metric=alloc-space",
     hp_cli_set_metric, FIELD(report.metric), HP_ALLOC_SPACE},
    {"alloc_objects", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_MEASURE, METRICS,
     "as in jeprof: --metric=alloc-objects",
     hp_cli_set_metric, FIELD(report.metric), HP_ALLOC_OBJECTS},
    {"folded-unit", '\0', HP_CLI_CHOICE, "UNIT", CHOICES("bytes", "objects"),
     HP_CLI_GROUP_MEASURE, REPORTS, "unit of the numbers in folded stacks (default bytes)",
     hp_cli_set_enum, FIELD(read.folded_unit), HP_FOLDED_BYTES},
    {"large-sizes", '\0', HP_CLI_CHOICE, "KIND", CHOICES("classes", "pages"),
     HP_CLI_GROUP_MEASURE, READS,
     "what jemalloc rounds objects of more than 32 KiB up to: size classes (up to "
"5.3.0) or "
     "pages (from 5.3.1 on)",
     hp_cli_set_enum, FIELD(read.large_sizes), HP_LARGE_CLASSES},
    {"estimator", '\0', HP_CLI_CHOICE, "NAME", CHOICES("unbiased", "jeprof", "none"),
     HP_CLI_GROUP_MEASURE, REPORTS & ~HP_CLI_LIFETIME & ~HP_CLI_PLAN,
     "estimate without bias (the default), with jeprof's formula, or not: show the "
     "numbers that the dumps contain",
     hp_cli_set_enum, FIELD(read.estimator), HP_ESTIMATOR_BEST},

    {"by", '\0', HP_CLI_CHOICE, "WHAT",
     CHOICES("function", "line", "file", "module", "build", "address", "group", "input", "thread",
             "label:KEY", "size", "program", "process", "age"),
     HP_CLI_GROUP_GROUPING, (VIEWS & ~HP_CLI_LIST) | HP_CLI_PLAN,
     "what rows are, or in pprof which label is added, or in html which labels, threads or "
     "inputs can be chosen; KEY names a label of samples or of --label-from",
     hp_cli_set_by, FIELD(report.by), HP_BY_FUNCTION},
    {"groups", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_GROUPING,
     HP_CLI_TOP | HP_CLI_STACKS | HP_CLI_DIFF | HP_CLI_TREND | HP_CLI_ROWS,
     "read rules of groups of stacks from FILE; may be repeated", hp_cli_set_groups, 0, 0},
    {"label-from", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_GROUPING,
     HP_CLI_TOP | HP_CLI_STACKS | HP_CLI_MERGE | HP_CLI_ROWS,
     "label the inputs by the named groups of REGEX in their paths: /(?<host>[^/]+)/",
     hp_cli_set_text, FIELD(read.label_from), 0},
    {"no-inlines", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_GROUPING, FRAMES | HP_CLI_ROWS,
     "count an inlined call as part of the function around it",
     hp_cli_set_bool, FIELD(report.frames.no_inlines), true},
    {"names", '\0', HP_CLI_CHOICE, "FORM", CHOICES("short", "full"),
     HP_CLI_GROUP_GROUPING, FRAMES | HP_CLI_ROWS,
     "leave arguments, returned types, traits and directories out of names of functions, "
     "or keep them: the default of callgrind, dhat, firefox, json and tsv, and of text "
     "with -v",
     hp_cli_set_enum, FIELD(report.frames.names), HP_NAMES_SHORT},

    {"timeline", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_GROUPING, HP_CLI_MERGE,
     "keep the dumps of a series apart, each at its time or, where none is known, its "
"place",
     hp_cli_set_bool, FIELD(timeline), true},

    {"focus", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "show only stacks with a function, file or module that matches; may be repeated",
     hp_cli_set_filter, 0, HP_FOCUS},
    {"ignore", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "do not show stacks with one that matches; may be repeated",
     hp_cli_set_filter, 0, HP_IGNORE},
    {"hide", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "leave calls that match out of their stacks; may be repeated",
     hp_cli_set_filter, 0, HP_HIDE},
    {"show", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "show only calls that match; may be repeated",
     hp_cli_set_filter, 0, HP_SHOW},
    {"show-from", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "begin stacks at the match nearest to the root, and do not show those without; "
     "may be repeated",
     hp_cli_set_filter, 0, HP_SHOW_FROM},
    {"thread", '\0', HP_CLI_TEXT, "NAME|ID", NULL, HP_CLI_GROUP_FILTER, VIEWS,
     "read the threads of one name or number only: totals are theirs",
     hp_cli_set_text, FIELD(read.thread), 0},
    {"older-than", '\0', HP_CLI_TEXT, "AGE", NULL, HP_CLI_GROUP_FILTER, METRICS,
     "use only objects in use that a dump lists with an age of AGE or more, as 60s (ms, s, "
     "min, h, d); totals are theirs",
     hp_cli_set_age, FIELD(read.older_than), 0},
    {"frames", '\0', HP_CLI_CHOICE, "WHICH", CHOICES("no-std", "no-libs", "no-alloc", "all"),
     HP_CLI_GROUP_FILTER, FRAMES,
     "which frames to show. Hidden code is attributed to its callers. no-std hides the "
     "standard library, wrappers of malloc, start-up and the allocator. no-libs also hides "
     "libraries, no-alloc only the allocator, all nothing. Default: no-std of tables and "
     "pictures by function, line or file, else no-alloc",
     hp_cli_set_enum, FIELD(report.frames.fold), HP_FRAMES_CODE},
    {"wrapper", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, FRAMES | HP_CLI_ROWS,
     "treat functions, files or modules that match as wrappers of malloc: their memory "
"is "
     "attributed to their callers; may be repeated",
     hp_cli_set_rule, 0, HP_CLASS_WRAPPER},
    {"own", '\0', HP_CLI_TEXT, "REGEX", NULL, HP_CLI_GROUP_FILTER, FRAMES | HP_CLI_ROWS,
     "treat those that match as the program's own; may be repeated",
     hp_cli_set_rule, 0, HP_CLASS_OWN},
    {"frame-rules", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_FILTER, FRAMES | HP_CLI_ROWS,
     "classify frames by the rules in FILE: lines of class, field and regular "
"expression, as "
     "help frame-rules prints them; may be repeated",
     hp_cli_set_rules, 0, 0},

    {"only", '\0', HP_CLI_CHOICE, "WHICH", CHOICES("grown"), HP_CLI_GROUP_FILTER,
     HP_CLI_TOP | HP_CLI_PEEK | HP_CLI_STACKS | HP_CLI_MERGE,
     "of a difference of two profiles write what grew, where a format has no numbers "
"below zero",
     hp_cli_set_bool, FIELD(report.only_grown), true, HP_CAN_ONLY_GROW},

    {"limit", 'n', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_TABLE, TABLES | HP_CLI_ACCOUNT,
     "show N rows, 0 for all. Default for people: until 95 % of all is shown, by cum and in "
     "trees what is 1 % or more, 10 to 20 rows; 80 nodes of dot; 15 rows of html; else all",
     hp_cli_set_count, FIELD(report.limit), 0, HP_CAN_LIMIT},
    {"sort", '\0', HP_CLI_CHOICE, "KEY", CHOICES("flat", "cum", "name"),
     HP_CLI_GROUP_TABLE, HP_CLI_TOP | HP_CLI_PEEK,
     "the order of the rows",
     hp_cli_set_enum, FIELD(report.sort), HP_SORT_FLAT, HP_CAN_INTERVALS},
    {"cum", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_TABLE,
     HP_CLI_TOP | HP_CLI_PEEK | SERIES | HP_CLI_LIFETIME,
     "short for --sort=cum; diff, trend and lifetime: look at what functions hold with "
"all they call",
     hp_cli_set_enum, FIELD(report.sort), HP_SORT_CUM, HP_CAN_INTERVALS},
    {"unit", '\0', HP_CLI_CHOICE, "UNIT", CHOICES("auto", "B", "KiB", "MiB", "GiB"),
     HP_CLI_GROUP_TABLE, TABLES | HP_CLI_ACCOUNT | HP_CLI_PLAN, "the unit of space in tables",
     hp_cli_set_enum, FIELD(report.unit), HP_UNIT_AUTO, HP_CAN_UNIT},
    {"confidence", '\0', HP_CLI_TEXT, "PERCENT|none", NULL, HP_CLI_GROUP_TABLE,
     TABLES | HP_CLI_ACCOUNT | HP_CLI_PLAN,
     "how often intervals contain the true value (default 95); none: show no intervals, "
     "nor marks for the error that sampling leaves",
     hp_cli_set_confidence, 0, 0, HP_CAN_INTERVALS | HP_IS_PICTURE},
    {"width", '\0', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_TABLE, REPORTS,
     "fit lines into N columns, 0: cut nothing (default: those of the terminal, if "
"there is one); "
     "where names lack room columns leave: sum%, cum%, the interval, cum",
     hp_cli_set_width, 0, 0, HP_CAN_WIDTH},

    {"invert", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_TABLE, HP_CLI_TREE,
     "begin with the functions that allocate, and go up to their callers",
     hp_cli_set_bool, FIELD(report.tree.invert), true},
    {"min-share", '\0', HP_CLI_TEXT, "PERCENT", NULL, HP_CLI_GROUP_TABLE, HP_CLI_TREE,
     "leave out what holds less of the total",
     hp_cli_set_share, FIELD(report.tree.min_share), 0},
    {"columns", '\0', HP_CLI_CHOICE, "LIST", CHOICES("sizes", "age", "spread"),
     HP_CLI_GROUP_TABLE, HP_CLI_TOP,
     "add columns, with commas between them: sizes of objects; age that half of the memory "
     "in use is below, if dumps list ages; spread of the inputs",
     hp_cli_set_columns, 0, 0, HP_CAN_SPREAD},
    {"pairs", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_TABLE, HP_CLI_LIFETIME,
     "with --recent: below each row the stack that allocated and that which freed most "
"of it, side by side",
     hp_cli_set_bool, FIELD(report.pairs), true, HP_CAN_WIDTH},
    {"waste", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_TABLE, HP_CLI_ACCOUNT,
     "what is free in slabs, by size class, and which stacks hold objects of the class",
     hp_cli_set_bool, FIELD(report.waste), true},
    {"see", '\0', HP_CLI_TEXT, "PERCENT", NULL, HP_CLI_GROUP_TABLE, HP_CLI_PLAN,
     "choose a period that finds a change of PERCENT of the total (default 5)",
     hp_cli_set_part, FIELD(report.plan.see), 0},
    {"sample-cost", '\0', HP_CLI_TEXT, "US", NULL, HP_CLI_GROUP_TABLE, HP_CLI_PLAN,
     "set the CPU time of one sample, in microseconds (default: by a table)",
     hp_cli_set_cost, FIELD(report.plan.sample_cost), 0},
    {"fail-if", '\0', HP_CLI_TEXT, "CONDITION", NULL, HP_CLI_GROUP_TABLE, SERIES,
     "exit with 1 if a row or the total meets it: growth>5%, growth>10MiB or "
"growth>1000, "
     "and after a comma p<0.01",
     hp_cli_set_gate, 0, 0},

    {"symbol-dir", '\0', HP_CLI_DIRECTORY, "DIR", NULL, HP_CLI_GROUP_SYMBOLS, READS,
     "look for binaries in DIR first: a sysroot, one folder with all, or a store by "
"build id; may be repeated",
     hp_cli_set_folder, FIELD(symbol_dirs), 0},
    {"symbol-dir-only", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_SYMBOLS, READS,
     "look for binaries, and sources, in no other place than each --symbol-dir and "
"--source-dir",
     hp_cli_set_bool, FIELD(symbol_dirs_only), true},
    {"perf-map", '\0', HP_CLI_FILE, "FILE|DIR", NULL, HP_CLI_GROUP_SYMBOLS, READS,
     "name generated code by FILE, or by perf-PID.map or jit-PID.dump in DIR; may be repeated",
     hp_cli_set_word, FIELD(perf_maps), 0},
    {"path-map", '\0', HP_CLI_TEXT, "OLD=NEW", NULL, HP_CLI_GROUP_SYMBOLS, READS,
     "look for binaries whose path begins with OLD under NEW; may be repeated",
     hp_cli_set_path_map, 0, 0},
    {"source-dir", '\0', HP_CLI_DIRECTORY, "DIR", NULL, HP_CLI_GROUP_SYMBOLS, HP_CLI_LIST,
     "look for source files that are not where symbols say in DIR and below, by the "
"ends of their "
     "paths; may be repeated",
     hp_cli_set_folder, FIELD(source_dirs), 0},
    {"no-symbols", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_SYMBOLS, REPORTS,
     "do not open binaries: frames stay module+0xADDRESS unless the input names them",
     hp_cli_set_bool, FIELD(no_symbols), true},
    {"sandbox", '\0', HP_CLI_CHOICE, "WHEN", CHOICES("auto", "require", "off"),
     HP_CLI_GROUP_SYMBOLS, READS,
     "confine what reads binaries: as far as the system can (auto, the default), or end "
     "with status 2 where it cannot",
     hp_cli_set_enum, FIELD(read.sandbox), HP_SANDBOX_AUTO},

    {"format", 'f', HP_CLI_FORMAT, "FORMAT", NULL, HP_CLI_GROUP_OUTPUT, READS,
     "the format of the report (default text, pprof for merge)",
     hp_cli_set_format, 0, 0},
    {"output", 'o', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_OUTPUT, INPUTS,
     "write to FILE, all or nothing; its name picks the format if --format is absent; "
"of manifest: "
     "what the names of the lists begin with; of rows: a directory",
     hp_cli_set_text, FIELD(output), 0},
    {"add-names", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, HP_CLI_ROWS,
     "add names of functions to the stacks in DIR, where the binaries are",
     hp_cli_set_bool, FIELD(adds_names), true},
    {"tasks", '\0', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_OUTPUT, HP_CLI_MANIFEST,
     "write N lists of inputs, one for each task; all dumps of a process are in one",
     hp_cli_set_count, FIELD(tasks), 1},
    {"shard", '\0', HP_CLI_TEXT, "I/N", NULL, HP_CLI_GROUP_OUTPUT, HP_CLI_MERGE,
     "write of the stacks those of shard I of N (0/4 to 3/4); merging all gives the "
"whole",
     hp_cli_set_shard, 0, 0, HP_IS_PARTIAL},
    {"used", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, HP_CLI_INFO,
     "write the paths of the inputs that are used, one a line, for --files-from",
     hp_cli_set_bool, FIELD(prints_used), true},
    {"redact", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, READS,
     "replace names of functions, files, programs, hosts and inputs, values of labels "
"and build "
     "ids by hashes of a random key, but for those of the system's libraries",
     hp_cli_set_bool, FIELD(redacts), true},
    {"redact-key", '\0', HP_CLI_FILE, "FILE", NULL, HP_CLI_GROUP_OUTPUT, READS,
     "--redact with what FILE holds as the key, 16 bytes or more: the same key gives "
"the same names",
     hp_cli_set_redact_key, FIELD(redact_key), 0},
    {"flavor", '\0', HP_CLI_CHOICE, "FLAVOR",
     CHOICES("pprof", "pyroscope", "parca", "datadog"), HP_CLI_GROUP_OUTPUT, PROFILES,
     "whose names and limits to keep to",
     hp_cli_set_enum, FIELD(report.pprof.flavor), HP_FLAVOR_PPROF, HP_CAN_LIMIT_STACKS},
    {"with-error", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, PROFILES,
     "also the error that sampling leaves, as sample types that may be added up",
     hp_cli_set_bool, FIELD(report.pprof.with_error), true, HP_CAN_LIMIT_STACKS},
    {"max-samples", '\0', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_OUTPUT, PROFILES,
     "at most N stacks; the smallest become one, [other]",
     hp_cli_set_count, FIELD(report.pprof.max_samples), 1, HP_CAN_LIMIT_STACKS},
    {"max-depth", '\0', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_OUTPUT, PROFILES,
     "at most N frames a stack, from the leaf; [truncated] replaces the rest",
     hp_cli_set_count, FIELD(report.pprof.max_depth), 1, HP_CAN_LIMIT_STACKS},
    {"max-bytes", '\0', HP_CLI_TEXT, "SIZE", NULL, HP_CLI_GROUP_OUTPUT, TABLES | HP_CLI_ACCOUNT,
     "write at most SIZE, 60000 or 64KiB: whole rows leave, the last ones first, and it "
"is said how many",
     hp_cli_set_size, FIELD(report.max_bytes), 0, HP_CAN_CUT},
    {"color", '\0', HP_CLI_CHOICE, "WHEN", CHOICES("auto", "always", "never"),
     HP_CLI_GROUP_OUTPUT, REPORTS, "color text",
     hp_cli_set_enum, FIELD(color), HP_CLI_AUTO},
    {"progress", '\0', HP_CLI_CHOICE, "WHEN", CHOICES("auto", "always", "never"),
     HP_CLI_GROUP_OUTPUT, READS, "show progress on standard error",
     hp_cli_set_enum, FIELD(progress), HP_CLI_AUTO},
    {"quiet", 'q', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, INPUTS,
     "print errors only, no warnings and no progress",
     hp_cli_set_bool, FIELD(quiet), true},
    {"verbose", 'v', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OUTPUT, READS,
     "name every input that is damaged or skipped, not only the first 10",
     hp_cli_set_bool, FIELD(verbose), true},

    {"jobs", 'j', HP_CLI_TEXT, "N", NULL, HP_CLI_GROUP_MACHINE, READS,
     "read with N threads, 0 for one per CPU (the default)",
     hp_cli_set_jobs, 0, 0},
    {"max-memory", '\0', HP_CLI_TEXT, "SIZE|none", NULL, HP_CLI_GROUP_MACHINE, READS,
     "end with status 7 rather than allocate more than SIZE: 500MiB, 8GiB (default: "
"what the "
     "container, ulimit or the machine has, less a reserve)",
     hp_cli_set_memory, FIELD(max_memory), 0},

    {"help", 'h', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OTHER, ALL,
     "show the options and exit",
     hp_cli_set_bool, FIELD(help), true},
    {"version", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OTHER, ALL,
     "show the version and exit",
     hp_cli_set_bool, FIELD(version), true},
    {"all", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OTHER, HP_CLI_HELP,
     "show all options and formats, of all commands or of one",
     hp_cli_set_bool, FIELD(explains_all), true},
    {"licenses", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OTHER, HP_CLI_VERSION,
     "print the licences of the tool and of what is linked into it",
     hp_cli_set_bool, FIELD(licenses), true},
    {"build-options", '\0', HP_CLI_NO_VALUE, NULL, NULL, HP_CLI_GROUP_OTHER,
     HP_CLI_VERSION,
     "print what the tool was built with: symbols, demangling, xz, zstd, statistics; "
"and what of the sandbox is missing",
     hp_cli_set_bool, FIELD(features), true},
};

// clang-format on

size_t hp_cli_option_count(void) {
    return sizeof options / sizeof *options;
}

const struct hp_cli_option *hp_cli_option(size_t i) {
    return &options[i];
}

const char *hp_cli_group_name(enum hp_cli_group group) {
    static const char *const names[HP_CLI_GROUPS] = {
        "Input",   "Measure", "Grouping", "Filter", "Table",
        "Symbols", "Output",  "Machine",  "Other",
    };
    return names[group];
}

bool hp_cli_option_fits(const struct hp_cli_option *option, const char *format) {
    return option->needs == 0 || (hp_format_can(format) & option->needs) != 0;
}

void hp_cli_option_formats(const struct hp_cli_option *option, char *text, size_t room) {
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < hp_format_count() && used < room; i++) {
        if (hp_cli_option_fits(option, hp_format_name(i))) {
            used += (size_t)snprintf(text + used, room - used, "%s%s",
                                     used > 0 ? ", " : "", hp_format_name(i));
        }
    }
}

// Fail with HP_E_USAGE for an unknown option.  Suggests what replaces an option of jeprof
// or pprof, or the nearest name.
static int unknown(const char *name, struct hp_err *err) {
    const char *exact = hp_cli_habit(name, false);
    const char *instead = exact != NULL || strlen(name) < ABBREVIATION_MIN
                              ? exact
                              : hp_cli_habit(name, true);
    struct hp_cli_suggestion suggestion = {.word = name};
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        hp_cli_suggestion_try(&suggestion, options[i].name);
    }
    const char *renamed = hp_cli_renamed(name);
    if (renamed != NULL) {
        suggestion.best = renamed;
        instead = NULL;
    }
    if (instead != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("option-hint", "unknown option --%s: %s"), name,
                           instead);
    }
    if (suggestion.best == NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("option-unknown",
                                      "unknown option --%s. See hprof-agg --help"),
                           name);
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("option-did-you-mean",
                                  "unknown option --%s, did you mean --%s?"),
                       name, suggestion.best);
}

// Fail with HP_E_USAGE; list the options that begin with `name`.
static int ambiguous(const char *name, struct hp_err *err) {
    char known[256] = "";
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        bool begins = strncmp(name, options[i].name, strlen(name)) == 0;
        if (begins && strlen(known) + strlen(options[i].name) + 5 < sizeof known) {
            strcat(strcat(known, *known != '\0' ? ", --" : "--"), options[i].name);
        }
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("option-ambiguous", "--%s is ambiguous: %s"), name,
                       known);
}

int hp_cli_option_find(const char *name, const struct hp_cli_option **option,
                       struct hp_err *err) {
    size_t found = 0;
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        if (strncmp(name, options[i].name, strlen(name)) != 0) {
            continue;
        }
        *option = &options[i];
        found++;
        if (strcmp(name, options[i].name) == 0) {
            return HP_OK;
        }
    }
    if (found == 0 || hp_cli_habit(name, false) != NULL || hp_cli_renamed(name) != NULL) {
        return unknown(name, err);
    }
    return found == 1 ? HP_OK : ambiguous(name, err);
}

int hp_cli_option_refuse_dash(const char *name, struct hp_err *err) {
    const char *instead = hp_cli_habit(name, false);
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        if (strcmp(name, options[i].name) == 0) {
            return hp_cli_fail(err, HP_E_USAGE,
                               HP_MESSAGE("option-two-dashes",
                                          "-%s has two dashes here: --%s"),
                               name, name);
        }
    }
    return instead != NULL
               ? hp_cli_fail(err, HP_E_USAGE,
                             HP_MESSAGE("letter-hint", "unknown option -%s: %s"), name,
                             instead)
               : HP_OK;
}

int hp_cli_option_find_letter(char letter, const struct hp_cli_option **option,
                              struct hp_err *err) {
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        if (options[i].letter == letter && letter != '\0') {
            *option = &options[i];
            return HP_OK;
        }
    }
    return hp_cli_fail(
        err, HP_E_USAGE,
        HP_MESSAGE("letter-unknown", "unknown option -%c. See hprof-agg --help"), letter);
}

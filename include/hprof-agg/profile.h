// Inputs are read, merged and symbolized, and a report is asked for: see hprof-agg.h.
#ifndef HPROF_AGG_PROFILE_H
#define HPROF_AGG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HP_API __attribute__((visibility("default")))

// What went wrong, coarsely: one value per thing a caller may do differently.
enum hp_code {
    HP_OK = 0,
    HP_E_USAGE = -1,       // the caller asked for something impossible
    HP_E_IO = -2,          // an input cannot be read; `sys` holds errno
    HP_E_FORMAT = -3,      // the input is not what it claims to be, or damaged
    HP_E_LIMIT = -4,       // the input asks for more than we are willing to do
    HP_E_UNSUPPORTED = -5, // a known kind of file that is not read
    HP_E_DUPLICATE = -6,   // the same dump twice
    HP_E_OUTPUT = -7,      // the report cannot be written; `sys` holds errno
    HP_E_EMPTY = -8,       // nothing to report
    HP_E_INTERNAL = -9,    // a bug of ours
};

// Filled by the function that fails; untouched otherwise.
struct hp_err {
    enum hp_code code;
    int sys;           // errno, or 0
    uint64_t line;     // 1-based line in `where`, or 0
    char where[512];   // the input the fault is in, or ""
    char message[512]; // one sentence: no newline, no final period
};

// What a number in a report measures.  Space is in bytes.
enum hp_metric {
    HP_INUSE_SPACE, // allocated and not freed when the dump was made
    HP_INUSE_OBJECTS,
    HP_ALLOC_SPACE, // allocated since the start; only with jemalloc's prof_accum
    HP_ALLOC_OBJECTS,
    HP_METRICS,
};

// How sampled counts become estimates of the whole.
enum hp_estimator {
    HP_ESTIMATOR_BEST,   // exact object sizes where they can be recovered, see the manual
    HP_ESTIMATOR_JEPROF, // jeprof's formula on each "t*" line, for comparison
    HP_ESTIMATOR_NONE,   // the numbers as they stand in the dump
};

// What sizes jemalloc gave to objects of more than 32 KiB.
enum hp_large_sizes {
    HP_LARGE_AUTO,    // as numbers, statistics or the allocator's file tell; else classes
    HP_LARGE_CLASSES, // of the size class, up to 5.3.0
    HP_LARGE_PAGES,   // rounded up to pages alone, from 5.3.1 on
};

// Which dumps of a process count.  What is taken for one process is said in the manual.
enum hp_snapshots {
    HP_SNAPSHOTS_LAST, // the newest; of what is in use the newest that is not its exit dump
    HP_SNAPSHOTS_FINAL, // the newest, be it its exit dump
    HP_SNAPSHOTS_PEAK,  // that with the most bytes, which widens intervals
    HP_SNAPSHOTS_EACH,  // all, each for itself
    HP_SNAPSHOTS_SUM,   // all, added up as if they were of different processes
};

// Binaries and mangled names are read in child processes, from which the kernel takes all
// that reading needs not: files, network, other processes, capabilities.
enum hp_sandbox {
    HP_SANDBOX_AUTO,    // as far as the system has it
    HP_SANDBOX_REQUIRE, // nothing is read where it lacks a part
    HP_SANDBOX_OFF,
};

struct hp_profile;

// --- reading ------------------------------------------------------------------

struct hp_progress {
    const char *phase;  // "reading" or "symbolizing"
    size_t done, total; // inputs, or modules
    uint64_t bytes;     // of input read so far, uncompressed
    uint64_t stacks;    // read so far
};

// Called now and then, never by two threads at once.
typedef void hp_progress_fn(void *data, const struct hp_progress *progress);

struct hp_report_options;

struct hp_symbol_options;

struct hp_read_options {
    enum hp_estimator estimator;
    enum hp_large_sizes large_sizes;
    unsigned jobs;        // threads; 0 for one per CPU
    bool keep_damaged;    // use what a damaged dump still holds
    bool strict;          // a malformed line makes its dump unusable
    bool skip_duplicates; // count a dump that is given twice once; else refuse; see below
    const char *tar;      // an archive whose files are inputs as well; or NULL
    uint64_t max_skipped; // inputs that may be skipped before the read fails
    double
        max_skipped_share; // the same as a share of all inputs, 0 ... 1; the larger holds
    uint64_t max_input_size; // bytes of one input after decompression; 0 for the default
    uint64_t min_age;        // seconds: leaves out files that were written to since
    const char
        *thread; // read the stacks of this thread only, a name or a number; or NULL
    // Read of what is in use only listed objects that were older than so many nanoseconds, or as old,
    // when their dump was made; 0: all.
    uint64_t older_than;
    const char
        *label_from;   // a pattern whose named groups label the inputs by their paths
    size_t base_count; // the first so many inputs are what to compare with
    // When dumps were made: "mtime", or a pattern as in the manual; NULL: as they say themselves.
    const char *time_from;
    // The reports that are to be made: what none of them needs is not kept.  NULL keeps what
    // any of them may need, but does not tell stacks apart by thread for HP_BY_THREAD, nor
    // take the inputs for a series.
    const struct hp_report_options *planned;
    size_t planned_count;
    hp_progress_fn *progress;
    void *progress_data;
    // Reports of moments (HP_REPORT_TREND, TIMELINE and INFO, HP_BY_INPUT) have all dumps,
    // unless this says otherwise.
    enum hp_snapshots snapshots;
    const char *const *tars; // further archives
    size_t tar_count;
    bool
        count_duplicates; // count a dump as often as it is given; not with skip_duplicates
    // Keep the addresses of frames in no mapping, which no two processes have in common.  Else those
    // of a dump that has a map are [unmapped], several in a row one; but where a report HP_BY_ADDRESS
    // is planned, or none.
    bool keep_unmapped;
    // A partial that is made of what is read does not say of which dumps it is: nobody can tell then
    // whether one of them is in another input, too.  With HP_SNAPSHOTS_SUM and count_duplicates, and a
    // report planned that has no rows of inputs, those of which there is nothing to say are told of
    // together, as inputs without a name, and take no memory of their own.
    bool no_input_ids;
    // Of an input that is named and is a FIFO: wait until somebody writes to it.  Else one that
    // nobody writes to cannot be opened.  What "-", /dev/stdin and /dev/fd/N are is waited for.
    bool wait;
    enum hp_sandbox sandbox; // of what demangles the names that inputs tell
    // Where one report is planned, and that is a partial (hpa(5)): bytes that stacks may take in memory,
    // 0 for any.  Others are elsewhere, in run_folder in a file without a name, which nobody else can
    // open, or packed in memory if that is NULL; and nothing but a partial can be made.
    uint64_t stack_memory;
    const char *run_folder;
    // Of HP_REPORT_ACCOUNT, of one dump: what malloc_stats_print(..., "J") of jemalloc wrote, and
    // /proc/PID/smaps or smaps_rollup, or NULL.  Where `stats` is NULL these are among the inputs, told by their
    // content, and belong to the dump whose path is the same but for the ending.
    const char *stats, *smaps;
    // Of HP_REPORT_LIFETIME, of one dump: what experimental.prof_recent.alloc_dump of jemalloc wrote in
    // its process, or NULL: lifetimes follow from several dumps.
    const char *recent;
    // The memory map of dumps that have none, all of one process, or NULL: /proc/PID/maps, or another
    // dump of the process.
    const char *maps;
    // hp_profile_input() tells of each input.  Else those of which there is nothing to say may be told of
    // together, without a name, where no report that is planned has rows of inputs.
    bool names_inputs;
    // Where binaries are looked for; it must live as long as the profile.  Each dump is compared with these
    // binaries, and gets names only from those that fit it.  NULL: hp_profile_symbolize() compares all dumps
    // together with one binary of each path.
    const struct hp_symbol_options *symbols;
    // A partial says which builds its dumps ran, as `symbols` find them; and the names of functions in these.
    bool with_builds, with_names;
};

enum hp_input_status {
    HP_INPUT_USED,
    HP_INPUT_KEPT_DAMAGED, // used as far as it goes, because of keep_damaged
    HP_INPUT_SKIPPED,      // not one number of it counts
    HP_INPUT_DUPLICATE,    // holds what an earlier input holds; counted once
    HP_INPUT_IGNORED,      // an ELF file: binaries come from the dumps' own maps
    HP_INPUT_YOUNG,        // written to less than min_age ago: it may not be complete
    HP_INPUT_OTHER_MOMENT, // another dump of its process counts
    HP_INPUT_REPLACED,     // damaged, and another dump of its process counts in its place
};

struct hp_input {
    const char *name; // as given
    enum hp_input_status status;
    const struct hp_err *err; // why, or NULL if it is used or a duplicate of another
};

HP_API struct hp_profile *hp_profile_new(void);
HP_API void hp_profile_free(struct hp_profile *profile); // NULL is fine

// Open a file that the user names, for reading, as all inputs, lists and the like are opened.  It may
// be the null device and no other device, not a socket, not a file of /proc, and unless `waits` is
// true not a FIFO that no process writes to.  The caller's own descriptors, as /dev/fd/N, may be
// anything.  -1 after a failure.
HP_API int hp_open_input(const char *path, bool waits, struct hp_err *err);

// Read `count` files ("-" is standard input), plain, gzip or zstd, recognised by content, and
// merge them: of each process one dump, unless hp_read_options.snapshots says otherwise.  Call
// it once on a profile.  Fails when more inputs than allowed had to be skipped: `err` says how
// many, hp_profile_input() what is wrong with each, and a view of kind HP_REPORT_INFO can still
// be made.
HP_API int hp_profile_read(struct hp_profile *profile, const char *const *paths,
                           size_t count, const struct hp_read_options *options,
                           struct hp_err *err);

enum {
    HP_DIGEST_SIZE = 65, // of SHA-256 in hexadecimal, with the NUL
};

// The digest of what a partial (hpa(5)) holds, which is the same of the same dumps, whatever was
// merged first.  "-" is standard input.  HP_E_FORMAT if it is damaged.
HP_API int hp_partial_digest(const char *path, char digest[HP_DIGEST_SIZE],
                             struct hp_err *err);

// The inputs by name; i < hp_profile_input_count().  See hp_read_options.names_inputs.
HP_API size_t hp_profile_input_count(const struct hp_profile *profile);
HP_API const struct hp_input *hp_profile_input(const struct hp_profile *profile,
                                               size_t i);

// What the reader of a report should know about it: one sentence each.
HP_API size_t hp_profile_warning_count(const struct hp_profile *profile);
HP_API const char *hp_profile_warning(const struct hp_profile *profile, size_t i);

// The same of what concerns less than 1/200 of the bytes: a HP_REPORT_INFO shows it, too.
HP_API size_t hp_profile_minor_warning_count(const struct hp_profile *profile);
HP_API const char *hp_profile_minor_warning(const struct hp_profile *profile, size_t i);

// How many names of functions, files and modules are longer than the 16 KiB that patterns look at.
HP_API size_t hp_profile_long_name_count(const struct hp_profile *profile);

// Which dumps count where a process has several: a sentence, or one for each side that is compared;
// none if each process has one.
HP_API size_t hp_profile_moment_count(const struct hp_profile *profile);
HP_API const char *hp_profile_moment(const struct hp_profile *profile, size_t i);

// --- lists --------------------------------------------------------------------

struct hp_manifest_options {
    size_t lists;                // 1 or more
    enum hp_snapshots snapshots; // last, final or sum
};

// In which of several lists each dump goes, so that tasks that read one each read all.
struct hp_manifest {
    size_t *list; // of each path, from 0; HP_NO_LIST: a newer dump of its process counts
    size_t processes; // that names tell
    size_t older;     // paths in no list
    size_t untold;    // paths whose names tell no process; all are in a list
};

#define HP_NO_LIST SIZE_MAX

// By the names of dumps alone, none of which is read.  Dumps of a process are in one list; the
// same paths are cut the same way, in any order and on any machine.  A path given twice is
// HP_E_DUPLICATE.
HP_API int hp_manifest_make(struct hp_manifest *manifest, const char *const *paths,
                            size_t count, const struct hp_manifest_options *options,
                            struct hp_err *err);
HP_API void hp_manifest_done(struct hp_manifest *manifest);

// --- symbols ------------------------------------------------------------------

struct hp_path_map {
    const char *from, *to; // a path that begins with `from` is looked for under `to`
};

struct hp_symbol_options {
    const char *const *symbol_dirs; // each a sysroot and a .build-id tree; searched first
    size_t symbol_dir_count;
    const struct hp_path_map *path_maps; // the first that fits is applied
    size_t path_map_count;
    hp_progress_fn *progress;
    void *progress_data;
    bool symbol_dirs_only; // nothing is opened outside of them: of no path, no path map
    enum hp_sandbox sandbox;
};

// What of the sandbox this system does not have, "" if nothing is missing.  It starts a
// process to see; the text is good until the next call.
HP_API const char *hp_sandbox_missing(void);

// Try in children in the sandbox what it must refuse.  How many faults there are; `report`
// has a line for each call, and is to be freed.
HP_API int hp_sandbox_selftest(char **report);

// Name the frames: functions, inlined calls, files, lines.  A binary that is missing,
// stripped, damaged or of another build is no failure: its frames stay "module+0x1234"
// and a warning says why.
//
// A profile that is read for a partial keeps the names of proven builds, if that was asked for.
HP_API void hp_profile_symbolize(struct hp_profile *profile,
                                 const struct hp_symbol_options *options);

// Replace names of functions, files, programs, threads, hosts and inputs, values of labels and build
// ids by keyed hashes, but for those of the system's libraries: the same key, of any size, gives the
// same names.  NULL: a random key.  Call it after hp_profile_symbolize(), before any view; warnings
// are dropped.  Patterns of filters are of the new names, and no partial can be written.
HP_API int hp_profile_redact(struct hp_profile *profile, const void *key, size_t size,
                             struct hp_err *err);

// --- filters ------------------------------------------------------------------

// What a pattern does to the stacks whose calls it matches.  Those of one rule are
// alternatives: what any of them matches is meant.
enum hp_filter_rule {
    HP_FOCUS,     // show only these stacks
    HP_IGNORE,    // do not show these stacks
    HP_HIDE,      // leave these calls out, and stacks of nothing else
    HP_SHOW,      // show only these calls, and no stacks without
    HP_SHOW_FROM, // show stacks only from such a call on, that nearest to the root
    HP_PICK,      // HP_REPORT_PEEK and HP_REPORT_LIST are about these functions
    HP_FILTER_RULES,
};

// A PCRE2 pattern is searched in the names of functions, files and modules (HP_PICK: in what
// the rows of the report show, and in the whole names behind them), and if it begins with "0x"
// also in addresses within modules, as "0x1a2b".
struct hp_filter {
    enum hp_filter_rule rule;
    const char *pattern;
};

// Whether the pattern is one: HP_E_USAGE says where it is wrong.
HP_API int hp_filter_check(const struct hp_filter *filter, struct hp_err *err);

// --- frames -------------------------------------------------------------------

// What a frame is, by its function, source file and module.
enum hp_frame_class {
    HP_CLASS_NONE,      // no function: "[truncated]", an address in no module
    HP_CLASS_ALLOCATOR, // malloc and what is behind it
    HP_CLASS_START_UP,  // what runs before main, and below the function of a thread
    HP_CLASS_WRAPPER,   // a program's own malloc, by its name
    HP_CLASS_STANDARD,  // the standard library of a language, and what does its work
    HP_CLASS_LIBRARY,   // of others
    HP_CLASS_OWN,       // of the program itself
    HP_CLASSES,
};

// "own": as in rules and reports.  class < HP_CLASSES.
HP_API const char *hp_frame_class_name(enum hp_frame_class of);

enum hp_frame_field {
    HP_FIELD_ANY, // one of the next three
    HP_FIELD_NAME,
    HP_FIELD_FILE,
    HP_FIELD_MODULE,
};

// What frames are whose field a PCRE2 pattern is found in.  A name is looked at whole, and
// without parameters, template arguments and the type returned; that of a frame without
// symbols is "libfoo.so+0x1234".
struct hp_frame_rule {
    enum hp_frame_class makes; // not HP_CLASS_NONE
    enum hp_frame_field field;
    const char *pattern;
};

// A rule that is built in.  Of several that fit, the first counts; rules of a report come
// before them all.
struct hp_known_rule {
    const char *makes; // "wrapper"
    const char *field; // "name", "file", "module", or what more it takes
    const char *pattern;
    const char *note;                 // where such frames were seen
    const char *name, *file, *module; // an example; "": not known
};

// i < hp_known_rule_count(); in the order in which they are tried.
HP_API size_t hp_known_rule_count(void);
HP_API struct hp_known_rule hp_known_rule(size_t i);

// Frames that a report leaves out, wherever they stand.  What is left is charged with what
// they allocate; of a stack with nothing left stays the frame that HP_FRAMES_ALL would charge.
// Filters by HP_FOCUS, HP_IGNORE and HP_SHOW_FROM look at all frames; HP_SHOW leaves no
// other choice in force.
enum hp_frames {
    HP_FRAMES_DEFAULT,
    HP_FRAMES_CODE, // allocator, start-up, wrapper and standard
    HP_FRAMES_OWN,  // these and library
    HP_FRAMES_ALL,  // allocator
    HP_FRAMES_RAW,  // none
};

// Names of functions, as "std::vector<…>::push_back" or with all arguments, parameters and types
// that are returned.  Rows and stacks are those of full names, but for folded stacks, which have
// nothing else.
enum hp_function_names {
    HP_NAMES_DEFAULT, // short where people see them: HP_HAS_SHORT_NAMES
    HP_NAMES_SHORT,
    HP_NAMES_FULL,
};

// --- reports ------------------------------------------------------------------

// In the order in which people are told of them.
enum hp_report_kind {
    HP_REPORT_TOP,      // a table of functions
    HP_REPORT_TREE,     // who calls whom, from the roots on
    HP_REPORT_PEEK,     // callers and callees of the functions that HP_PICK matches
    HP_REPORT_LIST,     // their source, line by line
    HP_REPORT_STACKS,   // every distinct stack
    HP_REPORT_DIFF,     // what changed from some inputs to others
    HP_REPORT_TREND,    // how functions grew over a series of dumps
    HP_REPORT_MERGE,    // the merged profile, for other tools
    HP_REPORT_TIMELINE, // the same, dump by dump with their times
    HP_REPORT_INFO,     // what the inputs are
    HP_REPORT_ACCOUNT, // where the memory of processes is, by their allocators' statistics
    HP_REPORT_LIFETIME, // how much of what a process allocated between its dumps is still live
    HP_REPORT_KINDS,
};

// What a kind of report has to be given beside inputs.
enum hp_report_argument {
    HP_TAKES_PATTERN = 1 << 0, // HP_PICK
    HP_TAKES_BASE = 1 << 1,    // inputs to compare with: hp_read_options.base_count
    HP_TAKES_STATS = 1 << 2,   // hp_read_options.stats, or files of them among the inputs
};

// "top"; what it answers, in one line, or NULL of what is a form of another; and
// enum hp_report_argument.  kind < HP_REPORT_KINDS.
HP_API const char *hp_report_name(enum hp_report_kind kind);
HP_API const char *hp_report_help(enum hp_report_kind kind);
HP_API unsigned hp_report_takes(enum hp_report_kind kind);

enum hp_granularity {
    HP_BY_FUNCTION,
    HP_BY_LINE,
    HP_BY_FILE,
    HP_BY_MODULE,
    HP_BY_BUILD, // of a module
    HP_BY_ADDRESS,
    HP_BY_INPUT, // these are for HP_REPORT_TOP, and labels of pprof
    HP_BY_THREAD,
    HP_BY_LABEL,   // of samples, or of inputs
    HP_BY_SIZE,    // of objects
    HP_BY_PROGRAM, // the main executable
    HP_BY_PROCESS,
    HP_BY_AGE, // of objects in use, so far
};

enum hp_sort {
    HP_SORT_FLAT,
    HP_SORT_CUM,
    HP_SORT_NAME,
};

enum hp_unit {
    HP_UNIT_AUTO, // for each number the largest that leaves it above 1
    HP_UNIT_B,
    HP_UNIT_KIB,
    HP_UNIT_MIB,
    HP_UNIT_GIB,
};

// Whose names and limits a pprof profile keeps to.
enum hp_flavor {
    HP_FLAVOR_PPROF, // Go's names
    HP_FLAVOR_PYROSCOPE,
    HP_FLAVOR_PARCA,
    HP_FLAVOR_DATADOG,
};

// A growth that is too much.
struct hp_gate {
    double
        growth; // more than this, in units of the metric or as a share of the base's total
    bool is_share;
    double
        p; // and with the p-value that is shown, of a row adjusted, below this; 0: whatever
};

// In place of a number of rows: those that hold 95 % of all, or by cum and in a tree of calls 1 %
// each; at least 10 if there are as many, at most 50.
#define HP_LIMIT_ENOUGH SIZE_MAX

struct hp_report_options {
    enum hp_report_kind kind;
    // As in hp_format_name(); NULL for the kind's own, with all that it can tell for programs.
    const char *format;
    enum hp_metric metric;
    enum hp_granularity by;
    const char *label; // the key, if by label
    enum hp_sort sort;
    enum hp_unit unit;
    size_t limit;      // rows; 0 for all, or HP_LIMIT_ENOUGH
    double confidence; // of intervals, 0 ... 1; 0 for 0.95
    bool no_error;     // show no intervals
    bool invert;      // HP_REPORT_TREE: from the functions that allocate to their callers
    double min_share; // HP_REPORT_TREE: of the total, for a node to be shown; 0 ... 1
    bool spread;      // show how inputs differ; HP_REPORT_TOP
    bool all_frames;  // short for HP_FRAMES_RAW
    bool no_inlines;  // show an inlined call as part of the function around it
    bool short_names; // short for HP_NAMES_SHORT
    bool color;
    const struct hp_gate *gate; // HP_REPORT_DIFF and HP_REPORT_TREND; or NULL
    // Totals stay those of everything that was read.
    const struct hp_filter *filters;
    size_t filter_count;
    // HP_REPORT_LIST: each source file is looked for where symbols say, if it is called like
    // one, then below each of the folders, and never outside of them: by its whole path, then by
    // what follows the first folder in it, and so on.  What is not found is shown without text.
    const char *const *source_dirs;
    size_t source_dir_count;
    // Of pprof:
    enum hp_flavor flavor;
    bool with_error; // what sampling leaves open of space, as further sample types
    size_t
        max_samples; // distinct stacks, the smallest of which become one; 0: the flavor's
    size_t max_depth; // frames of a stack, counted from its leaf; 0: the flavor's
    // In place of `metric`, or NULL: "inuse-space", or the name of a sample type of pprof inputs
    // that is none of the metrics, "resident_space" or with its unit "resident_space/bytes".  Of
    // such a type everything is told as HP_INUSE_SPACE if its unit is one of bytes, else as
    // HP_INUSE_OBJECTS.
    const char *metric_name;
    enum hp_frames frames;
    const struct hp_frame_rule *frame_rules; // tried before those that are built in
    size_t frame_rule_count;
    enum hp_function_names names;
    // Of text:
    size_t
        width; // columns of a terminal that lines are to fit; 0: nothing is cut or left out
    bool ascii; // "..." in place of "…", for a terminal that does not know UTF-8
    // Of a partial: of the stacks those whose hash is `shard` modulo `shards`, at most 64; 0: all.
    size_t shard, shards;
    // Of info in text and json: what is told of the limit of memory, "188.0 MiB, of this container"; or NULL.
    const char *memory_limit;
    // Of formats of rows: that many bytes at most, 0: any.  What does not fit are rows, the last ones
    // first, and the report says so; HP_E_LIMIT: it is longer without any.
    uint64_t max_bytes;
    bool source_dirs_only; // nothing is opened outside of source_dirs
    // Of HP_REPORT_ACCOUNT: what is free in slabs, by size class, and who holds objects there.
    bool waste;
    // Of HP_REPORT_TOP by function, line, file, module or address, in rows: of which sizes the objects
    // of a row are, and how old half of them were, where inputs list them with their ages.
    bool sizes, ages;
    // Of HP_REPORT_LIFETIME by prof_recent, in text: the two stacks that allocated and freed most of a row's
    // objects, side by side.
    bool pairs;
    // Of differences of two profiles, in a format that has no numbers below zero: what grew alone.
    bool only_grown;
    // Of info in text: how line tables of modules were read is told.
    bool tells_readers;
};

// Deliver bytes; 0, or -1 with errno set.
typedef int hp_write_fn(void *data, const void *bytes, size_t size);

// A report as a value.  It borrows the profile, whose names and data must not change while it
// lives; texts that it returns live as long as it does.
struct hp_view;

// Build a report: names, filters, sums, order.  NULL if there is none: HP_E_USAGE, HP_E_EMPTY
// or HP_E_LIMIT say why; also if there is a gate that could never hold.
HP_API struct hp_view *hp_view_new(const struct hp_profile *profile,
                                   const struct hp_report_options *options,
                                   struct hp_err *err);
HP_API void hp_view_free(struct hp_view *view); // NULL is fine

// How many rows that the limit would show are left out for max_bytes.
HP_API size_t hp_view_left_out(const struct hp_view *view);

// Write it in its format.  The same inputs give the same bytes.  One thread at a time: what costs
// much is worked out when it is shown, and kept.
HP_API int hp_view_write(const struct hp_view *view, hp_write_fn *write, void *data,
                         struct hp_err *err);

// --- the rest -----------------------------------------------------------------

HP_API const char *hp_version(void);

// What it was built with, a line for each: "symbols yes\n" reads binaries for names, "demangling no\n"
// leaves names of C++ and Rust as they are, "xz yes\n" reads symbols that stripped binaries have
// packed, "zstd yes\n" inputs that it packed, and partials, "statistics yes\n" what
// malloc_stats_print() writes.
HP_API const char *hp_features(void);

// The most bytes that one character becomes in hp_escape().
#define HP_ESCAPE_MAX 10

// Copy text of unknown origin so that it cannot steer a terminal: control characters, bytes
// that are not UTF-8 and characters that turn the direction of writing become \xNN or
// \u{...}.  Returns how much of `size` bytes of `text` was read; `*written` bytes, at most
// `room` (HP_ESCAPE_MAX or more), are in `out`.  Call again with the rest.
HP_API size_t hp_escape(const char *text, size_t size, char *out, size_t room,
                        size_t *written);

// Called when memory runs out, with the size that was wanted and the input that was being
// read, or NULL; must not return.  Without one the process aborts.
typedef void hp_out_of_memory_fn(size_t wanted, const char *input);
HP_API void hp_on_out_of_memory(hp_out_of_memory_fn *handler);

#ifdef __cplusplus
}
#endif

#endif

// Read, merge and symbolize dumps, and ask for a report: see hprof-agg.h for an example.
//
// The order of calls is hp_profile_new(), hp_profile_read() once, hp_profile_symbolize(),
// perhaps hp_profile_redact(), then hp_view_new() and hp_view_write() for each report,
// hp_view_free(), and hp_profile_free().
//
//  struct hp_read_options    which dumps are used, how their numbers become estimates
//  struct hp_symbol_options  where binaries are searched for
//  struct hp_report_options  kind, format, order, limits and filters of one report
//  struct hp_profile         the merged dumps; it owns the names and warnings it returns
//  struct hp_view            one report as a value; it borrows the profile
//
// Conventions.  A function that returns int returns HP_OK or an enum hp_code below 0 and
// then fills `err`, unless it says otherwise.  Texts that are returned are UTF-8 or not,
// belong to the object they were asked of, and live as long as it does.  Sizes are in
// bytes, ages in nanoseconds unless another unit is given.  The reports that are planned
// decide what the read keeps.
#ifndef HPROF_AGG_PROFILE_H
#define HPROF_AGG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HP_API __attribute__((visibility("default")))

// The kind of an error, coarsely: one value for each thing that a caller may do
// differently.
enum hp_code {
    HP_OK = 0,
    HP_E_USAGE = -1,       // the caller asked for something impossible
    HP_E_IO = -2,          // an input cannot be read; `sys` holds errno
    HP_E_FORMAT = -3,      // the input is not what it claims to be, or damaged
    HP_E_LIMIT = -4,       // the input needs more than this program is willing to spend
    HP_E_UNSUPPORTED = -5, // a known kind of file that is not supported
    HP_E_DUPLICATE = -6,   // the same dump or process is in two inputs
    HP_E_OUTPUT = -7,      // the report cannot be written; `sys` holds errno
    HP_E_EMPTY = -8,       // nothing to report
    HP_E_INTERNAL = -9,    // a bug of ours
};

// An error.  A function that fails fills it; otherwise it is left untouched.
struct hp_err {
    enum hp_code code;
    int sys;           // errno of the failed system call, or 0
    uint64_t line;     // 1-based line in `where`, or 0
    char where[512];   // the input in which the error is, or ""
    char message[512]; // one sentence: no newline, no final period
};

// The quantity that a number of a report measures.  Space is in bytes.
enum hp_metric {
    HP_INUSE_SPACE, // allocated and not freed when the dump was made
    HP_INUSE_OBJECTS,
    // Allocated since the process started; jemalloc needs prof_accum for it.
    HP_ALLOC_SPACE,
    HP_ALLOC_OBJECTS,
    HP_METRICS,
};

// The method that turns sampled counts into estimates of the whole.
enum hp_estimator {
    // Uses exact object sizes where they can be recovered: see the manual.
    HP_ESTIMATOR_BEST,
    HP_ESTIMATOR_JEPROF, // jeprof's formula on each "t*" line, for comparison
    HP_ESTIMATOR_NONE,   // no estimate: the numbers that the dump contains
};

// How jemalloc rounded the sizes of objects of more than 32 KiB.
enum hp_large_sizes {
    // As the numbers of the dump, the allocator's statistics or its binary show; to a
    // size class if none of them shows it.
    HP_LARGE_AUTO,
    HP_LARGE_CLASSES, // to a size class: jemalloc up to 5.3.0
    HP_LARGE_PAGES,   // to whole pages only: jemalloc 5.3.1 and later
};

// The meaning of the numbers of folded stacks.
enum hp_folded_unit {
    HP_FOLDED_BYTES,   // bytes in use
    HP_FOLDED_OBJECTS, // objects in use
};

// The choice among several dumps of one process.  The manual defines which dumps belong
// to one process.
enum hp_snapshots {
    // The newest dump.  For memory in use: the newest that is not its exit dump, if there
    // is one.
    HP_SNAPSHOTS_LAST,
    HP_SNAPSHOTS_FINAL, // the newest dump, even if it is the exit dump
    // The dump with the most bytes; the choice widens confidence intervals.
    HP_SNAPSHOTS_PEAK,
    HP_SNAPSHOTS_EACH, // all dumps, each reported separately
    HP_SNAPSHOTS_SUM,  // all dumps, added up as if they were of different processes
};

// The use of the sandbox.  Binaries and mangled names are read in child processes.  In
// the sandbox the kernel denies these processes everything that they do not need: files,
// network, other processes, capabilities.
enum hp_sandbox {
    HP_SANDBOX_AUTO,    // use as much of the sandbox as the system has
    HP_SANDBOX_REQUIRE, // read nothing if the system lacks a part of the sandbox
    HP_SANDBOX_OFF,     // read in child processes without a sandbox
};

// Merged dumps.  Opaque; owned by the caller of hp_profile_new().
struct hp_profile;

// --- reading ------------------------------------------------------------------

// How far hp_profile_read() or hp_profile_symbolize() has got.
struct hp_progress {
    const char *phase;  // the step at hand: "reading" or "symbolizing"
    size_t done, total; // inputs (reading) or modules (symbolizing)
    uint64_t bytes;     // bytes of input read so far, uncompressed
    uint64_t stacks;    // stacks read so far
};

// Receives the progress of a long call now and then, never from two threads at once.
// `data` is hp_read_options.progress_data or hp_symbol_options.progress_data.
typedef void hp_progress_fn(void *data, const struct hp_progress *progress);

struct hp_report_options;

struct hp_symbol_options;
struct hp_batch;

// How to read inputs.  {0} is the defaults.  Pointers must stay valid during
// hp_profile_read(), `symbols` as long as the profile.
struct hp_read_options {
    enum hp_estimator estimator;     // how sampled counts become estimates
    enum hp_large_sizes large_sizes; // how to read the sizes of large objects of jemalloc
    enum hp_folded_unit folded_unit; // what folded stacks count
    unsigned jobs;                   // number of threads; 0: one for each CPU
    bool keep_damaged; // use the readable part of a damaged dump instead of skipping it
    bool strict;       // treat a dump with a malformed line as unusable
    // Use a dump that is given twice once.  False: the read fails with HP_E_DUPLICATE.
    // See also count_duplicates.
    bool skip_duplicates;
    uint64_t max_skipped; // inputs that may be skipped before the read fails
    // Judge by the limit also the inputs that were skipped when the partials among the
    // inputs were merged.  False: those only cause a warning.
    bool judges_partials;
    // The same limit as a share of all inputs, 0 ... 1.  The larger of both limits holds.
    double max_skipped_share;
    // Most bytes of one input after decompression; 0: the default.
    uint64_t max_input_size;
    // Seconds: files that were written to less than this ago are not used.
    uint64_t min_age;
    // Read only the stacks of this thread: a name or a number.  NULL: all threads.
    const char *thread;
    // Nanoseconds.  Read only the objects that a dump lists one by one and that were at
    // least this old when it was made; 0: read everything.
    uint64_t older_than;
    // A PCRE2 pattern.  Its named groups label each input by its path.  NULL: no labels.
    const char *label_from;
    // The first base_count paths are the base of a comparison, the others are compared
    // with it.  0: there is no comparison.
    size_t base_count;
    // Source of the times of dumps: "mtime", or a pattern as in the manual.  NULL: the
    // times that the dumps themselves contain; also if the times of the files are likely
    // those of a copy.
    const char *time_from;
    // The reports that will be made, planned_count of them.  Data that none of them needs
    // is not kept.  NULL keeps what any report may need, with two exceptions: stacks are
    // not separated by thread for HP_BY_THREAD, and the inputs are not treated as
    // successive dumps of a process.
    const struct hp_report_options *planned;
    size_t planned_count;
    hp_progress_fn *progress; // called now and then; or NULL
    void *progress_data;      // first argument of `progress`
    // The dump that is used for each process.  Reports of moments (HP_REPORT_TREND,
    // TIMELINE and INFO, HP_BY_INPUT) use all dumps, unless this says otherwise.
    enum hp_snapshots snapshots;
    const char *const *tars; // tar archives whose files are further inputs, tar_count
    size_t tar_count;
    // Use a dump as often as it is given.  Must not be set with skip_duplicates.
    bool count_duplicates;
    // Keep the addresses of frames that are in no mapping, or in code that a JIT compiler
    // made.  No two processes have such an address in common.  False: in a dump that has
    // a map these frames become [unmapped] and [jit], consecutive ones a single frame.  The addresses are kept even then if a
    // report HP_BY_ADDRESS is planned, or no report at all.
    bool keep_unmapped;
    // Do not store in a partial which dumps it contains.  Nothing can show then whether
    // one of them is also in another input.  With HP_SNAPSHOTS_SUM and count_duplicates,
    // and if no planned report has rows of inputs, inputs without any warning are
    // recorded only in groups without names, and take no memory of their own.
    bool no_input_ids;
    // Wait until another process writes to a named input that is a FIFO.  False: opening
    // a FIFO without a writer fails.  "-", /dev/stdin and /dev/fd/N are always waited
    // for.
    bool wait;
    // Sandbox of the process that demangles names found in the inputs.
    enum hp_sandbox sandbox;
    // Bytes that stacks may take in memory; 0: any number.  Used only if exactly one
    // report is planned and it is a partial (hpa(5)); no other report can be made then.
    // Further stacks are written to a file without a name in run_folder, which no other
    // process can open.  If run_folder is NULL they are packed in memory.
    uint64_t stack_memory;
    const char *run_folder;
    // For HP_REPORT_ACCOUNT of one dump: the files that jemalloc's
    // malloc_stats_print(..., "J") wrote, and /proc/PID/smaps or smaps_rollup; or NULL.
    // If `stats` is NULL, such files are searched for among the inputs: they are
    // recognized by their content, and belong to the dump whose path differs only in the
    // ending.
    const char *stats, *smaps;
    // For HP_REPORT_LIFETIME of one dump: the file that jemalloc's
    // experimental.prof_recent.alloc_dump wrote in the process.  NULL: lifetimes are
    // computed from several dumps.
    const char *recent;
    // A memory map for dumps that have none, all of one process: /proc/PID/maps, or
    // another dump of the process.  NULL: none.
    const char *maps;
    // hp_profile_input() must return every input.  False: if no planned report has rows
    // of inputs, inputs without any warning may be recorded only in groups without names.
    bool names_inputs;
    // Maps of generated code (perf-PID.map), each a file or a folder with such files.
    const char *const *perf_maps;
    size_t perf_map_count;
    // Folders in which maps are searched, too; and whether the folder of each dump is
    // one.  These maps must belong to the owner of the dump or to root.
    const char *const *map_folders;
    size_t map_folder_count;
    bool maps_beside;
    // The places to search for binaries.  They must stay valid as long as the profile.
    // Each dump is compared with these binaries, and gets names only from binaries that
    // fit it.  NULL: hp_profile_symbolize() compares all dumps together with one binary
    // for each path.
    const struct hp_symbol_options *symbols;
    // with_builds: store in a partial which builds of binaries its dumps ran, as found by
    // `symbols`.  with_names: store the function names of these builds, too.
    bool with_builds, with_names;
    // Collects the rows of each dump (tables.h); or NULL.  HP_E_USAGE if an input is no
    // single dump: an aggregate file, a merged profile or a difference.
    struct hp_batch *batch;
};

// How an input was used.
enum hp_input_status {
    HP_INPUT_USED,         // its numbers are used
    HP_INPUT_KEPT_DAMAGED, // damaged; the readable part is used, because of keep_damaged
    HP_INPUT_SKIPPED,      // none of its numbers is used
    HP_INPUT_DUPLICATE,    // has the content of an earlier input, which is used once
    HP_INPUT_IGNORED,      // an ELF file: binaries are found by the memory maps of dumps
    HP_INPUT_YOUNG,        // written to less than min_age ago: it may be incomplete
    HP_INPUT_OTHER_MOMENT, // another dump of its process is used
    HP_INPUT_REPLACED,     // damaged, and another dump of its process is used instead
};

// One input.  It belongs to the profile.
struct hp_input {
    const char *name; // its path as given, or its name in an archive
    enum hp_input_status status;
    // Why it is damaged or not used; NULL if there is no reason to give.
    const struct hp_err *err;
    bool can_be_used; // damaged, and hp_read_options.keep_damaged would use it
};

// Create an empty profile; free it with hp_profile_free().
HP_API struct hp_profile *hp_profile_new(void);
HP_API void hp_profile_free(struct hp_profile *profile); // NULL is fine

// Open a file that the user names, for reading, by the same rules as all inputs and
// lists.  The null device is allowed; other devices, sockets, files of /proc, and, unless
// `waits` is true, FIFOs without a writer are refused.  Descriptors of the caller, given
// as /dev/fd/N, may be anything.  Returns a descriptor that the caller closes, or -1 and
// an error.
HP_API int hp_open_input(const char *path, bool waits, struct hp_err *err);

// Read `count` files and merge them.  "-" is standard input.  Files may be plain, gzip or
// zstd; their format is recognized by the content.  Only one dump of each process is
// used, unless hp_read_options.snapshots says otherwise.  Call it once for a profile.  It
// fails if more inputs than allowed had to be skipped: `err` says how many, and
// hp_profile_input() what is wrong with each.  A view of kind HP_REPORT_INFO can be made
// even after a failure.
HP_API int hp_profile_read(struct hp_profile *profile, const char *const *paths,
                           size_t count, const struct hp_read_options *options,
                           struct hp_err *err);

enum {
    HP_DIGEST_SIZE = 65, // bytes of a SHA-256 digest in hexadecimal, with the NUL
};

// Compute the digest of the content of a partial (hpa(5)).  Partials of the same dumps
// have the same digest, in whatever order they were merged.  "-" is standard input.
// HP_E_FORMAT if the file is damaged.
HP_API int hp_partial_digest(const char *path, char digest[HP_DIGEST_SIZE],
                             struct hp_err *err);

// The inputs, ordered by name; i < hp_profile_input_count().  Some may be missing: see
// hp_read_options.names_inputs.
HP_API size_t hp_profile_input_count(const struct hp_profile *profile);
HP_API const struct hp_input *hp_profile_input(const struct hp_profile *profile,
                                               size_t i);

// Warnings about the inputs and binaries of the profile, one sentence each, for readers
// of any report; i < hp_profile_warning_count().
HP_API size_t hp_profile_warning_count(const struct hp_profile *profile);
HP_API const char *hp_profile_warning(const struct hp_profile *profile, size_t i);

// Warnings that concern less than 1/200 of the bytes of the profile, or matter little for
// another reason.  A report of kind HP_REPORT_INFO shows them as well.
HP_API size_t hp_profile_minor_warning_count(const struct hp_profile *profile);
HP_API const char *hp_profile_minor_warning(const struct hp_profile *profile, size_t i);

// Return the number of names of functions, files and modules that are longer than 16 KiB.
// Patterns look only at the first 16 KiB of a name.
HP_API size_t hp_profile_long_name_count(const struct hp_profile *profile);

// Sentences about the dumps that are used: which one where a process has several, for
// each side of a comparison; which of them were made at exit; which shards are missing.
// There is none if nothing has to be said; i < hp_profile_moment_count().
HP_API size_t hp_profile_moment_count(const struct hp_profile *profile);
HP_API const char *hp_profile_moment(const struct hp_profile *profile, size_t i);

// --- lists --------------------------------------------------------------------

// How to distribute dumps over lists.
struct hp_manifest_options {
    size_t lists; // number of lists, 1 or more
    // HP_SNAPSHOTS_LAST, HP_SNAPSHOTS_FINAL or HP_SNAPSHOTS_SUM.
    enum hp_snapshots snapshots;
};

// A distribution of dumps over several lists: tasks that read one list each read all
// dumps together.
struct hp_manifest {
    // For each path its list, from 0.  HP_NO_LIST: a newer dump of its process is used
    // instead.
    size_t *list;
    size_t processes; // number of processes that could be identified by file names
    size_t older;     // number of paths in no list
    // Number of paths whose names do not identify a process; each is in a list.
    size_t unidentified;
};

// Value of hp_manifest.list for a path that is in no list.
#define HP_NO_LIST SIZE_MAX

// Distribute the paths by their names alone; no file is opened.  All dumps of a process
// go to one list.  The same paths are distributed the same way in any order and on any
// machine.  HP_E_DUPLICATE if a path is given twice.  Free the result with
// hp_manifest_done().
HP_API int hp_manifest_make(struct hp_manifest *manifest, const char *const *paths,
                            size_t count, const struct hp_manifest_options *options,
                            struct hp_err *err);
// Free the lists of a manifest, which is {0} afterwards.
HP_API void hp_manifest_done(struct hp_manifest *manifest);

// --- symbols ------------------------------------------------------------------

// A replacement of the beginning of paths.
struct hp_path_map {
    const char *from, *to; // a path that begins with `from` is searched for under `to`
};

// The places to search for binaries and debug information.  {0} is the defaults.
struct hp_symbol_options {
    // Folders searched first; each may be a sysroot, a .build-id tree, or both.
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    // Path replacements; only the first that fits is applied.
    const struct hp_path_map *path_maps;
    size_t path_map_count;
    hp_progress_fn *progress; // called now and then; or NULL
    void *progress_data;      // first argument of `progress`
    // Open no file outside of symbol_dirs: neither the paths of the dumps nor path_maps
    // are used.
    bool symbol_dirs_only;
    enum hp_sandbox sandbox; // sandbox of the processes that read binaries
};

// Find out which parts of the sandbox this system lacks, by starting a process.  Returns
// a text that names them, "" if nothing is missing; it is valid until the next call.
HP_API const char *hp_sandbox_missing(void);

// Try in child processes everything that the sandbox must refuse.  Returns the number of
// calls that it did not refuse, or 1 if the system lacks a part of the sandbox.  *report
// has a line for each kind of call; the caller frees it.
HP_API int hp_sandbox_selftest(char **report);

// Name the frames: functions, inlined calls, files, lines.  A binary that is missing,
// stripped, damaged or of another build is no failure: its frames stay "module+0x1234"
// and a warning says why.
//
// In a profile that is read for a partial only the names of proven builds are kept, if
// with_names was set.
HP_API void hp_profile_symbolize(struct hp_profile *profile,
                                 const struct hp_symbol_options *options);

// Replace names of functions, files, programs, threads, hosts and inputs, values of
// labels and build ids by keyed hashes, except those of system libraries.  Keys of any
// `size` are allowed; the same key gives the same names.  NULL: a random key, or
// HP_E_INTERNAL if the system has no random numbers.  Call it after
// hp_profile_symbolize() and before any view.  Warnings are dropped.  Filters match the
// new names afterwards, and no partial can be written.
HP_API int hp_profile_redact(struct hp_profile *profile, const void *key, size_t size,
                             struct hp_err *err);

// --- filters ------------------------------------------------------------------

// The effect of a pattern on the stacks whose calls it matches.  Several filters of one
// rule are alternatives: a call matches the rule if it matches any of them.
enum hp_filter_rule {
    HP_FOCUS,  // show only stacks with a matching call
    HP_IGNORE, // do not show stacks with a matching call
    HP_HIDE,   // remove matching calls, and stacks that consist of nothing else
    HP_SHOW,   // show only matching calls; drop stacks without any
    // Cut stacks so that they begin at the matching call nearest to the root.
    HP_SHOW_FROM,
    HP_PICK, // HP_REPORT_PEEK and HP_REPORT_LIST show the matching functions
    HP_FILTER_RULES,
};

// A PCRE2 pattern, searched for in the names of functions, files and modules.  HP_PICK
// searches the names that rows of the report show, and the whole names that were
// shortened for them.  A pattern that begins with "0x" is also compared with addresses
// within modules, as "0x1a2b".
struct hp_filter {
    enum hp_filter_rule rule;
    const char *pattern;
};

// Return HP_OK if the pattern is valid, else HP_E_USAGE and where it is wrong.
HP_API int hp_filter_check(const struct hp_filter *filter, struct hp_err *err);

// --- frames -------------------------------------------------------------------

// The class of a frame, found by its function, source file and module.
enum hp_frame_class {
    HP_CLASS_NONE,      // no function: "[truncated]", or an address in no module
    HP_CLASS_ALLOCATOR, // malloc and the functions that it calls
    // Code that runs before main, or that starts the function of a thread.
    HP_CLASS_START_UP,
    HP_CLASS_WRAPPER,  // a wrapper: the program's own malloc, recognized by its name
    HP_CLASS_STANDARD, // the standard library of a language, or code that does its work
    HP_CLASS_LIBRARY,  // a library that is not the program's own
    HP_CLASS_OWN,      // the program itself
    // The program's own functions that a JIT compiler made.
    HP_CLASS_GENERATED,
    HP_CLASSES,
};

// Return the name of a class, "own", as it is used in rules and reports.  class <
// HP_CLASSES.
HP_API const char *hp_frame_class_name(enum hp_frame_class of);

// The property of a frame that a rule looks at.
enum hp_frame_field {
    HP_FIELD_ANY,    // any one of the next three
    HP_FIELD_NAME,   // the function
    HP_FIELD_FILE,   // the source file
    HP_FIELD_MODULE, // the binary or library
};

// A rule that gives a class to each frame in whose field a PCRE2 pattern is found.
// Function names are searched twice: whole, and without parameters, template arguments
// and return type.  The name of a frame without symbols is "libfoo.so+0x1234".
struct hp_frame_rule {
    enum hp_frame_class makes; // the class that matching frames get; not HP_CLASS_NONE
    enum hp_frame_field field;
    const char *pattern;
};

// A built-in rule.  If several rules fit a frame, the first one decides; rules of a
// report come before all built-in ones.
struct hp_known_rule {
    const char *makes; // name of the class, "wrapper"
    // "name", "file", "module", or other fields that only built-in rules have.
    const char *field;
    const char *pattern;
    const char *note; // the program or library in which such frames were seen
    const char *name, *file, *module; // an example of a matching frame; "": not known
};

// The built-in rules, in the order in which they are tried; i < hp_known_rule_count().
HP_API size_t hp_known_rule_count(void);
HP_API struct hp_known_rule hp_known_rule(size_t i);

// The frames that a report folds: it leaves them out wherever they are in a stack, and
// attributes their allocations to the remaining callers.  If all frames of a stack are
// folded, the frame that HP_FRAMES_ALL would attribute its bytes to stays.  HP_FOCUS,
// HP_IGNORE and HP_SHOW_FROM look at all frames, folded or not.  HP_SHOW replaces any
// choice made here.
enum hp_frames {
    HP_FRAMES_DEFAULT, // the default of the report
    HP_FRAMES_CODE,    // folds allocator, start-up, wrapper and standard frames
    HP_FRAMES_OWN,     // folds what HP_FRAMES_CODE folds, and library frames
    HP_FRAMES_ALL,     // folds allocator frames only
    HP_FRAMES_RAW,     // folds nothing
};

// The form of function names: short, as "std::vector<…>::push_back", or full, with all
// template arguments, parameters and return types.  Rows and stacks are always separated
// by full names, except in folded stacks, which contain nothing else.
enum hp_function_names {
    HP_NAMES_DEFAULT, // short in formats for human readers: see HP_HAS_SHORT_NAMES
    HP_NAMES_SHORT,
    HP_NAMES_FULL,
};

// --- reports ------------------------------------------------------------------

// The kinds of report, in the order in which help lists them.
enum hp_report_kind {
    HP_REPORT_TOP,      // a table of functions
    HP_REPORT_TREE,     // a call tree, from the roots down
    HP_REPORT_PEEK,     // callers and callees of the functions that HP_PICK matches
    HP_REPORT_LIST,     // source code of the functions that HP_PICK matches, by line
    HP_REPORT_STACKS,   // every distinct stack
    HP_REPORT_DIFF,     // the changes between base inputs and the others
    HP_REPORT_TREND,    // the growth of functions over a series of dumps
    HP_REPORT_MERGE,    // the merged profile, for other tools
    HP_REPORT_TIMELINE, // the profile of each dump with its time
    HP_REPORT_INFO,     // facts about the inputs
    // How the memory of processes is used, by their allocators' statistics.
    HP_REPORT_ACCOUNT,
    // How much of what a process allocated between its dumps is still live.
    HP_REPORT_LIFETIME,
    // What other sample periods would show and cost.
    HP_REPORT_PLAN,
    HP_REPORT_KINDS,
};

// Arguments that a kind of report needs besides inputs; bits.
enum hp_report_argument {
    HP_TAKES_PATTERN = 1 << 0, // filters of rule HP_PICK
    HP_TAKES_BASE = 1 << 1,    // inputs to compare with: hp_read_options.base_count
    HP_TAKES_STATS = 1 << 2,   // hp_read_options.stats, or such files among the inputs
};

// Describe a kind of report; kind < HP_REPORT_KINDS.  hp_report_name() is its name,
// "top".  hp_report_help() is the question that it answers, in one line, or NULL for a
// variant of another kind.  hp_report_takes() returns bits of enum hp_report_argument.
HP_API const char *hp_report_name(enum hp_report_kind kind);
HP_API const char *hp_report_help(enum hp_report_kind kind);
HP_API unsigned hp_report_takes(enum hp_report_kind kind);

// The thing that one row of a table represents.
enum hp_granularity {
    HP_BY_FUNCTION,
    HP_BY_LINE,
    HP_BY_FILE,
    HP_BY_MODULE,
    HP_BY_BUILD, // builds of binaries and libraries
    HP_BY_ADDRESS,
    HP_BY_GROUP, // groups of stacks, by hp_report_options.groups
    // Inputs.  This and all that follow are rows of HP_REPORT_TOP, labels of samples in
    // formats with HP_CAN_LABELS, or the property by which an HTML page divides stacks.
    HP_BY_INPUT,
    HP_BY_THREAD,
    HP_BY_LABEL,   // values of one label of samples or of inputs
    HP_BY_SIZE,    // sizes of objects
    HP_BY_PROGRAM, // main executables
    HP_BY_PROCESS,
    HP_BY_AGE, // ages that objects in use had when the dump was made
};

// The order of rows.
enum hp_sort {
    HP_SORT_FLAT, // by the part of the metric in the row itself, largest first
    HP_SORT_CUM,  // by the part in the row and its callees, largest first
    HP_SORT_NAME,
};

// The unit of bytes in numbers for human readers.
enum hp_unit {
    HP_UNIT_AUTO, // for each number the largest unit in which it is above 1
    HP_UNIT_B,
    HP_UNIT_KIB,
    HP_UNIT_MIB,
    HP_UNIT_GIB,
};

// The program for which a pprof profile is written: it decides the names of sample types
// and the limits.
enum hp_flavor {
    HP_FLAVOR_PPROF, // Go's pprof
    HP_FLAVOR_PYROSCOPE,
    HP_FLAVOR_PARCA,
    HP_FLAVOR_DATADOG,
};

// A growth limit.  A row or total that exceeds it makes hp_view_exceeds() return true.
struct hp_gate {
    // The limit: growth above it is too much.  In units of the metric, or as a share of
    // the base's total.
    double growth;
    bool is_share; // whether `growth` is a share
    // Growth exceeds the limit only if its p-value is below this, in a row the p-value
    // adjusted for the number of rows.  0: p-values do not matter.
    double p;
};

// Value of hp_report_options.limit: show as many rows as are useful.  These are the rows
// that hold 95 % of the total, or, in order of cum and in a call tree, the rows with 1 %
// or more each; at least 10 if there are as many, at most 20.
#define HP_LIMIT_ENOUGH SIZE_MAX

// HP_REPORT_TREE: the nodes that are shown.
struct hp_tree_options {
    bool invert;      // go from the allocating functions to their callers
    double min_share; // least share of the total of a shown node; 0 ... 1
};

// HP_REPORT_TOP by function, line, file, module or address, in rows: further columns.
struct hp_column_options {
    bool spread; // show how each row differs between inputs
    bool sizes;  // show the sizes of the objects of a row
    bool ages;   // show their median age where inputs list objects with ages
};

// The frames of stacks, and how functions are named.
struct hp_frame_options {
    enum hp_frames fold; // the frames that are folded
    // Own rules, rule_count of them, tried before the built-in ones.
    const struct hp_frame_rule *rules;
    size_t rule_count;
    bool no_inlines;              // attribute an inlined call to the function around it
    enum hp_function_names names; // short or full names of functions
};

// HP_REPORT_LIST: folders to search for source files, `count` of them.  Each file is
// searched for at the path that symbols give, if it is named like a source file.  Then it
// is searched for below each folder and never outside of it: by its whole path, then
// without the first folder of the path, and so on.  A file that is not found is shown
// without its text.
struct hp_source_options {
    const char *const *dirs;
    size_t count;
    bool only; // open no source file outside of `dirs`
};

// The pprof profile that is written.
struct hp_pprof_options {
    enum hp_flavor flavor; // sample type names and limits of the program that reads it
    bool with_error;       // write the uncertainty of space as further sample types
    // Most distinct stacks; the smallest ones beyond this are joined to one.  0: the
    // flavor's limit.
    size_t max_samples;
    // Most frames of a stack, counted from its leaf; 0: the flavor's limit.
    size_t max_depth;
};

// The plan of a sample period.
struct hp_plan_options {
    double see;         // smallest change of the total to find, as a share; 0: 0.05
    double sample_cost; // microseconds of a sampled allocation; 0: by a table
};

// The terminal that text is for.
struct hp_text_options {
    size_t width; // columns that lines have to fit; 0: lines of any length
    bool ascii;   // use "..." instead of "…", for terminals without UTF-8
    bool color;   // use colour
    bool details; // also write what a screen has no room for, and all warnings
    // The words of a command line that reads the same inputs again, for the command that a
    // report suggests: first `again_options` options, then the inputs.  NULL: the inputs by
    // their names.  Borrowed.
    const char *const *again;
    size_t again_count, again_options;
};

// The text of a call that a rule of groups looks at.
enum hp_group_field {
    HP_GROUP_FUNCTION,
    HP_GROUP_FILE,
    HP_GROUP_MODULE,
};

// A rule that assigns stacks to a group: those with a call in whose field a PCRE2 pattern
// is found.  The call nearest to the leaf decides, or to the root if from_root is set; of
// the rules that match it the first.
struct hp_group_rule {
    const char *group;
    enum hp_group_field field;
    const char *pattern;
    bool from_root;
};

// Rules of groups, in order.
struct hp_group_rules {
    const struct hp_group_rule *at;
    size_t count;
};

// Options of one report.  {0} is the defaults.  Pointers must stay valid until
// hp_view_new() returns.
struct hp_report_options {
    enum hp_report_kind kind;
    // A name as in hp_format_name().  NULL: the default format of the kind, and a view
    // with everything that a program may ask for.
    const char *format;
    enum hp_metric metric;        // the measured quantity; see also metric_name
    enum hp_granularity by;       // the thing that a row represents
    const char *label;            // key of the label, for HP_BY_LABEL
    struct hp_group_rules groups; // for HP_BY_GROUP, and in HP_REPORT_STACKS
    enum hp_sort sort;
    enum hp_unit unit;
    size_t limit;                // most rows that are shown; 0: all; or HP_LIMIT_ENOUGH
    double confidence;           // confidence level of intervals, 0 ... 1; 0: 0.95
    bool no_error;               // show no confidence intervals
    struct hp_tree_options tree; // HP_REPORT_TREE
    struct hp_column_options columns; // HP_REPORT_TOP
    struct hp_frame_options frames;   // frames of stacks, and their names
    const struct hp_gate *gate; // HP_REPORT_DIFF, HP_REPORT_TREND: growth limit; or NULL
    // Filters of stacks, filter_count of them.  Totals still include everything that was
    // read.
    const struct hp_filter *filters;
    size_t filter_count;
    struct hp_source_options sources; // HP_REPORT_LIST
    struct hp_pprof_options pprof;    // for pprof only
    struct hp_text_options text;      // for text only
    // Used instead of `metric` unless NULL: "inuse-space", or the name of a sample type
    // of pprof inputs that is no metric, "resident_space", or with its unit
    // "resident_space/bytes".  The numbers of such a type are shown like HP_INUSE_SPACE
    // if its unit is one of bytes, else like HP_INUSE_OBJECTS.
    const char *metric_name;
    // For a partial: write only the stacks whose hash modulo `shards` is `shard`.  shards
    // <= 64; 0: write all.
    size_t shard, shards;
    // For HP_REPORT_INFO in text and json: a text about the memory limit, "188.0 MiB, of
    // this container"; or NULL.
    const char *memory_limit;
    // For formats with rows: most bytes of the report; 0: any number.  Rows are dropped
    // from the end until the rest fits, and the report says so.  HP_E_LIMIT: it does not
    // fit even without rows.
    uint64_t max_bytes;
    // HP_REPORT_ACCOUNT: show the free space in slabs by size class, and the functions
    // that hold objects there.
    bool waste;
    // HP_REPORT_LIFETIME by prof_recent, in text: show for each row the stack that
    // allocated and the stack that freed most of its objects, side by side.
    bool pairs;
    // For a difference of two profiles, in a format that has no numbers below zero: write
    // only what grew.
    bool only_grown;
    // HP_REPORT_INFO in text: report how the line tables of modules were read.
    bool names_readers;
    struct hp_plan_options plan; // HP_REPORT_PLAN
};

// Receives bytes of a report.  Returns 0, or -1 with errno set.
typedef int hp_write_fn(void *data, const void *bytes, size_t size);

// A report as a value.  It borrows the profile, whose names and data must not change
// while the view lives.  Texts that it returns live as long as the view.
struct hp_view;

// Build a report: apply names and filters, add up, sort.  Free it with hp_view_free().
// Returns NULL on failure: HP_E_USAGE for options that cannot be combined, or that the
// read did not keep data for, or a gate that no growth could exceed; HP_E_EMPTY if there
// is nothing to show; HP_E_LIMIT if it is longer than max_bytes.
HP_API struct hp_view *hp_view_new(const struct hp_profile *profile,
                                   const struct hp_report_options *options,
                                   struct hp_err *err);
HP_API void hp_view_free(struct hp_view *view); // NULL is fine

// Return the number of rows within the limit that were dropped to fit
// hp_report_options.max_bytes.
HP_API size_t hp_view_left_out(const struct hp_view *view);

// Write the report in its format.  The same inputs give the same bytes.  Only one thread
// at a time may use a view: expensive values are computed on demand and cached in it.
// HP_E_OUTPUT if `write` fails.
HP_API int hp_view_write(const struct hp_view *view, hp_write_fn *write, void *data,
                         struct hp_err *err);

// --- the rest -----------------------------------------------------------------

// Return the version of the library as text.
HP_API const char *hp_version(void);

// Return the optional parts of this build, one line for each.  "symbols yes\n": it reads
// binaries for names; "demangling no\n": mangled names of C++ and Rust are not
// translated; "xz yes\n": it reads compressed symbols in stripped binaries; "zstd yes\n":
// it reads inputs packed by zstd, and partials; "statistics yes\n": it reads the output
// of malloc_stats_print().
HP_API const char *hp_features(void);

// The most bytes that hp_escape() writes for one character.
#define HP_ESCAPE_MAX 10

// Copy text of unknown origin so that it cannot control a terminal: control characters,
// bytes that are not UTF-8, and characters that change the writing direction become \xNN
// or \u{...}.  Returns how many of the `size` bytes of `text` were read.  `out` has room
// for `room` bytes (HP_ESCAPE_MAX or more); *written of them are filled.  Call it again
// with the rest.
HP_API size_t hp_escape(const char *text, size_t size, char *out, size_t room,
                        size_t *written);

// The format of a message and its code, which tests compare instead of the sentence:
// HP_MESSAGE("no-such-option", "there is no option %s").  hp_message_format() reads it.
#define HP_MESSAGE(code, format) "\1" code "\2" format
#define HP_MESSAGE_FORMAT_SIZE   512
// Return the format to print a message with: its sentence without the code.  After
// hp_show_message_codes(), in the whole process, it is the code and the values instead
// ("no-such-option: %s"), and `room` holds it.
HP_API __attribute__((format_arg(1))) const char *hp_message_format(
    const char *format, char room[HP_MESSAGE_FORMAT_SIZE]);
HP_API void hp_show_message_codes(void);

// Called when memory runs out, with the wanted size in bytes and the name of the input
// that was being read, or NULL.  It must not return.
typedef void hp_out_of_memory_fn(size_t wanted, const char *input);
// Set the handler, for the whole process.  Without a handler the process aborts.
HP_API void hp_on_out_of_memory(hp_out_of_memory_fn *handler);

#ifdef __cplusplus
}
#endif

#endif

// hprof-agg: read sampled native heap profiles of any number of processes, undo the
// sampling of each stack, add them up, name the frames, and write a report.
//
//     struct hp_err err;
//     struct hp_profile *profile = hp_profile_new();
//     if (hp_profile_read(profile, paths, count, NULL, &err) == HP_OK) {
//         hp_profile_symbolize(profile, NULL);
//         hp_profile_report(profile, NULL, write_to_stdout, NULL, &err);
//     }
//     hp_profile_free(profile);
//
// Every option struct means "the defaults" when zeroed, and may be NULL.  Nothing here
// prints, exits or keeps global state; one profile is for one thread at a time.
// When memory runs out the process ends: see hp_on_out_of_memory().
#ifndef HPROF_AGG_H
#define HPROF_AGG_H

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

// Of which numbers the sampling error is kept, 96 bytes a stack: what no report will show
// need not be.
enum hp_errors {
    HP_ERRORS_ALL,
    HP_ERRORS_INUSE,
    HP_ERRORS_ALLOC,
    HP_ERRORS_NONE,
};

struct hp_read_options {
    enum hp_estimator estimator;
    enum hp_errors errors;
    unsigned jobs;        // threads; 0 for one per CPU
    bool keep_damaged;    // use what a damaged dump still holds
    bool strict;          // a malformed line makes its dump unusable
    bool skip_duplicates; // count a dump that is given twice once; else refuse
    const char *tar;      // an archive whose files are inputs as well; or NULL
    uint64_t max_skipped; // inputs that may be skipped before the read fails
    double
        max_skipped_share; // the same as a share of all inputs, 0 ... 1; the larger holds
    uint64_t max_input_size; // bytes of one input after decompression; 0 for the default
    uint64_t min_age;        // seconds: leaves out files that were written to since
    bool labels;  // keep those of samples: for HP_BY_LABEL, HP_BY_THREAD and pprof
    bool threads; // keep stacks apart by thread: for HP_BY_THREAD, needs `labels`
    const char
        *thread; // read the stacks of this thread only, a name or a number; or NULL
    const char
        *label_from; // a pattern whose named groups label the inputs by their paths
    // For HP_REPORT_DIFF, HP_REPORT_TREND and HP_REPORT_TIMELINE, and by input or label:
    bool series;           // the inputs are dumps of one process, one after the other
    bool history;          // keep what each input added
    size_t base_count;     // the first so many inputs are what to compare with
    const char *time_from; // when dumps were made: "mtime", or a pattern as in the manual
    hp_progress_fn *progress;
    void *progress_data;
};

enum hp_input_status {
    HP_INPUT_USED,
    HP_INPUT_KEPT_DAMAGED, // used as far as it goes, because of keep_damaged
    HP_INPUT_SKIPPED,      // not one number of it counts
    HP_INPUT_DUPLICATE,    // holds what an earlier input holds; counted once
    HP_INPUT_IGNORED,      // an ELF file: binaries come from the dumps' own maps
    HP_INPUT_YOUNG,        // written to less than min_age ago: it may not be complete
};

struct hp_input {
    const char *name; // as given
    enum hp_input_status status;
    const struct hp_err *err; // why, or NULL if it is used or a duplicate of another
};

HP_API struct hp_profile *hp_profile_new(void);
HP_API void hp_profile_free(struct hp_profile *profile); // NULL is fine

// Read `count` files ("-" is standard input), plain, gzip or zstd, recognised by content, and
// merge them.  Call it once on a profile.  Fails when more inputs than allowed had to be
// skipped: hp_profile_input() then tells about each, and a report of kind HP_REPORT_INFO
// can still be made.
HP_API int hp_profile_read(struct hp_profile *profile, const char *const *paths,
                           size_t count, const struct hp_read_options *options,
                           struct hp_err *err);

// The inputs by name; i < hp_profile_input_count().
HP_API size_t hp_profile_input_count(const struct hp_profile *profile);
HP_API const struct hp_input *hp_profile_input(const struct hp_profile *profile,
                                               size_t i);

// What the reader of a report should know about it: one sentence each.
HP_API size_t hp_profile_warning_count(const struct hp_profile *profile);
HP_API const char *hp_profile_warning(const struct hp_profile *profile, size_t i);

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
};

// Name the frames: functions, inlined calls, files, lines.  A binary that is missing,
// stripped, damaged or of another build is no failure: its frames stay "module+0xoffset"
// and a warning says why.
HP_API void hp_profile_symbolize(struct hp_profile *profile,
                                 const struct hp_symbol_options *options);

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
// also in offsets within modules, as "0x1a2b".
struct hp_filter {
    enum hp_filter_rule rule;
    const char *pattern;
};

// Whether the pattern is one: HP_E_USAGE says where it is wrong.
HP_API int hp_filter_check(const struct hp_filter *filter, struct hp_err *err);

// For all reports made afterwards, until the next hp_profile_symbolize(), which changes the
// names that are matched.  Totals stay those of everything that was read.
HP_API int hp_profile_filter(struct hp_profile *profile, const struct hp_filter *filters,
                             size_t count, struct hp_err *err);

// Read the source files of the functions that HP_PICK matches, for HP_REPORT_LIST.  Each is
// looked for below each of the folders, and never outside of them: by its whole path, then by
// what follows the first folder in it, and so on.  What is not found is shown without text.
HP_API void hp_profile_read_sources(struct hp_profile *profile, const char *const *dirs,
                                    size_t count);

// --- reports ------------------------------------------------------------------

enum hp_report_kind {
    HP_REPORT_TOP,      // a table of functions
    HP_REPORT_STACKS,   // every distinct stack
    HP_REPORT_DIFF,     // what changed from some inputs to others
    HP_REPORT_TREND,    // how functions grew over a series of dumps
    HP_REPORT_MERGE,    // the merged profile, for other tools
    HP_REPORT_TIMELINE, // the same, dump by dump with their times
    HP_REPORT_INFO,     // what the inputs are
    HP_REPORT_TREE,     // who calls whom, from the roots on
    HP_REPORT_PEEK,     // callers and callees of the functions that HP_PICK matches
    HP_REPORT_LIST,     // their source, line by line
};

enum hp_granularity {
    HP_BY_FUNCTION,
    HP_BY_LINE,
    HP_BY_FILE,
    HP_BY_MODULE,
    HP_BY_ADDRESS,
    HP_BY_INPUT, // these are for HP_REPORT_TOP, and labels of pprof
    HP_BY_THREAD,
    HP_BY_LABEL, // of samples, or of inputs
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

struct hp_report_options {
    enum hp_report_kind kind;
    const char *format; // as in hp_format_name(); NULL for the kind's own
    enum hp_metric metric;
    enum hp_granularity by;
    const char *label; // the key, if by label
    enum hp_sort sort;
    enum hp_unit unit;
    size_t limit;      // rows; 0 for all
    double confidence; // of intervals, 0 ... 1; 0 for 0.95
    bool no_error;     // show no intervals
    bool invert;      // HP_REPORT_TREE: from the functions that allocate to their callers
    double min_share; // HP_REPORT_TREE: of the total, for a node to be shown; 0 ... 1
    bool spread;      // show how inputs differ; HP_REPORT_TOP
    bool all_frames;  // keep the allocator's own frames
    bool no_inlines;  // show an inlined call as part of the function around it
    bool short_names; // of functions, without template arguments and parameters
    bool color;
    // Of pprof:
    enum hp_flavor flavor;
    bool with_error; // what sampling leaves open of space, as further sample types
    size_t
        max_samples; // distinct stacks, the smallest of which become one; 0: the flavor's
    size_t max_depth; // frames of a stack, counted from its leaf; 0: the flavor's
};

// Deliver bytes; 0, or -1 with errno set.
typedef int hp_write_fn(void *data, const void *bytes, size_t size);

// Write a report.  The same inputs give the same bytes.
HP_API int hp_profile_report(const struct hp_profile *profile,
                             const struct hp_report_options *options, hp_write_fn *write,
                             void *data, struct hp_err *err);

// A growth that is too much.
struct hp_gate {
    double
        growth; // more than this, in units of the metric or as a share of the base's total
    bool is_share;
    double p; // and with an adjusted p-value of less than this; 0: whatever it is
};

// HP_E_EMPTY if the gate asks for p and none is known, so that it could never hold.
HP_API int hp_profile_check_gate(const struct hp_profile *profile,
                                 const struct hp_report_options *options,
                                 const struct hp_gate *gate, struct hp_err *err);

// Whether a row of HP_REPORT_DIFF or HP_REPORT_TREND, or its total, has grown too much, and the
// name of the first that has, in `name`, cut if there is no room.
HP_API bool hp_profile_exceeds(const struct hp_profile *profile,
                               const struct hp_report_options *options,
                               const struct hp_gate *gate, char *name, size_t room);

// The names that hp_report_options.format takes, what each is, in one line, and which names
// of files stand for it, as "*.folded *.collapsed"; i < hp_format_count().
HP_API size_t hp_format_count(void);
HP_API const char *hp_format_name(size_t i);
HP_API const char *hp_format_help(size_t i);
HP_API const char *hp_format_files(size_t i);
// Whether a format has a form for a kind of report.
HP_API bool hp_format_fits(const char *format, enum hp_report_kind kind);
// Whether it has rows, of what hp_report_options.by says, and what sampling leaves open in them.
HP_API bool hp_format_has_rows(const char *format);
// The format a file name stands for ("x.folded", "callgrind.out.x"), whatever the case; NULL
// if it may be anything.  HP_E_USAGE if it is known to stand for another ("x.svg").
HP_API int hp_format_of_file(const char *path, const char **format, struct hp_err *err);

// --- the rest -----------------------------------------------------------------

HP_API const char *hp_version(void);

// The most bytes that one character becomes in hp_escape().
#define HP_ESCAPE_MAX 8

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

// The settings that the command line asks for.  A map of this folder:
//
// The program hprof-agg turns argv into settings, and settings into calls of the library
// in include/.  main.c starts it: `run` chooses the command, `status_of` the exit status.
//
// - Parsing: commandline.h is the entry point.  It splits argv into words and
//   uses the tables in option_table.c and command.c, and setter.h, choice.h and
//   suggestion.h (values).  The result is struct hp_cli_settings below.
// - Commands: job.h runs all commands that read inputs; manifest.h and usage.h run
//   `manifest`, `help` and `version`.  jeprof/ is a second command line, used if the
//   program is called jeprof.
// - Files: filelist.h (paths of inputs), namedfile.h and rulefile.h (files that options
//   name), outfile.h (the output, which is all or nothing).
// - Standard error: message.h, diagnostics.h, progressbar.h, terminal.h, safetext.h.
// - Memory and signals: storage.h (allocate or end the process), memorylimit.h,
//   cleanup.h.
// - The separate program hprof-agg-generator: generator.h with completions.c, manual.c,
//   reference.c.
//
// Invariants: functions return HP_OK or the code that they put into `err`; main(), or
// hp_jeprof_run(), prints it and chooses the exit status (status.h).  Text from inputs
// reaches a terminal only through message.h, safetext.h or the library.  When memory runs
// out the process ends, so that nothing has to check for it: see storage.h.
//
// Read settings.h, option.h, commandline.c, job.c in this order.
#ifndef HP_CLI_SETTINGS_H
#define HP_CLI_SETTINGS_H

#include "cli/command.h"
#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

// A setting of three states; HP_CLI_AUTO depends on whether the stream is a terminal.
enum hp_cli_when {
    HP_CLI_AUTO,
    HP_CLI_ALWAYS,
    HP_CLI_NEVER
};

enum {
    HP_CLI_KEY_LEAST = 16, // size of a key for --redact, in bytes
    HP_CLI_KEY_MOST = 4096,
};

// The settings.  {0} is the defaults.  Strings belong to argv or to the struct
// hp_cli_arguments.
struct hp_cli_settings {
    const struct hp_cli_command *command; // NULL: no argument was given
    const struct hp_cli_command *topic;   // the command that `help` explains, or NULL
    bool explains_frames;                 // `help frame-rules` was given
    bool explains_formats;                // `help formats` was given
    bool explains_all;                    // `help --all` was given

    struct hp_cli_words inputs, symbol_dirs, source_dirs, perf_maps;
    struct hp_path_map *path_maps; // made by hp_cli_grow(), like `filters` and `rules`
    size_t path_map_count;
    struct hp_filter *filters;
    size_t filter_count;
    struct hp_group_rule *group_rules; // of --groups, in order
    size_t group_rule_count;
    struct hp_frame_rule *rules; // classify frames; the first that fits is applied
    size_t rule_count;
    struct hp_cli_words rule_texts; // owned texts of files that some rules point into

    struct hp_cli_words files_from, base_files_from; // lists of inputs, --files-from
    struct hp_cli_words bases;                       // paths of --base
    struct hp_cli_words archives;                    // tar archives of inputs
    bool has_to;                                     // --to was given
    size_t base_words;   // number of first inputs that are the base of a diff
    struct hp_gate gate; // the condition of --fail-if, if has_gate
    bool has_gate;
    bool gate_has_unit;  // the growth in the gate was given in bytes, KiB, MiB or GiB
    bool null_separated; // paths in lists end in NUL, not in a newline
    struct hp_read_options read; // how inputs are read
    // The kind and format in it are set for commands that report.
    struct hp_report_options report;
    bool timeline;    // merge: write the values of each dump separately
    bool prints_used; // info: print only the paths of the inputs that are used
    // Do not name functions; look for binaries and sources only below the given folders.
    bool no_symbols, symbol_dirs_only;
    size_t tasks;        // manifest: number of lists; 0: not given
    uint64_t max_memory; // bytes; 0: what the system allows; or HP_CLI_NO_LIMIT
    bool redacts;        // replace names by hashes
    char redact_key[HP_CLI_KEY_MOST + 1]; // redact_key_size bytes
    size_t redact_key_size;               // 0: use a random key
    enum hp_packing packing;              // rows: how tables are packed
    bool adds_names;    // rows: read aggregate files, and write their stacks
    const char *output; // path of the output; NULL: standard output
    enum hp_cli_when color, progress;
    bool has_width; // false: use the width of the terminal, if the output is one
    size_t width;   // columns of a line; 0: lines are not cut
    // Options that say how inputs and symbols are read, as they were given, and then the
    // inputs; made by hp_cli_grow(), and the strings are owned.
    char **again;
    size_t again_count, again_options;
    bool quiet, verbose;
    bool help, version;      // --help or --version was given
    bool licenses, features; // printed by `version`
};

#endif

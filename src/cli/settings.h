// What the command line asks for.
#ifndef HP_CLI_SETTINGS_H
#define HP_CLI_SETTINGS_H

#include "cli/command.h"
#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

enum hp_cli_when {
    HP_CLI_AUTO,
    HP_CLI_ALWAYS,
    HP_CLI_NEVER
};

enum {
    HP_CLI_KEY_LEAST = 16, // bytes of a key for --redact
    HP_CLI_KEY_MOST = 4096,
};

// {0} is the defaults.  Strings belong to the caller's argv or to the arguments.
struct hp_cli_settings {
    const struct hp_cli_command *command;
    const struct hp_cli_command *topic; // of `help`, or NULL
    bool explains_frames;               // `help frame-rules`

    struct hp_cli_words inputs, symbol_dirs, source_dirs;
    struct hp_path_map *path_maps; // grown with hp_cli_grow(), as the filters
    size_t path_map_count;
    struct hp_filter *filters;
    size_t filter_count;
    struct hp_frame_rule *rules; // grown so, too
    size_t rule_count;
    struct hp_cli_words rule_texts; // that some point into

    struct hp_cli_words files_from, base_files_from; // lists of inputs
    struct hp_cli_words archives;
    bool has_to;         // --to was given
    size_t base_words;   // of diff: so many of the inputs are its base
    struct hp_gate gate; // if has_gate
    bool has_gate;
    bool gate_has_unit;  // of space
    bool null_separated; // its paths end in NUL, not in a newline
    struct hp_read_options read;
    struct hp_report_options report; // with its kind and format, for those that report
    bool timeline;                   // of merge: dump by dump
    bool prints_used; // of info: the paths of the inputs that count, and nothing else
    bool no_symbols, symbol_dirs_only;
    size_t shards;       // of manifest: how many lists, or 0
    uint64_t max_memory; // bytes, 0 for what there is, or HP_CLI_NO_LIMIT
    bool redacts;
    char redact_key[HP_CLI_KEY_MOST + 1]; // of redact_key_size bytes
    size_t redact_key_size;               // 0: a random key
    const char *output;                   // or NULL for standard output
    enum hp_cli_when color, progress;
    bool has_width; // else lines fit the terminal, if there is one
    size_t width;   // 0: they are not cut
    bool quiet, verbose;
    bool help, version;
    bool licenses, features; // with the version
};

#endif

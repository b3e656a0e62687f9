// Functions that convert the value of an option and store it in the settings.
#ifndef HP_CLI_SETTER_H
#define HP_CLI_SETTER_H

#include "cli/option.h"

// `number` and `field` below are members of struct hp_cli_option.

// Store a bool: `number` or, if the option has choices, whether `number` plus the index of
// the chosen one is not 0.
hp_cli_set_fn hp_cli_set_bool;
// Store the choice refuse, skip or count for duplicate inputs, as two bools of the read
// options.
hp_cli_set_fn hp_cli_set_duplicates;
// Store what to do with damaged dumps, use or reject, as two bools of the read options.
hp_cli_set_fn hp_cli_set_damaged;
// Store the bool of --to, and move the lists that were given before it to the base.
hp_cli_set_fn hp_cli_set_to;
// Add columns; the value is their names with commas between them.
hp_cli_set_fn hp_cli_set_columns;
// Store an enum: `number` plus the index of the value among the choices.
hp_cli_set_fn hp_cli_set_enum;
// Store a size_t that is at least `number`.
hp_cli_set_fn hp_cli_set_count;
// Store the number of columns of a line; 0: lines are not cut.
hp_cli_set_fn hp_cli_set_width;
// Store a const char * that is not empty.
hp_cli_set_fn hp_cli_set_text;
// Store the name of a format.
hp_cli_set_fn hp_cli_set_format;
// Store a double between 0 and 1: "5%" and "5" are 0.05.
hp_cli_set_fn hp_cli_set_share;
// Store a double that is a share as hp_cli_set_share() does, but above 0.
hp_cli_set_fn hp_cli_set_part;
// Store a double above 0: microseconds.
hp_cli_set_fn hp_cli_set_cost;
// Store a uint64_t of bytes: N, NKiB, NMiB or NGiB.
hp_cli_set_fn hp_cli_set_size;
// Store a size as hp_cli_set_size() does, or HP_CLI_NO_LIMIT for "none".
hp_cli_set_fn hp_cli_set_memory;
// Store a uint64_t of whole seconds.
hp_cli_set_fn hp_cli_set_seconds;
// Append the value, which must not be empty, to a struct hp_cli_words.
hp_cli_set_fn hp_cli_set_word;
// Read the key of --redact-key from the file that the value names.
hp_cli_set_fn hp_cli_set_redact_key;
// Append the path of a folder, which must exist, to a struct hp_cli_words.
hp_cli_set_fn hp_cli_set_folder;
// Store an age such as "5min" as a uint64_t of nanoseconds.
hp_cli_set_fn hp_cli_set_age;

// Functions for one option each; they ignore `field`.
hp_cli_set_fn hp_cli_set_groups;      // a file with rules of groups
hp_cli_set_fn hp_cli_set_max_skipped; // N inputs, or P% of them
hp_cli_set_fn hp_cli_set_confidence;  // a percentage, or "none"
hp_cli_set_fn hp_cli_set_by;          // a granularity, or label:KEY
hp_cli_set_fn hp_cli_set_metric;      // a metric, or a name of a sample type
hp_cli_set_fn hp_cli_set_gate;        // "growth>5%,p<0.01"
hp_cli_set_fn hp_cli_set_jobs;        // threads
hp_cli_set_fn hp_cli_set_filter;      // `number` is the enum hp_filter_rule
hp_cli_set_fn hp_cli_set_path_map;    // OLD=NEW
hp_cli_set_fn hp_cli_set_shard;       // I/N
hp_cli_set_fn hp_cli_set_rule;        // `number` is the enum hp_frame_class
hp_cli_set_fn hp_cli_set_rules;       // the path of a file of rules

// Add a filter to the settings; the pattern is borrowed.  HP_E_USAGE if it is empty or
// invalid.
int hp_cli_add_filter(struct hp_cli_settings *settings, enum hp_filter_rule rule,
                      const char *pattern, struct hp_err *err);

#endif

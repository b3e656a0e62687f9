// How the value of an option gets into the settings.
#ifndef HP_CLI_SETTER_H
#define HP_CLI_SETTER_H

#include "cli/option.h"

// A bool: `number`, or the place of the value among the choices.
hp_cli_set_fn hp_cli_set_bool;
hp_cli_set_fn hp_cli_set_duplicates;
// An enum: `number`, plus the place of the value among the choices.
hp_cli_set_fn hp_cli_set_enum;
// A size_t of `number` or more.
hp_cli_set_fn hp_cli_set_count;
hp_cli_set_fn hp_cli_set_width;
// A const char *.
hp_cli_set_fn hp_cli_set_text;
hp_cli_set_fn hp_cli_set_format;
// A double: "5%" or "5" is 0.05.
hp_cli_set_fn hp_cli_set_share;
// A uint64_t: N, NKiB, NMiB or NGiB.
hp_cli_set_fn hp_cli_set_size;
hp_cli_set_fn hp_cli_set_memory; // or "none"
hp_cli_set_fn hp_cli_set_seconds;
// One more of struct hp_cli_words.
hp_cli_set_fn hp_cli_set_word;
hp_cli_set_fn hp_cli_set_redact_key;
hp_cli_set_fn hp_cli_set_folder;
hp_cli_set_fn hp_cli_set_age;

// One of a kind: `field` is not used.
hp_cli_set_fn hp_cli_set_max_skipped; // N or P%
hp_cli_set_fn hp_cli_set_confidence;  // percent
hp_cli_set_fn hp_cli_set_by;
hp_cli_set_fn hp_cli_set_metric;
hp_cli_set_fn hp_cli_set_gate;
hp_cli_set_fn hp_cli_set_jobs;
hp_cli_set_fn hp_cli_set_filter;   // `number` is the enum hp_filter_rule
hp_cli_set_fn hp_cli_set_path_map; // OLD=NEW
hp_cli_set_fn hp_cli_set_shard;    // I/N
hp_cli_set_fn hp_cli_set_rule;     // `number` is the enum hp_frame_class
hp_cli_set_fn hp_cli_set_rules;    // of a file

// HP_E_USAGE if the pattern is none.
int hp_cli_add_filter(struct hp_cli_settings *settings, enum hp_filter_rule rule,
                      const char *pattern, struct hp_err *err);

#endif

// Read a file of rules that classify frames, one rule a line:
//
//     class<TAB>field<TAB>regular expression
//
// The field is name, file or module.  Empty lines and lines that begin with # are
// ignored.
#ifndef HP_CLI_RULEFILE_H
#define HP_CLI_RULEFILE_H

#include "cli/settings.h"

// Add the rules of the file to the settings, which own its text afterwards.  Any error is
// HP_E_USAGE.
int hp_cli_rulefile_read(struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err);

// Add the rules of groups of a file, one a line, to the settings, which own its text
// afterwards.  Any error is HP_E_USAGE.
//
//     group<TAB>function, file or module<TAB>regular expression[<TAB>root]
int hp_cli_groupfile_read(struct hp_cli_settings *settings, const char *path,
                          struct hp_err *err);

// Add one rule; its pattern is borrowed.  HP_E_USAGE if the pattern is empty or invalid.
int hp_cli_add_rule(struct hp_cli_settings *settings, struct hp_frame_rule rule,
                    struct hp_err *err);

// Free the rules and the texts of their files.
void hp_cli_rules_done(struct hp_cli_settings *settings);

#endif

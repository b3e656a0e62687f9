// A file of rules for frames, a line each:
//
//     class<TAB>field<TAB>regular expression
//
// A field is name, file or module.  Empty lines and those that begin with # say nothing.
#ifndef HP_CLI_RULEFILE_H
#define HP_CLI_RULEFILE_H

#include "cli/settings.h"

// Add its rules to those of the settings, which keep its text.
int hp_cli_rulefile_read(struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err);

// Add one; the pattern is borrowed.  HP_E_USAGE: it is none.
int hp_cli_add_rule(struct hp_cli_settings *settings, struct hp_frame_rule rule,
                    struct hp_err *err);

void hp_cli_rules_done(struct hp_cli_settings *settings);

#endif

// Options that mean nothing next to others, or without them.
#ifndef HP_CLI_COMBINATION_H
#define HP_CLI_COMBINATION_H

#include "cli/arguments.h"
#include "cli/settings.h"

// When command and format are settled and all options are applied.  What the user has given
// in vain is HP_E_USAGE; what the environment has preset is taken back.
int hp_cli_combination_check(struct hp_cli_settings *settings,
                             const struct hp_cli_arguments *given, struct hp_err *err);

#endif

// Options that mean nothing next to others, or without them.
#ifndef HP_CLI_COMBINATION_H
#define HP_CLI_COMBINATION_H

#include "cli/arguments.h"
#include "cli/settings.h"

// HP_E_USAGE for what is given in vain, when command and format are settled and all options
// are applied.
int hp_cli_combination_check(const struct hp_cli_settings *settings,
                             const struct hp_cli_arguments *given, struct hp_err *err);

#endif

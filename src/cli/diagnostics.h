// What standard error says about single inputs.
#ifndef HP_CLI_DIAGNOSTICS_H
#define HP_CLI_DIAGNOSTICS_H

#include "cli/settings.h"

// Print it; return whether inputs were skipped.  `failure` is why reading failed, or
// NULL: it is the caller's to print.  If there is but one input, its own diagnostic takes the
// place of "1 of 1 inputs cannot be used".
bool hp_cli_input_diagnostics(const struct hp_profile *profile,
                              const struct hp_cli_settings *settings,
                              struct hp_err *failure);

#endif

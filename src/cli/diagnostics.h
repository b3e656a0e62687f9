// Print messages about single inputs to standard error.
#ifndef HP_CLI_DIAGNOSTICS_H
#define HP_CLI_DIAGNOSTICS_H

#include "cli/settings.h"

// Print the errors of inputs that were skipped, and a note about ELF files among the
// inputs; return whether inputs were skipped.  `failure` is the error of the read, or
// NULL; the caller prints it.  If the only input failed, its own diagnostic replaces the
// text of `failure`, which otherwise would be "1 of 1 inputs cannot be used".
bool hp_cli_input_diagnostics(const struct hp_profile *profile,
                              const struct hp_cli_settings *settings,
                              struct hp_err *failure);

#endif

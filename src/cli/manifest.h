// The command manifest: lists of inputs for tasks that read one each.
#ifndef HP_CLI_MANIFEST_H
#define HP_CLI_MANIFEST_H

#include "cli/settings.h"

// Write them beside each other, "PREFIX00" to "PREFIX63"; a list that would be empty is not
// written.  None is left if one cannot be written.  HP_E_USAGE if there are lists already.
int hp_cli_manifest_run(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

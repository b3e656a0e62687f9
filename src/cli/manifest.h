// The command `manifest`: distribute paths over lists, one for each of several tasks.
#ifndef HP_CLI_MANIFEST_H
#define HP_CLI_MANIFEST_H

#include "cli/settings.h"

// Write the lists into files "PREFIX00" to "PREFIX63"; empty lists are not written.  If
// one cannot be written, those already written are removed.  HP_E_USAGE if files of such
// names exist already.
int hp_cli_manifest_run(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

// From argv to settings.
#ifndef HP_CLI_COMMANDLINE_H
#define HP_CLI_COMMANDLINE_H

#include "cli/arguments.h"
#include "cli/settings.h"

// Without any argument, `settings->command` stays NULL.  Fails with HP_E_USAGE.  The settings
// point into `given`; both are {0} at first.
int hp_cli_commandline_read(struct hp_cli_arguments *given, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err);
void hp_cli_commandline_done(struct hp_cli_arguments *given,
                             struct hp_cli_settings *settings);

#endif

// Parse argv into settings, and check that the options fit each other.
#ifndef HP_CLI_COMMANDLINE_H
#define HP_CLI_COMMANDLINE_H

#include "cli/arguments.h"
#include "cli/settings.h"

// Read the command line.  Without any argument, `settings->command` stays NULL.  Fails
// with HP_E_USAGE or with the error of a file that an option names.  Both structs are {0}
// at first.  The settings point into `given`; release both together with
// hp_cli_commandline_done().
int hp_cli_commandline_read(struct hp_cli_arguments *given, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err);
void hp_cli_commandline_done(struct hp_cli_arguments *given,
                             struct hp_cli_settings *settings);

#endif

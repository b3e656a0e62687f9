// From argv and HPROF_AGG_OPTS to settings.
#ifndef HP_CLI_COMMANDLINE_H
#define HP_CLI_COMMANDLINE_H

#include "cli/arguments.h"
#include "cli/settings.h"

// What the settings point into.  {0} at first.
struct hp_cli_commandline {
    struct hp_cli_arguments given, preset; // by the user, by the environment
    char *environment;
    char **environment_words;
};

void hp_cli_commandline_done(struct hp_cli_commandline *line);

// Without any argument, `settings->command` stays NULL.  Fails with HP_E_USAGE.
int hp_cli_commandline_read(struct hp_cli_commandline *line, int argc, char **argv,
                            struct hp_cli_settings *settings, struct hp_err *err);

#endif

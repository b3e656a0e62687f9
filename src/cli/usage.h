// The texts of `help` and `version`, made from the tables.
#ifndef HP_CLI_USAGE_H
#define HP_CLI_USAGE_H

#include "cli/settings.h"

#include <stdio.h>

// What to say to someone who gave no argument at all.
void hp_cli_usage_print_short(FILE *out);

// Made of files when it is built.
extern const char hp_cli_licenses[];

// The commands help and version, to standard output.
int hp_cli_usage_run(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

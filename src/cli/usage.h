// The texts of `help` and `version`, made from the tables.
#ifndef HP_CLI_USAGE_H
#define HP_CLI_USAGE_H

#include "cli/settings.h"

#include <stdio.h>

// Print the short usage for a call without any argument.
void hp_cli_usage_print_short(FILE *out);

// The licences; the build generates this text from files.
extern const char hp_cli_licenses[];

// Run the command help or version; the text is written to standard output.
int hp_cli_usage_run(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

// Texts that hprof-agg-generator makes from the tables of options, commands and formats.
#ifndef HP_CLI_GENERATOR_H
#define HP_CLI_GENERATOR_H

#include <stdbool.h>
#include <stdio.h>

// Write the completion scripts for three shells.
void hp_cli_completions_bash(FILE *out);
void hp_cli_completions_zsh(FILE *out);
void hp_cli_completions_fish(FILE *out);

// Write a table of a manual page, in mdoc: "commands", "formats", "common" (the options on
// the first screen of help), "all-options", or "options" of the command called `name`.
// Returns false if there is none such.
bool hp_cli_manual(FILE *out, const char *table, const char *name);

// Copy `page` to `out`; replace everything between its lines "<!-- options -->" and
// "<!-- end of options -->" by the tables.
void hp_cli_reference(FILE *page, FILE *out);

#endif

// Texts that hprof-agg-generator makes from the tables of options, commands and formats.
#ifndef HP_CLI_GENERATOR_H
#define HP_CLI_GENERATOR_H

#include <stdio.h>

// Write the completion scripts for three shells.
void hp_cli_completions_bash(FILE *out);
void hp_cli_completions_zsh(FILE *out);
void hp_cli_completions_fish(FILE *out);

// Copy the mdoc source `prose` to `out`; replace the lines @COMMANDS@, @OPTIONS@ and
// @FORMATS@ by the tables.
void hp_cli_manual(FILE *prose, FILE *out);

// Copy `page` to `out`; replace everything between its lines "<!-- options -->" and
// "<!-- end of options -->" by the tables.
void hp_cli_reference(FILE *page, FILE *out);

#endif

// What hprof-agg-generator makes from the tables of the command line.
#ifndef HP_CLI_GENERATOR_H
#define HP_CLI_GENERATOR_H

#include <stdio.h>

// Completions for three shells.
void hp_cli_completions_bash(FILE *out);
void hp_cli_completions_zsh(FILE *out);
void hp_cli_completions_fish(FILE *out);

// Copy the mdoc text of `prose`; the lines @COMMANDS@, @OPTIONS@ and @FORMATS@ give way to
// the tables.
void hp_cli_manual(FILE *prose, FILE *out);

// Copy the text of `readme`; what stands between its lines "<!-- options -->" and
// "<!-- end of options -->" gives way to the tables.
void hp_cli_reference(FILE *readme, FILE *out);

#endif

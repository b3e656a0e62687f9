// Completions for three shells, made from the tables.
#ifndef HP_CLI_COMPLETIONS_H
#define HP_CLI_COMPLETIONS_H

#include <stdio.h>

void hp_cli_completions_bash(FILE *out);
void hp_cli_completions_zsh(FILE *out);
void hp_cli_completions_fish(FILE *out);

#endif

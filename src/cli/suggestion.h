// The nearest of some words to a mistyped one.
#ifndef HP_CLI_SUGGESTION_H
#define HP_CLI_SUGGESTION_H

#include <stddef.h>

// Set `word`, try each candidate, then read `best`.
struct hp_cli_suggestion {
    const char *word;
    const char *best; // NULL if nothing is near
    size_t distance;
};

void hp_cli_suggestion_try(struct hp_cli_suggestion *suggestion, const char *candidate);

#endif

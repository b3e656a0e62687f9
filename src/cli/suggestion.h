// Find the known word that is nearest to a mistyped one.
#ifndef HP_CLI_SUGGESTION_H
#define HP_CLI_SUGGESTION_H

#include <stddef.h>

// A search.  Set `word`, call hp_cli_suggestion_try() for each candidate, then read
// `best`.
struct hp_cli_suggestion {
    const char *word;
    const char *best; // NULL if no candidate is similar enough
    size_t distance;  // edit distance from `word` to `best`
};

// Replace `best` by the candidate if that is similar enough to `word` and nearer than
// `best`; the string is borrowed.
void hp_cli_suggestion_try(struct hp_cli_suggestion *suggestion, const char *candidate);

#endif

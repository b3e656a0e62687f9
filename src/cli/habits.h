// What users of jeprof and pprof type, and what does it here.
#ifndef HP_CLI_HABITS_H
#define HP_CLI_HABITS_H

#include "cli/command.h"

#include <stdbool.h>
#include <stddef.h>

// What to do in place of an option of theirs, or of a command of their shells, as a sentence that
// follows "unknown option --lines: "; NULL if the word is not one of theirs.  `begins`: a
// beginning of one will do.
const char *hp_cli_habit(const char *word, bool begins);

// The same of a kind of file that no format here writes: "svg".
const char *hp_cli_habit_of_kind(const char *kind);

// Whether the input is an address on the net rather than a file: as such it is not opened.
bool hp_cli_is_url(const char *input);
int hp_cli_fail_url(const char *url, const struct hp_cli_command *command,
                    struct hp_err *err);

#endif

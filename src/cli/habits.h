// Options and commands that users of jeprof and pprof type, and what to use here instead.
#ifndef HP_CLI_HABITS_H
#define HP_CLI_HABITS_H

#include "cli/command.h"

#include <stdbool.h>
#include <stddef.h>

// Advice for an option of jeprof or pprof, or a command of their shells: a sentence that
// follows "unknown option --lines: ".  If `begins` is true, `word` may be the beginning
// of a name.  NULL if the word is unknown or fits several entries.
const char *hp_cli_habit(const char *word, bool begins);

// The same for the ending of a kind of file that no format here writes, such as "png".
const char *hp_cli_habit_of_kind(const char *kind);

// Whether the input is an address on the network instead of a file; such inputs are never
// opened.
bool hp_cli_is_url(const char *input);
// Fail with HP_E_USAGE and suggest a curl command whose output `command` can read.
int hp_cli_fail_url(const char *url, const struct hp_cli_command *command,
                    struct hp_err *err);

#endif

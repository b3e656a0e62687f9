// Check the values of options that accept only a fixed set of values.
#ifndef HP_CLI_CHOICE_H
#define HP_CLI_CHOICE_H

#include "cli/option.h"

// Choice number i (0, 1, ...) of the option; NULL after the last, or if any value is
// accepted.
const char *hp_cli_choice(const struct hp_cli_option *option, size_t i);

// As hp_cli_choice(), for one of `commands`, a set of bits of enum hp_cli_command_id: if
// that is the command rows only, --format has the ways to pack its tables.
const char *hp_cli_choice_of(const struct hp_cli_option *option, unsigned commands,
                             size_t i);

// Store the index of `value` among the choices in *i; 0 for an option without a value.
// HP_E_USAGE, with a suggestion or a list of the choices, if `value` is not a choice.
int hp_cli_choice_find(const struct hp_cli_option *option, const char *value, size_t *i,
                       struct hp_err *err);

// The unit that a user probably meant: "MiB" for "MB", "mb" or "m".  NULL if the text
// resembles no unit of space.
const char *hp_cli_unit_like(const char *text);

#endif

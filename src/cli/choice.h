// The values that an option takes, where it takes no others.
#ifndef HP_CLI_CHOICE_H
#define HP_CLI_CHOICE_H

#include "cli/option.h"

// i = 0, 1, ...; NULL after the last.
const char *hp_cli_choice(const struct hp_cli_option *option, size_t i);

// The place of `value` among them, 0 for an option without a value; HP_E_USAGE if it is none.
int hp_cli_choice_find(const struct hp_cli_option *option, const char *value, size_t *i,
                       struct hp_err *err);

// "MiB" of "MB", "mb" or "m"; NULL if it is like no unit of space.
const char *hp_cli_unit_like(const char *text);

#endif

// What a terminal is, and how wide.
#ifndef HP_CLI_TERMINAL_H
#define HP_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// Columns: $COLUMNS, else what the terminal at `fd` says, else 80.
size_t hp_cli_columns(int fd);

// Whether `fd` is a terminal that understands escape sequences.
bool hp_cli_is_terminal(int fd);

// Whether it is told, by the locale of the environment, to expect UTF-8.
bool hp_cli_knows_utf8(void);

#endif

// Properties of the terminal.
#ifndef HP_CLI_TERMINAL_H
#define HP_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// Width in columns: $COLUMNS if it is set, else the width of the terminal at `fd`, else
// 80; at least 40 and at most 1000.
size_t hp_cli_columns(int fd);

// Whether `fd` is a terminal that understands escape sequences.
bool hp_cli_is_terminal(int fd);

// Whether the locale of the environment uses UTF-8.
bool hp_cli_knows_utf8(void);

#endif

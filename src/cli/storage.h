// Memory for the command line: there is enough, or the process ends with status 70.
#ifndef HP_CLI_STORAGE_H
#define HP_CLI_STORAGE_H

#include <stddef.h>

// Room for item number `count`: `items = hp_cli_grow(items, count, sizeof *items)`.
// The array must only ever have grown through here; free() it.
void *hp_cli_grow(void *items, size_t count, size_t size);

// A copy to free().
char *hp_cli_copy(const char *text);

// Say so and end: the handler for hp_on_out_of_memory().
_Noreturn void hp_cli_out_of_memory(size_t wanted);

#endif

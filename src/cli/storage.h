// Memory for the command line: there is enough, or the process ends, with status 7 where
// a limit says so and 70 otherwise.
#ifndef HP_CLI_STORAGE_H
#define HP_CLI_STORAGE_H

#include <stddef.h>
#include <stdint.h>

// Room for item number `count`: `items = hp_cli_grow(items, count, sizeof *items)`.
// The array must only ever have grown through here; free() it.
void *hp_cli_grow(void *items, size_t count, size_t size);

// As realloc().
void *hp_cli_resize(void *memory, size_t size);

// Strings that stay others'.  {0} is none; free() the items.
struct hp_cli_words {
    const char **items;
    size_t count;
};

void hp_cli_words_add(struct hp_cli_words *words, const char *word);

#define HP_CLI_NO_LIMIT UINT64_MAX

// From now on all that is allocated, by libraries too, may be `bytes` at most; 0 for what this
// process can have, HP_CLI_NO_LIMIT for no limit.  The symbolizer begins with what there is when it
// is started, and so keeps to it as well.
void hp_cli_limit_memory(uint64_t bytes);

// The limit that is set, 0: none.
uint64_t hp_cli_memory_limit_bytes(void);

// "188.0 MiB, of this container", or NULL where there is no limit.
const char *hp_cli_memory_limit_text(void);

// Say so and end: the handler for hp_on_out_of_memory().
_Noreturn void hp_cli_out_of_memory(size_t wanted, const char *input);

#endif

// Allocate memory for the command line, and limit it.  The functions never fail: when
// memory runs out, the process ends, with status 7 if a limit is the reason and 70
// otherwise.
#ifndef HP_CLI_STORAGE_H
#define HP_CLI_STORAGE_H

#include <stddef.h>
#include <stdint.h>

// Make room for item number `count`: `items = hp_cli_grow(items, count, sizeof *items)`.
// Use this function for every growth of the array, one item at a time; release it with
// free().
void *hp_cli_grow(void *items, size_t count, size_t size);

// Do the same as realloc(), but never return NULL: without memory the process ends.
void *hp_cli_resize(void *memory, size_t size);

// A list of strings that others own.  {0} is empty; free() its `items`.
struct hp_cli_words {
    const char **items;
    size_t count;
};

// Append a word; the string is not copied.
void hp_cli_words_add(struct hp_cli_words *words, const char *word);

#define HP_CLI_NO_LIMIT UINT64_MAX

// Limit all memory that this process allocates, libraries included, to `bytes` from now
// on.  0: use the limit of memorylimit.h; HP_CLI_NO_LIMIT: no limit.  A child process of
// the symbolizer is limited to the memory that is left when it starts.
void hp_cli_limit_memory(uint64_t bytes);

// The limit in bytes; 0: there is none.
uint64_t hp_cli_memory_limit_bytes(void);

// The limit as text, such as "188.0 MiB, of this container"; NULL if there is none.
const char *hp_cli_memory_limit_text(void);

// Print a message and end the process; the handler for hp_on_out_of_memory().  `wanted`
// are the bytes requested; `input` is the input being read, or NULL.
_Noreturn void hp_cli_out_of_memory(size_t wanted, const char *input);

#endif

#include "cli/storage.h"

#include "cli/cleanup.h"
#include "cli/message.h"
#include "cli/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_limited; // by --max-memory

void *hp_cli_resize(void *memory, size_t size) {
    void *resized = realloc(memory, size);
    if (resized == NULL) {
        hp_cli_out_of_memory(size, NULL);
    }
    return resized;
}

void *hp_cli_grow(void *items, size_t count, size_t size) {
    // The capacity is the next power of two, so it need not be stored.
    if ((count & (count - 1)) != 0) {
        return items;
    }
    size_t capacity = count == 0 ? 1 : count * 2;
    if (capacity > SIZE_MAX / 2 / size) {
        hp_cli_out_of_memory(SIZE_MAX, NULL);
    }
    return hp_cli_resize(items, capacity * size);
}

void hp_cli_words_add(struct hp_cli_words *words, const char *word) {
    words->items = hp_cli_grow(words->items, words->count, sizeof *words->items);
    words->items[words->count++] = word;
}

void hp_cli_limit_memory(uint64_t bytes) {
    struct rlimit limit;
    if (bytes == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return;
    }
    // The kernel counts what can be written to and is nobody else's: not the pages of binaries.
    limit.rlim_cur = bytes < limit.rlim_max ? (rlim_t)bytes : limit.rlim_max;
    is_limited = setrlimit(RLIMIT_DATA, &limit) == 0;
}

void hp_cli_out_of_memory(size_t wanted, const char *input) {
    hp_cli_cleanup();
    const char *during = input != NULL ? ", while reading " : "";
    input = input != NULL ? input : "";
    if (is_limited) {
        hp_cli_message("more memory is needed than --max-memory allows%s%s", during,
                       input);
    } else {
        hp_cli_message("out of memory: %zu bytes are not to be had%s%s", wanted, during,
                       input);
    }
    // Other threads may still be at work: nothing of theirs can be unwound.
    _exit(is_limited ? HP_CLI_EXIT_LIMIT : HP_CLI_EXIT_INTERNAL);
}

#include "cli/storage.h"

#include "cli/cleanup.h"
#include "cli/message.h"
#include "cli/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *hp_cli_grow(void *items, size_t count, size_t size) {
    // The capacity is the next power of two, so it need not be stored.
    if ((count & (count - 1)) != 0) {
        return items;
    }
    size_t capacity = count == 0 ? 1 : count * 2;
    if (capacity > SIZE_MAX / 2 / size) {
        hp_cli_out_of_memory(SIZE_MAX);
    }
    void *grown = realloc(items, capacity * size);
    if (grown == NULL) {
        hp_cli_out_of_memory(capacity * size);
    }
    return grown;
}

char *hp_cli_copy(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) {
        hp_cli_out_of_memory(strlen(text) + 1);
    }
    return copy;
}

void hp_cli_out_of_memory(size_t wanted) {
    hp_cli_cleanup();
    hp_cli_message("out of memory: %zu bytes are not to be had", wanted);
    // Other threads may still be at work: nothing of theirs can be unwound.
    _exit(HP_CLI_EXIT_INTERNAL);
}

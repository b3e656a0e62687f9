#include "cli/storage.h"

#include "cli/cleanup.h"
#include "cli/memorylimit.h"
#include "cli/message.h"
#include "cli/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    SLACK = 4 << 20, // bytes that malloc() may take from the system beyond a request
};

static struct hp_cli_memory_limit limit; // the limit in force; 0 bytes: none
static bool is_requested;                // set by --max-memory
static char limit_text[96];

void *hp_cli_resize(void *memory, size_t size) {
    void *resized = realloc(memory, size);
    if (resized == NULL) {
        hp_cli_out_of_memory(size, NULL);
    }
    return resized;
}

void *hp_cli_grow(void *items, size_t count, size_t size) {
    // The capacity is the next power of two and therefore need not be stored.
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

// Whether a sanitizer is built in.  Its shadow memory is counted too, and would leave
// nothing of a limit.
static bool is_instrumented(void) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return true;
#elif defined __has_feature
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||
           __has_feature(memory_sanitizer);
#else
    return false;
#endif
}

// Write the limit and its origin to limit_text.
static void describe(void) {
    const char *of = strcmp(limit.source, "--max-memory") == 0 ? "by" : "of";
    double mebibytes = (double)limit.bytes / 0x1p20;
    snprintf(limit_text, sizeof limit_text, "%.1f %s, %s %s",
             mebibytes < 10240 ? mebibytes : mebibytes / 1024,
             mebibytes < 10240 ? "MiB" : "GiB", of, limit.source);
}

void hp_cli_limit_memory(uint64_t bytes) {
    struct rlimit data;
    limit = (struct hp_cli_memory_limit){bytes, "--max-memory"};
    if (bytes == 0) {
        hp_cli_memory_limit_find("", &limit);
    }
    bool is_none = limit.bytes == 0 || limit.bytes == HP_CLI_NO_LIMIT ||
                   (bytes == 0 && is_instrumented());
    limit.bytes = is_none ? 0 : limit.bytes;
    if (is_none || getrlimit(RLIMIT_DATA, &data) != 0) {
        return;
    }
    // RLIMIT_DATA counts private writable memory, not the pages of binaries.
    data.rlim_cur = limit.bytes < data.rlim_max ? (rlim_t)limit.bytes : data.rlim_max;
    limit.bytes = setrlimit(RLIMIT_DATA, &data) == 0 ? (uint64_t)data.rlim_cur : 0;
    is_requested = bytes != 0;
    describe();
}

uint64_t hp_cli_memory_limit_bytes(void) {
    return limit.bytes;
}

const char *hp_cli_memory_limit_text(void) {
    return limit.bytes > 0 ? limit_text : NULL;
}

// Whether an allocation of `wanted` bytes failed because of the limit, and for no other
// reason.
static bool is_at_limit(size_t wanted) {
    return limit.bytes > 0 && (is_requested || wanted > limit.bytes ||
                               hp_cli_memory_used() + wanted + SLACK > limit.bytes);
}

void hp_cli_out_of_memory(size_t wanted, const char *input) {
    hp_cli_cleanup();
    const char *during = input != NULL ? ", while reading " : "";
    bool is_limited = is_at_limit(wanted);
    input = input != NULL ? input : "";
    if (is_limited && is_requested) {
        hp_cli_message(HP_MESSAGE("memory-over-option", "--max-memory is too small%s%s"),
                       during, input);
    } else if (is_limited) {
        hp_cli_message(
            HP_MESSAGE(
                "memory-over-limit",
                "more memory is needed than the limit of %s. Use --max-memory%s%s"),
            limit_text, during, input);
    } else {
        hp_cli_message(HP_MESSAGE("memory-none", "out of memory (%zu bytes)%s%s"), wanted,
                       during, input);
    }
    // Other threads may still run, so that no exit handlers may be called.
    _exit(is_limited ? HP_CLI_EXIT_LIMIT : HP_CLI_EXIT_INTERNAL);
}

#include "cli/safetext.h"

#include "cli/storage.h"
#include "hprof-agg/hprof-agg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *hp_cli_safe(const char *text) {
    size_t size = strlen(text), used = 0;
    char *copy = hp_cli_resize(NULL, size * HP_ESCAPE_MAX + 1);
    for (size_t done = 0; done < size;) {
        size_t written;
        done += hp_escape(text + done, size - done, copy + used,
                          (size - done) * HP_ESCAPE_MAX, &written);
        used += written;
    }
    copy[used] = '\0';
    return copy;
}

char *hp_cli_quoted(const char *text) {
    static const char quote[] = "'\\''"; // ends the word, adds a quote, begins a new word
    char *safe = hp_cli_safe(text);
    bool is_safe = strcmp(safe, text) == 0;
    free(safe);
    if (!is_safe) {
        return NULL;
    }
    char *word = hp_cli_resize(NULL, strlen(text) * (sizeof quote - 1) + 3), *end = word;
    *end++ = '\'';
    for (; *text != '\0'; text++) {
        const char *part = *text == '\'' ? quote : text;
        size_t size = *text == '\'' ? sizeof quote - 1 : 1;
        memcpy(end, part, size);
        end += size;
    }
    memcpy(end, "'", 2);
    return word;
}

// Memory is bounded before anything is parsed: by the size of the text, and by the number
// of values that it can have; each takes some 100 bytes. Jansson refuses text that is
// nested deeper than 2,048 levels.
#include "input/json_reader.h"

#include "base/memory.h"

#include <errno.h>
#include <string.h>

int hp_json_reader_open(struct hp_input_stream *stream, const char *path,
                        const struct hp_read_options *options, struct hp_err *err) {
    uint64_t limit = options->max_input_size;
    *stream = (struct hp_input_stream){.waits = options->wait};
    int ret =
        hp_input_stream_open(stream, path, limit > 0 ? limit : HP_JSON_LARGEST, err);
    return ret == HP_OK ? hp_input_stream_read_on(stream, err) : ret;
}

#ifdef HP_WITH_JANSSON
#    include <jansson.h>

enum {
    MOST_VALUES = 10 << 20, // values of a text at most
};

// Returns an upper bound of the number of values: every value except the first follows a
// ',', ':' or '['.
static size_t count_values(struct hp_span text) {
    size_t count = 1;
    for (size_t i = 0; i < text.size; i++) {
        count += text.at[i] == ',' || text.at[i] == ':' || text.at[i] == '[';
    }
    return count;
}

struct json_t *hp_json_reader_load(struct hp_span text, const char *what,
                                   struct hp_err *err) {
    json_error_t error;
    if (count_values(text) > MOST_VALUES) {
        hp_fail(err, HP_E_LIMIT,
                HP_MESSAGE("json-too-many-values", "%s: more than %d values"), what,
                MOST_VALUES);
        return NULL;
    }
    errno = 0;
    json_t *root = json_loadb(text.at, text.size, 0, &error);
    if (!root && errno == ENOMEM) { // jansson reports it as a fault of the text
        hp_out_of_memory(text.size);
    }
    if (!root) {
        // The message quotes the text; the rest of its line is enough.
        hp_fail(err, HP_E_FORMAT, HP_MESSAGE("json-cut", "incomplete JSON: %.*s"),
                (int)strcspn(error.text, "\n"), error.text);
        err->line = error.line > 0 ? (uint64_t)error.line : 0;
    }
    return root;
}
#endif

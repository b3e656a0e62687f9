// JSON that allocators write: read as a whole, within limits of size.
#ifndef HP_INPUT_JSON_READER_H
#define HP_INPUT_JSON_READER_H

#include "base/err.h"
#include "base/span.h"
#include "input/input_stream.h"

enum {
    // Largest text, in bytes: the statistics of a thousand arenas take as many.
    HP_JSON_LARGEST = 64 << 20,
};

// Open a file, plain, gzip or zstd, and read its whole text into the stream's window. The
// text may have options->max_input_size bytes after decompression, or HP_JSON_LARGEST if
// that is 0. Call hp_input_stream_done() also after a failure.
HP_MUST_CHECK int hp_json_reader_open(struct hp_input_stream *stream, const char *path,
                                      const struct hp_read_options *options,
                                      struct hp_err *err);

struct json_t;

// Parse a text. Returns its value, which the caller frees with json_decref(), or NULL
// after a failure. If an object has a key twice, the last value is used. `what` names the
// text in messages.
struct json_t *hp_json_reader_load(struct hp_span text, const char *what,
                                   struct hp_err *err);

#endif

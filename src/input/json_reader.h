// JSON as allocators write it: read as a whole, within limits.
#ifndef HP_INPUT_JSON_READER_H
#define HP_INPUT_JSON_READER_H

#include "base/err.h"
#include "base/span.h"
#include "input/input_stream.h"

enum {
    HP_JSON_LARGEST = 64 << 20, // bytes of text; a thousand arenas have about as many
};

// The whole text of a file, plain, gzip or zstd, of `max_input_size` bytes at most, 0: HP_JSON_LARGEST;
// until hp_input_stream_done(), also after a failure.
HP_MUST_CHECK int hp_json_reader_open(struct hp_input_stream *stream, const char *path,
                                      const struct hp_read_options *options,
                                      struct hp_err *err);

struct json_t;

// The value that the text is, to be let go of by json_decref(), or NULL.  Keys may stand in it twice:
// the last one counts.  `what` names the text in sentences.
struct json_t *hp_json_reader_load(struct hp_span text, const char *what,
                                   struct hp_err *err);

#endif

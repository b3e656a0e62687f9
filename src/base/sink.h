// A buffered byte writer that remembers its first failure.
//
// Writers never test a write: after the first error every write is a no-op, and
// hp_sink_close() reports it once.
#ifndef HP_BASE_SINK_H
#define HP_BASE_SINK_H

#include "base/err.h"
#include "base/span.h"
#include "base/units.h"
#include "base/vec.h"

struct hp_sink {
    hp_write_fn *write;
    void *data;
    int error;           // errno of the first failed write, or 0
    struct hp_err cause; // why there is nothing more to write, if its code is not HP_OK
    size_t used;
    char buffer[16384];
};

void hp_sink_init(struct hp_sink *sink, hp_write_fn *write, void *data);
void hp_sink_put(struct hp_sink *sink, const void *bytes, size_t size);
void hp_sink_text(struct hp_sink *sink, const char *text);
void hp_sink_integer(struct hp_sink *sink, hp_int128 number);
HP_PRINTF(2, 3)
void hp_sink_print(struct hp_sink *sink, const char *format, ...);

// Text from outside, made safe for a terminal: control characters, bytes that are not
// UTF-8 and characters that are not seen themselves become \xNN or \u{...}.
void hp_sink_escaped(struct hp_sink *sink, struct hp_span text);

HP_MUST_CHECK int hp_sink_close(struct hp_sink *sink, struct hp_err *err);

// Text that grows in memory.
struct hp_buffer {
    HP_VEC(char) text;
};

struct hp_span hp_buffer_span(const struct hp_buffer *buffer); // until the next change
void hp_buffer_append(struct hp_buffer *buffer, struct hp_span text);

// For a sink: an hp_write_fn whose data is a buffer.
int hp_buffer_write(void *buffer, const void *bytes, size_t size);

#endif

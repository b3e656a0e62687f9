// A buffered byte writer that remembers its first failure.
//
// Callers never test a single write: after the first error every further write does
// nothing, and hp_sink_close() reports the error once.
#ifndef HP_BASE_SINK_H
#define HP_BASE_SINK_H

#include "base/err.h"
#include "base/span.h"
#include "base/units.h"
#include "base/vec.h"

struct hp_sink {
    // Function that takes the buffered bytes; its first argument is `data`.
    hp_write_fn *write;
    void *data;
    int error; // errno of the first failed write; 0: none failed
    // Failure that is not one of writing, set by the code that writes to the sink; its
    // code is HP_OK if there is none.
    struct hp_err cause;
    // Number of bytes waiting in the buffer.
    size_t used;
    char buffer[16384];
};

// Initialize a sink that delivers through `write`, which gets `data`.  Nothing has to be
// freed.
void hp_sink_init(struct hp_sink *sink, hp_write_fn *write, void *data);
// Append bytes, a C string, an integer in decimal, or formatted text.
void hp_sink_put(struct hp_sink *sink, const void *bytes, size_t size);
void hp_sink_text(struct hp_sink *sink, const char *text);
void hp_sink_integer(struct hp_sink *sink, hp_int128 number);
HP_PRINTF(2, 3)
void hp_sink_print(struct hp_sink *sink, const char *format, ...);

// Write untrusted text so that it is safe for a terminal: control characters, bytes that
// are not UTF-8 and invisible characters become \xNN or \u{...}.
void hp_sink_escaped(struct hp_sink *sink, struct hp_span text);

// Deliver the rest of the buffer; more may be written after it.
void hp_sink_flush(struct hp_sink *sink);
// Deliver the rest of the buffer.  HP_E_OUTPUT if any write failed, else the code of
// `cause`.
HP_MUST_CHECK int hp_sink_close(struct hp_sink *sink, struct hp_err *err);

// A text that grows in memory, and nothing else; hp_buffer_write() appends to it what a
// sink writes.  {0} is empty; hp_vec_done(&buffer.text) frees it.
struct hp_buffer {
    HP_VEC(char) text;
};

// The text; valid until the buffer changes.
struct hp_span hp_buffer_span(const struct hp_buffer *buffer);
// Append a copy of the text.
void hp_buffer_append(struct hp_buffer *buffer, struct hp_span text);

// An hp_write_fn whose data is a struct hp_buffer, so that a sink can write to memory.
// Never fails.
int hp_buffer_write(void *buffer, const void *bytes, size_t size);

#endif

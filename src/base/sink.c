#include "base/sink.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hp_sink_init(struct hp_sink *sink, hp_write_fn *write, void *data) {
    sink->write = write;
    sink->data = data;
    sink->error = 0;
    sink->cause.code = HP_OK;
    sink->used = 0;
}

// Pass bytes to the writer, unless an earlier write failed.
static void deliver(struct hp_sink *sink, const void *bytes, size_t size) {
    if (!sink->error && size > 0 && sink->write(sink->data, bytes, size) != 0) {
        sink->error = errno ? errno : EIO;
    }
}

void hp_sink_flush(struct hp_sink *sink) {
    deliver(sink, sink->buffer, sink->used);
    sink->used = 0;
}

// Append bytes to the buffer, which is delivered when it is full.  A piece that is larger
// than the buffer is delivered without a copy.
void hp_sink_put(struct hp_sink *sink, const void *bytes, size_t size) {
    if (size > sizeof sink->buffer - sink->used) {
        hp_sink_flush(sink);
    }
    if (size > sizeof sink->buffer) {
        deliver(sink, bytes, size);
        return;
    }
    if (size > 0) {
        memcpy(sink->buffer + sink->used, bytes, size);
        sink->used += size;
    }
}

void hp_sink_text(struct hp_sink *sink, const char *text) {
    hp_sink_put(sink, text, strlen(text));
}

// Print a text that does not fit into the buffer, which is rare.  Runs vsnprintf() a
// second time.
HP_PRINTF(2, 0)

static void print_long(struct hp_sink *sink, const char *format, va_list args) {
    char *text = hp_vprinted(format, args);
    hp_sink_text(sink, text);
    free(text);
}

void hp_sink_integer(struct hp_sink *sink, hp_int128 number) {
    char text[HP_NUMBER_SIZE];
    hp_format_integer(text, number);
    hp_sink_text(sink, text);
}

void hp_sink_print(struct hp_sink *sink, const char *format, ...) {
    if (sizeof sink->buffer - sink->used < sizeof sink->buffer / 4) {
        hp_sink_flush(sink);
    }
    size_t room = sizeof sink->buffer - sink->used;
    char shown[HP_MESSAGE_FORMAT_SIZE];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(sink->buffer + sink->used, room,
                         hp_message_format(format, shown), args);
    if (size >= 0 && (size_t)size < room) {
        sink->used += (size_t)size;
    } else {
        print_long(sink, format, again);
    }
    va_end(again);
    va_end(args);
}

// Write text with unsafe characters escaped.  Printable ASCII is copied in whole runs;
// every other character goes through hp_escape().
void hp_sink_escaped(struct hp_sink *sink, struct hp_span text) {
    while (text.size > 0) {
        size_t plain = hp_plain_size(text), written = 0;
        char escaped[HP_ESCAPE_MAX];
        hp_sink_put(sink, text.at, plain);
        text = hp_span_from(text, plain);
        if (text.size > 0) {
            uint32_t size = hp_utf8_first(text).size;
            hp_escape(text.at, size, escaped, sizeof escaped, &written);
            hp_sink_put(sink, escaped, written);
            text = hp_span_from(text, size);
        }
    }
}

int hp_sink_close(struct hp_sink *sink, struct hp_err *err) {
    hp_sink_flush(sink);
    if (sink->error) {
        hp_fail(err, HP_E_OUTPUT,
                HP_MESSAGE("report-not-written", "cannot write the report"));
        err->sys = sink->error;
        return HP_E_OUTPUT;
    }
    if (sink->cause.code != HP_OK) {
        *err = sink->cause;
        return err->code;
    }
    return HP_OK;
}

// --- in memory ----------------------------------------------------------------------------

struct hp_span hp_buffer_span(const struct hp_buffer *buffer) {
    return (struct hp_span){buffer->text.at, buffer->text.count};
}

void hp_buffer_append(struct hp_buffer *buffer, struct hp_span text) {
    hp_vec_append(&buffer->text, text.at, text.size);
}

int hp_buffer_write(void *buffer, const void *bytes, size_t size) {
    hp_buffer_append(buffer, (struct hp_span){bytes, size});
    return 0;
}

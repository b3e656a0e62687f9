// The bytes of one input, decompressed, a window of them at a time.
#ifndef HP_INPUT_INPUT_STREAM_H
#define HP_INPUT_INPUT_STREAM_H

#include "base/err.h"
#include "base/span.h"

#include <time.h>

enum {
    HP_INPUT_STREAM_WINDOW = 256 << 10, // bytes that are read at a time, at least
    HP_INPUT_STREAM_PAD = 32, // NULs after the window, so that wide reads stay inside
};

// Where the bytes come from: a file descriptor, or memory.
struct hp_source {
    int fd;                // -1: memory
    struct hp_span memory; // what is left of it
};

struct hp_unpack;

// {0} is closed.  The buffer is kept from one file to the next.
struct hp_input_stream {
    char *at; // the window
    size_t size;
    char *memory; // that it lies in
    size_t capacity;
    bool at_end; // nothing follows it

    bool waits;        // for somebody to write to a FIFO
    size_t window;     // in place of HP_INPUT_STREAM_WINDOW; 0 for that
    bool ends_at_err;  // damaged compressed data is no failure: the text is what came
    struct hp_err err; // out of it before, and this is what is wrong
    struct hp_source source;
    uint64_t limit;           // of all bytes after decompression; 0 for the default
    uint64_t total;           // bytes in the windows so far
    struct hp_unpack *unpack; // NULL for a plain file
    struct hp_unpack *spare;  // of an earlier one
    uint64_t file_size;       // when it was opened, as is
    struct timespec written;  // the time of the last write to it
};

// Open a file, or standard input for "-", plain, gzip or zstd (any number of members or frames), and read
// a first window.  `limit` holds what it may be after decompression; 0 for no limit on a
// plain file and for the larger of 32 MiB and 200 times what has been read of a compressed one.
// Close it also after a failure.
HP_MUST_CHECK int hp_input_stream_open(struct hp_input_stream *stream, const char *path,
                                       uint64_t limit, struct hp_err *err);

// The same of bytes in memory, which stay the caller's until it is closed.
HP_MUST_CHECK int hp_input_stream_open_bytes(struct hp_input_stream *stream,
                                             struct hp_span bytes, uint64_t limit,
                                             struct hp_err *err);

// Drop the first `done` bytes of the window and read more behind the rest: at least one
// byte, unless that was the end.
HP_MUST_CHECK int hp_input_stream_slide(struct hp_input_stream *stream, size_t done,
                                        struct hp_err *err);

// Read on until all that is left is in the window.
HP_MUST_CHECK int hp_input_stream_read_on(struct hp_input_stream *stream,
                                          struct hp_err *err);

// A place in a stream, for those who ask for so many bytes in a row.
struct hp_input_window {
    struct hp_input_stream *stream;
    size_t used; // bytes of its window
};

// `*got` of `size` bytes, fewer at the end alone; `data` is a struct hp_input_window.
int hp_input_window_read(void *data, void *bytes, size_t size, size_t *got,
                         struct hp_err *err);

// Whether somebody has written to the file since it was opened.
bool hp_input_stream_has_changed(const struct hp_input_stream *stream);

// True if a file that begins so is compressed.
bool hp_input_stream_is_packed(const char *head, size_t size);

void hp_input_stream_close(struct hp_input_stream *stream); // keeps the window
void hp_input_stream_done(struct hp_input_stream *stream);

#endif

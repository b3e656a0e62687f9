// The decompressed bytes of one input, read one window at a time.
#ifndef HP_INPUT_INPUT_STREAM_H
#define HP_INPUT_INPUT_STREAM_H

#include "base/err.h"
#include "base/span.h"

#include <time.h>

enum {
    HP_INPUT_STREAM_WINDOW = 256 << 10, // least number of bytes read at a time
    // NULs after the window, so that wide loads stay inside the buffer.
    HP_INPUT_STREAM_PAD = 32,
};

// Source of the raw bytes: a file descriptor or memory.
struct hp_source {
    int fd;                // -1: read from memory
    struct hp_span memory; // bytes not yet read
};

struct hp_unpack;

// A stream and its window, which is [at, at + size). {0} is closed. The buffer is kept
// from one file to the next.
struct hp_input_stream {
    char *at;        // start of the window, at a page boundary
    size_t size;     // bytes in the window
    char *memory;    // the buffer that contains the window; owned
    size_t capacity; // bytes of `memory`
    bool at_end;     // nothing follows the window

    bool waits;    // whether opening a FIFO waits for a writer
    size_t window; // bytes read at a time; 0: HP_INPUT_STREAM_WINDOW
    // Whether damaged compressed data ends the text instead of failing.
    bool ends_at_err;
    // The error that ended the text, if ends_at_err is set; its code is HP_OK if there is
    // none.
    struct hp_err err;
    struct hp_source source; // source of the raw bytes; its descriptor is closed by close
    // Most bytes after decompression; 0: the default, see hp_input_stream_open().
    uint64_t limit;
    uint64_t total;           // bytes after decompression so far
    struct hp_unpack *unpack; // decompressor; NULL for a plain file
    struct hp_unpack *spare;  // decompressor of an earlier file, kept for reuse
    uint64_t file_size;      // bytes of the file when it was opened, before decompression
    struct timespec written; // time of its last write, as it was when it was opened
};

// Open a file, or standard input for "-", and read the first window. The file is plain,
// gzip or zstd (any number of members or frames). `limit` is the most bytes after
// decompression; 0 means no limit for a plain file, and for a compressed one the larger
// of 32 MiB and 200 times the compressed bytes read so far. Close the stream also after a
// failure.
HP_MUST_CHECK int hp_input_stream_open(struct hp_input_stream *stream, const char *path,
                                       uint64_t limit, struct hp_err *err);

// Read from a descriptor, like hp_input_stream_open(). The caller closes the descriptor:
// call hp_input_stream_leave() first.
HP_MUST_CHECK int hp_input_stream_open_fd(struct hp_input_stream *stream, int fd,
                                          uint64_t limit, struct hp_err *err);
// Stop using the descriptor of hp_input_stream_open_fd().
void hp_input_stream_leave(struct hp_input_stream *stream);

// Open a file that is in memory, like hp_input_stream_open(). The bytes stay the caller's
// and must remain valid until the stream is closed.
HP_MUST_CHECK int hp_input_stream_open_bytes(struct hp_input_stream *stream,
                                             struct hp_span bytes, uint64_t limit,
                                             struct hp_err *err);

// Drop the first `done` bytes of the window and read more after the rest: at least one
// byte, unless the stream is at its end. Moves the window, so that pointers into it
// become invalid.
HP_MUST_CHECK int hp_input_stream_slide(struct hp_input_stream *stream, size_t done,
                                        struct hp_err *err);

// Read on until the whole rest of the stream is in the window.
HP_MUST_CHECK int hp_input_stream_read_on(struct hp_input_stream *stream,
                                          struct hp_err *err);

// A position in a stream, for callers that read a given number of bytes at a time.
struct hp_input_window {
    struct hp_input_stream *stream;
    size_t used; // bytes of the window that have been read
};

// Read `size` bytes; *got is less only at the end. `data` is a struct hp_input_window.
// Fails on damaged compressed data also if ends_at_err is set.
int hp_input_window_read(void *data, void *bytes, size_t size, size_t *got,
                         struct hp_err *err);

// Whether the size or write time of the file has changed since it was opened. False for
// anything that is not a regular file.
bool hp_input_stream_has_changed(const struct hp_input_stream *stream);

// Whether a file that begins with the `size` bytes at `head` is compressed (gzip or
// zstd).
bool hp_input_stream_is_packed(const char *head, size_t size);

// Close the file, but keep the window and the memory for the next one. Closing twice is
// harmless.
void hp_input_stream_close(struct hp_input_stream *stream);
// Close the stream and free all of its memory.
void hp_input_stream_done(struct hp_input_stream *stream);

#endif

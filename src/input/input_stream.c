// A stream reads from its source, a file descriptor or memory, through a decompressor if
// the data is compressed, into its window.
#include "input/input_stream.h"

#include "base/memory.h"
#include "input/codec.h"
#include "input/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BOMB_RATIO = 200, // times the compressed size that a text may have
};

// Bytes of text that are allowed for any compressed size.
static const uint64_t smallest_bomb = 32 << 20;

// Read `size` bytes from a descriptor, fewer only at the end. Returns their number, or -1
// with errno set.
static ssize_t read_file(int fd, void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, (char *)buffer + done, size - done);
        if (got == 0) {
            break;
        }
        // A descriptor from another process may be non-blocking: wait.
        if (got < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        } else if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

// Read `size` bytes from a source, fewer only at the end. Returns their number, or -1
// with errno set.
static ssize_t read_source(struct hp_source *source, void *buffer, size_t size) {
    if (source->fd >= 0) {
        return read_file(source->fd, buffer, size);
    }
    size = size < source->memory.size ? size : source->memory.size;
    if (size > 0) { // memcpy() must not get NULL, which an empty span may be
        memcpy(buffer, source->memory.at, size);
        source->memory = hp_span_from(source->memory, size);
    }
    return (ssize_t)size;
}

// --- compressed data -------------------------------------------------------------------

// A decompressor and its input buffer. The data is a sequence of compressed streams (gzip
// members or zstd frames) without anything between them.
struct hp_unpack {
    const struct hp_codec *codec; // kind of the compressed data
    void *state;                  // of the codec; owned
    struct hp_source *source;     // source of the compressed bytes: that of the stream
    uint64_t consumed;            // compressed bytes read from the source
    struct hp_packed in;          // the part of `bytes` not yet decompressed
    bool between;                 // between two compressed streams, or after the last
    unsigned char bytes[HP_INPUT_STREAM_WINDOW]; // compressed bytes from the source
};

// Returns the codec for data that begins with `head`, or NULL.
static const struct hp_codec *codec_of(const char *head, size_t size) {
    static const struct hp_codec *const codecs[] = {&hp_gzip_codec, &hp_zstd_codec};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (codecs[i]->is(head, size)) {
            return codecs[i];
        }
    }
    return NULL;
}

bool hp_input_stream_is_packed(const char *head, size_t size) {
    return codec_of(head, size) != NULL;
}

// Free a decompressor, which may be NULL.
static void free_unpack(struct hp_unpack *unpack) {
    if (unpack) {
        unpack->codec->stop(unpack->state);
        free(unpack);
    }
}

// Returns a decompressor for `codec`: the one of an earlier file if it has the same
// codec, else a new one. Takes ownership of `earlier`, which may be NULL.
static struct hp_unpack *unpack_by(const struct hp_codec *codec,
                                   struct hp_unpack *earlier) {
    if (earlier && earlier->codec == codec) {
        codec->again(earlier->state);
        return earlier;
    }
    free_unpack(earlier);
    struct hp_unpack *unpack = hp_alloc(sizeof *unpack);
    unpack->codec = codec;
    unpack->state = codec->start();
    return unpack;
}

// Start decompression. The window has the first bytes of the file, at most
// HP_INPUT_STREAM_WINDOW of them; they become the decompressor's input.
static void begin_unpacking(struct hp_input_stream *stream,
                            const struct hp_codec *codec) {
    struct hp_unpack *unpack = stream->unpack = unpack_by(codec, stream->spare);
    stream->spare = NULL;
    unpack->source = &stream->source;
    unpack->consumed = stream->size;
    unpack->between = false;
    memcpy(unpack->bytes, stream->at, stream->size);
    unpack->in = (struct hp_packed){unpack->bytes, stream->size, stream->at_end};
}

// Returns the number of compressed bytes decompressed so far.
static uint64_t consumed(const struct hp_unpack *unpack) {
    return unpack->consumed - unpack->in.size;
}

// Read more compressed bytes from the source if all of the earlier ones were
// decompressed.
static int refill(struct hp_unpack *unpack, struct hp_err *err) {
    if (unpack->in.size > 0 || unpack->in.is_last) {
        return HP_OK;
    }
    ssize_t got = read_source(unpack->source, unpack->bytes, sizeof unpack->bytes);
    if (got < 0) {
        return hp_fail_errno(err, HP_MESSAGE("packed-input-not-read", "cannot read"));
    }
    unpack->in = (struct hp_packed){unpack->bytes, (size_t)got,
                                    (size_t)got < sizeof unpack->bytes};
    unpack->consumed += (uint64_t)got;
    return HP_OK;
}

// Decompress `room` bytes to `out`, fewer only at the end. *got is their number, also
// after a failure.
static int unpack_some(struct hp_unpack *unpack, char *out, size_t room, size_t *got,
                       struct hp_err *err) {
    struct hp_unpacked left = {out, room};
    int ret = HP_OK;
    while (ret == HP_OK && left.room > 0) {
        ret = refill(unpack, err);
        if (ret != HP_OK || (unpack->between && unpack->in.size == 0)) {
            break;
        }
        ret =
            unpack->codec->read(unpack->state, &unpack->in, &left, &unpack->between, err);
    }
    *got = room - left.room;
    return ret;
}

// --- windows ---------------------------------------------------------------------------

// Returns the most bytes of text that are allowed, as described at
// hp_input_stream_open(). The default grows with the compressed bytes consumed.
static uint64_t limit_of(const struct hp_input_stream *stream) {
    if (stream->limit || !stream->unpack) {
        return stream->limit ? stream->limit : UINT64_MAX;
    }
    uint64_t bomb = consumed(stream->unpack) * BOMB_RATIO;
    return bomb < smallest_bomb ? smallest_bomb : bomb;
}

// Returns the number of bytes of text to read at a time.
static size_t window_of(const struct hp_input_stream *stream) {
    return stream->window ? stream->window : HP_INPUT_STREAM_WINDOW;
}

// Whether the text is to end here because of the error in `err`: if the stream has
// ends_at_err and the error is damage of compressed data. If so, moves the error to
// stream->err. An error of reading ends no text: more data may follow.
static bool ends_at(struct hp_input_stream *stream, struct hp_err *err) {
    if (!stream->ends_at_err || err->code != HP_E_FORMAT) {
        return false;
    }
    stream->err = *err;
    *err = (struct hp_err){0};
    return true;
}

// Make room for `size` bytes in a window that begins at a page boundary. malloc() puts
// large blocks 16 bytes after one, from where AMD's processors copy at a quarter of the
// speed, which for small files is half of the total time.
static void reserve(struct hp_input_stream *stream, size_t size) {
    enum {
        PAGE = 4096
    };

    if (size + PAGE > stream->capacity) {
        size_t before = stream->memory ? (size_t)(stream->at - stream->memory) : 0;
        stream->memory = hp_grow(stream->memory, &stream->capacity, size + PAGE, 1);
        size_t now = -(uintptr_t)stream->memory & (PAGE - 1);
        stream->at = stream->memory + now;
        if (now != before) {
            memmove(stream->at, stream->memory + before, stream->size);
        }
    }
}

// Read `room` bytes after the window, fewer at the end. It never reads more, even if an
// earlier file has left more room, as that would change at which size a file fails its
// limit.
static int fill(struct hp_input_stream *stream, size_t room, struct hp_err *err) {
    reserve(stream, stream->size + room + HP_INPUT_STREAM_PAD);
    char *out = stream->at + stream->size;
    size_t got = 0;
    if (stream->unpack) {
        int ret = unpack_some(stream->unpack, out, room, &got, err);
        if (ret != HP_OK && !ends_at(stream, err)) {
            return ret;
        }
    } else {
        ssize_t read = read_source(&stream->source, out, room);
        if (read < 0) {
            return hp_fail_errno(err, HP_MESSAGE("input-not-read", "cannot read"));
        }
        got = (size_t)read;
    }
    stream->size += got;
    stream->total += got;
    stream->at_end = got < room || stream->err.code != HP_OK;
    memset(stream->at + stream->size, 0, HP_INPUT_STREAM_PAD);
    if (stream->total > limit_of(stream)) {
        return hp_fail(
            err, HP_E_LIMIT,
            HP_MESSAGE(
                "input-too-large",
                "more than %llu bytes after decompression: --max-input-size=SIZE allows "
                "more"),
            (unsigned long long)limit_of(stream));
    }
    return HP_OK;
}

int hp_input_stream_slide(struct hp_input_stream *stream, size_t done,
                          struct hp_err *err) {
    if (stream->at_end) {
        done = done < stream->size ? done : stream->size;
    }
    stream->size -= done;
    memmove(stream->at, stream->at + done, stream->size);
    if (stream->at_end) {
        memset(stream->at + stream->size, 0, HP_INPUT_STREAM_PAD);
        return HP_OK;
    }
    // The window doubles each time that nothing could be dropped.
    size_t window = window_of(stream);
    return fill(stream, stream->size > window ? stream->size : window, err);
}

int hp_input_stream_read_on(struct hp_input_stream *stream, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && !stream->at_end) {
        ret = hp_input_stream_slide(stream, 0, err);
    }
    return ret;
}

// --- opening ---------------------------------------------------------------------------

// If the window has compressed data, replace it by a window of the decompressed text.
static int open_packed(struct hp_input_stream *stream, struct hp_err *err) {
    const struct hp_codec *codec = codec_of(stream->at, stream->size);
    if (!codec) {
        return HP_OK;
    }
    begin_unpacking(stream, codec);
    stream->size = stream->total = 0;
    stream->at_end = false;
    return hp_input_stream_slide(stream, 0, err);
}

// Get size and write time of the source. Returns false if it is not a regular file.
static bool get_file_status(const struct hp_input_stream *stream, uint64_t *size,
                            struct timespec *written) {
    struct stat status;
    if (stream->source.fd < 0 || fstat(stream->source.fd, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
        return false;
    }
    *size = (uint64_t)status.st_size;
    *written = status.st_mtim;
    return true;
}

int hp_input_window_read(void *data, void *bytes, size_t size, size_t *got,
                         struct hp_err *err) {
    struct hp_input_window *window = data;
    struct hp_input_stream *stream = window->stream;
    int ret = HP_OK;
    *got = 0;
    while (ret == HP_OK && *got < size) {
        size_t left = stream->size - window->used, wanted = size - *got;
        size_t part = left < wanted ? left : wanted;
        memcpy((char *)bytes + *got, stream->at + window->used, part);
        window->used += part;
        *got += part;
        if (*got < size && stream->at_end) {
            break;
        }
        if (*got < size) {
            ret = hp_input_stream_slide(stream, window->used, err);
            window->used = 0;
        }
    }
    // The text was ended by damaged compressed data: here this is a failure.
    if (ret == HP_OK && stream->err.code != HP_OK) {
        *err = stream->err;
        ret = err->code;
    }
    return ret;
}

bool hp_input_stream_has_changed(const struct hp_input_stream *stream) {
    uint64_t size;
    struct timespec written;
    return get_file_status(stream, &size, &written) &&
           (size != stream->file_size || written.tv_sec != stream->written.tv_sec ||
            written.tv_nsec != stream->written.tv_nsec);
}

// Reset the stream for a new source, and read the first window.
static int open_source(struct hp_input_stream *stream, struct hp_source source,
                       uint64_t limit, struct hp_err *err) {
    stream->source = source;
    stream->limit = limit;
    stream->size = stream->total = 0;
    stream->at_end = false;
    stream->err.code = HP_OK;
    get_file_status(stream, &stream->file_size, &stream->written);
    // The first window must fit into the input buffer of a decompressor.
    size_t window = window_of(stream);
    int ret =
        fill(stream, window < HP_INPUT_STREAM_WINDOW ? window : HP_INPUT_STREAM_WINDOW,
             err);
    return ret == HP_OK ? open_packed(stream, err) : ret;
}

int hp_input_stream_open(struct hp_input_stream *stream, const char *path, uint64_t limit,
                         struct hp_err *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : hp_input_file_open(path, stream->waits, err);
    stream->source = (struct hp_source){.fd = fd};
    return fd >= 0 ? open_source(stream, stream->source, limit, err) : (int)err->code;
}

int hp_input_stream_open_fd(struct hp_input_stream *stream, int fd, uint64_t limit,
                            struct hp_err *err) {
    return open_source(stream, (struct hp_source){.fd = fd}, limit, err);
}

void hp_input_stream_leave(struct hp_input_stream *stream) {
    stream->source.fd = -1;
}

int hp_input_stream_open_bytes(struct hp_input_stream *stream, struct hp_span bytes,
                               uint64_t limit, struct hp_err *err) {
    return open_source(stream, (struct hp_source){-1, bytes}, limit, err);
}

void hp_input_stream_close(struct hp_input_stream *stream) {
    if (stream->unpack) {
        stream->spare = stream->unpack;
        stream->unpack = NULL;
    }
    if (stream->source.fd > STDIN_FILENO) {
        hp_input_file_close(stream->source.fd);
    }
    stream->source.fd = -1;
}

void hp_input_stream_done(struct hp_input_stream *stream) {
    hp_input_stream_close(stream);
    free_unpack(stream->spare);
    free(stream->memory);
    *stream = (struct hp_input_stream){0};
}

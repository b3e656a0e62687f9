#include "input/input_stream.h"

#include "base/memory.h"
#include "input/unpack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WINDOW = HP_UNPACK_HEAD,
    BOMB_RATIO = 200,
};

static const uint64_t smallest_bomb = 32 << 20;

static uint64_t limit_of(const struct hp_input_stream *stream) {
    if (stream->limit || !stream->unpack) {
        return stream->limit ? stream->limit : UINT64_MAX;
    }
    uint64_t bomb = hp_unpack_consumed(stream->unpack) * BOMB_RATIO;
    return bomb < smallest_bomb ? smallest_bomb : bomb;
}

static size_t window_of(const struct hp_input_stream *stream) {
    return stream->window ? stream->window : WINDOW;
}

// Whether the text ends where the data it came out of is damaged.  What cannot be read may be
// more than the end.
static bool ends_at(struct hp_input_stream *stream, struct hp_err *err) {
    if (!stream->ends_at_fault || err->code != HP_E_FORMAT) {
        return false;
    }
    stream->fault = *err;
    *err = (struct hp_err){0};
    return true;
}

// Read so many bytes behind the window, less at the end.  No more than that, whatever room
// earlier files have left: it would move the limits of this one.
static int fill(struct hp_input_stream *stream, size_t room, struct hp_err *err) {
    stream->at = hp_grow(stream->at, &stream->capacity,
                         stream->size + room + HP_INPUT_STREAM_PAD, 1);
    char *out = stream->at + stream->size;
    size_t got = 0;
    if (stream->unpack) {
        int ret = hp_unpack_read(stream->unpack, out, room, &got, err);
        if (ret != HP_OK && !ends_at(stream, err)) {
            return ret;
        }
    } else {
        ssize_t read = hp_source_read(&stream->source, out, room);
        if (read < 0) {
            return hp_fail_errno(err, "cannot read");
        }
        got = (size_t)read;
    }
    stream->size += got;
    stream->total += got;
    stream->at_end = got < room || stream->fault.code != HP_OK;
    memset(stream->at + stream->size, 0, HP_INPUT_STREAM_PAD);
    if (stream->total > limit_of(stream)) {
        return hp_fail(err, HP_E_LIMIT,
                       "more than %llu bytes after decompression: "
                       "--max-input-size=SIZE allows more",
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
    // Twice as much each time that nothing could be dropped.
    size_t window = window_of(stream);
    return fill(stream, stream->size > window ? stream->size : window, err);
}

// If the window is of compressed data, put a window of what is in it in its place.
static int open_packed(struct hp_input_stream *stream, struct hp_err *err) {
    stream->unpack =
        hp_unpack_new(&stream->source, stream->at, stream->size, stream->at_end);
    if (!stream->unpack) {
        return HP_OK;
    }
    stream->size = stream->total = 0;
    stream->at_end = false;
    return hp_input_stream_slide(stream, 0, err);
}

static bool look_at(const struct hp_input_stream *stream, uint64_t *size,
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

bool hp_input_stream_has_changed(const struct hp_input_stream *stream) {
    uint64_t size;
    struct timespec written;
    return look_at(stream, &size, &written) &&
           (size != stream->file_size || written.tv_sec != stream->written.tv_sec ||
            written.tv_nsec != stream->written.tv_nsec);
}

static int open_source(struct hp_input_stream *stream, struct hp_source source,
                       uint64_t limit, struct hp_err *err) {
    stream->source = source;
    stream->limit = limit;
    stream->size = stream->total = 0;
    stream->at_end = false;
    stream->fault.code = HP_OK;
    look_at(stream, &stream->file_size, &stream->written);
    // The first window is no larger than what hp_unpack_new() can take over.
    size_t window = window_of(stream);
    int ret = fill(stream, window < HP_UNPACK_HEAD ? window : HP_UNPACK_HEAD, err);
    return ret == HP_OK ? open_packed(stream, err) : ret;
}

int hp_input_stream_open(struct hp_input_stream *stream, const char *path, uint64_t limit,
                         struct hp_err *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    stream->source = (struct hp_source){.fd = fd};
    return fd >= 0 ? open_source(stream, stream->source, limit, err)
                   : hp_fail_errno(err, "cannot open");
}

int hp_input_stream_open_bytes(struct hp_input_stream *stream, struct hp_span bytes,
                               uint64_t limit, struct hp_err *err) {
    return open_source(stream, (struct hp_source){-1, bytes}, limit, err);
}

void hp_input_stream_close(struct hp_input_stream *stream) {
    hp_unpack_free(stream->unpack);
    stream->unpack = NULL;
    if (stream->source.fd > STDIN_FILENO) {
        close(stream->source.fd);
    }
    stream->source.fd = -1;
}

void hp_input_stream_done(struct hp_input_stream *stream) {
    hp_input_stream_close(stream);
    free(stream->at);
    *stream = (struct hp_input_stream){0};
}

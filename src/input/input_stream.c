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

static uint64_t limit_of(const struct hp_text *text) {
    if (text->limit || !text->unpack) {
        return text->limit ? text->limit : UINT64_MAX;
    }
    uint64_t bomb = hp_unpack_consumed(text->unpack) * BOMB_RATIO;
    return bomb < smallest_bomb ? smallest_bomb : bomb;
}

static size_t window_of(const struct hp_text *text) {
    return text->window ? text->window : WINDOW;
}

// Whether the text ends where the data it came out of is damaged.  What cannot be read may be
// more than the end.
static bool ends_at(struct hp_text *text, struct hp_err *err) {
    if (!text->ends_at_fault || err->code != HP_E_FORMAT) {
        return false;
    }
    text->fault = *err;
    *err = (struct hp_err){0};
    return true;
}

// Read so many bytes behind the window, less at the end.  No more than that, whatever room
// earlier files have left: it would move the limits of this one.
static int fill(struct hp_text *text, size_t room, struct hp_err *err) {
    text->at = hp_grow(text->at, &text->capacity, text->size + room + HP_TEXT_PAD, 1);
    char *out = text->at + text->size;
    size_t got = 0;
    if (text->unpack) {
        int ret = hp_unpack_read(text->unpack, out, room, &got, err);
        if (ret != HP_OK && !ends_at(text, err)) {
            return ret;
        }
    } else {
        ssize_t read = hp_source_read(&text->source, out, room);
        if (read < 0) {
            return hp_fail_errno(err, "cannot read");
        }
        got = (size_t)read;
    }
    text->size += got;
    text->total += got;
    text->at_end = got < room || text->fault.code != HP_OK;
    memset(text->at + text->size, 0, HP_TEXT_PAD);
    if (text->total > limit_of(text)) {
        return hp_fail(err, HP_E_LIMIT,
                       "more than %llu bytes after decompression: "
                       "--max-input-size=SIZE allows more",
                       (unsigned long long)limit_of(text));
    }
    return HP_OK;
}

int hp_text_slide(struct hp_text *text, size_t done, struct hp_err *err) {
    if (text->at_end) {
        done = done < text->size ? done : text->size;
    }
    text->size -= done;
    memmove(text->at, text->at + done, text->size);
    if (text->at_end) {
        memset(text->at + text->size, 0, HP_TEXT_PAD);
        return HP_OK;
    }
    // Twice as much each time that nothing could be dropped.
    size_t window = window_of(text);
    return fill(text, text->size > window ? text->size : window, err);
}

// If the window is of compressed data, put a window of what is in it in its place.
static int open_packed(struct hp_text *text, struct hp_err *err) {
    text->unpack = hp_unpack_new(&text->source, text->at, text->size, text->at_end);
    if (!text->unpack) {
        return HP_OK;
    }
    text->size = text->total = 0;
    text->at_end = false;
    return hp_text_slide(text, 0, err);
}

static bool look_at(const struct hp_text *text, uint64_t *size,
                    struct timespec *written) {
    struct stat status;
    if (text->source.fd < 0 || fstat(text->source.fd, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
        return false;
    }
    *size = (uint64_t)status.st_size;
    *written = status.st_mtim;
    return true;
}

bool hp_text_has_changed(const struct hp_text *text) {
    uint64_t size;
    struct timespec written;
    return look_at(text, &size, &written) &&
           (size != text->file_size || written.tv_sec != text->written.tv_sec ||
            written.tv_nsec != text->written.tv_nsec);
}

static int open_source(struct hp_text *text, struct hp_source source, uint64_t limit,
                       struct hp_err *err) {
    text->source = source;
    text->limit = limit;
    text->size = text->total = 0;
    text->at_end = false;
    text->fault.code = HP_OK;
    look_at(text, &text->file_size, &text->written);
    // The first window is no larger than what hp_unpack_new() can take over.
    size_t window = window_of(text);
    int ret = fill(text, window < HP_UNPACK_HEAD ? window : HP_UNPACK_HEAD, err);
    return ret == HP_OK ? open_packed(text, err) : ret;
}

int hp_text_open(struct hp_text *text, const char *path, uint64_t limit,
                 struct hp_err *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    text->source = (struct hp_source){.fd = fd};
    return fd >= 0 ? open_source(text, text->source, limit, err)
                   : hp_fail_errno(err, "cannot open");
}

int hp_text_open_bytes(struct hp_text *text, struct hp_span bytes, uint64_t limit,
                       struct hp_err *err) {
    return open_source(text, (struct hp_source){-1, bytes}, limit, err);
}

void hp_text_close(struct hp_text *text) {
    hp_unpack_free(text->unpack);
    text->unpack = NULL;
    if (text->source.fd > STDIN_FILENO) {
        close(text->source.fd);
    }
    text->source.fd = -1;
}

void hp_text_done(struct hp_text *text) {
    hp_text_close(text);
    free(text->at);
    *text = (struct hp_text){0};
}

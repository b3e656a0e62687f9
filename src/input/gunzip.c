// RFC 1952: members follow one another (section 2.2).
#include "base/memory.h"
#include "input/codec.h"

#define ZLIB_CONST // it only reads its input
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_AT_ONCE = 1 << 30, // which zlib can count
};

static bool is_gzip(const char *head, size_t size) {
    return size >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

static void *start(void) {
    z_stream *stream = hp_alloc(sizeof *stream);
    if (inflateInit2(stream, 15 + 16) != Z_OK) {
        hp_out_of_memory(sizeof *stream);
    }
    return stream;
}

static void stop(void *state) {
    inflateEnd(state);
    free(state);
}

static uInt at_once(size_t size) {
    return size < MOST_AT_ONCE ? (uInt)size : MOST_AT_ONCE;
}

// Behind a member there may be zeros that fill up a block of a tape or of a disk.
static void skip_zeros(struct hp_packed *in) {
    while (in->size > 0 && *in->at == 0) {
        in->at++;
        in->size--;
    }
}

static int inflate_some(z_stream *stream, struct hp_packed *in, struct hp_unpacked *out) {
    uInt offered = at_once(in->size), room = at_once(out->room);

    stream->next_in = in->at;
    stream->avail_in = offered;
    stream->next_out = (unsigned char *)out->at;
    stream->avail_out = room;
    int status = inflate(stream, Z_NO_FLUSH);
    in->at += offered - stream->avail_in;
    in->size -= offered - stream->avail_in;
    out->at += room - stream->avail_out;
    out->room -= room - stream->avail_out;
    return status;
}

static int read_some(void *state, struct hp_packed *in, struct hp_unpacked *out,
                     bool *between, struct hp_err *err) {
    z_stream *stream = state;
    if (*between) {
        skip_zeros(in);
        *between = in->size == 0;
        if (*between) {
            return HP_OK;
        }
    }
    int status = inflate_some(stream, in, out);
    if (status == Z_STREAM_END) {
        *between = true;
        inflateReset(stream);
    } else if (status == Z_MEM_ERROR) {
        hp_out_of_memory(0);
    } else if (status != Z_OK) {
        const char *why = stream->msg;
        return hp_fail(err, HP_E_FORMAT, "damaged gzip data: %s",
                       why ? why : "it ends too early");
    }
    return HP_OK;
}

const struct hp_codec hp_gzip_codec = {
    .is = is_gzip,
    .start = start,
    .stop = stop,
    .read = read_some,
};

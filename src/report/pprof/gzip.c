// RFC 1952: MTIME 0 is no time, OS 255 is unknown.
#include "report/pprof/gzip.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP_WINDOW = 15 + 16,
    MEMORY_LEVEL = 8,
    UNKNOWN_OS = 255,
    PIECE = 1 << 30, // avail_in has 32 bits
};

struct hp_gzip {
    z_stream stream;
    gz_header header;
    struct hp_sink *out;
    unsigned char buffer[16384];
};

struct hp_gzip *hp_gzip_new(struct hp_sink *out) {
    struct hp_gzip *gzip = hp_alloc(sizeof *gzip);
    gzip->out = out;
    gzip->header.os = UNKNOWN_OS;
    if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        hp_out_of_memory(sizeof gzip->stream);
    }
    deflateSetHeader(&gzip->stream, &gzip->header);
    return gzip;
}

static void compress_input(struct hp_gzip *gzip, int flush) {
    do {
        gzip->stream.next_out = gzip->buffer;
        gzip->stream.avail_out = sizeof gzip->buffer;
        deflate(&gzip->stream, flush); // cannot fail: there is room
        hp_sink_put(gzip->out, gzip->buffer,
                    sizeof gzip->buffer - gzip->stream.avail_out);
    } while (gzip->stream.avail_out == 0);
}

int hp_gzip_write(void *data, const void *bytes, size_t size) {
    struct hp_gzip *gzip = data;
    const unsigned char *at = bytes;
    while (size > 0 && !gzip->out->error) {
        size_t piece = size < PIECE ? size : PIECE;
        gzip->stream.next_in = (z_const Bytef *)(uintptr_t)at;
        gzip->stream.avail_in = (uInt)piece;
        compress_input(gzip, Z_NO_FLUSH);
        at += piece;
        size -= piece;
    }
    errno = gzip->out->error;
    return gzip->out->error ? -1 : 0;
}

void hp_gzip_finish(struct hp_gzip *gzip, struct hp_sink *plain) {
    struct hp_err err;
    if (hp_sink_close(plain, &err) == HP_OK) {
        compress_input(gzip, Z_FINISH);
    } else if (!gzip->out->error) {
        gzip->out->error = err.sys;
    }
    deflateEnd(&gzip->stream);
    free(gzip);
}

// RFC 1952.  In its header MTIME 0 means that no time is known, and OS 255 that the
// system is unknown.
//
// libdeflate takes half of the time of zlib for the same size, but needs the whole input
// at once, so that long input goes through zlib in pieces.  Both run at level 4: its
// output is 3 % larger than that of level 6, but it takes only 70 % of the time.
#include "report/pprof/gzip.h"

#include "base/vec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#ifdef HP_WITH_LIBDEFLATE
#    include <libdeflate.h>

// Whether there is a compressor (libdeflate) that takes the whole input at once.
static const bool packs_at_once = true;
#else
static const bool packs_at_once = false;
#endif

enum {
    // The windowBits of zlib: 15 for the largest window, 16 more for a gzip header.
    GZIP_WINDOW = 15 + 16,
    LEVEL = 4,
    MEMORY_LEVEL = 8,
    UNKNOWN_OS = 255,
    PIECE = 1 << 30, // bytes given to zlib in one piece, because avail_in has 32 bits
};

// A compressor holds its input until there is too much of it; then it streams.
struct hp_gzip {
    z_stream stream;
    gz_header header;
    struct hp_sink *out;
    // Whether input goes through zlib as it arrives.
    bool is_streaming;
    HP_VEC(unsigned char) held; // the input so far; empty once zlib streams
    size_t most_held;           // bytes to hold at most; 0: stream from the beginning
    unsigned char buffer[16384];
};

struct hp_gzip *hp_gzip_new(struct hp_sink *out, size_t most_held) {
    struct hp_gzip *gzip = hp_alloc(sizeof *gzip);
    gzip->out = out;
    gzip->most_held = packs_at_once ? most_held : 0;
    return gzip;
}

// Start zlib and set is_streaming.
static void begin_stream(struct hp_gzip *gzip) {
    gzip->is_streaming = true;
    gzip->header.os = UNKNOWN_OS;
    if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        hp_out_of_memory(sizeof gzip->stream);
    }
    deflateSetHeader(&gzip->stream, &gzip->header);
}

// Compress all input that zlib has been given; with Z_FINISH also end the stream.
static void compress_input(struct hp_gzip *gzip, int flush) {
    do {
        gzip->stream.next_out = gzip->buffer;
        gzip->stream.avail_out = sizeof gzip->buffer;
        deflate(&gzip->stream, flush); // cannot fail: there is room for output
        hp_sink_put(gzip->out, gzip->buffer,
                    sizeof gzip->buffer - gzip->stream.avail_out);
    } while (gzip->stream.avail_out == 0);
}

// Compress bytes through zlib and write its output to gzip->out.
static void stream(struct hp_gzip *gzip, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0 && !gzip->out->error) {
        size_t piece = size < PIECE ? size : PIECE;
        gzip->stream.next_in = (z_const Bytef *)(uintptr_t)at;
        gzip->stream.avail_in = (uInt)piece;
        compress_input(gzip, Z_NO_FLUSH);
        at += piece;
        size -= piece;
    }
}

// Switch to streaming: compress the input held so far through zlib.
static void stream_held(struct hp_gzip *gzip) {
    begin_stream(gzip);
    stream(gzip, gzip->held.at, gzip->held.count);
    hp_vec_done(&gzip->held);
}

// Keep more input in gzip->held.  The room is doubled, but not beyond the limit: each
// time it moves, the heap keeps a hole as large as the old room.
static void hold(struct hp_gzip *gzip, const unsigned char *bytes, size_t size) {
    size_t most = gzip->most_held - gzip->held.count, wanted = gzip->held.count + size;
    if (size > gzip->held.capacity - gzip->held.count) {
        hp_vec_reserve(&gzip->held, wanted < most ? wanted : most);
    }
    hp_vec_append(&gzip->held, bytes, size);
}

int hp_gzip_write(void *data, const void *bytes, size_t size) {
    struct hp_gzip *gzip = data;
    if (!gzip->is_streaming && size > gzip->most_held - gzip->held.count) {
        stream_held(gzip);
    }
    if (gzip->is_streaming) {
        stream(gzip, bytes, size);
    } else {
        hold(gzip, bytes, size);
    }
    errno = gzip->out->error;
    return gzip->out->error ? -1 : 0;
}

#ifdef HP_WITH_LIBDEFLATE
// Compress the held input at once.  It does not fall back to zlib when out of memory,
// because the output would differ.
static void put_held(struct hp_gzip *gzip) {
    struct libdeflate_compressor *whole = libdeflate_alloc_compressor(LEVEL);
    if (!whole) {
        hp_out_of_memory(sizeof gzip->stream);
    }
    size_t room = libdeflate_gzip_compress_bound(whole, gzip->held.count);
    unsigned char *packed = hp_alloc(room);
    size_t size =
        libdeflate_gzip_compress(whole, gzip->held.at, gzip->held.count, packed, room);
    hp_sink_put(gzip->out, packed, size);
    free(packed);
    libdeflate_free_compressor(whole);
    hp_vec_done(&gzip->held);
}
#else
// Compress the held input through zlib.
static void put_held(struct hp_gzip *gzip) {
    stream_held(gzip);
    compress_input(gzip, Z_FINISH);
}
#endif

// Compress the input that is left and end the gzip stream.
static void end(struct hp_gzip *gzip) {
    if (gzip->is_streaming) {
        compress_input(gzip, Z_FINISH);
    } else {
        put_held(gzip);
    }
}

void hp_gzip_finish(struct hp_gzip *gzip, struct hp_sink *plain) {
    struct hp_err err;
    if (hp_sink_close(plain, &err) == HP_OK) {
        end(gzip);
    } else if (!gzip->out->error) {
        gzip->out->error = err.sys;
    }
    if (gzip->is_streaming) {
        deflateEnd(&gzip->stream);
    }
    hp_vec_done(&gzip->held);
    free(gzip);
}

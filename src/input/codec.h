// Interface of a decompressor, one for each kind of compressed data. Only input_stream.c
// uses it.
#ifndef HP_INPUT_CODEC_H
#define HP_INPUT_CODEC_H

#include "base/err.h"

// Compressed input [at, at + size). Nothing follows it if is_last is set.
struct hp_packed {
    const unsigned char *at;
    size_t size;
    bool is_last;
};

// Room for decompressed output, [at, at + room).
struct hp_unpacked {
    char *at;
    size_t room;
};

// The functions of one decompressor. `state` is what start() returned.
struct hp_codec {
    // Whether data that begins with the bytes `head` can be decompressed by this codec.
    bool (*is)(const char *head, size_t size);
    // Allocate the state for one file.
    void *(*start)(void);
    // Prepare the state for another file, keeping its memory.
    void (*again)(void *state);
    // Free the state.
    void (*stop)(void *state);
    // Decompress some bytes, and advance `in` and `out` past the bytes consumed and
    // produced. Stops when all of `in` is consumed, `out` is full, or one of the streams
    // that make up the data ends. *between is set to whether a stream has ended and no
    // other has begun.
    HP_MUST_CHECK int (*read)(void *state, struct hp_packed *in, struct hp_unpacked *out,
                              bool *between, struct hp_err *err);
};

// The decompressors of gzip and zstd. hp_zstd_codec recognizes its data also in a build
// without zstd, and then refuses to read it.
extern const struct hp_codec hp_gzip_codec, hp_zstd_codec;

#endif

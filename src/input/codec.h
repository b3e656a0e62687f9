// One kind of compressed data.  Only input_stream.c uses it.
#ifndef HP_INPUT_CODEC_H
#define HP_INPUT_CODEC_H

#include "base/err.h"

// What is to be decompressed: [at, at + size), and no more if it is the last.
struct hp_packed {
    const unsigned char *at;
    size_t size;
    bool is_last;
};

// Where it goes: [at, at + room).
struct hp_unpacked {
    char *at;
    size_t room;
};

struct hp_codec {
    bool (*is)(const char *head, size_t size); // whether such data begins so
    void *(*start)(void);
    void (*again)(void *state); // for other data, with the memory that it has
    void (*stop)(void *state);
    // Decompress some, and step over what was taken and what was made: all of `in` or all of
    // `out`, or up to the end of one of the streams that make up the data.  *between tells
    // that a stream has ended and no other has begun.
    HP_MUST_CHECK int (*read)(void *state, struct hp_packed *in, struct hp_unpacked *out,
                              bool *between, struct hp_err *err);
};

extern const struct hp_codec hp_gzip_codec, hp_zstd_codec;

#endif

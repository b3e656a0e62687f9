// Decompression of gzip data (RFC 1952), in which members may follow one another (section
// 2.2).
//
// A short file of one member that is completely in the input window is given to
// libdeflate, which needs half the time of zlib but produces the whole text at once. That
// is no gain for longer texts, for which memory would have to be touched for the first
// time. If libdeflate fails for any reason, zlib starts again from the beginning: all
// error messages, and the text before damage, are zlib's.
#include "base/vec.h"
#include "input/codec.h"

#define ZLIB_CONST // declares zlib's input pointers const, as zlib only reads from them
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HP_WITH_LIBDEFLATE
#    include <libdeflate.h>
#endif

enum {
    SHORT = 4 << 20, // most bytes of text that libdeflate is used for
    // Bytes of a member at least; the last four are the size of its text, modulo 2^32.
    SHORTEST = 18,
    FLAGS = 3,              // offset of the flags in a member's header
    HAS_NAME = 8,           // flag: a file name follows the header
    MOST_AT_ONCE = 1 << 30, // bytes that zlib's unsigned int can count
};

static bool is_gzip(const char *head, size_t size) {
    return size >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

// State of decompressing one file.
struct gunzip {
    z_stream stream;
    bool has_begun;                        // some input was given to either library
    HP_VEC(char) text;                     // text of a whole member, from libdeflate
    size_t given;                          // bytes of `text` that were returned
    struct libdeflate_decompressor *whole; // NULL: not needed yet
};

static void *start(void) {
    struct gunzip *gunzip = hp_alloc(sizeof *gunzip);
    if (inflateInit2(&gunzip->stream, 15 + 16) != Z_OK) {
        hp_out_of_memory(sizeof *gunzip);
    }
    return gunzip;
}

static void again(void *state) {
    struct gunzip *gunzip = state;
    inflateReset(&gunzip->stream);
    gunzip->has_begun = false;
    gunzip->text.count = gunzip->given = 0;
}

static void stop(void *state) {
    struct gunzip *gunzip = state;
    inflateEnd(&gunzip->stream);
#ifdef HP_WITH_LIBDEFLATE
    libdeflate_free_decompressor(gunzip->whole);
#endif
    hp_vec_done(&gunzip->text);
    free(gunzip);
}

// --- at once ---------------------------------------------------------------------------

#ifdef HP_WITH_LIBDEFLATE
// Decompress the one member in `in` into gunzip->text. The size at its end is untrusted
// and only a hint for how much room is needed; texts larger than SHORT are refused.
static enum libdeflate_result unpack_whole(struct gunzip *gunzip,
                                           const struct hp_packed *in, size_t *used) {
    const unsigned char *end = in->at + in->size;
    size_t size = end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
                  (size_t)end[-1] << 24,
           got = 0;
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    for (size = size > 0 ? size : 1;
         size <= SHORT && result == LIBDEFLATE_INSUFFICIENT_SPACE; size *= 2) {
        hp_vec_reserve(&gunzip->text, size);
        result = libdeflate_gzip_decompress_ex(gunzip->whole, in->at, in->size,
                                               gunzip->text.at, size, used, &got);
    }
    gunzip->text.count = result == LIBDEFLATE_SUCCESS ? got : 0;
    return result;
}

// Try to decompress the rest of the file with libdeflate. Returns true, and consumes all
// input, if the whole text is in gunzip->text.
static bool take_whole(struct gunzip *gunzip, struct hp_packed *in) {
    size_t used = 0;
    // libdeflate does not check the CRC that a header may have: such a file is left to
    // zlib.
    bool is_plain =
        in->is_last && in->size >= SHORTEST && (in->at[FLAGS] & ~HAS_NAME) == 0;
    if (!is_plain) {
        return false;
    }
    if (!gunzip->whole) {
        gunzip->whole = libdeflate_alloc_decompressor();
    }
    bool is_whole = gunzip->whole &&
                    unpack_whole(gunzip, in, &used) == LIBDEFLATE_SUCCESS &&
                    used == in->size && gunzip->text.count > 0;
    if (!is_whole) {
        gunzip->text.count = 0;
        return false;
    }
    in->at += used;
    in->size = 0;
    return true;
}
#else
static bool take_whole(struct gunzip *gunzip, struct hp_packed *in) {
    (void)gunzip, (void)in;
    return false;
}
#endif

// Copy as much of gunzip->text to `out` as there is room for. *between becomes whether
// all of it was copied.
static void give_text(struct gunzip *gunzip, struct hp_unpacked *out, bool *between) {
    size_t left = gunzip->text.count - gunzip->given;
    size_t size = left < out->room ? left : out->room;
    memcpy(out->at, gunzip->text.at + gunzip->given, size);
    out->at += size;
    out->room -= size;
    gunzip->given += size;
    *between = size == left;
}

// --- as it comes -----------------------------------------------------------------------

// The part of a size that zlib can take in one call.
static uInt at_once(size_t size) {
    return size < MOST_AT_ONCE ? (uInt)size : MOST_AT_ONCE;
}

// Skip zeros after a member, which may pad the last block of a tape or disk.
static void skip_zeros(struct hp_packed *in) {
    while (in->size > 0 && *in->at == 0) {
        in->at++;
        in->size--;
    }
}

// Call zlib once, and advance `in` and `out` by what it consumed and produced. Returns
// its status.
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

// Decompress some bytes, as struct hp_codec requires.
static int read_some(void *state, struct hp_packed *in, struct hp_unpacked *out,
                     bool *between, struct hp_err *err) {
    struct gunzip *gunzip = state;
    z_stream *stream = &gunzip->stream;
    bool is_first = !gunzip->has_begun;
    gunzip->has_begun = true;
    if (gunzip->given < gunzip->text.count || (is_first && take_whole(gunzip, in))) {
        give_text(gunzip, out, between);
        return HP_OK;
    }
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
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-gzip", "damaged gzip data: %s"),
                       why ? why : "it ends too early");
    }
    return HP_OK;
}

const struct hp_codec hp_gzip_codec = {
    .is = is_gzip,
    .start = start,
    .again = again,
    .stop = stop,
    .read = read_some,
};

// Decompression of zstd data (RFC 8878), in which frames follow one another (section
// 3.1).
#include "base/memory.h"
#include "input/codec.h"

#include <string.h>

// Whether data begins with a frame, or with a skippable frame, such as pzstd begins with.
static bool is_zstd(const char *head, size_t size) {
    return size >= 4 &&
           (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 ||
            ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0));
}

#ifdef HP_WITH_ZSTD
#    include <zstd.h>
#    include <zstd_errors.h>

enum {
    LARGEST_WINDOW = 27, // log2 of bytes: the limit of the zstd program without --long
};

static void *start(void) {
    ZSTD_DCtx *stream = ZSTD_createDCtx();
    if (!stream) {
        hp_out_of_memory(0);
    }
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, LARGEST_WINDOW);
    return stream;
}

static void again(void *state) {
    ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
}

static void stop(void *state) {
    ZSTD_freeDCtx(state);
}

// Decompress some bytes, as struct hp_codec requires.
static int read_some(void *state, struct hp_packed *packed, struct hp_unpacked *unpacked,
                     bool *between, struct hp_err *err) {
    ZSTD_inBuffer in = {packed->at, packed->size, 0};
    ZSTD_outBuffer out = {unpacked->at, unpacked->room, 0};
    size_t missing = ZSTD_decompressStream(state, &out, &in);
    packed->at += in.pos;
    packed->size -= in.pos;
    unpacked->at += out.pos;
    unpacked->room -= out.pos;
    if (ZSTD_getErrorCode(missing) == ZSTD_error_memory_allocation) {
        hp_out_of_memory(1 << LARGEST_WINDOW);
    }
    if (ZSTD_isError(missing)) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-zstd", "damaged zstd data: %s"),
                       ZSTD_getErrorName(missing));
    }
    *between = missing == 0;
    if (!*between && packed->is_last && in.pos == in.size && out.pos < out.size) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-zstd-ends-early",
                                  "damaged zstd data: it ends too early"));
    }
    return HP_OK;
}

#else
static void *start(void) {
    return NULL;
}

static void again(void *state) {
    (void)state;
}

static void stop(void *state) {
    (void)state;
}

static int read_some(void *state, struct hp_packed *packed, struct hp_unpacked *unpacked,
                     bool *between, struct hp_err *err) {
    (void)state, (void)packed, (void)unpacked, (void)between;
    return hp_fail(
        err, HP_E_UNSUPPORTED,
        HP_MESSAGE(
            "zstd-not-read",
            "zstd data, which this build cannot read. Use: zstd -dc FILE | hprof-agg -"));
}
#endif

const struct hp_codec hp_zstd_codec = {
    .is = is_zstd,
    .start = start,
    .again = again,
    .stop = stop,
    .read = read_some,
};

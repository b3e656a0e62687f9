// Tests of the gzip writer, which compresses with libdeflate or zlib.
#include "report/pprof/gzip.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_HELD = 1 << 20, // bytes that builds with libdeflate keep in memory
    GZIP_WINDOW = 15 + 16,
    LINE = 1000,
};

// Bytes that repeat after a prime number of lines, so that no two positions of a window
// are alike.
static char byte_of(size_t i) {
    size_t line = i / LINE;
    return (char)(i % LINE + line % 251 * 7);
}

// Write `size` of these bytes.
static void write_bytes(struct hp_sink *plain, size_t size) {
    char bytes[LINE];
    for (size_t at = 0; at < size; at += LINE) {
        size_t count = size - at < LINE ? size - at : LINE;
        for (size_t i = 0; i < count; i++) {
            bytes[i] = byte_of(at + i);
        }
        hp_sink_put(plain, bytes, count);
    }
}

// Compress `size` bytes; the caller frees the result.
static struct hp_buffer pack(size_t size) {
    static struct hp_sink out, plain;
    struct hp_buffer packed = {0};
    struct hp_err err;
    hp_sink_init(&out, hp_buffer_write, &packed);
    struct hp_gzip *gzip = hp_gzip_new(&out, MOST_HELD);
    hp_sink_init(&plain, hp_gzip_write, gzip);
    write_bytes(&plain, size);
    hp_gzip_finish(gzip, &plain);
    cr_assert_eq(hp_sink_close(&out, &err), HP_OK);
    return packed;
}

// Whether the bytes are those at position `at`.
static bool are_right(const unsigned char *bytes, size_t count, size_t at) {
    size_t i = 0;
    while (i < count && (char)bytes[i] == byte_of(at + i)) {
        i++;
    }
    return i == count;
}

// Decompress with zlib alone, whichever library compressed.  Expects one member with all
// bytes, and nothing after it.
static void expect_packed(const struct hp_buffer *packed, size_t size) {
    static unsigned char window[1 << 16];
    size_t at = 0;
    int ret = Z_OK;
    z_stream in = {
        .next_in = (unsigned char *)packed->text.at,
        .avail_in = (unsigned)packed->text.count,
    };
    cr_assert_eq(inflateInit2(&in, GZIP_WINDOW), Z_OK);
    while (ret == Z_OK) {
        in.next_out = window;
        in.avail_out = sizeof window;
        ret = inflate(&in, Z_NO_FLUSH);
        size_t count = sizeof window - in.avail_out;
        cr_assert(are_right(window, count, at), "%zu bytes, behind %zu", size, at);
        at += count;
    }
    cr_expect_eq(ret, Z_STREAM_END, "%zu bytes: %d", size, ret);
    cr_expect_eq(at, size);
    cr_expect_eq(in.avail_in, 0, "%zu bytes", size);
    inflateEnd(&in);
}

Test(gzip, packs_one_member_whoever_packs_it) {
    const size_t sizes[] = {
        0, 1, 100000, MOST_HELD - 1, MOST_HELD, MOST_HELD + 1, 5 * MOST_HELD};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct hp_buffer packed = pack(sizes[i]);
        expect_packed(&packed, sizes[i]);
        hp_vec_done(&packed.text);
    }
}

// A hp_write_fn that always fails.
static int refuse(void *data, const void *bytes, size_t size) {
    (void)data;
    (void)bytes;
    (void)size;
    errno = ENOSPC;
    return -1;
}

// The failure is reported whether it happens at the end or earlier.
Test(gzip, reports_failed_writes) {
    const size_t sizes[] = {1, 100000, 5 * MOST_HELD};
    static struct hp_sink out, plain;
    struct hp_err err;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hp_sink_init(&out, refuse, NULL);
        struct hp_gzip *gzip = hp_gzip_new(&out, MOST_HELD);
        hp_sink_init(&plain, hp_gzip_write, gzip);
        write_bytes(&plain, sizes[i]);
        hp_gzip_finish(gzip, &plain);
        cr_expect_neq(hp_sink_close(&out, &err), HP_OK, "%zu bytes", sizes[i]);
        cr_expect_eq(err.sys, ENOSPC, "%zu bytes", sizes[i]);
    }
}

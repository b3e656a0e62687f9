#include "differential.h"

#include "dumps.h"
#include "reference/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct differential_counts differential_counts;

// Readers that are reused for all inputs, as the program reuses its own: nothing of one
// input may appear in the result of the next.
static struct reading whole, windows, unpacked;
static struct reference reference;

// Return how the result of a fast reader differs from that of the slow one, or NULL.
static const char *difference(const struct reading *reading) {
    if (reading->ret != reference.ret || reading->is_elf != reference.is_elf) {
        return "whether it can be read";
    }
    if (reading->ret != HP_OK) {
        bool is_same = reading->err.line == reference.err.line &&
                       strcmp(reading->err.message, reference.err.message) == 0;
        return is_same ? NULL : "why it cannot be read";
    }
    return reading->is_elf ? NULL : dumps_difference(&reading->dump, &reference.dump);
}

// Read the compressed form of an input of `size` bytes; abort() if the result differs
// from that of the plain bytes.
static void check_packed(const void *bytes, size_t size, size_t packed_size,
                         size_t window) {
    reading_make(&unpacked, bytes, packed_size, window);
    const char *wrong = reading_difference(&whole, &unpacked);
    if (wrong) {
        fprintf(stderr, "of %zu bytes, unpacked:\n", size);
        reading_fail(&whole, &unpacked, wrong);
    }
}

static void check_gzip(const void *bytes, size_t size, size_t window) {
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)size};
    deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    size_t room = deflateBound(&stream, size);
    void *packed = malloc(room);
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    check_packed(packed, size, stream.total_out, window);
    deflateEnd(&stream);
    free(packed);
}

static void check_zstd(const void *bytes, size_t size, size_t window) {
    size_t room = ZSTD_compressBound(size);
    void *packed = malloc(room);
    check_packed(packed, size, ZSTD_compress(packed, room, bytes, size, 1), window);
    free(packed);
}

// Let all readers keep labels and threads, or only the parts that most reports need.
static void keep(bool all) {
    struct reading *const readings[] = {&whole, &windows, &unpacked};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        readings[i]->reader.keeps_labels = readings[i]->reader.keeps_threads = all;
    }
    reference.keeps = all;
}

static void count(void) {
    differential_counts.inputs++;
    if (reference.ret != HP_OK || reference.is_elf) {
        differential_counts.refused++;
    } else if (reference.dump.damage.what) {
        differential_counts.damaged++;
    } else {
        differential_counts.complete++;
    }
}

const struct reading *differential_check(const uint8_t *bytes, size_t size, size_t window,
                                         bool packed) {
    keep(size % 2);
    reading_make(&whole, bytes, size, 0);
    if (hp_input_stream_is_packed((const char *)bytes, size)) {
        return &whole;
    }
    reference_read(&reference, bytes, size);
    const char *wrong = difference(&whole);
    if (wrong) {
        const struct reading slow = {.dump = reference.dump,
                                     .err = reference.err,
                                     .ret = reference.ret};
        reading_fail(&whole, &slow, wrong);
    }
    size_t smallest = reading_smallest_window(bytes, size);
    size_t chosen = smallest == 0 ? size + 64 : window > smallest ? window : smallest;
    reading_make(&windows, bytes, size, chosen);
    wrong = reading_difference(&whole, &windows);
    if (wrong) {
        reading_fail(&whole, &windows, wrong);
    }
    if (packed) {
        check_gzip(bytes, size, chosen);
        check_zstd(bytes, size, chosen);
    }
    count();
    return &whole;
}

// Reads damaged copies of files: truncated, with one bit flipped, repeated, or with the
// line ends of another system.  Whatever the damage is, the fast and the slow reader must
// find the same, and no total may be wrong without a diagnostic.
//
// usage: damages FLIPS CUTS FILE-OR-FOLDER...
//
// FLIPS bits of each file are flipped, one at a time.  The file is truncated at every
// byte of its first and last 4 KiB and at CUTS places between them, or at every byte if
// it is not larger than that.
#include "differential.h"
#include "files.h"
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t edge = 4 << 10; // bytes at each end that are cut one by one

// The numbers of a dump that a report would add up.
struct dump_sum {
    struct hp_counts counts;
    size_t stacks;
};

static const char *path;       // of the file that is being damaged
static uint64_t tried, silent; // readings, and readings without a diagnostic

static _Noreturn void fail(const char *how, size_t where) {
    fprintf(stderr, "%s: %s, at %zu: a wrong total, silently\n", path, how, where);
    exit(1);
}

// Whether the reader refused the input or recorded that it is damaged.
static bool is_reported(const struct reading *reading) {
    const struct hp_dump *dump = &reading->dump;
    return reading->ret != HP_OK || reading->is_elf || dump->cut.code != HP_OK ||
           dump->damage.what || dump->malformed.count > 0;
}

static struct dump_sum sum_of(const struct reading *reading) {
    struct dump_sum sum = {.stacks = reading->dump.stacks.count};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &reading->dump.stacks) {
        sum.counts.inuse.objects += stack->counts.inuse.objects;
        sum.counts.inuse.bytes += stack->counts.inuse.bytes;
        sum.counts.alloc.objects += stack->counts.alloc.objects;
        sum.counts.alloc.bytes += stack->counts.alloc.bytes;
    }
    return sum;
}

static const struct reading *read_as(const uint8_t *bytes, size_t size) {
    tried++;
    const struct reading *reading = differential_check(bytes, size, tried % 2048, false);
    silent += !is_reported(reading);
    return reading;
}

// Check that the reader reports the damage, or finds the same totals as in the whole
// file.
static void expect(const struct dump_sum *whole, const uint8_t *bytes, size_t size,
                   const char *how, size_t where) {
    const struct reading *reading = read_as(bytes, size);
    struct dump_sum sum = {.stacks = 0};
    if (!is_reported(reading)) {
        sum = sum_of(reading);
        if (memcmp(&sum, whole, sizeof sum) != 0) {
            fail(how, where);
        }
    }
}

static void cut(const struct dump_sum *whole, const struct file *file, size_t cuts) {
    size_t middle =
        file->size > 2 * edge + cuts ? (file->size - 2 * edge) / (cuts + 1) : 1;
    for (size_t n = 0; n < file->size;) {
        expect(whole, file->bytes, n, "cut", n);
        bool is_edge = n < edge || n + edge + middle > file->size;
        n += is_edge ? 1 : middle;
    }
}

// Flip bits.  A flipped bit in a text may change a number unnoticed, so that only the
// readers are compared; a compressed file has a checksum, and must not change its totals
// silently.
static void flip(const struct dump_sum *whole, const struct file *file, uint64_t flips) {
    struct mutate_random random = {file->size};
    bool is_packed = hp_input_stream_is_packed((const char *)file->bytes, file->size);
    uint8_t *copy = malloc(file->size);
    for (uint64_t i = 0; i < flips; i++) {
        size_t where = (size_t)mutate_below(&random, file->size);
        memcpy(copy, file->bytes, file->size);
        copy[where] ^= (uint8_t)(1 << mutate_below(&random, 8));
        if (is_packed) {
            expect(whole, copy, file->size, "a bit turned", where);
        } else {
            read_as(copy, file->size);
        }
    }
    free(copy);
}

// A file that is repeated must be reported.
static void twice(const struct file *file) {
    uint8_t *copy = malloc(2 * file->size);
    memcpy(copy, file->bytes, file->size);
    memcpy(copy + file->size, file->bytes, file->size);
    if (!is_reported(read_as(copy, 2 * file->size))) {
        fail("twice", file->size);
    }
    free(copy);
}

static void with_carriage_returns(const struct dump_sum *whole, const struct file *file) {
    uint8_t *copy = malloc(2 * file->size);
    size_t size = 0;
    for (size_t i = 0; i < file->size; i++) {
        if (file->bytes[i] == '\n') {
            copy[size++] = '\r';
        }
        copy[size++] = file->bytes[i];
    }
    expect(whole, copy, size, "with carriage returns", 0);
    free(copy);
}

int main(int argc, char **argv) {
    struct files files = {NULL, 0, 0};
    uint64_t flips = strtoull(argv[1], NULL, 10), cuts = strtoull(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++) {
        files_add(&files, argv[i]);
    }
    for (size_t i = 0; i < files.count; i++) {
        const struct file *file = &files.at[i];
        path = file->path;
        const struct reading *reading =
            differential_check(file->bytes, file->size, 0, true);
        if (reading->ret != HP_OK || reading->is_elf) {
            fprintf(stderr, "%s: cannot be read\n", path);
            return 1;
        }
        struct dump_sum whole = sum_of(reading);
        cut(&whole, file, cuts);
        flip(&whole, file, flips);
        twice(file);
        with_carriage_returns(&whole, file);
    }
    printf("%" PRIu64 " changes of %zu files, %" PRIu64 " of them without a word\n",
           tried, files.count, silent);
    bool is_good = files.count > 0;
    files_done(&files);
    return is_good ? 0 : 1;
}

// What becomes of files: cut, with a bit turned, twice in one, with the line ends of another
// system.  Whatever it is, both readers find the same, and no total is wrong without a word.
//
// usage: damages FLIPS CUTS FILE-OR-FOLDER...
//
// Of each file FLIPS bits are turned, one at a time.  It is cut at every byte of the first and
// the last 4 KiB and at CUTS places between, or at every byte if it has no more than those.
#include "differential.h"
#include "files.h"
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t edge = 4 << 10;

// What a report would add up.
struct dump_sum {
    struct hp_counts counts;
    size_t stacks;
};

static const char *path;
static uint64_t tried, silent;

static _Noreturn void fail(const char *how, size_t where) {
    fprintf(stderr, "%s: %s, at %zu: a wrong total, silently\n", path, how, where);
    exit(1);
}

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

// It is told, or it is as good as the whole.
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

// Nothing protects the numbers of a text; a compressed file has a checksum.
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

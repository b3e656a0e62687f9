#include "reading.h"

#include "dumps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reading_make(struct reading *reading, const void *bytes, size_t size,
                  size_t window) {
    struct hp_span text = {bytes, size};
    reading->err = (struct hp_err){0};
    reading->reader.stream.window = window;
    reading->ret = hp_reader_read_bytes(&reading->reader, text, &reading->dump,
                                        &reading->is_elf, &reading->err);
}

void reading_done(struct reading *reading) {
    hp_reader_done(&reading->reader);
    hp_dump_done(&reading->dump);
}

// --- windows -------------------------------------------------------------------------------

// Sum of the sizes of all lines that may precede a header.
static size_t size_of_preambles(const char *at, const char *end) {
    size_t size = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        size += *at == '%' || *at == '<' || *at == '-' ? (size_t)(next - at) : 0;
        at = next;
    }
    return size;
}

size_t reading_smallest_window(const void *bytes, size_t size) {
    struct hp_span text = {bytes, size};
    size_t window = 64 + size_of_preambles(text.at, text.at + size);
    const struct hp_input_format *format = hp_input_format_of(text);
    if (format ==
        &hp_folded_input_format) { // recognized by its first line with two frames
        const char *semicolon = memchr(text.at, ';', size);
        const char *end = memchr(semicolon, '\n', (size_t)(text.at + size - semicolon));
        window += end ? (size_t)(end - text.at) : size;
    }
    struct hp_span head = {bytes, window < size ? window : size};
    bool is_recognized = !hp_input_stream_is_packed(bytes, size) && format &&
                         hp_input_format_of(head) == format;
    return is_recognized ? window : 0;
}

// --- results -------------------------------------------------------------------------------

static bool equal_digests(struct hp_digest a, struct hp_digest b) {
    return a.of[0] == b.of[0] && a.of[1] == b.of[1];
}

const char *reading_difference(const struct reading *a, const struct reading *b) {
    if (a->ret != b->ret || a->is_elf != b->is_elf) {
        return "whether it can be read";
    }
    if (a->ret != HP_OK) {
        bool is_same = a->err.code == b->err.code && a->err.line == b->err.line &&
                       strcmp(a->err.message, b->err.message) == 0;
        return is_same ? NULL : "why it cannot be read";
    }
    const char *difference = dumps_difference(&a->dump, &b->dump);
    if (difference) {
        return difference;
    }
    bool is_same = equal_digests(a->dump.content, b->dump.content) &&
                   equal_digests(a->dump.samples, b->dump.samples) &&
                   equal_digests(a->dump.map, b->dump.map);
    return is_same ? NULL : "the digests";
}

const char *reading_flaw(const struct reading *reading) {
    return reading->ret == HP_OK ? dumps_flaw(&reading->dump) : NULL;
}

static void print(const char *name, const struct reading *reading) {
    const struct hp_dump *dump = &reading->dump;
    fprintf(stderr, "%s: ret %d line %llu '%s'\n", name, reading->ret,
            (unsigned long long)reading->err.line, reading->err.message);
    fprintf(stderr, "    %zu stacks, %zu mappings, %zu names, %llu malformed\n",
            dump->stacks.count, dump->mappings.count, dump->embedded.count,
            (unsigned long long)dump->malformed.count);
    fprintf(stderr, "    damage '%s' line %llu, malformed '%s' line %llu\n",
            dump->damage.what ? dump->damage.what : "",
            (unsigned long long)dump->damage.line, dump->expected ? dump->expected : "",
            (unsigned long long)dump->malformed.line);
}

_Noreturn void reading_fail(const struct reading *a, const struct reading *b,
                            const char *what) {
    print("one", a);
    print("other", b);
    fprintf(stderr, "differs: %s\n", what);
    abort();
}

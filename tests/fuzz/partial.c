// Fuzz target of partial files.  The input is the contents of the blocks of a partial
// without compression and checksums, so that a mutation is not refused by a checksum; or
// a whole partial, if it begins like one.
//
//     each block: u8 section | u8 flags | u16 size, little-endian | bytes
//
// A partial that was read, written and read again must be the same.  This is tried twice:
// by itself, and after a partial of as many dumps as can be listed individually, with
// stacks that stay packed until they are merged.
#include "partial/partial.h"
#include "input/input_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    BLOCK_HEAD = 4,
};

static int keep(void *data, const void *bytes, size_t size) {
    struct hp_bytes *file = data;
    hp_vec_append(file, (const uint8_t *)bytes, size);
    return 0;
}

// Take symbols of a frame.  Conflicts between inputs are the business of the caller of
// the reader; here each frame keeps the symbols that were read last.
static void take_symbols(void *data, hp_frame_id frame, const struct hp_line *lines,
                         uint32_t count, bool is_disputed) {
    struct hp_profile *profile = data;
    struct hp_frame *named = &profile->frames.at[frame.n];
    named->first_line = (uint32_t)profile->lines.count;
    named->lines = count;
    named->is_disputed = is_disputed;
    hp_vec_append(&profile->lines, lines, count);
}

static void take_file_names(void *data, hp_frame_id frame, const struct hp_line *lines,
                            uint32_t count) {
    struct hp_profile *profile = data;
    take_symbols(data, frame, lines, count, false);
    profile->frames.at[frame.n].is_of_file = true;
}

// Make a partial of the blocks in the input.  Returns an empty file if they do not fit.
static struct hp_bytes pack(const uint8_t *bytes, size_t size) {
    struct hp_bytes file = {NULL, 0, 0};
    struct hp_sink sink;
    struct hp_block_writer blocks;
    struct hp_err err = {0};
    hp_sink_init(&sink, keep, &file);
    hp_block_writer_init(&blocks, &sink);
    while (size >= BLOCK_HEAD) {
        size_t wanted = bytes[2] | (size_t)bytes[3] << 8;
        size_t part = wanted < size - BLOCK_HEAD ? wanted : size - BLOCK_HEAD;
        struct hp_bytes row = {NULL, 0, 0};
        hp_vec_append(&row, bytes + BLOCK_HEAD, part);
        if (part > 0 && bytes[0] > 0) {
            hp_block_row(&blocks, bytes[0], bytes[1], &row);
        }
        hp_vec_done(&row);
        bytes += BLOCK_HEAD + part;
        size -= BLOCK_HEAD + part;
    }
    if (hp_block_writer_end(&blocks, &err) != HP_OK ||
        hp_sink_close(&sink, &err) != HP_OK) {
        file.count = 0; // the rows of one section exceed the limit of a block
    }
    hp_block_writer_done(&blocks);
    return file;
}

// Add a group of as many dumps as a profile lists individually, as if a partial with them
// had been read before.
static void add_many(struct hp_profile *profile, struct hp_partials *partials) {
    struct hp_input_record group = {.is_group = true,
                                    .is_added = true,
                                    .others = HP_PARTIAL_HISTORY - 1,
                                    .public.name = "many",
                                    .identity.is_merged = true,
                                    .keys = hp_alloc(sizeof *group.keys)};
    hp_vec_push(&profile->inputs.records, group);
    partials->dumps = HP_PARTIAL_HISTORY;
}

// Read a partial into `profile`, which has to be freed even after a failure.  With
// `stays_packed`, stacks go to several runs in memory; with `follows_many`, the profile
// first gets the group of add_many().
static int read_file(const struct hp_bytes *file, struct hp_profile *profile,
                     bool stays_packed, bool follows_many) {
    static struct hp_input_stream stream; // static, to reuse its buffer
    struct hp_input_window window = {&stream, 0};
    struct hp_span bytes = {(const char *)file->at, file->count};
    struct hp_err err = {0};
    hp_profile_init(profile);
    profile->keeps = (struct hp_needs){.errors = {true, true},
                                       .history = true,
                                       .labels = true,
                                       .sizes = {true, true},
                                       .partial = true};
    profile->history.is_kept = true;
    struct hp_partials partials = {.profile = profile,
                                   .take_symbols = take_symbols,
                                   .take_file_names = take_file_names,
                                   .data = profile};
    if (stays_packed) {
        profile->settings.store = hp_run_store_new(NULL, UINT64_MAX);
        partials.store = profile->settings.store;
        partials.stack_memory = 1 << 12; // so small that a file needs several runs
    }
    if (follows_many) {
        add_many(profile, &partials);
    }
    int ret = hp_input_stream_open_bytes(&stream, bytes, 0, &err);
    ret = ret == HP_OK
              ? hp_partial_read(&partials,
                                (struct hp_block_source){hp_input_window_read, &window},
                                "fuzz", &err)
              : ret;
    hp_input_stream_close(&stream);
    if (ret != HP_OK && err.message[0] == '\0') {
        fprintf(stderr, "failed, and does not say why\n");
        abort();
    }
    return ret;
}

// Write the profile as a partial; empty after a failure.  *overflow becomes whether a sum
// exceeds its limit.
static struct hp_bytes write_file(struct hp_profile *profile, bool *overflow) {
    struct hp_bytes file = {NULL, 0, 0};
    struct hp_sink sink;
    struct hp_err err = {0};
    hp_history_sort(&profile->history);
    hp_sample_types_sort(&profile->types, &profile->strings);
    hp_annotations_sort(&profile->inputs.annotations, &profile->strings);
    hp_profile_sort(profile, NULL, 0);
    hp_inputs_summarize(&profile->inputs);
    hp_sink_init(&sink, keep, &file);
    int ret = hp_partial_write(profile, (struct hp_shards){0, 0}, &sink, &err);
    *overflow = ret == HP_E_LIMIT;
    ret = hp_sink_close(&sink, &err) == HP_OK ? ret : HP_E_OUTPUT;
    file.count = ret == HP_OK ? file.count : 0;
    return file;
}

// A partial that was read and written again.
struct again {
    struct hp_bytes bytes;
    bool overflow; // a sum is too large, so that nothing is written
};

static struct again again(const struct hp_bytes *file, bool stays_packed,
                          bool follows_many) {
    struct hp_profile profile;
    struct again written = {{NULL, 0, 0}, false};
    int ret = read_file(file, &profile, stays_packed, follows_many);
    written.overflow = profile.overflow;
    if (ret == HP_OK && !profile.overflow) {
        written.bytes = write_file(&profile, &written.overflow);
    }
    hp_profile_done(&profile);
    return written;
}

// Check that a partial that was read and written again stays the same.  A partial has the
// totals of its dumps and the counts of its stacks; in a forged one only one of these may
// be too large, so that a packed one may overflow in the second round only.
static void check(const struct hp_bytes *file, bool stays_packed) {
    struct hp_bytes once = again(file, stays_packed, stays_packed).bytes;
    if (once.count > 0) {
        struct again twice = again(&once, stays_packed, false);
        const struct hp_bytes *bytes = &twice.bytes;
        if (!(twice.overflow && stays_packed) &&
            (bytes->count != once.count || memcmp(bytes->at, once.at, once.count) != 0)) {
            fprintf(stderr, "written again it is another: %zu and %zu bytes\n",
                    once.count, bytes->count);
            abort();
        }
        hp_vec_done(&twice.bytes);
    }
    hp_vec_done(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_bytes file = {NULL, 0, 0};
    if (hp_is_partial((struct hp_span){(const char *)bytes, size})) {
        hp_vec_append(&file, bytes, size);
    } else {
        file = pack(bytes, size);
    }
    check(&file, false);
    check(&file, true);
    hp_vec_done(&file);
    return 0;
}

// Fuzz target of partials.  Its input is what is in the blocks of one, without what packs them, so
// that no checksum stands in the way; or, if it begins as a partial does, one as it is.
//
//     blocks: u8 section | u8 flags | u16 bytes, little-endian | these
//
// What is read is written again, and read: that changes nothing.  The same behind another of as many
// dumps as are told of one by one, where stacks stay packed until they are merged.
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

// Names are the business of whoever takes them: here each frame has the last that is said.
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
        file.count = 0; // rows of one section came to more than a block holds
    }
    hp_block_writer_done(&blocks);
    return file;
}

// Of a partial that was read before.
static void add_many(struct hp_profile *profile, struct hp_partials *partials) {
    struct hp_input_record group = {.is_group = true,
                                    .is_added = true,
                                    .others = HP_PARTIAL_HISTORY - 1,
                                    .public.name = "many",
                                    .identity.is_merged = true,
                                    .keys = hp_alloc(sizeof *group.keys)};
    hp_vec_push(&profile->inputs, group);
    partials->dumps = HP_PARTIAL_HISTORY;
}

static int read_file(const struct hp_bytes *file, struct hp_profile *profile,
                     bool stays_packed, bool follows_many) {
    static struct hp_input_stream stream; // whose buffer is kept
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
        profile->store = hp_run_store_new(NULL, UINT64_MAX);
        partials.store = profile->store;
        partials.stack_memory = 1 << 12; // several runs of a file
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

static struct hp_bytes write_file(struct hp_profile *profile, bool *overflow) {
    struct hp_bytes file = {NULL, 0, 0};
    struct hp_sink sink;
    struct hp_err err = {0};
    hp_history_sort(&profile->history);
    hp_sample_types_sort(&profile->types, &profile->strings);
    hp_annotations_sort(&profile->annotations, &profile->strings);
    hp_profile_sort(profile, NULL, 0);
    hp_profile_summarize(profile);
    hp_sink_init(&sink, keep, &file);
    int ret = hp_partial_write(profile, (struct hp_shards){0, 0}, &sink, &err);
    *overflow = ret == HP_E_LIMIT;
    ret = hp_sink_close(&sink, &err) == HP_OK ? ret : HP_E_OUTPUT;
    file.count = ret == HP_OK ? file.count : 0;
    return file;
}

struct again {
    struct hp_bytes bytes;
    bool overflow; // of a sum: nothing is written
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

// What dumps come to is told of them, and of stacks: of a forged one only one of these may be too much.
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

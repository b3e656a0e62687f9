// Tests of partial files (.hpa): digests, sorting, numbers, and damaged files.
#include "input/input_stream.h"
#include "partial/partial.h"
#include "partial/slots.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- SHA-256 ---------------------------------------------------------------------------

// Expect the digest of a text that is repeated.
static void check_digest(const char *text, size_t times, const char *want) {
    struct hp_sha256 sha;
    uint8_t digest[HP_SHA256_SIZE];
    char hex[2 * HP_SHA256_SIZE + 1];
    hp_sha256_init(&sha);
    for (size_t i = 0; i < times; i++) {
        hp_sha256_add(&sha, text, strlen(text));
    }
    hp_sha256_end(&sha, digest);
    for (size_t i = 0; i < HP_SHA256_SIZE; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    cr_assert_str_eq(hex, want);
}

Test(partial, sha256_is_that_of_the_examples_of_nist) {
    check_digest("", 1,
                 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 1,
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest("a", 1000000,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(partial, sha256_does_not_depend_on_how_bytes_come) {
    static const char text[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789"
        "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0";
    uint8_t whole[HP_SHA256_SIZE], pieces[HP_SHA256_SIZE];
    for (size_t size = 0; size < sizeof text; size++) {
        struct hp_sha256 sha;
        hp_sha256_init(&sha);
        hp_sha256_add(&sha, text, size);
        hp_sha256_end(&sha, whole);
        hp_sha256_init(&sha);
        for (size_t at = 0; at < size; at += size % 7 + 1) {
            size_t left = size - at, part = size % 7 + 1;
            hp_sha256_add(&sha, text + at, part < left ? part : left);
        }
        hp_sha256_end(&sha, pieces);
        cr_assert_arr_eq(whole, pieces, sizeof whole, "%zu bytes", size);
    }
}

// Many bytes at once, with and without the special instructions of the CPU.
Test(partial, sha256_is_the_same_by_whatever_instructions) {
    uint8_t bytes[1000], digests[2][HP_SHA256_SIZE];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(seed >> 24);
    }
    for (size_t size = 0; size <= sizeof bytes; size += 37) {
        for (int i = 0; i < 2; i++) {
            struct hp_sha256 sha;
            hp_sha256_init(&sha);
            sha.has_instructions &= i == 0;
            hp_sha256_add(&sha, bytes, size / 3);
            hp_sha256_add(&sha, bytes + size / 3, size - size / 3);
            hp_sha256_end(&sha, digests[i]);
        }
        cr_assert_arr_eq(digests[0], digests[1], HP_SHA256_SIZE, "%zu bytes", size);
    }
}

// --- order -----------------------------------------------------------------------------

// Sorting is stable; keys differ in few or many bits.
Test(partial, items_are_in_the_order_of_their_keys) {
    struct item {
        uint64_t key;
        uint32_t number;
    };

    for (int shift = 0; shift < 64; shift += 9) {
        HP_VEC(struct item) items = {0};
        uint64_t key = 12345;
        for (uint32_t i = 0; i < 5000; i++) {
            key = key * 6364136223846793005 + 1442695040888963407;
            hp_vec_push(&items, ((struct item){key >> 53 << shift, i}));
        }
        hp_vec_sort_by_key(&items);
        for (size_t i = 1; i < items.count; i++) {
            const struct item *a = &items.at[i - 1], *b = &items.at[i];
            cr_assert(a->key < b->key || (a->key == b->key && a->number < b->number));
        }
        hp_vec_done(&items);
    }
}

// --- numbers ---------------------------------------------------------------------------

// A reader over these bytes.
static struct hp_numbers over(const struct hp_bytes *bytes) {
    return (struct hp_numbers){bytes->at, bytes->at + bytes->count, NULL};
}

Test(partial, numbers_of_128_bits_come_back) {
    const hp_uint128 one = 1;
    struct hp_bytes bytes = {NULL, 0, 0};
    for (int bits = 0; bits < 128; bits++) {
        hp_put_number(&bytes, one << bits);
        hp_put_signed(&bytes, -(hp_int128)(one << (bits % 127)));
    }
    struct hp_numbers row = over(&bytes);
    for (int bits = 0; bits < 128; bits++) {
        cr_assert(hp_get_number(&row) == one << bits);
        cr_assert(hp_get_signed(&row) == -(hp_int128)(one << (bits % 127)));
    }
    cr_assert(row.damage == NULL && row.at == row.end);
    hp_vec_done(&bytes);
}

Test(partial, numbers_that_are_cut_or_longer_than_need_be_are_damage) {
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {
        {"", 0},
        {"\x80", 1},
        {"\x80\x00", 2},
        {"\x81\x80\x00", 3},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x04",
         19},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
         20},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint8_t *at = (const uint8_t *)bad[i].bytes;
        struct hp_numbers row = {at, at + bad[i].size, NULL};
        cr_assert(hp_get_number(&row) == 0);
        cr_assert(row.damage != NULL, "number %zu", i);
    }
}

Test(partial, every_field_of_an_error_comes_back) {
    struct hp_error error = {.variance = -((hp_int128)1 << 100),
                             .objects_variance = 5,
                             .observed_bytes = (hp_uint128)1 << 90,
                             .hidden_bytes_max = (hp_uint128)3 << 80,
                             .excess_bytes_max = 7,
                             .samples = UINT64_MAX,
                             .period = 524288,
                             .max_weight = 0.1,
                             .flags = HP_ERROR_MIXED,
                             .read = {1, 2, UINT32_MAX}};
    struct hp_error back = {.variance = 0};
    struct hp_bytes bytes = {NULL, 0, 0};
    hp_put_slots(&bytes, &hp_error_slots, 1u << HP_SLOT_SUM, &error);
    struct hp_numbers row = over(&bytes);
    hp_get_slots(&row, &hp_error_slots, 1u << HP_SLOT_SUM, &back);
    cr_assert(row.damage == NULL && row.at == row.end);
    cr_assert(back.variance == error.variance);
    cr_assert(back.objects_variance == error.objects_variance);
    cr_assert(back.observed_bytes == error.observed_bytes);
    cr_assert(back.hidden_bytes_max == error.hidden_bytes_max);
    cr_assert(back.excess_bytes_max == error.excess_bytes_max);
    cr_assert(back.samples == error.samples && back.period == error.period);
    cr_assert(memcmp(&back.max_weight, &error.max_weight, sizeof back.max_weight) == 0);
    cr_assert(back.flags == error.flags);
    cr_assert_arr_eq(back.read, error.read, sizeof back.read);
    hp_vec_done(&bytes);
}

// --- files -----------------------------------------------------------------------------

// A hp_write_fn that appends to a struct hp_bytes.
static int keep(void *data, const void *bytes, size_t size) {
    struct hp_bytes *file = data;
    hp_vec_append(file, (const uint8_t *)bytes, size);
    return 0;
}

static void no_symbols(void *data, hp_frame_id frame, const struct hp_line *lines,
                       uint32_t count, bool is_disputed) {
    (void)data;
    (void)frame;
    (void)lines;
    (void)count;
    (void)is_disputed;
}

static void no_file_names(void *data, hp_frame_id frame, const struct hp_line *lines,
                          uint32_t count) {
    (void)data;
    (void)frame;
    (void)lines;
    (void)count;
}

// Give each frame the names of its functions in the file that ran.
static void add_file_names(struct hp_profile *profile) {
    char name[32];
    for (uint32_t i = 0; i < profile->frames.count; i++) {
        struct hp_frame *frame = &profile->frames.at[i];
        frame->first_line = (uint32_t)profile->lines.count;
        frame->lines = 1 + i % 2;
        frame->is_of_file = true;
        for (uint32_t k = 0; k < frame->lines; k++) {
            snprintf(name, sizeof name, "function_%u_%u", i, k);
            hp_string text = hp_strtab_add(&profile->strings, hp_span_of(name));
            struct hp_line line = {text, text, text, 7 + i, 3, 0};
            hp_vec_push(&profile->lines, line);
        }
    }
}

// A partial file of two dumps with one stack each, of a known build; the caller frees it.
static struct hp_bytes small_partial_of(bool has_names) {
    struct hp_profile profile;
    struct hp_bytes file = {NULL, 0, 0};
    struct hp_sink sink;
    struct hp_err err = {0};
    hp_profile_init(&profile);
    profile.keeps.history = profile.history.is_kept = true;
    hp_string path = hp_strtab_add(&profile.strings, hp_span_of("/opt/app"));
    struct hp_extent extent = {.address = 4096, .size = 8192, .offset = 4096};
    struct hp_module module = {
        .kind = HP_MODULE_FILE, .path = path, .stamp = path, .span = 8192, .extents = 1};
    hp_module_id id = hp_profile_module(&profile, &module, &extent);
    for (uint32_t i = 0; i < 2; i++) {
        hp_frame_id frames[2] = {hp_profile_frame(&profile, id, 4100 + i),
                                 hp_profile_frame(&profile, id, 4200)};
        struct hp_values values = {{(hp_fixed)(i + 1) << HP_SPACE_FRACTION,
                                    (hp_fixed)1 << HP_OBJECTS_FRACTION, 0, 0}};
        struct hp_error error = {.variance = 3, .max_weight = 1.5, .period = 4096};
        const struct hp_error *errors[HP_COLUMNS] = {&error, NULL};
        struct hp_sample sample = {frames, 2, {0}};
        hp_history_begin(&profile.history);
        uint32_t stack = hp_profile_add(&profile, &sample, &values, errors);
        hp_history_put(&profile.history, stack, &values, errors);
        hp_history_end(&profile.history, i);
        struct hp_input_record input = {.public.name = i ? "b" : "a",
                                        .number = i,
                                        .total = values,
                                        .stacks = 1,
                                        .period = 4096,
                                        .is_added = true,
                                        .has_content = true,
                                        .content = {{i + 1, i}}};
        hp_vec_push(&profile.inputs.records, input);
    }
    if (has_names) {
        add_file_names(&profile);
    }
    hp_history_sort(&profile.history);
    hp_profile_sort(&profile, NULL, 0);
    hp_inputs_summarize(&profile.inputs);
    hp_sink_init(&sink, keep, &file);
    cr_assert(hp_partial_write(&profile, (struct hp_shards){0}, &sink, &err) == HP_OK);
    cr_assert(hp_sink_close(&sink, &err) == HP_OK);
    hp_profile_done(&profile);
    return file;
}

static struct hp_bytes small_partial(void) {
    return small_partial_of(false);
}

// Read a partial file into a new profile.
static int read_small(const uint8_t *at, size_t size, struct hp_profile *profile,
                      struct hp_err *err) {
    struct hp_input_stream stream = {0};
    struct hp_input_window window = {&stream, 0};
    hp_profile_init(profile);
    profile->keeps.history = profile->history.is_kept = true;
    struct hp_partials partials = {.profile = profile,
                                   .take_symbols = no_symbols,
                                   .take_file_names = no_file_names};
    int ret =
        hp_input_stream_open_bytes(&stream, (struct hp_span){(const char *)at, size}, 0,
                                   err);
    ret = ret == HP_OK
              ? hp_partial_read(&partials,
                                (struct hp_block_source){hp_input_window_read, &window},
                                "x", err)
              : ret;
    hp_input_stream_done(&stream);
    return ret;
}

Test(partial, what_is_written_is_read) {
    struct hp_bytes file = small_partial();
    struct hp_profile profile;
    struct hp_err err = {0};
    cr_assert(read_small(file.at, file.count, &profile, &err) == HP_OK, "%s",
              err.message);
    struct hp_values total = hp_profile_total(&profile);
    cr_assert(profile.stacks.count == 2 && profile.frames.count == 3);
    cr_assert(profile.inputs.records.count == 2 && profile.history.blocks.count == 2);
    cr_assert(total.of[HP_INUSE_SPACE] == (hp_fixed)3 << HP_SPACE_FRACTION);
    cr_assert(hp_stack_error(&profile.errors.stacks[HP_COLUMN_INUSE], 0)->variance == 3);
    cr_assert_str_eq(profile.inputs.records.at[0].public.name,
                     profile.inputs.records.at[0].content.of[0] == 1 ? "a" : "b");
    hp_profile_done(&profile);
    hp_vec_done(&file);
}

Test(partial, R34_every_cut_and_every_turned_bit_is_damage) {
    struct hp_bytes file = small_partial();
    for (size_t size = 0; size < file.count; size++) {
        struct hp_profile profile;
        struct hp_err err = {0};
        cr_assert(read_small(file.at, size, &profile, &err) == HP_E_FORMAT, "%zu", size);
        hp_profile_done(&profile);
    }
    for (size_t bit = 0; bit < file.count * 8; bit++) {
        struct hp_profile profile;
        struct hp_err err = {0};
        file.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int ret = read_small(file.at, file.count, &profile, &err);
        cr_assert(ret == HP_E_FORMAT || ret == HP_E_UNSUPPORTED, "%zu: %d", bit, ret);
        hp_profile_done(&profile);
        file.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    hp_vec_done(&file);
}

// The next of a series of random numbers (splitmix64).
static uint64_t draw(uint64_t *chance) {
    uint64_t drawn = *chance += UINT64_C(0x9e3779b97f4a7c15);
    drawn = (drawn ^ drawn >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    drawn = (drawn ^ drawn >> 27) * UINT64_C(0x94d049bb133111eb);
    return drawn ^ drawn >> 31;
}

// Change the bytes of a file from `first` on: truncate it, or replace one to eight bytes.
static void damage(struct hp_bytes *file, size_t first, uint64_t *chance) {
    struct hp_bytes before = *file;
    uint64_t drawn = draw(chance);
    if (drawn % 8 == 0) {
        file->count = first + draw(chance) % (file->count - first);
        return;
    }
    for (size_t i = drawn % 8; i < 9; i++) {
        size_t at = first + draw(chance) % (before.count - first);
        file->at[at] ^= (uint8_t)(1 + draw(chance) % 255);
    }
}

// PARTIAL_CHANGES=100000 makes as many changes.
Test(partial, changed_names_of_files_are_damage) {
    struct hp_bytes bare = small_partial_of(false), file = small_partial_of(true), copy;
    const char *wanted = getenv("PARTIAL_CHANGES");
    size_t first = 0, changes = wanted ? strtoul(wanted, NULL, 10) : 5000, refused = 0;
    uint64_t chance = 1;
    while (first < bare.count && bare.at[first] == file.at[first]) {
        first++;
    }
    cr_assert(first < file.count && file.count > bare.count + 40);
    for (size_t i = 0; i < changes; i++) {
        struct hp_profile profile;
        struct hp_err err = {0};
        copy = (struct hp_bytes){.at = NULL};
        hp_vec_append(&copy, file.at, file.count);
        damage(&copy, first, &chance);
        bool is_changed =
            copy.count != file.count || memcmp(copy.at, file.at, file.count) != 0;
        int ret = read_small(copy.at, copy.count, &profile, &err);
        cr_assert(!is_changed || ret == HP_E_FORMAT || ret == HP_E_UNSUPPORTED, "%zu: %d",
                  i, ret);
        refused += ret != HP_OK;
        hp_profile_done(&profile);
        hp_vec_done(&copy);
    }
    cr_assert(refused > changes * 99 / 100, "%zu", refused);
    hp_vec_done(&bare);
    hp_vec_done(&file);
}

Test(partial, something_behind_the_end_is_damage) {
    struct hp_bytes file = small_partial();
    struct hp_profile profile;
    struct hp_err err = {0};
    hp_vec_push(&file, 0);
    cr_assert(read_small(file.at, file.count, &profile, &err) == HP_E_FORMAT);
    hp_profile_done(&profile);
    hp_vec_done(&file);
}

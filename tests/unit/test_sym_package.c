// Tests of DWARF packages (.dwp): finding the parts of a unit.
#include "sym/package.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    HEAD = 4,
    COLUMNS = 4,
    SLOTS = 4,
    WORDS = HEAD + 3 * SLOTS + COLUMNS + 2 * 2 * COLUMNS,
};

static const char bytes[1000];

// Make an index of two units in the byte order of this machine.  The parts of `first`
// precede those of `second`.
static struct hp_span index_of(uint32_t words[WORDS], uint32_t version, uint64_t first,
                               uint64_t second) {
    const uint32_t head[] = {version, COLUMNS, 2, SLOTS};
    const uint64_t ids[SLOTS] = {[1] = first, [3] = second};
    const uint32_t rest[] = {0, 1, 0, 2, // rows of the slots
                             // Columns: info, abbrev, str_offsets, rnglists.
                             1, 3, 6, 8, 0, 0, 0, 0, 100, 50, 30, 20, // offsets and sizes
                             100, 50, 30, 20, 200, 60, 40, 10};
    memcpy(words, head, sizeof head);
    memcpy(words + HEAD, ids, sizeof ids);
    memcpy(words + HEAD + 2 * SLOTS, rest, sizeof rest);
    return (struct hp_span){(const char *)words, WORDS * sizeof *words};
}

// Sections of 400 bytes each.
static struct hp_parts package(void) {
    struct hp_parts parts;
    for (size_t i = 0; i < HP_PARTS; i++) {
        parts.of[i] = (struct hp_span){bytes, 400};
    }
    return parts;
}

// Whether a part has this offset and size.
static bool is_at(struct hp_span span, size_t offset, size_t size) {
    return span.at == bytes + offset && span.size == size;
}

Test(package, has_the_parts_of_a_unit_and_all_strings) {
    uint32_t words[WORDS];
    struct hp_span index = index_of(words, 5, 0x1111111100000001, 0x2222222200000003);
    struct hp_parts parts = package();
    cr_assert(hp_package_find(index, false, 0x2222222200000003, &parts));
    cr_expect(is_at(parts.of[HP_PART_INFO], 100, 200));
    cr_expect(is_at(parts.of[HP_PART_ABBREV], 50, 60));
    cr_expect(is_at(parts.of[HP_PART_STR_OFFSETS], 30, 40));
    cr_expect(is_at(parts.of[HP_PART_RNGLISTS], 20, 10));
    cr_expect(is_at(parts.of[HP_PART_STR], 0, 400));
    cr_expect_eq(parts.of[HP_PART_TYPES].size, 0);
}

Test(package, section_8_is_of_macros_in_version_2) {
    uint32_t words[WORDS];
    struct hp_span index = index_of(words, 2, 1, 3);
    struct hp_parts parts = package();
    cr_assert(hp_package_find(index, false, 1, &parts));
    cr_expect(is_at(parts.of[HP_PART_INFO], 0, 100));
    cr_expect_eq(parts.of[HP_PART_RNGLISTS].size, 0);
}

// The upper half of an id, made odd, is the distance to the next slot.
Test(package, goes_on_from_a_slot_that_is_anothers) {
    const uint64_t id = 0x0000000200000001;
    const uint32_t row = 2;
    uint32_t words[WORDS];
    struct hp_span index = index_of(words, 5, 1, 0);
    struct hp_parts parts = package();
    cr_expect(!hp_package_find(index, false, id, &parts), "slot 0 is empty");
    memcpy(words + HEAD, &id, sizeof id);
    memcpy(words + HEAD + 2 * SLOTS, &row, sizeof row);
    parts = package();
    cr_assert(hp_package_find(index, false, id, &parts));
    cr_expect(is_at(parts.of[HP_PART_INFO], 100, 200));
}

Test(package, refuses_what_is_no_index) {
    uint32_t words[WORDS];
    struct hp_span index = index_of(words, 5, 1, 3);
    for (size_t size = 0; size < index.size; size++) {
        struct hp_parts parts = package();
        cr_expect(!hp_package_find((struct hp_span){index.at, size}, false, 1, &parts),
                  "%zu", size);
    }
}

// Each changed word makes the index contradict itself or the sections.
Test(package, refuses_what_contradicts_itself) {
    static const struct {
        size_t word;
        uint32_t value;
    } wrong[] = {
        {0, 3},                                // version
        {1, COLUMNS + 1},                      // too many columns
        {1, 1 << 30},                          //
        {2, 1 << 30},                          // number of units
        {3, 3},                                // slots are not a power of two
        {3, 0},                                //
        {3, 1 << 30},                          //
        {HEAD + 2 * SLOTS + 1, 3},             // a row after the last
        {HEAD + 3 * SLOTS, 7},                 // no column is .debug_info
        {HEAD + 3 * SLOTS + COLUMNS + 1, 400}, // a part that begins after the section
        {HEAD + 3 * SLOTS + COLUMNS + 2, UINT32_MAX},
        {HEAD + 3 * SLOTS + 3 * COLUMNS, 401}, // a part that is longer
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t words[WORDS];
        struct hp_span index = index_of(words, 5, 1, 3);
        struct hp_parts parts = package();
        words[wrong[i].word] = wrong[i].value;
        cr_expect(!hp_package_find(index, false, 1, &parts), "%zu", i);
    }
}

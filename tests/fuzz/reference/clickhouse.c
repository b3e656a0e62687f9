// The slow reader of lines that ClickHouse adds to heap_v2 files.
#include "reference.h"

// Read a line of the form "KEYWORD 1 2 3"; returns false if it has another form.
static bool read_numbers(struct reference *r, const char *keyword, uint64_t *numbers,
                         int count, struct reference_scan *s) {
    *s = reference_scan_of(r->lines.at[r->next].text);
    reference_need(s, keyword, "");
    for (int i = 0; i < count; i++) {
        reference_need(s, " ", "' '");
        numbers[i] = s->wanted ? 0 : reference_decimal(s);
    }
    reference_need_end(s);
    return !s->wanted;
}

// The numbers: age, requested bytes, allocated bytes, size class, arena, thread.
bool reference_read_object(struct reference *r) {
    struct reference_scan s;
    uint64_t numbers[6];
    bool good = read_numbers(r, "  f:", numbers, 6, &s);
    const uint64_t most = 4611686018427387903; // larger numbers wrapped around
    if (good && (numbers[2] < 1 || numbers[2] > most)) {
        s.wanted = "an object size that jemalloc can allocate";
    }
    if (s.wanted) {
        reference_malformed(r, s.wanted);
    }
    struct hp_listed object = {numbers[2], numbers[5]};
    hp_vec_push(&r->dump.listed, object);
    return !s.wanted;
}

// The numbers: arena, size class, bytes of a region, bytes of a slab, regions of a slab,
// shards, slabs, regions in use, slabs that are not full.
void reference_read_slabs(struct reference *r) {
    struct reference_scan s;
    uint64_t numbers[9];
    bool good = read_numbers(r, "frag_util:", numbers, 9, &s);
    struct hp_slabs sum = r->dump.slabs;
    hp_uint128 bytes = (hp_uint128)numbers[6] * numbers[3];
    hp_uint128 used = (hp_uint128)numbers[7] * numbers[2];
    if (good && (used > bytes || bytes > UINT64_MAX || bytes + sum.bytes > UINT64_MAX ||
                 used + sum.used > UINT64_MAX)) {
        good = false;
        s.wanted = "slabs that hold the objects in them";
    }
    if (good) {
        r->dump.slabs.bytes += (uint64_t)bytes;
        r->dump.slabs.used += (uint64_t)used;
    } else {
        reference_malformed(r, s.wanted);
    }
    r->next++;
}

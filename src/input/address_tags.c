#include "input/address_tags.h"

#include <stdlib.h>

// Whether a row of the map may be used to find the bits of user addresses. The page of
// [vsyscall] may not: it is in the kernel's half of the address space.
static bool is_user_row(const struct hp_mapping *row) {
    return !hp_span_is(row->path, "[vsyscall]");
}

// Returns a mask of the bits that addresses in user mappings can have: all bits up to the
// highest one of the highest address.
static uint64_t mask_of(const struct hp_dump *dump) {
    uint64_t mask = 0;
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        while (is_user_row(row) && row->end - 1 > mask) {
            mask = mask << 1 | 1;
        }
    }
    return mask;
}

// Returns the mapping that contains an address, or NULL. Mappings are sorted and
// disjoint.
static const struct hp_mapping *row_of(const struct hp_dump *dump, uint64_t address) {
    // All rows before `low` start at or below the address.
    size_t low = 0, high = dump->mappings.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (dump->mappings.at[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct hp_mapping *row = low > 0 ? &dump->mappings.at[low - 1] : NULL;
    return row && address < row->end ? row : NULL;
}

// Whether the file at `path` has an executable mapping.
static bool has_code(const struct hp_dump *dump, struct hp_span path) {
    bool has = false;
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        has |= row->executable && hp_span_equal(row->path, path);
    }
    return has;
}

// Whether an address may be in code. If no mapping of a file is executable, as when
// qemu-user maps programs, each of its mappings may contain code.
static bool is_code(const struct hp_dump *dump, uint64_t address) {
    const struct hp_mapping *row = row_of(dump, address);
    return row && (row->executable ||
                   (hp_span_starts(row->path, "/") && !has_code(dump, row->path)));
}

// Whether an address is in no mapping and has bits outside of `mask`.
static bool is_tagged(const struct hp_dump *dump, uint64_t address, uint64_t mask) {
    return (address & ~mask) != 0 && !row_of(dump, address);
}

// Returns the number of tagged addresses, or 0 if one of them is not in code without its
// tag: then the extra bits are not tags.
static uint64_t count_tagged(const struct hp_dump *dump, uint64_t mask) {
    uint64_t count = 0;
    const uint64_t *address;
    hp_vec_each (address, &dump->addresses) {
        if (is_tagged(dump, *address, mask)) {
            // Return address: the call before it may be the last of its mapping.
            uint64_t place = *address & mask;
            if (!is_code(dump, place) && !is_code(dump, place - 1)) {
                return 0;
            }
            count++;
        }
    }
    return count;
}

// Order indices of dump->addresses by address.
static int by_address(const void *left, const void *right, void *data) {
    const struct hp_dump *dump = data;
    uint64_t a = dump->addresses.at[*(const uint32_t *)left];
    uint64_t b = dump->addresses.at[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

// Merge equal addresses of the dump, and renumber its frames. dump->addresses is then in
// ascending order.
static void join_equal(struct hp_dump *dump) {
    size_t count = dump->addresses.count;
    HP_VEC(uint32_t) order = {0};
    HP_VEC(uint64_t) kept = {0};
    uint32_t *place = hp_alloc(count * sizeof *place);
    for (uint32_t i = 0; i < count; i++) {
        hp_vec_push(&order, i);
    }
    hp_vec_sort_r(&order, by_address, dump);
    for (size_t i = 0; i < count; i++) {
        uint64_t address = dump->addresses.at[order.at[i]];
        if (kept.count == 0 || kept.at[kept.count - 1] != address) {
            hp_vec_push(&kept, address);
        }
        place[order.at[i]] = (uint32_t)kept.count - 1;
    }
    uint32_t *frame;
    hp_vec_each (frame, &dump->frames) {
        *frame = place[*frame];
    }
    dump->addresses.count = 0;
    hp_vec_append(&dump->addresses, kept.at, kept.count);
    hp_vec_done(&order);
    hp_vec_done(&kept);
    free(place);
}

void hp_address_tags_clear(struct hp_dump *dump) {
    uint64_t mask = mask_of(dump), *address;
    bool has_names = dump->embedded.count > 0; // symbols are for untouched addresses
    dump->tagged = mask == 0 || has_names ? 0 : count_tagged(dump, mask);
    if (dump->tagged > 0) {
        hp_vec_each (address, &dump->addresses) {
            *address = is_tagged(dump, *address, mask) ? *address & mask : *address;
        }
        join_equal(dump);
    }
}

#include "calc/generated_names.h"

#include "calc/generated.h"

static bool is_generated(const struct hp_resolver *resolver, size_t row) {
    uint32_t of = resolver->resolved_of.at[row];
    return of > 0 ? resolver->rows.at[of - 1].is_generated : false;
}

// Return whether row `row` of the map may continue generated code: it is executable, and
// is no file's.
static bool continues(const struct hp_resolver *resolver, const struct hp_dump *dump,
                      size_t row) {
    return is_generated(resolver, row) ||
           (resolver->image_of.at[row] == 0 && hp_generated_is_row(dump, row));
}

// Return the range that a function must lie in if it contains an address in row `row`:
// this row and those of generated code that adjoin it.
static struct hp_jit_address in_row(const struct hp_resolver *resolver,
                                    const struct hp_dump *dump, uint64_t address,
                                    size_t row) {
    const struct hp_mapping *rows = dump->mappings.at;
    size_t first = row, last = row;
    while (first > 0 && rows[first - 1].end == rows[first].start &&
           continues(resolver, dump, first - 1)) {
        first--;
    }
    while (last + 1 < dump->mappings.count && rows[last].end == rows[last + 1].start &&
           continues(resolver, dump, last + 1)) {
        last++;
    }
    return (struct hp_jit_address){.address = address,
                                   .low = rows[first].start,
                                   .high = rows[last].end};
}

// Return the range that a function must lie in if it contains an address in no mapping:
// the gap between two rows of the map.
static struct hp_jit_address in_gap(const struct hp_dump *dump, uint64_t address) {
    struct hp_jit_address gap = {.address = address, .high = UINT64_MAX};
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        if (row->end <= address) {
            gap.low = row->end > gap.low ? row->end : gap.low;
        } else {
            gap.high = row->start < gap.high ? row->start : gap.high;
        }
    }
    return gap;
}

// Append address `number` of the dump if a name is wanted for it.  Most addresses are in
// files: they are left at once.
static void ask(const struct hp_resolver *resolver, const struct hp_dump *dump,
                size_t number, struct hp_jit_addresses *addresses) {
    uint32_t of = resolver->row_of.at[number];
    if (of > 0 && !resolver->rows.at[of - 1].is_generated) {
        return;
    }
    uint64_t address = dump->addresses.at[number];
    if (address == 0 || hp_dump_embedded(dump, number)) {
        return;
    }
    if (of == 0) {
        hp_vec_push(&addresses->of, in_gap(dump, address - 1));
    } else {
        size_t row = resolver->rows.at[of - 1].row;
        hp_vec_push(&addresses->of, in_row(resolver, dump, address - 1, row));
    }
}

void hp_generated_name(const struct hp_resolver *resolver, struct hp_dump *dump,
                       struct hp_jit_namer *namer) {
    struct hp_jit_addresses addresses = {{0}};
    for (size_t i = 0; i < dump->addresses.count && !dump->has_rows; i++) {
        ask(resolver, dump, i, &addresses);
    }
    if (addresses.of.count > 0) {
        hp_jit_addresses_sort(&addresses);
        namer->name(namer, dump, &addresses);
        hp_dump_settle_embedded(dump);
    }
    hp_jit_addresses_done(&addresses);
}

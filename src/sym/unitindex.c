#include "sym/unitindex.h"

#include <dwarf.h>

enum {
    MOST_RANGES = 1 << 24, // of all units together
    MOST_STEPS = 1 << 16,  // past ranges that end before the address
};

void hp_units_done(struct hp_units *units) {
    hp_vec_done(&units->units);
    hp_vec_done(&units->ranges);
}

static bool has_lines(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_stmt_list, &attribute) != NULL;
}

static void add_ranges(struct hp_units *units, Dwarf_Die *die) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    size_t before = units->ranges.count;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 &&
           units->ranges.count < MOST_RANGES) {
        struct hp_unit_range range = {low, high, 0, (uint32_t)units->units.count};
        if (low < high) {
            hp_vec_push(&units->ranges, range);
        }
    }
    struct hp_dwarf_unit unit = {dwarf_dieoffset(die), 0, units->ranges.count > before};
    if (unit.has_ranges || has_lines(die)) {
        hp_vec_push(&units->units, unit);
    }
}

static int compare(const void *a, const void *b) {
    const struct hp_unit_range *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void sort(struct hp_units *units) {
    hp_vec_sort(&units->ranges, compare);
    uint64_t furthest = 0;
    struct hp_unit_range *range;
    hp_vec_each (range, &units->ranges) {
        furthest = range->high > furthest ? range->high : furthest;
        range->furthest = furthest;
    }
}

void hp_units_read(struct hp_units *units, Dwarf *dwarf) {
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    Dwarf_Half version;
    size_t known = 0;
    while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
        Dwarf_Off start = die.addr ? dwarf_dieoffset(&die) : 0;
        if (units->units.count > known && start > units->units.at[known].die) {
            units->units.at[known].size = start - units->units.at[known].die;
        }
        known = units->units.count;
        if (die.addr && type != DW_UT_type && type != DW_UT_split_type) {
            add_ranges(units, &die);
        }
    }
    sort(units);
}

uint32_t hp_units_find(const struct hp_units *units, uint64_t address, uint32_t from) {
    const struct hp_unit_range *ranges = units->ranges.at;
    size_t low = 0, high = units->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].low <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint32_t best = HP_NO_UNIT;
    for (size_t steps = 0; low > 0 && steps < MOST_STEPS; steps++) {
        const struct hp_unit_range *range = &ranges[--low];
        if (range->furthest <= address) {
            break;
        }
        if (address < range->high && range->unit >= from && range->unit < best) {
            best = range->unit;
        }
    }
    return best;
}

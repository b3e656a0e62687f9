// Units are found by the ranges of their own DIEs: .debug_aranges is missing in what clang
// and lld write.  Ranges of several units may overlap, where the linker redirected those of
// discarded copies of a function to the copy it kept; then the first unit is right more
// often than not.
//
// Then one walk over a unit, entering only what holds one of the addresses.  Functions are
// children of the unit, or of namespaces in it; but GCC puts those of local classes, and
// so all lambdas, inside the class inside the function around it, which may be abstract
// and have no addresses.  A second walk looks there for what the first has not found.
//
// Units may nest and have ranges without end: hence the budget.
#include "sym/scopes.h"

#include <dwarf.h>

enum {
    MOST_RANGES = 1 << 24, // of all units together
    MOST_STEPS = 1 << 16,  // past ranges that end before the address
    MOST_DEPTH = 1000,
    BLOCKS = 1 << 16, // of addresses
};

// --- units -----------------------------------------------------------------------------

void hp_units_done(struct hp_units *units) {
    hp_vec_done(&units->units);
    hp_vec_done(&units->ranges);
}

// Lines of its own: a partial unit has those of the units that it is a part of.
static bool has_lines(struct hp_entry *unit) {
    return hp_entry_tag(unit) != DW_TAG_partial_unit &&
           hp_entry_has(unit, DW_AT_stmt_list);
}

// How many addresses that are asked for lie before each of so many blocks of them: few of all ranges
// of a program hold any.
struct blocks {
    uint64_t first, last; // addresses that are asked for
    unsigned shift;
    uint32_t *before;
};

static struct blocks blocks_of(const uint64_t *asked, size_t count) {
    struct blocks blocks = {.first = UINT64_MAX};
    if (count > 0) {
        blocks.first = asked[0];
        blocks.last = asked[count - 1];
    }
    while (count > 0 && (blocks.last - blocks.first) >> blocks.shift >= BLOCKS) {
        blocks.shift++;
    }
    blocks.before = hp_alloc((BLOCKS + 1) * sizeof *blocks.before);
    for (size_t i = 0, block = 0; i < count; i++) {
        while (block <= (asked[i] - blocks.first) >> blocks.shift) {
            blocks.before[block++] = (uint32_t)i;
        }
        blocks.before[block] = (uint32_t)i + 1;
    }
    return blocks;
}

static bool may_hold(const struct blocks *blocks, uint64_t low, uint64_t high) {
    if (high <= blocks->first || low > blocks->last) {
        return false;
    }
    uint64_t from = low > blocks->first ? low - blocks->first : 0;
    uint64_t to = (high - 1 < blocks->last ? high - 1 : blocks->last) - blocks->first;
    return blocks->before[from >> blocks->shift] <
           blocks->before[(to >> blocks->shift) + 1];
}

// A unit at an offset, if there are addresses or lines in it.
static void add_unit(struct hp_units *units, struct hp_entry *entry,
                     struct hp_listed_unit unit, const struct blocks *blocks) {
    struct hp_die_cursor cursor = {.budget = 0};
    uint64_t base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    struct hp_die die;
    hp_die_cursor_look(&cursor, entry);
    hp_die_of_unit(&cursor, &die);
    while (units->met < MOST_RANGES &&
           (at = hp_die_range(&cursor, &die, at, &base, &low, &high)) > 0) {
        struct hp_unit_range range = {low, high, 0, (uint32_t)units->units.count};
        unit.has_ranges |= low < high;
        units->met++;
        if (low < high && may_hold(blocks, low, high)) {
            hp_vec_push(&units->ranges, range);
        }
    }
    if (unit.has_ranges || has_lines(entry)) {
        hp_vec_push(&units->units, unit);
    }
}

static void read_units(struct hp_units *units, struct hp_debug_info *info,
                       const struct blocks *blocks) {
    const unsigned char *begin = (const unsigned char *)info->of[HP_DEBUG_INFO].at;
    struct hp_dwarf_unit *unit;
    uint64_t rested = 0;
    while ((unit = hp_debug_info_next(info))) {
        struct hp_entry entry = {.unit = unit, .at = unit->entry};
        struct hp_listed_unit found = {.die = (uint64_t)(unit->entry - begin),
                                       .size = (uint64_t)(unit->end - unit->begin)};
        if (unit->type != DW_UT_type && unit->type != DW_UT_split_type &&
            hp_entry_tag(&entry) != DW_TAG_type_unit) {
            add_unit(units, &entry, found, blocks);
        }
        hp_debug_info_rest(info, &rested, found.die);
    }
}

static void read_units_by_libdw(struct hp_units *units, struct hp_debug_info *info,
                                const struct blocks *blocks) {
    Dwarf_CU *unit = NULL;
    Dwarf_Off rested = 0;
    Dwarf_Die die;
    uint8_t type;
    Dwarf_Half version;
    size_t known = 0;
    while (dwarf_get_units(info->dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
        Dwarf_Off start = die.addr ? dwarf_dieoffset(&die) : 0;
        if (units->units.count > known && start > units->units.at[known].die) {
            units->units.at[known].size = start - units->units.at[known].die;
        }
        known = units->units.count;
        if (die.addr && type != DW_UT_type && type != DW_UT_split_type) {
            struct hp_entry entry = hp_entry_of_libdw(&die);
            add_unit(units, &entry, (struct hp_listed_unit){.die = start}, blocks);
        }
        hp_debug_info_rest(info, &rested, start);
    }
}

void hp_units_read(struct hp_units *units, struct hp_debug_info *info,
                   const uint64_t *asked, size_t count) {
    struct blocks blocks = blocks_of(asked, count);
    read_units(units, info, &blocks);
    if (info->units.count == 0) {
        read_units_by_libdw(units, info, &blocks);
    }
    free(blocks.before);
    hp_vec_sort_by_key(&units->ranges); // those of one address stay in the order of units
    uint64_t furthest = 0;
    struct hp_unit_range *range;
    hp_vec_each (range, &units->ranges) {
        furthest = range->high > furthest ? range->high : furthest;
        range->furthest = furthest;
    }
}

const struct hp_unit_range *hp_units_find(const struct hp_units *units, uint64_t address,
                                          uint32_t from) {
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
    const struct hp_unit_range *best = NULL;
    for (size_t steps = 0; low > 0 && steps < MOST_STEPS; steps++) {
        const struct hp_unit_range *range = &ranges[--low];
        if (range->furthest <= address) {
            break;
        }
        if (address < range->high && range->unit >= from &&
            (!best || range->unit < best->unit)) {
            best = range;
        }
    }
    return best;
}

// --- scopes ----------------------------------------------------------------------------

static void walk_children(struct hp_scopes *scopes, struct hp_die *die, uint32_t scope,
                          bool nested);

static size_t first_place(const struct hp_scopes *scopes, uint64_t address) {
    size_t low = 0, high = scopes->places.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scopes->places.at[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Move the places of the parent that are in the ranges of `die` to `scope`, which is added
// next.  False if there are none.  Of functions that the linker folded into one the last is
// taken, as llvm-symbolizer does.
static bool claim(struct hp_scopes *scopes, const struct hp_die *die,
                  struct hp_scope *scope, bool nested) {
    bool from_all = scope->parent == 0 && !nested;
    struct hp_die_cursor *cursor = &scopes->cursor;
    bool any = false;
    uint64_t base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    uint32_t next = (uint32_t)scopes->scopes.count;
    for (bool is_first = true;
         (at = hp_die_range(cursor, die, at, &base, &low, &high)) > 0 &&
         hp_die_spend(cursor);
         is_first = false) {
        scope->first = is_first ? low : scope->first;
        const struct hp_place *end = scopes->places.at + scopes->places.count;
        for (struct hp_place *place = scopes->places.at + first_place(scopes, low);
             place < end && place->address < high && hp_die_spend(cursor); place++) {
            if (from_all || place->scope == scope->parent) {
                scopes->missing -= place->scope == 0;
                place->scope = next;
                any = true;
            }
        }
    }
    return any;
}

static bool touches(struct hp_scopes *scopes, const struct hp_die *die) {
    struct hp_die_cursor *cursor = &scopes->cursor;
    uint64_t base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    bool ranges = false;
    while ((at = hp_die_range(cursor, die, at, &base, &low, &high)) > 0 &&
           hp_die_spend(cursor)) {
        size_t i = first_place(scopes, low);
        if (i < scopes->places.count && scopes->places.at[i].address < high) {
            return true;
        }
        ranges = true;
    }
    return !ranges;
}

static void visit_call(struct hp_scopes *scopes, struct hp_die *die, uint32_t parent,
                       bool nested) {
    bool inlined = hp_die_tag(&scopes->cursor, die) == DW_TAG_inlined_subroutine;
    struct hp_scope scope = {.parent = inlined ? parent : 0, .inlined = inlined};
    if (inlined && parent == 0) {
        return; // within a function that has none of the places
    }
    if (claim(scopes, die, &scope, nested)) {
        scope.entry = hp_die_entry(&scopes->cursor, die);
        hp_vec_push(&scopes->scopes, scope);
        walk_children(scopes, die, (uint32_t)scopes->scopes.count - 1, nested);
    } else if (nested && !inlined) {
        walk_children(scopes, die, 0, nested);
    }
}

static void visit(struct hp_scopes *scopes, struct hp_die *die, uint32_t scope,
                  bool nested) {
    switch (hp_die_tag(&scopes->cursor, die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
        visit_call(scopes, die, scope, nested);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        if ((nested && scope == 0) || touches(scopes, die)) {
            walk_children(scopes, die, scope, nested);
        }
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
        walk_children(scopes, die, 0, nested);
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: // Rust gives methods to enums
    case DW_TAG_variant_part:
        if (nested) {
            walk_children(scopes, die, 0, nested);
        }
        break;
    default:
        break;
    }
}

static void walk_children(struct hp_scopes *scopes, struct hp_die *die, uint32_t scope,
                          bool nested) {
    struct hp_die child;
    if (scopes->depth >= MOST_DEPTH || !hp_die_child(&scopes->cursor, die, &child)) {
        return;
    }
    scopes->depth++;
    do {
        if (!hp_die_spend(&scopes->cursor)) {
            break;
        }
        visit(scopes, &child, scope, nested);
        if (nested && scope == 0 && scopes->missing == 0) {
            break;
        }
    } while (hp_die_next(&scopes->cursor, &child));
    hp_die_leave(die, &child);
    scopes->depth--;
}

bool hp_scopes_walk(struct hp_scopes *scopes, struct hp_entry *unit,
                    struct hp_entry *skeleton) {
    struct hp_die die;
    scopes->scopes.count = 0;
    scopes->missing = scopes->places.count;
    hp_vec_push(&scopes->scopes, (struct hp_scope){.parent = 0});
    hp_die_cursor_begin(&scopes->cursor, unit, skeleton);
    hp_die_of_unit(&scopes->cursor, &die);
    walk_children(scopes, &die, 0, false);
    if (scopes->missing > 0) {
        walk_children(scopes, &die, 0, true);
    }
    return scopes->cursor.budget > 0;
}

void hp_scopes_done(struct hp_scopes *scopes) {
    hp_vec_done(&scopes->scopes);
    hp_vec_done(&scopes->places);
}

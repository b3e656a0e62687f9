// Units are found by the ranges of their own DIEs, because clang and lld do not write
// .debug_aranges.  Ranges of several units may overlap, where the linker redirected those
// of discarded copies of a function to the copy that it kept; then the first unit is
// usually the right one.
//
// A first walk over a unit enters only DIEs that contain one of the addresses.  Functions
// are children of the unit, or of namespaces in it.  But GCC puts functions of local
// classes, and so all lambdas, inside the class inside the function around it, which may
// be abstract and without addresses.  A second walk looks there for what the first has
// not found.
//
// Units may be nested deeply and have endless ranges, which is why there is a budget.
#include "sym/scopes.h"

#include <dwarf.h>

enum {
    MOST_RANGES = 1 << 24, // ranges of all units together
    // Ranges that end before the address and are skipped in a search.
    MOST_STEPS = 1 << 16,
    MOST_DEPTH = 1000, // nesting of entries
    BLOCKS = 1 << 16,  // blocks that the addresses are divided into
};

// --- units -----------------------------------------------------------------------------

void hp_units_done(struct hp_units *units) {
    hp_vec_done(&units->units);
    hp_vec_done(&units->ranges);
}

// Whether a unit has line information of its own: a partial unit has that of the units it
// is part of.
static bool has_lines(struct hp_entry *unit) {
    return hp_entry_tag(unit) != DW_TAG_partial_unit &&
           hp_entry_has(unit, DW_AT_stmt_list);
}

// The addresses that are asked for, divided into equal blocks, with the number of
// addresses before each block.  It shows quickly that a range contains no address, which
// is true for most.
struct address_blocks {
    uint64_t first, last; // lowest and highest address asked for
    // A block has 2^shift addresses.
    unsigned shift;
    // Number of addresses before each block.
    uint32_t *before;
};

// Divide the addresses, which ascend, into blocks.  The caller frees `before`.
static struct address_blocks blocks_of(const uint64_t *asked, size_t count) {
    struct address_blocks blocks = {.first = UINT64_MAX};
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

// Whether the blocks that [low, high) touches contain an address.  May be true by
// mistake, never false.
static bool may_hold(const struct address_blocks *blocks, uint64_t low, uint64_t high) {
    if (high <= blocks->first || low > blocks->last) {
        return false;
    }
    uint64_t from = low > blocks->first ? low - blocks->first : 0;
    uint64_t to = (high - 1 < blocks->last ? high - 1 : blocks->last) - blocks->first;
    return blocks->before[from >> blocks->shift] <
           blocks->before[(to >> blocks->shift) + 1];
}

// Add a unit if it has addresses or lines, and those of its ranges that may contain an
// address.
static void add_unit(struct hp_units *units, struct hp_entry *entry,
                     struct hp_listed_unit unit, const struct address_blocks *blocks) {
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

// Read the headers of all units by our own reader, not by libdw.  Type units have no
// addresses and are skipped.
static void read_units(struct hp_units *units, struct hp_debug_info *info,
                       const struct address_blocks *blocks) {
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

// Read the units by libdw, if our own reader has found none.
static void read_units_by_libdw(struct hp_units *units, struct hp_debug_info *info,
                                const struct address_blocks *blocks) {
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
    struct address_blocks blocks = blocks_of(asked, count);
    read_units(units, info, &blocks);
    if (info->units.count == 0) {
        read_units_by_libdw(units, info, &blocks);
    }
    free(blocks.before);
    // Stable: ranges with the same start stay in the order of units.
    hp_vec_sort_by_key(&units->ranges);
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

// Index in scopes->places of the first place at or after `address`.
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

// Give a new scope, which the caller appends next, the places in the ranges of `die` that
// belong to its parent scope; a function in the first walk gets all places in its ranges.
// False if there are none.  If the linker folded several functions into one, the last is
// used, as in llvm-symbolizer.
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
        const struct hp_scope_place *end = scopes->places.at + scopes->places.count;
        for (struct hp_scope_place *place = scopes->places.at + first_place(scopes, low);
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

// Whether the ranges of `die` contain any of the addresses (places); true also if it has
// no ranges.
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

// Visit a function or an inlined call.
static void visit_call(struct hp_scopes *scopes, struct hp_die *die, uint32_t parent,
                       bool nested) {
    bool inlined = hp_die_tag(&scopes->cursor, die) == DW_TAG_inlined_subroutine;
    struct hp_scope scope = {.parent = inlined ? parent : 0, .inlined = inlined};
    if (inlined && parent == 0) {
        return; // it is inside a function that contains none of the places
    }
    if (claim(scopes, die, &scope, nested)) {
        scope.entry = hp_die_entry(&scopes->cursor, die);
        hp_vec_push(&scopes->scopes, scope);
        walk_children(scopes, die, (uint32_t)scopes->scopes.count - 1, nested);
    } else if (nested && !inlined) {
        walk_children(scopes, die, 0, nested);
    }
}

// Visit an entry of any kind, in the first walk or, if `nested`, in the second.
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

// Visit the children of an entry; `scope` is the scope that contains them, 0 for none.
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

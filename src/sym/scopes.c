// One walk over a unit, entering only what holds one of the addresses.  Functions are
// children of the unit, or of namespaces in it; but GCC puts those of local classes, and
// so all lambdas, inside the class inside the function around it, which may be abstract
// and have no addresses.  A second walk looks there for what the first has not found.
//
// A sibling attribute that points backwards would let a walk meet one DIE in endless
// ways: hence the budget.
#include "sym/scopes.h"

#include <dwarf.h>

enum {
    MOST_DEPTH = 1000
};

struct hit {
    bool any;    // of the places
    bool ranges; // the DIE has addresses
};

static void walk_children(struct hp_scopes *scopes, Dwarf_Die *die, uint32_t scope,
                          bool nested);

static bool spend(struct hp_scopes *scopes) {
    return scopes->budget > 0 && scopes->budget-- > 0;
}

static size_t first_place(const struct hp_scopes *scopes, uint64_t address) {
    size_t low = 0, high = scopes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scopes->places[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Move the places of `parent` that are in the ranges of `die` to the scope that is
// added next.
static struct hit claim(struct hp_scopes *scopes, Dwarf_Die *die, uint32_t parent) {
    struct hit hit = {false, false};
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    uint32_t next = (uint32_t)scopes->scopes.count;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && spend(scopes)) {
        hit.ranges = true;
        for (size_t i = first_place(scopes, low);
             i < scopes->count && scopes->places[i].address < high && spend(scopes);
             i++) {
            if (scopes->places[i].scope == parent) {
                scopes->places[i].scope = next;
                scopes->missing -= parent == 0;
                hit.any = true;
            }
        }
    }
    return hit;
}

static bool touches(struct hp_scopes *scopes, Dwarf_Die *die) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    bool ranges = false;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && spend(scopes)) {
        size_t i = first_place(scopes, low);
        if (i < scopes->count && scopes->places[i].address < high) {
            return true;
        }
        ranges = true;
    }
    return !ranges;
}

static void visit_call(struct hp_scopes *scopes, Dwarf_Die *die, uint32_t parent,
                       bool nested) {
    bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    parent = inlined ? parent : 0;
    if (inlined && parent == 0) {
        return; // within a function that has none of the places
    }
    struct hit hit = claim(scopes, die, parent);
    if (hit.any) {
        struct hp_scope scope = {.die = *die, .parent = parent, .inlined = inlined};
        hp_vec_push(&scopes->scopes, scope);
        walk_children(scopes, die, (uint32_t)scopes->scopes.count - 1, nested);
    } else if (nested && !inlined) {
        walk_children(scopes, die, 0, nested);
    }
}

static void visit(struct hp_scopes *scopes, Dwarf_Die *die, uint32_t scope, bool nested) {
    switch (dwarf_tag(die)) {
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

static void walk_children(struct hp_scopes *scopes, Dwarf_Die *die, uint32_t scope,
                          bool nested) {
    Dwarf_Die child;
    if (scopes->depth >= MOST_DEPTH || dwarf_child(die, &child) != 0) {
        return;
    }
    scopes->depth++;
    do {
        if (!spend(scopes)) {
            break;
        }
        visit(scopes, &child, scope, nested);
    } while (!(nested && scope == 0 && scopes->missing == 0) &&
             dwarf_siblingof(&child, &child) == 0);
    scopes->depth--;
}

bool hp_scopes_walk(struct hp_scopes *scopes, Dwarf_Die *die) {
    scopes->scopes.count = 0;
    scopes->missing = scopes->count;
    hp_vec_push(&scopes->scopes, (struct hp_scope){.parent = 0});
    walk_children(scopes, die, 0, false);
    if (scopes->missing > 0) {
        walk_children(scopes, die, 0, true);
    }
    return scopes->budget > 0;
}

// DWARF 5, sections 3.3.1.3 and 3.4: a call has an entry below that of its function, with
// the address that it returns to, and the function says whether all of its calls have
// one.  GCC wrote the same for DWARF 4, as DW_TAG_GNU_call_site with DW_AT_low_pc.  GCC
// is reliable here: of 24,000 calls in functions that list all calls none was missing.
// Clang marks functions although it lists none of their calls that leave the unit, so its
// lists are not used as complete.
//
// Only units that contain one of the addresses are read, by libdw, because die_cursor.c
// skips entries without addresses of their own.
#include "sym/call_sites.h"

#include "base/memory.h"
#include "sym/unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 200,     // nesting of entries
    MOST_STEPS = 1 << 26, // entries that are visited
};

// An address that is asked for.
struct listed_site {
    uint64_t address; // address in the file
    size_t index;     // of the pair
};

// All addresses that are asked for.
struct listed_sites {
    HP_VEC(struct listed_site) all; // by address
    unsigned char *answers;         // enum hp_call_answer for each pair
    size_t steps;                   // entries visited so far
    // The compiler of the current unit lists all calls of a function that says so.
    bool is_whole;
};

static int by_address(const void *left, const void *right) {
    const struct listed_site *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

// Index of the first site whose address is not before `address`.
static size_t find_from(const struct listed_sites *sites, uint64_t address) {
    size_t low = 0, high = sites->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites->all.at[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Whether an entry is a call, and the address that it returns to.
static bool is_call(Dwarf_Die *die, uint64_t *address) {
    Dwarf_Attribute attribute;
    int tag = dwarf_tag(die);
    unsigned name = tag == DW_TAG_call_site       ? DW_AT_call_return_pc
                    : tag == DW_TAG_GNU_call_site ? DW_AT_low_pc
                                                  : 0;
    return name != 0 && dwarf_attr(die, name, &attribute) != NULL &&
           dwarf_formaddr(&attribute, address) == 0;
}

// Answer yes for all pairs with a call that returns to `address`.
static void take_call(struct listed_sites *sites, uint64_t address) {
    for (size_t i = find_from(sites, address);
         i < sites->all.count && sites->all.at[i].address == address; i++) {
        sites->answers[sites->all.at[i].index] = HP_CALL_YES;
    }
}

// Whether an entry contains any of the addresses.  With `lists_all` these are answered
// with no, until a call is found.
static bool has_any(struct listed_sites *sites, Dwarf_Die *entry, bool lists_all) {
    bool any = false;
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(entry, at, &base, &low, &high)) > 0) {
        for (size_t i = find_from(sites, low + 1);
             i < sites->all.count && sites->all.at[i].address <= high; i++) {
            unsigned char *answer = &sites->answers[sites->all.at[i].index];
            *answer = lists_all && *answer == HP_CALL_UNKNOWN ? HP_CALL_NO : *answer;
            any = true;
        }
    }
    return any;
}

// Whether a function lists all of its calls.
static bool lists_all(const struct listed_sites *sites, Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    bool is_set = false;
    return sites->is_whole &&
           (dwarf_attr(function, DW_AT_call_all_calls, &attribute) ||
            dwarf_attr(function, DW_AT_GNU_all_call_sites, &attribute)) &&
           dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

// Visit the entries below `parent`; functions without one of the addresses are skipped.
static void walk(struct listed_sites *sites, Dwarf_Die *parent, int depth) {
    Dwarf_Die die;
    bool is_there = depth < MOST_DEPTH && dwarf_child(parent, &die) == 0;
    while (is_there && sites->steps++ < MOST_STEPS) {
        Dwarf_Die next = die;
        uint64_t address;
        bool is_function = dwarf_tag(&die) == DW_TAG_subprogram;
        if (is_call(&die, &address)) {
            take_call(sites, address);
        } else if (!is_function || has_any(sites, &die, lists_all(sites, &die))) {
            walk(sites, &die, depth + 1);
        }
        is_there = dwarf_siblingof(&die, &next) == 0;
        die = next;
    }
}

static bool is_of_gcc(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *producer =
        dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : "";
    return producer && strncmp(producer, "GNU ", 4) == 0;
}

// Visit all units that contain one of the addresses.
static void look_into_units(struct listed_sites *sites, Dwarf *dwarf) {
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
        if (type == DW_UT_compile && has_any(sites, &die, false)) {
            sites->is_whole = is_of_gcc(&die);
            walk(sites, &die, 0);
        }
    }
}

void hp_call_sites_find(struct hp_image *image, const struct hp_call_pairs *pairs,
                        unsigned char *answers) {
    struct listed_sites sites = {.answers = answers};
    struct hp_sym_diagnostic why;
    for (size_t i = 0; i < pairs->all.count; i++) {
        struct listed_site site = {.index = i};
        answers[i] = HP_CALL_UNKNOWN;
        if (pairs->kind == HP_ADDRESS_VIRTUAL &&
            hp_image_find(image, pairs->kind, pairs->all.at[i].outer - 1,
                          &site.address)) {
            site.address++;
            hp_vec_push(&sites.all, site);
        }
    }
    hp_vec_sort(&sites.all, by_address);
    Dwarf *dwarf = hp_image_has_dwarf(image) && hp_image_unpack(image, &why)
                       ? dwarf_begin_elf(hp_image_debug(image), DWARF_C_READ, NULL)
                       : NULL;
    if (dwarf) {
        look_into_units(&sites, dwarf);
    }
    dwarf_end(dwarf);
    hp_vec_done(&sites.all);
}

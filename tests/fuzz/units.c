// Fuzz target of our reader of DWARF units; the input is an ELF file, whose compressed
// sections are unpacked.  Units must be where libdw finds them.  Wherever both libdw and
// our own cursor walk a unit to its end, addresses all over the unit must be in the same
// functions and inlined calls, with the same attributes.
#include "sym/scopes.h"
#include "sym/unpack.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    MOST_UNITS = 16,  // units of a file at most
    MOST_RANGES = 8,  // ranges of a unit at most
    ASKED = 96,       // addresses of each range
    BUDGET = 1 << 16, // entries that the cursor may read
};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

// A descriptor of a file in memory with these bytes.
static int file_of(const uint8_t *bytes, size_t size) {
    int fd = memfd_create("fuzz-units", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

static int compare(const void *a, const void *b) {
    const struct hp_scope_place *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

// Add addresses all over the ranges of the unit to the places that are looked up.
static void add_places(struct hp_scopes *scopes, Dwarf_Die *unit) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    for (int i = 0;
         i < MOST_RANGES && (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0; i++) {
        for (uint64_t k = 0; low < high && k < ASKED; k++) {
            struct hp_scope_place place = {low + (high - low) / ASKED * k + k % 3, 0};
            hp_vec_push(&scopes->places, place);
        }
    }
    hp_vec_sort(&scopes->places, compare);
}

// Find the scopes of all places in the unit.  Returns false if there are no places, if
// the walk was abandoned, or if the other cursor did it than `by_libdw` asks for.
static bool walk(struct hp_scopes *scopes, struct hp_entry *unit, Dwarf_Die *die,
                 bool by_libdw) {
    scopes->cursor.budget = BUDGET;
    add_places(scopes, die);
    return scopes->places.count > 0 && hp_scopes_walk(scopes, unit, unit) &&
           scopes->cursor.by_libdw == by_libdw;
}

static void compare_strings(struct hp_entry *ours, struct hp_entry *theirs,
                            unsigned name) {
    const char *x = hp_entry_whole_string(ours, name);
    const char *y = hp_entry_whole_string(theirs, name);
    require(x == y || (x && y && strcmp(x, y) == 0));
}

static void compare_numbers(struct hp_entry *ours, struct hp_entry *theirs,
                            unsigned name) {
    uint64_t x = 0, y = 0;
    bool is_ours = hp_entry_whole_number(ours, name, &x);
    require(is_ours == hp_entry_whole_number(theirs, name, &y) && x == y);
}

// Check that both entries have the same attributes of a function or call that we look up.
static void compare_entries(struct hp_entry *ours, struct hp_entry *theirs) {
    struct hp_entry x = *ours, y = *theirs;
    uint64_t start = 0, their_start = 0;
    require(hp_entry_tag(ours) == hp_entry_tag(theirs));
    bool has_origin = hp_entry_origin(ours, &x);
    require(has_origin == hp_entry_origin(theirs, &y) && x.at == y.at);
    bool has_start = hp_entry_address(ours, DW_AT_low_pc, &start);
    require(has_start == hp_entry_address(theirs, DW_AT_low_pc, &their_start) &&
            start == their_start);
    compare_strings(ours, theirs, DW_AT_name);
    compare_strings(ours, theirs, DW_AT_linkage_name);
    compare_numbers(ours, theirs, DW_AT_decl_line);
    compare_numbers(ours, theirs, DW_AT_call_file);
    compare_numbers(ours, theirs, DW_AT_call_line);
}

// Check that each place is in the same chain of scopes.
static void compare_places(struct hp_scopes *ours, struct hp_scopes *theirs) {
    for (size_t i = 0; i < ours->places.count; i++) {
        uint32_t a = ours->places.at[i].scope, b = theirs->places.at[i].scope;
        while (a && b) {
            struct hp_scope *x = &ours->scopes.at[a], *y = &theirs->scopes.at[b];
            require(x->entry.at == y->entry.at && x->inlined == y->inlined &&
                    x->first == y->first);
            compare_entries(&x->entry, &y->entry);
            a = x->parent;
            b = y->parent;
        }
        require(a == b);
    }
}

static void compare_walks(struct hp_dwarf_unit *unit, Dwarf_Die *die) {
    struct hp_scopes ours = {.depth = 0}, theirs = {.depth = 0};
    struct hp_entry entry = {.unit = unit, .at = unit->entry};
    struct hp_entry libdw = hp_entry_of_libdw(die);
    if (walk(&ours, &entry, die, false) && walk(&theirs, &libdw, die, true)) {
        compare_entries(&entry, &libdw);
        compare_places(&ours, &theirs);
    }
    hp_scopes_done(&ours);
    hp_scopes_done(&theirs);
}

// Whether an entry is in the section.  It may be in .debug_types instead, which is left
// to libdw.
static bool is_inside(struct hp_span section, const char *at) {
    return at >= section.at && at < section.at + section.size;
}

// Check that our unit begins where libdw's does, and compare both.  Returns false if we
// have no such unit, because its head is longer than the unit claims.
static bool compare_unit(struct hp_debug_info *info, Dwarf_Die *die) {
    Dwarf_Off begin = dwarf_dieoffset(die) - dwarf_cuoffset(die);
    struct hp_dwarf_unit *unit = hp_dwarf_unit_at(info, begin);
    const char *at = info->of[HP_DEBUG_INFO].at + begin;
    if (!unit || (const char *)unit->begin != at) {
        return false;
    }
    require(unit->entry == die->addr);
    compare_walks(unit, die);
    return true;
}

// Compare the units of .debug_info.  Type units before DWARF 5 are skipped: if one is in
// .debug_info, libdw gives it the head that it would have in .debug_types.
static void compare_units(struct hp_debug_info *info) {
    Dwarf_CU *at = NULL;
    Dwarf_Die die;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Off left_out = UINT64_MAX; // end of the head of the last unit, if we lack it
    for (size_t i = 0; i < MOST_UNITS && dwarf_get_units(info->dwarf, at, &at, &version,
                                                         &type, &die, NULL) == 0;
         i++) {
        bool is_known = type != DW_UT_type || version >= 5;
        if (die.addr && is_known && is_inside(info->of[HP_DEBUG_INFO], die.addr)) {
            require(dwarf_dieoffset(&die) - dwarf_cuoffset(&die) <= left_out);
            left_out = compare_unit(info, &die) ? UINT64_MAX : dwarf_dieoffset(&die);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    struct hp_debug_info info;
    if (!hp_image_open(&image, file_of(bytes, size), hp_span_of("module"), &diagnostic)) {
        return 0;
    }
    Dwarf *dwarf = hp_image_unpack(&image, &diagnostic)
                       ? dwarf_begin_elf(hp_image_debug(&image), DWARF_C_READ, NULL)
                       : NULL;
    if (dwarf) {
        hp_debug_info_begin(&info, hp_image_debug(&image), NULL);
        hp_debug_info_ask(&info, dwarf);
        while (hp_debug_info_next(&info)) {
        }
        compare_units(&info);
        hp_debug_info_done(&info);
    }
    dwarf_end(dwarf);
    hp_image_done(&image);
    return 0;
}

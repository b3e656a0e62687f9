// Fuzz target of the cursor over units: an ELF file, whose compressed sections are unpacked.  Wherever libdw walks a
// unit to its end, and our cursor does so without it, addresses all over the unit are in the same functions and
// inlined calls.
#include "sym/scopes.h"
#include "sym/unpack.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    MOST_UNITS = 16,
    MOST_RANGES = 8, // of each
    ASKED = 96,      // addresses of each of these
    BUDGET = 1 << 16,
};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

static int file_of(const uint8_t *bytes, size_t size) {
    int fd = memfd_create("fuzz-units", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

static int compare(const void *a, const void *b) {
    const struct hp_place *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add_places(struct hp_scopes *scopes, Dwarf_Die *unit) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t at = 0;
    for (int i = 0;
         i < MOST_RANGES && (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0; i++) {
        for (uint64_t k = 0; low < high && k < ASKED; k++) {
            struct hp_place place = {low + (high - low) / ASKED * k + k % 3, 0};
            hp_vec_push(&scopes->places, place);
        }
    }
    hp_vec_sort(&scopes->places, compare);
}

// False if nothing is asked, that is given up, or was not our cursor's work.
static bool walk(struct hp_scopes *scopes, Dwarf_Die *unit, bool by_libdw) {
    hp_dies_by_libdw = by_libdw;
    scopes->cursor.budget = BUDGET;
    add_places(scopes, unit);
    return scopes->places.count > 0 && hp_scopes_walk(scopes, unit, unit) &&
           scopes->cursor.by_libdw == by_libdw;
}

static void compare_places(const struct hp_scopes *ours, const struct hp_scopes *theirs) {
    for (size_t i = 0; i < ours->places.count; i++) {
        uint32_t a = ours->places.at[i].scope, b = theirs->places.at[i].scope;
        while (a && b) {
            const struct hp_scope *x = &ours->scopes.at[a], *y = &theirs->scopes.at[b];
            require(x->die.addr == y->die.addr && x->inlined == y->inlined &&
                    x->first == y->first);
            a = x->parent;
            b = y->parent;
        }
        require(a == b);
    }
}

static void compare_walks(Dwarf_Die *unit) {
    struct hp_scopes ours = {.depth = 0}, theirs = {.depth = 0};
    if (walk(&ours, unit, false) && walk(&theirs, unit, true)) {
        compare_places(&ours, &theirs);
    }
    hp_scopes_done(&ours);
    hp_scopes_done(&theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    if (!hp_image_open(&image, file_of(bytes, size), hp_span_of("module"), &diagnostic)) {
        return 0;
    }
    Dwarf *dwarf = hp_image_unpack(&image, &diagnostic)
                       ? dwarf_begin_elf(hp_image_debug(&image), DWARF_C_READ, NULL)
                       : NULL;
    Dwarf_CU *at = NULL;
    Dwarf_Die unit;
    for (int i = 0;
         i < MOST_UNITS && dwarf_get_units(dwarf, at, &at, NULL, NULL, &unit, NULL) == 0;
         i++) {
        if (unit.addr) {
            compare_walks(&unit);
        }
    }
    dwarf_end(dwarf);
    hp_image_done(&image);
    return 0;
}

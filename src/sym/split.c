// libdw searches for split files by itself when it is asked for the units in them, cannot
// be given one, and reads packages only since 0.191.  So it is not asked, see protocol.h:
// the parent finds the files, and libdw gets a file for each unit, made of the parts of
// the unit in the split file and of the addresses in the program.
#include "sym/split.h"

#include "sym/die_cursor.h"
#include "sym/package.h"
#include "sym/unpack.h"

#include <dwarf.h>
#include <string.h>

enum {
    MOST_NAMESAKES = 8, // files with one name that are tried
    UNIT_COST = 1 << 20 // least cost of an open unit, as bytes of .debug_info
};

void hp_split_init(struct hp_split *split, struct hp_file_requester *requester,
                   const struct hp_image *image) {
    *split = (struct hp_split){.requester = requester, .image = image};
}

// Close everything that is open for a unit.
static void close_unit(struct hp_split_unit *unit) {
    if (unit->info) {
        hp_debug_info_done(unit->info);
        free(unit->info);
    }
    dwarf_end(unit->dwarf);
    elf_end(unit->elf);
    hp_image_done(&unit->image);
}

void hp_split_clear(struct hp_split *split) {
    struct hp_split_unit *unit;
    hp_vec_each (unit, &split->units) {
        close_unit(unit);
    }
    split->units.count = 0;
}

void hp_split_done(struct hp_split *split) {
    hp_split_clear(split);
    hp_vec_done(&split->units);
    hp_image_done(&split->package);
}

// Have the parent open a file, and open it as `image`.  False if it does not exist
// (`exists`) or cannot be read; the first such reason is kept in split->flaw.
static bool open_file(struct hp_split *split, const struct hp_wanted *wanted,
                      struct hp_image *image, bool *exists) {
    struct hp_sym_diagnostic flaw;
    struct hp_span path;
    int fd = hp_file_request(split->requester, wanted, &path);
    *exists = fd >= 0;
    if (!*exists) {
        return false;
    }
    if (hp_image_open(image, fd, path, &flaw) && hp_image_unpack(image, &flaw)) {
        return true;
    }
    hp_image_done(image);
    split->flaw = split->flaw.text[0] ? split->flaw : flaw;
    return false;
}

// Find the unit with that id in the opened file, and set its entry.
static bool find_id(struct hp_split_unit *unit, uint64_t id) {
    Dwarf_CU *at = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(unit->dwarf, at, &at, NULL, NULL, &die, NULL) == 0) {
        uint64_t found = ~id;
        dwarf_cu_info(at, NULL, NULL, NULL, NULL, &found, NULL, NULL);
        if (found == id && die.addr && dwarf_tag(&die) == DW_TAG_compile_unit) {
            struct hp_dwarf_unit *known =
                hp_dwarf_unit_at(unit->info, dwarf_dieoffset(&die));
            unit->entry = known ? (struct hp_entry){.unit = known, .at = known->entry}
                                : hp_entry_of_libdw(&die);
            return true;
        }
    }
    return false;
}

// Open the unit with that id from its parts, completed by its addresses, which are in the
// file of the skeleton.  False if it is not there; the caller closes `unit`.
static bool read_unit(struct hp_split_unit *unit, struct hp_parts *parts,
                      const struct hp_image *image, struct hp_entry *skeleton,
                      uint64_t id) {
    parts->of[HP_PART_ADDR] = hp_entry_addresses(skeleton);
    unit->size = parts->of[HP_PART_INFO].size;
    unit->elf = hp_parts_elf(parts, image);
    unit->dwarf = unit->elf ? dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL) : NULL;
    if (!unit->dwarf) {
        return false;
    }
    unit->info = hp_alloc(sizeof *unit->info);
    hp_debug_info_begin(unit->info, unit->elf, NULL);
    hp_debug_info_ask(unit->info, unit->dwarf);
    while (hp_debug_info_next(unit->info)) {
    }
    return find_id(unit, id);
}

// Find the unit with that id in the package, which is opened when it is first needed.
static bool find_in_package(struct hp_split *split, struct hp_entry *skeleton,
                            uint64_t id, struct hp_split_unit *unit) {
    struct hp_image *package = &split->package;
    if (!split->has_asked) {
        struct hp_wanted wanted = {HP_FIND_PACKAGE, 0,
                                   hp_span_of(split->image->build_id)};
        split->has_asked = true;
        open_file(split, &wanted, package, &split->has_package);
    }
    if (!package->elf) {
        return false;
    }
    struct hp_parts parts;
    struct hp_span index = hp_elf_section(hp_image_debug(package), ".debug_cu_index");
    hp_parts_of_split(&parts, package);
    return hp_package_find(index, package->is_big_endian, id, &parts) &&
           read_unit(unit, &parts, package, skeleton, id);
}

// Find the unit with that id in a .dwo file, trying all files of that name.
static bool find_in_file(struct hp_split *split, const char *name,
                         struct hp_entry *skeleton, uint64_t id,
                         struct hp_split_unit *unit) {
    struct hp_wanted wanted = {HP_FIND_UNIT, 0, hp_span_of(name)};
    bool exists = true;
    for (; exists && wanted.n < MOST_NAMESAKES; wanted.n++) {
        struct hp_parts parts;
        if (open_file(split, &wanted, &unit->image, &exists)) {
            hp_parts_of_split(&parts, &unit->image);
            if (read_unit(unit, &parts, &unit->image, skeleton, id)) {
                return true;
            }
            close_unit(unit);
            *unit = (struct hp_split_unit){.size = 0};
        }
    }
    return false;
}

// Find the split unit that a skeleton refers to: in the package, else in the file at the
// path `name`, else in the file `name` of the folder that the unit was compiled in.
static bool find_unit(struct hp_split *split, const char *name, struct hp_entry *skeleton,
                      uint64_t id, struct hp_split_unit *unit) {
    const char *folder = hp_entry_string(skeleton, DW_AT_comp_dir);
    if (find_in_package(split, skeleton, id, unit)) {
        return true;
    }
    close_unit(unit);
    *unit = (struct hp_split_unit){.size = 0};
    if (find_in_file(split, name, skeleton, id, unit)) {
        return true;
    }
    char *path = folder && name[0] != '/' ? hp_printed("%s/%s", folder, name) : NULL;
    bool is_found = path && find_in_file(split, path, skeleton, id, unit);
    free(path);
    return is_found;
}

uint64_t hp_split_find(struct hp_split *split, struct hp_entry *unit,
                       struct hp_entry *content) {
    const char *name =
        hp_entry_string(unit, hp_entry_has(unit, DW_AT_dwo_name) ? DW_AT_dwo_name
                                                                 : DW_AT_GNU_dwo_name);
    *content = *unit;
    if (!name) {
        return 0;
    }
    struct hp_split_unit found = {.size = 0};
    if (!find_unit(split, name, unit, hp_entry_split_id(unit), &found)) {
        split->missing = true;
        return 0;
    }
    *content = found.entry;
    hp_vec_push(&split->units, found);
    return found.size > UNIT_COST ? found.size : UNIT_COST;
}

#include "sym/debug_info.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

bool hp_dies_by_libdw;

enum {
    MOST_UNITS = 1 << 22, // units that are read
    MOST_KEPT = 16 << 20, // bytes of tables that stay in memory
    WORK_PER_BYTE = 8, // bytes of tables that may be read for each byte of the sections
    LEAST_WORK = 1 << 20, // bytes of tables that may be read anyway
};

#define FIRST_ESCAPE 0xfffffff0 // the first of the lengths with a special meaning

// --- sections --------------------------------------------------------------------------

static const char *const names[] = {
    [HP_DEBUG_INFO] = ".debug_info",
    [HP_DEBUG_ABBREV] = ".debug_abbrev",
    [HP_DEBUG_STR] = ".debug_str",
    [HP_DEBUG_LINE_STR] = ".debug_line_str",
    [HP_DEBUG_STR_OFFSETS] = ".debug_str_offsets",
    [HP_DEBUG_RANGES] = ".debug_ranges",
    [HP_DEBUG_RNGLISTS] = ".debug_rnglists",
    [HP_DEBUG_ADDR] = ".debug_addr",
};

const char *hp_debug_section_name(enum hp_debug_section section) {
    return names[section];
}

// Cut a section of strings after the last final 0, so that every string in it ends.
static void cut_strings(struct hp_span *section) {
    while (section->size > 0 && section->at[section->size - 1] != '\0') {
        section->size--;
    }
}

// Find the sections and the byte order of the file.
static void find_sections(struct hp_debug_info *info, Elf *elf) {
    const char *identity = elf_getident(elf, NULL);
    info->is_big_endian = identity && identity[EI_DATA] == ELFDATA2MSB;
    for (size_t i = 0; i < HP_DEBUG_SECTIONS; i++) {
        info->of[i] = hp_elf_section(elf, names[i]);
    }
    cut_strings(&info->of[HP_DEBUG_STR]);
    cut_strings(&info->of[HP_DEBUG_LINE_STR]);
}

// --- units -----------------------------------------------------------------------------

// Whether the layout of this unit type is known.
static bool is_known_type(uint8_t type) {
    return type == DW_UT_compile || type == DW_UT_type || type == DW_UT_partial ||
           type == DW_UT_skeleton || type == DW_UT_split_compile ||
           type == DW_UT_split_type;
}

// Read the part of a unit's header that depends on its type.
static void read_rest(struct hp_dwarf_bytes *in, struct hp_dwarf_unit *unit) {
    bool is_of_type = unit->type == DW_UT_type || unit->type == DW_UT_split_type;
    bool is_split = unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile;
    unit->id = is_of_type || is_split ? hp_dwarf_take_number(in, 8) : 0;
    if (is_of_type) {
        uint64_t place = hp_dwarf_take_number(in, unit->forms.offset_size);
        in->bad |= place < (uint64_t)(in->at - unit->begin) ||
                   place > unit->info->of[HP_DEBUG_INFO].size;
    }
}

// Read the header of a unit from its abbreviations on.  An unknown address size counts as
// 8, as in libdw.  False if it is damaged.
static bool read_forms(struct hp_dwarf_bytes *in, struct hp_dwarf_unit *unit) {
    struct hp_die_forms *forms = &unit->forms;
    uint64_t address_size = 0;
    if (forms->version >= 5) {
        address_size = hp_dwarf_take_number(in, 1);
    }
    unit->abbreviations = hp_dwarf_take_number(in, forms->offset_size);
    if (forms->version < 5) {
        address_size = hp_dwarf_take_number(in, 1);
    }
    forms->address_size = address_size == 4 ? 4 : 8;
    read_rest(in, unit);
    return !in->bad && in->at < in->end &&
           unit->abbreviations <= unit->info->of[HP_DEBUG_ABBREV].size;
}

// Read the header of a unit.  False where libdw stops as well.  A unit that is cut off
// ends with the section.  unit->entry is NULL if it contains no entry.
static bool read_head(struct hp_dwarf_bytes *in, struct hp_dwarf_unit *unit) {
    struct hp_die_forms *forms = &unit->forms;
    unit->begin = in->at;
    unit->entry = NULL;
    uint64_t size = hp_dwarf_take_number(in, 4);
    if (size >= FIRST_ESCAPE && size != UINT32_MAX) {
        return false;
    }
    forms->offset_size = size == UINT32_MAX ? 8 : 4;
    size = size == UINT32_MAX ? hp_dwarf_take_number(in, 8) : size;
    uint64_t left = (uint64_t)(in->end - in->at);
    unit->end = size < left ? in->at + size : in->end;
    forms->is_big_endian = in->is_big_endian;
    forms->version = (unsigned)hp_dwarf_take_number(in, 2);
    unit->type = DW_UT_compile;
    if (forms->version >= 5) {
        unit->type = (uint8_t)hp_dwarf_take_number(in, 1);
    }
    if (in->bad || forms->version < 2 || forms->version > 5) {
        return false;
    }
    if (is_known_type(unit->type)) {
        if (!read_forms(in, unit)) {
            return false;
        }
        unit->entry = in->at < unit->end ? in->at : NULL;
    }
    in->at = unit->end;
    return true;
}

void hp_debug_info_rest(const struct hp_debug_info *info, uint64_t *passed,
                        uint64_t offset) {
    if (info->image && offset > *passed + HP_REST_AFTER) {
        hp_image_rest(info->image);
        *passed = offset;
    }
}

void hp_debug_info_begin(struct hp_debug_info *info, Elf *elf,
                         const struct hp_image *image) {
    *info = (struct hp_debug_info){.image = image};
    if (!hp_dies_by_libdw) {
        find_sections(info, elf);
        info->work = LEAST_WORK + WORK_PER_BYTE * (info->of[HP_DEBUG_INFO].size +
                                                   info->of[HP_DEBUG_ABBREV].size);
    }
}

struct hp_dwarf_unit *hp_debug_info_next(struct hp_debug_info *info) {
    struct hp_span section = info->of[HP_DEBUG_INFO];
    const unsigned char *begin = (const unsigned char *)section.at;
    struct hp_dwarf_unit unit = {.info = info};
    if (section.size == 0) {
        return NULL;
    }
    struct hp_dwarf_bytes in = {.at = begin + info->listed,
                                .end = begin + section.size,
                                .is_big_endian = info->is_big_endian};
    while (in.end - in.at > 4 && info->units.count < MOST_UNITS &&
           read_head(&in, &unit)) {
        info->listed = (uint64_t)(in.at - begin);
        if (unit.entry) {
            return hp_vec_push(&info->units, unit);
        }
    }
    info->listed = section.size;
    return NULL;
}

struct hp_dwarf_unit *hp_dwarf_unit_at(const struct hp_debug_info *info,
                                       uint64_t offset) {
    struct hp_span section = info->of[HP_DEBUG_INFO];
    size_t low = 0, high = info->units.count;
    if (offset >= section.size) {
        return NULL;
    }
    const unsigned char *at = (const unsigned char *)section.at + offset;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (info->units.at[middle].begin <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && at < info->units.at[low - 1].end ? &info->units.at[low - 1] : NULL;
}

// --- abbreviations ---------------------------------------------------------------------

// Free all tables of abbreviations.
static void drop_tables(struct hp_debug_info *info) {
    struct hp_abbreviations **table;
    struct hp_dwarf_unit *unit;
    hp_vec_each (table, &info->tables) {
        hp_abbreviations_done(*table);
        free(*table);
    }
    hp_vec_each (unit, &info->units) {
        unit->table = NULL;
    }
    info->tables.count = info->keys.count = 0;
    info->kept = 0;
    hp_index_drop(&info->index);
}

void hp_debug_info_trim(struct hp_debug_info *info) {
    if (info->kept > MOST_KEPT) {
        drop_tables(info);
    }
}

void hp_debug_info_done(struct hp_debug_info *info) {
    drop_tables(info);
    hp_vec_done(&info->tables);
    hp_vec_done(&info->keys);
    hp_vec_done(&info->units);
}

// The table of a unit, shared by units with the same abbreviations and forms; begun if it
// is new.
static struct hp_abbreviations *table_of(struct hp_dwarf_unit *unit) {
    struct hp_debug_info *info = unit->info;
    const struct hp_die_forms *forms = &unit->forms;
    struct hp_table_key key = {unit->abbreviations, forms->version << 16 |
                                                        forms->offset_size << 8 |
                                                        forms->address_size};
    if (unit->table) {
        return unit->table;
    }
    uint32_t number = hp_index_of(&info->index, &info->keys, &key, sizeof key);
    if (number == info->keys.count) {
        struct hp_abbreviations *table = hp_alloc(sizeof *table);
        *table = (struct hp_abbreviations){.size = 0};
        hp_abbreviations_begin(table, info->of[HP_DEBUG_ABBREV], key.offset, forms);
        hp_vec_push(&info->tables, table);
        hp_vec_push(&info->keys, key);
    }
    return unit->table = info->tables.at[number];
}

// Count the bytes of a table that were read since it had `before` bytes.
static void count_work(struct hp_debug_info *info, const struct hp_abbreviations *table,
                       uint64_t before) {
    uint64_t more = table->size - before;
    info->kept += more;
    info->work -= more < info->work ? more : info->work;
}

const struct hp_abbreviations *hp_dwarf_unit_abbreviations(struct hp_dwarf_unit *unit) {
    struct hp_abbreviations *table = table_of(unit);
    uint64_t before = table->size;
    bool is_known = unit->info->work > 0 && hp_abbreviations_finish(table);
    count_work(unit->info, table, before);
    return is_known ? table : NULL;
}

const struct hp_abbreviation *hp_dwarf_unit_abbreviation(struct hp_dwarf_unit *unit,
                                                         uint64_t code,
                                                         struct hp_span *declared) {
    struct hp_abbreviations *table = table_of(unit);
    uint64_t before = table->size;
    const struct hp_abbreviation *one =
        unit->info->work > 0 ? hp_abbreviations_reach(table, code) : NULL;
    count_work(unit->info, table, before);
    if (one) {
        const char *at = table->at + one->declared;
        *declared = (struct hp_span){at, (size_t)(table->end - at)};
    }
    return one;
}

// --- libdw -----------------------------------------------------------------------------

void hp_debug_info_ask(struct hp_debug_info *info, Dwarf *dwarf) {
    info->dwarf = dwarf;
    info->passed = 0;
    info->next = 0;
}

// Offset of a byte in .debug_info.
static uint64_t offset_of(const struct hp_dwarf_unit *unit, const unsigned char *at) {
    return (uint64_t)(at - (const unsigned char *)unit->info->of[HP_DEBUG_INFO].at);
}

// libdw reads a part of all units before the one that it is asked for.  Have it do so in
// steps, with the memory dropped after each.
static void approach(struct hp_debug_info *info, const struct hp_dwarf_unit *unit) {
    Dwarf_Die die;
    for (; info->next < info->units.count; info->next++) {
        const struct hp_dwarf_unit *next = &info->units.at[info->next];
        uint64_t offset = offset_of(next, next->entry);
        if (next > unit) {
            break;
        }
        if (info->image && offset > info->passed + HP_REST_AFTER) {
            dwarf_offdie(info->dwarf, offset, &die);
            hp_debug_info_rest(info, &info->passed, offset);
        }
    }
}

bool hp_dwarf_unit_for_libdw(struct hp_dwarf_unit *unit, const unsigned char *at,
                             Dwarf_Die *die) {
    approach(unit->info, unit);
    return dwarf_offdie(unit->info->dwarf, offset_of(unit, at), die) != NULL;
}

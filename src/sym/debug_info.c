#include "sym/debug_info.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

// --- abbreviations ---------------------------------------------------------------------

enum {
    MOST_CODES = 1 << 16,   // largest code of an abbreviation
    MOST_SKIPPED = 1 << 20, // most bytes that one step skips
};

// --- forms -----------------------------------------------------------------------------

bool hp_form_is_address_index(uint64_t form) {
    return form == DW_FORM_addrx || form == DW_FORM_addrx1 || form == DW_FORM_addrx2 ||
           form == DW_FORM_addrx3 || form == DW_FORM_addrx4 ||
           form == DW_FORM_GNU_addr_index;
}

// Whether a form is an offset in a section.
static bool is_offset(uint64_t form) {
    switch (form) {
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return true;
    default:
        return false;
    }
}

bool hp_form_size(const struct hp_die_forms *forms, uint64_t form, unsigned *size) {
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return *size = 0, true;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return *size = 1, true;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return *size = 2, true;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return *size = 3, true;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
        return *size = 4, true;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return *size = 8, true;
    case DW_FORM_data16:
        return *size = 16, true;
    case DW_FORM_addr:
        return *size = forms->address_size, true;
    case DW_FORM_ref_addr:
        *size = forms->version == 2 ? forms->address_size : forms->offset_size;
        return true;
    default:
        *size = is_offset(form) ? forms->offset_size : 0;
        return is_offset(form);
    }
}

// The step that skips a value of varying size.  False if the form is unknown.
static bool step_of(uint64_t form, struct hp_die_step *step) {
    switch (form) {
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        step->action = HP_DIE_LEB128;
        return true;
    case DW_FORM_string:
        step->action = HP_DIE_STRING;
        return true;
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
        step->action = HP_DIE_BLOCK;
        step->size = form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4;
        return true;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        step->action = HP_DIE_BLOCK;
        return true;
    default:
        return false;
    }
}

bool hp_form_pass(const struct hp_die_forms *forms, uint64_t form,
                  struct hp_dwarf_bytes *in) {
    struct hp_die_step step = {0};
    unsigned size;
    if (hp_form_size(forms, form, &size)) {
        return hp_dwarf_take(in, size) != NULL;
    }
    if (!step_of(form, &step)) {
        return false;
    }
    if (step.action == HP_DIE_STRING) {
        hp_dwarf_take_string(in);
        return !in->bad;
    }
    uint64_t value =
        step.size > 0 ? hp_dwarf_take_number(in, step.size) : hp_dwarf_take_leb128(in);
    return step.action == HP_DIE_LEB128 ? !in->bad : hp_dwarf_take(in, value) != NULL;
}

// --- attributes ------------------------------------------------------------------------

// The layout of one abbreviation while its attributes are read.
struct layout {
    struct hp_abbreviations *abbreviations;
    // Bytes of attributes since the last step; the next step skips them.
    uint32_t skipped;
    uint64_t size;   // bytes of the attributes with a fixed size
    bool is_varying; // there are attributes with a varying size
    // Attributes with these names were found.
    bool has_sibling, has_low, has_high, has_ranges;
    // The low and the high address have a form that is read here; the low one is an
    // index; the high one is a size.
    bool is_low_known, is_high_known, is_indexed, is_size;
};

// Append a step, which first skips the attributes since the step before it.
static void add_step(struct layout *layout, struct hp_die_step step) {
    step.skipped = layout->skipped;
    layout->skipped = 0;
    hp_vec_push(&layout->abbreviations->steps, step);
}

// Append the step of a sibling attribute.  False if its form is unknown.
static bool add_sibling(struct layout *layout, uint64_t form) {
    struct hp_die_step step = {.action = HP_DIE_SIBLING};
    unsigned size = 0;
    bool is_known = form == DW_FORM_ref1 || form == DW_FORM_ref2 ||
                    form == DW_FORM_ref4 || form == DW_FORM_ref8 ||
                    form == DW_FORM_ref_udata;
    hp_form_size(&layout->abbreviations->forms, form, &size);
    step.size = (uint8_t)size;
    add_step(layout, step);
    return is_known;
}

// Append the step of a low address.  False if its form is not read here, so that it has
// to be skipped like any other attribute.
static bool add_low(struct layout *layout, uint64_t form, unsigned size) {
    bool is_index = hp_form_is_address_index(form);
    bool is_known = (is_index || form == DW_FORM_addr) && !layout->has_low;
    layout->has_low = true;
    layout->is_indexed |= is_known && is_index;
    if (is_known) {
        add_step(layout,
                 (struct hp_die_step){.action = HP_DIE_LOW, .size = (uint8_t)size});
    }
    layout->is_low_known |= is_known;
    return is_known;
}

// Append the step of a high address or size.  False as for add_low().
static bool add_high(struct layout *layout, uint64_t form, unsigned size) {
    bool is_size = form == DW_FORM_data1 || form == DW_FORM_data2 ||
                   form == DW_FORM_data4 || form == DW_FORM_data8 ||
                   form == DW_FORM_udata;
    bool is_known = (is_size || form == DW_FORM_addr) && !layout->has_high;
    layout->has_high = true;
    if (is_known) {
        uint8_t action = is_size ? HP_DIE_SIZE : HP_DIE_HIGH;
        add_step(layout, (struct hp_die_step){.action = action, .size = (uint8_t)size});
    }
    layout->is_high_known |= is_known;
    layout->is_size |= is_known && is_size;
    return is_known;
}

// Append the step of an attribute whose value is needed.  False if it is not needed, or
// its form is not read here: it has to be skipped like any other attribute.
static bool add_wanted(struct layout *layout, uint64_t name, uint64_t form) {
    unsigned size = 0;
    hp_form_size(&layout->abbreviations->forms, form, &size);
    switch (name) {
    case DW_AT_low_pc:
        return add_low(layout, form, size);
    case DW_AT_high_pc:
        return add_high(layout, form, size);
    case DW_AT_ranges:
        layout->has_ranges = true;
        return false;
    default:
        return false;
    }
}

// Append an attribute to the layout.  False if it can be neither read nor skipped.
static bool add_attribute(struct layout *layout, uint64_t name, uint64_t form) {
    struct hp_die_step step = {0};
    unsigned size;
    bool is_fixed = hp_form_size(&layout->abbreviations->forms, form, &size);
    layout->size += size;
    layout->is_varying |= !is_fixed || name == DW_AT_sibling;
    if (name == DW_AT_sibling && !layout->has_sibling) {
        layout->has_sibling = true;
        return add_sibling(layout, form);
    }
    if (add_wanted(layout, name, form)) {
        return true;
    }
    if (is_fixed) {
        layout->skipped += size;
        return layout->skipped < MOST_SKIPPED;
    }
    if (!step_of(form, &step)) {
        return false;
    }
    add_step(layout, step);
    return true;
}

// How entries with this layout list their addresses.
static enum hp_die_addresses addresses_of(const struct layout *layout) {
    bool is_pair = layout->has_low && layout->has_high;
    bool is_known = layout->is_low_known && layout->is_high_known;
    if (is_pair && is_known) {
        return layout->is_indexed ? HP_ADDRESSES_INDEXED : HP_ADDRESSES_PAIR;
    }
    return is_pair              ? HP_ADDRESSES_FOREIGN
           : layout->has_ranges ? HP_ADDRESSES_LIST
                                : HP_ADDRESSES_NONE;
}

// Size in bytes of an abbreviation's code as a LEB128.
static uint32_t size_of_code(uint64_t code) {
    uint32_t size = 1;
    while ((code >>= 7) > 0) {
        size++;
    }
    return size;
}

// --- tables ----------------------------------------------------------------------------

// Read an abbreviation after its code.  False if it is damaged, unknown, or the code
// exists already.
static bool read_one(struct hp_abbreviations *a, struct hp_dwarf_bytes *in,
                     uint64_t code) {
    struct layout layout = {.abbreviations = a};
    struct hp_abbreviation one = {.first_step = (uint32_t)a->steps.count};
    one.tag = hp_dwarf_take_small_leb128(in);
    one.has_children = hp_dwarf_take_number(in, 1) == DW_CHILDREN_yes;
    one.declared = (uint32_t)((const char *)in->at - a->at);
    while (!in->bad) {
        uint64_t name = hp_dwarf_take_leb128(in);
        uint64_t form = hp_dwarf_take_leb128(in);
        if (name == 0 && form == 0) {
            break;
        }
        one.names |= HP_NAME_BIT(name);
        if (form == DW_FORM_implicit_const) {
            hp_dwarf_take_long_leb128(in, true);
        }
        if (!add_attribute(&layout, name, form)) {
            return false;
        }
    }
    add_step(&layout, (struct hp_die_step){.action = HP_DIE_DONE});
    one.addresses = (uint8_t)addresses_of(&layout);
    one.has_size = layout.is_size;
    one.fixed = layout.is_varying || layout.size >= MOST_SKIPPED
                    ? 0
                    : (uint32_t)layout.size + size_of_code(code);
    if (in->bad || one.tag == 0 || code >= MOST_CODES ||
        hp_vec_reach(&a->by_code, code)->tag != 0) {
        return false;
    }
    a->by_code.at[code] = one;
    return true;
}

void hp_abbreviations_begin(struct hp_abbreviations *a, struct hp_span section,
                            uint64_t offset, const struct hp_die_forms *forms) {
    uint64_t begin = offset < section.size ? offset : section.size;
    a->forms = *forms;
    a->at = section.at + begin;
    a->end = section.at + section.size;
    a->size = 0;
    a->by_code.count = 0;
    a->steps.count = 0;
    a->is_known = begin < section.size && section.size - begin <= UINT32_MAX;
    a->is_whole = !a->is_known;
}

// Read one more abbreviation, or the end of the table.
static void read_next(struct hp_abbreviations *a) {
    struct hp_dwarf_bytes in = {.at = (const unsigned char *)a->at + a->size,
                                .end = (const unsigned char *)a->end};
    uint64_t code = hp_dwarf_take_leb128(&in);
    a->is_known = !in.bad && (code == 0 || read_one(a, &in, code));
    a->is_whole = code == 0 || !a->is_known;
    a->size = (uint64_t)((const char *)in.at - a->at);
}

// The abbreviation with that code among those read so far, or NULL.
static const struct hp_abbreviation *known(const struct hp_abbreviations *a,
                                           uint64_t code) {
    bool is_known = code < a->by_code.count && a->by_code.at[code].tag != 0;
    return is_known ? &a->by_code.at[code] : NULL;
}

const struct hp_abbreviation *hp_abbreviations_reach(struct hp_abbreviations *a,
                                                     uint64_t code) {
    while (!known(a, code) && !a->is_whole) {
        read_next(a);
    }
    return known(a, code);
}

bool hp_abbreviations_finish(struct hp_abbreviations *a) {
    while (!a->is_whole) {
        read_next(a);
    }
    return a->is_known;
}

void hp_abbreviations_done(struct hp_abbreviations *abbreviations) {
    hp_vec_done(&abbreviations->by_code);
    hp_vec_done(&abbreviations->steps);
}

// --- debug info ------------------------------------------------------------------------

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

// Count the bytes of a table that were read since it had `before` bytes, in info->kept
// and against info->work.
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

// Have libdw read the units before `unit` in steps, with the file's pages dropped after
// each step: it reads a part of all units before the one that it is asked for.
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

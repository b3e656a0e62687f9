#include "sym/entry.h"

#include <dwarf.h>

enum {
    MOST_ORIGINS = 16
};

// --- entries ---------------------------------------------------------------------------

struct hp_entry hp_entry_of_libdw(const Dwarf_Die *die) {
    return (struct hp_entry){.at = die->addr, .libdw = *die};
}

Dwarf_Die *hp_entry_for_libdw(struct hp_entry *entry) {
    if (!entry->libdw.addr && entry->unit &&
        !hp_dwarf_unit_for_libdw(entry->unit, entry->at, &entry->libdw)) {
        entry->libdw.addr = NULL;
    }
    return entry->libdw.addr ? &entry->libdw : NULL;
}

bool hp_entry_unit(struct hp_entry *entry, struct hp_entry *unit) {
    Dwarf_Die die;
    if (entry->unit) {
        *unit = (struct hp_entry){.unit = entry->unit, .at = entry->unit->entry};
        return true;
    }
    if (!dwarf_diecu(&entry->libdw, &die, NULL, NULL)) {
        return false;
    }
    *unit = hp_entry_of_libdw(&die);
    return true;
}

bool hp_entry_shares_unit(const struct hp_entry *a, const struct hp_entry *b) {
    return a->unit == b->unit && (a->unit || a->libdw.cu == b->libdw.cu);
}

// The file of an entry that only libdw knows.
static Elf *elf_of(const struct hp_entry *entry) {
    return dwarf_getelf(dwarf_cu_getdwarf(entry->libdw.cu));
}

void hp_entry_forms(const struct hp_entry *entry, struct hp_die_forms *forms) {
    if (entry->unit) {
        *forms = entry->unit->forms;
        return;
    }
    Dwarf_Half version = 0;
    uint8_t address_size = 0, offset_size = 0;
    const char *identity = elf_getident(elf_of(entry), NULL);
    dwarf_cu_info(entry->libdw.cu, &version, NULL, NULL, NULL, NULL, &address_size,
                  &offset_size);
    *forms = (struct hp_die_forms){version, offset_size, address_size,
                                   identity && identity[EI_DATA] == ELFDATA2MSB};
}

struct hp_span hp_entry_section(const struct hp_entry *entry,
                                enum hp_debug_section section) {
    return entry->unit ? entry->unit->info->of[section]
                       : hp_elf_section(elf_of(entry), hp_debug_section_name(section));
}

// --- attributes ------------------------------------------------------------------------

// Result of a search for an attribute without libdw.
enum found {
    IS_NOT_THERE,
    IS_THERE,
    IS_UNKNOWN, // libdw has to be asked
};

// An attribute of an entry, as it was found: its form and its value.
struct attribute {
    uint64_t form;            // a DW_FORM_ number
    uint64_t constant;        // value of DW_FORM_implicit_const, from the abbreviation
    struct hp_dwarf_bytes in; // its value, with all bytes to the end of the unit
};

// A reader from a byte of the unit to its end.
static struct hp_dwarf_bytes bytes_from(const struct hp_dwarf_unit *unit,
                                        const unsigned char *at) {
    return (struct hp_dwarf_bytes){.at = at,
                                   .end = unit->end,
                                   .offset_size = unit->forms.offset_size,
                                   .is_big_endian = unit->forms.is_big_endian};
}

// Search for an attribute among those that an abbreviation declares.  `found->in` moves
// past the values before it.
static enum found find_declared(const struct hp_dwarf_unit *unit, unsigned name,
                                struct hp_dwarf_bytes declared, struct attribute *found) {
    while (!declared.bad) {
        uint64_t next = hp_dwarf_take_leb128(&declared);
        found->form = hp_dwarf_take_leb128(&declared);
        if (next == 0 && found->form == 0) {
            return declared.bad ? IS_UNKNOWN : IS_NOT_THERE;
        }
        if (found->form == DW_FORM_implicit_const) {
            found->constant = hp_dwarf_take_long_leb128(&declared, true);
        }
        if (next == name) {
            return IS_THERE;
        }
        if (!hp_form_pass(&unit->forms, found->form, &found->in)) {
            return IS_UNKNOWN;
        }
    }
    return IS_UNKNOWN;
}

// Read the abbreviation of an entry; sets `in` to the bytes after its code, and
// `declared` to the declaration of its attributes.  NULL if only libdw can read the
// entry.
static const struct hp_abbreviation *abbreviation_of(const struct hp_entry *entry,
                                                     struct hp_dwarf_bytes *in,
                                                     struct hp_span *declared) {
    if (!entry->unit) {
        return NULL;
    }
    *in = bytes_from(entry->unit, entry->at);
    uint64_t code = hp_dwarf_take_leb128(in);
    return in->bad || code == 0 ? NULL
                                : hp_dwarf_unit_abbreviation(entry->unit, code, declared);
}

const struct hp_abbreviation *hp_entry_abbreviation(const struct hp_entry *entry) {
    struct hp_dwarf_bytes in;
    struct hp_span declared;
    return abbreviation_of(entry, &in, &declared);
}

// Search for an attribute of an entry by name, without libdw.
static enum found find(const struct hp_entry *entry, unsigned name,
                       struct attribute *found) {
    struct hp_span declared;
    const struct hp_abbreviation *one = abbreviation_of(entry, &found->in, &declared);
    if (!one) {
        return IS_UNKNOWN;
    }
    const unsigned char *at = (const unsigned char *)declared.at;
    return one->names & HP_NAME_BIT(name)
               ? find_declared(
                     entry->unit, name,
                     (struct hp_dwarf_bytes){.at = at, .end = at + declared.size}, found)
               : IS_NOT_THERE;
}

// Have libdw search for an attribute by name.  NULL if it finds none.
static Dwarf_Attribute *ask(struct hp_entry *entry, unsigned name,
                            Dwarf_Attribute *attribute) {
    Dwarf_Die *die = hp_entry_for_libdw(entry);
    return die ? dwarf_attr(die, name, attribute) : NULL;
}

unsigned hp_entry_tag(struct hp_entry *entry) {
    const struct hp_abbreviation *one = hp_entry_abbreviation(entry);
    if (one) {
        return one->tag;
    }
    Dwarf_Die *die = hp_entry_for_libdw(entry);
    int tag = die ? dwarf_tag(die) : 0;
    return tag > 0 ? (unsigned)tag : 0;
}

bool hp_entry_has(struct hp_entry *entry, unsigned name) {
    struct attribute found;
    Dwarf_Attribute attribute;
    enum found is = find(entry, name, &found);
    return is == IS_UNKNOWN ? ask(entry, name, &attribute) != NULL : is == IS_THERE;
}

bool hp_entry_bytes(struct hp_entry *entry, unsigned name, uint64_t *form,
                    struct hp_span *bytes) {
    struct attribute found;
    Dwarf_Attribute attribute;
    enum found is = find(entry, name, &found);
    if (is == IS_THERE && found.form != DW_FORM_implicit_const) {
        *form = found.form;
        *bytes = (struct hp_span){(const char *)found.in.at,
                                  (size_t)(found.in.end - found.in.at)};
        return true;
    }
    if (is != IS_UNKNOWN || !ask(entry, name, &attribute)) {
        return false;
    }
    struct hp_span section = hp_entry_section(entry, HP_DEBUG_INFO);
    uint64_t offset = (uint64_t)((const char *)attribute.valp - section.at);
    *form = attribute.form;
    *bytes = (struct hp_span){(const char *)attribute.valp,
                              offset < section.size ? section.size - offset : 0};
    return true;
}

// --- values ----------------------------------------------------------------------------

static bool is_number(uint64_t form) {
    return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
           form == DW_FORM_data8 || form == DW_FORM_udata ||
           form == DW_FORM_implicit_const;
}

// Whether a form is an offset from the start of the unit.
static bool is_distance(uint64_t form) {
    return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
           form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

// Read the value of a number, offset or address; false if it is cut off.
static bool take(const struct hp_dwarf_unit *unit, struct attribute *found,
                 uint64_t *value) {
    unsigned size;
    if (found->form == DW_FORM_implicit_const) {
        *value = found->constant;
    } else if (hp_form_size(&unit->forms, found->form, &size)) {
        *value = hp_dwarf_take_number(&found->in, size);
    } else {
        *value = hp_dwarf_take_leb128(&found->in);
    }
    return !found->in.bad;
}

// Read the number in an attribute, or with `is_offset` also an offset in a section; by
// libdw if the form is not known here.  False if there is none.
static bool number_of(struct hp_entry *entry, unsigned name, bool is_offset,
                      uint64_t *number) {
    struct attribute found;
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    enum found is = find(entry, name, &found);
    if (is == IS_NOT_THERE) {
        return false;
    }
    bool is_known = is == IS_THERE && (is_number(found.form) ||
                                       (is_offset && found.form == DW_FORM_sec_offset));
    if (is_known && take(entry->unit, &found, number)) {
        return true;
    }
    is_known = dwarf_formudata(ask(entry, name, &attribute), &word) == 0;
    *number = is_known ? word : 0;
    return is_known;
}

bool hp_entry_number(struct hp_entry *entry, unsigned name, uint64_t *number) {
    return number_of(entry, name, false, number);
}

bool hp_entry_offset(struct hp_entry *entry, unsigned name, uint64_t *offset) {
    return number_of(entry, name, true, offset);
}

static bool is_string_index(uint64_t form) {
    return form == DW_FORM_strx || form == DW_FORM_strx1 || form == DW_FORM_strx2 ||
           form == DW_FORM_strx3 || form == DW_FORM_strx4 ||
           form == DW_FORM_GNU_str_index;
}

// Read entry `index` of a table with numbers of `size` bytes.  False if the table is
// shorter.
static bool take_indexed(struct hp_dwarf_unit *unit, struct hp_span table, uint64_t index,
                         unsigned size, uint64_t *value) {
    if (index >= table.size / size) {
        return false;
    }
    const char *at = table.at + index * size;
    *value = hp_dwarf_number((const unsigned char *)at, size, unit->forms.is_big_endian);
    return true;
}

uint64_t hp_entry_base(struct hp_entry *unit, unsigned name, struct hp_span section,
                       uint64_t otherwise) {
    uint64_t base;
    return hp_entry_offset(unit, name, &base) && base < section.size ? base : otherwise;
}

struct hp_span hp_entry_addresses(struct hp_entry *unit) {
    struct hp_span section = hp_entry_section(unit, HP_DEBUG_ADDR);
    uint64_t base = hp_entry_base(unit, DW_AT_GNU_addr_base, section, 0);
    return hp_section_from(section, hp_entry_base(unit, DW_AT_addr_base, section, base));
}

uint64_t hp_entry_split_id(struct hp_entry *unit) {
    uint64_t id = 0;
    if (unit->unit && unit->unit->forms.version >= 5) {
        return unit->unit->id;
    }
    if (!hp_entry_number(unit, DW_AT_GNU_dwo_id, &id) && unit->libdw.addr) {
        dwarf_cu_info(unit->libdw.cu, NULL, NULL, NULL, NULL, &id, NULL, NULL);
    }
    return id;
}

// The table of string offsets of a unit.  In a split unit it begins after the section
// header.  For other units that do not say where it begins it is empty, and libdw is
// asked.
static struct hp_span string_offsets_of(struct hp_dwarf_unit *unit) {
    struct hp_entry entry = {.unit = unit, .at = unit->entry};
    struct hp_span section = unit->info->of[HP_DEBUG_STR_OFFSETS];
    uint64_t base = section.size;
    if (unit->forms.version < 5) {
        base = 0;
    } else if (unit->type == DW_UT_split_compile || unit->type == DW_UT_split_type) {
        base = unit->forms.offset_size == 8 ? 16 : 8;
    }
    return hp_section_from(section,
                           hp_entry_base(&entry, DW_AT_str_offsets_base, section, base));
}

// Read the address in an attribute, or look it up by its index in .debug_addr.  False if
// it is of another form or damaged.
static bool take_address(struct hp_dwarf_unit *unit, struct attribute *found,
                         uint64_t *address) {
    struct hp_entry of_unit = {.unit = unit, .at = unit->entry};
    bool is_indexed = hp_form_is_address_index(found->form);
    if ((found->form != DW_FORM_addr && !is_indexed) || !take(unit, found, address)) {
        return false;
    }
    return !is_indexed || take_indexed(unit, hp_entry_addresses(&of_unit), *address,
                                       unit->forms.address_size, address);
}

bool hp_entry_address(struct hp_entry *entry, unsigned name, uint64_t *address) {
    struct attribute found;
    Dwarf_Attribute attribute;
    enum found is = find(entry, name, &found);
    if (is == IS_NOT_THERE ||
        (is == IS_THERE && take_address(entry->unit, &found, address))) {
        return is == IS_THERE;
    }
    return dwarf_formaddr(ask(entry, name, &attribute), address) == 0;
}

// The string that an attribute has or refers to; NULL if it is of another form or
// damaged.
static const char *take_string(struct hp_dwarf_unit *unit, struct attribute *found) {
    uint64_t form = found->form, offset;
    if (form == DW_FORM_string) {
        return hp_dwarf_take_string(&found->in);
    }
    if (form != DW_FORM_strp && form != DW_FORM_line_strp && !is_string_index(form)) {
        return NULL;
    }
    if (!take(unit, found, &offset) ||
        (is_string_index(form) && !take_indexed(unit, string_offsets_of(unit), offset,
                                                unit->forms.offset_size, &offset))) {
        return NULL;
    }
    struct hp_span strings =
        unit->info->of[form == DW_FORM_line_strp ? HP_DEBUG_LINE_STR : HP_DEBUG_STR];
    return offset < strings.size ? strings.at + offset : NULL;
}

const char *hp_entry_string(struct hp_entry *entry, unsigned name) {
    struct attribute found;
    Dwarf_Attribute attribute;
    enum found is = find(entry, name, &found);
    const char *text = is == IS_THERE ? take_string(entry->unit, &found) : NULL;
    return text || is == IS_NOT_THERE ? text
                                      : dwarf_formstring(ask(entry, name, &attribute));
}

// --- other entries ---------------------------------------------------------------------

// Read a reference to an entry of the same file.  False if it is of another form or out
// of range.
static bool take_reference(struct hp_dwarf_unit *unit, struct attribute *found,
                           struct hp_entry *to) {
    const unsigned char *from = unit->begin;
    uint64_t offset;
    if (!(is_distance(found->form) || found->form == DW_FORM_ref_addr) ||
        !take(unit, found, &offset)) {
        return false;
    }
    if (found->form == DW_FORM_ref_addr) {
        from = (const unsigned char *)unit->info->of[HP_DEBUG_INFO].at;
        unit = hp_dwarf_unit_at(unit->info, offset);
    } else if (offset >= (uint64_t)(unit->end - unit->begin)) {
        unit = NULL;
    }
    *to = (struct hp_entry){.unit = unit, .at = unit ? from + offset : NULL};
    return unit != NULL;
}

bool hp_entry_reference(struct hp_entry *entry, unsigned name, struct hp_entry *to) {
    struct attribute found;
    Dwarf_Attribute attribute;
    Dwarf_Die die;
    enum found is = find(entry, name, &found);
    if (is == IS_NOT_THERE) {
        return false;
    }
    if (is == IS_THERE && take_reference(entry->unit, &found, to)) {
        return true;
    }
    if (!dwarf_formref_die(ask(entry, name, &attribute), &die)) {
        return false;
    }
    *to = hp_entry_of_libdw(&die);
    return true;
}

bool hp_entry_origin(struct hp_entry *entry, struct hp_entry *origin) {
    struct hp_entry to;
    bool is_there = hp_entry_reference(entry, DW_AT_abstract_origin, &to) ||
                    hp_entry_reference(entry, DW_AT_specification, &to);
    if (is_there) {
        *origin = to;
    }
    return is_there;
}

const char *hp_entry_whole_string(struct hp_entry *entry, unsigned name) {
    struct hp_entry at = *entry;
    for (int i = 0; i <= MOST_ORIGINS; i++) {
        const char *text = hp_entry_string(&at, name);
        if (text || hp_entry_has(&at, name) || !hp_entry_origin(&at, &at)) {
            return text;
        }
    }
    return NULL;
}

bool hp_entry_whole_number(struct hp_entry *entry, unsigned name, uint64_t *number) {
    struct hp_entry at = *entry;
    for (int i = 0; i <= MOST_ORIGINS; i++) {
        bool is_known = hp_entry_number(&at, name, number);
        if (is_known || hp_entry_has(&at, name) || !hp_entry_origin(&at, &at)) {
            return is_known;
        }
    }
    return false;
}

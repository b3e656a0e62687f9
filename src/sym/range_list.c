// DWARF 4, section 2.17.3: pairs of addresses behind the unit's; the largest in place of the first
// gives another base; two of 0 end the list.  These are in the file of the skeleton, which says from
// where on (DW_AT_GNU_ranges_base).
//
// DWARF 5, sections 2.17.3 and 7.28: entries that begin with their kind, in the file of the unit.
#include "sym/range_list.h"

#include "sym/dwarf_bytes.h"
#include "sym/image.h"

#include <dwarf.h>

enum {
    MOST_BASES = 64 // between two ranges
};

static struct hp_span behind(struct hp_span section, uint64_t offset) {
    return offset < section.size
               ? (struct hp_span){section.at + offset, section.size - offset}
               : (struct hp_span){"", 0};
}

static struct hp_span section_of(Dwarf_Die *die, const char *name) {
    return hp_elf_section(dwarf_getelf(dwarf_cu_getdwarf(die->cu)), name);
}

void hp_range_lists_of(struct hp_range_lists *lists, Dwarf_Die *unit, Dwarf_Die *skeleton,
                       struct hp_span addresses) {
    Dwarf_Die ignored;
    Dwarf_Attribute attribute;
    Dwarf_Half version = 0;
    Dwarf_Word from = 0;
    uint8_t address_size = 0, offset_size = 0;
    const char *identity = elf_getident(dwarf_getelf(dwarf_cu_getdwarf(unit->cu)), NULL);
    dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
    dwarf_diecu(unit, &ignored, &address_size, &offset_size);
    *lists = (struct hp_range_lists){.version = version,
                                     .addresses = addresses,
                                     .address_size = address_size,
                                     .offset_size = offset_size,
                                     .is_big_endian =
                                         identity && identity[EI_DATA] == ELFDATA2MSB};
    struct hp_span info = section_of(unit, ".debug_info");
    lists->end = (const unsigned char *)info.at + info.size;
    if (dwarf_lowpc(skeleton, &lists->base) != 0 &&
        dwarf_entrypc(skeleton, &lists->base) != 0) {
        lists->base = 0;
    }
    if (version >= 5) {
        lists->section = section_of(unit, ".debug_rnglists");
    } else {
        dwarf_formudata(dwarf_attr(skeleton, DW_AT_GNU_ranges_base, &attribute), &from);
        lists->section = behind(section_of(skeleton, ".debug_ranges"), from);
    }
}

static struct hp_dwarf_bytes read_from(const struct hp_range_lists *lists,
                                       struct hp_span bytes) {
    const unsigned char *begin = (const unsigned char *)bytes.at;
    return (struct hp_dwarf_bytes){.at = begin,
                                   .end = begin + bytes.size,
                                   .is_big_endian = lists->is_big_endian,
                                   .bad = bytes.size == 0};
}

// Where in the section the list is; the end of it if that cannot be.
static uint64_t offset_of(const struct hp_range_lists *lists,
                          const Dwarf_Attribute *list) {
    struct hp_dwarf_bytes in = {.at = list->valp,
                                .end = lists->end,
                                .is_big_endian = lists->is_big_endian};
    switch (list->form) {
    case DW_FORM_sec_offset:
        return hp_dwarf_take_number(&in, lists->offset_size);
    case DW_FORM_data4:
        return hp_dwarf_take_number(&in, 4);
    case DW_FORM_data8:
        return hp_dwarf_take_number(&in, 8);
    case DW_FORM_rnglistx: {
        uint64_t head = lists->offset_size == 8 ? 20 : 12, i = hp_dwarf_take_leb128(&in);
        bool fits = i < lists->section.size / lists->offset_size;
        in = read_from(lists, behind(lists->section,
                                     fits ? head + i * lists->offset_size : UINT64_MAX));
        uint64_t offset = hp_dwarf_take_number(&in, lists->offset_size);
        return in.bad ? lists->section.size : head + offset;
    }
    default:
        return lists->section.size;
    }
}

static uint64_t take_indexed(const struct hp_range_lists *lists,
                             struct hp_dwarf_bytes *in) {
    uint64_t i = hp_dwarf_take_leb128(in);
    bool fits = i < lists->addresses.size / lists->address_size;
    struct hp_dwarf_bytes at =
        read_from(lists,
                  behind(lists->addresses, fits ? i * lists->address_size : UINT64_MAX));
    uint64_t address = hp_dwarf_take_number(&at, lists->address_size);
    in->bad |= at.bad;
    return address;
}

// Is it one of addresses?
static bool take_pair(const struct hp_range_lists *lists, struct hp_dwarf_bytes *in,
                      uint64_t *base, uint64_t *low, uint64_t *high) {
    uint64_t last = lists->address_size == 8 ? UINT64_MAX : UINT32_MAX;
    *low = hp_dwarf_take_number(in, lists->address_size);
    *high = hp_dwarf_take_number(in, lists->address_size);
    if (*low == last) {
        *base = *high;
        return false;
    }
    bool is_end = *low == 0 && *high == 0;
    in->end = is_end ? in->at : in->end;
    *low += *base;
    *high += *base;
    return !is_end;
}

static bool take_entry(const struct hp_range_lists *lists, struct hp_dwarf_bytes *in,
                       uint64_t *base, uint64_t *low, uint64_t *high) {
    uint64_t kind = hp_dwarf_take_number(in, 1);
    switch (kind) {
    case DW_RLE_end_of_list:
        in->end = in->at;
        return false;
    case DW_RLE_base_addressx:
        *base = take_indexed(lists, in);
        return false;
    case DW_RLE_base_address:
        *base = hp_dwarf_take_number(in, lists->address_size);
        return false;
    case DW_RLE_startx_endx:
        *low = take_indexed(lists, in);
        *high = take_indexed(lists, in);
        return true;
    case DW_RLE_startx_length:
        *low = take_indexed(lists, in);
        *high = *low + hp_dwarf_take_leb128(in);
        return true;
    case DW_RLE_offset_pair:
        *low = *base + hp_dwarf_take_leb128(in);
        *high = *base + hp_dwarf_take_leb128(in);
        return true;
    case DW_RLE_start_end:
        *low = hp_dwarf_take_number(in, lists->address_size);
        *high = hp_dwarf_take_number(in, lists->address_size);
        return true;
    case DW_RLE_start_length:
        *low = hp_dwarf_take_number(in, lists->address_size);
        *high = *low + hp_dwarf_take_leb128(in);
        return true;
    default:
        in->bad = true;
        return false;
    }
}

ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists,
                              const Dwarf_Attribute *list, ptrdiff_t at, uint64_t *base,
                              uint64_t *low, uint64_t *high) {
    *base = at == 0 ? lists->base : *base;
    uint64_t offset = at == 0 ? offset_of(lists, list) : (uint64_t)at;
    struct hp_dwarf_bytes in = read_from(lists, behind(lists->section, offset));
    bool is_range = false;
    for (int i = 0; i < MOST_BASES && !in.bad && !is_range && in.at < in.end; i++) {
        is_range = lists->version >= 5 ? take_entry(lists, &in, base, low, high)
                                       : take_pair(lists, &in, base, low, high);
    }
    return in.bad ? -1 : is_range ? (const char *)in.at - lists->section.at : 0;
}

// DWARF 4, section 2.17.3: pairs of addresses relative to the base of the unit.  The
// largest address as the first of a pair sets another base; two zeros end the list.  The
// lists are in the file of the skeleton, which says where those of the unit begin
// (DW_AT_GNU_ranges_base).
//
// DWARF 5, sections 2.17.3 and 7.28: entries that begin with their kind, in the file of
// the unit.
#include "sym/range_list.h"

#include "sym/dwarf_bytes.h"

#include <dwarf.h>

enum {
    MOST_BASES = 64 // entries without a range before one with a range
};

// The base address of a unit; 0 if it has none.
static uint64_t base_of(struct hp_entry *unit) {
    uint64_t base;
    return hp_entry_address(unit, DW_AT_low_pc, &base) ||
                   hp_entry_address(unit, DW_AT_entry_pc, &base)
               ? base
               : 0;
}

void hp_range_lists_of(struct hp_range_lists *lists, struct hp_entry *unit,
                       struct hp_entry *skeleton, struct hp_span addresses) {
    bool is_split = !hp_entry_shares_unit(unit, skeleton);
    *lists = (struct hp_range_lists){.addresses = addresses, .base = base_of(skeleton)};
    hp_entry_forms(unit, &lists->forms);
    if (lists->forms.version >= 5) {
        uint64_t head = lists->forms.offset_size == 8 ? 20 : 12;
        lists->section = hp_entry_section(unit, HP_DEBUG_RNGLISTS);
        lists->from =
            is_split ? head : hp_entry_base(unit, DW_AT_rnglists_base, lists->section, 0);
    } else {
        struct hp_span section = hp_entry_section(skeleton, HP_DEBUG_RANGES);
        lists->section = hp_section_from(
            section,
            is_split ? hp_entry_base(skeleton, DW_AT_GNU_ranges_base, section, 0) : 0);
    }
}

bool hp_range_lists_lack(const struct hp_range_lists *lists, struct hp_entry *entry) {
    struct hp_span bytes;
    uint64_t form;
    return lists->forms.version >= 5 && lists->from == 0 &&
           hp_entry_bytes(entry, DW_AT_ranges, &form, &bytes) && form == DW_FORM_rnglistx;
}

// A reader of these bytes, which is `bad` if there are none.
static struct hp_dwarf_bytes read_from(const struct hp_range_lists *lists,
                                       struct hp_span bytes) {
    const unsigned char *begin = (const unsigned char *)bytes.at;
    return (struct hp_dwarf_bytes){.at = begin,
                                   .end = begin + bytes.size,
                                   .is_big_endian = lists->forms.is_big_endian,
                                   .bad = bytes.size == 0};
}

// Offset of an entry's list in the section; the size of the section if it has none that
// can be read.
static uint64_t offset_of(const struct hp_range_lists *lists, struct hp_entry *entry) {
    struct hp_span bytes;
    uint64_t form;
    unsigned size = lists->forms.offset_size;
    if (!hp_entry_bytes(entry, DW_AT_ranges, &form, &bytes)) {
        return lists->section.size;
    }
    struct hp_dwarf_bytes in = read_from(lists, bytes);
    switch (form) {
    case DW_FORM_sec_offset:
        return hp_dwarf_take_number(&in, size);
    case DW_FORM_data4:
        return hp_dwarf_take_number(&in, 4);
    case DW_FORM_data8:
        return hp_dwarf_take_number(&in, 8);
    case DW_FORM_rnglistx: {
        uint64_t i = hp_dwarf_take_leb128(&in);
        bool fits = i < lists->section.size / size && lists->from < lists->section.size;
        in =
            read_from(lists, hp_section_from(lists->section,
                                             fits ? lists->from + i * size : UINT64_MAX));
        uint64_t offset = hp_dwarf_take_number(&in, size);
        return in.bad ? lists->section.size : lists->from + offset;
    }
    default:
        return lists->section.size;
    }
}

// Read an address by its index in .debug_addr.
static uint64_t take_indexed(const struct hp_range_lists *lists,
                             struct hp_dwarf_bytes *in) {
    uint64_t i = hp_dwarf_take_leb128(in);
    bool fits = i < lists->addresses.size / lists->forms.address_size;
    struct hp_dwarf_bytes at =
        read_from(lists,
                  hp_section_from(lists->addresses,
                                  fits ? i * lists->forms.address_size : UINT64_MAX));
    uint64_t address = hp_dwarf_take_number(&at, lists->forms.address_size);
    in->bad |= at.bad;
    return address;
}

// Read a pair of DWARF 4.  Returns whether it is a range, and not a base or the end.
static bool take_pair(const struct hp_range_lists *lists, struct hp_dwarf_bytes *in,
                      uint64_t *base, uint64_t *low, uint64_t *high) {
    uint64_t last = lists->forms.address_size == 8 ? UINT64_MAX : UINT32_MAX;
    *low = hp_dwarf_take_number(in, lists->forms.address_size);
    *high = hp_dwarf_take_number(in, lists->forms.address_size);
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

// Read an entry of DWARF 5.  Returns whether it is a range.
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
        *base = hp_dwarf_take_number(in, lists->forms.address_size);
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
        *low = hp_dwarf_take_number(in, lists->forms.address_size);
        *high = hp_dwarf_take_number(in, lists->forms.address_size);
        return true;
    case DW_RLE_start_length:
        *low = hp_dwarf_take_number(in, lists->forms.address_size);
        *high = *low + hp_dwarf_take_leb128(in);
        return true;
    default:
        in->bad = true;
        return false;
    }
}

ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists, struct hp_entry *entry,
                              ptrdiff_t at, uint64_t *base, uint64_t *low,
                              uint64_t *high) {
    *base = at == 0 ? lists->base : *base;
    uint64_t offset = at == 0 ? offset_of(lists, entry) : (uint64_t)at;
    struct hp_dwarf_bytes in = read_from(lists, hp_section_from(lists->section, offset));
    bool is_range = false;
    for (int i = 0; i < MOST_BASES && !in.bad && !is_range && in.at < in.end; i++) {
        is_range = lists->forms.version >= 5 ? take_entry(lists, &in, base, low, high)
                                             : take_pair(lists, &in, base, low, high);
    }
    return in.bad ? -1 : is_range ? (const char *)in.at - lists->section.at : 0;
}

#include "sym/die_cursor.h"

#include "sym/dwarf_bytes.h"

#include <dwarf.h>

// --- range list ------------------------------------------------------------------------

// DWARF 4, section 2.17.3: pairs of addresses relative to the base of the unit.  The
// largest address as the first of a pair sets another base; two zeros end the list.  The
// lists are in the file of the skeleton, which says where those of the unit begin
// (DW_AT_GNU_ranges_base).
//
// DWARF 5, sections 2.17.3 and 7.28: entries that begin with their kind, in the file of
// the unit.

enum {
    MOST_BASES = 64 // entries of a list without a range before one with a range
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

// A reader of `bytes`, which is `bad` if there are none.
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

// Read a pair of a range list of DWARF 4.  Returns whether it is a range, and not a base
// address or the end of the list.
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

// Read an entry of a range list of DWARF 5.  Returns whether it is a range.
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

// --- die cursor ------------------------------------------------------------------------

// --- units -----------------------------------------------------------------------------

// Begin to visit the entries of a unit.  If `abbreviations` is NULL, libdw reads all of
// its entries.
static void set_out(struct hp_die_cursor *cursor, struct hp_entry *unit,
                    struct hp_entry *skeleton,
                    const struct hp_abbreviations *abbreviations) {
    cursor->unit = *unit;
    cursor->is_split = !hp_entry_shares_unit(unit, skeleton);
    cursor->abbreviations = abbreviations;
    cursor->by_libdw = abbreviations == NULL;
    if (cursor->by_libdw) {
        hp_entry_for_libdw(&cursor->unit);
        return;
    }
    cursor->forms = unit->unit->forms;
    cursor->begin = unit->unit->begin;
    cursor->end = unit->unit->end;
}

// Find the part of .debug_addr and the range lists that belong to a unit.
static void find_lists(struct hp_die_cursor *cursor, struct hp_entry *unit,
                       struct hp_entry *skeleton) {
    if (cursor->by_libdw && !cursor->is_split) {
        return; // libdw finds these itself
    }
    cursor->addresses = hp_entry_addresses(skeleton);
    hp_range_lists_of(&cursor->lists, unit, skeleton, cursor->addresses);
}

void hp_die_cursor_begin(struct hp_die_cursor *cursor, struct hp_entry *unit,
                         struct hp_entry *skeleton) {
    struct hp_debug_info *info = unit->unit ? unit->unit->info : NULL;
    uint64_t before = info ? info->work : 0;
    set_out(cursor, unit, skeleton,
            info ? hp_dwarf_unit_abbreviations(unit->unit) : NULL);
    uint64_t read = info ? before - info->work : 0;
    cursor->budget -= read < cursor->budget ? read : cursor->budget;
    find_lists(cursor, unit, skeleton);
}

void hp_die_cursor_look(struct hp_die_cursor *cursor, struct hp_entry *unit) {
    const struct hp_abbreviation *one = hp_entry_abbreviation(unit);
    set_out(cursor, unit, unit, one ? unit->unit->table : NULL);
    if (one && one->addresses != HP_ADDRESSES_NONE) {
        find_lists(cursor, unit, unit);
    }
}

// --- entries ---------------------------------------------------------------------------

// Read a number of `size` bytes; 0: a LEB128.
static uint64_t take(struct hp_dwarf_bytes *in, unsigned size) {
    return size > 0 ? hp_dwarf_take_number(in, size) : hp_dwarf_take_leb128(in);
}

// Read the offset of a sibling and return its first byte.  As in libdw, a sibling that is
// not after the entry ends the siblings: the end of the unit is returned.
static const unsigned char *take_sibling(const struct hp_die_cursor *cursor,
                                         const struct hp_die *die,
                                         struct hp_dwarf_bytes *in, unsigned size) {
    uint64_t offset = take(in, size);
    bool is_ahead = offset < (uint64_t)(cursor->end - cursor->begin) &&
                    offset > (uint64_t)(die->at - cursor->begin);
    return is_ahead ? cursor->begin + offset : cursor->end;
}

// Read or skip the attribute of a step.
static void run_step(const struct hp_die_cursor *cursor, struct hp_die *die,
                     struct hp_dwarf_bytes *in, const struct hp_die_step *step) {
    switch ((enum hp_die_action)step->action) {
    case HP_DIE_DONE:
        break;
    case HP_DIE_LEB128:
        hp_dwarf_take_leb128(in);
        break;
    case HP_DIE_STRING:
        hp_dwarf_take_string(in);
        break;
    case HP_DIE_BLOCK:
        hp_dwarf_take(in, take(in, step->size));
        break;
    case HP_DIE_SIBLING:
        die->next = take_sibling(cursor, die, in, step->size);
        break;
    case HP_DIE_LOW:
        die->low = take(in, step->size);
        die->found += !in->bad;
        break;
    case HP_DIE_HIGH:
    case HP_DIE_SIZE:
        die->high = take(in, step->size);
        die->found += !in->bad;
        break;
    }
}

// Read the entry at `at` into `die`.  Returns false at the end of siblings, where
// die->past is the byte after that end, and if the bytes are no entry.  As in libdw, an
// end is a code of one byte; a 0 in several bytes ends all entries.
static bool read_entry(const struct hp_die_cursor *cursor, const unsigned char *at,
                       struct hp_die *die) {
    const struct hp_abbreviations *all = cursor->abbreviations;
    struct hp_dwarf_bytes in = {.at = at,
                                .end = cursor->end,
                                .is_big_endian = cursor->forms.is_big_endian};
    uint64_t code = hp_dwarf_take_leb128(&in);
    die->at = at;
    at = in.at;
    die->next = NULL;
    die->abbreviation = NULL;
    die->found = 0;
    if (code == 0 || code >= all->by_code.count || all->by_code.at[code].tag == 0) {
        die->past = code == 0 && in.at == die->at + 1 ? in.at : cursor->end;
        return false;
    }
    die->abbreviation = &all->by_code.at[code];
    const struct hp_die_step *step = &all->steps.at[die->abbreviation->first_step];
    while (step->skipped <= (size_t)(cursor->end - at)) {
        at += step->skipped;
        if (step->action == HP_DIE_DONE) {
            die->past = at;
            return true;
        }
        in.at = at;
        run_step(cursor, die, &in, step++);
        at = in.bad ? cursor->end : in.at;
    }
    die->past = cursor->end;
    return true;
}

// The abbreviation of the entry at `at`, whose code has `*size` bytes.  NULL if it has
// none, or a code longer than two bytes or than needed, which read_entry() handles.
static inline const struct hp_abbreviation *abbreviation_at(
    const struct hp_die_cursor *cursor, const unsigned char *at, size_t *size) {
    const struct hp_abbreviations *all = cursor->abbreviations;
    size_t left = (size_t)(cursor->end - at);
    uint64_t code = left > 0 ? at[0] : 0;
    *size = 1;
    if (code >= 0x80) {
        code = left > 1 && at[1] > 0 && at[1] < 0x80
                   ? (code & 0x7f) | (uint64_t)at[1] << 7
                   : 0;
        *size = 2;
    }
    return code > 0 && code < all->by_code.count && all->by_code.at[code].tag != 0
               ? &all->by_code.at[code]
               : NULL;
}

// Whether an entry with this abbreviation has a fixed size and is inside the unit.
static inline bool is_fixed(const struct hp_die_cursor *cursor, const unsigned char *at,
                            const struct hp_abbreviation *one) {
    return one && one->fixed > 0 && one->fixed <= (size_t)(cursor->end - at);
}

// The byte after the attributes that begin at `at`.  NULL if sizes in it have more than
// one byte, or it has a string or a sibling.
static const unsigned char *pass_attributes(const struct hp_die_cursor *cursor,
                                            const struct hp_abbreviation *one,
                                            const unsigned char *at) {
    const struct hp_die_step *step = &cursor->abbreviations->steps.at[one->first_step];
    for (;; step++) {
        size_t left = (size_t)(cursor->end - at);
        if (step->skipped >= left) {
            return NULL;
        }
        at += step->skipped;
        left -= step->skipped;
        size_t size = step->size > 0 ? step->size : 1;
        bool is_long = step->size == 0 && *at >= 0x80;
        switch ((enum hp_die_action)step->action) {
        case HP_DIE_DONE:
            return at;
        case HP_DIE_BLOCK:
            size += *at;
            is_long |= step->size > 1;
            break;
        case HP_DIE_LEB128:
        case HP_DIE_LOW:
        case HP_DIE_HIGH:
        case HP_DIE_SIZE:
            break;
        case HP_DIE_STRING:
        case HP_DIE_SIBLING:
            return NULL;
        }
        if (is_long || size > left) {
            return NULL;
        }
        at += size;
    }
}

// Whether an entry of that size reaches past cursor->stop.
static bool reaches_past_stop(const struct hp_die_cursor *cursor, const unsigned char *at,
                              uint32_t size) {
    return cursor->stop && (at >= cursor->stop || size > (size_t)(cursor->stop - at));
}

// Skip entries without children and addresses, which cannot contain an address.  Returns
// the first other entry.
static const unsigned char *pass_plain(struct hp_die_cursor *cursor,
                                       const unsigned char *at) {
    const struct hp_abbreviation *one;
    size_t size;
    while (cursor->budget > 0 &&
           is_fixed(cursor, at, one = abbreviation_at(cursor, at, &size)) &&
           !one->has_children && one->addresses == HP_ADDRESSES_NONE &&
           !reaches_past_stop(cursor, at, one->fixed)) {
        at += one->fixed;
        cursor->budget--;
    }
    return at;
}

// Skip the children that begin at `at`, with all their descendants.  Returns the byte
// after them.
static const unsigned char *pass_children(struct hp_die_cursor *cursor,
                                          const unsigned char *at) {
    struct hp_die die;
    size_t depth = 1;
    while (depth > 0 && at < cursor->end && hp_die_spend(cursor)) {
        if (*at == 0) { // end of siblings
            depth--;
            at++;
            continue;
        }
        size_t size;
        const struct hp_abbreviation *one = abbreviation_at(cursor, at, &size);
        const unsigned char *past = !one ? NULL
                                    : is_fixed(cursor, at, one)
                                        ? at + one->fixed
                                        : pass_attributes(cursor, one, at + size);
        if (past) {
            depth += one->has_children;
            at = past;
        } else if (!read_entry(cursor, at, &die)) {
            depth--;
            at = die.past;
        } else if (die.next) {
            at = die.next;
        } else {
            depth += die.abbreviation->has_children;
            at = die.past;
        }
    }
    return depth > 0 ? cursor->end : at;
}

void hp_die_of_unit(const struct hp_die_cursor *cursor, struct hp_die *die) {
    if (cursor->by_libdw) {
        *die = (struct hp_die){.libdw = cursor->unit.libdw};
    } else {
        read_entry(cursor, cursor->unit.at, die);
    }
}

bool hp_die_child(struct hp_die_cursor *cursor, struct hp_die *parent,
                  struct hp_die *child) {
    if (cursor->by_libdw) {
        Dwarf_Die die = parent->libdw;
        *child = (struct hp_die){0};
        return die.addr && dwarf_child(&die, &child->libdw) == 0;
    }
    if (!parent->abbreviation || !parent->abbreviation->has_children) {
        return false;
    }
    const unsigned char *first = pass_plain(cursor, parent->past);
    bool is_there = first < cursor->end && read_entry(cursor, first, child);
    if (!is_there && first < cursor->end) {
        hp_die_leave(parent, child);
    }
    return is_there;
}

bool hp_die_next(struct hp_die_cursor *cursor, struct hp_die *die) {
    if (cursor->by_libdw) {
        return dwarf_siblingof(&die->libdw, &die->libdw) == 0;
    }
    const unsigned char *next = die->next ? die->next
                                : die->abbreviation->has_children
                                    ? pass_children(cursor, die->past)
                                    : die->past;
    die->past = cursor->end;
    next = pass_plain(cursor, next);
    return next < cursor->end ? read_entry(cursor, next, die)
                              : (die->abbreviation = NULL, false);
}

unsigned hp_die_tag(struct hp_die_cursor *cursor, struct hp_die *die) {
    return cursor->by_libdw ? (unsigned)dwarf_tag(&die->libdw) : die->abbreviation->tag;
}

struct hp_entry hp_die_entry(const struct hp_die_cursor *cursor,
                             const struct hp_die *die) {
    return cursor->by_libdw ? hp_entry_of_libdw(&die->libdw)
                            : (struct hp_entry){.unit = cursor->unit.unit, .at = die->at};
}

// The low address of an entry, from .debug_addr if it is an index.  False unless the
// entry has a pair of addresses that was read.
static bool find_low(const struct hp_die_cursor *cursor, const struct hp_die *die,
                     uint64_t *low) {
    size_t size = cursor->forms.address_size;
    *low = die->low;
    if (die->abbreviation->addresses == HP_ADDRESSES_INDEXED) {
        if (die->low >= cursor->addresses.size / size) {
            return false;
        }
        const char *at = cursor->addresses.at + die->low * size;
        *low =
            hp_dwarf_number((const unsigned char *)at, size, cursor->forms.is_big_endian);
    }
    return die->abbreviation->addresses < HP_ADDRESSES_LIST && die->found == 2;
}

// Read a range that only libdw can read, or a range list of a split unit.
static ptrdiff_t foreign_range(struct hp_die_cursor *cursor, const struct hp_die *die,
                               ptrdiff_t at, uint64_t *base, uint64_t *low,
                               uint64_t *high) {
    struct hp_entry entry = hp_die_entry(cursor, die);
    if (cursor->is_split && hp_entry_has(&entry, DW_AT_ranges)) {
        return hp_range_lists_next(&cursor->lists, &entry, at, base, low, high);
    }
    Dwarf_Die *libdw = hp_entry_for_libdw(&entry);
    return libdw ? dwarf_ranges(libdw, at, base, low, high) : -1;
}

ptrdiff_t hp_die_range(struct hp_die_cursor *cursor, const struct hp_die *die,
                       ptrdiff_t at, uint64_t *base, uint64_t *low, uint64_t *high) {
    if (cursor->by_libdw) {
        return foreign_range(cursor, die, at, base, low, high);
    }
    if (die->abbreviation->addresses == HP_ADDRESSES_NONE) {
        return 0;
    }
    if (find_low(cursor, die, low)) {
        *high = die->high + (die->abbreviation->has_size ? *low : 0);
        return at == 0;
    }
    if (die->abbreviation->addresses == HP_ADDRESSES_LIST) {
        struct hp_entry entry = hp_die_entry(cursor, die);
        if (!hp_range_lists_lack(&cursor->lists, &entry)) {
            return hp_range_lists_next(&cursor->lists, &entry, at, base, low, high);
        }
    }
    return foreign_range(cursor, die, at, base, low, high);
}

#include "sym/die_cursor.h"

#include "sym/dwarf_bytes.h"
#include "sym/image.h"

#include <dwarf.h>

bool hp_dies_by_libdw;

// --- units -----------------------------------------------------------------------------

static bool holds(struct hp_span section, const void *at) {
    const char *byte = at;
    return section.size > 0 && byte >= section.at && byte < section.at + section.size;
}

static bool find_sections(struct hp_die_cursor *cursor) {
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(cursor->unit.cu));
    cursor->info = hp_elf_section(elf, ".debug_info");
    cursor->abbrev = hp_elf_section(elf, ".debug_abbrev");
    return holds(cursor->info, cursor->unit.addr);
}

// The head of the unit, which libdw has read; where its abbreviations are.
static bool read_head(struct hp_die_cursor *cursor, uint64_t *abbreviations) {
    const unsigned char *section = (const unsigned char *)cursor->info.at;
    const unsigned char *entry = cursor->unit.addr;
    Dwarf_Off distance = dwarf_cuoffset(&cursor->unit);
    if (distance > (uint64_t)(entry - section)) {
        return false;
    }
    struct hp_dwarf_bytes in = {.at = entry - distance,
                                .end = section + cursor->info.size,
                                .is_big_endian = cursor->forms.is_big_endian};
    struct hp_die_forms *forms = &cursor->forms;
    cursor->begin = in.at;
    uint64_t size = hp_dwarf_take_number(&in, 4);
    forms->offset_size = size == UINT32_MAX ? 8 : 4;
    size = size == UINT32_MAX ? hp_dwarf_take_number(&in, 8) : size;
    hp_dwarf_end_after(&in, size);
    forms->version = (unsigned)hp_dwarf_take_number(&in, 2);
    if (forms->version >= 5) {
        hp_dwarf_take_number(&in, 1);
        forms->address_size = (unsigned)hp_dwarf_take_number(&in, 1);
    }
    *abbreviations = hp_dwarf_take_number(&in, forms->offset_size);
    if (forms->version < 5) {
        forms->address_size = (unsigned)hp_dwarf_take_number(&in, 1);
    }
    cursor->end = in.end;
    return !in.bad && entry < in.end && forms->version >= 2 && forms->version <= 5 &&
           (forms->address_size == 4 || forms->address_size == 8);
}

static bool is_big_endian(Dwarf_Die *unit) {
    const char *identity = elf_getident(dwarf_getelf(dwarf_cu_getdwarf(unit->cu)), NULL);
    return identity && identity[EI_DATA] == ELFDATA2MSB;
}

struct hp_span hp_die_addresses(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    Dwarf_Word base;
    struct hp_span none = {"", 0};
    if (!dwarf_attr(unit, DW_AT_addr_base, &attribute) &&
        !dwarf_attr(unit, DW_AT_GNU_addr_base, &attribute)) {
        return none;
    }
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
    struct hp_span section = hp_elf_section(elf, ".debug_addr");
    return dwarf_formudata(&attribute, &base) == 0 && base < section.size
               ? (struct hp_span){section.at + base, section.size - base}
               : none;
}

void hp_die_cursor_begin(struct hp_die_cursor *cursor, Dwarf_Die *unit,
                         Dwarf_Die *skeleton) {
    struct hp_abbreviations *all = &cursor->abbreviations;
    uint64_t offset;
    cursor->unit = *unit;
    cursor->by_libdw = true;
    cursor->is_split = unit->cu != skeleton->cu;
    cursor->addresses = hp_die_addresses(skeleton);
    if (cursor->is_split) {
        hp_range_lists_of(&cursor->lists, unit, skeleton, cursor->addresses);
    }
    if (hp_dies_by_libdw ||
        (!holds(cursor->info, unit->addr) && !find_sections(cursor))) {
        return;
    }
    cursor->forms.is_big_endian = is_big_endian(unit);
    if (read_head(cursor, &offset) &&
        hp_abbreviations_read(all, cursor->abbrev, offset, &cursor->forms)) {
        cursor->by_libdw = false;
        cursor->budget -= all->size < cursor->budget ? all->size : cursor->budget;
    }
}

void hp_die_cursor_forget(struct hp_die_cursor *cursor) {
    cursor->info = (struct hp_span){"", 0};
    cursor->abbreviations.at = NULL;
}

void hp_die_cursor_done(struct hp_die_cursor *cursor) {
    hp_abbreviations_done(&cursor->abbreviations);
}

// --- entries ---------------------------------------------------------------------------

static uint64_t take(struct hp_dwarf_bytes *in, unsigned size) {
    return size > 0 ? hp_dwarf_take_number(in, size) : hp_dwarf_take_leb128(in);
}

// As libdw has it, that which does not go forwards ends the siblings.
static const unsigned char *take_sibling(const struct hp_die_cursor *cursor,
                                         const struct hp_die *die,
                                         struct hp_dwarf_bytes *in, unsigned size) {
    uint64_t offset = take(in, size);
    bool is_ahead = offset < (uint64_t)(cursor->end - cursor->begin) &&
                    offset > (uint64_t)(die->at - cursor->begin);
    return is_ahead ? cursor->begin + offset : cursor->end;
}

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

// The entry at `at`.  False where siblings end, die->behind being behind that end then, or where
// there is nothing that could be one: for libdw an end is one byte, and what it writes in several
// is behind all entries.
static bool read_entry(const struct hp_die_cursor *cursor, const unsigned char *at,
                       struct hp_die *die) {
    const struct hp_abbreviations *all = &cursor->abbreviations;
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
        die->behind = code == 0 && in.at == die->at + 1 ? in.at : cursor->end;
        return false;
    }
    die->abbreviation = &all->by_code.at[code];
    const struct hp_die_step *step = &all->steps.at[die->abbreviation->first_step];
    while (step->skipped <= (size_t)(cursor->end - at)) {
        at += step->skipped;
        if (step->action == HP_DIE_DONE) {
            die->behind = at;
            return true;
        }
        in.at = at;
        run_step(cursor, die, &in, step++);
        at = in.bad ? cursor->end : in.at;
    }
    die->behind = cursor->end;
    return true;
}

// Of the entry at `at`, whose code is of `*size` bytes; NULL: it has none, or one that is written longer
// than need be, which is left to others.
static inline const struct hp_abbreviation *abbreviation_at(
    const struct hp_die_cursor *cursor, const unsigned char *at, size_t *size) {
    const struct hp_abbreviations *all = &cursor->abbreviations;
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

// If it says how large its entries are, and one is there.
static inline bool is_fixed(const struct hp_die_cursor *cursor, const unsigned char *at,
                            const struct hp_abbreviation *one) {
    return one && one->fixed > 0 && one->fixed <= (size_t)(cursor->end - at);
}

// Behind what an entry has behind its code, if sizes in it are of one byte and no sibling is told;
// else NULL.
static const unsigned char *pass_attributes(const struct hp_die_cursor *cursor,
                                            const struct hp_abbreviation *one,
                                            const unsigned char *at) {
    const struct hp_die_step *step = &cursor->abbreviations.steps.at[one->first_step];
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

static bool is_behind_stop(const struct hp_die_cursor *cursor, const unsigned char *at,
                           uint32_t size) {
    return cursor->stop && (at >= cursor->stop || size > (size_t)(cursor->stop - at));
}

// Behind entries that have neither children nor addresses, and so hold nothing.
static const unsigned char *pass_plain(struct hp_die_cursor *cursor,
                                       const unsigned char *at) {
    const struct hp_abbreviation *one;
    size_t size;
    while (cursor->budget > 0 &&
           is_fixed(cursor, at, one = abbreviation_at(cursor, at, &size)) &&
           !one->has_children && one->addresses == HP_ADDRESSES_NONE &&
           !is_behind_stop(cursor, at, one->fixed)) {
        at += one->fixed;
        cursor->budget--;
    }
    return at;
}

// Behind the children that begin at `at`, those of depth as well.
static const unsigned char *pass_children(struct hp_die_cursor *cursor,
                                          const unsigned char *at) {
    struct hp_die die;
    size_t depth = 1;
    while (depth > 0 && at < cursor->end && hp_die_spend(cursor)) {
        if (*at == 0) { // siblings end
            depth--;
            at++;
            continue;
        }
        size_t size;
        const struct hp_abbreviation *one = abbreviation_at(cursor, at, &size);
        const unsigned char *behind = !one ? NULL
                                      : is_fixed(cursor, at, one)
                                          ? at + one->fixed
                                          : pass_attributes(cursor, one, at + size);
        if (behind) {
            depth += one->has_children;
            at = behind;
        } else if (!read_entry(cursor, at, &die)) {
            depth--;
            at = die.behind;
        } else if (die.next) {
            at = die.next;
        } else {
            depth += die.abbreviation->has_children;
            at = die.behind;
        }
    }
    return depth > 0 ? cursor->end : at;
}

void hp_die_of_unit(const struct hp_die_cursor *cursor, struct hp_die *die) {
    if (cursor->by_libdw) {
        *die = (struct hp_die){.libdw = cursor->unit};
    } else {
        read_entry(cursor, cursor->unit.addr, die);
    }
}

bool hp_die_child(struct hp_die_cursor *cursor, struct hp_die *parent,
                  struct hp_die *child) {
    if (cursor->by_libdw) {
        Dwarf_Die die = parent->libdw;
        *child = (struct hp_die){0};
        return dwarf_child(&die, &child->libdw) == 0;
    }
    if (!parent->abbreviation || !parent->abbreviation->has_children) {
        return false;
    }
    const unsigned char *first = pass_plain(cursor, parent->behind);
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
                                    ? pass_children(cursor, die->behind)
                                    : die->behind;
    die->behind = cursor->end;
    next = pass_plain(cursor, next);
    return next < cursor->end ? read_entry(cursor, next, die)
                              : (die->abbreviation = NULL, false);
}

unsigned hp_die_tag(struct hp_die_cursor *cursor, struct hp_die *die) {
    return cursor->by_libdw ? (unsigned)dwarf_tag(&die->libdw) : die->abbreviation->tag;
}

bool hp_die_for_libdw(struct hp_die_cursor *cursor, const struct hp_die *die,
                      Dwarf_Die *libdw) {
    if (cursor->by_libdw) {
        *libdw = die->libdw;
        return true;
    }
    unsigned char *at = (unsigned char *)cursor->unit.addr +
                        (die->at - (const unsigned char *)cursor->unit.addr);
    return dwarf_die_addr_die(dwarf_cu_getdwarf(cursor->unit.cu), at, libdw) != NULL;
}

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
    return die->abbreviation->addresses != HP_ADDRESSES_FOREIGN && die->found == 2;
}

static ptrdiff_t foreign_range(struct hp_die_cursor *cursor, Dwarf_Die *die, ptrdiff_t at,
                               uint64_t *base, uint64_t *low, uint64_t *high) {
    Dwarf_Attribute list;
    return cursor->is_split && dwarf_attr(die, DW_AT_ranges, &list)
               ? hp_range_lists_next(&cursor->lists, &list, at, base, low, high)
               : dwarf_ranges(die, at, base, low, high);
}

ptrdiff_t hp_die_range(struct hp_die_cursor *cursor, struct hp_die *die, ptrdiff_t at,
                       uint64_t *base, uint64_t *low, uint64_t *high) {
    if (cursor->by_libdw) {
        return foreign_range(cursor, &die->libdw, at, base, low, high);
    }
    if (die->abbreviation->addresses == HP_ADDRESSES_NONE) {
        return 0;
    }
    if (find_low(cursor, die, low)) {
        *high = die->high + (die->abbreviation->has_size ? *low : 0);
        return at == 0;
    }
    if (at == 0 && !hp_die_for_libdw(cursor, die, &die->libdw)) {
        return -1;
    }
    return foreign_range(cursor, &die->libdw, at, base, low, high);
}

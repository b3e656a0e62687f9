#include "sym/abbreviations.h"

#include <dwarf.h>

enum {
    MOST_CODES = 1 << 16,   // largest code of an abbreviation
    MOST_SKIPPED = 1 << 20, // bytes that one step skips
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
    // Bytes since the last step.
    uint32_t skipped;
    uint64_t size;   // bytes of the attributes with a fixed size
    bool is_varying; // there are attributes with a varying size
    // Attributes of that name were found.
    bool has_sibling, has_low, has_high, has_ranges;
    // Attributes have a form that is read here.
    bool is_low_known, is_high_known, is_indexed, is_size;
};

// Append a step, which first skips what was collected so far.
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

// Append the step of a low address.  False if it is not read here and has to be skipped
// as others are.
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
// its form is not read here: it is skipped as others are.
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

// Bytes of a code as a LEB128.
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

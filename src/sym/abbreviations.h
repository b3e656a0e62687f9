// How the entries of a unit are laid out: its abbreviations, as steps over an entry's bytes.
#ifndef HP_SYM_ABBREVIATIONS_H
#define HP_SYM_ABBREVIATIONS_H

#include "base/span.h"
#include "base/vec.h"
#include "sym/dwarf_bytes.h"

#include <stdbool.h>
#include <stdint.h>

// What an entry says itself of the addresses it has.
enum hp_die_addresses {
    HP_ADDRESSES_NONE,
    HP_ADDRESSES_PAIR,    // first and end, or first and size, read with the entry
    HP_ADDRESSES_INDEXED, // the same, the first by its number in .debug_addr
    HP_ADDRESSES_LIST,    // a list
    HP_ADDRESSES_FOREIGN, // in a form that libdw has to read
};

enum hp_die_action {
    HP_DIE_DONE,
    HP_DIE_LEB128,
    HP_DIE_STRING,
    HP_DIE_BLOCK,   // behind its size of `size` bytes; 0: a LEB128
    HP_DIE_SIBLING, // a place in the unit, of `size` bytes; 0: a LEB128
    HP_DIE_LOW,     // the first address, or its number, of `size` bytes; 0: a LEB128
    HP_DIE_HIGH,    // the one behind the last
    HP_DIE_SIZE,    // or how many they are
};

// Pass over `skipped` bytes, then do something.
struct hp_die_step {
    uint32_t skipped;
    uint8_t action, size;
};

struct hp_abbreviation {
    uint32_t tag; // 0: there is none with this code
    uint32_t first_step;
    uint32_t declared; // where its attributes are declared, behind hp_abbreviations.at
    uint32_t names;    // a bit for each of its attributes, HP_NAME_BIT()
    uint32_t fixed; // bytes of each of its entries; 0: that differs, or siblings are told
    bool has_children, has_size;
    uint8_t addresses; // enum hp_die_addresses
};

// What the forms of a unit depend on.
struct hp_die_forms {
    unsigned version, offset_size, address_size;
    bool is_big_endian;
};

// Several names share one: what it does not say of one is not there.
#define HP_NAME_BIT(name) (UINT32_C(1) << (name) % 32)

// {0} is empty.
struct hp_abbreviations {
    struct hp_die_forms forms;
    const char *at, *end; // where they begin, and the section ends
    uint64_t size;        // of the bytes that were read
    bool is_whole;        // there are no more that can be read
    bool is_known;        // each of the entries can be passed over
    HP_VEC(struct hp_abbreviation) by_code;
    HP_VEC(struct hp_die_step) steps;
};

// Set out for those that begin at `offset` of .debug_abbrev.
void hp_abbreviations_begin(struct hp_abbreviations *abbreviations,
                            struct hp_span section, uint64_t offset,
                            const struct hp_die_forms *forms);

// Read on until there is one with this code, as far as all before it are known; or NULL.
const struct hp_abbreviation *hp_abbreviations_reach(
    struct hp_abbreviations *abbreviations, uint64_t code);

// Read all.  False if one is of no known form, or they are too many or contradict themselves.
bool hp_abbreviations_finish(struct hp_abbreviations *abbreviations);

void hp_abbreviations_done(struct hp_abbreviations *abbreviations);

// How many bytes a value of this form has.  False, and 0, if that is not of all the same, or not known.
bool hp_form_size(const struct hp_die_forms *forms, uint64_t form, unsigned *size);

// Is a value of this form the number of an address in .debug_addr?
bool hp_form_is_address_index(uint64_t form);

// Pass over a value of this form.  False if it is not known.
bool hp_form_pass(const struct hp_die_forms *forms, uint64_t form,
                  struct hp_dwarf_bytes *in);

#endif

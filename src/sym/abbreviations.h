// How the entries of a unit are laid out: its abbreviations, as steps over an entry's bytes.
#ifndef HP_SYM_ABBREVIATIONS_H
#define HP_SYM_ABBREVIATIONS_H

#include "base/span.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// What an entry says itself of the addresses it has.
enum hp_die_addresses {
    HP_ADDRESSES_NONE,
    HP_ADDRESSES_PAIR,    // first and end, or first and size, read with the entry
    HP_ADDRESSES_INDEXED, // the same, the first by its number in .debug_addr
    HP_ADDRESSES_FOREIGN, // a list, or in a form that libdw has to read
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
    uint32_t fixed; // bytes of each of its entries; 0: that differs, or siblings are told
    bool has_children, has_size;
    uint8_t addresses; // enum hp_die_addresses
};

// What the forms of a unit depend on.
struct hp_die_forms {
    unsigned version, offset_size, address_size;
    bool is_big_endian;
};

// {0} is empty.
struct hp_abbreviations {
    struct hp_die_forms forms;
    const char *at; // where they begin in the section
    uint64_t size;  // of the bytes that were read
    bool is_known;  // each of the entries can be passed over
    HP_VEC(struct hp_abbreviation) by_code;
    HP_VEC(struct hp_die_step) steps;
};

// Those that begin at `offset` of .debug_abbrev: what was read last is read once.  False if one is
// of no known form, or they are too many or contradict themselves.
bool hp_abbreviations_read(struct hp_abbreviations *abbreviations, struct hp_span section,
                           uint64_t offset, const struct hp_die_forms *forms);

void hp_abbreviations_done(struct hp_abbreviations *abbreviations);

#endif

// Addresses of generated code in a dump, and the interface that finds their names.
#ifndef HP_MODEL_JIT_ADDRESSES_H
#define HP_MODEL_JIT_ADDRESSES_H

#include "base/vec.h"
#include "model/dump.h"

// An address whose name is wanted.  A function that contains it must lie in [low, high):
// the mappings of generated code around it, or the gap in the map.
struct hp_jit_address {
    uint64_t address, low, high;
    char *name;      // text of the last entry that contains it; NULL: none.  Owned
    size_t size;     // bytes of `name`
    bool has_others; // an earlier entry has another name
    char *file;      // file and line, if known apart from the name; owned
    char *next_file; // those of the code that is read next; owned
    uint32_t line, next_line;
};

// The addresses of a dump whose names are wanted, sorted by address.  {0} is empty.
struct hp_jit_addresses {
    HP_VEC(struct hp_jit_address) of;
    // When the dump was complete, in nanoseconds of the machine's CLOCK_MONOTONIC: code that
    // a jitdump records later is not in the dump.  0: unknown.
    uint64_t until;
};

// Finds the names of generated code.
struct hp_jit_namer {
    // Embeds names in the dump, for those of the addresses that have one.
    void (*name)(struct hp_jit_namer *namer, struct hp_dump *dump,
                 struct hp_jit_addresses *addresses);
};

// Return the first address that is not before `start`, or the number of addresses.
size_t hp_jit_addresses_from(const struct hp_jit_addresses *addresses, uint64_t start);

// Sort addresses, and remove those that are there twice.
void hp_jit_addresses_sort(struct hp_jit_addresses *addresses);

// Free the names, and remove all addresses.
void hp_jit_addresses_clear(struct hp_jit_addresses *addresses);
void hp_jit_addresses_done(struct hp_jit_addresses *addresses);

#endif

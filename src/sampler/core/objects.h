// Which recorded objects are alive: a table from addresses to what is known of them.
#ifndef HPS_CORE_OBJECTS_H
#define HPS_CORE_OBJECTS_H

#include "sampler/core/ledger.h"

struct hps_object {
    uintptr_t address; // not 0
    uint64_t usize;
    struct hps_ledger_line *sampled, *exact; // where it is counted; either may be NULL
};

enum {
    HPS_OBJECTS_MARKS = 1 << 15
};

// {0} is an empty table.
struct hps_objects {
    struct hps_object *slots;
    size_t room, count; // room is 0 or a power of 2
    uint32_t
        marks[HPS_OBJECTS_MARKS]; // how many objects have which last bits of the hash
};

static inline uint64_t hps_objects_hash(uintptr_t address) {
    uint64_t hash = (uint64_t)address * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

// Whether an object may be in the table; false only if it is not.  This needs no lock: whoever
// frees an object knows of it from who put it here.
static inline bool hps_objects_may_have(const struct hps_objects *objects,
                                        uintptr_t address) {
    const uint32_t *mark = &objects->marks[hps_objects_hash(address) % HPS_OBJECTS_MARKS];
    return __atomic_load_n(mark, __ATOMIC_RELAXED) > 0;
}

// Count an address as one that the table may have, or with -1 no longer.
void hps_objects_mark(struct hps_objects *objects, uintptr_t address, int change);

// False without memory.  The address must not be in the table yet.
bool hps_objects_put(struct hps_objects *objects, const struct hps_object *object);

// Move an object out of the table; false if there is none at the address.
bool hps_objects_take(struct hps_objects *objects, uintptr_t address,
                      struct hps_object *object);

#endif

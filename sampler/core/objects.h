// A table of recorded objects that are alive, by their addresses.
#ifndef HPS_CORE_OBJECTS_H
#define HPS_CORE_OBJECTS_H

#include "core/ledger.h"

// A recorded object.
struct hps_object {
    uintptr_t address; // not 0
    uint64_t usize;    // usable bytes
    // Lines that it was added to; either may be NULL.
    struct hps_ledger_line *sampled, *exact;
};

enum {
    HPS_OBJECTS_MARKS = 1 << 15 // counters of hps_objects.marks
};

// The table, with open addressing.  {0} is an empty table.
struct hps_objects {
    struct hps_object *slots;
    size_t room, count; // room is 0 or a power of 2
    // Number of objects by the last bits of their hash, for hps_objects_may_have().
    uint32_t marks[HPS_OBJECTS_MARKS];
};

// Hash of an address, for slots and marks.
static inline uint64_t hps_objects_hash(uintptr_t address) {
    uint64_t hash = (uint64_t)address * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

// Whether the table may contain the address; false is certain.  Needs no lock: a thread
// that frees an object got its address from the thread that put it here, and therefore
// sees the mark.
static inline bool hps_objects_may_have(const struct hps_objects *objects,
                                        uintptr_t address) {
    const uint32_t *mark = &objects->marks[hps_objects_hash(address) % HPS_OBJECTS_MARKS];
    return __atomic_load_n(mark, __ATOMIC_RELAXED) > 0;
}

// Add `change` (1 or -1) to the mark of an address.
void hps_objects_mark(struct hps_objects *objects, uintptr_t address, int change);

// Add an object whose address is not in the table.  Returns false when out of memory.
bool hps_objects_put(struct hps_objects *objects, const struct hps_object *object);

// Remove the object at an address and store it in *object.  Returns false if there is
// none.
bool hps_objects_take(struct hps_objects *objects, uintptr_t address,
                      struct hps_object *object);

#endif

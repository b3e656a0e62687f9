// The table uses linear probing and is at most half full.  When an object is removed,
// later ones of its run are moved forward, so that no deleted slots have to be marked.
#include "core/objects.h"

enum {
    FIRST_ROOM = 1024 // slots
};

// The slot where the search for an address begins.
static size_t home(const struct hps_objects *objects, uintptr_t address) {
    return hps_objects_hash(address) & (objects->room - 1);
}

void hps_objects_mark(struct hps_objects *objects, uintptr_t address, int change) {
    uint32_t *mark = &objects->marks[hps_objects_hash(address) % HPS_OBJECTS_MARKS];
    __atomic_store_n(mark, *mark + (uint32_t)change, __ATOMIC_RELAXED);
}

// The slot after `slot`; the last one is followed by the first.
static size_t after(const struct hps_objects *objects, size_t slot) {
    return (slot + 1) & (objects->room - 1);
}

// Store an object in the first free slot.
static void place(struct hps_objects *objects, const struct hps_object *object) {
    size_t slot = home(objects, object->address);
    while (objects->slots[slot].address) {
        slot = after(objects, slot);
    }
    objects->slots[slot] = *object;
}

// Double the table if it is half full.  Returns false when out of memory.
static bool make_room(struct hps_objects *objects) {
    if (2 * objects->count < objects->room) {
        return true;
    }
    struct hps_object *old = objects->slots;
    size_t old_room = objects->room;
    size_t room = old_room ? 2 * old_room : FIRST_ROOM;
    struct hps_object *slots = hps_pages_take(room * sizeof *slots);
    if (!slots) {
        return false;
    }
    objects->slots = slots;
    objects->room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].address) {
            place(objects, &old[i]);
        }
    }
    hps_pages_return(old, old_room * sizeof *slots);
    return true;
}

bool hps_objects_put(struct hps_objects *objects, const struct hps_object *object) {
    if (!make_room(objects)) {
        return false;
    }
    place(objects, object);
    objects->count++;
    hps_objects_mark(objects, object->address, 1);
    return true;
}

// Fill the hole with later objects of the run that a search could not find across a free
// slot.
static void close_hole(struct hps_objects *objects, size_t hole) {
    size_t mask = objects->room - 1;
    for (size_t slot = after(objects, hole); objects->slots[slot].address;
         slot = after(objects, slot)) {
        size_t from_home = (slot - home(objects, objects->slots[slot].address)) & mask;
        if (from_home >= ((slot - hole) & mask)) {
            objects->slots[hole] = objects->slots[slot];
            hole = slot;
        }
    }
    objects->slots[hole].address = 0;
}

bool hps_objects_take(struct hps_objects *objects, uintptr_t address,
                      struct hps_object *object) {
    // An empty slot has address 0, and must not be found.
    if (objects->count == 0 || address == 0) {
        return false;
    }
    size_t slot = home(objects, address);
    while (objects->slots[slot].address != address) {
        if (!objects->slots[slot].address) {
            return false;
        }
        slot = after(objects, slot);
    }
    *object = objects->slots[slot];
    objects->count--;
    hps_objects_mark(objects, address, -1);
    close_hole(objects, slot);
    return true;
}

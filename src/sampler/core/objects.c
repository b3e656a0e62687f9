// Open addressing with linear probing, at most half full.  Taking an object moves later ones
// of its run forward, so that there are no gaps to remember.
#include "sampler/core/objects.h"

enum {
    FIRST_ROOM = 1024
};

static size_t home(const struct hp_objects *objects, uintptr_t address) {
    return hp_objects_hash(address) & (objects->room - 1);
}

void hp_objects_mark(struct hp_objects *objects, uintptr_t address, int change) {
    uint32_t *mark = &objects->marks[hp_objects_hash(address) % HP_OBJECTS_MARKS];
    __atomic_store_n(mark, *mark + (uint32_t)change, __ATOMIC_RELAXED);
}

static size_t after(const struct hp_objects *objects, size_t slot) {
    return (slot + 1) & (objects->room - 1);
}

static void place(struct hp_objects *objects, const struct hp_object *object) {
    size_t slot = home(objects, object->address);
    while (objects->slots[slot].address) {
        slot = after(objects, slot);
    }
    objects->slots[slot] = *object;
}

static bool make_room(struct hp_objects *objects) {
    if (2 * objects->count < objects->room) {
        return true;
    }
    struct hp_object *old = objects->slots;
    size_t old_room = objects->room;
    size_t room = old_room ? 2 * old_room : FIRST_ROOM;
    struct hp_object *slots = hp_pages_take(room * sizeof *slots);
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
    hp_pages_return(old, old_room * sizeof *slots);
    return true;
}

bool hp_objects_put(struct hp_objects *objects, const struct hp_object *object) {
    if (!make_room(objects)) {
        return false;
    }
    place(objects, object);
    objects->count++;
    hp_objects_mark(objects, object->address, 1);
    return true;
}

// Close the hole with whatever would not be found behind it.
static void close_hole(struct hp_objects *objects, size_t hole) {
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

bool hp_objects_take(struct hp_objects *objects, uintptr_t address,
                     struct hp_object *object) {
    if (objects->count == 0 || address == 0) { // NULL would be found in any empty slot
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
    hp_objects_mark(objects, address, -1);
    close_hole(objects, slot);
    return true;
}

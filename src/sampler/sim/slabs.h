// A model of how an allocator keeps small objects of one size: in slabs of as many places as there
// are objects without rest in the fewest pages, each new one in the lowest free place.  A slab
// without objects is given back.
#ifndef HPS_SIM_SLABS_H
#define HPS_SIM_SLABS_H

#include <stddef.h>
#include <stdint.h>

enum {
    HPS_SLABS_PAGE = 4096,
};

// {.size = ...} is without objects.
struct hps_slabs {
    uint64_t size;   // bytes of an object, less than a page
    uint32_t *owner; // of each place, or HPS_SLABS_FREE
    uint32_t *used;  // places of each slab
    size_t slabs;    // that there ever were
    size_t first;    // that may have a free place
};

#define HPS_SLABS_FREE UINT32_MAX

void hps_slabs_done(struct hps_slabs *slabs);

uint64_t hps_slabs_bytes(const struct hps_slabs *slabs);  // of one
uint32_t hps_slabs_places(const struct hps_slabs *slabs); // of one

// The place of a new object of the owner, and its end.
size_t hps_slabs_take(struct hps_slabs *slabs, uint32_t owner);
void hps_slabs_give(struct hps_slabs *slabs, size_t place);

struct hps_slabs_sums {
    uint64_t slabs, nonfull,
        objects;   // slabs that hold objects, and of these with free places
    uint64_t free; // bytes of them that no object is in
};

struct hps_slabs_sums hps_slabs_sums(const struct hps_slabs *slabs);

// Add to `held` of each owner its share of the free bytes: those of a slab are kept from being given
// back by the objects in it, all alike.
void hps_slabs_held(const struct hps_slabs *slabs, double *held);

#endif

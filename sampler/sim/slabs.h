// A model of small objects of one size in an allocator.  They are in slabs: the fewest
// pages that objects fill without a rest.  A new object gets the lowest free place.  A
// slab without objects is returned to the system.
#ifndef HPS_SIM_SLABS_H
#define HPS_SIM_SLABS_H

#include <stddef.h>
#include <stdint.h>

enum {
    HPS_SLABS_PAGE = 4096,
};

// All slabs of a size.  {.size = ...} has no objects.
struct hps_slabs {
    uint64_t size;   // bytes of an object, less than a page
    uint32_t *owner; // for each place: its owner, or HPS_SLABS_FREE
    uint32_t *used;  // for each slab: number of used places
    size_t slabs;    // number of slabs, also of those returned
    size_t first;    // first slab that may have a free place
};

#define HPS_SLABS_FREE UINT32_MAX

// Free the memory of the model.
void hps_slabs_done(struct hps_slabs *slabs);

// Bytes and places of one slab.
uint64_t hps_slabs_bytes(const struct hps_slabs *slabs);
uint32_t hps_slabs_places(const struct hps_slabs *slabs);

// Allocate an object of `owner`, and return its place; free the object at a place.
size_t hps_slabs_take(struct hps_slabs *slabs, uint32_t owner);
void hps_slabs_give(struct hps_slabs *slabs, size_t place);

// Sums over all slabs.
struct hps_slabs_sums {
    // Slabs that contain objects; such slabs with free places; objects.
    uint64_t slabs, nonfull, objects;
    uint64_t free; // bytes of free places in slabs that contain objects
};

struct hps_slabs_sums hps_slabs_sums(const struct hps_slabs *slabs);

// Add to held[owner] its share of the free bytes.  Each object of a slab has the same
// share in the free bytes of that slab, since every object keeps the slab from being
// returned.
void hps_slabs_held(const struct hps_slabs *slabs, double *held);

#endif

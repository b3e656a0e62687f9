#include "sim/slabs.h"

#include "sim/resize.h"

#include <stdlib.h>

void hps_slabs_done(struct hps_slabs *slabs) {
    free(slabs->owner);
    free(slabs->used);
}

uint64_t hps_slabs_bytes(const struct hps_slabs *slabs) {
    uint64_t bytes = HPS_SLABS_PAGE;
    while (bytes % slabs->size) {
        bytes += HPS_SLABS_PAGE;
    }
    return bytes;
}

uint32_t hps_slabs_places(const struct hps_slabs *slabs) {
    return (uint32_t)(hps_slabs_bytes(slabs) / slabs->size);
}

// Append a slab without objects.
static void add_slab(struct hps_slabs *slabs) {
    size_t places = hps_slabs_places(slabs), slab = slabs->slabs++;
    slabs->used = hps_resize(slabs->used, slabs->slabs * sizeof *slabs->used);
    slabs->owner = hps_resize(slabs->owner, slabs->slabs * places * sizeof *slabs->owner);
    slabs->used[slab] = 0;
    for (size_t i = slab * places; i < slabs->slabs * places; i++) {
        slabs->owner[i] = HPS_SLABS_FREE;
    }
}

size_t hps_slabs_take(struct hps_slabs *slabs, uint32_t owner) {
    uint32_t places = hps_slabs_places(slabs);
    while (slabs->first < slabs->slabs && slabs->used[slabs->first] == places) {
        slabs->first++;
    }
    if (slabs->first == slabs->slabs) {
        add_slab(slabs);
    }
    size_t place = slabs->first * places;
    while (slabs->owner[place] != HPS_SLABS_FREE) {
        place++;
    }
    slabs->owner[place] = owner;
    slabs->used[slabs->first]++;
    return place;
}

void hps_slabs_give(struct hps_slabs *slabs, size_t place) {
    size_t slab = place / hps_slabs_places(slabs);
    slabs->owner[place] = HPS_SLABS_FREE;
    slabs->used[slab]--;
    slabs->first = slab < slabs->first ? slab : slabs->first;
}

struct hps_slabs_sums hps_slabs_sums(const struct hps_slabs *slabs) {
    struct hps_slabs_sums sums = {0};
    uint32_t places = hps_slabs_places(slabs);
    for (size_t i = 0; i < slabs->slabs; i++) {
        uint32_t used = slabs->used[i];
        sums.slabs += used > 0;
        sums.nonfull += used > 0 && used < places;
        sums.objects += used;
        sums.free += used > 0 ? (places - used) * slabs->size : 0;
    }
    return sums;
}

void hps_slabs_held(const struct hps_slabs *slabs, double *held) {
    uint32_t places = hps_slabs_places(slabs);
    for (size_t i = 0; i < slabs->slabs * places; i++) {
        uint32_t used = slabs->used[i / places];
        if (slabs->owner[i] != HPS_SLABS_FREE) {
            held[slabs->owner[i]] += (double)((places - used) * slabs->size) / used;
        }
    }
}

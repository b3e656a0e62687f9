// The most recent allocations that a process sampled, freed or not, as jemalloc lists
// them in prof_recent.
#ifndef HP_INPUTS_RECENT_H
#define HP_INPUTS_RECENT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// One sampled allocation.  Times are nanoseconds of an unspecified clock.
struct hp_recent_record {
    uint64_t size;       // bytes, as the allocator rounded them up
    uint64_t born, died; // times of the allocation and the deallocation
    bool is_released;    // the object was freed
    bool has_died;       // the time of the deallocation is known
    bool is_by_others;   // it was freed by another thread
    // Numbers of the stacks in the profile that allocated and that freed the object;
    // `free` is valid if has_died.
    uint32_t alloc, free;
};

// The allocations of one process.  {0}: there are none.
struct hp_recent {
    uint64_t period; // mean bytes between samples; 0: there are no records
    uint64_t latest; // the latest of all times
    uint64_t tick;   // the smallest difference between two times; 0: all times are equal
    HP_VEC(struct hp_recent_record) records;
};

// Free the records.
static inline void hp_recent_done(struct hp_recent *recent) {
    hp_vec_done(&recent->records);
}

#endif

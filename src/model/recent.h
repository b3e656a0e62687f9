// The last allocations that a process sampled, freed or not, as jemalloc's prof_recent tells them.
#ifndef HP_MODEL_RECENT_H
#define HP_MODEL_RECENT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// Times are nanoseconds of some clock.
struct hp_recent_record {
    uint64_t size; // as the allocator rounded it up
    uint64_t born, died;
    bool is_released;     // freed,
    bool has_died;        // and it is told when
    bool is_by_others;    // by another thread
    uint32_t alloc, free; // stacks: of the profile, or of the file; free: if has_died
};

// {0}: there is none.
struct hp_recent {
    uint64_t period; // mean bytes between samples; 0: there is none
    uint64_t latest; // of all times
    uint64_t tick;   // the least difference between two of them; 0: they are all the same
    HP_VEC(struct hp_recent_record) records;
};

static inline void hp_recent_done(struct hp_recent *recent) {
    hp_vec_done(&recent->records);
}

#endif

// The accounting of an allocator: the parts of its memory, which add up to the byte, or
// the rest that they leave.
#ifndef HP_STATS_BOOKS_H
#define HP_STATS_BOOKS_H

#include "inputs/account.h"

// How a small sampled object is accounted for.  It is moved to pages of its own, which
// jemalloc counts differently since 5.3.1.
enum hp_sample_books {
    HP_SAMPLES_INSIDE,  // up to 5.3.0: in `allocated`, as an object of 16 KiB
    HP_SAMPLES_OUTSIDE, // since 5.3.1: only in `active`, with its pages
    HP_SAMPLES_UNKNOWN, // neither version adds up
};

// The accounting of one process, in bytes except for counts.
struct hp_books {
    enum hp_sample_books samples; // the version of jemalloc that the numbers fit
    bool has_classes;             // statistics of size classes are known
    // A slab has small objects, an extent one large object.  `slabs`: bytes of all slabs;
    // `extents`: number of extents; `pads`: bytes of the additional page that each extent
    // has (option cache_oblivious).
    hp_int128 slabs, free_in_slabs, extents, pads;
    // Bytes of the pages of samples that are not in `allocated`; cached pages included.
    hp_int128 moved;
    uint64_t moved_count;  // number of samples in `moved`
    uint64_t sample_count; // number of live samples below the smallest extent
    hp_int128 cost; // bytes that samples take in `allocated` in addition to their size
    hp_int128 own;  // bytes of the sampled objects that are not in `allocated`
    // Lower and upper bounds of `cost` and `own`: the dump may not show the sizes of all
    // samples.
    hp_int128 cost_low, cost_high, own_low, own_high;
    bool is_likely;    // even the sizes of samples that the dump shows are not certain
    hp_int128 program; // bytes of objects of the program in `allocated`
    hp_int128 live;    // bytes of all live objects of the program
    // The excess of resident memory over its parts, if it is below 64 KiB: rounding to
    // pages explains this much.
    hp_int128 base_rounding;
    // The part of each total that its parts do not explain; 0: they add up.
    hp_int128 allocated_rest, active_rest, resident_rest, metadata_rest;
};

// Compute the accounting from `stats`.  `live` are the samples in the dump; NULL: not
// known.
void hp_books_init(struct hp_books *books, const struct hp_allocator_stats *stats,
                   const struct hp_live_samples *live);

// Return the free bytes in the slabs of a size class.
uint64_t hp_free_in_slabs(const struct hp_bin_stats *bin);

#endif

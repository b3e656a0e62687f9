// The allocator's books of a process, which add up to the byte, or say what is left over.
#ifndef HP_STATS_BOOKS_H
#define HP_STATS_BOOKS_H

#include "model/account.h"

// A sampled object that is small is moved to pages of its own.  Where that is counted has changed.
enum hp_sample_books {
    HP_SAMPLES_INSIDE,  // `allocated` has it as an object of 16 KiB: up to 5.3.0
    HP_SAMPLES_OUTSIDE, // `active` alone has its pages: from 5.3.1 on
    HP_SAMPLES_UNKNOWN, // neither adds up
};

// Bytes, but what is called a count.
struct hp_books {
    enum hp_sample_books samples;
    bool has_classes;
    hp_int128 slabs, free_in_slabs, extents, pads; // extents: their number
    hp_int128 moved; // pages of samples, cached ones too, that `allocated` does not have
    uint64_t moved_count;  // of these
    uint64_t sample_count; // of those below the smallest extent that are live
    hp_int128 cost;        // what they take inside of `allocated` beyond their size
    hp_int128 own;         // sizes of those outside of it
    // What these are at least and at most, as the dump may not tell sizes of all samples.
    hp_int128 cost_low, cost_high, own_low, own_high;
    bool is_likely;          // nor, of those it tells, without any doubt
    hp_int128 program;       // objects of the program in `allocated`
    hp_int128 live;          // all of them
    hp_int128 base_rounding; // what resident has beyond its parts, if it is below 64 KiB
    // What is left of each whole beyond its parts; 0: it balances.
    hp_int128 allocated_rest, active_rest, resident_rest, metadata_rest;
};

// `live` may be NULL: nothing is known of samples but what the allocator tells.
void hp_books_init(struct hp_books *books, const struct hp_allocator_stats *stats,
                   const struct hp_live_samples *live);

// Bytes that are free in slabs of a class.
uint64_t hp_free_in_slabs(const struct hp_bin_stats *bin);

#endif

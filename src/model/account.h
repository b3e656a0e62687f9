// What a process's allocator and kernel say of its memory, beside a dump of it.
#ifndef HP_MODEL_ACCOUNT_H
#define HP_MODEL_ACCOUNT_H

#include "base/digest.h"
#include "base/hash.h"
#include "base/vec.h"

// --- the allocator ------------------------------------------------------------------------

// Objects of one size in slabs.
struct hp_bin_stats {
    uint64_t size, nregs, slab_size; // bytes, regions of a slab, bytes
    uint64_t curregs;                // in use, those in thread caches included
    uint64_t curslabs, nonfull_slabs;
    uint64_t nmalloc, ndalloc;
    uint64_t live_count, live_requested; // of samples: how many, and what was asked for
};

// Objects in extents of their own, by class.
struct hp_extent_stats {
    uint64_t size;  // of the class
    uint64_t count; // in use, those in thread caches included
};

// Options that move a row of the books.
enum hp_knob {
    HP_KNOB_NONE,
    HP_KNOB_LG_PROF_SAMPLE,
    HP_KNOB_TCACHE_MAX,
    HP_KNOB_CACHE_OBLIVIOUS,
    HP_KNOB_DIRTY_DECAY,
    HP_KNOB_MUZZY_DECAY,
    HP_KNOB_METADATA_THP,
    HP_KNOB_NARENAS,
    HP_KNOB_RETAIN,
    HP_KNOBS,
};

enum {
    HP_KNOB_SIZE = 48,
};

// Counts of bytes unless something else is said.  All are 2^56 at most, and so are the bytes of all
// slabs, extents or samples of a class, and of pages.
struct hp_allocator_stats {
    uint64_t allocated, active, metadata, resident, mapped, retained;
    uint64_t page;                   // bytes of one
    uint64_t pdirty, pmuzzy;         // pages
    uint64_t base, internal, tcache; // of metadata the first two
    uint64_t large;       // in extents: of classes, or with 5.3.1 of pages as they are
    uint64_t lg_sample;   // of the sample period, if has_sampling
    bool cache_oblivious; // large objects have a page more each
    bool has_sampling;    // it could be sampled
    bool has_internals;   // base and internal are told
    bool has_classes;     // bins and extents are
    bool has_live;        // bins tell of samples
    bool has_pages;       // large objects are rounded up to pages alone
    HP_VEC(struct hp_bin_stats) bins;
    HP_VEC(struct hp_extent_stats) extents; // the smallest class, and those in use
    char knobs[HP_KNOBS][HP_KNOB_SIZE];     // "dirty_decay_ms:10000"; "": not told
};

void hp_allocator_stats_done(struct hp_allocator_stats *stats);

// --- the kernel ---------------------------------------------------------------------------

enum hp_mapping_kind {
    HP_MAPPED_FILES,
    HP_MAPPED_SHARED,   // memory that no file on a disk is behind
    HP_MAPPED_HEAP,     // what brk() moves
    HP_MAPPED_STACK,    // of the main thread
    HP_MAPPED_JEMALLOC, // it calls its own so, where the kernel knows names
    HP_MAPPED_ANONYMOUS,
    HP_MAPPED_SPECIAL, // "[vdso]" and the like
    HP_MAPPED_KINDS,
};

// Bytes; of any number of processes.
struct hp_mapped {
    hp_int128 rss, pss, private;
};

// Of /proc/PID/smaps, or what smaps_rollup has of it.
struct hp_kernel_maps {
    struct hp_mapped of[HP_MAPPED_KINDS];
    hp_int128 huge_pages, lazy_free, swap; // the first two are in rss
    bool is_rollup;                        // it tells files and anonymous memory alone
    struct hp_digest map; // as in struct hp_identity; of a rollup, which has no names,
    uint64_t from, to;    // where its mappings begin and end
};

// Kinds that a rollup does not have become those that it has, in any order of them.  What tells
// processes apart stays that of `sum`.
void hp_kernel_maps_add(struct hp_kernel_maps *sum, const struct hp_kernel_maps *maps);

struct hp_mapped hp_kernel_maps_total(const struct hp_kernel_maps *maps);

// What may be the allocator's, and may not: anonymous memory and what brk() moves.
hp_int128 hp_kernel_maps_anonymous(const struct hp_kernel_maps *maps);

// --- the dump -----------------------------------------------------------------------------

struct hp_live_size {
    uint64_t size;    // as the allocator rounded it up; of a mix the mean
    uint64_t objects; // of it that are sampled and live; of a mix no more than these
    bool is_mixed;
};

// Samples that are live, by their sizes, as a dump tells them.
struct hp_live_samples {
    HP_VEC(struct hp_live_size) sizes;
    bool is_likely; // some that are no mix could be of other sizes
};

void hp_live_samples_free(struct hp_live_samples *samples); // NULL is fine

// --- all of a process ---------------------------------------------------------------------

struct hp_account {
    uint32_t input; // the dump's place among profile->inputs
    struct hp_allocator_stats stats;
    struct hp_kernel_maps maps; // if has_maps
    bool has_maps;
};

void hp_account_done(struct hp_account *account);

#endif

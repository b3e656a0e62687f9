// Memory of a process as its allocator and its kernel report it, in addition to a dump.
#ifndef HP_INPUTS_ACCOUNT_H
#define HP_INPUTS_ACCOUNT_H

#include "base/digest.h"
#include "base/hash.h"
#include "base/vec.h"

// --- the allocator ---------------------------------------------------------------------

// Statistics of the slabs for objects of one size.
struct hp_bin_stats {
    // Bytes of an object, objects in a slab, bytes of a slab.
    uint64_t size, nregs, slab_size;
    uint64_t curregs; // objects in use, including those in thread caches
    // Slabs in use, and those of them with free places.
    uint64_t curslabs, nonfull_slabs;
    // Objects allocated and freed since the process started.
    uint64_t nmalloc, ndalloc;
    // Live sampled objects, and the bytes that the program had requested for them.
    uint64_t live_count, live_requested;
};

// Statistics of one class of large objects, each in an extent of its own.
struct hp_extent_stats {
    uint64_t size;  // size of the class in bytes
    uint64_t count; // extents in use; extents that thread caches keep are included
};

// Options of the allocator that change the size of a row in the accounting of its memory.
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

// Bytes that an option and its value take as text, at most.
enum {
    HP_KNOB_SIZE = 48,
};

// Statistics of an allocator, in bytes unless stated otherwise.  No number exceeds 2^56,
// and neither do the bytes of all slabs, extents or samples of a class, or of all pages.
struct hp_allocator_stats {
    // The totals of jemalloc's statistics, by the names that they have there.
    uint64_t allocated, active, metadata, resident, mapped, retained;
    uint64_t page;                   // bytes of a page
    uint64_t pdirty, pmuzzy;         // number of dirty and muzzy pages
    uint64_t base, internal, tcache; // `base` and `internal` are parts of the metadata
    uint64_t large;       // bytes in extents: rounded to classes, or since 5.3.1 to pages
    uint64_t lg_sample;   // log2 of the sample period, if has_sampling
    uint64_t bt_max;      // most frames of a stack that are recorded; 0: unknown
    uint64_t uptime_ns;   // nanoseconds since the process started; 0: unknown
    bool cache_oblivious; // large objects have one additional page each
    bool has_sampling;    // the program could be sampled
    bool has_internals;   // `base` and `internal` are known
    bool has_classes;     // `bins` and `extents` are known
    bool has_live;        // bins have live_count and live_requested
    bool has_pages; // sizes of large objects are rounded up to pages only, not to classes
    HP_VEC(struct hp_bin_stats) bins;
    HP_VEC(struct hp_extent_stats) extents; // the smallest class, and the classes in use
    // "dirty_decay_ms:10000"; "": the value is unknown.
    char knobs[HP_KNOBS][HP_KNOB_SIZE];
};

// Free the vectors `bins` and `extents`.
void hp_allocator_stats_done(struct hp_allocator_stats *stats);

// --- the kernel ------------------------------------------------------------------------

// Kinds of mappings that the kernel reports.
enum hp_mapping_kind {
    HP_MAPPED_FILES,
    HP_MAPPED_SHARED,   // shared memory without a file on a disk
    HP_MAPPED_HEAP,     // the heap that brk() moves
    HP_MAPPED_STACK,    // the stack of the main thread
    HP_MAPPED_JEMALLOC, // named by jemalloc, which the kernel shows if it supports names
    HP_MAPPED_ANONYMOUS,
    HP_MAPPED_SPECIAL, // "[vdso]" and the like
    HP_MAPPED_KINDS,
};

// Sums of bytes over the mappings of one kind, of any number of processes.
struct hp_mapped {
    hp_int128 rss, pss, private;
};

// The sums of /proc/PID/smaps over all mappings, or of the less detailed smaps_rollup.
struct hp_kernel_maps {
    struct hp_mapped of[HP_MAPPED_KINDS];
    hp_int128 huge_pages, lazy_free, swap; // bytes; the first two are included in rss
    bool is_rollup; // only HP_MAPPED_FILES and HP_MAPPED_ANONYMOUS are known
    // Identity of the process, as in struct hp_identity; unknown for a rollup, which has
    // no names.
    struct hp_digest map;
    // Start of its first mapping and end of its last; identifies the process of a rollup.
    uint64_t from, to;
};

// Add `maps` to `sum`.  If one of them is a rollup, kinds that a rollup does not have are
// merged into those that it has; the order of the additions does not matter.  The members
// that identify the process remain those of `sum`.
void hp_kernel_maps_add(struct hp_kernel_maps *sum, const struct hp_kernel_maps *maps);

// Return the sum over all kinds of mappings.
struct hp_mapped hp_kernel_maps_total(const struct hp_kernel_maps *maps);

// Return the resident bytes of anonymous memory, named by jemalloc or not, and of the
// heap of brk().  They may belong to the allocator, or to other code in the process.
hp_int128 hp_kernel_maps_anonymous(const struct hp_kernel_maps *maps);

// --- the dump --------------------------------------------------------------------------

// Live sampled objects of one size.
struct hp_live_size {
    uint64_t size; // size as the allocator rounded it up; for a mix of sizes their mean
    uint64_t objects; // number of live sampled objects; for a mix an upper bound
    bool is_mixed;    // the sizes of these objects are mixed
};

// Live sampled objects by size, recovered from a dump.
struct hp_live_samples {
    HP_VEC(struct hp_live_size) sizes;
    bool is_likely; // for some sizes that are not mixed, other sizes are possible, too
};

// Frees the struct and its vector; NULL is allowed.
void hp_live_samples_free(struct hp_live_samples *samples);

// --- all of a process ------------------------------------------------------------------

// All statistics of one process.
struct hp_account {
    uint32_t input; // index of its dump in profile->inputs.records
    struct hp_allocator_stats stats;
    struct hp_kernel_maps maps; // valid if has_maps
    bool has_maps;
};

// Free what the account owns, but not the account.
void hp_account_done(struct hp_account *account);

#endif

// Equations between the statistics of jemalloc (src/arena.c, src/ctl.c and src/prof.c),
// verified by measurement with 5.3.0 and 5.3.1:
//
//     resident  = active + dirty + muzzy + base (rounded to pages: < 64 KiB more)
//     metadata  = base + internal; internal is also in allocated
//     active    = slabs + extents by class + one more page for each (cache_oblivious)
//     allocated = regions in use + extents by class
//               = objects of the program + thread caches + internal + cost of samples
//
// A sampled object of usize below the smallest extent E of 16 KiB is counted as an extent
// of E up to 5.3.0, so that it costs E - usize.  Since 5.3.1 it is in neither sum of
// `allocated`: only `active` has its pages, with the additional one.  The number of such
// objects follows from bins whose size is a multiple of the page: nmalloc - ndalloc -
// curregs of them were never regions.
#include "stats/books.h"

#include <math.h>

enum {
    MOST_ROUNDING = 64 << 10,   // bytes of `resident` that rounding can explain
    SMALLEST_EXTENT = 16 << 10, // used if the statistics show no class
    MOST_ODDS = 40, // largest odds of being sampled; 14 KiB have 32 at a period of 4 KiB
};

uint64_t hp_free_in_slabs(const struct hp_bin_stats *bin) {
    return bin->curslabs * bin->slab_size - bin->curregs * bin->size;
}

// --- sums of classes -------------------------------------------------------------------

// Add the slabs of all bins (classes of small objects) to the accounting.  Returns the
// bytes of their regions that are in use.
static hp_int128 regions_of(const struct hp_allocator_stats *stats,
                            struct hp_books *books) {
    hp_int128 small = 0;
    const struct hp_bin_stats *bin;
    hp_vec_each (bin, &stats->bins) {
        small += (hp_int128)bin->curregs * bin->size;
        books->slabs += (hp_int128)bin->curslabs * bin->slab_size;
        books->free_in_slabs += hp_free_in_slabs(bin);
    }
    return small;
}

// Add the number of extents to the accounting.  Returns the sum of their sizes, each that
// of its class.
static hp_int128 extents_of(const struct hp_allocator_stats *stats,
                            struct hp_books *books) {
    hp_int128 large = 0;
    const struct hp_extent_stats *extent;
    hp_vec_each (extent, &stats->extents) {
        large += (hp_int128)extent->count * extent->size;
        books->extents += extent->count;
    }
    return large;
}

// --- samples ---------------------------------------------------------------------------

// Return the size of the smallest class of large objects (extents).
static uint64_t smallest_extent(const struct hp_allocator_stats *stats) {
    const struct hp_extent_stats *extent;
    hp_vec_each (extent, &stats->extents) {
        if (extent->size > 0) {
            return extent->size;
        }
    }
    return SMALLEST_EXTENT;
}

// Return the number of sampled objects that are not in `allocated`, and set `*moved` to
// the bytes of their pages, with `pad` additional bytes for each object.  They are the
// objects that bins of whole pages count although they were never regions.
static uint64_t moved_of(const struct hp_allocator_stats *stats, uint64_t pad,
                         hp_int128 *moved) {
    uint64_t count = 0;
    const struct hp_bin_stats *bin;
    *moved = 0;
    hp_vec_each (bin, &stats->bins) {
        uint64_t others = bin->ndalloc + bin->curregs;
        if (bin->size % stats->page == 0 && bin->nmalloc > others) {
            count += bin->nmalloc - others;
            *moved += (hp_int128)(bin->nmalloc - others) * (bin->size + pad);
        }
    }
    return count;
}

// Account for `count` samples of one size, if it is below that of the smallest extent:
// their bytes are in `own` if they have pages outside of `allocated`, and the difference
// to the smallest extent is in `cost`, each, if they are extents.
static void account_size(struct hp_books *books, const struct hp_allocator_stats *stats,
                         uint64_t size, uint64_t count) {
    uint64_t extent = smallest_extent(stats);
    uint64_t pages = (size + stats->page - 1) / stats->page * stats->page;
    if (size >= extent || count == 0) {
        return;
    }
    books->sample_count += count;
    if (books->samples == HP_SAMPLES_OUTSIDE && pages < extent) {
        books->own += (hp_int128)count * size;
    } else if (books->samples != HP_SAMPLES_UNKNOWN) {
        books->cost += (hp_int128)count * (extent - size);
    }
}

// Return the largest possible number of small samples: the number of samples outside of
// `allocated`, or the number of smallest extents.
static uint64_t places_of(const struct hp_books *books,
                          const struct hp_allocator_stats *stats) {
    uint64_t smallest = smallest_extent(stats);
    const struct hp_extent_stats *extent;
    if (books->samples == HP_SAMPLES_OUTSIDE) {
        return books->moved_count;
    }
    hp_vec_each (extent, &stats->extents) {
        if (extent->size == smallest) {
            return extent->count;
        }
    }
    return 0;
}

// Return the number of samples whose size is known to be `size`.
static uint64_t known_of(const struct hp_live_samples *live, uint64_t size) {
    uint64_t count = 0;
    for (size_t i = 0; i < live->sizes.count; i++) {
        const struct hp_live_size *of = &live->sizes.at[i];
        count += of->size == size && !of->is_mixed ? of->objects : 0;
    }
    return count;
}

// Return the mean size of small samples of unknown size.  If a class has n unsampled
// regions and an object is sampled with probability p, n p / (1 - p) samples are
// expected.  0: not known, because too large a share of some class is sampled, or no
// samples are expected.
static uint64_t mean_by_bins(const struct hp_allocator_stats *stats,
                             const struct hp_live_samples *live) {
    double count = 0, bytes = 0;
    const struct hp_bin_stats *bin;
    hp_vec_each (bin, &stats->bins) {
        double odds = expm1(ldexp((double)bin->size, -(int)stats->lg_sample));
        double samples = (double)bin->curregs * odds - (double)known_of(live, bin->size);
        if (odds > MOST_ODDS) {
            return 0;
        }
        count += fmax(samples, 0);
        bytes += fmax(samples, 0) * (double)bin->size;
    }
    return count > 0 ? (uint64_t)(bytes / count + 0.5) : 0;
}

// Account for samples of mixed sizes.  Each may be small or not.  At most as many are
// small as places_of() leaves beside the samples of known size; this raises the upper
// bound of `cost` or `own`.  Their mean size is above that of all objects, because large
// objects are sampled more often.
static void account_mixed(struct hp_books *books, const struct hp_allocator_stats *stats,
                          const struct hp_live_samples *live) {
    uint64_t places = places_of(books, stats), extent = smallest_extent(stats), mixed = 0;
    uint64_t left = places > books->sample_count ? places - books->sample_count : 0;
    uint64_t mean = mean_by_bins(stats, live);
    for (size_t i = 0; i < live->sizes.count; i++) {
        mixed += live->sizes.at[i].is_mixed ? live->sizes.at[i].objects : 0;
    }
    // `accounted`: number of samples, of `most`, that are accounted for so far.
    uint64_t most = mixed < left ? mixed : left, seen = 0, accounted = 0;
    for (size_t i = 0; i < live->sizes.count && mixed > 0; i++) {
        const struct hp_live_size *of = &live->sizes.at[i];
        seen += of->is_mixed ? of->objects : 0;
        uint64_t count = (uint64_t)((hp_uint128)seen * most / mixed) - accounted;
        account_size(books, stats, mean > 0 && of->size < extent ? mean : of->size,
                     count);
        accounted += count;
    }
    hp_int128 bytes = (hp_int128)most * extent;
    if (books->samples == HP_SAMPLES_OUTSIDE) {
        books->own_high += bytes < books->moved ? bytes : books->moved;
    } else {
        books->cost_high += bytes;
    }
}

// Whether there are at least as many smallest extents as samples that are known to be
// small, so that all of these samples can be extents.
static bool have_extents(const struct hp_allocator_stats *stats,
                         const struct hp_live_samples *live) {
    struct hp_books inside = {.samples = HP_SAMPLES_INSIDE};
    uint64_t count = 0, extent = smallest_extent(stats);
    const struct hp_bin_stats *bin;
    hp_vec_each (bin, &stats->bins) {
        count += bin->live_count;
    }
    for (size_t i = 0; !stats->has_live && live && i < live->sizes.count; i++) {
        const struct hp_live_size *of = &live->sizes.at[i];
        count += of->size < extent && !of->is_mixed ? of->objects : 0;
    }
    return places_of(&inside, stats) >= count;
}

// --- books -----------------------------------------------------------------------------

// Find the version of jemalloc for which the parts of `allocated` and of `active` in the
// statistics add up to these totals, and set books->samples by it.  Computes how much of
// both totals the parts do not explain.
static void choose(struct hp_books *books, const struct hp_allocator_stats *stats,
                   const struct hp_live_samples *live) {
    uint64_t pad = stats->cache_oblivious ? stats->page : 0;
    hp_int128 small = regions_of(stats, books), moved;
    hp_int128 extents = extents_of(stats, books);
    books->pads = books->extents * pad;
    uint64_t outside = moved_of(stats, pad, &moved);
    hp_int128 rest = (hp_int128)stats->active - books->slabs - books->pads;
    hp_int128 inside_rest = rest - extents;
    hp_int128 outside_rest = rest - stats->large - moved;
    bool is_inside = inside_rest == 0 && small + extents == stats->allocated &&
                     outside == 0 && have_extents(stats, live);
    bool is_outside = outside_rest == 0 && small + stats->large == stats->allocated;
    books->samples = is_inside    ? HP_SAMPLES_INSIDE
                     : is_outside ? HP_SAMPLES_OUTSIDE
                                  : HP_SAMPLES_UNKNOWN;
    books->moved = is_outside && !is_inside ? moved : 0;
    hp_int128 large = books->samples == HP_SAMPLES_OUTSIDE ? stats->large : extents;
    books->allocated_rest = stats->allocated - small - large;
    books->active_rest = rest - large - books->moved;
    books->moved_count = books->moved > 0 ? outside : 0;
}

// Account for all samples: by the numbers in the statistics, or if these have none, by
// the samples in the dump.  Sets the bounds of `cost` and `own`, `program` and `live`.
static void account_samples(struct hp_books *books,
                            const struct hp_allocator_stats *stats,
                            const struct hp_live_samples *live) {
    bool asks_dump = !stats->has_live && stats->has_sampling && live &&
                     books->samples != HP_SAMPLES_UNKNOWN;
    const struct hp_bin_stats *bin;
    hp_vec_each (bin, &stats->bins) {
        account_size(books, stats, bin->size, bin->live_count);
    }
    for (size_t i = 0; asks_dump && i < live->sizes.count; i++) {
        const struct hp_live_size *of = &live->sizes.at[i];
        account_size(books, stats, of->size, of->is_mixed ? 0 : of->objects);
    }
    books->cost_low = books->cost_high = books->cost;
    books->own_low = books->own_high = books->own;
    books->is_likely = asks_dump && live->is_likely;
    if (asks_dump) {
        account_mixed(books, stats, live);
    }
    books->program =
        (hp_int128)stats->allocated - books->cost - stats->tcache - stats->internal;
    books->live = books->program + books->own;
}

void hp_books_init(struct hp_books *books, const struct hp_allocator_stats *stats,
                   const struct hp_live_samples *live) {
    *books = (struct hp_books){.has_classes = stats->has_classes};
    if (stats->has_classes) {
        choose(books, stats, live);
    } else {
        books->samples = HP_SAMPLES_UNKNOWN;
        books->active_rest = (hp_int128)stats->active - stats->allocated;
    }
    account_samples(books, stats, live);
    hp_int128 rest = (hp_int128)stats->resident - stats->active - stats->base -
                     (hp_int128)(stats->pdirty + stats->pmuzzy) * stats->page;
    bool is_rounding = stats->has_internals && rest >= 0 && rest < MOST_ROUNDING;
    books->base_rounding = is_rounding ? rest : 0;
    books->resident_rest = is_rounding ? 0 : rest;
    books->metadata_rest =
        stats->has_internals ? (hp_int128)stats->metadata - stats->base - stats->internal
                             : 0;
}

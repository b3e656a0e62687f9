// Turn sampled counts into estimates of the whole.  Numbers of a dump get into a profile
// only through this module.
//
// An object of S bytes is sampled with probability p(S) = 1 - e^(-S/R), where R is the
// sample period.  Each sampled object therefore represents 1/p objects and S/p bytes
// (Horvitz and Thompson's estimator).  A dump contains only the number of sampled objects
// of a stack and the sum of their bytes.  docs/explanation/sampling.md explains how the
// sizes are recovered from them.
#ifndef HP_CALC_UNBIAS_H
#define HP_CALC_UNBIAS_H

#include "base/error.h"
#include "calc/decoded.h"
#include "calc/uncertainty.h"
#include "model/dump.h"

// --- scaled ----------------------------------------------------------------------------
//
// Estimates that the writer of a profile (pprof) has made itself: only their error is
// left to estimate.

// How the writer of one dump scaled its numbers.
struct hp_scaled {
    uint64_t period; // sample period in bytes; a usual one if the dump has none
    // In all lines with a size label the number of sampled objects can be recovered.
    bool recovers_objects;
    // Lines without a size label may be sampled counts that the writer scaled by the mean
    // size of the stack's objects.
    bool may_be_of_means;
    bool is_unknown; // nothing is known of the sampling: estimates have no errors
};

// Find out how the numbers of the dump were scaled.
void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump);

// Estimate one column of a stack.  `size`: bytes of each object, by the label "bytes"; 0:
// there is no label.
struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size);

// --- unbias ----------------------------------------------------------------------------

// A cached estimate.  Most stacks of a dump have one of few lines (pairs of objects and
// bytes).
struct hp_unbiased_memo {
    struct hp_count count; // the key
    struct hp_unbiased estimate;
    // Several readings (lists of object sizes) are possible: the estimate differs from
    // leaf to leaf, and is not cached.
    bool needs_prior;
    uint64_t epoch; // unbias->epoch when it was made; entries of other epochs are invalid
};

// Everything except the counts that a cached estimate depends on.  Compared by bytes, so
// it has no padding.
struct hp_unbias_terms {
    uint64_t estimator, scaling, period, most_decoded, large_from;
    uint64_t has_pages, may_be_of_means, is_unknown;
    double byte_rate;
};

// Number of entries of the cache of estimates.
enum {
    HP_UNBIASED_MEMOS = 2048,
};

// How to read the numbers of one dump, which must not change meanwhile.  {0} is ready for
// hp_unbias_init(); free it with hp_unbias_done().
struct hp_unbias {
    enum hp_estimator estimator; // how sampled counts become estimates
    // Whether numbers are sampled counts, rewritten by jemalloc, or estimates already.
    enum hp_scaling scaling;
    bool adds_up;   // the numbers of the stacks add up to those of the header, unscaled
    bool has_alloc; // some stack has numbers of allocations since the start
    bool as_is;     // the numbers are the whole already: no sampling to undo
    bool is_first_version;   // as in struct hp_dump
    struct hp_scaled scaled; // how the writer scaled, for HP_SCALING_SCALED
    uint64_t period;  // sample period in bytes; 0: unknown; 1: everything was sampled
    double byte_rate; // an object of S bytes is sampled with chance 1 - e^(-byte_rate S)
    struct hp_size_classes classes;  // size classes for `period`
    struct hp_class_weights weights; // weight of each class, if sizes are searched for
    struct hp_decoder decoder;       // finds the possible sizes of a line
    // How the allocator rounds large sizes.  The caller sets it before hp_unbias_init().
    enum hp_large_sizes large_sizes;
    // Most sampled objects of a line whose object sizes are searched for; 0: no search.
    uint64_t most_decoded;
    // Bytes; raw lines of more bytes may have object sizes that are no size classes.
    uint64_t large_from;
    const struct hp_dump *dump; // borrowed
    struct hp_prior prior;      // sizes by leaf, over the whole dump; made on demand
    bool has_prior;             // whether `prior` is filled in
    // Result: bytes in use in large objects, of the stacks estimated so far.
    hp_fixed large_bytes;
    // The data besides the counts that the cached estimates depend on.
    struct hp_unbias_terms terms;
    // Number of the current `terms`.  A new number invalidates the cache; clearing it
    // would take longer than reading a small dump.
    uint64_t epoch;
    struct hp_unbiased_memo memos[HP_UNBIASED_MEMOS]; // the cache, by hash of the counts
};

// Find out how the numbers of `dump` are scaled, and prepare for hp_unbias_stack().
// Borrows the dump until the next call.
void hp_unbias_init(struct hp_unbias *unbias, enum hp_estimator estimator,
                    const struct hp_dump *dump);
// Free the memory.
void hp_unbias_done(struct hp_unbias *unbias);

// Set how the allocator of the dump rounds large sizes, if that becomes known after
// hp_unbias_init().
void hp_unbias_set_large_sizes(struct hp_unbias *unbias, enum hp_large_sizes sizes);

// Return whether the objects that a stack lists are used for memory in use, instead of
// its counts.
bool hp_unbias_takes_listed(const struct hp_unbias *unbias);

// Estimate a stack of the dump: fill in *values and the errors of both columns.  Returns
// false if a number is too large to represent.
bool hp_unbias_stack(struct hp_unbias *unbias, const struct hp_dump *dump,
                     const struct hp_dump_stack *stack, struct hp_values *values,
                     struct hp_error errors[HP_COLUMNS]);

// --- parts of it, for size_parts.c -----------------------------------------------------

// Return whether lines are raw or rewritten counts of sampled objects, and their sampling
// is undone by HP_ESTIMATOR_BEST.
bool hp_unbias_undoes(const struct hp_unbias *unbias);

// Return whether a stack is estimated as the sum of the lines of its threads, not by its
// own counts.
bool hp_unbias_takes_lines(struct hp_unbias *unbias, const struct hp_dump *dump,
                           const struct hp_dump_stack *stack, enum hp_column column);

// hp_unbias_counts() estimates a column of a stack by its counts and those of its
// threads, without its listed objects; hp_unbias_line() estimates one line of a stack;
// hp_unbias_objects() estimates n sampled objects of `size` bytes each.
struct hp_unbiased hp_unbias_counts(struct hp_unbias *unbias, const struct hp_dump *dump,
                                    const struct hp_dump_stack *stack,
                                    enum hp_column column);
struct hp_unbiased hp_unbias_line(struct hp_unbias *unbias, struct hp_count count,
                                  const struct hp_dump_stack *stack);
struct hp_unbiased hp_unbias_objects(const struct hp_unbias *unbias, uint64_t n,
                                     uint64_t size);

// Return whether all sampled objects of a line very likely have one size.  If so, set
// their number *n, and *size in bytes.  count.objects > 0.
bool hp_unbias_one_size(const struct hp_unbias *unbias, struct hp_count count,
                        uint64_t *n, uint64_t *size);

// hp_unbias_readings() returns the readings of a line, which are the possible sizes of
// its objects; `complete` if there are no others.  hp_unbias_prior() returns the sizes
// that are certain elsewhere in the dump, and make some readings more likely.
struct hp_readings hp_unbias_readings(struct hp_unbias *unbias, struct hp_count count);
struct hp_prior *hp_unbias_prior(struct hp_unbias *unbias);

#endif

// How long allocations live, estimated from a series of dumps of one process that also
// have totals of allocated memory (prof_accum of jemalloc).
//
// The part of the memory allocated between the first and the last dump that is still live
// is bounded from both sides, whatever the lifetimes are.  Such dumps do not contain the
// mean lifetime itself.  `turnover` is what can be computed from them; it has no value
// where it would be misleading.
#ifndef HP_STATS_LIFETIME_H
#define HP_STATS_LIFETIME_H

#include "stats/measure.h"

// Bytes by which an estimate may be too low and too high, because the sizes of objects
// are unknown.
struct hp_slack {
    double hidden, excess;
};

// Bytes and objects that one stack allocated, with the error of the bytes.
struct hp_quantity {
    // `variance`: upper bound of the variance of the bytes.
    double bytes, objects, variance;
    struct hp_slack slack; // by how much `bytes` may be wrong
    // The same for live bytes: `hidden` of those at the last dump, `excess` of their
    // growth since the first dump.
    struct hp_slack live_slack;
};

// Return the number of samples that an estimate is based on.  It is exact for objects of
// one size, and otherwise at most the number of equal samples with the same error.
// Infinite if everything was sampled.
double hp_quantity_samples(const struct hp_quantity *quantity, uint64_t period);

// --- survivors -------------------------------------------------------------------------

// Sums over several stacks, for the share of their allocations that survives.
struct hp_survivors {
    double allocated; // bytes allocated between the first and the last dump
    // Lower and upper bound of `allocated`, because sizes are unknown.
    double fewest, most_allocated;
    double squares; // sum over stacks of (allocated bytes)^2 / number of samples
    // Upper and lower bound of the allocated bytes that are live at the last dump.
    double most, least;
};

// Add one stack.  `first` and `last` are its live bytes at the first and the last dump;
// `allocated` is what it allocated between them.
void hp_survivors_add(struct hp_survivors *sums, const struct hp_quantity *allocated,
                      uint64_t period, double first, double last);

// Return the number of equal samples that would give the same precision as the samples of
// these stacks.
double hp_survivors_samples(const struct hp_survivors *sums);

// Return the share of the allocated bytes that is still live.  Each end of the interval
// holds with probability `confidence`, whatever the lifetimes are.  NAN if nothing was
// allocated.
struct hp_interval hp_survivors_share(const struct hp_survivors *sums, double confidence);

// Return "temporary", "kept" or "" (undecided) according to the ends of the interval.
const char *hp_survivors_verdict(struct hp_interval share);

// --- turnover --------------------------------------------------------------------------

// Why there is no turnover.
enum hp_turnover_lack {
    HP_TURNOVER_KNOWN,     // there is a turnover
    HP_TURNOVER_FEW_DUMPS, // the series has fewer than 8 dumps
    // The bytes that the process allocated between consecutive dumps differ by more than
    // 20 %.
    HP_TURNOVER_UNEVEN,
    // The stacks allocated nothing in more than 20 % of the gaps between dumps, or in the
    // first or last gap.
    HP_TURNOVER_PAUSES,
    // Live memory at the last dump is more than 20 % of the memory allocated since the
    // first.
    HP_TURNOVER_WINDOW,
    // Mean live memory differs between the halves of the series by 25 % or more.
    HP_TURNOVER_DRIFT,
    // Fewer than 10 samples of allocated memory, or no live memory.
    HP_TURNOVER_FEW_SAMPLES,
};

// Return the keyword of a reason, "few-dumps"; "" if there is a turnover.
const char *hp_turnover_lack_name(enum hp_turnover_lack lack);

// Live and allocated bytes of some stacks over a series of dumps, and what the process
// allocated.
struct hp_course {
    const double *live; // live bytes at each dump
    const double *gaps; // bytes that the stacks allocated between consecutive dumps
    // Bytes that all stacks of the process allocated between consecutive dumps.
    const double *process;
    size_t dumps;
    // Standard deviation of `live` by sampling, averaged over the dumps.
    double live_error;
    // Number of samples that the sums of `gaps` and of `process` are based on.
    double samples, process_samples;
};

// The turnover: mean live bytes x allocated bytes of the process / allocated bytes of the
// stacks.  This is how many bytes the process allocates in the time in which the live
// memory of the stacks is allocated once.  The interval is the wider one of two: one by
// sampling, as if all dumps had the same error, and one by the differences between dumps.
struct hp_turnover {
    enum hp_turnover_lack lack;
    double value;
    struct hp_interval range;
};

// Compute the turnover.  If it has none, `lack` says why, and the numbers are NAN.
struct hp_turnover hp_turnover_of(const struct hp_course *course, double confidence);

#endif

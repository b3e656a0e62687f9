// How long allocations live, as far as a series of dumps of one process tells that also count what
// was allocated (jemalloc's prof_accum).
//
// What was allocated between the first dump and the last, and is still live, is bounded from both
// sides in every realisation.  How long things live on average is not in such dumps: `turnover` is
// what they saw, and has no value where it would be far from what it looks like.
#ifndef HP_STATS_LIFETIME_H
#define HP_STATS_LIFETIME_H

#include "stats/measure.h"

// Bytes that an estimate may have too few and too many, as sizes of objects are not known.
struct hp_slack {
    double hidden, excess;
};

// Estimates of one stack.
struct hp_quantity {
    double bytes, objects, variance; // variance: a bound of that of the bytes
    struct hp_slack slack;
    struct hp_slack
        live_slack; // of what is live: at the last dump, and of the growth since the first
};

// How many samples stand behind an estimate: exact for objects of one size, else no more than as many
// equal ones as would leave its error; infinite where everything is sampled.
double hp_quantity_samples(const struct hp_quantity *quantity, uint64_t period);

// --- what survives ---------------------------------------------------------------------

// Of several stacks, which add up.
struct hp_survivors {
    double allocated;              // bytes between the first dump and the last
    double fewest, most_allocated; // what they may be, as sizes are not known
    double squares;                // of these by stack, each over its samples
    double most, least; // of them, bytes that may be and have to be live at the last one
};

// Of one stack: bytes that were live at the first dump and the last, and what was allocated in between.
void hp_survivors_add(struct hp_survivors *sums, const struct hp_quantity *allocated,
                      uint64_t period, double first, double last);

// As many equal samples as tell as much.
double hp_survivors_samples(const struct hp_survivors *sums);

// The share of what was allocated that is still live: each end holds with this probability, whatever
// lifetimes are.  NAN where nothing was allocated.
struct hp_interval hp_survivors_share(const struct hp_survivors *sums, double confidence);

// "temporary", "kept" or "", by these ends alone.
const char *hp_survivors_verdict(struct hp_interval share);

// --- turnover --------------------------------------------------------------------------

// Why there is none.
enum hp_turnover_lack {
    HP_TURNOVER_TOLD,
    HP_TURNOVER_FEW_DUMPS, // fewer than 8
    HP_TURNOVER_UNEVEN,    // gaps between dumps are not within 20 % of one another
    HP_TURNOVER_PAUSES, // nothing was allocated in more than 20 % of them, or in the first or last
    HP_TURNOVER_WINDOW, // more than 20 % of what was allocated is live at the last dump
    HP_TURNOVER_DRIFT,  // what is live in the halves differs by 25 % of the mean or more
    HP_TURNOVER_FEW_SAMPLES, // fewer than 10 of what was allocated, or none of what is live
};

// "few-dumps"; "" of what is told.
const char *hp_turnover_lack_name(enum hp_turnover_lack lack);

// Of some stacks over a series.
struct hp_course {
    const double *live;    // bytes at each dump
    const double *gaps;    // bytes that they allocated between one and the next
    const double *process; // the same of all stacks
    size_t dumps;
    double live_error; // standard deviations that sampling leaves in `live`, on average
    double samples, process_samples; // behind the sums of `gaps` and of `process`
};

// mean live x bytes of the process / bytes of the stacks: so many bytes the process allocates while
// what is live is allocated anew.  The interval is the wider one of two: sampling, as if all dumps
// had the same error, and how much the dumps differ.
struct hp_turnover {
    enum hp_turnover_lack lack;
    double value;
    struct hp_interval range;
};

struct hp_turnover hp_turnover_of(const struct hp_course *course, double confidence);

#endif

// How long objects live, of which some still do: the estimator of Kaplan and Meier (1958).
//
// What is live is censored at its age: it lives longer than that, and nobody knows how much.
#ifndef HP_STATS_SURVIVAL_H
#define HP_STATS_SURVIVAL_H

#include "base/vec.h"
#include "stats/measure.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_life {
    double time;   // that it lived, or has lived so far
    double weight; // of how many it is one
    bool is_over;
    uint32_t batch; // deaths of one number are not independent of one another
};

// From `time` on this share lives, until the next; with its interval, NAN where none is known.
struct hp_survival_step {
    double time, alive;
    struct hp_interval range;
};

// {0} after done.
struct hp_survival {
    HP_VEC(struct hp_survival_step) steps; // a time at which some died each
    size_t batches;                        // of deaths
};

// The lives are sorted.  Intervals hold with probability `confidence`; there are none of fewer than
// two batches.
void hp_survival_init(struct hp_survival *survival, struct hp_life *lives, size_t count,
                      double confidence);
void hp_survival_done(struct hp_survival *survival);

// The time at which this share has died, 0 < share < 1, and its interval; INFINITY: not reached.
struct hp_lifespan {
    double time;
    struct hp_interval range;
};

struct hp_lifespan hp_survival_quantile(const struct hp_survival *survival, double share);

#endif

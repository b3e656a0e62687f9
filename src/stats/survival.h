// The distribution of lifetimes when some objects still live: the estimator of Kaplan and
// Meier (1958).
//
// An object that is still live is censored at its age: it lives longer than that, by an
// unknown time.
#ifndef HP_STATS_SURVIVAL_H
#define HP_STATS_SURVIVAL_H

#include "base/vec.h"
#include "stats/measure.h"

#include <stdbool.h>
#include <stdint.h>

// The lifetime of one sampled object.
struct hp_life {
    double time;    // lifetime, or age if it still lives
    double weight;  // number of objects that it represents
    bool is_over;   // the object has died
    uint32_t batch; // deaths with the same number are not independent
};

// A step of the survival function: from `time` until the next step this share is alive.
// The ends of the interval are NAN if unknown.
struct hp_survival_step {
    double time, alive;
    struct hp_interval range;
};

// The survival function: for each time the share of objects that live longer.  {0} after
// hp_survival_done().
struct hp_survival {
    HP_VEC(struct hp_survival_step) steps; // one step for each time at which objects died
    size_t batches;                        // number of different batches of deaths
};

// Compute the survival function.  Sorts `lives`.  Intervals have the probability
// `confidence`; with fewer than two batches their ends are NAN.
void hp_survival_init(struct hp_survival *survival, struct hp_life *lives, size_t count,
                      double confidence);
void hp_survival_done(struct hp_survival *survival);

// The time at which a share has died, 0 < share < 1, with its interval.  INFINITY: that
// share is not reached.
struct hp_lifespan {
    double time;
    struct hp_interval range;
};

// Return the time at which a share of the objects has died: the quantile of the
// lifetimes.
struct hp_lifespan hp_survival_quantile(const struct hp_survival *survival, double share);

#endif

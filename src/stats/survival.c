// At each time u at which objects of weight d die, while objects of weight Y have lived
// at least so long,
//
//     S(t) = product over u <= t of (1 - d / Y)
//
// An object that is censored at u is included in Y at u.  The variance of log S is that
// of the infinitesimal jackknife by batch: an object of weight w that ends at T has the
// influence
//
//     w (sum over u <= min(t, T) of d / (Y (Y - d)) - [it died at T <= t] / (Y - d at T))
//
// and the variance is the sum over batches of the squared sums of their influences, times
// n / (n - 1), where each live object is a batch by itself.  (Without weights, and with
// one death for each batch, this is Greenwood's formula.)  The influence of a batch is c
// + w s, where w is the weight of its objects that have not died yet and s is the sum up
// to t.  So only deaths change c or w, and the sum of squares is that of c^2, of 2 c w s
// and of w^2 s^2.  Intervals are those of log(-log S), with Student's t and the number of
// batches of deaths minus 1.  The interval of a quantile consists of the times at which
// the intervals of S cross it (Brookmeyer and Crowley, 1982).
#include "stats/survival.h"

#include "stats/distributions.h"

#include <math.h>

// The state of one batch of deaths: the two parts of its influence on the survival
// function.
struct survival_batch {
    double waiting;  // w: weight of its objects that have not died yet
    double constant; // c: the part of its influence that does not grow with s
};

// Neumaier's sum (1974): removing a term that was added leaves no rounding error.
struct survival_sum {
    double value, rest;
};

// State while the survival function is computed, in the order of time.
struct survival_adder {
    struct hp_survival *survival;
    const struct hp_life *lives;
    size_t count;
    HP_VEC(struct survival_batch) batches;
    double at_risk;  // Y: weight of the objects that lived at least so long
    double sum;      // s: sum of d / (Y (Y - d)) so far
    double units, t; // number of batches in the variance, and the quantile of Student's t
    // Sums over batches of c^2, of c w and of w^2.
    struct survival_sum constants, products, weights;
};

static void add(struct survival_sum *sum, double term) {
    double value = sum->value + term;
    sum->rest += fabs(sum->value) >= fabs(term) ? sum->value - value + term
                                                : term - value + sum->value;
    sum->value = value;
}

// Add a batch to the sums of squares, or remove it if `sign` is -1.
static void add_batch(struct survival_adder *adder, const struct survival_batch *batch,
                      double sign) {
    add(&adder->constants, sign * batch->constant * batch->constant);
    add(&adder->products, sign * batch->constant * batch->waiting);
    add(&adder->weights, sign * batch->waiting * batch->waiting);
}

// Order lives by time; at the same time deaths come before censored objects, because
// these are still at risk then.
static int by_time(const void *left, const void *right) {
    const struct hp_life *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->is_over != b->is_over) {
        return a->is_over ? -1 : 1;
    }
    if (a->batch != b->batch) {
        return a->batch < b->batch ? -1 : 1;
    }
    return (a->weight > b->weight) - (a->weight < b->weight);
}

// Initialize the sums for the time 0, from the weights of all objects; count the batches
// and set the quantile.
static void begin(struct survival_adder *adder, double confidence) {
    size_t live = 0;
    for (size_t i = 0; i < adder->count; i++) {
        const struct hp_life *life = &adder->lives[i];
        adder->at_risk += life->weight;
        if (life->is_over) {
            struct survival_batch *batch = hp_vec_reach(&adder->batches, life->batch);
            adder->survival->batches += batch->waiting == 0;
            batch->waiting += life->weight;
        } else {
            add(&adder->weights, life->weight * life->weight);
            live++;
        }
    }
    const struct survival_batch *batch;
    hp_vec_each (batch, &adder->batches) {
        add_batch(adder, batch, 1);
    }
    double batches = (double)adder->survival->batches;
    adder->units = batches + (double)live;
    adder->t = batches > 1 ? hp_student_quantile_above((1 - confidence) / 2, batches - 1)
                           : (double)NAN;
}

// Return the variance of the logarithm of the survival function at the current time.
static double variance_of(const struct survival_adder *adder) {
    double constants = adder->constants.value + adder->constants.rest;
    double products = adder->products.value + adder->products.rest;
    double weights = adder->weights.value + adder->weights.rest;
    double sum = constants + adder->sum * (2 * products + adder->sum * weights);
    return fmax(0, sum) * adder->units / (adder->units - 1);
}

// Return the interval of the survival function, whose value is `alive`.  If that is 0 the
// upper end is `before`, that of the previous step.
static struct hp_interval range_of(const struct survival_adder *adder, double alive,
                                   double before) {
    if (isnan(adder->t) || alive <= 0) {
        return (struct hp_interval){isnan(adder->t) ? (double)NAN : 0, before};
    }
    double factor = exp(adder->t * sqrt(variance_of(adder)) / -log(alive));
    return (struct hp_interval){pow(alive, factor), pow(alive, 1 / factor)};
}

// Add the step of the survival function for the deaths at one time: lives[first] to
// lives[end - 1], with the weight `deaths`.  When the last objects die, none is left to
// estimate the variance from, so that this step adds no variance.
static void die(struct survival_adder *adder, size_t first, size_t end, double deaths) {
    double rest = adder->at_risk - deaths;
    bool is_last = !(rest > 1e-12 * adder->at_risk);
    double step = is_last ? 0 : deaths / (adder->at_risk * rest);
    adder->sum += step;
    for (size_t i = first; i < end; i++) {
        double weight = adder->lives[i].weight;
        struct survival_batch *batch = &adder->batches.at[adder->lives[i].batch];
        add_batch(adder, batch, -1);
        batch->constant += weight * adder->sum - (is_last ? 0 : weight / rest);
        batch->waiting -= weight;
        add_batch(adder, batch, 1);
    }
    struct hp_survival_step *last =
        adder->survival->steps.count > 0
            ? &adder->survival->steps.at[adder->survival->steps.count - 1]
            : NULL;
    double alive = is_last ? 0 : (last ? last->alive : 1) * (rest / adder->at_risk);
    struct hp_interval range = range_of(adder, alive,
                                        last              ? last->range.high
                                        : isnan(adder->t) ? adder->t
                                                          : 1);
    hp_vec_push(&adder->survival->steps,
                ((struct hp_survival_step){adder->lives[first].time, alive, range}));
    adder->at_risk -= deaths;
}

// Remove an object that is censored from the objects at risk; keep its influence.
static void leave(struct survival_adder *adder, const struct hp_life *life) {
    double influence = life->weight * adder->sum;
    adder->at_risk -= life->weight;
    add(&adder->weights, -life->weight * life->weight);
    add(&adder->constants, influence * influence);
}

void hp_survival_init(struct hp_survival *survival, struct hp_life *lives, size_t count,
                      double confidence) {
    struct survival_adder adder = {.survival = survival, .lives = lives, .count = count};
    *survival = (struct hp_survival){.batches = 0};
    if (count > 0) {
        qsort(lives, count, sizeof *lives, by_time);
    }
    begin(&adder, confidence);
    for (size_t i = 0; i < count;) {
        size_t end = i;
        double deaths = 0;
        for (; end < count && lives[end].is_over && lives[end].time == lives[i].time;
             end++) {
            deaths += lives[end].weight;
        }
        if (end > i) {
            die(&adder, i, end, deaths);
            i = end;
        } else {
            leave(&adder, &lives[i++]);
        }
    }
    hp_vec_done(&adder.batches);
}

void hp_survival_done(struct hp_survival *survival) {
    hp_vec_done(&survival->steps);
}

struct hp_lifespan hp_survival_quantile(const struct hp_survival *survival,
                                        double share) {
    struct hp_lifespan span = {INFINITY, {INFINITY, INFINITY}};
    for (size_t i = survival->steps.count; i-- > 0;) {
        const struct hp_survival_step *step = &survival->steps.at[i];
        const double rounding = 1e-12;
        span.time = step->alive <= 1 - share + rounding ? step->time : span.time;
        span.range.low = step->range.low <= 1 - share ? step->time : span.range.low;
        span.range.high = step->range.high <= 1 - share ? step->time : span.range.high;
    }
    if (survival->batches < 2) {
        span.range = (struct hp_interval){NAN, NAN};
    }
    return span;
}

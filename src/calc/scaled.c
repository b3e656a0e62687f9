// pprof's label "bytes" is the size S of objects.  If n objects were sampled Go prints
//
//     objects = int(n / p), bytes = int(n S / p), p = 1 - e^(-S/R)
//
// so bytes p / S is n, except for the fraction that int() drops.  tcmalloc has the same
// label but other weights, for which this is a whole number only by accident.  If it is
// whole in all lines with the label, the numbers are Go's.  Otherwise it is only certain
// that one object was sampled.
//
// Lines without the label may be raw numbers of jemalloc, each scaled by its mean size,
// as jemalloc_pprof does.  The bytes that this may hide are in the upper bound: see
// uncertainty.c.
#include "calc/scaled.h"

#include "calc/probability.h"

enum {
    USUAL_PERIOD = 524288, // bytes; used for the error if the sample period is unknown
};

// Return the absolute value.  Numbers of 2^63 and more are negative: they are of a
// difference, whose error is unknown.
static uint64_t magnitude(uint64_t number) {
    return number >> 63 ? -number : number;
}

// Return the share of the objects of a size that is sampled.
static double share_of(const struct hp_scaled *scaled, uint64_t size) {
    return scaled->period > 1 ? hp_one_minus_exp((double)size / (double)scaled->period)
                              : 1;
}

// Return whether `exact` may have been printed as `printed`: they differ by less than one
// unit, or a little more if the number is huge.
static bool is_near(double exact, uint64_t printed) {
    double off = exact - (double)printed;
    return off * off < 1 + (double)printed * 0x1p-48;
}

// Return the number of sampled objects of a size that print as these numbers; 0 if no
// number does.
static uint64_t sampled_objects(const struct hp_scaled *scaled, struct hp_count count,
                                uint64_t size) {
    double p = share_of(scaled, size);
    uint64_t bytes = magnitude(count.bytes), objects = magnitude(count.objects);
    double n = (double)bytes * p / (double)size + 0.5;
    bool is_one_sign = (count.bytes ^ count.objects) >> 63 == 0;
    if (!is_one_sign || !(n < 0x1p52)) {
        return 0;
    }
    n = (double)(uint64_t)n;
    return is_near(n * (double)size / p, bytes) && is_near(n / p, objects) ? (uint64_t)n
                                                                           : 0;
}

// Return whether the number of sampled objects can be recovered in all lines with a size.
static bool recovers_objects(const struct hp_scaled *scaled, const struct hp_dump *dump) {
    for (size_t i = 0; i < dump->extras.count && i < dump->stacks.count; i++) {
        const struct hp_counts *counts = &dump->stacks.at[i].counts;
        uint64_t size = dump->extras.at[i].object_size;
        for (enum hp_column k = 0; size > 0 && k < HP_COLUMNS; k++) {
            struct hp_count count = hp_count_in(counts, k);
            if ((count.objects | count.bytes) != 0 &&
                sampled_objects(scaled, count, size) == 0) {
                return false;
            }
        }
    }
    return true;
}

void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump) {
    scaled->period = dump->period > 0 ? dump->period : USUAL_PERIOD;
    scaled->recovers_objects = dump->period > 0 && recovers_objects(scaled, dump);
    scaled->may_be_of_means = dump->producer == HP_PRODUCER_PPROF ||
                              dump->producer == HP_PRODUCER_PPROF_JEMALLOC ||
                              dump->producer == HP_PRODUCER_PPROF_OURS;
}

// Return the printed numbers as an estimate without an error.
static struct hp_unbiased as_printed(struct hp_count count) {
    return (struct hp_unbiased){
        .objects = (hp_fixed)(int64_t)count.objects * (1LL << HP_OBJECTS_FRACTION),
        .bytes = (hp_fixed)(int64_t)count.bytes * (1LL << HP_SPACE_FRACTION),
    };
}

// Estimate n sampled objects.  The bytes stay as printed; the printed number of objects
// is replaced, because int() may have dropped nearly a whole object.
static struct hp_unbiased of_sampled(const struct hp_scaled *scaled,
                                     struct hp_count count, uint64_t n, uint64_t size) {
    double p = share_of(scaled, size);
    struct hp_unbiased e = hp_unbiased_of((double)n / p, 0);
    e.bytes = as_printed(count).bytes;
    if (e.bytes < 0) {
        e.objects = -e.objects;
    } else {
        e.error = hp_error_of_one_size(n, size, p, scaled->period, &e.too_big);
    }
    return e;
}

struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size) {
    uint64_t n =
        size > 0 && scaled->recovers_objects ? sampled_objects(scaled, count, size) : 0;
    if (n > 0) {
        return of_sampled(scaled, count, n, size);
    }
    struct hp_unbiased e = as_printed(count);
    if ((count.objects | count.bytes) >> 63 == 0) {
        e.error = hp_error_of_scaled(count, size, scaled->may_be_of_means, scaled->period,
                                     &e.too_big);
    }
    return e;
}

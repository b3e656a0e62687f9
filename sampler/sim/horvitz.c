#include "sim/horvitz.h"

#include <math.h>

double hps_inclusion(uint64_t size, uint64_t period) {
    return -expm1((double)size * log1p(-1 / (double)period));
}

double hps_objects_variance(uint64_t size, uint64_t period) {
    double p = hps_inclusion(size, period);
    return (1 - p) / p;
}

double hps_bytes_variance(uint64_t size, uint64_t period) {
    return (double)size * (double)size * hps_objects_variance(size, period);
}

double hps_unseen_part(uint64_t size, uint64_t period) {
    return (double)size * hps_objects_variance(size, period);
}

struct hps_horvitz hps_horvitz_of(const uint64_t *sizes, uint64_t n, uint64_t period) {
    struct hps_horvitz sum = {.sampled = n};
    for (uint64_t i = 0; i < n; i++) {
        double p = hps_inclusion(sizes[i], period);
        sum.objects += 1 / p;
        sum.bytes += (double)sizes[i] / p;
        sum.variance += hps_bytes_variance(sizes[i], period) / p;
    }
    return sum;
}

double hps_largest_variance(double objects, double bytes, uint64_t period) {
    static const double top = 1.5936242600400399; // t at the maximum of t^2 / (e^t - 1)
    double t = bytes / objects / (double)period;
    t = t < top ? t : top;
    return objects * (double)period * (double)period * t * t / expm1(t);
}

#include "stats/whitening.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

// Smallest distance of two dumps, in mean distances: dumps of the same time are treated
// as if they were this far apart, so that both are used.
static const double least_distance = 0.01;

const double hp_correlations[HP_CORRELATIONS] = {
    0,  .05, .1, .15, .2, .25, .3,  .35, .4,  .45, .5,   .55, .6,   .65,
    .7, .75, .8, .85, .9, .92, .94, .96, .97, .98, .985, .99, .995, .999,
};

void hp_whitening_init(struct hp_whitening *whitening, const double *times, size_t count,
                       double rho) {
    double mean = (times[count - 1] - times[0]) / (double)(count - 1);
    whitening->carry = hp_alloc(2 * count * sizeof *whitening->carry);
    whitening->scale = whitening->carry + count;
    whitening->scale[0] = 1;
    whitening->log_r = 0;
    for (size_t j = 1; j < count; j++) {
        double distance =
            mean > 0 ? fmax((times[j] - times[j - 1]) / mean, least_distance) : 1;
        whitening->carry[j] = rho > 0 ? pow(rho, distance) : 0;
        double left = 1 - whitening->carry[j] * whitening->carry[j];
        whitening->scale[j] = 1 / sqrt(left);
        whitening->log_r += log(left);
    }
}

void hp_whitening_done(struct hp_whitening *whitening) {
    free(whitening->carry);
    whitening->carry = whitening->scale = NULL;
}

double hp_dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

double hp_normalize(double *vector, size_t count) {
    double length = sqrt(hp_dot(vector, vector, count));
    for (size_t j = 0; j < count; j++) {
        vector[j] = length > 0 ? vector[j] / length : 0;
    }
    return length;
}

void hp_make_orthogonal(double *vector, const double *unit, size_t count) {
    double along = hp_dot(vector, unit, count);
    for (size_t j = 0; j < count; j++) {
        vector[j] -= along * unit[j];
    }
}

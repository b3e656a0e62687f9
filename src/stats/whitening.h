// Values that hang together, made independent: with Corr(e_i, e_j) = rho^(|t_i - t_j| / d), d the mean distance
// of times, the values w_j = (B_j - phi_j B_j-1) / sqrt(1 - phi_j^2) with phi_j = rho^((t_j - t_j-1) / d) have no
// correlation, and generalized least squares of B are ordinary ones of w.
#ifndef HP_STATS_WHITENING_H
#define HP_STATS_WHITENING_H

#include <stddef.h>

enum {
    HP_CORRELATIONS = 28,
};

// The grid of rho that is tried, from 0 up.
extern const double hp_correlations[HP_CORRELATIONS];

// The factors for one rho; {0} is empty.
struct hp_whitening {
    double *carry, *scale; // phi_j, and 1 / sqrt(1 - phi_j^2)
    double log_r;          // log of the determinant of the correlations
};

// `times` go up, not all at once.
void hp_whitening_init(struct hp_whitening *whitening, const double *times, size_t count,
                       double rho);
void hp_whitening_done(struct hp_whitening *whitening);

static inline double hp_whitened(const struct hp_whitening *whitening,
                                 const double *values, size_t j) {
    double before = j > 0 ? values[j - 1] : 0;
    return (values[j] - whitening->carry[j] * before) * whitening->scale[j];
}

// --- vectors ---------------------------------------------------------------------------

double hp_dot(const double *a, const double *b, size_t count);

// Make it as long as 1, and say how long it was; one of zeros stays.
double hp_normalize(double *vector, size_t count);

// Take off what of it lies along a vector of length 1.
void hp_take_off(double *vector, const double *unit, size_t count);

#endif

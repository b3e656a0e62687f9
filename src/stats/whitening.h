// Removes the autocorrelation from a series of values B_j at times t_j.  If their errors
// e_j have Corr(e_i, e_j) = rho^(|t_i - t_j| / d), where d is the mean distance of times,
// then the whitened values w_j = (B_j - phi_j B_j-1) / sqrt(1 - phi_j^2) with phi_j =
// rho^((t_j - t_j-1) / d) are uncorrelated, and generalized least squares of B are
// ordinary least squares of w.
#ifndef HP_STATS_WHITENING_H
#define HP_STATS_WHITENING_H

#include <stddef.h>

// Number of autocorrelations (rho) that are tried.
enum {
    HP_CORRELATIONS = 28,
};

// The autocorrelations (rho) that are tried, ascending from 0.
extern const double hp_correlations[HP_CORRELATIONS];

// The factors that remove one autocorrelation (rho) from the values of a series.  {0} is
// empty.
struct hp_whitening {
    // For each dump j phi_j, its correlation with the dump before, and 1 / sqrt(1 -
    // phi_j^2).  Both arrays are one allocation, at `carry`.
    double *carry, *scale;
    double log_r; // logarithm of the determinant of the correlation matrix
};

// Compute the factors that remove the autocorrelation `rho`.  `times` must ascend; if all
// are equal, the distance between them counts as the mean distance.
void hp_whitening_init(struct hp_whitening *whitening, const double *times, size_t count,
                       double rho);
void hp_whitening_done(struct hp_whitening *whitening);

// Return value j of the series without its autocorrelation.
static inline double hp_whitened(const struct hp_whitening *whitening,
                                 const double *values, size_t j) {
    double before = j > 0 ? values[j - 1] : 0;
    return (values[j] - whitening->carry[j] * before) * whitening->scale[j];
}

// --- vectors ---------------------------------------------------------------------------

// Return the scalar product of two vectors.
double hp_dot(const double *a, const double *b, size_t count);

// Scale a vector to length 1, and return its previous length.  A vector of zeros remains.
double hp_normalize(double *vector, size_t count);

// Make a vector orthogonal to a vector of length 1.
void hp_make_orthogonal(double *vector, const double *unit, size_t count);

#endif

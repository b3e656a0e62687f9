// With the m p-values in order, p(1) <= ... <= p(m):
//
//     q(i) = least of p(j) m / j, j >= i
#include "stats/significance.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

// Equal ones get the same q, in whatever order they are.
static int by_p(const void *a, const void *b) {
    double p = **(double *const *)a, q = **(double *const *)b;
    return (p > q) - (p < q);
}

void hp_adjust_significance(double *p, size_t count) {
    double **tested = hp_alloc(count * sizeof *tested);
    size_t m = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(p[i])) {
            tested[m++] = &p[i];
        }
    }
    qsort(tested, m, sizeof *tested, by_p);
    double least = 1;
    for (size_t j = m; j > 0; j--) {
        // Divided first, so that the last is multiplied by exactly 1.
        least = fmin(least, *tested[j - 1] * ((double)m / (double)j));
        *tested[j - 1] = least;
    }
    free(tested);
}

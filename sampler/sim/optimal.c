// Minimise sum Z^2 l/p subject to sum a p <= P and p <= 1.  Where p < 1 the derivative
// has to be proportional to the cost a, so that p = min(1, c Z sqrt(l/a)).  Water-filling
// finds c: with the budget that is left by kinds with p = 1, c = (P - sum a) / sum a Z
// sqrt(l/a).  Kinds that exceed 1 are set to 1, which increases c; this is repeated until
// none exceeds it.
#include "sim/optimal.h"

#include <math.h>

// Z sqrt(l/a) of a kind.
static double weight(const struct hps_optimal_kind *kind) {
    return kind->size * sqrt(kind->live / kind->allocated);
}

// The factor c, with kinds that are at 1 already taken out of the budget.
static double level(const struct hps_optimal_kind *kinds, size_t count, double budget,
                    const double *chances) {
    double demand = 0;
    for (size_t i = 0; i < count; i++) {
        if (chances[i] < 1) {
            demand += kinds[i].allocated * weight(&kinds[i]);
        } else {
            budget -= kinds[i].allocated;
        }
    }
    return demand > 0 ? budget / demand : 0;
}

void hps_optimal_chances(const struct hps_optimal_kind *kinds, size_t count,
                         double budget, double *chances) {
    for (size_t i = 0; i < count; i++) {
        chances[i] = 0;
    }
    size_t capped;
    do {
        double c = level(kinds, count, budget, chances);
        capped = 0;
        for (size_t i = 0; i < count; i++) {
            if (chances[i] < 1) {
                double p = c * weight(&kinds[i]);
                chances[i] = p < 1 ? p : 1;
                capped += p >= 1;
            }
        }
    } while (capped > 0);
}

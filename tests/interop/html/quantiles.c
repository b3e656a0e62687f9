// Prints quantiles of the gamma distribution that the library computes, each as a line
// "SHAPE P BELOW ABOVE".
#include "stats/distributions.h"

#include <math.h>
#include <stdio.h>

int main(void) {
    static const double p[] = {1e-9, 1e-6, 1e-4, 0.005, 0.025, 0.05,
                               0.1,  0.25, 0.5,  0.75,  0.975};
    for (int i = -24; i <= 72; i++) {
        double shape = pow(10, i / 8.0) * 1.013;
        for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
            double below = hp_gamma_quantile_below(shape, p[k]);
            double above = hp_gamma_quantile_above(shape, p[k]);
            printf("%.17g %.17g %.17g %.17g\n", shape, p[k], below, above);
        }
    }
    return 0;
}

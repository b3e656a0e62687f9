// What p-values are worth when many are looked at: of a thousand stacks that did not grow,
// fifty have one below 1/20.
#ifndef HP_STATS_SIGNIFICANCE_H
#define HP_STATS_SIGNIFICANCE_H

#include <stddef.h>

// Turn the p-values p[0 ... count - 1], each from 0 to 1, into those of Benjamini and Hochberg
// (1995): of all that are at most q, no more than the share q is expected to be in vain.  NAN
// stands for what was not tested; it stays, and counts for nothing.
void hp_adjust_significance(double *p, size_t count);

#endif

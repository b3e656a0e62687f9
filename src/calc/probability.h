// The probability that an allocation is sampled, to the same bits on every machine.
//
// No libm: its exp() gives other bits with and without fused multiply-add.  Here only
// + - * / in a fixed order, in double, with contraction off.
#ifndef HP_CALC_PROBABILITY_H
#define HP_CALC_PROBABILITY_H

#include <stdint.h>

// 1 - exp(-x) for x >= 0, within 1.1 ulp.
double hp_one_minus_exp(double x);

// The same with the cancellation that 1.0 - exp(-x) suffers: what jemalloc and jeprof
// compute.
double hp_one_minus_exp_naive(double x);

// The rate r for which the probability that none of n bytes is picked, each with probability
// 1/period, is exp(-r n): -log(1 - 1/period).  period >= 2.
double hp_byte_rate(uint64_t period);

#endif

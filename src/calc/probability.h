// The probability that an allocation is sampled, with the same bits on every machine.
//
// The functions of libm are not used: its exp() gives different bits with and without
// fused multiply-add.  Only + - * / are used, in a fixed order, in double, with
// contraction off.
#ifndef HP_CALC_PROBABILITY_H
#define HP_CALC_PROBABILITY_H

#include <stdint.h>

// Return 1 - exp(-x) for x >= 0, within 1.1 ulp.
double hp_one_minus_exp(double x);

// Return 1 - exp(-x) with the cancellation error of computing 1.0 - exp(-x).  jemalloc
// and jeprof compute it like that.
double hp_one_minus_exp_naive(double x);

// Return the rate r for which the probability that none of n bytes is picked, each with
// probability 1/period, is exp(-r n).  r = -log(1 - 1/period).  period >= 2.
double hp_byte_rate(uint64_t period);

#endif

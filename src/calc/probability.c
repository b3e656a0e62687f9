// exp(-x) = 2^-k exp(-r) with x = k log 2 + r, |r| <= log(2)/2.  This is Cody and Waite's
// reduction, with log 2 in two parts.  1 - exp(-r) is computed by its Taylor series; its
// terms after the 14th are below 2^-57 of the sum there.
#include "calc/probability.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// gcc reports 1 on s390x, and 16 if it has _Float16.  In both cases only floats are
// evaluated in a wider type.  There are no floats here, and doubles are evaluated as
// doubles.
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 16,
              "doubles must be evaluated as doubles");

static const double log2_high = 0x1.62e42feep-1; // the low 21 bits are zero
static const double log2_low = 0x1.a39ef35793c76p-33;
static const double inverse_log2 = 0x1.71547652b82fep+0;

// Return 1 - exp(-r) by its series, r - r^2/2! + r^3/3! - ...
static double series(double r) {
    static const double inverse_factorial[] = {
        1.0 / 2,           1.0 / 6,        1.0 / 24,        1.0 / 120,
        1.0 / 720,         1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
        1.0 / 3628800,     1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
        1.0 / 87178291200,
    };
    int last = (int)(sizeof inverse_factorial / sizeof *inverse_factorial) - 1;
    double sum = inverse_factorial[last];
    for (int i = last - 1; i >= 0; i--) {
        sum = inverse_factorial[i] - r * sum;
    }
    return r - r * r * sum;
}

// Return 2^-k, for 0 <= k < 1023.
static double two_to_minus(int k) {
    uint64_t bits = (uint64_t)(1023 - k) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double hp_one_minus_exp(double x) {
    if (x > 60) {
        return 1;
    }
    int k = (int)(x * inverse_log2 + 0.5);
    double r = x - (double)k * log2_high - (double)k * log2_low;
    if (k == 0) {
        return series(r);
    }
    double power = two_to_minus(k);
    return (1 - power) + power * series(r);
}

double hp_one_minus_exp_naive(double x) {
    double exp_minus_x = 1 - hp_one_minus_exp(x);
    return 1 - exp_minus_x;
}

double hp_byte_rate(uint64_t period) {
    double q = 1 / (double)period, power = q, rate = q;
    for (int i = 2; i < 64 && power > rate * 0x1p-60; i++) {
        power *= q;
        rate += power / i;
    }
    return rate;
}

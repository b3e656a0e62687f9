// Tests of 1 - e^-x and of jemalloc's probability of sampling.
#include "calc/probability.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Compared with expm1l(), which has a precision of 64 bits.
Test(probability, is_within_1_1_ulp) {
    double worst = 0;
    for (double x = 1e-9; x < 100; x *= 1.00001) {
        long double truth = -expm1l(-(long double)x);
        double ulp = nextafter((double)truth, 2) - (double)truth;
        double error = (double)fabsl((hp_one_minus_exp(x) - truth) / ulp);
        worst = error > worst ? error : worst;
    }
    cr_expect_lt(worst, 1.1, "%g ulp", worst);
}

Test(probability, of_nothing_is_0_and_of_much_is_1) {
    cr_expect_eq(hp_one_minus_exp(0), 0);
    cr_expect_eq(hp_one_minus_exp(61), 1);
    cr_expect_eq(hp_one_minus_exp(1e300), 1);
    cr_expect_eq(hp_one_minus_exp_naive(0x1p-60), 0); // the same as jeprof
}

// Results have to be the same on every machine.  The digest of a million results was
// computed with gcc and clang, at -O0 and -O3.
Test(probability, has_the_same_bits_everywhere) {
    uint64_t digest = 0;
    double x = 1e-9;
    for (int i = 0; i < 1000000; i++, x *= 1.0000254) {
        double p = hp_one_minus_exp(x);
        uint64_t bits;
        memcpy(&bits, &p, sizeof bits);
        digest = (digest ^ bits) * 0x9e3779b97f4a7c15u;
    }
    cr_expect_eq(digest, 12454522121742928633u, "%llu", (unsigned long long)digest);
}

Test(probability, per_byte_is_that_of_jemalloc) {
    for (uint64_t period = 2; period <= (uint64_t)1 << 40; period *= 2) {
        long double truth = -log1pl(-1 / (long double)period);
        double relative = (double)(hp_byte_rate(period) / truth - 1);
        cr_expect_lt(fabs(relative), 1e-15, "period %llu", (unsigned long long)period);
    }
}

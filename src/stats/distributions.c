// The incomplete gamma function is computed by its series below the mean and by its
// continued fraction above, the incomplete beta function by its continued fraction, both
// with Lentz's method (Abramowitz and Stegun 6.5.29, 6.5.31 and 26.5.8; Numerical
// Recipes, chapter 6).  The factors before the series and fractions use Loader's deviance
// D and the error of Stirling's formula (C. Loader, "Fast and accurate computation of
// binomial probabilities", 2000), because logarithms of the gamma function would lose
// digits:
//
//     x^a e^-x / Gamma(a + 1) = e^(-stirling(a) - D(a, x)) / sqrt(2 pi a)
//     D(a, x) = a ln(a / x) + x - a
#include "stats/distributions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double tiny = 1e-300; // replaces 0 in Lentz's method
// Shape of a gamma distribution from which on gamma_expansion() alone is exact enough.
static const double expansion_from = 1e5;
// Shape from which on gamma_expansion() is a good start value.
static const double near_from = 50;

enum {
    MOST_STEPS = 1000000, // limit for loops; more than any series or fraction needs
};

// --- normal ----------------------------------------------------------------------------

double hp_normal_above(double z) {
    return erfc(z / sqrt(2)) / 2;
}

// Return an approximation of the value that a standard normal variable exceeds with
// probability p <= 0.5 (Abramowitz and Stegun 26.2.22).
static double normal_start_of_tail(double p) {
    double t = sqrt(-2 * log(p));
    return t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t));
}

static double normal_start(double p) {
    return p <= 0.5 ? normal_start_of_tail(p) : -normal_start_of_tail(1 - p);
}

// Return the value that a standard normal variable exceeds with probability p <= 0.5: the
// approximation, improved by Halley's method.
static double normal_quantile_of_tail(double p) {
    double z = normal_start_of_tail(p);
    for (int i = 0; i < 4; i++) {
        double density = exp(-z * z / 2) / sqrt(2 * pi);
        double step = (hp_normal_above(z) - p) / density;
        z += step / (1 - step * z / 2);
    }
    return z;
}

double hp_normal_quantile_above(double p) {
    return p <= 0.5 ? normal_quantile_of_tail(p) : -normal_quantile_of_tail(1 - p);
}

// --- gamma -----------------------------------------------------------------------------

// Return ln Gamma(a + 1) minus Stirling's formula for it.
static double stirling_error(double a) {
    if (a < 16) {
        int sign;
        return lgamma_r(a + 1, &sign) - (a + 0.5) * log(a) + a - log(2 * pi) / 2;
    }
    double s = 1 / (a * a);
    return (1. / 12 - s * (1. / 360 - s * (1. / 1260 - s * (1. / 1680 - s / 1188)))) / a;
}

// Return a ln(a / x) + x - a, which is 0 for x = a; by a series if x is near a, where the
// formula would lose digits.
static double deviance(double a, double x) {
    double v = (a - x) / (a + x);
    if (fabs(v) >= 0.1) {
        return a * log(a / x) + x - a;
    }
    // a ln((1 + v) / (1 - v)) by its series; the first term includes x - a.
    double sum = 0, power = v * v * v;
    for (int k = 3; fabs(power) > fabs(sum) * DBL_EPSILON / 4; k += 2) {
        sum += power / k;
        power *= v * v;
    }
    return (a - x) * v + 2 * a * sum;
}

// Return x^a e^-x / Gamma(a + 1).
static double gamma_front(double a, double x) {
    return exp(-stirling_error(a) - deviance(a, x)) / sqrt(2 * pi * a);
}

// Return the probability that a gamma variable of shape a is below x, by the series;
// `front` is gamma_front(a, x).
static double gamma_series(double a, double x, double front) {
    double term = 1, sum = 1;
    for (int n = 1; n < MOST_STEPS && term > sum * DBL_EPSILON / 4; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return front * sum;
}

static double away_from_zero(double x) {
    return fabs(x) < tiny ? tiny : x;
}

// Return the probability that a gamma variable of shape a is above x, by the continued
// fraction with Lentz's method; `front` is gamma_front(a, x).
static double gamma_fraction(double a, double x, double front) {
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
    for (int i = 1; i < MOST_STEPS; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / away_from_zero(an * d + b);
        c = away_from_zero(b + an / c);
        value *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) {
            break;
        }
    }
    return front * a * value;
}

// Return the probability that a gamma variable of shape a is below, or above, x; `front`
// is gamma_front(a, x).
static double gamma_tail(double a, double x, double front, bool above) {
    bool by_series = x < a + 1;
    double tail = by_series ? gamma_series(a, x, front) : gamma_fraction(a, x, front);
    return by_series == above ? 1 - tail : tail;
}

double hp_gamma_below(double shape, double x) {
    return x <= 0 ? 0 : gamma_tail(shape, x, gamma_front(shape, x), false);
}

double hp_gamma_above(double shape, double x) {
    return x <= 0 ? 1 : gamma_tail(shape, x, gamma_front(shape, x), true);
}

// Return the quantile of the gamma distribution with shape a by the expansion of Cornish
// and Fisher, for large a; z is the quantile of the normal distribution.
static double gamma_expansion(double a, double z) {
    double z2 = z * z, root = sqrt(a);
    return a + root * z + (z2 - 1) / 3 + (z2 * z - 7 * z) / (36 * root) -
           (3 * z2 * z2 + 7 * z2 - 16) / (810 * a) +
           z * (9 * z2 * z2 + 256 * z2 - 433) / (38880 * a * root);
}

// Return hp_normal_quantile_above(p).  The last result is cached, because consecutive
// calls usually have the same p.
static double remembered_quantile_above(double p) {
    static _Thread_local double last = NAN, quantile;
    if (p != last) {
        quantile = hp_normal_quantile_above(p);
        last = p;
    }
    return quantile;
}

// Return an approximate quantile of the gamma distribution: the expansion, the cube of
// Wilson and Hilferty, or the density near 0.  A better start value costs less than
// computing the tail once more.
static double gamma_start(double a, double p, bool above) {
    double sign = above ? 1 : -1;
    if (a > near_from && p <= 0.5) {
        return gamma_expansion(a, sign * remembered_quantile_above(p));
    }
    double z = sign * normal_start(p), below = above ? 1 - p : p;
    double cube = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
    int of_gamma;
    return a >= 1 && cube > 0 ? a * cube * cube * cube
                              : exp((log(below) + lgamma_r(a + 1, &of_gamma)) / a);
}

// Return the x that a gamma variable of shape a is below, or with `above` the x that it
// is above, with probability p, by Halley's method within a bracket.
static double gamma_quantile(double a, double p, bool above) {
    double sign = above ? 1 : -1;
    if (a > expansion_from) {
        return gamma_expansion(a, sign * remembered_quantile_above(p));
    }
    double low = 0, high = INFINITY, x = gamma_start(a, p, above);
    // Below DBL_MIN the start is exact, and divisions by x overflow.
    for (int i = 0; i < 200 && x >= DBL_MIN; i++) {
        double front = gamma_front(a, x);
        double off = (p - gamma_tail(a, x, front, above)) * sign;
        if (off < 0) {
            low = x;
        } else {
            high = x;
        }
        double step = off / (front * a / x);
        double next = x - step / fmax(1 - step * ((a - 1) / x - 1) / 2, 0.5);
        if (fabs(step) <= x * 1e-6) { // the remaining error is of the third power
            return next;
        }
        if (!(next > low && next < high)) {
            next = isinf(high) ? 2 * x + 1 : (low + high) / 2;
        }
        x = next;
    }
    return x;
}

// Return gamma_quantile() with a cache, because most rows have one or two samples, and so
// the same shape.
static double remembered_quantile(double a, double p, bool above) {
    enum {
        REMEMBERED = 512
    };

    static _Thread_local struct {
        double a, p, quantile;
        bool above;
    } memos[REMEMBERED]; // no shape is 0, so {0} is an empty entry

    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    size_t at = (bits * 0x9e3779b97f4a7c15 >> 32 ^ above) % REMEMBERED;
    if (memos[at].a != a || memos[at].p != p || memos[at].above != above) {
        memos[at].a = a;
        memos[at].p = p;
        memos[at].above = above;
        memos[at].quantile = gamma_quantile(a, p, above);
    }
    return memos[at].quantile;
}

double hp_gamma_quantile_below(double shape, double p) {
    return remembered_quantile(shape, p, false);
}

double hp_gamma_quantile_above(double shape, double p) {
    return remembered_quantile(shape, p, true);
}

// --- beta ------------------------------------------------------------------------------

// Return x^a (1 - x)^b / (a B(a, b)).
static double beta_front(double a, double b, double x, double rest) {
    double n = a + b;
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x) - deviance(b, n * rest);
    return exp(exponent) * sqrt(b / (2 * pi * a * n));
}

// Return the value of the continued fraction of the incomplete beta function, by Lentz's
// method.
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < MOST_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) {
            break;
        }
    }
    return value;
}

double hp_beta_below(double a, double b, double x, double rest) {
    if (x <= 0 || rest <= 0) {
        return x > 0;
    }
    // The continued fraction of the other tail converges faster.
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - beta_front(b, a, rest, x) * beta_fraction(b, a, rest);
    }
    return beta_front(a, b, x, rest) * beta_fraction(a, b, x);
}

double hp_beta_quantile(double p, double a, double b) {
    double low = 0, high = 1;
    for (;;) { // bisection, until the interval cannot be divided
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
            return middle;
        }
        *(hp_beta_below(a, b, middle, 1 - middle) < p ? &low : &high) = middle;
    }
}

double hp_student_above(double t, double freedom) {
    double whole = freedom + t * t;
    double tail = hp_beta_below(freedom / 2, 0.5, freedom / whole, t * t / whole) / 2;
    return t >= 0 ? tail : 1 - tail;
}

double hp_student_quantile_above(double p, double freedom) {
    double low = 0, high = 1;
    while (hp_student_above(high, freedom) > p && high < 0x1p500) {
        low = high;
        high *= 2;
    }
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
            return middle;
        }
        *(hp_student_above(middle, freedom) > p ? &low : &high) = middle;
    }
}

// X has shape a and scale r, Y has b and s.  At d = 0 the incomplete beta function gives
// the result:
//
//     P(X <= Y) = I_q(a, b), q = s / (r + s)
//
// Elsewhere it follows from the transform of X - Y, which has a closed form:
//
//     P(X - Y <= d) = -1 / (2 pi i) integral of e^h(t), -1/s < Re t < 0, upwards
//     h(t) = -a ln(1 - r t) - b ln(1 + s t) - t d - ln t
//
// The density is the integral of t e^h(t), and its slope is computed in the same way.
// The path crosses the real axis at the minimum of |e^h|, and is half a hyperbola that
// opens to the side where e^(-t d) vanishes.  Along it the trapezoidal rule gains digits
// with each point (Weideman and Trefethen, "Parabolic and hyperbolic contours for
// computing the Bromwich integral", 2007).  The work does not depend on the size of the
// shapes.
#include "stats/gamma_difference.h"

#include "stats/distributions.h"

#include <math.h>
#include <stdbool.h>

static const double pi = 3.14159265358979323846;
static const double point_step = 0.15; // distance of points in u, the path's parameter
static const double opening = 0.5; // opening of the hyperbola; its slope is 1 / opening
// Share of the sum at which a point ends the integral.
static const double negligible = 1e-10;

enum {
    MOST_POINTS = 400, // limit for points of a path
    MOST_STEPS = 200,  // limit for steps of an iteration
};

// Return the probability that x is at most y, of two gamma variables.
static double below_0(struct hp_gamma x, struct hp_gamma y) {
    double sum = x.scale + y.scale;
    return hp_beta_below(x.shape, y.shape, y.scale / sum, x.scale / sum);
}

// --- the integral for one d ------------------------------------------------------------

struct difference {
    struct hp_gamma x, y;
    double d;
};

// The probability that the difference of two gamma variables is at most d, and its first
// two derivatives by d.
struct gamma_place {
    double below, density, slope;
};

// The derivatives of h, the exponent of the integrand (see the top of this file), at a
// real number t below 0.
struct derivatives {
    double first, second, third;
};

static struct derivatives derivatives_at(const struct difference *z, double t) {
    double x = z->x.scale / (1 - z->x.scale * t), y = z->y.scale / (1 + z->y.scale * t);
    double a = z->x.shape, b = z->y.shape;
    return (struct derivatives){
        .first = a * x - b * y - z->d - 1 / t,
        .second = a * x * x + b * y * y + 1 / (t * t),
        .third = 2 * (a * x * x * x - b * y * y * y - 1 / (t * t * t)),
    };
}

// The path of the integral, half a hyperbola, by its parameter u: start + bend (cosh u -
// 1) + i width sinh u.
struct gamma_path {
    double start, width, bend;
};

// Choose the path of steepest descent from the minimum of the integrand e^h(t),
// approximated by three derivatives.  The minimum need not be exact: an inexact one only
// makes the path longer.
static struct gamma_path path_of(const struct difference *z) {
    double end = -1 / z->y.scale, low = end, high = 0, t = end / 2, step;
    struct derivatives at;
    int i = 0;
    do {
        at = derivatives_at(z, t);
        *(at.first > 0 ? &high : &low) = t;
        double next = t - at.first / at.second;
        next = next > low && next < high ? next : (low + high) / 2;
        step = fabs(next - t);
        t = next;
    } while (step > 1e-2 * fmin(-t, t - end) && ++i < MOST_STEPS);
    at = derivatives_at(z, t);
    double width = fmin(1 / sqrt(at.second), fmin(-t, t - end));
    double slope = width * at.third / at.second / 3;
    double bend = slope * z->d > 0 ? fmax(fmin(slope, opening), -opening) : 0;
    return (struct gamma_path){t, width, bend * width};
}

struct complex {
    double re, im;
};

// Return ln(1 + z), exact for small z.
static struct complex log_of_1_plus(double re, double im) {
    return (struct complex){log1p(re * (2 + re) + im * im) / 2, atan2(im, 1 + re)};
}

// Return h(t) + ln t, where h is the exponent of the integrand (see the top of this
// file).
static struct complex exponent(const struct difference *z, struct complex t) {
    double r = z->x.scale, s = z->y.scale, a = z->x.shape, b = z->y.shape;
    struct complex x = log_of_1_plus(-r * t.re, -r * t.im);
    struct complex y = log_of_1_plus(s * t.re, s * t.im);
    return (struct complex){-a * x.re - b * y.re - z->d * t.re,
                            -a * x.im - b * y.im - z->d * t.im};
}

// Add one point of the path and its mirror image below the axis to three integrals: of
// e^h t dt times 1 / t (the probability), 1 (the density) and t (its slope).  `h`: h(t) +
// ln t, scaled.  Returns an upper bound of what is added to the probability.
static double add_point(struct gamma_place *sum, struct complex t, struct complex dt,
                        struct complex h, double weight) {
    double size = weight * exp(h.re), c = size * cos(h.im), s = size * sin(h.im);
    struct complex e = {c * dt.re - s * dt.im, c * dt.im + s * dt.re};
    double square = t.re * t.re + t.im * t.im;
    sum->below -= (e.im * t.re - e.re * t.im) / square;
    sum->density += e.im;
    sum->slope -= e.im * t.re + e.re * t.im;
    return size * sqrt((dt.re * dt.re + dt.im * dt.im) / square);
}

// Compute the three integrals for one d.  Terms are scaled by the largest one, so that
// none overflows.
static struct gamma_place place_of(const struct difference *z) {
    struct gamma_path path = path_of(z);
    double top = exponent(z, (struct complex){path.start, 0}).re;
    struct gamma_place sum = {0, 0, 0};
    for (int i = 0; i < MOST_POINTS; i++) {
        double u = exp(i * point_step), sinh = (u - 1 / u) / 2, cosh = (u + 1 / u) / 2;
        struct complex t = {path.start + path.bend * (cosh - 1), path.width * sinh};
        struct complex dt = {path.bend * sinh, path.width * cosh};
        struct complex h = exponent(z, t);
        h.re -= top;
        double size = add_point(&sum, t, dt, h, i == 0 ? 0.5 : 1);
        if (size <= negligible * sum.below) {
            break;
        }
    }
    double factor = point_step / pi * exp(top);
    return (struct gamma_place){sum.below * factor, sum.density * factor,
                                sum.slope * factor};
}

double hp_gamma_difference_below(struct hp_gamma x, struct hp_gamma y, double d) {
    struct difference z = {x, y, d};
    return d == 0 ? below_0(x, y) : fmin(place_of(&z).below, 1);
}

// --- quantiles -------------------------------------------------------------------------

// Return an approximation of the d that the difference of the two gamma variables is
// below with probability p, by the expansion of Cornish and Fisher with the skewness.
// *sd becomes the standard deviation of the difference.
static double guess(const struct difference *z, double p, double *sd) {
    double a = z->x.shape, b = z->y.shape, r = z->x.scale, s = z->y.scale;
    double normal = -hp_normal_quantile_above(p), variance = a * r * r + b * s * s;
    double third = 2 * (a * r * r * r - b * s * s * s);
    *sd = sqrt(variance);
    return a * r - b * s + *sd * normal + third / variance * (normal * normal - 1) / 6;
}

// Return the number to add to d in one step of Halley's method for the logarithm of the
// probability; `off` is how much this logarithm is too high at the present d, and `at`
// has the probability and its derivatives there.
static double step_of(const struct gamma_place *at, double off) {
    double rise = at->density / at->below;
    double bend = at->slope / at->below - rise * rise;
    double step = off / rise;
    return -step / fmax(1 - step * bend / rise / 2, 0.5);
}

// Return the middle of the bracket from `low` to `high`.  If one end is infinite, double
// *reach, and return the number that is *reach away from the other end.
static double between(double low, double high, double *reach) {
    if (isfinite(low) && isfinite(high)) {
        return low + (high - low) / 2;
    }
    *reach *= 2;
    return isinf(low) ? high - *reach : low + *reach;
}

// Find the quantile.  The probability at `place` determines on which side of it the
// quantile is searched, so that errors of the integral cannot make the two contradict
// each other.
double hp_gamma_difference_quantile(struct hp_gamma x, struct hp_gamma y, double p,
                                    double place) {
    double sd, below = hp_gamma_difference_below(x, y, place);
    struct difference z = {x, y, 0};
    double low = below < p ? place : -INFINITY, high = below < p ? INFINITY : place;
    z.d = guess(&z, p, &sd);
    double reach = sd / 2, enough = 1e-9 * sd;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (!(z.d > low && z.d < high)) {
            z.d = between(low, high, &reach);
        }
        struct gamma_place at = place_of(&z);
        double off = log(at.below / p), step = step_of(&at, off), next = z.d + step;
        bool is_inside = next > low && next < high;
        *(at.below < p ? &low : &high) = z.d;
        if (is_inside && fabs(off) <= 3e-3) { // the remaining error is of the third power
            return next;
        }
        if (fabs(step) <= enough || high - low <= enough) {
            break;
        }
        z.d = next;
    }
    return z.d;
}

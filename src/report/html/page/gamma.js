// The first of the scripts, which are one in a report.
'use strict';

// Quantiles of the gamma distribution, as the library's own (src/stats/distributions.c): the series below the mean,
// the continued fraction above; Halley's method from Wilson and Hilferty's cube on.
const { EPSILON } = Number;
const { abs, ceil, floor, log, max, min, sqrt } = Math;
const MOST_STEPS = 1e6;
// The cube is near enough for larger shapes.
const LARGEST_SHAPE = 1e10;

// ln Gamma(a + 1), by Stirling's series from where it holds.
function logGamma(a) {
  const s = 1 / (a * a);
  return a < 16 ? logGamma(a + 1) - log(a + 1)
    : (a + 0.5) * log(a) - a + log(2 * Math.PI) / 2 + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / a;
}

// x^a e^-x / Gamma(a + 1)
const gammaFront = (a, x) => Math.exp(a * log(x) - x - logGamma(a));

function gammaSeries(a, x, front) {
  let term = 1, sum = 1;
  for (let n = 1; n < MOST_STEPS && term > sum * EPSILON / 4; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return front * sum;
}

// Lentz's method.
function gammaFraction(a, x, front) {
  let b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
  for (let i = 1; i < MOST_STEPS; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b || 1e-300);
    c = b + an / c || 1e-300;
    value *= d * c;
    if (abs(d * c - 1) < EPSILON) {
      break;
    }
  }
  return front * a * value;
}

// The probability of being below x, or above it; `front` is gammaFront() there.
function gammaTail(a, x, front, above) {
  const bySeries = x < a + 1;
  const tail = bySeries ? gammaSeries(a, x, front) : gammaFraction(a, x, front);
  return bySeries === above ? 1 - tail : tail;
}

// Roughly (Abramowitz and Stegun 26.2.22), for p <= 0.5.
function normalStart(p) {
  const t = sqrt(-2 * log(p));
  return t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t));
}

// Somewhere near the quantile, or what the density near 0 says.
function gammaStart(a, below, z) {
  const cube = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
  return a >= 1 && cube > 0 ? a * cube * cube * cube
    : Math.exp((log(below) + logGamma(a)) / a);
}

// The x of shape a that is exceeded with probability p, or of `above` false not exceeded.
function gammaQuantile(a, p, above) {
  const sign = above ? 1 : -1, z = sign * (p <= 0.5 ? normalStart(p) : -normalStart(1 - p));
  let low = 0, high = Infinity, x = gammaStart(a, above ? 1 - p : p, z);
  // A smaller start is exact, and what is divided by it overflows.
  for (let i = 0; i < 200 && x > 1e-307 && a < LARGEST_SHAPE; i++) {
    const front = gammaFront(a, x);
    const off = (p - gammaTail(a, x, front, above)) * sign;
    [low, high] = off < 0 ? [x, high] : [low, x];
    const step = off / (front * a / x);
    let next = x - step / max(1 - step * ((a - 1) / x - 1) / 2, 0.5);
    // What is left is of its third power.
    if (abs(step) <= x * 1e-6) {
      return next;
    }
    if (!(next > low && next < high)) {
      next = high === Infinity ? 2 * x + 1 : (low + high) / 2;
    }
    x = next;
  }
  return x;
}

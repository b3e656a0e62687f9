// The first of the scripts, which are one in a report.
'use strict';

// Quantiles of the gamma distribution, as the library's own (src/stats/distributions.c), whose formulas
// these are: the series below the mean, the continued fraction above, both behind Loader's deviance and
// the error of Stirling's formula; Halley's method from Wilson and Hilferty's cube on; Cornish and
// Fisher's expansion for large shapes.
const { EPSILON } = Number;
const { abs, ceil, floor, log, max, min, sqrt } = Math;
const MOST_STEPS = 1e6;
// Shape.
const EXPANSION_FROM = 1e5;

// What Stirling's formula for ln Gamma(a + 1) lacks.
function stirlingError(a) {
  if (a < 16) {
    return logGamma(a) - stirling(a);
  }
  const s = 1 / (a * a);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / a;
}

function stirling(a) {
  return (a + 0.5) * log(a) - a + log(2 * Math.PI) / 2;
}

// ln Gamma(a + 1), from where the series holds.
function logGamma(a) {
  return a < 16 ? logGamma(a + 1) - log(a + 1) : stirling(a) + stirlingError(a);
}

function deviance(a, x) {
  const v = (a - x) / (a + x);
  if (abs(v) >= 0.1) {
    return a * log(a / x) + x - a;
  }
  let sum = 0;
  for (let k = 3, power = v * v * v; abs(power) > abs(sum) * EPSILON / 4; k += 2) {
    sum += power / k;
    power *= v * v;
  }
  return (a - x) * v + 2 * a * sum;
}

// x^a e^-x / Gamma(a + 1)
function gammaFront(a, x) {
  return Math.exp(-stirlingError(a) - deviance(a, x)) / sqrt(2 * Math.PI * a);
}

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

// Half the square of a normal number is one of shape 1/2.
function normalQuantileAbove(p) {
  return p > 0.5 ? -normalQuantileAbove(1 - p) : sqrt(2 * gammaQuantile(0.5, 2 * p, true));
}

// z is the normal quantile.
function gammaExpansion(a, z) {
  const z2 = z * z, root = sqrt(a);
  return a + root * z + (z2 - 1) / 3 + (z2 * z - 7 * z) / (36 * root) -
    (3 * z2 * z2 + 7 * z2 - 16) / (810 * a) +
    z * (9 * z2 * z2 + 256 * z2 - 433) / (38880 * a * root);
}

// Somewhere near the quantile, or what the density near 0 says.
function gammaStart(a, below, z) {
  const cube = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
  return a >= 1 && cube > 0 ? a * cube * cube * cube
    : Math.exp((log(below) + logGamma(a)) / a);
}

// The x of shape a that is exceeded with probability p, or of `above` false not exceeded.
function gammaQuantile(a, p, above) {
  const sign = above ? 1 : -1;
  if (a > EXPANSION_FROM) {
    return gammaExpansion(a, sign * normalQuantileAbove(p));
  }
  let low = 0, high = Infinity;
  const z = sign * (p <= 0.5 ? normalStart(p) : -normalStart(1 - p));
  let x = gammaStart(a, above ? 1 - p : p, z);
  for (let i = 0; i < 200 && x > 0; i++) {
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

"""The intervals of docs/explanation/statistics.md around estimates of sampled bytes, computed independently."""
import math
import statistics

T0, E0 = 1.5936242600400399, 0.6476102378919147


def gamma_p(a, x):
    """The regularized lower incomplete gamma function P(a, x), and 1 - P(a, x)."""
    if x <= 0:
        return 0.0, 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-16:
            n += 1
            term *= x / n
            total += term
        return front * total, 1 - front * total
    b, c, d = x + 1 - a, 1e300, 1 / (x + 1 - a)
    h = d
    for i in range(1, 1000000):
        an = -i * (i - a)
        b += 2
        d = an * d + b
        d = 1 / (d if abs(d) > 1e-300 else 1e-300)
        c = b + an / c
        c = c if abs(c) > 1e-300 else 1e-300
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return 1 - front * h, front * h


def gamma_quantile(shape, lower=None, upper=None):
    """The x with P(shape, x) = lower, or with 1 - P(shape, x) = upper; of many it is next to normal."""
    if shape > 1e7:
        z = statistics.NormalDist().inv_cdf(lower if upper is None else 1 - upper)
        return shape + math.sqrt(shape) * z + (z * z - 1) / 3
    def excess(x):
        p, q = gamma_p(shape, x)
        return p - lower if upper is None else upper - q
    low = high = shape
    while excess(low) > 0:
        low -= min(low / 2, math.sqrt(shape))
    while excess(high) < 0:
        high += math.sqrt(shape)
    below, above = excess(low), excess(high)
    while high - low > 1e-12 * high:
        # The place where the chord crosses zero; the value at an end that stays is halved, so that both ends
        # converge.
        middle = min(max(high - above * (high - low) / (above - below), low), high)
        value = excess(middle)
        if value == 0 or middle in (low, high):
            return middle
        if value < 0:
            low, below, above = middle, value, above / 2
        else:
            high, above, below = middle, value, below / 2
    return (low + high) / 2


def interval(total, variance, period, alpha, highest=None, sure=0.0):
    """The ends of the interval of an estimate, from its variance and its certain part."""
    highest = total if highest is None else highest
    low = total
    if variance > 0:
        low = variance / total * gamma_quantile(total ** 2 / variance, lower=alpha / 2)
    mean, variance = highest - sure + period, variance + period ** 2
    high = sure + variance / mean * gamma_quantile(mean ** 2 / variance, upper=alpha / 2)
    return max(low, sure), max(high, highest)


def variance_of(total, size, period):
    """V = C R² E(t) for objects of one size."""
    t = size / period
    return total / size * period ** 2 * (t * t / math.expm1(t) if t <= T0 else E0)


def certain(objects, size, period):
    """Bytes that are certainly live if an unbiased line contains `objects` and `size`: each sampled object represents
    at most one period more than itself."""
    total = size / -math.expm1(-(size / objects) / period)
    return max(0.0, total - period * (objects + 0.5) / 0.945)

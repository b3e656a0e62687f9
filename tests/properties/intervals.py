"""The intervals of statistics.md (sections 0 and 3 in the project's design) around estimates
of sampled bytes, with arithmetic of their own: gamma quantiles by bisection.
"""
import math

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
    """The x with P(shape, x) = lower, or with 1 - P(shape, x) = upper."""
    def below(x):
        p, q = gamma_p(shape, x)
        return p < lower if upper is None else q > upper
    low, high = 0.0, shape + 10
    while below(high):
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def interval(total, variance, period, alpha):
    """Section 0's L and U for an estimate and the bound of its variance."""
    if variance == 0:
        upper = -period * math.log(alpha / 2) if total == 0 else total
        return total, upper
    low = variance / total * gamma_quantile(total ** 2 / variance, lower=alpha / 2)
    total, variance = total + period, variance + period ** 2
    return low, variance / total * gamma_quantile(total ** 2 / variance, upper=alpha / 2)


def variance_of(total, size, period):
    """V = C R² E(t) for objects of one size."""
    t = size / period
    return total / size * period ** 2 * (t * t / math.expm1(t) if t <= T0 else E0)


def certain(objects, size, period):
    """Bytes that are surely alive when a line, unbiased as it was written, says `objects`
    and `size`: each sampled object stands for at most one period more than itself."""
    total = size / -math.expm1(-(size / objects) / period)
    return max(0.0, total - period * (objects + 0.5) / 0.945)

"""How the reports for people write a number, worked out anew and exactly, and whether that is
what JSON says.

JSON rounds: a number of its stands for all that round to it.  A text agrees with it if one of
these is written like that, which in nearly all cases leaves one text.  All numbers are strings
here, as they stand in a report, or Fractions.
"""
import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

UNITS = ('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB')
TINY = Fraction(1, 1 << 60)  # what has a sign and is written as 0
ULP = Fraction(1, 1 << 20)   # ends of intervals are cut to this before they are written
FLOAT = Fraction(1, 1 << 46)  # more than a few operations of doubles are off by, relatively

# --- writing --------------------------------------------------------------------------------------


def nearest(x):
    """The whole number, halves away from zero; x is not below zero."""
    return math.floor(x + Fraction(1, 2))


def with_tenth(tenths):
    return f'{tenths // 10}.{tenths % 10}'


def bytes_text(x, unit):
    """1536 as 1.5 KiB: in the smallest unit that leaves no more than 1023.9, or the one asked for."""
    size, power = abs(x), 0 if unit == 'auto' else UNITS.index(unit)
    if unit == 'auto':
        while power < 6 and nearest(size * 10 / 1024 ** power) >= 10240:
            power += 1
    if power == 0:
        digits, is_zero = str(nearest(size)), nearest(size) == 0
    else:
        tenths = nearest(size * 10 / 1024 ** power)
        digits, is_zero = with_tenth(tenths), tenths == 0
    return ('-' if x < 0 and not is_zero else '') + f'{digits} {UNITS[power]}'


def count_text(x):
    """1234.5 as 1,235."""
    whole = nearest(abs(x))
    return ('-' if x < 0 and whole else '') + f'{whole:,}'


def value_text(x, is_space, unit):
    return bytes_text(x, unit) if is_space else count_text(x)


def signed_text(x, is_space, unit):
    return ('-' if x < 0 else '+' if x > 0 else '') + value_text(abs(x), is_space, unit)


def slope_text(x, is_space, unit):
    """What is written as nothing has no sign."""
    text = value_text(abs(x), is_space, unit)
    return text if text in ('0 B', '0') else ('-' if x < 0 else '+') + text


def share_text(x):
    """0.737 as 73.7%."""
    tenths = nearest(abs(x) * 1000)
    return ('-' if x < 0 and tenths else '') + with_tenth(tenths) + '%'


def growth_text(x):
    """0.081 as +8.1%, with a sign always."""
    return ('-' if x < 0 else '+') + with_tenth(nearest(abs(x) * 1000)) + '%'


def decimals_text(x, decimals):
    whole = nearest(abs(x) * 10 ** decimals)
    digits = str(whole).rjust(decimals + 1, '0')
    return ('-' if x < 0 else '') + digits[:-decimals] + '.' + digits[-decimals:]


def chance_text(x):
    return '<0.0001' if x < Fraction(1, 10000) else decimals_text(x, 4)


# --- reading --------------------------------------------------------------------------------------


def read(text):
    """What a text says, at least nearly; ValueError if it is no number."""
    sign, digits = (text[0], text[1:]) if text[:1] in ('+', '-', '<') else ('', text)
    number, _, unit = digits.partition(' ')
    if unit and unit not in UNITS:
        raise ValueError(text)
    percent = number.endswith('%')
    x = Fraction(number.removesuffix('%').replace(',', '')) / (100 if percent else 1)
    x = x * 1024 ** UNITS.index(unit) if unit else x
    return {'': x, '+': x or TINY, '-': -(x or TINY), '<': Fraction(0)}[sign]


def says(text, span, write):
    """Whether one of the numbers from span[0] to span[1] is written like that: if any is, it is
    the one nearest to what the text says."""
    try:
        x = read(text)
    except (ValueError, ZeroDivisionError):
        return False
    return write(min(max(x, span[0]), span[1])) == text


# --- what a number of JSON stands for -------------------------------------------------------------


@lru_cache(1 << 16)
def fixed(number):
    """An exact sum, to three decimals.  Nothing is exactly nothing."""
    n = int(number.replace('.', ''))
    if n == 0:
        return (-Fraction(1, 2000), -TINY) if number[0] == '-' else (Fraction(0), Fraction(0))
    return Fraction(2 * n - 1, 2000), Fraction(2 * n + 1, 2000)


@lru_cache(1 << 16)
def rounded(number, digits=9):
    """A number to so many digits."""
    x, places = Fraction(number), Decimal(number)
    if x == 0:
        return x, x
    half = Fraction(10) ** (places.adjusted() - digits + 1) / 2
    # Below a power of ten numbers have a digit more behind the point.
    inner = half / 10 if places.normalize().as_tuple().digits == (1,) else half
    return (x - inner, x + half) if x > 0 else (x - half, x + inner)


def is_nothing(number):
    return number == '0.000'


# --- whether a text says what JSON does -----------------------------------------------------------


@lru_cache(1 << 18)
def is_value(text, number, is_space, unit):
    """An exact sum."""
    return says(text, fixed(number), lambda x: value_text(x, is_space, unit))


@lru_cache(1 << 16)
def is_change(text, number, is_space, unit):
    """A difference of exact sums, which may be too small for JSON."""
    low, high = fixed(number)
    span = (Fraction(0), Fraction(1, 2000)) if low == high else (low, high)
    return says(text, span, lambda x: signed_text(x, is_space, unit))


@lru_cache(1 << 16)
def is_double(text, number, is_space, unit):
    """A number that is none: at least 0."""
    low, high = rounded(number)
    return says(text, (max(low - ULP, 0), max(high, 0)),
                lambda x: value_text(x, is_space, unit))


def cut(x):
    """Towards nothing."""
    return Fraction(int(x / ULP)) * ULP


@lru_cache(1 << 16)
def is_end(text, number, is_space, unit):
    low, high = rounded(number)
    span = (low, high) if not is_space else (cut(low), cut(high))
    return says(text, span, lambda x: signed_text(x, is_space, unit))


@lru_cache(1 << 16)
def is_slope(text, number, is_space, unit, digits=9):
    if number is None:
        return text == '-'
    low, high = rounded(number, digits)
    return says(text, (low - ULP, high + ULP), lambda x: slope_text(x, is_space, unit))


@lru_cache(1 << 17)
def is_half(text, low, high, is_space, unit):
    """Half of the interval."""
    lows, highs = rounded(low), rounded(high)
    span = max((highs[0] - lows[1]) / 2 - ULP, 0), max((highs[1] - lows[0]) / 2, 0)
    return says(text, span, lambda x: value_text(x, is_space, unit))


def quotient(part, whole):
    """Of spans; whole is above 0."""
    ends = [p / w for p in part for w in whole]
    low, high = min(ends), max(ends)
    return low - abs(low) * FLOAT, high + abs(high) * FLOAT


@lru_cache(1 << 17)
def is_share(text, part, whole):
    return is_share_of(text, fixed(part), whole)


def is_share_of(text, part, whole):
    """A span of a sum."""
    if is_nothing(whole):
        return text == '-'
    return says(text, quotient(part, fixed(whole)), share_text)


@lru_cache(1 << 14)
def is_growth(text, part, whole):
    """Of the base, where there is any."""
    if fixed(whole)[1] <= 0:
        return text == '-'
    return says(text, quotient(fixed(part), fixed(whole)), growth_text)


@lru_cache(1 << 14)
def is_chance(text, number):
    if number is None:
        return text == '-'
    low, high = rounded(number, 7)
    edge = (high - low) * FLOAT  # no p lies on it, and both writers round alike
    return says(text, (low + edge, min(high - edge, 1)), chance_text)


@lru_cache(1 << 14)
def is_tau(text, number):
    return says(text, rounded(number, 4), lambda x: decimals_text(x, 2))

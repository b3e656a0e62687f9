"""A second, exact implementation of the way reports for people write numbers, and comparisons with the numbers of
JSON.

JSON rounds: each of its numbers represents all numbers that round to it.  A text agrees with it if one of these would
be written like that; in nearly all cases only one text does.  All numbers here are strings, as written in a report,
or Fractions.
"""
import itertools
import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

UNITS = ('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB')
TINY = Fraction(1, 1 << 60)  # a number that has a sign, but is written as 0
ULP = Fraction(1, 1 << 20)   # ends of intervals are truncated to this before they are written
FLOAT = Fraction(1, 1 << 46)  # larger than the relative error of a few operations of doubles

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
    """A slope that is written as 0 has no sign."""
    text = value_text(abs(x), is_space, unit)
    return text if text in ('0 B', '0') else ('-' if x < 0 else '+') + text


# --- writing estimates ----------------------------------------------------------------------------


def power_of(value, high, unit):
    """The unit of a value and its ends: the value's, if the higher end has four digits in it."""
    if unit != 'auto':
        return UNITS.index(unit)
    power, top = (power_in_auto(x) for x in (value or high, high))
    while power < top and high > 9999 * 1024 ** power:
        power += 1
    return power


def power_in_auto(x):
    """The power of 1024 of the unit in which the number is at most 1023.9."""
    return next((power for power in range(6) if nearest(x * 10 / 1024 ** power) < 10240), 6)


def decimals_of(size, least=0):
    """The most decimals, at most three, with which a size has no more than two digits; `least` if even that has more."""
    return next((d for d in range(3, least, -1) if math.ceil(size * 10 ** d) < 100), least)


def with_decimals(whole, decimals):
    digits = str(whole).rjust(decimals + 1, '0')
    return f'{digits[:-decimals]}.{digits[-decimals:]}' if decimals else digits


def estimate_texts(value, low, high, is_space, unit):
    """(73.5 MiB, ± 4.9 MiB) or (0.37 MiB, 0.37 … 1.40 MiB)."""
    sides = max(value - low, 0), max(high - value, 0)
    power = power_of(value, high, unit) if is_space else 0
    decimals = decimals_of(max(sides) / 1024 ** power) if power else 0
    last = Fraction(1024 ** power, 10 ** decimals)
    behind = f' {UNITS[power]}' if is_space else ''

    def text(whole):
        return with_decimals(whole, decimals) if is_space else f'{whole:,}'
    near = nearest(value / last)
    if max(sides) * 4 > min(sides) * 5 or max(sides) > value:
        ends = f'{text(math.floor(low / last))} … {text(math.ceil(high / last))}'
    else:
        ends = '± ' + text(math.ceil(max(near - low / last, high / last - near)))
    # Zero is written as "0 B", and no other number is.
    return text(near) + behind if value else value_text(value, is_space, unit), ends + behind


def change_texts(value, low, high, is_space, unit):
    """(+44.5 MiB, +41.2 … +47.9, whether both sides are about as long): a change and its interval in one unit."""
    longer, shorter = max(value - low, high - value), min(value - low, high - value)
    if longer <= 0:
        return signed_text(value, is_space, unit), '', False
    power = power_of(abs(value), max(abs(low), abs(high)), unit) if is_space else 0
    decimals = decimals_of(longer / 1024 ** power) if power else 0
    last = Fraction(1024 ** power, 10 ** decimals)
    behind = f' {UNITS[power]}' if is_space else ''

    def text(whole):
        return with_decimals(abs(whole), decimals) if is_space else f'{abs(whole):,}'
    ends = ' … '.join(('-' if end < 0 else '+' * (end > 0)) + text(end)
                      for end in (math.floor(low / last), math.ceil(high / last)))
    near = nearest(abs(value) / last) * (-1 if value < 0 else 1)
    below, above = near - low / last, high / last - near
    is_half = max(below, above) * 4 <= min(below, above) * 5 and max(below, above) <= abs(near)
    said = ('-' if value < 0 else '+') + text(near) + behind if value else signed_text(value, is_space, unit)
    return said, ends + ('' if value else behind), is_half


def change_cell(value, low, high, is_space, unit):
    """The interval of a change in a table, with its unit if the change alone has another one."""
    said, ends, _ = change_texts(value, low, high, is_space, unit)
    own = signed_text(value, is_space, unit).rpartition(' ')[2]
    behind = said.rpartition(' ')[2]
    return ends if not is_space or not value or not ends or behind == own else f'{ends} {behind}'


def change_sentence(value, low, high, is_space, unit):
    """"+44.5 MiB ± 3.4 MiB" or "+0.2 MiB (-1.0 … +3.1)"."""
    said, ends, is_half = change_texts(value, low, high, is_space, unit)
    if is_half:
        mirrored = (low, high) if value >= 0 else (-high, -low)
        return ('-' if value < 0 else '+') + ' '.join(estimate_texts(abs(value), *mirrored, is_space, unit))
    return f'{said} ({ends})' if ends else said


def rough_text(x, unit, towards):
    """Bytes to a decimal, or as many as leave two digits."""
    power = power_of(0, x, unit)
    decimals = decimals_of(x / 1024 ** power, 1) if power else 0
    return f'{with_decimals(towards(x * 10 ** decimals / 1024 ** power), decimals)} {UNITS[power]}'


# --- writing shares and chances -------------------------------------------------------------------


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
    """The number that a text contains, at least nearly; ValueError if it is no number."""
    sign, digits = (text[0], text[1:]) if text[:1] in ('+', '-', '<') else ('', text)
    number, _, unit = digits.partition(' ')
    if unit and unit not in UNITS:
        raise ValueError(text)
    percent = number.endswith('%')
    x = Fraction(number.removesuffix('%').replace(',', '')) / (100 if percent else 1)
    x = x * 1024 ** UNITS.index(unit) if unit else x
    return {'': x, '+': x or TINY, '-': -(x or TINY), '<': Fraction(0)}[sign]


def says(text, span, write):
    """Whether one of the numbers in the span is written like the text: if any is, it is the one nearest to the text."""
    try:
        x = read(text)
    except (ValueError, ZeroDivisionError):
        return False
    return write(min(max(x, span[0]), span[1])) == text


# --- the numbers that a number of JSON represents ------------------------------------------------


@lru_cache(1 << 16)
def fixed(number):
    """An exact sum, to three decimals.  Nothing is exactly nothing."""
    n = int(number.replace('.', ''))
    if n == 0:
        return (-Fraction(1, 2000), -TINY) if number[0] == '-' else (Fraction(0), Fraction(0))
    return Fraction(2 * n - 1, 2000), Fraction(2 * n + 1, 2000)


@lru_cache(1 << 16)
def rounded(number, digits=9):
    """The interval of all numbers that round to this one, with `digits` digits."""
    x, places = Fraction(number), Decimal(number)
    if x == 0:
        return x, x
    half = Fraction(10) ** (places.adjusted() - digits + 1) / 2
    # Below a power of ten, numbers have one more decimal.
    inner = half / 10 if places.normalize().as_tuple().digits == (1,) else half
    return (x - inner, x + half) if x > 0 else (x - half, x + inner)


def is_nothing(number):
    return number == '0.000'


# --- whether a text says what JSON does -----------------------------------------------------------


@lru_cache(1 << 18)
def is_value(text, number, is_space, unit):
    """An exact sum."""
    return says(text, fixed(number), lambda x: value_text(x, is_space, unit))


@lru_cache(1 << 14)
def is_value_of(text, span, is_space, unit):
    """A sum that lies in a span; of a change with its sign."""
    put = signed_text if text[0] in '+-' else value_text
    return says(text, span, lambda x: put(x, is_space, unit))


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
    """Round toward zero to a multiple of ULP."""
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
    """Whether the text is half the width of the interval."""
    lows, highs = rounded(low), rounded(high)
    span = max((highs[0] - lows[1]) / 2 - ULP, 0), max((highs[1] - lows[0]) / 2, 0)
    return says(text, span, lambda x: value_text(x, is_space, unit))


@lru_cache(1 << 17)
def is_estimate(texts, estimate, low, high, is_space, unit):
    """Whether the texts are those of an estimate and its interval: one of the numbers that JSON's may represent is
    written like that, tried with the middle, both ends, and the one nearest to the text."""
    spans = fixed(estimate), rounded(low), rounded(high)
    said = read(texts[0]), *ends_of(*texts)[0]
    tries = [((low + high) / 2, low, high, min(max(x, low), high))
             for (low, high), x in zip(spans, said)]
    return any(estimate_texts(max(value, 0), max(below, 0), above, is_space, unit) == texts
               for value, below, above in itertools.product(*tries))


def changes_of(text, estimate, low, high, is_space, unit):
    """The changes with their intervals that JSON's numbers may stand for: their middles and ends, and those nearest to
    the ends in the text."""
    spans = fixed(estimate) if not is_nothing(estimate) else (Fraction(0), Fraction(0)), rounded(low), rounded(high)
    yield from itertools.product(*spans)
    middle = [(first + last) / 2 for first, last in spans]
    yield middle
    power = power_of(abs(middle[0]), max(map(abs, middle[1:])), unit) if is_space else 0
    ends = re.search(r'([-+]?[\d,.]+) … ([-+]?[\d,.]+)', text)
    half = re.search(r'± ([\d,.]+)', text)
    if ends or half:
        near = [Fraction(end.replace(',', '')) * 1024 ** power for end in (ends or half).groups()]
        near = near if ends else [middle[0] - near[0], middle[0] + near[0]]
        yield (middle[0], *(min(max(x, span[0]), span[1]) for x, span in zip(near, spans[1:])))


@lru_cache(1 << 16)
def is_change_interval(text, estimate, low, high, is_space, unit):
    """Whether a text is the interval of a change."""
    if low is None and high is None:
        return text in ('-', '?')
    if low is None or high is None:
        return text.split(' … ')[low is not None].split(' ')[0] == '?'
    return text == '' if low == high else any(
        change_cell(*change, is_space, unit) == text for change in changes_of(text, estimate, low, high, is_space, unit))


@lru_cache(1 << 16)
def is_change_said(text, estimate, low, high, is_space, unit):
    """Whether a text is a change with its interval, in a sentence."""
    if text.endswith(' (?)'):
        return low is None and high is None and is_change(text[:-4], estimate, is_space, unit)
    if low is None or low == high:
        return is_change(text, estimate, is_space, unit)
    return any(change_sentence(*change, is_space, unit) == text for change in changes_of(text, estimate, low, high, is_space, unit))


@lru_cache(1 << 17)
def holds(texts, estimate, low, high):
    """Whether the printed interval contains the real one and the estimate, and is wider by at most a quarter and the
    value of the last digit."""
    (value, _), (below, low), (high, above) = fixed(estimate), rounded(low), rounded(high)
    (printed_low, printed_high), last = ends_of(*texts)
    # Both ends are rounded outwards, and they are relative to a value that is rounded itself.
    excess = 2 * last + (0 if '…' in texts[1] else (above - below) / 4)
    return (printed_low <= low and printed_high >= high and
            max(below - printed_low, printed_high - above) <= excess and
            abs(read(texts[0]) - value) <= last)


def ends_of(value, interval):
    """((low, high), value of the last digit) of the printed interval."""
    number, _, unit = interval.removeprefix('± ').rpartition(' ')
    if unit not in UNITS:
        number, unit = interval.removeprefix('± '), ''
    behind = f' {unit}' if unit else ''
    digits = len(number.rpartition('.')[2]) if '.' in number else 0
    last = read(f'1{behind}') / 10 ** digits
    if interval.startswith('± '):
        half = read(number + behind)
        return (read(value) - half, read(value) + half), last
    low, high = number.split(' … ')
    return (read(low + behind), read(high + behind)), last


@lru_cache(1 << 16)
def is_rough(text, number, unit, towards):
    """A number that is no exact sum: at least 0."""
    low, high = rounded(number)
    tries = (low + high) / 2, low, high, min(max(read(text), low), high)
    return any(rough_text(max(x, 0), unit, towards) == text for x in tries)


def quotient(part, whole):
    """The quotient of two intervals; `whole` is above 0."""
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
    """The growth relative to the base, if there is a base."""
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

"""Whether the reports that one command writes as JSON, TSV and text say the same.

Each comparison depends on the written reports only, so that it can be given modified ones.  Numbers of JSON are
strings, exactly as written.
"""
import csv
import io
import json
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from intervals import gamma_quantile
from numerals import is_nothing

TIME_PATTERN = r'\.(\d+)\.[if]\d*\.heap'  # of --time-from
FEW = 5  # effective samples: less are few


def holds_any(report, row):
    """Whether a row, unless its rows are inputs, has anything of the requested metric."""
    key, metric = report['command'], report.get('metric')
    numbers = {'top': ('flat', 'cum'), 'peek': ('flat', 'cum'), 'stacks': ('value',)}.get(key, ())
    values = [row[name] if key == 'peek' else row[name][metric] for name in numbers]
    return (not numbers or report['by'] in ('input', 'process') or
            any(value and not is_nothing(value['estimate']) for value in values))


def load(text):
    """A report as JSON; rows that hold something of other metrics only are in JSON only."""
    report = json.loads(text, parse_float=str, parse_int=str)
    if 'rows' in report:
        report['rows'] = [row for row in report['rows'] if holds_any(report, row)]
    return report


@dataclass
class Shown:
    """The options of a report, as far as the report does not contain them."""
    unit: str = 'auto'
    limit: int = 0          # rows of the text
    json_limit: int = 0     # rows of the rest
    cum: bool = False
    by_name: bool = False
    spread: bool = False
    format: str = ''        # numbers of the inputs, and of their distinct stacks
    stacks: str = ''
    wholes: dict = field(default_factory=dict)  # the full names of each short name
    dumps: list = field(default_factory=list)   # the names of the inputs of a trend
    surer: dict = None      # the same report at another confidence
    is_jemalloc: bool = False  # all inputs are dumps of jemalloc


class Sheet:
    """Counts comparisons, and keeps a sentence for each disagreement."""

    def __init__(self, report):
        self.report, self.faults = report, []
        self.numbers = self.few = self.near = 0
        self.unjudged = set()  # lines whose mark does not follow from JSON

    def wrong(self, what, text, wanted):
        self.faults.append(f'{what}: {text!r}, where JSON has {wanted!r}')

    def number(self, what, text, wanted, agrees):
        self.numbers += 1
        if not agrees:
            self.wrong(what, text, wanted)

    def same(self, what, text, wanted):
        """Compare words, or a number that can be written in one way only."""
        if text != wanted:
            self.wrong(what, text, wanted)

    def count(self, what, text, wanted):
        self.numbers += 1
        self.same(what, text, wanted)


def is_uncertain(report):
    """Whether sampling leaves anything open in a report."""
    space = report['total'][report['metric'].replace('objects', 'space')]
    return space is not None and space['low'] is not None and space['low'] != space['high']


# --- JSON only ------------------------------------------------------------------------------------


def check_flags(report):
    """The flags follow from the numbers of their rows."""
    sheet, metric = Sheet(report), report['metric']
    key, uncertain = 'value' if report['command'] == 'stacks' else 'flat', is_uncertain(report)
    for i, row in enumerate(report['rows']):
        number, samples, flags = row[key][metric], row['effective_samples'], row['flags']
        is_few = samples is not None and Fraction(samples) < FEW
        is_mixed = uncertain and number['high'] is None and not is_nothing(number['estimate'])
        wanted = ['few-samples'] * is_few + ['seen-once'] * ('seen-once' in flags)
        sheet.numbers += 1
        sheet.few += is_few
        sheet.near += is_few and Fraction(samples) >= FEW - 1
        if is_mixed or flags == ['mixed-sizes']:
            sheet.same(f'row {i}: flags and effective samples', (flags, samples, number['high']),
                       (['mixed-sizes'], None, None))
        elif flags != wanted and samples != str(FEW):  # the number may be smaller, and rounded
            sheet.wrong(f'row {i}: flags', flags, samples)
    return sheet


# --- TSV ------------------------------------------------------------------------------------------

SIZES = ('unique', 'several', 'none')  # how far the sizes are known
PLACE = ['name', 'function', 'module', 'file', 'line', 'class']
ENDS = ('', 'estimate'), ('_low', 'low'), ('_high', 'high')


def rows_of(text):
    """The rows of TSV, by a reader that does not know quotes."""
    return list(csv.reader(io.StringIO(text, newline=''), delimiter='\t', quoting=csv.QUOTE_NONE))


def unescape(cell):
    plain = {'t': '\t', 'n': '\n', '\\': '\\'}
    return re.sub(r'\\(?:([tn\\])|x(..)|u\{(\w+)\})',
                  lambda m: plain[m[1]] if m[1] else chr(int(m[2] or m[3], 16)), cell)


def ranges(*titles_and_numbers):
    return {f'{title}{end}': number[key] for title, number in titles_and_numbers
            for end, key in ENDS}


def quality(row):
    return {'effective_samples': row['effective_samples'], 'flags': ','.join(row['flags'])}


def named(row):
    return {'name': row['name'], 'class': row['class'] or ''}


def cells_of_top(row, metric):
    cells = ranges(('flat', row['flat'][metric]), ('cum', row['cum'][metric])) | quality(row)
    cells |= {f'sizes_{key}': row['sizes'][key] for key in SIZES}
    cells |= {f'spread_{key}': value for key, value in row.get('spread', {}).items()}
    return cells | named(row)


def cells_of_stacks(row, metric):
    frames = (['[truncated]'] if row['truncated'] else []) + row['frames'][::-1]
    sizes = ','.join(f'{"~" * (part["is_likely"] and part["size"] is not None)}{part["size"] or "mixed"}:'
                     f'{part["objects"]}' for part in row['sizes'])
    return ranges(('value', row['value'][metric])) | quality(row) | {'sizes': sizes, 'stack': frames}


def yes_or_no(row):
    return {'significant': 'yes' if row['significant'] else 'no'}


def cells_of_diff(row, _):
    return (ranges(*((key, row[key]) for key in ('base', 'new', 'delta'))) |
            {key: row[key] for key in ('p', 'p_sides', 'q', 'p_if_nothing_freed', 'status')} |
            yes_or_no(row) | named(row))


def cells_of_trend(row, _):
    return ({key: row[key] for key in ('first', 'last', 'slope', 'slope_whole', 'at_least', 'per', 'per_day', 'p',
                                       'p_sides', 'p_sampling', 'q', 'shape', 'tau', 'grew')} |
            {f'{place}_{key}': value for place in ('onset', 'step') for key, value in row[place].items()} |
            yes_or_no(row) | {'values': ','.join(row['values'])} | named(row))


CELLS = {'top': cells_of_top, 'stacks': cells_of_stacks, 'diff': cells_of_diff,
         'trend': cells_of_trend}
SPREAD = ['spread_mean', 'spread_sd', 'spread_p']
TITLES = {
    'top': ['flat', 'flat_low', 'flat_high', 'cum', 'cum_low', 'cum_high', 'effective_samples',
            'flags', *(f'sizes_{key}' for key in SIZES), *PLACE],
    'stacks': ['value', 'value_low', 'value_high', 'effective_samples', 'flags', 'sizes', 'stack'],
    'diff': ['base', 'base_low', 'base_high', 'new', 'new_low', 'new_high', 'delta', 'delta_low',
             'delta_high', 'p', 'p_sides', 'q', 'p_if_nothing_freed', 'status', 'significant', *PLACE],
    'trend': ['first', 'last', 'slope', 'slope_whole', 'at_least', 'per', 'per_day', 'p', 'p_sides', 'p_sampling', 'q',
              'shape', *(f'onset_{key}' for key in ('dump', 'from', 'to', 'time', 'growth', 'at_least', 'steps')),
              'step_dump', 'step_time', 'tau', 'grew', 'significant', 'values', *PLACE],
}


def compare_tsv(report, text, shown):
    """The cells of TSV equal the numbers of JSON, to the last digit."""
    sheet, kind = Sheet(report), report['command']
    titles, *rows = rows_of(text)
    wanted_titles = list(TITLES[kind])
    if shown.spread:
        wanted_titles[11:11] = SPREAD
    sheet.same('titles', titles, wanted_titles)
    sheet.same('rows', len(rows), len(report['rows']))
    for i, (cells, row) in enumerate(zip(rows, report['rows'])):
        cells = dict(zip(titles, cells, strict=True))
        for title, wanted in CELLS[kind](row, report['metric']).items():
            got = cells.get(title)
            if title == 'stack':
                names = re.split(r'(?<!\\)((?:\\\\)*);', got or '')
                names = [a + b for a, b in zip(names[::2], names[1::2] + [''])]
                sheet.same(f'row {i}', [unescape(n.replace('\\;', ';')) for n in names], wanted)
            elif title in ('name', 'class', 'status', 'significant'):
                sheet.same(f'row {i}, {title}', unescape(got or ''), wanted)
            else:
                sheet.count(f'row {i}, {title}', got, '' if wanted is None else wanted)
    return sheet


# --- few samples, of what JSON has no flag for ----------------------------------------------------


@lru_cache(None)
def least_low(samples, confidence):
    """The low end of an estimate of `samples` effective samples, relative to the estimate, if no part is certain."""
    return gamma_quantile(samples, lower=(1 - confidence) / 2) / samples


@lru_cache(None)
def spread_at(step, confidence, surer):
    """The logarithm of how far apart the high ends of two confidences are, of e^(step / 50)
    effective samples, and that of the second."""
    shape = math.exp(step / 50)
    high, other = (gamma_quantile(shape, upper=(1 - c) / 2) for c in (confidence, surer))
    return math.log(high / other), math.log(other)


def samples_from_high(high, surer_high, confidence, surer, estimate, jumps, certain):
    """The effective samples that follow from the high ends at two confidences, for each possible jump by one more
    sample; without jumps nothing can be hidden.  The certain part is included unchanged in both ends."""
    whole = estimate
    high, surer_high, estimate = high - certain, surer_high - certain, estimate - certain
    if min(high, surer_high, estimate) <= 0:
        return [math.nan]
    wanted, low, top = math.log(high / surer_high), -100, 600
    while top - low > 1:
        middle = (low + top) // 2
        low, top = (middle, top) if spread_at(middle, confidence, surer)[0] > wanted else (
            low, middle)
    (above, one), (below, other) = (spread_at(step, confidence, surer) for step in (low, top))
    part = (above - wanted) / (above - below)
    shape = math.exp((low + part) / 50)
    scale = surer_high / math.exp(one + part * (other - one))
    mean, variance = shape * scale, shape * scale * scale
    found = []
    for jump in jumps or (mean - estimate,):
        if jump <= (mean - estimate) * (1 + 1e-3):
            rest = variance - jump * jump
            found.append(whole ** 2 / rest if rest > 0 else math.inf)
    return found


def below(limit, number, surer, report, surer_report):
    """Whether a number is based on fewer than `limit` effective samples, by its ends at two confidences; None:
    unknown."""
    if number['high'] is None or is_nothing(number['estimate']):
        return False
    low, high, estimate = (float(number[key]) for key in ('low', 'high', 'estimate'))
    low2, high2 = float(surer['low']), float(surer['high'])
    if low == high or estimate <= 0:
        return False
    confidence, confidence2 = (float(r['confidence']) for r in (report, surer_report))
    if high < estimate * (1 + limit ** -.5 / 2):  # nearly all of it may be certain
        return None
    least = least_low(limit, confidence2)
    # A low end that is lower may be that of the least that sizes can be.
    if low2 > low * (1 + 1e-7) and low2 / estimate > least * (1 + 1e-6):  # and it is not due to the certain part
        return None
    is_space = report['metric'].endswith('space')
    jumps = tuple(float(p) for p in report['inputs']['periods'] if int(p) > 1) if is_space else ()
    # The certain part is not in JSON: it is at most as large as the lowest low end.
    found = [samples for certain in (0, low2 / 2, low2)
             for samples in samples_from_high(high, high2, confidence, confidence2, estimate, jumps, certain)]
    if any(math.isnan(samples) for samples in found):
        return None
    sides = {samples < limit for samples in found if abs(samples / limit - 1) > .02}
    return sides.pop() if len(sides) == 1 else None

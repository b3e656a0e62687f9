"""The requirements for the cells of coverage_workloads.py.  Each check gives a sentence for each cell that fails, or
one that says how close the closest cell is to its limit.
"""
import csv
import pathlib

from cells import LEVELS, errors_off
from workloads import ALL, LEAVES_OF_TWO

CHANCE = .02  # the difference of widths from run to run by chance
DIGIT = 1e-4  # the last of the table


class Limits:
    """Limits in standard errors below nominal: one in twenty may be further off than `often`, none further than
    `ever`, and no single function further than `single`.  Widths and biases of a small run may be off by chance."""

    def __init__(self, often, ever, single, slack):
        self.often, self.ever, self.single, self.slack = often, ever, single, slack


FULL = Limits(often=-2, ever=-3.5, single=-4, slack=0)
SMALL = Limits(often=-6, ever=-6, single=-6, slack=.1)


def before():
    """{key: {shift, width, hull}} from a full run when no sizes were decoded."""
    path = pathlib.Path(__file__).with_name('workloads_before.tsv')
    with open(path, encoding='utf-8') as table:
        return {row['cell']: {what: float(row[what]) for what in ('shift', 'width', 'hull')}
                for row in csv.DictReader(table, delimiter='\t')}


BEFORE = before()


def share_of(counts, what):
    """The share of counted rows of leaves; None if there are none."""
    return counts.get(what, 0) / counts['all'] if counts.get('all') else None


def known_share(figures):
    known = figures['bytes']
    return known.get('unique', 0) / sum(known.values()) if known else 0


def width_before(key):
    """The width of a cell without decoding of sizes."""
    return BEFORE[key]['width'] if key in BEFORE and BEFORE[key]['width'] else 0


class Cells:
    def __init__(self, figures, limits):
        self.all, self.limits = figures, limits

    def of(self, names=None, kind=None, merged=(1, 10)):
        """[(key, figures)]; pages only where they are asked for by name."""
        names = names or [name for name in ALL if name != 'pages']
        return [(key, figures) for key, figures in self.all.items()
                if key.split()[0] in names and kind in (None, key.split()[1])
                and int(key.split()[3]) in merged]

    def below(self, what, ever, often):
        """Shares of reports, or of functions in reports, too far below nominal."""
        found = sorted((figures[f'{what}{level}_z'], f'{key}: at {level} %')
                       for key, figures in self.of() for level in LEVELS
                       if figures[f'{what}{level}_z'] is not None)
        told = [f'{where}: {z:.1f} standard errors' for z, where in found]
        low = sum(z < often for z, _ in found)
        if low > max(1, len(found) / 20):
            return [f'{low} of {len(found)} are low', *told[:low]]
        return [text for text, (z, _) in zip(told, found) if z < ever] or f'lowest: {told[0]}'

    def totals(self):
        return self.below('total', self.limits.ever, self.limits.often)

    def functions(self):
        return self.below('pooled', self.limits.ever, self.limits.often)

    def each_function(self):
        return self.below('worst', self.limits.single, -100)

    def hundreds(self):
        return [f'{key}: {figures["total95"]:.3f}'
                for key, figures in self.of(LEAVES_OF_TWO, merged=(100,))
                if figures['total95'] < .93]

    def at_most(self, cells, value_of, limit_of):
        """The cells whose figure exceeds its limit by more than chance explains."""
        found = sorted((value_of(figures) - limit_of(key, figures) * (1 + self.limits.slack),
                        f'{key}: {value_of(figures):.4f}') for key, figures in cells)
        return ([text for excess, text in found if excess > 0]
                or f'{len(found)} cells, closest {found[-1][1] if found else "none"}')

    # --- widths

    def narrow_if_pure(self):
        """The width without the part for unknown sizes is limited, or is no larger than before.  Cells of several
        periods are an exception: the largest variance of their objects, which are seldom missed, is far above the
        true one."""
        pure = [name for name in ALL if ALL[name]().is_pure()]
        return self.at_most(self.with_width(pure),
                            lambda figures: figures['width'] - figures['hull'],
                            lambda key, _: max(1.15, width_before(key) + DIGIT))

    def narrow_if_known(self):
        known = [(key, figures) for key, figures in self.with_width()
                 if known_share(figures) >= .8]
        return self.at_most(known, lambda figures: figures['width'],
                            lambda key, _: max(1.3, width_before(key)))

    def not_wider(self):
        """The width, without the part for possible sizes, is not larger than before."""
        mixed = [(key, figures) for key, figures in self.with_width() if key in BEFORE]
        return self.at_most(
            mixed, lambda figures: figures['width'] - figures['hull'],
            lambda key, _: BEFORE[key]['width'] - BEFORE[key]['hull'] + CHANCE)

    def with_width(self, names=None):
        return [(key, figures) for key, figures in self.of(names) if figures['width']]

    # --- bias

    def bias(self, names, kind, limit_of):
        def value_of(figures):
            chance = 0 if self.limits is FULL else 4 * figures['shift_se']
            return max(0, abs(figures['shift']) - chance)
        return self.at_most(self.of(names, kind, (1,)), value_of, limit_of)

    def bias_rewritten(self):
        return self.bias(None, 'rewritten', lambda _, figures: max(.005, 3 * figures['bias_se']))

    def bias_of_few(self):
        return self.bias(['mixnearR'], 'rewritten', lambda *_: .002)

    def bias_of_pareto(self):
        return self.bias(['pareto'], 'rewritten', lambda key, _: abs(BEFORE[key]['shift']))

    def bias_raw(self):
        return self.bias(None, 'raw', lambda key, _: .003 + abs(
            BEFORE[key]['shift'] if key in BEFORE else 0))

    def bias_of_few_raw(self):
        return self.bias(['mixnearR'], 'raw', lambda *_: .015)

    # --- counts, and what is known of sizes

    def counts(self):
        return [f'{key}: {100 * share_of(figures["rows"], "right"):.2f} % of '
                f'{figures["rows"]["all"]} rows' for key, figures in self.of()
                if errors_off(figures['rows']['right'], 95, figures['rows']['all'])
                < self.limits.often]

    def both_ends(self):
        pure = [name for name in ALL if ALL[name]().is_pure()]
        asked = [(cell, .95) for cell in self.of(pure)]
        asked += [(cell, .75) for cell in self.of(['mixnearR'], 'rewritten', (1,))]
        return [f'{key}: {100 * share_of(figures["rows"], "both"):.1f} %'
                for (key, figures), share in asked if share_of(figures['rows'], 'both') < share]

    def unique(self):
        return [f'{key}: {100 * share_of(figures["rows"], "unique"):.1f} %'
                for key, figures in self.of(['mixnearR'], 'rewritten', (1,))
                if share_of(figures['rows'], 'unique') < .8]

    def never_wrong(self):
        return [f'{key}: {figures["rows"]["wrong"]} of {figures["rows"]["unique"]:.0f}'
                for key, figures in [*self.of(), *self.of(['pages', 'pages*'], 'raw')]
                if figures['rows'].get('wrong')]

    def bounds(self):
        """The estimates of the sampled objects are within the bounds for all possible sizes."""
        return [f'{key}: {figures["outside"]} of {figures["reports"]}'
                for key, figures in [*self.of(), *self.of(['pages*'])] if figures['outside']]

    def pages(self):
        """600 dumps must reach .94; fewer dumps may miss it by chance only."""
        limit = .94 if self.limits is FULL else .5
        for key, figures in self.of(['pages*'], merged=(1,)):
            if figures['total95'] < limit:
                yield f'{key}: {figures["total95"]:.3f}'
            if figures['pooled95_z'] < self.limits.ever:
                yield f'{key}: functions {figures["pooled95"]:.3f}'


CHECKS = (
    (Cells.totals, 'intervals of totals hold what is true'),
    (Cells.functions, 'intervals of functions hold what is true'),
    (Cells.each_function, 'those of each function of three samples do'),
    (Cells.hundreds, 'those of a hundred dumps merged do'),
    (Cells.narrow_if_pure, 'intervals are narrow where stacks have one size'),
    (Cells.narrow_if_known, 'intervals are narrow where sizes are known'),
    (Cells.not_wider, 'no interval is wider than without decoding but for what is open'),
    (Cells.bias_rewritten, 'rewritten totals are right on average'),
    (Cells.bias_of_few, 'rewritten totals of few objects a stack are, closely'),
    (Cells.bias_of_pareto, 'rewritten totals of many sizes are no worse'),
    (Cells.bias_raw, 'raw totals are no worse'),
    (Cells.bias_of_few_raw, 'raw totals of few objects a stack are right on average'),
    (Cells.counts, 'counts of objects of the sampled sizes are in their intervals'),
    (Cells.both_ends, 'both ends of counts are told where they can be'),
    (Cells.unique, 'few objects a stack have one reading'),
    (Cells.never_wrong, 'what is called known is what was sampled'),
    (Cells.bounds, 'what was sampled is within the bounds of what sizes may be'),
    (Cells.pages, 'intervals hold what is true of page-grained sizes'),
)

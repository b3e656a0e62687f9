"""Shared by the tables for people: the lines above and below them, their columns, and the comparison of each number
with JSON.  A column is found by its position.  Sentences are their codes and values (--message-codes).
"""
import math
import re
import shlex
from decimal import Decimal
from fractions import Fraction

import numerals
from agreeing import FEW, Sheet, below, is_uncertain
from numerals import fixed, is_nothing

OF_SAMPLING = {'independent', 'sampling'}  # tests that do not allow for how processes differ
ESTIMATORS = {'unbiased': ' · scaled up from samples, per stack',
              'jeprof': " · jeprof's formula", 'none': ' · sampled counts, not estimates'}
MIXED = ': mixed sizes'  # after an open count in a sentence
SEEN = ' of the sizes seen'  # after an interval of a count
VALUE = r'[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?: [KMGTPE]?i?B)?'


INTERVAL = rf'(?: (± {VALUE}(?:{SEEN})?)| \((.*?)\))?'


def escaped(name):
    """Characters that would steer a terminal, by their numbers."""
    def shown(c):
        return c if c.isprintable() or c == ' ' else (
            f'\\x{ord(c):02X}' if ord(c) < 0x80 else f'\\u{{{ord(c):X}}}')
    return name if name.isascii() and name.isprintable() else ''.join(map(shown, name))


MARKS = r'( \[[^][]*\]| ~\d+)+$'  # that distinguish a name from others


def groups_of(name):
    """(name without the text in brackets, the texts in brackets)"""
    depth, kept, groups = 0, '', []
    for c, before in zip(name, ' ' + name):
        is_closing = c in '>)]' and before != '-' and depth > 0
        if c in '<([':
            groups += [''] * (depth == 0)
            depth += 1
        if depth > 0:
            groups[-1] += c
        elif c not in '<([>)]':
            kept += c
        depth -= is_closing
    return kept.removesuffix(' const'), groups


def is_short_for(text, name, whole):
    """Whether a name in a table agrees with the short and the whole name: outside of brackets it has the text of the
    short one; in brackets it has a part of the whole one, in order, where … replaces the rest; a file and its line, a
    module or a number may follow."""
    marks = re.search(MARKS, text)
    kept, told = groups_of(re.sub(MARKS, '', text))
    whole, at = whole.replace(' ', ''), 0
    for group in told:
        found = re.compile('.*?'.join(map(re.escape, group.replace(' ', '').split('…')))).search(whole, at)
        if not found:
            return False
        at = found.start() + 1
    places = re.findall(r' \[([^][]*)\]', marks[0]) if marks else []
    return kept == groups_of(re.sub(MARKS, '', name))[0] and all(re.search(r'[./]|:\d+$', p) for p in places)


def split(line, *widths):
    """The columns of a line, separated by a space, and the rest of the line.  A text that is too wide for its column
    moves those after it.  After a column of negative width a mark follows without a space."""
    cells, at = [], 0
    for width in widths:
        end = at + abs(width)
        while line[end:end + 1] not in (' ', '', *('*' if width < 0 else '')):
            end += 1
        unit = re.match(r' [KMGTPE]?i?B(?![^ *!])', line[end:])
        end += len(unit[0]) if unit and line[end - 1].isdigit() else 0
        end += width < 0
        cells.append(line[at:end])
        at = end + 1
    return *cells, line[at:]


def flat_or_dash(t, what, text, number, value='', beside=None):
    """Compare a number that may be nothing, next to a value with an error."""
    if is_nothing(number):
        t.count(what, text.strip(), '-')
    else:
        t.beside(what, text, number, value, beside and beside['estimate'])


def plain(number):
    """The number as C's %g writes it with few digits."""
    return f'{Decimal(number).normalize():f}'


def is_open_count(text, number):
    """Whether the text replaces the interval of a count of objects of mixed sizes, whose ends are rounded."""
    if number['low'] is None:
        return text == 'mixed sizes'
    found = re.fullmatch(r'([\d,]+) or more', text or '')
    low = Fraction(number['low'])
    return bool(found) and low - 1 - low / 10**8 <= int(found[1].replace(',', '')) <= low


def is_wide(number):
    """Whether a side of the interval is longer than a quarter of the value."""
    if number['high'] is None or number['low'] is None:
        return False
    value, low, high = (Fraction(number[key]) for key in ('estimate', 'low', 'high'))
    return max(high - value, value - low) > abs(value) / 4


def is_changed(row):
    """Whether a row of a comparison or of a trend has another value than before, or a mark."""
    before, after = (row[key] for key in (('base', 'new') if 'base' in row else ('first', 'last')))
    before, after = (side['estimate'] if isinstance(side, dict) else side for side in (before, after))
    return row['significant'] or Decimal(before) != Decimal(after)


class Text(Sheet):
    """The lines of one report, taken from the first to the last."""

    def __init__(self, report, text, shown):
        super().__init__(report)
        self.shown, self.lines, self.at = shown, text.split('\n'), 0
        self.kind, self.metric = report['command'], report.get('metric', '')
        self.is_space = self.metric.endswith('space')
        self.has_table = True
        self.called = {}  # each name in the table: the full name
        self.percent = plain(Decimal(report['confidence']) * 100) if 'confidence' in report else ''

    # --- lines

    def line(self):
        self.at += 1
        return self.lines[self.at - 1] if self.at <= len(self.lines) else '(no more lines)'

    def match(self, what, pattern, wanted):
        """The match of the next line; None if it does not have this form."""
        line = self.line()
        found = re.fullmatch(pattern, line)
        if not found:
            self.wrong(what, line, wanted)
        return found

    def name(self, what, text, name, row=None):
        """Compare a name, of a row or of a function that has several rows.  Text may precede it; no two names are the
        same."""
        wholes = self.shown.wholes.get(name, {name})
        name, wholes = escaped(name), map(escaped, wholes)
        good = text == name or any(is_short_for(text, name, whole) for whole in wholes)
        self.same(what, good or text, True)
        self.same(f'{what}, told from others', self.called.setdefault(text, (name, row)), (name, row))

    def next_is(self, start):
        return self.at < len(self.lines) and self.lines[self.at].startswith(start)

    def sentence(self, what, wanted):
        self.numbers += len(re.findall(r'\d[\d.,]*', wanted))
        self.same(what, self.line(), wanted)

    def charges(self):
        """The lines about memory that folding moved, according to JSON, and about further options."""
        report = self.report
        total = report['total']
        total = {'diff': lambda: total['new']['estimate'], 'trend': lambda: total['last']}.get(
            self.kind, lambda: self.stacks()[self.metric]['estimate'])()
        moved, total = Fraction(report['attributed_to_callers']), Fraction(total)
        share = moved / total if total > 0 else 0
        if share > Fraction(1, 100):
            found = self.match('moved', r'charged: (\S+(?: [KMG]?i?B)?) ( objects)? (\d+) [a-z, -]+ charged-to-callers: '
                               r'--frames=no-alloc (?:, as go tool pprof does)?', report['attributed_to_callers'])
            if found:
                self.value('moved', found[1], report['attributed_to_callers'])
                self.number('moved, share', found[3], report['attributed_to_callers'],
                            abs(int(found[3]) - share * 100) <= Fraction(501, 1000) and
                            bool(found[2]) != self.is_space)
        self.libraries(total)
        self.suspect(total)
        self.at += self.next_matches(r'source-files-known: \d+ \d+')

    def next_matches(self, pattern):
        return self.at < len(self.lines) and re.fullmatch(pattern, self.lines[self.at]) is not None

    def percents(self, what, text, part, whole):
        """Compare a share in whole percents."""
        share = 100 * part / whole if whole > 0 else 0
        self.number(what, text, float(share), abs(int(text) - share) <= Fraction(501, 1000))

    def libraries(self, total):
        """The line about libraries: their share is that of rows of their class, if JSON has all rows."""
        pattern = r'charged-to-libraries: (\d+)'
        found = self.next_matches(pattern) and self.match('libraries', pattern, total)
        if found and self.kind == 'top' and not self.shown.json_limit:
            self.percents('libraries', found[1], sum(Fraction(row['flat'][self.metric]['estimate'])
                                                     for row in self.report['rows'] if row['class'] == 'library'), total)

    def suspect(self, total):
        """The line about the first row, which may be a wrapper of malloc, and its pattern."""
        pattern = r'allocated-inside: (\d+) (.+): "peek (.+)" shows its callers, --wrapper=(.+) attributes it to them'
        found = self.next_matches(pattern) and self.match('wrapper', pattern, total)
        if not found:
            return
        row = self.report['rows'][0]
        self.same('wrapper, report', (self.kind, self.report['by'], self.shown.cum, self.shown.by_name),
                  ('top', 'function', False, False))
        self.percents('wrapper', found[1], Fraction(row['flat'][self.metric]['estimate']), total)
        self.name('wrapper', found[2], row['name'], 0)
        self.same('wrapper, pattern', found[3], found[4])
        pattern = shlex.split(found[4])[0]
        wholes = self.shown.wholes.get(row['name'], {row['name']})
        self.same('wrapper, pattern', any(re.search(pattern, whole) for whole in wholes), True)

    def done(self):
        """A note is there if, and only if, a row has an offset in a file for a name."""
        if self.kind in ('top', 'stacks', 'tree', 'peek', 'list', 'diff', 'trend'):
            return self.ended()
        note = 'note-file-offsets'
        has_note = self.lines[self.at:self.at + 1] == [note]
        self.at += has_note
        if self.kind != 'stacks' and has_note != any(re.search(r'@0x[0-9a-f]', line) for line in self.lines[:self.at]
                           if line != note and not line.startswith(('next', 'filter'))):
            self.faults.append(f'a note on offsets: {has_note}')
        if self.lines[self.at:] != ['']:
            self.faults.append(f'more lines than there should be: {self.lines[self.at:][:3]}')
        return self

    def ended(self):
        note = 'note-file-offsets'
        self.at += self.lines[self.at:self.at + 1] == [note]
        if self.lines[self.at:] != ['']:
            self.faults.append(f'more lines than there should be: {self.lines[self.at:][:3]}')
        return self

    # --- numbers

    def value(self, what, text, number, unit=None):
        self.number(what, text, number,
                    numerals.is_value(text, number, self.is_space, unit or self.shown.unit))

    def share(self, what, text, part, whole):
        self.number(what, text.strip(), (part, whole),
                    numerals.is_share(text.strip(), part, whole))

    def share_of(self, what, text, span, whole):
        self.number(what, text.strip(), (span, whole),
                    numerals.is_share_of(text.strip(), span, whole))

    def double(self, what, text, number, is_space=None, unit=None):
        """A number that is no exact sum, or - where it is not known."""
        space = self.is_space if is_space is None else is_space
        self.number(what, text.strip(), number, text.strip() == '-' if number is None else
                    numerals.is_double(text.strip(), number, space, unit or self.shown.unit))

    def chance(self, what, text, number):
        self.number(what, text.strip(), number, numerals.is_chance(text.strip(), number))

    def half(self, what, text, number, is_space=None, unit=None):
        space = self.is_space if is_space is None else is_space
        low, high = number['low'], number['high']
        self.number(what, text, number,
                    numerals.is_half(text, low, high, space, unit or self.shown.unit))

    def estimate(self, what, texts, number, is_space=None):
        """Compare a value and its interval."""
        numbers = number['estimate'], number['low'], number['high']
        space, unit = self.is_space if is_space is None else is_space, self.shown.unit
        self.number(what, texts, numbers,
                    numerals.is_estimate(texts, *numbers, space, unit) and
                    numerals.holds(texts, *numbers))

    def error(self, what, value, cell, number, flags):
        """Compare a value of a row, its error, and its mark.  The flags are whether it is based on few samples, and
        on one object; each is None if unknown."""
        text, mark = cell[:-1].strip(), cell[-1:]
        has_ends = number['high'] is not None
        is_exact = is_nothing(number['estimate']) or has_ends and number['low'] == number['high']
        if has_ends and not is_exact:
            self.estimate(f'{what}, ±', (value.strip(), text), number)
        else:
            self.value(what, value.strip(), number['estimate'])
            self.number(f'{what}, ±', text, number,
                        text == '' if is_exact else is_open_count(text, number))
        is_few, is_once = flags
        if is_few is None:
            self.unjudged.add(self.at - 1)
        self.few += bool(is_few)
        if is_few is not None and (is_once is not None or mark != '*'):
            self.count(f'{what}, mark', mark, '*' if (is_few or is_once) and is_wide(number) else ' ')

    def beside(self, what, text, number, value, estimate):
        """Compare a number next to a value with an error: if both are equal, so are the texts."""
        if number == estimate:
            self.count(what, text.strip(), value.strip())
        else:
            self.value(what, text.strip(), number)

    def flagged(self, row):
        """Whether the flags of a row say that it is based on few samples, and on one object."""
        is_few = 'few-samples' in row['flags']
        self.near += is_few and float(row['effective_samples'] or 0) >= FEW - 1
        return is_few, 'seen-once' in row['flags']

    def of_few(self, number, surer):
        """The same for a number without flags.  Only for an exact number it is known that it has enough samples: JSON
        does not show which part of a number is certain, and both ends include that part."""
        if is_nothing(number['estimate']) or number['high'] in (None, number['low']):
            return False, None
        if not self.shown.surer:
            return None, None
        is_few = below(FEW, number, surer, self.report, self.shown.surer)
        self.near += is_few is True and below(FEW - 1, number, surer, self.report,
                                      self.shown.surer) is False
        return is_few or None, None

    # --- header

    def is_uncertain(self):
        return is_uncertain(self.report)

    def inputs(self, periods, start):
        """The line about the inputs: "jemalloc heap_v2 · sample period 512 KiB · 7 stacks"."""
        for text in self.report['processes']['messages']:
            self.at += self.next_is(text)
        sizes = sorted({int(period) for period in periods})
        if len(sizes) > 1:
            period = 'mixed sample periods'
        elif not sizes or sizes[0] < 2:
            period = 'every allocation sampled' if 1 in sizes else 'no sample period'
        else:
            unit = 'B' if sizes[0] % 1024 else 'auto'
            size = numerals.bytes_text(Fraction(sizes[0]), unit)
            period = 'sample period ' + size.replace('.0 ', ' ')
        count = int(self.shown.stacks)
        is_exact = self.report['estimator'] == 'unbiased' and max(sizes, default=0) < 2
        self.sentence('inputs', f'{start} · {self.shown.format} · {period} · {count:,} stack'
                                f'{"" if count == 1 else "s"}'
                                f'{"" if is_exact else ESTIMATORS[self.report["estimator"]]}')
        if 'thread' in self.report:
            self.sentence('thread', f'read       read-thread {escaped(self.report["thread"])}: read-thread-totals')

    def in_header(self, what, found, number, is_space, is_known, is_of_seen=True):
        """Compare a value in a sentence and its interval, or the reason why that is unknown."""
        value, plus, word = found
        if is_known and number['high'] not in (None, number['low']):
            self.same(what, (plus or '± ')[:2], '± ')
            ends = plus or word or ''
            if not is_space and is_of_seen:
                self.same(f'{what}, of what', ends.endswith(SEEN), True)
                ends = ends.removesuffix(SEEN)
            self.estimate(what, (value, ends), number, is_space)
            return
        self.number(what, value, number, numerals.is_value(value, number['estimate'], is_space,
                                                           self.shown.unit))
        if is_known and number['high'] is None and not is_nothing(number['estimate']):
            self.number(what, word, number, plus is None and
                        (number['low'] is None or (word or '').endswith(MIXED)) and
                        is_open_count((word or '').removesuffix(MIXED), number))
        else:
            self.same(what, (plus, word), (None, None))

    def total(self, label, column):
        space, objects = (self.report['total'][f'{column}-{what}'] for what in ('space', 'objects'))
        if space is None:
            return
        found = self.match(label, rf'{label:9}  ({VALUE}){INTERVAL}'
                           rf'(?:   ({VALUE}) (objects?){INTERVAL})?', (space, objects))
        if not found:
            return
        self.sum_of_stacks(label, column)
        if self.metric.startswith(column):
            self.whole = found[1] if self.is_space else found[4]
        is_known = space['high'] not in (None, space['low'])
        self.in_header(label, found.groups()[:3], space, True, is_known)
        if objects is None:
            self.same(f'{label}, objects', found[4], None)
            return
        self.same(f'{label}, objects', found[5], 'object' if found[4] == '1' else 'objects')
        self.in_header(f'{label}, objects', (found[4] or '', *found.groups()[5:]), objects, False,
                       is_known)

    def stacks(self):
        """The sum of all stacks, which differs from the total if headers of dumps show that."""
        return self.report.get('stacks_total', self.report['total'])

    def sum_of_stacks(self, label, column):
        total, stacks = (Fraction(sums[f'{column}-space']['estimate']) for sums in (self.report['total'], self.stacks()))
        if abs(stacks - total) <= total / 200:
            return
        found = self.match(f'{label}, stacks', rf'stacks     add up to ({VALUE}): shares are of this sum, '
                           'the total is by the headers', stacks)
        if found:
            number = self.stacks()[f'{column}-space']['estimate']
            self.number(f'{label}, stacks', found[1], number, numerals.is_value_of(found[1], number, True, self.shown.unit))

    def unseen(self):
        unseen = self.report['unsampled']
        if not self.is_uncertain() or unseen is None or float(unseen['stack']) <= 0:
            return
        found = self.match('unseen', rf'unsampled  not-shown: ({VALUE}) ({VALUE}) ({VALUE})', unseen)
        for text, key, towards in zip(found.groups() if found else (),
                                      ('estimate', 'high', 'stack'),
                                      (numerals.nearest, math.ceil, math.ceil)):
            self.number(f'unseen, {key}', text, unseen[key],
                        numerals.is_rough(text, unseen[key], self.shown.unit, towards))

    def unsampled(self):
        """The warning that much was never sampled; None: there is none."""
        unseen = self.report['unsampled']
        if not self.is_uncertain() or unseen is None or not unseen['rows_overestimated']:
            return None
        space = self.stacks()[f'{self.metric.split("-", maxsplit=1)[0]}-space']
        share = 100 * Decimal(unseen['estimate']) / Decimal(space['estimate'])
        highest = 100 * Decimal(unseen['high']) / Decimal(space['estimate'])
        code, part = ('rows-too-high', share) if share >= 20 else ('rows-maybe-too-high', highest)
        return f'{code}: {min(part, 100):.0f} {"lg_prof_sample" if self.shown.is_jemalloc else "sample period"}'

    def filters(self):
        """The memory that filters leave, according to their line, or None."""
        if 'filters' not in self.report:
            return None
        start = 'filters    ' + ' '.join(f'--{f["rule"]}={escaped(f["pattern"])}'
                                         for f in self.report['filters']) + ' leave '
        line = self.line()
        if not line.startswith(start):
            self.wrong('filters', line, start)
            return None
        return line[len(start):]

    def left(self):
        text = self.filters()
        if text is None:
            return
        number, total = (sums[self.metric] for sums in (self.report['filtered'], self.stacks()))
        found = re.fullmatch(rf'({VALUE}){INTERVAL} of ({VALUE}) \((\S+)\)', text)
        if not found:
            self.wrong('left', text, number)
            return
        self.in_header('left', found.groups()[:3], number, self.is_space,
                       self.is_uncertain() and not is_nothing(number['estimate']))
        self.count('left of', found[4], self.whole)
        self.share('left, share', found[5], number['estimate'], total['estimate'])

    def warnings(self, others=()):
        """The warnings for the shown metric, in any order: the errors of other metrics are not kept for text."""
        shown = set()
        while self.at < len(self.lines) and self.lines[self.at] != '':
            shown.add(self.line())
        wanted = {f'warning: {escaped(one["text"])}' for one in self.report['warnings']}
        wanted |= {f'warning: {text}' for text in others if text}
        self.same('warnings', sorted(wanted - shown), [])

    def header(self):
        """The headline, which has the total, and the warnings in any order."""
        headline = self.line()
        if 'filters' not in self.report:
            total = self.report['total'][self.metric]
            least = re.match(r'headline-least: ([\d,]+)', headline)
            found = re.match(rf'({VALUE}){INTERVAL} ', headline)
            if least:
                self.number('headline', least[1], total, is_open_count(f'{least[1]} or more', total))
            elif found:
                is_known = self.is_total_uncertain(total)
                self.in_header('headline', found.groups()[:3], total, self.is_space, is_known, is_of_seen=False)
            else:
                self.wrong('headline', headline, total)
        self.warnings([self.unsampled()])
        self.sentence('header', '')

    def is_total_uncertain(self, total):
        """Whether the headline has an interval."""
        return total['high'] not in (None, total['low'])

    def facts(self):
        """What --verbose adds below the notes."""
        while self.at < len(self.lines) and self.lines[self.at] != '':
            self.note(self.line())
        self.sentence('facts', '')
        inputs = self.report['inputs']
        used = int(inputs['used'])
        self.inputs(inputs['periods'], f'{used:,} input{"" if used == 1 else "s"}')
        self.total('in use', 'inuse')
        self.total('allocated', 'alloc')
        self.unseen()
        self.left()

    def note(self, line):
        """A line below the table: the legend has a mark if, and only if, a row has it."""
        if 'legend-' in line:
            self.legend = line
        else:
            self.same('note', re.sub('(moved|next|if-wrapper|allocated-|charged-|rows-left|nodes-left|…).*', '', line), '')

    # --- what tables share

    def rows(self):
        rows = self.report['rows'][:self.shown.limit or None]
        is_code = self.report.get('by') in ('function', 'line', 'file', 'module', 'build', 'address')
        if self.kind == 'top' and not self.shown.cum:
            sizes = [Decimal(row['flat'][self.metric]['estimate']) for row in rows]
        elif self.kind in ('diff', 'trend'):
            sizes = [is_changed(row) for row in rows]
        else:
            return rows
        while is_code and self.shown.limit and not self.shown.by_name and len(rows) > 1 and not sizes[len(rows) - 1]:
            rows = rows[:-1]  # nothing is counted, not shown
        return rows

    def title(self, *titles):
        """(text, width), right-aligned."""
        self.sentence('titles', ''.join(f'{text:>{width}}' for text, width in titles))

    def error_width(self):
        return 23 if self.is_space and self.shown.unit in ('B', 'KiB') else 18

    def error_columns(self):
        return [-self.error_width()] * self.is_uncertain()

    def error_title(self, of):
        title = [(' ', 1), (f'{"cum " * (of == "cum")}{self.percent}% CI', self.error_width()), (' ', 1)]
        return title if self.is_uncertain() else []

    def by(self):
        return ('  ' + self.report['by'], 0)

    def marks_note(self):
        self.facts()

    def changes(self, text, spans):
        """The total change of the rows that are not shown; by cum the largest change of any."""
        sizes = [(max(low, -high, 0), max(high, -low)) for low, high in spans]
        grown = [(max(low, 0), max(high, 0)) for low, high in spans]
        shrunk = [(min(low, 0), min(high, 0)) for low, high in spans]
        if self.shown.cum:
            found = re.fullmatch(rf', rows-changed-less: ({VALUE})', text)
            wanted = [tuple(map(max, zip(*sizes)))]
        else:
            found = re.fullmatch(rf'(?:, (\+{VALUE[5:]}))?(?:(?:,| and) (-{VALUE[5:]}))? together', text)
            wanted = [tuple(map(sum, zip(*part))) for part in (grown, shrunk)]
        self.same('more', bool(found), True)
        for part, span in zip(found.groups() if found else (), wanted):
            self.number('more', part, span, span[0] <= 0 <= span[1] if part is None else
                        numerals.is_value_of(part, span, self.is_space, self.shown.unit))

    def more(self, change, marks):
        """The line below a table of changes that was limited; `change` gives the span of a row's change.  The
        explanation of marks follows in the same line."""
        shown, all_rows = len(self.shown_changes()), len(self.report['rows'])
        hidden = all_rows - shown
        if hidden == 0 and not (self.shown.json_limit and self.next_is('…')):
            if marks:
                self.sentence('marks', marks)
            return
        found = self.match('more', r'… (?:marked-left: (\d+))?(?:marked-left-too: (?: and )? (\d+))?(, .*?)?'
                           r'(?:rows-unchanged: (?:; )? (\d+))? \(cut-by-limit' + re.escape(f'   {marks}' if marks else ''), hidden)
        if found and not self.shown.json_limit:
            rest = self.report['rows'][shown:]
            marked, same = sum(row['significant'] for row in rest), int(found[4] or 0)
            self.same('more', (int(found[1] or 0), int(found[2] or 0)), (hidden - marked - same, marked))
            spans = list(map(change, rest))
            self.same('unchanged', same <= sum(low <= 0 <= high for low, high in spans), True)
            if found[3]:
                self.changes(found[3], spans)

    def shown_changes(self):
        """The rows of a comparison that are shown: those without a change are last, and counted only."""
        rows = self.report['rows'][:self.shown.limit or None]
        while self.shown.limit and len(rows) > 1 and not rows[-1]['significant'] and (
                is_nothing(rows[-1]['delta']['estimate']) if self.kind == 'diff' else rows[-1]['first'] == rows[-1]['last']):
            rows = rows[:-1]
        return rows

    def rest(self, what, sum_of_rest):
        """The same line for a table that adds up: with the sum of the hidden rows, if it is known."""
        hidden = self.hidden()
        if hidden == 0:
            return
        found = self.match('rest', rf'rows-left: ([\d,]+) {what} (e?s|) (-?{VALUE})(?: objects?)? \((\S+)\) '
                           r'\(cut-by-limit(?:   .*)?', hidden)
        if found and not self.shown.json_limit:
            self.count('rest', found[1], f'{hidden:,}')
            plural = '' if hidden == 1 else 'es' if what.endswith('s') else 's'
            self.same('rest', found[2], plural)
        if found and sum_of_rest:
            total = self.stacks()[self.metric]['estimate']
            self.number('rest', found[3], sum_of_rest, numerals.is_value_of(
                found[3], sum_of_rest, self.is_space, self.shown.unit))
            self.share_of('rest', found[4], sum_of_rest, total)

    def total_left(self):
        return fixed(self.report.get('filtered', self.stacks())[self.metric]['estimate'])

    def hidden(self):
        """The number of rows that the text does not show; if JSON was limited as well, at least one if there are any."""
        count, limit = len(self.report['rows']), len(self.rows()) if self.shown.limit else 0
        if self.shown.json_limit:
            return int(count >= limit and self.next_is('rows-left'))
        return max(count - limit, 0) if limit else 0

"""Planted disagreements: reports with one thing changed, which a comparison has to find."""
import copy
import re

from agreeing import CELLS, FEW, PLACE, check_flags, compare_tsv
from text_series import compare_text

# Parts of text that JSON does not contain, or not as precisely; the last ones are source lines without values.
UNTOLD = re.compile(r'^(?:warning|note): .*|^  limit .*|^more-warnings.*|^detectable.*|\d+ mapped files?|in \d+ lines|the first is line \d+|written by.*|'
                    r'^ {42}.*', re.M)
# Numbers whose ends no text has.
WITHOUT_ENDS = {('peek', 'flat'), ('list', 'cum')}
FLAGGED = ('top', 'stacks')  # their JSON shows which values are based on one object
# The column of the mark of a row.
MARKS = {'top': 67, 'stacks': 39, 'tree': 37, 'peek': 60, 'list': 42, 'diff': 87, 'trend': 63}
WIDER = {'top', 'stacks', 'tree', 'peek', 'list'}  # in small units, by five


def faults_of(reports):
    """The faults that all comparisons for this kind of report find."""
    kind, shown = reports.json['command'], reports.shown
    sheets = [compare_text(reports.json, reports.text, shown)]
    sheets += [compare_tsv(reports.json, reports.tsv, shown)] if kind in CELLS else []
    sheets += [check_flags(reports.json)] if kind in ('top', 'stacks') else []
    return [fault for sheet in sheets for fault in sheet.faults]


def replaced(text, at, new):
    return text[:at] + new + text[at + len(new):]


def other_digit(digit):
    return str((int(digit) + 1) % 10)

# Of a screen: which rows hold most, which filters leave what (as in the facts below), the dumps that are used, warnings
# that only info and --verbose have, the legend, what was attributed to callers, and the next command.
VERBOSE = ('top', 'stacks', 'tree', 'peek', 'list')
ABOVE_AND_BELOW = re.compile(r'\A--.*|(?<= in use)[ ;].*|(?<= allocated)[ ;].*|^(?:next|note|warning|if-wrapper|moved|'
                             r'source-|exit-).*|^[^ \n…].*dumps? .*$|legend-.*', re.M)


def of_text(reports, step=2):
    """Variants of the text: every step-th digit changed, and each mark that JSON implies removed, or added where none
    is."""
    text, kind = reports.text, reports.json['command']
    untold = {i for found in UNTOLD.finditer(text) for i in range(*found.span())}
    if kind in VERBOSE:
        untold |= {i for found in ABOVE_AND_BELOW.finditer(text) for i in range(*found.span())}
    digits = [i for i, c in enumerate(text) if c in '0123456789' and i not in untold]
    for at in digits[::step]:
        yield f'digit {at}', compare_text, replaced(text, at, other_digit(text[at]))
    start = text.find('\n\n') + 2
    unjudged = compare_text(reports.json, text, reports.shown).unjudged if kind in MARKS else set()
    is_wide = kind in WIDER and reports.shown.unit in ('B', 'KiB') and (
        reports.json['metric'].endswith('space'))
    for found in re.finditer('.+', text[start:]) if kind in MARKS else ():
        at = start + found.start() + MARKS[kind] + 5 * is_wide
        before = text[start + found.start():at]
        is_judged = text.count('\n', 0, at) not in unjudged
        if is_judged and at < start + found.end() and re.search(r'[\d.]+%.*\d( [KMG]?i?B)?$', before):
            if text[at] != '!' or kind in FLAGGED:
                yield f'mark {at}', compare_text, replaced(text, at, '*' if text[at] == ' ' else ' ')
    for found in re.finditer(' seen once', text):
        yield f'seen once {found.start()}', compare_text, (
            text[:found.start()] + text[found.end():])


def of_tsv(reports, step=3):
    """Every step-th digit of the cells that JSON has another, and each flag gone."""
    lines = reports.tsv.split('\n')
    titles = lines[0].split('\t')
    count = 0
    for number, line in enumerate(lines):
        cells = line.split('\t')
        for title, (column, cell) in zip(titles, enumerate(cells)):
            for at, c in enumerate(cell):
                count += 1
                if c in '0123456789' and (title == 'name' or title not in PLACE) and (
                        count % step == 0):
                    changed = cells[:column] + [replaced(cell, at, other_digit(c))] + (
                        cells[column + 1:])
                    yield f'line {number}, {title}', compare_tsv, '\n'.join(
                        lines[:number] + ['\t'.join(changed)] + lines[number + 1:])
            if title == 'flags' and number > 0:
                changed = cells[:column] + ['' if cell else 'few-samples'] + cells[column + 1:]
                yield f'line {number}, {title}', compare_tsv, '\n'.join(
                    lines[:number] + ['\t'.join(changed)] + lines[number + 1:])


def numbers_of(row, metric, path=()):
    """The places of all that has ends, of the metric asked for."""
    if isinstance(row, dict) and 'low' in row:
        yield path
    elif isinstance(row, dict):
        for key, value in row.items():
            if not re.match('inuse-|alloc-', key) or key == metric:
                yield from numbers_of(value, metric, (*path, key))
    elif isinstance(row, list):
        for i, value in enumerate(row):
            yield from numbers_of(value, metric, (*path, i))


def at(report, path):
    for key in path:
        report = report[key]
    return report


def of_json(reports):
    """Variants of JSON: each end replaced by the other end, or by that of another column; flags added, and flags
    removed."""
    report = reports.json
    metric, has_cells = report.get('metric'), report['command'] in CELLS
    places = [('rows', *path) for path in numbers_of(report['rows'], metric)
              if (report['command'], path[1]) not in WITHOUT_ENDS]
    others = places[1:] + places[:1]
    for path, other in zip(places, others):
        number, foreign = at(report, path), at(report, other)
        if number['low'] in (None, number['high']) or float(number['estimate']) == 0:
            continue
        for end, value in (('low', number['high']), ('high', number['low']),
                           ('low', foreign['low']), ('high', foreign['high'])):
            # Text shows only half the width of the interval instead of both ends.
            if value != number[end] and (has_cells or value in (number['low'], number['high'])):
                changed = copy.deepcopy(report)
                at(changed, path)[end] = value
                yield f'{path} {end} {value}', changed
    for i, row in enumerate(report['rows']):
        for flags in ([], ['few-samples'], ['few-samples', 'seen-once'], ['mixed-sizes']):
            if 'flags' in row and flags != row['flags']:
                changed = copy.deepcopy(report)
                changed['rows'][i]['flags'] = flags
                yield f'{i} {flags}', changed


def of_threshold(report):
    """JSON of a writer to whom four samples are not few; None if no row has four."""
    changed = copy.deepcopy(report)
    near = [row for row in changed['rows'] if row.get('effective_samples') and
            FEW - 1 <= float(row['effective_samples']) < FEW]
    for row in near:
        row['flags'].remove('few-samples')
    return changed if near else None


def survivors(reports):
    """The number of planted disagreements, and those that were not found."""
    planted, found = 0, faults_of(reports)
    missed = [f'not planted: {fault}' for fault in found]
    mutants = [(what, compare(reports.json, text, reports.shown).faults)
               for what, compare, text in of_text(reports)]
    if reports.json['command'] in CELLS:
        mutants += [(what, compare(reports.json, text, reports.shown).faults)
                    for what, compare, text in of_tsv(reports)]
    if reports.json['command'] != 'info':
        mutants += [(what, faults_of(reports.with_json(changed)))
                    for what, changed in of_json(reports)]
    for what, faults in mutants:
        planted += 1
        missed += [] if faults else [what]
    return planted, missed

#!/usr/bin/env python3
"""Tests the options that change a pprof profile: pprof adds up errors, selects by labels, and shows differences as
those of two profiles; limits keep the totals.

usage: pprof_options.py BINARY TESTDATA [PPROF], by default `go tool pprof`
"""
import collections
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from pprof_tool import pprof, top_of, write_with  # noqa: E402
from profile_proto import Profile  # noqa: E402

t = Tests()
write = write_with(t)
SYMBOLS = f'--symbol-dir={t.root}'
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
SERIES = sorted((t.formats / 'series').glob('*.heap'))
SERVER = t.real / 'redis_lg13.27533.13.f.heap.gz'
LABELS = r'--label-from=(?<process>procs[^.]*)\.'


def sums(profile):
    return dict(zip(profile.sample_types, map(sum, zip(*(s.values for s in profile.samples)))))


def unlike(found, wanted, what):
    return [] if found == wanted else [f'{what}: {found} instead of {wanted}']


# --- errors -------------------------------------------------------------------------------

def errors_are_those_of_tables(folder):
    """Half the width of a large sum's interval is about 1.96 standard deviations."""
    profile = Profile(write(folder, 'errors', '--with-error', '--no-symbols', SERVER))
    found = sums(profile)
    wanted = [f'inuse_space_{kind}' for kind in ('variance', 'hidden', 'excess', 'certain')]
    faults = unlike(profile.sample_types[-4:], wanted, 'sample types')
    text = t.ok('top', '--no-symbols', '-fjson', SERVER).out
    total = json.loads(text)['total']['inuse-space']
    low = found['inuse_space'] - 1.96 * (found['inuse_space_variance'] * 2**20) ** 0.5
    if abs(low - total['low']) > 0.02 * (total['estimate'] - total['low']):
        faults.append(f'{low} instead of {total["low"]}')
    if found['inuse_space'] + found['inuse_space_hidden'] > total['high']:
        faults.append(f'{found} hides more than {total}')
    return faults


def errors_add_up(folder):
    """The errors that pprof adds up from two profiles equal those of our profile of both inputs."""
    parts = [write(folder, f'part{i}', '--with-error', SYMBOLS, path)
             for i, path in enumerate(PROCS)]
    both = sums(Profile(write(folder, 'both', '--with-error', SYMBOLS, *PROCS)))
    faults = [] if both['inuse_space_variance'] > 0 else ['no variance']
    for kind in ('inuse_space_variance', 'inuse_space_hidden', 'inuse_space_excess', 'inuse_space_certain'):
        _, total = top_of(pprof('-top', f'-sample_index={kind}', '-unit=KiB^2' if
                                kind.endswith('variance') else '-unit=bytes', *parts,
                                folder=folder))
        if abs(total - both[kind]) > len(parts):
            faults.append(f'{kind}: {total} instead of {both[kind]}')
    return faults


def errors_of_parts(folder):
    """Labels part the errors as they part the values."""
    one = Profile(write(folder, 'one', '--with-error', '--no-symbols', '--by=input', *PROCS))
    parts = collections.Counter()
    for sample in one.samples:
        parts.update(dict(zip(one.sample_types, sample.values)))
    whole = sums(Profile(write(folder, 'whole', '--with-error', '--no-symbols', *PROCS)))
    return [f'{kind}: {parts[kind]} instead of {whole[kind]}' for kind in whole
            if abs(parts[kind] - whole[kind]) > len(PROCS)]


# --- labels -------------------------------------------------------------------------------

def by_label(profile, key):
    groups = collections.defaultdict(list)
    for sample in profile.samples:
        groups[sample.labels[key]].append((profile.names(sample), sample.values))
    return groups


def inputs_are_labels(folder):
    groups = by_label(Profile(write(folder, 'inputs', SYMBOLS, '--by=input', *PROCS)), 'input')
    faults = unlike(list(groups), sorted(map(str, PROCS)), 'labels')
    for path in PROCS:
        alone = Profile(write(folder, 'alone', SYMBOLS, path))
        wanted = [(alone.names(sample), sample.values) for sample in alone.samples]
        if groups[str(path)] != wanted:
            faults.append(f'{path.name}: other samples')
    return faults


def pprof_selects_by_labels(folder):
    options = [SYMBOLS, LABELS, '--by=label:process']
    path = write(folder, 'labels', *options, *PROCS)
    names = [re.match('procs[^.]*', p.name)[0] for p in PROCS]
    faults = unlike(sorted(by_label(Profile(path), 'process')), names, 'labels')
    for name, one in zip(names, PROCS):
        shown = re.search(r'nodes accounting for (\d+)B', pprof(
            '-top', '-unit=bytes', f'-tagfocus=process={name}', path, folder=folder))
        wanted = sums(Profile(write(folder, 'alone', SYMBOLS, one)))['inuse_space']
        faults += unlike(int(shown[1]), wanted, name)
    return faults


# --- differences --------------------------------------------------------------------------

def differences_are_pprofs(folder):
    """Differences have the form that pprof itself gives them with -diff_base."""
    base, new = SERIES[-1], SERIES[0]
    ours = write(folder, 'difference', '--no-symbols', base, new, command='diff')
    base, new = (write(folder, name, '--no-symbols', path)
                 for name, path in (('base', base), ('new', new)))
    text, wanted = (pprof('-top', '-unit=bytes', *more, folder=folder)
                    for more in ((ours,), (f'-diff_base={base}', new)))
    rows = [sorted(re.findall(r'^ .*%.*$', part, flags=re.M)) for part in (text, wanted)]
    faults = [] if any(' -' in row for row in rows[1]) else ['nothing has shrunk']
    return faults + unlike(*rows, 'rows')


def signs_are_kept(folder):
    """pprof shows the same of a difference of two profiles as of what merge makes of it."""
    faults = []
    for delta in sorted((t.testdata / 'differences').glob('*.pb.gz')):
        ours = write(folder, 'signs', '--no-symbols', '--names=full', delta)
        for kind in ('inuse_space', 'alloc_space'):
            text, wanted = (pprof('-top', '-unit=bytes', '-nodefraction=0', f'-sample_index={kind}', path, folder=folder)
                            for path in (ours, delta))
            rows = [sorted(re.findall(r'^ .*%.*$', part, flags=re.M)) for part in (text, wanted)]
            faults += unlike(*rows, f'{delta.name}, {kind}')
            faults += [] if kind != 'inuse_space' or any(' -' in row for row in rows[1]) else ['nothing has shrunk']
    return faults


def difference_of_means(folder):
    """Sides of different numbers of dumps."""
    path = write(folder, 'means', '--no-symbols', '--dumps=sum', SERIES[0], '--to', *SERIES[1:],
                 command='diff')
    parts = collections.Counter()
    profile = Profile(path)
    for sample in profile.samples:
        parts[sample.labels.get('pprof::base')] += sample.values[-1]
    totals = [t.totals(series)['inuse-space'] for series in SERIES]
    mean = sum(totals[1:]) / (len(totals) - 1)
    return [f'{dict(parts)}: not {totals[0]} and {mean}'] if (
        abs(parts['true'] + totals[0]) > 1 or abs(parts[None] - mean) > 1) else []


# --- limits -------------------------------------------------------------------------------

def fewer_samples(folder):
    whole = Profile(write(folder, 'all', '--no-symbols', SERVER))
    some = Profile(write(folder, 'some', '--no-symbols', '--max-samples=10', SERVER))
    faults = unlike(len(some.samples), 10, 'samples') + unlike(sums(some), sums(whole), 'sums')
    kept = [s.values[-1] for s in some.samples if some.names(s) != ['[other]']]
    largest = sorted((s.values[-1] for s in whole.samples), reverse=True)[:9]
    return faults + [f'{found} instead of {wanted}' for found, wanted in
                     zip(sorted(kept, reverse=True), largest) if abs(found - wanted) > 1]


def shallower_samples(folder):
    whole = Profile(write(folder, 'deep', '--no-symbols', SERVER))
    some = Profile(write(folder, 'flat', '--no-symbols', '--max-depth=4', SERVER))
    faults = unlike(sums(some), sums(whole), 'sums')
    wanted = collections.Counter()
    for sample in whole.samples:
        names = whole.names(sample)
        wanted[tuple(names if len(names) <= 4 else names[:3] + ['[truncated]'])] += (
            sample.values[-1])
    found = collections.Counter()
    for sample in some.samples:
        found[tuple(some.names(sample))] += sample.values[-1]
    off = [key for key in wanted if abs(wanted[key] - found[key]) > 40]
    return faults + [f'{key}: {found[key]} instead of {wanted[key]}' for key in off] + (
        [] if max(map(len, found)) == 4 else ['nothing was cut'])


def many_stacks(folder, count, depth):
    """Write a dump of `count` stacks, and one of a stack of `depth` frames."""
    lines = ['heap_v2/4096', f'  t*: {count + 1}: {(count + 1) * 4096} [0: 0]']
    for i in range(count):
        lines += [f'@ 0x{i + 1:x}000 0x10', '  t*: 1: 4096 [0: 0]']
    lines += ['@ ' + ' '.join(f'0x{i + 1:x}' for i in range(depth)), '  t*: 1: 4096 [0: 0]']
    path = pathlib.Path(folder) / 'many.heap'
    path.write_text('\n'.join([*lines, '', 'MAPPED_LIBRARIES:', '']))
    return path


def pyroscope(folder):
    """Pyroscope's limits are 16,000 samples and 1,000 frames."""
    path = many_stacks(folder, 16500, 1200)
    profile = Profile(write(folder, 'pyroscope', '--flavor=pyroscope', path))
    faults = unlike(len(profile.samples), 16000, 'samples')
    path = many_stacks(folder, 5, 1200)
    profile = Profile(write(folder, 'pyroscope', '--flavor=pyroscope', path))
    faults += unlike(max(len(s.locations) for s in profile.samples), 1000, 'depth')
    faults += unlike(profile.period_type, ('space', 'bytes'), 'period')
    return faults + unlike(profile.sample_types, ['inuse_objects', 'inuse_space'], 'types')


def flavors(folder):
    one = t.formats / 'jemalloc-lg0-accum.heap'
    faults = []
    for flavor, wanted in (
            ('parca', ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']),
            ('datadog', ['alloc-samples', 'alloc-space', 'inuse-objects', 'inuse-space'])):
        profile = Profile(write(folder, flavor, f'--flavor={flavor}', '--no-symbols', one))
        faults += unlike(profile.sample_types, wanted, flavor)
        faults += unlike(profile.default_sample_type, wanted[-1], flavor)
        faults += unlike(profile.time, None, 'time and duration')
    return faults


with scratch() as scratch_folder:
    for check in (errors_are_those_of_tables, errors_add_up, errors_of_parts,
                  inputs_are_labels, pprof_selects_by_labels, differences_are_pprofs, signs_are_kept,
                  difference_of_means, fewer_samples, shallower_samples, pyroscope, flavors):
        t.check(check.__name__.replace('_', ' '), lambda: check(scratch_folder))
t.done()

#!/usr/bin/env python3
"""Profiles that are merged again: for any division of the dumps, they give the same as all dumps at once, or are
refused; no process counts twice."""
import gzip
import hashlib
import pathlib
import random
import subprocess
import sys

from fleets import Process, fleet
from harness import IS_SAMPLE, Tests, scratch
from profile_writer import Profile as Writer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
from profile_proto import Profile  # noqa: E402

t = Tests()
SPLITS = next((int(word) for word in sys.argv[3:] if word.isdigit()), 10 if IS_SAMPLE else 60)
MARK = '#hprof-agg processes/1 '

# --- what profiles hold ---------------------------------------------------------------------


def keys_of(path):
    """The marks of a profile."""
    return [comment for comment in Profile(path).comments if comment.startswith('#')]


def digest(path):
    """A digest of everything in a profile except notes for people, independent of the order of its tables."""
    profile = Profile(path)
    samples = sorted((tuple(map(profile.frame, sample.locations)), tuple(sample.values), tuple(sample.all_labels))
                     for sample in profile.samples)
    text = repr((profile.sample_types, profile.period, samples, keys_of(path)))
    return hashlib.sha256(text.encode()).hexdigest()


def totals(path):
    profile = Profile(path)
    return dict(zip(profile.sample_types, map(sum, zip(*(sample.values for sample in profile.samples)))))


def merge(out, inputs, *options):
    """The status."""
    return t.run('merge', '-q', '--no-symbols', '-o', out, *options, *inputs, is_coded=True)


def split(r, items, parts):
    bags = [[] for _ in range(parts)]
    for item in items:
        r.choice(bags).append(item)
    return [bag for bag in bags if bag]


def merged_in_parts(folder, bags, *options):
    """Merge each bag separately, then all results; None if that is refused, with the reason."""
    parts = [pathlib.Path(folder, f'part{i}.pb.gz') for i in range(len(bags))]
    for part, bag in zip(parts, bags):
        result = merge(part, bag, *options)
        if result.code:
            return None, result
    out = pathlib.Path(folder, 'merged.pb.gz')
    result = merge(out, parts, *options)
    return (None if result.code else out), result


# --- properties -----------------------------------------------------------------------------


def any_split(period):
    """Dumps are divided at random, which mostly separates dumps of one process, and by processes."""
    faults, outcomes = [], {'same': 0, 'refused': 0}
    with scratch() as folder:
        paths = fleet(folder, period, period)
        every = [path for own in paths for path in own]
        whole = pathlib.Path(folder, 'whole.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', whole, *every)
        want, most = digest(whole), totals(whole)
        for seed in range(SPLITS):
            r = random.Random(seed)
            if seed % 3 == 0:
                bags = split(r, every, r.randint(1, 5))
            else: # complete processes, except for single dumps
                bags = [[path for own in bag for path in own] for bag in split(r, paths, r.randint(1, 5))]
                if seed % 3 == 1 and len(bags) > 1:
                    bags[0].append(bags[1].pop())
            r.shuffle(bags)
            torn = any(len({i for i, bag in enumerate(bags) if set(own) & set(bag)}) > 1 for own in paths)
            out, result = merged_in_parts(folder, bags)
            where = f'{seed}: {[len(bag) for bag in bags]}'
            outcomes['same' if out else 'refused'] += 1
            if not out and (result.code != 4 or not torn or 'process-in-two-partials: ' not in result.err):
                faults.append(f'{where}: {result.code}: {result.err[:200]}')
            elif out and torn:
                faults.append(f'{where}: a process in two of them, and not a word')
            elif out and period == 1 and digest(out) != want:
                faults.append(f'{where}: another digest: {totals(out)}, not {most}')
            elif out: # each profile is rounded to bytes, each of its stacks by less than one byte
                found, slack = totals(out), 0 if period == 1 else len(bags) + 1
                faults += [f'{where}: {kind}: {found[kind]}, not {most[kind]}'
                           for kind in most if abs(found[kind] - most[kind]) > slack]
    if not faults and min(outcomes.values()) < SPLITS / 5:
        faults.append(f'{outcomes}: nothing was tried')
    return faults or f'{outcomes}'


def chosen_first():
    """The recipe of the manual: choose among all dumps, then merge them anywhere."""
    faults = []
    with scratch() as folder:
        paths = [path for own in fleet(folder, 5) for path in own]
        whole = pathlib.Path(folder, 'whole.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', whole, *paths)
        listing = t.ok('info', '-q', '--used', *paths).out
        used = listing.splitlines()
        if len(used) != 8 or not set(used) <= set(map(str, paths)):
            faults.append(f'{len(used)} used: {used[:3]}')
        again = t.ok('info', '-q', '--used', *random.Random(1).sample(paths, len(paths))).out
        faults += [] if again == listing else ['another list in another order']
        for seed in range(6):
            r = random.Random(seed)
            out, result = merged_in_parts(folder, split(r, used, r.randint(1, 5)))
            if not out or digest(out) != digest(whole):
                faults.append(f'{seed}: {result.code}: {result.err[:200]}')
        lists = pathlib.Path(folder, 'list')
        for options, end in (((), b'\n'), (('-0',), b'\0')):
            lists.write_bytes(b''.join(path.encode() + end for path in used))
            printed = t.ok('info', '-q', '--used', *options, *paths).out_bytes
            faults += [] if printed == lists.read_bytes() else [f'{options}: another list']
            out = pathlib.Path(folder, 'listed.pb.gz')
            t.ok('merge', '-q', '--no-symbols', f'--files-from={lists}', *options, '-o', out)
            faults += [] if digest(out) == digest(whole) else [f'{options}: --files-from: another digest']
    return faults


def trees():
    """Profiles merged in steps, with other profiles or with dumps, give the total of all dumps."""
    faults = []
    with scratch() as folder:
        paths = fleet(folder, 7)
        whole = pathlib.Path(folder, 'whole.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', whole, *(path for own in paths for path in own))
        for seed in range(6):
            left = [list(own) for own in random.Random(seed).sample(paths, len(paths))]
            out = pathlib.Path(folder, 'step0.pb.gz')
            t.ok('merge', '-q', '--no-symbols', '-o', out, *left.pop())
            for i, own in enumerate(left):
                before, out = out, pathlib.Path(folder, f'step{i + 1}.pb.gz')
                part = pathlib.Path(folder, 'part.pb.gz')
                t.ok('merge', '-q', '--no-symbols', '-o', part, *own)
                t.ok('merge', '-q', '--no-symbols', '-o', out, before, *([part] if seed % 2 else own))
            same = digest(out) == digest(whole) if seed % 2 else totals(out) == totals(whole)
            same &= keys_of(out) == keys_of(whole)
            faults += [] if same else [f'{seed}: {totals(out)}, not {totals(whole)}']
            result = merge(pathlib.Path(folder, 'x.pb.gz'), [out, left[0][0]])
            if result.code != 4 or str(left[0][0]) not in result.err:
                faults.append(f'a dump of what was merged: {result.code}: {result.err}')
    return faults


def asked_for():
    """--dumps=sum adds up, and the result records it; another rule than that of the inputs is recorded, too."""
    faults = []
    with scratch() as folder:
        own = fleet(folder, 9)[5]
        parts = [pathlib.Path(folder, f'{i}.pb.gz') for i in range(3)]
        for part, dumps in zip(parts, (own[:2], own[2:4])):
            t.ok('merge', '-q', '--no-symbols', '-o', part, *dumps)
        result = merge(parts[2], parts[:2], '--dumps=sum')
        want = sum(totals(part)['inuse_space'] for part in parts[:2])
        if result.code != 0 or totals(parts[2])['inuse_space'] != want:
            faults.append(f'{result.code}: {totals(parts[2])}, not {want}: {result.err}')
        if 'snapshots=last,sum ' not in keys_of(parts[2])[0] or len(keys_of(parts[2])) != 1:
            faults.append(f'{keys_of(parts[2])}')
        text = t.codes('top', '--no-symbols', parts[2]).out
        for code in ('dumps-were-summed\n', 'dumps-differ\n'):
            faults += [] if code in text else [f'no "{code}" in {text[:600]}']
        told = t.codes('top', '--no-symbols', '--dumps=sum', *parts[:2]).out
        faults += [] if ' merged-twice\n' in told else [told[:600]]
        # Sides of a diff, moments of a trend and rows of inputs are not added up.
        for command in ('diff', 'trend', 'info', ('top', '--by=input')):
            t.ok(*([command] if isinstance(command, str) else command), '--no-symbols', *parts[:2])
        if t.run('diff', '--no-symbols', parts[0], parts[1], '--to', own[4]).code != 4:
            faults.append('a base of two that share a process is added up')
    return faults


def one_dump_each():
    """For single dumps of processes, every rule gives the same profile."""
    with scratch() as folder:
        paths = [own[0] for own in fleet(folder, 11)]
        found = set()
        for mode in ('latest', 'sum'):
            out = pathlib.Path(folder, f'{mode}.pb.gz')
            t.ok('merge', '-q', '--no-symbols', f'--dumps={mode}', '-o', out, *paths)
            found.add(digest(out))
        return [] if len(found) == 1 else ['another digest']


def joined():
    """A dump without a process id belongs to the process with the same map.  If there are two, earlier merges may be
    wrong."""
    faults = []
    with scratch() as folder:
        r = random.Random(13)
        one = Process(r, 5)
        two = one.fork(6)
        paths = {}
        for name, process in (('x.heap', one), ('app.5.0.i0.heap', one), ('app.6.0.i0.heap', two)):
            paths[name] = pathlib.Path(folder, name)
            paths[name].write_text(process.dump(r))
        nameless, five, six = paths.values()
        for bags, code in (([[nameless, five], [six]], 4), ([[nameless], [five]], 4), ([[nameless], [six]], 4),
                           ([[five], [six]], 0), ([[nameless, five, six]], 0), ([[five, six], [nameless]], 4),
                           ([[nameless], [five, six]], 4)):
            whole = pathlib.Path(folder, 'whole.pb.gz')
            t.ok('merge', '-q', '--no-symbols', '-o', whole, *(path for bag in bags for path in bag))
            out, result = merged_in_parts(folder, bags)
            names = [[path.name for path in bag] for bag in bags]
            if result.code not in (code, 0) or (out and digest(out) != digest(whole)):
                faults.append(f'{names}: {result.code}: {result.err}')
    return faults


def without_maps():
    """A process without a map is counted, but not recognized again, and a warning says so."""
    faults = []
    with scratch() as folder:
        parts = []
        for i in range(2):
            path = pathlib.Path(folder, f'app.{i + 5}.0.i0.heap')
            text = Process(random.Random(i), 1).dump(random.Random(i))
            path.write_text(text.partition('MAPPED_LIBRARIES:\n')[0] + 'MAPPED_LIBRARIES:\n')
            parts.append(pathlib.Path(folder, f'{i}.pb.gz'))
            t.ok('merge', '-q', '--no-symbols', '-o', parts[-1], path)
            faults += [] if ' untold=1 keys=' in keys_of(parts[-1])[0] else [f'{keys_of(parts[-1])}']
        text = t.codes('top', '--no-symbols', *parts).out
        faults += [] if 'merged-maybe-one-process: 2\n' in text else [text[:500]]
    return faults


def very_many():
    """For thousands of processes there are several lines, in order, and all processes are recognized again."""
    faults = []
    with scratch() as folder:
        path, again = (pathlib.Path(folder, name) for name in ('x.pb.gz', 'again.pb.gz'))
        keys = [f'{i + 1:016x}{7:032x}' for i in range(2500)]
        lines = [f'{MARK}snapshots=last of=in-use untold={7 * (i == 0)} keys=' + ''.join(keys[i:i + 1000])
                 for i in range(0, 2500, 1000)]
        path.write_bytes(written(random.Random(1).sample(lines, 3)))
        t.ok('merge', '-q', '--no-symbols', '-o', again, path)
        faults += [] if keys_of(again) == lines else [f'{[line[:80] for line in keys_of(again)]}']
        path.write_bytes(written([f'{MARK}snapshots=last of=in-use untold=0 keys={keys[2400]}']))
        result = merge(pathlib.Path(folder, 'y.pb.gz'), [again, path])
        if result.code != 4 or 'process-in-two-partials: 1 ' not in result.err:
            faults.append(f'{result.code}: {result.err}')
    return faults


def written(marks):
    p = Writer()
    p.sample([p.location(0, 0, [('f', '', 0)])], [1, 4096])
    numbers = [p.text(text) for text in ('made by hprof-agg 0.1.0', *marks)]
    return gzip.compress(p.bytes() + b''.join(Writer.numbers(p, 13, [n]) for n in numbers))


def marks():
    """Two records in one file, as pprof leaves them; damaged ones; and those of a later version."""
    key, other = '1' * 48, '2' * 48
    one, two = (f'{MARK}snapshots=last of=in-use untold=0 keys={text}' for text in (key + other, '3' * 48))
    faults = []
    with scratch() as folder:
        path = pathlib.Path(folder, 'x.pb.gz')
        again = pathlib.Path(folder, 'again.pb.gz')

        def read(*texts):
            path.write_bytes(written(texts))
            return merge(again, [path])
        if read(one, two).code != 0 or keys_of(again) != [one + '3' * 48]:
            faults.append(f'two: {keys_of(again)}')
        result = read(one, f'{MARK}snapshots=last of=in-use untold=0 keys={other}')
        if result.code != 4 or 'process-in-two-partials: 1 ' not in result.err:
            faults.append(f'one twice: {result.code}: {result.err}')
        for text in (one[:-1], one[:-48] + '0' * 32 + '1' * 16, one.replace('untold=0', 'untold=-1'), MARK,
                     one.replace('keys=', 'keys= '), one.replace('processes/1', 'processes/2'), one + 'g' * 48,
                     one.replace('untold=0', f'untold={1 << 64}')):
            result = read(text)
            if result.code != 5 or 'damaged-pprof: pprof-processes ' not in result.err:
                faults.append(f'{text}: {result.code}: {result.err}')
    return faults


def by_pprof():
    """A profile that pprof merges from two has the processes of both."""
    faults = []
    with scratch() as folder:
        paths = fleet(folder, 15)
        parts = [pathlib.Path(folder, f'{i}.pb.gz') for i in range(3)]
        for part, bag in zip(parts, (paths[:4], paths[4:], paths[3:5])):
            t.ok('merge', '-q', '--no-symbols', '-o', part, *(path for own in bag for path in own))
        whole = pathlib.Path(folder, 'whole.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', whole, *(path for own in paths for path in own))
        for inputs, code in ((parts[:2], 0), ([parts[0], parts[2]], 4)):
            out = pathlib.Path(folder, 'theirs.pb.gz')
            again = pathlib.Path(folder, 'again.pb.gz')
            subprocess.run(['go', 'tool', 'pprof', '-proto', '-output', str(out), *map(str, inputs)],
                           capture_output=True, check=True, cwd=folder)
            result = merge(again, [out])
            if result.code != code or (code == 0 and keys_of(again) != keys_of(whole)):
                faults.append(f'{result.code}: {result.err}')
    return faults


t.check('any split of exact dumps gives one digest or is rejected', lambda: any_split(1))
t.check('any split of sampled dumps gives one total or is rejected', lambda: any_split(524288))
t.check('any split of dumps that are selected first gives one digest', chosen_first)
t.check('aggregate files that are merged again and with dumps give one digest', trees)
t.check('--dumps=sum adds up, and the result records it', asked_for)
t.check('single dumps give one profile with every rule of selection', one_dump_each)
t.check('a dump without a process id joins the process with the same map', joined)
t.check('a process without a memory map is counted, and a warning says so', without_maps)
t.check('two records of processes are merged, and malformed ones are rejected', marks)
t.check('thousands of processes are merged', very_many)
t.check('profiles that pprof merged keep their processes', by_pprof)
t.done()

"""Growth and shrinkage of a difference of two profiles, read from the protobuf only."""
import collections
import gzip

from profile_reader import fields

Signs = collections.namedtuple('Signs', 'grew shrank')


def packed(values):
    """The numbers of a field, which may be separate or packed."""
    for value in values:
        for _, number in fields(b''.join(b'\x00' + byte for byte in split(value))) \
                if isinstance(value, bytes) else [(0, value)]:
            yield number


def split(data):
    """The numbers of a packed field, as bytes."""
    begin = 0
    for end, byte in enumerate(data, 1):
        if byte < 128:
            yield data[begin:end]
            begin = end


def several(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def read(path):
    """{metric: {names from the root: (growth, shrinkage)}}, added up by stacks of addresses."""
    profile = several(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    kinds = [texts[dict(fields(kind))[1]].replace('_', '-') for kind in profile[1]]
    name_of = {dict(fields(one))[1]: texts[dict(fields(one))[2]] for one in profile[5]}
    calls = {}
    for location in map(several, profile[4]):
        calls[location[1][0]] = [name_of[dict(fields(line))[1]] for line in location[4]]
    sums = collections.defaultdict(collections.Counter)
    for sample in map(several, profile[2]):
        stack = tuple(packed(sample[1]))
        for kind, value in zip(kinds, packed(sample[2])):
            sums[kind][stack] += value - (value >> 63 << 64)
    found = {kind: {} for kind in kinds}
    for kind, stacks in sums.items():
        for stack, value in stacks.items():
            path = tuple(name for place in reversed(stack) for name in reversed(calls[place]))
            grew, shrank = found[kind].get(path, (0, 0))
            found[kind][path] = Signs(grew + max(value, 0), shrank + max(-value, 0))
    return found


def net(signs):
    """The same with one number for each stack of names: what is left of growth and shrinkage."""
    rest = {stack: s.grew - s.shrank for stack, s in signs.items()}
    return {stack: Signs(max(value, 0), max(-value, 0)) for stack, value in rest.items()}


def by_leaf(signs):
    """{function: (growth, shrinkage)} of the functions at the ends of stacks."""
    found = collections.defaultdict(lambda: Signs(0, 0))
    for stack, s in signs.items():
        found[stack[-1]] = Signs(found[stack[-1]].grew + s.grew, found[stack[-1]].shrank + s.shrank)
    return found


def totals(signs):
    return Signs(sum(s.grew for s in signs.values()), sum(s.shrank for s in signs.values()))


def faults_of(got, want, where, room):
    """A fault unless all numbers agree within `room` bytes or objects."""
    return [f'{where}: {got}, not {want}'] if any(
        abs(a - b) > room for a, b in zip((*got, got[0] - got[1]), (*want, want[0] - want[1]))) else []

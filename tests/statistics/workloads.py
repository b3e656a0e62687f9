"""Programs whose heap is known, and the dumps that jemalloc would write of them.

The sampler and the writer are independent: they share nothing with src/calc, nor with hprof-sim.  Each object of a
true heap is sampled separately, with p = 1 - (1 - 1/R)^S.  The sampled ones are found by geometric gaps, so that the
cost of a dump depends on the sampled objects, not on the live ones.  `bursty` counts bytes down as the allocator
does.

    workload = WORKLOADS['bimodal']()
    samples = workload.sample(random.Random(1))
    text = dump_text(workload, samples, rewritten=True)

The truth is workload.truth[metric][name]: {size: objects} of each function, and of all as TOTAL.
samples.sums(metric)[name] is the same for the sampled objects.
"""
import bisect
import functools
import itertools
import math
import random

TOTAL = 'total'
PAGE = 4096
BASE = 0x555555000000
LEAVES, MIDDLES, ROOT = 0x1020, 0x2000020, 0x4000020
LIVE, FREED = 0, 1


# --- size classes -----------------------------------------------------------------------


def classes_up_to(limit):
    """8, then 16 ... 128 by 16, then four in each doubling."""
    sizes = [8, *range(16, 129, 16)]
    while sizes[-1] < limit:
        sizes.append(sizes[-1] + (1 << (sizes[-1].bit_length() - 1)) // 4)
    return sizes


CLASSES = classes_up_to(1 << 40)


def class_of(request):
    return CLASSES[bisect.bisect_left(CLASSES, request)]


def classes_between(low, high):
    return [size for size in CLASSES if low <= size <= high]


# --- the heap ---------------------------------------------------------------------------


class Stack:
    """The live and the freed objects of one stack: {size: objects}."""

    def __init__(self, leaf, middle, live, freed=None):
        self.leaf, self.middle = LEAVES + 0x40 * leaf, MIDDLES + 0x40 * middle
        self.holds = live, freed or {}

    def names(self):
        return TOTAL, f'app+{self.leaf:#x}', f'app+{self.middle:#x}'


def add(sums, more):
    for size, count in more.items():
        sums[size] = sums.get(size, 0) + count


def bytes_of(counts):
    return sum(size * count for size, count in counts.items())


def sums_of(metric, stacks):
    """{name: {size: objects}} of pairs of a stack and its (live, freed) objects."""
    found = {}
    for stack, (live, freed) in stacks:
        for name in stack.names():
            sums = found.setdefault(name, {})
            add(sums, live)
            if metric == 'alloc':
                add(sums, freed)
    return {name: sums for name, sums in found.items() if sums}


class Workload:
    """A workload: stacks, the mean interval R, and the form of its dumps: number of threads, with allocated numbers
    or without."""

    def __init__(self, period, stacks, threads=1, accum=False):
        self.period, self.stacks, self.threads, self.accum = period, stacks, threads, accum
        self.metrics = ('inuse', 'alloc') if accum else ('inuse',)
        self.truth = {metric: sums_of(metric, ((stack, stack.holds) for stack in stacks))
                      for metric in self.metrics}

    def is_pure(self):
        """No stack mixes sizes."""
        return all(len(set(live) | set(freed)) <= 1
                   for live, freed in (stack.holds for stack in self.stacks))

    @functools.cached_property
    def objects(self):
        """For each (LIVE or FREED, size): the stacks that have such objects, and the cumulative number of objects."""
        groups = {}
        for index, stack in enumerate(self.stacks):
            for kind, holds in enumerate(stack.holds):
                for size, count in holds.items():
                    groups.setdefault((kind, size), []).append((index, count))
        return {key: ([index for index, _ in group],
                      list(itertools.accumulate(count for _, count in group)))
                for key, group in groups.items()}

    def sample(self, rng):
        samples = Samples(self)
        for (kind, size), (indices, ends) in self.objects.items():
            for at in sampled(rng, ends[-1], size, self.period):
                samples.add(indices[bisect.bisect_right(ends, at)], kind, size, rng)
        return samples


def sampled(rng, count, size, period):
    """The indexes of the sampled ones among `count` objects."""
    log_miss = size * math.log1p(-1 / period)
    at = int(math.log(1 - rng.random()) / log_miss)
    while at < count:
        yield at
        at += 1 + int(math.log(1 - rng.random()) / log_miss)


class Samples:
    """The samples of one process of a workload: {size: objects} of each stack and thread, live and freed."""

    def __init__(self, workload):
        self.workload, self.stacks = workload, {}

    def add(self, index, kind, size, rng, count=1):
        threads = self.workload.threads
        thread = rng.randrange(threads) if threads > 1 else 0
        holds = self.stacks.setdefault(index, {}).setdefault(thread, ({}, {}))
        holds[kind][size] = holds[kind].get(size, 0) + count

    def sums(self, metric):
        """The sums of the samples, in the form of Workload.truth[metric]."""
        return sums_of(metric, ((self.workload.stacks[index], holds)
                                for index, threads in self.stacks.items()
                                for holds in threads.values()))


class Stream(Workload):
    """Bursts in the order of allocation, (stack, size, objects, is freed), sampled as the allocator does it: a random
    number of bytes is counted down, and drawn again after each sample."""

    def __init__(self, period, stacks, bursts):
        self.bursts = bursts
        for index, size, count, is_freed in bursts:
            add(stacks[index].holds[FREED if is_freed else LIVE], {size: count})
        super().__init__(period, stacks)

    def sample(self, rng):
        samples, log_miss = Samples(self), math.log1p(-1 / self.period)
        wait = 1 + int(math.log(1 - rng.random()) / log_miss)
        for index, size, count, is_freed in self.bursts:
            left = count
            while left * size >= wait:
                left -= -(-wait // size)
                samples.add(index, FREED if is_freed else LIVE, size, rng)
                wait = 1 + int(math.log(1 - rng.random()) / log_miss)
            wait -= left * size
        return samples


# --- dumps ------------------------------------------------------------------------------


def nearest(value):
    return math.floor(value + 0.5)


@functools.lru_cache(maxsize=None)
def weights_of(size, period):
    """The numbers that prof_unbias adds for an object: eighths of objects, and bytes, of its size class."""
    size = class_of(size)
    chance = -math.expm1(-size / period)
    return nearest(8 / chance), nearest(size / chance)


def pair_of(counts, period, rewritten):
    """Objects (or eighths of them) and bytes, added up, before they are written."""
    if not rewritten:
        return sum(counts.values()), bytes_of(counts)
    weights = [(count, weights_of(size, period)) for size, count in counts.items()]
    return (sum(count * eighths for count, (eighths, _) in weights),
            sum(count * weight for count, (_, weight) in weights))


def written(pair, period, rewritten):
    if not rewritten or 0 in pair:
        return pair
    objects, total = pair[0] / 8, float(pair[1])
    seen = -math.expm1(-(total / objects) / period)
    return nearest(objects * seen), nearest(total * seen)


def dump_text(workload, samples, rewritten, base=BASE):
    """A dump as jemalloc writes it with prof_unbias, or without it, of a program loaded at `base`."""
    def line(who, pairs):
        numbers = [number for pair in pairs
                   for number in written(pair, workload.period, rewritten)]
        return '  t{}: {}: {} [{}: {}]\n'.format(who, *numbers)

    def plus(pairs, more):
        return [(a + c, b + d) for (a, b), (c, d) in zip(pairs, more)]

    nothing = [(0, 0), (0, 0)]
    total, of_thread, body = nothing, {}, []
    for index in sorted(samples.stacks):
        of_stack, lines = nothing, []
        for thread, (live, freed) in sorted(samples.stacks[index].items()):
            pairs = [pair_of(live, workload.period, rewritten), (0, 0)]
            if workload.accum:
                pairs[1] = plus(pairs[:1], [pair_of(freed, workload.period, rewritten)])[0]
            elif not live:
                continue
            of_stack = plus(of_stack, pairs)
            of_thread[thread] = plus(of_thread.get(thread, nothing), pairs)
            lines.append(line(thread, pairs))
        if lines:
            stack = workload.stacks[index]
            frames = (base + at for at in (stack.leaf, stack.middle, ROOT))
            body += ['@ ', ' '.join(map(hex, frames)), '\n', line('*', of_stack), *lines]
            total = plus(total, of_stack)
    return ''.join([
        f'heap_v2/{workload.period}\n', line('*', total),
        *(line(thread, pairs) for thread, pairs in sorted(of_thread.items())), *body,
        '\nMAPPED_LIBRARIES:\n'
        f'{base:x}-{base + 0x5000000:x} r-xp 00000000 08:01 77 /none/app\n'
        '7fff5555500000-7fff5555521000 rw-p 00000000 00:00 0 [stack]\n'])


# --- workloads --------------------------------------------------------------------------

K, M = 1 << 10, 1 << 20


def of_sizes(period, holds, **options):
    """A leaf each, twenty to a caller."""
    return Workload(period, [Stack(i, i // 20, live) for i, live in enumerate(holds)], **options)


def in_bytes(size, total):
    """Objects of one size with about `total` bytes."""
    return {size: max(1, round(total / size))}


def spread(rng, sizes, count, total):
    """Objects of `count` random sizes, with equal shares of the bytes."""
    held = {}
    for _ in range(count):
        add(held, in_bytes(rng.choice(sizes), total / count))
    return held


def zipf():
    """200 stacks, the largest a sixth of all, of requests of any size that classes round up."""
    rng, period = random.Random(1), 64 * K
    holds = []
    for i in range(200):
        requests = [2 ** rng.uniform(math.log2(24), 18) for _ in range(6)]
        held = {}
        for request in requests:
            add(held, {class_of(int(request)): max(1, round(period * 10 / (i + 1) / request))})
        holds.append(held)
    return of_sizes(period, holds)


def huge_and_tiny():
    """One object of 256 MiB, and stacks of 16 bytes."""
    return of_sizes(512 * K, [{256 * M: 1}, *(in_bytes(16, 5 * M) for _ in range(8))])


def bimodal():
    """32 bytes and 2 MiB in each stack."""
    return of_sizes(512 * K, [{**in_bytes(32, (2 + i % 7) * 512 * K), 2 * M: 1 + i % 4}
                              for i in range(40)])


def churnmix():
    """Allocated memory has another mix of sizes than live memory: objects of 64 bytes are always freed."""
    stacks = [Stack(i, i // 20, {PAGE: 97 + 3 * i, **({M: i % 5} if i % 5 else {})},
                    {64: 20000 * (i + 1), **({M: 3 * (i % 7)} if i % 7 else {})})
              for i in range(40)]
    return Workload(128 * K, stacks, accum=True)


def around_r():
    """A class each from a quarter of R to four."""
    sizes = classes_between(K, 16 * K)
    return of_sizes(4 * K, [in_bytes(size, (3 + 2 * (i % 4)) * 4 * K)
                            for i, size in enumerate(sizes * 2)])


def r_1k():
    """Mixed small sizes, sampled every KiB."""
    rng = random.Random(2)
    return of_sizes(K, [spread(rng, classes_between(16, K), 4, (2 + i % 20) * K)
                        for i in range(30)])


def r_4m():
    """One size class in each stack, sampled every 4 MiB."""
    rng = random.Random(3)
    return of_sizes(4 * M, [in_bytes(rng.choice(classes_between(48, 16 * M)), (1 + i % 12) * 4 * M)
                            for i in range(25)])


def few():
    """2.6 samples in all."""
    period = 512 * K
    return of_sizes(period, [in_bytes(64, .8 * period), in_bytes(4 * K, .6 * period),
                             in_bytes(640, .7 * period), {48 * K: 5}, {16: 1000}])


def dust():
    """20,000 stacks of a twentieth of R: nearly all of them are never seen."""
    held = in_bytes(64, .05 * 512 * K)
    return Workload(512 * K, [Stack(i, i // 1000, held) for i in range(20000)])


def lognormal():
    """Requests of log-normal sizes, on four threads."""
    rng, period = random.Random(4), 64 * K
    holds = []
    for _ in range(60):
        held, total = {}, period * rng.lognormvariate(1.2, 1)
        for _ in range(8):
            request = min(4 * M, max(1, rng.lognormvariate(math.log(300), 2)))
            add(held, in_bytes(class_of(int(request)), total / 8))
        holds.append(held)
    return of_sizes(period, holds, threads=4)


def large():
    """One to five objects of 2.5 R to 8 R."""
    sizes, period = classes_between(5 * 32 * K, 8 * 64 * K), 64 * K
    return of_sizes(period, [{sizes[i % len(sizes)]: 1 + i % 5} for i in range(40)])


def small_and_2r():
    """16 bytes, and a few of 2 R."""
    return of_sizes(64 * K, [{16: 2000 + 400 * (i % 20), 128 * K: 1 + i % 4} for i in range(30)])


def tiny():
    """8 bytes."""
    return of_sizes(512 * K, [in_bytes(8, (1 + 2 * i) * 512 * K) for i in range(15)])


def mix_near_r():
    """100 stacks of the same six objects of half of R to three times R."""
    half = 32 * K
    return of_sizes(2 * half, [{half: 2, 2 * half: 1, 3 * half: 1, 4 * half: 1, 6 * half: 1}
                               for _ in range(100)])


def any_near_r():
    """100 stacks of six objects of any classes there."""
    rng, period = random.Random(5), 64 * K
    sizes, holds = classes_between(period // 2, 3 * period), []
    for _ in range(100):
        held = {}
        for _ in range(6):
            add(held, {rng.choice(sizes): 1})
        holds.append(held)
    return of_sizes(period, holds)


def pareto():
    """Each stack has any classes, the larger the rarer."""
    rng, period = random.Random(6), 64 * K
    holds = []
    for _ in range(50):
        held = {}
        for _ in range(30):
            request = 16 * rng.paretovariate(.6)
            add(held, {class_of(int(min(request, 4 * M))): max(1, round(period / 2 / request))})
        holds.append(held)
    return of_sizes(period, holds)


def bursty():
    """Runs of allocations alike, half of them freed."""
    rng, bursts = random.Random(7), []
    sizes = [rng.sample(classes_between(16, 192 * K), 3) for _ in range(12)]
    for _ in range(400):
        index = rng.randrange(12)
        size = rng.choice(sizes[index])
        bursts.append((index, size, max(1, round(rng.expovariate(1) * 32 * K / size)),
                       rng.random() < .5))
    return Stream(64 * K, [Stack(i, i // 6, {}) for i in range(12)], bursts)


def pure():
    """One size class in each stack, of any size up to 2 R."""
    rng = random.Random(8)
    return of_sizes(512 * K, [in_bytes(rng.choice(classes_between(16, M)),
                                       512 * K * rng.lognormvariate(1.5, .8)) for _ in range(40)])


def leaves(classes_of_stack):
    """40 leaves, called from three places each, of sizes from 16 bytes to 8 R."""
    rng, period, stacks = random.Random(9), 64 * K, []
    for leaf in range(40):
        own = rng.sample(classes_between(16, 8 * period), 2)
        for middle in range(3):
            held = {}
            for size in classes_of_stack(rng, own):
                add(held, {size: max(1, round(rng.uniform(.5, 2) * period / size))})
            stacks.append(Stack(leaf, middle, held))
    return Workload(period, stacks)


def own_two():
    """Each leaf has two classes of its own."""
    return leaves(lambda rng, own: own)


def changing():
    """Leaves whose size classes depend on the caller."""
    return leaves(lambda rng, own: rng.sample(classes_between(16, 512 * K), 2))


def pages():
    """Above 32 KiB every multiple of a page is a size, while what prof_unbias adds goes by
    class: 33 KiB to four times R, two sizes in every third stack."""
    rng, period, holds = random.Random(10), 128 * K, []
    for i in range(60):
        held = {}
        for _ in range(1 + (i % 3 == 0)):
            size = PAGE * rng.randint(9, 4 * period // PAGE)
            add(held, {size: 1 + rng.randrange(max(1, 4 * period // size))})
        holds.append(held)
    return of_sizes(period, holds)


WORKLOADS = {
    'zipf': zipf, 'huge+tiny': huge_and_tiny, 'bimodal': bimodal, 'churnmix': churnmix,
    'aroundR': around_r, 'R1K': r_1k, 'R4M': r_4m, 'few': few, 'dust': dust,
    'lognormal': lognormal, 'large': large, '16B+2R': small_and_2r, 'tiny': tiny,
    'mixnearR': mix_near_r, 'pareto': pareto, 'bursty': bursty, 'pure': pure}
LEAVES_OF_TWO = {'own2': own_two, 'changing': changing}
ALL = {**WORKLOADS, 'anynearR': any_near_r, **LEAVES_OF_TWO, 'pages': pages}

"""Generates programs in C++, with templates, lambdas and virtual functions that compilers inline, and rebuilds of them; and
compares a base that was kept as a partial with names with the dumps that it was made of."""
import random

import generated
from generated import Comparison, Names, bare

FUNCTIONS = 40
FILES = 4
SIZES = 9  # number of objects that are kept

HEAD = '''
extern long (*const volatile table[])(unsigned long, long);
extern volatile long sink;
template <int N> struct Chunk { char bytes[N]; Chunk *next; };
template <int N> __attribute__((noinline)) long keep(long sum) {
    static Chunk<N> *all;
    Chunk<N> *made = new Chunk<N>;
    made->next = all;
    all = made;
    return sum ^ N;
}
template <class F> long twice(F f, unsigned long n, long sum) { return f(n >> 1, f(n, sum) + 1); }
struct Shape {
    virtual long area(unsigned long, long) = 0;
};
template <int I, int SIZE> struct Square : Shape {
    long area(unsigned long n, long sum) override { return keep<SIZE>(table[I](n, sum)) + I; }
};
template <class T> struct Box {
    T shape;
    Shape *get() { return &shape; }
};
'''
BODY = '''
long step_%(i)d(unsigned long n, long sum) {
%(edit)s    sum = (sum ^ %(constant)d) * %(odd)d; sink = sum;
    n = n * 6364136223846793005u + %(odd)d;
    switch (n >> 62) {
    case 0: sum += step_%(a)d(n, sum) * 3; break;
    case 1: { Box<Square<%(b)d, %(size)d>> box; Shape *volatile shape = box.get(); sum ^= shape->area(n, sum); break; }
    case 2: return twice([=](unsigned long m, long s) { return s + step_%(c)d(m, s) * %(odd)d; }, n, sum);
    }
    return sum + %(odd)d;
}
'''
MAIN = '''
#include <stdlib.h>
long (*const volatile table[])(unsigned long, long) = {%(names)s};
volatile long sink;
long step_%(last)d(unsigned long n, long sum) { return keep<64>(sum) + (long)(n >> 60); }
int main(int, char **argv) {
    unsigned long n = strtoul(argv[1], nullptr, 10) * 2654435761u + 12345;
    long sum = 0;
    for (int round = atoi(argv[2]) * 3; round > 0; round--) {
        n = n * 6364136223846793005u + 1442695040888963407u;
        sum += table[(n >> 32) %% %(last)d](n, sum);
    }
    return sum == 42;
}
'''

EDITS = {  # the text that an edit adds to a function
    'statement': '    sum -= sum %% %(odd)d;\n    sink = sum + %(constant)d;\n',
    'template': '    sum = twice([](unsigned long m, long s) { sink = s; return (long)(m % 7) ^ s; }, n, sum);\n',
    'inline function': '    struct Local { static long of(unsigned long m) { return (long)(m * 31) ^ sink; } };\n    sum += Local::of(n) * 3;\n',
    'allocation': '    sum = keep<32768>(sum);\n',
}
BUILDS = [('g++', '-O2'), ('clang++', '-O2'), ('g++', '-O2', '-flto=auto'), ('clang++', '-O1'), ('g++', '-O3')]


class Source:
    """The source of one program."""

    options = '-w'

    def __init__(self, seed):
        chance = self.chance = random.Random(f'C++ {seed}')
        self.rows = [{'i': i, 'constant': chance.randrange(1 << 20), 'odd': chance.randrange(1 << 10) * 2 + 3,
                      'size': 1 << chance.randrange(5, 5 + SIZES), 'edit': '',
                      **{name: min(i + 1 + chance.randrange(6), FUNCTIONS) for name in 'abc'}} for i in range(FUNCTIONS)]

    def edited(self, kind):
        row = self.rows[random.Random(kind).randrange(3, FUNCTIONS // 2)]
        row['edit'] = EDITS[kind] % row if kind == 'statement' else EDITS[kind]
        return self

    def files(self):
        names = [f'step_{i}' for i in range(FUNCTIONS + 1)]
        head = HEAD + ''.join(f'long {name}(unsigned long, long);\n' for name in names)
        texts = {'main': head + MAIN % {'names': ', '.join(names), 'last': FUNCTIONS}}
        for k in range(FILES):
            texts[f'part{k}'] = head + ''.join(BODY % row for row in self.rows[k::FILES])
        return texts


def made(folder, seed, sampler):
    """A program and its rebuilds, by one of the compilers."""
    compiler, *flags = BUILDS[seed % len(BUILDS)]
    (folder / 'objects').mkdir(parents=True, exist_ok=True)
    builder = generated.Builder(folder / 'objects', compiler, [*flags, *['-g'] * (seed % 2)])
    return generated.Program(folder, seed, sampler, builder, EDITS, 3 + seed % 4, Source)



def wrong_names(tool, program, kind, inputs, options, of):
    """(bytes of frames, named, named falsely, the false names): names are those of nm on the program of `of`."""
    out = program.folder / f'names {kind} {of}.pb.gz'
    tool.ok('merge', '-q', '--by=input', '-o', out, *options, *inputs)
    return Names(out.read_bytes(), are_mangled=True).count(lambda _: program.functions[of])


def compare_kept(tool, program, kind):
    """(false names, whether the same functions are significant, sums): the base as a partial with names and the file of
    the new build, compared with dumps and both files."""
    base, new = program.dumps['base'], program.dumps[kind]
    kept = program.folder / f'kept {kind}.hpa'
    tool.ok('merge', '-q', '--with-names', '-o', kept, *program.files('base'), *base)
    one, both = (Comparison(tool, program.files(*files), inputs, new) for files, inputs in (((kind,), [kept]), (('base', kind), base)))
    sides = [wrong_names(tool, program, kind, inputs, program.files(kind), of) for inputs, of in (([kept], 'base'), (new, kind))]
    sums = [sum(row[i] for row in sides) for i in range(3)]
    return set().union(*(row[3] for row in sides)), one.marked == both.marked and one.status == both.status, sums, both

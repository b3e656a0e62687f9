#!/usr/bin/env python3
"""hprof-sim evaluate and gaps: checks their output, which depends on the seed only.

usage: test_evaluate.py HPROF_SIM
"""
import json

from simulator import Tests

t = Tests()


def table_fits_a_screen_and_tells_all():
    out = t.run('evaluate', '--workload=victim', '--streams=100').stdout
    lines = out.splitlines()
    for line in lines:
        if len(line) > 100:
            yield f'{len(line)} columns: {line}'
    rows = {line.split()[0]: line for line in lines if line.startswith('  ')}
    if len(rows) != 16:
        yield f'{len(rows)} rows, not 15 and their head'
    if not rows['every'].endswith(' !') or rows['geometric'].endswith('!'):
        yield 'the mark is not where it should be'
    if '-100.00' not in rows['every'] or ' V ' not in rows['every']:
        yield f'V is not what suffers most: {rows["every"]}'
    if 'without bias by theory, but flagged: none' not in lines:
        yield 'the closing line is not there'


def json_has_what_the_table_has():
    args = ('evaluate', '--workload=mix', '--method=geometric', '--streams=200')
    row, = json.loads(t.run(*args, '--json').stdout)['rows']
    line = next(line for line in t.run(*args).stdout.splitlines() if 'geometric' in line)
    total = row['total']['bytes']
    for value in (total['bias'], total['bias_se'], total['rmse'], total['theory']):
        if f'{value:.2f}' not in line:
            yield f'{value} is not in {line}'
    if [stack['name'] for stack in row['stacks']] != ['of_16', 'of_512', 'of_16K', 'of_64K']:
        yield f'stacks are {row["stacks"]}'
    if total['truth'] != sum(stack['bytes']['truth'] for stack in row['stacks']):
        yield 'the stacks do not add up'


def what_is_dead_is_no_stack():
    row, = json.loads(t.run('evaluate', '--workload=churn', '--method=geometric', '--json',
                            '--streams=200').stdout)['rows']
    if [stack['name'] for stack in row['stacks']] != ['of_64', 'of_8K']:
        yield f'stacks are {row["stacks"]}'


def rows_depend_on_the_seed_only():
    args = ('evaluate', '--workload=tiny', '--streams=50', '--json')
    all_rows = json.loads(t.run(*args).stdout)['rows']
    if all_rows != json.loads(t.run(*args).stdout)['rows']:
        yield 'twice the same is not the same'
    alone, = json.loads(t.run(*args, '--method=uniform-max').stdout)['rows']
    if alone not in all_rows:
        yield 'a row alone is another'
    other, = json.loads(t.run(*args, '--method=uniform-max', '--seed=2').stdout)['rows']
    if alone['total'] == other['total']:
        yield 'another seed gives the same'


def bias_against_theory_is_a_failure():
    # In four streams, the one large object has the same sampled bytes each time by chance.
    args = ('evaluate', '--workload=two-stack', '--method=every-random', '--streams=4')
    for more in ((), ('--json',)):
        done = t.run(*args, *more, status=1)
        if 'without bias by theory, but flagged: every-random' not in done.stdout + done.stderr:
            yield f'it is not told with {more}'


def two_stacks_are_those_of_the_design():
    out = t.run('evaluate', '--samples=8,1').stdout
    rows = [line.split()[-4:] for line in out.splitlines()[1:]]
    wanted = [['8.000e+06', '8.389e+06', '1.000e+06', '1.000'],
              ['64.00', '8.389e+06', '8.000', '1.000'],
              ['8.389e+06', '8.391e+06', '1.049e+06', '1.000'],
              ['1.049e+06', '8.391e+06', '1.311e+05', '1.000'],
              ['108.7', '1.424e+07', '13.58', '1.698']]
    if rows != wanted:
        yield f'{rows}'
    many = t.run('evaluate', '--machines=100', '--samples=8,1').stdout
    if '8.389e+08' not in many or '108.7' in many:
        yield f'100 machines make {many}'
    if t.run('evaluate', '--machines=1000').stdout == t.run('evaluate', '--machines=1000',
                                                            '--seed=2').stdout:
        yield 'machines do not differ'


def mistakes_are_told():
    for args, told in ((('--workload=?',), 'periodic'), (('--method=?',), 'nursery'),
                       (('--streams=0',), 'no streams'), (('operand',), 'operands'),
                       (('--samples=8',), '8,1'), (('--samples=8,1,',), '8,1')):
        done = t.run('evaluate', *args, status=2)
        if told not in done.stderr or done.stdout:
            yield f'{args}: {done.stderr}'
    for args in (('--period=1',), ('--count=10',), ('--distribution=normal',), ('operand',)):
        t.run('gaps', *args, status=2)


def gaps_are_good():
    for distribution in ('geometric', 'exponential', 'uniform'):
        for period in ('2', '100', '512k'):
            done = t.run('gaps', f'--distribution={distribution}', f'--period={period}',
                         '--count=100000')
            if done.stdout.count(': good\n') != 2:
                yield done.stdout
    out = t.run('gaps', '--count=100000').stdout
    if 'good is 16.92 to 155.07' not in out:
        yield out


t.check('the table fits a screen and is complete', table_fits_a_screen_and_tells_all)
t.check('JSON has the numbers of the table', json_has_what_the_table_has)
t.check('freed stacks are not evaluated', what_is_dead_is_no_stack)
t.check('rows depend on the seed only', rows_depend_on_the_seed_only)
t.check('a bias that theory excludes is a failure', bias_against_theory_is_a_failure)
t.check('the example of two stacks has the documented figures', two_stacks_are_those_of_the_design)
t.check('usage errors are reported', mistakes_are_told)
t.check('gaps pass the test of goodness of fit', gaps_are_good)
t.done()

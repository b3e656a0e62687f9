#!/usr/bin/env python3
"""Check that the statistical tests would notice a fault.  Each mutant is a copy of the sources with one fault; it is
built, and the tests named for it have to fail, while without a fault all pass.

usage: mutants.py SOURCE_ROOT [LIBRARY] [--sample]

With LIBRARY, an archive, mutants of the whole program are tested as well, which a case of tests/cli has to notice;
unchanged objects are taken from the archive.  With --sample every sixth mutant.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CC = shlex.split(os.environ.get('CC') or 'cc')
FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-ffp-contract=off', '-w', '-DHP_VERSION=""', '-DHP_WITH_JANSSON']
PROGRAM_LIBRARIES = ['-ldw', '-lelf', '-llzma', '-lz', '-ldeflate', '-lzstd', '-lxxhash', '-lpcre2-8', '-ljansson', '-liberty',
                     '-lseccomp', '-lm', '-pthread', '-fno-lto']  # use only the machine code of an archive with both
LIBRARIES = ['-lcriterion', '-lz', '-lzstd', '-lxxhash', '-lpcre2-8', '-ljansson', '-lm']
LAYERS = ('base', 'inputs', 'model', 'input', 'partial', 'calc', 'stats', 'view')
SAMPLER = ('core/gap', 'core/heapfile', 'core/ledger', 'core/pool', 'core/random', 'core/textfile',
           'sim/binomial', 'sim/goodness', 'sim/horvitz', 'sim/resize', 'sim/sampling', 'sim/stream')
TESTS = ('gaps', 'estimates', 'dumps', 'totals', 'trend', 'onset', 'holders', 'lifetimes', 'intervals')
UNIT_TESTS = ('lifetime', 'survival')
HELPERS = ('series', 'trend_rows', 'lines')
GENERATOR = ('completions', 'generator', 'manual', 'reference')  # in src/cli, of another program

GAP = 'floor(log(hps_random_unit(random)) / rate) + 1'
TAKES = 'hps_sampler_redraw(sampler);\n    return true;'
BYTES, OBJECTS = 'sum.bytes += (double)sizes[i] / p;', 'sum.objects += 1 / p;'
MEAN = ('double q = n ? hps_inclusion((uint64_t)(sum.bytes / sum.objects), period) : 1;\n'
        'sum.bytes /= q;\nsum.objects /= q;\nreturn sum;')
ONE_SIZE = 'hp_unbiased_of((double)n / p, (double)n * (double)size / p);'

GAPS = 'gaps/follow*'
CHANCE = 'decisions/sample*'
MEANS = 'estimates/of*'
EXACT = 'calc/finds*'
SIZES = 'dumps/of_equal*'
KNOWN_LIVES = 'survival/covers_known*'

AT_RISK = 'adder->at_risk += life->weight;'
LEAVES = 'adder->at_risk -= life->weight;'

# (the fault, file, below src/ unless it is the sampler's, [(text, replacement)], [(test program, tests to fail)])
MUTANTS = (
    ('gaps without the one that is added', 'sampler/core/gap.c', [(GAP, GAP[:-4])],
     [('gaps', GAPS), ('gaps', CHANCE), ('estimates', MEANS)]),
    ('gaps of one too many', 'sampler/core/gap.c', [(GAP, GAP[:-1] + '2')],
     [('gaps', GAPS), ('gaps', CHANCE), ('estimates', MEANS)]),
    ('the sampled byte left out: size > wait', 'sampler/core/countdown.h',
     [('countdown->left <= 0', 'countdown->left < 0')],
     [('gaps', CHANCE), ('estimates', MEANS)]),
    ('gaps rounded to the nearest', 'sampler/core/gap.c',
     [(GAP, 'round(-log(hps_random_unit(random)) * (double)period)')],
     [('gaps', GAPS), ('gaps', CHANCE)]),
    ('the gap not drawn anew', 'sampler/core/sampler.h', [(TAKES, 'return true;')],
     [('gaps', CHANCE), ('estimates', MEANS)]),
    ('the rest of a sampled object counted', 'sampler/core/sampler.h',
     [(TAKES, 'int64_t rest = sampler->countdown.left;\n    hps_sampler_redraw(sampler);\n'
              '    sampler->countdown.left += rest;\n    return true;')],
     [('gaps', CHANCE), ('estimates', MEANS)]),
    ('gaps drawn uniformly', 'sampler/core/gap.c',
     [(f'whole({GAP})', 'hps_random_below(random, 2 * period) + 1')],
     [('gaps', GAPS), ('gaps', CHANCE)]),
    ('a period of twice the length', 'sampler/core/gap.c',
     [('log1p(-1 / (double)period)', 'log1p(-0.5 / (double)period)')],
     [('gaps', GAPS), ('gaps', CHANCE)]),
    ('unbiasing after summing', 'sampler/sim/horvitz.c',
     [(BYTES, 'sum.bytes += (double)sizes[i];'), (OBJECTS, 'sum.objects += 1;'),
      ('return sum;', MEAN)], [('estimates', MEANS)]),
    ('no unbiasing', 'sampler/sim/horvitz.c',
     [(BYTES, 'sum.bytes += (double)sizes[i];'), (OBJECTS, 'sum.objects += 1;')],
     [('estimates', MEANS)]),
    ('a chance of size / period', 'sampler/sim/horvitz.c',
     [('return -expm1((double)size * log1p(-1 / (double)period));',
       'return size < period ? (double)size / (double)period : 1;')],
     [('estimates', MEANS)]),
    ('random numbers from the low bits of an LCG', 'sampler/core/random.c',
     [('return (double)((hps_random_next(random) >> 11) + 1) * 0x1p-53;',
       'random->state[0] = random->state[0] * 6364136223846793005u + 1442695040888963407u;\n'
       'return (double)((random->state[0] & 0xffff) + 1) * 0x1p-16;')],
     [('gaps', GAPS)]),
    # The tool, and the writer that it is judged by.
    ('calc: no unbiasing', 'calc/unbias.c',
     [(ONE_SIZE, 'hp_unbiased_of((double)n, (double)n * (double)size);')],
     [('dumps', EXACT), ('dumps', 'calc/estimates*'), ('dumps', SIZES)]),
    ('calc: a chance of size / period', 'calc/unbias.c',
     [('double p = hp_one_minus_exp((double)size * unbias->byte_rate);',
       'double p = size < unbias->period ? (double)size / (double)unbias->period : 1;')],
     [('dumps', EXACT), ('dumps', SIZES)]),
    ('calc: sizes not found back', 'calc/unbias.c',
     [('return hp_recover_size(&unbias->classes, count, n, size);', 'return false;')],
     [('dumps', EXACT), ('dumps', SIZES)]),
    ('calc: threads left out', 'calc/unbias.c',
     [('        struct hp_unbiased e = hp_unbias_line(unbias, line, stack);\n        add(&sum, &e);',
       '        struct hp_unbiased e = hp_unbias_line(unbias, line, stack);\n'
       '        if (i > 0) add(&sum, &e);')],
     [('dumps', 'dumps/with_raw*')]),
    ('calc: ten times what rounding can do', 'calc/header_check.c',
     [('> balance->allowed[i] + balance->largest[i]',
       '> 10 * (balance->allowed[i] + balance->largest[i])')],
     [('totals', 'totals/farther*'), ('totals', 'totals/of_another*')]),
    ('calc: no more than half a percent', 'calc/header_check.c',
     [('> balance->allowed[i] + balance->largest[i]', '> 0.005')],
     [('totals', 'totals/of_rewritten*')]),
    ('calc: half the rounding of a header', 'calc/header_check.c',
     [('invert(objects + 0.5, bytes + 0.5, period).bytes;', 'invert(objects + 0.25, bytes + 0.5, period).bytes;')],
     [('totals', 'headers/hold*')]),
    ('calc: the range of the stacks forgotten', 'calc/header_check.c',
     [('if (range.low > range.high) {', 'if (true) {')],
     [('totals', 'headers/leave*'), ('totals', 'headers/are_no_reason*')]),
    ('writer: weights rounded down', 'sampler/core/ledger.c',
     [('(uint64_t)round(8 / p)', '(uint64_t)(8 / p)')], [('dumps', SIZES)]),
    ('writer: numbers not rewritten', 'sampler/core/heapfile.c',
     [('bytes * (1 - exp(-mean / (double)period))', 'bytes')],
     [('dumps', 'dumps/rewritten*'), ('dumps', EXACT)]),
    # The uncertainty of sampling for objects of known sizes.
    ('calc: the largest variance in place of their own', 'calc/uncertainty.c',
     [('variance = (double)n * hp_variance_of_object(s, p);',
       'r = (double)period, variance = (double)n / p * r * r * envelope(s / r);')],
     [('intervals', 'intervals/hold_the_bytes_of_a_stack*')]),
    ('measure: nothing of an upper end is certain', 'stats/measure.c',
     [('return fmax(fmin(m.observed, highest_of(m)), 0);', 'return 0 * m.observed;')],
     [('intervals', 'intervals/hold_the_bytes_of_equal*')]),
    ('the smallest period of several', 'base/error.h',
     [('sum->period = sum->period > e->period ? sum->period : e->period;',
       'sum->period = sum->period > 0 && sum->period < e->period ? sum->period : e->period;')],
     [('intervals', 'intervals/of_several*')]),
    # Growth of a series.
    ('trend: residuals taken as independent', 'stats/whitening.c',
     [('rho > 0 ? pow(rho, distance) : 0', '0')], [('trend', 'trend/line*')]),
    ('trend: parts left out', 'stats/trend.c', [('less_sure(line, parts)', 'line')],
     [('trend', 'trend/of_30*'), ('trend', 'trend/of_100*')]),
    ('trend: rows by their lower ends', 'view/trends.c',
     [('hp_fixed change_a = size_of_change(a), change_b = size_of_change(b);',
       'double change_a = a->rise.least, change_b = b->rise.least;')],
     [('trend', 'trend/rows_are*')]),
    ('trend: shapes marked', 'view/trends.c',
     [('grows && row->slope > 0', 'row->slope > 0')], [('trend', 'trend/rows_that*')]),
    ('trend: half a wave taken for a line', 'stats/trend.c',
     [('return best[LINE] >= best[WAVE];', 'return true;')], [('trend', 'trend/shape_of_a_leak*')]),
    # Survival between dumps.
    ('lifetime: all that is live counted as new', 'stats/lifetime.c',
     [('fmax(0, last - first - allocated', 'fmax(0, last - allocated')],
     [('lifetimes', 'lifetime_coverage/of_ends*'), ('lifetime', 'lifetime/knows*')]),
    ('lifetime: what is live beyond the first counted as all', 'stats/lifetime.c',
     [('sums->most += fmin(last +', 'sums->most += fmin(fmax(0, last - first) +')],
     [('lifetimes', 'lifetime_coverage/of_ends*'), ('lifetime', 'lifetime/knows*')]),
    ('lifetime: estimates in the place of ends', 'stats/lifetime.c',
     [('hp_beta_quantile(confidence, most * n + 1, n - most * n)', 'most')],
     [('lifetimes', 'lifetime_coverage/of_ends*')]),
    ('lifetime: the error of one dump for that of all', 'stats/lifetime.c',
     [('double error = sqrt(squares / (m - 1) / independent) / mean;', 'double error = 0;'),
      ('double relative = course->live_error / mean;', 'double relative = course->live_error / mean / 10;')],
     [('lifetimes', 'lifetime_coverage/of_ends*')]),
    # Lifetimes from prof_recent.
    ('survival: of what was freed only', 'stats/survival.c',
     [(AT_RISK, 'adder->at_risk += life->is_over ? life->weight : 0;'), (LEAVES, '')],
     [('survival', 'survival/is_the*'), ('survival', KNOWN_LIVES)]),
    ('survival: live ones enter at their age', 'stats/survival.c',
     [(AT_RISK, 'adder->at_risk += life->is_over ? life->weight : 0;'), (LEAVES, 'adder->at_risk += life->weight;')],
     [('survival', 'survival/is_the*'), ('survival', KNOWN_LIVES)]),
    # Since when a value grows.
    ('onset: a rise to where values were before', 'stats/onset.c',
     [('        !ends_above_all(row->given, times->count, count)) {', '        false) {')],
     [('trend', 'trend/a_rise_to_where_values_were_before*')]),
    ('onset: the choice of dumps not paid for', 'stats/onset.c',
     [('static const double choice_factor = 3; ', 'static const double choice_factor = 1; ')], [('trend', 'trend/the_choice_of_the_last_dumps*')]),
    ('onset: no waves', 'stats/onset.c',
     [('at += 2 * count, product += 2) {', 'at += 2 * count, product += 2) {\n        continue;')],
     [('trend', 'trend/of_30_dumps_that_do_not_grow*')]),
    ('onset: no warm-ups', 'stats/onset.c',
     [('(is_whole || first > 0) && k < PACES; k++', 'k < 0; k++')], [('trend', 'trend/a_warm_up_that_begins_late*')]),
    ('onset: a region as of a chi-squared', 'stats/onset.c',
     [('static const double near_onset = 12;', 'static const double near_onset = 3.84;')],
     [('trend', 'trend/a_leak_that_begins_in_mid_series*')]),
    ('onset: what was before it tells no noise', 'stats/onset.c',
     [('rise_of_hinge(row->times, row->fits, first));',
       'hp_trend_of_line(hp_trend_times_new(row->times->times + first, row->times->count - first,\n'
       '                                    1 - row->times->alpha / choice_factor), row->values + first));')], [('trend', 'trend/noise_before*')]),
    ('onset: bounds as if nothing was chosen', 'stats/onset.c',
     [('hp_student_quantile_above(made->alpha / choice_factor, (double)span->parts - 1)',
       'hp_student_quantile_above(made->alpha, (double)span->parts - 1)'),
      ('hp_normal_quantile_above(made->alpha / choice_factor)', 'hp_normal_quantile_above(made->alpha)'),
      ('hp_student_quantile_above(made->alpha / choice_factor, (double)count - 2)',
       'hp_student_quantile_above(made->alpha, (double)count - 2)')], [('onset', 'onset/leaks_are*')]),
    ('trend: the whole in as many parts as a suffix', 'stats/trend.c',
     [('return hp_rise_of_parts(times->times, values, times->count, PARTS, times->parts_end);',
       'size_t parts = times->count / 4 < 4 ? 4 : times->count / 4 > 8 ? 8 : times->count / 4;\n'
       '    return hp_rise_of_parts(times->times, values, times->count, parts, times->parts_end);')],
     [('trend', 'trend/a_warm_up_is_no*'), ('onset', 'onset/cycles*')]),
    # Holders of a row.
    ('holders: rows tested one by one', 'view/holders.c',
     [('candidates.at[found].least <= alpha / (double)(candidates.count - found)', 'candidates.at[found].least <= alpha')],
     [('holders', 'holders/nobody*')]),
    ('holders: loads not taken off', 'view/holders.c',
     [('double y[WAYS] = {alone - log(fmax(load - samples, half_sample)), alone};', 'double y[WAYS] = {alone, alone};'),
      ('return log(half_sample) - log(fmax(load, half_sample));', 'return log(half_sample);')],
     [('holders', 'holders/loads_that*')]),
    ('holders: each share holds alone', 'view/holders.c',
     [('judge_holding(holders, finder, i, alpha / (double)tested);', 'judge_holding(holders, finder, i, alpha);')],
     [('holders', 'holders/the_share*')]),
)

MOVER = """
    struct hp_interval b = hp_interval_of(before, confidence);
    struct hp_interval a = hp_interval_of(after, confidence);
    double growth = after.estimate - before.estimate;
    return (struct hp_interval){
        growth - hypot(after.estimate - a.low, b.high - before.estimate),
        growth + hypot(a.high - after.estimate, before.estimate - b.low),
    };
"""
TAIL = 'double tail = (1 - confidence) / 2;'
MARKED = 'if (a->is_significant != b->is_significant) {\n        return a->is_significant ? -1 : 1;'
LOWER = ('double low_a = hp_change_range(a, 0.95).low, low_b = hp_change_range(b, 0.95).low;\n'
         'if (low_a != low_b) {\n        return low_a > low_b ? -1 : 1;')

# (the fault, file, [(text, replacement)], the case of tests/cli that fails)
KNOWN = 'sizes_are_known_if_no_others_print_the_same_numbers'
BOUNDS = 'bounds_of_several_readings_contain_all_of_them'
PARTS = 'dumps_read_in_parts_give_the_result_of_all_together'
COUNTED = 'dumps_are_listed_individually_depending_on_their_total_number'
BLOCKS = 'blocks_of_an_aggregate_file_end_at_256_KiB'
BOOKS = 'account_adds_up_to_the_byte_in_both_versions'

GO = 'exactly_the_objects_that_Go_sampled_are_certain'

PROGRAM_MUTANTS = (
    ('the label of sizes ignored', 'calc/unbias.c',
     [('hp_dump_extra(dump, (size_t)(stack - dump->stacks.at)).object_size;',
       '0 * hp_dump_extra(dump, (size_t)(stack - dump->stacks.at)).object_size;')], GO),
    ('the label believed of tcmalloc', 'calc/unbias.c',
     [('return is_near(n * (double)size / p, bytes) && is_near(n / p, objects) ? (uint64_t)n',
       'return is_near(n, (uint64_t)n) ? (uint64_t)n')], 'the_label_of_other_writers_makes_one_object_certain'),
    ('metadata added whole', 'stats/books.c',
     [('hp_int128 rest = (hp_int128)stats->resident - stats->active - stats->base -',
       'hp_int128 rest = (hp_int128)stats->resident - stats->active - stats->metadata -')], BOOKS),
    ('large objects without a page beside each', 'stats/books.c',
     [('uint64_t pad = stats->cache_oblivious ? stats->page : 0;', 'uint64_t pad = 0;')], BOOKS),
    ('extents that samples left in caches not counted', 'stats/books.c',
     [('books->extents += extent->count;',
       'books->extents += extent->count - (extent->size == 16384 ? 3 : 0);')], BOOKS),
    ('pages of samples that are freed not counted', 'stats/books.c',
     [('count += bin->nmalloc - others;', 'count += bin->nmalloc - others - 1;'),
      ('(hp_int128)(bin->nmalloc - others) * (bin->size + pad);',
       '(hp_int128)(bin->nmalloc - others - 1) * (bin->size + pad);')], BOOKS),
    ('a holder by its share alone', 'view/account_waste.c',
     [('kept <= (1 - almost_all) * (double)class->nonfull &&', 'kept >= 0 &&')],
     'waste_blames_no_stack_if_another_may_keep_the_slabs'),
    ('p one-sided, called two-sided', 'stats/measure.c',
     [('return fmin(2 * fmin(growth_p, shrinkage_p), 1);', 'return fmin(growth_p, shrinkage_p);')],
     'p_is_two_sided_and_says_so'),
    ('the interval of MOVER', 'stats/measure.c', [(TAIL, MOVER + TAIL)],
     'an_interval_excludes_0_exactly_if_p_is_below_the_level'),
    ('ordered by the lower end', 'view/report_diff.c', [(MARKED, LOWER)],
     'marked_rows_come_first_and_then_the_largest_changes'),
    ('decoded sizes off by one class', 'calc/decoded.c',
     [('uint64_t size = hp_class_size(i);', 'uint64_t size = hp_class_size(i + (i < 200));')], KNOWN),
    ('of several readings the mean for the bounds', 'calc/decoded.c',
     [('double excess = bytes - all->least_bytes, hidden = all->most_bytes - bytes;',
       'double excess = 0, hidden = 0; (void)all; (void)bytes;')], BOUNDS),
    ('one object less tried', 'calc/decoded.c',
     [('for (unsigned n = 2; n <= s->line.objects; n++)',
       'for (unsigned n = 2; n < s->line.objects; n++)')], KNOWN),
    ('raw sizes of more than 32 KiB are classes', 'calc/unbias_init.c',
     [('are_classes ? UINT64_MAX : HP_LARGE_FROM', 'are_classes ? UINT64_MAX : UINT64_MAX')],
     'raw_sizes_above_32_KiB_need_not_be_size_classes'),
    ('a prior of all dumps', 'calc/unbias_init.c',
     [('    hp_prior_clear(&unbias->prior);\n    unbias->has_prior = false;',
       '    unbias->has_prior = false;')], 'the_reading_of_a_dump_is_independent_of_earlier_dumps'),
    # Independence of a partial from the way its dumps are merged.
    ('a prior of the dump before', 'calc/unbias_init.c',
     [('    hp_prior_clear(&unbias->prior);\n    unbias->has_prior = false;',
       '    unbias->has_prior = false;')], PARTS),
    ('a hash over ids', 'inputs/processes.c',
     [('{properties->map.of[0], properties->map.of[1], properties->pid};',
       '{properties->map.of[0], properties->map.of[1], properties->pid, properties->program};')], PARTS),
    ('history that parts had is kept', 'partial/partial_dumps.c',
     [('groups == 0 && w->dumps.count <= HP_PARTIAL_HISTORY &&',
       'groups == 0 && (w->profile->inputs.records.at[0].source > 0 || w->dumps.count <= HP_PARTIAL_HISTORY) &&')], COUNTED),
    ('a block of stacks cut at another size', 'partial/partial_stacks.c',
     [('if (hp_stack_codec_size(codec) >= HP_BLOCK_FULL) {',
       'if (hp_stack_codec_size(codec) >= HP_BLOCK_FULL / 2) {')], BLOCKS),
    ('a block of rows cut at another size', 'partial/blocks.c',
     [('writer->raw.count >= HP_BLOCK_FULL &&', 'writer->raw.count >= HP_BLOCK_FULL - 1000 &&')], BLOCKS),
    ('a build judged by a share', 'sym/fits.c',
     [('trial->checked > 0 && trial->failed == 0) {', 'trial->checked > 0 && trial->failed <= trial->checked / 2) {')],
     'one_address_that_follows_no_call_shows_another_build'),
    ('what a signal interrupted is held against the file', 'sym/fits.c',
     [('|= !ends[stack.frames[i - 1]];', '= true;')],
     'an_address_interrupted_by_a_signal_is_not_a_return_address'),
    ('addresses of pprof taken for those of returns', 'input/pprof_reader.c',
     [(': location->address + 1;', ': location->address;')], 'addresses_in_pprof_profiles_are_those_of_calls'),
    # Totals by the headers of dumps.
    ('the header used when filtered', 'view/difference.c', [('if (!view->head.is_filtered) {', 'if (true) {')],
     'the_total_after_filters_is_the_sum_of_the_stacks'),
    ('the rounding of the stacks kept beside that of the header', 'inputs/input.c',
     [('error->hidden_bytes_max -= hidden;', 'error->hidden_bytes_max -= 0 * hidden;')],
     'the_total_is_that_of_the_header_and_shares_are_those_of_the_stacks'),
    ('the gain of a header added twice', 'inputs/input.c',
     [('*bytes += (hp_fixed)gain->bytes', '*bytes += 2 * (hp_fixed)gain->bytes')],
     'the_total_is_that_of_the_header_and_shares_are_those_of_the_stacks'),
    ('the header of listed objects used', 'calc/merge.c', [('|| record->listed > 0 ||', '||')],
     'headers_that_count_something_else_are_not_used'),
)


def source_of(root, name):
    """The path of a file that MUTANTS names."""
    return root / name if name.startswith('sampler/') else root / 'src' / name


def sources(root, layers):
    for layer in layers:
        yield from sorted((root / 'src' / layer).glob('*.c'))
    yield from (root / 'sampler' / f'{name}.c' for name in SAMPLER)


class Build:
    """The unchanged objects of the sources, those of an archive if there is one, and programs with some objects
    replaced."""

    def __init__(self, root, directory, archive):
        self.root, self.directory, self.archive = root, directory, archive
        self.objects = {}
        self.includes = [f'-I{root / folder}' for folder in ('include', 'src', 'sampler')]
        for source in sources(root, () if archive else LAYERS):
            self.objects[source] = self.compile(source, self.includes, 'plain')
        names = (*(f'statistics/test_{test}' for test in TESTS), *(f'unit/test_{test}' for test in UNIT_TESTS),
                 *(f'statistics/{helper}' for helper in HELPERS))
        for name in names:
            source = root / 'tests' / f'{name}.c'
            self.objects[source] = self.compile(source, self.includes, 'plain')

    def compile(self, source, includes, folder):
        out = self.directory / folder / (source.parent.name + '-' + source.stem + '.o')
        out.parent.mkdir(exist_ok=True)
        subprocess.run([*CC, *FLAGS, *includes, '-c', str(source), '-o', str(out)], check=True)
        return out

    def mutated(self, number, name, changes):
        """The objects that replace that of the file, or those of all files that include the header."""
        shadow = self.directory / f'mutant{number}'
        target = shadow / name
        target.parent.mkdir(parents=True)
        text = source_of(self.root, name).read_text(encoding='utf-8')
        for old, new in changes:
            if text.count(old) != 1:
                raise AssertionError(f'{name} has {text.count(old)} times {old!r}')
            text = text.replace(old, new)
        target.write_text(text, encoding='utf-8')
        includes = [f'-I{shadow}', f'-I{shadow / "sampler"}', *self.includes]
        if name.endswith('.c'):
            return {source_of(self.root, name): self.compile(target, includes, f'objects{number}')}
        # Headers name each other by folder, so the copy is found first by all.
        return {source: self.compile(source, includes, f'objects{number}')
                for source in self.objects
                if 'sampler' in source.parts or 'tests' in source.parts}

    def program(self, test, replaced, out):
        own = f'test_{test}'
        objects = [str(built) for source, built in {**self.objects, **replaced}.items()
                   if not source.stem.startswith('test_') or source.stem == own]
        rest = [str(self.archive), *PROGRAM_LIBRARIES] if self.archive else []
        subprocess.run([*CC, '-o', str(out), *objects, *rest, *LIBRARIES], check=True)
        return out


class Program:
    """The command line, with one source replaced that is in the library otherwise."""

    def __init__(self, root, directory, archive):
        self.root, self.directory, self.archive = root, directory, archive
        self.includes = [f'-I{root / "include"}', f'-I{root / "src"}']
        written = archive.parent / 'licenses.c'  # by the build, of the texts
        self.objects = [self.compile(source, directory / f'cli-{source.stem}.o')
                        for source in (*sorted((root / 'src' / 'cli').rglob('*.c')), written)
                        if source.stem not in GENERATOR]

    def compile(self, source, out):
        subprocess.run([*CC, *FLAGS, '-O0', *self.includes, '-c', str(source), '-o', str(out)], check=True)
        return str(out)

    def mutated(self, number, name, changes):
        target = self.directory / f'program{number}.c'
        text = (self.root / 'src' / name).read_text(encoding='utf-8')
        for old, new in changes:
            if text.count(old) != 1:
                raise AssertionError(f'{name} has {text.count(old)} times {old!r}')
            text = text.replace(old, new)
        target.write_text(text, encoding='utf-8')
        return self.link(number, [self.compile(target, target.with_suffix('.o'))])

    def link(self, number, more):
        out = self.directory / f'program{number}'
        subprocess.run([*CC, '-o', str(out), *self.objects, *more, str(self.archive), *PROGRAM_LIBRARIES],
                       check=True)
        return out

    def passes(self, program, case):
        done = subprocess.run([sys.executable, '-B', str(self.root / 'tests' / 'cli' / 'test_cli.py'),
                               str(program), str(self.root / 'testdata' / 'formats'), case],
                              capture_output=True, text=True, timeout=300, check=False)
        found = re.search(r'(\d+) passed, (\d+) failed', done.stdout + done.stderr)
        if not found or sum(map(int, found.groups())) != 1:
            raise AssertionError(f'{case} told {done.stdout!r} {done.stderr!r}')
        return done.returncode == 0


def failures(program, tests):
    """(tests run, tests failed or crashed)."""
    done = subprocess.run([str(program), '-j1', '--filter', tests], capture_output=True,
                          text=True, timeout=300, check=False)
    found = re.search(r'Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)',
                      done.stderr + done.stdout)
    if not found:
        raise AssertionError(f'{program} told {done.stderr!r}')
    tested, _, failing, crashing = map(int, found.groups())
    return tested, failing + crashing


def main(root, library=None, sample=None):
    library = pathlib.Path(library) if library else None
    step = 6 if sample else 1
    count = bad = 0

    def tell(good, what):
        nonlocal count, bad
        count += 1
        bad += not good
        print(f'{"" if good else "not "}ok {count} - {what}', flush=True)
        if not good:
            print(what, file=sys.stderr)

    with tempfile.TemporaryDirectory(prefix='hprof-agg-') as scratch:
        directory = pathlib.Path(scratch)
        build = Build(root, directory, library)
        used = {}
        for test, filtered in (pair for *_, caught in MUTANTS[::step] for pair in caught):
            used.setdefault(test, set()).add(filtered)
        for test, filters in sorted(used.items()):
            sound = build.program(test, {}, directory / test)
            passes = all(failures(sound, filtered) == (1, 0) for filtered in sorted(filters))
            tell(passes, f'without a fault these tests of {test} pass: {", ".join(sorted(filters))}')
        for number, (what, name, changes, caught) in enumerate(MUTANTS[::step]):
            replaced = build.mutated(number, name, changes)
            programs = {test: build.program(test, replaced, directory / f'{test}{number}')
                        for test in sorted({test for test, _ in caught})}
            for test, filtered in caught:
                tested, failed = failures(programs[test], filtered)
                tell(tested == 1 and failed == 1, f'{what}: seen by {filtered}')
        if library:
            program = Program(root, directory, library)
            sound = program.link('', [])
            for number, (what, name, changes, case) in enumerate(PROGRAM_MUTANTS[::step]):
                mutant = program.mutated(number, name, changes)
                tell(program.passes(sound, case) and not program.passes(mutant, case),
                     f'{what}: seen by {case}')
    print(f'1..{count}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]))

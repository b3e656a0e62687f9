// The report `plan`.  One dump of each process is used, as in `top`; earlier dumps of a
// process give its rate of samples and, from 8 on, how its total varies.
//
// Rate.  A process allocated A bytes before its last dump, in objects whose sizes are
// known, and D of these between its first dump and its last, in T seconds.  It takes
// D / (A T) times as many samples a second as all these objects have.  For one dump with
// statistics, which say how long the process has run, D is A.
//
// Memory of jemalloc's profiler.  A sampled object of at most 14 KiB is not in a slab: it
// begins at a page of its own, so that it uses whole pages.  Up to 5.3.0 it has the
// addresses of 16 KiB, but the other pages are not written to.  Each sampled object has an
// extent of its own, and each stack a record and a counter for each thread.
//
// CPU.  A sampled malloc and free takes the time of the table below, three times that if
// caches are cold.
#include "view/report_plan.h"

#include "view/resets.h"
#include "view/top.h"

#include <math.h>
#include <stdio.h>

const size_t hp_plan_processes[HP_PLAN_COMPARISONS] = {1, 3, 8};
const size_t hp_plan_dumps[HP_PLAN_SERIES] = {8, 24, 100};

// Constants of jemalloc, in bytes.
enum {
    PAGE = 4096,
    LARGEST_SMALL = 14336, // largest object in a slab
    EXTENT_BYTES = 128,    // record of an object outside of slabs
    STACK_BYTES = 400,     // records of a stack in one thread
    FRAME_BYTES = 8,
};

enum {
    FEW_SAMPLES = 100,   // a width that rests on fewer is rough
    FAR_PERIOD = 64,     // longest ratio of periods for which widths are not rough
    LEAST_SPREAD = 3,    // fewest processes that show how processes differ
    MOST_NEEDED = 10000, // most processes that a plan asks for
};

static const double default_see = 0.05;
static const double cold = 3; // times longer with cold caches

// Microseconds of a sampled malloc and free by the frames of its stack: jemalloc 5.3.0 of
// Debian 12, which unwinds by libgcc.
static const struct {
    double frames, microseconds;
} costs[] = {{5, 2.8}, {30, 5.4}, {100, 11.6}};

// State of making a plan.
struct planner {
    struct hp_view *view;
    struct hp_plan *plan;
    struct hp_members members;
    struct hp_plan_parts live, made; // objects in use; allocated objects
    double dumps;                    // number of dumps of the sums
    // Comparisons of totals, and of the first row; the last is of plan->processes.
    struct hp_plan_comparison of_total[HP_PLAN_COMPARISONS + 1];
    struct hp_plan_comparison of_row[HP_PLAN_COMPARISONS + 1];
    double made_rate; // `made` a second in one process, as a share; NAN: not known
    struct hp_trend_times *times[HP_PLAN_SERIES]; // for series; or NULL
    struct hp_noisy_series *noisy[HP_PLAN_SERIES];
    struct hp_noise residual; // of the total of a series around a line
};

// --- inputs -------------------------------------------------------------------------------

static int fail_unsampled(const struct hp_view *view, struct hp_err *err) {
    const struct hp_input_record *input;
    hp_vec_each (input, &view->profile->inputs.records) {
        if (hp_input_is_used(input) && input->period == 0 && input->stacks > 0 &&
            input->scaling != HP_SCALING_EXACT) {
            hp_fail(err, HP_E_EMPTY,
                    HP_MESSAGE("plan-no-period",
                               "does not say its sample period, which a plan needs"));
            hp_err_locate(err, input->public.name, 0);
            return HP_E_EMPTY;
        }
    }
    return HP_OK;
}

// Fail if there is nothing to plan from, or if options ask for less than all memory.
static int refuse(const struct hp_view *view, struct hp_err *err) {
    if (view->options.filter_count > 0 || view->head.thread.size > 0 || view->type ||
        view->options.metric != HP_INUSE_SPACE || view->head.older_than > 0) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("plan-of-all",
                                  "a plan is for all memory in use: it takes no filter, "
                                  "thread or metric"));
    }
    if (view->profile->settings.estimator != HP_ESTIMATOR_BEST ||
        view->options.no_error) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("plan-of-estimates",
                                  "a plan needs estimates and their errors: it takes no "
                                  "--estimator or --confidence=none"));
    }
    if (hp_view_is_of_differences(view)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("plan-of-difference",
                                  "a difference of two profiles does not say what a "
                                  "process has in use"));
    }
    if (view->head.total.of[HP_INUSE_SPACE] <= 0) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("plan-nothing-sampled",
                                  "nothing to plan from: no dump has a sampled object in "
                                  "use"));
    }
    return fail_unsampled(view, err);
}

// The producer of all used inputs; HP_PRODUCER_UNKNOWN if they have several.
static enum hp_producer producer_of(const struct hp_view *view) {
    enum hp_producer found = HP_PRODUCER_UNKNOWN;
    bool any = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &view->profile->inputs.records) {
        if (hp_input_is_used(input)) {
            found =
                !any || found == input->producer ? input->producer : HP_PRODUCER_UNKNOWN;
            any = true;
        }
    }
    return found;
}

void hp_plan_setting(char text[64], enum hp_producer producer, uint64_t period) {
    int log = 0;
    while (period >> log > 1) {
        log++;
    }
    bool is_jemalloc = producer == HP_PRODUCER_JEMALLOC ||
                       producer == HP_PRODUCER_JEMALLOC_3 ||
                       producer == HP_PRODUCER_PPROF_JEMALLOC;
    bool is_go = producer == HP_PRODUCER_GO || producer == HP_PRODUCER_PPROF_GO;
    bool is_tcmalloc = producer == HP_PRODUCER_GPERFTOOLS_SAMPLE ||
                       producer == HP_PRODUCER_PPROF_TCMALLOC;
    if (is_jemalloc) {
        snprintf(text, 64, "lg_prof_sample:%d", log);
        return;
    }
    const char *name = is_go         ? "runtime.MemProfileRate = "
                       : is_tcmalloc ? "TCMALLOC_SAMPLE_PARAMETER="
                                     : "sample period ";
    snprintf(text, 64, "%s%llu", name, (unsigned long long)period);
}

// --- earlier dumps ------------------------------------------------------------------------

// The input of a dump of a process, by its place among the dumps of the process.
static const struct hp_input_record *dump_of(const struct hp_view *view,
                                             const struct hp_process *process, size_t i) {
    const struct hp_processes *all = view->head.processes;
    return &view->head.inputs[all->dumps.at[process->first + i]];
}

// Return the seconds from the start of a process to its only dump, if its statistics say
// it; else 0.
static double age_of(const struct hp_view *view, const struct hp_input_record *input) {
    double age = 0;
    const struct hp_account *account;
    hp_vec_each (account, &view->profile->inputs.accounts) {
        bool is_its = &view->profile->inputs.records.at[account->input] == input;
        age = is_its ? (double)account->stats.uptime_ns * 1e-9 : age;
    }
    return age;
}

// Return the share of all that a process allocated that it allocates in a second; NAN if
// it is not known, with the reason in `lack`.
static double rate_of(const struct hp_view *view, const struct hp_process *process,
                      enum hp_plan_lack *lack) {
    const struct hp_input_record *first = dump_of(view, process, 0);
    const struct hp_input_record *last = dump_of(view, process, process->dumps - 1);
    double age = process->dumps == 1 ? age_of(view, first) : 0;
    double before =
        hp_fixed_double(hp_input_whole(first).of[HP_ALLOC_SPACE], HP_ALLOC_SPACE);
    double after =
        hp_fixed_double(hp_input_whole(last).of[HP_ALLOC_SPACE], HP_ALLOC_SPACE);
    double seconds = last->identity.time - first->identity.time;
    bool has_counts = hp_input_has_metric(first, HP_ALLOC_SPACE) &&
                      hp_input_has_metric(last, HP_ALLOC_SPACE);
    if (has_counts && age > 0 && after > 0) {
        *lack = HP_PLAN_LACKS_NOTHING;
        return 1 / age;
    }
    enum hp_plan_lack why = !has_counts          ? HP_PLAN_LACKS_COUNTS
                            : process->dumps < 2 ? HP_PLAN_LACKS_DUMPS
                            : !view->head.has_times || !(seconds > 0)
                                ? HP_PLAN_LACKS_TIMES
                                : HP_PLAN_LACKS_NOTHING;
    *lack = why == HP_PLAN_LACKS_NOTHING || why > *lack ? why : *lack;
    return why == HP_PLAN_LACKS_NOTHING && after > before
               ? (after - before) / after / seconds
               : (double)NAN;
}

// Set the mean rate of all processes whose rate is known.
static void find_rate(struct planner *p) {
    double sum = 0, count = 0;
    enum hp_plan_lack lack = HP_PLAN_LACKS_COUNTS;
    const struct hp_process *process;
    hp_vec_each (process, &p->view->head.processes->all) {
        double rate = rate_of(p->view, process, &lack);
        sum += isnan(rate) ? 0 : rate;
        count += isnan(rate) ? 0 : 1;
    }
    p->made_rate = count > 0 ? sum / count : (double)NAN;
    p->plan->lack = count > 0 ? HP_PLAN_LACKS_NOTHING : lack;
}

// Set the share of the memory of processes that they free between their last two dumps.
static void find_freed(struct planner *p) {
    double live = 0, freed = 0;
    const struct hp_process *process;
    hp_vec_each (process, &p->view->head.processes->all) {
        size_t last = process->dumps - 1;
        if (process->dumps < 2 || process->was_reset) {
            live = INFINITY;
            continue;
        }
        const struct hp_input_record *a = dump_of(p->view, process, last - 1);
        const struct hp_input_record *b = dump_of(p->view, process, last);
        bool has_counts = hp_input_has_metric(a, HP_ALLOC_SPACE) &&
                          hp_input_has_metric(b, HP_ALLOC_SPACE);
        struct hp_values before = hp_input_whole(a), after = hp_input_whole(b);
        hp_fixed gone = after.of[HP_ALLOC_SPACE] - before.of[HP_ALLOC_SPACE] -
                        (after.of[HP_INUSE_SPACE] - before.of[HP_INUSE_SPACE]);
        live += has_counts ? hp_fixed_double(before.of[HP_INUSE_SPACE], HP_INUSE_SPACE)
                           : INFINITY;
        freed += fmax(hp_fixed_double(gone, HP_INUSE_SPACE), 0);
    }
    bool is_known = live > 0 && !isinf(live);
    p->plan->freed = is_known ? fmin(freed / live, 1) : 1;
}

// Set the residuals of the total of a series of dumps around a line.
static void fit(struct planner *p, const struct hp_process *process) {
    size_t count = process->dumps;
    double *values = hp_alloc(2 * count * sizeof *values), *times = values + count;
    bool has_times = p->view->head.has_times;
    for (size_t i = 0; i < count; i++) {
        const struct hp_input_record *input = dump_of(p->view, process, i);
        values[i] =
            hp_fixed_double(hp_input_whole(input).of[HP_INUSE_SPACE], HP_INUSE_SPACE);
        times[i] = has_times ? input->identity.time : (double)i;
    }
    p->residual = hp_noise_around_line(times, values, count);
    free(values);
}

// Whether the times of a process's dumps ascend, or are not used.
static bool has_order(const struct planner *p, const struct hp_process *process) {
    bool ascends = true;
    for (size_t i = 1; i < process->dumps && p->view->head.has_times; i++) {
        ascends &= dump_of(p->view, process, i)->identity.time >
                   dump_of(p->view, process, i - 1)->identity.time;
    }
    return ascends;
}

// Set what the longest series of dumps shows, if it has HP_TREND_LEAST dumps or more.
static void find_series(struct planner *p) {
    const struct hp_process *longest = NULL, *process;
    hp_vec_each (process, &p->view->head.processes->all) {
        bool is_longer = !longest || process->dumps > longest->dumps;
        longest = is_longer && !process->is_unidentified ? process : longest;
    }
    p->plan->series = longest ? longest->dumps : 0;
    if (!longest || longest->dumps < HP_TREND_LEAST || !has_order(p, longest)) {
        return;
    }
    fit(p, longest);
    p->plan->has_series = true;
    for (size_t i = 0; i < HP_PLAN_SERIES; i++) {
        size_t count = hp_plan_dumps[i];
        double *times = hp_alloc(count * sizeof *times);
        for (size_t j = 0; j < count; j++) {
            times[j] = (double)j;
        }
        p->times[i] = hp_trend_times_new(times, count, p->view->options.confidence);
        p->noisy[i] = hp_noisy_series_new(p->times[i], count, p->residual);
        free(times);
    }
}

// --- targets ------------------------------------------------------------------------------

// Set how processes differ, as --columns=spread shows it.
static void find_spread(struct planner *p) {
    struct hp_spread spread;
    struct hp_plan *plan = p->plan;
    if (plan->processes < LEAST_SPREAD) {
        return;
    }
    hp_spread_init(&spread, p->view);
    double units = spread.groups > 0 ? (double)spread.groups : (double)spread.inputs;
    for (size_t i = 0; i <= plan->row_count; i++) {
        struct hp_plan_target *target = i > 0 ? &plan->rows[i - 1] : &plan->total;
        const struct hp_spread_row *row =
            i > 0 ? &spread.rows[target->node.n] : &spread.total;
        if (row->mean > 0 && row->sd >= 0) {
            target->spread = (struct hp_plan_spread){row->sd / row->mean, units - 1};
        }
    }
    hp_spread_done(&spread);
}

// Find the first rows, as `top` has them.
static void find_rows(struct planner *p) {
    struct hp_view *view = p->view;
    struct hp_plan *plan = p->plan;
    struct hp_top top;
    struct hp_top_errors none = {.rows = 0};
    hp_top_init(&top, view, none);
    hp_top_sum_nodes(&top, view);
    hp_top_sort_rows(&top, view, HP_SORT_FLAT, HP_PLAN_ROWS);
    for (size_t i = 0; i < view->rows.count && i < HP_PLAN_ROWS; i++) {
        hp_node_id node = view->rows.at[i].node;
        struct hp_plan_sum sum =
            hp_plan_sum_of_node(&p->live, &p->members, node, plan->period);
        if (sum.bytes > 0) {
            plan->rows[plan->row_count++] =
                (struct hp_plan_target){node, sum.bytes / p->dumps, sum.samples, {0, 0}};
        }
    }
    view->rows.count = 0;
    hp_top_done(&top);
}

// Set the total, and the mean depth of the stacks of its samples.
static void find_total(struct planner *p) {
    struct hp_plan_sum sum = hp_plan_sum_of(&p->live, p->plan->period);
    const struct hp_plan_part *part;
    p->plan->total.bytes = sum.bytes / p->dumps;
    p->plan->total.samples = sum.samples;
    hp_vec_each (part, &p->live.of) {
        struct hp_plan_sum one = {0};
        hp_plan_sum_add(&one, part, p->plan->period);
        p->plan->depth +=
            one.samples / sum.samples * p->view->profile->stacks.at[part->stack].depth;
    }
}

// Seconds that a sample takes at most, by the frames of its stack.
static double cost_of(double depth, double asked) {
    size_t last = sizeof costs / sizeof *costs - 1, i = 0;
    while (i < last && costs[i].frames < depth) {
        i++;
    }
    double longer = fmax(depth / costs[last].frames, 1);
    return (asked > 0 ? asked : costs[i].microseconds * longer) * 1e-6;
}

// --- one period ---------------------------------------------------------------------------

// Set the widths and changes of a target.
static void plan_cell(const struct planner *p, const struct hp_plan_target *target,
                      const struct hp_plan_sum *sum, uint64_t period,
                      struct hp_plan_cell *cell) {
    struct hp_interval range = hp_interval_of(hp_plan_measure(sum, p->dumps, period),
                                              p->view->options.confidence);
    const struct hp_plan_comparison *of = target == &p->plan->total ? p->of_total
                                          : target == p->plan->rows ? p->of_row
                                                                    : NULL;
    cell->half = (range.high - range.low) / 2 / target->bytes;
    for (size_t i = 0; i < HP_PLAN_COMPARISONS; i++) {
        cell->changes[i] =
            of ? hp_plan_change(sum, p->dumps, period, target->spread, of[i])
               : (double)NAN;
    }
    cell->is_rough = (p->plan->period > 1 && target->samples < FEW_SAMPLES) ||
                     period * FAR_PERIOD < p->plan->period;
}

// Return the bytes that the profiler takes for the samples of a part: unused rests of
// their pages, and their extents.
static double places_of(const struct planner *p, const struct hp_plan_part *part,
                        uint64_t period) {
    struct hp_plan_sum one = {0};
    hp_plan_sum_add(&one, part, period);
    double n = one.samples / p->dumps;
    double size = part->objects > 0 ? part->bytes / part->objects : 0;
    double rest = ceil(size / PAGE) * PAGE - size;
    if (part->is_mixed) {
        // Larger objects are sampled more often.  Size classes between one page and two
        // leave 3/4, 1/2, 1/4 and nothing of a page.
        rest = fmax(PAGE - size * 4 / 3, PAGE * 3. / 8);
    }
    return size <= LARGEST_SMALL ? n * (rest + EXTENT_BYTES) : 0;
}

// Set the memory of jemalloc's profiler, and the number of stacks with samples.  A stack
// of B bytes has none with the probability e^(-B/R), for objects of any sizes.
static void plan_memory(const struct planner *p, struct hp_plan_row *row) {
    double bytes = 0, memory = 0;
    for (size_t i = 0; i < p->live.of.count; i++) {
        const struct hp_plan_part *part = &p->live.of.at[i];
        memory += places_of(p, part, row->period);
        bytes += part->bytes / p->dumps;
        if (i + 1 == p->live.of.count || part[1].stack != part->stack) {
            double share = hp_plan_share(bytes, row->period);
            double depth = p->view->profile->stacks.at[part->stack].depth;
            row->stacks += share;
            memory += share * (STACK_BYTES + FRAME_BYTES * depth);
            bytes = 0;
        }
    }
    bool is_known = p->view->head.summary[HP_SIDE_ALL].is_jemalloc;
    row->memory = is_known ? memory : (double)NAN;
    row->is_dear = is_known && memory > p->plan->total.bytes;
}

// Set the smallest growths that series find.
static void plan_trends(const struct planner *p, const struct hp_plan_sum *sum,
                        struct hp_plan_row *row) {
    double own = hp_plan_sum_of(&p->live, p->plan->period).noise / p->dumps;
    double more = fmax(sum->noise / p->dumps - own, 0);
    double sd = sqrt(p->residual.sd * p->residual.sd + more);
    for (size_t i = 0; i < HP_PLAN_SERIES; i++) {
        size_t count = hp_plan_dumps[i];
        double weights = 0, rises = 0, bytes = p->plan->total.bytes;
        row->trends[i] = NAN;
        if (!p->plan->has_series) {
            continue;
        }
        for (size_t j = 0; j < count; j++) {
            weights += fabs(hp_trend_weight(p->times[i], j));
            rises += fabs(hp_trend_weight(p->times[i], j)) * (double)j;
        }
        struct hp_slope_noise noise = {
            .sd = sd,
            .variance = weights * sum->variance / p->dumps,
            .variance_per_slope = rises * sum->variance / sum->bytes,
            .noise_per_byte = sum->noise / sum->bytes,
        };
        double slope = hp_detectable_slope(p->noisy[i], noise);
        row->trends[i] = slope * (double)(count - 1) / bytes;
    }
}

// Fill in one row of the table.
static void plan_row(const struct planner *p, struct hp_plan_row *row) {
    const struct hp_plan *plan = p->plan;
    struct hp_plan_sum sum = hp_plan_sum_of(&p->live, row->period);
    row->samples = sum.samples / p->dumps;
    plan_memory(p, row);
    plan_cell(p, &plan->total, &sum, row->period, &row->total);
    for (size_t i = 0; i < plan->row_count; i++) {
        struct hp_plan_sum of =
            hp_plan_sum_of_node(&p->live, &p->members, plan->rows[i].node, row->period);
        plan_cell(p, &plan->rows[i], &of, row->period, &row->rows[i]);
    }
    plan_trends(p, &sum, row);
    struct hp_plan_sum made = hp_plan_sum_of(&p->made, row->period);
    row->rate = made.samples / p->dumps * p->made_rate;
    row->load =
        row->rate * plan->cost * (p->view->options.plan.sample_cost > 0 ? 1 : cold);
    row->given = hp_plan_change(&sum, p->dumps, row->period, plan->total.spread,
                                p->of_total[HP_PLAN_COMPARISONS]);
}

// --- the headline -------------------------------------------------------------------------

// Return the fewest processes on each side that show the change at the period of the
// dumps; 0: MOST_NEEDED are not enough.
static size_t find_needed(const struct planner *p) {
    struct hp_plan_sum sum = hp_plan_sum_of(&p->live, p->plan->period);
    struct hp_plan_comparison of = {.freed = 1, .level = p->of_total->level};
    size_t low = p->plan->processes, high = MOST_NEEDED;
    of.processes = high;
    if (!(hp_plan_change(&sum, p->dumps, p->plan->period, p->plan->total.spread, of) <=
          p->plan->see)) {
        return 0;
    }
    while (low + 1 < high) {
        of.processes = low + (high - low) / 2;
        double change =
            hp_plan_change(&sum, p->dumps, p->plan->period, p->plan->total.spread, of);
        if (change <= p->plan->see) {
            high = of.processes;
        } else {
            low = of.processes;
        }
    }
    return high;
}

// Choose the coarsest period that shows the change that is asked for.  A period at which
// the profiler takes more memory than the program is not advised.
static void choose(struct planner *p) {
    struct hp_plan *plan = p->plan;
    size_t asked = HP_PLAN_PERIODS, finest = 0;
    for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
        bool shows = plan->of[i].given <= plan->see;
        asked = shows ? i : asked;
        finest += plan->of[i].is_dear;
    }
    finest = finest < HP_PLAN_PERIODS ? finest : HP_PLAN_PERIODS - 1;
    plan->chosen = asked < finest ? HP_PLAN_PERIODS : asked;
    size_t wanted = asked < HP_PLAN_PERIODS ? asked : 0;
    if (plan->chosen == HP_PLAN_PERIODS && plan->total.spread.freedom > 0) {
        plan->needed = find_needed(p);
        for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
            wanted = plan->of[i].period <= plan->period ? i : wanted;
        }
    }
    plan->advised = wanted > finest ? wanted : finest;
    plan->is_limited = wanted < finest;
}

// --- the report ---------------------------------------------------------------------------

// Prepare the comparisons of a target, which is tested with `level` on each side.
static void find_comparisons(const struct planner *p, const struct hp_plan_target *target,
                             double level, struct hp_plan_comparison *of) {
    for (size_t i = 0; i <= HP_PLAN_COMPARISONS; i++) {
        size_t n = i < HP_PLAN_COMPARISONS ? hp_plan_processes[i] : p->plan->processes;
        of[i] = (struct hp_plan_comparison){n, p->plan->freed, level, NULL};
        of[i].tests = n > 1 ? hp_plan_tests_new(n, target->spread, level) : NULL;
    }
}

static void free_comparisons(struct hp_plan_comparison *of) {
    for (size_t i = 0; i <= HP_PLAN_COMPARISONS; i++) {
        hp_plan_tests_free(of[i].tests);
    }
}

// Prepare the comparisons: rows are tested as the only ones that changed, among as many
// as the dumps have.
static void find_levels(struct planner *p) {
    const struct hp_plan *plan = p->plan;
    double level = (1 - p->view->options.confidence) / 2;
    double tested = (double)hp_plan_tested(&p->live, &p->members, p->dumps, plan->period);
    find_comparisons(p, &plan->total, level, p->of_total);
    find_comparisons(p, plan->rows, level / fmax(tested, 1), p->of_row);
}

// Raise the numbers of a cell to those of a finer period, which never shows less: bounds
// of rough numbers are not quite in order.
static void raise_cell(const struct hp_plan_cell *finer, struct hp_plan_cell *cell) {
    cell->half = fmax(cell->half, finer->half);
    for (size_t i = 0; i < HP_PLAN_COMPARISONS; i++) {
        cell->changes[i] = fmax(cell->changes[i], finer->changes[i]);
    }
}

static void raise_row(const struct hp_plan_row *finer, struct hp_plan_row *row) {
    raise_cell(&finer->total, &row->total);
    for (size_t i = 0; i < HP_PLAN_ROWS; i++) {
        raise_cell(&finer->rows[i], &row->rows[i]);
    }
    for (size_t i = 0; i < HP_PLAN_SERIES; i++) {
        row->trends[i] = fmax(row->trends[i], finer->trends[i]);
    }
    row->given = fmax(row->given, finer->given);
}

static void make(struct planner *p) {
    struct hp_plan *plan = p->plan;
    find_total(p);
    find_rows(p);
    find_spread(p);
    find_rate(p);
    find_freed(p);
    find_series(p);
    find_levels(p);
    plan->cost = cost_of(plan->depth, p->view->options.plan.sample_cost);
    for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
        plan->of[i].period = (uint64_t)1 << (HP_PLAN_FIRST + i);
        plan_row(p, &plan->of[i]);
        if (i > 0) {
            raise_row(&plan->of[i - 1], &plan->of[i]);
        }
    }
    choose(p);
    plan->ratio = plan->period > 1 ? hp_plan_ratio(&p->live, plan->period) : (double)NAN;
}

static int build(struct hp_view *view, struct hp_err *err) {
    int ret = refuse(view, err);
    if (ret != HP_OK) {
        return ret;
    }
    struct hp_plan *plan = view->extra = hp_alloc(sizeof *plan);
    struct planner p = {.view = view, .plan = plan};
    plan->processes = view->head.summary[HP_SIDE_ALL].merged_used;
    plan->period = view->head.errors[HP_COLUMN_INUSE].period;
    plan->see = view->options.plan.see > 0 ? view->options.plan.see : default_see;
    plan->producer = producer_of(view);
    p.dumps = (double)plan->processes;
    hp_members_init(&p.members, &view->naming, false);
    hp_plan_parts_init(&p.live, view->profile, HP_COLUMN_INUSE);
    hp_plan_parts_init(&p.made, view->profile, HP_COLUMN_ALLOC);
    make(&p);
    for (size_t i = 0; i < HP_PLAN_SERIES; i++) {
        hp_noisy_series_free(p.noisy[i]);
        hp_trend_times_free(p.times[i]);
    }
    free_comparisons(p.of_total);
    free_comparisons(p.of_row);
    hp_plan_parts_done(&p.live);
    hp_plan_parts_done(&p.made);
    hp_members_done(&p.members);
    return HP_OK;
}

// Its rows are sample periods.
static bool shows_code(const struct hp_report_options *options) {
    (void)options;
    return false;
}

const struct hp_report hp_report_plan = {
    .name = "plan",
    .help = "which sample period finds a change, and its cost",
    .shows_code = shows_code,
    .build = build,
};

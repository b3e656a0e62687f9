// Tests, each of a change from one quantity to another.
//
// Two dumps of one process: from the part that was freed in between to the part that is
// new, if the dumps have allocated bytes, else from one dump's value to the other's.
//
// Two dumps of two processes: from one dump's value to the other's.
//
// Three dumps or more in all, as averages: p is the largest of the p-value of sampling
// and the p-values of tests of the logarithms of what each process has, to which half a
// sample is added (stats/two_samples.h).  The interval covers the intervals of all these
// tests.
//
// The test of sampling is included for two reasons: memory that no other process has
// shows no variance between processes, and two or three processes alone hardly reveal
// their variance.  Replicates also have to pass Welch's test of the values, as the
// logarithm of a replicate's mean differs from the logarithms of its dumps.
//
// For each test, an end of the interval is on the side of 0 that agrees with the p-value
// of that side.
#include "view/difference.h"

#include "stats/measure.h"
#include "view/resets.h"

#include <math.h>

static const double least_samples = 5; // fewest effective samples of a row that is tested

// --- which test ---------------------------------------------------------------------------

// Choose the test of a comparison in which at least one side has several dumps.
static enum hp_difference_test choose_test_of_means(const struct hp_sides *sides,
                                                    enum hp_metric metric) {
    size_t least = sides->units[0] < sides->units[1] ? sides->units[0] : sides->units[1];
    size_t all = sides->units[0] + sides->units[1];
    bool has_units =
        hp_sides_have_units(sides, 0, metric) && hp_sides_have_units(sides, 1, metric);
    return !has_units || all < 3 ? HP_TEST_SAMPLING
           : least == 1          ? HP_TEST_ONE
                                 : HP_TEST_FLEETS;
}

bool hp_difference_allows_for_processes(enum hp_difference_test test) {
    return test != HP_TEST_INDEPENDENT && test != HP_TEST_SAMPLING;
}

const char *hp_difference_mark(enum hp_difference_test test) {
    return hp_difference_allows_for_processes(test) ? "significant"
                                                    : "beyond sampling error";
}

// Whether an input was merged from several processes.
static bool is_of_several(const struct hp_input_record *input) {
    return input->keys && input->keys->all.count + input->keys->unidentified > 1;
}

// Whether a test compares averages over dumps.
static bool is_of_means(enum hp_difference_test test) {
    return test == HP_TEST_FLEETS || test == HP_TEST_ONE || test == HP_TEST_SAMPLING;
}

// Choose the test for all rows, by the number of dumps and processes and by what they
// record.
enum hp_difference_test hp_difference_test_of(const struct hp_view *view,
                                              const struct hp_sides *sides) {
    const struct hp_profile *profile = view->profile;
    const struct hp_report_options *options = &view->options;
    size_t base = sides->dumps[0], new = sides->dumps[1];
    if (options->no_error ||
        !hp_profile_has_errors(profile, hp_column_of(options->metric)) || base == 0 ||
        new == 0) {
        return HP_TEST_NONE;
    }
    if (base > 1 || new > 1) {
        return choose_test_of_means(sides, options->metric);
    }
    const struct hp_input_record *a = &profile->inputs.records.at[sides->base.at[0]];
    const struct hp_input_record *b = &profile->inputs.records.at[sides->new.at[0]];
    if (is_of_several(a) || is_of_several(b)) {
        return HP_TEST_SAMPLING;
    }
    if (!hp_identity_is_same(&a->identity, &b->identity) ||
        hp_reset_is_certain(hp_reset_between(a, b))) {
        return HP_TEST_INDEPENDENT;
    }
    // Allocations in between are only usable with one period: two periods sample
    // different objects.
    bool lives = options->metric == HP_INUSE_SPACE && profile->inputs.have_alloc &&
                 a->period == b->period && !hp_input_missing(a, HP_ALLOC_OBJECTS) &&
                 !hp_input_missing(b, HP_ALLOC_OBJECTS);
    return lives ? HP_TEST_PROCESS_ACCUM : HP_TEST_PROCESS;
}

// --- one row ------------------------------------------------------------------------------

// Everything that the comparison of a row between both sides depends on, except the sums
// of the row.
struct context {
    enum hp_difference_test test;
    bool is_of_difference; // the inputs are differences of profiles
    enum hp_metric metric;
    double confidence;
    double inputs[2]; // number of dumps of each side, which its sums are divided by
    bool is_reset;    // as in struct hp_difference
    const struct hp_sides *sides;
    // Largest period and weight of all samples: memory that was not sampled may amount to
    // as much.
    struct hp_error largest;
};

// Return the mean value per dump of one side of a row, with its error.  A side without
// samples gets the period and weight of c->largest.
static struct hp_measure measure_of(const struct context *c, const struct hp_sums *sums,
                                    int side) {
    struct hp_error error = sums->sides[side].error;
    if (error.samples == 0) {
        error.period = c->largest.period;
        error.max_weight = c->largest.max_weight;
    }
    struct hp_measure m = hp_measure_of(sums->sides[side].value, &error, c->metric);
    return hp_measure_mean(m, c->inputs[side]);
}

// Return the freed or the new part of a row with its error.  All of the part may consist
// of objects of other sizes than assumed, so it gets the full hidden_bytes_max and
// excess_bytes_max of `side`, the error of its side.
static struct hp_measure measure_of_part(const struct context *c, struct hp_part part,
                                         const struct hp_error *side) {
    double estimate = hp_fixed_double(part.bytes, HP_INUSE_SPACE);
    return (struct hp_measure){
        .estimate = estimate,
        .highest = estimate + (double)side->hidden_bytes_max,
        .variance = (double)part.variance,
        .max_weight = (double)c->largest.period,
        .excess = (double)side->excess_bytes_max,
    };
}

// Return the effective samples of an estimate; 0 if the estimate is not above 0.
static double effective_samples(struct hp_measure m) {
    return m.estimate > 0 ? hp_effective_samples(m) : 0;
}

// Test the change from one measured value to another, by their sampling errors alone; set
// `tested`, both one-sided p-values and `samples` of the change.
static void test_pair(struct hp_measure before, struct hp_measure after,
                      struct hp_change *change) {
    change->tested[0] = before;
    change->tested[1] = after;
    change->growth_p = hp_growth_p(before, after);
    change->shrinkage_p = hp_growth_p(after, before);
    change->samples = effective_samples(before) + effective_samples(after);
}

// Return the two-sided p-value of growth if nothing was freed in between: then all growth
// is new memory, and its variance is the difference of the variances.
static double least_growth_p(struct hp_measure before, struct hp_measure after) {
    struct hp_measure nothing = {.max_weight = before.max_weight};
    struct hp_measure fresh = after;
    fresh.estimate = fmax(after.estimate - before.estimate, 0);
    fresh.variance = fmax(after.variance - before.variance, 0);
    return hp_two_sided(hp_growth_p(nothing, fresh), 1);
}

// Raise the p-values of a change to those of the tests between processes, where these are
// larger.  A value that is known exactly and is equal in all dumps of a side has sd 0,
// and Welch's test is skipped.
static void test_processes(const struct context *c, const struct hp_sums *sums,
                           struct hp_change *change) {
    const struct hp_scatter logs[2] = {sums->sides[0].logs, sums->sides[1].logs};
    const struct hp_scatter means[2] = {sums->sides[0].values, sums->sides[1].values};
    change->ratio = hp_ratio_of_logs(logs, sums->half_sample);
    change->growth_p = fmax(change->growth_p, hp_ratio_growth_p(&change->ratio));
    change->shrinkage_p = fmax(change->shrinkage_p, hp_ratio_shrinkage_p(&change->ratio));
    if (c->test == HP_TEST_FLEETS &&
        (c->sides->has_groups[0] || c->sides->has_groups[1])) {
        change->means = hp_welch_contrast(means);
    }
    if (change->means.sd > 0) {
        change->growth_p = fmax(change->growth_p, hp_contrast_growth_p(&change->means));
        change->shrinkage_p =
            fmax(change->shrinkage_p, hp_contrast_shrinkage_p(&change->means));
    }
}

// Fill the tested part of a change: measures, samples and p-values.
static void test(const struct context *c, const struct hp_sums *sums,
                 struct hp_change *change) {
    change->is_known = true;
    change->sides[0] = measure_of(c, sums, 0);
    change->sides[1] = measure_of(c, sums, 1);
    if (c->test == HP_TEST_PROCESS_ACCUM) {
        test_pair(measure_of_part(c, sums->freed, &sums->sides[0].error),
                  measure_of_part(c, sums->fresh, &sums->sides[1].error), change);
    } else {
        test_pair(change->sides[0], change->sides[1], change);
    }
    if (c->test == HP_TEST_FLEETS || c->test == HP_TEST_ONE) {
        test_processes(c, sums, change);
    } else if (c->test == HP_TEST_PROCESS) {
        change->least_growth_p = least_growth_p(change->sides[0], change->sides[1]);
    }
    change->p = change->plain_p = hp_two_sided(change->growth_p, change->shrinkage_p);
}

// Compare the two sides of one row or sum.  A decrease after a reset stays untested: the
// memory may still be in use.  A row that has objects of unknown, mixed sizes is tested
// in bytes only.
static struct hp_change compare(const struct context *c, const struct hp_sums *sums,
                                uint32_t node) {
    struct hp_change change = {
        .node = {node},
        .before = hp_mean_of(sums->sides[0].value, (size_t)c->inputs[0]),
        .after = hp_mean_of(sums->sides[1].value, (size_t)c->inputs[1]),
        .is_of_difference = c->is_of_difference,
        .growth_p = NAN,
        .shrinkage_p = NAN,
        .p = NAN,
        .q = NAN,
        .plain_p = NAN,
        .plain_q = NAN,
        .least_growth_p = NAN,
    };
    if (c->is_reset && change.after < change.before) {
        // The difference may still be in use.
        change.is_open = true;
        change.open[1] = hp_fixed_double(change.before - change.after, c->metric);
        return change;
    }
    unsigned flags = sums->sides[0].error.flags | sums->sides[1].error.flags;
    if (c->test != HP_TEST_NONE &&
        (flags == 0 || hp_fraction(c->metric) == HP_SPACE_FRACTION)) {
        test(c, sums, &change);
    }
    return change;
}

// --- code without names ----------------------------------------------------------------------

// State while all rows of a comparison are compared.
struct comparisons {
    const struct hp_view *view;
    const struct hp_members *members;
    const struct hp_open_code *open; // NULL: all code can be compared
    struct context context;          // for rows that are compared over all dumps
    struct hp_named_list named; // cache of dumps by the modules that they have names for
    const struct hp_sums *sums; // by node, over all dumps
    // By node: sums over those of its stacks that are open in one of its modules; NULL if
    // `open` is.
    struct hp_sums *overlaps;
};

// Return the `overlaps`: for each row the sums over those of its stacks that are in code
// which cannot be compared in all dumps, in one of the row's modules.
static struct hp_sums *sum_overlaps(const struct comparisons *all) {
    const struct hp_members *members = all->members;
    struct hp_members some = {.node_count = members->node_count};
    hp_vec_push(&some.first, (size_t)0);
    for (size_t s = 0; s + 1 < members->first.count; s++) {
        for (size_t i = members->first.at[s]; i < members->first.at[s + 1]; i++) {
            uint32_t node = members->nodes.at[i].n;
            if (all->open->open_stacks[s] & all->open->of_node[node]) {
                hp_vec_push(&some.nodes, members->nodes.at[i]);
            }
        }
        hp_vec_push(&some.first, some.nodes.count);
    }
    struct hp_sums *sums = hp_diff_sums(all->view->profile, all->context.sides, &some,
                                        all->context.metric, false);
    hp_members_done(&some);
    return sums;
}

// Set change->open to the sum, per dump, of those stacks in code of `modules` that cannot
// be compared and are not in the row already, as these stacks may belong to the row, too.
// `is_named` false: all stacks of the modules may belong to the row.  Sets
// change->has_own_open, too.
static void set_open(const struct comparisons *all, uint64_t modules, bool is_named,
                     struct hp_change *change) {
    const struct context *c = &all->context;
    for (int side = 0; side < 2; side++) {
        hp_fixed sum = is_named && all->overlaps
                           ? -all->overlaps[change->node.n].sides[side].value
                           : 0;
        for (size_t i = 0; i < all->open->modules.count; i++) {
            const struct hp_open_module *module = &all->open->modules.at[i];
            bool is_its = (modules >> i & 1) != 0;
            sum += !is_its ? 0 : is_named ? module->bytes[side] : module->all[side];
            change->has_own_open |= is_its && module->is_own;
        }
        change->open[side] =
            sum > 0 ? hp_fixed_double(sum, c->metric) / c->inputs[side] : 0;
    }
}

// Compare a row, with regard to code without names.  Rows of modules compared by address
// are compared over all dumps; rows of modules compared by name over the dumps that have
// names.  If these are not enough, or if frames of the row itself cannot be compared, the
// row is not tested.
static struct hp_change compare_row(struct comparisons *all, uint32_t node) {
    const struct hp_open_code *open = all->open;
    const struct hp_sums *sums = &all->sums[node];
    uint64_t modules = open ? open->of_node[node] : 0;
    if (modules == 0) {
        return compare(&all->context, sums, node);
    }
    uint64_t in_some = modules & ~open->by_address;
    if (in_some == 0) {
        struct hp_change change = compare(&all->context, sums, node);
        set_open(all, modules, true, &change);
        return change;
    }
    const struct hp_named_dumps *named =
        hp_named_list_get(&all->named, open, all->view, all->context.sides, all->members,
                          in_some);
    if (!named->is_enough || open->open_nodes[node] != 0) {
        struct hp_change change = compare(&all->context, sums, node);
        change.is_open = true;
        set_open(all, in_some, open->open_nodes[node] == 0, &change);
        return change;
    }
    struct context c = all->context;
    c.sides = &named->sides;
    c.inputs[0] = (double)named->sides.dumps[0];
    c.inputs[1] = (double)named->sides.dumps[1];
    return compare(&c, &named->sums[node], node);
}

// --- the guard --------------------------------------------------------------------------------

// The guard: a row of code compared by address is shown as grown only if the row has more
// after than the row and the open stacks of its modules together had before.  It is shown
// as shrunk only if the row had more before than the row and these open stacks together
// have after.

// Whether a row would be shown as changed although memory in code without names, which
// may belong to the row, may explain the change.
static bool needs_guard(const struct comparisons *all, const struct hp_change *change) {
    return !change->is_open && change->open[0] + change->open[1] > 0 &&
           change->p < 1 - all->context.confidence; // false for NAN
}

// Find the rows that are shown as changed, but whose change may be explained by memory of
// code without names (open stacks).  Fills `members`: a stack is assigned to those of
// these rows that it belongs to, and to those whose modules it is open in.  Returns false
// if there is no such row.
static bool find_guarded(const struct comparisons *all,
                         const struct hp_difference *difference,
                         struct hp_members *members) {
    HP_VEC(hp_node_id) guarded = {0};
    size_t nodes = all->members->node_count;
    bool *is_guarded = hp_alloc(nodes * sizeof *is_guarded);
    const struct hp_change *change;
    hp_vec_each (change, &difference->rows) {
        if (needs_guard(all, change)) {
            hp_vec_push(&guarded, change->node);
            is_guarded[change->node.n] = true;
        }
    }
    hp_vec_push(&members->first, (size_t)0);
    for (size_t s = 0; guarded.count > 0 && s + 1 < all->members->first.count; s++) {
        uint64_t modules = all->open->open_stacks[s] & all->open->by_address;
        for (size_t i = 0; modules != 0 && i < guarded.count; i++) {
            if (all->open->of_node[guarded.at[i].n] & modules) {
                hp_vec_push(&members->nodes, guarded.at[i]);
            }
        }
        for (size_t i = all->members->first.at[s]; i < all->members->first.at[s + 1];
             i++) {
            hp_node_id node = all->members->nodes.at[i];
            if (is_guarded[node.n] && !(all->open->of_node[node.n] & modules)) {
                hp_vec_push(&members->nodes, node);
            }
        }
        hp_vec_push(&members->first, members->nodes.count);
    }
    bool is_any = guarded.count > 0;
    hp_vec_done(&guarded);
    free(is_guarded);
    return is_any;
}

// Raise growth_p of a row to that of a comparison in which the side before also has the
// stacks in code without names that may belong to the row, and shrinkage_p to that of one
// in which the side after has them.  Sets p accordingly.  `with_open`: sums of the row
// and these stacks together.
static void guard_row(const struct comparisons *all, const struct hp_sums *with_open,
                      struct hp_change *change) {
    for (int side = 0; side < 2; side++) {
        struct hp_sums sums = all->sums[change->node.n];
        sums.sides[side] = with_open->sides[side];
        struct hp_change other = compare(&all->context, &sums, change->node.n);
        if (side == 0) {
            change->growth_p = fmax(change->growth_p, other.growth_p);
        } else {
            change->shrinkage_p = fmax(change->shrinkage_p, other.shrinkage_p);
        }
    }
    change->p = hp_two_sided(change->growth_p, change->shrinkage_p);
}

// Raise the p-values of all rows whose change may be explained by memory of code without
// names: see guard_row().
static void guard_rows(const struct comparisons *all, struct hp_difference *difference) {
    struct hp_members members = {.node_count = all->members->node_count};
    if (all->overlaps && find_guarded(all, difference, &members)) {
        struct hp_sums *with_open =
            hp_diff_sums_beside(all->view->profile, all->context.sides, &members,
                                all->context.metric, all->sums);
        struct hp_change *change;
        hp_vec_each (change, &difference->rows) {
            if (needs_guard(all, change)) {
                guard_row(all, &with_open[change->node.n], change);
            }
        }
        free(with_open);
    }
    hp_members_done(&members);
}

// --- all rows -----------------------------------------------------------------------------

// Set q and significance.  A significant row has p <= q < 1 - confidence, so that its
// interval excludes 0.
static void mark(struct hp_change *change, double q, double confidence) {
    change->q = q;
    change->is_significant = q < 1 - confidence; // false for NAN
}

// Drop the p-values of rows with too few samples, count the other rows in
// difference->tested, and adjust their p-values for that number (false discovery rate).
static void adjust(struct hp_difference *difference, double confidence) {
    size_t count = difference->rows.count;
    double *q = hp_alloc(count * sizeof *q), *plain = hp_alloc(count * sizeof *plain);
    for (size_t i = 0; i < count; i++) {
        struct hp_change *change = &difference->rows.at[i];
        bool is_tested = change->samples >= least_samples && !change->is_open;
        change->p = is_tested ? change->p : (double)NAN;
        difference->tested += isnan(change->p) ? 0 : 1;
        q[i] = change->p;
        plain[i] = is_tested ? change->plain_p : (double)NAN;
    }
    hp_adjust_significance(q, count);
    hp_adjust_significance(plain, count);
    for (size_t i = 0; i < count; i++) {
        mark(&difference->rows.at[i], q[i], confidence);
        difference->rows.at[i].plain_q = plain[i];
    }
    free(q);
    free(plain);
}

// Compare a total.  It is a single row, so that its p-value needs no adjustment.
static struct hp_change compare_sum(const struct context *c, const struct hp_sums *sum) {
    struct hp_change change = compare(c, sum, 0);
    mark(&change, change.p, c->confidence);
    return change;
}

// Compare all rows that have a value on either side, and the totals.
static void make_rows(struct hp_difference *difference, struct comparisons *all) {
    const struct context *c = &all->context;
    size_t nodes = all->members->node_count;
    for (uint32_t i = 0; i < nodes; i++) {
        const struct hp_sums *sums = &all->sums[i];
        if (sums->sides[0].value != 0 || sums->sides[1].value != 0) {
            struct hp_change change = compare_row(all, i);
            difference->is_same &= change.before == change.after;
            hp_vec_push(&difference->rows, change);
        }
    }
    guard_rows(all, difference);
    adjust(difference, c->confidence);
    difference->total = compare_sum(c, &all->sums[nodes]);
    difference->filtered = compare_sum(c, &all->sums[nodes + 1]);
}

// Return the context for comparing rows over all dumps of the sides, whose totals are
// `total`.
static struct context context_of(const struct hp_view *view, const struct hp_sides *sides,
                                 const struct hp_sums *total) {
    struct context context = {
        .test = hp_difference_test_of(view, sides),
        .is_of_difference = hp_view_is_of_differences(view),
        .metric = view->options.metric,
        .confidence = view->options.confidence,
        .is_reset = hp_reset_is_certain(hp_reset_of_sides(view)),
        .inputs = {(double)sides->dumps[0], (double)sides->dumps[1]},
        .sides = sides,
    };
    hp_error_add(&context.largest, &total->sides[0].error);
    hp_error_add(&context.largest, &total->sides[1].error);
    return context;
}

void hp_difference_init(struct hp_difference *difference, const struct hp_view *view,
                        const struct hp_sides *sides, const struct hp_members *members,
                        const struct hp_open_code *open) {
    *difference = (struct hp_difference){
        .test = hp_difference_test_of(view, sides),
        .is_reset = hp_reset_is_certain(hp_reset_of_sides(view)),
        .inputs = {sides->dumps[0], sides->dumps[1]},
        .groups = {sides->has_groups[0] ? sides->units[0] : 0,
                   sides->has_groups[1] ? sides->units[1] : 0},
        .is_same = true,
    };
    if (is_of_means(difference->test)) {
        difference->shared = hp_process_keys_shared(view->profile->inputs.records.at,
                                                    view->profile->inputs.records.count);
    }
    enum hp_metric metric = view->options.metric;
    bool lives = difference->test == HP_TEST_PROCESS_ACCUM;
    struct hp_sums *sums = hp_diff_sums(view->profile, sides, members, metric, lives);
    const struct hp_sums *total = &sums[members->node_count];
    for (int side = 0; side < 2; side++) {
        difference->stacks[side] =
            hp_mean_of(total->sides[side].value, difference->inputs[side]);
    }
    hp_diff_sums_take_gain(&sums[members->node_count], view->profile, sides, metric,
                           lives);
    if (!view->head.is_filtered) {
        hp_diff_sums_take_gain(&sums[members->node_count + 1], view->profile, sides,
                               metric, lives);
    }
    struct comparisons all = {
        .view = view,
        .members = members,
        .open = open && open->modules.count > 0 ? open : NULL,
        .sums = sums,
        .context = context_of(view, sides, &sums[members->node_count]),
    };
    all.overlaps = all.open ? sum_overlaps(&all) : NULL;
    make_rows(difference, &all);
    hp_named_list_done(&all.named);
    free(all.overlaps);
    free(sums);
}

// Make `members` that assign the stacks that the filters leave to their modules in
// `open`, as nodes.  `rows`: members of the report's rows, which say what filters leave.
static void find_members(const struct hp_open_code *open, const struct hp_members *rows,
                         struct hp_members *members) {
    *members = (struct hp_members){.node_count = open->modules.count};
    hp_vec_push(&members->first, (size_t)0);
    for (size_t s = 0; s + 1 < rows->first.count; s++) {
        uint64_t modules = hp_members_has(rows, s) ? open->of_stack[s] : 0;
        for (uint32_t i = 0; i < open->modules.count; i++) {
            if (modules >> i & 1) {
                hp_vec_push(&members->nodes, (hp_node_id){i});
            }
        }
        hp_vec_push(&members->first, members->nodes.count);
    }
}

void hp_difference_of_modules(struct hp_open_code *open, const struct hp_view *view,
                              const struct hp_sides *sides,
                              const struct hp_members *members) {
    struct hp_members modules;
    size_t count = open->modules.count;
    find_members(open, members, &modules);
    bool lives = hp_difference_test_of(view, sides) == HP_TEST_PROCESS_ACCUM;
    struct hp_sums *sums =
        hp_diff_sums(view->profile, sides, &modules, view->options.metric, lives);
    struct context context = context_of(view, sides, &sums[count]);
    double *p = hp_alloc(count * sizeof *p);
    for (uint32_t i = 0; i < count; i++) {
        struct hp_change change = compare(&context, &sums[i], i);
        open->modules.at[i].growth =
            (struct hp_growth){.before = change.before, .after = change.after};
        p[i] = change.samples >= least_samples ? change.p : (double)NAN;
    }
    hp_adjust_significance(p, count);
    for (size_t i = 0; i < count; i++) {
        open->modules.at[i].growth.p = p[i];
    }
    hp_members_done(&modules);
    free(sums);
    free(p);
}

void hp_difference_done(struct hp_difference *difference) {
    hp_vec_done(&difference->rows);
    hp_open_code_done(&difference->open);
}

// --- results of a row ---------------------------------------------------------------------

static const struct hp_interval unknown = {NAN, NAN};

struct hp_interval hp_change_side(const struct hp_change *change, int side,
                                  double confidence) {
    return change->is_known ? hp_interval_of(change->sides[side], confidence) : unknown;
}

// Extend an interval to include another.
static void widen(struct hp_interval *hull, struct hp_interval other) {
    hull->low = fmin(hull->low, other.low);
    hull->high = fmax(hull->high, other.high);
}

// Replace an end that too few processes leave open (HP_MOST_TIMES) with infinity.  If the
// interval includes 0, the other end says nothing either.
static void open_ends(struct hp_interval *range, const struct hp_change *change,
                      double confidence) {
    struct hp_interval before = hp_change_side(change, 0, confidence);
    struct hp_interval after = hp_change_side(change, 1, confidence);
    double most = HP_MOST_TIMES * fmax(before.high, after.high);
    bool is_low_open = range->low < -most;
    bool is_high_open = range->high > most;
    bool has_zero = range->low <= 0 && range->high >= 0;
    bool is_open = has_zero && (is_low_open || is_high_open);
    range->low = is_low_open || is_open ? -INFINITY : range->low;
    range->high = is_high_open || is_open ? INFINITY : range->high;
}

struct hp_interval hp_change_range(const struct hp_change *change, double confidence) {
    if (!change->is_known) {
        return unknown;
    }
    struct hp_interval range =
        hp_difference_interval(change->tested[0], change->tested[1], confidence);
    if (change->ratio.count > 0) {
        widen(&range, hp_ratio_interval(&change->ratio, confidence));
    }
    if (change->means.sd > 0) {
        widen(&range, hp_contrast_interval(&change->means, confidence));
    }
    if (change->ratio.count > 0 || change->means.sd > 0) {
        open_ends(&range, change, confidence);
    }
    range.low -= change->open[0];
    range.high += change->open[1];
    return range;
}

bool hp_change_is_new(const struct hp_change *change) {
    return change->before == 0 && change->after != 0 && change->open[0] <= 0 &&
           !change->is_of_difference;
}

bool hp_change_is_gone(const struct hp_change *change) {
    return change->before != 0 && change->after == 0 && change->open[1] <= 0 &&
           !change->is_of_difference;
}

const char *hp_change_status(const struct hp_change *change) {
    if (change->before == change->after) {
        return "same";
    }
    if (hp_change_is_new(change) || hp_change_is_gone(change)) {
        return change->before == 0 ? "new" : "gone";
    }
    if (!change->is_significant && !change->is_of_difference) {
        return isnan(change->q) ? "untested" : "unsure";
    }
    return change->after > change->before ? "grew" : "shrank";
}

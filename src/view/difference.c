// One process: interval and p-value of growth from what was freed to what is new in its place.
// Two: from the one dump to the other.  Fleets, H dumps a side: Welch's test of the means with
// the variance
//
//     max(s1^2/H1 + s2^2/H2, W1/H1 + W2/H2) + R^2 (1/H1^2 + 1/H2^2) / 2
//
// where s^2 is the variance between the dumps and W the mean of what sampling makes of it.  The
// larger of its p-value and that of sampling alone counts, and the interval is what either holds:
// for both tests an end of the interval is on the side of 0 that the p-value of this side tells.
#include "view/difference.h"

#include "stats/distributions.h"
#include "stats/measure.h"

#include <math.h>

static const double least_samples = 5; // that a row has to stand on to be tested
static const size_t least_dumps =
    3; // of a side, that rows are compared over if not over all

// --- which test ---------------------------------------------------------------------------

static enum hp_difference_test choose_test(const struct hp_view *view,
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
        bool vary = sides->units[0] > 1 && sides->units[1] > 1;
        return vary ? HP_TEST_FLEETS : HP_TEST_SAMPLING;
    }
    const struct hp_input_record *a = &profile->inputs.at[sides->base.at[0]];
    const struct hp_input_record *b = &profile->inputs.at[sides->new.at[0]];
    if (!hp_identity_is_same(&a->identity, &b->identity)) {
        return HP_TEST_INDEPENDENT;
    }
    bool lives = options->metric == HP_INUSE_SPACE && profile->has_alloc &&
                 !hp_input_missing(a, HP_ALLOC_OBJECTS) &&
                 !hp_input_missing(b, HP_ALLOC_OBJECTS);
    return lives ? HP_TEST_PROCESS_ACCUM : HP_TEST_PROCESS;
}

// --- one row ------------------------------------------------------------------------------

struct context {
    enum hp_difference_test test;
    enum hp_metric metric;
    double confidence;
    double inputs[2];
    const struct hp_sides *sides;
    struct hp_error largest; // its period and weight: what is not seen may hold as much
};

// Of the mean of a side.
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

// Of what a side had or has alone, all of which may be of other sizes than it seems.
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

static double effective_samples(struct hp_measure m) {
    return m.estimate > 0 ? hp_effective_samples(m) : 0;
}

static void test_pair(struct hp_measure before, struct hp_measure after,
                      struct hp_change *change) {
    change->tested[0] = before;
    change->tested[1] = after;
    change->growth_p = hp_growth_p(before, after);
    change->shrinkage_p = hp_growth_p(after, before);
    change->samples = effective_samples(before) + effective_samples(after);
}

// If nothing was freed, all that is less is gone and all that is more is new.
static double least_growth_p(struct hp_measure before, struct hp_measure after) {
    struct hp_measure nothing = {.max_weight = before.max_weight};
    struct hp_measure fresh = after;
    fresh.estimate = fmax(after.estimate - before.estimate, 0);
    fresh.variance = fmax(after.variance - before.variance, 0);
    return hp_two_sided(hp_growth_p(nothing, fresh), 1);
}

static void test_fleets(const struct context *c, const struct hp_sums *sums,
                        struct hp_change *change) {
    double between[2], sampling = 0, jumps = 0, freedom = 0;
    for (int i = 0; i < 2; i++) {
        double n = c->inputs[i], weight = change->sides[i].max_weight;
        between[i] = hp_variance_between(c->sides, i, &sums->sides[i]) / n;
        sampling += (double)sums->sides[i].plug_in / n / n;
        jumps += weight * weight / 2;
        freedom += between[i] * between[i] / ((double)c->sides->units[i] - 1);
    }
    double all = between[0] + between[1];
    freedom = freedom > 0 ? all * all / freedom
                          : (double)(c->sides->units[0] + c->sides->units[1]) - 2;
    double sd = sqrt(fmax(all, sampling) + jumps);
    if (sd <= 0) {
        return; // all is known exactly, and equal in all dumps of a side
    }
    double t = (change->sides[1].estimate - change->sides[0].estimate) / sd;
    change->sd = sd;
    change->freedom = freedom;
    change->growth_p = fmax(change->growth_p, hp_student_above(t, freedom));
    change->shrinkage_p = fmax(change->shrinkage_p, hp_student_above(-t, freedom));
}

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
    if (c->test == HP_TEST_FLEETS) {
        test_fleets(c, sums, change);
    } else if (c->test == HP_TEST_PROCESS) {
        change->least_growth_p = least_growth_p(change->sides[0], change->sides[1]);
    }
    change->p = hp_two_sided(change->growth_p, change->shrinkage_p);
}

static struct hp_change compare(const struct context *c, const struct hp_sums *sums,
                                uint32_t node) {
    struct hp_change change = {
        .node = {node},
        .before = hp_mean_of(sums->sides[0].value, (size_t)c->inputs[0]),
        .after = hp_mean_of(sums->sides[1].value, (size_t)c->inputs[1]),
        .growth_p = NAN,
        .shrinkage_p = NAN,
        .p = NAN,
        .q = NAN,
        .least_growth_p = NAN,
    };
    unsigned flags = sums->sides[0].error.flags | sums->sides[1].error.flags;
    if (c->test != HP_TEST_NONE &&
        (flags == 0 || hp_fraction(c->metric) == HP_SPACE_FRACTION)) {
        test(c, sums, &change);
    }
    return change;
}

// --- code without names ----------------------------------------------------------------------

// Rows of modules that some dumps have no names of are compared over the others.
struct compared {
    uint64_t modules; // of a set of rows
    bool is_enough;   // of dumps
    struct hp_sides sides;
    struct hp_sums *sums;
    struct context context;
};

// The comparisons of all rows.
struct comparisons {
    const struct hp_view *view;
    const struct hp_members *members;
    const struct hp_open_code *open;
    struct context context; // of all dumps
    HP_VEC(struct compared) others;
};

// Below three dumps of a side a test of rows marks too many that have not changed.
static bool is_enough(const struct hp_sides *all, const struct hp_sides *some) {
    bool is = true;
    for (int side = 0; side < 2; side++) {
        is &= !all->has_groups[side] && some->dumps[side] >= least_dumps &&
              2 * some->dumps[side] > all->dumps[side];
    }
    return is;
}

static const struct compared *comparison_of(struct comparisons *all, uint64_t modules) {
    const struct compared *known;
    hp_vec_each (known, &all->others) {
        if (known->modules == modules) {
            return known;
        }
    }
    struct compared compared = {.modules = modules, .context = all->context};
    const struct hp_sides *sides = all->context.sides;
    hp_open_code_sides(all->open, all->view, sides, modules, &compared.sides);
    compared.is_enough = is_enough(sides, &compared.sides);
    if (compared.is_enough) {
        compared.sums = hp_diff_sums(all->view->profile, &compared.sides, all->members,
                                     all->context.metric, false);
        compared.context.inputs[0] = (double)compared.sides.dumps[0];
        compared.context.inputs[1] = (double)compared.sides.dumps[1];
    }
    hp_vec_push(&all->others, compared);
    return &all->others.at[all->others.count - 1];
}

static void comparisons_done(struct comparisons *all) {
    struct compared *compared;
    hp_vec_each (compared, &all->others) {
        hp_sides_done(&compared->sides);
        free(compared->sums);
    }
    hp_vec_done(&all->others);
}

static struct hp_change leave_open(const struct comparisons *all,
                                   const struct hp_sums *sums, uint32_t node,
                                   uint64_t modules) {
    const struct context *c = &all->context;
    struct hp_change change = compare(c, sums, node);
    bool has_name = all->open->nameless[node] == 0;
    change.is_open = true;
    for (int side = 0; side < 2; side++) {
        change.open[side] =
            hp_open_code_bytes(all->open, modules, has_name, side, c->sides, c->metric);
    }
    return change;
}

static struct hp_change compare_row(struct comparisons *all, const struct hp_sums *sums,
                                    uint32_t node) {
    uint64_t modules = all->open ? all->open->of_node[node] : 0;
    if (modules == 0) {
        return compare(&all->context, sums, node);
    }
    const struct compared *other = comparison_of(all, modules);
    if (!other->is_enough || all->open->nameless[node] != 0) {
        return leave_open(all, sums, node, modules);
    }
    struct context c = other->context;
    c.sides = &other->sides;
    return compare(&c, &other->sums[node], node);
}

// --- all rows -----------------------------------------------------------------------------

// A marked row has p <= q < 1 - confidence, so that its interval excludes 0.
static void mark(struct hp_change *change, double q, double confidence) {
    change->q = q;
    change->is_significant = q < 1 - confidence; // false for NAN
}

static void adjust(struct hp_difference *difference, double confidence) {
    size_t count = difference->rows.count;
    double *q = hp_alloc(count * sizeof *q);
    for (size_t i = 0; i < count; i++) {
        struct hp_change *change = &difference->rows.at[i];
        bool is_tested = change->samples >= least_samples && !change->is_open;
        change->p = is_tested ? change->p : (double)NAN;
        difference->tested += isnan(change->p) ? 0 : 1;
        q[i] = change->p;
    }
    hp_adjust_significance(q, count);
    for (size_t i = 0; i < count; i++) {
        mark(&difference->rows.at[i], q[i], confidence);
    }
    free(q);
}

// Of many rows: there is but one, so that nothing has to be adjusted.
static struct hp_change compare_sum(const struct context *c, const struct hp_sums *sum) {
    struct hp_change change = compare(c, sum, 0);
    mark(&change, change.p, c->confidence);
    return change;
}

static void make_rows(struct hp_difference *difference, struct comparisons *all,
                      const struct hp_sums *sums, size_t nodes) {
    const struct context *c = &all->context;
    for (uint32_t i = 0; i < nodes; i++) {
        if (sums[i].sides[0].value != 0 || sums[i].sides[1].value != 0) {
            struct hp_change change = compare_row(all, &sums[i], i);
            difference->is_same &= change.before == change.after;
            hp_vec_push(&difference->rows, change);
        }
    }
    adjust(difference, c->confidence);
    difference->total = compare_sum(c, &sums[nodes]);
    difference->filtered = compare_sum(c, &sums[nodes + 1]);
}

void hp_difference_init(struct hp_difference *difference, const struct hp_view *view,
                        const struct hp_sides *sides, const struct hp_members *members,
                        const struct hp_open_code *open) {
    *difference = (struct hp_difference){
        .test = choose_test(view, sides),
        .inputs = {sides->dumps[0], sides->dumps[1]},
        .groups = {sides->has_groups[0] ? sides->units[0] : 0,
                   sides->has_groups[1] ? sides->units[1] : 0},
        .is_same = true,
    };
    struct hp_sums *sums =
        hp_diff_sums(view->profile, sides, members, view->options.metric,
                     difference->test == HP_TEST_PROCESS_ACCUM);
    struct comparisons all = {
        .view = view,
        .members = members,
        .open = open && open->modules.count > 0 ? open : NULL,
        .context = {.test = difference->test,
                    .metric = view->options.metric,
                    .confidence = view->options.confidence,
                    .inputs = {(double)sides->dumps[0], (double)sides->dumps[1]},
                    .sides = sides},
    };
    hp_error_add(&all.context.largest, &sums[members->node_count].sides[0].error);
    hp_error_add(&all.context.largest, &sums[members->node_count].sides[1].error);
    make_rows(difference, &all, sums, members->node_count);
    comparisons_done(&all);
    free(sums);
}

void hp_difference_done(struct hp_difference *difference) {
    hp_vec_done(&difference->rows);
    hp_open_code_done(&difference->open);
}

// --- what a row says ----------------------------------------------------------------------

static const struct hp_interval unknown = {NAN, NAN};

struct hp_interval hp_change_side(const struct hp_change *change, int side,
                                  double confidence) {
    return change->is_known ? hp_interval_of(change->sides[side], confidence) : unknown;
}

struct hp_interval hp_change_range(const struct hp_change *change, double confidence) {
    if (!change->is_known) {
        return unknown;
    }
    struct hp_interval range =
        hp_difference_interval(change->tested[0], change->tested[1], confidence);
    if (change->sd > 0) {
        double growth = change->sides[1].estimate - change->sides[0].estimate;
        double half =
            change->sd * hp_student_quantile_above((1 - confidence) / 2, change->freedom);
        range.low = fmin(range.low, growth - half);
        range.high = fmax(range.high, growth + half);
    }
    range.low -= change->open[0];
    range.high += change->open[1];
    return range;
}

bool hp_change_is_new(const struct hp_change *change) {
    return change->before == 0 && change->after != 0 && change->open[0] <= 0;
}

bool hp_change_is_gone(const struct hp_change *change) {
    return change->before != 0 && change->after == 0 && change->open[1] <= 0;
}

const char *hp_change_status(const struct hp_change *change) {
    if (change->before == change->after) {
        return "same";
    }
    if (hp_change_is_new(change) || hp_change_is_gone(change)) {
        return change->before == 0 ? "new" : "gone";
    }
    if (!change->is_significant) {
        return isnan(change->q) ? "untested" : "unsure";
    }
    return change->after > change->before ? "grew" : "shrank";
}

// With the period R, an object of S bytes is sampled with probability p = 1 - e^(-S/R).
// C objects in all, B bytes, add to a sum
//
//     the variance hp_variance_of(B, C, R), and C p samples of C p S bytes.
//
// If sizes are mixed, hp_variance_bound() of the mean size is used for intervals, and the
// number of samples is that of sizes between 0 and twice the mean: nearly that of gamma
// variables of the shape 3, whose standard deviation is the same share of the mean.
// Objects of unknown number are taken to be small, with the variance B R.
//
// The best probabilities are min(1, c S).  Their variance is the sum of C S^2 (1 - p) / p,
// and c is the number that gives as many samples.
//
// Several processes a side are compared by logarithms (view/difference.c).  The logarithm
// of one process's sum varies by log(1 + v^2) + N / B^2, where v is the spread between
// processes as a share and N the variance that sampling adds; of a side that is larger by
// the share c it is N / B^2 / (1 + c).
#include "view/plan_sums.h"

#include <math.h>

enum {
    HALVINGS = 100, // steps of a search for a number
    REPEATS = 4,    // of a number that depends on itself
};

static const double least_samples = 5;    // of both sides of a row that diff tests
static const double close_changes = 0.01; // differences that are not followed

// --- parts --------------------------------------------------------------------------------

// Add the objects of a stack, by size if sizes are known.
static void add_stack(struct hp_plan_parts *parts, const struct hp_profile *profile,
                      uint32_t stack, enum hp_column column) {
    const struct hp_sizes *sizes = &profile->sizes[column];
    const struct hp_size_part *part =
        stack < sizes->stacks.count ? hp_sizes_of(sizes, stack) : NULL;
    enum hp_metric space = hp_space_of(column), objects = hp_objects_of(column);
    const struct hp_values *values = &profile->stacks.at[stack].values;
    struct hp_plan_part whole = {stack, true, hp_fixed_double(values->of[space], space),
                                 hp_fixed_double(values->of[objects], objects)};
    size_t before = parts->of.count;
    for (; part; part = hp_sizes_next(sizes, part)) {
        struct hp_plan_part of = {stack, part->size == HP_MIXED_SIZES,
                                  hp_fixed_double(part->bytes, space),
                                  hp_fixed_double(part->objects, objects)};
        hp_vec_push(&parts->of, of);
    }
    if (before == parts->of.count && whole.bytes > 0) {
        hp_vec_push(&parts->of, whole);
    }
}

// Order of the parts of a stack, as the lists of sizes have none.
static int by_size(const void *left, const void *right) {
    const struct hp_plan_part *a = left, *b = right;
    if (a->stack != b->stack) {
        return a->stack < b->stack ? -1 : 1;
    }
    return a->bytes != b->bytes ? (a->bytes < b->bytes ? -1 : 1)
                                : (a->objects > b->objects) - (a->objects < b->objects);
}

void hp_plan_parts_init(struct hp_plan_parts *parts, const struct hp_profile *profile,
                        enum hp_column column) {
    *parts = (struct hp_plan_parts){0};
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        add_stack(parts, profile, i, column);
    }
    hp_vec_sort(&parts->of, by_size);
}

void hp_plan_parts_done(struct hp_plan_parts *parts) {
    hp_vec_done(&parts->of);
}

// --- sums ---------------------------------------------------------------------------------

double hp_plan_share(double size, uint64_t period) {
    return period > 1 ? -expm1(-size / (double)period) : 1;
}

// Return the share of objects of mixed sizes that is sampled.
static double mixed_share(double mean, uint64_t period) {
    static const double shape = 3;
    return period > 1 ? 1 - pow(1 + mean / shape / (double)period, -shape) : 1;
}

void hp_plan_sum_add(struct hp_plan_sum *sum, const struct hp_plan_part *part,
                     uint64_t period) {
    if (!(part->bytes > 0)) {
        return;
    }
    sum->bytes += part->bytes;
    if (!(part->objects > 0)) {
        sum->variance += part->bytes * (double)period;
        sum->noise += part->bytes * (double)period;
        sum->samples += part->bytes / (double)period;
        return;
    }
    double p = hp_plan_share(part->bytes / part->objects, period);
    double noise = hp_variance_of(part->bytes, part->objects, period);
    sum->variance +=
        part->is_mixed ? hp_variance_bound(part->bytes, part->objects, period) : noise;
    sum->noise += noise;
    sum->observed += p * part->bytes;
    sum->samples +=
        (part->is_mixed ? mixed_share(part->bytes / part->objects, period) : p) *
        part->objects;
}

struct hp_plan_sum hp_plan_sum_of(const struct hp_plan_parts *parts, uint64_t period) {
    struct hp_plan_sum sum = {0};
    const struct hp_plan_part *part;
    hp_vec_each (part, &parts->of) {
        hp_plan_sum_add(&sum, part, period);
    }
    return sum;
}

// Whether a stack has a node.
static bool has_node(const struct hp_members *members, uint32_t stack, hp_node_id node) {
    for (size_t i = members->first.at[stack]; i < members->first.at[stack + 1]; i++) {
        if (members->nodes.at[i].n == node.n) {
            return true;
        }
    }
    return false;
}

struct hp_plan_sum hp_plan_sum_of_node(const struct hp_plan_parts *parts,
                                       const struct hp_members *members, hp_node_id node,
                                       uint64_t period) {
    struct hp_plan_sum sum = {0};
    const struct hp_plan_part *part;
    hp_vec_each (part, &parts->of) {
        if (has_node(members, part->stack, node)) {
            hp_plan_sum_add(&sum, part, period);
        }
    }
    return sum;
}

size_t hp_plan_tested(const struct hp_plan_parts *parts, const struct hp_members *members,
                      double dumps, uint64_t period) {
    struct hp_plan_sum *sums = hp_alloc((members->node_count + 1) * sizeof *sums);
    const struct hp_plan_part *part;
    size_t tested = 0;
    hp_vec_each (part, &parts->of) {
        size_t end = members->first.at[part->stack + 1];
        for (size_t i = members->first.at[part->stack]; i < end; i++) {
            hp_plan_sum_add(&sums[members->nodes.at[i].n], part, period);
        }
    }
    for (size_t i = 0; i < members->node_count; i++) {
        struct hp_measure one = hp_plan_measure(&sums[i], dumps, period);
        tested += one.estimate > 0 && 2 * hp_effective_samples(one) >= least_samples;
    }
    free(sums);
    return tested;
}

struct hp_measure hp_plan_measure(const struct hp_plan_sum *sum, double dumps,
                                  uint64_t period) {
    return (struct hp_measure){
        .estimate = sum->bytes / dumps,
        .highest = sum->bytes / dumps,
        .variance = sum->variance / dumps,
        .observed = sum->observed / dumps,
        .max_weight = period > 1 ? (double)period : 0,
    };
}

// --- the best probabilities ---------------------------------------------------------------

// Sums over all parts at the probabilities min(1, c S): the samples and the variance.
struct best {
    double samples, variance;
};

static struct best best_at(const struct hp_plan_parts *parts, double c) {
    struct best best = {0, 0};
    const struct hp_plan_part *part;
    hp_vec_each (part, &parts->of) {
        if (part->bytes > 0 && part->objects > 0) {
            double size = part->bytes / part->objects, p = fmin(1, c * size);
            best.samples += part->objects * p;
            best.variance += part->bytes * size * (1 - p) / p;
        }
    }
    return best;
}

double hp_plan_ratio(const struct hp_plan_parts *parts, uint64_t period) {
    struct hp_plan_sum sum = {0};
    const struct hp_plan_part *part;
    double low = 0, high = 1;
    hp_vec_each (part, &parts->of) {
        struct hp_plan_part equal = *part; // as best_at() has it
        equal.is_mixed = false;
        if (part->objects > 0) {
            hp_plan_sum_add(&sum, &equal, period);
        }
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (best_at(parts, middle).samples < sum.samples) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double best = best_at(parts, high).variance;
    return best > 0 ? sum.noise / best : (double)NAN;
}

// --- changes ------------------------------------------------------------------------------

// The growth of a process that is known to free only a share of its memory, as diff tests
// it with allocations in between.
static struct hp_growth_model model_of_lives(struct hp_measure one, double noise,
                                             double freed) {
    struct hp_growth_model model = hp_growth_model_of(one, noise);
    model.per_byte.observed = 0;
    model.before = (struct hp_measure){.estimate = freed * one.estimate,
                                       .highest = freed * one.estimate,
                                       .variance = freed * one.variance,
                                       .max_weight = one.max_weight};
    model.after = model.before;
    model.noise = 2 * freed * noise;
    return model;
}

struct hp_plan_tests {
    struct hp_side_power *power;
    double raised; // factor of the variance between processes
};

struct hp_plan_tests *hp_plan_tests_new(size_t processes, struct hp_plan_spread spread,
                                        double level) {
    struct hp_plan_tests *tests = hp_alloc(sizeof *tests);
    const size_t count[2] = {processes, processes};
    tests->power = hp_side_power_new(count, level);
    tests->raised = 1;
    if (spread.share > 0) {
        double unsure = hp_detectable_difference(tests->power, 0, spread.freedom);
        double sure = hp_detectable_difference(tests->power, 0, INFINITY);
        tests->raised = unsure / sure * (unsure / sure);
    }
    return tests;
}

void hp_plan_tests_free(struct hp_plan_tests *tests) {
    if (tests) {
        hp_side_power_free(tests->power);
    }
    free(tests);
}

// The smallest change that several processes a side show.
static double change_of_sides(struct hp_measure one, double noise,
                              struct hp_plan_spread spread,
                              struct hp_plan_comparison of) {
    double n = (double)of.processes, bytes = one.estimate, change = 0, before;
    double natural = log1p(spread.share * spread.share) * of.tests->raised;
    double sampled = noise / bytes / bytes;
    struct hp_measure mean = one; // of n processes
    mean.variance /= n;
    mean.max_weight /= n;
    struct hp_growth_model model = hp_growth_model_of(mean, noise / n);
    double least = log1p(hp_growth_at(&model, of.level) / bytes);
    if (natural + sampled <= 0) {
        return expm1(least);
    }
    for (int i = 0; i < REPEATS; i++) {
        double error = sqrt((2 * natural + sampled * (1 + 1 / (1 + change))) / n);
        before = change;
        change = expm1(
            error * hp_detectable_difference(of.tests->power, least / error, INFINITY));
        if (fabs(change - before) <= close_changes * change) {
            break;
        }
    }
    return change;
}

double hp_plan_change(const struct hp_plan_sum *sum, double dumps, uint64_t period,
                      struct hp_plan_spread spread, struct hp_plan_comparison of) {
    struct hp_measure one = hp_plan_measure(sum, dumps, period);
    double noise = sum->noise / dumps;
    if (!(one.estimate > 0)) {
        return NAN;
    }
    if (of.processes > 1) {
        struct hp_plan_tests *own =
            of.tests ? NULL : hp_plan_tests_new(of.processes, spread, of.level);
        of.tests = of.tests ? of.tests : own;
        double change = change_of_sides(one, noise, spread, of);
        hp_plan_tests_free(own);
        return change;
    }
    struct hp_growth_model model = of.freed < 1 ? model_of_lives(one, noise, of.freed)
                                                : hp_growth_model_of(one, noise);
    return hp_detectable_growth(&model, of.level, 0) / one.estimate;
}

// Formulas.  The plug-in variance of B bytes in C objects is B g(B/C), where
//
//     g(S) = S / (e^(S/R) - 1)
//
// and R is the sample period.  It is exact for objects of one size; hp_error has an upper
// bound for any sizes.
//
// Two dumps of one process with prof_accum: L1 and L2 are a stack's bytes in use in the
// first and the second dump, A1 and A2 its bytes ever allocated.  Between the dumps
//
//     F = (A2 - A1) - (L2 - L1)
//
// bytes were freed, some of them also allocated in between.  The part of L1 that was
// freed is a part of F and a part of L1.  So it is estimated by F or L1, whichever has
// the smaller bound of its variance; the new part of L2 is that estimate plus L2 - L1.
#include "view/diff_sums.h"

#include "stats/measure.h"

#include <math.h>

// Convert a variance to an integer, limited to [0, 2^120].
static hp_int128 whole(double x) {
    return (hp_int128)fmin(fmax(x, 0), 0x1p120);
}

// Count the units of a side of a comparison: its dumps, or the replicates that have
// dumps.  Also computes sides->between, the sums of each replicate.
static void count_units(struct hp_sides *sides, const struct hp_profile *profile,
                        int side) {
    uint64_t dumps[HP_REPLICATES];
    sides->units[side] = sides->has_merged[side] ? 1 : sides->dumps[side];
    if (sides->has_groups[side]) {
        hp_between_init(&sides->between[side], profile, side == 0);
        hp_between_dumps(&sides->between[side], dumps);
        sides->units[side] = 0;
        for (unsigned i = 0; i < HP_REPLICATES; i++) {
            sides->units[side] += dumps[i] > 0;
        }
    }
}

void hp_sides_init(struct hp_sides *sides, const struct hp_profile *profile) {
    *sides = (struct hp_sides){0};
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        if (!hp_input_is_used(input)) {
            continue;
        }
        if (input->is_base) {
            hp_vec_push(&sides->base, i);
        } else {
            hp_vec_push(&sides->new, i);
        }
        sides->dumps[!input->is_base] += hp_input_dumps(input);
        sides->has_merged[!input->is_base] |= hp_input_dumps(input) > 1 + input->others;
        sides->has_groups[!input->is_base] |= input->is_group;
    }
    count_units(sides, profile, 0);
    count_units(sides, profile, 1);
}

const struct hp_input_record *hp_sides_input(const struct hp_sides *sides,
                                             const struct hp_profile *profile, int side,
                                             size_t number) {
    return &profile->inputs.records
                .at[side == 0 ? sides->base.at[number] : sides->new.at[number]];
}

bool hp_sides_have_units(const struct hp_sides *sides, int side, enum hp_metric metric) {
    return !sides->has_groups[side] || hp_fraction(metric) == HP_SPACE_FRACTION;
}

void hp_sides_done(struct hp_sides *sides) {
    hp_vec_done(&sides->base);
    hp_vec_done(&sides->new);
    hp_between_done(&sides->between[0]);
    hp_between_done(&sides->between[1]);
}

// --- one process --------------------------------------------------------------------------

// One stack in one dump of a process with prof_accum.
struct life {
    // Estimates of the stack's memory in use, and of all its allocations since the
    // process began (ever_*).
    hp_fixed bytes, ever_bytes, ever_objects, objects;
    hp_int128 variance; // of `bytes`
    uint64_t period;    // sample period; 0: unsampled
};

// Add what one input adds to a stack (`seen`); `period` is the sample period of the
// input, 0 or 1: unsampled.
static void add_to_life(struct life *life, const struct hp_observation *seen,
                        uint64_t period) {
    life->bytes += seen->values.of[HP_INUSE_SPACE];
    life->objects += seen->values.of[HP_INUSE_OBJECTS];
    life->ever_bytes += seen->values.of[HP_ALLOC_SPACE];
    life->ever_objects += seen->values.of[HP_ALLOC_OBJECTS];
    life->variance += seen->errors[HP_COLUMN_INUSE].variance;
    life->period = period > 1 ? period : 0;
}

static hp_int128 bound_of(double bytes, double objects, uint64_t period) {
    return whole(hp_variance_bound(bytes, objects, period));
}

// Return the variance of a stack's bytes in use, but at least the upper bound for objects
// of any sizes: even if the sum is certain, the part of it that was freed or is new is
// not.
static hp_int128 variance_of(const struct life *life) {
    hp_int128 bound =
        bound_of(hp_fixed_double(life->bytes, HP_INUSE_SPACE),
                 hp_fixed_double(life->objects, HP_INUSE_OBJECTS), life->period);
    return bound > life->variance ? bound : life->variance;
}

// Estimate the bytes of a stack that were freed between the dumps `a` and `b`, whenever
// they were allocated.  Returns false if the numbers are inconsistent, as the amounts
// ever allocated have decreased.
static bool freed_between(const struct life *a, const struct life *b,
                          struct hp_part *freed) {
    hp_fixed bytes = b->ever_bytes - a->ever_bytes - (b->bytes - a->bytes);
    hp_fixed objects = b->ever_objects - a->ever_objects - (b->objects - a->objects);
    if (b->ever_bytes < a->ever_bytes || b->ever_objects < a->ever_objects) {
        return false;
    }
    uint64_t period = a->period > b->period ? a->period : b->period;
    freed->bytes = bytes > 0 ? bytes : 0;
    freed->variance = 0;
    if (bytes > 0 && objects > 0) {
        freed->variance = bound_of(hp_fixed_double(bytes, HP_INUSE_SPACE),
                                   hp_fixed_double(objects, HP_INUSE_OBJECTS), period);
    }
    return true;
}

static void add_part(struct hp_part *sum, struct hp_part part) {
    sum->bytes += part.bytes;
    sum->variance += part.variance;
}

// Add the memory of a stack that was freed (`gone`) and the memory that is new to the
// sums of a node.
static void add_life(struct hp_sums *sums, struct hp_part gone, struct hp_part fresh) {
    add_part(&sums->freed, gone);
    add_part(&sums->fresh, fresh);
}

// Estimate how much memory of each stack was freed, and how much is new, and add both to
// the sums of its nodes and of the totals.
static void sum_lives(struct life *const lives[2], size_t stacks,
                      const struct hp_members *members, struct hp_sums *sums) {
    for (size_t s = 0; s < stacks; s++) {
        const struct life *a = &lives[0][s], *b = &lives[1][s];
        hp_int128 variance = variance_of(a);
        struct hp_part gone = {0};
        if (!freed_between(a, b, &gone) || gone.variance >= variance) {
            gone = (struct hp_part){a->bytes, variance};
        }
        struct hp_part fresh = {gone.bytes + b->bytes - a->bytes,
                                gone.variance + variance_of(b) - variance};
        fresh.bytes = fresh.bytes > 0 ? fresh.bytes : 0;
        fresh.variance = fresh.variance > 0 ? fresh.variance : 0;
        for (size_t i = members->first.at[s]; i < members->first.at[s + 1]; i++) {
            add_life(&sums[members->nodes.at[i].n], gone, fresh);
        }
        add_life(&sums[members->node_count], gone, fresh);
        if (hp_members_has(members, s)) {
            add_life(&sums[members->node_count + 1], gone, fresh);
        }
    }
}

// --- sides --------------------------------------------------------------------------------

// State of adding up the sides of a comparison in the report's metric.  Each stack adds
// its value to its nodes and to the total, and, if the filters leave something of it, to
// the filtered total.
struct side_adder {
    const struct hp_profile *profile;
    const struct hp_members *members;
    enum hp_metric metric;
    const struct hp_sides *sides;
    struct hp_sums *sums;     // the result: by node, then total and filtered total
    struct life *lives[2];    // for each side, by stack; NULL: not computed
    hp_fixed *now;            // for each node: its value in the current unit
    HP_VEC(uint32_t) touched; // nodes whose `now` may differ from 0
};

static size_t sum_count(const struct side_adder *adder) {
    return adder->members->node_count + 2;
}

// Return the plug-in variance of what one input adds to one stack, as if all its objects
// had one size.
static hp_int128 plug_in(const struct hp_observation *seen, enum hp_metric metric,
                         uint64_t period) {
    const struct hp_error *error = &seen->errors[hp_column_of(metric)];
    enum hp_metric objects = hp_objects_of(hp_column_of(metric));
    if (hp_fraction(metric) != HP_SPACE_FRACTION) {
        return error->objects_variance >> HP_ERROR_FRACTION;
    }
    return whole(hp_variance_of(hp_fixed_double(seen->values.of[metric], metric),
                                hp_fixed_double(seen->values.of[objects], objects),
                                period));
}

static void add_to(struct side_adder *adder, uint32_t node, int side,
                   const struct hp_observation *seen, hp_int128 variance) {
    struct hp_side_sum *sum = &adder->sums[node].sides[side];
    sum->value += seen->values.of[adder->metric];
    sum->plug_in += variance;
    hp_error_add(&sum->error, &seen->errors[hp_column_of(adder->metric)]);
}

// Add the values, errors and plug-in variances of an input to one side.
static void add_input(struct side_adder *adder, int side,
                      const struct hp_input_record *input) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    const struct hp_members *members = adder->members;
    uint32_t total = (uint32_t)members->node_count;
    hp_history_open(&reader, &adder->profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        uint64_t period = input->is_group
                              ? seen.errors[hp_column_of(adder->metric)].period
                              : input->period;
        hp_int128 variance = plug_in(&seen, adder->metric, period);
        if (adder->lives[side]) {
            add_to_life(&adder->lives[side][seen.stack], &seen, input->period);
        }
        for (size_t i = members->first.at[seen.stack];
             i < members->first.at[seen.stack + 1]; i++) {
            add_to(adder, members->nodes.at[i].n, side, &seen, variance);
        }
        add_to(adder, total, side, &seen, variance);
        if (hp_members_has(members, seen.stack)) {
            add_to(adder, total + 1, side, &seen, variance);
        }
    }
    hp_history_done_reading(&reader);
}

static void add_side(struct side_adder *adder, int side) {
    size_t count = side == 0 ? adder->sides->base.count : adder->sides->new.count;
    for (size_t i = 0; i < count; i++) {
        add_input(adder, side, hp_sides_input(adder->sides, adder->profile, side, i));
    }
}

// --- units --------------------------------------------------------------------------------

// Return half the amount that one sample represents, at least 1: half of the variance of
// the sum of both sides, divided by that sum.
static double half_sample(const struct hp_sums *sums, enum hp_metric metric) {
    double bytes = 0, variance = 0;
    for (int side = 0; side < 2; side++) {
        struct hp_measure m =
            hp_measure_of(sums->sides[side].value, &sums->sides[side].error, metric);
        bytes += m.estimate;
        variance += m.variance;
    }
    return bytes > 0 ? fmax(variance / bytes / 2, 1) : 1;
}

// Add a stack's value to the sum of a node, or of a total, in the current unit.
static void add_now(struct side_adder *adder, uint32_t node, hp_fixed value) {
    if (adder->now[node] == 0 && value != 0) {
        hp_vec_push(&adder->touched, node);
    }
    adder->now[node] += value;
}

// Add a stack's value in the current unit to its nodes and to the totals.
static void add_stack(struct side_adder *adder, uint32_t stack, hp_fixed value) {
    const struct hp_members *members = adder->members;
    uint32_t total = (uint32_t)members->node_count;
    for (size_t i = members->first.at[stack]; i < members->first.at[stack + 1]; i++) {
        add_now(adder, members->nodes.at[i].n, value);
    }
    add_now(adder, total, value);
    if (hp_members_has(members, stack)) {
        add_now(adder, total + 1, value);
    }
}

// Add a unit, with its mean value per dump, to the distributions of one node.
static void add_unit(struct hp_sums *sums, int side, double mean, double weight) {
    if (mean != 0) {
        double log = log1p(fmax(mean, 0) / sums->half_sample);
        hp_scatter_add(&sums->sides[side].values, mean, weight);
        hp_scatter_add(&sums->sides[side].logs, log, weight);
    }
}

// Add a value of 0 for each unit of a side that a node has no memory in.
static void fill_units(struct hp_sums *sums, const struct hp_sides *sides, int side) {
    double weight =
        (double)(sides->has_groups[side] ? sides->dumps[side] : sides->units[side]);
    hp_scatter_fill(&sums->sides[side].values, sides->units[side], weight);
    hp_scatter_fill(&sums->sides[side].logs, sides->units[side], weight);
}

// End a unit of `dumps` dumps: add its mean value per dump to the distributions of each
// node, and clear the unit.
static void end_unit(struct side_adder *adder, int side, double dumps, double weight) {
    for (size_t i = 0; i < adder->touched.count; i++) {
        uint32_t node = adder->touched.at[i];
        struct hp_sums *sums = &adder->sums[node];
        double mean = hp_fixed_double(adder->now[node], adder->metric) / dumps;
        add_unit(sums, side, mean, weight);
        adder->now[node] = 0;
    }
    adder->touched.count = 0;
}

// Add the values of an input to the current unit.
static void add_dump(struct side_adder *adder, const struct hp_input_record *input) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &adder->profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        add_stack(adder, seen.stack, seen.values.of[adder->metric]);
    }
    hp_history_done_reading(&reader);
}

// Add each dump as one unit.  If one was merged from several, how these differ is lost:
// all dumps are one unit, which counts as one value.
static void add_dumps(struct side_adder *adder, int side) {
    const struct hp_sides *sides = adder->sides;
    size_t count = side == 0 ? sides->base.count : sides->new.count;
    for (size_t i = 0; i < count; i++) {
        add_dump(adder, hp_sides_input(sides, adder->profile, side, i));
        if (!sides->has_merged[side]) {
            end_unit(adder, side, 1, 1);
        }
    }
    if (sides->has_merged[side]) {
        end_unit(adder, side, (double)sides->dumps[side], 1);
    }
}

// Add each replicate as one unit.  The sums are sorted by column and replicate.
static void add_groups(struct side_adder *adder, int side) {
    const struct hp_between *between = &adder->sides->between[side];
    uint64_t dumps[HP_REPLICATES];
    const struct hp_replicate *sum, *end = between->sums.all.at + between->sums.all.count;
    hp_between_dumps(between, dumps);
    hp_vec_each (sum, &between->sums.all) {
        unsigned group = hp_replicate_group(sum);
        if (hp_replicate_column(sum) != hp_column_of(adder->metric)) {
            continue;
        }
        add_stack(adder, hp_replicate_stack(sum),
                  (hp_fixed)((hp_uint128)sum->bytes << HP_SPACE_FRACTION));
        if (sum + 1 == end || hp_replicate_group(sum + 1) != group ||
            hp_replicate_column(sum + 1) != hp_replicate_column(sum)) {
            double merged = dumps[group] > 0 ? (double)dumps[group] : 1;
            end_unit(adder, side, merged, merged);
        }
    }
}

// Add all units (dumps or replicates) of a side, then a value of 0 for each unit that a
// node has no memory in.
static void add_units(struct side_adder *adder, int side) {
    const struct hp_sides *sides = adder->sides;
    if (!hp_sides_have_units(sides, side, adder->metric)) {
        return;
    }
    if (sides->has_groups[side]) {
        add_groups(adder, side);
    } else {
        add_dumps(adder, side);
    }
    for (size_t i = 0; i < sum_count(adder); i++) {
        fill_units(&adder->sums[i], sides, side);
    }
}

// Do the work of hp_diff_sums() and hp_diff_sums_beside().  `rows`: earlier result whose
// half_sample is used; NULL: compute half_sample.  `lives`: for each side an array to
// fill, with one entry for each stack; or NULL.
static struct hp_sums *sum_sides(const struct hp_profile *profile,
                                 const struct hp_sides *sides,
                                 const struct hp_members *members, enum hp_metric metric,
                                 const struct hp_sums *rows,
                                 struct life *const lives[2]) {
    struct side_adder adder = {.profile = profile,
                               .members = members,
                               .metric = metric,
                               .sides = sides,
                               .lives = {lives[0], lives[1]}};
    adder.sums = hp_alloc(sum_count(&adder) * sizeof *adder.sums);
    adder.now = hp_alloc(sum_count(&adder) * sizeof *adder.now);
    add_side(&adder, 0);
    add_side(&adder, 1);
    for (size_t i = 0; i < sum_count(&adder); i++) {
        adder.sums[i].half_sample =
            rows ? rows[i].half_sample : half_sample(&adder.sums[i], metric);
    }
    // With lives, each side has a single dump: there is no distribution over units.
    for (int side = 0; side < 2 && !lives[side]; side++) {
        add_units(&adder, side);
    }
    hp_vec_done(&adder.touched);
    free(adder.now);
    return adder.sums;
}

struct hp_sums *hp_diff_sums(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives) {
    struct life *of[2] = {NULL, NULL};
    size_t stacks = profile->stacks.count;
    for (int side = 0; side < 2 && lives; side++) {
        of[side] = hp_alloc(stacks * sizeof *of[side]);
    }
    struct hp_sums *sums = sum_sides(profile, sides, members, metric, NULL, of);
    if (lives) {
        sum_lives(of, stacks, members, sums);
    }
    free(of[0]);
    free(of[1]);
    return sums;
}

struct hp_sums *hp_diff_sums_beside(const struct hp_profile *profile,
                                    const struct hp_sides *sides,
                                    const struct hp_members *members,
                                    enum hp_metric metric, const struct hp_sums *rows) {
    struct life *none[2] = {NULL, NULL};
    return sum_sides(profile, sides, members, metric, rows, none);
}

// --- headers ------------------------------------------------------------------------------

static size_t input_count(const struct hp_sides *sides, int side) {
    return side == 0 ? sides->base.count : sides->new.count;
}

// The sums of the gains of both sides, in a metric.
struct gained {
    enum hp_metric metric;
    hp_fixed of[2];
};

// Add each dump of one side, with its gain, to the distributions of the total.
static void scatter_dumps(struct hp_sums *total, const struct hp_profile *profile,
                          const struct hp_sides *sides, int side, enum hp_metric metric) {
    for (size_t i = 0; i < input_count(sides, side); i++) {
        const struct hp_input_record *input = hp_sides_input(sides, profile, side, i);
        struct hp_error ignored = {0};
        hp_fixed value = input->total.of[metric];
        hp_input_add_gain(input, hp_column_of(metric), &value, &ignored);
        add_unit(total, side, hp_fixed_double(value, metric), 1);
    }
}

// Add each replicate of one side to the distributions of the total.  The gains of single
// dumps are not known: each dump has the mean gain of the side, so that the mean is that
// of the headers.
static void scatter_groups(struct hp_sums *total, const struct hp_sides *sides, int side,
                           enum hp_metric metric, double gain) {
    struct hp_group_sums groups =
        hp_between_groups(&sides->between[side], hp_column_of(metric));
    for (unsigned i = 0; i < HP_REPLICATES; i++) {
        if (groups.dumps[i] > 0) {
            add_unit(total, side, groups.bytes[i] / groups.dumps[i] + gain,
                     groups.dumps[i]);
        }
    }
}

// Make the distribution of the total over the units of one side anew.  `gained`: the sum
// of the gains of the side.
static void scatter_totals(struct hp_sums *total, const struct hp_profile *profile,
                           const struct hp_sides *sides, int side,
                           const struct gained *gained) {
    struct hp_side_sum *sum = &total->sides[side];
    sum->values = sum->logs = (struct hp_scatter){0};
    if (sides->has_groups[side]) {
        double gain = hp_fixed_double(gained->of[side], gained->metric);
        scatter_groups(total, sides, side, gained->metric,
                       gain / (double)sides->dumps[side]);
    } else {
        scatter_dumps(total, profile, sides, side, gained->metric);
    }
    fill_units(total, sides, side);
}

void hp_diff_sums_take_gain(struct hp_sums *total, const struct hp_profile *profile,
                            const struct hp_sides *sides, enum hp_metric metric,
                            bool lives) {
    struct gained gained = {.metric = metric};
    bool has_gain = false;
    if (hp_fraction(metric) != HP_SPACE_FRACTION || !hp_profile_has_all_shards(profile)) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < input_count(sides, side); i++) {
            const struct hp_input_record *input = hp_sides_input(sides, profile, side, i);
            hp_input_add_gain(input, hp_column_of(metric), &gained.of[side],
                              &total->sides[side].error);
            has_gain |= input->has_gain;
        }
        total->sides[side].value += gained.of[side];
    }
    if (lives) {
        hp_fixed more = gained.of[1] - gained.of[0];
        *(more > 0 ? &total->fresh.bytes : &total->freed.bytes) +=
            more > 0 ? more : -more;
    } else if (has_gain) {
        scatter_totals(total, profile, sides, 0, &gained);
        scatter_totals(total, profile, sides, 1, &gained);
    }
}

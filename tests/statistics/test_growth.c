// The test of docs/explanation/statistics.md for the difference of two independent
// dumps.  Stacks that did not grow must not seem to have grown more often than their
// p-values promise; stacks that grew must be found as often as possible; and intervals
// must contain the true difference.
#include "lines.h"

#include "stats/distributions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum {
    PAIRS = 100000,
    R = PERIOD,
    SIDES = 2,
};

// --- pairs of dumps ---------------------------------------------------------------------

// The result of a pair of lines, kept because few pairs are different.
struct pair_comparison {
    bool known;
    struct hp_count printed[SIDES];
    double growth;            // p-value of the growth
    double samples;           // effective number of samples in both lines
    struct hp_interval range; // confidence interval of the difference
};

enum {
    COMPARISONS = 1 << 16,
};

static struct pair_comparison comparisons[COMPARISONS];
static struct line_reading readings[SIDES];

static void begin(uint64_t before, uint64_t after, enum hp_scaling scaling) {
    memset(comparisons, 0, sizeof comparisons);
    reading_init(&readings[0], before, scaling);
    reading_init(&readings[1], after, scaling);
}

static struct pair_comparison work_out(const struct hp_count printed[SIDES]) {
    struct hp_measure measures[SIDES];
    struct pair_comparison c = {.known = true, .printed = {printed[0], printed[1]}};
    for (int side = 0; side < SIDES; side++) {
        struct estimate estimate = reading_of(&readings[side], printed[side]);
        measures[side] = measure_of(&estimate);
        c.samples += printed[side].objects > 0 ? hp_effective_samples(measures[side]) : 0;
    }
    c.growth = hp_growth_p(measures[0], measures[1]);
    c.range = hp_difference_interval(measures[0], measures[1], 0.95);
    return c;
}

static const struct pair_comparison *compare(const struct source *before,
                                             const struct source *after,
                                             struct hps_random *random) {
    struct hp_count printed[SIDES] = {
        reading_printed(&readings[0], source_draw(before, random)),
        reading_printed(&readings[1], source_draw(after, random)),
    };
    uint64_t hash = 0;
    for (int side = 0; side < SIDES; side++) {
        hash = hp_hash_mix(hash ^ printed[side].objects ^ 0x9e3779b97f4a7c15,
                           printed[side].bytes ^ 0xe7037ed1a0b428db);
    }
    struct pair_comparison *c = &comparisons[hash % COMPARISONS];
    if (!c->known || memcmp(c->printed, printed, sizeof printed) != 0) {
        *c = work_out(printed);
    }
    return c;
}

// --- one row -----------------------------------------------------------------------------

enum {
    LEVELS = 3,
};

static const double levels[LEVELS] = {0.05, 0.01, 0.001};

// The share of pairs with significant growth at each level, and of those whose interval
// contains the true difference.
struct growth_shares {
    double grown[LEVELS], held;
};

// One dump of a pair: objects of one size.
struct half {
    uint64_t period, size, count;
};

static void make_half(struct source *source, struct half half) {
    source_init(source, half.period);
    source_add(source, half.size, half.count);
}

static struct growth_shares sample(struct half before, struct half after, uint64_t seed) {
    struct source sources[SIDES];
    struct hps_random random;
    struct growth_shares sum = {0};
    make_half(&sources[0], before);
    make_half(&sources[1], after);
    begin(before.period, after.period, HP_SCALING_UNBIASED);
    hps_random_init_nth(&random, 13, seed);
    for (int i = 0; i < PAIRS; i++) {
        const struct pair_comparison *c = compare(&sources[0], &sources[1], &random);
        for (int level = 0; level < LEVELS; level++) {
            sum.grown[level] += c->growth <= levels[level] ? 1. / PAIRS : 0;
        }
        bool is_held = holds(c->range, sources[1].bytes - sources[0].bytes);
        sum.held += is_held ? 1. / PAIRS : 0;
    }
    return sum;
}

// Pairs of equal memory, and the shares that are expected by theory.  The coverage was
// summed over all dumps that are possible.  For objects of 2 R and more all figures were
// computed so, by quadrature with the gamma distributions of SciPy.
static const struct {
    const char *name;
    struct half before, after;
    struct growth_shares expected;
} nulls[] = {
    {"1R", {R, 16, R / 16}, {R, 16, R / 16}, {{0.0015, 0.00004, 0}, 0.9996}},
    {"3R", {R, 16, R / 16 * 3}, {R, 16, R / 16 * 3}, {{0.015, 0.0018, 0.0001}, 0.988}},
    {"10R", {R, 16, R / 16 * 10}, {R, 16, R / 16 * 10}, {{0.033, 0.0055, 0.0004}, 0.971}},
    {"100R",
     {R, 16, R / 16 * 100},
     {R, 16, R / 16 * 100},
     {{0.043, 0.0084, 0.0008}, 0.957}},
    {"2R x 20", {R, 2 * R, 20}, {R, 2 * R, 20}, {{0.0211, 0.0038, 0.0001}, 0.972}},
    {"4R x 4", {R, 4 * R, 4}, {R, 4 * R, 4}, {{0.002, 0.0018, 0}, 0.9963}},
    {"6R x 20", {R, 6 * R, 20}, {R, 6 * R, 20}, {{0.0461, 0.0011, 0}, 0.9977}},
    {"R to R/4",
     {R, 16, R / 16 * 20},
     {R / 4, 16, R / 16 * 20},
     {{0.037, 0.0072, 0.0007}, 0.963}},
    {"16 B to 2R",
     {R, 16, R / 16 * 20},
     {R, 2 * R, 10},
     {{0.042, 0.0073, 0.0003}, 0.969}},
    {"3R x 20", {R, 3 * R, 20}, {R, 3 * R, 20}, {{0.0333, 0.0011, 0.0001}, 0.9867}},
    {"5R x 4", {R, 5 * R, 4}, {R, 5 * R, 4}, {{0.026, 0.0003, 0.0003}, 0.9480}},
};

// Whether two simulated shares agree; `expected` is known to three digits.
static bool agree(double share, double expected) {
    double error = sqrt(expected * (1 - expected) / PAIRS);
    return fabs(share - expected) <= 6 * sqrt(2) * error + 0.0006;
}

Test(growth, of_what_did_not_grow_is_as_rarely_beyond_chance_as_theory_says) {
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        struct growth_shares shares = sample(nulls[i].before, nulls[i].after, i);
        for (int level = 0; level < LEVELS; level++) {
            double share = shares.grown[level], expected = nulls[i].expected.grown[level];
            // Missing one of a few large objects doubles the share at 0.001.
            double most = most_share(fmax(levels[level], expected), PAIRS);
            cr_expect(share <= most && agree(share, expected), "%s at %g: %f",
                      nulls[i].name, levels[level], share);
        }
    }
}

Test(difference, is_held_by_its_interval_as_often_as_theory_says) {
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        double held = sample(nulls[i].before, nulls[i].after, i).held;
        cr_expect(agree(held, nulls[i].expected.held), "%s: %f", nulls[i].name, held);
    }
}

// Rows of: memory of small objects before and after, in periods; how often the growth is
// significant at 0.05 and at 0.01.
static const double growths[][4] = {
    {0, 4, 0.37, 0.11},    {0, 6, 0.71, 0.39},     {1, 4, 0.18, 0.04},
    {10, 20, 0.512, 0.25}, {100, 125, 0.48, 0.23},
};

// The estimate of a raw line of small and large objects is too low.  If the large objects
// are replaced by small ones, the estimate grows, but the memory does not.
Test(growth, of_what_raw_dumps_hid_is_not_taken_for_real) {
    struct hps_random random;
    hps_random_init_nth(&random, 13, 99);
    for (int i = 0; i < 3; i++) {
        double bytes = (const double[]){9, 102, 1000}[i] * R;
        struct source before, after;
        source_init(&before, R);
        source_add_bytes(&before, 16, bytes / 2);
        source_add_bytes(&before, 4 * R, bytes / 2);
        source_init(&after, R);
        source_add_bytes(&after, 16, before.bytes);
        begin(R, R, HP_SCALING_RAW);
        double grown = 0;
        for (int pair = 0; pair < PAIRS / 5; pair++) {
            grown += compare(&before, &after, &random)->growth <= 0.05;
        }
        cr_expect_leq(grown / (PAIRS / 5.), most_share(0.05, PAIRS / 5), "%g: %g",
                      bytes / R, grown / (PAIRS / 5.));
    }
}

Test(growth, is_found_as_often_as_theory_says) {
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        const double *row = growths[i];
        struct half before = {R, 16, (uint64_t)row[0] * R / 16};
        struct half after = {R, 16, (uint64_t)row[1] * R / 16};
        struct growth_shares shares = sample(before, after, 100 + i);
        cr_expect(fabs(shares.grown[0] - row[2]) <= 0.01 &&
                      fabs(shares.grown[1] - row[3]) <= 0.01,
                  "%g to %g: %f, %f", row[0], row[1], shares.grown[0], shares.grown[1]);
        cr_expect(shares.held >= least_share(0.95, PAIRS), "%g to %g: %f", row[0], row[1],
                  shares.held);
    }
}

Test(growth, of_one_large_object_is_found) {
    struct half before = {R, 8 * R, 10}, after = {R, 8 * R, 11};
    struct growth_shares shares = sample(before, after, 200);
    cr_expect(agree(shares.grown[0], 0.996), "%f", shares.grown[0]);
    cr_expect(agree(shares.grown[1], 0.996), "%f", shares.grown[1]);
}

// --- many rows, some of which leak -------------------------------------------------------

enum {
    STACKS = 1000,
    LEAKS = 10,
    REPETITIONS = 2000,
};

static const double least_samples = 5; // samples in both dumps of a stack that is tested

// A program whose stacks have log-normally distributed bytes, in objects of one of four
// sizes.  Some of the stacks leak.
struct program {
    struct source before[STACKS], after[STACKS];
    bool leaks[STACKS];
};

static void make_program(struct program *program, int leaks) {
    static const uint64_t sizes[] = {16, R / 16, R / 2, 2 * R};
    for (int i = 0; i < STACKS; i++) {
        double bytes = R * exp(2 * hp_normal_quantile_above((i + 0.5) / STACKS));
        program->leaks[i] = leaks > 0 && i % (STACKS / leaks) == STACKS / leaks / 2;
        double grown = program->leaks[i] ? 2 * bytes + 10 * R : bytes;
        source_init(&program->before[i], R);
        source_init(&program->after[i], R);
        source_add_bytes(&program->before[i], sizes[(i + i / 100) % 4], bytes);
        source_add_bytes(&program->after[i], sizes[(i + i / 100) % 4], grown);
    }
}

// How well growth is found at the level 0.05.
struct found {
    double leaks;       // share of the leaks that are found
    double in_vain;     // share of false alarms among the stacks that are found
    double one_in_vain; // 1 if there is any false alarm, else 0
};

static struct found find(const struct program *program, const double p_values[STACKS]) {
    double right = 0, wrong = 0;
    for (int i = 0; i < STACKS; i++) {
        bool is_found = p_values[i] <= 0.05;
        right += is_found && program->leaks[i];
        wrong += is_found && !program->leaks[i];
    }
    return (struct found){right / LEAKS, wrong / fmax(right + wrong, 1), wrong > 0};
}

// How the p-values of all stacks are corrected before they are compared with 0.05.
enum way {
    AS_IS,
    ADJUSTED,
    FILTERED, // adjusted, with stacks of few samples excluded
    WAYS,
};

static void draw(const struct program *program, struct hps_random *random,
                 double p_values[WAYS][STACKS]) {
    for (int i = 0; i < STACKS; i++) {
        const struct pair_comparison *c =
            compare(&program->before[i], &program->after[i], random);
        p_values[AS_IS][i] = p_values[ADJUSTED][i] = c->growth;
        p_values[FILTERED][i] = c->samples >= least_samples ? c->growth : NAN;
    }
    hp_adjust_significance(p_values[ADJUSTED], STACKS);
    hp_adjust_significance(p_values[FILTERED], STACKS);
}

// Find the means over many pairs of dumps.
static void search(int leaks, struct found means[WAYS]) {
    static struct program program;
    static double p_values[WAYS][STACKS];
    struct hps_random random;
    make_program(&program, leaks);
    begin(R, R, HP_SCALING_UNBIASED);
    hps_random_init_nth(&random, 17, (uint64_t)leaks);
    for (int i = 0; i < REPETITIONS; i++) {
        draw(&program, &random, p_values);
        for (enum way way = AS_IS; way < WAYS; way++) {
            struct found found = find(&program, p_values[way]);
            means[way].leaks += found.leaks / REPETITIONS;
            means[way].in_vain += found.in_vain / REPETITIONS;
            means[way].one_in_vain += found.one_in_vain / REPETITIONS;
        }
    }
}

Test(significance, of_a_thousand_stacks_that_did_not_grow_keeps_false_alarms_rare) {
    struct found means[WAYS] = {0};
    search(0, means);
    cr_expect(means[AS_IS].one_in_vain > 0.99, "%f", means[AS_IS].one_in_vain);
    for (enum way way = ADJUSTED; way < WAYS; way++) {
        cr_expect(means[way].one_in_vain <= most_share(0.05, REPETITIONS), "%f",
                  means[way].one_in_vain);
    }
}

Test(significance,
     finds_leaks_among_a_thousand_stacks_and_more_of_them_without_the_small) {
    struct found means[WAYS] = {0};
    search(LEAKS, means);
    cr_expect(means[AS_IS].in_vain > 0.4, "%f", means[AS_IS].in_vain);
    for (enum way way = ADJUSTED; way < WAYS; way++) {
        cr_expect(means[way].in_vain <= most_share(0.05, REPETITIONS), "%f",
                  means[way].in_vain);
    }
    cr_expect(means[FILTERED].leaks > 0.6, "%f", means[FILTERED].leaks);
    cr_expect(means[FILTERED].leaks > means[ADJUSTED].leaks + 0.1, "%f",
              means[ADJUSTED].leaks);
}

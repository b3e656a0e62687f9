// The intervals (docs/explanation/statistics.md) of sums over processes or stacks
// contain the truth in at least 95 of 100 cases.  There are 13 fleets, each with both
// scalings.
#include "lines.h"

#include <criterion/criterion.h>
#include <math.h>

enum {
    DUMPS = 20000,
    R = PERIOD,
    MOST_MEMBERS = 1000,
    FIRST_PERIOD = 15, // smallest sample period, as a power of 2
    LAST_PERIOD = 21,  // largest sample period, as a power of 2
    PERIODS = LAST_PERIOD - FIRST_PERIOD + 1,
};

// A stack, and the number of processes that have an equal one.
struct member {
    struct source source;
    int copies;
};

struct fleet {
    int members;
    struct member of[MOST_MEMBERS];
};

static struct line_reading readings_of[PERIODS][SCALINGS];

static struct source *join(struct fleet *fleet, int copies, uint64_t period) {
    cr_assert_lt(fleet->members, MOST_MEMBERS);
    struct member *member = &fleet->of[fleet->members++];
    member->copies = copies;
    source_init(&member->source, period);
    return &member->source;
}

static void join_equal(struct fleet *fleet, int copies, uint64_t size, uint64_t count) {
    source_add(join(fleet, copies, R), size, count);
}

static void make_nearly_empty(struct fleet *fleet) {
    join_equal(fleet, 200, 16, R / 16 / 100);
}

static void make_small(struct fleet *fleet) {
    join_equal(fleet, 200, 16, R / 16 / 10);
}

static void make_mixed_stacks(struct fleet *fleet) {
    struct source *source = join(fleet, 50, R);
    source_add(source, 16, R / 4);
    source_add(source, R / 4, 16);
    source_add(source, R, 4);
    source_add(source, 4 * R, 1);
}

static void make_halves(struct fleet *fleet) {
    join_equal(fleet, 100, R / 2, 1);
}

static void make_periods(struct fleet *fleet) {
    join_equal(fleet, 20, R, 1);
}

static void make_one_and_a_half(struct fleet *fleet) {
    join_equal(fleet, 100, R / 2 * 3, 1);
}

static void make_twos(struct fleet *fleet) {
    join_equal(fleet, 20, 2 * R, 1);
}

static void make_fours(struct fleet *fleet) {
    join_equal(fleet, 200, 4 * R, 1);
}

// The stacks of one process; the bytes of each are inversely proportional to its rank.
static void make_zipf(struct fleet *fleet) {
    static const uint64_t sizes[] = {16, 256, 4096, R / 4};
    for (int i = 0; i < MOST_MEMBERS; i++) {
        source_add_bytes(join(fleet, 1, R), sizes[i % 4], 20. * R / (i + 1));
    }
}

static void make_two_periods(struct fleet *fleet) {
    source_add(join(fleet, 5, 1 << 21), 16, (1 << 21) / 16);
    source_add(join(fleet, 100, 1 << 17), 16, (1 << 17) / 16);
}

// Stacks whose numbers are all rounded in the same direction.
static void make_rounded_alike(struct fleet *fleet) {
    struct source *source = join(fleet, 30, R);
    source_add(source, 16, R / 32);
    source_add(source, 2 * R, 1);
}

static void make_all_periods(struct fleet *fleet) {
    for (int lg = LAST_PERIOD; lg >= FIRST_PERIOD; lg--) {
        struct source *source = join(fleet, 3, (uint64_t)1 << lg);
        source_add_bytes(source, 64, 3. * R);
        source_add_bytes(source, lg % 2 ? R : R / 8, R);
    }
}

// The number of objects is proportional to size^-1.2.
static void make_pareto(struct fleet *fleet) {
    for (int i = 1; i <= 10; i++) {
        struct source *source = join(fleet, 1, R);
        for (uint64_t size = 16; size <= 4 * R; size *= 4) {
            source_add_bytes(source, size, i * R * pow((double)size / R, -0.2) / 4);
        }
    }
}

static const struct {
    const char *name;
    void (*make)(struct fleet *fleet);
    double most; // largest share of covered cases; more would mean too wide an interval
} fleets[] = {
    {"nearly empty", make_nearly_empty, 1},
    {"small", make_small, 0.965},
    {"mixed stacks", make_mixed_stacks, 1},
    {"R/2 each", make_halves, 0.97},
    {"R each", make_periods, 0.985},
    {"1.5R each", make_one_and_a_half, 0.975},
    {"2R each", make_twos, 1},
    {"4R each", make_fours, 1},
    {"zipf", make_zipf, 0.965},
    {"two periods", make_two_periods, 1},
    {"rounded alike", make_rounded_alike, 1},
    {"all periods", make_all_periods, 1},
    {"pareto", make_pareto, 0.98},
};

static void add(struct estimate *sum, const struct estimate *estimate) {
    sum->bytes += estimate->bytes;
    cr_assert(hp_error_add(&sum->error, &estimate->error));
}

// Sample the fleet once, and add up the estimates of all its dumps for each scaling.
static void add_up(const struct fleet *fleet, struct hps_random *random,
                   struct estimate sums[SCALINGS]) {
    for (int i = 0; i < fleet->members; i++) {
        const struct source *source = &fleet->of[i].source;
        struct line_reading *both =
            readings_of[__builtin_ctzll(source->period) - FIRST_PERIOD];
        for (int copy = 0; copy < fleet->of[i].copies; copy++) {
            struct hps_tally sampled = source_draw(source, random);
            for (int scaling = 0; scaling < SCALINGS; scaling++) {
                struct estimate estimate =
                    reading_of(&both[scaling], reading_printed(&both[scaling], sampled));
                add(&sums[scaling], &estimate);
            }
        }
    }
}

// Sample the fleet many times, and count how often the interval contains the truth.
static void sample(const struct fleet *fleet, uint64_t seed, int held[SCALINGS]) {
    struct hps_random random;
    double truth = 0;
    for (int i = 0; i < fleet->members; i++) {
        truth += fleet->of[i].copies * fleet->of[i].source.bytes;
    }
    hps_random_init_nth(&random, 10, seed);
    for (int i = 0; i < DUMPS; i++) {
        struct estimate sums[SCALINGS] = {0};
        add_up(fleet, &random, sums);
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            held[scaling] +=
                holds(hp_interval_of(measure_of(&sums[scaling]), 0.95), truth);
        }
    }
}

Test(intervals, hold_the_bytes_of_sums_and_no_more_often_than_they_need) {
    static struct fleet fleet;
    for (int lg = FIRST_PERIOD; lg <= LAST_PERIOD; lg++) {
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            reading_init(&readings_of[lg - FIRST_PERIOD][scaling], (uint64_t)1 << lg,
                         scalings[scaling]);
        }
    }
    for (size_t i = 0; i < sizeof fleets / sizeof *fleets; i++) {
        fleet.members = 0;
        int held[SCALINGS] = {0};
        fleets[i].make(&fleet);
        sample(&fleet, i, held);
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            double share = (double)held[scaling] / DUMPS;
            cr_expect(share >= least_share(0.95, DUMPS) && share <= fleets[i].most,
                      "%s, %s: %f", fleets[i].name, scaling_names[scaling], share);
        }
    }
}

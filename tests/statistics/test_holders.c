// Tests which inputs are named as holders of a row, or as outliers in one.  Tables of
// rows and holders are simulated with known rates.  The numbers of samples are Poisson,
// each sample represents one period, and the seeds are fixed.
#include "core/random.h"
#include "view/spread.h"
#include "view/top.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum {
    R = 4096,
    ROWS = 30,
    MOST_HOLDERS = 64,
    TABLES = 400,
};

static struct hps_random rng;

static double uniform(void) {
    return (double)((hps_random_next(&rng) >> 11) + 1) * 0x1p-53;
}

static double normal(void) {
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(2 * 3.14159265358979323846 * uniform());
}

static uint64_t poisson(double mean) {
    if (mean > 60) {
        return (uint64_t)fmax(round(mean + sqrt(mean) * normal()), 0);
    }
    uint64_t count = 0;
    for (double left = exp(-mean), product = uniform(); product > left; count++) {
        product *= uniform();
    }
    return count;
}

// --- tables ---------------------------------------------------------------------------------

struct table {
    int holders;
    double load_sd, // standard deviation of the logarithm of a holder's load
        row_sd;     // the same of each row, from holder to holder
    double samples; // mean number of samples of the first row at each holder
    double times;   // factor by which the first holder has more of it; 0: no such row
    bool is_new;    // only the first holder has that row
    // Each holder has so many times as much as the others of each row whose number is its
    // own, modulo the number of holders; 0: no holder has.
    double own_times;
};

static void add_holder(struct hp_profile *profile, const struct table *table, int holder,
                       const double *means) {
    double load = exp(table->load_sd * normal());
    struct hp_input_record record = {
        .public = {.name = holder == 0 ? "first" : "other"},
        .number = (uint32_t)holder,
        .period = R,
        .identity = {.pid = (uint64_t)holder + 1, .kind = 'i'},
    };
    hp_history_begin(&profile->history);
    for (uint32_t i = 0; i < ROWS; i++) {
        bool is_odd = i == 0 && table->times > 0;
        double mean = means[i] * load * exp(table->row_sd * normal());
        mean = !is_odd         ? mean
               : holder == 0   ? mean * table->times
               : table->is_new ? 0
                               : mean;
        bool is_own = table->own_times > 0 && (int)i % table->holders == holder;
        mean *= is_own ? table->own_times : 1;
        uint64_t samples = poisson(mean);
        struct hp_error error = {.samples = samples,
                                 .variance = (hp_int128)samples * R * R,
                                 .period = R,
                                 .max_weight = R};
        const struct hp_error *errors[HP_COLUMNS] = {&error, NULL};
        struct hp_values values = {
            {[HP_INUSE_SPACE] = (hp_fixed)(samples * R) << hp_fraction(HP_INUSE_SPACE)}};
        hp_frame_id frame = hp_profile_frame(profile, (hp_module_id){0}, 4096 * (i + 1));
        uint32_t stack =
            hp_profile_add(profile, &(struct hp_sample){&frame, 1, {0}}, &values, errors);
        if (samples > 0) {
            hp_history_put(&profile->history, stack, &values, errors);
        }
        record.total.of[HP_INUSE_SPACE] += values.of[HP_INUSE_SPACE];
    }
    hp_history_end(&profile->history, record.number);
    hp_vec_push(&profile->inputs.records, record);
}

static struct hp_view *view_of(struct hp_profile *profile) {
    struct hp_report_options options = {.kind = HP_REPORT_TOP,
                                        .confidence = 0.95,
                                        .columns.spread = true};
    struct hp_view_use use = {.shape = HP_SHAPE_ROWS,
                              .can = HP_CAN_INTERVALS | HP_CAN_SPREAD};
    struct hp_err err = {0};
    hp_history_sort(&profile->history);
    hp_inputs_summarize(&profile->inputs);
    struct hp_view *view = hp_view_build(profile, &options, use, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

// The holders that a report names.
struct names {
    bool holds,      // some holder is named for some row
        holds_first; // the first holder is named, and no other
    bool stands_out, first_stands_out;
    double low, largest_low; // of the first holding, and the largest of all
};

static struct names look_at(const struct table *table) {
    struct hp_profile profile;
    double means[ROWS];
    hp_profile_init(&profile);
    profile.history.is_kept = true;
    for (int i = 0; i < ROWS; i++) {
        means[i] =
            i == 0 && table->times > 0 ? table->samples : 40 * exp(1.2 * normal() - 0.72);
    }
    for (int k = 0; k < table->holders; k++) {
        add_holder(&profile, table, k, means);
    }
    struct hp_view *view = view_of(&profile);
    const struct hp_holders *holders = &((struct hp_top *)view->extra)->spread.holders;
    struct names names = {
        .holds = holders->holdings.count > 0,
        .stands_out = holders->outliers.count > 0,
        .holds_first = holders->holdings.count == 1,
        .first_stands_out = holders->outliers.count == 1,
    };
    if (names.holds) {
        names.holds_first &= holders->holdings.at[0].name[0] == 'f';
        names.low = holders->holdings.at[0].low;
    }
    for (size_t i = 0; i < holders->holdings.count; i++) {
        names.largest_low = fmax(names.largest_low, holders->holdings.at[i].low);
    }
    if (names.stands_out) {
        names.first_stands_out &= holders->outliers.at[0].name[0] == 'f';
    }
    hp_view_free(view);
    hp_profile_done(&profile);
    return names;
}

// Three standard errors of a share of the tables.
static double slack(double share) {
    return 3 * sqrt(share * (1 - share) / TABLES);
}

// --- tests ----------------------------------------------------------------------------------

Test(holders, nobody_is_named_where_all_have_the_same_rates, .timeout = 300) {
    static const int counts[] = {5, 6, 8, 20};
    static const double row_sds[] = {0, 0, 0.3, 0.7};
    hps_random_init(&rng, 71);
    for (int i = 0; i < 16; i++) {
        struct table table = {.holders = counts[i / 4],
                              .load_sd = i % 4 > 0 ? 0.69 : 0,
                              .row_sd = row_sds[i % 4]};
        double named = 0;
        for (int k = 0; k < TABLES; k++) {
            struct names names = look_at(&table);
            // Where rows differ much, some are really held by one.
            bool holds = names.holds && table.row_sd < 0.5;
            named += holds || names.stands_out ? 1. / TABLES : 0;
        }
        cr_expect_leq(named, 0.06 + slack(0.06), "%d holders, loads %g, rows %g: %g",
                      table.holders, table.load_sd, table.row_sd, named);
    }
}

Test(holders, a_new_row_of_one_holder_is_said, .timeout = 300) {
    static const struct table tables[] = {
        {.holders = 6, .samples = 20, .times = 1, .is_new = true},
        {.holders = 3, .samples = 100, .times = 1, .is_new = true},
        {.holders = 20, .samples = 20, .times = 1, .is_new = true},
    };
    static const double least[] = {0.90, 0.95, 0.90};
    hps_random_init(&rng, 72);
    for (int i = 0; i < 3; i++) {
        double held = 0;
        for (int k = 0; k < TABLES; k++) {
            struct names names = look_at(&tables[i]);
            held += names.holds_first ? 1. / TABLES : 0;
            cr_expect_leq(names.low, 1);
        }
        cr_expect_geq(held, least[i] - slack(least[i]), "%d holders: %g",
                      tables[i].holders, held);
    }
}

// The lower ends of the shares of all rows hold together.
Test(holders, the_share_of_a_holder_is_at_least_what_is_said, .timeout = 300) {
    static const struct table table = {.holders = 6, .own_times = 20};
    double wrong = 0, held = 0, share = 20. / 25;
    hps_random_init(&rng, 75);
    for (int k = 0; k < TABLES; k++) {
        struct names names = look_at(&table);
        held += names.holds ? 1. / TABLES : 0;
        wrong += names.largest_low > share ? 1. / TABLES : 0;
    }
    cr_expect_geq(held, 0.9);
    cr_expect_leq(wrong, 0.05 + slack(0.05), "%g", wrong);
}

Test(holders, one_that_has_three_times_as_much_stands_out, .timeout = 300) {
    static const struct table table = {
        .holders = 20, .row_sd = 0.1, .samples = 300, .times = 3};
    double found = 0;
    hps_random_init(&rng, 73);
    for (int k = 0; k < TABLES; k++) {
        found += look_at(&table).first_stands_out ? 1. / TABLES : 0;
    }
    cr_expect_geq(found, 0.93 - slack(0.93), "%g", found);
}

// A holder that has more of all rows together does not stand out in one for that.
Test(holders, loads_that_differ_hide_nobody, .timeout = 300) {
    static const struct table table = {
        .holders = 20, .load_sd = 0.69, .row_sd = 0.1, .samples = 300, .times = 3};
    double found = 0;
    hps_random_init(&rng, 76);
    for (int k = 0; k < TABLES; k++) {
        found += look_at(&table).first_stands_out ? 1. / TABLES : 0;
    }
    cr_expect_geq(found, 0.9 - slack(0.9), "%g", found);
}

Test(holders, two_holders_are_not_compared) {
    static const struct table table = {
        .holders = 2, .samples = 100, .times = 1, .is_new = true};
    hps_random_init(&rng, 74);
    struct names names = look_at(&table);
    cr_expect_not(names.holds);
    cr_expect_not(names.stands_out);
}

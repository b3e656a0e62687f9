// Tests of survival curves of objects, and of the reader of jemalloc's prof_recent.
#include "input/prof_recent.h"
#include "stats/distributions.h"
#include "stats/survival.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_near(double found, double expected) {
    return fabs(found - expected) <= 1e-9;
}

// Objects die at times 1, 3 and 4, and are alive when last seen at 2 and 5.
static struct hp_survival survival_of(const double weights[5],
                                      const uint32_t batches[5]) {
    struct hp_life lives[5];
    static const double times[] = {4, 2, 1, 5, 3};
    static const bool is_over[] = {true, false, true, false, true};
    struct hp_survival survival;
    for (size_t i = 0; i < 5; i++) {
        lives[i] = (struct hp_life){times[i], weights[i], is_over[i], batches[i]};
    }
    hp_survival_init(&survival, lives, 5, .95);
    return survival;
}

static const double equal[] = {1, 1, 1, 1, 1};
static const uint32_t apart[] = {0, 0, 1, 0, 2};

// The product-limit estimate is 4/5, times 2/3, times 1/2.
Test(survival, is_the_product_limit) {
    struct hp_survival survival = survival_of(equal, apart);
    cr_assert_eq(survival.steps.count, 3);
    cr_expect(is_near(survival.steps.at[0].alive, 4. / 5));
    cr_expect(is_near(survival.steps.at[1].alive, 8. / 15));
    cr_expect(is_near(survival.steps.at[2].alive, 4. / 15));
    cr_expect_eq(survival.steps.at[1].time, 3);
    cr_expect_eq(survival.batches, 3);
    hp_survival_done(&survival);
}

// The objects with times 4, 2, 1, 5, 3 have weights 2, 1, 3, 4, 5: 12/15, times 6/11,
// times 4/6.
Test(survival, counts_each_as_often_as_it_stands_for) {
    static const double weights[] = {2, 1, 3, 4, 5};
    struct hp_survival survival = survival_of(weights, apart);
    cr_expect(is_near(survival.steps.at[0].alive, 12. / 15));
    cr_expect(is_near(survival.steps.at[1].alive, 12. / 15 * 6 / 11));
    cr_expect(is_near(survival.steps.at[2].alive, 12. / 15 * 6 / 11 * 4 / 6));
    hp_survival_done(&survival);
}

// If each death is in a batch of its own, the variance is Greenwood's: 1/20 at time 1,
// plus 1/6 at time 3.
Test(survival, has_the_variance_of_greenwood_where_deaths_are_apart) {
    struct hp_survival survival = survival_of(equal, apart);
    double alive = 8. / 15, variance = (1. / 20 + 1. / 6) * 5 / 4;
    double factor =
        exp(hp_student_quantile_above(.025, 2) * sqrt(variance) / -log(alive));
    cr_expect(is_near(survival.steps.at[1].range.low, pow(alive, factor)));
    cr_expect(is_near(survival.steps.at[1].range.high, pow(alive, 1 / factor)));
    hp_survival_done(&survival);
}

// Each death concerns only its own batch, so that the time is linear in the number of
// deaths, and rounding errors do not remain.
Test(survival, of_many_is_greenwoods_to_the_end) {
    enum {
        MANY = 200000,
    };

    struct hp_life *lives = calloc(MANY, sizeof *lives);
    struct hp_survival survival;
    for (uint32_t i = 0; i < MANY; i++) {
        lives[i] = (struct hp_life){i + 1, 1, i % 2 == 0, i / 2};
    }
    hp_survival_init(&survival, lives, MANY, .95);
    double sum = 0, t = hp_student_quantile_above(.025, MANY / 2. - 1);
    for (size_t i = 0; i < survival.steps.count; i++) {
        const struct hp_survival_step *step = &survival.steps.at[i];
        double risk = MANY - 2. * (double)i;
        sum += 1 / (risk * (risk - 1));
        double factor = exp(t * sqrt(sum * MANY / (MANY - 1.)) / -log(step->alive));
        cr_assert(is_near(step->range.low, pow(step->alive, factor)), "%zu", i);
    }
    cr_expect_eq(survival.steps.count, MANY / 2);
    hp_survival_done(&survival);
    free(lives);
}

// A hundred objects that one stack frees at once contain as much information as one.
Test(survival, takes_a_batch_for_one) {
    struct hp_life lives[200];
    struct hp_survival together, apart_;
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 200; i++) {
            lives[i] = (struct hp_life){i / 20 + 1, 1, i < 160, k == 0 ? i / 20 : i};
        }
        hp_survival_init(k == 0 ? &together : &apart_, lives, 200, .95);
    }
    cr_expect_eq(together.batches, 8);
    cr_expect_eq(apart_.batches, 160);
    struct hp_interval wide = together.steps.at[4].range,
                       narrow = apart_.steps.at[4].range;
    cr_expect(together.steps.at[4].alive == apart_.steps.at[4].alive);
    cr_expect(wide.high - wide.low > 3 * (narrow.high - narrow.low));
    hp_survival_done(&together);
    hp_survival_done(&apart_);
}

Test(survival, has_no_quantile_beyond_the_curve) {
    struct hp_survival survival = survival_of(equal, apart);
    cr_expect_eq(hp_survival_quantile(&survival, .2).time, 1);
    cr_expect_eq(hp_survival_quantile(&survival, .5).time, 4);
    cr_expect(isinf(hp_survival_quantile(&survival, .9).time));
    cr_expect(isinf(hp_survival_quantile(&survival, .5).range.high));
    hp_survival_done(&survival);
    struct hp_life one = {1, 1, true, 0};
    hp_survival_init(&survival, &one, 1, .95);
    cr_expect_eq(hp_survival_quantile(&survival, .5).time, 1);
    cr_expect(isnan(hp_survival_quantile(&survival, .5).range.low));
    hp_survival_done(&survival);
    hp_survival_init(&survival, NULL, 0, .95);
    cr_expect(isinf(hp_survival_quantile(&survival, .5).time));
    hp_survival_done(&survival);
}

// --- known lifetimes -------------------------------------------------------------------

static uint64_t state = 5;

// A uniform random number from 0 to 1.
static double draw(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 12) + 0.5) * 0x1p-52;
}

enum seen {
    ALL,
    FREED_ONLY,
};

// Simulate 400 allocations over two mean lifetimes, observed at the end.  *covered is the
// share of runs with an interval that contains 1/e at one mean lifetime; *bias is the
// mean error.
static void observe(enum seen seen, double *covered, double *bias) {
    const int runs = 200;
    *covered = *bias = 0;
    for (int run = 0; run < runs; run++) {
        struct hp_life lives[400];
        size_t count = 0;
        for (uint32_t i = 0; i < 400; i++) {
            double age = 2 * draw(), lifetime = -log(draw());
            bool is_over = lifetime < age;
            if (is_over || seen == ALL) {
                lives[count++] =
                    (struct hp_life){is_over ? lifetime : age, 1, is_over, i};
            }
        }
        struct hp_survival survival;
        hp_survival_init(&survival, lives, count, .95);
        size_t at = 0;
        while (at + 1 < survival.steps.count && survival.steps.at[at + 1].time <= 1) {
            at++;
        }
        const struct hp_survival_step *step = &survival.steps.at[at];
        *covered +=
            (step->range.low <= exp(-1) && exp(-1) <= step->range.high) / (double)runs;
        *bias += (step->alive - exp(-1)) / runs;
        hp_survival_done(&survival);
    }
}

Test(survival, covers_known_lifetimes_where_live_ones_are_censored) {
    double covered, bias;
    observe(ALL, &covered, &bias);
    cr_expect(covered >= .92 && fabs(bias) < .01, "%g, bias %g", covered, bias);
    observe(FREED_ONLY, &covered, &bias);
    cr_expect(bias < -.1 && covered < .1, "%g, bias %g", covered, bias);
}

// --- prof_recent -----------------------------------------------------------------------

#define HEAD "{\"sample_interval\": 4096, \"recent_alloc_max\": 9, \"recent_alloc\": ["
#define LIVE                                                                       \
    "{\"size\": 90, \"usize\": 96, \"released\": false, \"alloc_thread_uid\": 0, " \
    "\"alloc_time\": 8000000, \"alloc_trace\": [\"0x10\", \"0x20\"]}"
#define FREED                                                                          \
    "{\"size\": 90, \"usize\": 96, \"released\": true, \"alloc_thread_uid\": 0, "      \
    "\"alloc_time\": 4000000, \"alloc_trace\": [\"0x10\"], \"dalloc_thread_uid\": 1, " \
    "\"dalloc_time\": 16000000, \"dalloc_trace\": [\"0x30\"]}"

// Read prof_recent from text.
static int read_text(struct hp_recent_file *file, const char *text, struct hp_err *err) {
    *file = (struct hp_recent_file){.recent = {.period = 0}};
    return hp_prof_recent_read_bytes(file, hp_span_of(text), err);
}

Test(prof_recent, is_read_record_by_record) {
    struct hp_recent_file file;
    struct hp_err err = {0};
    cr_assert_eq(read_text(&file, HEAD LIVE ", " FREED "]}", &err), HP_OK, "%s",
                 err.message);
    const struct hp_recent_record *records = file.recent.records.at;
    cr_expect(file.recent.period == 4096 && file.recent.records.count == 2);
    cr_expect(!records[0].is_released && !records[0].has_died && records[0].size == 96);
    cr_expect(records[1].has_died && records[1].died == 16000000 &&
              records[1].is_by_others);
    cr_expect(file.recent.tick == 4000000 && file.recent.latest == 16000000);
    cr_expect(file.traces.at[records[0].alloc].depth == 2);
    cr_expect_eq(file.addresses.at[file.traces.at[records[1].free].first], 0x30);
    hp_recent_file_done(&file);
}

Test(prof_recent, that_is_none_is_refused_in_one_sentence) {
    hp_show_message_codes();
    static const char *const texts[][2] = {
        {"", "json-cut"},
        {HEAD LIVE, "json-cut"},
        {"[]", "JSON of something else"},
        {"{\"jemalloc\": {}}", "malloc_stats_print's JSON"},
        {"{\"stack_traces\": []}", "prof_log"},
        {"{\"sample_interval\": -1, \"recent_alloc\": []}", "recent-interval"},
        {HEAD "]}", "recent-empty"},
        {HEAD "7]}", "1 usize recent-number-missing"},
        {HEAD "{\"usize\": -96}]}", "1 usize recent-below-zero"},
        {HEAD "{\"usize\": 18446744073709551616}]}", "too big integer"},
        {HEAD "{\"usize\": 0, \"alloc_time\": 1}]}", "1 usize recent-no-size"},
        {HEAD "{\"usize\": 96, \"alloc_time\": 1.5}]}", "1 alloc_time recent-not-whole"},
        {HEAD "{\"usize\": 96, \"alloc_time\": 1}]}",
         "1 alloc_trace recent-list-missing"},
        {HEAD "{\"usize\": 96, \"alloc_time\": 1, \"alloc_trace\": [\"7f\"]}]}",
         "1 alloc_trace recent-no-address"},
        {HEAD "{\"usize\": 96, \"alloc_time\": 1, \"alloc_trace\": "
              "[\"0x10000000000000000\"]}]}",
         "1 alloc_trace recent-no-address"},
        {HEAD "{\"usize\": 96, \"alloc_time\": 1, \"dalloc_time\": 2}]}",
         "1 dalloc_time recent-not-released"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hp_recent_file file;
        struct hp_err err = {0};
        cr_expect_neq(read_text(&file, texts[i][0], &err), HP_OK, "%s", texts[i][0]);
        cr_expect_not_null(strstr(err.message, texts[i][1]), "%s: %s", texts[i][0],
                           err.message);
        cr_expect_null(strchr(err.message, '\n'));
        hp_recent_file_done(&file);
    }
}

// jemalloc itself writes some of its keys twice.
Test(prof_recent, takes_keys_that_stand_in_it_twice) {
    struct hp_recent_file file;
    struct hp_err err = {0};
    cr_expect_eq(read_text(&file,
                           "{\"sample_interval\": 1, \"sample_interval\": 4096, "
                           "\"recent_alloc\": [" LIVE "]}",
                           &err),
                 HP_OK);
    cr_expect_eq(file.recent.period, 4096);
    hp_recent_file_done(&file);
}

Test(prof_recent, that_is_nested_a_million_deep_takes_no_stack) {
    enum {
        DEPTH = 1000000
    };

    char *text = malloc(DEPTH);
    struct hp_recent_file file = {.recent = {.period = 0}};
    struct hp_err err = {0};
    memset(text, '[', DEPTH);
    cr_expect_eq(hp_prof_recent_read_bytes(&file, (struct hp_span){text, DEPTH}, &err),
                 HP_E_FORMAT);
    hp_recent_file_done(&file);
    free(text);
}

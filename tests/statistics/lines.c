// With prof_unbias, jemalloc prints C estimated objects of B bytes as
//
//     c' = round(B q / (B/C)), b' = round(B q), q = 1 - e^(-(B/C) / period)
#include "lines.h"

#include "sim/binomial.h"
#include "sim/horvitz.h"

#include <criterion/criterion.h>
#include <math.h>

void source_init(struct source *source, uint64_t period) {
    *source = (struct source){.period = period};
}

// The numbers that the ledger of the reference sampler has for one object.
static struct hps_tally tally_of(uint64_t size, uint64_t period) {
    struct hps_ledger ledger;
    uintptr_t frame = 1;
    hps_ledger_init(&ledger, period);
    struct hps_ledger_line *line =
        hps_ledger_line(&ledger, hps_ledger_new_thread(&ledger, ""), &frame, 1);
    hps_ledger_add(&ledger, line, size);
    struct hps_tally one = line->account.live;
    hps_ledger_done(&ledger);
    return one;
}

void source_add(struct source *source, uint64_t size, uint64_t count) {
    cr_assert_lt(source->sizes, MOST_SIZES);
    cr_assert(hp_is_class_size(size));
    source->of[source->sizes++] = (struct source_size){
        .size = size,
        .count = count,
        .probability = hps_inclusion(size, source->period),
        .one = tally_of(size, source->period),
    };
    source->bytes += (double)(size * count);
}

void source_add_bytes(struct source *source, uint64_t size, double bytes) {
    uint64_t count = (uint64_t)(bytes / (double)size + 0.5);
    if (count > 0) {
        source_add(source, size, count);
    }
}

struct hps_tally source_draw(const struct source *source, struct hps_random *random) {
    struct hps_tally sum = {0};
    for (int i = 0; i < source->sizes; i++) {
        const struct source_size *of = &source->of[i];
        uint64_t n = hps_binomial(random, of->count, of->probability);
        sum.objects += n * of->one.objects;
        sum.bytes += n * of->one.bytes;
        sum.eighths += n * of->one.eighths;
        sum.weighted_bytes += n * of->one.weighted_bytes;
    }
    return sum;
}

// The library finds the scaling by whether the totals of a dump are the sums of its
// stacks; hence the dump has totals that are, or are not.
void reading_init(struct line_reading *reading, uint64_t period,
                  enum hp_scaling scaling) {
    struct hp_count one = {1, 8};
    *reading = (struct line_reading){.stack = {.counts = {.inuse = one}}};
    reading->dump.period = period;
    reading->dump.header.inuse =
        scaling == HP_SCALING_RAW ? one : (struct hp_count){2, 8};
    reading->dump.stacks.at = &reading->stack;
    reading->dump.stacks.count = 1;
    hp_unbias_init(&reading->unbias, HP_ESTIMATOR_BEST, &reading->dump);
    cr_assert_eq(reading->unbias.scaling, scaling);
}

struct hp_count reading_printed(const struct line_reading *reading,
                                struct hps_tally sampled) {
    if (reading->unbias.scaling == HP_SCALING_RAW || sampled.objects == 0) {
        return (struct hp_count){sampled.objects, sampled.bytes};
    }
    double bytes = (double)sampled.weighted_bytes;
    double mean = bytes / ((double)sampled.eighths / 8);
    double printed = bytes * (1 - exp(-mean / (double)reading->dump.period));
    return (struct hp_count){(uint64_t)round(printed / mean), (uint64_t)round(printed)};
}

struct estimate reading_of(struct line_reading *reading, struct hp_count printed) {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    if (printed.objects == 0) { // not in the dump, but one more sample would add it
        return (struct estimate){.error = {.period = reading->dump.period}};
    }
    reading->stack.counts.inuse = printed;
    cr_assert(hp_unbias_stack(&reading->unbias, &reading->dump, &reading->stack, &values,
                              errors));
    return (struct estimate){values.of[HP_INUSE_SPACE], errors[HP_COLUMN_INUSE]};
}

struct hp_measure measure_of(const struct estimate *estimate) {
    return hp_measure_of(estimate->bytes, &estimate->error, HP_INUSE_SPACE);
}

const enum hp_scaling scalings[SCALINGS] = {HP_SCALING_UNBIASED, HP_SCALING_RAW};

const char *const scaling_names[SCALINGS] = {"unbiased", "raw"};

bool holds(struct hp_interval range, double truth) {
    return range.low - 1 <= truth && truth <= range.high + 1;
}

double least_share(double expected, int count) {
    return expected - 6 * sqrt(expected * (1 - expected) / count);
}

double most_share(double expected, int count) {
    return expected + 6 * sqrt(expected * (1 - expected) / count);
}

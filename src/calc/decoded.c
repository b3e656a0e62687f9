// The weight of a reading of n objects, m(k) of them of class k, is
//
//     n! / (m(1)! m(2)! ...) times the product of the shares of its classes
//
// The share of a class is (64 count + 1) / (64 total + number of classes), so that a
// class that was never read is not impossible.
#include "calc/decoded.h"

#include "calc/probability.h"

#include <limits.h>

enum {
    READ_WEIGHT = 64, // weight of an object that was read; each class has 1 in advance
};

void hp_class_weights_init(struct hp_class_weights *weights, uint64_t period, double rate,
                           bool has_pages) {
    if (weights->period == period && weights->has_pages == has_pages) {
        return;
    }
    weights->period = period;
    weights->has_pages = has_pages;
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        struct hp_class_weight *weight = &weights->of[i];
        uint64_t size = hp_class_size(i);
        bool may_be_less = has_pages && size > HP_LARGE_FROM;
        uint64_t least = may_be_less ? hp_class_size(i - 1) + HP_PAGE : size;
        double p = hp_one_minus_exp((double)size * rate);
        // The probability for the smallest size.
        double least_p = hp_one_minus_exp((double)least * rate);
        *weight = (struct hp_class_weight){
            .least_objects = 1 / p,
            .most_objects = 1 / least_p,
            .least_bytes = (double)least / least_p,
            .most_bytes = (double)size / p,
            .variance = hp_variance_of_object((double)least, least_p),
            .size = size,
            .least_size = least,
        };
        weight->objects = (weight->least_objects + weight->most_objects) / 2;
        weight->bytes = (weight->least_bytes + weight->most_bytes) / 2;
    }
}

// --- the prior -------------------------------------------------------------------------

// Return a pointer to the count of a class at a leaf, which is added if necessary.  It is
// valid until the next call.
static uint64_t *count_of(struct hp_prior *prior, uint32_t leaf, uint32_t class) {
    struct hp_prior_count fresh = {.key = {leaf, class}};
    uint32_t number =
        hp_index_of(&prior->index, &prior->counts, &fresh.key, sizeof fresh.key);
    if (number == prior->counts.count) {
        hp_vec_push(&prior->counts, fresh);
    }
    return &prior->counts.at[number].count;
}

void hp_prior_add(struct hp_prior *prior, uint32_t leaf, uint64_t size, uint64_t n) {
    int class = hp_class_below(size);
    if (hp_class_size(class) == size) {
        *count_of(prior, leaf, (uint32_t) class) += n;
        *count_of(prior, leaf, HP_SIZE_CLASSES) += n;
    }
}

void hp_prior_clear(struct hp_prior *prior) {
    hp_vec_done(&prior->owners.of);
    hp_index_drop(&prior->index);
    hp_vec_done(&prior->counts);
}

// Return the weight of a reading, not normalized; 1 without a prior.
static double weight_of(struct hp_prior *prior, uint32_t leaf,
                        const struct hp_reading *reading) {
    double weight = 1, same = 1;
    double all = prior ? (double)*count_of(prior, leaf, HP_SIZE_CLASSES) : 0;
    for (unsigned i = 0; prior && i < reading->count; i++) {
        double count = (double)*count_of(prior, leaf, reading->classes[i]);
        same = i > 0 && reading->classes[i] == reading->classes[i - 1] ? same + 1 : 1;
        weight *= (READ_WEIGHT * count + 1) / (READ_WEIGHT * all + HP_SIZE_CLASSES);
        weight *= (double)(i + 1) / same;
    }
    return weight;
}

// --- readings --------------------------------------------------------------------------

static double larger(double a, double b) {
    return a > b ? a : b;
}

// Sums over the objects of one reading, or bounds of the sums of all readings.  Units as
// in struct hp_class_weight.
struct totals {
    double objects, least_objects, most_objects;
    double bytes, least_bytes, most_bytes, large_bytes;
    double variance, objects_variance, max_weight;
    uint64_t least_size, samples;
};

// Add up one reading.
static struct totals total_of(const struct hp_class_weights *weights,
                              const struct hp_reading *reading) {
    struct totals sum = {.samples = reading->count};
    for (unsigned i = 0; i < reading->count; i++) {
        const struct hp_class_weight *w = &weights->of[reading->classes[i]];
        double size = (double)w->least_size;
        sum.objects += w->objects;
        sum.least_objects += w->least_objects;
        sum.most_objects += w->most_objects;
        sum.bytes += w->bytes;
        sum.large_bytes += w->size > HP_LARGE_FROM ? w->bytes : 0;
        sum.least_bytes += w->least_bytes;
        sum.most_bytes += w->most_bytes;
        sum.variance += w->variance;
        sum.objects_variance += w->variance / (size * size);
        sum.max_weight = larger(sum.max_weight, w->most_objects);
        sum.least_size += w->least_size;
    }
    return sum;
}

// Return the widest bounds of all readings.
static struct totals bounds_of(const struct hp_class_weights *weights,
                               struct hp_readings readings) {
    struct totals all = total_of(weights, readings.at);
    for (size_t i = 1; i < readings.count; i++) {
        struct totals one = total_of(weights, &readings.at[i]);
        all.most_objects = larger(all.most_objects, one.most_objects);
        all.least_objects = -larger(-all.least_objects, -one.least_objects);
        all.most_bytes = larger(all.most_bytes, one.most_bytes);
        all.least_bytes = -larger(-all.least_bytes, -one.least_bytes);
        all.variance = larger(all.variance, one.variance);
        all.objects_variance = larger(all.objects_variance, one.objects_variance);
        all.max_weight = larger(all.max_weight, one.max_weight);
        all.least_size =
            one.least_size < all.least_size ? one.least_size : all.least_size;
        all.samples = one.samples < all.samples ? one.samples : all.samples;
    }
    // Counts have no bounds that could be added: their range is treated as chance.
    double half = (all.most_objects - all.least_objects) / 2;
    all.objects_variance += half * half;
    return all;
}

// Set the bounds of an estimate of `bytes` bytes.
static void bound(const struct totals *all, double bytes, struct hp_unbiased *estimate) {
    double excess = bytes - all->least_bytes, hidden = all->most_bytes - bytes;
    hp_error_bound(&estimate->error, excess, hidden, &estimate->too_big);
}

struct hp_unbiased hp_estimate_readings(const struct hp_class_weights *weights,
                                        struct hp_readings readings,
                                        struct hp_prior *prior, uint32_t leaf) {
    double objects = 0, bytes = 0, large_bytes = 0, weight = 0;
    for (size_t i = 0; i < readings.count; i++) {
        struct totals one = total_of(weights, &readings.at[i]);
        double w = weight_of(prior, leaf, &readings.at[i]);
        objects += w * one.objects;
        bytes += w * one.bytes;
        large_bytes += w * one.large_bytes;
        weight += w;
    }
    struct totals all = bounds_of(weights, readings);
    struct hp_unbiased estimate = hp_unbiased_of(objects / weight, bytes / weight);
    estimate.large_bytes = hp_unbiased_of(0, large_bytes / weight).bytes;
    estimate.error = hp_error_of_sizes(all.samples, all.least_size, all.variance,
                                       all.objects_variance, &estimate.too_big);
    estimate.error.period = weights->period;
    estimate.error.max_weight = all.max_weight;
    bool is_unique = readings.count == 1 && !(weights->has_pages && large_bytes > 0);
    estimate.error.read[is_unique ? HP_READ_UNIQUE : HP_READ_SEVERAL] = 1;
    bound(&all, bytes / weight, &estimate);
    return estimate;
}

// --- class by class --------------------------------------------------------------------

// The sampled objects of one class in all readings of a line.
struct class_sum {
    // Fewest and most objects in a reading that has the class.
    unsigned class, least, most;
    size_t readings; // number of readings that have the class
    double weighted; // sum of the objects, weighted by reading
};

// The classes of a line, in no order.
struct class_sums {
    struct class_sum of[HP_CLASS_PARTS];
    size_t count;
};

// Return the sum of a class, which is added if necessary; NULL: there is no room.
static struct class_sum *sum_of(struct class_sums *sums, unsigned class) {
    size_t i = 0;
    while (i < sums->count && sums->of[i].class != class) {
        i++;
    }
    if (i == sums->count && i < HP_CLASS_PARTS) {
        sums->of[sums->count++] = (struct class_sum){.class = class, .least = UINT_MAX};
    }
    return i < HP_CLASS_PARTS ? &sums->of[i] : NULL;
}

// Add a reading.  Returns false if it has too many classes.
static bool add_reading(struct class_sums *sums, const struct hp_reading *reading,
                        double weight) {
    for (unsigned i = 0, same; i < reading->count; i += same) {
        struct class_sum *sum = sum_of(sums, reading->classes[i]);
        for (same = 1; i + same < reading->count &&
                       reading->classes[i + same] == reading->classes[i];) {
            same++;
        }
        if (!sum) {
            return false;
        }
        sum->weighted += weight * same;
        sum->most = same > sum->most ? same : sum->most;
        sum->least = same < sum->least ? same : sum->least;
        sum->readings++;
    }
    return true;
}

// Estimate the part of one class.  `readings`: their number; `weight`: sum of their
// weights.
static struct hp_class_part part_of(const struct hp_class_weights *weights,
                                    const struct class_sum *sum, size_t readings,
                                    double weight) {
    const struct hp_class_weight *w = &weights->of[sum->class];
    double n = sum->weighted / weight, most = sum->most, size = (double)w->least_size;
    double least = sum->readings == readings ? sum->least : 0;
    double half = (most - least) / 2 * w->most_objects +
                  least / 2 * (w->most_objects - w->least_objects);
    struct hp_unbiased of = hp_unbiased_of(n * w->objects, n * w->bytes);
    uint64_t samples = least > 0 ? (uint64_t)least : 1; // at least one may have been seen
    of.error =
        hp_error_of_sizes(samples, (uint64_t)least * w->least_size, most * w->variance,
                          most * w->variance / (size * size) + half * half, &of.too_big);
    of.error.period = weights->period;
    of.error.max_weight = w->most_objects;
    bool is_unique = readings == 1 && w->least_size == w->size;
    of.error.read[is_unique ? HP_READ_UNIQUE : HP_READ_SEVERAL] = 1;
    hp_error_bound(&of.error, n * w->bytes - least * w->least_bytes,
                   (most - n) * w->bytes + most * (w->most_bytes - w->bytes),
                   &of.too_big);
    return (struct hp_class_part){w->size, of};
}

size_t hp_split_readings(const struct hp_class_weights *weights,
                         struct hp_readings readings, struct hp_prior *prior,
                         uint32_t leaf, struct hp_class_part parts[HP_CLASS_PARTS]) {
    struct class_sums sums = {.count = 0};
    double all = 0;
    for (size_t i = 0; i < readings.count; i++) {
        double weight = weight_of(prior, leaf, &readings.at[i]);
        if (!add_reading(&sums, &readings.at[i], weight)) {
            return 0;
        }
        all += weight;
    }
    for (size_t i = 0; i < sums.count; i++) {
        parts[i] = part_of(weights, &sums.of[i], readings.count, all);
    }
    return sums.count;
}

// --- bounds ----------------------------------------------------------------------------

// The number of objects stays that of the single size: there is no evidence of others.
void hp_widen_to_readings(const struct hp_class_weights *weights,
                          struct hp_readings readings, struct hp_unbiased *estimate) {
    struct totals all = bounds_of(weights, readings);
    struct hp_error widest = hp_error_of_sizes(all.samples, all.least_size, all.variance,
                                               all.objects_variance, &estimate->too_big);
    struct hp_error *error = &estimate->error;
    if (widest.variance > error->variance) {
        error->variance = widest.variance;
    }
    if (widest.observed_bytes < error->observed_bytes) {
        error->observed_bytes = widest.observed_bytes;
    }
    bound(&all, hp_fixed_double(estimate->bytes, HP_INUSE_SPACE), estimate);
}

// --- one class, and mixes --------------------------------------------------------------

struct hp_unbiased hp_estimate_class(const struct hp_class_weights *weights, uint64_t n,
                                     uint64_t size) {
    const struct hp_class_weight *w = &weights->of[hp_class_below(size)];
    double count = (double)n, least = (double)w->least_size;
    double half = count * (w->most_objects - w->least_objects) / 2;
    double variance = count * w->variance;
    struct hp_unbiased e = hp_unbiased_of(count * w->objects, count * w->bytes);
    uint64_t certain;
    e.too_big |= __builtin_mul_overflow(n, w->least_size, &certain);
    e.error = hp_error_of_sizes(n, certain, variance,
                                variance / (least * least) + half * half, &e.too_big);
    e.error.period = weights->period;
    e.error.max_weight = w->most_objects;
    e.large_bytes = size > HP_LARGE_FROM ? e.bytes : 0;
    hp_error_bound(&e.error, count * (w->bytes - w->least_bytes),
                   count * (w->most_bytes - w->bytes), &e.too_big);
    return e;
}

// Return the smallest ratio of the smaller to the larger reading, over the four classes
// of the doubling that contains `class`.
static double least_share(const struct hp_class_weights *weights, int class) {
    int first = class - (class - 5) % 4;
    double share = 1;
    for (int i = first; i < first + 4 && i < HP_SIZE_CLASSES; i++) {
        const struct hp_class_weight *w = &weights->of[i];
        share = -larger(-share, -w->least_bytes / w->most_bytes);
    }
    return share;
}

// The sizes are assumed to be the mean, but the bounds include the classes near it.  The
// size of a class is never less than 4/5 of the next.
void hp_read_mix_as_pages(const struct hp_class_weights *weights, double mean,
                          struct hp_unbiased *estimate) {
    int below = hp_class_below((uint64_t)mean);
    int class = below + ((double)weights->of[below].size < mean);
    class -= class == HP_SIZE_CLASSES;
    const struct hp_class_weight *w = &weights->of[class];
    struct hp_error *error = &estimate->error;
    double objects = hp_fixed_double(estimate->objects, HP_INUSE_OBJECTS);
    double most = hp_fixed_double(estimate->bytes, HP_INUSE_SPACE);
    double bytes = most * (w->bytes / w->most_bytes);
    struct hp_unbiased middle =
        hp_unbiased_of(objects * (w->objects / w->least_objects), bytes);
    estimate->too_big |= middle.too_big;
    estimate->objects = middle.objects;
    estimate->bytes = estimate->large_bytes = middle.bytes;
    error->max_weight = objects * (w->most_objects / w->least_objects);
    error->variance +=
        (hp_int128)((double)error->variance * (w->most_objects / w->least_objects - 1));
    error->observed_bytes -= error->observed_bytes / 5;
    hp_error_bound(error,
                   (double)error->excess_bytes_max + bytes -
                       most * least_share(weights, class),
                   (double)error->hidden_bytes_max + most - bytes, &estimate->too_big);
}

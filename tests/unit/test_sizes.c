// Tests of the sizes and ages of objects by stack.
#include "model/ages.h"

#include "base/units.h"
#include "calc/decoded.h"
#include "calc/probability.h"

#include <criterion/criterion.h>

// Add bytes of one size to stack 3.
static void add(struct hp_sizes *sizes, uint64_t size, hp_fixed bytes) {
    struct hp_size_part part = {.size = size,
                                .bytes = bytes,
                                .error = {.samples = 1, .variance = bytes}};
    hp_sizes_add(sizes, 3, &part);
}

// Number of parts of stack 3, and their bytes.
static unsigned count(const struct hp_sizes *sizes, hp_fixed *bytes) {
    const struct hp_size_part *part = hp_sizes_of(sizes, 3);
    unsigned parts = 0;
    for (*bytes = 0; part; part = hp_sizes_next(sizes, part)) {
        *bytes += part->bytes;
        parts++;
    }
    return parts;
}

Test(sizes, add_up_by_size_and_are_mixed_where_they_are_too_many) {
    struct hp_sizes sizes = {0};
    hp_fixed bytes;
    for (uint64_t i = 0; i < 2 * HP_SIZES_OF_STACK; i++) {
        add(&sizes, 16 + i / 2, 5);
    }
    add(&sizes, HP_MIXED_SIZES, 7);
    cr_expect(count(&sizes, &bytes) == HP_SIZES_OF_STACK + 1 &&
              bytes == 10 * HP_SIZES_OF_STACK + 7);
    cr_expect(hp_sizes_of(&sizes, 2) == NULL && hp_sizes_of(&sizes, 4) == NULL);
    add(&sizes, 9999, 1);
    add(&sizes, 16, 1);
    cr_expect(count(&sizes, &bytes) == 1 && bytes == 10 * HP_SIZES_OF_STACK + 9);
    const struct hp_size_part *all = hp_sizes_of(&sizes, 3);
    cr_expect(all->size == HP_MIXED_SIZES && all->is_likely &&
              all->error.variance == bytes);
    hp_sizes_done(&sizes);
}

// The number of sizes may exceed the limit in one of two sums, or only in both together.
Test(sizes, are_the_same_in_whatever_parts_they_are_added_up) {
    for (uint64_t all = HP_SIZES_OF_STACK - 1; all < HP_SIZES_OF_STACK + 3; all++) {
        for (uint64_t cut = 0; cut <= all; cut++) {
            struct hp_sizes first = {0}, second = {0};
            hp_fixed bytes;
            for (uint64_t i = 0; i < all; i++) {
                add(i < cut ? &first : &second, 16 + i, 1);
                add(i < cut ? &first : &second, i % 2 ? 16 : HP_MIXED_SIZES, 1);
            }
            hp_sizes_add_stack(&first, 3, &second, 3);
            add(&first, 17, 1);
            unsigned parts = count(&first, &bytes);
            cr_expect(bytes == (hp_fixed)(2 * all + 1));
            cr_expect(parts == (all > HP_SIZES_OF_STACK ? 1 : all + 1));
            hp_sizes_done(&first);
            hp_sizes_done(&second);
        }
    }
}

// --- by age ----------------------------------------------------------------------------

Test(sizes, of_ages_are_ranges_without_gaps_that_no_stack_has_too_many_of) {
    struct hp_sizes ages = {0};
    hp_fixed bytes;
    cr_expect_eq(hp_age_range_low(1), 0);
    for (uint64_t range = 1; range <= HP_AGES; range++) {
        uint64_t low = hp_age_range_low(range), high = hp_age_range_high(range);
        cr_expect(low < high &&
                  (range == HP_AGES || hp_age_range_low(range + 1) == high));
        cr_expect_eq(hp_age_range_of(low), range);
        cr_expect_eq(hp_age_range_of(high - 1), range);
        add(&ages, range, 1);
    }
    cr_expect_eq(hp_age_range_of(UINT64_MAX), HP_AGES);
    add(&ages, HP_NO_AGE, 1);
    cr_expect(count(&ages, &bytes) == HP_AGES + 1 && bytes == HP_AGES + 1);
    hp_sizes_done(&ages);
}

Test(sizes, of_ages_are_called_by_their_ends) {
    static const struct {
        uint64_t age; // nanoseconds
        const char *name;
    } of[] = {
        {0, "below 1 ms"},
        {1000000, "1 ms to 10 ms"},
        {999999999, "100 ms to 1 s"},
        {1000000000, "1 s to 2 s"},
        {5000000000000, "4,096 s to 8,192 s"},
        {UINT64_MAX, "134,217,728 s and above"},
    };

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char name[HP_NUMBER_SIZE];
        hp_age_range_format(name, hp_age_range_of(of[i].age));
        cr_expect_str_eq(name, of[i].name);
    }
}

// --- of readings -----------------------------------------------------------------------

// Bytes of one size in a reading.
static double bytes_of(const struct hp_class_weights *weights,
                       const struct hp_reading *reading, uint64_t size) {
    double bytes = 0;
    for (unsigned i = 0; i < reading->count; i++) {
        const struct hp_class_weight *weight = &weights->of[reading->classes[i]];
        bytes += weight->size == size ? weight->bytes : 0;
    }
    return bytes;
}

Test(sizes, of_several_readings_are_within_the_bounds_of_each) {
    const uint64_t period = 4096;
    static struct hp_class_weights weights;
    hp_class_weights_init(&weights, period, hp_byte_rate(period), false);
    const struct hp_reading readings[] = {{.count = 3, .classes = {10, 20, 20}},
                                          {.count = 2, .classes = {20, 30}},
                                          {.count = 4, .classes = {20, 20, 20, 31}}};
    struct hp_prior prior = {0};
    hp_prior_add(&prior, 7, hp_class_size(20), 1);
    hp_prior_add(&prior, 7, hp_class_size(30), 1);
    struct hp_class_part parts[HP_CLASS_PARTS];
    struct hp_readings all = {readings, 3, true, false};
    size_t found = hp_split_readings(&weights, all, &prior, 7, parts);
    double sum = 0;
    cr_assert(found == 4);
    for (size_t i = 0; i < found; i++) {
        const struct hp_unbiased *of = &parts[i].of;
        double bytes = hp_fixed_double(of->bytes, HP_INUSE_SPACE);
        sum += bytes;
        cr_expect(of->error.read[HP_READ_SEVERAL] == 1 && of->error.samples > 0);
        for (size_t k = 0; k < all.count; k++) {
            double one = bytes_of(&weights, &readings[k], parts[i].size);
            cr_expect(one >= bytes - (double)of->error.excess_bytes_max - 1e-3);
            cr_expect(one <= bytes + (double)of->error.hidden_bytes_max + 1e-3);
        }
    }
    struct hp_unbiased whole = hp_estimate_readings(&weights, all, &prior, 7);
    double bytes = hp_fixed_double(whole.bytes, HP_INUSE_SPACE);
    cr_expect(sum > bytes - 1e-3 && sum < bytes + 1e-3);
    hp_prior_clear(&prior);
}

Test(sizes, of_readings_of_more_classes_than_there_is_room_for_are_none) {
    static struct hp_class_weights weights;
    hp_class_weights_init(&weights, 4096, hp_byte_rate(4096), false);
    const struct hp_reading readings[] = {{.count = 5, .classes = {1, 2, 3, 4, 5}},
                                          {.count = 4, .classes = {5, 6, 7, 8}},
                                          {.count = 1, .classes = {9}}};
    struct hp_class_part parts[HP_CLASS_PARTS];
    cr_expect(hp_split_readings(&weights, (struct hp_readings){readings, 2, true, false},
                                NULL, 0, parts) == HP_CLASS_PARTS);
    cr_expect(hp_split_readings(&weights, (struct hp_readings){readings, 3, true, false},
                                NULL, 0, parts) == 0);
}

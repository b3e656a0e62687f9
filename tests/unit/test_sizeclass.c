// Tests of jemalloc's size classes, and of recovering sizes from printed lines.
#include "calc/probability.h"
#include "calc/recover_size.h"

#include <criterion/criterion.h>

Test(sizeclass, are_those_of_jemalloc) {
    static const uint64_t first[] = {8,   16,  32,  48,  64,  80,  96,  112, 128,
                                     160, 192, 224, 256, 320, 384, 448, 512};
    for (int i = 0; i < (int)(sizeof first / sizeof *first); i++) {
        cr_expect_eq(hp_class_size(i), first[i], "class %d", i);
    }
    cr_expect_eq(hp_class_size(HP_SIZE_CLASSES - 1), (uint64_t)7 << 61);
}

Test(sizeclass, rise_strictly) {
    for (int i = 1; i < HP_SIZE_CLASSES; i++) {
        cr_expect_gt(hp_class_size(i), hp_class_size(i - 1), "class %d", i);
    }
}

Test(sizeclass, are_found_by_size) {
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        cr_expect_eq(hp_class_below(hp_class_size(i)), i);
        cr_expect_eq(hp_class_below(hp_class_size(i) + 1), i);
        cr_expect(hp_is_class_size(hp_class_size(i)));
        cr_expect_not(hp_is_class_size(hp_class_size(i) + 1));
    }
    cr_expect_eq(hp_class_below(0), 0);
    cr_expect_eq(hp_class_below(UINT64_MAX), HP_SIZE_CLASSES - 1);
}

// The line that jemalloc prints for n objects of a class.
static struct hp_count printed(const struct hp_size_class *class, uint64_t n,
                               uint64_t period) {
    double objects = (double)(n * class->shifted_objects) / 8;
    double bytes = (double)(n * class->unbiased_size), mean = bytes / objects;
    double sampled = bytes * hp_one_minus_exp_naive(mean / (double)period);
    return (struct hp_count){(uint64_t)(sampled / mean + 0.5), (uint64_t)(sampled + 0.5)};
}

// One of the sets of objects with this line is found, also beyond 2^53, where sums are
// not exact.
Test(sizeclass, of_all_objects_of_a_line_prints_as_it_did) {
    static const uint64_t periods[] = {1, 4096, 524288, 1 << 24, (uint64_t)1 << 40};
    static const uint64_t counts[] = {1, 2, 3, 7, 1000, 999999, (uint64_t)1 << 33};
    static struct hp_size_classes classes;
    for (int i = 0; i < 5 * 60 * 7; i++) {
        uint64_t period = periods[i / 420], n = counts[i % 7], found, size;
        hp_size_classes_init(&classes, period);
        const struct hp_size_class *class = &classes.of[i / 7 % 60];
        if (class->shifted_objects == 0 ||
            n > ((uint64_t)1 << 62) / class->unbiased_size) {
            continue;
        }
        struct hp_count count = printed(class, n, period);
        if (count.objects > 0) {
            cr_assert(hp_recover_size(&classes, count, &found, &size));
            class = &classes.of[hp_class_below(size)];
            cr_expect(hp_prints_as(found * class->shifted_objects,
                                   found * class->unbiased_size, period, count),
                      "%d", i);
        }
    }
}

// Whether any number of objects of one class prints the line, by trying all.
static bool any_prints(const struct hp_size_classes *classes, struct hp_count count) {
    int middle = hp_class_below(count.bytes / count.objects);
    for (int i = middle < 2 ? 0 : middle - 2; i <= middle + 2; i++) {
        const struct hp_size_class *class = &classes->of[i];
        for (uint64_t n = 1; n <= 2 * count.objects && class->shifted_objects > 0; n++) {
            if (hp_prints_as(n * class->shifted_objects, n * class->unbiased_size,
                             classes->period, count)) {
                return true;
            }
        }
    }
    return false;
}

Test(sizeclass, is_found_if_any_number_of_its_objects_prints_so) {
    static const uint64_t periods[] = {1, 100, 4096, 524288};
    static struct hp_size_classes classes;
    int found = 0, missed = 0;
    for (int i = 0; i < 4 * 60 * 8 * 7; i++) {
        hp_size_classes_init(&classes, periods[i / 3360]);
        struct hp_count count =
            printed(&classes.of[i / 56 % 60], (uint64_t)(i / 7 % 8 + 1), classes.period);
        count.bytes += (uint64_t)(i % 7) - 3;
        if (count.objects > 0) {
            uint64_t n, size;
            bool is_found = hp_recover_size(&classes, count, &n, &size);
            cr_assert(is_found == any_prints(&classes, count), "%d", i);
            *(is_found ? &found : &missed) += 1;
        }
    }
    cr_expect(found > 1000 && missed > 1000, "%d %d", found, missed);
}

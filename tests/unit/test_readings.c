// Tests of the decoder of lines: the readings of a line are all sets of objects that
// would print it.
#include "calc/decoded.h"

#include "calc/probability.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct hp_size_classes classes;
static struct hp_decoder decoder;

// The line that jemalloc prints for these objects, with prof_unbias.
static struct hp_count rewritten(const struct hp_reading *objects) {
    double count = 0, bytes = 0;
    for (unsigned i = 0; i < objects->count; i++) {
        count += (double)classes.of[objects->classes[i]].shifted_objects / 8;
        bytes += (double)classes.of[objects->classes[i]].unbiased_size;
    }
    double mean = bytes / count;
    double sampled = bytes * hp_one_minus_exp_naive(mean / (double)classes.period);
    return (struct hp_count){(uint64_t)(sampled / mean + 0.5), (uint64_t)(sampled + 0.5)};
}

// The line without prof_unbias.
static struct hp_count raw(const struct hp_reading *objects) {
    struct hp_count line = {objects->count, 0};
    for (unsigned i = 0; i < objects->count; i++) {
        line.bytes += classes.of[objects->classes[i]].size;
    }
    return line;
}

// The line of these objects, as the decoder expects it.
static struct hp_count print(const struct hp_reading *objects) {
    return decoder.is_raw ? raw(objects) : rewritten(objects);
}

// Start a decoder for a period.
static void begin(uint64_t period, bool is_raw) {
    hp_size_classes_init(&classes, period);
    hp_decoder_init(&decoder, &classes, is_raw);
}

static bool same_line(struct hp_count a, struct hp_count b) {
    return a.objects == b.objects && a.bytes == b.bytes;
}

static int by_class(const void *a, const void *b) {
    return (int)*(const uint8_t *)a - *(const uint8_t *)b;
}

// Draw `count` objects of random classes.
static struct hp_reading draw(unsigned count, int first, int last) {
    struct hp_reading objects = {.count = (uint8_t)count};
    for (unsigned i = 0; i < count; i++) {
        objects.classes[i] = (uint8_t)(first + rand() % (last - first + 1));
    }
    qsort(objects.classes, count, 1, by_class);
    return objects;
}

// Decode the lines of 200 random sets of objects.  Every reading has to print the line
// and to occur once; if readings are complete, the objects are among them.  Returns how
// many results are complete.
static unsigned check(unsigned count, int first, int last) {
    unsigned complete = 0;
    for (int draws = 0; draws < 200; draws++) {
        struct hp_reading objects = draw(count, first, last);
        struct hp_count line = print(&objects);
        struct hp_readings found = hp_decode(&decoder, line);
        bool has_objects = false;
        for (size_t i = 0; i < found.count; i++) {
            cr_assert(same_line(print(&found.at[i]), line));
            has_objects |= memcmp(&found.at[i], &objects, sizeof objects) == 0;
            for (size_t k = 0; k < i; k++) {
                cr_assert(memcmp(&found.at[i], &found.at[k], sizeof objects) != 0);
            }
        }
        cr_assert(has_objects || !found.complete, "%u objects, draw %d", count, draws);
        complete += found.complete;
    }
    return complete;
}

// Sizes from R/2 to 4 R, where R is the period.
Test(readings, of_objects_near_the_period_have_the_true_one_among_them) {
    srand(1);
    begin(65536, false);
    for (unsigned count = 2; count <= 4; count++) {
        cr_expect_eq(check(count, 41, 52), 200, "%u objects", count);
    }
    cr_expect_gt(check(5, 41, 52), 150);
    cr_expect_gt(check(6, 41, 52), 150);
    cr_expect_gt(check(7, 41, 52), 50);
}

Test(readings, of_small_objects_have_the_true_one_among_them) {
    srand(2);
    begin(65536, false);
    cr_expect_eq(check(2, 1, 20), 200);
    cr_expect_gt(check(3, 1, 20), 150);
    check(4, 1, 20);
}

Test(readings, of_any_objects_at_any_period_have_the_true_one_among_them) {
    static const uint64_t periods[] = {64, 1000, 4096, 131072, 524288, 4194304};
    srand(3);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        begin(periods[i], false);
        for (unsigned count = 2; count <= 7; count++) {
            check(count, 0, hp_class_below(periods[i] * 8));
        }
    }
}

Test(readings, of_raw_lines_have_the_true_one_among_them) {
    srand(4);
    begin(65536, true);
    for (unsigned count = 2; count <= 3; count++) {
        cr_expect_eq(check(count, 0, 56), 200);
    }
    cr_expect_gt(check(4, 0, 56), 150);
    check(5, 0, 56);
}

// Number of pairs of objects that print the line, by trying all.
static size_t count_pairs(struct hp_count line) {
    size_t found = 0;
    for (int i = 0; i < HP_SIZE_CLASSES / 2; i++) {
        for (int k = i; k < HP_SIZE_CLASSES / 2; k++) {
            struct hp_reading pair = {2, {(uint8_t)i, (uint8_t)k}};
            found += same_line(print(&pair), line);
        }
    }
    return found;
}

Test(readings, of_two_objects_are_all_there_are) {
    for (int is_raw = 0; is_raw < 2; is_raw++) {
        srand(5);
        begin(65536, is_raw);
        for (int draws = 0; draws < 100; draws++) {
            struct hp_reading objects = draw(2, 0, 56);
            struct hp_count line = print(&objects);
            struct hp_readings readings = hp_decode(&decoder, line);
            size_t pairs = 0;
            for (size_t i = 0; i < readings.count; i++) {
                pairs += readings.at[i].count == 2;
            }
            cr_assert(!readings.complete || pairs == count_pairs(line));
        }
    }
}

// The result must not depend on earlier calls.
Test(readings, of_a_line_are_the_same_at_any_time) {
    srand(6);
    begin(65536, false);
    struct hp_reading objects = draw(3, 1, 20);
    struct hp_count line = rewritten(&objects);
    struct hp_readings first = hp_decode(&decoder, line);
    struct hp_reading kept[256];
    memcpy(kept, first.at, first.count * sizeof *kept);
    check(4, 39, 52);
    struct hp_readings again = hp_decode(&decoder, line);
    cr_expect_eq(again.count, first.count);
    cr_expect_eq(again.complete, first.complete);
    cr_expect_arr_eq(again.at, kept, first.count * sizeof *kept);
}

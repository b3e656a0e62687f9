// Tests of undoing the sampling of one stack: the estimates and their errors.
#include "calc/unbias.h"

#include <criterion/criterion.h>
#include <math.h>

// A dump of one stack with one pair of numbers.  A header that is not the sum
// shows that jemalloc has rewritten the numbers.
struct one {
    struct hp_dump dump;
    struct hp_dump_stack stack;
};

// Make such a dump; `raw` gives it a matching header.
static void make(struct one *one, uint64_t period, struct hp_count count, bool raw) {
    *one = (struct one){.stack = {.counts = {.inuse = count}}};
    one->dump.period = period;
    one->dump.stacks.at = &one->stack;
    one->dump.stacks.count = 1;
    one->dump.header.inuse = raw ? count : (struct hp_count){0};
}

static struct hp_unbias unbias;

// Estimate objects and bytes in use.
static void estimate(struct one *one, enum hp_estimator estimator, double *objects,
                     double *bytes) {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    hp_unbias_init(&unbias, estimator, &one->dump);
    cr_assert(hp_unbias_stack(&unbias, &one->dump, &one->stack, &values, errors));
    *objects = hp_fixed_double(values.of[HP_INUSE_OBJECTS], HP_INUSE_OBJECTS);
    *bytes = hp_fixed_double(values.of[HP_INUSE_SPACE], HP_INUSE_SPACE);
}

// Whether numbers are close, except for the unit of fixed point: bytes are stored in
// units of 2^-20.
static bool close_to(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b) + 0x1p-20;
}

// (c', b') as jemalloc prints it for n objects of one size; the n and the size.
static const struct {
    struct hp_count printed;
    double n, size;
} recovered[] = {
    {{1, 82338}, 1, 81920},
    {{8, 4128810}, 8, 524288},
    {{29, 118785}, 29, 4096},
    {{14, 224}, 14, 16},
};

Test(unbias, finds_number_and_size_of_equal_objects_exactly) {
    const double period = 524288;
    for (size_t i = 0; i < sizeof recovered / sizeof *recovered; i++) {
        struct one one;
        double objects, bytes;
        make(&one, 524288, recovered[i].printed, false);
        estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
        double p = -expm1(recovered[i].size * log1p(-1 / period));
        cr_expect(close_to(objects, recovered[i].n / p, 1e-9), "row %zu: %f", i, objects);
        cr_expect(close_to(bytes, recovered[i].n * recovered[i].size / p, 1e-12),
                  "row %zu: %f", i, bytes);
    }
}

Test(unbias, takes_nothing_of_one_dump_for_another_of_the_same_numbers) {
    struct one of_512k, of_64k, raw;
    double objects[5], bytes;
    make(&of_512k, 524288, recovered[2].printed, false);
    make(&of_64k, 65536, recovered[2].printed, false);
    make(&raw, 524288, recovered[2].printed, false);
    raw.dump.scaling = HP_SCALING_RAW;
    estimate(&of_512k, HP_ESTIMATOR_BEST, &objects[0], &bytes);
    estimate(&of_64k, HP_ESTIMATOR_BEST, &objects[1], &bytes);
    estimate(&of_512k, HP_ESTIMATOR_BEST, &objects[2], &bytes);
    estimate(&raw, HP_ESTIMATOR_BEST, &objects[3], &bytes);
    estimate(&of_512k, HP_ESTIMATOR_BEST, &objects[4], &bytes);
    cr_expect_gt(objects[0], objects[1] * 4);
    cr_expect_neq(objects[0], objects[3]);
    cr_expect_eq(objects[0], objects[2]);
    cr_expect_eq(objects[0], objects[4]);
}

Test(unbias, inverts_what_jemalloc_rewrote_when_sizes_differ) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){24, 3025}, false);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect(close_to(bytes, 12584424.56, 1e-9), "%f", bytes);
    cr_expect(close_to(objects, 99843.3684, 1e-8), "%f", objects);
}

Test(unbias, takes_raw_numbers_as_objects_of_mean_size) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){9, 8388624}, true);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect(close_to(bytes, 10094768.51, 1e-9), "%f", bytes);
}

// The line may be three objects of 256 KiB, or of 640, 112 and 16 KiB, which have a
// larger error.
Test(unbias, of_one_raw_size_is_as_unsure_as_any_others_that_it_may_be) {
    struct one one;
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    make(&one, 65536, (struct hp_count){3, 786432}, true);
    one.dump.producer = HP_PRODUCER_JEMALLOC;
    unbias.large_sizes = HP_LARGE_CLASSES;
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &one.dump);
    cr_assert(hp_unbias_stack(&unbias, &one.dump, &one.stack, &values, errors));
    const struct hp_error *error = &errors[HP_COLUMN_INUSE];
    bool too_big = false;
    struct hp_error known =
        hp_error_of_one_size(3, 262144, -expm1(262144 * log1p(-1. / 65536)), 65536,
                             &too_big);
    cr_expect_eq(error->read[HP_READ_SEVERAL], 1);
    cr_expect_gt(error->hidden_bytes_max, 65536);
    double of_others = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t size = (const uint64_t[]){640 << 10, 112 << 10, 16 << 10}[i];
        double p = -expm1((double)size * log1p(-1. / 65536));
        of_others += (double)size * (double)size * (1 - p) / (p * p);
    }
    cr_expect_gt((double)error->variance, 1.9 * (double)known.variance);
    cr_expect_geq((double)error->variance, of_others * (1 - 1e-9));
}

// 120 objects of 4096 bytes are printed as a multiple of 8; the header of a single stack
// is always its sum.
Test(unbias, knows_equal_objects_of_one_rewritten_stack_from_raw_ones_of_several_sizes) {
    struct one one;
    double objects, bytes;
    make(&one, 4096, (struct hp_count){121, 483872}, true);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(unbias.scaling, HP_SCALING_UNBIASED);
    cr_expect(close_to(bytes, 120 * 4096 / -expm1(4096 * log1p(-1.0 / 4096)), 1e-12),
              "%f", bytes);
    // This is not the line of equal objects either.
    make(&one, 4096, (struct hp_count){121, 483880}, true);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(unbias.scaling, HP_SCALING_RAW);
    make(&one, 4096, (struct hp_count){121, 121 * 4096}, true);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(unbias.scaling, HP_SCALING_RAW);
}

// The header of a damaged dump fits neither raw nor rewritten numbers.
Test(unbias, takes_a_lone_object_of_a_class_for_raw_though_the_dump_is_damaged) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){1, 49152}, true);
    one.dump.header.inuse = (struct hp_count){2, 49216};
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(unbias.scaling, HP_SCALING_RAW);
    make(&one, 4096, (struct hp_count){1, 49152}, true);
    one.dump.header.inuse = (struct hp_count){2, 49216};
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(unbias.scaling, HP_SCALING_UNBIASED);
}

// The line that prof_do_unbias() of jemalloc prints for n objects of a size.
static struct hp_count printed(double n, double size, double period) {
    double p = 1.0 - exp(-size / period);
    double objects = n * round(8 / p) / 8, bytes = n * round(size / p);
    double y = bytes * (1.0 - exp(-(bytes / objects) / period));
    return (struct hp_count){(uint64_t)round(y / (bytes / objects)), (uint64_t)round(y)};
}

// All size classes up to 64 periods.
Test(unbias, recovers_the_size_of_every_class) {
    static const double periods[] = {0x1p6, 0x1p12, 0x1p15, 0x1p19, 0x1p21, 0x1p25};
    static const double more[] = {77, 100, 333, 1000, 12345, 1e5, 1000003};
    int tried = 0, wrong = 0;
    for (size_t p = 0; p < sizeof periods / sizeof *periods; p++) {
        for (int class = 0; (double)hp_class_size(class) <= 64 * periods[p]; class ++) {
            for (int k = 0; k < 57; k++) {
                double n = k < 50 ? k + 1 : more[k - 50], objects, bytes;
                double size = (double)hp_class_size(class);
                struct one one;
                make(&one, (uint64_t)periods[p], printed(n, size, periods[p]), false);
                estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
                double probability = -expm1(size * log1p(-1 / periods[p]));
                wrong += !close_to(bytes, n * size / probability, 1e-12) ||
                         !close_to(objects, n / probability, 1e-12);
                tried++;
            }
        }
    }
    cr_expect_eq(wrong, 0, "%d of %d", wrong, tried);
    cr_expect_gt(tried, 24000, "%d", tried);
}

Test(unbias, leaves_exact_dumps_alone) {
    struct one one;
    double objects, bytes;
    make(&one, 1, (struct hp_count){143525, 46627456}, true);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(objects, 143525);
    cr_expect_eq(bytes, 46627456);
}

// With a period of 1 all objects are sampled, but jemalloc rewrites the numbers of small
// ones.
Test(unbias, undoes_the_rewriting_of_exact_dumps) {
    struct one one;
    double objects, bytes;
    make(&one, 1, (struct hp_count){199933, 1599463}, false);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(objects, 200000);
    cr_expect_eq(bytes, 1600000);
}

Test(unbias, as_jeprof_uses_its_formula) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){24, 3025}, true);
    estimate(&one, HP_ESTIMATOR_JEPROF, &objects, &bytes);
    double scale = 1 / (1 - exp(-(3025.0 / 24) / 524288));
    cr_expect(close_to(objects, 24 * scale, 1e-9));
    cr_expect(close_to(bytes, 3025 * scale, 1e-9));
}

Test(unbias, leaves_raw_numbers_alone_if_asked_or_without_a_period) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){24, 3025}, false);
    estimate(&one, HP_ESTIMATOR_NONE, &objects, &bytes);
    cr_expect_eq(bytes, 3025);
    make(&one, 0, (struct hp_count){24, 3025}, false);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(objects, 24);
}

Test(unbias, of_no_objects_is_nothing) {
    struct one one;
    double objects, bytes;
    make(&one, 524288, (struct hp_count){0, 0}, false);
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    cr_expect_eq(objects, 0);
    cr_expect_eq(bytes, 0);
}

// Two threads have objects of 16 bytes and of 1 MiB: the lines of threads yield better
// estimates than their sum.
Test(unbias, of_raw_dumps_adds_up_threads) {
    struct hp_thread_line lines[2] = {{.thread = 1, .counts = {.inuse = {8, 128}}},
                                      {.thread = 2, .counts = {.inuse = {4, 4 << 20}}}};
    struct one one;
    make(&one, 524288, (struct hp_count){12, 128 + (4 << 20)}, true);
    one.dump.thread_lines.at = lines;
    one.dump.thread_lines.count = 2;
    one.stack.lines = 2;
    double objects, bytes;
    estimate(&one, HP_ESTIMATOR_BEST, &objects, &bytes);
    double small = -expm1(16 * log1p(-1 / 524288.0));
    double large = -expm1(1048576 * log1p(-1 / 524288.0));
    cr_expect(close_to(objects, 8 / small + 4 / large, 1e-9), "%f", objects);
    cr_expect(close_to(bytes, 128 / small + 4194304 / large, 1e-9), "%f", bytes);
}

// jemalloc's rounding of large sizes does not apply to samples of gperftools.
Test(unbias, takes_no_pages_of_one_dump_for_another_of_no_classes) {
    struct one mixed, rewritten;
    struct hp_values values;
    struct hp_error errors[2][HP_COLUMNS];
    make(&mixed, 524288, (struct hp_count){3, 100001}, true);
    mixed.dump.producer = HP_PRODUCER_GPERFTOOLS_SAMPLE;
    mixed.dump.scaling = HP_SCALING_PER_LINE;
    make(&rewritten, 524288, recovered[1].printed, false);
    rewritten.dump.producer = HP_PRODUCER_JEMALLOC;
    unbias.large_sizes = HP_LARGE_PAGES;
    for (int i = 0; i < 2; i++) {
        hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &mixed.dump);
        cr_assert(
            hp_unbias_stack(&unbias, &mixed.dump, &mixed.stack, &values, errors[i]));
        hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &rewritten.dump);
        cr_expect(unbias.weights.has_pages);
    }
    const struct hp_error *first = &errors[0][0], *second = &errors[1][0];
    cr_expect(first->excess_bytes_max == second->excess_bytes_max);
    cr_expect_eq(first->observed_bytes, second->observed_bytes);
}

Test(unbias, refuses_numbers_beyond_all_reason) {
    struct one one;
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    make(&one, UINT64_MAX, (struct hp_count){(uint64_t)1 << 61, (uint64_t)1 << 61}, true);
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &one.dump);
    cr_expect_not(hp_unbias_stack(&unbias, &one.dump, &one.stack, &values, errors));
}

// Numbers that another tool has estimated, and the size of the objects; 0: unknown.
struct scaled_objects {
    struct hp_count count;
    uint64_t size;
};

// Estimate a stack that has these numbers; *objects is the estimated number of objects.
// Returns the error.
static struct hp_error error_of_scaled(struct scaled_objects scaled,
                                       enum hp_producer producer, uint64_t period,
                                       double *objects) {
    struct one one;
    struct hp_stack_extra extra = {.object_size = scaled.size};
    make(&one, period, scaled.count, true);
    one.dump.scaling = HP_SCALING_SCALED;
    one.dump.producer = producer;
    one.dump.extras.at = &extra;
    one.dump.extras.count = 1;
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &one.dump);
    cr_assert(hp_unbias_stack(&unbias, &one.dump, &one.stack, &values, errors));
    cr_expect(values.of[HP_INUSE_SPACE] ==
              (hp_fixed)(int64_t)scaled.count.bytes * (1 << HP_SPACE_FRACTION));
    *objects = hp_fixed_double(values.of[HP_INUSE_OBJECTS], HP_INUSE_OBJECTS);
    return errors[HP_COLUMN_INUSE];
}

Test(unbias, keeps_estimates_of_others_and_computes_their_error) {
    const uint64_t r = 4096;
    const enum hp_producer go = HP_PRODUCER_PPROF_GO;
    double p = -expm1(-1024. / (double)r), found;
    uint64_t objects = (uint64_t)(20 / p + 0.5);
    struct scaled_objects mixed = {{objects, objects * 1024}, 0};
    struct hp_error error = error_of_scaled(mixed, go, r, &found);
    double wanted = 20 / p * (double)(r * r) * (0.25 * 0.25) * (1 - p) / p;
    cr_expect(error.flags & HP_ERROR_MIXED);
    cr_expect(close_to((double)error.variance, wanted + (double)(r * r) / 12, 0.02));
    cr_expect_eq(found, (double)objects);

    struct scaled_objects uncounted = {{0, 1 << 20}, 0};
    error = error_of_scaled(uncounted, go, r, &found);
    cr_expect(error.variance == (hp_int128)r << 20);
    cr_expect(error.flags & HP_ERROR_MIXED);
    cr_expect(error.flags & HP_ERROR_UNCOUNTED);
    cr_expect(error.hidden_bytes_max == 0);
    error = error_of_scaled(uncounted, go, 0, &found);
    cr_expect_eq(error.period, 524288); // the default
    error = error_of_scaled((struct scaled_objects){{5, 0}, 0}, go, r, &found);
    cr_expect(error.variance == 0);
}

// Numbers of Go's runtime for one object of 600 KiB, and for 20 of 303,104 bytes with a
// period of 64 KiB.
Test(unbias, recovers_sampled_objects_of_known_sizes) {
    double found;
    struct scaled_objects one = {{1, 890158}, 614400};
    struct hp_error error = error_of_scaled(one, HP_PRODUCER_PPROF_GO, 524288, &found);
    double p = -expm1(-614400. / 524288);
    cr_expect_eq(error.samples, 1);
    cr_expect_eq(error.observed_bytes, 614400);
    cr_expect(close_to(found, 1 / p, 1e-9));
    cr_expect(close_to(error.max_weight, 1 / p, 1e-9));
    cr_expect_eq(error.flags, 0);

    struct scaled_objects twenty = {{20, 6122098}, 303104};
    error = error_of_scaled(twenty, HP_PRODUCER_PPROF_GO, 65536, &found);
    cr_expect_eq(error.samples, 20);
    cr_expect_eq(error.observed_bytes, 20 * 303104);

    struct scaled_objects negative = {{-1ULL, -890158ULL}, 614400};
    error = error_of_scaled(negative, HP_PRODUCER_PPROF_GO, 524288, &found);
    cr_expect(close_to(found, -1 / p, 1e-9));
    cr_expect_eq(error.observed_bytes, 0);
}

// tcmalloc uses other weights: of these 100 objects, only one was certainly sampled.
Test(unbias, is_sure_of_one_object_where_the_numbers_are_not_of_go) {
    double found;
    struct scaled_objects other = {{100, 30310400}, 303104};
    struct hp_error error =
        error_of_scaled(other, HP_PRODUCER_PPROF_TCMALLOC, 65536, &found);
    cr_expect_eq(error.observed_bytes, 303104);
    cr_expect_eq(error.samples, 99);
    cr_expect_eq(found, 100);
    error = error_of_scaled(other, HP_PRODUCER_PPROF_TCMALLOC, 1, &found);
    cr_expect_eq(error.observed_bytes, 30310400); // all objects are sampled
}

// Raw dumps hide most if the mean size is 1.79 periods, but nothing of a single sample.
Test(unbias, allows_for_means_that_hide_small_objects) {
    const uint64_t r = 65536;
    double found, t = 1.7933, n = 50;
    double raw = n * t * (double)r, printed = raw / -expm1(-t);
    double hidden = n * (double)r + raw - printed;
    struct scaled_objects means = {{(uint64_t)(n / -expm1(-t)), (uint64_t)printed}, 0};
    const enum hp_producer other = HP_PRODUCER_PPROF;
    struct hp_error error = error_of_scaled(means, other, r, &found);
    cr_expect(close_to((double)error.hidden_bytes_max, hidden, 0.02));
    means.count.objects = 0;
    error = error_of_scaled(means, HP_PRODUCER_PPROF_JEMALLOC, r, &found);
    cr_expect(close_to((double)error.hidden_bytes_max, hidden, 1e-4));
    error = error_of_scaled(means, HP_PRODUCER_PPROF_GO, r, &found);
    cr_expect(error.hidden_bytes_max == 0);
    struct scaled_objects one = {{0, 2 * r - 1}, 0};
    error = error_of_scaled(one, HP_PRODUCER_PPROF_JEMALLOC, r, &found);
    cr_expect(error.hidden_bytes_max == 0);
}

// The sum of two errors does not overflow, since only the values are near 2^64.
Test(unbias, knows_no_error_of_values_below_zero) {
    static const enum hp_scaling scalings[] = {HP_SCALING_EXACT, HP_SCALING_SCALED};

    for (int i = 0; i < 2; i++) {
        struct one one;
        struct hp_values values;
        struct hp_error errors[HP_COLUMNS];
        make(&one, 1, (struct hp_count){-1ULL, -100ULL}, true);
        one.dump.scaling = scalings[i];
        hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &one.dump);
        cr_assert(hp_unbias_stack(&unbias, &one.dump, &one.stack, &values, errors));
        cr_expect_eq(hp_fixed_double(values.of[HP_INUSE_SPACE], HP_INUSE_SPACE), -100);
        struct hp_error sum = errors[HP_COLUMN_INUSE];
        cr_expect(hp_error_add(&sum, &errors[HP_COLUMN_INUSE]));
        cr_expect_eq(sum.observed_bytes, 0);
    }
}

// The estimates of docs/explanation/sampling.md, as hprof-agg computes them: simulated
// programs are sampled, their dumps are written as jemalloc does, read back by the
// reader, and unsampled by calc/.
#include "calc/unbias.h"
#include "core/heapfile.h"
#include "core/usize.h"
#include "input/reader.h"
#include "sim/horvitz.h"
#include "sim/sampling.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    DUMPS = 20000,
    THREADS = 3,
    MOST_SAMPLES = 4096,
};

// --- a dump, written and read -----------------------------------------------------------

struct dump_reading {
    struct hp_reader reader;
    struct hp_dump dump;
};

static void reading_done(struct dump_reading *reading) {
    hp_dump_done(&reading->dump);
    hp_reader_done(&reading->reader);
}

// Write the dump of a ledger and read it back.
static void write_and_read(struct dump_reading *reading, const struct hps_ledger *ledger,
                           bool unbias) {
    static struct hps_textfile file;
    struct hp_err err = {0};
    char path[64];
    bool is_elf;
    int fd = memfd_create("dump", MFD_CLOEXEC);
    cr_assert_geq(fd, 0);
    hps_textfile_init(&file, fd);
    cr_assert_eq(hps_heapfile_write(&file, ledger,
                                    (struct hps_heapfile_options){.unbias = unbias}),
                 0);
    hps_heapfile_begin_map(&file);
    cr_assert_eq(hps_textfile_flush(&file), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    cr_assert_eq(hp_reader_read(&reading->reader, path, &reading->dump, &is_elf, &err),
                 0);
    cr_assert_null(reading->dump.damage.what);
    close(fd);
}

static uint64_t leaf_of(const struct hp_dump *dump, const struct hp_dump_stack *stack) {
    return dump->addresses.at[dump->frames.at[stack->first_frame]];
}

static struct hp_unbias unbias;

struct estimate {
    double objects, bytes;
    double excess, hidden; // largest errors of the bytes if the objects have other sizes
    enum hp_read read;
};

// The estimate of a stack; `unbias` must have been set up for the dump.
static struct estimate estimate_of(const struct hp_dump *dump,
                                   const struct hp_dump_stack *stack) {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    cr_assert(hp_unbias_stack(&unbias, dump, stack, &values, errors));
    const struct hp_error *error = &errors[HP_COLUMN_INUSE];
    return (struct estimate){
        .objects = hp_fixed_double(values.of[HP_INUSE_OBJECTS], HP_INUSE_OBJECTS),
        .bytes = hp_fixed_double(values.of[HP_INUSE_SPACE], HP_INUSE_SPACE),
        .excess = (double)error->excess_bytes_max,
        .hidden = (double)error->hidden_bytes_max,
        .read = error->read[HP_READ_NONE] > 0      ? HP_READ_NONE
                : error->read[HP_READ_SEVERAL] > 0 ? HP_READ_SEVERAL
                                                   : HP_READ_UNIQUE,
    };
}

static bool near(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b) + 0x1p-19;
}

// --- every class, many counts -----------------------------------------------------------

static const uint64_t counts_of_many[] = {77, 100, 333, 1000, 12345, 100000, 1000003};

enum {
    MANY = sizeof counts_of_many / sizeof *counts_of_many,
    COUNTS = 50 + MANY,
};

static uint64_t nth_count(int i) {
    return i < 50 ? (uint64_t)i + 1 : counts_of_many[i - 50];
}

static void multiply(struct hps_account *account, uint64_t n) {
    account->live.objects *= n;
    account->live.bytes *= n;
    account->live.eighths *= n;
    account->live.weighted_bytes *= n;
}

// Enter one stack for each size class up to 64 periods and each count.  The frame of a
// stack is 1 + its number.  Returns the number of stacks.
static int enter_all_classes(struct hps_ledger *ledger, uint64_t sizes[]) {
    int stacks = 0;
    struct hps_ledger_thread *thread = hps_ledger_new_thread(ledger, "");
    for (uint64_t size = 8; size <= 64 * ledger->period; size = hps_usize(size + 1)) {
        for (int i = 0; i < COUNTS; i++) {
            uintptr_t frame = (uintptr_t)stacks + 1;
            struct hps_ledger_line *line = hps_ledger_line(ledger, thread, &frame, 1);
            hps_ledger_add(ledger, line, size);
            multiply(&line->account, nth_count(i));
            multiply(&line->stack->account, nth_count(i));
            sizes[stacks++] = size;
        }
    }
    return stacks;
}

static const int lg_periods[] = {6, 12, 15, 19, 21, 25};

// Number of stacks whose estimate is exactly that of their number of objects and their
// size.
static int count_right(const struct hp_dump *dump, const uint64_t sizes[]) {
    int right = 0;
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, dump);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[i];
        int number = (int)leaf_of(dump, stack) - 1;
        double n = (double)nth_count(number % COUNTS), size = (double)sizes[number];
        double p = hps_inclusion(sizes[number], dump->period);
        struct estimate e = estimate_of(dump, stack);
        right += near(e.objects, n / p, 1e-9) && near(e.bytes, n * size / p, 1e-9);
    }
    return right;
}

Test(dumps, of_equal_objects_give_their_number_and_size_for_every_class) {
    static uint64_t sizes[20000];
    int lines = 0;
    for (int i = 0; i < 6; i++) {
        struct hps_ledger ledger;
        struct dump_reading reading = {0};
        hps_ledger_init(&ledger, (uint64_t)1 << lg_periods[i]);
        int stacks = enter_all_classes(&ledger, sizes);
        write_and_read(&reading, &ledger, true);
        cr_expect_eq(reading.dump.stacks.count, (size_t)stacks);
        int right = count_right(&reading.dump, sizes);
        cr_expect_eq(unbias.scaling, HP_SCALING_UNBIASED);
        cr_expect_eq(right, stacks, "period 2^%d: %d of %d", lg_periods[i], right,
                     stacks);
        lines += stacks;
        reading_done(&reading);
        hps_ledger_done(&ledger);
    }
    cr_expect_eq(lines, 24054);
}

// --- dumps of one program -----------------------------------------------------------------

enum {
    PERIOD = 4096,
    ONE_SIZE = 4, // number of the first stacks, whose objects have one size
    STACKS = 7,
    MOST_SIZES = 4,
};

// Sizes of the objects of each stack, and their number.  Every size is a size class.
static const struct {
    uint64_t size;
    int objects;
} program[STACKS][MOST_SIZES] = {
    {{16, 2000}},
    {{PERIOD / 4, 20}},
    {{PERIOD, 10}},
    {{4 * PERIOD, 3}},
    {{16, 1024}, {PERIOD / 4, 16}, {PERIOD, 4}, {4 * PERIOD, 1}},
    {{16, 1024}, {64 * PERIOD, 2}},
    {{48, 8}, {640, 8}, {10240, 8}, {81920, 8}},
};

static void make_program(struct hps_stream *stream) {
    for (uint32_t i = 0; i < STACKS; i++) {
        for (int k = 0; k < MOST_SIZES; k++) {
            for (int left = program[i][k].objects; left > 0; left--) {
                hps_stream_allocate(stream, stream->objects % THREADS, i,
                                    program[i][k].size);
            }
        }
    }
}

static uint32_t frames_of(const void *context, uint32_t stack,
                          uintptr_t frames[HPS_SAMPLING_DEPTH]) {
    (void)context;
    frames[0] = 0x1000 + stack;
    frames[1] = 0x2000;
    return 2;
}

// The sampled objects of a stack, and the exact estimates of them.
struct known_samples {
    double n, bytes;
    struct hps_horvitz exact; // estimates with p = 1 - (1 - 1/R)^S
    double limit;             // bytes with p = 1 - e^(-S/R), which are a little more
};

static void know(const struct hps_sampling *sampling,
                 struct known_samples known[STACKS]) {
    static uint64_t sizes[STACKS][MOST_SAMPLES];
    uint64_t n[STACKS] = {0};
    for (int i = 0; i < STACKS; i++) {
        known[i] = (struct known_samples){0};
    }
    for (size_t i = 0; i < sampling->count; i++) {
        const struct hps_sampled *sampled = &sampling->sampled[i];
        sizes[sampled->stack][n[sampled->stack]++] = sampled->size;
        struct known_samples *of = &known[sampled->stack];
        of->n++;
        of->bytes += (double)sampled->size;
        of->limit +=
            (double)sampled->size / -expm1(-(double)sampled->size / (double)PERIOD);
    }
    for (int i = 0; i < STACKS; i++) {
        known[i].exact = hps_horvitz_of(sizes[i], n[i], PERIOD);
    }
}

// Draw dump after dump and hand each to `check`.
static void for_each_dump(bool unbiased,
                          void (*check)(const struct hp_dump *dump,
                                        const struct known_samples known[])) {
    struct hps_stream stream = {0};
    struct hps_sampling sampling;
    struct hps_random random;
    struct dump_reading reading = {0};
    struct known_samples known[STACKS];
    make_program(&stream);
    hps_sampling_init(&sampling, &stream);
    hps_random_init(&random, 7);
    for (int i = 0; i < DUMPS; i++) {
        struct hps_ledger ledger;
        hps_ledger_init(&ledger, PERIOD);
        hps_sampling_draw(&sampling, PERIOD, &random);
        hps_sampling_enter(&sampling, (struct hps_sampling_frames){frames_of, NULL},
                           &ledger);
        know(&sampling, known);
        write_and_read(&reading, &ledger, unbiased);
        check(&reading.dump, known);
        hps_ledger_done(&ledger);
    }
    reading_done(&reading);
    hps_sampling_done(&sampling);
    hps_stream_done(&stream);
}

static int number_of(const struct hp_dump *dump, const struct hp_dump_stack *stack) {
    return (int)(leaf_of(dump, stack) - 0x1000);
}

// The largest change of the estimated bytes when the printed count changes by a half.
static double rounding(struct hp_count printed) {
    double t = (double)printed.bytes / ((double)printed.objects + 0.5) / PERIOD;
    double q = -expm1(-t);
    return PERIOD * (t * t * exp(-t) / (q * q)) / 2;
}

// The estimated bytes if all objects have the mean size.
static double inverse(struct hp_count printed) {
    double mean = (double)printed.bytes / (double)printed.objects;
    return (double)printed.bytes / -expm1(-mean / PERIOD);
}

static void check_scaling(const struct hp_dump *dump, enum hp_scaling scaling) {
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, dump);
    cr_assert_eq(unbias.scaling, scaling);
}

// Check that an estimate is exact if only one set of sizes can print the numbers of the
// line.
static void check_unique(struct estimate estimate, const struct known_samples *of) {
    if (estimate.read == HP_READ_UNIQUE) {
        cr_assert(near(estimate.bytes, of->exact.bytes, 1e-9), "%f, not %f",
                  estimate.bytes, of->exact.bytes);
        cr_assert(near(estimate.objects, of->exact.objects, 1e-9));
    }
}

static void check_raw(const struct hp_dump *dump, const struct known_samples known[]) {
    struct hp_count sum = {0};
    check_scaling(dump, HP_SCALING_RAW);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[i];
        const struct known_samples *of = &known[number_of(dump, stack)];
        struct hp_count printed = stack->counts.inuse;
        cr_assert((double)printed.objects == of->n && (double)printed.bytes == of->bytes);
        // By Jensen's inequality, splitting the objects into more sizes increases the
        // estimate; it is largest when each object is taken separately.
        struct estimate split = estimate_of(dump, stack);
        double whole = inverse(printed), lowest = split.bytes - split.excess;
        cr_assert(whole <= split.bytes * (1 + 1.0 / PERIOD));
        cr_assert(lowest <= of->limit * (1 + 1e-9), "%f > %f", lowest, of->limit);
        check_unique(split, of);
        cr_assert(of->limit <= (of->n * PERIOD + of->bytes) * (1 + 1e-9));
        cr_assert(whole >= of->exact.bytes / 1.2985, "%f, %f", whole, of->exact.bytes);
        sum.objects += printed.objects;
        sum.bytes += printed.bytes;
    }
    cr_assert_eq(sum.objects, dump->header.inuse.objects);
    cr_assert_eq(sum.bytes, dump->header.inuse.bytes);
}

Test(dumps, with_raw_numbers_keep_every_inequality_of_theory) {
    for_each_dump(false, check_raw);
}

static void check_unbiased(const struct hp_dump *dump,
                           const struct known_samples known[]) {
    double sum = 0, slack = rounding(dump->header.inuse);
    check_scaling(dump, HP_SCALING_UNBIASED);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[i];
        const struct known_samples *of = &known[number_of(dump, stack)];
        struct hp_count printed = stack->counts.inuse;
        cr_assert((double)printed.objects >= 0.945 * of->n - 0.5);
        check_unique(estimate_of(dump, stack), of);
        cr_assert(fabs(inverse(printed) - of->limit) <= rounding(printed) + of->n + 1,
                  "%f, %f", inverse(printed), of->limit);
        sum += inverse(printed);
        slack += rounding(printed) + 1;
    }
    double header = inverse(dump->header.inuse);
    cr_assert(fabs(header - sum) <= slack + 1e-6 * sum, "%f, %f", header, sum);
}

Test(dumps, rewritten_by_jemalloc_are_off_by_their_rounding_at_most) {
    for_each_dump(true, check_unbiased);
}

// --- estimates of calc/ --------------------------------------------------------------------

static void check_exact(const struct hp_dump *dump, const struct known_samples known[]) {
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, dump);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[i];
        int number = number_of(dump, stack);
        struct estimate e = estimate_of(dump, stack);
        const struct hps_horvitz *truth = &known[number].exact;
        if (number < ONE_SIZE) {
            cr_assert(near(e.bytes, truth->bytes, 1e-9), "%f, %f", e.bytes, truth->bytes);
            cr_assert(near(e.objects, truth->objects, 1e-9));
        }
    }
}

Test(calc, finds_the_best_estimate_of_stacks_of_one_size_in_every_dump) {
    for_each_dump(false, check_exact);
    for_each_dump(true, check_exact);
}

static double truth_of(int stack) {
    double bytes = 0;
    for (int k = 0; k < MOST_SIZES; k++) {
        bytes += (double)program[stack][k].size * program[stack][k].objects;
    }
    return bytes;
}

static double sums[STACKS];

static void sum_up(const struct hp_dump *dump, const struct known_samples known[]) {
    (void)known;
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, dump);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[i];
        sums[number_of(dump, stack)] += estimate_of(dump, stack).bytes;
    }
}

static double variance_of(int stack) {
    double variance = 0;
    for (int k = 0; k < MOST_SIZES; k++) {
        if (program[stack][k].objects > 0) {
            variance += program[stack][k].objects *
                        hps_bytes_variance(program[stack][k].size, PERIOD);
        }
    }
    return variance;
}

// The estimates of mixed sizes have the error that the rounding of counts causes: on
// average not more than 0.2 % in these stacks.
Test(calc, estimates_the_bytes_of_every_stack_without_bias_over_many_dumps) {
    for_each_dump(true, sum_up);
    for (int i = 0; i < STACKS; i++) {
        double error = sums[i] / DUMPS - truth_of(i);
        double z = error / sqrt(variance_of(i) / DUMPS);
        cr_expect(fabs(z) < 6 || (i >= ONE_SIZE && fabs(error) < 0.002 * truth_of(i)),
                  "stack %d: z = %f, %f %%", i, z, 100 * error / truth_of(i));
    }
}

// Tests that the stacks of mixed sizes that jemalloc writes agree with its totals, and
// that totals contradict the stacks if they differ by more than rounding can explain.
#include "calc/header_check.h"

#include <criterion/criterion.h>
#include <math.h>

enum {
    PERIOD = 65536,
    STACKS = 100,
    OBJECTS = 4, // in each stack
    DUMPS = 50,
};

// The estimates that jemalloc adds up: eighths of objects, and bytes.
struct stack_sums {
    double eighths, bytes;
};

static struct hp_unbias unbias;

struct heap {
    struct hp_dump dump;
    struct hp_dump_stack stacks[STACKS];
    struct hp_thread_line lines[2 * STACKS];
    struct stack_sums sums[STACKS], total;
};

static unsigned draw(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

// The numbers that jemalloc's prof_do_unbias() prints.
static struct hp_count printed_at(struct stack_sums sums, double period) {
    double objects = sums.eighths / 8, mean = sums.bytes / objects;
    double sampled = 1 - exp(-mean / period);
    return (struct hp_count){(uint64_t)(objects * sampled + 0.5),
                             (uint64_t)(sums.bytes * sampled + 0.5)};
}

static struct hp_count printed(struct stack_sums sums) {
    return printed_at(sums, PERIOD);
}

static void add_at(struct stack_sums *sums, double size, double period) {
    double p = 1 - exp(-size / period);
    sums->eighths += floor(8 / p + 0.5);
    sums->bytes += floor(size / p + 0.5);
}

static void add(struct stack_sums *sums, double size) {
    add_at(sums, size, PERIOD);
}

// A random size class, from a quarter of the period to four times the period.
static double any_size(unsigned *state) {
    unsigned step = draw(state) % 16;
    return (double)((5 + step % 4) << (step / 4)) * (double)PERIOD / 16;
}

// Make a dump of random stacks; `rewritten` with jemalloc's prof_unbias, else raw.
static void make(struct heap *heap, unsigned seed, bool rewritten) {
    *heap = (struct heap){.dump = {.period = PERIOD, .has_totals = true}};
    struct hp_count raw_total = {0};
    for (int i = 0; i < STACKS; i++) {
        struct hp_count raw = {0};
        for (int k = 0; k < OBJECTS; k++) {
            double size = any_size(&seed);
            add(&heap->sums[i], size);
            raw.objects++;
            raw.bytes += (uint64_t)size;
        }
        heap->total.eighths += heap->sums[i].eighths;
        heap->total.bytes += heap->sums[i].bytes;
        raw_total.objects += raw.objects;
        raw_total.bytes += raw.bytes;
        heap->stacks[i].counts.inuse = rewritten ? printed(heap->sums[i]) : raw;
    }
    heap->dump.header.inuse = rewritten ? printed(heap->total) : raw_total;
    heap->dump.stacks.at = heap->stacks;
    heap->dump.stacks.count = STACKS;
}

static enum hp_header_check check(const struct heap *heap) {
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &heap->dump);
    return hp_header_check(&heap->dump, &unbias);
}

static double bytes_of(double objects, double bytes) {
    return bytes / -expm1(-bytes / objects / PERIOD);
}

// The largest error, in bytes, of the estimate of a line because its numbers are rounded.
static double rounding(struct hp_count count) {
    double objects = (double)count.objects, bytes = (double)count.bytes;
    return fmax(bytes_of(objects + 0.5, bytes + 0.5) - bytes_of(objects, bytes),
                bytes_of(objects, bytes) - bytes_of(objects - 0.5, bytes - 0.5));
}

static double rounding_of_all(const struct heap *heap) {
    double sum = rounding(heap->dump.header.inuse);
    for (int i = 0; i < STACKS; i++) {
        sum += rounding(heap->stacks[i].counts.inuse);
    }
    return sum;
}

Test(totals, of_rewritten_mixed_sizes_agree) {
    for (unsigned i = 0; i < DUMPS; i++) {
        struct heap heap;
        make(&heap, i, true);
        cr_expect_eq(check(&heap), HP_HEADER_AGREES, "dump %u", i);
        cr_expect_eq(unbias.scaling, HP_SCALING_UNBIASED, "dump %u", i);
    }
}

Test(totals, farther_off_than_rounding_takes_them_contradict) {
    for (unsigned i = 0; i < DUMPS; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            struct heap heap;
            make(&heap, i, true);
            heap.total.bytes += sign * 2 * rounding_of_all(&heap);
            heap.dump.header.inuse = printed(heap.total);
            cr_expect_eq(check(&heap), HP_HEADER_CONTRADICTS, "dump %u", i);
        }
    }
}

// The bytes of three lost stacks are within the rounding of the counts, but the mean size
// is not: nearly all dumps that lost three stacks are recognized.
Test(totals, of_another_mean_size_contradict) {
    unsigned contradicted = 0;
    for (unsigned i = 0; i < DUMPS; i++) {
        struct heap heap;
        make(&heap, i, true);
        heap.dump.stacks.count -= 3;
        double lost = 0;
        for (int k = STACKS - 3; k < STACKS; k++) {
            lost += heap.sums[k].bytes;
        }
        cr_expect(lost < rounding_of_all(&heap), "dump %u: bytes alone tell", i);
        contradicted += check(&heap) == HP_HEADER_CONTRADICTS;
    }
    cr_expect(contradicted >= DUMPS * 9 / 10, "%u of %d", contradicted, DUMPS);
}

Test(totals, of_what_was_allocated_are_checked_too) {
    struct heap heap;
    make(&heap, 1, true);
    for (int i = 0; i < STACKS; i++) {
        heap.stacks[i].counts.alloc = heap.stacks[i].counts.inuse;
    }
    heap.dump.header.alloc = heap.dump.header.inuse;
    cr_expect_eq(check(&heap), HP_HEADER_AGREES);
    heap.dump.header.alloc.bytes *= 2;
    cr_expect_eq(check(&heap), HP_HEADER_CONTRADICTS);
}

Test(totals, of_raw_numbers_are_sums_whose_kind_outlasts_damage) {
    for (unsigned i = 0; i < DUMPS; i++) {
        struct heap heap;
        make(&heap, i, false);
        cr_expect_eq(check(&heap), HP_HEADER_AGREES, "dump %u", i);
        heap.stacks[i].counts.inuse.bytes += 1;
        cr_expect_eq(check(&heap), HP_HEADER_CONTRADICTS, "dump %u", i);
        cr_expect_eq(unbias.scaling, HP_SCALING_RAW, "dump %u", i);
        heap.dump.header.inuse.bytes += 9;
        cr_expect_eq(check(&heap), HP_HEADER_CONTRADICTS, "dump %u", i);
        cr_expect_eq(unbias.scaling, HP_SCALING_RAW, "dump %u", i);
    }
}

// Stacks of small objects of one size print the same in both scalings: only the totals
// show which scaling it is.
Test(totals, that_are_no_multiple_of_8_are_not_raw) {
    static struct heap heap;
    make(&heap, 1, true);
    heap.total = (struct stack_sums){0};
    for (int i = 0; i < STACKS; i++) {
        heap.sums[i] = (struct stack_sums){0};
        for (int k = 0; k < 10; k++) {
            add(&heap.sums[i], i == 0 ? 4 << 20 : 16);
        }
        heap.stacks[i].counts.inuse = printed(heap.sums[i]);
        cr_expect_eq(heap.stacks[i].counts.inuse.bytes % 8, 0);
        heap.total.eighths += heap.sums[i].eighths;
        heap.total.bytes += heap.sums[i].bytes;
    }
    heap.dump.header.inuse = printed(heap.total);
    cr_expect_eq(check(&heap), HP_HEADER_AGREES);
    cr_expect_eq(unbias.scaling, HP_SCALING_UNBIASED);
}

// --- what headers add --------------------------------------------------------------------

enum {
    HEADERS = 2000,
};

// A dump of one stack, and what all its sampled objects stand for together, each by its
// own probability.
struct sampled {
    struct hp_dump dump;
    struct hp_dump_stack stack;
    double truth;
};

// Make dump number `seed`: up to 400 objects of a few sizes of 16 bytes to 16 periods, at
// a period of 1 KiB to 512 KiB.
static void make_sampled(struct sampled *made, unsigned seed) {
    unsigned state = seed, sizes = 1 + seed % 7;
    double period = (double)(1024U << seed % 10);
    struct stack_sums sums = {0};
    *made = (struct sampled){.dump = {.period = (uint64_t)period, .has_totals = true}};
    for (unsigned i = 0; i < sizes; i++) {
        unsigned shift = draw(&state) % (11 + seed % 10), n = 1 + draw(&state) % 60;
        double size = (double)((4 + draw(&state) % 4) << 2) * (double)(1U << shift);
        for (unsigned k = 0; k < n; k++) {
            add_at(&sums, size, period);
        }
        made->truth += n * size / -expm1(size * log1p(-1 / period));
    }
    made->dump.header.inuse = made->stack.counts.inuse = printed_at(sums, period);
    made->dump.stacks.at = &made->stack;
    made->dump.stacks.count = 1;
}

// The total of a dump: the sum of its stacks, which is within the bounds of its error,
// with the gain by the header.
struct total {
    struct hp_header_gain gain;
    double bytes, low, high;
};

static struct total total_of(struct sampled *made, double stacks, uint64_t excess,
                             uint64_t hidden) {
    struct total total = {.gain = {0}};
    struct hp_error error = {.excess_bytes_max = excess, .hidden_bytes_max = hidden};
    hp_fixed sum = (hp_fixed)(stacks * (1 << HP_SPACE_FRACTION));
    made->dump.stacks.at = &made->stack;
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &made->dump);
    cr_assert(hp_header_gain_of(&made->dump, &unbias, HP_COLUMN_INUSE, sum, &error,
                                &total.gain));
    total.bytes = stacks + (double)total.gain.bytes;
    total.low = total.bytes - (double)((int64_t)excess - total.gain.excess);
    total.high = total.bytes + (double)((int64_t)hidden - total.gain.hidden);
    return total;
}

Test(headers, hold_what_was_sampled_within_one_rounding) {
    for (unsigned i = 0; i < HEADERS; i++) {
        struct sampled made;
        make_sampled(&made, i);
        double period = (double)made.dump.period;
        uint64_t any = (uint64_t)(4 * made.truth);
        struct total total = total_of(&made, 1.5 * made.truth, any, any);
        cr_expect(total.low <= made.truth && made.truth <= total.high,
                  "dump %u: %.0f in %.0f to %.0f", i, made.truth, total.low, total.high);
        double weights = 2 * made.truth * (1 / period + 2e-7);
        cr_expect_leq(total.high - total.low, 1.01 * period + weights + 4, "dump %u", i);
        cr_expect(total.low <= total.bytes && total.bytes <= total.high);
    }
}

Test(headers, leave_a_sum_that_they_allow) {
    for (unsigned i = 0; i < HEADERS; i += 10) {
        struct sampled made;
        make_sampled(&made, i);
        double stacks = floor(made.truth);
        struct total wide = total_of(&made, stacks, 1U << 30, 1U << 30);
        cr_expect_eq(wide.gain.bytes, 0, "dump %u", i);
        cr_expect(wide.low <= made.truth && made.truth <= wide.high, "dump %u", i);
        struct total narrow = total_of(&made, stacks, 0, 0);
        cr_expect(narrow.low == stacks && narrow.high == stacks, "dump %u", i);
    }
}

// The range is that of the stacks and the header in common; the sum is moved into it.
Test(headers, are_no_reason_to_leave_the_range_of_the_stacks) {
    for (unsigned i = 0; i < HEADERS; i += 10) {
        struct sampled made;
        make_sampled(&made, i);
        double stacks = floor(made.truth) - 2 * (double)made.dump.period;
        uint64_t hidden = (uint64_t)(made.truth - stacks) + 1;
        struct total total = total_of(&made, stacks, 0, hidden);
        cr_expect_leq(total.high, stacks + (double)hidden + 1, "dump %u", i);
        cr_expect(total.low <= made.truth && made.truth <= total.high, "dump %u", i);
        cr_expect(total.low <= total.bytes && total.bytes <= total.high, "dump %u", i);
    }
}

// If the sizes of stacks were guessed wrong, their range does not hold what was sampled.
Test(headers, are_believed_if_stacks_have_another_range) {
    for (unsigned i = 0; i < HEADERS; i += 10) {
        struct sampled made;
        make_sampled(&made, i);
        struct total total = total_of(&made, floor(made.truth * 3), 1, 1);
        cr_expect(total.low <= made.truth && made.truth <= total.high, "dump %u", i);
    }
}

// --- threads -------------------------------------------------------------------------------

// Merge each stack with the next one: one thread holds its objects, another the objects
// of the next stack.
static void split(struct heap *heap) {
    struct stack_sums sums[STACKS];
    for (int i = 0; i < STACKS; i++) {
        int other = (i + 1) % STACKS;
        sums[i] = (struct stack_sums){heap->sums[i].eighths + heap->sums[other].eighths,
                                      heap->sums[i].bytes + heap->sums[other].bytes};
        heap->stacks[i].counts.inuse = printed(sums[i]);
        heap->stacks[i].first_line = 2 * (size_t)i;
        heap->stacks[i].lines = 2;
        heap->lines[2 * i].counts.inuse = printed(heap->sums[i]);
        heap->lines[2 * i + 1].counts.inuse = printed(heap->sums[other]);
    }
    heap->dump.thread_lines.at = heap->lines;
    heap->dump.thread_lines.count = 2 * STACKS;
}

Test(threads, make_up_their_stacks) {
    static struct heap heap;
    make(&heap, 1, true);
    split(&heap);
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &heap.dump);
    cr_expect_eq(hp_count_inconsistent_stacks(&heap.dump, &unbias), 0);
    heap.lines[4].counts.inuse.bytes *= 2;
    heap.lines[9].counts.inuse.objects *= 3;
    cr_expect_eq(hp_count_inconsistent_stacks(&heap.dump, &unbias), 2);
    heap.stacks[20].lines = 1; // a single line has to repeat the counts of its stack
    cr_expect_eq(hp_count_inconsistent_stacks(&heap.dump, &unbias), 3);
}

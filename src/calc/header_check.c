// jemalloc writes its own total in the header.  In raw dumps, which print sampled counts,
// it is the sum of the stacks, and the numbers of a stack are the sums of those of its
// threads.
//
// Rewritten numbers (prof_unbias, recover_size.h) are made from exact sums: C is
// jemalloc's estimate of the number of all objects, B of their bytes, both before
// rounding.  These sums add up: those of the threads to those of the stack, those of the
// stacks to those of the header.  jemalloc prints c' objects and b' bytes, scaled down to
// what was sampled and rounded from c and b.  With the sample period R, jeprof's formula
// recovers C and B except for this rounding,
//
//     q = 1 - e^(-(b'/c')/R), C = c / q, B = b / q, |c - c'| <= 1/2, |b - b'| <= 1/2
//
// Rounding of c moves both along a curve, rounding of b along another curve.  If all
// objects are of one size class, the class is recovered as well, and (C, B) exactly.  So
// a sum of lines lies within the sum of the roundings of its lines, and the total within
// its own rounding.  The two ranges have to overlap.  They are compared in several
// directions,
//
//     u = (1/C, 0), (0, 1/B), (1/C, -w/B)
//
// because roundings hardly reach in the direction of lost stacks: half an object of
// twenty moves bytes by as much, but never the mean size.
//
// If they agree, the total is better known from the header than from the stacks: it was
// rounded once, by about R/2 bytes, and each stack once more.  B grows with both c' and
// b', so that the roundings of both give its range,
//
//     B(c' - 1/2, b' - 1/2) ... B(c' + 1/2, b' + 1/2)
//
// In it are the weights of jemalloc, which are whole bytes and which take e^(-S/R) for
// (1 - 1/R)^S.  Each may be off by a half in R, so both together by B/R.  The range of
// the stacks is that of their bounds, and the truth is in both.
#include "calc/header_check.h"

#include "calc/probability.h"

#include <string.h>

enum {
    DIRECTIONS = 12,  // directions in which ranges are compared
    MEMOS = 1024,     // entries of the cache of stacks; a power of two
    LINE_MEMOS = 256, // entries of the cache of thread lines
};

// The directions in which ranges of objects and bytes are compared: the factors of
// objects and of bytes, both as shares of the total.
static const struct {
    double objects, bytes;
} directions[DIRECTIONS] = {
    {0, 1},  {1, 0},  {1, -0.25}, {1, -0.5}, {1, -1},  {1, -1.5},
    {1, -2}, {1, -3}, {1, -4},    {1, -8},   {1, -16}, {1, -32},
};

// A point of a curve is at most half of the chord away from its middle, plus this
// multiple of the bend of the curve.
static const double bend = 1.5;
// Relative error: for small x jemalloc computes 1 - e^-x with few digits.
static const double arithmetic = 1e-7;

// A number of objects and a number of bytes: most are the exact sums that jemalloc
// estimates for all allocations (objects C, bytes B), from which it makes the numbers
// that it prints by scaling them down to what was sampled, and rounding.
struct pair_sums {
    double objects, bytes;
};

// jemalloc's estimates for all allocations, objects C and bytes B, as computed from a
// pair of printed (rounded) numbers, and how far off they may be.
struct pair_reading {
    // `at`: the sums C and B.  `moves`: how far rounding of the objects, the bend of that
    // curve, and rounding of the bytes may move these.
    struct pair_sums at, moves[3];
    uint64_t samples; // number of objects if all are of one size; 0: unknown
};

// Scale sampled objects and bytes, before rounding, up to jemalloc's estimates for all
// allocations by jeprof's formula.
static struct pair_sums invert(double objects, double bytes, double period) {
    if (objects <= 0 || bytes <= 0) {
        return (struct pair_sums){objects > 0 ? objects : 0, bytes > 0 ? bytes : 0};
    }
    double sampled = hp_one_minus_exp(bytes / objects / period);
    return (struct pair_sums){objects / sampled, bytes / sampled};
}

static struct pair_sums half_between(struct pair_sums low, struct pair_sums high) {
    return (struct pair_sums){(high.objects - low.objects) / 2,
                              (high.bytes - low.bytes) / 2};
}

// Scale a printed pair of objects and bytes up to jemalloc's estimates for all
// allocations, and compute how far the rounding of the printed numbers may have moved
// these.
static struct pair_reading of_rounded(struct hp_count count, double period) {
    double objects = (double)count.objects, bytes = (double)count.bytes;
    struct pair_sums at = invert(objects, bytes, period);
    struct pair_sums fewer = invert(objects - 0.5, bytes, period);
    struct pair_sums more = invert(objects + 0.5, bytes, period);
    struct pair_sums bent = {(fewer.objects + more.objects) / 2 - at.objects,
                             (fewer.bytes + more.bytes) / 2 - at.bytes};
    bent.objects *= bend;
    bent.bytes *= bend;
    return (struct pair_reading){at,
                                 {half_between(fewer, more), bent,
                                  half_between(invert(objects, bytes - 0.5, period),
                                               invert(objects, bytes + 0.5, period))},
                                 0};
}

// Recover jemalloc's estimates for all allocations from a printed pair of objects and
// bytes; exactly if all objects are of one size.
static struct pair_reading read_pair(const struct hp_size_classes *classes,
                                     struct hp_count count) {
    struct pair_reading reading = of_rounded(count, (double)classes->period);
    uint64_t n, size;
    if (hp_recover_size(classes, count, &n, &size)) {
        const struct hp_size_class *class = &classes->of[hp_class_below(size)];
        reading.samples = n;
        reading.at = (struct pair_sums){(double)n * (double)class->shifted_objects / 8,
                                        (double)n * (double)class->unbiased_size};
    }
    return reading;
}

// --- a total and its parts -------------------------------------------------------------

// The rest of a total after its parts have been subtracted, and how large rounding may
// make it in each direction.  One line of forty has several sizes but looks as if all
// objects were of one.  The error of one such line is allowed for (`largest`).  If there
// are more of them, there are many other lines, whose own roundings leave room.
struct balance {
    struct pair_sums total, left; // the total, and the rest of it
    // Sizes that rounding explains in each direction, and the size for one line with
    // several sizes; as shares of the total.
    double allowed[DIRECTIONS], largest[DIRECTIONS];
};

// Divide objects and bytes by those of the total.
static struct pair_sums share_of(const struct balance *balance, struct pair_sums sums) {
    return (struct pair_sums){sums.objects / balance->total.objects,
                              sums.bytes / balance->total.bytes};
}

// Return the absolute value of a share of the total, projected on number `i` of the
// directions.
static double size_along(int i, struct pair_sums share) {
    double x = directions[i].objects * share.objects + directions[i].bytes * share.bytes;
    return x < 0 ? -x : x;
}

// Set `reach` to how far rounding may have moved the sums that were recovered from a
// printed pair, in each direction, as a share of the total.
static void find_reach(const struct balance *balance, const struct pair_reading *reading,
                       double reach[DIRECTIONS]) {
    struct pair_sums a = share_of(balance, reading->moves[0]);
    struct pair_sums b = share_of(balance, reading->moves[1]);
    struct pair_sums c = share_of(balance, reading->moves[2]);
    for (int i = 0; i < DIRECTIONS; i++) {
        reach[i] = size_along(i, a) + size_along(i, b) + size_along(i, c);
    }
}

// Begin with a printed total from which no part has been subtracted.
static void balance_init(struct balance *balance, struct hp_count total, double period) {
    struct pair_reading reading = of_rounded(total, period);
    *balance = (struct balance){.total = reading.at, .left = reading.at};
    find_reach(balance, &reading, balance->allowed);
    for (int i = 0; i < DIRECTIONS; i++) {
        balance->allowed[i] += arithmetic;
    }
}

// Subtract `times` equal parts from the rest of the total, and add their roundings to
// what is allowed.
static void take(struct balance *balance, const struct pair_reading *reading,
                 double times) {
    double reach[DIRECTIONS];
    balance->left.objects -= times * reading->at.objects;
    balance->left.bytes -= times * reading->at.bytes;
    if (reading->samples == 1) {
        return;
    }
    find_reach(balance, reading, reach);
    for (int i = 0; i < DIRECTIONS; i++) {
        if (reading->samples == 0) {
            balance->allowed[i] += times * reach[i];
        } else if (reach[i] > balance->largest[i]) {
            balance->largest[i] = reach[i];
        }
    }
}

// Return whether rounding can explain what is left of the total.
static bool is_even(const struct balance *balance) {
    struct pair_sums left = share_of(balance, balance->left);
    for (int i = 0; i < DIRECTIONS; i++) {
        if (size_along(i, left) > balance->allowed[i] + balance->largest[i]) {
            return false;
        }
    }
    return true;
}

static bool is_nothing(struct hp_count count) {
    return count.objects == 0 && count.bytes == 0;
}

// --- header and stacks -----------------------------------------------------------------

// Equal pairs of numbers of stacks, which are subtracted together.  Most stacks of a dump
// have one of few pairs.
struct equals {
    struct hp_count count;
    uint64_t times;
};

// Subtract from the total the equal pairs that were collected in one entry of the cache.
static void take_equals(struct balance *balance, const struct equals *equals,
                        const struct hp_size_classes *classes) {
    if (equals->times > 0) {
        struct pair_reading reading = read_pair(classes, equals->count);
        take(balance, &reading, (double)equals->times);
    }
}

// Subtract the numbers of all stacks of a dump from the total.
static void take_stacks(struct balance *balance, const struct hp_dump *dump,
                        const struct hp_size_classes *classes, enum hp_column column) {
    struct equals memos[MEMOS];
    size_t room = 1; // small for small dumps, which are numerous
    while (room < MEMOS && room < dump->stacks.count) {
        room *= 2;
    }
    memset(memos, 0, room * sizeof *memos);
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        struct hp_count count = hp_count_in(&stack->counts, column);
        struct equals *equals = &memos[hp_count_hash(count) % room];
        if (equals->count.objects != count.objects ||
            equals->count.bytes != count.bytes) {
            take_equals(balance, equals, classes);
            *equals = (struct equals){count, 0};
        }
        equals->times += count.objects > 0;
    }
    for (size_t i = 0; i < room; i++) {
        take_equals(balance, &memos[i], classes);
    }
}

// Return whether all stacks have only zeros in a column.  This must be true if the header
// has 0 objects or 0 bytes.
static bool has_nothing(const struct hp_dump *dump, enum hp_column column) {
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        if (!is_nothing(hp_count_in(&stack->counts, column))) {
            return false;
        }
    }
    return true;
}

// Return whether the header is the sum of the stacks, in a rewritten dump.
static bool is_sum_of_rewritten(const struct hp_dump *dump,
                                const struct hp_size_classes *classes,
                                enum hp_column column) {
    struct hp_count header = hp_count_in(&dump->header, column);
    if (header.objects == 0 || header.bytes == 0) {
        return is_nothing(header) && has_nothing(dump, column);
    }
    struct balance balance;
    balance_init(&balance, header, (double)classes->period);
    take_stacks(&balance, dump, classes, column);
    return is_even(&balance);
}

static bool is_wrapped(const struct hp_dump *dump) {
    return dump->wrapped.count > 0 || hp_count_is_wrapped(&dump->header.inuse) ||
           hp_count_is_wrapped(&dump->header.alloc);
}

enum hp_header_check hp_header_check(const struct hp_dump *dump,
                                     const struct hp_unbias *unbias) {
    if (!dump->has_totals || is_wrapped(dump)) {
        return HP_HEADER_UNCHECKED;
    }
    bool agrees = unbias->adds_up;
    if (unbias->scaling == HP_SCALING_UNBIASED) {
        if (dump->period == 0) {
            return HP_HEADER_UNCHECKED;
        }
        agrees = is_sum_of_rewritten(dump, &unbias->classes, HP_COLUMN_INUSE) &&
                 is_sum_of_rewritten(dump, &unbias->classes, HP_COLUMN_ALLOC);
    }
    return agrees ? HP_HEADER_AGREES : HP_HEADER_CONTRADICTS;
}

// --- the total by the header -----------------------------------------------------------

// Bytes that a number may be.
struct count_range {
    double low, high;
};

// Return the bytes that all stacks of a dump may have together, by its header.
static struct count_range range_of(struct hp_count header, double period) {
    double objects = (double)header.objects, bytes = (double)header.bytes;
    double high = invert(objects + 0.5, bytes + 0.5, period).bytes;
    double weights = high * (1 / period + arithmetic);
    return (struct count_range){
        invert(objects - 0.5, bytes - 0.5, period).bytes - weights, high + weights};
}

static struct count_range common_of(struct count_range a, struct count_range b) {
    return (struct count_range){a.low > b.low ? a.low : b.low,
                                a.high < b.high ? a.high : b.high};
}

// Round a bound up to whole bytes; x > -1.
static int64_t whole_bound(double x) {
    return (int64_t)(x + 1 - 0x1p-10);
}

// Return the estimate of the sum of all stacks: that of the stacks, if it is in `range`,
// otherwise that of the header, moved into the range.
static double best_of(double stacks, double header, struct count_range range) {
    if (stacks >= range.low && stacks <= range.high) {
        return stacks;
    }
    return header < range.low ? range.low : header > range.high ? range.high : header;
}

bool hp_header_gain_of(const struct hp_dump *dump, const struct hp_unbias *unbias,
                       enum hp_column column, hp_fixed bytes,
                       const struct hp_error *error, struct hp_header_gain *gain) {
    static const double most = 0x1p62;
    struct hp_count header = hp_count_in(&dump->header, column);
    double period = (double)unbias->classes.period;
    double stacks = hp_fixed_double(bytes, hp_space_of(column));
    double hidden = (double)error->hidden_bytes_max;
    double excess = (double)error->excess_bytes_max;
    if (header.objects == 0 || header.bytes == 0) {
        return false;
    }
    struct count_range of_header = range_of(header, period);
    struct count_range range =
        common_of(of_header, (struct count_range){stacks - excess, stacks + hidden});
    if (range.low > range.high) { // the sizes of some stack were guessed wrong
        range = of_header;
    }
    double best =
        best_of(stacks,
                invert((double)header.objects, (double)header.bytes, period).bytes,
                range);
    if (!(range.high < most && hidden < most && excess < most)) {
        return false;
    }
    double move = best < stacks ? best - stacks - 0.5 : best - stacks + 0.5;
    gain->bytes = best == stacks ? 0 : (int64_t)move;
    double moved = stacks + (double)gain->bytes;
    gain->hidden = (int64_t)hidden - whole_bound(range.high - moved);
    gain->excess = (int64_t)excess - whole_bound(moved - range.low);
    return true;
}

// --- stacks and threads ----------------------------------------------------------------

// Return whether the lines of the threads of a stack add up exactly to `total`, its
// counts.
static bool is_sum(const struct hp_thread_line *lines, uint32_t count,
                   struct hp_count total, enum hp_column column) {
    for (uint32_t i = 0; i < count; i++) {
        struct hp_count line = hp_count_in(&lines[i].counts, column);
        total.objects -= line.objects;
        total.bytes -= line.bytes;
    }
    return is_nothing(total);
}

// Recovered sums of thread lines, cached: most lines have one of few pairs of numbers.
struct line_readings {
    double period;
    HP_VEC(struct line_reading) of; // by hash of the counts
};

// The sums that were recovered from one pair of numbers in the line of a thread: an entry
// of the cache.
struct line_reading {
    struct hp_count line;
    struct pair_reading reading;
};

// Return the sums that were recovered from the line of a thread; valid until the next
// call.
static const struct pair_reading *recall(struct line_readings *readings,
                                         struct hp_count line) {
    struct line_reading *kept =
        hp_vec_reach(&readings->of, hp_count_hash(line) % LINE_MEMOS);
    if (kept->line.objects != line.objects || kept->line.bytes != line.bytes) {
        *kept = (struct line_reading){line, of_rounded(line, readings->period)};
    }
    return &kept->reading;
}

// Return whether the lines of the threads of a stack add up to `total`, its counts, in a
// rewritten dump, except for rounding.
static bool is_rewritten_sum(const struct hp_thread_line *lines, uint32_t count,
                             struct hp_count total, struct line_readings *readings,
                             enum hp_column column) {
    if (count == 1 || total.objects == 0 || total.bytes == 0) {
        return is_sum(lines, count, total, column);
    }
    struct balance balance;
    balance_init(&balance, total, readings->period);
    for (uint32_t i = 0; i < count; i++) {
        struct hp_count line = hp_count_in(&lines[i].counts, column);
        if (line.objects > 0) {
            take(&balance, recall(readings, line), 1);
        }
    }
    return is_even(&balance);
}

uint64_t hp_count_inconsistent_stacks(const struct hp_dump *dump,
                                      const struct hp_unbias *unbias) {
    uint64_t inconsistent = 0;
    bool is_rewritten = unbias->scaling == HP_SCALING_UNBIASED;
    if (!dump->has_totals || dump->wrapped.count > 0 ||
        (is_rewritten && dump->period == 0)) {
        return 0;
    }
    struct line_readings readings = {.period = (double)unbias->classes.period};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        const struct hp_thread_line *lines =
            hp_vec_from(&dump->thread_lines, stack->first_line);
        bool is_whole = true;
        for (enum hp_column i = 0; i < HP_COLUMNS && stack->lines > 0; i++) {
            struct hp_count total = hp_count_in(&stack->counts, i);
            is_whole &= is_rewritten
                            ? is_rewritten_sum(lines, stack->lines, total, &readings, i)
                            : is_sum(lines, stack->lines, total, i);
        }
        inconsistent += !is_whole;
    }
    hp_vec_done(&readings.of);
    return inconsistent;
}

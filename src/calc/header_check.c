// jemalloc writes its own grand total.  A raw one is the sum of the stacks, and their numbers
// are the sums of those of the threads.
//
// Rewritten ones (recover_size.h) are made of sums (C, B), objects and bytes, that add up
// exactly: those of the threads to those of the stack, those of the stacks to those of the
// header.  jeprof's formula finds (C, B) back but for the rounding of what is printed,
//
//     q = 1 - e^(-(b'/c')/R), C = c / q, B = b / q, |c - c'| <= 1/2, |b - b'| <= 1/2
//
// Rounding c moves both along a curve, b along another; where all objects are of one size
// class, that is found back too, and (C, B) exactly.  So a sum of lines lies within the sum of
// what these roundings can do to each of its lines, and the total within what they can do to
// it.  The two have to meet.  They are looked at from several directions,
//
//     u = (1/C, 0), (0, 1/B), (1/C, -w/B)
//
// as roundings hardly reach where lost stacks would be: half an object in twenty moves bytes by
// as much, but the mean size never.
#include "calc/header_check.h"

#include "calc/probability.h"

#include <string.h>

enum {
    DIRECTIONS = 12,
    MEMOS = 1024,
    LINE_MEMOS = 256,
};

static const struct {
    double objects, bytes;
} directions[DIRECTIONS] = {
    {0, 1},  {1, 0},  {1, -0.25}, {1, -0.5}, {1, -1},  {1, -1.5},
    {1, -2}, {1, -3}, {1, -4},    {1, -8},   {1, -16}, {1, -32},
};

// A curve is never farther from its middle than half of the chord, and by as much as it is bent.
static const double bend = 1.5;
// As a share: 1 - e^-x of a small x has lost digits where jemalloc works it out.
static const double arithmetic = 1e-7;

struct sums {
    double objects, bytes;
};

// What a pair of printed numbers stands for: `moves` is how far the rounding of its objects,
// what that is bent, and the rounding of its bytes may take it.
struct reading {
    struct sums at, moves[3];
    uint64_t samples; // if all are of one size; 0: that is not known
};

static struct sums invert(double objects, double bytes, double period) {
    if (objects <= 0 || bytes <= 0) {
        return (struct sums){objects > 0 ? objects : 0, bytes > 0 ? bytes : 0};
    }
    double sampled = hp_one_minus_exp(bytes / objects / period);
    return (struct sums){objects / sampled, bytes / sampled};
}

static struct sums half_between(struct sums low, struct sums high) {
    return (struct sums){(high.objects - low.objects) / 2, (high.bytes - low.bytes) / 2};
}

static struct reading of_rounded(struct hp_count count, double period) {
    double objects = (double)count.objects, bytes = (double)count.bytes;
    struct sums at = invert(objects, bytes, period);
    struct sums fewer = invert(objects - 0.5, bytes, period);
    struct sums more = invert(objects + 0.5, bytes, period);
    struct sums bent = {(fewer.objects + more.objects) / 2 - at.objects,
                        (fewer.bytes + more.bytes) / 2 - at.bytes};
    bent.objects *= bend;
    bent.bytes *= bend;
    return (struct reading){at,
                            {half_between(fewer, more), bent,
                             half_between(invert(objects, bytes - 0.5, period),
                                          invert(objects, bytes + 0.5, period))},
                            0};
}

static struct reading read_pair(const struct hp_size_classes *classes,
                                struct hp_count count) {
    struct reading reading = of_rounded(count, (double)classes->period);
    uint64_t n, size;
    if (hp_recover_size(classes, count, &n, &size)) {
        const struct hp_size_class *class = &classes->of[hp_class_below(size)];
        reading.samples = n;
        reading.at = (struct sums){(double)n * (double)class->shifted_objects / 8,
                                   (double)n * (double)class->unbiased_size};
    }
    return reading;
}

// --- a total and its parts ------------------------------------------------------------------

// What is left of a total, and what rounding may leave of it in each direction.  That a line of
// several sizes looks as if all were of one happens to one in forty; what that may do to one is
// allowed for, and more of them are among many others whose own roundings leave room.
struct balance {
    struct sums total, left;
    double allowed[DIRECTIONS], largest[DIRECTIONS];
};

// Of the total.
static struct sums share_of(const struct balance *balance, struct sums sums) {
    return (struct sums){sums.objects / balance->total.objects,
                         sums.bytes / balance->total.bytes};
}

static double size_along(int i, struct sums share) {
    double x = directions[i].objects * share.objects + directions[i].bytes * share.bytes;
    return x < 0 ? -x : x;
}

// How far a reading may be off in each direction.
static void find_reach(const struct balance *balance, const struct reading *reading,
                       double reach[DIRECTIONS]) {
    struct sums a = share_of(balance, reading->moves[0]);
    struct sums b = share_of(balance, reading->moves[1]);
    struct sums c = share_of(balance, reading->moves[2]);
    for (int i = 0; i < DIRECTIONS; i++) {
        reach[i] = size_along(i, a) + size_along(i, b) + size_along(i, c);
    }
}

static void balance_init(struct balance *balance, struct hp_count total, double period) {
    struct reading reading = of_rounded(total, period);
    *balance = (struct balance){.total = reading.at, .left = reading.at};
    find_reach(balance, &reading, balance->allowed);
    for (int i = 0; i < DIRECTIONS; i++) {
        balance->allowed[i] += arithmetic;
    }
}

// So many equal parts.
static void take(struct balance *balance, const struct reading *reading, double times) {
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

static bool is_even(const struct balance *balance) {
    struct sums left = share_of(balance, balance->left);
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

// --- header and stacks ----------------------------------------------------------------------

// Most stacks of a dump have one of few pairs of numbers: equal ones are taken together.
struct equals {
    struct hp_count count;
    uint64_t times;
};

static void take_equals(struct balance *balance, const struct equals *equals,
                        const struct hp_size_classes *classes) {
    if (equals->times > 0) {
        struct reading reading = read_pair(classes, equals->count);
        take(balance, &reading, (double)equals->times);
    }
}

static void take_stacks(struct balance *balance, const struct hp_dump *dump,
                        const struct hp_size_classes *classes, enum hp_column column) {
    struct equals memos[MEMOS];
    size_t room = 1; // for dumps of few stacks, of which there are many
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

// A total of which one number is 0 has nothing to stand for.
static bool has_nothing(const struct hp_dump *dump, enum hp_column column) {
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        if (!is_nothing(hp_count_in(&stack->counts, column))) {
            return false;
        }
    }
    return true;
}

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

// --- stacks and threads ---------------------------------------------------------------------

static bool is_sum(const struct hp_thread_line *lines, uint32_t count,
                   struct hp_count total, enum hp_column column) {
    for (uint32_t i = 0; i < count; i++) {
        struct hp_count line = hp_count_in(&lines[i].counts, column);
        total.objects -= line.objects;
        total.bytes -= line.bytes;
    }
    return is_nothing(total);
}

// What lines stand for: most of them have one of few pairs of numbers, too.
struct line_readings {
    double period;
    HP_VEC(struct line_reading) of; // by hash
};

struct line_reading {
    struct hp_count line;
    struct reading reading;
};

static const struct reading *recall(struct line_readings *readings,
                                    struct hp_count line) {
    struct line_reading *kept =
        hp_vec_reach(&readings->of, hp_count_hash(line) % LINE_MEMOS);
    if (kept->line.objects != line.objects || kept->line.bytes != line.bytes) {
        *kept = (struct line_reading){line, of_rounded(line, readings->period)};
    }
    return &kept->reading;
}

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

uint64_t hp_count_torn_stacks(const struct hp_dump *dump,
                              const struct hp_unbias *unbias) {
    uint64_t torn = 0;
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
        torn += !is_whole;
    }
    hp_vec_done(&readings.of);
    return torn;
}

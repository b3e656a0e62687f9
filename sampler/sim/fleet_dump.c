// Between two dumps a process allocates objects at each of its stacks.  Some of them are
// in use when the dump is written, and are freed before the next one:
//
//     sampled = Binomial(objects, p),   p = 1 - (1 - 1/period)^size
//
// A stack has objects of one size and one thread, or of two sizes and up to two threads.
//
// All numbers are computed with + - * / on doubles in a fixed order, so that all
// compilers and CPUs draw the same ones: without libm and without fused operations
// (-ffp-contract=off).
#include "sim/fleet_dump.h"

#include "core/ledger.h"
#include "core/random.h"
#include "core/usize.h"

enum {
    PARTS = 2,           // largest number of parts of a stack
    SIZE_STEPS = 4,      // sizes in each doubling
    LEAST_SHIFT = 4,     // the least size is 2^LEAST_SHIFT
    SIZE_DOUBLINGS = 17, // from 16 bytes to 2 MiB
};

// Objects of one size and one thread at a stack.
struct stack_part {
    unsigned thread;
    struct hps_account account;
};

// A stack and its parts.
struct stack {
    struct stack_part parts[PARTS];
    unsigned count;
};

// --- chances ---------------------------------------------------------------------------

// 1 - (1 - chance)^n, computed without cancellation by halving n.
static double any_of(double chance, uint64_t n) {
    double any = 0;
    for (int bit = 63 - __builtin_clzll(n | 1); bit >= 0; bit--) {
        any = any * (2 - any);
        any = n >> bit & 1 ? any + (1 - any) * chance : any;
    }
    return any;
}

// 1 - e^-x: the series for x <= 1/8, then doublings of x.
static double one_minus_exp(double x) {
    unsigned doublings = 0;
    while (x > 0.125) {
        x /= 2;
        doublings++;
    }
    double sum = 0;
    for (unsigned n = 12; n >= 1; n--) {
        sum = x / n * (1 - sum);
    }
    for (; doublings > 0; doublings--) {
        sum = sum * (2 - sum);
    }
    return sum;
}

// base^n.
static double power(double base, uint64_t n) {
    double result = 1;
    for (; n > 0; n /= 2) {
        result *= n % 2 ? base : 1;
        base *= base;
    }
    return result;
}

// The number of n objects that are sampled, by inversion from the nearer end of the
// distribution.
static uint64_t draw(struct hps_random *random, uint64_t n, double p) {
    double rare = p <= 0.5 ? p : 1 - p;
    double left = hps_random_unit(random), mass = power(1 - rare, n);
    uint64_t count = 0;
    while (left > mass && mass > 0x1p-60) { // the rest is a rounding error
        left -= mass;
        mass *= (double)(n - count) / (double)(count + 1) * (rare / (1 - rare));
        count++;
    }
    return p <= 0.5 ? count : n - count;
}

// --- objects ---------------------------------------------------------------------------

// Add objects of one size, sampled with probability p.
static void add(struct hps_tally *tally, uint64_t objects, uint64_t size, double p) {
    tally->objects += objects;
    tally->bytes += objects * size;
    tally->eighths += objects * (uint64_t)(8 / p + 0.5);
    tally->weighted_bytes += objects * (uint64_t)((double)size / p + 0.5);
}

// Add one tally to another; the same for accounts.
static void merge(struct hps_tally *to, const struct hps_tally *from) {
    to->objects += from->objects;
    to->bytes += from->bytes;
    to->eighths += from->eighths;
    to->weighted_bytes += from->weighted_bytes;
}

static void merge_account(struct hps_account *to, const struct hps_account *from) {
    merge(&to->live, &from->live);
    merge(&to->ever, &from->ever);
}

// The size of the objects of a stack, and the most that it allocates between two dumps:
// more for small numbers of stacks, and enough for some to be sampled.
struct supply {
    uint64_t size, most;
};

static struct supply supply_of(const struct hps_fleet_process *process, uint64_t key,
                               unsigned part) {
    uint64_t draw = hps_fleet_mix(key, 1000 + part);
    unsigned shift = LEAST_SHIFT + (unsigned)(draw % SIZE_DOUBLINGS);
    uint64_t size = hps_usize((4 + draw / 64 % SIZE_STEPS) << (shift - 2));
    uint64_t weight = key < 16 ? 24 : key < 256 ? 6 : 2;
    uint64_t bytes = process->period * weight;
    return (struct supply){size, bytes / size + 1};
}

// The time between a dump and the one before.
struct interval {
    const struct hps_fleet_process *process;
    struct hps_random random;
    // It ends with the dump that is written; the process ends with it.
    bool is_last, is_final;
};

// Allocate and free the objects of one part in an interval.
static void allocate(struct interval *interval, uint64_t key, unsigned number,
                     struct stack_part *part, struct hps_fleet_sums *truth) {
    struct supply supply = supply_of(interval->process, key, number);
    struct hps_random *random = &interval->random;
    uint64_t objects = 1 + hps_random_below(random, supply.most);
    uint64_t freed = hps_random_below(random, objects + 1);
    if (interval->is_final) { // a process that ends frees most of its objects
        uint64_t left = objects / 8;
        freed += objects - left;
        objects = left;
    }
    double p = any_of(1 / (double)interval->process->period, supply.size);
    uint64_t sampled = draw(random, objects, p);
    add(&part->account.ever, sampled + draw(random, freed, p), supply.size, p);
    truth->ever_objects += objects + freed;
    truth->ever_bytes += (objects + freed) * supply.size;
    if (interval->is_last) {
        add(&part->account.live, sampled, supply.size, p);
        truth->live_objects += objects;
        truth->live_bytes += objects * supply.size;
    }
}

// Initialise the parts of a stack; returns their number.
static unsigned parts_of(const struct hps_fleet_process *process, uint64_t key,
                         struct stack *stack) {
    uint64_t shape = hps_fleet_mix(key, 2000);
    stack->count = 1 + (shape % 4 == 0);
    stack->parts[0].thread = (unsigned)(shape / 4 % process->threads);
    stack->parts[1].thread = (unsigned)(shape / 256 % process->threads);
    return stack->count;
}

// Compute the accounts of all stacks, and add to the truth.
static void run(const struct hps_fleet_process *process,
                const struct hps_fleet_dump *dump, struct stack *stacks,
                struct hps_fleet_sums *truth) {
    struct interval interval = {.process = process};
    memset(stacks, 0, process->stack_count * sizeof *stacks);
    for (unsigned time = 0; time <= dump->sequence; time++) {
        hps_random_init_nth(&interval.random, process->key, time);
        interval.is_last = time == dump->sequence;
        interval.is_final = interval.is_last && dump->is_final;
        for (unsigned i = 0; i < process->stack_count; i++) {
            uint64_t key = process->stacks[i].key;
            for (unsigned part = 0; part < parts_of(process, key, &stacks[i]); part++) {
                allocate(&interval, key, part, &stacks[i].parts[part], truth);
            }
        }
    }
}

// --- lines -----------------------------------------------------------------------------

// Objects and bytes as printed.
struct pair {
    uint64_t objects, bytes;
};

// The printed numbers of a tally, see core/heapfile.c.  The approximation of `exp`
// differs from that there, but only where a number is halfway between two integers.
static struct pair pair_of(const struct hps_fleet_process *process,
                           const struct hps_tally *tally) {
    if (process->is_raw || tally->eighths == 0) {
        return (struct pair){tally->objects, tally->bytes};
    }
    double bytes = (double)tally->weighted_bytes;
    double mean = bytes / ((double)tally->eighths / 8);
    double sampled = bytes * one_minus_exp(mean / (double)process->period);
    return (struct pair){(uint64_t)(sampled / mean + 0.5), (uint64_t)(sampled + 0.5)};
}

static void write_pair(struct hps_text *text, struct pair pair) {
    hps_text_decimal(text, pair.objects);
    hps_text_put(text, ": ");
    hps_text_decimal(text, pair.bytes);
}

// Write "t1: 15: 6794080 [0: 0]"; `thread` is NULL for all threads.  `lines` gets the
// printed numbers, if not NULL.
static void write_line(const struct hps_fleet_process *process, const unsigned *thread,
                       const struct hps_account *account, struct hps_text *text,
                       struct hps_fleet_sums *lines) {
    struct pair live = pair_of(process, &account->live), ever = {0, 0};
    if (process->has_accum) {
        ever = pair_of(process, &account->ever);
    }
    hps_text_put(text, "  t");
    if (thread) {
        hps_text_decimal(text, *thread);
    } else {
        hps_text_put(text, "*");
    }
    hps_text_put(text, ": ");
    write_pair(text, live);
    hps_text_put(text, " [");
    write_pair(text, ever);
    hps_text_put(text, "]");
    if (lines) {
        lines->live_objects += live.objects;
        lines->live_bytes += live.bytes;
        lines->ever_objects += ever.objects;
        lines->ever_bytes += ever.bytes;
    }
}

// Whether the account has objects to write.
static bool has_objects(const struct hps_fleet_process *process,
                        const struct hps_account *account) {
    return account->live.objects > 0 || (process->has_accum && account->ever.objects > 0);
}

// Write the header with the totals and all threads.
static void write_header(const struct hps_fleet_process *process,
                         const struct stack *stacks, struct hps_text *text) {
    static const char *const names[] = {"", " worker", " worker", " flush logs"};
    struct hps_account all = {{0}, {0}}, of[4] = {{{0}, {0}}};
    for (unsigned i = 0; i < process->stack_count; i++) {
        for (unsigned k = 0; k < stacks[i].count; k++) {
            merge_account(&all, &stacks[i].parts[k].account);
            merge_account(&of[stacks[i].parts[k].thread], &stacks[i].parts[k].account);
        }
    }
    hps_text_put(text, "heap_v2/");
    hps_text_decimal(text, process->period);
    hps_text_put(text, "\n");
    write_line(process, NULL, &all, text, NULL);
    hps_text_put(text, "\n");
    for (unsigned thread = 0; thread < process->threads; thread++) {
        write_line(process, &thread, &of[thread], text, NULL);
        hps_text_put(text, names[thread]);
        hps_text_put(text, "\n");
    }
}

// Write the line with the addresses of a stack.
static void write_frames(const struct hps_fleet_process *process, unsigned stack,
                         struct hps_text *text, struct hps_fleet_totals *totals) {
    uint64_t frames[HPS_FLEET_FRAMES];
    unsigned depth = hps_fleet_frames(process, stack, frames, &totals->unmapped);
    hps_text_put(text, "@");
    for (unsigned i = 0; i < depth; i++) {
        hps_text_put(text, " 0x");
        hps_text_hex(text, frames[i], 1);
    }
    hps_text_put(text, "\n");
}

// Write a stack with its lines, and add to the totals.
static void write_stack(const struct hps_fleet_process *process, unsigned number,
                        const struct stack *stack, struct hps_text *text,
                        struct hps_fleet_totals *totals) {
    const struct stack_part *parts = stack->parts;
    struct hps_account all = parts[0].account;
    merge_account(&all, &parts[1].account);
    if (!has_objects(process, &all)) {
        return;
    }
    totals->stacks++;
    totals->sampled.live_objects += all.live.objects;
    totals->sampled.live_bytes += all.live.bytes;
    totals->sampled.ever_objects += process->has_accum ? all.ever.objects : 0;
    totals->sampled.ever_bytes += process->has_accum ? all.ever.bytes : 0;
    write_frames(process, number, text, totals);
    write_line(process, NULL, &all, text, &totals->lines);
    hps_text_put(text, "\n");
    bool is_one = stack->count == 1 || parts[0].thread == parts[1].thread;
    unsigned first = !is_one && parts[1].thread < parts[0].thread;
    for (unsigned i = 0; i < (is_one ? 1 : PARTS); i++) {
        const struct stack_part *part = &parts[first ^ i];
        const struct hps_account *account = is_one ? &all : &part->account;
        if (has_objects(process, account)) {
            write_line(process, &part->thread, account, text, NULL);
            hps_text_put(text, "\n");
        }
    }
}

void hps_fleet_write_dump(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text,
                          struct hps_fleet_totals *totals) {
    struct hps_fleet_process process;
    struct stack stacks[HPS_FLEET_STACKS];
    struct hps_fleet_sums truth = {0};
    hps_fleet_process(fleet, dump->process, &process);
    run(&process, dump, stacks, &truth);
    write_header(&process, stacks, text);
    for (unsigned i = 0; i < process.stack_count; i++) {
        write_stack(&process, i, &stacks[i], text, totals);
    }
    hps_text_put(text, "\nMAPPED_LIBRARIES:\n");
    hps_fleet_write_map(&process, text);
    totals->dumps++;
    totals->truth.live_objects += truth.live_objects;
    totals->truth.live_bytes += truth.live_bytes;
    totals->truth.ever_objects += process.has_accum ? truth.ever_objects : 0;
    totals->truth.ever_bytes += process.has_accum ? truth.ever_bytes : 0;
}

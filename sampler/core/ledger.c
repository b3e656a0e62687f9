// Estimates are sums of rounded weights, as jemalloc's prof_unbias keeps them.  With p =
// 1 - e^(-size/period), a sampled object adds round(8/p) eighths of an object and
// round(size/p) bytes.
#include "core/ledger.h"

#include <math.h>
#include <string.h>

// Initial sizes of the tables; they are doubled when full.
enum {
    FIRST_BUCKETS = 1024,
    FIRST_THREADS = 16,
};

void hps_ledger_init(struct hps_ledger *ledger, uint64_t period) {
    *ledger = (struct hps_ledger){.period = period};
}

void hps_ledger_done(struct hps_ledger *ledger) {
    hps_pages_return(ledger->buckets, ledger->bucket_count * sizeof *ledger->buckets);
    hps_pages_return(ledger->threads, ledger->thread_room * sizeof *ledger->threads);
    hps_pool_done(&ledger->pool);
}

// --- threads ------------------------------------------------------------------------

// Make room for one more thread.  Returns false when out of memory.
static bool make_room_for_thread(struct hps_ledger *ledger) {
    if (ledger->thread_count < ledger->thread_room) {
        return true;
    }
    uint32_t room = ledger->thread_room ? 2 * ledger->thread_room : FIRST_THREADS;
    struct hps_ledger_thread **threads = hps_pages_take(room * sizeof *threads);
    if (!threads) {
        return false;
    }
    for (uint32_t i = 0; i < ledger->thread_count; i++) {
        threads[i] = ledger->threads[i];
    }
    hps_pages_return(ledger->threads, ledger->thread_room * sizeof *threads);
    ledger->threads = threads;
    ledger->thread_room = room;
    return true;
}

struct hps_ledger_thread *hps_ledger_new_thread(struct hps_ledger *ledger,
                                                const char *name) {
    size_t size = strlen(name) + 1;
    struct hps_ledger_thread *thread = hps_pool_take(&ledger->pool, sizeof *thread);
    char *copy = hps_pool_take(&ledger->pool, size);
    if (!thread || !copy || !make_room_for_thread(ledger)) {
        return NULL;
    }
    thread->uid = ledger->thread_count;
    thread->name = memcpy(copy, name, size);
    return ledger->threads[ledger->thread_count++] = thread;
}

// --- stacks -------------------------------------------------------------------------

// Hash of a stack.
static uint64_t hash_of(const uintptr_t *frames, uint32_t depth) {
    uint64_t hash = depth;
    for (uint32_t i = 0; i < depth; i++) {
        hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

// The bucket of a hash.
static struct hps_ledger_stack **bucket(struct hps_ledger *ledger, uint64_t hash) {
    return &ledger->buckets[hash & (ledger->bucket_count - 1)];
}

// Double the number of buckets if there are as many stacks.  Returns false only if there
// is no bucket and no memory for the first ones.
static bool make_room_for_stack(struct hps_ledger *ledger) {
    if (ledger->stack_count < ledger->bucket_count) {
        return true;
    }
    struct hps_ledger old = *ledger;
    size_t count = old.bucket_count ? 2 * old.bucket_count : FIRST_BUCKETS;
    struct hps_ledger_stack **buckets = hps_pages_take(count * sizeof *buckets);
    if (!buckets) {
        return old.bucket_count > 0; // longer chains are slower, but work
    }
    ledger->buckets = buckets;
    ledger->bucket_count = count;
    for (size_t i = 0; i < old.bucket_count; i++) {
        for (struct hps_ledger_stack *stack = old.buckets[i], *next; stack;
             stack = next) {
            next = stack->next;
            stack->next = *bucket(ledger, stack->hash);
            *bucket(ledger, stack->hash) = stack;
        }
    }
    hps_pages_return(old.buckets, old.bucket_count * sizeof *buckets);
    return true;
}

// Add a stack; returns NULL when out of memory.
static struct hps_ledger_stack *new_stack(struct hps_ledger *ledger, uint64_t hash,
                                          const uintptr_t *frames, uint32_t depth) {
    struct hps_ledger_stack *stack =
        make_room_for_stack(ledger)
            ? hps_pool_take(&ledger->pool, sizeof *stack + depth * sizeof *frames)
            : NULL;
    if (!stack) {
        return NULL;
    }
    stack->hash = hash;
    stack->depth = depth;
    if (depth > 0) {
        memcpy(stack->frames, frames, depth * sizeof *frames);
    }
    stack->next = *bucket(ledger, hash);
    *bucket(ledger, hash) = stack;
    ledger->stack_count++;
    return stack;
}

// Find a stack; returns NULL if it is new.
static struct hps_ledger_stack *find_stack(struct hps_ledger *ledger, uint64_t hash,
                                           const uintptr_t *frames, uint32_t depth) {
    struct hps_ledger_stack *stack = ledger->buckets ? *bucket(ledger, hash) : NULL;
    while (stack && (stack->hash != hash || stack->depth != depth ||
                     memcmp(stack->frames, frames, depth * sizeof *frames) != 0)) {
        stack = stack->next;
    }
    return stack;
}

struct hps_ledger_line *hps_ledger_line(struct hps_ledger *ledger,
                                        struct hps_ledger_thread *thread,
                                        const uintptr_t *frames, uint32_t depth) {
    uint64_t hash = hash_of(frames, depth);
    struct hps_ledger_stack *stack = find_stack(ledger, hash, frames, depth);
    if (!stack && !(stack = new_stack(ledger, hash, frames, depth))) {
        return NULL;
    }
    struct hps_ledger_line **at = &stack->lines;
    while (*at && (*at)->thread->uid < thread->uid) {
        at = &(*at)->next;
    }
    if (*at && (*at)->thread == thread) {
        return *at;
    }
    struct hps_ledger_line *line = hps_pool_take(&ledger->pool, sizeof *line);
    if (line) {
        *line = (struct hps_ledger_line){.next = *at, .stack = stack, .thread = thread};
        *at = line;
    }
    return line;
}

// --- objects ------------------------------------------------------------------------

// The contribution of one sampled object.
static struct hps_tally tally_of(const struct hps_ledger *ledger, uint64_t usize) {
    if (ledger->period == 1) {
        // The same result as below, where p is nearly 1.
        return (struct hps_tally){1, usize, 8, usize};
    }
    double p = 1 - exp(-(double)usize / (double)ledger->period);
    return (struct hps_tally){
        .objects = 1,
        .bytes = usize,
        .eighths = (uint64_t)round(8 / p),
        .weighted_bytes = (uint64_t)round((double)usize / p),
    };
}

// Add an object to sums.
static void add(struct hps_tally *sum, struct hps_tally one) {
    sum->objects += one.objects;
    sum->bytes += one.bytes;
    sum->eighths += one.eighths;
    sum->weighted_bytes += one.weighted_bytes;
}

// Remove an object from sums.
static void subtract(struct hps_tally *sum, struct hps_tally one) {
    sum->objects -= one.objects;
    sum->bytes -= one.bytes;
    sum->eighths -= one.eighths;
    sum->weighted_bytes -= one.weighted_bytes;
}

void hps_ledger_add(struct hps_ledger *ledger, struct hps_ledger_line *line,
                    uint64_t usize) {
    struct hps_tally one = tally_of(ledger, usize);
    struct hps_account *accounts[] = {&line->account, &line->stack->account,
                                      &line->thread->account, &ledger->account};
    for (int i = 0; i < 4; i++) {
        add(&accounts[i]->live, one);
        add(&accounts[i]->ever, one);
    }
}

void hps_ledger_remove(struct hps_ledger *ledger, struct hps_ledger_line *line,
                       uint64_t usize) {
    struct hps_tally one = tally_of(ledger, usize);
    struct hps_account *accounts[] = {&line->account, &line->stack->account,
                                      &line->thread->account, &ledger->account};
    for (int i = 0; i < 4; i++) {
        subtract(&accounts[i]->live, one);
    }
}

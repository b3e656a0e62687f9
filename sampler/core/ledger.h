// Statistics of sampled objects by stack and thread, from which a heap dump is written.
//
// A ledger has a line for each pair of stack and thread.  Sums by stack, by thread and in
// total are kept along with the lines.  The functions neither lock nor call malloc(); all
// memory comes from a pool and lives until hps_ledger_done().
#ifndef HPS_CORE_LEDGER_H
#define HPS_CORE_LEDGER_H

#include "core/pool.h"

#include <stdbool.h>
#include <stdint.h>

// Sums over a set of sampled objects.  p is the probability that an object of its size is
// sampled.
struct hps_tally {
    uint64_t objects, bytes; // as sampled
    uint64_t eighths;        // estimated objects, in eighths: sum of round(8 / p)
    uint64_t weighted_bytes; // estimated bytes: sum of round(size / p)
};

// Sums of one line, stack, thread or ledger.
struct hps_account {
    struct hps_tally live; // objects that are not freed
    struct hps_tally ever; // all objects ever sampled
};

// A thread of the profiled process.
struct hps_ledger_thread {
    uint32_t uid;     // number, from 0
    const char *name; // owned by the pool; "": no name
    // May be set by the caller; then the thread is written only while it has objects.
    bool ended;
    struct hps_account account;
};

// The objects that one thread allocated at one stack.
struct hps_ledger_line {
    struct hps_ledger_line *next; // next line of the same stack; sorted by thread
    struct hps_ledger_stack *stack;
    struct hps_ledger_thread *thread;
    struct hps_account account;
};

// A stack with its lines.
struct hps_ledger_stack {
    struct hps_ledger_stack *next; // next stack in the same bucket
    struct hps_ledger_line *lines;
    struct hps_account account;
    uint64_t hash;
    uint32_t depth;
    uintptr_t frames[]; // return addresses, leaf first
};

// All statistics of one process.
struct hps_ledger {
    struct hps_pool pool;
    uint64_t period;            // mean bytes between samples, >= 1
    struct hps_account account; // totals
    // Hash table of the stacks; bucket_count is 0 or a power of 2.
    struct hps_ledger_stack **buckets;
    struct hps_ledger_thread **threads; // indexed by uid
    size_t bucket_count, stack_count;
    uint32_t thread_count, thread_room;
};

// Initialise an empty ledger, and free all memory of a ledger.
void hps_ledger_init(struct hps_ledger *ledger, uint64_t period);
void hps_ledger_done(struct hps_ledger *ledger);

// Add a thread, numbered from 0; `name` is copied.  Returns NULL when out of memory.
struct hps_ledger_thread *hps_ledger_new_thread(struct hps_ledger *ledger,
                                                const char *name);

// The line of a stack and a thread; it is added if it is new.  Returns NULL when out of
// memory.  `depth` may be 0, but `frames` must not be NULL.
struct hps_ledger_line *hps_ledger_line(struct hps_ledger *ledger,
                                        struct hps_ledger_thread *thread,
                                        const uintptr_t *frames, uint32_t depth);

// Count a sampled object of `usize` usable bytes, or count it as freed.
void hps_ledger_add(struct hps_ledger *ledger, struct hps_ledger_line *line,
                    uint64_t usize);
void hps_ledger_remove(struct hps_ledger *ledger, struct hps_ledger_line *line,
                       uint64_t usize);

#endif

// What was sampled, per stack and thread: the numbers a heap dump is written from.
//
// Nothing here locks or calls malloc(); memory comes from a pool.
#ifndef HPS_CORE_LEDGER_H
#define HPS_CORE_LEDGER_H

#include "sampler/core/pool.h"

#include <stdbool.h>
#include <stdint.h>

// What a set of sampled objects adds up to.
struct hps_tally {
    uint64_t objects, bytes; // as sampled
    uint64_t eighths;        // estimated objects, sum of round(8 / p)
    uint64_t weighted_bytes; // estimated bytes, sum of round(size / p)
};

struct hps_account {
    struct hps_tally live; // not freed
    struct hps_tally ever; // sampled at all
};

struct hps_ledger_thread {
    uint32_t uid;
    const char *name; // "": none
    bool ended;       // may be set; told of only while it has objects
    struct hps_account account;
};

// The objects of one stack and one thread.
struct hps_ledger_line {
    struct hps_ledger_line *next; // of the same stack, by thread
    struct hps_ledger_stack *stack;
    struct hps_ledger_thread *thread;
    struct hps_account account;
};

struct hps_ledger_stack {
    struct hps_ledger_stack *next; // of the same hash
    struct hps_ledger_line *lines;
    struct hps_account account;
    uint64_t hash;
    uint32_t depth;
    uintptr_t frames[]; // return addresses, leaf first
};

struct hps_ledger {
    struct hps_pool pool;
    uint64_t period; // mean bytes between samples, >= 1
    struct hps_account account;
    struct hps_ledger_stack **buckets;
    struct hps_ledger_thread **threads; // by uid
    size_t bucket_count, stack_count;   // the first is 0 or a power of 2
    uint32_t thread_count, thread_room;
};

void hps_ledger_init(struct hps_ledger *ledger, uint64_t period);
void hps_ledger_done(struct hps_ledger *ledger);

// The thread with the next number, from 0.  NULL without memory; `name` is copied.
struct hps_ledger_thread *hps_ledger_new_thread(struct hps_ledger *ledger,
                                                const char *name);

// Where objects of a stack and a thread are counted; made when it is new.  NULL without
// memory.  `depth` may be 0, `frames` not NULL.
struct hps_ledger_line *hps_ledger_line(struct hps_ledger *ledger,
                                        struct hps_ledger_thread *thread,
                                        const uintptr_t *frames, uint32_t depth);

// One sampled object of `usize` bytes comes, or goes again.
void hps_ledger_add(struct hps_ledger *ledger, struct hps_ledger_line *line,
                    uint64_t usize);
void hps_ledger_remove(struct hps_ledger *ledger, struct hps_ledger_line *line,
                       uint64_t usize);

#endif

// The format:
//
//     heap_v2/524288                              period
//       t*: 86: 23741 [0: 0]                      all: live objects: bytes [ever: bytes]
//       t1: 4: 1811755 [0: 0] worker 0            thread 1, with its name
//     @ 0x7fc9268a2630 0x559691a5c43a             a stack, leaf first
//       t*: 15: 6794080 [0: 0]                    its objects
//       t1: 15: 6794080 [0: 0]                    those of thread 1
//
//     MAPPED_LIBRARIES:
//     559691a5c000-559691a5d000 r-xp ...
//
// Stacks are sorted by memcmp() of their frames.  A thread that has ended and has no
// objects left is not in the header.  Without accum the numbers in brackets are 0.  With
// unbias, an estimate of C objects and B bytes is written as
//
//     c' = round(B q / (B/C)), b' = round(B q), q = 1 - e^(-(B/C) / period)
//
// jeprof divides these by 1 - e^(-(b'/c') / period), which restores C and B.  If c' is
// halfway between two integers, the order of the operations decides how it is rounded.
#include "core/heapfile.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// Write "OBJECTS: BYTES".
static void write_count(struct hps_textfile *file, uint64_t objects, uint64_t bytes) {
    hps_textfile_decimal(file, objects);
    hps_textfile_text(file, ": ");
    hps_textfile_decimal(file, bytes);
}

// Write the sums of a tally, scaled if `unbias` is set.
static void write_tally(struct hps_textfile *file, struct hps_tally tally,
                        uint64_t period, bool unbias) {
    if (!unbias || tally.eighths == 0) {
        write_count(file, tally.objects, tally.bytes);
        return;
    }
    double bytes = (double)tally.weighted_bytes;
    double mean = bytes / ((double)tally.eighths / 8);
    double sampled_bytes = bytes * (1 - exp(-mean / (double)period));
    write_count(file, (uint64_t)round(sampled_bytes / mean),
                (uint64_t)round(sampled_bytes));
}

// Write "LIVE [EVER]".
static void write_account(struct hps_textfile *file, const struct hps_account *account,
                          uint64_t period, struct hps_heapfile_options options) {
    static const struct hps_tally none;
    write_tally(file, account->live, period, options.unbias);
    hps_textfile_text(file, " [");
    write_tally(file, options.accum ? account->ever : none, period, options.unbias);
    hps_textfile_text(file, "]");
}

// Whether the account has objects to write.
static bool has_objects(const struct hps_account *account,
                        struct hps_heapfile_options options) {
    return account->live.objects > 0 || (options.accum && account->ever.objects > 0);
}

// Write the line of a thread, without the end of the line.
static void write_thread(struct hps_textfile *file,
                         const struct hps_ledger_thread *thread,
                         const struct hps_account *account, uint64_t period,
                         struct hps_heapfile_options options) {
    hps_textfile_text(file, "  t");
    hps_textfile_decimal(file, thread->uid);
    hps_textfile_text(file, ": ");
    write_account(file, account, period, options);
}

// Write the header with the totals and all threads.
static void write_header(struct hps_textfile *file, const struct hps_ledger *ledger,
                         struct hps_heapfile_options options) {
    hps_textfile_text(file, "heap_v2/");
    hps_textfile_decimal(file, ledger->period);
    hps_textfile_text(file, "\n  t*: ");
    write_account(file, &ledger->account, ledger->period, options);
    hps_textfile_text(file, "\n");
    for (uint32_t i = 0; i < ledger->thread_count; i++) {
        const struct hps_ledger_thread *thread = ledger->threads[i];
        if (thread->ended && !has_objects(&thread->account, options)) {
            continue;
        }
        write_thread(file, thread, &thread->account, ledger->period, options);
        if (thread->name[0]) {
            hps_textfile_text(file, " ");
            hps_textfile_text(file, thread->name);
        }
        hps_textfile_text(file, "\n");
    }
}

// Write a stack with a line for each thread that has objects.
static void write_stack(struct hps_textfile *file, const struct hps_ledger_stack *stack,
                        uint64_t period, struct hps_heapfile_options options) {
    hps_textfile_text(file, "@");
    for (uint32_t i = 0; i < stack->depth; i++) {
        hps_textfile_text(file, " 0x");
        hps_textfile_hex(file, stack->frames[i]);
    }
    hps_textfile_text(file, "\n  t*: ");
    write_account(file, &stack->account, period, options);
    hps_textfile_text(file, "\n");
    for (const struct hps_ledger_line *line = stack->lines; line; line = line->next) {
        if (has_objects(&line->account, options)) {
            write_thread(file, line->thread, &line->account, period, options);
            hps_textfile_text(file, "\n");
        }
    }
    if (options.list) {
        options.list(file, stack, options.listed);
    }
}

// --- order --------------------------------------------------------------------------

// Whether stack `a` precedes stack `b` in the dump.
static bool comes_before(const struct hps_ledger_stack *a,
                         const struct hps_ledger_stack *b) {
    uint32_t common = a->depth < b->depth ? a->depth : b->depth;
    int order = memcmp(a->frames, b->frames, common * sizeof a->frames[0]);
    return order != 0 ? order < 0 : a->depth < b->depth;
}

// Move the stack at index `i` down the heap until none of its children is to be sorted
// after it.
static void sift_down(const struct hps_ledger_stack **stacks, size_t i, size_t count) {
    const struct hps_ledger_stack *moving = stacks[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && comes_before(stacks[child], stacks[child + 1])) {
            child++;
        }
        if (!comes_before(moving, stacks[child])) {
            break;
        }
        stacks[i] = stacks[child];
    }
    stacks[i] = moving;
}

// Sort the stacks by heapsort, since qsort() may call malloc().
static void sort(const struct hps_ledger_stack **stacks, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(stacks, i, count);
    }
    for (size_t left = count; left-- > 1;) {
        const struct hps_ledger_stack *last = stacks[left];
        stacks[left] = stacks[0];
        stacks[0] = last;
        sift_down(stacks, 0, left);
    }
}

// Store the stacks that have objects to write in `stacks`, sorted.  Returns their number.
static size_t collect(const struct hps_ledger *ledger,
                      struct hps_heapfile_options options,
                      const struct hps_ledger_stack **stacks) {
    size_t count = 0;
    for (size_t i = 0; i < ledger->bucket_count; i++) {
        const struct hps_ledger_stack *stack = ledger->buckets[i];
        for (; stack; stack = stack->next) {
            if (has_objects(&stack->account, options)) {
                stacks[count++] = stack;
            }
        }
    }
    sort(stacks, count);
    return count;
}

int hps_heapfile_write(struct hps_textfile *file, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options) {
    write_header(file, ledger, options);
    if (ledger->stack_count > 0) {
        size_t size = ledger->stack_count * sizeof(struct hps_ledger_stack *);
        const struct hps_ledger_stack **stacks = hps_pages_take(size);
        if (!stacks) {
            return ENOMEM;
        }
        size_t count = collect(ledger, options, stacks);
        for (size_t i = 0; i < count; i++) {
            write_stack(file, stacks[i], ledger->period, options);
        }
        hps_pages_return((void *)stacks, size);
    }
    return hps_textfile_flush(file);
}

void hps_heapfile_begin_map(struct hps_textfile *file) {
    hps_textfile_text(file, "\nMAPPED_LIBRARIES:\n");
}

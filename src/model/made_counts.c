#include "model/made_counts.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    SUMS = 1024, // number of classes of stacks; each has one sum
    DIGITS = 11, // bits kept of each sum
};

// Numbers of allocated objects, summed over classes of stacks, in a short form of two
// bytes: the leading DIGITS bits, and in the upper bits the number of zeros after them.
// Rounding down keeps the order of numbers, so that what can only grow also grows when
// rounded.
struct hp_made_counts {
    uint16_t of[SUMS];
};

// Convert a sum to the short form of struct hp_made_counts.  Sums that are too large for
// it become the largest representable one.
static uint16_t rounded(uint64_t sum) {
    static const uint64_t most = ((uint64_t)1 << (DIGITS + 31)) - 1;
    unsigned zeros = 0;
    sum = sum < most ? sum : most;
    while (sum >> zeros >> DIGITS > 0) {
        zeros++;
    }
    return (uint16_t)(zeros << DIGITS | sum >> zeros);
}

// Return a hash of the addresses of a stack, which is the same in all runs of this
// program.
static uint64_t hash_of(const struct hp_dump *dump, const struct hp_dump_stack *stack) {
    uint64_t hash = stack->depth;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t frame = dump->frames.at[stack->first_frame + i];
        hash = hp_hash_mix(hash ^ 0xa0761d6478bd642f,
                           dump->addresses.at[frame] ^ 0xe7037ed1a0b428db);
    }
    return hash;
}

// Whether the counts of the dump are complete: a jemalloc dump without damage, malformed
// lines or wrapped counters.
static bool shows_all(const struct hp_dump *dump) {
    return dump->producer == HP_PRODUCER_JEMALLOC && !dump->damage.what &&
           dump->cut.code == HP_OK && dump->malformed.count == 0 &&
           dump->wrapped.count == 0;
}

struct hp_made_counts *hp_made_counts_of(const struct hp_dump *dump) {
    uint64_t sums[SUMS] = {0};
    bool is_any = false;
    if (!shows_all(dump)) {
        return NULL;
    }
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        uint64_t objects = stack->counts.alloc.objects;
        uint64_t *sum = &sums[hash_of(dump, stack) % SUMS];
        uint64_t room = UINT64_MAX - *sum;
        *sum += objects < room ? objects : room;
        is_any |= objects > 0;
    }
    if (!is_any) {
        return NULL;
    }
    struct hp_made_counts *counts = hp_alloc(sizeof *counts);
    for (size_t i = 0; i < SUMS; i++) {
        counts->of[i] = rounded(sums[i]);
    }
    return counts;
}

enum hp_reset hp_reset_between(const struct hp_input_record *a,
                               const struct hp_input_record *b) {
    bool are_jemallocs =
        a->producer == HP_PRODUCER_JEMALLOC && b->producer == HP_PRODUCER_JEMALLOC;
    bool falls = false, rises = false;
    if (!are_jemallocs) {
        return HP_RESET_NONE;
    }
    if (a->period != b->period) {
        return HP_RESET_PERIOD;
    }
    for (size_t i = 0; i < SUMS && a->made && b->made; i++) {
        falls |= b->made->of[i] < a->made->of[i];
        rises |= b->made->of[i] > a->made->of[i];
    }
    return !falls ? HP_RESET_NONE : rises ? HP_RESET_COUNTS : HP_RESET_ORDER;
}

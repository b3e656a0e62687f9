#include "model/made_counts.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    SUMS = 1024,
};

// Each stays at the largest number that there is.
struct hp_made_counts {
    uint32_t of[SUMS];
};

static uint64_t hash_of(const struct hp_dump *dump, const struct hp_dump_stack *stack) {
    uint64_t hash = stack->depth;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t frame = dump->frames.at[stack->first_frame + i];
        hash = hp_hash_mix(hash ^ 0xa0761d6478bd642f,
                           dump->addresses.at[frame] ^ 0xe7037ed1a0b428db);
    }
    return hash;
}

static bool shows_all(const struct hp_dump *dump) {
    return dump->producer == HP_PRODUCER_JEMALLOC && !dump->damage.what &&
           dump->cut.code == HP_OK && dump->malformed.count == 0 &&
           dump->wrapped.count == 0;
}

struct hp_made_counts *hp_made_counts_of(const struct hp_dump *dump) {
    bool is_any = false;
    if (!shows_all(dump)) {
        return NULL;
    }
    struct hp_made_counts *counts = hp_alloc(sizeof *counts);
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        uint64_t objects = stack->counts.alloc.objects;
        uint32_t *sum = &counts->of[hash_of(dump, stack) % SUMS];
        uint64_t room = UINT32_MAX - *sum;
        *sum += (uint32_t)(objects < room ? objects : room);
        is_any |= objects > 0;
    }
    if (!is_any) {
        free(counts);
        return NULL;
    }
    return counts;
}

void hp_made_counts_free(struct hp_made_counts *counts) {
    free(counts);
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

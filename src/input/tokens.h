// The distinct address tokens of one dump: text -> number, without decoding the text
// again each time.  A dump has 40 to 500 times fewer distinct addresses than frames.
#ifndef HP_INPUT_TOKENS_H
#define HP_INPUT_TOKENS_H

#include "base/hash.h"

#include <stdbool.h>

// Up to 16 hexadecimal digits: the first 8 bytes, the last 8 bytes where there are more
// than 8, and how many there are.
struct hp_token {
    uint64_t head, tail;
    uint32_t size;
};

struct hp_token_slot {
    uint64_t head, tail;
    uint32_t id;
    uint32_t mark; // epoch << 5 | size
};

// {0} is empty.
struct hp_tokens {
    struct hp_token_slot *slots;
    size_t slot_count, used;
    uint32_t epoch; // slots of other epochs are free: clearing costs nothing
    uint64_t key;   // of the hash
};

void hp_tokens_clear(struct hp_tokens *tokens);
void hp_tokens_done(struct hp_tokens *tokens);

// After a find that failed.
void hp_tokens_add(struct hp_tokens *tokens, struct hp_token token, uint32_t id);

// Needs 8 readable bytes at `digits`.
static inline struct hp_token hp_token_of(const char *digits, uint32_t size) {
    uint64_t head = hp_load8(digits);
    if (size < 8) {
        head &= ((uint64_t)1 << size * 8) - 1;
    }
    return (struct hp_token){head, size > 8 ? hp_load8(digits + size - 8) : 0, size};
}

static inline struct hp_token_slot *hp_tokens_slot(const struct hp_tokens *tokens,
                                                   struct hp_token token) {
    size_t mask = tokens->slot_count - 1;
    uint32_t mark = tokens->epoch << 5 | token.size;
    size_t i =
        (size_t)hp_hash_mix(token.head ^ tokens->key, token.tail ^ 0xe7037ed1a0b428db);
    for (;; i++) {
        struct hp_token_slot *slot = &tokens->slots[i & mask];
        bool same =
            slot->head == token.head && slot->tail == token.tail && slot->mark == mark;
        if (same || slot->mark >> 5 != tokens->epoch) {
            return slot;
        }
    }
}

// The token's number, or UINT32_MAX.
static inline uint32_t hp_tokens_find(const struct hp_tokens *tokens,
                                      struct hp_token token) {
    const struct hp_token_slot *slot = hp_tokens_slot(tokens, token);
    return slot->mark >> 5 == tokens->epoch ? slot->id : UINT32_MAX;
}

#endif

#include "input/tokens.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    FIRST_SLOTS = 1 << 10,
    LAST_EPOCH = (1 << 27) - 1,
};

static struct hp_token_slot *new_slots(size_t count) {
    return hp_alloc(count * sizeof(struct hp_token_slot));
}

void hp_tokens_clear(struct hp_tokens *tokens) {
    if (!tokens->slots) {
        tokens->slot_count = FIRST_SLOTS;
        tokens->slots = new_slots(FIRST_SLOTS);
        tokens->key = hp_hash_key();
    }
    if (tokens->epoch == LAST_EPOCH) {
        memset(tokens->slots, 0, tokens->slot_count * sizeof *tokens->slots);
        tokens->epoch = 0;
    }
    tokens->epoch++;
    tokens->used = 0;
}

void hp_tokens_done(struct hp_tokens *tokens) {
    free(tokens->slots);
    *tokens = (struct hp_tokens){0};
}

static void grow(struct hp_tokens *tokens) {
    struct hp_tokens old = *tokens;
    tokens->slot_count *= 2;
    tokens->slots = new_slots(tokens->slot_count);
    for (size_t i = 0; i < old.slot_count; i++) {
        const struct hp_token_slot *slot = &old.slots[i];
        if (slot->mark >> 5 == old.epoch) {
            struct hp_token token = {slot->head, slot->tail, slot->mark & 31};
            *hp_tokens_slot(tokens, token) = *slot;
        }
    }
    free(old.slots);
}

void hp_tokens_add(struct hp_tokens *tokens, struct hp_token token, uint32_t id) {
    if (tokens->used * 2 >= tokens->slot_count) {
        grow(tokens);
    }
    *hp_tokens_slot(tokens, token) =
        (struct hp_token_slot){token.head, token.tail, id,
                               tokens->epoch << 5 | token.size};
    tokens->used++;
}

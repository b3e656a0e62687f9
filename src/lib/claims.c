#include "lib/claims.h"

#include <string.h>

void hp_claims_init(struct hp_claims *claims) {
    *claims = (struct hp_claims){0};
    pthread_mutex_init(&claims->lock, NULL);
}

void hp_claims_done(struct hp_claims *claims) {
    pthread_mutex_destroy(&claims->lock);
    hp_index_drop(&claims->index);
    hp_vec_done(&claims->taken);
}

static void widen(struct hp_claims *claims) {
    hp_index_widen(&claims->index, claims->taken.count);
    for (size_t i = 0; i < claims->taken.count; i++) {
        hp_index_place(&claims->index, (uint32_t)claims->taken.at[i].of[0], (uint32_t)i);
    }
}

static bool is_taken(const struct hp_claims *claims, struct hp_digest digest) {
    const struct hp_index *index = &claims->index;
    size_t mask = index->slot_count - 1;
    for (size_t i = (uint32_t)digest.of[0] & mask; index->slots[i]; i = (i + 1) & mask) {
        const struct hp_digest *other = &claims->taken.at[index->slots[i] - 1];
        if (memcmp(other, &digest, sizeof digest) == 0) {
            return true;
        }
    }
    return false;
}

bool hp_claims_take(struct hp_claims *claims, struct hp_digest digest) {
    pthread_mutex_lock(&claims->lock);
    if (hp_index_is_full(&claims->index, claims->taken.count)) {
        widen(claims);
    }
    bool first = !is_taken(claims, digest);
    if (first) {
        hp_index_place(&claims->index, (uint32_t)digest.of[0],
                       (uint32_t)claims->taken.count);
        hp_vec_push(&claims->taken, digest);
    }
    pthread_mutex_unlock(&claims->lock);
    return first;
}

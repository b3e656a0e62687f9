#include "lib/contents.h"

#include <string.h>

void hp_contents_init(struct hp_contents *contents) {
    *contents = (struct hp_contents){0};
    pthread_mutex_init(&contents->lock, NULL);
}

void hp_contents_done(struct hp_contents *contents) {
    pthread_mutex_destroy(&contents->lock);
    hp_index_drop(&contents->index);
    hp_vec_done(&contents->known);
}

static void widen(struct hp_contents *contents) {
    hp_index_widen(&contents->index, contents->known.count);
    for (size_t i = 0; i < contents->known.count; i++) {
        hp_index_place(&contents->index, (uint32_t)contents->known.at[i].of[0],
                       (uint32_t)i);
    }
}

static bool is_known(const struct hp_contents *contents, struct hp_digest digest) {
    const struct hp_index *index = &contents->index;
    size_t mask = index->slot_count - 1;
    for (size_t i = (uint32_t)digest.of[0] & mask; index->slots[i]; i = (i + 1) & mask) {
        const struct hp_digest *other = &contents->known.at[index->slots[i] - 1];
        if (memcmp(other, &digest, sizeof digest) == 0) {
            return true;
        }
    }
    return false;
}

bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest) {
    pthread_mutex_lock(&contents->lock);
    if (hp_index_is_full(&contents->index, contents->known.count)) {
        widen(contents);
    }
    bool is_first = !is_known(contents, digest);
    if (is_first) {
        hp_index_place(&contents->index, (uint32_t)digest.of[0],
                       (uint32_t)contents->known.count);
        hp_vec_push(&contents->known, digest);
    }
    pthread_mutex_unlock(&contents->lock);
    return is_first;
}

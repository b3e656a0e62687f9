#include "base/hash.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

_Atomic uint64_t hp_process_key;

static void draw_key(void) {
    uint64_t key;
    // If the kernel refuses, the key is fixed: an attacker can then slow us down, but
    // results stay right.
    bool is_drawn = getrandom(&key, sizeof key, GRND_NONBLOCK) == sizeof key && key != 0;
    hp_process_key = is_drawn ? key : 0x9e3779b97f4a7c15;
}

uint64_t hp_hash_draw_key(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_key);
    return hp_process_key;
}

// Load up to eight bytes into a number, in the byte order of the machine; the bytes of
// the number that are not loaded are 0.
static uint64_t load(const unsigned char *at, size_t size) {
    uint64_t word = 0;
    if (size > 0) {
        memcpy(&word, at, size);
    }
    return word;
}

// Hash the bytes with the constants of wyhash: 16 bytes are mixed at a time, the last
// ones padded with zeros.
uint64_t hp_hash_bytes(const void *bytes, size_t size, uint64_t key) {
    const unsigned char *at = bytes;
    uint64_t hash = key ^ 0xa0761d6478bd642f, left = size;
    for (; left >= 16; left -= 16, at += 16) {
        hash = hp_hash_mix(hp_load8(at) ^ hash ^ 0xe7037ed1a0b428db,
                           hp_load8(at + 8) ^ key ^ 0x8ebc6af09c88c6e3);
    }
    uint64_t a = load(at, left < 8 ? left : 8);
    uint64_t b = left > 8 ? load(at + 8, left - 8) : 0;
    hash = hp_hash_mix(a ^ hash ^ 0x589965cc75374cc3, b ^ key ^ 0x1d8e4e27c47d124f);
    return hp_hash_mix(hash ^ size, 0xeb44accab455d165);
}

// --- an index -----------------------------------------------------------------------------

enum {
    // Slots of the smallest index.
    FIRST_SLOTS = 256,
};

// Make room for `more` further items.  There are at least twice as many slots as items,
// so that searches stay short; when the slots grow, all items are entered again.
void hp_index_reserve(struct hp_index *index, size_t more) {
    size_t old_count = index->slot_count, least = (index->hashes.count + more) * 2;
    while (index->slot_count < least) {
        index->slot_count = index->slot_count ? index->slot_count * 2 : FIRST_SLOTS;
    }
    if (index->slot_count == old_count) {
        return;
    }
    free(index->slots);
    index->slots = hp_alloc(index->slot_count * sizeof *index->slots);
    for (size_t i = 0; i < index->hashes.count; i++) {
        if (index->hashes.at[i] != 0) {
            hp_index_place(index, (uint32_t)i);
        }
    }
}

uint32_t hp_index_find(struct hp_index *index, const void *items, size_t count,
                       size_t item_size, const void *key, size_t key_size) {
    uint32_t hash = (uint32_t)hp_hash_bytes(key, key_size, hp_hash_key()), item;
    for (size_t at = hash; hp_index_next(index, hash, &at, &item);) {
        if (memcmp((const char *)items + item * item_size, key, key_size) == 0) {
            return item;
        }
    }
    hp_index_put(index, hash, count);
    return (uint32_t)count;
}

void hp_index_drop(struct hp_index *index) {
    free(index->slots);
    hp_vec_done(&index->hashes);
    *index = (struct hp_index){0};
}

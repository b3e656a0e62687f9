#include "base/hash.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

static uint64_t process_key;

static void draw_key(void) {
    // A kernel that refuses leaves us with a fixed key: slower under attack, never wrong.
    if (getrandom(&process_key, sizeof process_key, GRND_NONBLOCK) < 0) {
        process_key = 0x9e3779b97f4a7c15;
    }
}

uint64_t hp_hash_key(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_key);
    return process_key;
}

static uint64_t load(const unsigned char *at, size_t size) {
    uint64_t word = 0;
    if (size > 0) {
        memcpy(&word, at, size);
    }
    return word;
}

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

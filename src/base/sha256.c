// FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2; names of functions and variables are those there.
#include "base/sha256.h"

#include <string.h>

static const uint32_t K[HP_SHA256_BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotr(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[HP_SHA256_BLOCK], const uint8_t *block) {
    for (int t = 0; t < 16; t++, block += 4) {
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
               (uint32_t)block[2] << 8 | block[3];
    }
    for (int t = 16; t < HP_SHA256_BLOCK; t++) {
        uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void add_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[HP_SHA256_BLOCK], v[8]; // a, b, c ... h
    schedule(w, block);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < HP_SHA256_BLOCK; t++) {
        uint32_t e1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + e1 + ch + K[t] + w[t];
        uint32_t e0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + e0 + maj;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void hp_sha256_init(struct hp_sha256 *sha) {
    memcpy(sha->state, first_state, sizeof sha->state);
    sha->size = 0;
}

void hp_sha256_add(struct hp_sha256 *sha, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        size_t used = sha->size % HP_SHA256_BLOCK;
        size_t room = HP_SHA256_BLOCK - used, part = size < room ? size : room;
        sha->size += part;
        if (part == HP_SHA256_BLOCK) {
            add_block(sha->state, at);
        } else {
            memcpy(sha->pending + used, at, part);
            if (part == room) {
                add_block(sha->state, sha->pending);
            }
        }
        at += part;
        size -= part;
    }
}

void hp_sha256_end(struct hp_sha256 *sha, uint8_t digest[HP_SHA256_SIZE]) {
    static const uint8_t padding[HP_SHA256_BLOCK] = {0x80};
    uint8_t bits[8];
    for (int i = 0; i < 8; i++) {
        bits[i] = (uint8_t)(sha->size * 8 >> (56 - 8 * i));
    }
    size_t used = sha->size % HP_SHA256_BLOCK;
    size_t zeros = (used < 56 ? 56 : 56 + HP_SHA256_BLOCK) - used;
    hp_sha256_add(sha, padding, zeros);
    hp_sha256_add(sha, bits, sizeof bits);
    for (int i = 0; i < HP_SHA256_SIZE; i++) {
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

// FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2; functions and variables have the names used
// there.
#include "base/sha256.h"

#include <string.h>

#ifdef __x86_64__
#    include <cpuid.h>
#    include <immintrin.h>
#endif

// The constants of the 64 rounds of SHA-256.
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

// Compute the message schedule of a block: 64 words.
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

// Do one round of SHA-256.  Its variables a to h rotate through `v` with the number of
// the round, so that none has to be moved.
static void add_round(uint32_t v[8], int i, uint32_t k_and_w) {
    uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
    uint32_t ch = (e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7]);
    uint32_t maj = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t1 =
        v[(7 - i) & 7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ch + k_and_w;
    v[(3 - i) & 7] += t1;
    v[(7 - i) & 7] = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + maj;
}

// Process one block in portable C.
static void add_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[HP_SHA256_BLOCK], v[8];
    schedule(w, block);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < HP_SHA256_BLOCK; t += 8) {
        for (int i = 0; i < 8; i++) {
            add_round(v, i, K[t + i] + w[t + i]);
        }
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

#ifdef __x86_64__
// Process blocks with the SHA instructions of x86: each instruction does two rounds, or
// makes four words of the schedule.
__attribute__((target("sha,sse4.1"))) static void add_by_instructions(uint32_t state[8],
                                                                      const uint8_t *at,
                                                                      size_t blocks) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i *of = (__m128i *)(void *)state, abcd = _mm_loadu_si128(of);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(of + 1), 0x1b), w[4];
    abcd = _mm_shuffle_epi32(abcd, 0xb1);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8),
            cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
    for (; blocks > 0; blocks--, at += HP_SHA256_BLOCK) {
        __m128i abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++) {
            const void *words = at + 16 * i;
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128(words), swap);
        }
        for (int t = 0; t < HP_SHA256_BLOCK; t += 4) {
            const void *k = K + t;
            __m128i sum = _mm_add_epi32(w[0], _mm_loadu_si128(k));
            __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]),
                                         _mm_alignr_epi8(w[3], w[2], 4));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            next = _mm_sha256msg2_epu32(next, w[3]);
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    abcd = _mm_shuffle_epi32(abef, 0x1b);
    efgh = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(of, _mm_blend_epi16(abcd, efgh, 0xf0));
    _mm_storeu_si128(of + 1, _mm_alignr_epi8(efgh, abcd, 8));
}

// Whether the processor has the SHA and the SSE4.1 instructions.
static bool has_instructions(void) {
    unsigned a, b, c, d, first_c;
    return __get_cpuid(1, &a, &b, &first_c, &d) &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && first_c & bit_SSE4_1 && b & bit_SHA;
}
#endif

// Process whole blocks, by the SHA instructions if the processor has them.
static void add_all(struct hp_sha256 *sha, const uint8_t *at, size_t blocks) {
#ifdef __x86_64__
    if (sha->has_instructions) {
        add_by_instructions(sha->state, at, blocks);
        return;
    }
#endif
    for (; blocks > 0; blocks--, at += HP_SHA256_BLOCK) {
        add_block(sha->state, at);
    }
}

void hp_sha256_init(struct hp_sha256 *sha) {
    memcpy(sha->state, first_state, sizeof sha->state);
    sha->size = 0;
#ifdef __x86_64__
    sha->has_instructions = has_instructions();
#else
    sha->has_instructions = false;
#endif
}

void hp_sha256_add(struct hp_sha256 *sha, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        size_t used = sha->size % HP_SHA256_BLOCK, part = HP_SHA256_BLOCK - used;
        if (used == 0 && size >= HP_SHA256_BLOCK) {
            part = size - size % HP_SHA256_BLOCK;
            add_all(sha, at, part / HP_SHA256_BLOCK);
        } else {
            part = size < part ? size : part;
            memcpy(sha->pending + used, at, part);
            if (used + part == HP_SHA256_BLOCK) {
                add_all(sha, sha->pending, 1);
            }
        }
        sha->size += part;
        at += part;
        size -= part;
    }
}

// Pad the text and store its digest.  The padding is a bit 1, zeros, and the length in
// bits as 64 bits, the high byte first.
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

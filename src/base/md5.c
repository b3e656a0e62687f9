// RFC 1321, section 3; functions and variables have the names used there.
#include "base/md5.h"

#include <string.h>

enum {
    BLOCK = 64,
    // Bytes of the last block that are left for the message; its length takes the other
    // eight.
    LAST_BLOCK = 56,
};

// The constants of the 64 steps of MD5: element i is the integer part of 2^32 |sin(i +
// 1)|.
static const uint32_t T[BLOCK] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
    0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
    0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
    0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
    0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
    0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391};

// Bits that a step rotates by.  Each row is one round of 16 steps, which use the four
// numbers in turn, four times.
static const uint8_t shifts[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t rotate_left(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}

// Apply to x, y and z the function of MD5 (F, G, H or I) that belongs to the round of
// step `i`.  Sets *word to the index of the word of the block that the step uses.
static uint32_t mix(int i, uint32_t x, uint32_t y, uint32_t z, int *word) {
    switch (i / 16) {
    case 0:
        *word = i;
        return (x & y) | (~x & z);
    case 1:
        *word = (5 * i + 1) % 16;
        return (x & z) | (y & ~z);
    case 2:
        *word = (3 * i + 5) % 16;
        return x ^ y ^ z;
    default:
        *word = 7 * i % 16;
        return y ^ (x | ~z);
    }
}

// Add one block of 64 bytes to the state.
static void add_block(uint32_t state[4], const uint8_t *block) {
    uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 16; i++, block += 4) {
        words[i] = (uint32_t)block[3] << 24 | (uint32_t)block[2] << 16 |
                   (uint32_t)block[1] << 8 | block[0];
    }
    for (int i = 0; i < BLOCK; i++) {
        int word;
        uint32_t mixed = mix(i, b, c, d, &word);
        uint32_t sum = a + mixed + words[word] + T[i];
        a = d;
        d = c;
        c = b;
        b += rotate_left(sum, shifts[i / 16][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void hp_md5(const void *bytes, size_t size, uint8_t digest[HP_MD5_SIZE]) {
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const uint8_t *at = bytes;
    uint8_t end[2 * BLOCK] = {0};
    size_t left = size % BLOCK, blocks = left < LAST_BLOCK ? 1 : 2;
    for (size_t i = 0; i < size / BLOCK; i++, at += BLOCK) {
        add_block(state, at);
    }
    if (left > 0) {
        memcpy(end, at, left);
    }
    // The message ends with a bit 1, zeros, and its length in bits as 64 bits, the low
    // byte first.
    end[left] = 0x80;
    for (int i = 0; i < 8; i++) {
        end[blocks * BLOCK - 8 + (size_t)i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    }
    for (size_t i = 0; i < blocks; i++) {
        add_block(state, end + i * BLOCK);
    }
    for (int i = 0; i < HP_MD5_SIZE; i++) {
        digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
    }
}

// Numbers in LEB128: the low 7 bits first, with bit 7 of a byte set if more follow.
// Signed numbers that are small in absolute value are made small by hp_zigzag() first.
//
// Readers differ in what they refuse (numbers that are too large, or in needless bytes),
// so that each of them checks the size that it gets from here.
#ifndef HP_BASE_VARINT_H
#define HP_BASE_VARINT_H

#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

enum {
    HP_VARINT_MORE = 1 << 7, // bit of a byte: more bytes of the number follow
    HP_VARINT_BITS = 7,      // bits of a byte that belong to the number
    HP_VARINT_MAX = 10,      // most bytes of a number of 64 bits
    HP_VARINT_MAX_LONG = 19, // most bytes of a number of 128 bits
};

// Write a number of up to 128 bits.  Returns the end of the bytes written.
static inline uint8_t *hp_varint_put(uint8_t *at, hp_uint128 number) {
    for (; number >= HP_VARINT_MORE; number >>= HP_VARINT_BITS) {
        *at++ = (uint8_t)((unsigned)(number & (HP_VARINT_MORE - 1)) | HP_VARINT_MORE);
    }
    *at++ = (uint8_t)number;
    return at;
}

// Read a number of at most `most` bytes, which is at most HP_VARINT_MAX; bits beyond 64
// are dropped.  Returns its size; 0: it does not end within `most` bytes.
static inline size_t hp_varint_get(const uint8_t *at, size_t most, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < most; i++) {
        value |= (uint64_t)(at[i] & (HP_VARINT_MORE - 1)) << HP_VARINT_BITS * i;
        if (at[i] < HP_VARINT_MORE) {
            *number = value;
            return i + 1;
        }
    }
    return 0;
}

// As hp_varint_get(), of a number of up to 128 bits and HP_VARINT_MAX_LONG bytes.
static inline size_t hp_varint_get_long(const uint8_t *at, size_t most,
                                        hp_uint128 *number) {
    hp_uint128 value = 0;
    for (size_t i = 0; i < most; i++) {
        value |= (hp_uint128)(at[i] & (HP_VARINT_MORE - 1)) << HP_VARINT_BITS * i;
        if (at[i] < HP_VARINT_MORE) {
            *number = value;
            return i + 1;
        }
    }
    return 0;
}

// Map a signed number to an unsigned one, so that small absolute values need few bytes.
static inline hp_uint128 hp_zigzag(hp_int128 number) {
    return (hp_uint128)number << 1 ^ (hp_uint128)(number >> 127);
}

static inline hp_int128 hp_unzigzag(hp_uint128 number) {
    return (hp_int128)(number >> 1) ^ -(hp_int128)(number & 1);
}

#endif

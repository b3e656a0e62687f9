// A reader of the numbers and strings of DWARF, with checks of the bounds.
#ifndef HP_SYM_DWARF_BYTES_H
#define HP_SYM_DWARF_BYTES_H

#include "base/varint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bytes being read.  After the first value that is missing, all further values are 0 or
// NULL and `bad` stays set.
struct hp_dwarf_bytes {
    const unsigned char *at, *end; // next byte, and the byte after the last
    size_t offset_size;            // 4, or 8 in the 64-bit format
    bool is_big_endian, bad;
};

// Move past the next `size` bytes and return their start; NULL, and `bad` set, if there
// are fewer.
static inline const unsigned char *hp_dwarf_take(struct hp_dwarf_bytes *in,
                                                 uint64_t size) {
    if (in->bad || size > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    return at;
}

// A little-endian number of 4 bytes.
static inline uint32_t hp_dwarf_little4(const unsigned char *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// A number of `size` bytes, at most 8.
static inline uint64_t hp_dwarf_number(const unsigned char *bytes, size_t size,
                                       bool is_big_endian) {
    uint64_t value = 0;
    // The usual sizes first: they need no loop when the compiler does not know the size.
    if (size == 4 && !is_big_endian) {
        return hp_dwarf_little4(bytes);
    }
    if (size == 8 && !is_big_endian) {
        return hp_dwarf_little4(bytes) | (uint64_t)hp_dwarf_little4(bytes + 4) << 32;
    }
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | bytes[is_big_endian ? i : size - 1 - i];
    }
    return value;
}

// Read a number of `size` bytes; 0, and `bad` set, if it is missing.
static inline uint64_t hp_dwarf_take_number(struct hp_dwarf_bytes *in, size_t size) {
    const unsigned char *bytes = hp_dwarf_take(in, size);
    return bytes ? hp_dwarf_number(bytes, size, in->is_big_endian) : 0;
}

// Read a LEB128 number of up to HP_VARINT_MAX bytes; returns 0 and sets `bad` if it is
// longer.
static inline uint64_t hp_dwarf_take_long_leb128(struct hp_dwarf_bytes *in,
                                                 bool is_signed) {
    size_t left = in->bad ? 0 : (size_t)(in->end - in->at);
    uint64_t value = 0;
    size_t size =
        hp_varint_get(in->at, left < HP_VARINT_MAX ? left : HP_VARINT_MAX, &value);
    in->bad |= size == 0;
    in->at += size;
    bool is_negative = is_signed && size > 0 && size < HP_VARINT_MAX && in->at[-1] & 0x40;
    return is_negative ? value | UINT64_MAX << HP_VARINT_BITS * size : value;
}

// Read an unsigned LEB128 number, usually of a single byte.
static inline uint64_t hp_dwarf_take_leb128(struct hp_dwarf_bytes *in) {
    bool is_short = !in->bad && in->at < in->end && *in->at < 0x80;
    return is_short ? *in->at++ : hp_dwarf_take_long_leb128(in, false);
}

// Read a LEB128 number that other readers keep in 32 bits; sets `bad` if it does not fit.
static inline uint32_t hp_dwarf_take_small_leb128(struct hp_dwarf_bytes *in) {
    uint64_t value = hp_dwarf_take_leb128(in);
    in->bad |= value > UINT32_MAX;
    return (uint32_t)value;
}

static inline int32_t hp_dwarf_take_small_sleb128(struct hp_dwarf_bytes *in) {
    int64_t value = (int64_t)hp_dwarf_take_long_leb128(in, true);
    in->bad |= value < INT32_MIN || value > INT32_MAX;
    return (int32_t)value;
}

// Read a string with its final 0; NULL, and `bad` set, if it has none.
static inline const char *hp_dwarf_take_string(struct hp_dwarf_bytes *in) {
    const unsigned char *nul =
        in->bad ? NULL : memchr(in->at, '\0', (size_t)(in->end - in->at));
    return (const char *)hp_dwarf_take(in,
                                       nul ? (uint64_t)(nul + 1 - in->at) : UINT64_MAX);
}

// Let the bytes that are read end `size` bytes from here, because a length that was read
// says so.  Sets `bad` if there are fewer.
static inline void hp_dwarf_end_after(struct hp_dwarf_bytes *in, uint64_t size) {
    if (size > (uint64_t)(in->end - in->at)) {
        in->bad = true;
    } else {
        in->end = in->at + size;
    }
}

#endif

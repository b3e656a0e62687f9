// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
#ifndef HP_BASE_SHA256_H
#define HP_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HP_SHA256_SIZE = 32,
    HP_SHA256_BLOCK = 64,
};

struct hp_sha256 {
    uint32_t state[8];
    uint64_t size;                    // number of bytes added so far
    uint8_t pending[HP_SHA256_BLOCK]; // the last size % 64 of these bytes, not yet hashed
    // Whether the processor has SHA instructions, which are then used.
    bool has_instructions;
};

// Begin an empty text.
void hp_sha256_init(struct hp_sha256 *sha);
// Add bytes; where a text is cut into pieces makes no difference.
void hp_sha256_add(struct hp_sha256 *sha, const void *bytes, size_t size);
// Pad the text and store its digest; the struct can then only be initialized again.
void hp_sha256_end(struct hp_sha256 *sha, uint8_t digest[HP_SHA256_SIZE]);

#endif

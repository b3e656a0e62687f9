// SHA-256 (FIPS 180-4), of bytes that come piece by piece.
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
    uint64_t size;                    // bytes so far
    uint8_t pending[HP_SHA256_BLOCK]; // the last size % 64 of them
    bool has_instructions;            // of the machine, which are used
};

void hp_sha256_init(struct hp_sha256 *sha);
void hp_sha256_add(struct hp_sha256 *sha, const void *bytes, size_t size);
void hp_sha256_end(struct hp_sha256 *sha, uint8_t digest[HP_SHA256_SIZE]);

#endif

// Mutates inputs for libFuzzer according to their format.  Half of the time it changes
// one field of an input that begins like protobuf.  It mostly changes, removes or repeats
// one block of an input that begins like the blocks of a partial (partial.c), and changes
// an ELF file mostly at the places to which its headers refer.  Headers of a tar archive
// get correct checksums, because the reader ignores archives without them.
#include "input/input_format.h"
#include "mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

enum {
    TAR_BLOCK = 512,
    TAR_SUM = 148,     // offset of the checksum in a header, 8 bytes
    TAR_MAGIC = 257,   // offset of "ustar" in a header
    HEAD = 4,          // bytes of a block's head: section, flags, size of the rest
    MOST = UINT16_MAX, // bytes of a block after its head
};

// Whether the input begins with a block of section 1 that contains "estimator".
static bool are_blocks(struct hp_span text) {
    static const char first[] =
        "\x09"
        "estimator";
    return text.size > HEAD + sizeof first && text.at[0] == 1 &&
           memcmp(text.at + HEAD, first, sizeof first - 1) == 0;
}

// Size of the block at `bytes`, with its head; at most the `left` bytes that there are.
static size_t block_size(const uint8_t *bytes, size_t left) {
    size_t size = left < HEAD ? left : HEAD + (bytes[2] | (size_t)bytes[3] << 8);
    return size < left ? size : left;
}

// Move the `left` bytes that follow a piece of `old` bytes, to make room for `size` bytes
// instead.  The buffer must be large enough.
static void splice(uint8_t *at, size_t old, size_t size, size_t left) {
    memmove(at + size, at + old, left);
}

// Change the contents of one block, remove it, or repeat it.  Returns the new size.
static size_t mutate_blocks(struct mutate_random *random, uint8_t *bytes, size_t size,
                            size_t room) {
    size_t at = 0, wanted = mutate_below(random, size), kind = mutate_below(random, 8);
    while (at + block_size(bytes + at, size - at) <= wanted) {
        at += block_size(bytes + at, size - at);
    }
    size_t old = block_size(bytes + at, size - at), left = size - at - old;
    if (kind == 0 || old <= HEAD) {
        splice(bytes + at, old, 0, left);
        return size - old > 0 ? size - old : size;
    }
    if (kind == 1) {
        size_t again = size + old <= room ? old : 0;
        memmove(bytes + at + old + again, bytes + at + old, left);
        memmove(bytes + at + old, bytes + at, again);
        return size + again;
    }
    size_t more = room - size < MOST - (old - HEAD) ? room - size : MOST - (old - HEAD);
    uint8_t *block = malloc(old + more);
    memcpy(block, bytes + at, old);
    size_t now = LLVMFuzzerMutate(block + HEAD, old - HEAD, old - HEAD + more);
    block[2] = (uint8_t)now;
    block[3] = (uint8_t)(now >> 8);
    splice(bytes + at, old, HEAD + now, left);
    memcpy(bytes + at, block, HEAD + now);
    free(block);
    return at + HEAD + now + left;
}

static bool is_tar(const uint8_t *block, size_t size) {
    return size >= TAR_BLOCK && memcmp(block + TAR_MAGIC, "ustar", 5) == 0;
}

// Set the checksums of all headers of a tar archive.
static void set_sums(uint8_t *bytes, size_t size) {
    for (; size >= TAR_BLOCK; bytes += TAR_BLOCK, size -= TAR_BLOCK) {
        unsigned sum = 0;
        char digits[8];
        if (is_tar(bytes, size)) {
            memset(bytes + TAR_SUM, ' ', 8);
            for (size_t i = 0; i < TAR_BLOCK; i++) {
                sum += bytes[i];
            }
            snprintf(digits, sizeof digits, "%06o", sum);
            memcpy(bytes + TAR_SUM, digits, 7);
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    struct mutate_random random = {seed};
    struct hp_span text = {(const char *)bytes, size};
    if (seed % 8 != 0 && are_blocks(text)) {
        return mutate_blocks(&random, bytes, size, room);
    }
    if (seed % 8 != 0 && is_tar(bytes, size)) {
        size = LLVMFuzzerMutate(bytes, size, room);
        set_sums(bytes, size);
        return size;
    }
    if (seed % 8 != 0 && mutate_is_elf(bytes, size)) {
        return mutate_elf(&random, bytes, size);
    }
    if (seed % 2 == 0 || !hp_pprof_format.is(text)) {
        return LLVMFuzzerMutate(bytes, size, room);
    }
    return mutate_message(&random, (char *)bytes, size, room);
}

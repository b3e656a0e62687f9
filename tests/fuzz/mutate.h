// Mutations of texts, protobuf messages and ELF files that leave them nearly valid.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

// A source of random numbers, which depend only on the initial value of `state`.
struct mutate_random {
    uint64_t state;
};

// Return a number below `limit`, which is not 0.
uint64_t mutate_below(struct mutate_random *random, uint64_t limit);

// Change a text of `size` bytes in one of the ways in which texts are wrong; this may
// insert a piece of `other`.  The buffer has room for `room` bytes; returns the new size.
size_t mutate_text(struct mutate_random *random, char *bytes, size_t size, size_t room,
                   struct hp_span other);

// Change one field of a message or of a message nested in it, and correct the lengths
// that enclose it.  The buffer has room for `room` bytes; returns the new size.
size_t mutate_message(struct mutate_random *random, char *bytes, size_t size,
                      size_t room);

// Change a number or some bytes of an ELF file, in its headers or in the content of a
// section.  Calls LLVMFuzzerMutate(), which only programs with libFuzzer have.  Returns
// the size, which stays the same.
bool mutate_is_elf(const uint8_t *bytes, size_t size);
size_t mutate_elf(struct mutate_random *random, uint8_t *bytes, size_t size);

#endif

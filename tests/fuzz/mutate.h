// Texts and protobuf messages that are nearly right.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

// What comes next depends on nothing but what `state` began with.
struct mutate_random {
    uint64_t state;
};

uint64_t mutate_below(struct mutate_random *random, uint64_t limit);

// Change `size` bytes in one way that a text may be wrong, perhaps with a piece of `other`.
// They have room for `room`; returns how many there are then.
size_t mutate_text(struct mutate_random *random, char *bytes, size_t size, size_t room,
                   struct hp_span other);

// Change one field of a message, or of one within it, and all lengths with it.
size_t mutate_message(struct mutate_random *random, char *bytes, size_t size,
                      size_t room);

// Change a number or some bytes of an ELF file: in its headers, or in the content of a section.  By a fuzzer alone.
bool mutate_is_elf(const uint8_t *bytes, size_t size);
size_t mutate_elf(struct mutate_random *random, uint8_t *bytes, size_t size);

#endif

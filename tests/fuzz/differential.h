// The fast readers of src/input against the slow one of tests/fuzz/reference.
#ifndef TESTS_FUZZ_DIFFERENTIAL_H
#define TESTS_FUZZ_DIFFERENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct differential_counts {
    uint64_t inputs, complete, damaged, refused;
};

// Read the bytes by both, whole, in windows of `window` bytes or the smallest that will do,
// and out of gzip and zstd if `packed`; abort() where they differ.
void differential_check(const uint8_t *bytes, size_t size, size_t window, bool packed);

extern struct differential_counts differential_counts;

#endif

// The fast readers of src/input against the slow one of tests/fuzz/reference.
#ifndef TESTS_FUZZ_DIFFERENTIAL_H
#define TESTS_FUZZ_DIFFERENTIAL_H

#include "reading.h"

struct differential_counts {
    uint64_t inputs, complete, damaged, refused;
};

// Read the bytes by both, whole, in windows of `window` bytes or the smallest that will do,
// and out of gzip and zstd if `packed`; abort() where they differ.  What is compressed itself
// is only read.  Returns what was found, until the next time.
const struct reading *differential_check(const uint8_t *bytes, size_t size, size_t window,
                                         bool packed);

extern struct differential_counts differential_counts;

#endif

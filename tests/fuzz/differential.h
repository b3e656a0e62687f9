// Compares the fast readers of src/input with the slow reader of tests/fuzz/reference.
#ifndef TESTS_FUZZ_DIFFERENTIAL_H
#define TESTS_FUZZ_DIFFERENTIAL_H

#include "reading.h"

// Numbers of inputs that differential_check() compared, by what the slow reader found.
struct differential_counts {
    uint64_t inputs, complete, damaged, refused;
};

// Read the bytes with both readers: whole, in windows of `window` bytes (or of the
// smallest size that is sufficient, if that is larger), and if `packed` also from gzip
// and zstd.  Calls abort() where the results differ.  Input that is itself compressed is
// read by the fast reader only.  Returns the result of the fast reader, valid until the
// next call.
const struct reading *differential_check(const uint8_t *bytes, size_t size, size_t window,
                                         bool packed);

extern struct differential_counts differential_counts;

#endif

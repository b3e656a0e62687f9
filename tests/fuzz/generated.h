// Compares the readers of perf maps and jitdumps with slow ones.
#ifndef TESTS_FUZZ_GENERATED_H
#define TESTS_FUZZ_GENERATED_H

#include "input/perf_map.h"

// Numbers of files that generated_check() compared, and of addresses that got a name.
struct generated_counts {
    uint64_t maps, dumps, named;
};

extern struct generated_counts generated_counts;

// Read the bytes in windows of `window` bytes, and in one piece by the slow reader.  Calls
// abort() where the names, files or lines of addresses differ.
void generated_check(const uint8_t *bytes, size_t size, size_t window);

#endif

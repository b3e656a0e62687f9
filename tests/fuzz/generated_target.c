// Fuzz target of perf maps and jitdumps.  The size of the input chooses the windows.
#include "generated.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    generated_check(bytes, size, size % 64 * 32);
    return 0;
}

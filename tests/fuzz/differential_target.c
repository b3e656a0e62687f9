// Fuzz target of all readers: the fast readers must read the same as the slow one.  The
// size of the input chooses the size of the windows, and whether to compress it as well.
#include "differential.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    size_t choice = size % 64;
    differential_check(bytes, size, choice * 32, choice == 0);
    return 0;
}

// Fuzz target: the fast readers read what the slow one does.
#include "differential.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    size_t choice = size % 64;
    differential_check(bytes, size, choice * 32, choice == 0);
    return 0;
}

// How libFuzzer changes an input that begins like protobuf: half of the time field by field.
#include "input/input_format.h"
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    struct mutate_random random = {seed};
    struct hp_span text = {(const char *)bytes, size};
    if (seed % 2 == 0 || !hp_pprof_format.is(text)) {
        return LLVMFuzzerMutate(bytes, size, room);
    }
    return mutate_message(&random, (char *)bytes, size, room);
}

// Names of generated code, as runtimes write them into perf maps and jitdumps.
#ifndef HP_INPUT_JIT_NAME_H
#define HP_INPUT_JIT_NAME_H

#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

// A function of generated code.  The texts point into the text that was parsed, into
// `text`, or to constants.
struct hp_jit_name {
    struct hp_span function, file; // file: empty if unknown
    uint32_t line;                 // 0 if unknown
    HP_VEC(char) text;             // owned by the user, who frees it; kept between calls
};

// Parse the name of a function, by the runtime that writes such names.  Counters,
// addresses and tiers of compilation are removed, so that a function has one name in all
// processes.  A name of unknown form is the function.
void hp_jit_name_parse(struct hp_jit_name *name, struct hp_span text);

#endif

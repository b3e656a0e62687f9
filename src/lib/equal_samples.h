// Inputs in which the very same was sampled: one sample that is counted twice, or processes that did
// nothing since they were forked.
#ifndef HP_LIB_EQUAL_SAMPLES_H
#define HP_LIB_EQUAL_SAMPLES_H

#include "model/profile.h"

// What is compared of an input; both texts live as long as the list.
struct hp_sampled_input {
    struct hp_digest samples;
    const char *name, *archive; // archive: or NULL
    uint64_t pid, number;       // as in struct hp_identity
    uint32_t input;             // its number among all as given
    uint32_t process;           // HP_NO_PROCESS: one that no other is of
};

struct hp_sampled_inputs {
    HP_VEC(struct hp_sampled_input) all;
};

// Those records that count.
void hp_sampled_inputs_add_records(struct hp_sampled_inputs *inputs,
                                   const struct hp_profile *profile);

// Tell of them in profile->equal_samples, whatever order they are in; the list is let go of.
void hp_sampled_inputs_compare(struct hp_sampled_inputs *inputs,
                               struct hp_profile *profile);

#endif

// Inputs with exactly the same samples.  Either one sample is counted twice, or the
// processes did nothing since they were forked.
#ifndef HP_INPUTS_EQUAL_SAMPLES_H
#define HP_INPUTS_EQUAL_SAMPLES_H

#include "inputs/inputs.h"

// The facts of an input that are compared.  Both texts are borrowed and must live as long
// as the list.
struct hp_sampled_input {
    struct hp_digest samples;   // digest of the stacks
    const char *name, *archive; // name of the input; archive that it is in, or NULL
    uint64_t pid, number;       // as in struct hp_identity
    uint32_t input; // number of the input, in the order in which inputs are given
    // Number of its process; HP_NO_PROCESS: the input is the only dump of its process.
    uint32_t process;
};

// A list of inputs; {0} is empty.
struct hp_sampled_inputs {
    HP_VEC(struct hp_sampled_input) all;
};

// Append the inputs that are used and have stacks of their own.
void hp_sampled_inputs_add_records(struct hp_sampled_inputs *inputs,
                                   const struct hp_inputs *all);

// Count the pairs of inputs with equal samples in all->equal_samples,
// separately for inputs of different processes by their names, and keep the names of the
// first pair. The result does not depend on the order of the list.  Frees the list.
void hp_sampled_inputs_compare(struct hp_sampled_inputs *inputs, struct hp_inputs *all);

#endif

// Inputs that have the same content, or only the same samples.
#ifndef HP_INPUTS_DUPLICATES_H
#define HP_INPUTS_DUPLICATES_H

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "inputs/inputs.h"

#include <pthread.h>

// A set of digests, of contents or of other things, shared by several threads.

struct hp_contents {
    pthread_mutex_t lock;  // protects the rest
    struct hp_index index; // finds a digest in `known`
    HP_VEC(struct hp_digest) known;
};

// Make an empty set; free it with hp_contents_done().
void hp_contents_init(struct hp_contents *contents);
void hp_contents_done(struct hp_contents *contents);

// Add a digest.  Returns true if it was not in the set before.
bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest);

// Two inputs with one content: indices into the records, first < again.
struct hp_duplicate {
    size_t first, again;
};

// Find inputs with one content on one side of a comparison, except those that are
// different dumps by their names.  The first input, in a fixed order, keeps its numbers;
// the others become HP_INPUT_DUPLICATE.  Returns the first duplicate and its original;
// both are the number of records if there is none.
struct hp_duplicate hp_duplicates_settle(struct hp_inputs *inputs);

// Find the first two used inputs with one content on both sides of a comparison.  If each
// side has only one input, it may be compared with itself.  Both results are
// the number of records if there are none.
struct hp_duplicate hp_duplicates_across(const struct hp_inputs *inputs);

// Return HP_E_DUPLICATE if an input that is a merged profile contains a process that is
// also in another input.  Call it if only one dump of each process may be used.
HP_MUST_CHECK int hp_duplicates_of_processes(const struct hp_inputs *inputs,
                                             struct hp_err *err);

// Fill *err with a message that names both inputs; always returns HP_E_DUPLICATE.
HP_MUST_CHECK int hp_duplicates_refuse(const struct hp_inputs *inputs,
                                       struct hp_duplicate duplicate, struct hp_err *err);

// --- equal samples -----------------------------------------------------------------------

// Inputs with exactly the same samples: either one sample is counted twice, or the
// processes did nothing since they were forked.

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

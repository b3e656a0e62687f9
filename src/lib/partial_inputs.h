// Partials among the inputs: each worker reads those that it meets into a profile of their own,
// which is added to that of the dumps when it is settled which of these count.
//
// In a partial that is settled, and nothing can be taken out of it: so a dump or a process that is
// in two of them, or in one and among the dumps, is refused.
#ifndef HP_LIB_PARTIAL_INPUTS_H
#define HP_LIB_PARTIAL_INPUTS_H

#include "calc/embedded_symbols.h"
#include "input/input_stream.h"
#include "partial/partial.h"

struct hp_taken {
    struct hp_profile profile;
    struct hp_embedded_symbols embedded; // of its frames
    struct hp_partials partials;
    HP_VEC(const char *) names; // of each, in blocks of the profile
    uint32_t first_number;      // of its inputs, among all
    bool is_base;               // of a diff: the last that was read
    struct hp_shards shards;    // of the set that it is of
    struct hp_taken *joins;     // whose inputs are also those of this shard; NULL: none
};

// To be freed by hp_partial_inputs_add(); `like` is the profile it is to be added to.
struct hp_taken *hp_taken_new(const struct hp_profile *like);

// Shards are read each for itself, until it is known which belong to the same dumps.
static inline bool hp_taken_is_shard(const struct hp_taken *taken) {
    return taken->partials.count > 0 &&
           taken->partials.parameters.of[HP_PARAMETER_SHARDS] > 1;
}

// Read a partial, whose first bytes are in the window of `stream`.
HP_MUST_CHECK int hp_taken_read(struct hp_taken *taken, struct hp_input_stream *stream,
                                const char *name, bool is_base, struct hp_err *err);

// Add one partial, whose builds the prover finds, to those that were read before; it is freed.
HP_MUST_CHECK int hp_taken_join(struct hp_taken *to, struct hp_taken *from,
                                struct hp_prover *prover, struct hp_err *err);
void hp_taken_free(struct hp_taken *taken);

struct hp_taken_all {
    struct hp_taken **at;
    size_t count, capacity;
};

// Once all inputs are read: take over what partials say of their dumps, and how they were made.
// Numbers of inputs are below *numbers then.  HP_E_DUPLICATE where they cannot be added.

HP_MUST_CHECK int hp_partial_inputs_tell(struct hp_profile *profile,
                                         struct hp_taken_all *all,
                                         const struct hp_read_options *options,
                                         uint32_t *numbers, struct hp_err *err);

// Once names are known: HP_E_DUPLICATE where two hold a dump, or a process.
HP_MUST_CHECK int hp_partial_inputs_refuse(const struct hp_profile *profile,
                                           const struct hp_taken_all *all,
                                           struct hp_err *err);

// Count the processes that they are of, once all are chosen.
void hp_partial_inputs_count(struct hp_profile *profile);

// Once it is settled which dumps count: check that the partials are of these.
HP_MUST_CHECK int hp_partial_inputs_settle(struct hp_profile *profile,
                                           const struct hp_read_options *options,
                                           struct hp_err *err);

// Rows of inputs may be of those that count alone, where that was asked for.
void hp_settle_moments(struct hp_profile *profile, const struct hp_read_options *options);

// Add their stacks; or let go of them.
void hp_partial_inputs_add(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_taken_all *all);
void hp_partial_inputs_done(struct hp_taken_all *all);

#endif

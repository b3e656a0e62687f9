// Partials among the inputs.  Each worker reads its partials into a profile of their own.
// That profile is added to the profile of the dumps when it is known which dumps are
// used.
//
// Nothing can be removed from a partial, and its choice of dumps is final.  So a dump or
// process that is in two partials, or in a partial and among the dumps, is refused.
#ifndef HP_LIB_PARTIAL_INPUTS_H
#define HP_LIB_PARTIAL_INPUTS_H

#include "calc/embedded_symbols.h"
#include "input/input_stream.h"
#include "partial/partial.h"

// Partials that were read into one profile.
struct hp_taken {
    struct hp_profile profile;
    struct hp_embedded_symbols embedded; // symbols of the profile's frames
    struct hp_partials partials;         // parameters and sums of these partials
    HP_VEC(const char *) names;          // name of each partial, in profile.texts
    uint32_t first_number;               // number of its first input, among all inputs
    bool is_base; // base side of a comparison; as the last partial that was read
    // The shards of one profile, as far as these partials contain them.
    struct hp_shards shards;
    // Another shard of the same profile, which describes the same dumps and to which this
    // one is added; NULL: none.
    struct hp_taken *joins;
};

// Create an empty one for the same options as `like`, the profile that it will be added
// to.  It is freed by hp_partial_inputs_add(), hp_taken_join() or hp_taken_free().
struct hp_taken *hp_taken_new(const struct hp_profile *like);

// Return whether it is a shard: a partial with some of the stacks of a profile.  Shards
// are read separately, until it is known which of them are of one profile.
static inline bool hp_taken_is_shard(const struct hp_taken *taken) {
    return taken->partials.count > 0 &&
           taken->partials.parameters.of[HP_PARAMETER_SHARDS] > 1;
}

// Read a partial from `stream`, at whose start its first bytes are.
HP_MUST_CHECK int hp_taken_read(struct hp_taken *taken, struct hp_input_stream *stream,
                                const char *name, bool is_base, struct hp_err *err);

// Add one partial to those that were read before, after the prover has found its builds.
// `from` is freed, also on failure.
HP_MUST_CHECK int hp_taken_join(struct hp_taken *to, struct hp_taken *from,
                                struct hp_prover *prover, struct hp_err *err);
// Free it.
void hp_taken_free(struct hp_taken *taken);

// All partials of a read; {0} is empty.  It owns them.
struct hp_taken_all {
    struct hp_taken **at;
    size_t count, capacity;
};

// Call it when all inputs are read.  Takes over the records of the dumps in the partials,
// and the options that they were merged with.  *numbers becomes larger than the number of
// any input.  Returns HP_E_DUPLICATE or HP_E_USAGE if partials or dumps were made with
// different options.

HP_MUST_CHECK int hp_partial_inputs_take_records(struct hp_profile *profile,
                                                 struct hp_taken_all *all,
                                                 const struct hp_read_options *options,
                                                 uint32_t *numbers, struct hp_err *err);

// Call it when names are known.  HP_E_DUPLICATE if two inputs contain the same dump, or
// the same process.
HP_MUST_CHECK int hp_partial_inputs_refuse(const struct hp_profile *profile,
                                           const struct hp_taken_all *all,
                                           struct hp_err *err);

// Count, in profile->processes, the processes of dumps in partials that have no records
// of their own.  Call it when all dumps are chosen.
void hp_partial_inputs_count(struct hp_profile *profile);

// Call it when it is known which dumps are used: check that the partials contain exactly
// these.  HP_E_DUPLICATE or HP_E_USAGE if not.
HP_MUST_CHECK int hp_partial_inputs_settle(struct hp_profile *profile,
                                           const struct hp_read_options *options,
                                           struct hp_err *err);

// If the options choose dumps explicitly, let rows of inputs be only those that are used:
// clears profile->keeps.moments.
void hp_settle_moments(struct hp_profile *profile, const struct hp_read_options *options);

// Add the stacks of all partials to the profile; or only free the partials.  Both free
// *all.
void hp_partial_inputs_add(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_taken_all *all);
void hp_partial_inputs_done(struct hp_taken_all *all);

#endif

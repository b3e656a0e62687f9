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
    HP_VEC(const char *) names;          // name of each partial, in profile.inputs.texts
    uint32_t first_number;               // number of its first input, among all inputs
    // The last partial that was read is of the base of a comparison.
    bool is_base;
    // If this is the first shard of a set: the shards that all partials of the set
    // contain.
    struct hp_shards shards;
    // Another shard of the same profile, which describes the same dumps and to which this
    // one is added; NULL: none.
    struct hp_taken *joins;
};

// Create an empty struct hp_taken for the same options as `like`, the profile that it
// will be added to.  It is freed by hp_taken_join(), hp_taken_free(), or with all others
// by hp_partial_inputs_add().
struct hp_taken *hp_taken_new(const struct hp_profile *like);

// Return whether its partial is a shard, with only some of the stacks of a profile.  Each
// shard is read into its own struct hp_taken, until it is known which shards are of one
// profile.
static inline bool hp_taken_is_shard(const struct hp_taken *taken) {
    return taken->partials.count > 0 &&
           taken->partials.parameters.of[HP_PARAMETER_SHARDS] > 1;
}

// Read a partial from `stream`, which has its first bytes in memory, into `taken`.
// `name` is used in messages.
HP_MUST_CHECK int hp_taken_read(struct hp_taken *taken, struct hp_input_stream *stream,
                                const char *name, bool is_base, struct hp_err *err);

// Let the prover find the builds of the partial `from`, and add it to the partials in
// `to`.  `from` is freed, also on failure.  HP_E_USAGE if they were merged with different
// options.
HP_MUST_CHECK int hp_taken_join(struct hp_taken *to, struct hp_taken *from,
                                struct hp_prover *prover, struct hp_err *err);
// Free a struct hp_taken and its profile.
void hp_taken_free(struct hp_taken *taken);

// All partials of a read; {0} is empty.  It owns them.
struct hp_taken_all {
    struct hp_taken **at;
    size_t count, capacity;
};

// Call it when all inputs are read.  Moves the records of the dumps in the partials to
// the profile, takes over the options that these were merged with, and joins shards of
// one profile.  *numbers becomes larger than the number of any input.  Returns
// HP_E_DUPLICATE or HP_E_USAGE if partials or dumps were made with different options, or
// shards do not belong together.
HP_MUST_CHECK int hp_partial_inputs_take_records(struct hp_profile *profile,
                                                 struct hp_taken_all *all,
                                                 const struct hp_read_options *options,
                                                 uint32_t *numbers, struct hp_err *err);

// Call it after hp_inputs_identify().  HP_E_DUPLICATE if two partials, or a partial and
// the dumps among the inputs, contain the same dump or process.
HP_MUST_CHECK int hp_partial_inputs_refuse(const struct hp_profile *profile,
                                           const struct hp_taken_all *all,
                                           struct hp_err *err);

// Count, in profile->inputs.processes, the processes of dumps without records of their
// own: of those in partials, and of lone inputs.  Call it when all dumps are chosen.
void hp_partial_inputs_count(struct hp_profile *profile);

// Call it when it is known which dumps are used: check that the partials contain the
// values of exactly these, and mark the records of their other dumps as
// HP_INPUT_OTHER_MOMENT.  HP_E_DUPLICATE or HP_E_USAGE if they contain the values of
// others.
HP_MUST_CHECK int hp_partial_inputs_settle(struct hp_profile *profile,
                                           const struct hp_read_options *options,
                                           struct hp_err *err);

// If the choice among dumps of a process is explicit (--dumps=exit, peak or sum),
// let rows of inputs be only the used dumps: clears profile->keeps.moments, unless all
// planned reports are series or HP_REPORT_INFO.
void hp_settle_moments(struct hp_profile *profile, const struct hp_read_options *options);

// hp_partial_inputs_add() adds the stacks and symbols of all partials to the profile;
// hp_partial_inputs_done() does not.  Both free the partials and *all.
void hp_partial_inputs_add(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_taken_all *all);
void hp_partial_inputs_done(struct hp_taken_all *all);

#endif

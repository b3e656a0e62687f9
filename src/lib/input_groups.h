// Inputs that no report shows individually.  As soon as such an input has been read it is
// added to a group, which is one record with the sums of inputs that agree in format,
// sample period and other properties; the input takes no memory of its own.
//
// Identities of dumps and processes are not kept for them.  So neither a dump that is
// given twice nor an older dump of the same process is found.
#ifndef HP_LIB_INPUT_GROUPS_H
#define HP_LIB_INPUT_GROUPS_H

#include "model/profile.h"
#include "partial/slots.h"

// Groups of inputs that have one record together, instead of one for each input.  {0} is
// empty.
struct hp_input_groups {
    // For each group its record, with the sums of its inputs.
    HP_VEC(struct hp_input_record) all;
    HP_VEC(size_t) ends; // for each group the end of its key in `keys`
    // Keys of all groups, one after the other; and the key of the input at hand.
    struct hp_bytes keys, scratch;
    struct hp_index index; // finds a group by its key
    bool overflow;         // a sum was too large for its member of the record
};

// Return whether this read can put inputs into groups: no report needs inputs
// individually, and dumps and processes need not be identified.
bool hp_input_groups_suffice(const struct hp_profile *profile,
                             const struct hp_read_options *options);

// Return whether exactly one report is planned, and neither it nor an option needs rows
// or names of inputs.
bool hp_inputs_are_not_asked_for(const struct hp_profile *profile,
                                 const struct hp_read_options *options);

// Return whether the input is used, is a single dump but not of pprof, and there is
// nothing to warn about.
bool hp_input_is_plain(const struct hp_input_record *input);

// If the input is plain (hp_input_is_plain()), add it to its group and return true.  The
// name of the input is not kept.
bool hp_input_groups_take(struct hp_input_groups *groups,
                          const struct hp_input_record *input);

// Append the groups to the inputs of the profile as records, and free *groups.
void hp_input_groups_done(struct hp_input_groups *groups, struct hp_profile *profile);

#endif

// Inputs that nobody asks for one by one: each becomes a count of those that are like it as soon
// as it is read, and takes no memory of its own.
//
// What tells dumps and processes apart is not kept of them, so that neither a dump that is given
// twice nor an older one of its process is found.
#ifndef HP_LIB_INPUT_GROUPS_H
#define HP_LIB_INPUT_GROUPS_H

#include "model/profile.h"
#include "partial/slots.h"

struct hp_input_groups {
    HP_VEC(struct hp_input_record) all;
    HP_VEC(size_t) ends; // of the key of each
    struct hp_bytes keys, scratch;
    struct hp_index index;
    bool overflow; // a sum did not fit
};

// Whether nothing asks for the inputs of this read, nor for which they are.
bool hp_input_groups_suffice(const struct hp_profile *profile,
                             const struct hp_read_options *options);

// Whether no report that is planned asks for rows of inputs, or for what they are called.
bool hp_inputs_are_not_asked_for(const struct hp_profile *profile,
                                 const struct hp_read_options *options);

// Whether the input counts, and there is nothing to say of it.
bool hp_input_is_plain(const struct hp_input_record *input);

// True if the input counts, there is nothing to say of it, and it is of a group now.
bool hp_input_groups_take(struct hp_input_groups *groups,
                          const struct hp_input_record *input);

// Make them inputs of the profile.
void hp_input_groups_done(struct hp_input_groups *groups, struct hp_profile *profile);

#endif

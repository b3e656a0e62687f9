// Inputs that have nothing in common with another: of each its row is kept, packed, until all have been
// read.  Then one whose text and memory map no other has is no duplicate, and is the only dump of its
// process: it becomes a count of those that are like it.  The others become records.
//
// Where a partial, a merged profile or a dump without a map is read beside them, or they are few, all
// become records.
#ifndef HP_LIB_LONE_INPUTS_H
#define HP_LIB_LONE_INPUTS_H

#include "base/packing.h"
#include "lib/input_groups.h"
#include "lib/input_queue.h"

struct hp_packed_rows {
    uint8_t *bytes;
    size_t size, unpacked;
};

// {0} is empty.
struct hp_lone_inputs {
    struct hp_bytes rows; // that are not packed yet
    HP_VEC(struct hp_packed_rows) packed;
    struct hp_packer packer;
    size_t count;
    bool *is_shared; // of each: it is a record by now; NULL: nobody has looked
    size_t alone;    // of them: the others
};

// Whether no report that is planned asks for inputs one by one.
bool hp_lone_inputs_suffice(const struct hp_profile *profile,
                            const struct hp_read_options *options);

// Whether it may be one: it counts, and there is nothing to say of it.
bool hp_input_may_be_lone(const struct hp_input_record *input);

void hp_lone_inputs_put(struct hp_lone_inputs *lone, const struct hp_input_record *input);

// Once all have been read: make records of those that are not alone, and records of groups of the others.
void hp_lone_inputs_settle(struct hp_lone_inputs *lone, struct hp_profile *profile,
                           const struct hp_input_queue *queue, bool has_partials);

// Make records of all after all, as some inputs are to be read again.
void hp_lone_inputs_give_back(struct hp_lone_inputs *lone, struct hp_profile *profile,
                              const struct hp_input_queue *queue);

// Keep in the profile what is told of those that are alone, and let go of them and of their names.
void hp_lone_inputs_tell(struct hp_lone_inputs *lone, struct hp_profile *profile,
                         struct hp_input_queue *queue);

// Of which inputs the same was sampled, told in profile->equal_samples; before the above.
void hp_lone_inputs_compare_samples(const struct hp_lone_inputs *lone,
                                    struct hp_profile *profile,
                                    const struct hp_input_queue *queue);

void hp_lone_inputs_done(struct hp_lone_inputs *lone);

#endif

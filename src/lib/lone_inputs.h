// Lone inputs: inputs whose text and memory map no other input has, so that each is no
// duplicate, and is the only dump of its process.  They get no records of their own, but
// are added up in groups: the record of a group represents inputs of equal format, sample
// period and other properties.  Until all inputs have been read it is not known which are
// lone; each is kept as a row in compressed memory.  Inputs that are not lone become
// records.
//
// If a partial, a merged profile or a dump without a map is among the inputs, or if there
// are few inputs, all become records.
#ifndef HP_LIB_LONE_INPUTS_H
#define HP_LIB_LONE_INPUTS_H

#include "base/packing.h"
#include "lib/input_groups.h"
#include "lib/input_queue.h"

// A compressed block of rows, each of which represents one input.
struct hp_packed_rows {
    uint8_t *bytes;        // owned
    size_t size, unpacked; // compressed and uncompressed bytes
};

// Rows of all inputs that may be lone.  {0} is empty.
struct hp_lone_inputs {
    struct hp_bytes rows; // rows that are not compressed yet
    HP_VEC(struct hp_packed_rows) packed;
    struct hp_packer packer;
    size_t count; // number of rows
    // For each row: the input is not lone and has become a record; NULL: not examined.
    bool *is_shared;
    size_t alone; // number of rows of lone inputs
};

// Return whether lone inputs need no records in this read: no planned report shows inputs
// individually, compares sides or uses several dumps of a process.
bool hp_lone_inputs_suffice(const struct hp_profile *profile,
                            const struct hp_read_options *options);

// Return whether the input may be lone: it was added to the profile, there is nothing to
// warn about, and its memory map is known.
bool hp_input_may_be_lone(const struct hp_input_record *input);

// Append a row for an input that may be lone.  Owned members of the record are not used.
void hp_lone_inputs_put(struct hp_lone_inputs *lone, const struct hp_input_record *input);

// Call it when all inputs have been read: append the inputs that are not lone to
// profile->inputs.records as records, and append a record for each group of lone inputs.
void hp_lone_inputs_settle(struct hp_lone_inputs *lone, struct hp_profile *profile,
                           const struct hp_input_queue *queue, bool has_partials);

// Turn all lone inputs back into records, because some inputs will be read again.
void hp_lone_inputs_give_back(struct hp_lone_inputs *lone, struct hp_profile *profile,
                              const struct hp_input_queue *queue);

// Record in the profile the data that reports need of lone inputs: their identities, the
// names of dumps with the largest and smallest totals, and the newest file time.  Then
// free the rows, and the names in the queue.
void hp_lone_inputs_record(struct hp_lone_inputs *lone, struct hp_profile *profile,
                           struct hp_input_queue *queue);

// Find inputs with equal samples, among lone inputs and records, and record them in
// profile->inputs.equal_samples.  Call it before hp_lone_inputs_record().
void hp_lone_inputs_compare_samples(const struct hp_lone_inputs *lone,
                                    struct hp_profile *profile,
                                    const struct hp_input_queue *queue);

// Free everything; {0} afterwards.
void hp_lone_inputs_done(struct hp_lone_inputs *lone);

#endif

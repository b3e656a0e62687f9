// The labels of the samples of a pprof profile.  Only pprof_reader.c uses it.
#ifndef HP_INPUT_PPROF_LABELS_H
#define HP_INPUT_PPROF_LABELS_H

#include "input/pprof_tables.h"
#include "model/dump.h"

// {0} but for the first three is ready for use.
struct hp_pprof_labels {
    struct hp_dump *dump;
    const struct hp_pprof_tables *tables;
    bool are_kept; // else only the size of objects is looked for
    bool
        has_size; // of the objects of the sample, of which there are none of another then
    HP_VEC(struct hp_tag) tags; // of the sample
    HP_VEC(hp_string) texts;    // of each string of the tables; 0: not asked for yet
};

void hp_pprof_labels_done(struct hp_pprof_labels *labels);

// Sample by sample: begin, read each label, and end with the set of them.
void hp_pprof_labels_begin(struct hp_pprof_labels *labels);
void hp_pprof_labels_read(struct hp_pprof_labels *labels, struct hp_proto *label);
hp_string hp_pprof_labels_end(struct hp_pprof_labels *labels);

#endif

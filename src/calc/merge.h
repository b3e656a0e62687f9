// One more dump into a profile: undo its sampling, resolve its addresses, add it up.
#ifndef HP_CALC_MERGE_H
#define HP_CALC_MERGE_H

#include "calc/embedded_symbols.h"
#include "calc/resolve.h"
#include "calc/size_parts.h"

// What a profile that we merged --with-error says of its errors: bytes, but KiB^2.
enum hp_told {
    HP_TOLD_VARIANCE,
    HP_TOLD_HIDDEN,
    HP_TOLD_EXCESS,
    HP_TOLD_CERTAIN,
    HP_TOLD,
};

// What is asked for, and scratch memory, kept from dump to dump.  {0} is ready for use.
struct hp_merger {
    struct hp_resolver resolver;
    struct hp_unbias unbias;
    struct hp_embedded_symbols embedded; // of the profile's frames
    size_t estimated;                    // stacks of the dump
    bool adopts;                         // they become the profile's, which has none
    struct hp_stack *adopted;            // there
    HP_VEC(struct hp_values) values;     // else, of each stack of the dump
    struct hp_stack_errors errors[HP_COLUMNS]; // the same, of the columns that it keeps
    struct hp_error total_errors[HP_COLUMNS];  // of both columns
    bool keeps[HP_COLUMNS];
    struct hp_sizes sizes[HP_COLUMNS]; // and their sizes
    bool keeps_sizes[HP_COLUMNS];
    struct hp_sizes ages[HP_COLUMNS]; // of which a size is one of model/ages.h
    bool keeps_ages;
    uint64_t older_than;    // of listed objects those alone are taken; 0: all
    bool keeps_made;        // of the inputs, what stacks ever allocated
    bool keeps_live;        // of the inputs in use, if sizes are kept
    HP_VEC(uint32_t) types; // of each further type of the dump: its number in the profile
    size_t told[HP_COLUMNS]
               [HP_TOLD]; // place of each among the dump's types, + 1; 0: not told
    unsigned group;       // of the dump, as in its record
    enum hp_large_sizes large_sizes; // of the dump, as far as that is known
    bool only_estimates;     // nothing is added: what the dump is and holds is told
    bool keeps_labels;       // of samples
    bool keeps_unmapped;     // addresses in no mapping: struct hp_resolver
    bool splits_threads;     // stacks are to be known by their thread, too
    const char *only_thread; // of which stacks are added; NULL: of all
};

// Add the dump to `profile`, estimated as profile->estimator says, and what it was to
// *record.  The dump's frames are used up.  Nothing is added on failure, which only numbers
// beyond all reason cause.
HP_MUST_CHECK int hp_merge(struct hp_merger *merger, struct hp_dump *dump,
                           struct hp_profile *profile, struct hp_input_record *record,
                           struct hp_err *err);

void hp_merger_done(struct hp_merger *merger);

#endif

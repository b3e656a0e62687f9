// Files that fit but for some addresses, or that few addresses speak for: callers that call straight into the function
// of the frame they called decide.
#ifndef HP_SYM_CHAINS_H
#define HP_SYM_CHAINS_H

#include "sym/call_pairs.h"
#include "sym/fits.h"

// Asks about pairs in the file of a trial: an enum hp_call_answer of each.  False if that cannot be told.
struct hp_chain_reader {
    void *data;
    bool (*read)(void *data, size_t trial, const struct hp_call_pairs *pairs,
                 unsigned char *answers);
};

// When all files of a module have been tried, and none fits: trial->matched, is_excused and fits.
void hp_chains_weigh(struct hp_fits *fits, uint32_t module,
                     const struct hp_chain_reader *reader);

// A debug file has no code: whether it lists a call that returns to each address that can be checked, where it lists
// all calls of a function.  trial->checked, failed and fits; none is checked where it lists too few.
void hp_chains_weigh_listed(struct hp_fits *fits, size_t trial,
                            const struct hp_chain_reader *reader);

#endif

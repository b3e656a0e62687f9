// Files that fit but for some addresses, or that few addresses speak for: callers that call straight into the function
// of the frame they called decide.
#ifndef HP_SYM_CHAINS_H
#define HP_SYM_CHAINS_H

#include "sym/call_pairs.h"
#include "sym/fits.h"

// Looks pairs up in the file of a trial: whether each matches.  False if that cannot be told.
struct hp_chain_reader {
    void *data;
    bool (*read)(void *data, size_t trial, const struct hp_call_pairs *pairs,
                 unsigned char *matches);
};

// When all files of a module have been tried, and none fits: trial->matched, is_excused and fits.
void hp_chains_weigh(struct hp_fits *fits, uint32_t module,
                     const struct hp_chain_reader *reader);

#endif

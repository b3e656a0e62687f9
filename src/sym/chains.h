// Chains of calls decide about files that fit except for some addresses, or that few
// addresses support: a caller that directly calls the function of the frame is evidence
// for the file.
#ifndef HP_SYM_CHAINS_H
#define HP_SYM_CHAINS_H

#include "sym/call_pairs.h"
#include "sym/fits.h"

// Callback that asks the file of a trial about call pairs (a frame and its caller);
// `answers` gets an enum hp_call_answer for each.  Returns false if the file cannot be
// asked.
struct hp_chain_reader {
    void *data;
    bool (*read)(void *data, size_t trial, const struct hp_call_pairs *pairs,
                 unsigned char *answers);
};

// Judge the files of a module by chains of calls (whether callers directly call the
// functions of their frames), after all files were tried and none fits.  Sets `matched`,
// `is_excused` and `fits` of the module's trials.
void hp_chains_weigh(struct hp_fits *fits, uint32_t module,
                     const struct hp_chain_reader *reader);

// Judge a debug file, which has no code: whether it lists a call that returns to each
// checked address, in functions that list all of their calls.  Sets `checked`, `failed`
// and `fits` of the trial, unless too few addresses are listed.
void hp_chains_weigh_listed(struct hp_fits *fits, size_t trial,
                            const struct hp_chain_reader *reader);

#endif

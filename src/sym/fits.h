// Whether files fit a dump: whether the return addresses that can be checked follow calls
// in them.
#ifndef HP_SYM_FITS_H
#define HP_SYM_FITS_H

#include "model/prover.h"
#include "sym/file_code.h"

// A trial: one file that is compared with the addresses of one module of a dump, and the
// result.
struct hp_trial {
    uint32_t module;    // index of the module in the question
    bool is_named;      // the file has the name of the module, not only its layout
    bool is_comparable; // it is known where calls return to in the file
    double chance;      // the chance that code of another file fits an address
    // An enum hp_return for each address of the module, in the order of hp_fits.order; or
    // NULL.
    unsigned char *kinds;
    bool has_signals;         // some of `kinds` is HP_RETURN_OF_SIGNAL
    uint32_t checked, failed; // addresses that were checked, and those that do not fit
    // Callers that directly call the function of the frame; 0 if they were not examined.
    uint32_t matched;
    bool is_excused; // all misfits are excused, see chains.h
    bool fits;       // the result: the file fits the dump
    // A single address does not fit, and so few were checked that this file may have run,
    // although another file fits.
    bool may_fit;
};

// The files that are compared with the modules of one dump, and the addresses of the
// dump.
struct hp_fits {
    const struct hp_proof_question *question;
    struct hp_arena memory; // memory of the arrays below
    uint32_t *order;        // indexes of addresses, grouped by module
    uint64_t *addresses;    // the addresses in the order of `order`
    // For each module: where its addresses begin in `order`; one more at the end.
    uint32_t *first;
    bool *is_libc;                  // for each module: it is the C library
    HP_VEC(struct hp_trial) trials; // in the order in which files were tried
    // For each address: a signal handler may return there, so that the next frame of a
    // stack may be an interrupted one, which made no call.
    unsigned char *ends;
    bool *is_checked; // for each address: whether it can be checked
};

// Begin with the question about a dump, which must outlive `fits`.  Ended by
// hp_fits_done().
void hp_fits_init(struct hp_fits *fits, const struct hp_proof_question *question);
void hp_fits_done(struct hp_fits *fits);

// Append a trial: compare a file with the addresses of a module.  code->has_text must be
// set if the code is comparable.
void hp_fits_try(struct hp_fits *fits, uint32_t module, const struct hp_file_code *code,
                 bool is_named);

// Judge all trials after the last file was tried: sets `checked`, `failed`, `fits` and
// `may_fit`.  A file that does not fit may still be excused, see chains.h.
void hp_fits_judge(struct hp_fits *fits);

// Whether the frame with index `i` of a stack is an address that can be checked by this
// stack alone, after hp_fits_judge().
bool hp_fits_is_checked_in(const struct hp_fits *fits, struct hp_proof_stack stack,
                           uint32_t i);

// Whether some trial of a module fits.
bool hp_fits_any(const struct hp_fits *fits, uint32_t module);

// Whether the fit of a file with another name is too unlikely to be chance.
bool hp_fits_is_no_chance(const struct hp_fits *fits, const struct hp_trial *trial);

#endif

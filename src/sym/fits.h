// Whether files fit a dump: return addresses that can be checked follow calls in them.
#ifndef HP_SYM_FITS_H
#define HP_SYM_FITS_H

#include "model/prover.h"
#include "sym/file_code.h"

// A file that is tried for a module.
struct hp_trial {
    uint32_t module;    // of the question
    bool is_named;      // like the module; else nothing but its layout speaks for it
    bool is_comparable; // else nothing is known of its code
    double chance;      // that code which is not the module's fits an address
    unsigned char *
        kinds; // enum hp_return of each address of the module, in the order of hp_fits; or NULL
    bool has_signals;         // one of these is HP_RETURN_OF_SIGNAL
    uint32_t checked, failed; // addresses: what comes of it
    uint32_t
        matched; // callers that call straight into the function of the frame they called, if they were looked at
    bool is_excused; // all that failed
    bool fits;
    bool
        may_fit; // one misfit, of too few addresses to rule it out beside another that fits
};

struct hp_fits {
    const struct hp_proof_question *question;
    struct hp_arena memory; // of what follows
    uint32_t *order;        // numbers of addresses, those of one module together
    uint64_t *addresses;    // in that order
    uint32_t *first;        // of each module, where they begin; one more at the end
    bool *is_libc;          // each module
    HP_VEC(struct hp_trial) trials; // module after module
    unsigned char
        *ends; // each address: a signal may have interrupted the frame that called it
    bool *is_checked; // each address
};

void hp_fits_init(struct hp_fits *fits, const struct hp_proof_question *question);
void hp_fits_done(struct hp_fits *fits);

// Try a file for a module; its text is known, or nothing of it can be compared.
void hp_fits_try(struct hp_fits *fits, uint32_t module, const struct hp_file_code *code,
                 bool is_named);

// When all have been tried: trial->checked, failed and fits.  What does not fit may still be excused, see chains.h.
void hp_fits_judge(struct hp_fits *fits);

// Whether some file fits a module.
bool hp_fits_any(const struct hp_fits *fits, uint32_t module);

// Whether chance is no explanation of what fits a file of another name.
bool hp_fits_is_no_chance(const struct hp_fits *fits, const struct hp_trial *trial);

#endif

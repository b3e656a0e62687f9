#include "lib/partial_proof.h"

#include "lib/partial_apart.h"
#include "lib/partial_question.h"

#include <stdlib.h>

// Return how many dumps have each module: 1 for a partial of one dump.  0: a partial of
// several dumps does not record it.
static uint32_t count_dumps(const struct hp_profile *profile) {
    uint64_t count = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        count += hp_input_is_used(input) ? 1 + input->others : 0;
    }
    return count == 1 ? 1 : 0;
}

// Set the proof of a module by its stamp in the partial, which says which file ran:
// whether that file is at hand.
static void take_stamped(struct hp_profile *profile, struct hp_module *module,
                         const struct hp_proof_module *asked, struct hp_prover *prover) {
    const char *stamp = hp_profile_text(profile, module->stamp);
    struct hp_proof_module proof = {.proof = HP_PROOF_STAMPED};
    proof.builds = prover->find(prover, asked, stamp);
    // The file is at hand: treat the module like one of a dump that was compared with it.
    if (proof.builds) {
        proof.proof = HP_PROOF_FITS;
        module->stamp = (hp_string){0};
    }
    hp_profile_take_proof(profile, module, &proof);
    free(proof.builds);
}

// Make the frames of modules ELF addresses, if these are offsets and files show the
// addresses.  The modules become modules with ELF addresses.
static void place_by_files(struct hp_profile *profile,
                           const struct hp_proof_question *question) {
    struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        const struct hp_proof_module *asked = &question->modules.at[frame->module.n];
        if (asked->elf_addresses) {
            frame->address = hp_proof_elf_address(asked, frame->address);
            hp_index_drop(&profile->index.frames); // it is rebuilt when it is needed
        }
    }
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_proof_module *asked = &question->modules.at[i];
        struct hp_module *module = &profile->modules.at[i];
        for (uint32_t k = 0; asked->elf_addresses && k < module->extents; k++) {
            profile->extents.at[module->first_extent + k].address =
                asked->elf_addresses[k];
            module->addresses = HP_ADDRESS_VIRTUAL;
        }
    }
}

// Take what the prover found out about all dumps of the partial together.
static void take_proofs(struct hp_profile *profile, struct hp_prover *prover,
                        const struct hp_proof_question *question) {
    uint32_t dumps = count_dumps(profile);
    for (size_t i = 0; i < profile->modules.count; i++) {
        struct hp_module *module = &profile->modules.at[i];
        const struct hp_proof_module *asked = &question->modules.at[i];
        if (hp_module_has_code(module) && module->stamp.n != 0) {
            take_stamped(profile, module, asked, prover);
        } else if (hp_module_has_code(module) && !asked->is_known_build) {
            hp_profile_take_proof(profile, module, asked);
            module->dumps = module->dumps > 0 ? module->dumps : dumps;
            module->has_partials = module->dumps == 0;
        }
    }
    place_by_files(profile, question);
}

void hp_partial_prove(struct hp_profile *profile, struct hp_embedded_symbols *embedded,
                      struct hp_prover *prover) {
    struct hp_asked_stacks stacks = {.profile = profile};
    struct hp_proof_question question = {.dump = NULL};
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        hp_vec_push(&stacks.all, i);
    }
    hp_partial_ask(&stacks, &question);
    prover->prove(prover, &question);
    take_proofs(profile, prover, &question);
    hp_proof_question_done(&question);
    hp_vec_done(&stacks.all);
    hp_partial_take_apart(profile, embedded, prover);
    if (!profile->keeps.history) {
        hp_history_done(&profile->history);
        profile->history = (struct hp_history){.is_kept = false};
    }
}

#include "lib/partial_proof.h"

#include "base/memory.h"

#include <stdlib.h>

// Return the frames of stack i, for the prover.
static struct hp_proof_stack stack_at(const void *data, size_t i) {
    const struct hp_profile *profile = data;
    const struct hp_stack *stack = &profile->stacks.at[i];
    return (struct hp_proof_stack){&stack->frames->n, stack->depth};
}

// Return whether a module is mapped from a file.
static bool has_code(const struct hp_module *module) {
    return module->kind == HP_MODULE_FILE;
}

// Fill in the modules of the question.  All modules are included, whatever their kind, so
// that they have the same numbers in the profile and in the question.
static void ask_of_modules(const struct hp_profile *profile,
                           struct hp_proof_question *question) {
    const struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        // If there is a build id, or the stamp of a partial, it shows the build; the code
        // is not compared.
        struct hp_proof_module asked = {
            .is_known_build = module->recorded_build_id.n != 0 || module->stamp.n != 0};
        if (has_code(module)) {
            asked.path = asked.name = hp_strtab_span(&profile->strings, module->path);
            asked.addresses = module->addresses;
            asked.span = module->span;
            asked.extents = hp_vec_from(&profile->extents, module->first_extent);
            asked.extent_count = module->extents;
        }
        hp_vec_push(&question->modules, asked);
    }
}

// Fill in the addresses of the question: all frames of the profile.
static void ask_of_frames(const struct hp_profile *profile,
                          struct hp_proof_question *question) {
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        uint32_t module = frame->module.n;
        bool has_file = has_code(&profile->modules.at[module]);
        struct hp_proof_address address = {.module = has_file ? module : HP_NO_MODULE,
                                           .address = frame->address};
        hp_vec_push(&question->addresses, address);
    }
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        if (stack->depth > 1) { // the last frame of a stack may have no caller
            uint32_t leaf = stack->frames[0].n;
            question->addresses.at[leaf].is_return |=
                profile->frames.at[leaf].is_return_leaf;
        }
    }
}

// Return how many dumps have each module: 1 for a partial of one dump.  0: a partial of
// several dumps does not record it.
static uint32_t count_dumps(const struct hp_profile *profile) {
    uint64_t count = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
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
            hp_index_drop(&profile->frame_index); // it is rebuilt when it is needed
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

void hp_partial_prove(struct hp_profile *profile, struct hp_prover *prover) {
    struct hp_proof_question question = {.dump = profile,
                                         .stack_count = profile->stacks.count,
                                         .stack_at = stack_at};
    uint32_t dumps = count_dumps(profile);
    ask_of_modules(profile, &question);
    ask_of_frames(profile, &question);
    prover->prove(prover, &question);
    for (size_t i = 0; i < profile->modules.count; i++) {
        struct hp_module *module = &profile->modules.at[i];
        const struct hp_proof_module *asked = &question.modules.at[i];
        if (has_code(module) && module->stamp.n != 0) {
            take_stamped(profile, module, asked, prover);
        } else if (has_code(module) && !asked->is_known_build) {
            hp_profile_take_proof(profile, module, asked);
            module->dumps = module->dumps > 0 ? module->dumps : dumps;
            module->has_partials = module->dumps == 0;
        }
    }
    place_by_files(profile, &question);
    hp_proof_question_done(&question);
}

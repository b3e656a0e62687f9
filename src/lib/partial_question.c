#include "lib/partial_question.h"

// Return the frames of the stack with index i, for the prover.
static struct hp_proof_stack stack_at(const void *data, size_t i) {
    const struct hp_asked_stacks *stacks = data;
    const struct hp_stack *stack = &stacks->profile->stacks.at[stacks->all.at[i]];
    return (struct hp_proof_stack){&stack->frames->n, stack->depth};
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
        if (hp_module_has_code(module)) {
            asked.path = asked.name = hp_strtab_span(&profile->strings, module->path);
            asked.build_id = hp_strtab_span(&profile->strings, module->recorded_build_id);
            asked.addresses = module->addresses;
            asked.span = module->span;
            asked.extents = hp_vec_from(&profile->extents, module->first_extent);
            asked.extent_count = module->extents;
        }
        hp_vec_push(&question->modules, asked);
    }
}

// Fill in the addresses of the question: all frames of the profile.
static void ask_of_frames(const struct hp_asked_stacks *stacks,
                          struct hp_proof_question *question) {
    const struct hp_profile *profile = stacks->profile;
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        uint32_t module = frame->module.n;
        bool has_file = hp_module_has_code(&profile->modules.at[module]);
        struct hp_proof_address address = {.module = has_file ? module : HP_NO_MODULE,
                                           .address = frame->address};
        hp_vec_push(&question->addresses, address);
    }
    for (size_t i = 0; i < stacks->all.count; i++) {
        struct hp_proof_stack stack = stack_at(stacks, i);
        if (stack.depth > 1) { // the last frame of a stack may have no caller
            uint32_t leaf = stack.frames[0];
            question->addresses.at[leaf].is_return |=
                profile->frames.at[leaf].is_return_leaf;
        }
    }
}

void hp_partial_ask(const struct hp_asked_stacks *stacks,
                    struct hp_proof_question *question) {
    question->dump = stacks;
    question->stack_count = stacks->all.count;
    question->stack_at = stack_at;
    ask_of_modules(stacks->profile, question);
    ask_of_frames(stacks, question);
}

// The question to the prover about a partial, or about one dump of a partial.
#ifndef HP_LIB_PARTIAL_QUESTION_H
#define HP_LIB_PARTIAL_QUESTION_H

#include "model/profile.h"
#include "model/prover.h"

// The stacks that a question is about; must outlive the question.
struct hp_asked_stacks {
    const struct hp_profile *profile; // a profile that contains one partial
    HP_VEC(uint32_t) all;             // numbers of the stacks
};

// Return whether the builds of a module can be found: it is mapped from a file.
static inline bool hp_module_has_code(const struct hp_module *module) {
    return module->kind == HP_MODULE_FILE;
}

// Fill an empty question: all modules and frames of the profile, with the same numbers,
// and the stacks.
void hp_partial_ask(const struct hp_asked_stacks *stacks,
                    struct hp_proof_question *question);

#endif

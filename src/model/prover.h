// Which files hold the code that ran, as the return addresses of one dump tell.  What reads the files is in sym/.
#ifndef HP_MODEL_PROVER_H
#define HP_MODEL_PROVER_H

#include "base/span.h"
#include "base/vec.h"
#include "model/module.h"

#include <stdlib.h>

#define HP_NO_MODULE UINT32_MAX

// A module as a dump has it, and what was found out about it.
struct hp_proof_module {
    struct hp_span path; // empty: there is no file
    struct hp_span
        name;          // the path, of a temporary copy with '*' for what is random in it
    bool is_told;      // by a build id, which is compared in place of code
    bool is_allocator; // its file is to say how it rounds large sizes
    enum hp_address_kind addresses;
    uint64_t span;
    const struct hp_extent *extents;
    uint32_t extent_count;

    enum hp_proof proof;
    char *builds, *stamp; // as in struct hp_module; NULL: none; to be freed
    enum hp_large_sizes
        large_sizes; // as all files that fit say; HP_LARGE_AUTO: none does
    struct hp_return_check
        returns; // of the file that fits, or else of the one that fits best
};

struct hp_proof_address {
    uint32_t module;  // HP_NO_MODULE: it is in none
    bool is_return;   // leaves of stacks are return addresses, and it is one
    uint64_t address; // as the module has it
};

struct hp_proof_stack {
    const uint32_t *frames; // numbers of addresses, leaf first
    uint32_t depth;
};

// A dump.
struct hp_proof_question {
    HP_VEC(struct hp_proof_module) modules;
    HP_VEC(struct hp_proof_address) addresses;
    const void *dump;
    size_t stack_count;
    struct hp_proof_stack (*stack_at)(const void *dump, size_t i);
};

static inline void hp_proof_question_clear(
    struct hp_proof_question *question) { // keeps the memory
    struct hp_proof_module *module;
    hp_vec_each (module, &question->modules) {
        free(module->builds);
        free(module->stamp);
    }
    question->modules.count = question->addresses.count = 0;
}

static inline void hp_proof_question_done(struct hp_proof_question *question) {
    hp_proof_question_clear(question);
    hp_vec_done(&question->modules);
    hp_vec_done(&question->addresses);
}

// Answers the questions of any number of threads.
struct hp_prover {
    void (*prove)(struct hp_prover *prover, struct hp_proof_question *question);
    // `builds` of the file with this stamp that is at hand for a module; NULL: none is.
    char *(*find)(struct hp_prover *prover, const struct hp_proof_module *module,
                  const char *stamp);
    void (*done)(struct hp_prover *prover); // frees the prover, too
};

#endif

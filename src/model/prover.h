// The interface that finds the files that hold the code that ran, by means of the return
// addresses of one dump.  It is implemented in sym/, which reads the files.
#ifndef HP_MODEL_PROVER_H
#define HP_MODEL_PROVER_H

#include "base/span.h"
#include "base/vec.h"
#include "inputs/input.h"
#include "model/module.h"

#include <stdlib.h>

#define HP_NO_MODULE UINT32_MAX

// A module of a dump, and what was found out about it.
struct hp_proof_module {
    struct hp_span path; // path of the file; empty: there is no file
    // The path; for a temporary copy of a file with '*' in place of the random part.
    struct hp_span name;
    bool is_known_build; // its build id or stamp is known, so its code is not compared
    struct hp_span build_id; // the build id, if a profile records it; else empty
    // A library of the allocator, whose file shows how large sizes are rounded.
    bool is_allocator;
    enum hp_address_kind addresses;
    uint64_t span;
    const struct hp_extent *extents;
    uint32_t extent_count;

    enum hp_proof proof;
    char *builds, *stamp; // as in struct hp_module; NULL: none; from malloc(), owned
    // If `addresses` are offsets in a file: the ELF address of each of `extents`, the same
    // in all files that fit, or in the one with the build id.  Set only if all addresses of the dump are in extents.  NULL:
    // unknown; from malloc(), owned.
    uint64_t *elf_addresses;
    // Rounding of large sizes according to all files that fit; HP_LARGE_AUTO: unknown.
    enum hp_large_sizes large_sizes;
    // Version according to all files that fit.
    struct hp_jemalloc_version jemalloc;
    // Check of the file that fits, otherwise of the one that fits best.
    struct hp_return_check returns;
};

// One address of a dump, for the prover.
struct hp_proof_address {
    uint32_t module;  // index in `modules`; HP_NO_MODULE: in no module
    bool is_return;   // false if it may be a leaf that is no return address
    uint64_t address; // address in the numbering of the module
};

// One stack of a dump, for the prover.
struct hp_proof_stack {
    const uint32_t *frames; // indices in `addresses`, leaf first
    uint32_t depth;
};

// Return the index of the extent with the call before `address` in the module; if there
// is none, of the one that begins there; module->extent_count: in none.
uint32_t hp_proof_extent(const struct hp_proof_module *module, uint64_t address);

// Return the ELF address of an address in a module, which must have elf_addresses.
uint64_t hp_proof_elf_address(const struct hp_proof_module *module, uint64_t address);

// The question which files hold the code of one dump.
struct hp_proof_question {
    HP_VEC(struct hp_proof_module) modules;
    HP_VEC(struct hp_proof_address) addresses;
    const void *dump; // the dump, for stack_at() only
    size_t stack_count;
    // Returns stack i of the dump.
    struct hp_proof_stack (*stack_at)(const void *dump, size_t i);
};

// Frees what was found out about a module.
static inline void hp_proof_module_done(struct hp_proof_module *module) {
    free(module->builds);
    free(module->stamp);
    free(module->elf_addresses);
}

// Empties the question; vectors keep their memory.
static inline void hp_proof_question_clear(struct hp_proof_question *question) {
    struct hp_proof_module *module;
    hp_vec_each (module, &question->modules) {
        hp_proof_module_done(module);
    }
    question->modules.count = question->addresses.count = 0;
}

static inline void hp_proof_question_done(struct hp_proof_question *question) {
    hp_proof_question_clear(question);
    hp_vec_done(&question->modules);
    hp_vec_done(&question->addresses);
}

// A frame of a stack that has the names of files, although none fits all dumps.
struct hp_proof_place {
    uint32_t stack, frame; // index of the stack in the question, and of the frame in it
    uint32_t build;        // index in hp_stack_proofs.builds
};

// What single stacks show about a module; {0} is empty.
struct hp_stack_proofs {
    HP_VEC(char *) builds;                // each as hp_proof_module.builds; owned
    HP_VEC(struct hp_proof_place) places; // ordered by stack and frame
};

void hp_stack_proofs_done(struct hp_stack_proofs *proofs);

// The prover.  Several threads may call its functions at the same time.
struct hp_prover {
    // Answers a question: sets `proof` and the members after it in each of its modules.
    void (*prove)(struct hp_prover *prover, struct hp_proof_question *question);
    // Find frames of single stacks that have names, after prove() found that no file fits
    // a module: dumps of several builds are mixed.  All addresses of the module in the
    // stack follow calls in the file, and the caller of the frame, or the frame itself,
    // directly calls the function of the next frame.
    void (*prove_stacks)(struct hp_prover *prover,
                         const struct hp_proof_question *question, uint32_t module,
                         struct hp_stack_proofs *proofs);
    // Return the id, as in `builds`, of an available file of a module that has this
    // stamp; NULL: there is none.  The caller frees it.
    char *(*find)(struct hp_prover *prover, const struct hp_proof_module *module,
                  const char *stamp);
    void (*done)(struct hp_prover *prover); // frees the prover
};

#endif

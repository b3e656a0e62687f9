#include "model/prover.h"

#include <stdlib.h>

void hp_proof_question_clear(struct hp_proof_question *question) {
    struct hp_proof_module *module;
    hp_vec_each (module, &question->modules) {
        free(module->builds);
    }
    question->modules.count = question->addresses.count = 0;
}

void hp_proof_question_done(struct hp_proof_question *question) {
    hp_proof_question_clear(question);
    hp_vec_done(&question->modules);
    hp_vec_done(&question->addresses);
}

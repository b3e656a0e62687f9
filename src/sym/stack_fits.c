#include "sym/stack_fits.h"

#include "base/memory.h"
#include "sym/candidates.h"

#include <stdlib.h>
#include <string.h>

// The kinds of code and the call pairs of one trial.
struct trial_pairs {
    size_t number;        // number of the trial
    unsigned char *kinds; // an enum hp_return for each address of the question
    // Pairs whose caller directly calls the function of the frame: indexes of addresses,
    // that of the frame in the upper half, that of its caller in the lower; ascending.
    HP_VEC(uint64_t) matches;
};

// The state of finding the places of one module.
struct finder {
    const struct hp_fits *fits;
    uint32_t module;
    const char *const *keys;
    const struct hp_chain_reader *reader;
    HP_VEC(struct trial_pairs) trials; // trials with the module's name that can be asked
    struct hp_stack_proofs *proofs;
    HP_VEC(unsigned char) named; // for each frame of a stack: it is named by all trials
};

static int compare(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_of_module(const struct finder *finder, uint32_t address) {
    return finder->fits->question->addresses.at[address].module == finder->module;
}

// Whether a file fits a stack: it has an address of the module that can be checked, and
// all of these follow calls.
static bool fits_stack(const struct finder *finder, const struct trial_pairs *trial,
                       struct hp_proof_stack stack) {
    bool fits = true, is_any = false;
    for (uint32_t i = 0; i < stack.depth; i++) {
        uint32_t address = stack.frames[i];
        if (is_of_module(finder, address) &&
            hp_fits_is_checked_in(finder->fits, stack, i)) {
            fits &= trial->kinds[address] != HP_RETURN_OF_NONE;
            is_any |= trial->kinds[address] == HP_RETURN_OF_CALL;
        }
    }
    return fits && is_any;
}

// The pair of frame `i` of a stack and its caller; 0: they are no pair in this file.
static uint64_t pair_at(const struct finder *finder, const struct trial_pairs *trial,
                        struct hp_proof_stack stack, uint32_t i) {
    uint32_t inner = stack.frames[i],
             outer = i + 1 < stack.depth ? stack.frames[i + 1] : 0;
    bool is = i + 1 < stack.depth && is_of_module(finder, inner) &&
              is_of_module(finder, outer) &&
              hp_fits_is_checked_in(finder->fits, stack, i) &&
              trial->kinds[inner] == HP_RETURN_OF_CALL &&
              trial->kinds[outer] == HP_RETURN_OF_CALL;
    return is ? (uint64_t)inner << 32 | outer : 0;
}

// Fill trial->matches: the pairs of all stacks that the file fits, as far as the file has
// the calls.
static void find_matches(const struct finder *finder, struct trial_pairs *trial) {
    const struct hp_proof_question *question = finder->fits->question;
    for (size_t s = 0; s < question->stack_count; s++) {
        struct hp_proof_stack stack = question->stack_at(question->dump, s);
        bool fits = fits_stack(finder, trial, stack);
        for (uint32_t i = 0; fits && i < stack.depth; i++) {
            uint64_t pair = pair_at(finder, trial, stack, i);
            if (pair != 0) {
                hp_vec_push(&trial->matches, pair);
            }
        }
    }
    trial->matches.count = hp_sort_distinct(trial->matches.at, trial->matches.count);
    struct hp_call_pairs pairs = {.kind = question->modules.at[finder->module].addresses};
    for (size_t i = 0; i < trial->matches.count; i++) {
        uint64_t pair = trial->matches.at[i];
        struct hp_call_pair asked = {question->addresses.at[pair >> 32].address,
                                     question->addresses.at[(uint32_t)pair].address};
        hp_vec_push(&pairs.all, asked);
    }
    unsigned char *answers = hp_alloc(pairs.all.count);
    size_t kept = 0;
    bool is_read =
        pairs.all.count > 0 &&
        finder->reader->read(finder->reader->data, trial->number, &pairs, answers);
    for (size_t i = 0; is_read && i < pairs.all.count; i++) {
        trial->matches.at[kept] = trial->matches.at[i];
        kept += answers[i] == HP_CALL_YES;
    }
    trial->matches.count = kept;
    free(answers);
    hp_call_pairs_done(&pairs);
}

// Put each trial of the module whose file can be asked into finder->trials, with the pairs
// of frames that are a call in that file.
static void find_trials(struct finder *finder) {
    const struct hp_fits *fits = finder->fits;
    for (size_t i = 0; i < fits->trials.count; i++) {
        const struct hp_trial *trial = &fits->trials.at[i];
        if (trial->module != finder->module || !trial->is_named || !trial->kinds) {
            continue;
        }
        struct trial_pairs pairs = {.number = i,
                                    .kinds = hp_alloc(fits->question->addresses.count)};
        uint32_t first = fits->first[trial->module];
        for (uint32_t k = first; k < fits->first[trial->module + 1]; k++) {
            pairs.kinds[fits->order[k]] = trial->kinds[k - first];
        }
        find_matches(finder, &pairs);
        hp_vec_push(&finder->trials, pairs);
    }
}

// The number of a set of builds in finder->proofs, which is added if it is new; takes
// ownership of the text.
static uint32_t number_of(struct finder *finder, char *builds) {
    struct hp_stack_proofs *proofs = finder->proofs;
    for (uint32_t i = 0; i < proofs->builds.count; i++) {
        if (strcmp(proofs->builds.at[i], builds) == 0) {
            free(builds);
            return i;
        }
    }
    hp_vec_push(&proofs->builds, builds);
    return (uint32_t)proofs->builds.count - 1;
}

// Clear in finder->named the frames of a stack that are in no pair of calls in a file.
static void keep_named(struct finder *finder, const struct trial_pairs *trial,
                       struct hp_proof_stack stack) {
    bool was_pair = false;
    for (uint32_t i = 0; i < stack.depth; i++) {
        uint64_t pair = pair_at(finder, trial, stack, i);
        bool is_pair =
            pair != 0 && bsearch(&pair, trial->matches.at, trial->matches.count,
                                 sizeof pair, compare) != NULL;
        finder->named.at[i] &= is_pair || was_pair;
        was_pair = is_pair;
    }
}

// Add the places of one stack that all files that fit it name.
static void look_at_stack(struct finder *finder, uint32_t number) {
    const struct hp_proof_question *question = finder->fits->question;
    struct hp_proof_stack stack = question->stack_at(question->dump, number);
    const char **keys = hp_alloc(finder->trials.count * sizeof *keys);
    size_t count = 0;
    hp_vec_reserve(&finder->named, stack.depth);
    memset(finder->named.at, true, stack.depth);
    const struct trial_pairs *trial;
    hp_vec_each (trial, &finder->trials) {
        if (fits_stack(finder, trial, stack)) {
            keep_named(finder, trial, stack);
            keys[count++] = finder->keys[trial->number];
        }
    }
    uint32_t build = count > 0 ? number_of(finder, hp_keys_join(keys, count)) : 0;
    for (uint32_t i = 0; count > 0 && i < stack.depth; i++) {
        if (finder->named.at[i]) {
            struct hp_proof_place place = {number, i, build};
            hp_vec_push(&finder->proofs->places, place);
        }
    }
    free(keys);
}

void hp_stack_fits_find(const struct hp_fits *fits, uint32_t module,
                        const char *const *keys, const struct hp_chain_reader *reader,
                        struct hp_stack_proofs *proofs) {
    struct finder finder = {fits, module, keys, reader, .proofs = proofs};
    find_trials(&finder);
    for (uint32_t i = 0; i < fits->question->stack_count; i++) {
        look_at_stack(&finder, i);
    }
    struct trial_pairs *trial;
    hp_vec_each (trial, &finder.trials) {
        free(trial->kinds);
        hp_vec_done(&trial->matches);
    }
    hp_vec_done(&finder.trials);
    hp_vec_done(&finder.named);
}

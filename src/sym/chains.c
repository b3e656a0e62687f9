// A misfit is excused if its caller fits and directly calls the function that contains
// the misfit: the misfit is then the return address of a coroutine, or one that code has
// made by hand.
//
// Misfits are also excused if functions start at all of them.  An unwinder that follows
// frame pointers reads any two words as a frame where code without frame pointers has
// another pointer to the stack in the register.  If that is a list of handlers, such as
// {previous, function}, the second word points to a function.
//
// For files with other names, each caller that directly calls the function
// of its frame is evidence like some fitting addresses.
#include "sym/chains.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    MOST_PAIRS = 256,  // most pairs that a file with another name is judged by
    LEAST_LISTED = 5,  // addresses that a debug file is judged by, at least
    LEAST_FITTING = 4, // addresses that fit beside excused starts of functions, at least
};

// --- pairs of a dump -------------------------------------------------------------------

// Pairs of a frame and its caller, as indexes of their addresses: that of the frame is in
// the upper half, that of its caller in the lower.
struct chains {
    HP_VEC(uint64_t) all; // each pair once, ascending
};

static uint32_t inner_of(uint64_t pair) {
    return (uint32_t)(pair >> 32);
}

// Return, for each address of the question, the kind of code that the compared file has
// there; 0 for addresses of other modules.  The caller frees the array.
static unsigned char *kinds_of(const struct hp_fits *fits, const struct hp_trial *trial) {
    unsigned char *kinds = hp_alloc(fits->question->addresses.count);
    uint32_t first = fits->first[trial->module];
    for (uint32_t i = first; i < fits->first[trial->module + 1]; i++) {
        kinds[fits->order[i]] = trial->kinds[i - first];
    }
    return kinds;
}

// Collect the pairs of a checked frame with code of that kind in the file of a trial, and
// a caller whose address follows a call there.
static void find_chains(const struct hp_fits *fits, const struct hp_trial *trial,
                        enum hp_return kind, struct chains *chains) {
    const struct hp_proof_question *question = fits->question;
    unsigned char *kinds = kinds_of(fits, trial);
    for (size_t s = 0; s < question->stack_count; s++) {
        struct hp_proof_stack stack = question->stack_at(question->dump, s);
        for (uint32_t i = 0; i + 1 < stack.depth; i++) {
            uint32_t inner = stack.frames[i], outer = stack.frames[i + 1];
            if (kinds[inner] == kind && fits->is_checked[inner] &&
                kinds[outer] == HP_RETURN_OF_CALL) {
                hp_vec_push(&chains->all, (uint64_t)inner << 32 | outer);
            }
        }
    }
    free(kinds);
    chains->all.count = hp_sort_distinct(chains->all.at, chains->all.count);
}

// Keep only the pairs whose caller directly calls the function of the frame in the file
// of a trial; none if the file cannot be asked.
static void keep_matches(const struct hp_fits *fits, size_t trial,
                         const struct hp_chain_reader *reader, struct chains *chains) {
    const struct hp_proof_question *question = fits->question;
    uint32_t module = fits->trials.at[trial].module;
    struct hp_call_pairs pairs = {.kind = question->modules.at[module].addresses};
    unsigned char *answers = hp_alloc(chains->all.count);
    for (size_t i = 0; i < chains->all.count; i++) {
        uint32_t inner = inner_of(chains->all.at[i]);
        uint32_t outer = (uint32_t)chains->all.at[i];
        struct hp_call_pair pair = {question->addresses.at[inner].address,
                                    question->addresses.at[outer].address};
        hp_vec_push(&pairs.all, pair);
    }
    bool is_read =
        pairs.all.count > 0 && reader->read(reader->data, trial, &pairs, answers);
    size_t kept = 0;
    for (size_t i = 0; is_read && i < chains->all.count; i++) {
        chains->all.at[kept] = chains->all.at[i];
        kept += answers[i] == HP_CALL_YES;
    }
    chains->all.count = kept;
    free(answers);
    hp_call_pairs_done(&pairs);
}

// --- what chains decide ----------------------------------------------------------------

// Number of different addresses of frames in the pairs.
static uint32_t count_frames(const struct chains *chains) {
    uint32_t count = 0;
    for (size_t i = 0; i < chains->all.count; i++) {
        count += i == 0 || inner_of(chains->all.at[i]) != inner_of(chains->all.at[i - 1]);
    }
    return count;
}

// Number of different addresses of callers in the pairs, which are reduced to them.
static uint32_t count_callers(struct chains *chains) {
    for (size_t i = 0; i < chains->all.count; i++) {
        chains->all.at[i] &= UINT32_MAX;
    }
    chains->all.count = hp_sort_distinct(chains->all.at, chains->all.count);
    return (uint32_t)chains->all.count;
}

// Ask the file of a trial about the misfits.  Returns whether functions start at all of
// them.
static bool are_starts(const struct hp_fits *fits, size_t number,
                       const struct hp_chain_reader *reader) {
    const struct hp_trial *trial = &fits->trials.at[number];
    struct hp_call_pairs pairs = {
        .question = HP_CALL_IS_START,
        .kind = fits->question->modules.at[trial->module].addresses,
    };
    uint32_t first = fits->first[trial->module];
    for (uint32_t i = first; i < fits->first[trial->module + 1]; i++) {
        if (fits->is_checked[fits->order[i]] &&
            trial->kinds[i - first] == HP_RETURN_OF_NONE) {
            struct hp_call_pair pair = {.outer = fits->addresses[i]};
            hp_vec_push(&pairs.all, pair);
        }
    }
    unsigned char *answers = hp_alloc(pairs.all.count);
    bool are = reader->read(reader->data, number, &pairs, answers);
    for (size_t i = 0; are && i < pairs.all.count; i++) {
        are = answers[i] == HP_CALL_YES;
    }
    free(answers);
    hp_call_pairs_done(&pairs);
    return are;
}

// Try to excuse all addresses that do not fit the compared file.  Returns whether the
// file fits then.
static bool excuse(struct hp_fits *fits, size_t number,
                   const struct hp_chain_reader *reader) {
    struct hp_trial *trial = &fits->trials.at[number];
    struct chains chains = {.all = {0}};
    find_chains(fits, trial, HP_RETURN_OF_NONE, &chains);
    if (count_frames(&chains) == trial->failed) {
        keep_matches(fits, number, reader, &chains);
        trial->is_excused = count_frames(&chains) == trial->failed;
    }
    uint32_t fitting = trial->checked - trial->failed;
    if (!trial->is_excused && fitting >= LEAST_FITTING && fitting >= trial->failed) {
        trial->is_excused = are_starts(fits, number, reader);
    }
    trial->fits = trial->is_excused;
    hp_vec_done(&chains.all);
    return trial->fits;
}

// Count the callers that directly call the function of their frame, in a file with
// another name.  Returns whether the file fits then.
static bool weigh_callers(struct hp_fits *fits, size_t number,
                          const struct hp_chain_reader *reader) {
    struct hp_trial *trial = &fits->trials.at[number];
    struct chains chains = {.all = {0}};
    find_chains(fits, trial, HP_RETURN_OF_CALL, &chains);
    if (chains.all.count > MOST_PAIRS) {
        chains.all.count = MOST_PAIRS;
    }
    keep_matches(fits, number, reader, &chains);
    trial->matched = count_callers(&chains);
    trial->fits = hp_fits_is_no_chance(fits, trial);
    hp_vec_done(&chains.all);
    return trial->fits;
}

void hp_chains_weigh(struct hp_fits *fits, uint32_t module,
                     const struct hp_chain_reader *reader) {
    bool any = false;
    for (size_t i = 0; i < fits->trials.count; i++) {
        const struct hp_trial *trial = &fits->trials.at[i];
        if (trial->module == module && !trial->is_named && trial->checked > 0 &&
            trial->failed == 0) {
            any |= weigh_callers(fits, i, reader);
        }
    }
    for (size_t i = 0; !any && i < fits->trials.count; i++) {
        const struct hp_trial *trial = &fits->trials.at[i];
        if (trial->module == module && trial->is_named && trial->failed > 0 &&
            trial->failed < trial->checked) {
            excuse(fits, i, reader);
        }
    }
}

void hp_chains_weigh_listed(struct hp_fits *fits, size_t number,
                            const struct hp_chain_reader *reader) {
    struct hp_trial *trial = &fits->trials.at[number];
    struct hp_call_pairs pairs = {
        .question = HP_CALL_IS_LISTED,
        .kind = fits->question->modules.at[trial->module].addresses,
    };
    for (uint32_t i = fits->first[trial->module]; i < fits->first[trial->module + 1];
         i++) {
        if (fits->is_checked[fits->order[i]]) {
            struct hp_call_pair pair = {.outer = fits->addresses[i]};
            hp_vec_push(&pairs.all, pair);
        }
    }
    unsigned char *answers = hp_alloc(pairs.all.count);
    uint32_t counts[HP_CALL_ANSWERS] = {0};
    bool is_read =
        pairs.all.count > 0 && reader->read(reader->data, number, &pairs, answers);
    for (size_t i = 0; is_read && i < pairs.all.count; i++) {
        counts[answers[i]]++;
    }
    uint32_t known = counts[HP_CALL_YES] + counts[HP_CALL_NO];
    if (known >= LEAST_LISTED || counts[HP_CALL_NO] > 0) {
        trial->checked = known;
        trial->failed = counts[HP_CALL_NO];
        trial->fits = trial->failed == 0;
    }
    free(answers);
    hp_call_pairs_done(&pairs);
}

// Tests of how a binary without a proven build is compared with the return addresses of a
// dump.
#include "sym/chains.h"
#include "sym/fits.h"
#include "sym/stack_fits.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
    TEXT = 0x1000, // address of the only segment
    SIZE = 0x1000,
};

// A binary without calls.
static struct hp_file_code code_of(unsigned unit) {
    struct hp_file_code code = {.has_text = true, .unit = unit};
    struct hp_load load = {TEXT, SIZE, TEXT, true};
    hp_vec_push(&code.image.loads, load);
    (void)hp_vec_reach(&code.returns, SIZE / unit / 8);
    return code;
}

// Add a call before a return address.
static void add_call(struct hp_file_code *code, uint64_t address) {
    uint64_t unit = (address - TEXT) / code->unit;
    code->returns.at[unit / 8] |= (unsigned char)(1 << unit % 8);
}

// A dump of one module and one stack.  Each address of the stack except the first and the
// last is checked.
struct dump {
    struct hp_proof_question question;
    uint32_t frames[64];
    uint32_t depth;
};

static struct hp_proof_stack stack_at(const void *data, size_t i) {
    const struct dump *dump = data;
    (void)i;
    return (struct hp_proof_stack){dump->frames, dump->depth};
}

// Add a frame to the stack.
static void add_frame(struct dump *dump, uint64_t address) {
    struct hp_proof_address frame = {.module = 0, .address = address};
    dump->frames[dump->depth++] = (uint32_t)dump->question.addresses.count;
    hp_vec_push(&dump->question.addresses, frame);
}

// A dump with a number of checked addresses.
static struct dump dump_of(const char *path, uint32_t checked) {
    struct dump dump = {.depth = 0};
    struct hp_proof_module module = {.path = hp_span_of(path)};
    hp_vec_push(&dump.question.modules, module);
    for (uint32_t i = 0; i < checked + 2; i++) {
        add_frame(&dump, TEXT + 16 * (i + 1));
    }
    return dump;
}

// Try files that lack the first missing[i] calls; expect whether each fits.
static void expect(struct dump *dump, const unsigned *missing, const bool *are_named,
                   const bool *fit, size_t count) {
    struct hp_fits fits;
    struct hp_proof_question *question = &dump->question;
    question->dump = dump;
    question->stack_count = 1;
    question->stack_at = stack_at;
    hp_fits_init(&fits, question);
    for (size_t i = 0; i < count; i++) {
        struct hp_file_code code = code_of(1);
        for (size_t k = 1 + missing[i]; k + 1 < question->addresses.count; k++) {
            add_call(&code, question->addresses.at[k].address);
        }
        hp_fits_try(&fits, 0, &code, are_named[i]);
        hp_file_code_done(&code);
    }
    hp_fits_judge(&fits);
    for (size_t i = 0; i < count; i++) {
        const struct hp_trial *trial = &fits.trials.at[i];
        cr_expect_eq(trial->fits, fit[i], "file %zu: %u of %u", i, trial->failed,
                     trial->checked);
        cr_expect_eq(trial->may_fit, are_named[i] && missing[i] == 1 && dump->depth < 6);
    }
    hp_fits_done(&fits);
    hp_proof_question_done(question);
}

Test(sym_fits, takes_each_file_that_no_address_misfits) {
    struct dump dump = dump_of("/srv/app", 5);
    expect(&dump, (unsigned[]){0, 1, 0, 5}, (bool[]){true, true, true, true},
           (bool[]){true, false, true, false}, 4);
}

// A reader of pairs of calls: the inner frame of a matching pair is one of `frames`.
// `asked` counts the pairs that were asked for.  A function starts at `start`; `asked_starts`
// counts the questions for starts.
struct matching {
    const uint64_t *frames;
    size_t count;
    size_t asked;
    uint64_t start;
    size_t asked_starts;
};

static void read_starts(struct matching *matching, const struct hp_call_pairs *pairs,
                        unsigned char *starts) {
    matching->asked_starts += pairs->all.count;
    for (size_t i = 0; i < pairs->all.count; i++) {
        starts[i] = pairs->all.at[i].outer == matching->start;
    }
}

static bool read_pairs(void *data, size_t trial, const struct hp_call_pairs *pairs,
                       unsigned char *matches) {
    struct matching *matching = data;
    (void)trial;
    if (pairs->question == HP_CALL_IS_START) {
        read_starts(matching, pairs, matches);
        return true;
    }
    matching->asked += pairs->all.count;
    for (size_t i = 0; i < pairs->all.count; i++) {
        matches[i] = false;
        for (size_t k = 0; k < matching->count; k++) {
            matches[i] |= pairs->all.at[i].inner == matching->frames[k];
        }
        cr_expect_eq(pairs->all.at[i].outer, pairs->all.at[i].inner + 16);
    }
    return true;
}

// Whether a file that lacks the calls before `missing` fits, if pairs of calls are read
// by `matching`.
static bool weigh(struct dump *dump, const uint64_t *missing, size_t missing_count,
                  bool is_named, struct matching *matching) {
    struct hp_fits fits;
    struct hp_file_code code = code_of(is_named ? 1 : 2);
    struct hp_chain_reader reader = {matching, read_pairs};
    dump->question.dump = dump;
    dump->question.stack_count = 1;
    dump->question.stack_at = stack_at;
    for (size_t k = 1; k < dump->question.addresses.count; k++) {
        uint64_t address = dump->question.addresses.at[k].address;
        bool is_missing = false;
        for (size_t i = 0; i < missing_count; i++) {
            is_missing |= missing[i] == address;
        }
        if (!is_missing) {
            add_call(&code, address);
        }
    }
    hp_fits_init(&fits, &dump->question);
    hp_fits_try(&fits, 0, &code, is_named);
    hp_fits_judge(&fits);
    cr_expect_eq(hp_fits_any(&fits, 0), missing_count == 0 && is_named);
    if (!hp_fits_any(&fits, 0)) {
        hp_chains_weigh(&fits, 0, &reader);
    }
    bool fit = fits.trials.at[0].fits;
    hp_fits_done(&fits);
    hp_file_code_done(&code);
    hp_proof_question_done(&dump->question);
    return fit;
}

Test(sym_fits, excuses_a_misfit_whose_caller_calls_its_function) {
    const uint64_t third = TEXT + 16 * 3, fifth = TEXT + 16 * 5, both[] = {third, fifth};
    struct matching all = {.frames = both, .count = 2};
    struct matching one = {.frames = both, .count = 1}, none = {.count = 0};
    struct dump dump = dump_of("/srv/app", 6);
    cr_expect(weigh(&dump, both, 1, true, &all));
    dump = dump_of("/srv/app", 6);
    cr_expect(weigh(&dump, both, 2, true, &all));
    dump = dump_of("/srv/app", 6);
    cr_expect_not(weigh(&dump, both, 2, true, &one));
    dump = dump_of("/srv/app", 40);
    cr_expect_not(weigh(&dump, both, 1, true, &none));
    cr_expect_eq(none.asked, 1);
}

// A caller that misfits, too, is no evidence, and its pair is not asked for.
Test(sym_fits, excuses_no_misfit_behind_another) {
    const uint64_t two[] = {TEXT + 16 * 3, TEXT + 16 * 4};
    struct matching all = {.frames = two, .count = 2};
    struct dump dump = dump_of("/srv/app", 6);
    cr_expect_not(weigh(&dump, two, 2, true, &all));
    cr_expect_eq(all.asked, 0);
}

// Functions start at all misfits, and four or more addresses fit.
Test(sym_fits, excuses_starts_of_functions) {
    const uint64_t two[] = {TEXT + 16 * 3, TEXT + 16 * 4};
    struct matching starts = {.start = two[0]};
    struct dump dump = dump_of("/srv/app", 6);
    cr_expect(weigh(&dump, two, 1, true, &starts));
    cr_expect_eq(starts.asked_starts, 1);
    dump = dump_of("/srv/app", 7);
    cr_expect_not(weigh(&dump, two, 2, true, &starts));
    cr_expect_eq(starts.asked_starts, 3);
    dump = dump_of("/srv/app", 4);
    cr_expect_not(weigh(&dump, two, 1, true, &starts));
    cr_expect_eq(starts.asked_starts, 3);
}

// A reader that finds pairs of calls in all files but the one with number *data.
static bool pair_up(void *data, size_t trial, const struct hp_call_pairs *pairs,
                    unsigned char *matches) {
    memset(matches, trial != *(const size_t *)data, pairs->all.count);
    return true;
}

// The number of frames of a stack, which two files fit, that have names if pairs of calls
// are in all files but the one with number `without`.
static size_t count_named(size_t without) {
    struct dump dump = dump_of("/srv/app", 4);
    struct hp_fits fits;
    struct hp_chain_reader reader = {&without, pair_up};
    struct hp_stack_proofs proofs = {.places = {0}};
    dump.question.dump = &dump;
    dump.question.stack_count = 1;
    dump.question.stack_at = stack_at;
    hp_fits_init(&fits, &dump.question);
    for (size_t i = 0; i < 2; i++) {
        struct hp_file_code code = code_of(1);
        for (size_t k = 0; k < dump.question.addresses.count; k++) {
            add_call(&code, dump.question.addresses.at[k].address);
        }
        hp_fits_try(&fits, 0, &code, true);
        hp_file_code_done(&code);
    }
    hp_fits_judge(&fits);
    hp_stack_fits_find(&fits, 0, (const char *[]){"one", "other"}, &reader, &proofs);
    size_t named = proofs.places.count;
    hp_stack_proofs_done(&proofs);
    hp_fits_done(&fits);
    hp_proof_question_done(&dump.question);
    return named;
}

Test(sym_fits, B44_gives_a_stack_the_names_that_all_files_have) {
    cr_expect_eq(count_named(2), 5);
    cr_expect_eq(count_named(1), 0);
    cr_expect_eq(count_named(0), 0);
}

Test(sym_fits, B36_takes_files_of_other_names_by_callers) {
    const uint64_t checked = TEXT + 16 * 2;
    struct matching one = {.frames = &checked, .count = 1}, none = {.count = 0};
    // 0.08 ^ 2 may be chance, but a twentieth of it may not.
    struct dump dump = dump_of("/srv/app", 2);
    cr_expect_not(weigh(&dump, NULL, 0, false, &none));
    cr_expect_eq(none.asked, 2);
    dump = dump_of("/srv/app", 2);
    cr_expect(weigh(&dump, NULL, 0, false, &one));
    dump = dump_of("/srv/app", 1);
    cr_expect_not(weigh(&dump, NULL, 0, false, &one));
}

// A second file misfits; with few addresses, the first one may fit by chance.
Test(sym_fits, rules_no_file_out_by_one_of_few_addresses) {
    struct dump dump = dump_of("/srv/app", 3);
    expect(&dump, (unsigned[]){0, 1, 2, 1}, (bool[]){true, true, true, false},
           (bool[]){true, false, false, false}, 4);
    dump = dump_of("/srv/app", 4);
    expect(&dump, (unsigned[]){0, 1}, (bool[]){true, true}, (bool[]){true, false}, 2);
}

// One address fits 3 % of all files by chance.
Test(sym_fits, takes_files_of_other_names_where_chance_is_no_explanation) {
    struct dump dump = dump_of("/srv/app", 1);
    expect(&dump, (unsigned[]){0}, (bool[]){false}, (bool[]){false}, 1);
    dump = dump_of("/srv/app", 2);
    expect(&dump, (unsigned[]){0}, (bool[]){false}, (bool[]){true}, 1);
    dump = dump_of("/srv/app", 2);
    expect(&dump, (unsigned[]){0, 2}, (bool[]){false, false}, (bool[]){false, false}, 2);
    dump = dump_of("/srv/app", 3);
    expect(&dump, (unsigned[]){0, 3}, (bool[]){false, false}, (bool[]){true, false}, 2);
}

Test(sym_fits, prefers_files_of_the_name) {
    struct dump dump = dump_of("/srv/app", 5);
    expect(&dump, (unsigned[]){0, 0}, (bool[]){true, false}, (bool[]){true, false}, 2);
}

// The last frame, as the start of a coroutine or a thread, has no caller.
Test(sym_fits, checks_no_last_frame) {
    struct dump dump = dump_of("/srv/app", 1);
    expect(&dump, (unsigned[]){0}, (bool[]){true}, (bool[]){true}, 1);
    dump = dump_of("/srv/app", 0);
    // No address is checked.
    expect(&dump, (unsigned[]){0}, (bool[]){true}, (bool[]){false}, 1);
}

Test(sym_fits, checks_nothing_behind_a_libc_that_is_not_read) {
    struct dump dump = dump_of("/lib/libc.so.6", 3);
    struct hp_fits fits;
    dump.question.dump = &dump;
    dump.question.stack_count = 1;
    dump.question.stack_at = stack_at;
    hp_fits_init(&fits, &dump.question);
    struct hp_file_code code = {.unit = 1}; // its text is missing
    hp_fits_try(&fits, 0, &code, true);
    hp_fits_judge(&fits);
    cr_expect_eq(fits.trials.at[0].checked, 0);
    cr_expect_not(fits.trials.at[0].fits);
    hp_fits_done(&fits);
    hp_proof_question_done(&dump.question);
}

#include "sym/fits.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
    TEXT = 0x1000, // where the only segment begins
    SIZE = 0x1000,
};

static struct hp_file_code code_of(unsigned unit) {
    struct hp_file_code code = {.has_text = true, .unit = unit};
    struct hp_load load = {TEXT, SIZE, TEXT, true};
    hp_vec_push(&code.image.loads, load);
    (void)hp_vec_reach(&code.returns, SIZE / unit / 8);
    return code;
}

static void add_call(struct hp_file_code *code, uint64_t address) {
    uint64_t unit = (address - TEXT) / code->unit;
    code->returns.at[unit / 8] |= (unsigned char)(1 << unit % 8);
}

// A dump of one module, and one stack of which each address but the first and the last is checked.
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

static void add_frame(struct dump *dump, uint64_t address) {
    struct hp_proof_address frame = {.module = 0, .address = address};
    dump->frames[dump->depth++] = (uint32_t)dump->question.addresses.count;
    hp_vec_push(&dump->question.addresses, frame);
}

static struct dump dump_of(const char *path, uint32_t checked) {
    struct dump dump = {.depth = 0};
    struct hp_proof_module module = {.path = hp_span_of(path)};
    hp_vec_push(&dump.question.modules, module);
    for (uint32_t i = 0; i < checked + 2; i++) {
        add_frame(&dump, TEXT + 16 * (i + 1));
    }
    return dump;
}

// Files with all calls but some, the first of them; whether the i-th fits.
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
    }
    hp_fits_done(&fits);
    hp_proof_question_done(question);
}

Test(sym_fits, takes_each_file_that_no_address_misfits) {
    struct dump dump = dump_of("/srv/app", 5);
    expect(&dump, (unsigned[]){0, 1, 0, 5}, (bool[]){true, true, true, true},
           (bool[]){true, false, true, false}, 4);
}

Test(sym_fits, excuses_one_address_of_twenty_where_no_file_does_better) {
    struct dump dump = dump_of("/srv/app", 20);
    expect(&dump, (unsigned[]){1, 2}, (bool[]){true, true}, (bool[]){true, false}, 2);
    dump = dump_of("/srv/app", 20);
    expect(&dump, (unsigned[]){1, 0}, (bool[]){true, true}, (bool[]){false, true}, 2);
    dump = dump_of("/srv/app", 19);
    expect(&dump, (unsigned[]){1}, (bool[]){true}, (bool[]){false}, 1);
}

// One address fits three of a hundred files by chance.
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

// Where a coroutine or a thread begins nobody called.
Test(sym_fits, checks_no_last_frame) {
    struct dump dump = dump_of("/srv/app", 1);
    expect(&dump, (unsigned[]){0}, (bool[]){true}, (bool[]){true}, 1);
    dump = dump_of("/srv/app", 0);
    expect(&dump, (unsigned[]){0}, (bool[]){true}, (bool[]){false},
           1); // nothing is checked
}

Test(sym_fits, checks_nothing_behind_a_libc_that_is_not_read) {
    struct dump dump = dump_of("/lib/libc.so.6", 3);
    struct hp_fits fits;
    dump.question.dump = &dump;
    dump.question.stack_count = 1;
    dump.question.stack_at = stack_at;
    hp_fits_init(&fits, &dump.question);
    struct hp_file_code code = {.unit = 1}; // without its text
    hp_fits_try(&fits, 0, &code, true);
    hp_fits_judge(&fits);
    cr_expect_eq(fits.trials.at[0].checked, 0);
    cr_expect_not(fits.trials.at[0].fits);
    hp_fits_done(&fits);
    hp_proof_question_done(&dump.question);
}

// Tests of hp_stack_errors, which stores the errors of stacks once if they are equal.
#include "model/stack_errors.h"

#include <criterion/criterion.h>

// An error with these samples.
static struct hp_error error_of(uint64_t samples, double weight) {
    return (struct hp_error){.variance = (hp_int128)samples << 100,
                             .samples = samples,
                             .max_weight = weight};
}

static struct hp_stack_errors errors;

static void cleanup(void) {
    hp_stack_errors_done(&errors);
}

TestSuite(stack_errors, .fini = cleanup);

Test(stack_errors, keeps_what_stacks_share_once) {
    const struct hp_error a = error_of(1, 2), b = error_of(1, 3);
    for (int i = 0; i < 1000; i++) {
        hp_stack_errors_push(&errors, i % 2 ? &a : &b);
    }
    cr_expect(errors.shared.count == 2 && errors.own.count == 0);
    cr_expect(hp_stack_error(&errors, 998)->max_weight == 3);
    cr_expect(hp_stack_error(&errors, 999)->max_weight == 2);
}

Test(stack_errors, takes_one_of_its_own) {
    const struct hp_error a = error_of(1, 2);
    hp_stack_errors_push(&errors, &a);
    for (int i = 0; i < 100; i++) {
        hp_stack_errors_push(&errors, hp_stack_error(&errors, 0));
    }
    cr_expect(errors.shared.count == 1 && errors.of.count == 101);
}

Test(stack_errors, adds_to_one_stack_alone) {
    const struct hp_error a = error_of(1, 2), b = error_of(5, 9);
    for (int i = 0; i < 3; i++) {
        hp_stack_errors_push(&errors, &a);
    }
    cr_expect(hp_stack_errors_add(&errors, 1, &b) && hp_stack_errors_add(&errors, 1, &b));
    cr_expect(hp_stack_error(&errors, 0)->samples == 1);
    cr_expect(hp_stack_error(&errors, 1)->samples == 11);
    cr_expect(hp_stack_error(&errors, 1)->variance == (hp_int128)11 << 100);
    cr_expect(hp_stack_error(&errors, 2)->samples == 1);
    cr_expect(errors.own.count == 1);
}

Test(stack_errors, reports_a_sum_that_does_not_fit) {
    const struct hp_error most = {.samples = UINT64_MAX}, one = {.samples = 1};
    hp_stack_errors_push(&errors, &most);
    cr_expect(!hp_stack_errors_add(&errors, 0, &one));
}

Test(stack_errors, gives_nothing_to_stacks_that_came_before) {
    const struct hp_error a = error_of(1, 2);
    hp_stack_errors_reach(&errors, 3);
    hp_stack_errors_push(&errors, &a);
    hp_stack_errors_reach(&errors, 2);
    cr_expect(errors.of.count == 4 && hp_stack_error(&errors, 2)->samples == 0);
    cr_expect(hp_stack_error(&errors, 3)->samples == 1);
}

// Reading many dumps must not keep the errors of each of them.
Test(stack_errors, lets_go_of_what_many_dumps_had) {
    for (uint64_t i = 0; i < 100000; i++) {
        struct hp_error error = error_of(i, 1);
        hp_stack_errors_push(&errors, &error);
    }
    hp_stack_errors_clear(&errors);
    const struct hp_error a = error_of(1, 2);
    hp_stack_errors_push(&errors, &a);
    cr_expect(errors.shared.count == 1 && hp_stack_error(&errors, 0)->max_weight == 2);
}

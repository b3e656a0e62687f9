// Tests of the sampler's table of live objects, which is compared with a plain array.
#include "core/objects.h"

#include "core/random.h"

#include <criterion/criterion.h>

enum {
    ADDRESSES = 4096,
    STEPS = 400000
};

static struct hps_objects objects; // static, as it is too large for a stack

static uintptr_t address_of(size_t i) {
    return 0x7f0000000000 + 48 * i;
}

static void put(uintptr_t address, uint64_t usize) {
    struct hps_object object = {.address = address, .usize = usize};
    cr_assert(hps_objects_put(&objects, &object));
}

Test(objects, finds_what_was_put_and_nothing_else) {
    static uint64_t usizes[ADDRESSES]; // 0: not in the table
    struct hps_random random;
    hps_random_init(&random, 1);
    for (uint64_t step = 1; step <= STEPS; step++) {
        size_t i = hps_random_next(&random) % ADDRESSES;
        struct hps_object taken;
        bool was_there = hps_objects_take(&objects, address_of(i), &taken);
        cr_assert_eq(was_there, usizes[i] != 0);
        if (was_there) {
            cr_assert_eq(taken.address, address_of(i));
            cr_assert_eq(taken.usize, usizes[i]);
        }
        usizes[i] = hps_random_next(&random) % 2 ? step : 0;
        if (usizes[i]) {
            put(address_of(i), usizes[i]);
            cr_assert(hps_objects_may_have(&objects, address_of(i)));
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < ADDRESSES; i++) {
        left += usizes[i] != 0;
    }
    cr_assert_eq(objects.count, left);
}

// free(NULL) asks for address 0, and another address with the same mark makes the table
// search for it.
Test(objects, null_is_never_there) {
    put(address_of(0), 1);
    put(address_of(1), 2);
    hps_objects_mark(&objects, 0, 1);
    struct hps_object taken;
    cr_assert(hps_objects_may_have(&objects, 0));
    cr_assert_not(hps_objects_take(&objects, 0, &taken));
    cr_assert_eq(objects.count, 2);
}

Test(objects, no_mark_is_left_when_all_are_gone) {
    for (size_t i = 0; i < ADDRESSES; i++) {
        put(address_of(i), 1);
    }
    for (size_t i = 0; i < ADDRESSES; i++) {
        struct hps_object taken;
        cr_assert(hps_objects_take(&objects, address_of(i), &taken));
    }
    for (size_t i = 0; i < ADDRESSES; i++) {
        cr_assert_not(hps_objects_may_have(&objects, address_of(i)));
    }
}

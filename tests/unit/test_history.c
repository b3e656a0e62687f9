// Tests of hp_history: the observations of each input are read back unchanged.
#include "model/history.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    STACKS = 3000,
    INPUTS = 5,
};

// An observation with small and large numbers that depend on both arguments.
static struct hp_observation observation_of(uint32_t input, uint32_t stack) {
    struct hp_observation o = {.stack = stack};
    uint64_t seed = (uint64_t)(input + 1) * 0x9e3779b97f4a7c15 + stack % 40;
    o.values.of[HP_INUSE_SPACE] = (hp_fixed)(seed * 7) << (stack % 60);
    o.values.of[HP_INUSE_OBJECTS] = (hp_fixed)seed;
    if (stack % 3 > 0) {
        o.values.of[HP_ALLOC_SPACE] = -(hp_fixed)(seed >> 5);
        o.values.of[HP_ALLOC_OBJECTS] = 1;
    }
    o.errors[HP_COLUMN_INUSE] = (struct hp_error){
        .variance = (hp_int128)seed * (int64_t)(seed >> 20),
        .objects_variance = 5,
        .observed_bytes = (hp_uint128)UINT64_MAX << 20,
        .hidden_bytes_max = stack,
        .excess_bytes_max = 1,
        .samples = input,
        .period = 524288,
        .max_weight = 1.0 / (stack + 3),
        .flags = HP_ERROR_MIXED,
        .read = {1, input, UINT32_MAX},
    };
    return o;
}

// Write an input with every `step`-th stack.
static void write_input(struct hp_history *history, uint32_t input, uint32_t step) {
    hp_history_begin(history);
    for (uint32_t i = 0; i < STACKS; i += step) {
        uint32_t stack = (i * 1009) % STACKS; // out of order
        struct hp_observation o = observation_of(input, stack);
        const struct hp_error *errors[HP_COLUMNS] = {&o.errors[HP_COLUMN_INUSE], NULL};
        hp_history_put(history, stack, &o.values, errors);
    }
    hp_history_end(history, input);
}

// Whether two observations are equal.
static bool same(const struct hp_observation *a, const struct hp_observation *b) {
    const struct hp_error *x = a->errors, *y = b->errors;
    bool equal = memcmp(&a->values, &b->values, sizeof a->values) == 0;
    for (int i = 0; i < HP_COLUMNS; i++) {
        equal &= x[i].variance == y[i].variance &&
                 x[i].objects_variance == y[i].objects_variance &&
                 x[i].observed_bytes == y[i].observed_bytes &&
                 x[i].hidden_bytes_max == y[i].hidden_bytes_max &&
                 x[i].excess_bytes_max == y[i].excess_bytes_max &&
                 x[i].samples == y[i].samples && x[i].period == y[i].period &&
                 x[i].flags == y[i].flags &&
                 memcmp(x[i].read, y[i].read, sizeof x[i].read) == 0 &&
                 memcmp(&x[i].max_weight, &y[i].max_weight, sizeof x[i].max_weight) == 0;
    }
    return equal;
}

// Read an input and check all observations.  Returns their number; `renumbered`: stacks
// were moved by 100000.
static size_t check_input(struct hp_history_reader *reader,
                          const struct hp_history *history, uint32_t input,
                          bool renumbered) {
    size_t count = 0;
    struct hp_observation o;
    for (hp_history_open(reader, history, input); hp_history_next(reader, &o); count++) {
        uint32_t stack = o.stack - (renumbered ? 100000 : 0);
        struct hp_observation expected = observation_of(input, stack);
        cr_assert_lt(stack, STACKS);
        cr_assert(same(&o, &expected));
    }
    return count;
}

Test(history, gives_back_what_each_input_added) {
    struct hp_history history = {.is_kept = true};
    struct hp_history_reader reader = {0};
    for (uint32_t i = INPUTS; i-- > 0;) {
        write_input(&history, i, i + 1);
    }
    hp_history_sort(&history);
    for (uint32_t i = 0; i < INPUTS; i++) {
        cr_assert_eq(check_input(&reader, &history, i, false), (STACKS + i) / (i + 1));
    }
    cr_assert_eq(check_input(&reader, &history, INPUTS, false), 0);
    hp_history_done_reading(&reader);
    hp_history_done(&history);
}

Test(history, knows_of_an_input_that_added_nothing) {
    struct hp_history history = {.is_kept = true};
    struct hp_history_reader reader = {0};
    hp_history_begin(&history);
    hp_history_end(&history, 0);
    hp_history_sort(&history);
    cr_assert_eq(check_input(&reader, &history, 0, false), 0);
    hp_history_done_reading(&reader);
    hp_history_done(&history);
}

Test(history, takes_over_another_with_its_stacks_renumbered) {
    struct hp_history history = {.is_kept = true}, other = {.is_kept = true};
    struct hp_history_reader reader = {0};
    static uint32_t map[STACKS];
    for (uint32_t i = 0; i < STACKS; i++) {
        map[i] = i + 100000;
    }
    write_input(&other, 1, 1);
    write_input(&history, 0, 1);
    hp_history_absorb(&history, &other, map, STACKS, 0);
    hp_history_done(&other);
    hp_history_sort(&history);
    cr_assert_eq(check_input(&reader, &history, 0, false), STACKS);
    cr_assert_eq(check_input(&reader, &history, 1, true), STACKS);
    hp_history_done_reading(&reader);
    hp_history_done(&history);
}

Test(history, is_small_when_numbers_repeat) {
    struct hp_history history = {.is_kept = true};
    write_input(&history, 0, 1);
    hp_history_sort(&history);
    cr_assert_lt(history.batches.at[0].packed_size, (size_t)STACKS * 12);
    hp_history_done(&history);
}

// Bytes that all batches take.
static size_t room_of(const struct hp_history *history) {
    const struct hp_history_batch *batch;
    size_t room = 0;
    hp_vec_each (batch, &history->batches) {
        room += batch->packed_size;
    }
    return room;
}

Test(history, packs_small_dumps_together_and_takes_less_room_for_those_that_repeat) {
    enum {
        DUMPS = 400,
        EVERY = 60
    };
    struct hp_history one = {.is_kept = true}, all = {.is_kept = true};
    struct hp_history_reader reader = {0};
    write_input(&one, 0, EVERY);
    hp_history_sort(&one);
    for (uint32_t i = 0; i < DUMPS; i++) {
        hp_history_begin(&all);
        for (uint32_t k = 0; k < STACKS; k += EVERY) {
            struct hp_observation o = observation_of(0, (k * 1009) % STACKS);
            const struct hp_error *errors[HP_COLUMNS] = {&o.errors[HP_COLUMN_INUSE],
                                                         NULL};
            hp_history_put(&all, o.stack, &o.values, errors);
        }
        hp_history_end(&all, i);
    }
    hp_history_sort(&all);
    cr_assert_lt(all.batches.count, (size_t)DUMPS / 10);
    cr_assert_lt(room_of(&all), room_of(&one) * DUMPS / 5);
    struct hp_observation o;
    for (uint32_t i = 0; i < DUMPS; i++) {
        size_t count = 0;
        uint32_t input = i * 37 % DUMPS; // in any order
        for (hp_history_open(&reader, &all, input); hp_history_next(&reader, &o);) {
            struct hp_observation expected = observation_of(0, o.stack);
            cr_assert(same(&o, &expected));
            count++;
        }
        cr_assert_eq(count, STACKS / EVERY);
    }
    hp_history_done_reading(&reader);
    hp_history_done(&one);
    hp_history_done(&all);
}

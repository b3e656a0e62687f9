// Tests of growing arrays.
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
    HUGE_PAGE = 2 << 20,
    HUGE = 8 << 20,   // size from which huge pages are used
    OVERHEAD = 64,    // overhead of malloc(), or more
    MOST = 100 << 20, // bytes
};

struct item {
    char of[24];
};

Test(memory,
     R35_large_arrays_are_of_whole_huge_pages_and_little_more_than_was_asked_for) {
    HP_VEC(struct item) items = {0};
    size_t steps = 0;
    for (size_t size = 0; size < MOST; size = items.capacity * sizeof *items.at) {
        items.count = items.capacity;
        hp_vec_reserve(&items, 1);
        size_t grown = items.capacity * sizeof *items.at;
        if (grown >= HUGE) {
            size_t last = (grown + OVERHEAD) % HUGE_PAGE;
            cr_assert(last == 0 || last > HUGE_PAGE - sizeof *items.at, "%zu bytes",
                      grown);
            cr_assert_leq(grown, size + size / 8 + HUGE_PAGE, "%zu after %zu", grown,
                          size);
        }
        steps++;
    }
    cr_expect_leq(steps, 100);
    hp_vec_done(&items);
}

Test(memory, R35_an_array_of_items_larger_than_huge_pages_has_room_for_them) {
    size_t capacity = 0, size = HUGE_PAGE + 1;
    char *items = hp_grow(NULL, &capacity, 5, size);
    cr_assert_geq(capacity, 5);
    items[5 * size - 1] = 'x';
    free(items);
}

Test(memory, distinct_numbers_are_left_in_order) {
    uint64_t numbers[] = {7, 1ULL << 60, 7, 0, 3, 1ULL << 60, 7};
    const uint64_t want[] = {0, 3, 7, 1ULL << 60};
    cr_assert_eq(hp_sort_distinct(numbers, 7), 4);
    cr_assert_arr_eq(numbers, want, sizeof want);
    cr_assert_eq(hp_sort_distinct(NULL, 0), 0);
}

#include "calc/recover_size.h"

#include <criterion/criterion.h>

Test(sizeclass, are_those_of_jemalloc) {
    static const uint64_t first[] = {8,   16,  32,  48,  64,  80,  96,  112, 128,
                                     160, 192, 224, 256, 320, 384, 448, 512};
    for (int i = 0; i < (int)(sizeof first / sizeof *first); i++) {
        cr_expect_eq(hp_class_size(i), first[i], "class %d", i);
    }
    cr_expect_eq(hp_class_size(HP_SIZE_CLASSES - 1), (uint64_t)7 << 61);
}

Test(sizeclass, rise_strictly) {
    for (int i = 1; i < HP_SIZE_CLASSES; i++) {
        cr_expect_gt(hp_class_size(i), hp_class_size(i - 1), "class %d", i);
    }
}

Test(sizeclass, are_found_by_size) {
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        cr_expect_eq(hp_class_below(hp_class_size(i)), i);
        cr_expect_eq(hp_class_below(hp_class_size(i) + 1), i);
        cr_expect(hp_is_class_size(hp_class_size(i)));
        cr_expect_not(hp_is_class_size(hp_class_size(i) + 1));
    }
    cr_expect_eq(hp_class_below(0), 0);
    cr_expect_eq(hp_class_below(UINT64_MAX), HP_SIZE_CLASSES - 1);
}

// Round all down, then give the units that are left to the largest fractions; of equal ones
// to the first.
#include "view/rounding.h"

#include "base/memory.h"

#include <stdlib.h>

struct fraction {
    hp_fixed left; // what rounding down leaves
    size_t place;
};

static int by_fraction(const void *left, const void *right) {
    const struct fraction *a = left, *b = right;
    if (a->left != b->left) {
        return a->left > b->left ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

void hp_round_to_total(const hp_fixed *values, size_t count, enum hp_metric metric,
                       hp_int128 *whole) {
    struct fraction *fractions = hp_alloc(count * sizeof *fractions);
    size_t used = 0;
    hp_fixed total = 0;
    hp_int128 given = 0;
    for (size_t i = 0; i < count; i++) {
        whole[i] = values[i] >> hp_fraction(metric);
        hp_fixed left = values[i] - whole[i] * ((hp_fixed)1 << hp_fraction(metric));
        if (left > 0) {
            fractions[used++] = (struct fraction){left, i};
        }
        total += values[i];
        given += whole[i];
    }
    hp_int128 units = hp_fixed_round(total, metric) - given;
    if (used > 0) {
        qsort(fractions, used, sizeof *fractions, by_fraction);
    }
    for (size_t i = 0; i < used && units > 0; i++, units--) {
        whole[fractions[i].place]++;
    }
    free(fractions);
}

// Classes are 8; 16, 32, 48, 64 (16 apart up to 128); then four to a doubling:
// (4 + k) / 4 * 2^j, k = 1 ... 4.  See jemalloc's include/jemalloc/internal/sc.h.
#include "calc/sizeclass.h"

#include "calc/probability.h"

uint64_t hp_class_size(int i) {
    if (i == 0) {
        return 8;
    }
    if (i <= 4) {
        return (uint64_t)i * 16;
    }
    int group = (i - 5) / 4, step = (i - 5) % 4 + 1; // group 0 is (64, 128]
    return (uint64_t)(4 + step) << (4 + group);
}

int hp_class_below(uint64_t size) {
    int low = 0, high = HP_SIZE_CLASSES; // class low <= size < class high
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (hp_class_size(middle) <= size) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool hp_is_class_size(uint64_t size) {
    return hp_class_size(hp_class_below(size)) == size;
}

// As prof_unbias_map_init() of jemalloc does.
void hp_size_classes_init(struct hp_size_classes *classes, uint64_t period) {
    if (classes->period == period) {
        return;
    }
    classes->period = period;
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        double size = (double)hp_class_size(i);
        double p = hp_one_minus_exp_naive(size / (double)period);
        bool sampled = 8 / p < 0x1p62 && size / p < 0x1p63; // others are never seen
        classes->of[i] = (struct hp_size_class){
            .size = hp_class_size(i),
            .unbiased_size = sampled ? (uint64_t)(size / p + 0.5) : 0,
            .shifted_objects = sampled ? (uint64_t)(8 / p + 0.5) : 0,
        };
    }
}

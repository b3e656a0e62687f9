#include "model/values.h"

static const uint64_t wrapped_from = (uint64_t)1 << 62;

bool hp_count_is_wrapped(const struct hp_count *count) {
    return count->objects >= wrapped_from || count->bytes >= wrapped_from;
}

bool hp_values_add(struct hp_values *sum, const struct hp_values *values) {
    bool overflow = false;
    for (int i = 0; i < HP_METRICS; i++) {
        overflow |= __builtin_add_overflow(sum->of[i], values->of[i], &sum->of[i]);
    }
    return !overflow;
}

hp_int128 hp_fixed_round(hp_fixed value, enum hp_metric metric) {
    int fraction = hp_fraction(metric);
    hp_int128 half = (hp_int128)1 << (fraction - 1);
    return value < 0 ? -((-value + half) >> fraction) : (value + half) >> fraction;
}

double hp_fixed_double(hp_fixed value, enum hp_metric metric) {
    return (double)value / (double)((uint64_t)1 << hp_fraction(metric));
}

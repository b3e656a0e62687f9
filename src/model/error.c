#include "model/error.h"

bool hp_error_add(struct hp_error *sum, const struct hp_error *e) {
    bool overflow = __builtin_add_overflow(sum->variance, e->variance, &sum->variance);
    overflow |= __builtin_add_overflow(sum->objects_variance, e->objects_variance,
                                       &sum->objects_variance);
    overflow |= __builtin_add_overflow(sum->observed_bytes, e->observed_bytes,
                                       &sum->observed_bytes);
    overflow |= __builtin_add_overflow(sum->hidden_bytes_max, e->hidden_bytes_max,
                                       &sum->hidden_bytes_max);
    overflow |= __builtin_add_overflow(sum->printed_rounding, e->printed_rounding,
                                       &sum->printed_rounding);
    overflow |= __builtin_add_overflow(sum->samples, e->samples, &sum->samples);
    sum->period = sum->period > e->period ? sum->period : e->period;
    sum->max_weight = sum->max_weight > e->max_weight ? sum->max_weight : e->max_weight;
    sum->flags |= e->flags;
    return !overflow;
}

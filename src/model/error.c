#include "model/error.h"

bool hp_error_add(struct hp_error *sum, const struct hp_error *e) {
    bool overflow = __builtin_add_overflow(sum->variance, e->variance, &sum->variance);
    overflow |= __builtin_add_overflow(sum->objects_variance, e->objects_variance,
                                       &sum->objects_variance);
    overflow |= __builtin_add_overflow(sum->certain, e->certain, &sum->certain);
    overflow |= __builtin_add_overflow(sum->excess, e->excess, &sum->excess);
    overflow |= __builtin_add_overflow(sum->rounding, e->rounding, &sum->rounding);
    overflow |= __builtin_add_overflow(sum->samples, e->samples, &sum->samples);
    sum->period = sum->period > e->period ? sum->period : e->period;
    sum->weight = sum->weight > e->weight ? sum->weight : e->weight;
    sum->flags |= e->flags;
    return !overflow;
}

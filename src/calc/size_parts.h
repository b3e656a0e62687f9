// Of which sizes the objects of a stack are, as far as its numbers tell.
#ifndef HP_CALC_SIZE_PARTS_H
#define HP_CALC_SIZE_PARTS_H

#include "calc/unbias.h"
#include "model/account.h"
#include "model/sizes.h"

// Add what a stack of the dump holds, by size, to stack `number` of `sizes`: the same as
// hp_unbias_stack() but for rounding.
void hp_sizes_add_decoded(struct hp_sizes *sizes, uint32_t number,
                          struct hp_unbias *unbias, const struct hp_dump_stack *stack,
                          enum hp_column column);

// Add by age, as model/ages.h tells, the objects in use of a stack that lists them; false if it does
// not, or they are not what is estimated from.
bool hp_sizes_add_listed_ages(struct hp_sizes *ages, uint32_t number,
                              const struct hp_unbias *unbias,
                              const struct hp_dump_stack *stack);

// The samples that the parts of a dump's stacks stand for.
void hp_live_samples_init(struct hp_live_samples *samples, const struct hp_sizes *sizes,
                          const struct hp_unbias *unbias);

#endif

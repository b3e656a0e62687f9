// The sizes of the objects of a stack, as far as its numbers reveal them.
#ifndef HP_CALC_SIZE_PARTS_H
#define HP_CALC_SIZE_PARTS_H

#include "calc/unbias.h"
#include "inputs/account.h"
#include "model/sizes.h"

// Add the content of `stack`, by size, to stack `number` of `sizes`.  The parts add up to
// the result of hp_unbias_stack(), except for rounding.  `stack` must be in the dump of
// `unbias`.
void hp_sizes_add_decoded(struct hp_sizes *sizes, uint32_t number,
                          struct hp_unbias *unbias, const struct hp_dump_stack *stack,
                          enum hp_column column);

// Add the objects in use that `stack` lists, by age range (model/ages.h), to stack
// `number` of `ages`.  Returns false, and adds nothing, if the stack lists no objects or
// its estimate is not made from the list.
bool hp_sizes_add_listed_ages(struct hp_sizes *ages, uint32_t number,
                              const struct hp_unbias *unbias,
                              const struct hp_dump_stack *stack);

// Count the samples that the objects of a dump's stacks represent, by size.  Free
// *samples with hp_live_samples_free() if it was allocated, else free its vector.
void hp_live_samples_init(struct hp_live_samples *samples, const struct hp_sizes *sizes,
                          const struct hp_unbias *unbias);

#endif

// The size of objects of one size, recovered from numbers that jemalloc rewrote (prof_unbias).
#ifndef HP_CALC_RECOVER_SIZE_H
#define HP_CALC_RECOVER_SIZE_H

#include "calc/sizeclass.h"
#include "model/values.h"

// True, with n and their size, if `count` is what jemalloc prints for n objects of one size.
bool hp_recover_size(const struct hp_size_classes *classes, struct hp_count count,
                     uint64_t *n, uint64_t *size);

#endif

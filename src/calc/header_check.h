// Whether the totals of a dump agree with its stacks, and these with their threads.
#ifndef HP_CALC_HEADER_CHECK_H
#define HP_CALC_HEADER_CHECK_H

#include "calc/unbias.h"
#include "model/dump.h"

// Of a dump as it was read, before anything of it is left out.
enum hp_header_check hp_header_check(const struct hp_dump *dump,
                                     const struct hp_unbias *unbias);

// How many of its stacks have numbers that those of their threads do not make.
uint64_t hp_count_torn_stacks(const struct hp_dump *dump, const struct hp_unbias *unbias);

#endif

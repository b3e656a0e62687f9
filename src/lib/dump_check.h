// Check whether a dump can be used.
#ifndef HP_LIB_DUMP_CHECK_H
#define HP_LIB_DUMP_CHECK_H

#include "calc/unbias.h"

// Return HP_E_FORMAT, and the reason, if the dump may be truncated or damaged; with
// is_strict also if one of its lines fits no grammar.  A dump that lacks only its memory
// map is accepted if its totals show that all stacks are there.  `unbias` is scratch
// memory; hp_unbias_init() must be called on it again afterwards.
HP_MUST_CHECK int hp_dump_check(const struct hp_dump *dump, struct hp_unbias *unbias,
                                enum hp_estimator estimator, bool is_strict,
                                struct hp_err *err);

#endif

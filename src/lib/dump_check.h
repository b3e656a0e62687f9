// Whether a dump can be used.
#ifndef HP_LIB_DUMP_CHECK_H
#define HP_LIB_DUMP_CHECK_H

#include "calc/unbias.h"

// HP_E_FORMAT if it may be short, and says so; if is_strict also of a line that fits no grammar.
// `unbias` is scratch.
HP_MUST_CHECK int hp_dump_check(const struct hp_dump *dump, struct hp_unbias *unbias,
                                enum hp_estimator estimator, bool is_strict,
                                struct hp_err *err);

#endif

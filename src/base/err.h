// Failing: fill the caller's struct hp_err and return its code.
#ifndef HP_BASE_ERR_H
#define HP_BASE_ERR_H

#include "hprof-agg/hprof-agg.h"

#define HP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HP_MUST_CHECK        __attribute__((warn_unused_result))

// `return hp_fail(err, HP_E_FORMAT, "expected %s", what);`
HP_PRINTF(3, 4)
int hp_fail(struct hp_err *err, enum hp_code code, const char *format, ...);

// As hp_fail(HP_E_IO), and keep errno.
HP_PRINTF(2, 3)
int hp_fail_errno(struct hp_err *err, const char *format, ...);

// Say where the fault is, unless someone closer to it already has.
void hp_err_locate(struct hp_err *err, const char *where, uint64_t line);

#endif

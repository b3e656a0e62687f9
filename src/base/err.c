#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

HP_PRINTF(4, 0)

// Fill all members of `err`: a failure that is passed on has no place yet, which
// hp_err_locate() adds.
static int fill(struct hp_err *err, enum hp_code code, int sys, const char *format,
                va_list args) {
    *err = (struct hp_err){.code = code, .sys = sys};
    vsnprintf(err->message, sizeof err->message, format, args);
    return code;
}

int hp_fail(struct hp_err *err, enum hp_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int ret = fill(err, code, 0, format, args);
    va_end(args);
    return ret;
}

int hp_fail_errno(struct hp_err *err, const char *format, ...) {
    int sys = errno;
    va_list args;
    va_start(args, format);
    int ret = fill(err, HP_E_IO, sys, format, args);
    va_end(args);
    return ret;
}

void hp_err_locate(struct hp_err *err, const char *where, uint64_t line) {
    if (err->where[0] == '\0') {
        snprintf(err->where, sizeof err->where, "%s", where);
        err->line = line;
    }
}

// Print one-line messages to standard error, and fill in errors.
#ifndef HP_CLI_MESSAGE_H
#define HP_CLI_MESSAGE_H

#include "hprof-agg/hprof-agg.h"

#define HP_CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

// Print "hprof-agg: TEXT"; control characters in the text are escaped.  Allocates
// nothing.
HP_CLI_PRINTF(1, 2)
void hp_cli_message(const char *format, ...);

// Print "TEXT" like hp_cli_message() but without the prefix, for messages that scripts
// know from jeprof.
HP_CLI_PRINTF(1, 2)
void hp_cli_say(const char *format, ...);

// Print "hprof-agg: WHERE:LINE: MESSAGE: ERRNO"; parts that `err` lacks are omitted.
void hp_cli_message_err(const struct hp_err *err);

// Fill `err` and return `code`, as in `return hp_cli_fail(err, HP_E_USAGE, "...")`.
HP_CLI_PRINTF(3, 4)
int hp_cli_fail(struct hp_err *err, enum hp_code code, const char *format, ...);

// Fill `err` with a failed system call and return `code`: `where` is the file; errno is
// stored in err->sys.
int hp_cli_fail_errno(struct hp_err *err, enum hp_code code, const char *where,
                      const char *message);

#endif

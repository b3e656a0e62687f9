// One-line messages to standard error.
#ifndef HP_CLI_MESSAGE_H
#define HP_CLI_MESSAGE_H

#include "hprof-agg/hprof-agg.h"

#define HP_CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

// "hprof-agg: TEXT", with everything in it made safe for a terminal.  Allocates nothing.
HP_CLI_PRINTF(1, 2)
void hp_cli_message(const char *format, ...);

// The same without "hprof-agg: ": what scripts know from jeprof.
HP_CLI_PRINTF(1, 2)
void hp_cli_say(const char *format, ...);

// "hprof-agg: WHERE:LINE: MESSAGE: ERRNO", each part only if there is one.
void hp_cli_message_err(const struct hp_err *err);

// Fill `err` and return `code`: `return hp_cli_fail(err, HP_E_USAGE, "...")`.
HP_CLI_PRINTF(3, 4)
int hp_cli_fail(struct hp_err *err, enum hp_code code, const char *format, ...);

// As hp_cli_fail() for what the system refused: `where` is the file, errno is kept.
int hp_cli_fail_errno(struct hp_err *err, enum hp_code code, const char *where,
                      const char *message);

#endif

// The commands that read inputs and write a report.
#ifndef HP_CLI_JOB_H
#define HP_CLI_JOB_H

#include "cli/settings.h"

// Warnings and notes go to standard error, the error itself to `err`.  `*skipped`: done,
// but some inputs do not count.
int hp_cli_job_run(const struct hp_cli_settings *settings, bool *skipped,
                   struct hp_err *err);

#endif

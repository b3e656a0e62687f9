// The commands that read inputs and write a report.
#ifndef HP_CLI_JOB_H
#define HP_CLI_JOB_H

#include "cli/settings.h"

// Of a job that is done.
struct hp_cli_outcome {
    bool skipped;  // some inputs do not count
    bool exceeded; // --fail-if holds
    bool
        is_open; // some dumps could not be compared, and --fail-if does not hold for the others
};

// Warnings and notes go to standard error, the error itself to `err`.
int hp_cli_job_run(const struct hp_cli_settings *settings, struct hp_cli_outcome *outcome,
                   struct hp_err *err);

// Before anything is read or written: HP_E_USAGE if the sandbox that is required cannot be.
int hp_cli_job_check_sandbox(const struct hp_cli_settings *settings, struct hp_err *err);

// The digests of the inputs, which are partials.
int hp_cli_job_digest(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

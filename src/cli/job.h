// Run the commands that read inputs and write a report.
#ifndef HP_CLI_JOB_H
#define HP_CLI_JOB_H

#include "cli/filelist.h"
#include "cli/settings.h"

// Results of a finished job that determine the exit status.
struct hp_cli_outcome {
    bool skipped;  // some inputs were not used
    bool exceeded; // the condition of --fail-if is met
    // --fail-if has no verdict: some dumps cannot be compared, and the condition is not
    // met by the others.
    bool is_open;
};

// Read the inputs, write the report and set `outcome`.  Warnings and notes are printed to
// standard error; the error itself is returned in `err`, for the caller to print.
int hp_cli_job_run(const struct hp_cli_settings *settings, struct hp_cli_outcome *outcome,
                   struct hp_err *err);

// Returns HP_E_USAGE if --sandbox=require is set and the system lacks part of the
// sandbox.  Call it before anything is read or written.
int hp_cli_job_check_sandbox(const struct hp_cli_settings *settings, struct hp_err *err);

// Collect the paths of all inputs in `list`, those of the base of a diff first.
int hp_cli_job_collect(const struct hp_cli_settings *settings,
                       struct hp_cli_filelist *list, struct hp_err *err);

// The options for symbols; they borrow from the settings.
struct hp_symbol_options hp_cli_job_symbols(const struct hp_cli_settings *settings);

// Show progress from now on, if the settings ask for it.
void hp_cli_job_start_progress(const struct hp_cli_settings *settings);

// Print the warnings of the profile, and which dumps of each process are used, unless
// --quiet was given.
void hp_cli_job_warn(const struct hp_cli_settings *settings,
                     const struct hp_profile *profile);

// Print the digests of the inputs, which have to be partial files, to standard output.
int hp_cli_job_digest(const struct hp_cli_settings *settings, struct hp_err *err);

#endif

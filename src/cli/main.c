// hprof-agg: the command line.  See cli/settings.h for a map of the folder.
//
// - commandline: converts argv into settings
//     - arguments (words), option, command and habits (tables), setter (values)
// - usage: runs the commands help and version
// - manifest, rowfiles: run the commands manifest and rows
// - job: runs all other commands
//     - filelist, diagnostics, progressbar, outfile
// - doctor: runs the command of this name
// - jeprof: another command line, used if the program is called by this name
// - message, terminal: everything that is written to standard error
// - storage, cleanup: end the process when memory runs out or a signal arrives
#include "cli/cleanup.h"
#include "cli/commandline.h"
#include "cli/doctor/doctor.h"
#include "cli/jeprof/jeprof.h"
#include "cli/job.h"
#include "cli/manifest.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/rowfiles.h"
#include "cli/status.h"
#include "cli/storage.h"
#include "cli/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Run settings->command.  Returns HP_OK or its error code; `outcome` is set for commands
// that report only.
static int run(const struct hp_cli_settings *settings, struct hp_cli_outcome *outcome,
               struct hp_err *err) {
    if (settings->command == NULL) {
        hp_cli_usage_print_short(stderr);
        return HP_E_USAGE;
    }
    if (settings->topic != NULL && settings->topic->id == HP_CLI_JEPROF) {
        char help[] = "--help";
        return hp_jeprof_run(1, (char *[]){help});
    }
    if (settings->topic != NULL && settings->topic->id == HP_CLI_DOCTOR) {
        char help[] = "--help";
        return hp_doctor_run(1, (char *[]){help});
    }
    hp_cli_limit_memory(settings->max_memory);
    if (settings->command->id == HP_CLI_MANIFEST) {
        return hp_cli_manifest_run(settings, err);
    }
    if (settings->command->id == HP_CLI_DIGEST) {
        return hp_cli_job_digest(settings, err);
    }
    if (settings->command->id == HP_CLI_ROWS) {
        return hp_cli_rows_run(settings, outcome, err);
    }
    if ((settings->command->id & HP_CLI_REPORTS) == 0) {
        return hp_cli_usage_run(settings, err);
    }
    return hp_cli_job_run(settings, outcome, err);
}

// The exit status of an error code or, after success, of the outcome.
static enum hp_cli_status status_of(enum hp_code code,
                                    const struct hp_cli_outcome *outcome) {
    switch (code) {
    case HP_OK:
        return outcome->exceeded  ? HP_CLI_EXIT_EXCEEDED
               : outcome->is_open ? HP_CLI_EXIT_OPEN
               : outcome->skipped ? HP_CLI_EXIT_SKIPPED
                                  : HP_CLI_EXIT_DONE;
    case HP_E_USAGE:
        return HP_CLI_EXIT_USAGE;
    case HP_E_IO:
    case HP_E_FORMAT:
    case HP_E_UNSUPPORTED:
    case HP_E_EMPTY:
        return HP_CLI_EXIT_INPUT;
    case HP_E_LIMIT:
        return HP_CLI_EXIT_LIMIT;
    case HP_E_DUPLICATE:
        return HP_CLI_EXIT_REFUSED;
    case HP_E_OUTPUT:
        return HP_CLI_EXIT_OUTPUT;
    case HP_E_INTERNAL:
        break;
    }
    return HP_CLI_EXIT_INTERNAL;
}

// Test the sandbox and print the results.  It is not in the table of options because it
// reads no inputs.
static int test_sandbox(void) {
    char *report;
    int faults = hp_sandbox_selftest(&report);
    fputs(report, stdout);
    free(report);
    return fflush(stdout) == 0 && faults == 0 ? HP_CLI_EXIT_DONE : HP_CLI_EXIT_INTERNAL;
}

// If the first argument is --message-codes, remove it and print the code and the values
// of each message instead of a sentence, for tests.  Returns whether it is.
static int shows_codes(int argc, char **argv) {
    bool shows = argc > 1 && strcmp(argv[1], "--message-codes") == 0;
    if (shows) {
        hp_show_message_codes();
        memmove(argv + 1, argv + 2, (size_t)(argc - 1) * sizeof *argv);
    }
    return shows;
}

int main(int argc, char **argv) {
    struct hp_cli_arguments given = {0};
    struct hp_cli_settings settings = {0};
    struct hp_err err = {0};
    struct hp_cli_outcome outcome = {0};
    hp_cli_outfile_guard_standard();
    hp_cli_cleanup_on_signals();
    hp_on_out_of_memory(hp_cli_out_of_memory);
    argc -= shows_codes(argc, argv);
    if (hp_jeprof_is_meant(argc > 0 ? argv[0] : "")) {
        return hp_jeprof_run(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "jeprof") == 0) {
        return hp_jeprof_run(argc - 2, argv + 2);
    }
    if (argc > 1 && strcmp(argv[1], "doctor") == 0) {
        return hp_doctor_run(argc - 2, argv + 2);
    }
    if (argc == 2 && strcmp(argv[1], "--selftest-sandbox") == 0) {
        return test_sandbox();
    }
    int ret = hp_cli_commandline_read(&given, argc, argv, &settings, &err);
    if (ret == HP_OK) {
        ret = run(&settings, &outcome, &err);
    }
    if (err.message[0] != '\0') {
        hp_cli_message_err(&err);
    }
    hp_cli_commandline_done(&given, &settings);
    return (int)status_of((enum hp_code)ret, &outcome);
}

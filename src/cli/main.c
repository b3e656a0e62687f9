// hprof-agg: the command line.
//
// - commandline: argv and HPROF_AGG_OPTS become settings
//     - arguments (words), option and command (the tables), setter (values)
// - usage: the commands help and version
// - job: all other commands
//     - filelist, inputnotes, progressbar, outfile
// - message, terminal: all that goes to standard error
// - storage, cleanup: how the process ends when it must
#include "cli/cleanup.h"
#include "cli/commandline.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/status.h"
#include "cli/storage.h"
#include "cli/usage.h"

#include <errno.h>
#include <stdio.h>

static int run(const struct hp_cli_settings *settings, bool *skipped,
               struct hp_err *err) {
    if (settings->command == NULL) {
        hp_cli_usage_print_short(stderr);
        return HP_E_USAGE;
    }
    if ((settings->command->id & (HP_CLI_HELP | HP_CLI_VERSION)) != 0) {
        return hp_cli_usage_run(settings, err);
    }
    return hp_cli_job_run(settings, skipped, err);
}

static enum hp_cli_status conclude(int ret, bool skipped, const struct hp_err *err) {
    // Whoever closed the pipe knows.
    bool silent = err->code == HP_E_OUTPUT && err->sys == EPIPE;
    if (err->message[0] != '\0' && !silent) {
        hp_cli_message_err(err);
    }
    return ret == HP_OK && skipped ? HP_CLI_EXIT_SKIPPED
                                   : hp_cli_status_of((enum hp_code)ret);
}

int main(int argc, char **argv) {
    struct hp_cli_commandline line = {0};
    struct hp_cli_settings settings = {0};
    struct hp_err err = {0};
    bool skipped = false;
    hp_cli_outfile_guard_standard();
    hp_cli_cleanup_on_signals();
    hp_on_out_of_memory(hp_cli_out_of_memory);
    int ret = hp_cli_commandline_read(&line, argc, argv, &settings, &err);
    if (ret == HP_OK) {
        ret = run(&settings, &skipped, &err);
    }
    enum hp_cli_status status = conclude(ret, skipped, &err);
    hp_cli_settings_done(&settings);
    hp_cli_commandline_done(&line);
    return (int)status;
}

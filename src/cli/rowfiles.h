// Runs the command `rows`: writes dumps as tables into the folders of a batch.
#ifndef HP_CLI_ROWFILES_H
#define HP_CLI_ROWFILES_H

#include "cli/job.h"

// Read the inputs and write DIR/rows, DIR/stacks, DIR/partials and, last, DIR/dumps, each
// file all or nothing.  With --add-names read DIR/partials instead, and replace files in
// DIR/stacks.
int hp_cli_rows_run(const struct hp_cli_settings *settings,
                    struct hp_cli_outcome *outcome, struct hp_err *err);

#endif

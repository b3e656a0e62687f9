// A line on standard error that shows the progress of a long run.
#ifndef HP_CLI_PROGRESSBAR_H
#define HP_CLI_PROGRESSBAR_H

#include "hprof-agg/hprof-agg.h"

// Enable hp_cli_progress().  A terminal gets one line that is redrawn; any other file
// gets one line a second.
void hp_cli_progress_start(void);

// Show the progress; a hp_progress_fn that ignores `data`.  Draws nothing unless started.
void hp_cli_progress(void *data, const struct hp_progress *progress);

// Erase the line before other text is printed.  Safe in a signal handler.
void hp_cli_progress_clear(void);

#endif

// The line on standard error that says how far a long run is.
#ifndef HP_CLI_PROGRESSBAR_H
#define HP_CLI_PROGRESSBAR_H

#include "hprof-agg/hprof-agg.h"

// From now on hp_cli_progress() draws: on a terminal one line again and again, elsewhere
// one line a second.
void hp_cli_progress_start(void);

// A hp_progress_fn; `data` is not used.
void hp_cli_progress(void *data, const struct hp_progress *progress);

// Take the line away before something else is printed; safe in a signal handler.
void hp_cli_progress_clear(void);

#endif

// Write files in the folder of a command.  Functions that fail print a message.
#ifndef HPS_SIM_SIM_FILES_H
#define HPS_SIM_SIM_FILES_H

#include "core/heapfile.h"
#include "sim/process.h"

#include <stdio.h>

// Make a folder; it may exist.  Returns the exit status.
int hps_sim_make_folder(const char *folder);

// Open a file for writing; NULL on failure.
FILE *hps_sim_open(const char *folder, const char *name);

// Close a file.  Returns the exit status, which shows whether everything was written.
int hps_sim_close(FILE *file, const char *folder, const char *name);

// Write a heap dump of the process.  Returns the exit status.
int hps_sim_write_dump(const char *folder, const char *name,
                       const struct hps_ledger *ledger, const struct hps_process *process,
                       struct hps_heapfile_options options);

// Write the frames of a stack, leaf first, as "frames": [{"module":
// "/srv/simulated/server", "offset": 4104}, ...].
void hps_sim_write_frames(FILE *to, uint32_t stack);

#endif

// Files in the folder that a command writes to.  Those that fail tell why.
#ifndef HPS_SIM_SIM_FILES_H
#define HPS_SIM_SIM_FILES_H

#include "sampler/core/heapfile.h"
#include "sampler/sim/process.h"

#include <stdio.h>

// The exit status; a folder that is there is one.
int hps_sim_make_folder(const char *folder);

// NULL if it cannot be written.
FILE *hps_sim_open(const char *folder, const char *name);

// The exit status.
int hps_sim_close(FILE *file, const char *folder, const char *name);

// A heap dump of the process; the exit status.
int hps_sim_write_dump(const char *folder, const char *name,
                       const struct hps_ledger *ledger, const struct hps_process *process,
                       struct hps_heapfile_options options);

// "frames": [{"module": "/srv/simulated/server", "offset": 4104}, ...], leaf first.
void hps_sim_write_frames(FILE *to, uint32_t stack);

#endif

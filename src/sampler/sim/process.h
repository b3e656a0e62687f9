// A simulated process: where its program and library lie in memory, anew for each process
// as with address space layout randomization, and where its stacks are in them.
#ifndef HPS_SIM_PROCESS_H
#define HPS_SIM_PROCESS_H

#include "sampler/core/random.h"
#include "sampler/core/textfile.h"
#include "sampler/sim/sampling.h"

enum {
    HPS_PROCESS_MODULES = 2,
    HPS_PROCESS_DEPTH = 6, // of every stack
};

struct hps_process {
    uint64_t base[HPS_PROCESS_MODULES];
};

// A frame, wherever the process was loaded.
struct hps_process_frame {
    const char *module; // path
    uint64_t offset;    // of the return address in the module's file
};

void hps_process_init(struct hps_process *process, struct hps_random *random);

// Frame `i` of a stack, 0 being the leaf.
struct hps_process_frame hps_process_frame(uint32_t stack, uint32_t i);

// The addresses of a stack's frames, for hps_sampling_enter().
struct hps_sampling_frames hps_process_frames(const struct hps_process *process);

// The rows of /proc/PID/maps.
void hps_process_write_map(const struct hps_process *process, struct hps_textfile *file);

#endif

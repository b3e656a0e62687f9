// A simulated process: where its program and library lie in memory, anew for each process
// as with address space layout randomization, and where its stacks are in them.
#ifndef HP_SAMPLER_PROCESS_H
#define HP_SAMPLER_PROCESS_H

#include "sampler/core/random.h"
#include "sampler/core/textfile.h"
#include "sampler/sim/sampling.h"

enum {
    HP_PROCESS_MODULES = 2,
    HP_PROCESS_DEPTH = 6, // of every stack
};

struct hp_process {
    uint64_t base[HP_PROCESS_MODULES];
};

// A frame, wherever the process was loaded.
struct hp_process_frame {
    const char *module; // path
    uint64_t offset;    // of the return address in the module's file
};

void hp_process_init(struct hp_process *process, struct hp_random *random);

// Frame `i` of a stack, 0 being the leaf.
struct hp_process_frame hp_process_frame(uint32_t stack, uint32_t i);

// The addresses of a stack's frames, for hp_sampling_enter().
struct hp_sampling_frames hp_process_frames(const struct hp_process *process);

// The rows of /proc/PID/maps.
void hp_process_write_map(const struct hp_process *process, struct hp_textfile *file);

#endif

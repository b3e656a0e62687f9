// A simulated process.  Its program and library are at random addresses, as with address
// space layout randomization; stacks have fixed places in them.
#ifndef HPS_SIM_PROCESS_H
#define HPS_SIM_PROCESS_H

#include "core/random.h"
#include "core/textfile.h"
#include "sim/sampling.h"

enum {
    HPS_PROCESS_MODULES = 2,
    HPS_PROCESS_DEPTH = 6, // frames of every stack
};

// Load addresses of the modules.
struct hps_process {
    uint64_t base[HPS_PROCESS_MODULES];
};

// A frame, independent of load addresses.
struct hps_process_frame {
    const char *module; // path
    uint64_t offset;    // return address as an offset in the file of the module
};

// Draw load addresses.
void hps_process_init(struct hps_process *process, struct hps_random *random);

// Frame `i` of a stack; 0 is the leaf.
struct hps_process_frame hps_process_frame(uint32_t stack, uint32_t i);

// A source of the addresses of stacks, for hps_sampling_enter(); `process` must outlive
// it.
struct hps_sampling_frames hps_process_frames(const struct hps_process *process);

// Write the lines of /proc/PID/maps.
void hps_process_write_map(const struct hps_process *process, struct hps_textfile *file);

#endif

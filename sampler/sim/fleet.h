// A simulated fleet.  Its dumps are never stored: each is a function of the seed and its
// number.
//
// Four services in three versions run on hosts; each host wrote HPS_FLEET_HOST dumps.
// Every process has its own random load addresses.  A few run a private build, whose
// stacks occur in no other process.
#ifndef HPS_SIM_FLEET_H
#define HPS_SIM_FLEET_H

#include "sim/fleet_text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_FLEET_HOST = 16, // dumps of each host
    HPS_FLEET_MODULES = 6,
    HPS_FLEET_STACKS = 40,
    HPS_FLEET_FRAMES = 128, // largest number of frames in a stack
};

// A fleet.
struct hps_fleet {
    uint64_t seed;
    bool shared; // only stacks that many processes have
};

// Identity of a dump.
struct hps_fleet_dump {
    uint64_t number; // in the fleet
    // Number of the first dump of its process; for a forked process, of the process that
    // it was forked from.
    uint64_t process;
    uint64_t pid;      // process id; unique on one host only
    unsigned sequence; // number of the dump in its process, from 0
    bool is_fork;      // has the same bytes as the previous dump
    bool is_final;     // written when the process ended
};

// A stack of a process.  Processes of a service with the same key have the same stack.
struct hps_fleet_stack {
    uint64_t key;
    bool is_unique, is_jitted; // only this process has it; some frames are in no mapping
};

// Properties of a process.
struct hps_fleet_process {
    uint64_t key; // seed of its random properties
    unsigned service, version;
    bool is_private; // private build
    uint64_t period; // mean bytes between samples
    bool is_raw;     // numbers as with prof_unbias:false
    bool has_accum;  // dumps as with prof_accum:true
    unsigned threads, stack_count;
    uint64_t base[HPS_FLEET_MODULES]; // load addresses
    uint64_t vdso, stack_end, jit;    // addresses of these mappings
    struct hps_fleet_stack stacks[HPS_FLEET_STACKS];
};

// A hash of two numbers that is the same on every machine.
uint64_t hps_fleet_mix(uint64_t a, uint64_t b);

// Identity of dump `number`.
struct hps_fleet_dump hps_fleet_dump(const struct hps_fleet *fleet, uint64_t number);

// Whether the dump is used if only one of each process is: the newest of those from
// `first` to before `end`, except that one before an exit dump is preferred to that.
bool hps_fleet_is_used(const struct hps_fleet *fleet, const struct hps_fleet_dump *dump,
                       uint64_t first, uint64_t end);

// Compute the properties of the process whose first dump is `number`.
void hps_fleet_process(const struct hps_fleet *fleet, uint64_t number,
                       struct hps_fleet_process *process);

// Compute the addresses of a stack, leaf first.  Returns their number; adds to *unmapped
// how many are in no mapping.
unsigned hps_fleet_frames(const struct hps_fleet_process *process, unsigned stack,
                          uint64_t frames[HPS_FLEET_FRAMES], uint64_t *unmapped);

// Append the path, "zone-2/api/1.4/h0000012/api.1234.0.i0.heap", or the memory map of the
// process.
void hps_fleet_write_path(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text);
void hps_fleet_write_map(const struct hps_fleet_process *process, struct hps_text *text);

#endif

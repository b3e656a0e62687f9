// A simulated fleet whose dumps are never stored: each is a function of a seed and its number.
//
// Four services in three versions run on hosts that wrote HPS_FLEET_HOST dumps each.  Every
// process has its own random bases; few run a private build, whose stacks no other has.
#ifndef HPS_SIM_FLEET_H
#define HPS_SIM_FLEET_H

#include "sampler/sim/fleet_text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_FLEET_HOST = 16, // dumps of a host
    HPS_FLEET_MODULES = 6,
    HPS_FLEET_STACKS = 40,
    HPS_FLEET_FRAMES = 128, // of a stack, at most
};

struct hps_fleet {
    uint64_t seed;
    bool shared; // of stacks that many processes have alone
};

// Which dump it is.
struct hps_fleet_dump {
    uint64_t number; // in the fleet
    uint64_t
        process; // the number of its first dump, or of that of the process it was forked from
    uint64_t pid;      // of one host alone
    unsigned sequence; // of the process, from 0
    bool is_fork;      // has the bytes of the dump before
    bool is_final;     // its process ended
};

// A stack of a process, by what it stands for: the same of all processes, or its own.
struct hps_fleet_stack {
    uint64_t key;
    bool is_unique, is_jitted; // of this process alone; with frames in no mapping
};

struct hps_fleet_process {
    uint64_t key; // of what is random in it
    unsigned service, version;
    bool is_private;
    uint64_t period; // mean bytes between samples
    bool is_raw;     // as with prof_unbias:false
    bool has_accum;  // as with prof_accum:true
    unsigned threads, stack_count;
    uint64_t base[HPS_FLEET_MODULES];
    uint64_t vdso, stack_end, jit; // where these lie
    struct hps_fleet_stack stacks[HPS_FLEET_STACKS];
};

// A hash of two numbers, the same everywhere.
uint64_t hps_fleet_mix(uint64_t a, uint64_t b);

struct hps_fleet_dump hps_fleet_dump(const struct hps_fleet *fleet, uint64_t number);

// Whether the dump is the one that counts for its process where each counts once: the newest of
// those from `first` to before `end`, and of these before its exit if there is one.
bool hps_fleet_counts(const struct hps_fleet *fleet, const struct hps_fleet_dump *dump,
                      uint64_t first, uint64_t end);

void hps_fleet_process(const struct hps_fleet *fleet, uint64_t number,
                       struct hps_fleet_process *process);

// Its addresses, leaf first; how many.  `*unmapped` grows by those in no mapping.
unsigned hps_fleet_frames(const struct hps_fleet_process *process, unsigned stack,
                          uint64_t frames[HPS_FLEET_FRAMES], uint64_t *unmapped);

// "zone-2/api/1.4/h0000012/api.1234.0.i0.heap"
void hps_fleet_write_path(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text);
void hps_fleet_write_map(const struct hps_fleet_process *process, struct hps_text *text);

#endif

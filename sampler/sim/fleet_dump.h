// Write the dump of a simulated process, and sum up its numbers and the truth.
#ifndef HPS_SIM_FLEET_DUMP_H
#define HPS_SIM_FLEET_DUMP_H

#include "sim/fleet.h"

// Objects and bytes; `ever` is 0 for processes without prof_accum.
struct hps_fleet_sums {
    uint64_t live_objects, live_bytes, ever_objects, ever_bytes;
};

// Sums over dumps.
struct hps_fleet_totals {
    // Numbers in the lines "t*" of stacks, as printed.
    struct hps_fleet_sums lines;
    struct hps_fleet_sums sampled; // sampled objects
    struct hps_fleet_sums truth;   // all objects
    // Number of dumps; numbers of stacks and of frames in no mapping, counted again in
    // each dump.
    uint64_t dumps, stacks, unmapped;
};

// Append the dump to `text`, and add its numbers to `totals`.
void hps_fleet_write_dump(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text,
                          struct hps_fleet_totals *totals);

#endif

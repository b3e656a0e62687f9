// The dump of a simulated process: what it says, and what is true.
#ifndef HPS_SIM_FLEET_DUMP_H
#define HPS_SIM_FLEET_DUMP_H

#include "sampler/sim/fleet.h"

// Objects and bytes; `ever` of processes that count what was freed, too.
struct hps_fleet_sums {
    uint64_t live_objects, live_bytes, ever_objects, ever_bytes;
};

// What dumps add up to.
struct hps_fleet_totals {
    struct hps_fleet_sums
        lines; // the numbers in the lines of stacks of all threads, as printed
    struct hps_fleet_sums sampled; // the objects that were sampled
    struct hps_fleet_sums truth;   // all objects
    uint64_t dumps, stacks,
        unmapped; // stacks and frames in no mapping, of each dump again
};

// Append the dump to a text, and add to the totals what is in it.
void hps_fleet_write_dump(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text,
                          struct hps_fleet_totals *totals);

#endif

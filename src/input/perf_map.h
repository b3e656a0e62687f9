// Perf maps: files that runtimes write about the code that they generate, perf-PID.map.
#ifndef HP_INPUT_PERF_MAP_H
#define HP_INPUT_PERF_MAP_H

#include "base/err.h"
#include "base/span.h"
#include "input/input_stream.h"
#include "model/jit_addresses.h"

// What reading a map has found.
struct hp_perf_map_counts {
    uint64_t entries;   // lines that are entries
    uint64_t malformed; // lines that are not
    bool is_cut;        // the last line has no end, and is not used
};

// Read a map to its end, and set the names of the addresses that its entries contain.
// HP_E_LIMIT if so many entries overlap that reading would not end.
HP_MUST_CHECK int hp_perf_map_read(struct hp_input_stream *stream,
                                   struct hp_jit_addresses *addresses,
                                   struct hp_perf_map_counts *counts, struct hp_err *err);

// Give an address the name of one more entry.  Replaces the name that it has.
void hp_jit_address_take(struct hp_jit_address *address, struct hp_span name);

#endif

// Jitdumps: files that runtimes write for `perf inject`, jit-PID.dump.
#ifndef HP_INPUT_JITDUMP_H
#define HP_INPUT_JITDUMP_H

#include "input/perf_map.h"

// Code that was moved to where an address is, and its name once that is known.
struct hp_jit_moved {
    uint64_t code; // number of the code
    char *name;    // owned
    size_t size;
};

// Moved code.  Its name is in a record before the move, so that a file is read a second
// time if there is any.  {0} is empty.
struct hp_jit_moves {
    HP_VEC(struct hp_jit_moved) of;
    bool is_complete; // the file was read once; all that were moved are in `of`
};

// Whether a file begins like a jitdump.
bool hp_jitdump_is(struct hp_span head);

// Read a jitdump to its end, and set names, files and lines of the addresses in its code.
// Records after addresses->until are ignored.
// If moves->of is not empty afterwards and was not complete before, the names of moved
// code are missing: read the file again with the same `moves`.
HP_MUST_CHECK int hp_jitdump_read(struct hp_input_stream *stream,
                                  struct hp_jit_addresses *addresses,
                                  struct hp_jit_moves *moves,
                                  struct hp_perf_map_counts *counts, struct hp_err *err);

void hp_jit_moves_done(struct hp_jit_moves *moves);

#endif

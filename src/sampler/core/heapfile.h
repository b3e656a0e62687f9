// Heap dumps as jemalloc 5.3 writes them (heap_v2).
#ifndef HP_SAMPLER_HEAPFILE_H
#define HP_SAMPLER_HEAPFILE_H

#include "sampler/core/ledger.h"
#include "sampler/core/textfile.h"

struct hp_heapfile_options {
    bool
        unbias; // jemalloc's prof_unbias: numbers from which jeprof's formula estimates well
    bool accum; // jemalloc's prof_accum: tell also of what was freed
};

// Header, threads and stacks; the map is the caller's part.  Takes no malloc() memory.
// 0, or the errno of a failure, which leaves half a file.
int hp_heapfile_write(struct hp_textfile *file, const struct hp_ledger *ledger,
                      struct hp_heapfile_options options);

// The blank line and the heading before the map.
void hp_heapfile_begin_map(struct hp_textfile *file);

#endif

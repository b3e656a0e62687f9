// Heap dumps as jemalloc 5.3 writes them (heap_v2).
#ifndef HPS_CORE_HEAPFILE_H
#define HPS_CORE_HEAPFILE_H

#include "sampler/core/ledger.h"
#include "sampler/core/textfile.h"

struct hps_heapfile_options {
    bool
        unbias; // jemalloc's prof_unbias: numbers from which jeprof's formula estimates well
    bool accum; // jemalloc's prof_accum: tell also of what was freed
    // Lines behind those of a stack, of which there may be none; NULL: nowhere.
    void (*list)(struct hps_textfile *file, const struct hps_ledger_stack *stack,
                 const void *listed);
    const void *listed;
};

// Header, threads and stacks; the map is the caller's part.  Takes no malloc() memory.
// 0, or the errno of a failure, which leaves half a file.
int hps_heapfile_write(struct hps_textfile *file, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options);

// The blank line and the heading before the map.
void hps_heapfile_begin_map(struct hps_textfile *file);

#endif

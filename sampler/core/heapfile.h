// Write heap dumps in jemalloc's format heap_v2, as version 5.3 does.
#ifndef HPS_CORE_HEAPFILE_H
#define HPS_CORE_HEAPFILE_H

#include "core/ledger.h"
#include "core/textfile.h"

// Options of a dump.  {0} writes the sampled numbers of live objects.
struct hps_heapfile_options {
    // The same as jemalloc's prof_unbias: numbers are scaled so that jeprof's formula
    // yields good estimates.
    bool unbias;
    bool accum; // as jemalloc's prof_accum: also write sums with freed objects
    // Writes further lines after those of a stack; NULL: there are none.
    void (*list)(struct hps_textfile *file, const struct hps_ledger_stack *stack,
                 const void *listed);
    const void *listed; // the last argument of `list`
};

// Write header, threads and stacks; the caller writes the memory map.  Does not call
// malloc().  Returns 0, or the errno of a failure; the file is incomplete then.
int hps_heapfile_write(struct hps_textfile *file, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options);

// Write the blank line and the heading that precede the memory map.
void hps_heapfile_begin_map(struct hps_textfile *file);

#endif

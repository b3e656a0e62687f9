// A stack's sample as one for each size of its objects.
#ifndef HP_REPORT_PPROF_PPROF_SIZES_H
#define HP_REPORT_PPROF_PPROF_SIZES_H

#include "report/pprof/pprof_columns.h"
#include "view/size_rows.h"

enum {
    HP_PPROF_SIZES =
        2 * (HP_SIZES_OF_STACK + 1), // of what is in use, and of what was allocated
};

struct hp_pprof_sizes {
    size_t count;
    uint64_t of[HP_PPROF_SIZES]; // HP_MIXED_SIZES of what is not told
    HP_VEC(int64_t)
    values; // of each size those of all columns, which add up to the stack's
};

// {0} to begin with.
void hp_pprof_sizes_split(struct hp_pprof_sizes *sizes, const struct hp_view *view,
                          const struct hp_pprof_columns *columns, size_t stack,
                          const int64_t *values);
void hp_pprof_sizes_done(struct hp_pprof_sizes *sizes);

#endif

// Dividing the sample of a stack into one for each size of its objects.
#ifndef HP_REPORT_PPROF_PPROF_SIZES_H
#define HP_REPORT_PPROF_PPROF_SIZES_H

#include "report/pprof/pprof_columns.h"
#include "view/size_rows.h"

enum {
    HP_PPROF_SIZES =
        // Sizes of objects in use and of allocated ones, with one more of each for
        // unknown sizes.
        2 * (HP_SIZES_OF_STACK + 1),
};

// The parts of one stack.
struct hp_pprof_sizes {
    size_t count;
    uint64_t of[HP_PPROF_SIZES]; // sizes in bytes; HP_MIXED_SIZES: not known
    // For each size the values of all columns, which add up to those of the stack.
    HP_VEC(int64_t)
    values;
};

// Divide the values of a stack; the parts of each column add up to its value.  `sizes` is
// {0} at first and can be reused.
void hp_pprof_sizes_split(struct hp_pprof_sizes *sizes, const struct hp_view *view,
                          const struct hp_pprof_columns *columns, size_t stack,
                          const int64_t *values);
void hp_pprof_sizes_done(struct hp_pprof_sizes *sizes);

#endif

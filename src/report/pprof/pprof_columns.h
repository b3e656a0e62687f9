// The values of a pprof sample: which there are, and whole numbers for them.
#ifndef HP_REPORT_PPROF_PPROF_COLUMNS_H
#define HP_REPORT_PPROF_PPROF_COLUMNS_H

#include "report/format.h"

enum hp_pprof_value {
    HP_PPROF_ESTIMATE,
    HP_PPROF_VARIANCE, // a bound of that of the estimate
    HP_PPROF_HIDDEN,   // what mixed sizes may hide, beyond the estimate
    HP_PPROF_CERTAIN,  // what was seen itself
};

struct hp_pprof_column {
    const char *type, *unit;
    enum hp_metric metric;
    enum hp_pprof_value value;
};

enum {
    HP_PPROF_COLUMNS_MAX = 10,
};

struct hp_pprof_columns {
    struct hp_pprof_column of[HP_PPROF_COLUMNS_MAX];
    size_t count, estimates; // which come first
};

// Whether errors are written: those of a difference do not add up.
bool hp_pprof_has_errors(const struct hp_view *view);

void hp_pprof_columns_init(struct hp_pprof_columns *columns, const struct hp_view *view);

// What the estimate of a metric is called; if there is none, the last.
const char *hp_pprof_column_type(const struct hp_pprof_columns *columns,
                                 enum hp_metric metric);

// `columns->count` values of each of so many stacks, to be freed.  Each column adds up to its
// rounded total.  `errors`, HP_COLUMNS of each stack, are NULL where no column needs them.
// *too_big is set when no honest number could be written.
int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, size_t count,
                        const struct hp_values *values, const struct hp_error *errors,
                        bool *too_big);

#endif

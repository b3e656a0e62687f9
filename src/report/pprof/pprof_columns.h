// The values of a pprof sample: which there are, and whole numbers for them.
#ifndef HP_REPORT_PPROF_PPROF_COLUMNS_H
#define HP_REPORT_PPROF_PPROF_COLUMNS_H

#include "report/format.h"

enum hp_pprof_value {
    HP_PPROF_ESTIMATE,
    HP_PPROF_VARIANCE, // a bound of that of the estimate
    HP_PPROF_HIDDEN,   // what mixed sizes may hide, beyond the estimate
    HP_PPROF_EXCESS,   // what it may have too much
    HP_PPROF_CERTAIN,  // what was seen itself
};

struct hp_pprof_column {
    struct hp_span type, unit;
    enum hp_metric metric; // or that in whose place a sample type is
    enum hp_pprof_value value;
    size_t sums; // which: 0 those of the profile, i + 1 those of its sample type i
};

// {0} is empty.
struct hp_pprof_columns {
    HP_VEC(struct hp_pprof_column) of;
    size_t estimates; // which come first: of metrics, then as they are of sample types
};

// Whether errors are written: those of a difference do not add up.
bool hp_pprof_has_errors(const struct hp_view *view);

void hp_pprof_columns_init(struct hp_pprof_columns *columns, const struct hp_view *view);

// What is to be shown first: what was asked for, else what the inputs agree on.
struct hp_span hp_pprof_default_type(const struct hp_pprof_columns *columns,
                                     const struct hp_view *view);

// `columns->of.count` values of each of the stacks, to be freed.  Each column adds up to its
// rounded total.  There are as many `sums` as columns name.  *too_big is set when no honest
// number could be written.
int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, const uint32_t *stacks,
                        size_t count, const struct hp_stack_sums *sums, bool *too_big);

#endif

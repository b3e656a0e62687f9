// The values of a pprof sample: which columns there are, and their whole numbers.
#ifndef HP_REPORT_PPROF_PPROF_COLUMNS_H
#define HP_REPORT_PPROF_PPROF_COLUMNS_H

#include "report/format.h"

// The number of an estimate that a column contains: the estimate itself, or a part of its
// error.  Errors of several stacks can be added up, as estimates can.
enum hp_pprof_value {
    HP_PPROF_ESTIMATE,
    HP_PPROF_VARIANCE, // upper bound of the variance of the estimate
    // Upper bound of the bytes that mixed sizes may hide, beyond the estimate
    HP_PPROF_HIDDEN,
    HP_PPROF_EXCESS,  // upper bound of the bytes by which the estimate may be too high
    HP_PPROF_CERTAIN, // bytes of the sampled objects themselves
};

// A column, which pprof calls a sample type.
struct hp_pprof_column {
    struct hp_span type, unit; // names as in the file
    // The metric; of a sample type of the inputs, the metric whose fixed point it uses.
    enum hp_metric metric;
    enum hp_pprof_value value;
    // Index of the sums of stacks that it is computed from.  0: sums of the metrics;
    // i + 1: sums of the profile's sample type i.
    size_t sums;
};

// The columns of a profile.  {0} is empty.
struct hp_pprof_columns {
    HP_VEC(struct hp_pprof_column) of;
    // Number of columns that are estimates.  They come first: metrics, then sample types
    // of the inputs.
    size_t estimates;
};

// Whether columns of errors are written.  A difference has none, because errors of
// differences cannot be added up.
bool hp_pprof_has_errors(const struct hp_view *view);

// Find the columns of a view; the caller frees columns->of.
void hp_pprof_columns_init(struct hp_pprof_columns *columns, const struct hp_view *view);

// The name of the column that readers should show first: the requested one, else the one
// that all inputs agree on, else that of the report's metric; if that has no column, the
// last estimate.
struct hp_span hp_pprof_default_type(const struct hp_pprof_columns *columns,
                                     const struct hp_view *view);

// Round the value of each of `count` stacks in each column to a whole number; in each
// column the results add up to the rounded total.  Returns them stack by stack
// (`columns->of.count` numbers each); the caller frees them.  `stacks` has the numbers of
// the stacks; `sums` is the array that the member `sums` of a column is an index into.
// Sets *too_big if a number does not fit into 64 bits; the result is then wrong.
int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, const uint32_t *stacks,
                        size_t count, const struct hp_stack_sums *sums, bool *too_big);

#endif

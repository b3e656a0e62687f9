// The values of a pprof sample: which columns there are, and their whole numbers.
#ifndef HP_REPORT_PPROF_PPROF_COLUMNS_H
#define HP_REPORT_PPROF_PPROF_COLUMNS_H

#include "report/format.h"

// The number that a column has of an estimate.  The errors can be added up over stacks,
// as the estimates can.
enum hp_pprof_value {
    HP_PPROF_ESTIMATE,
    HP_PPROF_VARIANCE, // upper bound of the variance of the estimate
    HP_PPROF_HIDDEN,   // bytes that mixed sizes may hide, beyond the estimate
    HP_PPROF_EXCESS,   // bytes by which the estimate may be too high
    HP_PPROF_CERTAIN,  // bytes that were seen themselves
};

// A column, which pprof calls a sample type.
struct hp_pprof_column {
    struct hp_span type, unit; // names as in the file
    // The metric, or the one in whose place a sample type of the inputs is.
    enum hp_metric metric;
    enum hp_pprof_value value;
    // Index of the sums that it is made from: 0 for the profile, i + 1 for its sample
    // type i.
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
// that all inputs agree on.
struct hp_span hp_pprof_default_type(const struct hp_pprof_columns *columns,
                                     const struct hp_view *view);

// Round `columns->of.count` values for each of the stacks; the caller frees the result.
// In each column they add up to the rounded total.  `sums` is the array that the member
// `sums` of columns is an index into.  Sets *too_big if some number does not fit into 64
// bits; the result is then wrong.
int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, const uint32_t *stacks,
                        size_t count, const struct hp_stack_sums *sums, bool *too_big);

#endif

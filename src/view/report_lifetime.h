// How much of the memory that a process allocated during a series of dumps is still live.
#ifndef HP_VIEW_REPORT_LIFETIME_H
#define HP_VIEW_REPORT_LIFETIME_H

#include "stats/lifetime.h"
#include "view/stack_series.h"
#include "view/view.h"

// Values of one node over the whole series.
struct hp_lifetime_row {
    // Number of the node; node_count for the total, node_count + 1 for the stacks that
    // filters leave.
    size_t place;
    struct hp_survivors survivors; // sums over the stacks of the node
    // Sum over the dumps of the standard error of the live bytes, in bytes.
    double live_errors;
    // Bytes allocated between the first dump and the last; bytes live at the last dump.
    hp_fixed allocated, live;
    bool is_concluded; // `share` and `turnover`, made on demand, have been computed
    // Share of the allocated bytes that is still live.  Each end holds separately with
    // the confidence of the view.
    struct hp_interval share;
    struct hp_turnover turnover;
};

// The data of a report of lifetimes from dumps, in view->extra.
struct hp_lifetimes {
    size_t dumps;   // number of dumps of the series
    double seconds; // time from the first dump to the last; NAN: not known
    // The first dump in which a stack has certainly allocated less than before; 0: none.
    size_t fall;
    // One for each of view->rows, in the same order: most allocated bytes first.
    HP_VEC(struct hp_lifetime_row) rows;
    struct hp_lifetime_row total, filtered;
    // By stack, in each dump: bytes in use, and bytes allocated since the start of the
    // process.
    struct hp_stack_series live, made;
    struct hp_row_values *values; // buffer that makes the values of one row
    // Bytes that the process allocated between two dumps, dumps - 1 numbers.
    double *process_gaps;
    double *gaps; // buffer for such numbers of one row
};

// A row of view->extra with all members computed.  Also takes HP_ROW_TOTAL and
// HP_ROW_FILTERED.
const struct hp_lifetime_row *hp_lifetime_row(const struct hp_view *view, size_t row);

#endif

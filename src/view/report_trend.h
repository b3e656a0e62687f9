// How nodes grew over a series of dumps.
#ifndef HP_VIEW_REPORT_TREND_H
#define HP_VIEW_REPORT_TREND_H

#include "view/report_diff.h"

struct hp_trend_row {
    hp_node_id node;
    hp_fixed first, last;
    double slope;       // per hour if the series has times, else per dump
    double slope_error; // what it may be off by, at the confidence asked for; or NAN
    double fit_p;   // the probability that values which only scatter rise as much; or NAN
    double p, q;    // the larger of it and that of sampling alone; adjusted; NAN: none
    size_t grew;    // in how many of the intervals between dumps
    double samples; // effective ones, on average of the dumps
    const double *values; // of each dump
};

struct hp_trend {
    enum hp_difference_test
        test;         // HP_TEST_PROCESS_ACCUM: of last against first, else of the slope
    bool is_of_space; // the metric is
    bool is_fitted; // also held against values that only scatter: there are enough dumps
    size_t dumps;
    double hours;                     // from first to last, or NAN
    HP_VEC(struct hp_trend_row) rows; // the surest growth first
    struct hp_trend_row total;
    struct hp_trend_row filtered; // what filters leave
    double *values;               // of all rows
};

#endif

// How nodes grew over a series of dumps.
#ifndef HP_VIEW_TREND_H
#define HP_VIEW_TREND_H

#include "view/difference.h"

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
    struct hp_naming naming;
    enum hp_difference_test
        test;         // HP_TEST_PROCESS_ACCUM: of last against first, else of the slope
    bool is_of_space; // the metric is
    bool is_fitted; // also held against values that only scatter: there are enough dumps
    size_t dumps;
    double hours;                     // from first to last, or NAN
    HP_VEC(struct hp_trend_row) rows; // the surest growth first
    struct hp_trend_row total;
    struct hp_trend_row left; // by filters
    double *values;           // of all rows
};

// The profile has a history of two dumps or more.  The same options as for a difference.
void hp_trend_init(struct hp_trend *trend, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_trend_done(struct hp_trend *trend);

// Kendall's tau-b of a row's values and their order: 1 if each is more than the one before.
double hp_trend_tau(const struct hp_trend *trend, const struct hp_trend_row *row);

// As hp_change_is_significant(), of growth.
bool hp_trend_is_significant(const struct hp_trend_row *row, double confidence);

#endif

// How nodes grew over a series of dumps.
#ifndef HP_VIEW_TRENDS_H
#define HP_VIEW_TRENDS_H

#include "stats/onset.h"
#include "stats/trend_shape.h"
#include "view/difference.h"
#include "view/stack_series.h"

// What slopes are per: the longest of which the dumps span at least two, so that a slope is of
// what was seen; dumps if they have no times.
struct hp_trend_unit {
    const char *name;  // "hour"
    double seconds;    // 0 of dumps
    const char *of[2]; // of slopes of objects, and of bytes
    const char *title; // of their column
};

// Slopes and bounds are per unit.
struct hp_trend_row {
    hp_node_id node;
    hp_fixed first, last;
    double slope;
    struct hp_rise sampling; // of sampling alone; NAN: not tested
    struct hp_rise rise;     // NAN also where there are too few dumps to tell
    double q;                // its p adjusted for the number of rows, or NAN
    double
        slope_whole; // of a line over all dumps; slope is since the onset if there is one
    struct hp_onset onset; // if is_since or steps
    enum hp_trend_shape shape;
    bool is_significant; // it grows, also after allowing for all rows, and as a leak does
    bool is_open;        // not told: some dumps of the series have no names of its module
    size_t grew;         // in how many of the intervals between dumps
    double samples;      // effective ones, on average of the dumps
    size_t place;        // its node; or, behind the nodes, the total, the filtered
    const struct hp_trend *trend; // of its series
};

// Of one series.
struct hp_trend {
    char name[HP_SERIES_NAME_SIZE];
    enum hp_difference_test
        test;            // of sampling: HP_TEST_PROCESS_ACCUM: of last against first
    bool is_of_space;    // the metric is
    bool can_tell;       // growth from values that go up and down: there are enough dumps
    size_t place, dumps; // in view->series
    const struct hp_trend_unit *unit;
    double span;  // from first to last, in units
    double hours; // the same, or NAN
    HP_VEC(struct hp_trend_row) rows;
    struct hp_trend_row total;
    struct hp_trend_row filtered; // what filters leave
    struct hp_stack_series held;  // by its stacks, in each dump
};

// What a trend is in view->extra: a series for each process with several dumps.
struct hp_trends {
    struct hp_trend *of;
    size_t count;
    enum hp_metric metric;
    struct hp_row_values *values;
    HP_VEC(struct hp_trend_row *)
    rows;                     // the significant first, then by the size of the change
    size_t tested;            // of the rows
    struct hp_open_code open; // modules of which some dumps have no names
};

// By flat or by cum; of view->series, in which some process has two dumps or more.
void hp_trends_init(struct hp_trends *trends, struct hp_view *view, bool by_cum);
void hp_trends_done(struct hp_trends *trends);

// Of several series that which has grown most: what a gate asks of all it asks of this one.
const struct hp_trend *hp_largest_trend(const struct hp_trends *trends);

// The first of its dumps, and the last; to be done with.
void hp_trend_sides(const struct hp_trend *trend, const struct hp_view *view,
                    struct hp_sides *sides);

// What a row of a view holds in each dump, until another is asked for.
const double *hp_trend_values(const struct hp_view *view, size_t row);

// Whether there are enough dumps to tell growth from values that go up and down.
bool hp_series_can_tell(const struct hp_series_dump *series, size_t count);

#endif

// Growth of nodes over a series of dumps.
#ifndef HP_VIEW_TRENDS_H
#define HP_VIEW_TRENDS_H

#include "stats/onset.h"
#include "stats/trend_shape.h"
#include "view/difference.h"
#include "view/stack_series.h"

// The unit of time of slopes: the longest unit that fits twice into the series, so that a
// slope does not extrapolate; or one dump, if there are no times.
struct hp_trend_unit {
    const char *name;  // "hour"
    double seconds;    // 0: the unit is a dump
    const char *of[2]; // units of slopes of objects, and of bytes: "bytes/hour"
    const char *title; // title of the column of slopes
};

enum {
    HP_SHAPE_SIZE = 32, // bytes of the label of a shape, with its NUL
};

// The growth of one node, or of a total.  Slopes and their bounds are per unit of time
// (hp_trend.unit).
struct hp_trend_row {
    hp_node_id node;
    hp_fixed first, last; // values in the first dump and the last
    double slope; // since the onset if shape is HP_TREND_SINCE, else over all dumps
    struct hp_rise sampling; // growth beyond sampling error; NAN: not tested
    // Growth beyond sampling error and beyond ups and downs: the final result.  NAN: not
    // tested, or too few dumps.
    struct hp_rise rise;
    double q; // p of `rise`, adjusted for the number of rows; NAN: not tested
    // Slope of a line over all dumps.
    double slope_whole;
    struct hp_onset onset; // valid if its is_since or steps is set
    enum hp_trend_shape shape;
    size_t step;      // the dump after the step, if shape is HP_TREND_STEP
    double step_rise; // how much the value rose in the step
    // The shape for people: "since 13", "step 7", or "-" if none.
    char shape_label[HP_SHAPE_SIZE];
    // It grows significantly (by q), and its shape is steady growth, or that since the
    // onset.
    bool is_significant;
    bool is_open; // not tested: some dumps of the series lack names of its module
    size_t grew;  // number of steps between dumps in which the value rose
    // Effective samples (equal samples that would have the same error) of a dump, as the
    // mean over the dumps.
    double samples;
    // Number of the node; node_count for the total, node_count + 1 for the stacks that
    // filters leave.
    size_t place;
    const struct hp_trend *trend; // the series of the row
};

// The trend of one series.
struct hp_trend {
    char name[HP_SERIES_NAME_SIZE]; // name of the process, as in "pid 7"
    // Test for growth beyond sampling error.  HP_TEST_PROCESS_ACCUM: last dump against
    // the first; HP_TEST_PROCESS: the slope.
    enum hp_difference_test test;
    bool is_of_space; // the metric is in bytes
    // There are enough dumps to distinguish growth from values that go up and down.
    bool can_test_growth;
    size_t place, dumps; // its dumps in view->series: index of the first, and number
    const struct hp_trend_unit *unit;
    double span;  // time from the first dump to the last, in `unit`
    double hours; // the same in hours; NAN: no times
    // One row for each node that has samples.
    HP_VEC(struct hp_trend_row) rows;
    struct hp_trend_row total;
    struct hp_trend_row filtered; // sum of the stacks that filters leave
    // Sums of all stacks in the first dump and in the last.  `total` is what the headers
    // of the dumps show.
    hp_fixed stacks[2];
    struct hp_stack_series held; // values of each stack in each dump
};

// What a trend says about a sum or a row, in one word.
enum hp_trend_verdict {
    HP_VERDICT_UNTESTED, // its sampling error is not known
    HP_VERDICT_FEW,      // too few dumps, or all of one time
    HP_VERDICT_GROWS,    // it grows steadily
    HP_VERDICT_SINCE,    // it grows steadily since a dump
    HP_VERDICT_STEP,     // it grew in one step, which is nearly all of its growth
    HP_VERDICT_MOSTLY,   // one step is most of its growth
    HP_VERDICT_UNSTEADY, // no steady growth
};

// The data of a trend report, in view->extra: a series for each process with several
// dumps.
struct hp_trends {
    struct hp_trend *of; // one for each series; owned
    size_t count;        // number of series
    enum hp_metric metric;
    struct hp_row_values *values; // buffer that makes the values of one row
    // Rows of all series: significant ones first, then by size of the change.
    HP_VEC(struct hp_trend_row *)
    rows;
    size_t tested;            // number of rows that are tested
    struct hp_open_code open; // modules for which some dumps lack names
};

// Compute the trends of view->series, by flat or by cum.  Some series must have two
// dumps.
void hp_trends_init(struct hp_trends *trends, struct hp_view *view, bool by_cum);
void hp_trends_done(struct hp_trends *trends);

// The series whose total has grown most.  A gate on the total uses this one.
const struct hp_trend *hp_largest_trend(const struct hp_trends *trends);

// The first dump of a trend as base, and the last one as new.  The caller frees the
// result by hp_sides_done().
void hp_trend_sides(const struct hp_trend *trend, const struct hp_view *view,
                    struct hp_sides *sides);

enum hp_trend_verdict hp_trend_verdict_of(const struct hp_trend_row *row);

// Values of a row of the view in each dump, in bytes or objects.  Valid until the next
// call.
const double *hp_trend_values(const struct hp_view *view, size_t row);

// Whether a series has enough dumps, at different times, to distinguish growth from
// values that go up and down.
bool hp_series_can_test_growth(const struct hp_series_dump *series, size_t count);

#endif

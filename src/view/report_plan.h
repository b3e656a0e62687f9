// The report `plan`: what other sample periods would show and cost.
#ifndef HP_VIEW_REPORT_PLAN_H
#define HP_VIEW_REPORT_PLAN_H

#include "view/plan_sums.h"
#include "view/view.h"

// Sizes of the arrays of a plan: periods from 2^12 to 2^24 bytes, first rows, kinds of
// comparisons and lengths of series.
enum {
    HP_PLAN_FIRST = 12,
    HP_PLAN_PERIODS = 13,
    HP_PLAN_ROWS = 5,
    HP_PLAN_COMPARISONS = 3,
    HP_PLAN_SERIES = 3,
};

// Number of processes on each side of the comparisons, and of dumps of the series.
extern const size_t hp_plan_processes[HP_PLAN_COMPARISONS];
extern const size_t hp_plan_dumps[HP_PLAN_SERIES];

// A sum that a plan is about: the total, or one of the first rows.
struct hp_plan_target {
    hp_node_id node; // of a row
    double bytes;    // of one dump
    double samples;  // that the sum of all dumps is based on
    struct hp_plan_spread spread;
};

// What one period leaves uncertain of a target, as shares of it; NAN: not known.
struct hp_plan_cell {
    double half;                         // half of the width of its confidence interval
    double changes[HP_PLAN_COMPARISONS]; // of the total and the first row; else NAN
    // The dumps have few samples of the target, or a much longer period.
    bool is_rough;
};

// One row of the table.  NAN: not known.
struct hp_plan_row {
    uint64_t period;
    double samples; // live samples of one process
    double stacks;  // stacks that have one of these
    double rate;    // samples a second of one process
    double load;    // most share of one core that these take
    double memory;  // of jemalloc's profiler, in bytes
    bool is_dear;   // `memory` is more than the program has in use
    struct hp_plan_cell total, rows[HP_PLAN_ROWS];
    double trends[HP_PLAN_SERIES]; // smallest growth of the total over a series
    double given; // smallest change of the total with as many processes as were given
};

// Why no rate of samples is known.
enum hp_plan_lack {
    HP_PLAN_LACKS_NOTHING,
    HP_PLAN_LACKS_COUNTS, // the dumps have no allocated bytes
    HP_PLAN_LACKS_DUMPS,  // no process has two dumps
    HP_PLAN_LACKS_TIMES,  // the times of the dumps are not known
};

struct hp_plan {
    struct hp_plan_row of[HP_PLAN_PERIODS];
    struct hp_plan_target total, rows[HP_PLAN_ROWS];
    size_t row_count;
    size_t processes; // number of dumps that the plan is made from
    double freed;     // as in struct hp_plan_comparison
    bool has_series;  // `trends` are known
    size_t series;    // number of dumps of the longest series
    uint64_t period;  // the longest of the dumps; 0 or 1: everything was sampled
    double see;       // the change that is asked for
    // The coarsest period that shows it, as a row, if it is not dear; HP_PLAN_PERIODS:
    // there is none.
    size_t chosen;
    // The period to use, as a row: the chosen one; else the finest that is not dear, or
    // that of the dumps if a finer one would not help.
    size_t advised;
    bool is_limited; // a finer one would be advised if it were not dear
    // If only the spread between processes prevents it: the number of processes on each
    // side that show it at the period of the dumps; 0: not known.
    size_t needed;
    double ratio; // hp_plan_ratio() at the period of the dumps
    double depth; // mean frames of the stack of a sample
    double cost;  // seconds of CPU that a sample takes at most
    enum hp_plan_lack lack;
    enum hp_producer producer; // the common one; HP_PRODUCER_UNKNOWN: several
};

// Write the setting of a period in the words of the producer: "lg_prof_sample:17".
void hp_plan_setting(char text[64], enum hp_producer producer, uint64_t period);

#endif

// What a number can be off by, from its estimate and what is known of its error.  Formulas
// are those of statistics.md in the project's design; the manual tells them in words.
#ifndef HP_STATS_INTERVAL_H
#define HP_STATS_INTERVAL_H

// An estimated sum.  All but `max_weight` add up over dumps, stacks and functions.
struct hp_measure {
    double estimate;
    double highest;    // >= estimate: what it may be for all that mixed sizes hide
    double variance;   // a bound of the estimate's
    double observed;   // what was seen itself
    double max_weight; // the most that one sample stands for: the period, for bytes
};

struct hp_interval {
    double low, high;
};

// The interval of Fay and Feuer (1997) that holds the truth with probability `confidence` or
// more.
struct hp_interval hp_interval_of(struct hp_measure measure, double confidence);

// The probability that a growth like this from one dump to an independent one, or more, comes
// from sampling alone.
double hp_growth_p(struct hp_measure before, struct hp_measure after);

// Of after.estimate - before.estimate, in independent dumps.
struct hp_interval hp_difference_interval(struct hp_measure before,
                                          struct hp_measure after, double confidence);

#endif

// The difference X - Y of two independent numbers of gamma distributions.
#ifndef HP_STATS_GAMMA_DIFFERENCE_H
#define HP_STATS_GAMMA_DIFFERENCE_H

// Shape and scale > 0.
struct hp_gamma {
    double shape, scale;
};

// The probability that X - Y is at most d: exact at 0, elsewhere to 4 digits; to 8 unless one of the
// two is next to certain.
double hp_gamma_difference_below(struct hp_gamma x, struct hp_gamma y, double d);

// The d that X - Y is at most with probability p, 0 < p < 1.  It is above a `place` exactly where
// hp_gamma_difference_below() is less than p there.
double hp_gamma_difference_quantile(struct hp_gamma x, struct hp_gamma y, double p,
                                    double place);

#endif

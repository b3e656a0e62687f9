// The distribution of the difference X - Y of two independent gamma variables.
#ifndef HP_STATS_GAMMA_DIFFERENCE_H
#define HP_STATS_GAMMA_DIFFERENCE_H

// A gamma distribution; shape and scale are > 0.
struct hp_gamma {
    double shape, scale;
};

// Return the probability that the gamma variable x exceeds the gamma variable y by at
// most d.  It is exact for d = 0.  Otherwise it has 8 digits, or 4 if one of the two
// variables is almost constant.
double hp_gamma_difference_below(struct hp_gamma x, struct hp_gamma y, double d);

// Return the number d that the gamma variable x exceeds the gamma variable y by at most,
// with probability p, 0 < p < 1.  The result is above `place` exactly if
// hp_gamma_difference_below() returns less than p for d = `place`, so that both agree.
double hp_gamma_difference_quantile(struct hp_gamma x, struct hp_gamma y, double p,
                                    double place);

#endif

// Functions of statistics: distributions and their quantiles, to about 13 digits.
//
// Tails are asked for by name, so that small probabilities keep their digits.
#ifndef HP_STATS_DISTRIBUTIONS_H
#define HP_STATS_DISTRIBUTIONS_H

// Probability that a standard normal number is above z; and the z that one is above with
// probability p, 0 < p < 1.
double hp_normal_above(double z);
double hp_normal_quantile_above(double p);

// Gamma distribution with scale 1, shape > 0: probability of at most x and of above x; and the
// x that is not exceeded, or is exceeded, with probability p, 0 < p < 1.
double hp_gamma_below(double shape, double x);
double hp_gamma_above(double shape, double x);
double hp_gamma_quantile_below(double shape, double p);
double hp_gamma_quantile_above(double shape, double p);

// Beta distribution, a and b > 0: probability of at most x, where rest = 1 - x is given apart
// so that it keeps its digits.
double hp_beta_below(double a, double b, double x, double rest);

// The x that is not exceeded with probability p, 0 < p < 1.
double hp_beta_quantile(double p, double a, double b);

// Probability that Student's t with so many degrees of freedom is above t.
double hp_student_above(double t, double freedom);

// The t that is exceeded with probability p, 0 < p < 0.5.
double hp_student_quantile_above(double p, double freedom);

#endif

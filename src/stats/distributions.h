// Probability distributions and their quantiles, to about 13 digits.
//
// There are separate functions for both tails, so that small probabilities keep their
// digits.
#ifndef HP_STATS_DISTRIBUTIONS_H
#define HP_STATS_DISTRIBUTIONS_H

// Standard normal distribution: the probability of a value above z, and the z that is
// exceeded with probability p, 0 < p < 1.
double hp_normal_above(double z);
double hp_normal_quantile_above(double p);

// Gamma distribution with scale 1 and shape > 0: the probability of a value of at most x,
// and of a value above x.  The quantiles are the x with probability p below it, or above
// it, 0 < p < 1.
double hp_gamma_below(double shape, double x);
double hp_gamma_above(double shape, double x);
double hp_gamma_quantile_below(double shape, double p);
double hp_gamma_quantile_above(double shape, double p);

// Beta distribution, a and b > 0: the probability of a value of at most x.  The argument
// rest = 1 - x is separate so that it keeps its digits.
double hp_beta_below(double a, double b, double x, double rest);

// Return the x with probability p below it, 0 < p < 1.
double hp_beta_quantile(double p, double a, double b);

// Return the probability that Student's t with `freedom` degrees of freedom is above t.
double hp_student_above(double t, double freedom);

// Return the t that is exceeded with probability p, 0 < p < 0.5.
double hp_student_quantile_above(double p, double freedom);

#endif

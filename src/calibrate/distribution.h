/* distribution.h: the few functions of probability that fits and their tests need. */
#ifndef LS_CALIBRATE_DISTRIBUTION_H
#define LS_CALIBRATE_DISTRIBUTION_H

/* The share of a gamma law of this shape (> 0) and scale 1 that is below x >= 0. */
double ls_gamma_share(double shape, double x);
/* The share of a normal law of mean 0 and deviation 1 that is below x. */
double ls_normal_share(double x);
/* The logarithm's derivative of the gamma function, and its own derivative; x > 0. */
double ls_digamma(double x);
double ls_trigamma(double x);
/* The logarithm of the gamma function; x > 0. */
double ls_log_gamma(double x);

#endif

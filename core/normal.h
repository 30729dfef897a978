/*
 * The standard normal distribution and mixtures of normals.
 */
#ifndef WI_CORE_NORMAL_H
#define WI_CORE_NORMAL_H

#include <stddef.h>

double wi_gauss_pdf(double z);
double wi_gauss_cdf(double z);

/*
 * The z with wi_gauss_cdf(z) = prob.
 * in:   prob  0 < prob < 1; the ends give -inf and inf
 * source: Acklam's rational approximation (relative error 1.2e-9) with one Halley step, after which
 *         it is exact to a few ulp
 */
double wi_gauss_quantile(double prob);

/* The same without that step, for bounds and first guesses. */
double wi_gauss_quantile_rough(double prob);

/*
 * Quantile of a mixture of normals.
 * in:   n       components, >= 1
 *       weight  (n,) >= 0, sum 1
 *       mean    (n,)
 *       sd      (n,) > 0
 *       prob    0 < prob < 1
 * returns the x with cdf(x) = prob
 * cost: about 4 evaluations of the cdf
 * source: bracketed Newton from the normal of the same moments; it ends when a Newton step is below
 *         1e-7 of the narrowest sd, so that the next would be below 1e-13 of it
 */
double wi_normal_mixture_quantile(size_t n, const double *weight, const double *mean,
                                  const double *sd, double prob);

#endif

/*
 * Normal and Student distributions.
 */
#ifndef WI_CORE_QUANTILE_H
#define WI_CORE_QUANTILE_H

double wi_normal_cdf(double x);
double wi_normal_pdf(double x);

/* Quantile of the standard normal, 0 < p < 1. source: Acklam 2003, then one step of Halley. */
double wi_normal_quantile(double p);

/*
 * Quantile of Student's t with 5 degrees of freedom, 0 < p < 1.
 * source: closed form of the distribution (Abramowitz & Stegun 26.7.3), solved by Newton
 */
double wi_t5_quantile(double p);

#endif

/*
 * Student's distribution with 5 degrees of freedom.
 */
#ifndef WI_CORE_STUDENT_H
#define WI_CORE_STUDENT_H

/*
 * Quantile, 0 < p < 1.
 * source: closed form of the distribution (Abramowitz & Stegun 26.7.3), solved by Newton
 */
double wi_t5_quantile(double p);

#endif

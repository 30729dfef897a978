/*
 * Student's distribution.
 */
#ifndef WI_CORE_STUDENT_H
#define WI_CORE_STUDENT_H

/*
 * Quantile.
 *
 * in:   p     0..1, exclusive
 *       dof   degrees of freedom, >= 1; need not be whole
 * cost:   5 degrees have a closed form, a microsecond; else some 50 incomplete beta functions
 * source: Abramowitz & Stegun 26.7.1 (by the incomplete beta function) and 26.7.3
 */
double wi_student_quantile(double p, double dof);

#endif

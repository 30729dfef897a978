/*
 * The incomplete beta function, on which binomial and Student's distribution rest.
 */
#ifndef WI_CORE_BETA_H
#define WI_CORE_BETA_H

/*
 * Regularised incomplete beta function I_x(a, b).
 *
 * in:   a, b   > 0
 *       x      0..1
 * returns the value; absolute error below 1e-12 for a + b <= 1e5 and below 1e-5 for 1e9, where
 *         lgamma loses digits
 * cost:   O(sqrt(max(a, b)))
 * source: continued fraction DLMF 8.17.22, evaluated by the modified Lentz method
 */
double wi_beta_inc(double a, double b, double x);

#endif

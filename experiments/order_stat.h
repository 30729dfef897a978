/*
 * How well a sample knows its percentiles, without assuming a distribution: exact binomial
 * (order-statistic) intervals.
 */
#ifndef WI_EXPERIMENTS_ORDER_STAT_H
#define WI_EXPERIMENTS_ORDER_STAT_H

#include <stdbool.h>

/* P(X <= k) of a binomial; k may be negative (0) or >= n (1). */
double wi_binomial_cdf(double k, double n, double p_frac);

/*
 * The ranks between which the true percentile lies with at least the given confidence:
 * P(X(lower) <= q <= X(upper)) >= confidence, each tail at most (1 - confidence) / 2.
 *
 * in:   n_samples   independent samples, >= 0
 *       p_frac      percentile as a fraction, 0..1 exclusive
 *       confidence  0..1 exclusive
 * out:  lower, upper  ranks from 1 (smallest) to n; 0 and n + 1 stand for "no such rank"
 * returns true where both ranks exist: only then does the sample support the percentile
 *         more than 1e15 samples are taken for a mistake: false
 * cost:   a dozen binomials; above a variance n p (1 - p) of 1e6 the normal limit, rounded outward
 * source: David & Nagaraja, Order Statistics, 2003, section 7.1
 */
bool wi_order_ranks(double n_samples, double p_frac, double confidence, double *lower,
                    double *upper);

/* The smallest sample that supports a percentile: what a user would have to run. */
double wi_order_samples_needed(double p_frac, double confidence);

#endif

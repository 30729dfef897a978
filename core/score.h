/*
 * How good predictions are: the scores that `evaluate` reports.
 */
#ifndef WI_CORE_SCORE_H
#define WI_CORE_SCORE_H

#include <stddef.h>

#include "core/status.h"

struct wi_scores {
    size_t n;
    double mae_points;     /* mean |error| */
    double rel_mse_pct;    /* mean squared error / mean squared truth; NaN if all truths are 0 */
    double sign_right_pct; /* of truths beyond 1.5 points; NaN if there is none */
    double coverage_pct;   /* truths within the interval */
    double interval_score; /* Gneiting & Raftery 2007, equation 43: width + misses / (alpha/2) */
};

/*
 * in:   n           cases, may be 0 (all scores NaN)
 *       truth, change, low, high   (n,) percent
 *       confidence  of the intervals, 0..1
 */
void wi_scores_eval(size_t n, const double *truth, const double *change, const double *low,
                    const double *high, double confidence, struct wi_scores *out);

/*
 * Percentile bootstrap of MAE and relative MSE over groups (curves), since errors within one are
 * not independent.
 * in:   group   (n,) 0..n_groups-1
 * out:  mae, rel  low and high end of a 90 % interval
 */
enum wi_status wi_scores_bootstrap(size_t n, const double *truth, const double *change,
                                   const size_t *group, size_t n_groups, double mae[2],
                                   double rel[2], struct wi_err *err);

/* The q-quantile (0..1) of n values, linear between order statistics; sorts x. NaN for n = 0. */
double wi_quantile_sort(double *x, size_t n, double q);

#endif

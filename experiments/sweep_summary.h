/*
 * What moves the predictions of a sweep, and where they are worst, without sweeping.
 */
#ifndef WI_EXPERIMENTS_SWEEP_SUMMARY_H
#define WI_EXPERIMENTS_SWEEP_SUMMARY_H

#include "core/evidence.h"
#include "core/fastpath.h"
#include "core/sensitivity.h"
#include "experiments/sweep_spec.h"

#define WI_SUMMARY_POINTS 4096        /* base points of the indices unless asked otherwise */
#define WI_SUMMARY_POINTS_MAX 1048576 /* memory: points x (factors + 2) x outputs x 8 bytes */
#define WI_SUMMARY_FACTORS_MAX (WI_DESIGN_FACTORS_MAX / 2)
#define WI_SUMMARY_VALUE_MAX 160

struct wi_summary_factor {
    struct wi_sobol_indices indices;
    /* Main effect: the mean change at the level, or tenth of a range, where it is lowest/highest.
     */
    double low_mean_pct, high_mean_pct;
    char low_value[WI_SUMMARY_VALUE_MAX], high_value[WI_SUMMARY_VALUE_MAX];
};

/* One scenario with its prediction. */
struct wi_summary_extreme {
    struct wi_scenario scenario;
    double change_pct, low_pct, high_pct;
    enum wi_domain domain;
    bool corner; /* every numeric factor at an end of its range */
};

struct wi_summary_output {
    double percentile; /* NaN = bandwidth */
    double mean_pct, sd_pct;
    struct wi_summary_factor *factors;     /* (n_factors,) */
    struct wi_summary_extreme worst, best; /* slowest / fastest */
};

struct wi_summary {
    size_t n_factors, n_points, n_outputs;
    uint64_t n_predictions;
    uint64_t n_corners; /* visited; 0 = too many, sampled points only */
    double confidence;  /* of the indices' intervals */
    struct wi_summary_output *outputs;
};
void wi_summary_release(struct wi_summary *s);

/*
 * Sobol' indices, main effects, and the worst and best of all corners and sampled points.
 *
 * Levels count as equally likely, ranges and distributions by their quantile function, whatever the
 * design. Percentiles are those of base, else 99, 99.9 and 99.99.
 *
 * in:   n_points  0 = WI_SUMMARY_POINTS
 * returns WI_OK; WI_EDATA for a list, a spec without factors or with more than
 *         WI_SUMMARY_FACTORS_MAX; WI_ERANGE for an impossible point
 * cost:   n_points (n_factors + 2) predictions and at most 2^16 corners
 * source: points from a Sobol' sequence in twice the factors' dimensions, as Saltelli et al. 2010;
 *         estimators in core/sensitivity.h
 */
enum wi_status wi_sweep_summary(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                                size_t n_points, struct wi_summary *out, struct wi_err *err);

#endif

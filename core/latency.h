/*
 * The latency of one drive as a whole distribution, made from the percentiles that are known.
 *
 * Between two known percentiles log-latency is linear in the normal score z of the percentile, so
 * that each piece is lognormal. Beyond the last and below the first known percentile the nearest
 * piece is continued, and every answer from there is marked as extrapolated.
 */
#ifndef WI_CORE_LATENCY_H
#define WI_CORE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/limits.h"
#include "core/status.h"

#define WI_LATENCY_KNOTS_MAX 64

struct wi_latency {
    size_t n;                            /* knots, >= 2 */
    double z[WI_LATENCY_KNOTS_MAX];      /* normal score of each percentile, ascending */
    double log_us[WI_LATENCY_KNOTS_MAX]; /* log of the latency in us, strictly ascending */
};

/*
 * in:   percentiles  (n,) percent, strictly ascending; 100 (the maximum) is no quantile of a
 *                    distribution and is left out
 *       lat_us       (n,) us, > 0, not decreasing
 * returns WI_OK; WI_EDATA naming the entry that decreases or is not positive, or if fewer than two
 *         percentiles below 100 remain
 */
enum wi_status wi_latency_init(struct wi_latency *l, const double *percentiles,
                               const double *lat_us, size_t n, struct wi_err *err);

/* Latency in us at the normal score z of a percentile. */
double wi_latency_at(const struct wi_latency *l, double z);

/* Normal score of the share of requests that take at most lat_us (> 0): the inverse of the above.
 */
double wi_latency_score(const struct wi_latency *l, double lat_us);

/* True where z lies outside the known percentiles. */
bool wi_latency_is_extrapolated(const struct wi_latency *l, double z);

/* All latencies times factor (> 0). */
void wi_latency_scale(struct wi_latency *l, double factor);

#endif

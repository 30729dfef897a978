#include "core/latency.h"

#include <math.h>

#include "core/normal.h"

/* fio reports equal latencies for neighbouring percentiles of one histogram bin; a distribution
 * needs a slope there, far below any bin's width. */
#define MIN_STEP 1e-9

/* A percentile solved for lands beside the knot it stands on by the solver's rounding. */
#define SLACK 1e-6

enum wi_status wi_latency_init(struct wi_latency *l, const double *percentiles,
                               const double *lat_us, size_t n, struct wi_err *err)
{
    struct wi_latency tmp = {0};

    for (size_t i = 0; i < n; i++) {
        double log_us;

        if (!(lat_us[i] > 0.0) || !isfinite(lat_us[i]))
            return wi_fail(err, WI_EDATA, "latency at p%g is %g us, must be above 0",
                           percentiles[i], lat_us[i]);
        if (!(percentiles[i] > 0.0) || percentiles[i] > 100.0 ||
            (i && percentiles[i] <= percentiles[i - 1]))
            return wi_fail(err, WI_EDATA, "percentile %g: percentiles must ascend within 0..100",
                           percentiles[i]);
        if (i && lat_us[i] < lat_us[i - 1])
            return wi_fail(err, WI_EDATA, "latency decreases from %g us at p%g to %g us at p%g",
                           lat_us[i - 1], percentiles[i - 1], lat_us[i], percentiles[i]);
        if (percentiles[i] >= 100.0)
            continue;
        if (tmp.n == WI_LATENCY_KNOTS_MAX)
            return wi_fail(err, WI_EDATA, "more than %d percentiles", WI_LATENCY_KNOTS_MAX);
        log_us = log(lat_us[i]);
        if (tmp.n)
            log_us = fmax(log_us, tmp.log_us[tmp.n - 1] + MIN_STEP);
        tmp.z[tmp.n] = wi_gauss_quantile(percentiles[i] / 100.0);
        tmp.log_us[tmp.n++] = log_us;
    }
    if (tmp.n < 2)
        return wi_fail(err, WI_EDATA, "%zu percentile(s) below 100, a distribution needs 2", tmp.n);
    *l = tmp;
    return WI_OK;
}

/* The piece that x belongs to: index of its left knot, the outer pieces reaching to infinity. */
static size_t find_piece(const double *knots, size_t n, double x)
{
    size_t low = 0;
    size_t high = n - 1;

    while (high - low > 1) {
        size_t mid = (low + high) / 2;

        if (knots[mid] <= x)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static double interpolate(const double *from, const double *to, size_t n, double x)
{
    size_t i = find_piece(from, n, x);

    return to[i] + (x - from[i]) * (to[i + 1] - to[i]) / (from[i + 1] - from[i]);
}

double wi_latency_at(const struct wi_latency *l, double z)
{
    return exp(interpolate(l->z, l->log_us, l->n, z));
}

double wi_latency_score(const struct wi_latency *l, double lat_us)
{
    return interpolate(l->log_us, l->z, l->n, log(lat_us));
}

bool wi_latency_is_extrapolated(const struct wi_latency *l, double z)
{
    return z < l->z[0] - SLACK || z > l->z[l->n - 1] + SLACK;
}

void wi_latency_scale(struct wi_latency *l, double factor)
{
    for (size_t i = 0; i < l->n; i++)
        l->log_us[i] += log(factor);
}

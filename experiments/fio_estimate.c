#include <math.h>

#include "experiments/import_fio.h"
#include "experiments/order_stat.h"

/* fio prints the middle of a bin; since 64 bins span an octave, half a bin is at most 1/128. */
#define HALF_BIN_FRAC (1.0 / 128.0)

/* fio's percentile p is the first latency at which p percent of the I/Os are done: this rank. */
static double rank_of(double percentile, double n)
{
    double r = ceil(percentile / 100.0 * n - 1e-9 * n);

    return r < 1.0 ? 1.0 : r;
}

static double bin_at_rank(const struct wi_fio_op *op, double rank)
{
    double sum = 0.0;

    for (size_t i = 0; i < op->n_bins; i++) {
        sum += op->bins[i].n_ios;
        if (sum >= rank)
            return op->bins[i].lat_us;
    }
    return op->n_bins ? op->bins[op->n_bins - 1].lat_us : NAN;
}

static double nines(double rank, double n)
{
    return -log10(1.0 - (rank - 0.5) / n);
}

struct point {
    double nines, log_lat;
};

/*
 * Latency at a rank between the listed percentiles: linear in log latency over nines, with the
 * minimum and maximum as ends. An assumption about the shape between two listed figures.
 */
static double interpolate(const struct wi_fio_op *op, double rank)
{
    double n = op->n_ios;
    double x = nines(rank, n);
    struct point below = {nines(1.0, n), log(fmax(op->min_us, 1e-3))};
    struct point above = {nines(n, n), log(op->max_us)};

    for (size_t i = 0; i < op->n_percentiles; i++) {
        struct point p = {nines(rank_of(op->percentiles[i].percentile, n), n),
                          log(op->percentiles[i].lat_us)};

        if (p.nines <= x)
            below = p;
        if (p.nines >= x) {
            above = p;
            break;
        }
    }
    if (above.nines <= below.nines)
        return exp(above.log_lat);
    return exp(below.log_lat +
               (above.log_lat - below.log_lat) * (x - below.nines) / (above.nines - below.nines));
}

bool wi_fio_estimate(const struct wi_fio_op *op, double unit_us, size_t i, double confidence,
                     struct wi_fio_estimate *out)
{
    double lower;
    double upper;
    double rounding_us;
    double low;
    double high;

    if (!(op->n_ios > 0.0) || !isfinite(op->max_us) || !isfinite(op->min_us) ||
        !wi_order_ranks(op->n_ios, op->percentiles[i].percentile / 100.0, confidence, &lower,
                        &upper))
        return false;
    out->lat_us = op->percentiles[i].lat_us;
    out->exact = op->n_bins > 0;
    low = out->exact ? bin_at_rank(op, lower) : interpolate(op, lower);
    high = out->exact ? bin_at_rank(op, upper) : interpolate(op, upper);
    low = fmin(low, out->lat_us);
    high = fmax(high, out->lat_us);
    rounding_us = fmax(HALF_BIN_FRAC * out->lat_us, unit_us / 2.0);
    /* of a file that mixes units, a figure below half a unit stays above its lower bound */
    out->low_us = fmin(fmax(low - rounding_us, unit_us / 2.0), out->lat_us);
    out->high_us = high + rounding_us;
    return true;
}

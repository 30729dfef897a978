/*
 * A baseline: a fio run of the user's own drive in the before condition, which turns percent into
 * microseconds and MB/s.
 */
#ifndef WI_EXPERIMENTS_BASELINE_H
#define WI_EXPERIMENTS_BASELINE_H

#include "core/prediction.h"

#define WI_BASELINE_PERCENTILES_MAX 34

/* One operation: its latency as a distribution, known where the sample supports it. */
struct wi_baseline_op {
    bool known;
    double n_ios;
    double bw_mbps;                                 /* NaN = not measured */
    size_t n;                                       /* points, ascending */
    double percentile[WI_BASELINE_PERCENTILES_MAX]; /* 1..100 */
    double lat_us[WI_BASELINE_PERCENTILES_MAX];
    double low_us[WI_BASELINE_PERCENTILES_MAX], high_us[WI_BASELINE_PERCENTILES_MAX]; /* 90 % */
};

struct wi_baseline {
    char file[256];
    char version[64];
    struct wi_baseline_op ops[3]; /* by enum wi_op; mixed from reads and writes where it is not
                                     measured itself */
};

/*
 * Load a baseline from a fio output.
 * out:  warnings   what fio's output leaves in doubt; may be NULL
 * returns WI_OK; WI_EIO; WI_EDATA as wi_fio_parse, or where the jobs differ so that they are no one
 *         baseline (two jobs that measure the same operation under different names)
 */
enum wi_status wi_baseline_load(const char *path, struct wi_baseline *baseline,
                                struct wi_texts *warnings, struct wi_err *err);
enum wi_status wi_baseline_parse(const char *text, size_t len, const char *name,
                                 struct wi_baseline *baseline, struct wi_texts *warnings,
                                 struct wi_err *err);

/*
 * Latency of a percentile, interpolated in log latency over nines between the known points.
 * returns true; false outside of them
 */
bool wi_baseline_latency(const struct wi_baseline_op *op, double percentile, double *lat_us,
                         double *low_us, double *high_us);

/*
 * Fill in the absolute values of a prediction. The sampling error of the baseline widens the
 * interval. Absolute latencies never fall from one percentile to the next: where the changes would
 * let them, the lower percentile's stands, and a warning says so.
 *
 * in,out: p   forecast.tail[].value/low/high and forecast.bandwidth; NaN where the baseline does
 *             not know the percentile (a warning each kind); forecast.warnings
 * returns WI_OK; WI_EDATA if the baseline does not hold the operation at all; WI_ENOMEM
 */
enum wi_status wi_baseline_apply(const struct wi_baseline *baseline, struct wi_prediction *p,
                                 struct wi_err *err);

#endif

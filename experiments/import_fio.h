/*
 * Reading what fio writes with --output-format=json or json+: every version since 2.0.10. Pure:
 * bytes in, structs out; no store, no files.
 *
 * What differs between versions, and how it is told apart:
 *   latency unit   members clat/lat (microseconds, before 3.0) or clat_ns/lat_ns (nanoseconds)
 *   bandwidth      bw_bytes where there is one, else bw in KiB/s
 *   percentiles    under clat; under lat where lat_percentiles moved them
 *   samples        N beside the percentiles (3.x), total_ios (2.x), else iops x runtime
 *   jobs           "jobs", or "client_stats" of a client/server run, whose "All clients" is a sum
 */
#ifndef WI_EXPERIMENTS_IMPORT_FIO_H
#define WI_EXPERIMENTS_IMPORT_FIO_H

#include "core/prediction.h"
#include "core/scenario.h"

#define WI_FIO_JOBS_MAX 4096
#define WI_FIO_PERCENTILES_MAX 32
#define WI_FIO_DEPTH_MAX 64 /* fio nests 7 levels */

struct wi_fio_percentile {
    double percentile; /* 0..100 */
    double lat_us;     /* > 0 */
};

/* One non-empty bin of json+: fio's figure for the bin and how many I/Os fell into it. */
struct wi_fio_bin {
    double lat_us;
    double n_ios;
};

enum wi_fio_kind { WI_FIO_NO_LATENCY, WI_FIO_CLAT, WI_FIO_LAT };

/* One direction of one job. */
struct wi_fio_op {
    bool measured;         /* I/Os of this direction were done */
    double n_ios;          /* completed I/Os behind the latencies; NaN = unknown */
    bool n_estimated;      /* from iops x runtime: before 2.1.? no count is printed */
    double bw_mbps;        /* 1e6 bytes per second; NaN = not measured */
    double bw_rel_sd;      /* standard deviation of fio's bandwidth samples over their mean; NaN */
    double n_bw_samples;   /* 0 = none */
    double runtime_s;      /* 0 = not stated */
    enum wi_fio_kind kind; /* which latency the percentiles are of */
    double mean_us, stddev_us, min_us,
        max_us; /* of that latency, clat where there is no percentile */
    struct wi_fio_percentile percentiles[WI_FIO_PERCENTILES_MAX]; /* ascending */
    size_t n_percentiles;
    struct wi_fio_bin *bins; /* ascending */
    size_t n_bins;
};

#define WI_FIO_NO_OPTIONS "fio" /* the workload of a job whose options are not printed */

struct wi_fio_job {
    char name[WI_NAME_MAX];
    char host[WI_NAME_MAX]; /* client_stats only, else "" */
    char workload[256];     /* job options in words: "randread bs=4k iodepth=1 psync" */
    double group;
    struct wi_fio_op ops[3]; /* by enum wi_op */
    double sync_p99_us;      /* fsync latency; NaN = none */
};

struct wi_fio_run {
    char version[64];        /* "fio-3.33" */
    double unit_us;          /* resolution of latencies: 1 before 3.0, 0.001 since */
    struct wi_fio_job *jobs; /* with at least one measured direction */
    size_t n_jobs;
    struct wi_texts warnings;
};

/*
 * in:   text, len   the whole output, at most WI_JSON_BYTES_MAX; anything may stand before, between
 *                   and after the documents; of several (--status-interval) the last complete
 *                   counts
 *       name        file name, for messages
 * out:  run         zeroed before; release with wi_fio_run_release
 * returns WI_OK; WI_EDATA naming file and line or JSON path: empty, no JSON, cut off, not fio's, a
 *         job that failed or never ran and no other, nothing but trims
 */
enum wi_status wi_fio_parse(const char *text, size_t len, const char *name, struct wi_fio_run *run,
                            struct wi_err *err);
void wi_fio_run_release(struct wi_fio_run *run);

/* What is known of one percentile of one direction. */
struct wi_fio_estimate {
    double lat_us;          /* as fio states it */
    double low_us, high_us; /* interval at the confidence, with fio's rounding */
    bool exact;             /* from bins; else interpolated between listed percentiles */
};

/*
 * The interval of percentile `op->percentiles[i]`.
 * returns true; false where the sample cannot support the percentile at this confidence
 * cost:   O(n_bins)
 */
bool wi_fio_estimate(const struct wi_fio_op *op, double unit_us, size_t i, double confidence,
                     struct wi_fio_estimate *out);

#endif

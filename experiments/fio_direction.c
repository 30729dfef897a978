/* One direction of a job (read, write, mixed): percentiles, bins, bandwidth. */
#include "experiments/import_fio_internal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/json.h"

#define KIB 1024.0
/* fio rounds a latency to the middle of its bin; a bin is at most 1/64 of its value wide. */
#define BIN_WIDTH_FRAC (1.0 / 64.0)

/* Latency members in order of preference, with the unit their numbers are in. */
static const struct {
    const char *key;
    enum wi_fio_kind kind;
    double unit_us;
} latencies[] = {{"clat_ns", WI_FIO_CLAT, 1e-3},
                 {"clat", WI_FIO_CLAT, 1.0},
                 {"lat_ns", WI_FIO_LAT, 1e-3},
                 {"lat", WI_FIO_LAT, 1.0}};
#define N_LATENCIES (sizeof(latencies) / sizeof(latencies[0]))

double wi_fio_number(const cJSON *obj, const char *key, double fallback)
{
    double v;

    return wi_json_num(obj, key, &v) ? v : fallback;
}

static bool parse_key(const char *key, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(key, &end);
    return end != key && *end == '\0' && errno == 0 && isfinite(*out);
}

static int compare_bins(const void *a, const void *b)
{
    const struct wi_fio_bin *x = a;
    const struct wi_fio_bin *y = b;

    return (x->lat_us > y->lat_us) - (x->lat_us < y->lat_us);
}

static int compare_percentiles(const void *a, const void *b)
{
    const struct wi_fio_percentile *x = a;
    const struct wi_fio_percentile *y = b;

    return (x->percentile > y->percentile) - (x->percentile < y->percentile);
}

/* The bins are {"1816": 1, ...}: fio's figure for the bin, in the unit of the latency. */
static enum wi_status read_bins(const cJSON *obj, double unit_us, struct wi_fio_op *op,
                                struct wi_err *err)
{
    size_t n = 0;
    const cJSON *m;

    if (!cJSON_IsObject(obj))
        return WI_OK;
    cJSON_ArrayForEach(m, obj) n++;
    if (!n)
        return WI_OK;
    op->bins = calloc(n, sizeof(*op->bins));
    if (!op->bins)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(m, obj)
    {
        double v;

        /* json+ of client/server runs of old versions marks the bin scheme with FIO_IO_U_ members
         */
        if (!cJSON_IsNumber(m) || !parse_key(m->string, &v) || m->valuedouble <= 0.0)
            continue;
        op->bins[op->n_bins].lat_us = v * unit_us;
        op->bins[op->n_bins++].n_ios = m->valuedouble;
    }
    qsort(op->bins, op->n_bins, sizeof(*op->bins), compare_bins);
    return WI_OK;
}

static enum wi_status warn_percentile(const struct wi_fio_place *at, double percentile,
                                      const char *what, struct wi_err *err)
{
    return wi_texts_add(at->warnings, "", err, "%s: %s: percentile %g %s: left out", at->name,
                        at->path, percentile, what);
}

/*
 * The list ends where fio 2 pads it with "0.00". A figure above the maximum by more than a bin, or
 * below its neighbour, is no percentile.
 */
static enum wi_status read_percentiles(const cJSON *obj, double unit_us,
                                       const struct wi_fio_place *at, struct wi_fio_op *op,
                                       struct wi_err *err)
{
    struct wi_fio_percentile list[WI_FIO_PERCENTILES_MAX];
    size_t n = 0;
    double last_us = 0.0;
    double limit_us = op->max_us * (1.0 + BIN_WIDTH_FRAC) + unit_us;
    enum wi_status st = WI_OK;
    const cJSON *m;

    cJSON_ArrayForEach(m, obj)
    {
        double p;

        if (!m->string || !parse_key(m->string, &p) || !(p > 0.0 && p <= 100.0))
            continue;
        if (n == WI_FIO_PERCENTILES_MAX)
            return wi_fail(err, WI_EDATA, "%s: %s: more than %d percentiles", at->name, at->path,
                           WI_FIO_PERCENTILES_MAX);
        list[n].percentile = p;
        list[n++].lat_us = cJSON_IsNumber(m) ? m->valuedouble * unit_us : NAN;
    }
    qsort(list, n, sizeof(list[0]), compare_percentiles);
    for (size_t i = 0; i < n && st == WI_OK; i++) {
        double v = list[i].lat_us;

        if (i && list[i].percentile == list[i - 1].percentile)
            continue;
        if (!isfinite(v))
            st = warn_percentile(at, list[i].percentile, "is not a number", err);
        else if (v <= 0.0)
            st = warn_percentile(at, list[i].percentile, "is below fio's resolution", err);
        else if (isfinite(op->max_us) && v > limit_us)
            st = warn_percentile(at, list[i].percentile, "is above the maximum", err);
        else if (v < last_us)
            st = warn_percentile(at, list[i].percentile, "is below a lower percentile", err);
        else {
            op->percentiles[op->n_percentiles++] = list[i];
            last_us = v;
        }
    }
    return st;
}

const cJSON *wi_fio_percentiles_of(const cJSON *lat)
{
    const cJSON *obj = wi_json_get(lat, "percentile");

    return obj ? obj : wi_json_get(lat, "percentiles");
}

static bool has_samples(const cJSON *lat)
{
    return wi_fio_number(lat, "max", 0.0) > 0.0 || wi_fio_number(lat, "mean", 0.0) > 0.0;
}

/* Which latency to read: the first with percentiles, else the first that was measured at all. */
static size_t choose_latency(const cJSON *dir)
{
    size_t fallback = N_LATENCIES;

    for (size_t i = 0; i < N_LATENCIES; i++) {
        const cJSON *lat = wi_json_get(dir, latencies[i].key);

        if (!has_samples(lat))
            continue;
        if (cJSON_IsObject(wi_fio_percentiles_of(lat)))
            return i;
        if (fallback == N_LATENCIES)
            fallback = i;
    }
    return fallback;
}

static double count_ios(const cJSON *dir, const cJSON *lat, struct wi_fio_op *op)
{
    double n = wi_fio_number(lat, "N", NAN);
    double iops;

    if (isnan(n))
        n = wi_fio_number(dir, "total_ios", NAN);
    if (isnan(n) && wi_json_num(dir, "iops", &iops) && op->runtime_s > 0.0) {
        n = rint(iops * op->runtime_s);
        op->n_estimated = true;
    }
    return n >= 0.0 ? n : NAN;
}

static enum wi_status read_latency(const cJSON *dir, const struct wi_fio_place *at,
                                   struct wi_fio_op *op, struct wi_err *err)
{
    size_t which = choose_latency(dir);
    const cJSON *lat;
    double unit_us;
    enum wi_status st;

    if (which == N_LATENCIES) { /* gtod_reduce, disable_clat: zeros mean "not measured" */
        op->kind = WI_FIO_NO_LATENCY;
        return wi_texts_add(
            at->warnings, "", err,
            "%s: %s: latencies are all zero: not measured (gtod_reduce, or clat and "
            "lat disabled); the bandwidth alone is taken",
            at->name, at->path);
    }
    lat = wi_json_get(dir, latencies[which].key);
    unit_us = latencies[which].unit_us;
    op->kind = latencies[which].kind;
    op->min_us = wi_fio_number(lat, "min", NAN) * unit_us;
    op->max_us = wi_fio_number(lat, "max", NAN) * unit_us;
    op->mean_us = wi_fio_number(lat, "mean", NAN) * unit_us;
    op->stddev_us = wi_fio_number(lat, "stddev", NAN) * unit_us;
    op->n_ios = count_ios(dir, lat, op);
    if (op->n_ios == 0.0)
        return wi_texts_add(at->warnings, "", err, "%s: %s: N is 0: no latency was measured",
                            at->name, at->path);
    st = read_percentiles(wi_fio_percentiles_of(lat), unit_us, at, op, err);
    if (st == WI_OK)
        st = read_bins(wi_json_get(lat, "bins"), unit_us, op, err);
    if (st == WI_OK && !op->n_bins) /* before 3.? the bins stood among the percentiles' siblings */
        st = read_bins(wi_json_get(wi_fio_percentiles_of(lat), "bins"), unit_us, op, err);
    if (st == WI_OK && !op->n_percentiles)
        st = wi_texts_add(at->warnings, "", err,
                          "%s: %s: no percentiles in it; the bandwidth alone is taken", at->name,
                          at->path);
    return st;
}

enum wi_status wi_fio_direction_read(const cJSON *dir, const struct wi_fio_place *at,
                                     struct wi_fio_op *op, struct wi_err *err)
{
    double io_bytes = wi_fio_number(dir, "io_bytes", 0.0);
    double bw_kib_s;
    double bw_mean = wi_fio_number(dir, "bw_mean", 0.0);

    *op = (struct wi_fio_op){.n_ios = NAN,
                             .bw_mbps = NAN,
                             .bw_rel_sd = NAN,
                             .mean_us = NAN,
                             .stddev_us = NAN,
                             .min_us = NAN,
                             .max_us = NAN};
    if (!cJSON_IsObject(dir) || io_bytes <= 0.0)
        return WI_OK;
    op->measured = true;
    op->runtime_s = fmax(0.0, wi_fio_number(dir, "runtime", 0.0) / 1000.0);
    if (wi_json_num(dir, "bw_bytes", &op->bw_mbps))
        op->bw_mbps /= 1e6;
    else if (wi_json_num(dir, "bw", &bw_kib_s))
        op->bw_mbps = bw_kib_s * KIB / 1e6;
    if (!(op->bw_mbps > 0.0))
        op->bw_mbps = NAN; /* shorter than fio's clock, or overflow */
    op->n_bw_samples = fmax(0.0, wi_fio_number(dir, "bw_samples", 0.0));
    if (bw_mean > 0.0 && op->n_bw_samples >= 2.0)
        op->bw_rel_sd = wi_fio_number(dir, "bw_dev", NAN) / bw_mean;
    return read_latency(dir, at, op, err);
}

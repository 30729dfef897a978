#include "experiments/import_fio.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/json_find.h"

#define KIB 1024.0
/* fio rounds a latency to the middle of its bin; a bin is at most 1/64 of its value wide. */
#define BIN_WIDTH_FRAC (1.0 / 64.0)

static const struct {
    const char *key;
    enum wi_op op;
} directions[] = {{"read", WI_OP_READ}, {"write", WI_OP_WRITE}, {"mixed", WI_OP_MIXED}};

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

void wi_fio_run_release(struct wi_fio_run *run)
{
    for (size_t i = 0; i < run->n_jobs; i++) {
        for (size_t k = 0; k < 3; k++)
            free(run->jobs[i].ops[k].bins);
    }
    free(run->jobs);
    wi_texts_release(&run->warnings);
    *run = (struct wi_fio_run){0};
}

static double number_or(const cJSON *obj, const char *key, double fallback)
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

struct place {
    const char *name; /* file */
    char path[160];   /* jobs[0].read */
    struct wi_texts *warnings;
};

static enum wi_status warn_percentile(const struct place *at, double percentile, const char *what,
                                      struct wi_err *err)
{
    return wi_texts_add(at->warnings, "", err, "%s: %s: percentile %g %s: left out", at->name,
                        at->path, percentile, what);
}

/*
 * The list ends where fio 2 pads it with "0.00". A figure above the maximum by more than a bin, or
 * below its neighbour, is no percentile.
 */
static enum wi_status read_percentiles(const cJSON *obj, double unit_us, const struct place *at,
                                       struct wi_fio_op *op, struct wi_err *err)
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

static const cJSON *percentile_object(const cJSON *lat)
{
    const cJSON *obj = wi_json_get(lat, "percentile");

    return obj ? obj : wi_json_get(lat, "percentiles");
}

static bool has_samples(const cJSON *lat)
{
    return number_or(lat, "max", 0.0) > 0.0 || number_or(lat, "mean", 0.0) > 0.0;
}

/* Which latency to read: the first with percentiles, else the first that was measured at all. */
static size_t choose_latency(const cJSON *dir)
{
    size_t fallback = N_LATENCIES;

    for (size_t i = 0; i < N_LATENCIES; i++) {
        const cJSON *lat = wi_json_get(dir, latencies[i].key);

        if (!has_samples(lat))
            continue;
        if (cJSON_IsObject(percentile_object(lat)))
            return i;
        if (fallback == N_LATENCIES)
            fallback = i;
    }
    return fallback;
}

static double count_ios(const cJSON *dir, const cJSON *lat, struct wi_fio_op *op)
{
    double n = number_or(lat, "N", NAN);
    double iops;

    if (isnan(n))
        n = number_or(dir, "total_ios", NAN);
    if (isnan(n) && wi_json_num(dir, "iops", &iops) && op->runtime_s > 0.0) {
        n = rint(iops * op->runtime_s);
        op->n_estimated = true;
    }
    return n >= 0.0 ? n : NAN;
}

static enum wi_status read_latency(const cJSON *dir, const struct place *at, struct wi_fio_op *op,
                                   struct wi_err *err)
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
    op->min_us = number_or(lat, "min", NAN) * unit_us;
    op->max_us = number_or(lat, "max", NAN) * unit_us;
    op->mean_us = number_or(lat, "mean", NAN) * unit_us;
    op->stddev_us = number_or(lat, "stddev", NAN) * unit_us;
    op->n_ios = count_ios(dir, lat, op);
    if (op->n_ios == 0.0)
        return wi_texts_add(at->warnings, "", err, "%s: %s: N is 0: no latency was measured",
                            at->name, at->path);
    st = read_percentiles(percentile_object(lat), unit_us, at, op, err);
    if (st == WI_OK)
        st = read_bins(wi_json_get(lat, "bins"), unit_us, op, err);
    if (st == WI_OK && !op->n_bins) /* before 3.? the bins stood among the percentiles' siblings */
        st = read_bins(wi_json_get(percentile_object(lat), "bins"), unit_us, op, err);
    if (st == WI_OK && !op->n_percentiles)
        st = wi_texts_add(at->warnings, "", err,
                          "%s: %s: no percentiles in it; the bandwidth alone is taken", at->name,
                          at->path);
    return st;
}

static enum wi_status read_direction(const cJSON *dir, const struct place *at, struct wi_fio_op *op,
                                     struct wi_err *err)
{
    double io_bytes = number_or(dir, "io_bytes", 0.0);
    double bw_kib_s;
    double bw_mean = number_or(dir, "bw_mean", 0.0);

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
    op->runtime_s = fmax(0.0, number_or(dir, "runtime", 0.0) / 1000.0);
    if (wi_json_num(dir, "bw_bytes", &op->bw_mbps))
        op->bw_mbps /= 1e6;
    else if (wi_json_num(dir, "bw", &bw_kib_s))
        op->bw_mbps = bw_kib_s * KIB / 1e6;
    if (!(op->bw_mbps > 0.0))
        op->bw_mbps = NAN; /* shorter than fio's clock, or overflow */
    op->n_bw_samples = fmax(0.0, number_or(dir, "bw_samples", 0.0));
    if (bw_mean > 0.0 && op->n_bw_samples >= 2.0)
        op->bw_rel_sd = number_or(dir, "bw_dev", NAN) / bw_mean;
    return read_latency(dir, at, op, err);
}

static const char *job_option(const cJSON *doc, const cJSON *job, const char *key)
{
    const char *v = wi_json_str(wi_json_get(job, "job options"), key);

    return v ? v : wi_json_str(wi_json_get(doc, "global options"), key);
}

static void describe_workload(const cJSON *doc, const cJSON *job, char *buf, size_t size)
{
    static const char *const keys[] = {"bs", "iodepth", "numjobs", "rwmixread", "direct", "size"};
    const char *rw = job_option(doc, job, "rw");
    const char *engine = job_option(doc, job, "ioengine");
    size_t used;

    if (!rw)
        rw = job_option(doc, job, "readwrite");
    snprintf(buf, size, "fio%s%.40s%s%.40s", rw ? " " : "", rw ? rw : "", engine ? " " : "",
             engine ? engine : "");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *v = job_option(doc, job, keys[i]);

        used = strlen(buf);
        if (v && used + strlen(keys[i]) + 42 < size)
            snprintf(buf + used, size - used, " %s=%.40s", keys[i], v);
    }
}

/* What a reader should doubt about a job: not an error, but it goes beside the numbers. */
static enum wi_status doubt_job(const cJSON *doc, const cJSON *job, const struct place *at,
                                const struct wi_fio_job *out, struct wi_err *err)
{
    const char *engine = job_option(doc, job, "ioengine");
    const char *direct = job_option(doc, job, "direct");
    double runtime_s =
        fmax(out->ops[0].runtime_s, fmax(out->ops[1].runtime_s, out->ops[2].runtime_s));
    enum wi_status st = WI_OK;

    if (engine && strcmp(engine, "null") == 0)
        st = wi_texts_add(at->warnings, "", err,
                          "%s: %s: ioengine null moves no data: this measures fio, not a drive",
                          at->name, at->path);
    else if (engine && !(direct && strcmp(direct, "1") == 0))
        st = wi_texts_add(at->warnings, "", err,
                          "%s: %s: direct=1 was not set: the page cache may have answered",
                          at->name, at->path);
    if (st == WI_OK && runtime_s > 0.0 && runtime_s < 1.0)
        st = wi_texts_add(at->warnings, "", err,
                          "%s: %s: ran for %g s only: says little about a drive", at->name,
                          at->path, runtime_s);
    return st;
}

static double sync_p99_us(const cJSON *job)
{
    const cJSON *sync = wi_json_get(job, "sync");
    const cJSON *lat = wi_json_get(sync, "lat_ns");

    if (number_or(sync, "total_ios", 0.0) <= 0.0)
        return NAN;
    return number_or(percentile_object(lat), "99.000000", NAN) * 1e-3;
}

/* strerror may share a buffer between threads; this does not. */
static const char *error_text(double code)
{
    const char *text = strerrordesc_np((int)fmin(fabs(code), 4095.0));

    return text ? text : "unknown error";
}

static enum wi_status read_job(const cJSON *doc, const cJSON *job, const char *name,
                               const char *list, size_t index, struct wi_fio_run *run,
                               struct wi_err *err)
{
    struct wi_fio_job out = {.sync_p99_us = NAN};
    struct place at = {.name = name, .warnings = &run->warnings};
    const char *text = wi_json_str(job, "jobname");
    double code = number_or(job, "error", 0.0);
    bool any = false;
    enum wi_status st = WI_OK;

    snprintf(out.name, sizeof(out.name), "%s", text ? text : "");
    text = wi_json_str(job, "hostname");
    snprintf(out.host, sizeof(out.host), "%s", text ? text : "");
    out.group = number_or(job, "groupid", 0.0);
    if (code != 0.0)
        return wi_texts_add(&run->warnings, "", err,
                            "%s: %s[%zu]: job '%.60s' failed with error %g (%s): left out", name,
                            list, index, out.name, code, error_text(code));
    for (size_t i = 0; i < 3 && st == WI_OK; i++) {
        struct wi_fio_op *op = &out.ops[directions[i].op];

        snprintf(at.path, sizeof(at.path), "%s[%zu].%s", list, index, directions[i].key);
        st = read_direction(wi_json_get(job, directions[i].key), &at, op, err);
        any = any || op->measured;
    }
    snprintf(at.path, sizeof(at.path), "%s[%zu]", list, index);
    if (st == WI_OK && any) {
        describe_workload(doc, job, out.workload, sizeof(out.workload));
        out.sync_p99_us = sync_p99_us(job);
        st = doubt_job(doc, job, &at, &out, err);
    } else if (st == WI_OK) {
        bool trims = number_or(wi_json_get(job, "trim"), "io_bytes", 0.0) > 0.0;

        st = wi_texts_add(&run->warnings, "", err, "%s: %s: job '%.60s' %s: left out", name,
                          at.path, out.name,
                          trims ? "only trimmed, and trims are no reads or writes"
                                : "did no I/O: it never ran or was stopped before");
    }
    if (st != WI_OK || !any) {
        for (size_t k = 0; k < 3; k++)
            free(out.ops[k].bins);
        return st;
    }
    run->jobs[run->n_jobs++] = out;
    return WI_OK;
}

/* Clients may be hosts of their own, each with its own drive. */
static enum wi_status warn_hosts(const char *name, struct wi_fio_run *run, struct wi_err *err)
{
    for (size_t i = 1; i < run->n_jobs; i++) {
        if (strcmp(run->jobs[i].host, run->jobs[0].host) != 0)
            return wi_texts_add(
                &run->warnings, "", err,
                "%s: jobs of several hosts ('%.40s', '%.40s'): each is stored on its "
                "own, all under the one drive that the options name",
                name, run->jobs[0].host, run->jobs[i].host);
    }
    return WI_OK;
}

static enum wi_status read_document(const cJSON *doc, const char *name, struct wi_fio_run *run,
                                    struct wi_err *err)
{
    const char *list = "jobs";
    const cJSON *jobs = wi_json_get(doc, list);
    const char *version = wi_json_str(doc, "fio version");
    int n;
    size_t index = 0;
    enum wi_status st = WI_OK;
    const cJSON *job;

    if (!jobs) {
        list = "client_stats";
        jobs = wi_json_get(doc, list);
    }
    if (!version || !cJSON_IsArray(jobs))
        return wi_fail(err, WI_EDATA,
                       "%s: JSON, but not fio's: no 'fio version' with 'jobs' or "
                       "'client_stats' in it",
                       name);
    snprintf(run->version, sizeof(run->version), "%s", version);
    n = cJSON_GetArraySize(jobs);
    if (n > WI_FIO_JOBS_MAX)
        return wi_fail(err, WI_EDATA, "%s: %s: %d jobs, at most %d are read", name, list, n,
                       WI_FIO_JOBS_MAX);
    run->jobs = calloc(n ? (size_t)n : 1, sizeof(*run->jobs));
    if (!run->jobs)
        return wi_fail_nomem(err);
    run->unit_us = strncmp(version, "fio-0.", 6) == 0 || strncmp(version, "fio-1.", 6) == 0 ||
                           strncmp(version, "fio-2.", 6) == 0
                       ? 1.0
                       : 1e-3;
    cJSON_ArrayForEach(job, jobs)
    {
        const char *jobname = wi_json_str(job, "jobname");

        if (st == WI_OK && jobname && strcmp(list, "client_stats") == 0 &&
            strcmp(jobname, "All clients") == 0)
            index++; /* the sum of the others */
        else if (st == WI_OK)
            st = read_job(doc, job, name, list, index++, run, err);
    }
    return st;
}

static enum wi_status warn_span(const struct wi_json_span *span, const char *name,
                                struct wi_fio_run *run, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (span->n_complete > 1)
        st = wi_texts_add(&run->warnings, "", err,
                          "%s: %zu documents in it: the last, from line %zu on, counts", name,
                          span->n_complete, span->line);
    if (st == WI_OK && span->cut_off)
        st = wi_texts_add(&run->warnings, "", err,
                          "%s:%zu: a later document is cut off: the last complete one counts", name,
                          span->cut_line);
    if (st == WI_OK && span->n_non_finite)
        st = wi_texts_add(&run->warnings, "", err,
                          "%s: %zu numbers are nan or inf: taken as not measured", name,
                          span->n_non_finite);
    return st;
}

/* Every job was left out: the reasons are the error. */
static enum wi_status refuse_without_jobs(const char *name, const struct wi_fio_run *run,
                                          struct wi_err *err)
{
    for (size_t i = run->warnings.n; i-- > 0;) {
        if (strstr(run->warnings.items[i].text, "left out"))
            return wi_fail(err, WI_EDATA, "%s; nothing was measured", run->warnings.items[i].text);
    }
    return wi_fail(err, WI_EDATA, "%s: no jobs in it: nothing was measured", name);
}

enum wi_status wi_fio_parse(const char *text, size_t len, const char *name, struct wi_fio_run *run,
                            struct wi_err *err)
{
    struct wi_json_span span;
    struct wi_fio_run tmp = {0};
    cJSON *doc = NULL;
    enum wi_status st;

    st = wi_json_parse_last(text, len, name, WI_FIO_DEPTH_MAX, "run fio with --output-format=json",
                            &doc, &span, err);
    if (st == WI_OK)
        st = warn_span(&span, name, &tmp, err);
    if (st == WI_OK)
        st = read_document(doc, name, &tmp, err);
    if (st == WI_OK)
        st = warn_hosts(name, &tmp, err);
    if (st == WI_OK && !tmp.n_jobs)
        st = refuse_without_jobs(name, &tmp, err);
    cJSON_Delete(doc);
    if (st != WI_OK) {
        wi_fio_run_release(&tmp);
        return st;
    }
    *run = tmp;
    return WI_OK;
}

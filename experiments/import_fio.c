#include "experiments/import_fio_internal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/json_find.h"

static const struct {
    const char *key;
    enum wi_op op;
} directions[] = {{"read", WI_OP_READ}, {"write", WI_OP_WRITE}, {"mixed", WI_OP_MIXED}};

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
    snprintf(buf, size, WI_FIO_NO_OPTIONS "%s%.40s%s%.40s", rw ? " " : "", rw ? rw : "",
             engine ? " " : "", engine ? engine : "");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *v = job_option(doc, job, keys[i]);

        used = strlen(buf);
        if (v && used + strlen(keys[i]) + 42 < size)
            snprintf(buf + used, size - used, " %s=%.40s", keys[i], v);
    }
}

/* What a reader should doubt about a job: not an error, but it goes beside the numbers. */
static enum wi_status doubt_job(const cJSON *doc, const cJSON *job, const struct wi_fio_place *at,
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

    if (wi_fio_number(sync, "total_ios", 0.0) <= 0.0)
        return NAN;
    return wi_fio_number(wi_fio_percentiles_of(lat), "99.000000", NAN) * 1e-3;
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
    struct wi_fio_place at = {.name = name, .warnings = &run->warnings};
    const char *text = wi_json_str(job, "jobname");
    double code = wi_fio_number(job, "error", 0.0);
    bool any = false;
    enum wi_status st = WI_OK;

    snprintf(out.name, sizeof(out.name), "%s", text ? text : "");
    text = wi_json_str(job, "hostname");
    snprintf(out.host, sizeof(out.host), "%s", text ? text : "");
    out.group = wi_fio_number(job, "groupid", 0.0);
    if (code != 0.0)
        return wi_texts_add(&run->warnings, "", err,
                            "%s: %s[%zu]: job '%.60s' failed with error %g (%s): left out", name,
                            list, index, out.name, code, error_text(code));
    for (size_t i = 0; i < 3 && st == WI_OK; i++) {
        struct wi_fio_op *op = &out.ops[directions[i].op];

        snprintf(at.path, sizeof(at.path), "%s[%zu].%s", list, index, directions[i].key);
        st = wi_fio_direction_read(wi_json_get(job, directions[i].key), &at, op, err);
        any = any || op->measured;
    }
    snprintf(at.path, sizeof(at.path), "%s[%zu]", list, index);
    if (st == WI_OK && any) {
        describe_workload(doc, job, out.workload, sizeof(out.workload));
        out.sync_p99_us = sync_p99_us(job);
        st = doubt_job(doc, job, &at, &out, err);
    } else if (st == WI_OK) {
        bool trims = wi_fio_number(wi_json_get(job, "trim"), "io_bytes", 0.0) > 0.0;

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

/*
 * fio: a job file that holds the predicted latencies against a real drive. The workload is the one
 * that fio reports to have run for the base; two jobs of it:
 *
 *   assert   runs it as it was, with the predicted percentiles in percentile_list; a jq line in the
 *            comment fails where one of them is above the prediction
 *   target   latency_target, latency_percentile: fio looks for the queue depth that stays below
 *
 * By default the upper end of the interval is asserted: a drive above it contradicts the
 * prediction, one below does not.
 *
 * source: fio 3.33, HOWTO: latency_target (time, latency_window, latency_percentile), max 20
 *         entries of percentile_list, clat_percentiles, lat_percentiles; json: "global options",
 *         "job options" (not those without a value), percentile keys with six decimals, clat_ns and
 *         lat_ns
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "experiments/export_internal.h"
#include "experiments/import_fio.h"
#include "experiments/json_find.h"

#define PERCENTILES_MAX 20 /* FIO_IO_U_LIST_MAX_LEN */
#define WINDOW_S 5         /* as in fio's examples/latency-profile.fio */

/* What the export says itself, or what would leave files behind. */
static const char *const own_options[] = {"name",
                                          "percentile_list",
                                          "clat_percentiles",
                                          "lat_percentiles",
                                          "slat_percentiles",
                                          "latency_target",
                                          "latency_window",
                                          "latency_percentile",
                                          "latency_run",
                                          "max_latency",
                                          "write_bw_log",
                                          "write_lat_log",
                                          "write_iops_log",
                                          "write_hist_log",
                                          "output",
                                          "output-format",
                                          "group_reporting",
                                          NULL};

static double bound_us(const struct export_job *job, const struct export_latency *l)
{
    if (job->bound == WI_EXPORT_LOW)
        return l->low_us;
    return job->bound == WI_EXPORT_HIGH ? l->high_us : l->scaled_us;
}

/* ---- the workload of the base ------------------------------------------------------------ */

static bool is_ours(const char *key)
{
    for (size_t i = 0; own_options[i]; i++) {
        if (strcmp(own_options[i], key) == 0)
            return true;
    }
    return false;
}

static enum wi_status copy_options(const cJSON *options, const char *where, struct wi_buf *out,
                                   struct wi_err *err)
{
    const cJSON *o = NULL;

    cJSON_ArrayForEach(o, options)
    {
        bool plain = cJSON_IsString(o) && *o->string;

        for (const char *c = plain ? o->string : ""; *c; c++)
            plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
        for (const char *c = plain ? o->valuestring : ""; *c; c++)
            plain = plain && (unsigned char)*c >= ' ' && *c != 127;
        if (!plain)
            return wi_fail(err, WI_EDATA, "%s: option '%.60s' is no text of one line", where,
                           o->string ? o->string : "");
        if (is_ours(o->string))
            continue;
        if (*o->valuestring)
            wi_buf_addf(out, "%s=%s\n", o->string, o->valuestring);
        else
            wi_buf_addf(out, "%s\n", o->string);
    }
    return WI_OK;
}

static enum wi_status copy_workload(const struct wi_export_options *opt, struct wi_buf *out,
                                    struct wi_err *err)
{
    struct wi_json_span span;
    cJSON *root = NULL;
    const cJSON *jobs;
    const cJSON *job = NULL;
    const char *name = NULL;
    enum wi_status st =
        wi_json_parse_last(opt->base, opt->base_len, opt->base_name, WI_FIO_DEPTH_MAX,
                           "run fio with --output-format=json", &root, &span, err);

    if (st != WI_OK)
        return st;
    jobs = wi_json_get(root, "jobs");
    cJSON_ArrayForEach(job, jobs)
    {
        const char *this_name = wi_json_str(job, "jobname");

        if (name && (!this_name || strcmp(name, this_name) != 0))
            st = wi_fail(err, WI_EDATA, "%s: holds several jobs, must be the run of one",
                         opt->base_name);
        name = this_name;
    }
    if (st == WI_OK)
        st = copy_options(wi_json_get(root, "global options"), opt->base_name, out, err);
    if (st == WI_OK && cJSON_GetArraySize(jobs) > 0)
        st = copy_options(wi_json_get(cJSON_GetArrayItem(jobs, 0), "job options"), opt->base_name,
                          out, err);
    cJSON_Delete(root);
    return st;
}

/* Which latency the base's percentiles are of. */
static enum wi_status is_total_latency(const struct wi_export_options *opt, bool *total,
                                       struct wi_err *err)
{
    struct wi_fio_run run = {0};
    enum wi_status st = WI_OK;

    *total = false;
    if (!opt->base_name)
        return WI_OK;
    st = wi_fio_parse(opt->base, opt->base_len, opt->base_name, &run, err);
    for (size_t i = 0; st == WI_OK && i < run.n_jobs; i++) {
        for (int op = 0; op < 3; op++)
            *total = *total || run.jobs[i].ops[op].kind == WI_FIO_LAT;
    }
    wi_fio_run_release(&run);
    return st;
}

/* ---- the job file ------------------------------------------------------------------------ */

static void comment_latencies(const struct export_job *job, struct wi_buf *out)
{
    for (int op = 0; op < 3; op++) {
        for (size_t i = 0; job->side[op].asked && i < job->side[op].prediction.forecast.n_tail;
             i++) {
            struct export_latency l = export_latency(job, (enum wi_op)op, i);

            if (isfinite(l.base_us))
                export_comment(out, EXPORT_HASH,
                               "%s p%.8g: %.4g us -> %.4g us (%.4g to %.4g), %+.1f %%",
                               wi_op_name((enum wi_op)op), l.change->percentile, l.base_us,
                               l.scaled_us, l.low_us, l.high_us, l.change->change_pct);
            else
                export_comment(out, EXPORT_HASH, "%s p%.8g: the base does not know it, left out",
                               wi_op_name((enum wi_op)op), l.change->percentile);
        }
    }
}

/* jq that is false where a percentile of the run is above the prediction, or was not reported. */
static void comment_assertion(const struct export_job *job, bool total, struct wi_buf *out)
{
    struct wi_buf jq = {0};
    bool any = false;

    for (int op = 0; op < 3; op++) {
        for (size_t i = 0; job->side[op].asked && i < job->side[op].prediction.forecast.n_tail;
             i++) {
            struct export_latency l = export_latency(job, (enum wi_op)op, i);

            if (!isfinite(l.base_us))
                continue;
            wi_buf_addf(&jq, "%s(.%s.%s_ns.percentile.\"%.6f\" // infinite) <= %.0f",
                        any ? " and " : "", wi_op_name((enum wi_op)op), total ? "lat" : "clat",
                        l.change->percentile, 1e3 * bound_us(job, &l));
            any = true;
        }
    }
    export_comment(out, EXPORT_HASH, "assertion, on the output of fio --output-format=json:");
    /* longer than a comment line may be, and made of our own text alone */
    wi_buf_puts(out, "# jq -e '[.jobs[] | select(.jobname == \"assert\") | ");
    wi_buf_puts(out, jq.text ? jq.text : "");
    wi_buf_puts(out, "] | length > 0 and all'\n");
    out->failed = out->failed || jq.failed;
    wi_buf_release(&jq);
}

static void print_list(const struct export_job *job, bool total, struct wi_buf *out, size_t *n)
{
    double seen[2 * WI_PERCENTILES_MAX];

    *n = 0;
    wi_buf_puts(out, total ? "lat_percentiles=1\n" : "clat_percentiles=1\n");
    wi_buf_puts(out, "percentile_list=");
    for (int op = 0; op < 3; op++) {
        for (size_t i = 0; job->side[op].asked && i < job->side[op].prediction.forecast.n_tail;
             i++) {
            struct export_latency l = export_latency(job, (enum wi_op)op, i);
            bool known = !isfinite(l.base_us);

            for (size_t k = 0; k < *n; k++)
                known = known || seen[k] == l.change->percentile;
            if (known)
                continue;
            wi_buf_addf(out, "%s%.8g", *n ? ":" : "", l.change->percentile);
            seen[(*n)++] = l.change->percentile;
        }
    }
    wi_buf_puts(out, "\n");
}

/*
 * The target: the lowest percentile that the base knows. Reads and writes of one job share it, so
 * it is the larger of the two: if each stays below its own, all of them together do.
 */
static void print_target(const struct export_job *job, struct wi_buf *out)
{
    double percentile = INFINITY;
    double us = 0.0;

    for (int pass = 0; pass < 2; pass++) {
        for (int op = 0; op < 3; op++) {
            for (size_t i = 0; job->side[op].asked && i < job->side[op].prediction.forecast.n_tail;
                 i++) {
                struct export_latency l = export_latency(job, (enum wi_op)op, i);

                if (isfinite(l.base_us) && pass == 0)
                    percentile = fmin(percentile, l.change->percentile);
                else if (isfinite(l.base_us) && l.change->percentile == percentile)
                    us = fmax(us, bound_us(job, &l));
            }
        }
    }
    wi_buf_addf(out,
                "\n[target]\nstonewall\nlatency_target=%.0f\nlatency_window=%ds\n"
                "latency_percentile=%.8g\n",
                ceil(us - 1e-9), WINDOW_S, percentile); /* whole us: it reads "ns" as us too */
}

static enum wi_status write_fio(struct export_job *job, struct wi_buf *out, struct wi_err *err)
{
    bool total = false;
    size_t n = 0;
    enum wi_status st = export_latency_apply(job, err);

    if (st == WI_OK)
        st = is_total_latency(job->opt, &total, err);
    if (st != WI_OK)
        return st;
    export_comment_head(out, EXPORT_HASH, job, "latencies scaled by the predicted change");
    comment_latencies(job, out);
    comment_assertion(job, total, out);
    export_comment(out, EXPORT_HASH, "format: fio 3.33 HOWTO, latency_target and percentile_list");
    if (job->opt->base_name)
        export_comment(out, EXPORT_HASH,
                       "workload: as the base reports it; fio leaves out options without a value, "
                       "such as time_based");
    else
        export_comment(out, EXPORT_HASH,
                       "the workload is not known: add rw, bs, iodepth, filename to [global]");
    wi_buf_puts(out, "[global]\n");
    if (job->opt->base_name)
        st = copy_workload(job->opt, out, err);
    print_list(job, total, out, &n);
    if (st == WI_OK && n == 0)
        st = wi_fail(err, WI_EDATA, "%s: knows none of the percentiles that are predicted",
                     job->opt->base_name);
    if (st == WI_OK && n > PERCENTILES_MAX)
        st = wi_fail(err, WI_ERANGE, "fio reports at most %d percentiles, not %zu", PERCENTILES_MAX,
                     n);
    wi_buf_puts(out, "\n[assert]\nstonewall\n");
    print_target(job, out);
    return st;
}

const struct wi_export_target export_fio = {
    .name = "fio",
    .title = "a fio job: predicted percentiles as assertion and latency_target",
    .base = "what fio printed as JSON in the before condition",
    .unit = "us",
    .takes = WI_EXPORT_TAKES_BOUND,
    .bound = WI_EXPORT_HIGH,
    .prepare = export_latency_prepare,
    .write = write_fio};

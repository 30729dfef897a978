/*
 * A figure of fio runs with its sampling error. Over R repetitions the half widths combine as a
 * mean; where the repetitions scatter more than their samples say (latencies of one run are not
 * independent), Student's interval of the scatter counts instead.
 *
 * Error of a change. Each figure knows ln(latency) within an asymmetric interval. The interval of
 * the difference of two is MOVER: Zou & Donner, Statistics in Medicine 27:1693, 2008, equation 2,
 * on the log scale.
 *
 * A run that was not repeated does not show how far runs differ when nothing changes, which is far
 * more than what its samples say. Judgement, not data: a standard deviation of the logarithm by
 * what is measured, until repetitions tell.
 */
#include "experiments/import_fio_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/student.h"

#define NORMAL_95 1.6448536269514722
#define RUNS_SD_BANDWIDTH 0.05
#define RUNS_SD_P99 0.10
#define RUNS_SD_P999 0.20
#define RUNS_SD_BEYOND 0.30
#define RUNS_SD_BUFFERED 0.50 /* the page cache answers, or does not */

/* A direction of a job in one run; clones of a job (numjobs without group_reporting) count as one.
 */
struct part {
    const struct wi_fio_op *ops[64];
    size_t n_ops;
    double unit_us;
};

static void collect_part(const struct wi_fio_run *run, const struct wi_fio_job *job, bool any_name,
                         enum wi_op op, struct part *part)
{
    *part = (struct part){.unit_us = run->unit_us};
    for (size_t i = 0; i < run->n_jobs && part->n_ops < 64; i++) {
        if ((any_name || wi_fio_same_job(&run->jobs[i], job)) && run->jobs[i].ops[op].measured)
            part->ops[part->n_ops++] = &run->jobs[i].ops[op];
    }
}

static bool op_percentile(const struct wi_fio_op *op, double percentile, size_t *index)
{
    for (size_t i = 0; i < op->n_percentiles; i++) {
        if (op->percentiles[i].percentile == percentile) {
            *index = i;
            return true;
        }
    }
    return false;
}

/*
 * The percentile of one run. The percentile of several clones together lies between the smallest
 * and the largest of theirs, whatever their shapes; the middle is their mean, weighted by I/Os.
 */
static bool part_percentile(const struct part *part, double percentile, struct wi_fio_figure *out)
{
    double sum = 0.0;
    double low = INFINITY;
    double high = 0.0;

    *out = (struct wi_fio_figure){0};
    for (size_t k = 0; k < part->n_ops; k++) {
        struct wi_fio_estimate e;
        size_t i;

        if (!op_percentile(part->ops[k], percentile, &i) ||
            !wi_fio_estimate(part->ops[k], part->unit_us, i, WI_IMPORT_CONFIDENCE, &e))
            return false;
        sum += part->ops[k]->n_ios * log(e.lat_us);
        out->n_samples += part->ops[k]->n_ios;
        low = fmin(low, e.low_us);
        high = fmax(high, e.high_us);
    }
    if (!part->n_ops)
        return false;
    out->log_value = sum / out->n_samples;
    out->down = fmax(0.0, out->log_value - log(low));
    out->up = fmax(0.0, log(high) - out->log_value);
    return true;
}

/*
 * Sampling error of a bandwidth: from fio's own bandwidth samples, from the scatter of latencies
 * (a closed loop moves its block size per mean latency), and from the millisecond of its clock;
 * the largest of what is known. NaN where nothing is.
 */
static double bandwidth_error(const struct wi_fio_op *op)
{
    double error = NAN;

    if (op->n_bw_samples >= 2.0 && isfinite(op->bw_rel_sd))
        error = wi_student_quantile(0.95, op->n_bw_samples - 1.0) * op->bw_rel_sd /
                sqrt(op->n_bw_samples);
    if (op->kind != WI_FIO_NO_LATENCY && op->mean_us > 0.0 && op->n_ios >= 2.0)
        error = fmax(error, NORMAL_95 * op->stddev_us / op->mean_us / sqrt(op->n_ios));
    if (isfinite(error) && op->runtime_s > 0.0)
        error = fmax(error, 0.0005 / op->runtime_s);
    return error;
}

static bool part_bandwidth(const struct part *part, struct wi_fio_figure *out)
{
    double sum = 0.0;
    double variance = 0.0;

    *out = (struct wi_fio_figure){0};
    for (size_t k = 0; k < part->n_ops; k++) {
        double error = bandwidth_error(part->ops[k]);

        if (!isfinite(part->ops[k]->bw_mbps))
            return false;
        sum += part->ops[k]->bw_mbps;
        variance += pow(error * part->ops[k]->bw_mbps, 2.0);
        out->n_samples += part->ops[k]->n_ios;
    }
    if (!(sum > 0.0))
        return false;
    out->log_value = log(sum);
    out->up = out->down = sqrt(variance) / sum; /* NaN = unknown */
    return true;
}

/* Mean over repetitions. */
static void pool(const struct wi_fio_figure *figures, size_t n, struct wi_fio_figure *out)
{
    double scatter = 0.0;
    double t_half = NAN;

    *out = (struct wi_fio_figure){0};
    for (size_t i = 0; i < n; i++) {
        out->log_value += figures[i].log_value / (double)n;
        out->down += pow(figures[i].down, 2.0);
        out->up += pow(figures[i].up, 2.0);
        out->n_samples += figures[i].n_samples;
    }
    out->down = sqrt(out->down) / (double)n;
    out->up = sqrt(out->up) / (double)n;
    for (size_t i = 0; i < n; i++)
        scatter += pow(figures[i].log_value - out->log_value, 2.0);
    if (n >= 2)
        t_half = wi_student_quantile(0.95, (double)n - 1.0) *
                 sqrt(scatter / ((double)n - 1.0) / (double)n);
    out->down = fmax(out->down, t_half); /* fmax passes over the NaN of an unknown error */
    out->up = fmax(out->up, t_half);
}

static double between_runs(const struct wi_fio_question *q)
{
    bool known = strcmp(q->job->workload, WI_FIO_NO_OPTIONS) != 0;

    if (known && !strstr(q->job->workload, " direct=1"))
        return NORMAL_95 * RUNS_SD_BUFFERED;
    if (isnan(q->percentile))
        return NORMAL_95 * RUNS_SD_BANDWIDTH;
    if (q->percentile <= 99.0)
        return NORMAL_95 * RUNS_SD_P99;
    return NORMAL_95 * (q->percentile <= 99.9 ? RUNS_SD_P999 : RUNS_SD_BEYOND);
}

enum wi_status wi_fio_figure_pool(const struct wi_fio_runs *runs, const struct wi_fio_question *q,
                                  bool *known, struct wi_fio_figure *out, struct wi_err *err)
{
    struct wi_fio_figure *figures = calloc(runs->n, sizeof(*figures));

    if (!figures)
        return wi_fail_nomem(err);
    *known = true;
    for (size_t i = 0; i < runs->n && *known; i++) {
        struct part part;

        collect_part(&runs->items[i].run, q->job, q->any_name, q->op, &part);
        *known = isnan(q->percentile) ? part_bandwidth(&part, &figures[i])
                                      : part_percentile(&part, q->percentile, &figures[i]);
    }
    if (*known)
        pool(figures, runs->n, out);
    if (*known && runs->n == 1)
        out->between = between_runs(q);
    free(figures);
    return WI_OK;
}

static double percent(double log_ratio)
{
    return 100.0 * expm1(log_ratio);
}

void wi_fio_figure_to_absolute(const struct wi_fio_figure *f, struct wi_observation *o)
{
    o->kind = WI_OBS_ABSOLUTE;
    o->value = exp(f->log_value);
    o->n_samples = f->n_samples;
    o->reading_error_pct = isfinite(f->up) ? (percent(f->up) - percent(-f->down)) / 2.0 : 0.0;
    snprintf(o->note, sizeof(o->note), "%s",
             isfinite(f->up) ? "reading error: 90 % interval of the sample"
                             : "sampling error unknown");
}

void wi_fio_figure_to_change(const struct wi_fio_figure *exposed, const struct wi_fio_figure *base,
                             struct wi_observation *o)
{
    double d = exposed->log_value - base->log_value;
    double between = hypot(exposed->between, base->between);

    o->value = exp(exposed->log_value);
    o->base_value = exp(base->log_value);
    o->n_samples = fmin(exposed->n_samples, base->n_samples);
    o->change_pct = percent(d);
    o->low_pct = percent(d - hypot(hypot(exposed->down, base->up), between));
    o->high_pct = percent(d + hypot(hypot(exposed->up, base->down), between));
    o->reading_error_pct = (o->high_pct - o->low_pct) / 2.0;
    snprintf(o->note, sizeof(o->note),
             "90 %% interval of the sampling error, MOVER on logarithms%s",
             between > 0.0 ? "; an error between runs is assumed" : "");
}

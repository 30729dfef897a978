/*
 * Plain CSV: latency per percentile and bandwidth, before and after, in microseconds and MB/s.
 * No comments, since not every reader of CSV knows them: the columns say it all.
 *
 * source: RFC 4180 (with a line feed at the end of a row)
 */
#include <math.h>

#include "experiments/export_internal.h"

static void cell(struct wi_buf *out, double v)
{
    wi_buf_puts(out, ",");
    if (isfinite(v))
        wi_buf_addf(out, "%.6g", v);
}

static void row(struct wi_buf *out, const struct export_job *job, enum wi_op op, const char *metric,
                double base, const struct wi_change *c)
{
    const struct wi_prediction *p = &job->side[op].prediction;

    wi_buf_addf(out, "%s,%s", wi_op_name(op), metric);
    cell(out, c->percentile);
    cell(out, base);
    cell(out, c->change_pct);
    cell(out, c->low_pct);
    cell(out, c->high_pct);
    cell(out, c->value);
    cell(out, c->low);
    cell(out, c->high);
    cell(out, p->scenario.confidence);
    wi_buf_addf(out, ",%s,", wi_domain_name(p->forecast.domain));
    for (size_t i = 0; i < p->forecast.n_top; i++)
        wi_buf_addf(out, "%s%s", i ? " " : "", p->forecast.top[i].id);
    wi_buf_puts(out, "\n");
}

static enum wi_status write_csv(struct export_job *job, struct wi_buf *out, struct wi_err *err)
{
    enum wi_status st = export_latency_apply(job, err);

    if (st != WI_OK)
        return st;
    wi_buf_puts(out, "op,metric,percentile,base,change_pct,low_pct,high_pct,scaled,scaled_low,"
                     "scaled_high,confidence,domain,evidence\n");
    for (int op = 0; op < 3; op++) {
        const struct wi_forecast *f = &job->side[op].prediction.forecast;

        if (!job->side[op].asked)
            continue;
        for (size_t i = 0; i < f->n_tail; i++)
            row(out, job, (enum wi_op)op, "latency_us",
                export_latency(job, (enum wi_op)op, i).base_us, &f->tail[i]);
        if (isfinite(f->bandwidth.value))
            row(out, job, (enum wi_op)op, "bandwidth_mbps",
                f->bandwidth.value / (1.0 + f->bandwidth.change_pct / 100.0), &f->bandwidth);
    }
    return WI_OK;
}

const struct wi_export_target export_csv = {
    .name = "csv",
    .title = "plain CSV: latency and bandwidth before and after, us and MB/s",
    .base = "what fio printed as JSON in the before condition",
    .unit = "us",
    .prepare = export_latency_prepare,
    .write = write_csv};

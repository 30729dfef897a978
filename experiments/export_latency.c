/*
 * Latencies as the base of an export: what fio measured in the before condition, or single numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/export_internal.h"

/* "read.p99" or "p99", which belongs to either operation. false: neither */
static bool name_parse(const char *name, enum wi_op *op, bool *has_op, double *percentile)
{
    const char *dot_p = strstr(name, ".p");
    char *end = NULL;

    *has_op = false;
    if (strncmp(name, "read.p", 6) == 0 || strncmp(name, "write.p", 7) == 0) {
        *op = *name == 'r' ? WI_OP_READ : WI_OP_WRITE;
        *has_op = true;
        name = dot_p + 1;
    }
    if (*name != 'p')
        return false;
    if (strcmp(name, "pmax") == 0) {
        *percentile = 100.0;
        return true;
    }
    *percentile = strtod(name + 1, &end);
    return end != name + 1 && *end == '\0' && strspn(name + 1, "0123456789.") == strlen(name + 1) &&
           *percentile >= WI_PERCENTILE_MIN && *percentile <= WI_PERCENTILE_MAX;
}

static enum wi_status value_us(const struct wi_export_value *v, double *us, struct wi_err *err)
{
    *us = *v->unit ? v->value * export_unit_ns(v->unit) / 1e3 : v->value;
    if (!(*us > 0.0))
        return wi_fail(err, WI_EUSAGE, "'%s' is %g us, must be above 0", v->name, *us);
    return WI_OK;
}

/* The single numbers as a baseline of one operation. */
static enum wi_status prepare_values(struct export_job *job, enum wi_op op, struct wi_scenario *s,
                                     bool *asked, struct wi_err *err)
{
    double percentiles[WI_EXPORT_VALUES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < job->opt->n_values; i++) {
        const struct wi_export_value *v = &job->opt->values[i];
        enum wi_op of = op;
        bool has_op = false;
        double us;
        enum wi_status st;

        if (!name_parse(v->name, &of, &has_op, &percentiles[n]))
            return wi_fail(err, WI_EUSAGE,
                           "export %s has no '%s', allowed is read.pN, write.pN, or pN with --op; "
                           "N = 1 to 100",
                           job->target->name, v->name);
        if (!has_op && (!(s->given & WI_F_OP)))
            return wi_fail(err, WI_EUSAGE, "'%s' is of reads or of writes? say --op, or read.%s",
                           v->name, v->name);
        st = value_us(v, &us, err);
        for (size_t k = 0; st == WI_OK && of == op && k < n; k++) {
            if (percentiles[k] == percentiles[n])
                st = wi_fail(err, WI_EUSAGE, "p%.8g of %ss is given twice", percentiles[n],
                             wi_op_name(op));
        }
        if (st != WI_OK)
            return st;
        n += of == op;
    }
    *asked = n > 0;
    return n ? wi_scenario_set_percentiles(s, percentiles, n, err) : WI_OK;
}

static enum wi_status read_baseline(struct export_job *job, struct wi_err *err)
{
    struct wi_baseline *baseline = calloc(1, sizeof(*baseline));
    enum wi_status st;

    if (!baseline)
        return wi_fail_nomem(err);
    st = wi_baseline_parse(job->opt->base, job->opt->base_len, job->opt->base_name, baseline, NULL,
                           err);
    if (st == WI_OK)
        job->baseline = baseline;
    else
        free(baseline);
    return st;
}

enum wi_status export_latency_prepare(struct export_job *job, enum wi_op op, struct wi_scenario *s,
                                      bool *asked, struct wi_err *err)
{
    enum wi_status st;

    if (!job->opt->base_name)
        return prepare_values(job, op, s, asked, err);
    st = job->baseline ? WI_OK : read_baseline(job, err);
    if (st == WI_OK)
        *asked = job->baseline->ops[op].known;
    /* a base of reads and writes apart has no percentile of both that a tool could report again */
    if (st == WI_OK && op == WI_OP_MIXED && job->baseline->ops[WI_OP_READ].known)
        st = wi_fail(err, WI_EDATA, "%s: holds reads and writes apart, leave out --op mixed",
                     job->opt->base_name);
    return st;
}

/* The same as wi_baseline_apply does it for a measured base. */
static enum wi_status apply_values(struct export_job *job, enum wi_op op, struct wi_err *err)
{
    struct wi_forecast *f = &job->side[op].prediction.forecast;

    for (size_t i = 0; i < job->opt->n_values; i++) {
        const struct wi_export_value *v = &job->opt->values[i];
        enum wi_op of = op;
        bool has_op = false;
        double percentile = NAN;
        double us = NAN;
        enum wi_status st = value_us(v, &us, err);

        if (st != WI_OK)
            return st;
        name_parse(v->name, &of, &has_op, &percentile);
        for (size_t k = 0; k < f->n_tail && of == op; k++) {
            if (f->tail[k].percentile != percentile)
                continue;
            f->tail[k].value = us * (1.0 + f->tail[k].change_pct / 100.0);
            f->tail[k].low = us * (1.0 + f->tail[k].low_pct / 100.0);
            f->tail[k].high = us * (1.0 + f->tail[k].high_pct / 100.0);
        }
    }
    return WI_OK;
}

enum wi_status export_latency_apply(struct export_job *job, struct wi_err *err)
{
    enum wi_status st = WI_OK;
    bool any = false;

    for (int op = 0; op < 3 && st == WI_OK; op++) {
        if (!job->side[op].asked)
            continue;
        st = job->baseline ? wi_baseline_apply(job->baseline, &job->side[op].prediction, err)
                           : apply_values(job, (enum wi_op)op, err);
        any = true;
    }
    if (st == WI_OK && !any)
        st = wi_fail(
            err, job->opt->base_name ? WI_EDATA : WI_EUSAGE,
            "%s: no latency of what is asked for; --op mixed is for reads and writes in one",
            job->opt->base_name ? job->opt->base_name : "--set");
    return st;
}

struct export_latency export_latency(const struct export_job *job, enum wi_op op, size_t i)
{
    const struct wi_change *c = &job->side[op].prediction.forecast.tail[i];

    return (struct export_latency){.change = c,
                                   .base_us = c->value / (1.0 + c->change_pct / 100.0),
                                   .scaled_us = c->value,
                                   .low_us = c->low,
                                   .high_us = c->high};
}

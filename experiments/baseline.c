#include "experiments/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/import_fio.h"
#include "experiments/input.h"

#define CONFIDENCE 0.9

static double nines(double percentile)
{
    return -log10(1.0 - percentile / 100.0);
}

/* ---- loading ---------------------------------------------------------------------------- */

static void read_op(const struct wi_fio_op *from, double unit_us, struct wi_baseline_op *to)
{
    *to = (struct wi_baseline_op){.known = from->measured, .bw_mbps = NAN};
    if (!from->measured)
        return;
    to->n_ios = from->n_ios;
    to->bw_mbps = from->bw_mbps;
    for (size_t i = 0; i < from->n_percentiles; i++) {
        struct wi_fio_estimate e;
        double p = from->percentiles[i].percentile;

        if (p < WI_PERCENTILE_MIN || p >= 100.0 ||
            !wi_fio_estimate(from, unit_us, i, CONFIDENCE, &e))
            continue;
        to->percentile[to->n] = p;
        to->lat_us[to->n] = e.lat_us;
        to->low_us[to->n] = e.low_us;
        to->high_us[to->n++] = e.high_us;
    }
}

/* Share of the I/Os at or below a latency, by the same interpolation. */
static double share_below(const struct wi_baseline_op *op, double lat_us)
{
    double x = log(lat_us);

    if (lat_us < op->lat_us[0])
        return op->percentile[0] / 100.0 * lat_us / op->lat_us[0]; /* below the lowest: linear */
    for (size_t i = 1; i < op->n; i++) {
        double a = log(op->lat_us[i - 1]);
        double b = log(op->lat_us[i]);
        double na = nines(op->percentile[i - 1]);

        if (x <= b && b > a)
            return 1.0 - pow(10.0, -(na + (nines(op->percentile[i]) - na) * (x - a) / (b - a)));
    }
    return 1.0;
}

/*
 * Reads and writes of one run as one stream: the percentile of the mixture, by bisection on the
 * weighted shares; its interval is that of the operation which sits at this latency.
 */
static void mix(const struct wi_baseline_op *r, const struct wi_baseline_op *w,
                struct wi_baseline_op *to)
{
    double n = r->n_ios + w->n_ios;

    *to = (struct wi_baseline_op){.known = r->known && w->known, .n_ios = n};
    if (!to->known)
        return;
    to->bw_mbps = r->bw_mbps + w->bw_mbps;
    for (size_t i = 0; i < r->n && w->n; i++) {
        double p = r->percentile[i];
        double low = fmin(r->lat_us[0], w->lat_us[0]) * 1e-3;
        double high = fmax(r->lat_us[r->n - 1], w->lat_us[w->n - 1]);
        double down;
        double up;

        if (p > w->percentile[w->n - 1])
            break; /* beyond what both know */
        for (int step = 0; step < 200 && high > low * (1.0 + 1e-12); step++) {
            double mid = sqrt(low * high);

            if ((r->n_ios * share_below(r, mid) + w->n_ios * share_below(w, mid)) / n < p / 100.0)
                low = mid;
            else
                high = mid;
        }
        down = fmax(log(r->lat_us[i] / r->low_us[i]), 0.0);
        up = fmax(log(r->high_us[i] / r->lat_us[i]), 0.0);
        for (size_t k = 0; k < w->n; k++) {
            if (w->percentile[k] == p) {
                down = fmax(down, log(w->lat_us[k] / w->low_us[k]));
                up = fmax(up, log(w->high_us[k] / w->lat_us[k]));
            }
        }
        to->percentile[to->n] = p;
        to->lat_us[to->n] = high;
        to->low_us[to->n] = high * exp(-down);
        to->high_us[to->n++] = high * exp(up);
    }
}

static enum wi_status take_jobs(const struct wi_fio_run *run, const char *name,
                                struct wi_baseline *b, struct wi_err *err)
{
    const char *owner[3] = {NULL, NULL, NULL};

    for (size_t j = 0; j < run->n_jobs; j++) {
        for (size_t k = 0; k < 3; k++) {
            if (!run->jobs[j].ops[k].measured)
                continue;
            if (owner[k])
                return wi_fail(
                    err, WI_EDATA,
                    "%s: jobs '%.60s' and '%.60s' both measure %s: a baseline is one job "
                    "per operation (fio --group_reporting joins the clones of a job)",
                    name, owner[k], run->jobs[j].name, wi_op_name((enum wi_op)k));
            owner[k] = run->jobs[j].name;
            read_op(&run->jobs[j].ops[k], run->unit_us, &b->ops[k]);
        }
    }
    if (!b->ops[WI_OP_MIXED].known && owner[WI_OP_READ] == owner[WI_OP_WRITE])
        mix(&b->ops[WI_OP_READ], &b->ops[WI_OP_WRITE], &b->ops[WI_OP_MIXED]);
    return WI_OK;
}

enum wi_status wi_baseline_parse(const char *text, size_t len, const char *name,
                                 struct wi_baseline *baseline, struct wi_texts *warnings,
                                 struct wi_err *err)
{
    struct wi_fio_run run = {0};
    struct wi_baseline tmp = {0};
    enum wi_status st = wi_fio_parse(text, len, name, &run, err);

    if (st != WI_OK)
        return st;
    for (size_t k = 0; k < 3; k++)
        tmp.ops[k].bw_mbps = NAN;
    snprintf(tmp.file, sizeof(tmp.file), "%s", name);
    memcpy(tmp.version, run.version, sizeof(tmp.version));
    st = take_jobs(&run, name, &tmp, err);
    for (size_t i = 0; warnings && st == WI_OK && i < run.warnings.n; i++)
        st = wi_texts_add(warnings, "", err, "%s", run.warnings.items[i].text);
    wi_fio_run_release(&run);
    if (st == WI_OK)
        *baseline = tmp;
    return st;
}

enum wi_status wi_baseline_load(const char *path, struct wi_baseline *baseline,
                                struct wi_texts *warnings, struct wi_err *err)
{
    char *text = NULL;
    size_t n = 0;
    enum wi_status st = wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, NULL, err);

    if (st == WI_OK)
        st = wi_baseline_parse(text, n, wi_input_name(path), baseline, warnings, err);
    free(text);
    return st;
}

/* ---- applying --------------------------------------------------------------------------- */

static double between(double x, double xa, double xb, double a, double b)
{
    return exp(log(a) + (log(b) - log(a)) * (x - xa) / (xb - xa));
}

bool wi_baseline_latency(const struct wi_baseline_op *op, double percentile, double *lat_us,
                         double *low_us, double *high_us)
{
    for (size_t i = 0; i < op->n; i++) {
        double x = nines(percentile);
        double xa;
        double xb = nines(op->percentile[i]);

        if (op->percentile[i] == percentile) {
            *lat_us = op->lat_us[i];
            *low_us = op->low_us[i];
            *high_us = op->high_us[i];
            return true;
        }
        if (op->percentile[i] < percentile || i == 0)
            continue;
        if (op->percentile[i - 1] > percentile)
            return false;
        xa = nines(op->percentile[i - 1]);
        *lat_us = between(x, xa, xb, op->lat_us[i - 1], op->lat_us[i]);
        *low_us = between(x, xa, xb, op->low_us[i - 1], op->low_us[i]);
        *high_us = between(x, xa, xb, op->high_us[i - 1], op->high_us[i]);
        return true;
    }
    return false;
}

/* Product of a base and a change: on the log scale the errors of a sum (MOVER). */
static void apply_change(struct wi_change *c, double base, double base_low, double base_high)
{
    double change = log1p(c->change_pct / 100.0);
    double down = change - log1p(fmax(c->low_pct, -99.999999) / 100.0);
    double up = log1p(c->high_pct / 100.0) - change;

    c->value = base * exp(change);
    c->low = c->value * exp(-hypot(down, log(base / base_low)));
    c->high = c->value * exp(hypot(up, log(base_high / base)));
}

/* Never down from one percentile to the next. Returns whether anything had to be raised. */
static bool make_monotone(struct wi_change *tail, size_t n)
{
    bool raised = false;
    const struct wi_change *last = NULL;

    for (size_t i = 0; i < n; i++) {
        if (isnan(tail[i].value))
            continue;
        if (last) {
            raised = raised || tail[i].value < last->value;
            tail[i].value = fmax(tail[i].value, last->value);
            tail[i].low = fmax(tail[i].low, last->low);
            tail[i].high = fmax(tail[i].high, last->high);
        }
        last = &tail[i];
    }
    return raised;
}

static enum wi_status warn_unknown(const struct wi_baseline *b, const struct wi_baseline_op *op,
                                   struct wi_forecast *f, size_t n_unknown, struct wi_err *err)
{
    if (!n_unknown)
        return WI_OK;
    if (!op->n)
        return wi_texts_add(
            &f->warnings, "", err,
            "the baseline '%s' holds no latency percentile that its sample supports", b->file);
    return wi_texts_add(&f->warnings, "", err,
                        "the baseline '%s' knows percentiles %g to %g (%.0f I/Os): no absolute "
                        "latency for %zu of the %zu asked",
                        b->file, op->percentile[0], op->percentile[op->n - 1], op->n_ios, n_unknown,
                        f->n_tail);
}

enum wi_status wi_baseline_apply(const struct wi_baseline *b, struct wi_prediction *p,
                                 struct wi_err *err)
{
    const struct wi_baseline_op *op = &b->ops[p->scenario.op];
    struct wi_forecast *f = &p->forecast;
    size_t n_unknown = 0;
    enum wi_status st;

    if (!op->known)
        return wi_fail(err, WI_EDATA,
                       "the baseline '%s' did not measure %s: choose --op, or run fio "
                       "with that operation",
                       b->file, wi_op_name(p->scenario.op));
    for (size_t i = 0; i < f->n_tail; i++) {
        struct wi_change *c = &f->tail[i];
        double base;
        double low;
        double high;

        c->value = c->low = c->high = NAN;
        if (wi_baseline_latency(op, c->percentile, &base, &low, &high))
            apply_change(c, base, low, high);
        else
            n_unknown++;
    }
    f->bandwidth.value = f->bandwidth.low = f->bandwidth.high = NAN;
    if (op->bw_mbps > 0.0)
        apply_change(&f->bandwidth, op->bw_mbps, op->bw_mbps, op->bw_mbps);
    st = warn_unknown(b, op, f, n_unknown, err);
    if (st == WI_OK && make_monotone(f->tail, f->n_tail))
        st = wi_texts_add(&f->warnings, "", err,
                          "absolute latencies were raised where a higher percentile would have "
                          "fallen below a lower one");
    return st;
}

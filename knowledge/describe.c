/* Items in words. */
#include "knowledge/describe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows; after a failed allocation it stays broken and says so at the end. */
struct text {
    char *p;
    size_t n, cap;
    bool broken;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;

    if (t->broken)
        return;
    va_start(ap, fmt);
    int need = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (need < 0)
        return;
    if (t->n + (size_t)need + 1 > t->cap) {
        size_t cap = 2 * (t->n + (size_t)need + 128);
        char *p = realloc(t->p, cap);

        if (!p) {
            t->broken = true;
            return;
        }
        t->p = p;
        t->cap = cap;
    }
    va_start(ap, fmt);
    vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
    t->n += (size_t)need;
}

void wi_item_text_release(struct wi_item_text *t)
{
    free(t->title);
    free(t->summary);
    free(t->body);
    free(t->notes);
    *t = (struct wi_item_text){0};
}

static enum wi_status finish(struct text *title, struct text *summary, struct text *body,
                             struct text *notes, struct wi_item_text *out, struct wi_err *err)
{
    add(notes, "%s", "");
    add(title, "%s", "");
    add(summary, "%s", "");
    add(body, "%s", "");
    *out = (struct wi_item_text){title->p, summary->p, body->p, notes->p};
    if (!title->broken && !summary->broken && !body->broken && !notes->broken)
        return WI_OK;
    wi_item_text_release(out);
    return wi_fail_nomem(err);
}

/* ---- experiments ---- */

#define TAIL_FROM 90.0 /* percentiles below are no tail, and are not listed */

struct change {
    double dt, dh;
    bool temp, rh, vib;
};

static struct change changes_of(const struct wi_experiment *e)
{
    const struct wi_step *b = &e->exposure.before, *d = &e->exposure.during;
    struct change c = {.dt = d->temp_c - b->temp_c, .dh = d->rh_pct - b->rh_pct};

    c.temp = fabs(c.dt) > 0.5 || isfinite(e->temp_low_c);
    c.rh = fabs(c.dh) > 0.5 || isfinite(e->rh_low_pct);
    c.vib = d->vib.axis != WI_AXIS_NONE;
    return c;
}

static void upper(struct text *t, const char *s)
{
    for (; *s; s++)
        add(t, "%c", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
}

static void add_drive(struct text *t, const struct wi_experiment *e)
{
    if (e->nand == WI_NAND_UNKNOWN)
        add(t, "%s", e->device[0] ? e->device : "undisclosed drive");
    else {
        upper(t, wi_nand_name(e->nand));
        add(t, "%s%s", e->device[0] ? " " : " drive", e->device);
    }
}

static void add_path(struct text *t, const char *unit, double before, double during, bool has_after,
                     double after, double low, double high)
{
    add(t, "%g", before);
    if (isfinite(low) && isfinite(high))
        add(t, " -> (%g to %g)", low, high);
    if (isfinite(during) && (fabs(during - before) > 1e-9 || !isfinite(low)))
        add(t, " -> %g", during);
    if (has_after && isfinite(after))
        add(t, " -> %g", after);
    add(t, " %s", unit);
}

static void add_condition(struct text *t, const struct wi_experiment *e)
{
    const struct wi_exposure *x = &e->exposure;
    struct change c = changes_of(e);
    const char *sep = "";

    if (c.temp) {
        add_path(t, "C", x->before.temp_c, x->during.temp_c, x->has_after, x->after.temp_c,
                 e->temp_low_c, e->temp_high_c);
        sep = ", ";
    }
    if (c.rh) {
        add(t, "%s", sep);
        add_path(t, "%RH", x->before.rh_pct, x->during.rh_pct, x->has_after, x->after.rh_pct,
                 e->rh_low_pct, e->rh_high_pct);
        sep = ", ";
    }
    if (c.vib) {
        add(t, "%svibration %s", sep, wi_axis_name(x->during.vib.axis));
        if (isfinite(x->during.vib.freq_hz))
            add(t, " %g Hz", x->during.vib.freq_hz);
        if (isfinite(x->during.vib.grms))
            add(t, " %g grms", x->during.vib.grms);
    } else if (!c.temp && !c.rh) {
        add(t, "quiet control, %g C, %g %%RH", x->during.temp_c, x->during.rh_pct);
    }
    if (!c.temp && c.rh && fabs(x->during.temp_c - WI_ROOM_TEMP_C) > 0.5)
        add(t, " at %g C", x->during.temp_c);
    if (isfinite(x->during_h) && x->during_h > 0)
        add(t, ", %g h", x->during_h);
}

static const char *phase_words(enum wi_phase p)
{
    static const char *const words[] = {"while it lasts", "after it has ended", "long-term"};

    return words[p];
}

static bool is_whole_curve(const struct wi_observation *o)
{
    return o->metric == WI_METRIC_TAIL_LATENCY && isnan(o->percentile);
}

static void add_figure(struct text *t, const struct wi_observation *o)
{
    if (o->stat != WI_STAT_NONE)
        add(t, " %s", wi_stat_name(o->stat));
    if (isfinite(o->percentile)) {
        if (o->percentile >= 100)
            add(t, " max");
        else
            add(t, " p%.7g", o->percentile);
    }
    if (o->kind == WI_OBS_ABSOLUTE)
        add(t, " %.4g %s", o->value, o->metric == WI_METRIC_BANDWIDTH ? "MB/s" : "us");
    else if (o->kind == WI_OBS_TOO_SMALL)
        add(t, " about 0 %% (bar too small to read)");
    else if (isfinite(o->change_pct))
        add(t, " %+.3g %%", o->change_pct);
    else if (isfinite(o->low_pct) && isfinite(o->high_pct))
        add(t, "%s between %.3g and %.3g %%", is_whole_curve(o) ? " the whole curve" : "",
            o->low_pct, o->high_pct);
    else if (isfinite(o->high_pct))
        add(t, " at most %+.3g %%", o->high_pct);
    else if (isfinite(o->low_pct))
        add(t, " at least %+.3g %%", o->low_pct);
}

static void add_figures(struct text *t, const struct wi_observation *obs, size_t n_obs)
{
    const struct wi_observation *last = NULL;

    for (size_t i = 0; i < n_obs; i++) {
        if (obs[i].percentile < TAIL_FROM)
            continue;
        if (!last || obs[i].op != last->op || obs[i].metric != last->metric)
            add(t, "%s %s %s", last ? ";" : ":",
                obs[i].op == WI_OP_MIXED ? "mixed" : wi_op_name(obs[i].op),
                obs[i].metric == WI_METRIC_BANDWIDTH ? "bandwidth" : "tail latency");
        else
            add(t, ",");
        add_figure(t, &obs[i]);
        last = &obs[i];
    }
}

/* The words in which a person asks for such a condition; the synonym table does the rest. */
static void add_keywords(struct text *t, const struct wi_experiment *e)
{
    const struct wi_step *b = &e->exposure.before, *d = &e->exposure.during;
    struct change c = changes_of(e);

    if (c.temp)
        add(t, " temperature change %s",
            c.dt < -0.5 ? "decrease cooling cold" : "increase heating hot");
    if (c.temp && !c.rh && !c.vib)
        add(t, " temperature alone");
    if (c.rh)
        add(t, " humidity change %s",
            c.dh < -0.5  ? "decrease drying dry"
            : c.dh > 0.5 ? "increase damp humid"
                         : "range");
    if (c.vib)
        add(t, " vibration shaking %s orientation", wi_axis_name(d->vib.axis));
    if (!c.temp && !c.rh && !c.vib)
        add(t, " quiet control without exposure ageing drift baseline");
    if (fabs(b->temp_c - WI_ROOM_TEMP_C) > 5)
        add(t, " hot start");
    if (e->failing)
        add(t, " failing drive failure fail-stop");
    add(t, "%s",
        e->phase == WI_PHASE_LONG_TERM ? " days"
        : e->phase == WI_PHASE_POST    ? " after recovery"
                                       : "");
}

static void add_measured(struct text *t, const struct wi_observation *obs, size_t n_obs)
{
    bool tail = false, bw = false, op[3] = {false};

    for (size_t i = 0; i < n_obs; i++) {
        tail = tail || obs[i].metric == WI_METRIC_TAIL_LATENCY;
        bw = bw || obs[i].metric == WI_METRIC_BANDWIDTH;
        op[obs[i].op] = true;
    }
    add(t, "%s%s%s%s", tail ? " tail latency" : "", bw ? " bandwidth throughput" : "",
        op[WI_OP_READ] ? " read" : "", op[WI_OP_WRITE] ? " write" : "");
}

enum wi_status wi_describe_experiment(const struct wi_experiment *exp,
                                      const struct wi_observation *obs, size_t n_obs,
                                      struct wi_item_text *out, struct wi_err *err)
{
    struct text title = {0}, summary = {0}, body = {0}, notes = {0};

    add_drive(&title, exp);
    add(&title, ": ");
    add_condition(&title, exp);
    add(&title, ", %s", phase_words(exp->phase));
    if (exp->failing)
        add(&title, ", failing drive");
    if (!title.broken)
        add(&summary, "%s", title.p);
    add_figures(&summary, obs, n_obs);
    if (!title.broken)
        add(&body, "%s.", title.p);
    add_keywords(&body, exp);
    add_measured(&body, obs, n_obs);
    add(&notes, "%s %s. %s", exp->interface, exp->workload, exp->note);
    return finish(&title, &summary, &body, &notes, out, err);
}

/* ---- principles ---- */

enum wi_status wi_describe_principle(const struct wi_principle *p, struct wi_item_text *out,
                                     struct wi_err *err)
{
    struct text title = {0}, summary = {0}, body = {0}, notes = {0};

    add(&title, "%s", p->title);
    add(&summary, "%s", p->statement);
    add(&body, "%s. %s. %s Tail latency: %s Bandwidth: %s %s. %s %s", p->title, p->title,
        p->statement, p->latency_effect, p->bandwidth_effect, p->validity, p->stressors, p->nand);
    add(&notes, "%s", p->equation);
    return finish(&title, &summary, &body, &notes, out, err);
}

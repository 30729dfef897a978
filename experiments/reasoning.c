#include "experiments/reasoning.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/physics_forecast.h"

static enum wi_status add(struct wi_prediction *p, enum wi_step_kind step, const char *cites,
                          struct wi_err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static enum wi_status add(struct wi_prediction *p, enum wi_step_kind step, const char *cites,
                          struct wi_err *err, const char *fmt, ...)
{
    struct wi_reason *list = realloc(p->reasoning, (p->n_reasoning + 1) * sizeof(*list));
    struct wi_reason reason = {.step = step};
    va_list ap;
    int n;

    if (!list)
        return wi_fail_nomem(err);
    p->reasoning = list;
    va_start(ap, fmt);
    n = vasprintf(&reason.text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return wi_fail_nomem(err);
    reason.cites = strdup(cites);
    if (!reason.cites) {
        free(reason.text);
        return wi_fail_nomem(err);
    }
    list[p->n_reasoning++] = reason;
    return WI_OK;
}

/* What a step rests on when nothing nearer is known: the strongest experiment, else a principle. */
static const char *main_id(const struct wi_prediction *p)
{
    if (p->forecast.n_top)
        return p->forecast.top[0].id;
    return p->n_principles ? p->principles[0].id : "";
}

/* --- device ------------------------------------------------------------------------------------
 */

static enum wi_status reason_device(struct wi_prediction *p, struct wi_err *err)
{
    static const char *const nand_text[] = {
        "NAND type not stated: the answer covers the types that were measured and is wider",
        "SLC: no measurement of an SLC drive is stored, so the answer rests on physics",
        "MLC (two bits per cell)", "TLC (three bits per cell)",
        "QLC: no measurement of a QLC drive is stored, so the answer rests on physics"};
    const struct wi_scenario *s = &p->scenario;
    char drive[3 * WI_NAME_MAX];

    if (s->device[0] || s->vendor[0])
        snprintf(drive, sizeof(drive), "the drive '%s%s%s' as far as the store knows it", s->vendor,
                 s->vendor[0] && s->device[0] ? " " : "", s->device);
    else
        snprintf(drive, sizeof(drive),
                 "any drive of this kind, so the interval includes the "
                 "spread between drives");
    return add(p, WI_REASON_DEVICE, main_id(p), err, "%s; %s; operation %s.", nand_text[s->nand],
               drive, wi_op_name(s->op));
}

/* --- exposure ----------------------------------------------------------------------------------
 */

static int format_vib(const struct wi_vib *v, char *buf, size_t size)
{
    int n;

    if (v->axis == WI_AXIS_NONE)
        return snprintf(buf, size, "still");
    n = snprintf(buf, size, "%s vibration", wi_axis_name(v->axis));
    if (isfinite(v->freq_hz) && n > 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n, " at %g Hz", v->freq_hz);
    if (isfinite(v->grms) && n > 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n, ", %g grms", v->grms);
    return n;
}

static enum wi_status reason_exposure(struct wi_prediction *p, struct wi_err *err)
{
    static const char *const when[] = {"measured while the condition holds",
                                       "measured after the condition has ended",
                                       "measured after at least 120 h of it"};
    const struct wi_exposure *e = &p->scenario.exposure;
    const struct wi_step *last = e->has_after ? &e->after : &e->during;
    char before[64];
    char during[64];
    char after[128] = "";

    format_vib(&e->before.vib, before, sizeof(before));
    format_vib(&e->during.vib, during, sizeof(during));
    if (e->has_after)
        snprintf(after, sizeof(after), " -> %g C %g %%RH", last->temp_c, last->rh_pct);
    return add(p, WI_REASON_EXPOSURE, main_id(p), err,
               "%g C %g %%RH %s -> %g C %g %%RH %s%s; %s. Changes are against the before step.",
               e->before.temp_c, e->before.rh_pct, before, e->during.temp_c, e->during.rh_pct,
               during, after, when[p->scenario.phase]);
}

/* --- mechanism ---------------------------------------------------------------------------------
 */

/* The best principle retrieved that is about the stressor; NULL when none came back. */
static const struct wi_item *principle_for(struct wi_store *store, const struct wi_prediction *p,
                                           const char *stressor, char **effect)
{
    for (size_t i = 0; i < p->n_principles; i++) {
        struct wi_principle principle = {0};
        bool about;

        if (wi_store_get_principle(store, p->principles[i].id, &principle, NULL) != WI_OK)
            continue;
        about = strstr(principle.stressors, stressor) != NULL;
        if (about)
            *effect = strdup(principle.latency_effect);
        wi_principle_release(&principle);
        if (about)
            return &p->principles[i];
    }
    return NULL;
}

/* Why throttling carries the numbers; NULL where it does not. */
static const char *throttling(const struct wi_prediction *p)
{
    const struct wi_texts *reasons = &p->forecast.domain_reasons;

    for (size_t i = 0; i < reasons->n; i++) {
        if (strcmp(reasons->items[i].cites, WI_THROTTLE_CITES) == 0)
            return reasons->items[i].text;
    }
    return NULL;
}

static enum wi_status reason_mechanisms(struct wi_store *store, struct wi_prediction *p,
                                        struct wi_err *err)
{
    const struct wi_stressors active = wi_scenario_stressors(&p->scenario);
    const struct {
        bool on;
        const char *name;
    } rows[] = {
        {active.temp, "temperature"},
        {active.rh, "humidity"},
        {active.vib, "vibration"},
        {p->scenario.phase == WI_PHASE_LONG_TERM || wi_physics_aged_frac(&p->scenario) > 0.0,
         "time"}};
    enum wi_status st = WI_OK;
    bool any = false;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && st == WI_OK; i++) {
        char *effect = NULL;
        const struct wi_item *item;

        if (!rows[i].on)
            continue;
        any = true;
        if (i == 0 && throttling(p)) {
            st = add(p, WI_REASON_MECHANISM, WI_THROTTLE_CITES, err,
                     "temperature: %s. What heat does to a drive that does not throttle is the "
                     "other side of the interval.",
                     throttling(p));
            continue;
        }
        item = principle_for(store, p, rows[i].name, &effect);
        if (item)
            st = add(p, WI_REASON_MECHANISM, item->id, err, "%s: %s. %s", rows[i].name, item->title,
                     effect ? effect : "");
        else
            st = add(p, WI_REASON_MECHANISM, "", err,
                     "%s: no stored principle came back for it; the measurements speak alone.",
                     rows[i].name);
        free(effect);
    }
    if (!any && st == WI_OK)
        st = add(p, WI_REASON_MECHANISM, "", err,
                 "No condition differs from before: nothing acts, the change is zero and the "
                 "interval is the noise of a repeated measurement.");
    return st;
}

/* --- evidence and numbers ----------------------------------------------------------------------
 */

static enum wi_status reason_evidence(struct wi_prediction *p, struct wi_err *err)
{
    const struct wi_forecast *f = &p->forecast;
    char cites[WI_FORECAST_EXPS * (WI_ID_MAX + 1)] = "";
    char text[512] = "";

    if (f->n_top == 0)
        return add(p, WI_REASON_EVIDENCE, "", err,
                   "No stored experiment carries weight in this answer.");
    for (size_t i = 0; i < f->n_top; i++) {
        size_t n_cites = strlen(cites);
        size_t n_text = strlen(text);

        snprintf(cites + n_cites, sizeof(cites) - n_cites, "%s%s", i ? " " : "", f->top[i].id);
        snprintf(text + n_text, sizeof(text) - n_text, "%s%s (%.0f %%)", i ? ", " : "",
                 f->top[i].id, 100.0 * f->top[i].weight_frac);
    }
    return add(p, WI_REASON_EVIDENCE, cites, err,
               "Experiments with the largest weight in the numbers: %s.", text);
}

static void format_percentile(double percentile, char *buf, size_t size)
{
    if (percentile >= 100.0)
        snprintf(buf, size, "max");
    else
        snprintf(buf, size, "p%.8g", percentile);
}

static enum wi_status reason_percentiles(struct wi_prediction *p, struct wi_err *err)
{
    const struct wi_forecast *f = &p->forecast;
    const struct wi_change *lo = &f->tail[0];
    const struct wi_change *hi = &f->tail[0];
    size_t n_clear = 0;
    char lo_name[24];
    char hi_name[24];

    for (size_t i = 0; i < f->n_tail; i++) {
        if (f->tail[i].change_pct < lo->change_pct)
            lo = &f->tail[i];
        if (f->tail[i].change_pct > hi->change_pct)
            hi = &f->tail[i];
        if (f->tail[i].low_pct > 0.0 || f->tail[i].high_pct < 0.0)
            n_clear++;
    }
    format_percentile(lo->percentile, lo_name, sizeof(lo_name));
    format_percentile(hi->percentile, hi_name, sizeof(hi_name));
    return add(p, WI_REASON_PERCENTILE, main_id(p), err,
               "Latency changes by %+.1f %% at %s to %+.1f %% at %s; at %zu of %zu percentiles the "
               "interval excludes zero.",
               lo->change_pct, lo_name, hi->change_pct, hi_name, n_clear, f->n_tail);
}

static enum wi_status reason_bandwidth(struct wi_prediction *p, struct wi_err *err)
{
    const struct wi_change *b = &p->forecast.bandwidth;
    const char *verdict = b->low_pct > 0.0    ? "higher"
                          : b->high_pct < 0.0 ? "lower"
                                              : "not clearly different";

    return add(p, WI_REASON_BANDWIDTH, main_id(p), err,
               "Bandwidth is %s: %+.1f %% (%+.1f to %+.1f).", verdict, b->change_pct, b->low_pct,
               b->high_pct);
}

static enum wi_status reason_limits(struct wi_prediction *p, struct wi_err *err)
{
    const struct wi_texts *reasons = &p->forecast.domain_reasons;
    enum wi_status st = WI_OK;

    if (reasons->n == 0)
        return add(p, WI_REASON_LIMITS, main_id(p), err, "The question lies %s what was measured.",
                   p->forecast.domain == WI_DOMAIN_INSIDE ? "inside" : "outside");
    for (size_t i = 0; i < reasons->n && st == WI_OK; i++)
        st = add(p, WI_REASON_LIMITS, main_id(p), err, "%s.", reasons->items[i].text);
    return st;
}

enum wi_status wi_reasoning_add(struct wi_store *store, struct wi_prediction *p, struct wi_err *err)
{
    enum wi_status st = reason_device(p, err);

    if (st == WI_OK)
        st = reason_exposure(p, err);
    if (st == WI_OK)
        st = reason_mechanisms(store, p, err);
    if (st == WI_OK)
        st = reason_evidence(p, err);
    if (st == WI_OK)
        st = reason_percentiles(p, err);
    if (st == WI_OK)
        st = reason_bandwidth(p, err);
    if (st == WI_OK)
        st = reason_limits(p, err);
    return st;
}

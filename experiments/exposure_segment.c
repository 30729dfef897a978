#include <math.h>
#include <stdlib.h>

#include "experiments/exposure_internal.h"

#define STILL_GRMS 0.01 /* below it a logger shows its own noise */

/* ---- points: what the segmentation sees ------------------------------------------------- */

/* What makes a difference to a drive, as a unit of each quantity. */
static const double unit_of[N_QUANTITIES] = {2.0, 5.0, 0.05};

static void add_range(const struct wi_series *s, enum wi_channel c, size_t from, size_t to,
                      struct bucket *out)
{
    *out = (struct bucket){0};
    for (size_t i = from; s->rows[c] && i < to; i++)
        wi_bucket_merge(out, &s->rows[c][i]);
}

/*
 * Root mean square of the vibration over buckets. Of raw acceleration: its deviation from the
 * bucket's mean, which is gravity.
 */
static double range_grms(const struct wi_series *s, size_t from, size_t to)
{
    struct bucket stated;
    double sum_sq = 0.0;
    bool any = false;

    add_range(s, WI_CH_GRMS, from, to, &stated);
    if (stated.n > 0.0)
        return sqrt(stated.sum_sq / stated.n);
    for (size_t c = WI_CH_ACC_X; c <= WI_CH_ACC_Z; c++) {
        double n = 0.0;
        double square = 0.0;

        for (size_t i = from; s->rows[c] && i < to; i++) {
            const struct bucket *b = &s->rows[c][i];

            if (b->n < 2.0)
                continue;
            n += b->n;
            square += fmax(0.0, b->sum_sq - b->sum * b->sum / b->n);
        }
        if (n > 0.0) {
            sum_sq += square / n;
            any = true;
        }
    }
    return any ? sqrt(sum_sq) : NAN;
}

static double range_value(const struct wi_series *s, enum quantity q, size_t from, size_t to)
{
    struct bucket b;

    if (q == Q_GRMS)
        return range_grms(s, from, to);
    add_range(s, q == Q_TEMP ? WI_CH_TEMP : WI_CH_RH, from, to, &b);
    return b.n > 0.0 ? b.sum / b.n : NAN;
}

static bool range_is_empty(const struct wi_series *s, size_t from, size_t to)
{
    for (size_t c = 0; c < WI_N_CHANNELS; c++) {
        for (size_t i = from; s->rows[c] && i < to; i++) {
            if (s->rows[c][i].n > 0.0)
                return false;
        }
    }
    return true;
}

/* Missing values take the last one known, those before the first the first. */
static void carry_over(struct points *p, enum quantity q)
{
    size_t first = 0;

    while (first < p->n && isnan(p->items[first].value[q]))
        first++;
    p->has[q] = first < p->n;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->has[q])
            p->items[i].value[q] = 0.0;
        else if (i < first)
            p->items[i].value[q] = p->items[first].value[q];
        else if (isnan(p->items[i].value[q]))
            p->items[i].value[q] = p->items[i - 1].value[q];
    }
}

static void points_release(struct points *p)
{
    free(p->items);
    free(p->sum);
    free(p->sum_sq);
    *p = (struct points){0};
}

static enum wi_status points_init(const struct wi_series *s, struct points *p, struct wi_err *err)
{
    size_t n_used = (size_t)(floor(s->last_s / s->width_s) - s->base) + 1;
    size_t per = (n_used + WI_POINTS_MAX - 1) / WI_POINTS_MAX;

    *p = (struct points){0};
    p->items = calloc(WI_POINTS_MAX, sizeof(*p->items));
    p->sum = calloc(WI_POINTS_MAX + 1, sizeof(*p->sum));
    p->sum_sq = calloc(WI_POINTS_MAX + 1, sizeof(*p->sum_sq));
    if (!p->items || !p->sum || !p->sum_sq) {
        points_release(p);
        return wi_fail_nomem(err);
    }
    for (size_t from = 0; from < n_used; from += per) {
        size_t to = from + per < n_used ? from + per : n_used;
        struct point *pt = &p->items[p->n];

        if (range_is_empty(s, from, to))
            continue;
        pt->from = from;
        pt->to = to;
        pt->time_s = (s->base + ((double)from + (double)to) / 2.0) * s->width_s;
        for (size_t q = 0; q < N_QUANTITIES; q++)
            pt->value[q] = range_value(s, (enum quantity)q, from, to) / unit_of[q];
        p->n++;
    }
    for (size_t q = 0; q < N_QUANTITIES; q++)
        carry_over(p, (enum quantity)q);
    for (size_t i = 0; i < p->n; i++) {
        for (size_t q = 0; q < N_QUANTITIES; q++) {
            double v = p->items[i].value[q];

            p->sum[i + 1][q] = p->sum[i][q] + v;
            p->sum_sq[i + 1][q] = p->sum_sq[i][q] + v * v;
        }
    }
    return WI_OK;
}

/* ---- the record ------------------------------------------------------------------------- */

static void stat_of(const struct wi_series *s, enum wi_channel c, const struct points *p,
                    size_t from, size_t to, struct wi_series_stat *out)
{
    struct bucket all;
    double n = 0.0;
    double sum = 0.0;
    double sum_sq = 0.0;

    *out = (struct wi_series_stat){.mean = NAN, .sd = NAN, .min = NAN, .max = NAN};
    add_range(s, c, p->items[from].from, p->items[to - 1].to, &all);
    if (!(all.n > 0.0))
        return;
    for (size_t i = from; i < to; i++) {
        struct bucket b;

        add_range(s, c, p->items[i].from, p->items[i].to, &b);
        if (b.n > 0.0) {
            n += 1.0;
            sum += b.sum / b.n;
            sum_sq += b.sum / b.n * (b.sum / b.n);
        }
    }
    out->n = all.n;
    out->mean = all.sum / all.n;
    out->sd = sqrt(fmax(0.0, sum_sq / n - sum / n * (sum / n)));
    out->min = (double)all.min;
    out->max = (double)all.max;
}

static void fill_step(const struct wi_series *s, const struct points *p, size_t from, size_t to,
                      struct wi_series_step *step)
{
    double grms = range_grms(s, p->items[from].from, p->items[to - 1].to);

    step->start_s = fmax(s->first_s, (s->base + (double)p->items[from].from) * s->width_s);
    step->end_s = s->last_s;
    if (to < p->n) /* a step lasts until what is read next is another */
        step->end_s = fmin(s->last_s, (s->base + (double)p->items[to].from) * s->width_s);
    stat_of(s, WI_CH_TEMP, p, from, to, &step->temp);
    stat_of(s, WI_CH_RH, p, from, to, &step->rh);
    stat_of(s, WI_CH_FREQ, p, from, to, &step->freq);
    stat_of(s, WI_CH_GRMS, p, from, to, &step->grms);
    if (isfinite(grms)) {
        step->grms.mean = grms;
        if (!(step->grms.n > 0.0))
            step->grms.n = 1.0;
    }
}

static double hours_between(double from_s, double to_s)
{
    return fmax(0.0, to_s - from_s) / 3600.0;
}

static void fill_ramp(const struct wi_series_step *a, const struct wi_series_step *b,
                      double bucket_s, struct wi_series_ramp *ramp)
{
    double hours = fmax(hours_between(a->end_s, b->start_s), bucket_s / 3600.0);

    ramp->hours = hours_between(a->end_s, b->start_s);
    ramp->temp_c_per_h = (b->temp.mean - a->temp.mean) / hours;
    ramp->rh_pct_per_h = (b->rh.mean - a->rh.mean) / hours;
}

static double rounded(double value)
{
    return rint(value * 1e3) / 1e3; /* a logger's digits, not those of a sum */
}

static void fill_scenario_step(const struct wi_series_step *from, enum wi_axis axis,
                               struct wi_step *to)
{
    bool moves = from->grms.mean >= STILL_GRMS;

    to->temp_c = rounded(from->temp.mean);
    to->rh_pct = rounded(from->rh.mean);
    to->vib = (struct wi_vib){WI_AXIS_NONE, NAN, NAN};
    if (moves) {
        to->vib.axis = axis;
        to->vib.grms = rounded(from->grms.mean);
        to->vib.freq_hz = rounded(from->freq.mean);
    }
}

static void fill_exposure(enum wi_axis axis, bool axis_known, struct wi_exposure_record *r)
{
    const struct wi_series_step *during = &r->steps[r->n_steps > 1 ? 1 : 0];
    struct wi_step none = {NAN, NAN, {WI_AXIS_NONE, NAN, NAN}};
    struct wi_exposure *x = &r->exposure;

    *x = (struct wi_exposure){.before = none, .after = none};
    r->has_before = r->n_steps > 1;
    r->vib_known = isfinite(during->grms.mean);
    r->axis_known = axis_known || !(during->grms.mean >= STILL_GRMS);
    if (!axis_known)
        axis = WI_AXIS_PERPENDICULAR; /* a placeholder: written as "unknown" */
    if (r->has_before)
        fill_scenario_step(&r->steps[0], axis, &x->before);
    fill_scenario_step(during, axis, &x->during);
    x->has_after = r->n_steps == 3;
    if (x->has_after)
        fill_scenario_step(&r->steps[2], axis, &x->after);
    x->during_h = rounded(hours_between(during->start_s, during->end_s));
}

static enum wi_status warn_unsteady(struct wi_exposure_record *r, struct wi_err *err)
{
    const struct wi_series_step *d = &r->steps[r->n_steps > 1 ? 1 : 0];
    enum wi_status st = WI_OK;

    if (d->temp.sd > unit_of[Q_TEMP])
        st = wi_texts_add(&r->warnings, "", err,
                          "the during step is not steady: temperature %.1f to %.1f C, sd %.1f; its "
                          "mean is used",
                          d->temp.min, d->temp.max, d->temp.sd);
    if (st == WI_OK && d->rh.sd > unit_of[Q_RH])
        st = wi_texts_add(&r->warnings, "", err,
                          "the during step is not steady: humidity %.1f to %.1f %%RH, sd %.1f; its "
                          "mean is used",
                          d->rh.min, d->rh.max, d->rh.sd);
    return st;
}

static void fill_steps(const struct wi_series *s, const struct points *p,
                       struct wi_exposure_record *r)
{
    size_t from[3];
    size_t to[3];

    r->n_steps = wi_points_cut(p, from, to);
    for (size_t i = 0; i < r->n_steps; i++)
        fill_step(s, p, from[i], to[i], &r->steps[i]);
}

/* Readings of raw acceleration are within their range one by one; what they amount to may not be.
 */
static enum wi_status refuse_impossible(const struct wi_exposure_record *r, struct wi_err *err)
{
    for (size_t i = 0; i < r->n_steps; i++) {
        if (r->steps[i].grms.mean > WI_GRMS_MAX)
            return wi_fail(err, WI_EDATA,
                           "%s: the acceleration amounts to %g g rms, possible is %g to %g: is its "
                           "unit mg or m/s2?",
                           r->file ? r->file : "series", r->steps[i].grms.mean, WI_GRMS_MIN,
                           WI_GRMS_MAX);
    }
    return WI_OK;
}

enum wi_status wi_series_segment(const struct wi_series *s, enum wi_axis axis, bool axis_known,
                                 struct wi_exposure_record *r, struct wi_err *err)
{
    struct points p;
    enum wi_status st;

    if (s->failed)
        return wi_fail_nomem(err);
    if (!s->started)
        return wi_fail(err, WI_EDATA, "%s: no reading of temperature, humidity or vibration in it",
                       r->file ? r->file : "series");
    if (s->last_s - s->first_s > WI_DUR_H_MAX * 3600.0)
        return wi_fail(err, WI_EDATA, "%s: its times span %.0f years: at least one is wrong",
                       r->file ? r->file : "series", (s->last_s - s->first_s) / 31557600.0);
    st = points_init(s, &p, err);
    if (st != WI_OK)
        return st;
    fill_steps(s, &p, r);
    r->start_s = s->first_s;
    r->end_s = s->last_s;
    r->bucket_s = s->width_s * (double)(p.items[0].to - p.items[0].from);
    for (size_t i = 0; i + 1 < r->n_steps; i++)
        fill_ramp(&r->steps[i], &r->steps[i + 1], r->bucket_s, &r->ramps[i]);
    fill_exposure(axis, axis_known, r);
    st = refuse_impossible(r, err);
    if (st == WI_OK)
        st = warn_unsteady(r, err);
    points_release(&p);
    return st;
}

void wi_exposure_record_release(struct wi_exposure_record *record)
{
    wi_texts_release(&record->warnings);
}

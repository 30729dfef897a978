#include "experiments/sweep_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORNERS_MAX 65536
#define N_BOOT 500
#define CONFIDENCE 0.95
#define N_TENTHS 10 /* parts of a continuous factor for its main effect */

static const double default_percentiles[] = {99.0, 99.9, 99.99};

struct work {
    const struct wi_sweep_spec *spec;
    struct wi_fast *model;
    struct wi_summary *sum;
    size_t n, d, m; /* points, factors, outputs */
    double *u;      /* (n, 2 d) points of A and B */
    double *f;      /* (m, d + 2, n): A, B, AB_1 .. AB_d of each output */
};

void wi_summary_release(struct wi_summary *s)
{
    for (size_t i = 0; s->outputs && i < s->n_outputs; i++)
        free(s->outputs[i].factors);
    free(s->outputs);
    *s = (struct wi_summary){0};
}

/* --- predictions -------------------------------------------------------------------------------
 */

static enum wi_status scenario_at(const struct work *w, const double *point, struct wi_scenario *s,
                                  struct wi_err *err)
{
    enum wi_status st = wi_sweep_scenario_at(w->spec, point, s, err);

    /* The same percentiles everywhere, while their defaults depend on the stress. */
    if (st == WI_OK && !(s->given & WI_F_PERCENTILES))
        st = wi_scenario_set_percentiles(
            s, default_percentiles, sizeof(default_percentiles) / sizeof(default_percentiles[0]),
            err);
    return st;
}

static void note_extreme(struct wi_summary_extreme *e, bool first, bool higher,
                         const struct wi_scenario *s, const struct wi_fast_row *row, size_t i,
                         bool corner)
{
    double change = row->out[i].change_pct;

    if (!first && (higher ? change <= e->change_pct : change >= e->change_pct))
        return;
    *e = (struct wi_summary_extreme){.scenario = *s,
                                     .change_pct = change,
                                     .low_pct = row->out[i].low_pct,
                                     .high_pct = row->out[i].high_pct,
                                     .domain = row->domain,
                                     .corner = corner};
}

/* Predict one point; changes go to y, (m,). */
static enum wi_status predict(struct work *w, const double *point, bool corner, double *y,
                              struct wi_err *err)
{
    struct wi_scenario s;
    struct wi_fast_row row;
    enum wi_status st = scenario_at(w, point, &s, err);

    if (st == WI_OK)
        st = wi_fast_predict(w->model, &s, &row, err);
    for (size_t i = 0; i < w->m && st == WI_OK; i++) {
        struct wi_summary_output *o = &w->sum->outputs[i];
        bool first = w->sum->n_predictions == 0;
        bool tail = !isnan(o->percentile);

        y[i] = row.out[i].change_pct;
        note_extreme(&o->worst, first, tail, &s, &row, i, corner);
        note_extreme(&o->best, first, !tail, &s, &row, i, corner);
    }
    w->sum->n_predictions++;
    return st;
}

static double *column(const struct work *w, size_t output, size_t which)
{
    return w->f + (output * (w->d + 2) + which) * w->n;
}

static enum wi_status predict_into(struct work *w, const double *point, size_t which, size_t i,
                                   struct wi_err *err)
{
    double y[WI_PERCENTILES_MAX + 1];
    enum wi_status st = predict(w, point, false, y, err);

    for (size_t k = 0; k < w->m && st == WI_OK; k++)
        column(w, k, which)[i] = y[k];
    return st;
}

static enum wi_status predict_samples(struct work *w, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < w->n && st == WI_OK; i++) {
        double *a = w->u + 2 * w->d * i;
        double *b = a + w->d;

        st = predict_into(w, a, 0, i, err);
        if (st == WI_OK)
            st = predict_into(w, b, 1, i, err);
        for (size_t f = 0; f < w->d && st == WI_OK; f++) {
            double keep = a[f];

            a[f] = b[f];
            st = predict_into(w, a, 2 + f, i, err);
            a[f] = keep;
        }
    }
    return st;
}

/* --- corners -----------------------------------------------------------------------------------
 */

/* Places of a factor that corners visit: the two ends of numbers, all names. */
static uint64_t n_places(const struct wi_sweep_spec *spec, size_t f)
{
    double from;
    double to;
    uint64_t levels = wi_sweep_factor_levels(spec, f);

    if (wi_sweep_factor_range(spec, f, &from, &to))
        return levels == 1 ? 1 : 2;
    return levels;
}

static double place_at(const struct wi_sweep_spec *spec, size_t f, uint64_t place)
{
    double from;
    double to;
    uint64_t levels = wi_sweep_factor_levels(spec, f);

    if (wi_sweep_factor_range(spec, f, &from, &to))
        return place ? nextafter(1.0, 0.0) : 0.0;
    return ((double)place + 0.5) / (double)levels;
}

static enum wi_status visit_corners(struct work *w, struct wi_err *err)
{
    uint64_t n = 1;
    enum wi_status st = WI_OK;

    for (size_t f = 0; f < w->d; f++) {
        uint64_t places = n_places(w->spec, f);

        if (places > CORNERS_MAX / n)
            return WI_OK; /* the sampled points have to do */
        n *= places;
    }
    for (uint64_t i = 0; i < n && st == WI_OK; i++) {
        double point[WI_DESIGN_FACTORS_MAX];
        double y[WI_PERCENTILES_MAX + 1];
        uint64_t rest = i;

        for (size_t f = 0; f < w->d; f++) {
            uint64_t places = n_places(w->spec, f);

            point[f] = place_at(w->spec, f, rest % places);
            rest /= places;
        }
        st = predict(w, point, true, y, err);
    }
    w->sum->n_corners = n;
    return st;
}

/* --- main effects ------------------------------------------------------------------------------
 */

/* The part of a factor that u lies in: a level, or a tenth of a distribution. Many levels share
 * parts, so that each holds enough points for a mean. */
static size_t part_of(uint64_t levels, double u)
{
    size_t parts = levels && levels <= 64 ? (size_t)levels : N_TENTHS;
    size_t part = (size_t)(u * (double)parts);

    return part < parts ? part : parts - 1;
}

static void part_name(const struct work *w, size_t f, size_t part, char *text)
{
    uint64_t levels = wi_sweep_factor_levels(w->spec, f);
    char from[WI_SUMMARY_VALUE_MAX / 2 - 8];
    char to[WI_SUMMARY_VALUE_MAX / 2 - 8];

    if (levels && levels <= 64) {
        wi_sweep_factor_format(w->spec, f, ((double)part + 0.5) / (double)levels, text,
                               WI_SUMMARY_VALUE_MAX);
        return;
    }
    wi_sweep_factor_format(w->spec, f, (double)part / N_TENTHS, from, sizeof(from));
    wi_sweep_factor_format(w->spec, f, nextafter((double)(part + 1) / N_TENTHS, 0.0), to,
                           sizeof(to));
    snprintf(text, WI_SUMMARY_VALUE_MAX, "%s to %s", from, to);
}

/* Means over the independent points A and B by the part that a factor is in. */
static void main_effect(const struct work *w, size_t output, size_t f)
{
    struct wi_summary_factor *out = &w->sum->outputs[output].factors[f];
    uint64_t levels = wi_sweep_factor_levels(w->spec, f);
    double sum[64] = {0};
    size_t count[64] = {0};
    size_t low = SIZE_MAX;
    size_t high = SIZE_MAX;

    for (size_t i = 0; i < 2 * w->n; i++) {
        size_t k = i % w->n;
        bool b = i >= w->n;
        size_t part = part_of(levels, w->u[2 * w->d * k + (b ? w->d : 0) + f]);

        sum[part] += column(w, output, b)[k];
        count[part]++;
    }
    for (size_t p = 0; p < 64; p++) {
        double mean = count[p] ? sum[p] / (double)count[p] : NAN;

        if (!count[p])
            continue;
        if (low == SIZE_MAX || mean < out->low_mean_pct) {
            low = p;
            out->low_mean_pct = mean;
        }
        if (high == SIZE_MAX || mean > out->high_mean_pct) {
            high = p;
            out->high_mean_pct = mean;
        }
    }
    part_name(w, f, low, out->low_value);
    part_name(w, f, high, out->high_value);
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static enum wi_status analyse(struct work *w, size_t output, struct wi_err *err)
{
    struct wi_summary_output *o = &w->sum->outputs[output];
    struct wi_sobol_indices indices[WI_SUMMARY_FACTORS_MAX];
    const double *y = column(w, output, 0); /* A, then B */
    double sum = 0.0;
    double square = 0.0;
    enum wi_status st;

    for (size_t i = 0; i < 2 * w->n; i++)
        sum += y[i];
    o->mean_pct = sum / (2.0 * (double)w->n);
    for (size_t i = 0; i < 2 * w->n; i++)
        square += (y[i] - o->mean_pct) * (y[i] - o->mean_pct);
    o->sd_pct = sqrt(square / (2.0 * (double)w->n));
    st = wi_sobol_indices(w->n, w->d, y, column(w, output, 1), column(w, output, 2), N_BOOT,
                          CONFIDENCE, wi_sweep_seed(w->spec), indices, err);
    for (size_t f = 0; f < w->d && st == WI_OK; f++) {
        o->factors[f].indices = indices[f];
        main_effect(w, output, f);
    }
    return st;
}

/* Which outputs there are: from the scenario in the middle. */
static enum wi_status set_outputs(struct work *w, struct wi_err *err)
{
    double point[WI_DESIGN_FACTORS_MAX];
    struct wi_scenario s;
    enum wi_status st;

    for (size_t f = 0; f < w->d; f++)
        point[f] = 0.5;
    st = scenario_at(w, point, &s, err);
    if (st != WI_OK)
        return st;
    w->m = s.n_percentiles + 1;
    w->sum->outputs = calloc(w->m, sizeof(*w->sum->outputs));
    if (!w->sum->outputs)
        return wi_fail_nomem(err);
    w->sum->n_outputs = w->m;
    for (size_t i = 0; i < w->m; i++) {
        w->sum->outputs[i].percentile = i < s.n_percentiles ? s.percentiles[i] : NAN;
        w->sum->outputs[i].factors = calloc(w->d, sizeof(*w->sum->outputs[i].factors));
        if (!w->sum->outputs[i].factors)
            return wi_fail_nomem(err);
    }
    return WI_OK;
}

static enum wi_status set_points(struct work *w, struct wi_err *err)
{
    struct wi_design *design = calloc(1, sizeof(*design));
    enum wi_status st = WI_OK;

    w->u = calloc(w->n * 2 * w->d, sizeof(*w->u));
    w->f = calloc(w->n * (w->d + 2) * w->m, sizeof(*w->f));
    if (!design || !w->u || !w->f) {
        free(design);
        return wi_fail_nomem(err);
    }
    design->kind = WI_DESIGN_SOBOL;
    design->n_factors = 2 * w->d;
    design->n = w->n;
    /* The unshifted sequence begins at the origin; a shift also makes the points depend on seed. */
    design->seed = wi_sweep_seed(w->spec) + 1;
    st = wi_design_init(design, err);
    for (size_t i = 0; i < w->n && st == WI_OK; i++)
        wi_design_point(design, i, w->u + 2 * w->d * i);
    free(design);
    return st;
}

enum wi_status wi_sweep_summary(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                                size_t n_points, struct wi_summary *out, struct wi_err *err)
{
    struct wi_summary sum = {.n_factors = wi_sweep_n_factors(spec),
                             .n_points = n_points ? n_points : WI_SUMMARY_POINTS,
                             .confidence = CONFIDENCE};
    struct work w = {.spec = spec, .sum = &sum, .n = sum.n_points, .d = sum.n_factors};
    enum wi_status st;

    if (w.d == 0)
        return wi_fail(err, WI_EDATA, "factors: a summary needs at least one");
    if (w.d > WI_SUMMARY_FACTORS_MAX)
        return wi_fail(err, WI_EDATA, "factors: %zu, a summary takes at most %d", w.d,
                       WI_SUMMARY_FACTORS_MAX);
    st = wi_fast_new(ev, false, &w.model, err);
    if (st == WI_OK)
        st = set_outputs(&w, err);
    if (st == WI_OK)
        st = set_points(&w, err);
    if (st == WI_OK)
        st = predict_samples(&w, err);
    if (st == WI_OK)
        st = visit_corners(&w, err);
    for (size_t i = 0; i < w.m && st == WI_OK; i++)
        st = analyse(&w, i, err);
    free(w.u);
    free(w.f);
    wi_fast_free(w.model);
    if (st != WI_OK) {
        wi_summary_release(&sum);
        return st;
    }
    *out = sum;
    return WI_OK;
}

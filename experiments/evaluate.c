#include "experiments/eval_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fit.h"

#define MEAN_ABS_NORMAL 0.7978845608028654 /* E|x| of a standard normal */

/*
 * Our own designs that were looked at on these hold-outs beyond the study's: a drive's share in all
 * covariances (temperature and humidity by curve: MAE 8.75), in those of drives that a source does
 * not stand for (5.35, the default); and three rules of the domain.
 */
const unsigned wi_variants_own = 5;

void wi_evaluation_release(struct wi_evaluation *ev)
{
    free(ev->cases);
    *ev = (struct wi_evaluation){0};
}

/* ------------------------------------------------------------------ one fold */

static enum wi_status copy_names(const struct wi_names *from, struct wi_names *to,
                                 struct wi_err *err)
{
    to->items = malloc((from->n + 1) * sizeof(*to->items));
    if (!to->items)
        return wi_fail_nomem(err);
    if (from->n)
        memcpy(to->items, from->items, from->n * sizeof(*to->items));
    to->n = from->n;
    to->cap = from->n + 1;
    return WI_OK;
}

/* The rows that a fold trains on: of the groups that it tests, without its own. */
static enum wi_status training(const struct wi_eval_run *run, int fold, const bool *group_used,
                               struct wi_rows *out)
{
    enum wi_status st = copy_names(&run->rows.vendors, &out->vendors, run->err);

    if (st == WI_OK)
        st = copy_names(&run->rows.devices, &out->devices, run->err);
    if (st == WI_OK)
        st = copy_names(&run->rows.exps, &out->exps, run->err);
    if (st != WI_OK)
        return st;
    out->rows = malloc((run->rows.n + 1) * sizeof(*out->rows));
    if (!out->rows)
        return wi_fail_nomem(run->err);
    out->cap = run->rows.n + 1;
    for (size_t i = 0; i < run->rows.n; i++) {
        const struct wi_row *r = &run->rows.rows[i];
        bool held = run->fold_of[i] == fold && run->ev->holdout != WI_HOLDOUT_NONE;

        if (!held && group_used[r->group])
            out->rows[out->n++] = *r;
    }
    return WI_OK;
}

static enum wi_status predict_case(const struct wi_evidence *model, struct wi_eval_case *c,
                                   enum wi_predictor p, struct wi_err *err)
{
    struct wi_row q = c->row;
    struct wi_moments m;
    struct wi_change change;
    double sd;
    enum wi_status st;

    if (p == WI_PREDICT_NEW_DRIVE) {
        q.vendor = q.device = WI_NONE_ID;
        q.letter = 3;
        q.reference = false;
    }
    st = wi_evidence_moments(model, &q, 1, &m, NULL, 0, err);
    if (st != WI_OK)
        return st;
    /* The truth is a reading: its own error belongs to the interval. */
    sd = c->reading_sd_pct / 100.0 / exp(m.mean);
    wi_change_set(&change, m.mean, m.var + m.noise_var + sd * sd,
                  wi_interval_sds(WI_EVAL_CONFIDENCE, q.group == WI_GROUP_VIB));
    c->change[p] = change.change_pct;
    c->low[p] = change.low_pct;
    c->high[p] = change.high_pct;
    return WI_OK;
}

/*
 * The domain that a user who asks for this measurement would be told; for the known drive without
 * what is said of a cell type that its source does not disclose.
 */
static enum wi_status case_domain(const struct wi_evidence *model, const struct wi_dataset *ds,
                                  const struct wi_eval_case *c, bool known, enum wi_domain *out,
                                  struct wi_err *err)
{
    const struct wi_observation *o = &ds->obs[c->obs];
    const struct wi_experiment *x = &ds->exps[o->exp];
    struct wi_scenario s;
    struct wi_asking asking;
    struct wi_forecast f = {0};
    enum wi_status st;

    wi_scenario_init(&s);
    s.nand = x->nand;
    s.op = o->op;
    s.phase = x->phase;
    s.exposure = x->exposure;
    s.percentiles[0] = isfinite(o->percentile) ? o->percentile : 99.0;
    s.n_percentiles = 1;
    s.confidence = WI_EVAL_CONFIDENCE;
    if (known) {
        const char *vendor = x->vendor[0] || x->device[0] ? x->vendor : x->source;

        snprintf(s.vendor, sizeof(s.vendor), "%s", vendor);
        snprintf(s.device, sizeof(s.device), "%s", x->device);
    }
    wi_asking_init(&asking, model, &s);
    asking.look.as_measured = known;
    st = wi_asking_answer(&asking, &f, err);
    *out = f.domain;
    wi_forecast_release(&f);
    return st;
}

static enum wi_status fold_model(const struct wi_eval_run *run, int fold, const bool *group_used,
                                 struct wi_evidence **model)
{
    struct wi_rows rows = {0};
    struct wi_fit *fit = malloc(sizeof(*fit));
    enum wi_status st = fit ? training(run, fold, group_used, &rows) : wi_fail_nomem(run->err);

    if (st == WI_OK)
        st = wi_fit_rows(&rows, run->ev->model, fit, run->err);
    if (st == WI_OK)
        st = wi_evidence_from_rows(&rows, fit, model, run->err);
    wi_rows_release(&rows);
    free(fit);
    return st;
}

static enum wi_status run_fold(struct wi_eval_run *run, int fold, bool *is_test)
{
    struct wi_evaluation *ev = run->ev;
    struct wi_evidence *model = NULL;
    bool group_used[WI_N_GROUPS] = {false}, any = false;
    enum wi_status st;

    for (size_t i = 0; i < ev->n_cases; i++) {
        is_test[i] = ev->cases[i].fold == (size_t)fold;
        if (is_test[i])
            any = group_used[ev->cases[i].row.group] = true;
    }
    if (!any)
        return WI_OK;
    st = fold_model(run, fold, group_used, &model);
    for (size_t i = 0; i < ev->n_cases && st == WI_OK; i++) {
        struct wi_eval_case *c = &ev->cases[i];

        if (!is_test[i])
            continue;
        st = predict_case(model, c, WI_PREDICT_EVIDENCE, run->err);
        if (st == WI_OK)
            st = predict_case(model, c, WI_PREDICT_NEW_DRIVE, run->err);
        if (st == WI_OK)
            st = case_domain(model, run->ds, c, true, &c->domain, run->err);
        if (st == WI_OK)
            st = case_domain(model, run->ds, c, false, &c->new_domain, run->err);
    }
    if (ev->holdout == WI_HOLDOUT_NONE)
        memset(is_test, 0, ev->n_cases * sizeof(*is_test));
    if (st == WI_OK)
        st = wi_baselines_fold(ev->cases, ev->n_cases, is_test, run->ds, run->err);
    wi_evidence_free(model);
    return st;
}

/* ------------------------------------------------------------------ floors */

static void add_floor(struct wi_eval_run *run, const struct wi_gp *gp, size_t i, double noise)
{
    const struct wi_row *r = &gp->rows[i];
    double residual = wi_gp_left_out(gp, i);

    for (size_t k = 0; k < run->ev->n_cases; k++) {
        const struct wi_eval_case *c = &run->ev->cases[k];
        double scale = 1.0 + c->truth_pct / 100.0, read = c->reading_sd_pct;

        if (c->obs != r->obs || !r->scored)
            continue;
        for (int f = 0; f < WI_N_FAMILIES; f++) {
            struct wi_eval_floor *o = &run->ev->floor[f];

            if (!wi_family_has((enum wi_family)f, c))
                continue;
            o->n++;
            o->reading += MEAN_ABS_NORMAL * read;
            o->noise += MEAN_ABS_NORMAL * hypot(read, 100.0 * scale * sqrt(noise));
            o->point += fabs(100.0 * expm1(r->z - residual) - c->truth_pct);
        }
    }
}

/* Closed form at the mode of all data: what remains when the rest of a curve is known. */
static enum wi_status floors(struct wi_eval_run *run)
{
    struct wi_fit *fit = malloc(sizeof(*fit));
    struct wi_row *part = malloc((run->rows.n + 1) * sizeof(*part));
    enum wi_status st = fit && part ? WI_OK : wi_fail_nomem(run->err);

    if (st == WI_OK)
        st = wi_fit_rows(&run->rows, run->ev->model, fit, run->err);
    for (int p = 0; p < WI_N_PARTS && st == WI_OK; p++) {
        enum wi_group g = p == WI_PART_TH ? WI_GROUP_TH : WI_GROUP_VIB;
        struct wi_gp gp;
        size_t n = 0;

        for (size_t i = 0; i < run->rows.n; i++) {
            if (wi_part_of(&run->rows.rows[i]) == (enum wi_part)p)
                part[n++] = run->rows.rows[i];
        }
        st = wi_gp_init(&gp, wi_kernel_of(g), part, n, fit->group[g].mode, 1, run->err);
        for (size_t i = 0; i < n && st == WI_OK; i++) {
            double noise;

            gp.kernel->noise(fit->group[g].mode, &gp.rows[i], 1, &noise);
            add_floor(run, &gp, i, noise);
        }
        wi_gp_release(&gp);
    }
    for (int f = 0; f < WI_N_FAMILIES && st == WI_OK; f++) {
        struct wi_eval_floor *o = &run->ev->floor[f];
        double n = o->n ? (double)o->n : 1.0;

        o->reading /= n;
        o->noise /= n;
        o->point /= n;
    }
    free(fit);
    free(part);
    return st;
}

/* ------------------------------------------------------------------ all */

enum wi_status wi_evaluate(const struct wi_dataset *ds, enum wi_model_kind model,
                           enum wi_holdout holdout, wi_progress_fn progress, void *ctx,
                           struct wi_evaluation *ev, struct wi_err *err)
{
    struct wi_eval_run run = {
        .ds = ds, .ev = ev, .progress = progress, .progress_ctx = ctx, .err = err};
    bool *is_test = NULL;
    enum wi_status st;

    ev->holdout = holdout;
    ev->model = model;
    st = wi_rows_from_dataset(ds, model, &run.rows, err);
    if (st == WI_OK)
        st = wi_eval_folds_make(&run);
    if (st == WI_OK)
        st = wi_eval_published_mark(&run);
    if (st == WI_OK && !(is_test = calloc(ev->n_cases + 1, sizeof(*is_test))))
        st = wi_fail_nomem(err);
    for (size_t f = 0; f < run.folds.n && st == WI_OK; f++) {
        st = run_fold(&run, (int)f, is_test);
        if (progress)
            progress(ctx, f + 1, run.folds.n);
    }
    if (st == WI_OK)
        st = wi_baselines_intervals(ev, err);
    if (st == WI_OK)
        st = floors(&run);
    if (st == WI_OK)
        st = wi_eval_published_bootstrap(&run);
    free(is_test);
    free(run.fold_of);
    wi_names_release(&run.folds);
    wi_names_release(&run.curves);
    wi_rows_release(&run.rows);
    if (st != WI_OK)
        wi_evaluation_release(ev);
    return st;
}

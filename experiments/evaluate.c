#include "experiments/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/csv_read.h"
#include "core/embedded.h"
#include "core/evidence_model.h"
#include "core/fit.h"

#define CONFIDENCE 0.9
#define KEY_MAX 256
#define MEAN_ABS_NORMAL 0.7978845608028654 /* E|x| of a standard normal */

/*
 * Our own designs that were looked at on these hold-outs beyond the study's: a drive's share in all
 * covariances (temperature and humidity by curve: MAE 8.75), in those of drives that a source does
 * not stand for (5.35, the default); and three rules of the domain.
 */
const unsigned wi_variants_own = 5;

static const char *const holdout_names[] = {"curve",  "experiment", "condition",
                                            "vendor", "source",     "none"};
static const char *const family_names[] = {"vibration_short_term",
                                           "vibration_long_term",
                                           "vibration",
                                           "temp_humidity",
                                           "bandwidth",
                                           "hotstorage25",
                                           "all"};
static const char *const predictor_names[] = {
    "evidence", "evidence_new_drive", "zero", "phase_mean",
    "sibling",  "kernel_regression",  "ridge"};

const char *wi_holdout_name(enum wi_holdout v)
{
    return holdout_names[v];
}

const char *wi_family_name(enum wi_family v)
{
    return family_names[v];
}

const char *wi_predictor_name(enum wi_predictor v)
{
    return predictor_names[v];
}

bool wi_holdout_parse(const char *text, enum wi_holdout *out)
{
    for (int i = 0; i <= WI_HOLDOUT_NONE; i++) {
        if (strcasecmp(text, holdout_names[i]) == 0) {
            *out = (enum wi_holdout)i;
            return true;
        }
    }
    return false;
}

void wi_evaluation_release(struct wi_evaluation *ev)
{
    free(ev->cases);
    *ev = (struct wi_evaluation){0};
}

bool wi_family_has(enum wi_family family, const struct wi_eval_case *c)
{
    bool bw = c->row.bandwidth, th = c->row.group == WI_GROUP_TH;
    bool lng = c->row.phase == WI_PHASE_LONG_TERM;

    switch (family) {
    case WI_FAMILY_VIB_SHORT:
        return !bw && !th && !lng;
    case WI_FAMILY_VIB_LONG:
        return !bw && !th && lng;
    case WI_FAMILY_VIB:
        return !bw && !th;
    case WI_FAMILY_TH:
        return !bw && th;
    case WI_FAMILY_BANDWIDTH:
        return bw;
    case WI_FAMILY_HOTSTORAGE25:
        return c->published;
    default:
        return true;
    }
}

/* ------------------------------------------------------------------ folds */

struct run {
    const struct wi_dataset *ds;
    struct wi_evaluation *ev;
    struct wi_rows rows; /* all rows of the model */
    int *fold_of;        /* (rows.n,) WI_NONE_ID = always in training */
    struct wi_names folds, curves;
    wi_progress_fn progress;
    void *progress_ctx;
    struct wi_err *err;
};

/* The step of a temperature or humidity experiment, whatever the NAND type. */
static void condition_key(const struct wi_experiment *x, char *key, size_t size)
{
    const struct wi_exposure *e = &x->exposure;

    snprintf(key, size, "%g/%g>%g/%g>%g/%g %g-%g %g-%g %d", e->before.temp_c, e->before.rh_pct,
             e->during.temp_c, e->during.rh_pct, e->has_after ? e->after.temp_c : 0.0,
             e->has_after ? e->after.rh_pct : 0.0, x->temp_low_c, x->temp_high_c, x->rh_low_pct,
             x->rh_high_pct, (int)x->phase);
}

static void curve_key(const struct wi_experiment *x, const struct wi_row *r, char *key, size_t size)
{
    snprintf(key, size, "%.90s|%.2f|%d", x->id, r->w_read, r->bandwidth ? 1 : 0);
}

/* False: the row belongs to no fold of this kind. */
static bool fold_key(const struct run *run, const struct wi_row *r, char *key, size_t size)
{
    const struct wi_experiment *x = &run->ds->exps[run->ds->obs[r->obs].exp];

    switch (run->ev->holdout) {
    case WI_HOLDOUT_CURVE:
        curve_key(x, r, key, size);
        return true;
    case WI_HOLDOUT_EXPERIMENT:
        snprintf(key, size, "%s", x->id);
        return true;
    case WI_HOLDOUT_CONDITION:
        condition_key(x, key, size);
        return r->group == WI_GROUP_TH;
    case WI_HOLDOUT_VENDOR:
        snprintf(key, size, "%s", x->vendor);
        return x->vendor[0] != '\0';
    case WI_HOLDOUT_SOURCE:
        snprintf(key, size, "%s", x->source);
        return true;
    default:
        snprintf(key, size, "all");
        return true;
    }
}

static double reading_sd_pct(const struct wi_observation *o)
{
    if (o->kind == WI_OBS_VALUE)
        return o->reading_error_pct / 1.645;
    return o->kind == WI_OBS_NO_CHANGE ? 2.0 : o->reading_error_pct / sqrt(3.0);
}

static enum wi_status add_case(struct run *run, const struct wi_row *r, int fold)
{
    const struct wi_observation *o = &run->ds->obs[r->obs];
    struct wi_eval_case *c = &run->ev->cases[run->ev->n_cases];
    char key[KEY_MAX];
    int curve;
    enum wi_status st;

    curve_key(&run->ds->exps[o->exp], r, key, sizeof(key));
    st = wi_names_intern(&run->curves, key, &curve, run->err);
    if (st != WI_OK)
        return st;
    *c = (struct wi_eval_case){.obs = r->obs,
                               .row = *r,
                               .truth_pct = o->change_pct,
                               .reading_sd_pct = reading_sd_pct(o),
                               .fold = (size_t)fold,
                               .curve = (size_t)curve,
                               .llm_pct = NAN};
    run->ev->n_cases++;
    return WI_OK;
}

static enum wi_status make_folds(struct run *run)
{
    char key[KEY_MAX];
    enum wi_status st = WI_OK;

    run->fold_of = calloc(run->rows.n + 1, sizeof(*run->fold_of));
    run->ev->cases = calloc(run->rows.n + 1, sizeof(*run->ev->cases));
    if (!run->fold_of || !run->ev->cases)
        return wi_fail_nomem(run->err);
    for (size_t i = 0; i < run->rows.n && st == WI_OK; i++) {
        const struct wi_row *r = &run->rows.rows[i];

        run->fold_of[i] = WI_NONE_ID;
        if (!fold_key(run, r, key, sizeof(key)))
            continue;
        st = wi_names_intern(&run->folds, key, &run->fold_of[i], run->err);
        if (st == WI_OK && r->scored)
            st = add_case(run, r, run->fold_of[i]);
    }
    run->ev->n_folds = run->folds.n;
    run->ev->n_curves = run->curves.n;
    return st;
}

/* ------------------------------------------------------------------ the published comparison */

struct published {
    struct run *run;
    int experiment, metric, percentile, set, llm;
};

static int column(char *const *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i], name) == 0)
            return (int)i;
    }
    return -1;
}

static enum wi_status read_published(void *ctx, size_t line, char *const *f, size_t n,
                                     struct wi_err *err)
{
    struct published *p = ctx;
    struct wi_evaluation *ev = p->run->ev;

    if (line == 1) {
        p->experiment = column(f, n, "experiment");
        p->metric = column(f, n, "metric");
        p->percentile = column(f, n, "percentile");
        p->set = column(f, n, "set");
        p->llm = column(f, n, "llm_pct");
        if (p->experiment < 0 || p->metric < 0 || p->percentile < 0 || p->set < 0 || p->llm < 0)
            return wi_fail(err, WI_EDATA, "data/hotstorage25.csv:1: a column is missing");
        return WI_OK;
    }
    if (n <= (size_t)p->llm || strncmp(f[p->set], "temp_hum", 8) != 0 || !f[p->experiment][0] ||
        strcmp(f[p->metric], "tail_latency") != 0)
        return WI_OK;
    for (size_t i = 0; i < ev->n_cases; i++) {
        struct wi_eval_case *c = &ev->cases[i];
        const struct wi_observation *o = &p->run->ds->obs[c->obs];

        if (strcmp(p->run->ds->exps[o->exp].id, f[p->experiment]) == 0 && !c->row.bandwidth &&
            fabs(o->percentile - strtod(f[p->percentile], NULL)) < 1e-9) {
            c->published = true;
            c->llm_pct = strtod(f[p->llm], NULL);
        }
    }
    return WI_OK;
}

static enum wi_status mark_published(struct run *run)
{
    const struct wi_embedded_file *file = wi_embedded_find("data/hotstorage25.csv");
    struct published p = {.run = run};

    if (!file)
        return wi_fail(run->err, WI_ENOTFOUND, "no embedded 'data/hotstorage25.csv'");
    return wi_csv_parse(file->path, file->bytes, file->n_bytes, NULL, read_published, &p, run->err);
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
static enum wi_status training(const struct run *run, int fold, const bool *group_used,
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
                  wi_interval_sds(CONFIDENCE, q.group == WI_GROUP_VIB));
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
    s.confidence = CONFIDENCE;
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

static enum wi_status fold_model(const struct run *run, int fold, const bool *group_used,
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

static enum wi_status run_fold(struct run *run, int fold, bool *is_test)
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

/* Family of the residuals that a baseline's interval is made of. */
static enum wi_family residual_family(const struct wi_eval_case *c)
{
    static const enum wi_family f[] = {WI_FAMILY_VIB_SHORT, WI_FAMILY_VIB_LONG, WI_FAMILY_TH};

    for (size_t i = 0; i < 3; i++) {
        if (wi_family_has(f[i], c))
            return f[i];
    }
    return WI_FAMILY_BANDWIDTH;
}

/* 90 % quantile of |residual| of the same family over the other folds; 30 points without any. */
static enum wi_status baseline_intervals(struct run *run)
{
    struct wi_evaluation *ev = run->ev;
    double *x = malloc((ev->n_cases + 1) * sizeof(*x));

    if (!x)
        return wi_fail_nomem(run->err);
    for (int p = WI_PREDICT_ZERO; p < WI_N_PREDICTORS; p++) {
        for (size_t i = 0; i < ev->n_cases; i++) {
            struct wi_eval_case *c = &ev->cases[i];
            size_t n = 0;
            double half;

            for (size_t j = 0; j < ev->n_cases; j++) {
                const struct wi_eval_case *o = &ev->cases[j];

                if (o->fold != c->fold && residual_family(o) == residual_family(c))
                    x[n++] = fabs(o->truth_pct - o->change[p]);
            }
            half = n ? wi_quantile_sort(x, n, 0.9) : 30.0;
            c->low[p] = c->change[p] - half;
            c->high[p] = c->change[p] + half;
        }
    }
    free(x);
    return WI_OK;
}

/* ------------------------------------------------------------------ floors */

static void add_floor(struct run *run, const struct wi_gp *gp, size_t i, double noise)
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
static enum wi_status floors(struct run *run)
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

struct selection {
    double *truth, *change, *low, *high;
    size_t *group, n;
};

static enum wi_status select_cases(const struct wi_evaluation *ev, enum wi_predictor p,
                                   enum wi_family family, const enum wi_domain *domain,
                                   struct selection *s, struct wi_err *err)
{
    size_t n = ev->n_cases + 1;

    s->truth = calloc(4 * n, sizeof(*s->truth));
    s->group = calloc(n, sizeof(*s->group));
    if (!s->truth || !s->group)
        return wi_fail_nomem(err);
    s->change = s->truth + n;
    s->low = s->change + n;
    s->high = s->low + n;
    for (size_t i = 0; i < ev->n_cases; i++) {
        const struct wi_eval_case *c = &ev->cases[i];
        enum wi_domain d = p == WI_PREDICT_NEW_DRIVE ? c->new_domain : c->domain;

        if (!wi_family_has(family, c) || (domain && d != *domain))
            continue;
        s->truth[s->n] = c->truth_pct;
        s->change[s->n] = c->change[p];
        s->low[s->n] = c->low[p];
        s->high[s->n] = c->high[p];
        s->group[s->n++] = c->curve;
    }
    return WI_OK;
}

static void release_selection(struct selection *s)
{
    free(s->truth);
    free(s->group);
}

enum wi_status wi_evaluation_scores(const struct wi_evaluation *ev, enum wi_predictor p,
                                    enum wi_family family, const enum wi_domain *domain,
                                    struct wi_scores *out, struct wi_err *err)
{
    struct selection s = {0};
    enum wi_status st = select_cases(ev, p, family, domain, &s, err);

    if (st == WI_OK)
        wi_scores_eval(s.n, s.truth, s.change, s.low, s.high, CONFIDENCE, out);
    release_selection(&s);
    return st;
}

/* Curves of the published set, numbered from 0, for the bootstrap. */
static enum wi_status bootstrap_published(struct run *run)
{
    struct wi_evaluation *ev = run->ev;
    struct selection s = {0};
    size_t n_groups = 0;
    enum wi_status st =
        select_cases(ev, WI_PREDICT_EVIDENCE, WI_FAMILY_HOTSTORAGE25, NULL, &s, run->err);

    for (size_t i = 0; i < s.n && st == WI_OK; i++) {
        size_t id = s.group[i];

        if (id < n_groups)
            continue; /* renumbered with an earlier one */
        for (size_t j = i; j < s.n; j++) {
            if (s.group[j] == id)
                s.group[j] = n_groups;
        }
        n_groups++;
    }
    if (st == WI_OK && s.n)
        st = wi_scores_bootstrap(s.n, s.truth, s.change, s.group, n_groups, ev->published_mae,
                                 ev->published_rel, run->err);
    release_selection(&s);
    return st;
}

enum wi_status wi_evaluate(const struct wi_dataset *ds, enum wi_model_kind model,
                           enum wi_holdout holdout, wi_progress_fn progress, void *ctx,
                           struct wi_evaluation *ev, struct wi_err *err)
{
    struct run run = {.ds = ds, .ev = ev, .progress = progress, .progress_ctx = ctx, .err = err};
    bool *is_test = NULL;
    enum wi_status st;

    ev->holdout = holdout;
    ev->model = model;
    st = wi_rows_from_dataset(ds, model, &run.rows, err);
    if (st == WI_OK)
        st = make_folds(&run);
    if (st == WI_OK)
        st = mark_published(&run);
    if (st == WI_OK && !(is_test = calloc(ev->n_cases + 1, sizeof(*is_test))))
        st = wi_fail_nomem(err);
    for (size_t f = 0; f < run.folds.n && st == WI_OK; f++) {
        st = run_fold(&run, (int)f, is_test);
        if (progress)
            progress(ctx, f + 1, run.folds.n);
    }
    if (st == WI_OK)
        st = baseline_intervals(&run);
    if (st == WI_OK)
        st = floors(&run);
    if (st == WI_OK)
        st = bootstrap_published(&run);
    free(is_test);
    free(run.fold_of);
    wi_names_release(&run.folds);
    wi_names_release(&run.curves);
    wi_rows_release(&run.rows);
    if (st != WI_OK)
        wi_evaluation_release(ev);
    return st;
}

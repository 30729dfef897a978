/*
 * Baselines that any model must beat. Their intervals are set afterwards, from the residuals of the
 * other folds.
 */
#include "experiments/eval_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"

struct fold {
    struct wi_eval_case *cases;
    size_t n;
    const bool *is_test;
    const struct wi_dataset *ds;
};

static const struct wi_observation *obs_of(const struct fold *f, const struct wi_eval_case *c)
{
    return &f->ds->obs[c->obs];
}

static bool same_percentile(const struct wi_row *a, const struct wi_row *b)
{
    return a->bandwidth == b->bandwidth && fabs(a->nines - b->nines) < 1e-9;
}

static bool same_kind(const struct wi_row *a, const struct wi_row *b)
{
    return a->phase == b->phase && a->bandwidth == b->bandwidth;
}

static bool same_exposure(const struct wi_row *a, const struct wi_row *b)
{
    for (size_t k = 0; k < 3; k++) {
        if (a->temp_c[k] != b->temp_c[k] || a->rh_pct[k] != b->rh_pct[k])
            return false;
    }
    return a->axis == b->axis && a->phase == b->phase;
}

typedef bool (*match_fn)(const struct fold *f, const struct wi_eval_case *test,
                         const struct wi_eval_case *train);

static bool match_phase(const struct fold *f, const struct wi_eval_case *t,
                        const struct wi_eval_case *c)
{
    (void)f;
    return same_kind(&t->row, &c->row) && t->row.axis == c->row.axis &&
           t->row.group == c->row.group && same_percentile(&t->row, &c->row);
}

static bool match_phase_any(const struct fold *f, const struct wi_eval_case *t,
                            const struct wi_eval_case *c)
{
    (void)f;
    return same_kind(&t->row, &c->row);
}

/* The other operation of the same experiment. */
static bool match_other_op(const struct fold *f, const struct wi_eval_case *t,
                           const struct wi_eval_case *c)
{
    return obs_of(f, t)->exp == obs_of(f, c)->exp && same_percentile(&t->row, &c->row);
}

/* The same step on another NAND type. */
static bool match_other_nand(const struct fold *f, const struct wi_eval_case *t,
                             const struct wi_eval_case *c)
{
    (void)f;
    return t->row.group == WI_GROUP_TH && c->row.group == WI_GROUP_TH &&
           same_exposure(&t->row, &c->row) && same_percentile(&t->row, &c->row);
}

static bool match_condition(const struct fold *f, const struct wi_eval_case *t,
                            const struct wi_eval_case *c)
{
    (void)f;
    return same_kind(&t->row, &c->row) && t->row.group == c->row.group &&
           t->row.axis == c->row.axis && same_percentile(&t->row, &c->row) &&
           t->row.temp_c[0] == c->row.temp_c[0] && t->row.temp_c[1] == c->row.temp_c[1] &&
           t->row.rh_pct[0] == c->row.rh_pct[0];
}

/* Mean of the training cases of the first rule that finds any; 0 if none does. */
static double mean_of_first(const struct fold *f, const struct wi_eval_case *t,
                            const match_fn *rules, size_t n_rules)
{
    for (size_t r = 0; r < n_rules; r++) {
        double sum = 0.0;
        size_t n = 0;

        for (size_t i = 0; i < f->n; i++) {
            if (!f->is_test[i] && rules[r](f, t, &f->cases[i])) {
                sum += f->cases[i].truth_pct;
                n++;
            }
        }
        if (n)
            return sum / (double)n;
    }
    return 0.0;
}

#define N_FEATURES 25

/* Inputs as plain numbers and indicators. */
static void features(const struct wi_row *r, double *x)
{
    bool post = r->phase == WI_PHASE_POST;
    size_t k = 0;

    memset(x, 0, N_FEATURES * sizeof(*x));
    x[k++] = post ? 0.0 : (r->temp_c[1] - r->temp_c[0]) / 37.5;
    x[k++] = post ? 0.0 : (r->rh_pct[1] - r->rh_pct[0]) / 30.0;
    x[k++] = r->group == WI_GROUP_TH ? (r->temp_c[1] - 22.5) / 37.5 : 0.0;
    x[k++] = (r->rh_pct[0] - 50.0) / 30.0;
    x[k++] = post ? (r->temp_c[1] - r->temp_c[2]) / 30.0 : 0.0;
    x[k++] = post ? (r->rh_pct[1] - r->rh_pct[2]) / 30.0 : 0.0;
    x[k + (size_t)r->axis] = 1.0;
    k += 3;
    x[k + (size_t)r->phase] = 1.0;
    k += 3;
    x[k + (size_t)(r->letter < 3 ? r->letter : 3)] = 1.0;
    k += 4;
    x[k + (size_t)r->nand] = 1.0;
    k += 5;
    x[k++] = r->w_read;
    x[k++] = r->w_write;
    x[k++] = r->bandwidth ? 1.0 : 0.0;
    x[k] = r->bandwidth ? -1.5 : (r->nines - 3.0) / 2.0;
}

static double distance2(const double *a, const double *b)
{
    double d = 0.0;

    for (size_t k = 0; k < N_FEATURES; k++)
        d += (a[k] - b[k]) * (a[k] - b[k]);
    return d;
}

/* Nadaraya-Watson with a little weight at 0. */
static double kernel_regression(const struct fold *f, const double *x, size_t test)
{
    double sum = 0.0, weight = 0.02;

    for (size_t i = 0; i < f->n; i++) {
        double w;

        if (f->is_test[i])
            continue;
        w = exp(-distance2(x + test * N_FEATURES, x + i * N_FEATURES) / 0.5) + 1e-12;
        weight += w;
        sum += w * f->cases[i].truth_pct;
    }
    return sum / weight;
}

/* Inner product of ridge features: inputs, condition cells, and cells by device, each also by
 * nines. */
static double ridge_dot(const struct fold *f, const double *x, size_t i, size_t j)
{
    const struct wi_row *a = &f->cases[i].row, *b = &f->cases[j].row;
    const double *xa = x + i * N_FEATURES, *xb = x + j * N_FEATURES;
    double dot = 0.0, q = 1.0 + xa[N_FEATURES - 1] * xb[N_FEATURES - 1];

    for (size_t k = 0; k < N_FEATURES; k++)
        dot += xa[k] * xb[k];
    if (a->phase == b->phase && a->axis == b->axis && a->group == b->group &&
        a->bandwidth == b->bandwidth &&
        (int)(a->temp_c[1] - a->temp_c[0]) == (int)(b->temp_c[1] - b->temp_c[0]) &&
        (int)(a->rh_pct[1] - a->rh_pct[0]) == (int)(b->rh_pct[1] - b->rh_pct[0]))
        dot += q * (a->letter == b->letter && a->nand == b->nand ? 2.0 : 1.0);
    return dot;
}

struct ridge {
    size_t n;          /* training cases */
    size_t *at;        /* (n,) their positions */
    double *k;         /* (n, n) centred products, then eigenvectors in rows */
    double *w, *y;     /* (n,) eigenvalues; centred truths */
    double *mean;      /* (n,) column means of the products */
    double *coef, *qy; /* (n,) */
    double y_mean, k_mean;
};

static enum wi_status ridge_init(struct ridge *r, const struct fold *f, const double *x,
                                 struct wi_err *err)
{
    r->at = calloc(f->n + 1, sizeof(*r->at));
    r->w = calloc(5 * f->n + 1, sizeof(*r->w));
    r->k = calloc(f->n * f->n + 1, sizeof(*r->k));
    if (!r->at || !r->w || !r->k)
        return wi_fail_nomem(err);
    r->y = r->w + f->n;
    r->mean = r->y + f->n;
    r->coef = r->mean + f->n;
    r->qy = r->coef + f->n;
    for (size_t i = 0; i < f->n; i++) {
        if (!f->is_test[i])
            r->at[r->n++] = i;
    }
    for (size_t i = 0; i < r->n; i++)
        r->y_mean += f->cases[r->at[i]].truth_pct / (double)r->n;
    for (size_t i = 0; i < r->n; i++) {
        r->y[i] = f->cases[r->at[i]].truth_pct - r->y_mean;
        for (size_t j = 0; j < r->n; j++) {
            r->k[i * r->n + j] = ridge_dot(f, x, r->at[i], r->at[j]);
            r->mean[i] += r->k[i * r->n + j] / (double)r->n;
        }
        r->k_mean += r->mean[i] / (double)r->n;
    }
    for (size_t i = 0; i < r->n; i++) {
        for (size_t j = 0; j < r->n; j++)
            r->k[i * r->n + j] += r->k_mean - r->mean[i] - r->mean[j];
    }
    return wi_linalg_eigen_sym(r->k, r->n, r->w, err);
}

/* Leave-one-out squared error at a penalty, in closed form; leaves the coefficients. */
static double ridge_loo(struct ridge *r, double penalty)
{
    size_t n = r->n;
    double sum = 0.0;

    for (size_t i = 0; i < n; i++) {
        double c = 0.0, g = 0.0;

        for (size_t e = 0; e < n; e++) {
            double q = r->k[e * n + i], s = 1.0 / (fmax(r->w[e], 0.0) + penalty);

            c += q * r->qy[e] * s;
            g += q * q * s;
        }
        g -= 1.0 / ((double)n * penalty); /* the intercept is not penalised */
        r->coef[i] = c;
        sum += (c / g) * (c / g);
    }
    return sum;
}

static enum wi_status ridge(struct fold *f, const double *x, struct wi_err *err)
{
    struct ridge r = {0};
    enum wi_status st = ridge_init(&r, f, x, err);
    double best = HUGE_VAL, penalty = 1.0;

    if (st != WI_OK || r.n < 3)
        goto cleanup;
    wi_linalg_mul_vec(r.k, r.n, r.n, r.y, r.qy);
    for (int i = 0; i < 16; i++) {
        double p = pow(10.0, -2.0 + i / 3.0), loo = ridge_loo(&r, p);

        if (loo < best) {
            best = loo;
            penalty = p;
        }
    }
    ridge_loo(&r, penalty);
    for (size_t t = 0; t < f->n; t++) {
        double mean = 0.0, sum = r.y_mean;

        if (!f->is_test[t])
            continue;
        for (size_t i = 0; i < r.n; i++)
            mean += ridge_dot(f, x, t, r.at[i]) / (double)r.n;
        for (size_t i = 0; i < r.n; i++)
            sum += r.coef[i] * (ridge_dot(f, x, t, r.at[i]) - mean - r.mean[i] + r.k_mean);
        f->cases[t].change[WI_PREDICT_RIDGE] = sum;
    }

cleanup:
    free(r.at);
    free(r.k);
    free(r.w);
    return st;
}

enum wi_status wi_baselines_fold(struct wi_eval_case *cases, size_t n, const bool *is_test,
                                 const struct wi_dataset *ds, struct wi_err *err)
{
    static const match_fn phase_rules[] = {match_phase, match_phase_any};
    static const match_fn sibling_rules[] = {match_other_op, match_other_nand, match_condition};
    struct fold f = {cases, n, is_test, ds};
    double *x = calloc(n * N_FEATURES + 1, sizeof(*x));
    enum wi_status st;

    if (!x)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        features(&cases[i].row, x + i * N_FEATURES);
    for (size_t i = 0; i < n; i++) {
        double *change = cases[i].change;

        if (!is_test[i])
            continue;
        change[WI_PREDICT_ZERO] = 0.0;
        change[WI_PREDICT_PHASE_MEAN] = mean_of_first(&f, &cases[i], phase_rules, 2);
        change[WI_PREDICT_SIBLING] = mean_of_first(&f, &cases[i], sibling_rules, 3);
        change[WI_PREDICT_KERNEL] = kernel_regression(&f, x, i);
        change[WI_PREDICT_RIDGE] = 0.0;
    }
    st = ridge(&f, x, err);
    free(x);
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

enum wi_status wi_baselines_intervals(struct wi_evaluation *ev, struct wi_err *err)
{
    double *x = malloc((ev->n_cases + 1) * sizeof(*x));

    if (!x)
        return wi_fail_nomem(err);
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

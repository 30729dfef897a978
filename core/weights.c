#include "core/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernel_th.h"
#include "core/linalg.h"

#define TABLE_STEP 0.125
#define RANK_CUT 1e-10 /* of the largest eigenvalue */
#define N_EXC 4        /* features of the two excursions; the last ones */
#define COLS WI_FAMILY_MAX

/* ------------------------------------------------------------------ features */

static double gauss(double x, double y, double len)
{
    double d = (x - y) / len;

    return exp(-0.5 * d * d);
}

/* A step of one state variable, from one value to another. */
struct ends {
    double from, to;
};

/* What a state x has in common with a step: the covariance of the Gaussian term. */
static double step_at(const struct ends *step, double x, double len)
{
    return gauss(x, step->to, len) - gauss(x, step->from, len);
}

static size_t add_step(struct ends *steps, size_t n, double from, double to)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].from == from && steps[i].to == to)
            return n;
    }
    if (from == to)
        return n;
    steps[n] = (struct ends){from, to};
    return n + 1;
}

/*
 * Orthonormal functions that span what the stored steps can say: the data see nothing else of a
 * state, so that they are all that a mean or a covariance needs, exactly.
 */
static enum wi_status table_init(struct wi_state_table *t, double low, double high, double len,
                                 const struct ends *steps, size_t m, struct wi_err *err)
{
    double *k = calloc(m * m + 2 * m + 1, sizeof(*k)), *w, *col;
    enum wi_status st = k ? WI_OK : wi_fail_nomem(err);
    size_t first = 0;

    if (!k)
        return st;
    w = k + m * m;
    col = w + m;
    for (size_t i = 0; i < m * m; i++)
        k[i] = step_at(&steps[i % m], steps[i / m].to, len) -
               step_at(&steps[i % m], steps[i / m].from, len);
    if (m)
        st = wi_linalg_eigen_sym(k, m, w, err);
    while (first < m && w[first] < RANK_CUT * w[m - 1])
        first++;
    *t = (struct wi_state_table){.low = low,
                                 .step = TABLE_STEP,
                                 .n = (size_t)((high - low) / TABLE_STEP) + 2,
                                 .rank = m - first};
    t->at = calloc(t->n * t->rank + 1, sizeof(*t->at));
    if (!t->at && st == WI_OK)
        st = wi_fail_nomem(err);
    for (size_t i = 0; i < t->n && st == WI_OK; i++) {
        for (size_t j = 0; j < m; j++)
            col[j] = step_at(&steps[j], low + (double)i * TABLE_STEP, len);
        for (size_t r = 0; r < t->rank; r++) {
            double sum = 0.0;

            for (size_t j = 0; j < m; j++)
                sum += k[(first + r) * m + j] * col[j];
            t->at[i * t->rank + r] = sum / sqrt(w[first + r]);
        }
    }
    free(k);
    return st;
}

/* out = features at the end less those at the start, linear between the table's steps */
static void table_diff(const struct wi_state_table *t, double start, double end, double *out)
{
    double pos[2] = {(start - t->low) / t->step, (end - t->low) / t->step};
    const double *a[2];

    for (size_t k = 0; k < 2; k++) {
        size_t i = pos[k] > 0.0 ? (size_t)pos[k] : 0;

        if (i > t->n - 2)
            i = t->n - 2;
        pos[k] -= (double)i;
        a[k] = t->at + i * t->rank;
    }
    for (size_t r = 0; r < t->rank; r++)
        out[r] = (a[1][r] + pos[1] * (a[1][r + t->rank] - a[1][r])) -
                 (a[0][r] + pos[0] * (a[0][r + t->rank] - a[0][r]));
}

/* The steps of rows, without those that are there. */
struct steps {
    struct ends *temp, *rh; /* with room for all rows */
    size_t n_temp, n_rh;
};

static void add_steps(struct steps *s, const struct wi_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->n_temp = add_step(s->temp, s->n_temp, rows[i].temp_c[0], wi_th_end_temp_c(&rows[i]));
        s->n_rh = add_step(s->rh, s->n_rh, rows[i].rh_pct[0], wi_th_end_rh_pct(&rows[i]));
    }
}

enum wi_status wi_features_init(struct wi_features *f, const struct wi_gp *gp,
                                const struct wi_misfit *misfit, struct wi_err *err)
{
    size_t n = gp->n + misfit->n;
    struct ends *room = calloc(2 * n + 1, sizeof(*room));
    struct steps s = {.temp = room, .rh = room ? room + n : NULL};
    enum wi_status st = room ? WI_OK : wi_fail_nomem(err);

    *f = (struct wi_features){0};
    if (st == WI_OK) {
        add_steps(&s, gp->rows, gp->n);
        add_steps(&s, misfit->rows, misfit->n);
    }
    if (st == WI_OK)
        st = table_init(&f->temp, WI_TEMP_C_MIN, WI_TEMP_C_MAX, WI_TH_T_LEN_C, s.temp, s.n_temp,
                        err);
    if (st == WI_OK)
        st = table_init(&f->rh, WI_RH_PCT_MIN, WI_RH_PCT_MAX, WI_TH_H_LEN_PCT, s.rh, s.n_rh, err);
    f->n = 2 + f->temp.rank + f->rh.rank + N_EXC;
    if (st == WI_OK && f->n > WI_FEATURES_MAX)
        st = wi_fail(err, WI_ENUMERIC, "%zu features are too many", f->n);
    if (st != WI_OK)
        wi_features_release(f);
    free(room);
    return st;
}

void wi_features_release(struct wi_features *f)
{
    free(f->temp.at);
    free(f->rh.at);
    *f = (struct wi_features){0};
}

/* |a||b|(.75 + .25 sign) is v' S v with v = (max(a,0), max(-a,0)), S = L L': features L' v. */
static void excursion_features(double e, double *out)
{
    double p = fmax(e, 0.0), n = fmax(-e, 0.0);

    out[0] = p + 0.5 * n;
    out[1] = sqrt(0.75) * n;
}

/* The squared norm of a step that lies outside of the functions: the prior's alone. */
static double rest_of(double x, double y, double len, const double *phi, size_t n)
{
    double rest = 2.0 - 2.0 * gauss(x, y, len);

    for (size_t i = 0; i < n; i++)
        rest -= phi[i] * phi[i];
    return fmax(rest, 0.0);
}

void wi_features_eval(const struct wi_features *f, const struct wi_row *r, struct wi_point *point)
{
    double *p = point->phi, size = wi_th_size(r);
    double t0 = r->temp_c[0], t1 = wi_th_end_temp_c(r), h0 = r->rh_pct[0], h1 = wi_th_end_rh_pct(r);

    point->size2 = size * size;
    *p++ = wi_th_u_temp(t1) - wi_th_u_temp(t0);
    table_diff(&f->temp, t0, t1, p);
    point->rest_temp = rest_of(t0, t1, WI_TH_T_LEN_C, p, f->temp.rank);
    p += f->temp.rank;
    *p++ = wi_th_u_rh(h1) - wi_th_u_rh(h0);
    table_diff(&f->rh, h0, h1, p);
    point->rest_rh = rest_of(h0, h1, WI_TH_H_LEN_PCT, p, f->rh.rank);
    p += f->rh.rank;
    if (r->phase != WI_PHASE_POST)
        return;
    excursion_features(wi_th_exc_temp(r), p);
    excursion_features(wi_th_exc_rh(r), p + 2);
}

size_t wi_features_used(const struct wi_features *f, enum wi_phase phase)
{
    return phase == WI_PHASE_POST ? f->n : f->n - N_EXC;
}

/* The term of the kernel that a feature belongs to. */
static void feature_terms(const struct wi_features *f, unsigned char *term)
{
    size_t k = 0;

    term[k++] = WI_TH_T_LIN;
    for (size_t i = 0; i < f->temp.rank; i++)
        term[k++] = WI_TH_T_RBF;
    term[k++] = WI_TH_H_LIN;
    for (size_t i = 0; i < f->rh.rank; i++)
        term[k++] = WI_TH_H_RBF;
    term[k] = term[k + 1] = WI_TH_T_EXC;
    term[k + 2] = term[k + 3] = WI_TH_H_EXC;
}

/* ------------------------------------------------------------------ posterior */

#define N_LINEAR 6 /* terms that features stand for; the step comes after */

struct fold {
    const struct wi_features *f;
    const struct wi_gp *gp;
    const struct wi_row *q; /* (m,) columns of one block */
    size_t m, first;        /* first column in w */
    size_t nf;              /* features in use */
    struct wi_weights *w;
    unsigned char term[WI_FEATURES_MAX];
    double *phi;   /* (n, F) of the support rows */
    double *geo;   /* (n_terms, n) */
    double *coef;  /* (N_LINEAR, n, COLS) */
    double *h, *v; /* (n, F) */
    double *g;     /* (F, F) */
    double *root;  /* (n, n) */
    double *sum;   /* (COLS, F, F) over the points */
    double *mean2; /* (COLS, F, F) */
};

/* Coefficients of the linear terms: the kernel with one term 1 and the others 0. */
static void coefficients(struct fold *o, const double *t)
{
    const struct wi_gp *gp = o->gp;
    size_t n = gp->n;

    for (size_t g = 0; g < N_LINEAR; g++) {
        for (size_t k = 0; k < WI_TH_BEYOND; k++) {
            for (size_t j = 0; j < n; j++)
                o->geo[k * n + j] = k == g ? 1.0 : 0.0;
        }
        for (size_t i = 0; i < o->m; i++)
            gp->kernel->family(t, &o->q[i], 1, gp->rows, n, &gp->levels, o->geo,
                               o->coef + g * n * COLS + i);
    }
}

/* Covariance of one row asked for with another, by term: of linear ones per product of features. */
static void terms_of(const struct wi_gp *gp, const double *t, const struct wi_row *q,
                     const struct wi_row *r, double beyond, double *by_term)
{
    double geo[WI_TH_N_TERMS] = {0}, k[COLS];
    struct wi_level at = {r->nines, r->bandwidth};
    unsigned zero = 0;
    struct wi_levels levels = {1, &at, &zero};

    geo[WI_TH_BEYOND] = beyond;
    for (size_t g = 0; g <= N_LINEAR; g++) {
        geo[g] = 1.0;
        gp->kernel->family(t, q, 1, r, 1, &levels, geo, k);
        geo[g] = 0.0;
        by_term[g] = k[0];
    }
}

/* Prior variances of the weights of one column, and of its own discrepancy. */
static void add_prior(struct fold *o, const double *t, size_t i, double *diag)
{
    double by_term[N_LINEAR + 1];

    terms_of(o->gp, t, &o->q[i], &o->q[i], 1.0, by_term);
    for (size_t f = 0; f < o->nf; f++) {
        diag[f] = by_term[o->term[f]];
        o->w->prior[f * o->w->n_padded + o->first + i] += diag[f];
    }
    o->w->rest_temp[o->first + i] += by_term[WI_TH_T_RBF];
    o->w->rest_rh[o->first + i] += by_term[WI_TH_H_RBF];
    o->w->step[o->first + i] += by_term[N_LINEAR];
}

static void add_column(struct fold *o, size_t point, size_t i)
{
    const struct wi_gp *gp = o->gp;
    size_t n = gp->n, nf = o->nf, col = o->first + i;
    const double *t = gp->t + point * gp->kernel->n_par, *alpha = gp->alpha + point * n;
    double diag[WI_FEATURES_MAX], mean[WI_FEATURES_MAX] = {0}, noise;

    add_prior(o, t, i, diag);
    gp->kernel->noise(t, &o->q[i], 1, &noise);
    o->w->noise[col] += noise;
    for (size_t j = 0; j < n; j++) {
        size_t e = 0;

        while (o->w->exps[e] != gp->rows[j].exp)
            e++;
        for (size_t f = 0; f < nf; f++) {
            double h = o->coef[(o->term[f] * n + j) * COLS + i] * o->phi[j * nf + f];

            o->h[j * nf + f] = h;
            mean[f] += h * alpha[j];
            if (o->first == 0)
                o->w->part[(e * nf + f) * COLS + i] += h * alpha[j];
        }
    }
    wi_linalg_mul(o->root, o->h, o->v, n, nf, n);
    wi_linalg_mul_at(o->v, o->v, o->g, nf, nf, n);
    for (size_t a = 0; a < nf; a++) {
        o->w->mean[a * o->w->n_padded + col] += mean[a];
        for (size_t b = 0; b < nf; b++) {
            size_t at = (i * nf + a) * nf + b;

            o->sum[at] += (a == b ? diag[a] : 0.0) - o->g[a * nf + b];
            o->mean2[at] += mean[a] * mean[b];
        }
    }
}

static void unpack(const double *packed, size_t n, double *full)
{
    memset(full, 0, n * n * sizeof(*full));
    for (size_t i = 0; i < n; i++)
        memcpy(full + i * n, packed + i * (i + 1) / 2, (i + 1) * sizeof(*full));
}

/* Means and covariance over the points, into the layout that the evaluation reads. */
static void finish(struct fold *o)
{
    struct wi_weights *w = o->w;
    size_t nf = o->nf;
    double scale = 1.0 / (double)o->gp->n_points;

    for (size_t i = 0; i < o->m; i++) {
        size_t col = o->first + i, pos = 0;

        for (size_t a = 0; a < nf; a++) {
            w->mean[a * w->n_padded + col] *= scale;
            w->prior[a * w->n_padded + col] *= scale;
        }
        for (size_t a = 0; a < nf; a++) {
            for (size_t b = 0; b <= a; b++, pos++) {
                size_t at = (i * nf + a) * nf + b;
                double c = (o->sum[at] + o->mean2[at]) * scale -
                           w->mean[a * w->n_padded + col] * w->mean[b * w->n_padded + col];

                w->cov[pos * w->n_padded + col] = a == b ? c : 2.0 * c;
            }
        }
        w->rest_temp[col] *= scale;
        w->rest_rh[col] *= scale;
        w->step[col] *= scale;
        w->noise[col] *= scale;
    }
}

static enum wi_status fold_block(struct fold *o, struct wi_err *err)
{
    const struct wi_gp *gp = o->gp;
    size_t n = gp->n, nf = o->nf;
    size_t size = 3 * n * nf + WI_TH_N_TERMS * n + N_LINEAR * n * COLS + nf * nf + n * n +
                  2 * COLS * nf * nf + 1;
    double *buf = calloc(size, sizeof(*buf));

    if (!buf)
        return wi_fail_nomem(err);
    o->phi = buf;
    o->h = o->phi + n * nf;
    o->v = o->h + n * nf;
    o->geo = o->v + n * nf;
    o->coef = o->geo + WI_TH_N_TERMS * n;
    o->g = o->coef + N_LINEAR * n * COLS;
    o->root = o->g + nf * nf;
    o->sum = o->root + n * n;
    o->mean2 = o->sum + COLS * nf * nf;
    for (size_t j = 0; j < n; j++) {
        struct wi_point point = {.phi = {0}};

        wi_features_eval(o->f, &gp->rows[j], &point);
        memcpy(o->phi + j * nf, point.phi, nf * sizeof(*o->phi));
    }
    for (size_t p = 0; p < gp->n_points; p++) {
        const double *t = gp->t_cross + p * gp->kernel->n_par;

        unpack(gp->root + p * (n * (n + 1) / 2), n, o->root);
        for (size_t i = 0; i < o->m; i++) {
            /* the drive differs between columns */
            gp->kernel->geometry(t, &o->q[i], gp->rows, n, o->geo);
            {
                struct fold one = *o;

                one.q = o->q + i;
                one.m = 1;
                one.coef = o->coef + i;
                coefficients(&one, t);
            }
            add_column(o, p, i);
        }
    }
    finish(o);
    free(buf);
    return WI_OK;
}

static enum wi_status find_exps(struct wi_weights *w, const struct wi_gp *gp, struct wi_err *err)
{
    w->exps = calloc(gp->n + 1, sizeof(*w->exps));
    if (!w->exps)
        return wi_fail_nomem(err);
    for (size_t j = 0; j < gp->n; j++) {
        size_t e = 0;

        while (e < w->n_exps && w->exps[e] != gp->rows[j].exp)
            e++;
        if (e == w->n_exps)
            w->exps[w->n_exps++] = gp->rows[j].exp;
    }
    return WI_OK;
}

/*
 * The regression on an own row is linear in the features, as its covariance is; the discrepancy of
 * a step is not in it, since a measured step is not asked for here.
 */
static enum wi_status add_misfit(struct wi_weights *w, const struct wi_features *f,
                                 const struct wi_gp *gp, const struct wi_misfit *misfit,
                                 const unsigned char *term, const struct wi_row *q, size_t n,
                                 struct wi_err *err)
{
    w->n_misfit = misfit->n;
    w->reach = calloc(misfit->n * w->n * w->n_padded + 1, sizeof(*w->reach));
    w->closed = calloc(misfit->n + 1, sizeof(*w->closed));
    if (!w->reach || !w->closed)
        return wi_fail_nomem(err);
    w->stored = wi_misfit_holds_device(gp, q->device);
    for (size_t j = 0; j < misfit->n; j++) {
        const struct wi_row *r = &misfit->rows[j];
        bool same = w->stored && q->device == r->device;
        double scale = sqrt(same ? misfit->within[j] : misfit->between[j]) / misfit->prior[j];
        struct wi_point point = {.phi = {0}};
        double geo[WI_TH_N_TERMS], by_term[N_LINEAR + 1];

        w->closed[j] = same;
        wi_features_eval(f, r, &point);
        for (size_t i = 0; i < n; i++) {
            gp->kernel->geometry(gp->t, &q[i], r, 1, geo);
            terms_of(gp, gp->t, &q[i], r, geo[WI_TH_BEYOND], by_term);
            for (size_t k = 0; k < w->n; k++)
                w->reach[(j * w->n + k) * w->n_padded + i] =
                    scale * by_term[term[k]] * point.phi[k];
        }
    }
    return WI_OK;
}

enum wi_status wi_weights_init(struct wi_weights *w, const struct wi_features *f,
                               const struct wi_gp *gp, const struct wi_misfit *misfit,
                               const struct wi_row *q, size_t n_cols, size_t n, struct wi_err *err)
{
    size_t nf = wi_features_used(f, q->phase);
    struct fold o = {.f = f, .gp = gp, .w = w, .nf = nf};
    enum wi_status st;

    *w = (struct wi_weights){
        .n = nf, .n_cols = n_cols, .n_padded = (n_cols + COLS - 1) / COLS * COLS};
    st = find_exps(w, gp, err);
    w->mean = calloc(nf * w->n_padded, sizeof(*w->mean));
    w->cov = calloc(nf * (nf + 1) / 2 * w->n_padded, sizeof(*w->cov));
    w->prior = calloc(nf * w->n_padded, sizeof(*w->prior));
    w->step = calloc(4 * w->n_padded, sizeof(*w->step));
    w->part = calloc(w->n_exps * nf * COLS + 1, sizeof(*w->part));
    if (st == WI_OK && !(w->mean && w->cov && w->prior && w->step && w->part))
        st = wi_fail_nomem(err);
    if (st == WI_OK) {
        w->noise = w->step + w->n_padded;
        w->rest_temp = w->noise + w->n_padded;
        w->rest_rh = w->rest_temp + w->n_padded;
    }
    feature_terms(f, o.term);
    for (size_t i = 0; i < n_cols && st == WI_OK; i += COLS) {
        o.q = q + i;
        o.m = n_cols - i < COLS ? n_cols - i : COLS;
        o.first = i;
        st = fold_block(&o, err);
    }
    if (st == WI_OK)
        st = add_misfit(w, f, gp, misfit, o.term, q, n, err);
    if (st != WI_OK)
        wi_weights_release(w);
    return st;
}

void wi_weights_release(struct wi_weights *w)
{
    free(w->mean);
    free(w->cov);
    free(w->prior);
    free(w->step);
    free(w->exps);
    free(w->part);
    free(w->reach);
    free(w->closed);
    *w = (struct wi_weights){0};
}

/* ------------------------------------------------------------------ evidence */

void wi_weights_shares(const struct wi_weights *w, const double *phi, size_t n_cols,
                       double *exp_weight)
{
    if (n_cols > COLS)
        n_cols = COLS;
    for (size_t e = 0; e < w->n_exps; e++) {
        const double *part = w->part + e * w->n * COLS;
        double sum[COLS] = {0};

        for (size_t f = 0; f < w->n; f++) {
            for (size_t i = 0; i < COLS; i++)
                sum[i] += phi[f] * part[f * COLS + i];
        }
        for (size_t i = 0; i < n_cols; i++)
            exp_weight[w->exps[e]] += fabs(sum[i]);
    }
}

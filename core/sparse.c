/*
 * Many rows: a few hundred of them stand for all.
 *
 * FITC: f is known through its values u at inducing rows; every row keeps its own prior variance.
 * With K_u the covariance of u, k_j that of row j with u, and d_j = noise_j + k_jj - k_j' K_u^-1
 * k_j,
 *
 *   A = K_u + sum_j k_j k_j' / d_j,  mean(x) = k(x)' A^-1 sum_j k_j z_j / d_j,
 *   var(x) = k(x,x) - k(x)' (K_u^-1 - A^-1) k(x),
 *
 * which is the form of the exact model: alpha = A^-1 sum_j ..., R' R = K_u^-1 - A^-1. Inducing rows
 * are chosen by pivoted Cholesky at the first point: each is the one that the earlier ones explain
 * least.
 *
 * Departures: the discrepancy that every step has for itself has as many dimensions as there are
 * steps; it is left out of u and of k and counted in d_j, five times, since the percentiles of a
 * curve share it. Interval rows count as uniform pseudo-observations. A third of the points of
 * hyper-parameters is kept, in antithetic pairs, since each costs a pass over all rows.
 * Rows of one place have the same k_j: their sums of 1 / d_j and z_j / d_j stand for them.
 */
#include "core/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"
#include "core/places.h"

#define INDUCING_MAX 300
#define INDUCING_TOL 1e-6 /* of the largest prior variance: nothing left to explain */
#define POINTS 4
#define CHUNK 256 /* rows per pass */
#define CURVE_ROWS 5.0

struct choice {
    size_t n, *at; /* positions of the inducing rows */
};

/* Pivoted Cholesky; `factor` is (INDUCING_MAX, n), `left` the unexplained variance (n,). */
static void choose(const struct wi_kernel *kernel, const struct wi_row *rows, size_t n,
                   const double *t, double *factor, double *left, struct choice *c)
{
    double top = 0.0;

    kernel->diag(t, rows, n, left);
    for (c->n = 0; c->n < INDUCING_MAX; c->n++) {
        double *row = factor + c->n * n, pivot;
        size_t best = 0;

        for (size_t i = 1; i < n; i++)
            best = left[i] > left[best] ? i : best;
        top = fmax(top, left[best]);
        if (!(left[best] > INDUCING_TOL * top) || left[best] <= 0.0)
            return;
        c->at[c->n] = best;
        pivot = sqrt(left[best]);
        kernel->block(t, &rows[best], 1, rows, n, row);
        for (size_t k = 0; k < c->n; k++) {
            const double *earlier = factor + k * n;
            double f = earlier[best];

            for (size_t i = 0; i < n; i++)
                row[i] -= f * earlier[i];
        }
        for (size_t i = 0; i < n; i++) {
            row[i] /= pivot;
            left[i] -= row[i] * row[i];
        }
        left[best] = 0.0;
    }
}

struct pass {
    const struct wi_gp *gp;
    const struct wi_row *rows;
    const struct wi_places *places;
    const double *t, *t_cross;
    double *lu;                  /* (m, m) Cholesky factor of K_u */
    double *b;                   /* (m, m) I + sum w w' */
    double *rhs;                 /* (m,) sum w z / sqrt d */
    double *w;                   /* (m, CHUNK), then scaled */
    double *k;                   /* (m, m) or (m, CHUNK) work */
    double *diag, *full, *noise; /* (CHUNK,) prior variance without and with the step's own */
};

/* What the rows of one place say together: sum 1 / d and sum z / d. */
static void weigh(const struct pass *p, size_t place, double own_var, double *sum, double *sum_z)
{
    *sum = *sum_z = 0.0;
    for (size_t i = p->places->from[place]; i < p->places->from[place + 1]; i++) {
        const struct wi_row *r = &p->rows[p->places->at[i]];
        double w = 1.0 / (own_var + wi_row_err_var(r) + WI_GP_JITTER);

        *sum += w;
        *sum_z += w * r->z;
    }
}

/* Adds one chunk of places to b and rhs, in the basis where K_u is the identity. */
static void add_chunk(struct pass *p, size_t from, size_t count)
{
    size_t m = p->gp->n;
    const struct wi_kernel *kernel = p->gp->kernel;
    const struct wi_row *rows = p->places->rows + from;

    kernel->diag(p->t_cross, rows, count, p->diag);
    kernel->diag(p->t, rows, count, p->full);
    kernel->noise(p->t, rows, count, p->noise);
    kernel->block(p->t_cross, p->gp->rows, m, rows, count, p->w);
    wi_linalg_solve_lower(p->lu, m, p->w, count);
    for (size_t j = 0; j < count; j++) {
        double q = 0.0, sum, sum_z, s;

        for (size_t i = 0; i < m; i++)
            q += p->w[i * count + j] * p->w[i * count + j];
        weigh(p, from + j,
              p->noise[j] + fmax(p->diag[j] - q, 0.0) + CURVE_ROWS * (p->full[j] - p->diag[j]),
              &sum, &sum_z);
        s = sqrt(sum);
        for (size_t i = 0; i < m; i++) {
            p->rhs[i] += p->w[i * count + j] * sum_z;
            p->w[i * count + j] *= s;
        }
    }
    wi_linalg_mul_bt(p->w, p->w, p->k, m, m, count);
    for (size_t i = 0; i < m * m; i++)
        p->b[i] += p->k[i];
}

/* R with R' R = I - B^-1, lower triangular: the Cholesky factor of the matrix read backwards. */
static enum wi_status root_of(struct pass *p, struct wi_err *err)
{
    size_t m = p->gp->n;
    double *c = p->k;
    enum wi_status st = wi_linalg_invert_from_cholesky(p->b, m, err);

    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            c[(m - 1 - i) * m + (m - 1 - j)] = (i == j ? 1.0 + 1e-10 : 0.0) - p->b[i * m + j];
    }
    if (st == WI_OK)
        st = wi_linalg_cholesky(c, m, err);
    for (size_t i = 0; i < m; i++) { /* (J L J)' */
        for (size_t j = 0; j < m; j++)
            p->b[j * m + i] = c[(m - 1 - i) * m + (m - 1 - j)];
    }
    return st;
}

static enum wi_status pass_point(struct pass *p, struct wi_gp *gp, size_t point, struct wi_err *err)
{
    size_t m = gp->n;
    double *alpha = gp->alpha + point * m;
    enum wi_status st;

    p->t = gp->t + point * gp->kernel->n_par;
    p->t_cross = gp->t_cross + point * gp->kernel->n_par;
    gp->kernel->block(p->t_cross, gp->rows, m, gp->rows, m, p->lu);
    for (size_t i = 0; i < m; i++)
        p->lu[i * m + i] *= 1.0 + 1e-8; /* inducing rows that nearly repeat each other */
    for (size_t i = 0; i < m; i++)
        p->lu[i * m + i] += WI_GP_JITTER;
    st = wi_linalg_cholesky(p->lu, m, err);
    if (st != WI_OK)
        return st;
    memset(p->b, 0, m * m * sizeof(*p->b));
    memset(p->rhs, 0, m * sizeof(*p->rhs));
    for (size_t i = 0; i < m; i++)
        p->b[i * m + i] = 1.0;
    for (size_t i = 0; i < p->places->n; i += CHUNK)
        add_chunk(p, i, p->places->n - i < CHUNK ? p->places->n - i : CHUNK);
    st = wi_linalg_cholesky(p->b, m, err);
    if (st != WI_OK)
        return st;
    /* alpha = Lu^-T B^-1 rhs */
    memcpy(alpha, p->rhs, m * sizeof(*alpha));
    wi_linalg_solve_lower(p->b, m, alpha, 1);
    wi_linalg_solve_lower_t(p->b, m, alpha, 1);
    wi_linalg_solve_lower_t(p->lu, m, alpha, 1);
    st = root_of(p, err);
    if (st == WI_OK)
        st = wi_linalg_invert_lower(p->lu, m, err);
    /* R Lu^-1: two lower triangles */
    wi_linalg_mul(p->b, p->lu, p->k, m, m, m);
    wi_gp_pack(p->k, m, gp->root + point * (m * (m + 1) / 2));
    return st;
}

static enum wi_status run_passes(struct wi_gp *gp, const struct wi_row *rows,
                                 const struct wi_places *places, struct wi_err *err)
{
    size_t m = gp->n, wide = m > CHUNK ? m : CHUNK;
    struct pass p = {.gp = gp, .rows = rows, .places = places};
    double *buf = calloc(2 * m * m + m + m * CHUNK + m * wide + 3 * CHUNK + 1, sizeof(*buf));
    enum wi_status st = WI_OK;

    if (!buf)
        return wi_fail_nomem(err);
    p.lu = buf;
    p.b = p.lu + m * m;
    p.rhs = p.b + m * m;
    p.w = p.rhs + m;
    p.k = p.w + m * CHUNK;
    p.diag = p.k + m * wide;
    p.full = p.diag + CHUNK;
    p.noise = p.full + CHUNK;
    for (size_t i = 0; i < gp->n_points && st == WI_OK; i++)
        st = pass_point(&p, gp, i, err);
    free(buf);
    return st;
}

enum wi_status wi_gp_init_sparse(struct wi_gp *gp, const struct wi_kernel *kernel,
                                 const struct wi_row *rows, size_t n, const double *t,
                                 size_t n_points, struct wi_err *err)
{
    struct choice c = {0, calloc(INDUCING_MAX, sizeof(*c.at))};
    struct wi_places places = {0};
    double *factor = NULL;
    size_t points = n_points < POINTS ? n_points : POINTS;
    enum wi_status st = WI_OK;

    *gp = (struct wi_gp){.kernel = kernel, .n_points = points, .sparse = true};
    gp->t = malloc(points * kernel->n_par * sizeof(*gp->t));
    st = c.at && gp->t ? wi_places_init(&places, rows, n, err) : wi_fail_nomem(err);
    if (st != WI_OK)
        goto cleanup;
    factor = malloc((INDUCING_MAX + 1) * places.n * sizeof(*factor));
    if (!factor) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    memcpy(gp->t, t, points * kernel->n_par * sizeof(*t));
    st = wi_gp_set_cross(gp, err);
    if (st != WI_OK)
        goto cleanup;
    choose(kernel, places.rows, places.n, gp->t_cross, factor, factor + INDUCING_MAX * places.n,
           &c);
    gp->n = c.n;
    gp->rows = calloc(c.n + 1, sizeof(*gp->rows));
    gp->alpha = calloc(points * c.n + 1, sizeof(*gp->alpha));
    gp->root = calloc(points * (c.n * (c.n + 1) / 2) + 1, sizeof(*gp->root));
    if (!gp->rows || !gp->alpha || !gp->root) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    for (size_t i = 0; i < c.n; i++)
        gp->rows[i] = places.rows[c.at[i]];
    st = wi_gp_set_levels(gp, err);
    if (st == WI_OK && c.n)
        st = run_passes(gp, rows, &places, err);

cleanup:
    wi_places_release(&places);
    free(c.at);
    free(factor);
    if (st != WI_OK)
        wi_gp_release(gp);
    return st;
}

#include "core/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"

#define M WI_FAMILY_MAX

double wi_row_err_var(const struct wi_row *row)
{
    double width = row->z_high - row->z_low;

    return row->err_var + (row->interval ? width * width / 12.0 : 0.0);
}

void wi_gp_release(struct wi_gp *gp)
{
    free(gp->rows);
    free(gp->t);
    free(gp->t_cross);
    free(gp->alpha);
    if (!gp->borrowed)
        free(gp->root);
    free(gp->levels.at);
    free(gp->levels.of);
    *gp = (struct wi_gp){0};
}

void wi_gp_pack(const double *full, size_t n, double *packed)
{
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * (i + 1) / 2, full + i * n, (i + 1) * sizeof(*packed));
}

enum wi_status wi_gp_set_cross(struct wi_gp *gp, struct wi_err *err)
{
    size_t n_par = gp->kernel->n_par, n = gp->n_points * n_par;

    gp->t_cross = malloc((n + 1) * sizeof(*gp->t_cross));
    if (!gp->t_cross)
        return wi_fail_nomem(err);
    memcpy(gp->t_cross, gp->t, n * sizeof(*gp->t));
    for (size_t p = 0; p < gp->n_points && gp->sparse && gp->kernel->step_par < n_par; p++)
        gp->t_cross[p * n_par + gp->kernel->step_par] = WI_STEP_OFF;
    return WI_OK;
}

enum wi_status wi_gp_set_levels(struct wi_gp *gp, struct wi_err *err)
{
    struct wi_levels *l = &gp->levels;

    l->n = 0;
    l->at = calloc(gp->n + 1, sizeof(*l->at));
    l->of = calloc(gp->n + 1, sizeof(*l->of));
    if (!l->at || !l->of)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < gp->n; i++) {
        const struct wi_row *r = &gp->rows[i];
        size_t u = 0;

        while (u < l->n && (l->at[u].nines != r->nines || l->at[u].bandwidth != r->bandwidth))
            u++;
        if (u == l->n)
            l->at[l->n++] = (struct wi_level){r->nines, r->bandwidth};
        l->of[i] = (unsigned)u;
    }
    return WI_OK;
}

/* One point of hyper-parameters; k is a work matrix (n, n). */
static enum wi_status condition(struct wi_gp *gp, size_t point, double *k, double *z, double *var,
                                struct wi_err *err)
{
    size_t n = gp->n, n_interval = 0;
    const double *t = gp->t + point * gp->kernel->n_par;
    double *alpha = gp->alpha + point * n;
    enum wi_status st = WI_OK;

    gp->kernel->block(t, gp->rows, n, gp->rows, n, k);
    gp->kernel->noise(t, gp->rows, n, alpha);
    for (size_t i = 0; i < n; i++) {
        z[i] = gp->rows[i].z;
        var[i] = alpha[i] + wi_row_err_var(&gp->rows[i]) + WI_GP_JITTER;
        n_interval += gp->rows[i].interval ? 1 : 0;
    }
    if (n_interval)
        st = wi_sites_fit(gp->rows, n, k, alpha, z, var, err);
    if (st != WI_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        k[i * n + i] += var[i];
    st = wi_linalg_cholesky(k, n, err);
    if (st != WI_OK)
        return st;
    memcpy(alpha, z, n * sizeof(*z));
    wi_linalg_solve_lower(k, n, alpha, 1);
    wi_linalg_solve_lower_t(k, n, alpha, 1);
    st = wi_linalg_invert_lower(k, n, err);
    wi_gp_pack(k, n, gp->root + point * (n * (n + 1) / 2));
    return st;
}

enum wi_status wi_gp_init(struct wi_gp *gp, const struct wi_kernel *kernel,
                          const struct wi_row *rows, size_t n, const double *t, size_t n_points,
                          struct wi_err *err)
{
    enum wi_status st = WI_OK;
    size_t n_t = n_points * kernel->n_par;
    double *work;

    if (n > WI_GP_EXACT_MAX)
        return wi_gp_init_sparse(gp, kernel, rows, n, t, n_points, err);
    *gp = (struct wi_gp){.kernel = kernel, .n = n, .n_points = n_points};
    work = calloc(n * n + 2 * n + 1, sizeof(*work));
    gp->rows = calloc(n + 1, sizeof(*gp->rows));
    gp->t = calloc(n_t + 1, sizeof(*gp->t));
    gp->alpha = calloc(n_points * n + 1, sizeof(*gp->alpha));
    gp->root = calloc(n_points * (n * (n + 1) / 2) + 1, sizeof(*gp->root));
    if (!work || !gp->rows || !gp->t || !gp->alpha || !gp->root) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    if (n)
        memcpy(gp->rows, rows, n * sizeof(*rows));
    memcpy(gp->t, t, n_t * sizeof(*t));
    st = wi_gp_set_levels(gp, err);
    if (st == WI_OK)
        st = wi_gp_set_cross(gp, err);
    for (size_t p = 0; p < n_points && n && st == WI_OK; p++)
        st = condition(gp, p, work, work + n * n, work + n * n + n, err);

cleanup:
    free(work);
    if (st != WI_OK)
        wi_gp_release(gp);
    return st;
}

double wi_gp_left_out(const struct wi_gp *gp, size_t i)
{
    double inverse = 0.0; /* (K^-1)_ii = sum_j R_ji^2 */

    for (size_t j = i; j < gp->n; j++) {
        double r = gp->root[j * (j + 1) / 2 + i];

        inverse += r * r;
    }
    return gp->alpha[i] / inverse;
}

/* ------------------------------------------------------------------ prediction */

/* Rows that differ in their percentile only. */
static bool same_family(const struct wi_row *a, const struct wi_row *b)
{
    struct wi_row x = *b;

    if (a->vendor != b->vendor || a->device != b->device || a->phase != b->phase ||
        a->axis != b->axis || a->nand != b->nand || a->fresh != b->fresh ||
        a->reference != b->reference || a->w_read != b->w_read || a->letter != b->letter)
        return false;
    for (size_t k = 0; k < 3; k++) {
        if (a->temp_c[k] != x.temp_c[k] || a->rh_pct[k] != x.rh_pct[k])
            return false;
    }
    return a->ln_freq == b->ln_freq &&
           (a->ln_grms == b->ln_grms || (isnan(a->ln_grms) && isnan(b->ln_grms)));
}

struct work {
    const struct wi_gp *gp;
    double *k;         /* (n, M) columns of the rows asked for */
    double *geo;       /* (M, n_geo, n) of each family in the block */
    double *weight;    /* (n,) or NULL */
    size_t n_weighted; /* rows of this block that count in it */
};

/* Families of a block: `first` of each and how many. */
struct families {
    size_t n, first[M], count[M];
};

static void find_families(const struct wi_row *q, size_t m, struct families *f)
{
    f->n = 0;
    for (size_t i = 0; i < m; i++) {
        if (i == 0 || !same_family(&q[f->first[f->n - 1]], &q[i])) {
            f->first[f->n] = i;
            f->count[f->n++] = 0;
        }
        f->count[f->n - 1]++;
    }
}

static void fill_columns(const struct work *w, const double *t, const struct wi_row *q, size_t m,
                         const struct families *f)
{
    const struct wi_gp *gp = w->gp;
    size_t stride = gp->kernel->n_geo * gp->n;

    if (gp->levels.n > WI_LEVELS_MAX) {
        for (size_t j = 0; j < gp->n; j++) {
            for (size_t i = 0; i < m; i++)
                gp->kernel->block(t, &q[i], 1, &gp->rows[j], 1, &w->k[j * M + i]);
        }
        return;
    }
    for (size_t i = 0; i < f->n; i++)
        gp->kernel->family(t, q + f->first[i], f->count[i], gp->rows, gp->n, &gp->levels,
                           w->geo + i * stride, w->k + f->first[i]);
}

static void add_point(const struct work *w, size_t point, const struct wi_row *q, size_t m,
                      const struct families *f, struct wi_moments *out, double *sq)
{
    const struct wi_gp *gp = w->gp;
    size_t n = gp->n;
    const double *t = gp->t + point * gp->kernel->n_par, *alpha = gp->alpha + point * n;
    double prior[M], noise[M], mean[M] = {0}, gain[M] = {0};

    gp->kernel->diag(t, q, m, prior);
    gp->kernel->noise(t, q, m, noise);
    fill_columns(w, gp->t_cross + point * gp->kernel->n_par, q, m, f);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++)
            mean[i] += w->k[j * M + i] * alpha[j];
    }
    for (size_t j = 0; j < n && w->weight; j++) {
        for (size_t i = 0; i < w->n_weighted; i++)
            w->weight[j] += fabs(w->k[j * M + i] * alpha[j]);
    }
    wi_triangle_norms(gp->root + point * (n * (n + 1) / 2), n, w->k, gain);
    for (size_t i = 0; i < m; i++) {
        out[i].mean += mean[i];
        sq[i] += mean[i] * mean[i];
        out[i].var += fmax(prior[i] - gain[i], 0.0);
        out[i].prior_var += prior[i];
        out[i].noise_var += noise[i];
    }
}

static void predict_block(const struct work *w, const struct wi_row *q, size_t m,
                          struct wi_moments *out)
{
    const struct wi_gp *gp = w->gp;
    double sq[M] = {0}, scale = 1.0 / (double)gp->n_points;
    struct families f;

    find_families(q, m, &f);
    for (size_t i = 0; i < f.n; i++)
        gp->kernel->geometry(gp->t, q + f.first[i], gp->rows, gp->n,
                             w->geo + i * gp->kernel->n_geo * gp->n);
    for (size_t p = 0; p < gp->n_points; p++)
        add_point(w, p, q, m, &f, out, sq);
    for (size_t i = 0; i < m; i++) {
        out[i].mean *= scale;
        out[i].var = out[i].var * scale + fmax(sq[i] * scale - out[i].mean * out[i].mean, 0.0);
        out[i].prior_var *= scale;
        out[i].noise_var *= scale;
    }
}

enum wi_status wi_gp_predict(const struct wi_gp *gp, const struct wi_row *q, size_t m,
                             struct wi_moments *out, double *weight, size_t n_weighted,
                             struct wi_err *err)
{
    size_t n = gp->n, n_geo = gp->kernel->n_geo;
    double *buf = calloc(n * M + M * n_geo * n + 1, sizeof(*buf));
    struct work w = {gp, buf, buf ? buf + n * M : NULL, weight, 0};

    if (!buf)
        return wi_fail_nomem(err);
    memset(out, 0, m * sizeof(*out));
    for (size_t i = 0; i < m; i += M) {
        size_t count = m - i < M ? m - i : M;

        w.n_weighted = n_weighted > i ? (n_weighted - i < count ? n_weighted - i : count) : 0;
        predict_block(&w, q + i, count, out + i);
    }
    free(buf);
    return WI_OK;
}

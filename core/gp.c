#include "core/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"

double wi_row_err_var(const struct wi_row *row)
{
    double width = row->z_high - row->z_low;

    return row->err_var + (row->interval ? width * width / 12.0 : 0.0);
}

void wi_gp_release(struct wi_gp *gp)
{
    free(gp->rows);
    free(gp->t);
    free(gp->alpha);
    free(gp->root);
    *gp = (struct wi_gp){0};
}

static enum wi_status condition(struct wi_gp *gp, size_t point, double *z, double *var,
                                struct wi_err *err)
{
    size_t n = gp->n, n_interval = 0;
    const double *t = gp->t + point * gp->kernel->n_par;
    double *root = gp->root + point * n * n, *alpha = gp->alpha + point * n;
    enum wi_status st = WI_OK;

    gp->kernel->block(t, gp->rows, n, gp->rows, n, root);
    gp->kernel->noise(t, gp->rows, n, alpha);
    for (size_t i = 0; i < n; i++) {
        z[i] = gp->rows[i].z;
        var[i] = alpha[i] + wi_row_err_var(&gp->rows[i]) + WI_GP_JITTER;
        n_interval += gp->rows[i].interval ? 1 : 0;
    }
    if (n_interval)
        st = wi_sites_fit(gp->rows, n, root, alpha, z, var, err);
    if (st != WI_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        root[i * n + i] += var[i];
    st = wi_linalg_cholesky(root, n, err);
    if (st != WI_OK)
        return st;
    memcpy(alpha, z, n * sizeof(*z));
    wi_linalg_solve_lower(root, n, alpha, 1);
    wi_linalg_solve_lower_t(root, n, alpha, 1);
    return wi_linalg_invert_lower(root, n, err);
}

enum wi_status wi_gp_init(struct wi_gp *gp, const struct wi_kernel *kernel,
                          const struct wi_row *rows, size_t n, const double *t, size_t n_points,
                          struct wi_err *err)
{
    enum wi_status st = WI_OK;
    size_t n_t = n_points * kernel->n_par;
    double *z = calloc(n + 1, sizeof(*z)), *var = calloc(n + 1, sizeof(*var));

    *gp = (struct wi_gp){.kernel = kernel, .n = n, .n_points = n_points};
    gp->rows = calloc(n + 1, sizeof(*gp->rows));
    gp->t = calloc(n_t + 1, sizeof(*gp->t));
    gp->alpha = calloc(n_points * n + 1, sizeof(*gp->alpha));
    gp->root = calloc(n_points * n * n + 1, sizeof(*gp->root));
    if (!z || !var || !gp->rows || !gp->t || !gp->alpha || !gp->root) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    if (n)
        memcpy(gp->rows, rows, n * sizeof(*rows));
    memcpy(gp->t, t, n_t * sizeof(*t));
    for (size_t p = 0; p < n_points && n && st == WI_OK; p++)
        st = condition(gp, p, z, var, err);

cleanup:
    free(z);
    free(var);
    if (st != WI_OK)
        wi_gp_release(gp);
    return st;
}

double wi_gp_left_out(const struct wi_gp *gp, size_t i)
{
    double inverse = 0.0; /* (K^-1)_ii = sum_j R_ji^2 */

    for (size_t j = i; j < gp->n; j++)
        inverse += gp->root[j * gp->n + i] * gp->root[j * gp->n + i];
    return gp->alpha[i] / inverse;
}

struct work {
    double *k, *mean, *prior, *noise; /* (m, n), (m), (m), (m) */
};

/* Add one point's moments; `var` collects variances, `sq` squared means. */
static void add_point(const struct wi_gp *gp, size_t point, const struct wi_row *q, size_t m,
                      struct work *w, struct wi_moments *out, double *sq, double *weight)
{
    size_t n = gp->n;
    const double *t = gp->t + point * gp->kernel->n_par, *alpha = gp->alpha + point * n;

    gp->kernel->diag(t, q, m, w->prior);
    gp->kernel->noise(t, q, m, w->noise);
    gp->kernel->block(t, q, m, gp->rows, n, w->k);
    wi_linalg_mul_vec(w->k, m, n, alpha, w->mean);
    if (weight) {
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < n; j++)
                weight[j] += fabs(w->k[i * n + j] * alpha[j]);
        }
    }
    wi_linalg_mul_lower_t(gp->root + point * n * n, n, w->k, m);
    for (size_t i = 0; i < m; i++) {
        double v = w->prior[i];

        for (size_t j = 0; j < n; j++)
            v -= w->k[i * n + j] * w->k[i * n + j];
        out[i].mean += w->mean[i];
        sq[i] += w->mean[i] * w->mean[i];
        out[i].var += fmax(v, 0.0);
        out[i].prior_var += w->prior[i];
        out[i].noise_var += w->noise[i];
    }
}

enum wi_status wi_gp_predict(const struct wi_gp *gp, const struct wi_row *q, size_t m,
                             struct wi_moments *out, double *weight, struct wi_err *err)
{
    size_t n = gp->n;
    double scale = 1.0 / (double)gp->n_points;
    struct work w;
    double *buf = calloc(m * n + 4 * m + 1, sizeof(*buf)), *sq;

    if (!buf)
        return wi_fail_nomem(err);
    w = (struct work){buf + 4 * m, buf, buf + m, buf + 2 * m};
    sq = buf + 3 * m;
    memset(out, 0, m * sizeof(*out));
    for (size_t p = 0; p < gp->n_points; p++)
        add_point(gp, p, q, m, &w, out, sq, weight);
    for (size_t i = 0; i < m; i++) {
        out[i].mean *= scale;
        out[i].var = out[i].var * scale + fmax(sq[i] * scale - out[i].mean * out[i].mean, 0.0);
        out[i].prior_var *= scale;
        out[i].noise_var *= scale;
    }
    free(buf);
    return WI_OK;
}

#include "core/misfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/features.h"

#define HELD_VAR 2.7055 /* squared half width of a 90 % interval in sds */
#define KERNEL_MIN 1e-12

void wi_misfit_release(struct wi_misfit *misfit)
{
    free(misfit->rows);
    free(misfit->within);
    free(misfit->between);
    *misfit = (struct wi_misfit){0};
}

/* What an interval does not hold of a row: squared distance beyond it, as variance. */
static double excess(const struct wi_row *r, const struct wi_moments *m)
{
    double low = r->interval ? r->z_low : r->z, high = r->interval ? r->z_high : r->z;
    double off = fmax(0.0, fmax(low - m->mean, m->mean - high));

    return fmax(0.0, off * off - HELD_VAR * (m->var + m->noise_var + r->err_var));
}

/* Published rows to the front of `sorted`, own ones behind; how many are published. */
static size_t split(const struct wi_row *rows, size_t n, struct wi_row *sorted)
{
    size_t n_published = 0, at;

    for (size_t i = 0; i < n; i++) {
        if (!rows[i].own)
            sorted[n_published++] = rows[i];
    }
    at = n_published;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].own)
            sorted[at++] = rows[i];
    }
    return n_published;
}

/* As a drive of nobody's would be asked for: not known from its own rows. */
static void forget_drives(struct wi_row *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        q[i].vendor = q[i].device = WI_NONE_ID;
        q[i].letter = 3;
        q[i].reference = false;
    }
}

static void keep_bad(struct wi_misfit *misfit, const struct wi_row *own, size_t n,
                     const struct wi_moments *with, const struct wi_moments *without)
{
    for (size_t i = 0; i < n; i++) {
        double within = excess(&own[i], &with[i]), between = excess(&own[i], &without[i]);

        if (!(within > 0.0) && !(between > 0.0))
            continue;
        misfit->rows[misfit->n] = own[i];
        misfit->within[misfit->n] = within;
        misfit->between[misfit->n++] = between;
    }
}

enum wi_status wi_misfit_init(struct wi_misfit *misfit, const struct wi_gp *gp,
                              const struct wi_row *rows, size_t n, struct wi_err *err)
{
    struct wi_row *sorted = calloc(2 * n + 1, sizeof(*sorted)), *q = sorted ? sorted + n : NULL;
    struct wi_moments *m = calloc(2 * n + 1, sizeof(*m));
    struct wi_gp published = {0};
    enum wi_status st = sorted && m ? WI_OK : wi_fail_nomem(err);
    size_t from = st == WI_OK ? split(rows, n, sorted) : n, n_own = n - from;

    if (st != WI_OK || n_own == 0)
        goto cleanup;
    misfit->rows = calloc(n_own, sizeof(*misfit->rows));
    misfit->within = calloc(n_own, sizeof(*misfit->within));
    misfit->between = calloc(n_own, sizeof(*misfit->between));
    if (!misfit->rows || !misfit->within || !misfit->between)
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = wi_gp_init(&published, gp->kernel, sorted, from, gp->t, gp->n_points, err);
    if (st == WI_OK)
        st = wi_gp_predict(gp, sorted + from, n_own, m, NULL, 0, err);
    if (st != WI_OK)
        goto cleanup;
    memcpy(q, sorted + from, n_own * sizeof(*q));
    forget_drives(q, n_own);
    wi_rows_mark_fresh(q, n_own, published.rows, published.n);
    st = wi_gp_predict(&published, q, n_own, m + n, NULL, 0, err);
    if (st == WI_OK)
        keep_bad(misfit, sorted + from, n_own, m, m + n);

cleanup:
    wi_gp_release(&published);
    free(sorted);
    free(m);
    if (st != WI_OK)
        wi_misfit_release(misfit);
    return st;
}

static bool holds_device(const struct wi_gp *gp, int device)
{
    for (size_t i = 0; i < gp->n && device >= 0; i++) {
        if (gp->rows[i].device == device)
            return true;
    }
    return false;
}

enum wi_status wi_misfit_add(const struct wi_misfit *misfit, const struct wi_gp *gp,
                             const struct wi_row *q, size_t m, struct wi_moments *out,
                             struct wi_err *err)
{
    size_t n = misfit->n;
    double *k, *own;

    if (n == 0)
        return WI_OK;
    k = calloc((m + 1) * n, sizeof(*k));
    if (!k)
        return wi_fail_nomem(err);
    own = k + m * n;
    gp->kernel->block(gp->t, q, m, misfit->rows, n, k);
    gp->kernel->diag(gp->t, misfit->rows, n, own);
    for (size_t i = 0; i < m; i++) {
        /* A stored drive is known by its own rows: what those leave open is what others move. */
        bool stored = holds_device(gp, q[i].device);
        double open = stored ? fmin(1.0, out[i].var / fmax(out[i].prior_var, KERNEL_MIN)) : 1.0;
        double worst = 0.0;

        for (size_t j = 0; j < n; j++) {
            bool same = stored && q[i].device == misfit->rows[j].device;
            double b = own[j] > KERNEL_MIN ? k[i * n + j] / own[j] : 0.0;
            double var = same ? misfit->within[j] : open * misfit->between[j];

            worst = fmax(worst, b * b * var);
        }
        out[i].misfit_var = worst;
        out[i].var += worst;
    }
    free(k);
    return WI_OK;
}

#include "core/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"
#include "core/normal.h"

#define SITE_VAR_MAX 1e6 /* an interval that says nothing */
#define SITE_ROUNDS 60
#define SITE_DAMP 0.7
#define SITE_TOL 1e-11

/*
 * Derivatives of ln Z, Z = P(low < f + e < high), f ~ N(mu, v), e of variance s2, with regard to
 * mu. For a cavity far outside of the interval Z underflows; there the nearer edge acts like a
 * point.
 */
static void tilted(double mu, double v, double s2, double low, double high, double *slope,
                   double *curv)
{
    double s = sqrt(v + s2), a = (low - mu) / s, b = (high - mu) / s, z, pa, pb;

    if (a > 0.0) { /* mirror, so that the difference is taken in the lower tail */
        double t = a;

        a = -b;
        b = -t;
        tilted(-mu, v, s2, -high, -low, slope, curv);
        *slope = -*slope;
        return;
    }
    z = wi_gauss_cdf(b) - wi_gauss_cdf(a);
    if (z < 1e-200) {
        *slope = (high - mu) / (s * s);
        *curv = 1.0 / (s * s);
        return;
    }
    pa = wi_gauss_pdf(a);
    pb = wi_gauss_pdf(b);
    *slope = (pa - pb) / (z * s);
    *curv = *slope * *slope + (b * pb - a * pa) / (z * s * s);
}

/* One row's site from the inverse of K + S. Returns the relative move. */
static double update(const struct wi_row *r, double edge_var, double a, double ki, double *z,
                     double *var)
{
    double total = 1.0 / ki, cavity = total - *var, mu = *z - a / ki;
    double slope, curv, new_var, new_z, tau, nu;

    if (!(cavity > 0.0))
        return 0.0;
    tilted(mu, cavity, edge_var, r->z_low, r->z_high, &slope, &curv);
    if (curv < 1.0 / SITE_VAR_MAX) {
        new_var = SITE_VAR_MAX;
        new_z = mu;
    } else {
        new_var = fmax(fmin(1.0 / curv - cavity, SITE_VAR_MAX), 1e-12);
        new_z = mu + slope / curv;
    }
    tau = SITE_DAMP / new_var + (1.0 - SITE_DAMP) / *var;
    nu = SITE_DAMP * new_z / new_var + (1.0 - SITE_DAMP) * *z / *var;
    new_var = 1.0 / tau;
    new_z = nu / tau;
    a = fabs(new_z - *z) / sqrt(total) + fabs(new_var - *var) / (*var + new_var);
    *z = new_z;
    *var = new_var;
    return a;
}

enum wi_status wi_sites_fit(const struct wi_row *rows, size_t n, const double *k,
                            const double *noise, double *z, double *var, struct wi_err *err)
{
    enum wi_status st = WI_OK;
    double *ki = malloc(n * n * sizeof(*ki)), *a = malloc(n * sizeof(*a)), move = 1.0;

    if (!ki || !a)
        st = wi_fail_nomem(err);
    for (int round = 0; round < SITE_ROUNDS && move > SITE_TOL && st == WI_OK; round++) {
        memcpy(ki, k, n * n * sizeof(*ki));
        for (size_t i = 0; i < n; i++)
            ki[i * n + i] += var[i];
        st = wi_linalg_cholesky(ki, n, err);
        if (st == WI_OK)
            st = wi_linalg_invert_from_cholesky(ki, n, err);
        if (st != WI_OK)
            break;
        wi_linalg_mul_vec(ki, n, n, z, a);
        move = 0.0;
        for (size_t i = 0; i < n; i++) {
            if (rows[i].interval)
                move = fmax(move, update(&rows[i], rows[i].err_var + noise[i], a[i], ki[i * n + i],
                                         &z[i], &var[i]));
        }
    }
    free(ki);
    free(a);
    return st;
}

#include "core/fit.h"

#include <math.h>
#include <string.h>

#include "core/linalg.h"
#include "core/random.h"

#define STEP 0.02
#define CLIP_SD 3.0
#define SEED 20220314u

struct hessian {
    size_t n, par[WI_PAR_MAX];
    double h[WI_PAR_MAX * WI_PAR_MAX], w[WI_PAR_MAX]; /* then eigenvectors in rows, eigenvalues */
};

static void differences(struct wi_objective *obj, const double *mode, struct hessian *h)
{
    double t[WI_PAR_MAX], up[WI_PAR_MAX], down[WI_PAR_MAX], v;

    memcpy(t, mode, sizeof(t));
    for (size_t i = 0; i < h->n; i++) {
        size_t p = h->par[i];

        t[p] = mode[p] + STEP;
        wi_objective_eval(obj, t, &v, up);
        t[p] = mode[p] - STEP;
        wi_objective_eval(obj, t, &v, down);
        t[p] = mode[p];
        for (size_t j = 0; j < h->n; j++)
            h->h[i * h->n + j] = (up[h->par[j]] - down[h->par[j]]) / (2.0 * STEP);
    }
    for (size_t i = 0; i < h->n; i++) {
        for (size_t j = 0; j < i; j++) {
            double mid = 0.5 * (h->h[i * h->n + j] + h->h[j * h->n + i]);

            h->h[i * h->n + j] = h->h[j * h->n + i] = mid;
        }
    }
}

/* One antithetic pair: mode + and - the sum of eigenvectors e_k / sqrt(w_k). */
static void draw_pair(const struct hessian *h, const struct wi_par *par, enum wi_model_kind kind,
                      double w_min, struct wi_random *rnd, const double *mode, double *a, double *b)
{
    double dir[WI_PAR_MAX] = {0};

    for (size_t k = 0; k < h->n; k++) {
        double e = wi_random_normal(rnd) / sqrt(fmax(h->w[k], w_min));

        for (size_t i = 0; i < h->n; i++)
            dir[i] += e * h->h[k * h->n + i];
    }
    for (size_t i = 0; i < h->n; i++) {
        size_t p = h->par[i];
        double lim = CLIP_SD * wi_par_sd(&par[p], kind), mid = wi_par_mean(&par[p], kind);

        a[p] = fmin(fmax(mode[p] + dir[i], mid - lim), mid + lim);
        b[p] = fmin(fmax(mode[p] - dir[i], mid - lim), mid + lim);
    }
}

enum wi_status wi_cloud_draw(struct wi_objective *obj, const struct wi_kernel *kernel,
                             enum wi_model_kind kind, struct wi_group_fit *fit, struct wi_err *err)
{
    struct hessian h = {.n = 0};
    struct wi_random rnd = {SEED};
    double sd_max = 0.0;
    enum wi_status st;

    for (size_t i = 0; i < kernel->n_par; i++) {
        double sd = wi_par_sd(&kernel->par[i], kind);

        if (sd > 0.0)
            h.par[h.n++] = i;
        sd_max = fmax(sd_max, sd);
    }
    differences(obj, fit->mode, &h);
    st = wi_linalg_eigen_sym(h.h, h.n, h.w, err);
    if (st != WI_OK)
        return st;
    for (size_t i = 0; i < WI_CLOUD; i += 2) {
        memcpy(fit->cloud[i], fit->mode, sizeof(fit->mode));
        memcpy(fit->cloud[i + 1], fit->mode, sizeof(fit->mode));
        draw_pair(&h, kernel->par, kind, 0.25 / (sd_max * sd_max), &rnd, fit->mode, fit->cloud[i],
                  fit->cloud[i + 1]);
    }
    return WI_OK;
}

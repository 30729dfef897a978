/*
 * Hyper-parameters of the evidence model: their fit, their cloud, their text form.
 */
#ifndef WI_CORE_FIT_H
#define WI_CORE_FIT_H

#include "core/features.h"

#define WI_CLOUD 12 /* points around the mode, six antithetic pairs */

struct wi_group_fit {
    double mode[WI_PAR_MAX];
    double cloud[WI_CLOUD][WI_PAR_MAX];
    double objective; /* negative log posterior at the mode */
    size_t n_rows;    /* rows that the fit has seen */
    int stop; /* why the iteration ended: NLopt's result code, 0 = no rows, the prior mode */
};

struct wi_fit {
    enum wi_model_kind kind;
    struct wi_group_fit group[WI_N_GROUPS];
};

/* The prior of a parameter under a kind of model. */
double wi_par_mean(const struct wi_par *par, enum wi_model_kind kind);
double wi_par_sd(const struct wi_par *par, enum wi_model_kind kind);

/* The negative log posterior of one group, on rows that may fall into independent blocks. */
struct wi_objective;
enum wi_status wi_objective_new(const struct wi_kernel *kernel, enum wi_model_kind kind,
                                const struct wi_row *rows, size_t n, struct wi_objective **obj,
                                struct wi_err *err);
void wi_objective_free(struct wi_objective *obj);

/*
 * out:  value  +inf where the covariance is not positive definite
 *       grad   (n_par,), NULL to skip; 0 for fixed parameters
 * cost: O(n^3) per block
 * source: Rasmussen & Williams 2006, equations 2.30 and 5.9, plus Gaussian priors
 */
void wi_objective_eval(struct wi_objective *obj, const double *t, double *value, double *grad);

/* The mode, from the prior mode, by NLopt's L-BFGS within four prior sds. */
enum wi_status wi_fit_group(const struct wi_kernel *kernel, enum wi_model_kind kind,
                            const struct wi_row *rows, size_t n, bool with_cloud,
                            struct wi_group_fit *out, struct wi_err *err);

/*
 * Laplace cloud around the mode (core/cloud.c).
 * source: H by central differences of the gradient (step 0.02); t = mode +- H^-1/2 e, clipped at
 *         three prior sds; eigenvalues not below 1 / (2 s_max)^2. Own seeded draws.
 */
enum wi_status wi_cloud_draw(struct wi_objective *obj, const struct wi_kernel *kernel,
                             enum wi_model_kind kind, struct wi_group_fit *fit, struct wi_err *err);

/* Fit both groups to rows in any order. */
enum wi_status wi_fit_rows(const struct wi_rows *rows, enum wi_model_kind kind, struct wi_fit *fit,
                           struct wi_err *err);

#endif

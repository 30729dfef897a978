/*
 * A Gaussian process conditioned on rows, at several points of its hyper-parameters at once.
 */
#ifndef WI_CORE_GP_H
#define WI_CORE_GP_H

#include "core/kernel.h"

/*
 * Largest number of rows that are handled exactly; above, the sparse form of core/sparse.c. The
 * exact state of 500 rows is 12 MB and answers in a millisecond; of 2,000 it would be 190 MB and
 * 0.2 s.
 */
#define WI_GP_EXACT_MAX 500

struct wi_gp {
    const struct wi_kernel *kernel;
    size_t n;            /* support rows: all of them, or the inducing ones of the sparse form */
    struct wi_row *rows; /* (n,) */
    size_t n_points;     /* points of hyper-parameters */
    double *t;           /* (n_points, n_par) */
    double *t_cross;     /* t, but in the sparse form without the discrepancy of a step */
    double *alpha;       /* (n_points, n): mean(x) = k(x) alpha */
    double *root;        /* (n_points, n (n + 1) / 2) lower triangular R, row by row:
                            var(x) = k(x,x) - |R k(x)|^2 */
    struct wi_levels levels; /* of the rows */
    bool sparse;
    bool borrowed; /* root belongs to somebody else */
};

/* Moments at one row, averaged over the points: total variance = mean of variances + variance of
 * means. */
struct wi_moments {
    double mean, var, prior_var, noise_var;
    double misfit_var; /* part of var: what own rows are off by, see core/misfit.h; 0 from a GP */
};

/*
 * Condition on n rows; interval rows by expectation propagation at each point.
 *
 * in:   t   (n_points, n_par)
 * out:  gp  zeroed before; release with wi_gp_release; n = 0 gives the prior
 * returns WI_OK; WI_ENUMERIC if the covariance is not positive definite
 * cost:   O(n_points n^3)
 * source: Rasmussen & Williams 2006, algorithm 2.1
 */
enum wi_status wi_gp_init(struct wi_gp *gp, const struct wi_kernel *kernel,
                          const struct wi_row *rows, size_t n, const double *t, size_t n_points,
                          struct wi_err *err);
void wi_gp_release(struct wi_gp *gp);

/*
 * in:   q       (m,) rows asked for; vendor ids as in the rows conditioned on
 * out:  out     (m,)
 *       weight  (gp->n,) share that each support row has in the means of the first n_weighted rows
 * of q, added; NULL to skip
 */
enum wi_status wi_gp_predict(const struct wi_gp *gp, const struct wi_row *q, size_t m,
                             struct wi_moments *out, double *weight, size_t n_weighted,
                             struct wi_err *err);

/*
 * What row i would be off by if it had been left out, in log space: z_i - prediction without it, at
 * the first point. source: Rasmussen & Williams 2006, equation 5.12
 */
double wi_gp_left_out(const struct wi_gp *gp, size_t i);

/* Lower triangular R (n, n), stored whole, into its packed rows. */
void wi_gp_pack(const double *full, size_t n, double *packed);

/* Make t_cross from t. */
enum wi_status wi_gp_set_cross(struct wi_gp *gp, struct wi_err *err);

/* Find the levels of gp->rows. */
enum wi_status wi_gp_set_levels(struct wi_gp *gp, struct wi_err *err);

/*
 * y += |R k|^2 column by column (core/triangle.c).
 * in:   r  packed lower triangle of n rows;  k  (n, WI_FAMILY_MAX)
 * out:  y  (WI_FAMILY_MAX,)
 */
void wi_triangle_norms(const double *r, size_t n, const double *k, double *y);

/*
 * The sparse form for more than WI_GP_EXACT_MAX rows; the same contract as wi_gp_init.
 * source: FITC, Snelson & Ghahramani 2006, with inducing rows by pivoted Cholesky
 */
enum wi_status wi_gp_init_sparse(struct wi_gp *gp, const struct wi_kernel *kernel,
                                 const struct wi_row *rows, size_t n, const double *t,
                                 size_t n_points, struct wi_err *err);

/*
 * Gaussian sites of the interval rows at one point (core/sites.c).
 * in:   k          (n, n) covariance without noise;  noise  (n,) of a curve
 * in/out: z, var   (n,) observation and its variance: set for the interval rows, others kept
 * source: Minka 2001; Rasmussen & Williams 2006, section 3.6, with parallel damped updates
 */
enum wi_status wi_sites_fit(const struct wi_row *rows, size_t n, const double *k,
                            const double *noise, double *z, double *var, struct wi_err *err);

/* The pseudo-observation that an interval row starts from; other rows as they are. */
double wi_row_err_var(const struct wi_row *row);

#define WI_GP_JITTER 1e-9

#endif

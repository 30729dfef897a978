/*
 * Temperature and humidity in weight space: the covariance is a sum of one-dimensional state
 * functions, so f(x) = phi(x)' w with a few dozen weights, whose posterior at all points of
 * hyper-parameters folds into one mean and one covariance per column.
 *
 * source: the study, section 6; Rasmussen & Williams 2006, section 2.1
 * error:  the Gaussian parts are projected on a grid and read from tables (tested: below 1e-5 in
 * log)
 */
#ifndef WI_CORE_WEIGHTS_H
#define WI_CORE_WEIGHTS_H

#include "core/gp.h"

/* Features of one state variable, tabulated; `rank` of them besides the linear one. */
struct wi_state_table {
    double low, step;
    size_t n, rank;
    double *at; /* (n, rank) */
};

struct wi_features {
    struct wi_state_table temp, rh;
    size_t n; /* of phi */
};
#define WI_FEATURES_MAX 64

enum wi_status wi_features_init(struct wi_features *f, struct wi_err *err);
void wi_features_release(struct wi_features *f);

/* phi (f->n,) of a row's exposure. cost: 0.1 us */
void wi_features_eval(const struct wi_features *f, const struct wi_row *r, double *phi);

/* The posterior of the weights for columns that differ in percentile and drive. */
struct wi_weights {
    size_t n_cols;        /* as asked for */
    size_t n_padded;      /* multiple of 8 */
    double *mean;         /* (n, n_padded) */
    double *cov;          /* (n (n + 1) / 2, n_padded), off-diagonal ones doubled */
    double *prior;        /* (n, n_padded) */
    double *step, *noise; /* (n_padded,): variance of the own discrepancy per size^2; noise */
    size_t n_exps;
    size_t *exps; /* (n_exps,) experiment ids */
    double *part; /* (n_exps, n, 8): share of each experiment in the means of the first columns */
};

/*
 * in:   q   (n_cols,) rows whose temperatures do not matter; the same phase in all
 * cost: about 10 ms
 */
enum wi_status wi_weights_init(struct wi_weights *w, const struct wi_features *f,
                               const struct wi_gp *gp, const struct wi_row *q, size_t n_cols,
                               struct wi_err *err);
void wi_weights_release(struct wi_weights *w);

/*
 * in:   phi, size   of the exposure asked for
 * out:  out         (n_cols,)
 * cost: about 1 us for eight columns
 */
void wi_weights_eval(const struct wi_weights *w, size_t n, const double *phi, double size,
                     struct wi_moments *out);

/*
 * Add each experiment's share in the first n_cols means (at most 8).
 * in/out: exp_weight  by experiment id
 */
void wi_weights_shares(const struct wi_weights *w, size_t n, const double *phi, size_t n_cols,
                       double *exp_weight);

#endif

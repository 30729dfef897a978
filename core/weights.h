/*
 * Temperature and humidity in weight space: the covariance is a sum of one-dimensional state
 * functions, so f(x) = phi(x)' w, whose posterior at all points of hyper-parameters folds into one
 * mean and one covariance per column.
 *
 * The data see of a state only what it has in common with the steps that were measured. So the
 * features of the Gaussian terms are these few functions, made orthonormal: a dozen in all with the
 * embedded data. What a step has beyond them adds to the variance as in the prior.
 *
 * source: the study, section 6; Rasmussen & Williams 2006, section 2.1
 * error:  features are read from tables, linearly (tested: below 1e-5 in log)
 */
#ifndef WI_CORE_WEIGHTS_H
#define WI_CORE_WEIGHTS_H

#include "core/gp.h"
#include "core/misfit.h"

/* Features of one state variable, tabulated; `rank` of them besides the linear one, 0 without data.
 */
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

/* in:   misfit  whose rows are spanned too */
enum wi_status wi_features_init(struct wi_features *f, const struct wi_gp *gp,
                                const struct wi_misfit *misfit, struct wi_err *err);
void wi_features_release(struct wi_features *f);

/* An exposure in weight space. */
struct wi_point {
    double phi[WI_FEATURES_MAX]; /* excursions last, and only set for post */
    double rest_temp, rest_rh;   /* squared norms of the Gaussian terms beyond phi */
    double size2;                /* squared size of the exposure */
};

/* cost: 0.05 us */
void wi_features_eval(const struct wi_features *f, const struct wi_row *r, struct wi_point *point);

/* How many features a phase needs: the excursions are last, and only post has any. */
size_t wi_features_used(const struct wi_features *f, enum wi_phase phase);

/* The posterior of the weights for columns that differ in percentile and drive. */
struct wi_weights {
    size_t n;             /* features in use */
    size_t n_cols;        /* as asked for */
    size_t n_padded;      /* multiple of 8 */
    double *mean;         /* (n, n_padded) */
    double *cov;          /* (n (n + 1) / 2, n_padded), off-diagonal ones doubled */
    double *prior;        /* (n, n_padded) */
    double *step, *noise; /* (n_padded,): variance of the own discrepancy per size^2; noise */
    double *rest_temp, *rest_rh; /* (n_padded,): prior variance per rest of a point */
    size_t n_exps;
    size_t *exps; /* (n_exps,) experiment ids */
    double *part; /* (n_exps, n, 8): share of each experiment in the means of the first columns */
    /* What own rows are off by (core/misfit.h): the squares of phi' reach, the largest counts. */
    size_t n_misfit;
    double *reach;  /* (n_misfit, n, n_padded), 0 beyond the answers */
    double *closed; /* (n_misfit,): 1 of the drive asked for itself, 0: times what is open */
    bool stored;    /* the drive asked for is one of the stored */
};

#define WI_WEIGHTS_MISFIT_MAX 256 /* own rows that fit badly; with more the weights do not hold */

/*
 * in:   misfit  at most WI_WEIGHTS_MISFIT_MAX of it
 *       q       (n_cols,) rows whose temperatures do not matter; the same phase in all
 *       n       answers among them, the first ones
 * cost: about 3 ms
 */
enum wi_status wi_weights_init(struct wi_weights *w, const struct wi_features *f,
                               const struct wi_gp *gp, const struct wi_misfit *misfit,
                               const struct wi_row *q, size_t n_cols, size_t n, struct wi_err *err);
void wi_weights_release(struct wi_weights *w);

/*
 * Add each experiment's share in the first n_cols means (at most 8).
 * in/out: exp_weight  by experiment id
 */
void wi_weights_shares(const struct wi_weights *w, const double *phi, size_t n_cols,
                       double *exp_weight);

#endif

/*
 * How far the user's own measurements lie off what the model makes of them, so that an answer that
 * leans on them is not surer than they allow: the shapes and spreads of a fit are those of other
 * drives until it is made again.
 *
 *   within   an own row against the answer about its very drive, which it conditions
 *   between  an own row against the answer that the published rows alone give of a new drive
 *
 * What an interval of 90 % holds is no misfit. Beyond, the square of what a row is off by counts as
 * variance, and passes to other rows by the square of the kernel's regression on that row; the
 * largest of all rows counts, so that neither their order nor their number matters.
 */
#ifndef WI_CORE_MISFIT_H
#define WI_CORE_MISFIT_H

#include "core/gp.h"

/* Rows that the covariance cannot tell apart are one, with the largest excess of them. */
struct wi_misfit {
    size_t n;                 /* own rows that fit badly; 0 = nothing to add */
    struct wi_row *rows;      /* (n,) by between / prior, largest first */
    double *within, *between; /* (n,) excess variances, squared log-ratios */
    double *prior;            /* (n,) prior variances at the first point, > 0 */
    bool borrowed;            /* the arrays belong to somebody else */
};

/*
 * in:   rows   (n,) all rows of a part, with `own` set;  gp  conditioned on them
 * out:  misfit zeroed before; release with wi_misfit_release
 * cost: conditioning on the published rows, and a prediction of each own one; nothing without those
 */
enum wi_status wi_misfit_init(struct wi_misfit *misfit, const struct wi_gp *gp,
                              const struct wi_row *rows, size_t n, struct wi_err *err);
void wi_misfit_release(struct wi_misfit *misfit);

/*
 * Widen the moments (m,) of q by it.
 * cost: O(m misfit->n) covariances at most; rows that cannot be the worst any more are not looked
 * at
 */
void wi_misfit_add(const struct wi_misfit *misfit, const struct wi_gp *gp, const struct wi_row *q,
                   size_t m, struct wi_moments *out);

/*
 * Asked for what an own row measured of that very drive, the answer is drawn to it by as much as
 * own rows are off here: their variance against the noise of measuring. The variance stays, so the
 * interval holds both.
 * in:     gp    conditioned on all rows; of the sparse form only those it keeps count
 * in/out: out   (m,) after wi_misfit_add; mean is moved
 */
void wi_misfit_pull(const struct wi_gp *gp, const struct wi_row *q, size_t m,
                    struct wi_moments *out);

/* Whether a drive's own rows condition gp, so that it is known by them. */
bool wi_misfit_holds_device(const struct wi_gp *gp, int device);

#endif

/*
 * Where a curve first reaches a level: a scan finds the stretch, ITP the point.
 */
#ifndef WI_CORE_ROOT_H
#define WI_CORE_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

/* A curve. returns WI_OK; anything else stops the search and is returned by it */
typedef enum wi_status (*wi_curve_fn)(void *ctx, double x, double *y, struct wi_err *err);

/*
 * Root of a curve between two points where its sign differs.
 *
 * in:   a, ya, b, yb   ends and the values there; a > b is allowed
 *       tolerance      of x, > 0
 * out:  root           within tolerance of a sign change
 * returns WI_OK; WI_ERANGE if both ends have the same sign; what f returns
 * cost:   at most ceil(log2(|b - a| / tolerance)) + 2 evaluations: one more than bisection by the
 *         theorem, one by rounding
 * source: Oliveira & Takahashi, ACM Trans. Math. Software 47(1), 2020, algorithm 1, with the
 *         authors' constants kappa_1 = 0.2 / (b - a), kappa_2 = 2, n_0 = 1
 */
enum wi_status wi_root_itp(wi_curve_fn f, void *ctx, double a, double ya, double b, double yb,
                           double tolerance, double *root, struct wi_err *err);

struct wi_crossing {
    bool found;      /* the curve rises to 0 or above */
    bool from_start; /* it is there from the first point on; x is that point */
    double x;        /* where it first does */
    bool back;       /* it falls below 0 again behind x */
    double back_x;   /* where it first does */
};

/*
 * The first x, going from `from` to `to`, where a curve is 0 or above, and where it then falls
 * below.
 *
 * A rise and fall between two points of the scan is found where the scan shows a peak; one so
 * narrow that all points around it lie on one slope is not.
 *
 * in:   from, to    either may be larger
 *       n_scan      stretches of the scan, >= 2
 *       tolerance   of x
 */
enum wi_status wi_root_first(wi_curve_fn f, void *ctx, double from, double to, size_t n_scan,
                             double tolerance, struct wi_crossing *out, struct wi_err *err);

#endif

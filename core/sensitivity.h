/*
 * Variance-based sensitivity: how much of the spread of an output each factor accounts for.
 */
#ifndef WI_CORE_SENSITIVITY_H
#define WI_CORE_SENSITIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* One index with its confidence interval. */
struct wi_index {
    double value, low, high;
};

struct wi_sobol_indices {
    struct wi_index first; /* share of the variance by the factor alone */
    struct wi_index total; /* with all its interactions */
};

/*
 * Sobol' indices of one output.
 *
 * in:   n, d    base points, >= 2, and factors, >= 1
 *       fa      (n,) output at the points of matrix A
 *       fb      (n,) at those of B
 *       fab     (d, n) at A with factor i taken from B
 *       n_boot  bootstrap samples of the base points; 0 = no intervals (NaN)
 *       confidence  of the intervals, 0..1
 *       seed    of the bootstrap
 * out:  out     (d,); NaN where the output does not vary
 * returns WI_OK; WI_ENOMEM
 * cost:   O(n_boot n d)
 * source: Saltelli et al., Comput. Phys. Commun. 181, 2010, table 2: (b) for first-order indices,
 *         (f), by Jansen 1999, for total ones; bootstrap percentiles as Archer, Saltelli & Sobol'
 *         1997. Departure: fa and fb are centred by their common mean, which lowers the error of
 *         (b) where the mean is large.
 */
enum wi_status wi_sobol_indices(size_t n, size_t d, const double *fa, const double *fb,
                                const double *fab, size_t n_boot, double confidence, uint64_t seed,
                                struct wi_sobol_indices *out, struct wi_err *err);

#endif

/*
 * Designs of experiments: which combinations of factors a sweep visits, by index, so that any part
 * of a sweep can be computed on its own.
 */
#ifndef WI_CORE_DESIGN_H
#define WI_CORE_DESIGN_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

#define WI_DESIGN_FACTORS_MAX 40
#define WI_SOBOL_BITS 52

enum wi_design_kind {
    WI_DESIGN_GRID, /* all combinations of all levels; the last factor varies fastest */
    WI_DESIGN_OFAT, /* the centre, then each factor alone through its other levels */
    WI_DESIGN_LHS,  /* Latin hypercube: every factor has one point in each of n equal strata */
    WI_DESIGN_SOBOL /* low-discrepancy sequence */
};

struct wi_design {
    enum wi_design_kind kind;
    size_t n_factors;                         /* 0..WI_DESIGN_FACTORS_MAX */
    uint64_t n_levels[WI_DESIGN_FACTORS_MAX]; /* grid, ofat: >= 1 */
    uint64_t center[WI_DESIGN_FACTORS_MAX];   /* ofat: level of the centre */
    uint64_t n;                               /* number of points */
    uint64_t seed;
    uint64_t sobol[WI_DESIGN_FACTORS_MAX][WI_SOBOL_BITS]; /* direction numbers */
};

/*
 * Complete a design whose kind, factors, levels (or n, for lhs and sobol) and seed are set.
 * returns WI_OK; WI_ERANGE if the grid has more than 2^62 points, lhs more than 2^31, sobol more
 *         than 2^52
 */
enum wi_status wi_design_init(struct wi_design *d, struct wi_err *err);

/* grid, ofat: level of every factor at point index < n. */
void wi_design_levels(const struct wi_design *d, uint64_t index, uint64_t *level);

/*
 * lhs, sobol: the point index < n in [0, 1)^n_factors.
 *
 * source: Joe & Kuo, SIAM J. Sci. Comput. 30, 2008 (direction numbers new-joe-kuo-6, in
 *         data/sobol.csv); Antonov & Saleev 1979 (Gray code order). A seed other than 0 moves the
 *         points by a digital shift. Latin hypercube: McKay, Beckman & Conover, Technometrics 21,
 *         1979, its permutations by Kensler, Pixar TR 13-01, 2013, which need no memory.
 */
void wi_design_point(const struct wi_design *d, uint64_t index, double *point);

#endif

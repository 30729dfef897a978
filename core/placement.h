/*
 * Which workload goes on which tier: the assignment of least cost under capacity limits.
 */
#ifndef WI_CORE_PLACEMENT_H
#define WI_CORE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

#define WI_PLACEMENT_WORKLOADS_MAX 200
#define WI_PLACEMENT_TIERS_MAX 200

struct wi_placement_problem {
    size_t n_workloads, n_tiers;
    const double *cost;     /* (n_workloads, n_tiers) row-major, >= 0; INFINITY = not allowed */
    const double *need;     /* (n_workloads,) capacity taken, any unit, >= 0 */
    const double *capacity; /* (n_tiers,) the same unit, >= 0 */
};

/*
 * out:  tier       (n_workloads,) index of the tier of each workload
 *       is_greedy  true when the solver ran out of time and the greedy placement is given instead
 *                  (largest need first, cheapest tier with room); may be NULL
 * returns WI_OK; WI_EDATA where no placement fits
 * cost:   a mixed-integer programme; milliseconds for tens of workloads, at most 20 s
 * source: the generalised assignment problem, Martello & Toth, Knapsack Problems, 1990, chapter 7;
 *         solved by lp_solve 5.5 (branch and bound)
 */
enum wi_status wi_placement_solve(const struct wi_placement_problem *p, size_t *tier,
                                  bool *is_greedy, struct wi_err *err);

/* Sum of the costs of a placement. */
double wi_placement_cost(const struct wi_placement_problem *p, const size_t *tier);

#endif

#include "core/placement.h"

#include <lpsolve/lp_lib.h>
#include <math.h>
#include <stdlib.h>

#define TIMEOUT_S 20

double wi_placement_cost(const struct wi_placement_problem *p, const size_t *tier)
{
    double sum = 0.0;

    for (size_t w = 0; w < p->n_workloads; w++)
        sum += p->cost[w * p->n_tiers + tier[w]];
    return sum;
}

/* Column of x[w][t] in the programme, from 1. */
static int column(const struct wi_placement_problem *p, size_t w, size_t t)
{
    return (int)(w * p->n_tiers + t) + 1;
}

/* Costs are scaled so that the largest is 1: the solver's tolerances are absolute. */
static double largest_cost(const struct wi_placement_problem *p)
{
    double largest = 0.0;

    for (size_t i = 0; i < p->n_workloads * p->n_tiers; i++) {
        if (isfinite(p->cost[i]))
            largest = fmax(largest, p->cost[i]);
    }
    return largest > 0.0 ? largest : 1.0;
}

static bool fill_programme(const struct wi_placement_problem *p, lprec *lp, double *row, int *col)
{
    double scale = largest_cost(p);
    int n = (int)(p->n_workloads * p->n_tiers);
    bool ok = true;

    for (int i = 0; i < n; i++) {
        col[i] = i + 1;
        row[i] = isfinite(p->cost[i]) ? p->cost[i] / scale : 0.0;
        ok = ok && set_binary(lp, i + 1, TRUE);
        if (!isfinite(p->cost[i]))
            ok = ok && set_upbo(lp, i + 1, 0.0);
    }
    ok = ok && set_obj_fnex(lp, n, row, col) && set_add_rowmode(lp, TRUE);
    for (size_t w = 0; w < p->n_workloads && ok; w++) {
        for (size_t t = 0; t < p->n_tiers; t++) {
            row[t] = 1.0;
            col[t] = column(p, w, t);
        }
        ok = add_constraintex(lp, (int)p->n_tiers, row, col, EQ, 1.0);
    }
    for (size_t t = 0; t < p->n_tiers && ok; t++) {
        for (size_t w = 0; w < p->n_workloads; w++) {
            row[w] = p->need[w];
            col[w] = column(p, w, t);
        }
        ok = add_constraintex(lp, (int)p->n_workloads, row, col, LE, p->capacity[t]);
    }
    return ok && set_add_rowmode(lp, FALSE);
}

/* Largest need first, each on the cheapest tier that still has room. False where one finds none. */
static bool place_greedily(const struct wi_placement_problem *p, size_t *tier, double *room,
                           bool *done)
{
    for (size_t t = 0; t < p->n_tiers; t++)
        room[t] = p->capacity[t];
    for (size_t w = 0; w < p->n_workloads; w++)
        done[w] = false;
    for (size_t k = 0; k < p->n_workloads; k++) {
        size_t next = p->n_workloads;
        size_t best = p->n_tiers;

        for (size_t w = 0; w < p->n_workloads; w++) {
            if (!done[w] && (next == p->n_workloads || p->need[w] > p->need[next]))
                next = w;
        }
        for (size_t t = 0; t < p->n_tiers; t++) {
            double cost = p->cost[next * p->n_tiers + t];

            if (isfinite(cost) && p->need[next] <= room[t] &&
                (best == p->n_tiers || cost < p->cost[next * p->n_tiers + best]))
                best = t;
        }
        if (best == p->n_tiers)
            return false;
        tier[next] = best;
        room[best] -= p->need[next];
        done[next] = true;
    }
    return true;
}

static enum wi_status solve_greedily(const struct wi_placement_problem *p, size_t *tier,
                                     struct wi_err *err)
{
    double *room = malloc(p->n_tiers * sizeof(*room));
    bool *done = malloc(p->n_workloads * sizeof(*done));
    enum wi_status st = WI_OK;

    if (!room || !done)
        st = wi_fail_nomem(err);
    else if (!place_greedily(p, tier, room, done))
        st = wi_fail(err, WI_EDATA, "no placement found within %d s", TIMEOUT_S);
    free(room);
    free(done);
    return st;
}

static void read_solution(const struct wi_placement_problem *p, const double *x, size_t *tier)
{
    for (size_t w = 0; w < p->n_workloads; w++) {
        for (size_t t = 0; t < p->n_tiers; t++) {
            if (x[w * p->n_tiers + t] > 0.5)
                tier[w] = t;
        }
    }
}

static enum wi_status run(const struct wi_placement_problem *p, lprec *lp, double *x, size_t *tier,
                          bool *is_greedy, struct wi_err *err)
{
    int code;

    set_verbose(lp, NEUTRAL);
    set_minim(lp);
    set_timeout(lp, TIMEOUT_S);
    set_mip_gap(lp, TRUE, 1e-12);
    set_mip_gap(lp, FALSE, 1e-12);
    code = solve(lp);
    if (code == OPTIMAL && get_variables(lp, x)) {
        read_solution(p, x, tier);
        return WI_OK;
    }
    if (code == INFEASIBLE)
        return wi_fail(err, WI_EDATA,
                       "no placement fits: a workload has no tier left that is "
                       "allowed and large enough");
    if (is_greedy)
        *is_greedy = true;
    return solve_greedily(p, tier, err);
}

enum wi_status wi_placement_solve(const struct wi_placement_problem *p, size_t *tier,
                                  bool *is_greedy, struct wi_err *err)
{
    size_t n = p->n_workloads * p->n_tiers;
    lprec *lp = NULL;
    double *row = NULL;
    int *col = NULL;
    enum wi_status st = WI_OK;

    if (is_greedy)
        *is_greedy = false;
    if (p->n_workloads < 1 || p->n_workloads > WI_PLACEMENT_WORKLOADS_MAX || p->n_tiers < 1 ||
        p->n_tiers > WI_PLACEMENT_TIERS_MAX)
        return wi_fail(err, WI_EDATA, "%zu workloads on %zu tiers, allowed is 1 to %d on 1 to %d",
                       p->n_workloads, p->n_tiers, WI_PLACEMENT_WORKLOADS_MAX,
                       WI_PLACEMENT_TIERS_MAX);
    lp = make_lp(0, (int)n);
    row = calloc(n + 1, sizeof(*row));
    col = calloc(n + 1, sizeof(*col));
    if (!lp || !row || !col || !fill_programme(p, lp, row, col))
        st = wi_fail_nomem(err);
    else
        st = run(p, lp, row, tier, is_greedy, err);
    if (lp)
        delete_lp(lp);
    free(row);
    free(col);
    return st;
}

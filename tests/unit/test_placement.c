#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement.h"

#define MAX_W 6
#define MAX_T 5

/* Every assignment in turn. */
static double brute_force(const struct wi_placement_problem *p)
{
    double best = INFINITY;
    size_t total = 1;

    for (size_t w = 0; w < p->n_workloads; w++)
        total *= p->n_tiers;
    for (size_t code = 0; code < total; code++) {
        double room[MAX_T];
        double cost = 0.0;
        size_t rest = code;

        memcpy(room, p->capacity, p->n_tiers * sizeof(*room));
        for (size_t w = 0; w < p->n_workloads; w++) {
            size_t t = rest % p->n_tiers;

            rest /= p->n_tiers;
            room[t] -= p->need[w];
            cost += room[t] < -1e-9 ? INFINITY : p->cost[w * p->n_tiers + t];
        }
        best = fmin(best, cost);
    }
    return best;
}

static void the_optimum_is_the_one_of_brute_force(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 300; round++) {
        double cost[MAX_W * MAX_T];
        double need[MAX_W];
        double capacity[MAX_T];
        struct wi_placement_problem p = {.n_workloads = 1 + (size_t)(rand() % MAX_W),
                                         .n_tiers = 1 + (size_t)(rand() % MAX_T),
                                         .cost = cost,
                                         .need = need,
                                         .capacity = capacity};
        size_t tier[MAX_W];
        struct wi_err err;
        bool greedy = true;
        double best;
        enum wi_status st;

        for (size_t i = 0; i < p.n_workloads * p.n_tiers; i++)
            cost[i] = rand() % 10 == 0 ? INFINITY : pow(10.0, -6.0 + 8.0 * rand() / RAND_MAX);
        for (size_t i = 0; i < p.n_workloads; i++)
            need[i] = 1 + rand() % 9;
        for (size_t i = 0; i < p.n_tiers; i++)
            capacity[i] = rand() % 25;
        best = brute_force(&p);
        st = wi_placement_solve(&p, tier, &greedy, &err);
        if (isinf(best)) {
            assert_int_equal(st, WI_EDATA);
            continue;
        }
        assert_int_equal(st, WI_OK);
        assert_false(greedy);
        assert_true(fabs(wi_placement_cost(&p, tier) - best) <= 1e-9 * fmax(1.0, best));
    }
}

static void what_does_not_fit_is_said(void **state)
{
    static const double cost[] = {1, 1};
    static const double need[] = {10};
    static const double capacity[] = {5, 9};
    struct wi_placement_problem p = {1, 2, cost, need, capacity};
    size_t tier[1];
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_placement_solve(&p, tier, NULL, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "no placement fits"));
    p.n_workloads = 0;
    assert_int_equal(wi_placement_solve(&p, tier, NULL, &err), WI_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_optimum_is_the_one_of_brute_force),
        cmocka_unit_test(what_does_not_fit_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

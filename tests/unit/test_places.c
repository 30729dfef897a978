/*
 * Rows at one place: found as a plain comparison finds them, and worth as much together as apart.
 */
#include "evidence_data.h"

#include "core/features.h"
#include "core/fit.h"
#include "core/gp.h"
#include "core/places.h"
#include "core/random.h"

#define N_PLACES 90
#define N_ROWS 900 /* more than are handled exactly */

static void make_rows(struct wi_row *rows, uint64_t seed)
{
    struct wi_exposure heat = {.before = {22.5, 50, {WI_AXIS_NONE, NAN, NAN}},
                               .during = {22.5, 50, {WI_AXIS_NONE, NAN, NAN}},
                               .during_h = 6};
    struct wi_random rnd = {seed};

    for (size_t i = 0; i < N_ROWS; i++) {
        size_t place = (size_t)(wi_random_uniform(&rnd) * N_PLACES);

        heat.during.temp_c = 30 + 5 * (double)(place % 9);
        wi_row_init(&rows[i], WI_GROUP_TH, WI_OP_READ, WI_PHASE_RUNNING, &heat, WI_NAND_TLC);
        wi_row_set_percentile(&rows[i], place % 2 ? 99 : 99.9);
        rows[i].vendor = rows[i].device = (int)(place / 18);
        rows[i].z = 0.1 * wi_random_normal(&rnd);
        rows[i].err_var = 1e-3 * (1 + wi_random_uniform(&rnd));
        rows[i].own = true;
        rows[i].exp = i;
    }
}

static bool same_place(const struct wi_row *a, const struct wi_row *b)
{
    return a->nines == b->nines && a->device == b->device && a->temp_c[1] == b->temp_c[1];
}

static void places_are_those_of_a_comparison_of_all_pairs(void **state)
{
    static struct wi_row rows[N_ROWS];
    struct wi_places p = {0};
    bool seen[N_ROWS] = {false};

    (void)state;
    make_rows(rows, 1);
    assert_int_equal(wi_places_init(&p, rows, N_ROWS, NULL), WI_OK);
    assert_int_equal(p.n, N_PLACES);
    for (size_t i = 0; i < N_ROWS; i++) {
        for (size_t j = 0; j < i; j++)
            assert_int_equal(p.of[i] == p.of[j], same_place(&rows[i], &rows[j]));
    }
    assert_int_equal(p.from[0], 0);
    assert_int_equal(p.from[p.n], N_ROWS);
    for (size_t k = 0; k < p.n; k++) {
        assert_int_equal(p.rows[k].exp, p.at[p.from[k]]); /* the first row of it */
        assert_true(k == 0 || p.rows[k].exp > p.rows[k - 1].exp);
        for (size_t i = p.from[k]; i < p.from[k + 1]; i++) {
            assert_int_equal(p.of[p.at[i]], k);
            assert_false(seen[p.at[i]]);
            seen[p.at[i]] = true;
            assert_true(i == p.from[k] || p.at[i] > p.at[i - 1]);
        }
    }
    wi_places_release(&p);
}

static void no_rows_have_no_place(void **state)
{
    struct wi_places p = {0};

    (void)state;
    assert_int_equal(wi_places_init(&p, NULL, 0, NULL), WI_OK);
    assert_int_equal(p.n, 0);
    assert_int_equal(p.from[0], 0);
    wi_places_release(&p);
}

/* Temperatures a hair apart make every row a place of its own. Which of nearly equal rows become
 * inducing ones then differs, which is what the tolerance is for: 0.001 points. */
static void rows_count_the_same_together_and_apart(void **state)
{
    static struct wi_row rows[N_ROWS], apart[N_ROWS], q[40];
    struct wi_moments a[40], b[40];
    struct wi_gp together = {0}, single = {0};
    struct wi_places p = {0};
    struct wi_fit *fit = NULL;
    const struct wi_kernel *kernel = &wi_kernel_th;
    double t[4 * WI_PAR_MAX];

    (void)state;
    make_rows(rows, 2);
    memcpy(apart, rows, sizeof(rows));
    for (size_t i = 0; i < N_ROWS; i++)
        apart[i].temp_c[1] += 1e-11 * (double)(i + 1);
    assert_int_equal(wi_places_init(&p, apart, N_ROWS, NULL), WI_OK);
    assert_int_equal(p.n, N_ROWS);
    wi_places_release(&p);
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &fit, NULL), WI_OK);
    for (size_t c = 0; c < 4; c++)
        memcpy(t + c * kernel->n_par, fit->group[WI_GROUP_TH].cloud[c], kernel->n_par * sizeof(*t));
    assert_int_equal(wi_gp_init(&together, kernel, rows, N_ROWS, t, 4, NULL), WI_OK);
    assert_int_equal(wi_gp_init(&single, kernel, apart, N_ROWS, t, 4, NULL), WI_OK);
    assert_true(together.sparse && single.sparse);
    for (size_t i = 0; i < 40; i++) {
        q[i] = rows[i * 20];
        q[i].temp_c[1] += 0.7; /* no measured step */
        if (i % 2)
            q[i].vendor = q[i].device = WI_NONE_ID;
    }
    assert_int_equal(wi_gp_predict(&together, q, 40, a, NULL, 0, NULL), WI_OK);
    assert_int_equal(wi_gp_predict(&single, q, 40, b, NULL, 0, NULL), WI_OK);
    for (size_t i = 0; i < 40; i++) {
        assert_near(a[i].mean, b[i].mean, 1e-5);
        assert_near(a[i].var, b[i].var, 1e-5 * b[i].prior_var);
    }
    wi_gp_release(&together);
    wi_gp_release(&single);
    wi_fit_free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_a_comparison_of_all_pairs),
        cmocka_unit_test(no_rows_have_no_place),
        cmocka_unit_test(rows_count_the_same_together_and_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

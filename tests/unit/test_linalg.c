/*
 * Small systems whose solutions are known in closed form, and the identities of each factorisation.
 */
#include "evidence_data.h"

#include "core/linalg.h"
#include "core/normal.h"
#include "core/score.h"

static void cholesky_of_a_known_matrix(void **state)
{
    /* A = L L' with L = [2 0 0; 6 1 0; -8 5 3], a textbook example */
    double a[9] = {4, 12, -16, 12, 37, -43, -16, -43, 98};
    static const double l[9] = {2, 0, 0, 6, 1, 0, -8, 5, 3};
    double x[3] = {4, 12, -16};
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_linalg_cholesky(a, 3, &err), WI_OK);
    for (size_t i = 0; i < 9; i++)
        assert_near(a[i], l[i], 1e-12);
    wi_linalg_solve_lower(a, 3, x, 1); /* the first column of A: A e1, so x becomes L' e1 */
    assert_near(x[0], 2, 1e-12);
    assert_near(x[1], 0, 1e-12);
    wi_linalg_solve_lower_t(a, 3, x, 1);
    assert_near(x[0], 1, 1e-12);
    assert_near(x[1], 0, 1e-12);
    assert_near(x[2], 0, 1e-12);
    assert_int_equal(wi_linalg_invert_from_cholesky(a, 3, &err), WI_OK);
    assert_near(a[0], 1777.0 / 36, 1e-9); /* A^-1, published with the example */
    assert_near(a[1], -122.0 / 9, 1e-9);
    assert_near(a[8], 1.0 / 9, 1e-9);
}

static void a_matrix_that_is_not_positive_definite_is_refused(void **state)
{
    double a[4] = {1, 2, 2, 1}, zero[1] = {0};
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_linalg_cholesky(a, 2, &err), WI_ENUMERIC);
    assert_int_equal(wi_linalg_invert_lower(zero, 1, &err), WI_ENUMERIC);
    assert_int_equal(wi_linalg_cholesky(NULL, 0, &err), WI_OK);
}

static void products_follow_the_rows(void **state)
{
    static const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12};
    static const double ab[4] = {58, 64, 139, 154}, aat[4] = {14, 32, 32, 77};
    static const double ata[9] = {17, 22, 27, 22, 29, 36, 27, 36, 45};
    double c[9], y[3], x[3] = {1, 0, -1};

    (void)state;
    wi_linalg_mul(a, b, c, 2, 2, 3);
    assert_memory_equal(c, ab, sizeof(ab));
    wi_linalg_mul_bt(a, a, c, 2, 2, 3);
    assert_memory_equal(c, aat, sizeof(aat));
    wi_linalg_mul_at(a, a, c, 3, 3, 2);
    assert_memory_equal(c, ata, sizeof(ata));
    wi_linalg_mul_vec(a, 2, 3, x, y);
    assert_true(y[0] == -2 && y[1] == -2);
    wi_linalg_mul_vec_t(a, 2, 3, x, y);
    assert_true(y[0] == 1 && y[1] == 2 && y[2] == 3);
}

static void eigenvalues_and_singular_values(void **state)
{
    double a[4] = {2, 1, 1, 2}, w[2];
    double m[6] = {3, 2, 2, 2, 3, -2}, s[2], u[4], vt[6]; /* singular values 5 and 3 */
    static const double copy[6] = {3, 2, 2, 2, 3, -2};
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_linalg_eigen_sym(a, 2, w, &err), WI_OK);
    assert_near(w[0], 1, 1e-12);
    assert_near(w[1], 3, 1e-12);
    assert_near(fabs(a[2]), sqrt(0.5), 1e-12); /* the second vector is (1, 1) / sqrt 2 */
    assert_near(a[2], a[3], 1e-12);
    assert_int_equal(wi_linalg_svd(m, 2, 3, s, u, vt, &err), WI_OK);
    assert_near(s[0], 5, 1e-12);
    assert_near(s[1], 3, 1e-12);
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++)
            assert_near(u[i * 2] * s[0] * vt[j] + u[i * 2 + 1] * s[1] * vt[3 + j], copy[i * 3 + j],
                        1e-12);
    }
}

/* Worked by hand: errors 1, -2, 0 of truths 10, -4, 1; the second truth lies 1 below its interval.
 */
static void scores_of_three_cases(void **state)
{
    static const double y[] = {10, -4, 1}, p[] = {11, -6, 1}, lo[] = {8, -3, 0}, hi[] = {14, 0, 2};
    struct wi_scores s;

    (void)state;
    wi_scores_eval(3, y, p, lo, hi, 0.9, &s);
    assert_near(s.mae_points, 1, 1e-12);
    assert_near(s.rel_mse_pct, 100 * 5.0 / 117, 1e-9);
    assert_near(s.sign_right_pct, 100, 0); /* 1 is within 1.5 points and has no sign */
    assert_near(s.coverage_pct, 200.0 / 3, 1e-9);
    assert_near(s.interval_score, (6 + 3 + 20 * 1 + 2) / 3.0, 1e-9);
    wi_scores_eval(0, y, p, lo, hi, 0.9, &s);
    assert_true(isnan(s.mae_points));
}

static void quantiles_are_linear_between_order_statistics(void **state)
{
    double x[] = {4, 1, 3, 2};

    (void)state;
    assert_near(wi_quantile_sort(x, 4, 0.5), 2.5, 1e-12);
    assert_near(wi_quantile_sort(x, 4, 0.9), 3.7, 1e-12);
    assert_near(wi_quantile_sort(x, 4, 1), 4, 0);
    assert_true(isnan(wi_quantile_sort(x, 0, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_of_a_known_matrix),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused),
        cmocka_unit_test(products_follow_the_rows),
        cmocka_unit_test(eigenvalues_and_singular_values),
        cmocka_unit_test(scores_of_three_cases),
        cmocka_unit_test(quantiles_are_linear_between_order_statistics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

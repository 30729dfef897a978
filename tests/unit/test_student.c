/* The incomplete beta function and Student's quantiles against fractions and printed tables. */
#include "unit.h"
#include "near.h"

#include <math.h>

#include "core/beta.h"
#include "core/student.h"

/* By hand: I_x(1, 1) = x, I_x(2, 3) = 6 x^2 - 8 x^3 + 3 x^4. */
static void the_incomplete_beta_matches_polynomials(void **state)
{
    (void)state;
    assert_near(wi_beta_inc(2.0, 3.0, 0.5), 0.6875, 1e-14);
    assert_near(wi_beta_inc(1.0, 1.0, 0.3), 0.3, 1e-14);
    assert_near(wi_beta_inc(2.0, 3.0, 0.0), 0.0, 0.0);
    assert_near(wi_beta_inc(2.0, 3.0, 1.0), 1.0, 0.0);
}

static void quantiles_are_those_of_the_printed_tables(void **state)
{
    static const struct {
        double dof, p, t, error; /* half of the last digit that is printed */
    } rows[] = {{1, 0.95, 6.313752, 1e-6},  {2, 0.95, 2.919986, 1e-6}, {4, 0.95, 2.131847, 1e-6},
                {30, 0.95, 1.697261, 1e-6}, {5, 0.75, 0.727, 5e-4},    {5, 0.95, 2.015, 5e-4},
                {5, 0.975, 2.571, 5e-4},    {5, 0.995, 4.032, 5e-4},   {5, 0.9995, 6.869, 5e-4},
                {7, 0.995, 3.499, 5e-4},    {120, 0.9995, 3.373, 5e-4}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_near(wi_student_quantile(rows[i].p, rows[i].dof), rows[i].t, rows[i].error);
        assert_near(wi_student_quantile(1 - rows[i].p, rows[i].dof), -rows[i].t, rows[i].error);
    }
    assert_near(wi_student_quantile(0.5, 5.0), 0.0, 1e-12);
    assert_near(wi_student_quantile(0.5, 3.0), 0.0, 1e-12);
}

/* Five degrees have a way of their own, the neighbouring double has not. */
static void the_closed_form_agrees_with_the_general_way(void **state)
{
    static const double p[] = {0.01, 0.25, 0.6, 0.9, 0.95, 0.99, 0.9995, 1 - 1e-6};

    (void)state;
    for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
        double general = wi_student_quantile(p[i], nextafter(5.0, 6.0));

        assert_near(wi_student_quantile(p[i], 5.0) / general, 1.0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_incomplete_beta_matches_polynomials),
        cmocka_unit_test(quantiles_are_those_of_the_printed_tables),
        cmocka_unit_test(the_closed_form_agrees_with_the_general_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

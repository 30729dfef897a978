/*
 * Interval likelihood: with one interval row expectation propagation is exact, so its posterior is
 * compared with numerical integration.
 */
#include "evidence_data.h"

#include "core/gp.h"
#include "core/normal.h"

struct moments {
    double mean, var;
};

/* Posterior of f ~ N(0, k) given low < f + e < high, e ~ N(0, s2), by the trapezoid rule. */
static struct moments integrate(double k, double s2, double low, double high)
{
    const size_t n = 200000;
    double range = 12 * sqrt(k), z = 0, m = 0, v = 0;

    for (size_t i = 0; i <= n; i++) {
        double f = -range + 2 * range * (double)i / (double)n;
        double p = exp(-0.5 * f * f / k) *
                   (wi_gauss_cdf((high - f) / sqrt(s2)) - wi_gauss_cdf((low - f) / sqrt(s2)));

        z += p;
        m += p * f;
        v += p * f * f;
    }
    return (struct moments){m / z, v / z - m / z * m / z};
}

static void one_interval_is_exact(void **state)
{
    static const double cases[][4] = {/* k, s2, low, high */
                                      {0.04, 1e-4, 0.0, 0.2},  {0.04, 1e-3, -0.01, 0.01},
                                      {0.01, 1e-4, 0.05, 0.5}, {0.01, 1e-3, -0.7, 0.0},
                                      {0.04, 4e-4, 0.3, 0.4},  {0.04, 1e-3, -5.0, 5.0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double *c = cases[i];
        struct wi_row row = {.interval = true, .z_low = c[2], .z_high = c[3], .err_var = c[1]};
        double noise = 0, z = 0.5 * (c[2] + c[3]), var = wi_row_err_var(&row);
        struct moments want = integrate(c[0], c[1], c[2], c[3]);
        struct wi_err err;

        assert_int_equal(wi_sites_fit(&row, 1, &c[0], &noise, &z, &var, &err), WI_OK);
        assert_near(c[0] / (c[0] + var) * z, want.mean, 1e-6 * sqrt(c[0]));
        assert_near(c[0] * var / (c[0] + var), want.var, 1e-5 * c[0]);
    }
}

/* A figure far outside of an interval: the sites stay finite and lie between. */
static void a_contradiction_has_a_defined_answer(void **state)
{
    struct wi_row rows[2] = {{.z = 3.0, .err_var = 1e-4},
                             {.interval = true, .z_low = 0, .z_high = 0.1, .err_var = 1e-4}};
    double k[4] = {0.04, 0.039999, 0.039999, 0.04}, noise[2] = {1e-6, 1e-6};
    double z[2] = {3.0, 0.05}, var[2] = {1e-4, wi_row_err_var(&rows[1])};
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_sites_fit(rows, 2, k, noise, z, var, &err), WI_OK);
    assert_true(z[0] == 3.0 && var[0] == 1e-4);
    assert_true(isfinite(z[1]) && isfinite(var[1]) && var[1] > 0);
    assert_true(z[1] < 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_interval_is_exact),
        cmocka_unit_test(a_contradiction_has_a_defined_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

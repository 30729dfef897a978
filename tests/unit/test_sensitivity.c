#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/design.h"
#include "core/sensitivity.h"

#define N 8192
#define D_MAX 3

typedef double (*model_fn)(const double *u);

/* Ishigami & Homma 1990 with a = 7, b = 0.1; inputs uniform on -pi..pi. */
static double ishigami(const double *u)
{
    double x[3];

    for (size_t i = 0; i < 3; i++)
        x[i] = M_PI * (2.0 * u[i] - 1.0);
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
}

static double additive(const double *u)
{
    return 1000.0 + 3.0 * u[0] + 4.0 * u[1];
}
static double constant(const double *u)
{
    (void)u;
    return 5.0;
}

static void indices_of(model_fn model, size_t d, struct wi_sobol_indices *out)
{
    struct wi_design design = {.kind = WI_DESIGN_SOBOL, .n_factors = 2 * d, .n = N, .seed = 3};
    double *f = calloc((d + 2) * N, sizeof(*f));

    assert_non_null(f);
    assert_int_equal(wi_design_init(&design, NULL), WI_OK);
    for (uint64_t i = 0; i < N; i++) {
        double u[2 * D_MAX];

        wi_design_point(&design, i, u);
        f[i] = model(u);
        f[N + i] = model(u + d);
        for (size_t k = 0; k < d; k++) {
            double keep = u[k];

            u[k] = u[d + k];
            f[(2 + k) * N + i] = model(u);
            u[k] = keep;
        }
    }
    assert_int_equal(wi_sobol_indices(N, d, f, f + N, f + 2 * N, 200, 0.95, 1, out, NULL), WI_OK);
    free(f);
}

/* Analytic: V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2, V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8,
 * V13 = b^2 pi^8 (1/18 - 1/50). */
static void ishigamis_indices_are_the_analytic_ones(void **state)
{
    const double b = 0.1;
    const double pi4 = pow(M_PI, 4.0);
    const double v1 = pow(1.0 + b * pi4 / 5.0, 2.0) / 2.0;
    const double v2 = 49.0 / 8.0;
    const double v13 = b * b * pi4 * pi4 * (1.0 / 18.0 - 1.0 / 50.0);
    const double v = v1 + v2 + v13;
    const double first[] = {v1 / v, v2 / v, 0.0};
    const double total[] = {(v1 + v13) / v, v2 / v, v13 / v};
    struct wi_sobol_indices got[D_MAX];

    (void)state;
    indices_of(ishigami, 3, got);
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(got[i].first.value - first[i]) < 0.01);
        assert_true(fabs(got[i].total.value - total[i]) < 0.01);
        assert_true(got[i].first.low <= first[i] && first[i] <= got[i].first.high);
        assert_true(got[i].total.low <= total[i] && total[i] <= got[i].total.high);
        assert_true(got[i].first.high - got[i].first.low < 0.1);
    }
}

/* Var = 9/12 + 16/12: shares 9/25 and 16/25, no interaction, whatever the mean. */
static void an_additive_model_has_no_interactions(void **state)
{
    struct wi_sobol_indices got[D_MAX];

    (void)state;
    indices_of(additive, 2, got);
    assert_true(fabs(got[0].first.value - 0.36) < 0.003);
    assert_true(fabs(got[1].first.value - 0.64) < 0.003);
    assert_true(fabs(got[0].total.value - got[0].first.value) < 0.003);
}

static void what_does_not_vary_has_no_indices(void **state)
{
    struct wi_sobol_indices got[D_MAX];

    (void)state;
    indices_of(constant, 2, got);
    assert_true(isnan(got[0].first.value) && isnan(got[1].total.value));
    assert_true(isnan(got[0].first.low));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ishigamis_indices_are_the_analytic_ones),
        cmocka_unit_test(an_additive_model_has_no_interactions),
        cmocka_unit_test(what_does_not_vary_has_no_indices)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

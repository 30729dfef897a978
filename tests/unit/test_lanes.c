/*
 * Four doubles at a time: against the C library, and the same bits for any machine and for AVX2.
 */
#include "unit.h"

#include "core/lanes.h"
#include "core/normal.h"

struct four {
    double expm1[WI_LANES], exp[WI_LANES], cdf[WI_LANES], pdf[WI_LANES];
};

WI_LANES_INLINE void all_functions(const double *x, struct four *out)
{
    wi_lanes at = wi_lanes_load(x), cdf, pdf;

    wi_lanes_normal(at, &cdf, &pdf);
    wi_lanes_store(out->expm1, wi_lanes_expm1(at));
    wi_lanes_store(out->exp, wi_lanes_exp(at));
    wi_lanes_store(out->cdf, cdf);
    wi_lanes_store(out->pdf, pdf);
}

static void portable(const double *x, struct four *out)
{
    all_functions(x, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void avx2(const double *x, struct four *out)
{
    all_functions(x, out);
}
#endif

static void near(double got, double want, double relative, double absolute)
{
    if (!(fabs(got - want) <= relative * fabs(want) + absolute))
        fail_msg("%.17g, expected %.17g", got, want);
}

static void lanes_agree_with_the_c_library(void **state)
{
    (void)state;
    for (double x = -30.0; x <= 30.0; x += 0.00137) {
        double at[WI_LANES] = {x, -x, 1e-3 * x, 20.0 * x};
        struct four out;

        portable(at, &out);
        for (size_t i = 0; i < WI_LANES; i++) {
            near(out.exp[i], exp(at[i]), 1e-15, 0.0);
            near(out.expm1[i], expm1(at[i]), 2e-15, 0.0);
            near(out.cdf[i], wi_gauss_cdf(at[i]), 0.0, 1e-15);
            near(out.pdf[i], wi_gauss_pdf(at[i]), 1e-13, 1e-297);
        }
    }
}

static void lanes_hold_at_the_ends(void **state)
{
    const double at[WI_LANES] = {0.0, 1e4, -1e4, 1e-300};
    struct four out;

    (void)state;
    portable(at, &out);
    assert_true(out.exp[0] == 1.0 && out.expm1[0] == 0.0 && out.cdf[0] == 0.5);
    assert_true(isfinite(out.exp[1]) && out.exp[1] > 1e300 && out.cdf[1] == 1.0);
    assert_true(out.exp[2] > 0.0 && out.exp[2] < 1e-300 && out.expm1[2] == -1.0);
    assert_true(out.cdf[2] >= 0.0 && out.cdf[2] < 1e-297);
    assert_true(out.expm1[3] == 1e-300);
}

static void lanes_are_the_same_bits_on_any_machine(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (double x = -45.0; x <= 45.0; x += 0.0173) {
        double at[WI_LANES] = {x, 0.3 * x, -7.0 * x, x * x};
        struct four a, b;

        portable(at, &a);
        avx2(at, &b);
        assert_memory_equal(&a, &b, sizeof(a));
    }
#else
    skip();
#endif
}

/* Where a lane stands does not matter, nor who its neighbours are. */
static void a_lane_does_not_see_its_neighbours(void **state)
{
    (void)state;
    for (double x = -3.0; x <= 3.0; x += 0.01) {
        double at[WI_LANES] = {x, 1.0, 2.0, 3.0}, turned[WI_LANES] = {-700.0, 5.0, x, x};
        struct four a, b;

        portable(at, &a);
        portable(turned, &b);
        assert_true(a.expm1[0] == b.expm1[2] && a.expm1[0] == b.expm1[3]);
        assert_true(a.cdf[0] == b.cdf[2] && a.pdf[0] == b.pdf[3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_agree_with_the_c_library),
                                       cmocka_unit_test(lanes_hold_at_the_ends),
                                       cmocka_unit_test(lanes_are_the_same_bits_on_any_machine),
                                       cmocka_unit_test(a_lane_does_not_see_its_neighbours)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

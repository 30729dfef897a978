#include "unit.h"
#include "near.h"

#include <math.h>

#include "experiments/order_stat.h"

static void binomials_match_exact_fractions(void **state)
{
    /* Sums of binomial terms in exact fractions (Python's fractions). */
    (void)state;
    assert_near(wi_binomial_cdf(3.0, 10.0, 0.25), 0.7758750915527344, 1e-13);
    assert_near(wi_binomial_cdf(985.0, 1000.0, 0.99), 0.08241231951608875, 1e-12);
    assert_near(wi_binomial_cdf(-1.0, 10.0, 0.25), 0.0, 0.0);
    assert_near(wi_binomial_cdf(10.0, 10.0, 0.25), 1.0, 0.0);
}

static void ranks_match_exact_fractions(void **state)
{
    /* Smallest and largest ranks with tails <= 0.05, by exact fractions (Python's fractions). */
    static const struct {
        double n, p, lower, upper;
        bool supported;
    } rows[] = {{60, 0.9, 50, 59, true},      {299, 0.99, 293, 299, true},
                {298, 0.99, 292, 299, false}, {512, 0.99, 503, 511, true},
                {1000, 0.95, 938, 962, true}, {30, 0.5, 11, 20, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double lower;
        double upper;
        bool ok = wi_order_ranks(rows[i].n, rows[i].p, 0.9, &lower, &upper);

        assert_int_equal(ok, rows[i].supported);
        assert_near(lower, rows[i].lower, 0.0);
        assert_near(upper, rows[i].upper, 0.0);
    }
}

static void samples_needed_is_where_support_begins(void **state)
{
    /* ln 0.05 / ln p: 299 for 0.99, 2,995 for 0.999, 29,956 for 0.9999 */
    static const double rows[][2] = {{0.99, 299}, {0.999, 2995}, {0.9999, 29956}};
    double lower;
    double upper;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_near(wi_order_samples_needed(rows[i][0], 0.9), rows[i][1], 0.0);
        assert_true(wi_order_ranks(rows[i][1], rows[i][0], 0.9, &lower, &upper));
        assert_false(wi_order_ranks(rows[i][1] - 1, rows[i][0], 0.9, &lower, &upper));
    }
}

static void a_thousand_million_samples_agree_with_the_normal_limit(void **state)
{
    double n = 1e9;
    double sd = sqrt(n * 0.999 * 0.001);
    double lower;
    double upper;

    (void)state;
    assert_true(wi_order_ranks(n, 0.999, 0.9, &lower, &upper));
    assert_near(lower, n * 0.999 - 1.6448536 * sd, 3.0);
    assert_near(upper, n * 0.999 + 1.6448536 * sd, 3.0);
}

static void no_sample_supports_nothing(void **state)
{
    double lower;
    double upper;

    (void)state;
    assert_false(wi_order_ranks(0.0, 0.99, 0.9, &lower, &upper));
    assert_false(wi_order_ranks(NAN, 0.99, 0.9, &lower, &upper));
    assert_false(wi_order_ranks(100.0, 1.0, 0.9, &lower, &upper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binomials_match_exact_fractions),
        cmocka_unit_test(ranks_match_exact_fractions),
        cmocka_unit_test(samples_needed_is_where_support_begins),
        cmocka_unit_test(a_thousand_million_samples_agree_with_the_normal_limit),
        cmocka_unit_test(no_sample_supports_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/random.h"

/* printf is the reference: 4 decimals may differ from it by the last place where v * 10^4 is a tie
 * that the product's rounding moved. */
static void four_decimals_are_printfs(void **state)
{
    static const double cases[] = {0.0,      1.0,     -1.0,     0.00004,  0.00006, -0.00006,
                                   99.99995, -99.999, 123456.5, 12.34565, 0.5,     -0.0};
    struct wi_random r = {.state = 7};

    (void)state;
    for (size_t i = 0; i < 200000; i++) {
        double v = i < sizeof(cases) / sizeof(cases[0])
                       ? cases[i]
                       : (wi_random_uniform(&r) - 0.5) * pow(10.0, 6.0 * wi_random_uniform(&r));
        char got[WI_DECIMAL_MAX + 1];
        char want[64];

        got[wi_decimal_fixed4(v, got)] = '\0';
        snprintf(want, sizeof(want), "%.4f", v);
        if (strcmp(want, "-0.0000") == 0)
            memmove(want, want + 1, strlen(want));
        if (strcmp(got, want) != 0) {
            assert_true(fabs(strtod(got, NULL) - strtod(want, NULL)) < 1.01e-4);
            assert_true(fabs(fabs(v * 1e4 - floor(v * 1e4)) - 0.5) < 1e-5);
        }
    }
}

static void huge_numbers_keep_all_their_digits(void **state)
{
    static const double cases[] = {1e9, 1234567.25, -1234e18, 1.7e308};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char got[WI_DECIMAL_MAX + 1];

        got[wi_decimal_fixed4(cases[i], got)] = '\0';
        assert_true(strtod(got, NULL) == cases[i]);
    }
}

static void exact_numbers_read_back_the_same(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{22.5, "22.5"},   {20.3, "20.3"},       {0.0, "0"},
                 {-40.0, "-40"},   {99.9999, "99.9999"}, {1e-6, "0.000001"},
                 {1e6, "1000000"}, {-0.25, "-0.25"},     {1e12, "1000000000000"}};
    struct wi_random r = {.state = 8};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char got[WI_DECIMAL_MAX + 1];

        got[wi_decimal_exact(cases[i].value, got)] = '\0';
        assert_string_equal(got, cases[i].text);
    }
    for (size_t i = 0; i < 200000; i++) {
        double v = (wi_random_uniform(&r) - 0.5) * pow(10.0, 12.0 * wi_random_uniform(&r) - 3.0);
        char got[WI_DECIMAL_MAX + 1];
        size_t n;

        if (i % 2)
            v = wi_decimal_round6(v);
        n = wi_decimal_exact(v, got);
        got[n] = '\0';
        assert_true(strtod(got, NULL) == v);
        if (i % 2 && fabs(v) < 1e9 && strchr(got, '.'))
            assert_true(strlen(strchr(got, '.')) <= 7);
    }
}

static void counts_print_every_digit(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++) {
        char got[WI_DECIMAL_MAX + 1];
        char want[32];
        uint64_t v = UINT64_MAX >> bits;

        got[wi_decimal_count(v, got)] = '\0';
        snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
        assert_string_equal(got, want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(four_decimals_are_printfs),
                                              cmocka_unit_test(huge_numbers_keep_all_their_digits),
                                              cmocka_unit_test(exact_numbers_read_back_the_same),
                                              cmocka_unit_test(counts_print_every_digit)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit.h"

#include <math.h>

#include "core/root.h"

#define TOL 1e-9

struct probe {
    double (*f)(double);
    size_t n_calls;
};

static enum wi_status call(void *ctx, double x, double *y, struct wi_err *err)
{
    struct probe *p = ctx;

    (void)err;
    p->n_calls++;
    *y = p->f(x);
    return WI_OK;
}

static double cubic(double x)
{
    return x * x * x - x - 2.0;
}
static double steep(double x)
{
    return exp(x) - 1e6;
}
static double flat(double x)
{
    return pow(x - 0.3, 9.0);
}
static double lambert(double x)
{
    return x * exp(x) - 1.0;
}
static double step(double x)
{
    return x < 0.123 ? -1.0 : 1.0;
}

/* Closed forms; the root of x^3 - x - 2 and Omega (Lambert W(1)) from OEIS A263719 + A030178. */
static void itp_finds_the_root_within_two_steps_more_than_bisection(void **state)
{
    static const struct {
        double (*f)(double);
        double a, b, root;
    } cases[] = {{cubic, 1.0, 2.0, 1.5213797068045676},
                 {steep, 0.0, 100.0, 13.815510557964274},
                 {flat, -1.0, 2.0, 0.3},
                 {lambert, 0.0, 5.0, 0.5671432904097838},
                 {step, 0.0, 1.0, 0.123},
                 {cubic, 2.0, 1.0, 1.5213797068045676}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct probe p = {.f = cases[i].f};
        double a = cases[i].a;
        double b = cases[i].b;
        double x = NAN;

        assert_int_equal(wi_root_itp(call, &p, a, p.f(a), b, p.f(b), TOL, &x, NULL), WI_OK);
        assert_true(fabs(x - cases[i].root) <= TOL);
        assert_true((double)p.n_calls <= ceil(log2(fabs(b - a) / TOL)) + 2.0);
    }
}

static void smooth_roots_take_far_fewer_steps_than_bisection(void **state)
{
    struct probe p = {.f = lambert};
    double x;

    (void)state;
    assert_int_equal(wi_root_itp(call, &p, 0.0, -1.0, 5.0, lambert(5.0), TOL, &x, NULL), WI_OK);
    assert_true(p.n_calls <= 16); /* bisection: 33 */
}

static void without_a_sign_change_there_is_no_root(void **state)
{
    struct probe p = {.f = cubic};
    struct wi_err err = {0};
    double x;

    (void)state;
    assert_int_equal(wi_root_itp(call, &p, 2.0, 4.0, 3.0, 22.0, TOL, &x, &err), WI_ERANGE);
}

static double never(double x)
{
    return -1.0 - x * x;
}
static double wave(double x)
{
    return sin(x) - 0.5;
}
static double hill(double x)
{
    return 1.0 - (x - 5.05) * (x - 5.05) * 400.0; /* above 0 within 5.05 +- 0.05 */
}
static double high(double x)
{
    return 1.0 - x;
}
static double valley(double x)
{
    return (x - 5.05) * (x - 5.05) * 400.0 - 1.0;
}

static void the_first_crossing_is_found_where_curves_turn_back(void **state)
{
    static const struct {
        double (*f)(double);
        double from, to;
        bool found, start, back;
        double x, back_x;
    } cases[] = {{cubic, 0.0, 10.0, true, false, false, 1.5213797068045676, NAN},
                 {never, -5.0, 5.0, false, false, false, NAN, NAN},
                 {wave, 0.0, 10.0, true, false, true, 0.52359877559829887, 2.6179938779914944},
                 {hill, 0.0, 10.0, true, false, true, 5.0, 5.1},
                 {hill, 10.0, 0.0, true, false, true, 5.1, 5.0},
                 {high, 0.0, 10.0, true, true, true, 0.0, 1.0},
                 {high, 10.0, 0.0, true, false, false, 1.0, NAN},
                 {valley, 0.0, 10.0, true, true, true, 0.0, 5.0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct probe p = {.f = cases[i].f};
        struct wi_crossing c = {0};

        assert_int_equal(wi_root_first(call, &p, cases[i].from, cases[i].to, 50, 1e-7, &c, NULL),
                         WI_OK);
        assert_int_equal(c.found, cases[i].found);
        assert_int_equal(c.from_start, cases[i].start);
        assert_int_equal(c.back, cases[i].back);
        if (c.found)
            assert_true(fabs(c.x - cases[i].x) <= 1e-7);
        if (c.back)
            assert_true(fabs(c.back_x - cases[i].back_x) <= 1e-7);
    }
}

static enum wi_status failing(void *ctx, double x, double *y, struct wi_err *err)
{
    (void)ctx;
    *y = -1.0;
    return x > 0.5 ? wi_fail(err, WI_ENUMERIC, "no value at %g", x) : WI_OK;
}

static void a_failing_curve_stops_the_search(void **state)
{
    struct wi_crossing c = {0};
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_root_first(failing, NULL, 0.0, 1.0, 10, 1e-6, &c, &err), WI_ENUMERIC);
    assert_string_equal(err.msg, "no value at 0.6");
    assert_false(c.found);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(itp_finds_the_root_within_two_steps_more_than_bisection),
        cmocka_unit_test(smooth_roots_take_far_fewer_steps_than_bisection),
        cmocka_unit_test(without_a_sign_change_there_is_no_root),
        cmocka_unit_test(the_first_crossing_is_found_where_curves_turn_back),
        cmocka_unit_test(a_failing_curve_stops_the_search)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

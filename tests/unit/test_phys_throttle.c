/*
 * The thermal model against its closed form and against a small-step integration.
 */
#include "unit.h"

#include <math.h>

#include "core/phys_models.h"

static const struct wi_phys_thermal hot = {.ambient_c = 45,
                                           .r_k_w = 10,
                                           .c_j_k = 8,
                                           .full_w = 8,
                                           .light_w = 5,
                                           .heavy_w = 2,
                                           .tmt1_c = 77,
                                           .tmt2_c = 85,
                                           .hysteresis_k = 3};

static void the_temperature_follows_the_exponential(void **state)
{
    (void)state;
    for (double t = 0; t < 500; t += 7) {
        /* solution of C dT/dt = P - (T - Ta)/R from T0 */
        double expected = 95 + (25 - 95) * exp(-t / 80);

        assert_true(fabs(wi_phys_thermal_at_c(25, 35, 10, 8, 6, t) - expected) < 1e-12);
    }
}

static void a_cool_drive_never_throttles(void **state)
{
    struct wi_phys_thermal t = hot;
    struct wi_phys_thermal_result r;

    (void)state;
    t.ambient_c = -10;
    r = wi_phys_thermal_run(&t, 3600);
    assert_true(r.tmt1_s == 3600 && r.tmt2_s == 3600 && r.n_switches == 0);
    assert_true(r.mean_power_frac == 1.0 && r.light_frac == 0.0);
    assert_true(fabs(r.end_c - 70) < 1e-9);
}

/* Explicit Euler with the same rules: another method, so another answer if ours were wrong. */
static void euler(const struct wi_phys_thermal *t, double duration_s, double *end_c, double *frac)
{
    double temp = t->ambient_c, dt = 1e-3, energy = 0;
    int level = 0;

    for (double now = 0; now < duration_s; now += dt) {
        double p = level == 0 ? t->full_w : level == 1 ? t->light_w : t->heavy_w;

        energy += p * dt;
        temp += dt * (p - (temp - t->ambient_c) / t->r_k_w) / t->c_j_k;
        if (temp >= t->tmt2_c)
            level = 2;
        else if (temp >= t->tmt1_c && level == 0)
            level = 1;
        else if (level == 2 && temp <= t->tmt2_c - t->hysteresis_k)
            level = 1;
        else if (level == 1 && temp <= t->tmt1_c - t->hysteresis_k)
            level = 0;
    }
    *end_c = temp;
    *frac = energy / duration_s / t->full_w;
}

static void event_by_event_agrees_with_small_steps(void **state)
{
    static const double ambient[] = {-10, 20, 35, 45, 60, 70};

    (void)state;
    for (size_t i = 0; i < sizeof(ambient) / sizeof(ambient[0]); i++) {
        struct wi_phys_thermal t = hot;
        struct wi_phys_thermal_result r;
        double end_c, frac;

        t.ambient_c = ambient[i];
        r = wi_phys_thermal_run(&t, 900);
        euler(&t, 900, &end_c, &frac);
        assert_true(fabs(r.mean_power_frac - frac) < 2e-3);
        assert_true(fabs(r.end_c - end_c) < 0.5);
    }
}

static void hysteresis_holds_a_state_until_it_has_cooled(void **state)
{
    struct wi_phys_thermal t = hot;
    struct wi_phys_thermal_result narrow, wide;

    (void)state;
    t.ambient_c = 20; /* full: 100 C, light: 70 C, so it saws between TMT1 and TMT1 - h */
    t.hysteresis_k = 1;
    narrow = wi_phys_thermal_run(&t, 3600);
    t.hysteresis_k = 5;
    wide = wi_phys_thermal_run(&t, 3600);
    assert_true(narrow.n_switches > wide.n_switches && wide.n_switches >= 4);
    assert_true(narrow.peak_c == 77 && wide.peak_c == 77);
    assert_true(wide.end_c >= 72 && wide.end_c <= 77);
    assert_true(wide.tmt2_s == 3600);
    /* first crossing in closed form: tau ln((100-20)/(100-77)) */
    assert_true(fabs(wide.tmt1_s - 80 * log(80.0 / 23.0)) < 1e-9);
}

static void speed_never_rises_with_the_air(void **state)
{
    double last = 1.0;

    (void)state;
    for (double c = -20; c <= 90; c += 0.5) {
        struct wi_phys_thermal t = hot;
        struct wi_phys_thermal_result r;

        t.ambient_c = c;
        r = wi_phys_thermal_run(&t, 36000);
        assert_true(r.mean_power_frac <= last + 2e-3);
        assert_true(fabs(r.light_frac + r.heavy_frac) <= 1.0 + 1e-12);
        last = r.mean_power_frac;
    }
    assert_true(last < 0.3);
}

static void a_start_above_the_thresholds_throttles_at_once(void **state)
{
    struct wi_phys_thermal t = hot;
    struct wi_phys_thermal_result r;

    (void)state;
    t.ambient_c = 100;
    r = wi_phys_thermal_run(&t, 100);
    assert_true(r.tmt1_s == 0 && r.tmt2_s == 0 && r.heavy_frac == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_temperature_follows_the_exponential),
        cmocka_unit_test(a_cool_drive_never_throttles),
        cmocka_unit_test(event_by_event_agrees_with_small_steps),
        cmocka_unit_test(hysteresis_holds_a_state_until_it_has_cooled),
        cmocka_unit_test(speed_never_rises_with_the_air),
        cmocka_unit_test(a_start_above_the_thresholds_throttles_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

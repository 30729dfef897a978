/*
 * The figures of data/ against figures typed by hand from the publications.
 */
#include "unit.h"

#include "data_all.h"

static void the_steps_are_those_of_the_facts(void **state)
{
    /* typed from the published conditions; NaN = no such step or range */
    static const struct {
        const char *id;
        double before_c, before_rh, during_c, during_rh, after_c, after_rh, low_c, high_c, low_rh,
            high_rh;
        const char *assumed;
    } rows[] = {
        {"DATE22-1-TLC", 22.5, 50, 60, 50, NAN, NAN, 22.5, 60, 20, 80, "0"},
        {"DATE22-1-MLC", 22.5, 50, 60, 50, NAN, NAN, 22.5, 60, 20, 80, "0"},
        {"DATE22-2-TLC", 22.5, 50, 50, 50, NAN, NAN, NAN, NAN, NAN, NAN, "1"},
        {"DATE22-3-MLC", 22.5, 50, 60, 50, NAN, NAN, NAN, NAN, NAN, NAN, "1"},
        {"DATE22-4-MLC", 60, 80, 60, 50, NAN, NAN, NAN, NAN, NAN, NAN, "0"},
        {"DATE22-5-TLC", 60, 20, 60, 50, NAN, NAN, NAN, NAN, NAN, NAN, "0"},
        {"DATE22-6-TLC", 60, 50, 22.5, 50, NAN, NAN, NAN, NAN, NAN, NAN, "1"},
        {"DATE22-7-MLC", 60, 50, 60, 80, 60, 50, NAN, NAN, NAN, NAN, "0"},
        {"DATE22-8-TLC", 22.5, 50, 50, 50, 22.5, 50, NAN, NAN, NAN, NAN, "0"},
        {"DATE22-9-any", 60, 50, 60, 80, 60, 50, NAN, NAN, NAN, NAN, "1"},
        {"DAC19-A-parallel-post", 22.5, 50, 22.5, 50, 22.5, 50, NAN, NAN, NAN, NAN, "0"},
        {"DAC19-C-none-long_term", 22.5, 50, 22.5, 50, NAN, NAN, NAN, NAN, NAN, NAN, "0"},
    };
    static const char *const columns[] = {
        "before_temp_c", "before_rh_pct", "during_temp_c", "during_rh_pct", "after_temp_c",
        "after_rh_pct",  "temp_low_c",    "temp_high_c",   "rh_low_pct",    "rh_high_pct"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double want[] = {rows[i].before_c,  rows[i].before_rh, rows[i].during_c,
                               rows[i].during_rh, rows[i].after_c,   rows[i].after_rh,
                               rows[i].low_c,     rows[i].high_c,    rows[i].low_rh,
                               rows[i].high_rh};
        size_t row = find_row(&data.exps, "id", rows[i].id);

        assert_in_range(row, 0, data.exps.n_rows - 1);
        for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
            double have = number(&data.exps, row, columns[c], -1e3, 1e3);

            if (isnan(have) != isnan(want[c]) || fabs(have - want[c]) > 0)
                fail_msg("%s: %s is %g, must be %g", rows[i].id, columns[c], have, want[c]);
        }
        assert_string_equal(cell(&data.exps, row, "states_assumed"), rows[i].assumed);
    }
}

/* Typed from the published figures: six percentiles, 0 where no bar is visible in the long term. */
static void the_vibration_tails_are_those_of_the_figures(void **state)
{
    static const char *const percentiles[] = {"99", "99.9", "99.99", "99.999", "99.9999", "100"};
    static const struct {
        const char *exp, *op;
        double change_pct[6];
    } rows[] = {
        {"A-parallel-running", "read", {0, -0.8, 0, 1.4, 1.4, 0.6}},
        {"B-parallel-running", "read", {-0.6, -1.1, 0.3, -1.4, -0.3, -2.2}},
        {"C-parallel-running", "read", {-0.3, -0.3, 1.1, 1.9, 0.6, 3.6}},
        {"A-perpendicular-running", "read", {0, 0, -0.8, -1.1, 12.3, 31.7}},
        {"B-perpendicular-running", "read", {1.1, 1.4, 2.0, 7.9, 15.1, 11.5}},
        {"C-perpendicular-running", "read", {0, -0.3, 0, 2.5, -3.9, 8.6}},
        {"A-parallel-running", "write", {0, -0.5, 0.3, 1.6, 4.7, 0.3}},
        {"B-parallel-running", "write", {-0.5, -1.6, -0.3, 1.0, 5.2, 0.5}},
        {"C-parallel-running", "write", {0, 0.8, -0.3, 4.1, 7.2, 8.3}},
        {"A-perpendicular-running", "write", {3.9, -1.0, 1.8, 0.5, -1.3, 19.4}},
        {"B-perpendicular-running", "write", {1.0, 1.0, 0.8, 4.7, 31.8, 16.7}},
        {"C-perpendicular-running", "write", {-0.3, 0.8, 2.3, 0, 15.3, 17.1}},
        {"A-parallel-post", "read", {0, 0.5, 0.9, 0.4, 0.4, 19.8}},
        {"B-parallel-post", "read", {0.4, 0.5, 3.2, 2.3, 2.2, -2.5}},
        {"C-parallel-post", "read", {-0.4, 0.2, 2.2, 2.2, -1.3, 2.7}},
        {"A-perpendicular-post", "read", {0, -0.5, -0.9, -1.8, -1.1, -0.4}},
        {"B-perpendicular-post", "read", {0.5, -0.4, 0, 0.9, 1.3, -2.2}},
        {"C-perpendicular-post", "read", {0, -0.4, -0.4, -3.3, -1.5, -1.8}},
        {"A-parallel-post", "write", {0, 0.2, 0, 2.0, 14.8, 13.6}},
        {"B-parallel-post", "write", {0.4, 0.9, 2.1, 1.9, 1.8, -2.5}},
        {"C-parallel-post", "write", {0, 1.4, 0.4, -1.1, 5.9, 5.2}},
        {"A-perpendicular-post", "write", {1.2, -0.2, 2.1, -0.2, -1.6, -4.1}},
        {"B-perpendicular-post", "write", {0.5, -0.2, -0.4, 1.9, -0.2, -3.3}},
        {"C-perpendicular-post", "write", {-0.4, -0.4, -0.7, -7.9, -0.2, -0.5}},
        {"A-parallel-long_term", "read", {0, 0, 0, 0, 0, 3.1}},
        {"B-parallel-long_term", "read", {7.8, 30.3, 42.7, 41.9, 44.2, 32.6}},
        {"C-parallel-long_term", "read", {23.3, 26.4, 27.9, 33.4, 38.0, 51.2}},
        {"A-perpendicular-long_term", "read", {0, 0, 0, 0, 0, 0}},
        {"B-perpendicular-long_term", "read", {0, 0, 0, -2.3, -10.1, -9.3}},
        {"C-perpendicular-long_term", "read", {7.8, 6.2, 3.9, 0, -5.4, -9.3}},
        {"A-parallel-long_term", "write", {0, 0, 0, 0, 3.7, 8.6}},
        {"B-parallel-long_term", "write", {6.7, 18.4, 30.0, 31.8, 30.6, 28.2}},
        {"C-parallel-long_term", "write", {23.3, 27.6, 26.9, 40.4, 35.5, 34.9}},
        {"A-perpendicular-long_term", "write", {0, 0, 3.1, 0, 5.5, 5.5}},
        {"B-perpendicular-long_term", "write", {0, 0, 0, -3.1, -4.3, -8.0}},
        {"C-perpendicular-long_term", "write", {8.0, 7.3, 6.1, -1.8, 4.9, 4.9}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool long_term = strstr(rows[i].exp, "long_term") != NULL;
        char exp[WI_ID_MAX];

        snprintf(exp, sizeof(exp), "DAC19-%s", rows[i].exp);
        for (size_t p = 0; p < 6; p++) {
            size_t row =
                one_observation(exp, rows[i].op, "tail_latency", percentiles[p], "", false);
            double want = rows[i].change_pct[p];
            bool unseen = long_term && want == 0.0;

            if (fabs(need_number(&data.obs, row, "change_pct", -100, 100) - want) > 1e-9)
                ROW_FAIL(&data.obs, row, "must be %g", want);
            assert_string_equal(cell(&data.obs, row, "kind"), unseen ? "too_small" : "value");
            assert_string_equal(cell(&data.obs, row, "reading_error_pct"), unseen      ? "1.5"
                                                                           : long_term ? "0.8"
                                                                                       : "0.3");
        }
    }
}

static void the_temperature_and_humidity_tails_are_those_of_the_sheet(void **state)
{
    static const char *const percentiles[] = {"90", "95", "99", "99.9", "99.99"};
    static const struct {
        const char *exp;
        double change_pct[5];
    } rows[] = {
        {"DATE22-1-TLC", {-35, -28, -15, -7, -2}}, {"DATE22-1-MLC", {-30, -22, -10, -4, 0}},
        {"DATE22-4-TLC", {-9, -6, -5, -3, -1}},    {"DATE22-4-MLC", {-7, -4, -2, 0, 1}},
        {"DATE22-5-TLC", {0, 0, 0, 0, 1}},         {"DATE22-5-MLC", {12, 10, 8, 5, 2}},
        {"DATE22-7-TLC", {30, 50, 60, 65, 70}},    {"DATE22-7-MLC", {15, 20, 25, 30, 35}},
        {"DATE22-8-TLC", {4, 7, 17, 10, 5}},       {"DATE22-8-MLC", {0, 0, 0, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t p = 0; p < 5; p++) {
            size_t row =
                one_observation(rows[i].exp, "mixed", "tail_latency", percentiles[p], "", false);

            if (fabs(need_number(&data.obs, row, "change_pct", -100, 100) - rows[i].change_pct[p]) >
                1e-9)
                ROW_FAIL(&data.obs, row, "must be %g", rows[i].change_pct[p]);
            assert_string_equal(cell(&data.obs, row, "confidence"), "secondary");
        }
    }
}

static void the_bandwidths_and_bounds_are_those_of_the_sources(void **state)
{
    static const struct {
        const char *exp, *op, *metric, *percentile, *stat;
        double change_pct, low_pct, high_pct;
    } rows[] = {
        {"DAC19-A-none-long_term", "read", "bandwidth", "", "", 1.0, NAN, NAN},
        {"DAC19-A-parallel-long_term", "read", "bandwidth", "", "", 0.5, NAN, NAN},
        {"DAC19-A-perpendicular-long_term", "write", "bandwidth", "", "", -0.5, NAN, NAN},
        {"DAC19-B-none-long_term", "read", "bandwidth", "", "", -3.4, NAN, NAN},
        {"DAC19-B-parallel-long_term", "read", "bandwidth", "", "", -10.8, NAN, NAN},
        {"DAC19-B-parallel-long_term", "write", "bandwidth", "", "", -11.0, NAN, NAN},
        {"DAC19-B-perpendicular-long_term", "read", "bandwidth", "", "", -2.0, NAN, NAN},
        {"DAC19-C-none-long_term", "write", "bandwidth", "", "", -4.7, NAN, NAN},
        {"DAC19-C-parallel-long_term", "read", "bandwidth", "", "", -9.5, NAN, NAN},
        {"DAC19-C-perpendicular-long_term", "read", "bandwidth", "", "", -4.6, NAN, NAN},
        {"DATE22-2-TLC", "mixed", "bandwidth", "", "", 51, 45, 51},
        {"DATE22-3-TLC", "mixed", "bandwidth", "", "", 67, 60, 67},
        {"DATE22-2-MLC", "mixed", "bandwidth", "", "", 2, NAN, NAN},
        {"DATE22-3-MLC", "mixed", "bandwidth", "", "", 3, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "min", -65, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "q1", -62, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "median", -55, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "q3", -50, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "max", -40, NAN, NAN},
        {"DATE22-6-TLC", "mixed", "bandwidth", "", "", NAN, -65, -35},
        {"DATE22-9-any", "read", "bandwidth", "", "", NAN, -62, 0},
        {"DATE22-9-any", "write", "bandwidth", "", "", NAN, -85, 0},
        {"DATE22-1-TLC", "mixed", "tail_latency", "", "", NAN, -50, 0},
        {"DATE22-5-MLC", "mixed", "tail_latency", "99", "", NAN, 0, 18},
        {"DATE22-7-TLC", "mixed", "tail_latency", "99.99", "", NAN, 0, 75},
        {"DATE22-7-MLC", "mixed", "tail_latency", "99.99", "", NAN, 0, 10},
        {"DAC19-A-parallel-running", "mixed", "bandwidth", "", "", 0, -1, 1},
    };
    static const char *const columns[] = {"change_pct", "low_pct", "high_pct"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double want[] = {rows[i].change_pct, rows[i].low_pct, rows[i].high_pct};
        size_t row = one_observation(rows[i].exp, rows[i].op, rows[i].metric, rows[i].percentile,
                                     rows[i].stat, isnan(rows[i].change_pct));

        for (size_t c = 0; c < 3; c++) {
            double have = number(&data.obs, row, columns[c], -100, 100);

            if (isnan(have) != isnan(want[c]) || fabs(have - want[c]) > 1e-9)
                ROW_FAIL(&data.obs, row, "'%s' is %g, must be %g", columns[c], have, want[c]);
        }
    }
}

static void failing_drives_are_marked_and_keep_their_absolute_figures(void **state)
{
    /* mean write MB/s of failing drives, vibrating against quiet */
    static const double pairs[][2] = {{34.0, 31.0}, {33.1, 24.0}, {37.1, 14.0}, {16.9, 7.9}};
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < data.obs.n_rows; i++) {
        const char *exp = cell(&data.obs, i, "experiment");
        bool failing =
            strcmp(cell(&data.exps, find_row(&data.exps, "id", exp), "failing"), "1") == 0;

        assert_int_equal(failing, strstr(exp, "-failing") != NULL);
        for (size_t p = 0; failing && p < 4; p++)
            n += number(&data.obs, i, "base_value", 0, 1e3) == pairs[p][0] &&
                 number(&data.obs, i, "value", 0, 1e3) == pairs[p][1];
    }
    assert_int_equal(n, 4);
}

static void the_device_figures_are_those_of_the_sources(void **state)
{
    static const struct {
        const char *nand, *column;
        double value;
    } rows[] = {
        {"slc", "read_us_low", 40},       {"slc", "program_us_high", 800},
        {"slc", "erase_us_low", 2000},    {"slc", "pe_cycles_low", 60000},
        {"mlc", "program_us_low", 185},   {"mlc", "program_us_high", 2300},
        {"mlc", "read_us_high", 100},     {"mlc", "pe_cycles_high", 3000},
        {"tlc", "read_us_high", 106},     {"tlc", "program_us_high", 5734},
        {"tlc", "pe_cycles_low", 1000},   {"qlc", "read_us_high", 228.1},
        {"qlc", "program_us_low", 861.5}, {"qlc", "program_us_high", 9174.4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t row = find_row(&data.devices, "nand", rows[i].nand);

        assert_true(need_number(&data.devices, row, rows[i].column, 0, 1e6) == rows[i].value);
    }
}

static void the_model_parameters_are_those_of_the_sources(void **state)
{
    static const struct {
        const char *id;
        double value;
    } rows[] = {
        {"arrhenius.intrinsic.ea", 1.1},
        {"arrhenius.effective.ssd.ea", 0.43},
        {"hallberg-peck.n", 3.0},
        {"hallberg-peck.ea", 0.9},
        {"fides-humidity.n", 4.4},
        {"magnus.a", 17.62},
        {"magnus.b", 243.12},
        {"magnus.e0", 6.112},
        {"norris-landzberg.snpb.n", 1.9},
        {"norris-landzberg.snpb.ea_over_k", 1414},
        {"rber.tlc72l.e", 1.48e-3},
        {"rber.tlc72l.alpha", 3.90e-10},
        {"rber.tlc72l.k", 2.05},
        {"rber.tlc72l.beta", 6.28e-5},
        {"rber.tlc72l.m", 0.14},
        {"rber.tlc72l.n", 0.54},
        {"rber.tlc72l.gamma", 3.73e-9},
        {"rber.tlc72l.p", 0.33},
        {"rber.tlc72l.q", 1.71},
        {"throttle.ocp.wctemp", 77},
        {"throttle.ocp.cctemp", 85},
        {"throttle.ocp.exit", 75},
        {"jesd218.client.40-30", 52},
        {"jesd218.enterprise.55-40", 13},
        {"ecc.bch.rber_limit", 1e-3},
        {"steinberg.p3", 0.0433},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t row = find_row(&data.models, "id", rows[i].id);

        if (row == data.models.n_rows ||
            fabs(need_number(&data.models, row, "value", -1e9, 1e9) / rows[i].value - 1) > 1e-12)
            fail_msg("%s must be %g", rows[i].id, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steps_are_those_of_the_facts),
        cmocka_unit_test(the_vibration_tails_are_those_of_the_figures),
        cmocka_unit_test(the_temperature_and_humidity_tails_are_those_of_the_sheet),
        cmocka_unit_test(the_bandwidths_and_bounds_are_those_of_the_sources),
        cmocka_unit_test(failing_drives_are_marked_and_keep_their_absolute_figures),
        cmocka_unit_test(the_device_figures_are_those_of_the_sources),
        cmocka_unit_test(the_model_parameters_are_those_of_the_sources),
    };

    return cmocka_run_group_tests(tests, load, unload);
}

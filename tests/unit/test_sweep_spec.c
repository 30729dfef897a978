#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/sweep_spec.h"

#define HEAD "{\"schema\": \"ssd-whatif/sweep/1\", "

static struct wi_sweep_spec *spec_of(const char *text)
{
    struct wi_sweep_spec *spec = NULL;
    struct wi_err err = {0};

    if (wi_sweep_parse(text, strlen(text), "s.json", &spec, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return spec;
}

static FILE *file_of(const char *text)
{
    FILE *f = tmpfile();

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    rewind(f);
    return f;
}

static void a_bad_spec_is_refused_with_the_path_of_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *message;
        enum wi_status st;
    } cases[] = {
        {"[]", "s.json: document: must be an object", WI_EDATA},
        {"{\"schema\": \"ssd-whatif/sweep/2\"}", "s.json: schema: must be", WI_EDATA},
        {HEAD "\"extra\": 1}", "extra", WI_EDATA},
        {HEAD "\"factors\": {\"temprature\": [1]}}", "factors.temprature: unknown field", WI_EDATA},
        {HEAD "\"base\": {\"color\": 1}}", "base.color: unknown field", WI_EDATA},
        {HEAD "\"base\": {\"temp_c\": 999}}", "base.temp_c: 999 is out of range", WI_ERANGE},
        {HEAD "\"base\": {\"temp_c\": \"hot\"}}", "base.temp_c: must be a number", WI_EDATA},
        {HEAD "\"base\": {\"vendor\": \"a\\nb\"}}", "base.vendor: a control character", WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": {\"from\": 1, \"to\": 2, \"step\": 0}}}",
         "factors.temp_c.step: 0", WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": {\"from\": 1, \"to\": 2, \"step\": -1}}}",
         "factors.temp_c.step: -1 has the wrong sign", WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": {\"from\": 1, \"to\": 2, \"stop\": 1}}}",
         "factors.temp_c.stop", WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": {\"from\": 1, \"to\": 2}}}",
         "factors.temp_c: a distribution", WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": {\"from\": 1, \"to\": 2e3, \"step\": 1}}}",
         "factors.temp_c: 2000 is out of range", WI_ERANGE},
        {HEAD "\"factors\": {\"temp_c\": []}}", "factors.temp_c: 0 levels", WI_EDATA},
        {HEAD "\"factors\": {\"nand\": [\"tlc\", \"xlc\"]}}", "factors.nand[1]: 'xlc' is unknown",
         WI_EDATA},
        {HEAD "\"factors\": {\"nand\": {\"from\": 1, \"to\": 2, \"step\": 1}}}",
         "factors.nand: only numbers", WI_EDATA},
        {HEAD "\"factors\": {\"percentiles\": [99]}}", "factors.percentiles: percentiles belong",
         WI_EDATA},
        {HEAD "\"factors\": {\"temp_c\": [1], \"temp_c\": [2]}}", "temp_c", WI_EDATA},
        {HEAD "\"design\": \"random\"}", "design: 'random' is unknown", WI_EDATA},
        {HEAD "\"design\": \"lhs\"}", "n: design lhs needs", WI_EDATA},
        {HEAD "\"design\": \"lhs\", \"n\": 0}", "n: design lhs needs", WI_EDATA},
        {HEAD "\"n\": 5}", "n: design grid counts", WI_EDATA},
        {HEAD "\"seed\": -1}", "seed: must be", WI_EDATA},
        {HEAD "\"center\": {\"nand\": \"tlc\"}}", "center", WI_EDATA},
        {HEAD "\"design\": \"ofat\", \"factors\": {\"nand\": [\"tlc\"]}, \"center\": {\"nand\": "
              "\"mlc\"}}",
         "center.nand: not a level", WI_EDATA},
        {HEAD "\"design\": \"list\", \"factors\": {\"nand\": [\"tlc\"]}}", "factors: design list",
         WI_EDATA},
        {HEAD "\"design\": \"sobol\", \"n\": 4, \"factors\": {\"temp_c\": {\"uniform\": [5, 5]}}}",
         "factors.temp_c.uniform: must be", WI_EDATA},
        {HEAD
         "\"design\": \"sobol\", \"n\": 4, \"factors\": {\"temp_c\": {\"normal\": {\"mean\": 1, "
         "\"sd\": 0}}}}",
         "factors.temp_c.normal.sd: 0", WI_EDATA},
        {HEAD "\"factors\": {", "s.json", WI_EDATA},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wi_sweep_spec *spec = NULL;
        struct wi_err err = {0};

        assert_int_equal(
            wi_sweep_parse(cases[i].text, strlen(cases[i].text), "s.json", &spec, &err),
            cases[i].st);
        assert_null(spec);
        if (!strstr(err.msg, cases[i].message))
            fail_msg("'%s' does not say '%s'", err.msg, cases[i].message);
    }
}

static void a_grid_varies_the_last_factor_fastest(void **state)
{
    static const struct {
        enum wi_nand nand;
        double temp_c;
    } expected[] = {{WI_NAND_MLC, 20.0}, {WI_NAND_MLC, 20.1}, {WI_NAND_MLC, 20.2},
                    {WI_NAND_MLC, 20.3}, {WI_NAND_TLC, 20.0}, {WI_NAND_TLC, 20.1},
                    {WI_NAND_TLC, 20.2}, {WI_NAND_TLC, 20.3}};
    struct wi_sweep_spec *spec =
        spec_of(HEAD "\"base\": {\"op\": \"read\", \"percentiles\": [99, 99.9]}, \"factors\": "
                     "{\"nand\": [\"mlc\", \"tlc\"], \"temp_c\": {\"from\": 20, \"to\": 20.3, "
                     "\"step\": 0.1}}}");

    (void)state;
    assert_int_equal(wi_sweep_size(spec), 8);
    for (uint64_t i = 0; i < 8; i++) {
        struct wi_scenario s;

        assert_int_equal(wi_sweep_scenario(spec, i, &s, NULL), WI_OK);
        assert_int_equal(s.nand, expected[i].nand);
        assert_true(s.exposure.during.temp_c == expected[i].temp_c);
        assert_int_equal(s.op, WI_OP_READ);
        assert_int_equal(s.n_percentiles, 2);
    }
    wi_sweep_free(spec);
}

static void ofat_starts_from_its_centre(void **state)
{
    struct wi_sweep_spec *spec = spec_of(
        HEAD "\"design\": \"ofat\", \"factors\": {\"nand\": [\"mlc\", \"tlc\"], \"temp_c\": "
             "[30, 40, 50]}, \"center\": {\"nand\": \"tlc\", \"temp_c\": 40}}");
    struct wi_scenario s;

    (void)state;
    assert_int_equal(wi_sweep_size(spec), 4);
    assert_int_equal(wi_sweep_scenario(spec, 0, &s, NULL), WI_OK);
    assert_int_equal(s.nand, WI_NAND_TLC);
    assert_true(s.exposure.during.temp_c == 40.0);
    wi_sweep_free(spec);
}

/* Mean and sd of a normal distribution, truncated symmetrically at 2 sd: sd 0.8796 (closed form).
 */
static void sampled_designs_follow_their_distributions(void **state)
{
    static const char *const designs[] = {"lhs", "sobol"};

    (void)state;
    for (size_t d = 0; d < 2; d++) {
        char text[512];
        struct wi_sweep_spec *spec;
        double sum = 0.0, square = 0.0, u_sum = 0.0;
        const double n = 4096.0;

        snprintf(text, sizeof(text),
                 HEAD "\"design\": \"%s\", \"n\": 4096, \"seed\": 5, \"factors\": {\"temp_c\": "
                      "{\"normal\": {\"mean\": 40, \"sd\": 5, \"min\": 30, \"max\": 50}}, "
                      "\"rh_pct\": {\"from\": 20, \"to\": 80}}}",
                 designs[d]);
        spec = spec_of(text);
        for (uint64_t i = 0; i < 4096; i++) {
            struct wi_scenario s;
            double t;

            assert_int_equal(wi_sweep_scenario(spec, i, &s, NULL), WI_OK);
            t = s.exposure.during.temp_c;
            assert_true(t >= 30.0 && t <= 50.0);
            assert_true(t == round(t * 1e6) / 1e6);
            sum += t;
            square += (t - 40.0) * (t - 40.0);
            u_sum += s.exposure.during.rh_pct;
        }
        assert_true(fabs(sum / n - 40.0) < 0.01);
        assert_true(fabs(sqrt(square / n) - 5.0 * 0.8796) < 0.01);
        assert_true(fabs(u_sum / n - 50.0) < 0.05);
        wi_sweep_free(spec);
    }
}

/* 1000 rows, so that several stretches of the file are read; the temperatures tell them apart. */
enum list_form { LIST_CSV, LIST_CR, LIST_JSON }; /* LIST_CR: rows end in a carriage return alone */
static char *long_list(enum list_form form)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    if (form != LIST_JSON)
        fputs(form == LIST_CR ? "nand,temp_c,vendor\r" : "nand,temp_c,vendor\n", f);
    for (int i = 0; i < 1000; i++) {
        if (form == LIST_CR)
            fprintf(f, i % 7 ? "tlc,%g,\r" : "tlc,%g,\"a,\"\"b\"\"\"\r", 20.0 + i * 0.01);
        else if (form == LIST_JSON)
            fprintf(f, "{\"nand\": \"tlc\", \"temp_c\": %g}\n%s", 20.0 + i * 0.01,
                    i % 100 == 0 ? "\n" : "");
        else
            fprintf(f, i % 7 ? "tlc,%g,\n" : "\"tlc\",\"%g\",\"a,\"\"b\"\"\"\r\n", 20.0 + i * 0.01);
    }
    fclose(f);
    return text;
}

static void a_list_gives_its_rows_by_number(void **state)
{
    (void)state;
    for (int form = LIST_CSV; form <= LIST_JSON; form++) {
        struct wi_sweep_spec *spec =
            spec_of(HEAD "\"design\": \"list\", \"base\": {\"op\": \"write\"}}");
        char *text = long_list((enum list_form)form);
        FILE *in = file_of(text);
        struct wi_scenario s[300];
        size_t n = 0;

        assert_int_equal(wi_sweep_size(spec), 0);
        assert_int_equal(wi_sweep_read_list(spec, in, "list", NULL), WI_OK);
        fclose(in);
        assert_int_equal(wi_sweep_size(spec), 1000);
        for (uint64_t first = 0; first < 1000; first += 77) {
            size_t want = first + 300 < 1000 ? 300 : (size_t)(1000 - first);

            assert_int_equal(wi_sweep_scenarios(spec, first, want, s, &n, NULL), WI_OK);
            assert_int_equal(n, want);
            for (size_t i = 0; i < n; i++) {
                assert_true(fabs(s[i].exposure.during.temp_c - 20.0 - 0.01 * (double)(first + i)) <
                            1e-9);
                assert_int_equal(s[i].op, WI_OP_WRITE);
                if (form != LIST_JSON)
                    assert_string_equal(s[i].vendor, (first + i) % 7 ? "" : "a,\"b\"");
            }
        }
        free(text);
        wi_sweep_free(spec);
    }
}

static void a_bad_list_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "holds no scenario"},
                 {"temp_c\n", "holds no scenario"},
                 {"temp_c,colour\n1,2\n", "list:1: column 'colour'"},
                 {"temp_c,temp_c\n1,2\n", "list:1: column 'temp_c' stands twice"},
                 {"temp_c,nand\n20,tlc\n30\n", "list:3: 1 fields"},
                 {"temp_c\n20\nhot\n", "list:3: temp_c: 'hot' is not a number"},
                 {"temp_c\n20\n1e9\n", "list:3: temp_c: 1e+09 is out of range"},
                 {"nand\ntlc\nxlc\n", "list:3: nand: 'xlc' is unknown"},
                 {"temp_c\n\"20\n", "list"},
                 {"{\"temp_c\": 20}\n{\"temp_c\": }\n", "list:2"},
                 {"{\"temp_c\": 20}\n[1]\n", "list:2: must be an object"},
                 {"{\"temp_c\": 20}\n{\"colour\": 1}\n", "list:2.colour: unknown field"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wi_sweep_spec *spec = spec_of(HEAD "\"design\": \"list\"}");
        struct wi_err err = {0};
        FILE *in = file_of(cases[i].text);

        assert_int_not_equal(wi_sweep_read_list(spec, in, "list", &err), WI_OK);
        if (!strstr(err.msg, cases[i].message))
            fail_msg("'%s' does not say '%s'", err.msg, cases[i].message);
        assert_int_equal(wi_sweep_size(spec), 0);
        fclose(in);
        wi_sweep_free(spec);
    }
}

static void factors_are_known_by_name_range_and_levels(void **state)
{
    struct wi_sweep_spec *spec =
        spec_of(HEAD "\"factors\": {\"nand\": [\"mlc\", \"tlc\"], \"temp_c\": {\"from\": 80, "
                     "\"to\": 20, \"step\": -20}}}");
    double point[2] = {0.75, 0.0};
    double from = NAN, to = NAN;
    struct wi_scenario s;
    char text[32];

    (void)state;
    assert_int_equal(wi_sweep_n_factors(spec), 2);
    assert_string_equal(wi_sweep_factor_name(spec, 1), "temp_c");
    assert_int_equal(wi_sweep_factor_levels(spec, 1), 4);
    assert_false(wi_sweep_factor_range(spec, 0, &from, &to));
    assert_true(wi_sweep_factor_range(spec, 1, &from, &to));
    assert_true(from == 80.0 && to == 20.0);
    wi_sweep_factor_format(spec, 1, 0.5, text, sizeof(text));
    assert_string_equal(text, "40");
    wi_sweep_factor_format(spec, 0, 0.5, text, sizeof(text));
    assert_string_equal(text, "tlc");
    assert_int_equal(wi_sweep_scenario_value(spec, point, 1, 33.3, &s, NULL), WI_OK);
    assert_true(s.exposure.during.temp_c == 33.3 && s.nand == WI_NAND_TLC);
    wi_sweep_free(spec);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_spec_is_refused_with_the_path_of_what_is_wrong),
        cmocka_unit_test(a_grid_varies_the_last_factor_fastest),
        cmocka_unit_test(ofat_starts_from_its_centre),
        cmocka_unit_test(sampled_designs_follow_their_distributions),
        cmocka_unit_test(a_list_gives_its_rows_by_number),
        cmocka_unit_test(a_bad_list_is_refused_with_its_line),
        cmocka_unit_test(factors_are_known_by_name_range_and_levels)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The physics table: golden values from outside, agreement with data/, laws that every model keeps.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/embedded.h"
#include "core/normal.h"
#include "core/phys_models.h"

static double number(const char *text)
{
    char *end = NULL;
    double v = strtod(text, &end);

    assert_true(end != text && *end == '\0');
    return v;
}

static double value_of(const struct wi_physics_param *p, const char *text)
{
    for (size_t i = 0; p->choices && p->choices[i]; i++) {
        if (strcmp(p->choices[i], text) == 0)
            return (double)i;
    }
    return number(text);
}

/* "name=value name=value" over the defaults. */
static unsigned read_inputs(const struct wi_physics_model *m, const char *text, double *in)
{
    char word[64];
    unsigned given = 0;

    wi_physics_defaults(m, in);
    while (*text) {
        size_t len = strcspn(text, " ");
        char *eq;
        size_t i;

        assert_true(len < sizeof(word));
        memcpy(word, text, len);
        word[len] = '\0';
        eq = strchr(word, '=');
        assert_non_null(eq);
        *eq = '\0';
        i = wi_physics_param_find(m, word);
        assert_true(i < m->n_params);
        in[i] = value_of(&m->params[i], eq + 1);
        given |= 1u << i;
        text += len + (text[len] == ' ');
    }
    return given;
}

static size_t output_find(const struct wi_physics_model *m, const char *name)
{
    size_t i = 0;

    while (i < m->n_outputs && strcmp(m->outputs[i].name, name) != 0)
        i++;
    assert_true(i < m->n_outputs);
    return i;
}

static enum wi_status check_golden(void *ctx, size_t line, char *const *f, size_t n,
                                   struct wi_err *err)
{
    size_t *checked = ctx;
    const struct wi_physics_model *m;
    struct wi_physics_result res;
    struct wi_err why = {0};
    double in[WI_PHYS_PARAMS_MAX], expected, got;
    unsigned given;
    enum wi_status st;

    (void)err;
    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 6);
    m = wi_physics_find(f[0]);
    assert_non_null(m);
    given = read_inputs(m, f[1], in);
    st = wi_physics_eval(m, in, given, &res, &why);
    ++*checked;
    if (strcmp(f[3], "error") == 0) {
        assert_int_equal(st, WI_ERANGE);
        return WI_OK;
    }
    if (st != WI_OK)
        fail_msg("line %zu: %s %s: %s", line, f[0], f[1], why.msg);
    expected = number(f[3]);
    got = res.out[output_find(m, f[2])];
    if (fabs(got - expected) > number(f[4]) * fabs(expected))
        fail_msg("line %zu: %s %s: %s is %.9g, expected %.9g (%s)", line, f[0], f[1], f[2], got,
                 expected, f[5]);
    return WI_OK;
}

static void the_models_match_the_golden_table(void **state)
{
    static char text[65536];
    FILE *in = fopen("tests/golden/physics.csv", "r");
    size_t len, checked = 0;

    (void)state;
    assert_non_null(in);
    len = fread(text, 1, sizeof(text), in);
    fclose(in);
    assert_true(len < sizeof(text));
    assert_int_equal(wi_csv_parse("physics.csv", text, len, NULL, check_golden, &checked, NULL),
                     WI_OK);
    assert_true(checked >= 60);
}

/* One row of data/models.csv, looked up by id. */
struct lookup {
    const char *id;
    bool found;
    double value, low, high;
    char source[WI_ID_MAX], confidence[32];
};

static double optional(const char *text)
{
    return *text ? number(text) : NAN;
}

static enum wi_status match_row(void *ctx, size_t line, char *const *f, size_t n,
                                struct wi_err *err)
{
    struct lookup *want = ctx;

    (void)err;
    if (line == 1 || strcmp(f[0], want->id) != 0)
        return WI_OK;
    assert_int_equal(n, 12);
    want->found = true;
    want->value = optional(f[3]);
    want->low = optional(f[4]);
    want->high = optional(f[5]);
    snprintf(want->source, sizeof(want->source), "%s", f[9]);
    snprintf(want->confidence, sizeof(want->confidence), "%s", f[10]);
    return WI_OK;
}

static void check_figure(const struct wi_physics_figure *f)
{
    const struct wi_embedded_file *csv = wi_embedded_find("data/models.csv");
    struct lookup want = {.id = f->id};

    assert_non_null(csv);
    assert_int_equal(
        wi_csv_parse(csv->path, csv->bytes, csv->n_bytes, NULL, match_row, &want, NULL), WI_OK);
    if (!want.found)
        fail_msg("data/models.csv has no row '%s'", f->id);
    assert_string_equal(want.source, f->source);
    assert_string_equal(want.confidence, wi_confidence_name(f->confidence));
    if (!isnan(want.value))
        assert_true(f->value == want.value);
    if (!isnan(want.low))
        assert_true(f->low == want.low);
    if (!isnan(want.high))
        assert_true(f->high == want.high);
    if (isnan(want.value) && !isnan(f->value))
        assert_true(f->value >= f->low && f->value <= f->high);
    /* A figure from memory is never a default. */
    if (isnan(want.low) && isnan(want.high))
        assert_true(f->low == want.value && f->high == want.value);
}

static void every_figure_is_the_one_in_data_models_csv(void **state)
{
    size_t n = 0;

    (void)state;
    for (size_t m = 0; m < wi_n_physics_models; m++) {
        const struct wi_physics_model *model = wi_physics_models[m];

        for (size_t p = 0; p < model->n_params; p++) {
            for (size_t i = 0; i < model->params[p].n_figures; i++) {
                const struct wi_physics_figure *f = &model->params[p].figures[i];

                if (*f->id) {
                    check_figure(f);
                    n++;
                }
            }
        }
        for (size_t i = 0; i < model->n_constants; i++) {
            check_figure(&model->constants[i]);
            n++;
        }
    }
    assert_true(n > 60);
}

static enum wi_status match_device(void *ctx, size_t line, char *const *f, size_t n,
                                   struct wi_err *err)
{
    size_t *checked = ctx;
    enum wi_nand nand;
    struct wi_phys_timing t;

    (void)err;
    if (line == 1)
        return WI_OK;
    assert_true(n >= 7);
    assert_true(wi_nand_parse(f[0], &nand));
    t = wi_phys_nand_timing(nand, 25.0);
    assert_true(t.read_us.low == number(f[1]) && t.read_us.high == number(f[2]));
    assert_true(t.program_us.low == number(f[3]) && t.program_us.high == number(f[4]));
    assert_true(t.erase_us.low == number(f[5]) && t.erase_us.high == number(f[6]));
    ++*checked;
    return WI_OK;
}

static void nand_timing_is_the_one_in_data_devices_csv(void **state)
{
    const struct wi_embedded_file *csv = wi_embedded_find("data/devices.csv");
    size_t checked = 0;

    (void)state;
    assert_non_null(csv);
    assert_int_equal(
        wi_csv_parse(csv->path, csv->bytes, csv->n_bytes, NULL, match_device, &checked, NULL),
        WI_OK);
    assert_int_equal(checked, 4);
}

static void no_default_is_a_remembered_figure(void **state)
{
    (void)state;
    for (size_t m = 0; m < wi_n_physics_models; m++) {
        for (size_t p = 0; p < wi_physics_models[m]->n_params; p++) {
            const struct wi_physics_param *param = &wi_physics_models[m]->params[p];

            if (param->n_figures == 0)
                continue;
            if (param->figures[0].confidence == WI_CONF_UNVERIFIED && *param->figures[0].id)
                assert_true(isnan(param->value));
            else
                assert_true(param->value == param->figures[0].value);
        }
    }
}

static void every_model_answers_with_its_defaults(void **state)
{
    (void)state;
    for (size_t m = 0; m < wi_n_physics_models; m++) {
        const struct wi_physics_model *model = wi_physics_models[m];
        struct wi_physics_result res;
        double in[WI_PHYS_PARAMS_MAX];

        wi_physics_defaults(model, in);
        for (size_t p = 0; p < model->n_params; p++) {
            if (isnan(in[p]))
                in[p] = model->params[p].figures[0].high;
            assert_true(in[p] >= model->params[p].min && in[p] <= model->params[p].max);
            assert_true(in[p] >= model->params[p].valid_low &&
                        in[p] <= model->params[p].valid_high);
        }
        assert_int_equal(wi_physics_eval(model, in, 0, &res, NULL), WI_OK);
        for (size_t i = 0; i < model->n_outputs; i++)
            assert_true(res.low[i] <= res.out[i] && res.out[i] <= res.high[i]);
    }
}

static void a_model_without_verified_figure_asks_for_it(void **state)
{
    const struct wi_physics_model *m = wi_physics_find("peck");
    struct wi_physics_result res;
    double in[WI_PHYS_PARAMS_MAX];
    struct wi_err err = {0};

    (void)state;
    wi_physics_defaults(m, in);
    assert_int_equal(wi_physics_eval(m, in, 0, &res, &err), WI_EUSAGE);
    assert_non_null(strstr(err.msg, "'n'"));
}

static void inputs_outside_the_validity_make_a_note(void **state)
{
    const struct wi_physics_model *m = wi_physics_find("arrhenius");
    struct wi_physics_result res;
    double in[WI_PHYS_PARAMS_MAX];

    (void)state;
    wi_physics_defaults(m, in);
    assert_int_equal(wi_physics_eval(m, in, 0, &res, NULL), WI_OK);
    assert_int_equal(res.notes.n, 0);
    in[wi_physics_param_find(m, "stress-c")] = 120;
    assert_int_equal(wi_physics_eval(m, in, 0, &res, NULL), WI_OK);
    assert_int_equal(res.notes.n, 1);
    assert_non_null(strstr(res.notes.text[0], "stress-c 120"));
}

static void inputs_without_meaning_are_refused(void **state)
{
    const struct wi_physics_model *m = wi_physics_find("arrhenius");
    static const double bad[] = {NAN, INFINITY, -INFINITY, -273.15, 1e9};
    struct wi_physics_result res;
    double in[WI_PHYS_PARAMS_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        wi_physics_defaults(m, in);
        in[0] = bad[i];
        assert_int_equal(wi_physics_eval(m, in, 0, &res, NULL), WI_ERANGE);
    }
}

static void the_band_spans_the_disputed_activation_energies(void **state)
{
    const struct wi_physics_model *m = wi_physics_find("arrhenius");
    struct wi_physics_result res;
    double in[WI_PHYS_PARAMS_MAX];

    (void)state;
    wi_physics_defaults(m, in);
    assert_int_equal(wi_physics_eval(m, in, 0, &res, NULL), WI_OK);
    assert_true(res.has_band);
    assert_true(res.high[0] == wi_phys_arrhenius_af(1.1, 40, 66));
    assert_true(res.low[0] == wi_phys_arrhenius_af(0.43, 40, 66));
    assert_int_equal(wi_physics_eval(m, in, 1u << 2, &res, NULL), WI_OK);
    assert_false(res.has_band);
}

/* A small generator of its own, so that the cases are the same everywhere. */
static double uniform(uint64_t *s, double low, double high)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*s >> 11) / 9007199254740992.0;
}

static void acceleration_is_one_at_rest_and_inverts(void **state)
{
    uint64_t s = 1;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        double a = uniform(&s, -40, 125), b = uniform(&s, -40, 125), ea = uniform(&s, 0.1, 1.3);
        double ra = uniform(&s, 1, 100), rb = uniform(&s, 1, 100), n = uniform(&s, 1, 6);
        struct wi_phys_cycle x = {uniform(&s, 1, 100), uniform(&s, 0.1, 50), a};
        struct wi_phys_cycle y = {uniform(&s, 1, 100), uniform(&s, 0.1, 50), b};

        assert_true(wi_phys_arrhenius_af(ea, a, a) == 1.0);
        assert_true(wi_phys_humidity_af(n, ra, ra) == 1.0);
        assert_true(wi_phys_norris_landzberg_af(x, x, 1.9, 1.0 / 3, 1414, NULL) == 1.0);
        assert_true(fabs(wi_phys_arrhenius_af(ea, a, b) * wi_phys_arrhenius_af(ea, b, a) - 1) <
                    1e-12);
        assert_true(fabs(wi_phys_humidity_af(n, ra, rb) * wi_phys_humidity_af(n, rb, ra) - 1) <
                    1e-12);
        assert_true(fabs(wi_phys_norris_landzberg_af(x, y, 1.9, 1.0 / 3, 1414, NULL) *
                             wi_phys_norris_landzberg_af(y, x, 1.9, 1.0 / 3, 1414, NULL) -
                         1) < 1e-12);
        assert_true((wi_phys_arrhenius_af(ea, a, b) > 1.0) == (b > a));
    }
}

static void error_rate_and_retries_grow_with_wear_time_heat_and_reads(void **state)
{
    const struct wi_physics_model *m = wi_physics_find("rber");
    static const char *const names[] = {"pe-cycles", "hours", "temp-c", "reads"};
    uint64_t s = 2;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        double in[WI_PHYS_PARAMS_MAX];
        struct wi_physics_result a, b;
        size_t which = wi_physics_param_find(m, names[i % 4]);

        wi_physics_defaults(m, in);
        in[wi_physics_param_find(m, "pe-cycles")] = uniform(&s, 1, 3000);
        in[wi_physics_param_find(m, "hours")] = uniform(&s, 1, 9000);
        in[wi_physics_param_find(m, "temp-c")] = uniform(&s, 0, 70);
        in[wi_physics_param_find(m, "reads")] = uniform(&s, 0, 1000);
        assert_int_equal(wi_physics_eval(m, in, 0, &a, NULL), WI_OK);
        in[which] *= 1.1;
        in[which] += 0.1;
        assert_int_equal(wi_physics_eval(m, in, 0, &b, NULL), WI_OK);
        assert_true(b.out[0] > a.out[0]);
        assert_true(wi_phys_retries(log(b.out[0] / 1e-3), 0.3, 0.2, 1) >=
                    wi_phys_retries(log(a.out[0] / 1e-3), 0.3, 0.2, 1));
    }
}

static void the_mean_of_retries_is_that_of_the_pages(void **state)
{
    static const double rber[] = {2e-4, 1e-3, 4e-3};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double sum = 0.0;
        int n = 20000;

        for (int j = 0; j < n; j++)
            sum +=
                wi_phys_retries(log(rber[i] / 1e-3), 0.35, 0.4, wi_gauss_quantile((j + 0.5) / n));
        /* midpoint rule over the quantiles against the closed form */
        assert_true(fabs(sum / n - wi_phys_retries_mean(log(rber[i] / 1e-3), 0.35, 0.4)) < 1e-4);
    }
    assert_true(fabs(wi_phys_retries_mean(log(4), log(2), 0) - 2.0) < 1e-12);
}

static void sentinel_cells_save_what_the_retry_formula_says(void **state)
{
    double plain = wi_phys_read_retry_us(6.6, 100, 0, 32);
    double sentinel = wi_phys_read_retry_us(1.2, 100, 0, 32);

    (void)state;
    /* MICRO'20 reports 74 % less read latency; the formula alone gives 71 % */
    assert_true(fabs((1 - sentinel / plain) - 0.74) < 0.04);
}

static void dew_point_is_the_inverse_of_saturation(void **state)
{
    uint64_t s = 3;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        double t = uniform(&s, -40, 60), rh = uniform(&s, 1, 100);
        enum wi_phys_magnus_set set = i & 1;
        double dew = wi_phys_dew_point_c(set, t, rh);

        assert_true(dew <= t + 1e-9);
        assert_true(
            fabs(wi_phys_saturation_hpa(set, dew) * 100 / (wi_phys_saturation_hpa(set, t) * rh) -
                 1) < 1e-10);
    }
}

static void condensation_ends_when_the_ramp_is_slow_or_the_drive_warm(void **state)
{
    struct wi_phys_air room = {22.5, 50}, hot = {60, 80};
    double wet_s = 0, step = wi_phys_condensation_margin_k(room, hot, 0, 85, 0, &wet_s);
    double last = step;

    (void)state;
    assert_true(step < -30 && wet_s > 0);
    for (double ramp = 60; ramp < 1e5; ramp *= 2) {
        double now = wi_phys_condensation_margin_k(room, hot, ramp, 85, 0, &wet_s);

        assert_true(now >= last);
        last = now;
    }
    assert_true(last > 0 && wet_s == 0);
    assert_true(wi_phys_condensation_margin_k(room, hot, 0, 85, 40, &wet_s) > 0);
    /* a step of the air: dry from the instant when the exponential has passed the dew point */
    wi_phys_condensation_margin_k(room, hot, 0, 85, 0, &wet_s);
    assert_true(fabs(wet_s - 85 * log((60 - 22.5) / (60 - wi_phys_dew_point_c(1, 60, 80)))) < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_models_match_the_golden_table),
        cmocka_unit_test(every_figure_is_the_one_in_data_models_csv),
        cmocka_unit_test(nand_timing_is_the_one_in_data_devices_csv),
        cmocka_unit_test(no_default_is_a_remembered_figure),
        cmocka_unit_test(every_model_answers_with_its_defaults),
        cmocka_unit_test(a_model_without_verified_figure_asks_for_it),
        cmocka_unit_test(inputs_outside_the_validity_make_a_note),
        cmocka_unit_test(inputs_without_meaning_are_refused),
        cmocka_unit_test(the_band_spans_the_disputed_activation_energies),
        cmocka_unit_test(acceleration_is_one_at_rest_and_inverts),
        cmocka_unit_test(error_rate_and_retries_grow_with_wear_time_heat_and_reads),
        cmocka_unit_test(the_mean_of_retries_is_that_of_the_pages),
        cmocka_unit_test(sentinel_cells_save_what_the_retry_formula_says),
        cmocka_unit_test(dew_point_is_the_inverse_of_saturation),
        cmocka_unit_test(condensation_ends_when_the_ramp_is_slow_or_the_drive_warm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Data that no model likes: a defined answer or a clear error, never a crash, never a NaN. And many
 * rows: the sparse form.
 */
#include "evidence_data.h"

#include <time.h>

#include "core/evidence_model.h"
#include "core/fit.h"
#include "core/random.h"

static struct wi_dataset data;

static int set_up(void **state)
{
    (void)state;
    embedded_dataset(&data);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_dataset_release(&data);
    return 0;
}

/* A copy that tests may change; `keep` selects observations. */
static struct wi_dataset copy_of(bool (*keep)(const struct wi_observation *o))
{
    struct wi_dataset ds = {0};

    ds.exps = malloc(data.n_exps * sizeof(*ds.exps));
    ds.obs = malloc((data.n_obs + 16) * sizeof(*ds.obs));
    assert_true(ds.exps && ds.obs);
    memcpy(ds.exps, data.exps, data.n_exps * sizeof(*ds.exps));
    ds.n_exps = data.n_exps;
    for (size_t i = 0; i < data.n_obs; i++) {
        if (!keep || keep(&data.obs[i]))
            ds.obs[ds.n_obs++] = data.obs[i];
    }
    return ds;
}

static bool is_th(const struct wi_observation *o)
{
    return strncmp(data.exps[o->exp].id, "DATE22", 6) == 0;
}

static bool is_vib(const struct wi_observation *o)
{
    return !is_th(o);
}

static bool is_first(const struct wi_observation *o)
{
    return o == &data.obs[0];
}

static bool none(const struct wi_observation *o)
{
    (void)o;
    return false;
}

/* Fit, condition and ask; every number finite. Returns the domain of a heated TLC drive. */
static enum wi_domain fit_and_ask(const struct wi_dataset *ds, struct wi_forecast *keep)
{
    static const char *const temps[] = {"22.5:60", "22.5:22.5"}, *const vibs[] = {"none",
                                                                                  "parallel"};
    struct wi_evidence *ev = NULL;
    struct wi_fit *fit = NULL;
    struct wi_err err;
    enum wi_domain domain = WI_DOMAIN_INSIDE;

    if (wi_fit_new(ds, WI_MODEL_DEFAULT, &fit, &err) != WI_OK ||
        wi_evidence_new(ds, fit, &ev, &err) != WI_OK)
        fail_msg("%s", err.msg);
    for (size_t k = 0; k < 2; k++) {
        struct wi_scenario s;
        struct wi_forecast f = {0};

        wi_scenario_init(&s);
        s.nand = WI_NAND_TLC;
        assert_int_equal(wi_scenario_parse_temp(&s, temps[k], &err), WI_OK);
        assert_int_equal(wi_scenario_parse_vib(&s, vibs[k], &err), WI_OK);
        snprintf(s.device, sizeof(s.device), "DATE22");
        assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
        assert_int_equal(wi_evidence_predict(ev, &s, &f, &err), WI_OK);
        for (size_t i = 0; i <= f.n_tail; i++) {
            const struct wi_change *c = i < f.n_tail ? &f.tail[i] : &f.bandwidth;

            assert_true(isfinite(c->change_pct) && isfinite(c->low_pct) && isfinite(c->high_pct));
            assert_true(c->low_pct < c->change_pct && c->change_pct < c->high_pct);
            assert_true(c->low_pct > -100.0);
        }
        if (k == 0) {
            domain = f.domain;
            if (keep)
                *keep = f;
        }
        wi_forecast_release(&f);
    }
    wi_evidence_free(ev);
    wi_fit_free(fit);
    return domain;
}

static void release(struct wi_dataset *ds)
{
    wi_dataset_release(ds);
}

static void without_a_family_the_answer_is_the_prior_and_outside(void **state)
{
    struct wi_dataset ds = copy_of(is_vib);
    struct wi_forecast f;

    (void)state;
    assert_int_equal(fit_and_ask(&ds, &f), WI_DOMAIN_OUTSIDE);
    assert_true(fabs(f.tail[0].change_pct) < 30.0); /* throttling alone */
    assert_true(f.tail[0].high_pct - f.tail[0].low_pct > 20.0);
    release(&ds);
    ds = copy_of(is_th);
    fit_and_ask(&ds, NULL);
    release(&ds);
    ds = copy_of(none);
    assert_int_equal(fit_and_ask(&ds, NULL), WI_DOMAIN_OUTSIDE);
    release(&ds);
}

static void one_observation_is_enough_to_answer(void **state)
{
    struct wi_dataset ds = copy_of(is_first);

    (void)state;
    assert_int_equal(ds.n_obs, 1);
    assert_int_equal(fit_and_ask(&ds, NULL), WI_DOMAIN_OUTSIDE);
    release(&ds);
}

static void identical_and_contradictory_rows_are_taken(void **state)
{
    struct wi_dataset ds = copy_of(is_th);

    (void)state;
    for (size_t i = 0; i < 8; i++) { /* the first row again, and its opposite */
        ds.obs[ds.n_obs] = ds.obs[0];
        if (i % 2)
            ds.obs[ds.n_obs].change_pct = -ds.obs[0].change_pct;
        ds.n_obs++;
    }
    fit_and_ask(&ds, NULL);
    release(&ds);
}

static void rows_without_any_spread_are_taken(void **state)
{
    struct wi_dataset ds = copy_of(NULL);

    (void)state;
    for (size_t i = 0; i < ds.n_obs; i++) {
        if (ds.obs[i].kind != WI_OBS_BOUND) {
            ds.obs[i].change_pct = 0.0;
            ds.obs[i].reading_error_pct = 0.0;
        }
    }
    fit_and_ask(&ds, NULL);
    release(&ds);
}

static void an_outlier_of_a_million_percent_does_not_decide(void **state)
{
    struct wi_dataset ds = copy_of(NULL);
    struct wi_forecast plain, f;

    (void)state;
    fit_and_ask(&ds, &plain);
    for (size_t i = 0; i < ds.n_obs; i++) {
        if (strcmp(ds.obs[i].id, "O0285") == 0) /* DATE22-1-TLC, 99th */
            ds.obs[i].change_pct = 1e6;
    }
    fit_and_ask(&ds, &f);
    /* without that row's own reading the others still say that heat speeds the drive up */
    for (size_t i = 0; i < 3; i++)
        assert_near(f.tail[i].change_pct, plain.tail[i].change_pct, 15.0);
    release(&ds);
}

static void check_refused(const struct wi_dataset *ds, const char *what)
{
    struct wi_fit *fit = NULL;
    struct wi_err err = {0};

    assert_int_equal(wi_fit_new(ds, WI_MODEL_DEFAULT, &fit, &err), WI_EDATA);
    assert_null(fit);
    if (!strstr(err.msg, what))
        fail_msg("'%s' does not name '%s'", err.msg, what);
}

static void rows_that_are_no_numbers_are_named(void **state)
{
    struct wi_dataset ds = copy_of(is_th); /* none of a failing drive, which is not looked at */
    struct wi_observation first = ds.obs[0];

    (void)state;
    ds.obs[0].change_pct = NAN;
    check_refused(&ds, first.id);
    ds.obs[0].change_pct = HUGE_VAL;
    check_refused(&ds, first.id);
    ds.obs[0].change_pct = -100.5;
    check_refused(&ds, "below -100");
    ds.obs[0] = first;
    ds.obs[0].reading_error_pct = NAN;
    check_refused(&ds, "reading error");
    ds.obs[0] = first;
    ds.obs[0].percentile = 101.0;
    check_refused(&ds, "percentile");
    ds.obs[0] = first;
    ds.obs[0].exp = ds.n_exps;
    check_refused(&ds, "no experiment");
    ds.obs[0] = first;
    ds.exps[first.exp].exposure.during.temp_c = NAN;
    check_refused(&ds, "temperature");
    release(&ds);
}

static void hyper_parameters_of_other_data_still_condition(void **state)
{
    struct wi_dataset th = copy_of(is_th), vib = copy_of(is_vib);
    struct wi_evidence *ev = NULL;
    struct wi_fit *fit = NULL;
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_fit_new(&th, WI_MODEL_DEFAULT, &fit, &err), WI_OK);
    assert_int_equal(wi_evidence_new(&vib, fit, &ev, &err), WI_OK);
    assert_int_equal(ev->gp[WI_PART_TH].n, 0);
    wi_evidence_free(ev);
    wi_fit_free(fit);
    release(&th);
    release(&vib);
}

/* ------------------------------------------------------------------ many rows */

/* n random temperature rows whose changes follow a smooth law with noise. */
static struct wi_rows many_rows(size_t n)
{
    struct wi_random r = {11};
    struct wi_rows rows = {0};
    double temp_c = 0, rh_pct = 0;
    int id;

    rows.rows = calloc(n, sizeof(*rows.rows));
    assert_non_null(rows.rows);
    wi_names_intern(&rows.vendors, "x", &id, NULL);
    wi_names_intern(&rows.devices, "x", &id, NULL);
    wi_names_intern(&rows.exps, "x", &id, NULL);
    for (size_t i = 0; i < n; i++) {
        struct wi_exposure e = {.before = {.temp_c = 22.5, .rh_pct = 50}};
        struct wi_row *q = &rows.rows[i];
        static const double p[] = {90, 95, 99, 99.9, 99.99};

        e.during = e.before;
        if (i % 5 == 0) { /* a curve: five percentiles of one step */
            temp_c = 20 + 60 * wi_random_uniform(&r);
            rh_pct = 20 + 60 * wi_random_uniform(&r);
        }
        e.during.temp_c = temp_c;
        e.during.rh_pct = rh_pct;
        wi_row_init(q, WI_GROUP_TH, WI_OP_MIXED, WI_PHASE_RUNNING, &e,
                    i / 5 % 2 ? WI_NAND_TLC : WI_NAND_MLC);
        q->vendor = q->device = 0;
        wi_row_set_percentile(q, p[i % 5]);
        q->z = -0.005 * (e.during.temp_c - 22.5) / q->nines + 0.03 * wi_random_normal(&r);
        q->err_var = 1e-4;
    }
    rows.n = rows.cap = n;
    return rows;
}

static void at_the_crossover_the_sparse_form_is_close_to_the_exact_one(void **state)
{
    struct wi_rows rows = many_rows(WI_GP_EXACT_MAX);
    struct wi_random r = {12};
    struct wi_fit *fit = NULL;
    struct wi_gp exact, sparse;
    struct wi_err err;
    double worst_mean = 0.0, worst_sd = 0.0;
    const struct wi_kernel *k = wi_kernel_of(WI_GROUP_TH);
    double t[WI_PAR_MAX];

    (void)state;
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err), WI_OK);
    memcpy(t, fit->group[WI_GROUP_TH].mode, sizeof(t));
    assert_int_equal(wi_gp_init(&exact, k, rows.rows, rows.n, t, 1, &err), WI_OK);
    assert_int_equal(wi_gp_init_sparse(&sparse, k, rows.rows, rows.n, t, 1, &err), WI_OK);
    for (size_t i = 0; i < 500; i++) {
        struct wi_row q = rows.rows[(size_t)(wi_random_uniform(&r) * (double)rows.n)];
        struct wi_moments a, b;

        q.temp_c[1] = 15 + 70 * wi_random_uniform(&r);
        assert_int_equal(wi_gp_predict(&exact, &q, 1, &a, NULL, 0, &err), WI_OK);
        assert_int_equal(wi_gp_predict(&sparse, &q, 1, &b, NULL, 0, &err), WI_OK);
        worst_mean = fmax(worst_mean, fabs(a.mean - b.mean));
        worst_sd = fmax(worst_sd, fabs(sqrt(a.var) - sqrt(b.var)));
    }
    print_message("%zu inducing of %zu rows: mean differs by %.2e, open sd by %.2e at most (log)\n",
                  sparse.n, rows.n, worst_mean, worst_sd);
    assert_true(worst_mean < 0.015);
    assert_true(worst_sd < 0.01);
    wi_gp_release(&exact);
    wi_gp_release(&sparse);
    wi_fit_free(fit);
    wi_rows_release(&rows);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fifty_thousand_rows_condition_and_load_quickly(void **state)
{
    struct wi_rows rows = many_rows(50000);
    struct wi_evidence *ev = NULL, *loaded = NULL;
    struct wi_fit *fit = NULL;
    struct wi_err err;
    void *bytes = NULL;
    size_t n = 0;
    double start, made, load;

    (void)state;
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err), WI_OK);
    start = seconds();
    assert_int_equal(wi_evidence_from_rows(&rows, fit, &ev, &err), WI_OK);
    made = seconds() - start;
    assert_true(ev->gp[WI_PART_TH].sparse);
    assert_int_equal(wi_evidence_save(ev, &bytes, &n, &err), WI_OK);
    start = seconds();
    assert_int_equal(wi_evidence_load(bytes, n, &loaded, &err), WI_OK);
    load = seconds() - start;
    print_message("50,000 rows: conditioned in %.1f s, %zu bytes, loaded in %.2f ms\n", made, n,
                  1e3 * load);
    assert_true(n < 4u << 20);
    assert_true(load < 0.02);
    free(bytes);
    wi_evidence_free(ev);
    wi_evidence_free(loaded);
    wi_fit_free(fit);
    wi_rows_release(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_family_the_answer_is_the_prior_and_outside),
        cmocka_unit_test(one_observation_is_enough_to_answer),
        cmocka_unit_test(identical_and_contradictory_rows_are_taken),
        cmocka_unit_test(rows_without_any_spread_are_taken),
        cmocka_unit_test(an_outlier_of_a_million_percent_does_not_decide),
        cmocka_unit_test(rows_that_are_no_numbers_are_named),
        cmocka_unit_test(hyper_parameters_of_other_data_still_condition),
        cmocka_unit_test(at_the_crossover_the_sparse_form_is_close_to_the_exact_one),
        cmocka_unit_test(fifty_thousand_rows_condition_and_load_quickly),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

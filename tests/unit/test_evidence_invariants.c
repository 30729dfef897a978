/*
 * Properties that the evidence model must have at every scenario, on random ones.
 */
#include "evidence_data.h"

#include "core/evidence_model.h"
#include "core/fit.h"
#include "core/physics_forecast.h"
#include "core/random.h"

#define N_RANDOM 10000

static struct wi_dataset data;
static struct wi_fit *fit;
static struct wi_evidence *model;
static struct wi_evidence *at_mode; /* the same at one fixed point of hyper-parameters */

static struct wi_evidence *condition(const struct wi_dataset *ds, const struct wi_fit *f)
{
    struct wi_evidence *ev = NULL;
    struct wi_err err;

    if (wi_evidence_new(ds, f, &ev, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return ev;
}

static int set_up(void **state)
{
    struct wi_fit fixed;
    struct wi_err err;

    (void)state;
    embedded_dataset(&data);
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err), WI_OK);
    model = condition(&data, fit);
    fixed = *fit;
    for (int g = 0; g < WI_N_GROUPS; g++) {
        for (size_t c = 0; c < WI_CLOUD; c++)
            memcpy(fixed.group[g].cloud[c], fit->group[g].mode, sizeof(fixed.group[g].mode));
    }
    at_mode = condition(&data, &fixed);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_evidence_free(model);
    wi_evidence_free(at_mode);
    wi_fit_free(fit);
    wi_dataset_release(&data);
    return 0;
}

static size_t pick(struct wi_random *r, size_t n)
{
    return (size_t)(wi_random_uniform(r) * (double)n);
}

static double between(struct wi_random *r, double low, double high)
{
    return low + (high - low) * wi_random_uniform(r);
}

static void random_scenario(struct wi_random *r, struct wi_scenario *s)
{
    static const char *const vendors[] = {"", "", "A", "B", "C", "DATE22", "nobody"};
    static const double sets[2][5] = {{90, 95, 99, 99.9, 99.99}, {50, 99, 99.999, 99.9999, 100}};
    struct wi_exposure *e = &s->exposure;
    struct wi_err err;

    wi_scenario_init(s);
    s->nand = (enum wi_nand)pick(r, 5);
    s->op = (enum wi_op)pick(r, 3);
    s->phase = (enum wi_phase)pick(r, 3);
    s->given = WI_F_NAND | WI_F_OP | WI_F_PHASE;
    snprintf(s->vendor, sizeof(s->vendor), "%s", vendors[pick(r, 7)]);
    e->before.temp_c = e->during.temp_c = pick(r, 2) ? 22.5 : between(r, -40, 120);
    e->before.rh_pct = e->during.rh_pct = pick(r, 2) ? 50 : between(r, 0, 100);
    if (pick(r, 2))
        e->during.temp_c = between(r, -40, 120);
    if (pick(r, 3) == 0)
        e->during.rh_pct = between(r, 0, 100);
    if (pick(r, 2)) {
        e->during.vib.axis = (enum wi_axis)(1 + pick(r, 2));
        e->during.vib.freq_hz = pick(r, 2) ? 20 : between(r, 1, 2000);
        e->during.vib.grms = pick(r, 2) ? NAN : between(r, 0, 20);
    }
    if (pick(r, 3) == 0)
        e->during_h = between(r, 1, 2000);
    s->given |= WI_F_BEFORE_TEMP | WI_F_BEFORE_RH | WI_F_DURING_TEMP | WI_F_DURING_RH |
                WI_F_DURING_VIB | WI_F_DURING_HOURS;
    if (pick(r, 8) == 0)
        s->pe_cycles = between(r, 0, 5000);
    assert_int_equal(wi_scenario_set_percentiles(s, sets[pick(r, 2)], 5, &err), WI_OK);
    s->given |= WI_F_PERCENTILES;
    s->confidence = pick(r, 2) ? 0.9 : between(r, 0.5, 0.99);
    s->given |= WI_F_CONFIDENCE;
    if (wi_scenario_complete(s, &err) != WI_OK)
        fail_msg("%s", err.msg);
}

static void predict(const struct wi_evidence *ev, const struct wi_scenario *s,
                    struct wi_forecast *out)
{
    struct wi_err err;

    memset(out, 0, sizeof(*out));
    if (wi_evidence_predict(ev, s, out, &err) != WI_OK)
        fail_msg("%s", err.msg);
}

static const struct wi_change *change_at(const struct wi_forecast *f, size_t i)
{
    return i < f->n_tail ? &f->tail[i] : &f->bandwidth;
}

static void check_interval(const struct wi_change *c)
{
    assert_true(isfinite(c->low_pct) && isfinite(c->change_pct) && isfinite(c->high_pct));
    assert_true(c->low_pct > -100.0);
    assert_true(c->low_pct < c->change_pct);
    assert_true(c->change_pct < c->high_pct);
}

static void every_answer_is_finite_ordered_and_has_its_domain(void **state)
{
    struct wi_random r = {1};

    (void)state;
    for (size_t k = 0; k < N_RANDOM; k++) {
        struct wi_scenario s;
        struct wi_stressors on;
        struct wi_forecast f;

        random_scenario(&r, &s);
        predict(model, &s, &f);
        assert_int_equal(f.n_tail, s.n_percentiles);
        for (size_t i = 0; i <= f.n_tail; i++)
            check_interval(change_at(&f, i));
        assert_true(f.domain_reasons.n > 0);
        if (s.nand == WI_NAND_SLC || s.nand == WI_NAND_QLC)
            assert_int_equal(f.domain, WI_DOMAIN_OUTSIDE);
        on = wi_scenario_stressors(&s);
        if (s.phase == WI_PHASE_LONG_TERM && (on.temp || on.rh))
            assert_int_equal(f.domain, WI_DOMAIN_OUTSIDE);
        if (on.vib && s.exposure.during.vib.grms != 0.0)
            assert_int_not_equal(f.domain, WI_DOMAIN_INSIDE);
        wi_forecast_release(&f);
    }
}

static void without_exposure_nothing_changes(void **state)
{
    struct wi_random r = {2};

    (void)state;
    for (size_t k = 0; k < 1000; k++) {
        struct wi_scenario s;
        struct wi_forecast f;

        random_scenario(&r, &s);
        s.phase = pick(&r, 2) ? WI_PHASE_RUNNING : WI_PHASE_POST;
        s.pe_cycles = NAN;
        /* longer than the measured 6 h the data age */
        if (s.phase == WI_PHASE_POST)
            s.exposure.during_h = fmin(s.exposure.during_h, 6.0);
        s.exposure.during = s.exposure.before;
        if (s.exposure.has_after)
            s.exposure.after = s.exposure.before;
        predict(model, &s, &f);
        for (size_t i = 0; i <= f.n_tail; i++) {
            assert_true(change_at(&f, i)->change_pct == 0.0);
            /* noise alone: below 0.1 in log, three sds of the noisiest percentile */
            assert_true(change_at(&f, i)->high_pct < 12.0);
        }
        wi_forecast_release(&f);
    }
}

/* The quiet ageing of vendor C is +8.7 % at the 99.99th in the study's own table. */
static void long_term_without_stress_keeps_the_quiet_ageing(void **state)
{
    struct wi_scenario s;
    struct wi_forecast f;
    struct wi_err err;

    (void)state;
    wi_scenario_init(&s);
    s.phase = WI_PHASE_LONG_TERM;
    s.op = WI_OP_READ;
    s.given = WI_F_PHASE | WI_F_OP;
    snprintf(s.vendor, sizeof(s.vendor), "C");
    s.percentiles[0] = 99.99;
    s.n_percentiles = 1;
    s.given |= WI_F_PERCENTILES;
    assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
    predict(model, &s, &f);
    assert_near(f.tail[0].change_pct, 8.7, 1.0);
    assert_true(f.warnings.n > 0);
    wi_forecast_release(&f);
}

static void heating_and_cooling_are_opposite_in_log(void **state)
{
    struct wi_random r = {3};
    size_t checked = 0;

    (void)state;
    for (size_t k = 0; k < N_RANDOM; k++) {
        struct wi_row q[2];
        struct wi_moments m[2];
        struct wi_scenario s;
        struct wi_err err;

        random_scenario(&r, &s);
        wi_row_init(&q[0], WI_GROUP_TH, s.op, WI_PHASE_RUNNING, &s.exposure, s.nand);
        wi_row_set_drive(&q[0], &model->rows, s.vendor, "");
        wi_row_set_percentile(&q[0], pick(&r, 6) ? s.percentiles[pick(&r, 5)] : NAN);
        q[1] = q[0];
        for (size_t i = 0; i < 2; i++) {
            q[1].temp_c[i] = q[0].temp_c[1 - i];
            q[1].rh_pct[i] = q[0].rh_pct[1 - i];
        }
        assert_int_equal(wi_evidence_moments(model, q, 2, m, NULL, 0, &err), WI_OK);
        assert_near(m[0].mean, -m[1].mean, 1e-10 * (1 + fabs(m[0].mean)));
        assert_near(m[0].var, m[1].var, 1e-10 * (1 + m[0].var));
        checked++;
    }
    assert_int_equal(checked, N_RANDOM);
}

static void a_higher_confidence_is_wider(void **state)
{
    struct wi_random r = {4};

    (void)state;
    for (size_t k = 0; k < 2000; k++) {
        struct wi_scenario s;
        struct wi_forecast a, b;

        random_scenario(&r, &s);
        s.confidence = between(&r, 0.5, 0.9);
        predict(model, &s, &a);
        s.confidence += 0.05;
        predict(model, &s, &b);
        for (size_t i = 0; i <= a.n_tail; i++) {
            assert_true(change_at(&b, i)->low_pct < change_at(&a, i)->low_pct);
            assert_true(change_at(&b, i)->high_pct > change_at(&a, i)->high_pct);
        }
        wi_forecast_release(&a);
        wi_forecast_release(&b);
    }
}

/* A row of the model, as a scenario would ask for it. */
static void random_row(struct wi_random *r, const struct wi_evidence *ev, struct wi_row *q)
{
    struct wi_scenario s;

    random_scenario(r, &s);
    wi_row_init(q, pick(r, 2) ? WI_GROUP_TH : WI_GROUP_VIB, s.op, s.phase, &s.exposure, s.nand);
    wi_row_set_drive(q, &ev->rows, s.vendor, "");
    wi_row_set_percentile(q, pick(r, 6) ? s.percentiles[pick(r, 5)] : NAN);
}

static void an_unknown_vendor_is_not_narrower(void **state)
{
    struct wi_random r = {5};

    (void)state;
    for (size_t k = 0; k < N_RANDOM; k++) {
        struct wi_row known, unknown;
        struct wi_moments a, b;
        struct wi_err err;

        random_row(&r, model, &known);
        unknown = known;
        unknown.vendor = unknown.device = WI_NONE_ID;
        unknown.letter = 3;
        unknown.reference = false;
        assert_int_equal(wi_evidence_moments(at_mode, &known, 1, &a, NULL, 0, &err), WI_OK);
        assert_int_equal(wi_evidence_moments(at_mode, &unknown, 1, &b, NULL, 0, &err), WI_OK);
        if (!known.fresh)
            assert_true(sqrt(b.var) >= sqrt(a.var) * (1 - 1e-9) - 1e-12);
    }
}

static void the_open_sd_does_not_shrink_away_from_the_hull(void **state)
{
    struct wi_random r = {6};

    (void)state;
    for (size_t k = 0; k < N_RANDOM; k++) {
        struct wi_row near, far;
        struct wi_moments a, b;
        struct wi_err err;
        double step = between(&r, 1, 20);
        size_t what = pick(&r, 4);

        random_row(&r, model, &near);
        for (size_t i = 0; i < 3; i++) { /* inside the hull but for one variable */
            near.temp_c[i] = i == 1 ? 60 : 22.5;
            near.rh_pct[i] = i == 1 ? 80 : 50;
        }
        near.ln_freq = 0;
        near.ln_grms = NAN;
        far = near;
        if (what == 0) {
            near.temp_c[1] = between(&r, 60, 90);
            far.temp_c[1] = near.temp_c[1] + step;
        } else if (what == 1) {
            near.rh_pct[1] = between(&r, 80, 90);
            far.rh_pct[1] = near.rh_pct[1] + step / 2;
        } else if (what == 2) {
            near.ln_freq = between(&r, 0, 3);
            far.ln_freq = near.ln_freq + step / 10;
        } else {
            near.ln_grms = between(&r, 0, 2);
            far.ln_grms = near.ln_grms + step / 10;
        }
        assert_int_equal(wi_evidence_moments(at_mode, &near, 1, &a, NULL, 0, &err), WI_OK);
        assert_int_equal(wi_evidence_moments(at_mode, &far, 1, &b, NULL, 0, &err), WI_OK);
        if (sqrt(b.var) < sqrt(a.var) * (1 - 1e-6))
            fail_msg("variable %zu of %s: sd %.6g at the hull, %.6g beyond", what,
                     near.group == WI_GROUP_TH ? "th" : "vib", sqrt(a.var), sqrt(b.var));
    }
}

/* At one point of hyper-parameters, since the cloud's spread of means may go either way. */
static void a_new_row_never_raises_the_open_variance(void **state)
{
    struct wi_random r = {7};
    struct wi_row *rows = malloc((model->rows.n + 1) * sizeof(*rows));

    (void)state;
    for (int part = 0; part < WI_N_PARTS; part++) {
        const struct wi_kernel *k = model->gp[part].kernel;
        size_t g = part == WI_PART_TH ? WI_GROUP_TH : WI_GROUP_VIB, n = 0;
        struct wi_err err;

        for (size_t i = 0; i < model->rows.n; i++) {
            /* interval rows have sites that follow the data; the property is that of a Gaussian */
            if ((int)wi_part_of(&model->rows.rows[i]) == part && !model->rows.rows[i].interval)
                rows[n++] = model->rows.rows[i];
        }
        for (size_t round = 0; round < 20; round++) {
            struct wi_gp without, with;
            size_t out = pick(&r, n);
            struct wi_row swap = rows[out];

            rows[out] = rows[n - 1];
            rows[n - 1] = swap;
            assert_int_equal(wi_gp_init(&without, k, rows, n - 1, fit->group[g].mode, 1, &err),
                             WI_OK);
            assert_int_equal(wi_gp_init(&with, k, rows, n, fit->group[g].mode, 1, &err), WI_OK);
            for (size_t i = 0; i < 200; i++) {
                struct wi_row q;
                struct wi_moments a, b;

                do
                    random_row(&r, model, &q);
                while ((int)wi_part_of(&q) != part);
                q.fresh = false;
                assert_int_equal(wi_gp_predict(&without, &q, 1, &a, NULL, 0, &err), WI_OK);
                assert_int_equal(wi_gp_predict(&with, &q, 1, &b, NULL, 0, &err), WI_OK);
                assert_true(b.var <= a.var + 1e-10);
            }
            wi_gp_release(&without);
            wi_gp_release(&with);
        }
    }
    free(rows);
}

static void the_order_of_rows_changes_nothing(void **state)
{
    struct wi_dataset ds = data;
    struct wi_random r = {8};
    struct wi_evidence *other;

    (void)state;
    ds.obs = malloc(data.n_obs * sizeof(*ds.obs));
    memcpy(ds.obs, data.obs, data.n_obs * sizeof(*ds.obs));
    for (size_t i = ds.n_obs - 1; i > 0; i--) {
        size_t j = pick(&r, i + 1);
        struct wi_observation t = ds.obs[i];

        ds.obs[i] = ds.obs[j];
        ds.obs[j] = t;
    }
    other = condition(&ds, fit);
    for (size_t k = 0; k < 1000; k++) {
        struct wi_scenario s;
        struct wi_forecast a, b;

        random_scenario(&r, &s);
        predict(model, &s, &a);
        predict(other, &s, &b);
        for (size_t i = 0; i <= a.n_tail; i++) {
            const struct wi_change *x = change_at(&a, i), *y = change_at(&b, i);

            assert_near(x->change_pct, y->change_pct, 1e-9 * (100 + fabs(x->change_pct)));
            assert_near(x->high_pct, y->high_pct, 1e-8 * (100 + fabs(x->high_pct)));
        }
        wi_forecast_release(&a);
        wi_forecast_release(&b);
    }
    wi_evidence_free(other);
    free(ds.obs);
}

static void a_saved_state_answers_the_same_bytes(void **state)
{
    struct wi_random r = {9};
    struct wi_evidence *loaded = NULL;
    struct wi_err err;
    void *bytes = NULL;
    size_t n = 0;

    (void)state;
    assert_int_equal(wi_evidence_save(model, &bytes, &n, &err), WI_OK);
    assert_int_equal(wi_evidence_load(bytes, n, &loaded, &err), WI_OK);
    for (size_t k = 0; k < 500; k++) {
        struct wi_scenario s;
        struct wi_forecast a, b;

        random_scenario(&r, &s);
        predict(model, &s, &a);
        predict(loaded, &s, &b);
        assert_memory_equal(a.tail, b.tail, sizeof(a.tail));
        assert_memory_equal(&a.bandwidth, &b.bandwidth, sizeof(a.bandwidth));
        assert_int_equal(a.domain, b.domain);
        assert_memory_equal(a.top, b.top, sizeof(a.top));
        wi_forecast_release(&a);
        wi_forecast_release(&b);
    }
    wi_evidence_free(loaded);
    for (size_t k = 0; k < 300; k++) { /* any flipped bit, any cut */
        unsigned char *bad = malloc(n);
        size_t len = k % 3 ? n : pick(&r, n);

        memcpy(bad, bytes, n);
        bad[pick(&r, k % 2 ? n : 200)] ^= (unsigned char)(1u << pick(&r, 8));
        assert_int_equal(wi_evidence_load(bad, len, &loaded, &err), WI_EDATA);
        free(bad);
    }
    free(bytes);
}

/* A device that the user measured, heated like the drives of DATE'22 but with twice the effect. */
static void own_measurements_narrow_the_answer_about_that_drive(void **state)
{
    static const double change_pct[5] = {-55, -45, -28, -13, -4};
    static const double percentiles[5] = {90, 95, 99, 99.9, 99.99};
    struct wi_dataset ds = data;
    struct wi_evidence *other;
    struct wi_scenario s;
    struct wi_forecast before, own, kind;
    struct wi_experiment *x;
    struct wi_err err;

    (void)state;
    ds.exps = malloc((data.n_exps + 1) * sizeof(*ds.exps));
    ds.obs = malloc((data.n_obs + 5) * sizeof(*ds.obs));
    memcpy(ds.exps, data.exps, data.n_exps * sizeof(*ds.exps));
    memcpy(ds.obs, data.obs, data.n_obs * sizeof(*ds.obs));
    wi_scenario_init(&s);
    s.nand = WI_NAND_TLC;
    assert_int_equal(wi_scenario_parse_temp(&s, "22.5:60", &err), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
    predict(model, &s, &kind);
    x = &ds.exps[ds.n_exps];
    for (size_t i = 0; i < data.n_obs; i++) { /* an experiment to start from */
        if (strcmp(data.exps[data.obs[i].exp].id, "DATE22-3-TLC") == 0)
            *x = data.exps[data.obs[i].exp];
    }
    assert_true(x->id[0]);
    snprintf(x->id, sizeof(x->id), "mine");
    snprintf(x->device, sizeof(x->device), "MyDrive 1T");
    snprintf(x->vendor, sizeof(x->vendor), "Maker");
    for (size_t i = 0; i < 5; i++) {
        ds.obs[ds.n_obs] = (struct wi_observation){.exp = ds.n_exps,
                                                   .percentile = percentiles[i],
                                                   .change_pct = change_pct[i],
                                                   .low_pct = NAN,
                                                   .high_pct = NAN,
                                                   .reading_error_pct = 1};
        snprintf(ds.obs[ds.n_obs++].id, WI_ID_MAX, "mine-%zu", i);
    }
    ds.n_exps++;
    other = condition(&ds, fit);
    predict(other, &s, &before);
    snprintf(s.device, sizeof(s.device), "MyDrive 1T");
    predict(other, &s, &own);
    for (size_t i = 0; i < 3; i++) {
        double wide = kind.tail[i].high_pct - kind.tail[i].low_pct;

        assert_true(own.tail[i].high_pct - own.tail[i].low_pct < wide);
        assert_true(fabs(own.tail[i].change_pct - change_pct[i]) <
                    fabs(kind.tail[i].change_pct - change_pct[i]));
        /* and a drive of the kind moves towards it, less */
        assert_true(before.tail[i].change_pct < kind.tail[i].change_pct);
        assert_true(before.tail[i].change_pct > own.tail[i].change_pct);
    }
    assert_string_equal(own.top[0].id, "mine");
    wi_forecast_release(&kind);
    wi_forecast_release(&before);
    wi_forecast_release(&own);
    wi_evidence_free(other);
    free(ds.exps);
    free(ds.obs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_finite_ordered_and_has_its_domain),
        cmocka_unit_test(without_exposure_nothing_changes),
        cmocka_unit_test(long_term_without_stress_keeps_the_quiet_ageing),
        cmocka_unit_test(heating_and_cooling_are_opposite_in_log),
        cmocka_unit_test(a_higher_confidence_is_wider),
        cmocka_unit_test(an_unknown_vendor_is_not_narrower),
        cmocka_unit_test(the_open_sd_does_not_shrink_away_from_the_hull),
        cmocka_unit_test(a_new_row_never_raises_the_open_variance),
        cmocka_unit_test(the_order_of_rows_changes_nothing),
        cmocka_unit_test(a_saved_state_answers_the_same_bytes),
        cmocka_unit_test(own_measurements_narrow_the_answer_about_that_drive),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

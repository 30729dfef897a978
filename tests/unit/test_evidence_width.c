/*
 * Where the answer must be wide: own rows that contradict the fit, a cell type that is not stated,
 * another excitation than the measured one, percentiles below the measured.
 */
#include "evidence_data.h"

#include "core/evidence_model.h"
#include "core/fastpath.h"

#define N_OWN 6

static const double percentiles[5] = {90, 95, 99, 99.9, 99.99};
/* Far from the published -1..-31 %, and a bandwidth where the published one rose by 64 %. */
static const double contrary_pct[N_OWN] = {25, 30, 40, 80, 150, -40};

static struct wi_dataset data;
static struct wi_fit *fit;
static struct wi_evidence *model;

static struct wi_evidence *condition(const struct wi_dataset *ds)
{
    struct wi_evidence *ev = NULL;
    struct wi_err err;

    if (wi_evidence_new(ds, fit, &ev, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return ev;
}

static int set_up(void **state)
{
    struct wi_err err;

    (void)state;
    embedded_dataset(&data);
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err), WI_OK);
    model = condition(&data);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_evidence_free(model);
    wi_fit_free(fit);
    wi_dataset_release(&data);
    return 0;
}

static void heat(struct wi_scenario *s, enum wi_nand nand)
{
    struct wi_err err;

    wi_scenario_init(s);
    s->nand = nand;
    s->given |= WI_F_NAND;
    assert_int_equal(wi_scenario_parse_temp(s, "22.5:60", &err), WI_OK);
    assert_int_equal(wi_scenario_complete(s, &err), WI_OK);
    assert_int_equal(wi_scenario_set_percentiles(s, percentiles, 5, &err), WI_OK);
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

static double ln_width(const struct wi_change *c)
{
    return log1p(c->high_pct / 100) - log1p(c->low_pct / 100);
}

static void assert_holds(const struct wi_change *c, double change_pct)
{
    if (!(c->low_pct <= change_pct && change_pct <= c->high_pct))
        fail_msg("p%g: %g..%g does not hold %g", c->percentile, c->low_pct, c->high_pct,
                 change_pct);
}

/* The embedded data and one more TLC drive at 22.5 to 60 C; `backwards`: its rows in reverse. */
static struct wi_evidence *with_own(const double *change_pct, double error_pct, bool embedded,
                                    bool backwards)
{
    struct wi_dataset ds = data;
    struct wi_evidence *ev;
    struct wi_experiment *x;

    ds.exps = malloc((data.n_exps + 1) * sizeof(*ds.exps));
    ds.obs = malloc((data.n_obs + N_OWN) * sizeof(*ds.obs));
    memcpy(ds.exps, data.exps, data.n_exps * sizeof(*ds.exps));
    memcpy(ds.obs, data.obs, data.n_obs * sizeof(*ds.obs));
    x = &ds.exps[ds.n_exps];
    for (size_t i = 0; i < data.n_exps; i++) {
        if (strcmp(data.exps[i].id, "DATE22-3-TLC") == 0)
            *x = data.exps[i];
    }
    assert_true(x->id[0]);
    snprintf(x->id, sizeof(x->id), "mine");
    snprintf(x->device, sizeof(x->device), "mine");
    x->embedded = embedded;
    for (size_t k = 0; k < N_OWN; k++) {
        size_t i = backwards ? N_OWN - 1 - k : k;

        ds.obs[ds.n_obs] =
            (struct wi_observation){.exp = ds.n_exps,
                                    .op = WI_OP_MIXED,
                                    .metric = i < 5 ? WI_METRIC_TAIL_LATENCY : WI_METRIC_BANDWIDTH,
                                    .percentile = i < 5 ? percentiles[i] : NAN,
                                    .change_pct = change_pct[i],
                                    .low_pct = NAN,
                                    .high_pct = NAN,
                                    .reading_error_pct = error_pct};
        snprintf(ds.obs[ds.n_obs++].id, WI_ID_MAX, "mine-%zu", i);
    }
    ds.n_exps++;
    ev = condition(&ds);
    free(ds.exps);
    free(ds.obs);
    return ev;
}

static void a_drive_that_contradicts_the_fit_keeps_its_measurements_in_its_interval(void **state)
{
    struct wi_evidence *ev = with_own(contrary_pct, 0.5, false, false);
    struct wi_forecast f, published;
    struct wi_scenario s;

    (void)state;
    heat(&s, WI_NAND_TLC);
    snprintf(s.device, sizeof(s.device), "mine");
    predict(ev, &s, &f);
    for (size_t i = 0; i < N_OWN; i++)
        assert_holds(change_at(&f, i), contrary_pct[i]);
    wi_forecast_release(&f);
    /* A new drive may be like either. */
    s.device[0] = '\0';
    predict(ev, &s, &f);
    snprintf(s.device, sizeof(s.device), "DATE22");
    predict(model, &s, &published);
    for (size_t i = 0; i < N_OWN; i++) {
        assert_holds(change_at(&f, i), contrary_pct[i]);
        assert_holds(change_at(&f, i), change_at(&published, i)->change_pct);
    }
    assert_true(f.domain >= WI_DOMAIN_EDGE);
    wi_forecast_release(&f);
    wi_forecast_release(&published);
    wi_evidence_free(ev);
}

static void assert_same(const struct wi_evidence *a, const struct wi_evidence *b, const char *drive,
                        double tol)
{
    struct wi_forecast x, y;
    struct wi_scenario s;

    heat(&s, WI_NAND_TLC);
    snprintf(s.device, sizeof(s.device), "%s", drive);
    predict(a, &s, &x);
    predict(b, &s, &y);
    for (size_t i = 0; i < N_OWN; i++) {
        assert_near(change_at(&x, i)->low_pct, change_at(&y, i)->low_pct, tol);
        assert_near(change_at(&x, i)->change_pct, change_at(&y, i)->change_pct, tol);
        assert_near(change_at(&x, i)->high_pct, change_at(&y, i)->high_pct, tol);
    }
    wi_forecast_release(&x);
    wi_forecast_release(&y);
}

/* Rows that came with the program are never widened: against those the widening is nothing. */
static void own_rows_that_agree_change_nothing(void **state)
{
    struct wi_forecast published;
    struct wi_evidence *own, *plain;
    struct wi_scenario s;
    double agreeing_pct[N_OWN];

    (void)state;
    heat(&s, WI_NAND_TLC);
    predict(model, &s, &published);
    for (size_t i = 0; i < N_OWN; i++)
        agreeing_pct[i] = change_at(&published, i)->change_pct;
    wi_forecast_release(&published);
    own = with_own(agreeing_pct, 2, false, false);
    plain = with_own(agreeing_pct, 2, true, false);
    assert_int_equal(own->misfit[WI_PART_TH].n, 0);
    assert_same(own, plain, "mine", 0);
    assert_same(own, plain, "", 0);
    wi_evidence_free(own);
    wi_evidence_free(plain);
}

static void own_rows_that_contradict_only_widen_and_in_any_order(void **state)
{
    struct wi_evidence *own = with_own(contrary_pct, 0.5, false, false);
    struct wi_evidence *plain = with_own(contrary_pct, 0.5, true, false);
    struct wi_evidence *backwards = with_own(contrary_pct, 0.5, false, true);
    static const char *const drives[] = {"mine", "", "DATE22"};

    (void)state;
    assert_true(own->misfit[WI_PART_TH].n > 0);
    for (size_t k = 0; k < 3; k++) {
        struct wi_forecast wide, narrow;
        struct wi_scenario s;

        heat(&s, WI_NAND_TLC);
        snprintf(s.device, sizeof(s.device), "%s", drives[k]);
        predict(own, &s, &wide);
        predict(plain, &s, &narrow);
        for (size_t i = 0; i < N_OWN; i++)
            assert_true(ln_width(change_at(&wide, i)) >= ln_width(change_at(&narrow, i)));
        wi_forecast_release(&wide);
        wi_forecast_release(&narrow);
        assert_same(own, backwards, drives[k], 1e-6);
    }
    wi_evidence_free(own);
    wi_evidence_free(plain);
    wi_evidence_free(backwards);
}

static void a_saved_misfit_and_the_fast_path_answer_the_same(void **state)
{
    struct wi_evidence *own = with_own(contrary_pct, 0.5, false, false), *loaded = NULL;
    struct wi_fast *fast = NULL;
    struct wi_fast_row row;
    struct wi_forecast f;
    struct wi_scenario s;
    struct wi_err err;
    void *bytes = NULL;
    size_t n = 0;

    (void)state;
    assert_int_equal(wi_evidence_save(own, &bytes, &n, &err), WI_OK);
    assert_int_equal(wi_evidence_load(bytes, n, &loaded, &err), WI_OK);
    assert_same(own, loaded, "mine", 0);
    assert_same(own, loaded, "", 0);
    heat(&s, WI_NAND_TLC);
    s.exposure.during.temp_c = 51; /* no measured step */
    predict(own, &s, &f);
    assert_int_equal(wi_fast_new(own, false, &fast, &err), WI_OK);
    assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
    for (size_t i = 0; i < N_OWN; i++) {
        assert_near(row.out[i].low_pct, change_at(&f, i)->low_pct, 1e-3);
        assert_near(row.out[i].high_pct, change_at(&f, i)->high_pct, 1e-3);
    }
    wi_forecast_release(&f);
    wi_fast_free(fast);
    wi_evidence_free(loaded);
    wi_evidence_free(own);
    free(bytes);
}

static void not_to_know_the_cell_type_is_not_narrower(void **state)
{
    static const char *const steps[] = {"22.5:60", "22.5:45", "60:22.5", "22.5:75"};

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        struct wi_forecast tlc, mlc, unknown;
        struct wi_scenario s;
        struct wi_err err;

        heat(&s, WI_NAND_TLC);
        assert_int_equal(wi_scenario_parse_temp(&s, steps[k], &err), WI_OK);
        predict(model, &s, &tlc);
        s.nand = WI_NAND_MLC;
        predict(model, &s, &mlc);
        s.nand = WI_NAND_UNKNOWN;
        predict(model, &s, &unknown);
        for (size_t i = 0; i < N_OWN; i++) {
            const struct wi_change *t = change_at(&tlc, i), *m = change_at(&mlc, i);
            const struct wi_change *u = change_at(&unknown, i);

            /* but for what the few throttling drives shift */
            if (ln_width(u) < 0.995 * fmax(ln_width(t), ln_width(m)))
                fail_msg("%s, output %zu: %g, known %g and %g", steps[k], i, ln_width(u),
                         ln_width(t), ln_width(m));
            assert_holds(u, t->change_pct);
            assert_holds(u, m->change_pct);
            /* Of a range in the logarithm, all but a tenth of either's is covered. */
            assert_true(log1p(u->high_pct / 100) >= log1p(t->high_pct / 100) - 0.1 * ln_width(t));
            assert_true(log1p(u->low_pct / 100) <= log1p(m->low_pct / 100) + 0.1 * ln_width(m));
        }
        wi_forecast_release(&tlc);
        wi_forecast_release(&mlc);
        wi_forecast_release(&unknown);
    }
}

static void another_excitation_widens_every_percentile(void **state)
{
    static const struct {
        double freq_hz, grms;
    } step[] = {{20, NAN}, {25, NAN}, {40, NAN}, {200, NAN}, {1000, NAN}, {1000, 1.14}, {1000, 5}};
    static const double tail[3] = {99, 99.9, 99.999};
    double last[4] = {0};

    (void)state;
    for (size_t k = 0; k < sizeof(step) / sizeof(*step); k++) {
        struct wi_scenario s;
        struct wi_forecast f;
        struct wi_err err;

        wi_scenario_init(&s);
        s.exposure.during.vib.axis = WI_AXIS_PARALLEL;
        s.exposure.during.vib.freq_hz = step[k].freq_hz;
        s.exposure.during.vib.grms = step[k].grms;
        s.given |= WI_F_DURING_VIB;
        assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
        assert_int_equal(wi_scenario_set_percentiles(&s, tail, 3, &err), WI_OK);
        predict(model, &s, &f);
        for (size_t i = 0; i < 4; i++) {
            double width = ln_width(change_at(&f, i));

            if (k > 0 && !(width > 1.05 * last[i]))
                fail_msg("output %zu at %g Hz, %g grms: %g after %g", i, step[k].freq_hz,
                         step[k].grms, width, last[i]);
            last[i] = width;
        }
        wi_forecast_release(&f);
    }
}

/* What is measured at 20 Hz is not touched: all embedded rows are at 20 Hz, none states grms. */
static void at_the_measured_excitation_nothing_is_added(void **state)
{
    const struct wi_kernel *k = &wi_kernel_vib;
    struct wi_row stated, plain;
    double a, b;

    (void)state;
    for (size_t i = 0; i < model->rows.n; i++) {
        if (model->rows.rows[i].group != WI_GROUP_VIB || model->rows.rows[i].axis == WI_AXIS_NONE ||
            model->rows.rows[i].fresh)
            continue;
        plain = stated = model->rows.rows[i];
        assert_true(plain.ln_freq == 0 && isnan(plain.ln_grms));
        stated.ln_freq = log(2.0); /* covaries with the measured rows less, never more */
        k->block(model->gp[0].t, &plain, 1, &plain, 1, &a);
        k->block(model->gp[0].t, &stated, 1, &plain, 1, &b);
        assert_true(fabs(b) < fabs(a));
        k->block(model->gp[0].t, &stated, 1, &stated, 1, &b);
        assert_true(b > a);
    }
}

static void below_the_lowest_percentile_the_interval_grows(void **state)
{
    static const double low[5] = {50, 70, 80, 90, 99};
    struct wi_scenario s;
    struct wi_forecast f;
    struct wi_err err;

    (void)state;
    heat(&s, WI_NAND_TLC);
    assert_int_equal(wi_scenario_set_percentiles(&s, low, 5, &err), WI_OK);
    predict(model, &s, &f);
    for (size_t i = 0; i < 3; i++)
        assert_true(ln_width(&f.tail[i]) > 1.1 * ln_width(&f.tail[i + 1]));
    assert_holds(&f.tail[0], 0);
    assert_int_equal(f.domain, WI_DOMAIN_OUTSIDE);
    wi_forecast_release(&f);
    assert_int_equal(wi_scenario_set_percentiles(&s, low + 3, 2, &err), WI_OK);
    predict(model, &s, &f);
    assert_int_equal(f.domain, WI_DOMAIN_EDGE);
    wi_forecast_release(&f);
}

/* Own figures that jump from one percentile to the next, as no smooth curve does. */
static void a_drive_is_answered_by_what_it_measured_itself(void **state)
{
    static const double jagged_pct[N_OWN] = {-20, 90, -30, 120, -6.56, 30};
    struct wi_evidence *ev = with_own(jagged_pct, 0.5, false, false);
    struct wi_fast *fast = NULL;
    struct wi_fast_row row;
    struct wi_forecast f;
    struct wi_scenario s;
    struct wi_err err;

    (void)state;
    assert_true(ev->misfit[WI_PART_TH].n > 0);
    heat(&s, WI_NAND_TLC);
    snprintf(s.device, sizeof(s.device), "mine");
    predict(ev, &s, &f);
    assert_int_equal(wi_fast_new(ev, false, &fast, &err), WI_OK);
    assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
    for (size_t i = 0; i < N_OWN; i++) {
        double off = log1p(change_at(&f, i)->change_pct / 100) - log1p(jagged_pct[i] / 100);

        assert_holds(change_at(&f, i), jagged_pct[i]);
        /* a quarter of the width: nearer to the own row than to what is around it */
        if (fabs(off) > 0.25 * ln_width(change_at(&f, i)))
            fail_msg("output %zu: %g, measured %g", i, change_at(&f, i)->change_pct, jagged_pct[i]);
        assert_near(row.out[i].change_pct, change_at(&f, i)->change_pct, 1e-9);
    }
    wi_forecast_release(&f);
    wi_fast_free(fast);
    wi_evidence_free(ev);
}

static bool is_told(const struct wi_texts *list, const char *words)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strstr(list->items[i].text, words))
            return true;
    }
    return false;
}

/* A drive that ran hot is known not to throttle there more than it did; hotter, it may. */
static void a_measured_drive_gets_no_throttling_where_it_was_measured(void **state)
{
    static const char *const temps[] = {"22.5:60", "22.5:75"};
    struct wi_evidence *ev = with_own(contrary_pct, 0.5, false, false);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct wi_forecast sata, nvme;
        struct wi_scenario s;
        struct wi_err err;

        heat(&s, WI_NAND_TLC);
        assert_int_equal(wi_scenario_parse_temp(&s, temps[k], &err), WI_OK);
        snprintf(s.device, sizeof(s.device), "mine");
        predict(ev, &s, &sata);
        snprintf(s.interface, sizeof(s.interface), "M.2 NVMe");
        predict(ev, &s, &nvme);
        for (size_t i = 0; i < N_OWN && k == 0; i++) {
            assert_true(change_at(&sata, i)->low_pct == change_at(&nvme, i)->low_pct);
            assert_true(change_at(&sata, i)->high_pct == change_at(&nvme, i)->high_pct);
        }
        assert_int_equal(is_told(&nvme.warnings, "throttling: in air"), k == 1);
        assert_false(k == 0 && nvme.from_physics);
        wi_forecast_release(&sata);
        wi_forecast_release(&nvme);
    }
    wi_evidence_free(ev);
}

static void where_most_drives_throttle_the_answer_is_outside_and_holds_the_others(void **state)
{
    static const struct {
        const char *interface;
        bool carries;
    } drives[] = {{"", false}, {"SATA", false}, {"NVMe", true}, {"U.2", true}, {"M.2", true}};
    struct wi_fast *fast = NULL;
    struct wi_scenario s;
    struct wi_forecast f, plain;
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_fast_new(model, false, &fast, &err), WI_OK);
    for (double c = 60; c <= 63; c += 3) { /* a measured step, and none: both paths of a sweep */
        heat(&s, WI_NAND_TLC);
        s.exposure.during.temp_c = c;
        predict(model, &s, &plain);
        for (size_t k = 0; k < sizeof(drives) / sizeof(*drives); k++) {
            struct wi_fast_row row;

            snprintf(s.interface, sizeof(s.interface), "%s", drives[k].interface);
            predict(model, &s, &f);
            assert_int_equal(f.from_physics, drives[k].carries);
            assert_int_equal(f.domain == WI_DOMAIN_OUTSIDE, drives[k].carries);
            assert_int_equal(is_told(&f.domain_reasons, "throttling carries"), drives[k].carries);
            for (size_t i = 0; i < N_OWN; i++) {
                assert_holds(change_at(&f, i), 0);
                assert_holds(change_at(&f, i), change_at(&plain, i)->change_pct);
            }
            assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
            assert_int_equal(row.domain, f.domain);
            for (size_t i = 0; i < N_OWN; i++)
                assert_near(row.out[i].change_pct, change_at(&f, i)->change_pct, 0.1);
            wi_forecast_release(&f);
        }
        wi_forecast_release(&plain);
    }
    wi_fast_free(fast);
}

static void after_a_long_exposure_the_data_are_as_old_as_before_its_end(void **state)
{
    static const double hours[] = {NAN, 1, 6, 6.01, 7, 12, 24, 60, 119.9, 120, 1000, 8760};
    enum { N = sizeof(hours) / sizeof(*hours) };
    struct wi_forecast f[N], stored;
    struct wi_scenario s;
    struct wi_err err;

    (void)state;
    heat(&s, WI_NAND_TLC);
    assert_int_equal(wi_scenario_parse_temp(&s, "25:40:25", &err), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
    s.op = WI_OP_READ;
    s.phase = WI_PHASE_POST;
    for (size_t k = 0; k < N; k++) {
        s.exposure.during_h = hours[k];
        predict(model, &s, &f[k]);
    }
    s.phase = WI_PHASE_LONG_TERM;
    predict(model, &s, &stored);
    for (size_t i = 0; i < N_OWN; i++) {
        double width = 0;

        for (size_t k = 0; k < N; k++) {
            const struct wi_change *c = change_at(&f[k], i);

            if (k < 3) { /* as measured: the hours change no bit */
                assert_true(c->change_pct == change_at(&f[0], i)->change_pct);
                assert_true(c->low_pct == change_at(&f[0], i)->low_pct);
                assert_true(c->high_pct == change_at(&f[0], i)->high_pct);
            }
            assert_true(ln_width(c) >= width);
            width = ln_width(c);
        }
        /* no jump at either end of the mixture */
        assert_near(change_at(&f[3], i)->high_pct, change_at(&f[2], i)->high_pct, 0.1);
        assert_near(change_at(&f[9], i)->high_pct, change_at(&f[8], i)->high_pct, 0.1);
        assert_true(width >= ln_width(change_at(&stored, i)) - 1e-9);
        assert_holds(change_at(&f[N - 1], i), change_at(&stored, i)->change_pct);
    }
    assert_false(f[3].from_physics || f[3].domain == WI_DOMAIN_OUTSIDE);
    assert_true(f[N - 1].from_physics && f[N - 1].domain == WI_DOMAIN_OUTSIDE);
    for (size_t k = 0; k < N; k++)
        wi_forecast_release(&f[k]);
    wi_forecast_release(&stored);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drive_that_contradicts_the_fit_keeps_its_measurements_in_its_interval),
        cmocka_unit_test(own_rows_that_agree_change_nothing),
        cmocka_unit_test(own_rows_that_contradict_only_widen_and_in_any_order),
        cmocka_unit_test(a_saved_misfit_and_the_fast_path_answer_the_same),
        cmocka_unit_test(not_to_know_the_cell_type_is_not_narrower),
        cmocka_unit_test(another_excitation_widens_every_percentile),
        cmocka_unit_test(at_the_measured_excitation_nothing_is_added),
        cmocka_unit_test(below_the_lowest_percentile_the_interval_grows),
        cmocka_unit_test(a_drive_is_answered_by_what_it_measured_itself),
        cmocka_unit_test(a_measured_drive_gets_no_throttling_where_it_was_measured),
        cmocka_unit_test(where_most_drives_throttle_the_answer_is_outside_and_holds_the_others),
        cmocka_unit_test(after_a_long_exposure_the_data_are_as_old_as_before_its_end),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * The fast path against the direct one, on random scenarios.
 */
#include "evidence_data.h"

#include <time.h>

#include "core/evidence_model.h"
#include "core/fastpath.h"
#include "core/random.h"

static struct wi_dataset data;
static struct wi_evidence *model, *study;

/* The embedded experiments and an own drive of two conditions, which contradicts them. */
static void add_own(struct wi_dataset *ds)
{
    static const double during_c[] = {55.0, 41.0}, rh_pct[] = {50.0, 65.0};
    static const double percentiles[] = {90, 99, 99.9, 99.99, NAN};
    enum { CONDITIONS = 2, FIGURES = 5 };

    ds->exps = malloc((data.n_exps + CONDITIONS) * sizeof(*ds->exps));
    ds->obs = malloc((data.n_obs + CONDITIONS * FIGURES) * sizeof(*ds->obs));
    assert_true(ds->exps && ds->obs);
    memcpy(ds->exps, data.exps, data.n_exps * sizeof(*ds->exps));
    memcpy(ds->obs, data.obs, data.n_obs * sizeof(*ds->obs));
    ds->n_exps = data.n_exps;
    ds->n_obs = data.n_obs;
    for (size_t k = 0; k < CONDITIONS; k++) {
        struct wi_experiment *x = &ds->exps[ds->n_exps];

        for (size_t i = 0; i < data.n_exps; i++) {
            if (strcmp(data.exps[i].id, "DATE22-1-TLC") == 0)
                *x = data.exps[i];
        }
        assert_true(x->id[0]);
        snprintf(x->id, sizeof(x->id), "own-%zu", k);
        snprintf(x->vendor, sizeof(x->vendor), "Own");
        snprintf(x->device, sizeof(x->device), "Own drive");
        x->exposure.during.temp_c = during_c[k];
        x->exposure.during.rh_pct = rh_pct[k];
        x->embedded = false;
        for (size_t i = 0; i < FIGURES; i++) {
            bool tail = i + 1 < FIGURES;

            ds->obs[ds->n_obs] = (struct wi_observation){
                .exp = ds->n_exps,
                .op = WI_OP_MIXED,
                .metric = tail ? WI_METRIC_TAIL_LATENCY : WI_METRIC_BANDWIDTH,
                .percentile = percentiles[i],
                .change_pct = tail ? 80.0 + 30.0 * (double)k : -60.0,
                .low_pct = NAN,
                .high_pct = NAN,
                .reading_error_pct = 2.0};
            snprintf(ds->obs[ds->n_obs++].id, WI_ID_MAX, "own-%zu-%zu", k, i);
        }
        ds->n_exps++;
    }
}

static struct wi_evidence *with_own(void)
{
    struct wi_dataset ds = {0};
    struct wi_fit *fit = NULL;
    struct wi_evidence *ev = NULL;
    struct wi_err err;

    add_own(&ds);
    if (wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err) != WI_OK ||
        wi_evidence_new(&ds, fit, &ev, &err) != WI_OK)
        fail_msg("%s", err.msg);
    wi_fit_free(fit);
    free(ds.exps);
    free(ds.obs);
    assert_true(ev->misfit[WI_PART_TH].n > 0);
    return ev;
}

static struct wi_evidence *model_of(enum wi_model_kind kind)
{
    struct wi_fit *fit = NULL;
    struct wi_evidence *ev = NULL;
    struct wi_err err;

    if (wi_fit_embedded(kind, &fit, &err) != WI_OK ||
        wi_evidence_new(&data, fit, &ev, &err) != WI_OK)
        fail_msg("%s", err.msg);
    wi_fit_free(fit);
    return ev;
}

static int set_up(void **state)
{
    (void)state;
    embedded_dataset(&data);
    model = model_of(WI_MODEL_DEFAULT);
    study = model_of(WI_MODEL_STUDY);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_evidence_free(model);
    wi_evidence_free(study);
    wi_dataset_release(&data);
    return 0;
}

static double between(struct wi_random *r, double low, double high)
{
    return low + (high - low) * wi_random_uniform(r);
}

static size_t pick(struct wi_random *r, size_t n)
{
    return (size_t)(wi_random_uniform(r) * (double)n);
}

static void random_climate(struct wi_random *r, struct wi_scenario *s)
{
    struct wi_exposure *e = &s->exposure;

    e->before.temp_c = pick(r, 2) ? 22.5 : between(r, -40, 100);
    e->during.temp_c = pick(r, 4) ? between(r, -40, 100) : e->before.temp_c;
    e->before.rh_pct = pick(r, 2) ? 50 : between(r, 5, 95);
    e->during.rh_pct = pick(r, 2) ? between(r, 5, 95) : e->before.rh_pct;
    if (pick(r, 10) == 0) { /* a measured step */
        e->before.temp_c = 22.5;
        e->during.temp_c = 60;
        e->before.rh_pct = e->during.rh_pct = 50;
    }
    if (e->has_after) {
        e->after.temp_c = between(r, -20, 60);
        e->after.rh_pct = between(r, 20, 80);
    }
}

static void random_rest(struct wi_random *r, struct wi_scenario *s)
{
    static const char *const vendors[] = {"", "Own", "B", "DATE22"};
    static const char *const interfaces[] = {"", "", "M.2 NVMe", "U.2"};
    static const double confidences[] = {0.9, 0.5, 0.99, 0.999};
    static const double many[] = {50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9, 99.99, 99.999, 100};
    struct wi_err err;

    wi_scenario_init(s);
    s->nand = (enum wi_nand)pick(r, 5);
    s->op = (enum wi_op)pick(r, 3);
    s->phase = (enum wi_phase)pick(r, 3);
    s->exposure.has_after = s->phase == WI_PHASE_POST;
    s->given = WI_F_PHASE | WI_F_OP | WI_F_AFTER_TEMP * (s->exposure.has_after ? 1u : 0u);
    s->exposure.after.temp_c = 22.5;
    snprintf(s->vendor, sizeof(s->vendor), "%s", vendors[pick(r, 4)]);
    snprintf(s->interface, sizeof(s->interface), "%s", interfaces[pick(r, 4)]);
    s->confidence = confidences[pick(r, 4)];
    s->given |= WI_F_CONFIDENCE;
    if (pick(r, 4) == 0)
        s->tmt1_c = 65.0;
    if (pick(r, 4) == 0)
        wi_scenario_set_percentiles(s, many, sizeof(many) / sizeof(many[0]), &err);
    if (pick(r, 2)) {
        s->exposure.during.vib.axis = (enum wi_axis)(1 + pick(r, 2));
        s->exposure.during.vib.freq_hz = pick(r, 2) ? 20 : 50;
        s->given |= WI_F_DURING_VIB;
    }
    if (wi_scenario_complete(s, &err) != WI_OK)
        fail_msg("%s", err.msg);
}

/* Log half width: what an interval says about its sd. */
static double half(double low, double high)
{
    return 0.5 * (log1p(high / 100) - log1p(low / 100));
}

/* in: top_frac  least share of scenarios whose strongest experiment must be the same */
static void compare(const struct wi_evidence *ev, size_t n_drives, double top_frac)
{
    struct wi_fast *fast = NULL;
    struct wi_random r = {21};
    struct wi_err err;
    double worst = 0.0, worst_sd = 0.0;
    size_t same_top = 0, n = 0;

    assert_int_equal(wi_fast_new(ev, true, &fast, &err), WI_OK);
    for (size_t k = 0; k < n_drives; k++) {
        struct wi_scenario s;

        random_rest(&r, &s);
        for (size_t i = 0; i < 50; i++) {
            struct wi_forecast f = {0};
            struct wi_fast_row row;

            random_climate(&r, &s);
            assert_int_equal(wi_evidence_predict(ev, &s, &f, &err), WI_OK);
            assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
            for (size_t j = 0; j <= f.n_tail; j++) {
                const struct wi_change *c = j < f.n_tail ? &f.tail[j] : &f.bandwidth;
                double scale = fmax(1.0, 1.0 + c->change_pct / 100); /* points of a large change */

                worst = fmax(worst, fabs(row.out[j].change_pct - c->change_pct) / scale);
                worst_sd = fmax(worst_sd, fabs(half(row.out[j].low_pct, row.out[j].high_pct) /
                                                   half(c->low_pct, c->high_pct) -
                                               1));
            }
            if (row.domain != f.domain)
                fail_msg("domain %d, direct %d", row.domain, f.domain);
            same_top += row.n_evidence ? f.n_top && strcmp(row.evidence[0], f.top[0].id) == 0
                                       : f.n_top == 0;
            n++;
            wi_forecast_release(&f);
        }
    }
    print_message("worst difference: %.1e points, sd %.1e; same strongest experiment %zu of %zu\n",
                  worst, worst_sd, same_top, n);
    assert_true(worst <= 0.001);
    assert_true(worst_sd <= 0.001);
    assert_true((double)same_top >= top_frac * (double)n);
    wi_fast_free(fast);
}

static void the_fast_path_says_what_the_direct_one_says(void **state)
{
    struct wi_evidence *own;

    (void)state;
    compare(model, 60, 0.7);
    compare(study, 30, 0.3);
    own = with_own();
    compare(own, 60, 0.3);
    wi_evidence_free(own);
}

/*
 * More drives than contexts are kept for: what was forgotten is computed to the same bytes, and in
 * whatever order the scenarios come.
 */
static void order_and_neighbours_change_no_byte(void **state)
{
    enum { DRIVES = 600 };
    struct wi_fast_row *first = calloc(DRIVES, sizeof(*first)), row = {0};
    struct wi_fast *fast = NULL;
    struct wi_err err;

    (void)state;
    assert_non_null(first);
    assert_int_equal(wi_fast_new(model, false, &fast, &err), WI_OK);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < DRIVES; k++) {
            size_t i = pass ? DRIVES - 1 - k : k;
            struct wi_scenario s;

            wi_scenario_init(&s);
            s.nand = i % 3 ? WI_NAND_TLC : WI_NAND_UNKNOWN;
            s.exposure.during_h = 1.0 + 0.01 * (double)i;
            s.given = WI_F_DURING_HOURS;
            assert_int_equal(wi_scenario_parse_temp(&s, i % 2 ? "22.5:80" : "30:41", &err), WI_OK);
            assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
            assert_int_equal(wi_fast_predict(fast, &s, pass ? &row : &first[i], &err), WI_OK);
            if (pass)
                assert_memory_equal(row.out, first[i].out, 6 * sizeof(row.out[0]));
        }
    }
    wi_fast_free(fast);
    free(first);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void a_scenario_costs_microseconds(void **state)
{
    struct wi_fast *fast = NULL;
    struct wi_random r = {22};
    struct wi_scenario s;
    struct wi_fast_row row;
    struct wi_err err;
    double start;
    const size_t n = 20000;

    (void)state;
    wi_scenario_init(&s);
    s.nand = WI_NAND_TLC;
    assert_int_equal(wi_scenario_parse_temp(&s, "22.5:40", &err), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, &err), WI_OK);
    assert_int_equal(wi_fast_new(model, true, &fast, &err), WI_OK);
    assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
    start = seconds();
    for (size_t i = 0; i < n; i++) {
        s.exposure.during.temp_c = between(&r, 10, 45);
        s.exposure.during.rh_pct = between(&r, 20, 80);
        assert_int_equal(wi_fast_predict(fast, &s, &row, &err), WI_OK);
    }
    start = (seconds() - start) / (double)n;
    print_message("%.2f us per scenario of 5 percentiles and bandwidth\n", 1e6 * start);
    assert_true(start < 50e-6);
    wi_fast_free(fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fast_path_says_what_the_direct_one_says),
        cmocka_unit_test(order_and_neighbours_change_no_byte),
        cmocka_unit_test(a_scenario_costs_microseconds),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

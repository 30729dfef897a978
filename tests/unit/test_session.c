/*
 * A session over a store that changes: what was imported or removed, by this program or another,
 * counts in the very next answer.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/session.h"

struct place {
    char dir[64], db[96];
};

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof(*p));

    if (!p)
        return -1;
    snprintf(p->dir, sizeof(p->dir), "/tmp/wi-session-XXXXXX");
    if (!mkdtemp(p->dir))
        return -1;
    snprintf(p->db, sizeof(p->db), "%s/k.db", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const suffixes[] = {"", ".scenario.index", ".text.index",
                                           ".principle.index"};
    struct place *p = *state;
    int rc;

    for (size_t i = 0; i < 4; i++) {
        char path[160];

        snprintf(path, sizeof(path), "%s%s", p->db, suffixes[i]);
        unlink(path);
    }
    rc = rmdir(p->dir);
    free(p);
    return rc;
}

static void count(void *ctx, const char *line)
{
    size_t *n = ctx;

    *n += strstr(line, "observations into the model") != NULL;
}

static struct wi_session *start(const struct place *p, size_t *n_progress)
{
    struct wi_session_options opt = {.db = p->db, .progress = count, .note_ctx = n_progress};
    struct wi_session *session = NULL;
    struct wi_err err = {0};

    if (wi_session_open(&opt, &session, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return session;
}

#define N_PER_EXPERIMENT 300
#define N_EXPERIMENTS 18 /* more observations than are taken in without a word */

/* "mine-0" and on: one drive, TLC, read, heated to 60 C, far slower than any published one. */
static void import(struct wi_store *store)
{
    size_t n = N_EXPERIMENTS, n_obs = N_EXPERIMENTS * N_PER_EXPERIMENT, n_added = 0;
    struct wi_experiment *e = calloc(n, sizeof(*e));
    struct wi_observation *o = calloc(n_obs, sizeof(*o));
    struct wi_provenance *p = calloc(n, sizeof(*p));
    struct wi_step room = {22.5, 50, {WI_AXIS_NONE, NAN, NAN}};
    struct wi_dataset ds = {e, n, o, n_obs};
    struct wi_err err = {0};

    assert_true(e && o && p);
    for (size_t i = 0; i < n; i++) {
        snprintf(e[i].id, sizeof(e[i].id), "mine-%zu", i);
        snprintf(e[i].source, sizeof(e[i].source), "MYLAB");
        snprintf(e[i].device, sizeof(e[i].device), "Zephyr 9000");
        e[i].nand = WI_NAND_TLC;
        e[i].capacity_gb = e[i].pe_cycles = NAN;
        e[i].temp_low_c = e[i].temp_high_c = e[i].rh_low_pct = e[i].rh_high_pct = NAN;
        e[i].exposure = (struct wi_exposure){room, room, room, 2.5, false};
        e[i].exposure.during.temp_c = 60;
        snprintf(p[i].file, sizeof(p[i].file), "run.json");
        snprintf(p[i].sha256, sizeof(p[i].sha256), "%064d", 7);
        snprintf(p[i].tool, sizeof(p[i].tool), "fio-3.33");
        snprintf(p[i].imported_at, sizeof(p[i].imported_at), "2026-01-01T00:00:00Z");
        snprintf(p[i].options, sizeof(p[i].options), "{}");
    }
    for (size_t i = 0; i < n_obs; i++) {
        o[i].exp = i / N_PER_EXPERIMENT;
        snprintf(o[i].id, sizeof(o[i].id), "mine-%zu-%zu", o[i].exp, i);
        o[i].op = WI_OP_READ;
        o[i].metric = WI_METRIC_TAIL_LATENCY;
        o[i].percentile = i % 2 ? 99 : 99.9;
        o[i].change_pct = 150;
        o[i].low_pct = o[i].high_pct = o[i].base_value = o[i].value = o[i].n_samples = NAN;
        o[i].reading_error_pct = 0.5;
        o[i].confidence = WI_CONF_MEASURED;
    }
    if (wi_store_add_experiments(store, &ds, p, &n_added, &err) != WI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(n_added, n);
    free(e);
    free(o);
    free(p);
}

static void remove_all(struct wi_store *store)
{
    for (size_t i = 0; i < N_EXPERIMENTS; i++) {
        char id[WI_ID_MAX];

        snprintf(id, sizeof(id), "mine-%zu", i);
        assert_int_equal(wi_store_remove_experiment(store, id, NULL), WI_OK);
    }
}

/* The change at the 99th percentile of the drive heated to 60 C, and whether own rows are named. */
static double ask(struct wi_session *session, const char *question, bool *own)
{
    struct wi_predict_options opt = {.question = question};
    struct wi_prediction p = {0};
    struct wi_scenario s;
    struct wi_err err = {0};
    double change_pct;

    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_temp(&s, "22.5:60", NULL), WI_OK);
    s.nand = WI_NAND_TLC;
    s.op = WI_OP_READ;
    s.given |= WI_F_NAND | WI_F_OP;
    s.percentiles[0] = 99;
    s.n_percentiles = 1;
    s.given |= WI_F_PERCENTILES;
    snprintf(s.device, sizeof(s.device), "Zephyr 9000");
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    if (wi_session_predict(session, &s, &opt, &p, &err) != WI_OK)
        fail_msg("%s", err.msg);
    *own = false;
    for (size_t i = 0; i < p.n_evidence; i++)
        *own |= strncmp(p.evidence[i].id, "mine-", 5) == 0;
    change_pct = p.forecast.tail[0].change_pct;
    wi_prediction_release(&p);
    return change_pct;
}

static void imports_and_removals_count_at_once_in_every_session(void **state)
{
    static const char *const questions[] = {NULL, "a hot zephyr 9000"};
    const struct place *p = *state;
    size_t n_progress[2] = {0, 0};
    struct wi_session *session[2];
    double before = 0;
    bool own;

    session[0] = start(p, &n_progress[0]);
    session[1] = start(p, &n_progress[1]);
    for (int i = 0; i < 2; i++) {
        before = ask(session[i], questions[i], &own);
        assert_false(own);
    }
    assert_int_equal(n_progress[0] + n_progress[1], 0); /* the embedded data are few */

    import(wi_session_store(session[0]));
    for (int i = 0; i < 4; i++) { /* by words or without, each session, twice */
        assert_true(ask(session[i % 2], questions[i / 2], &own) > before + 50);
        assert_true(own);
    }
    assert_int_equal(n_progress[0], 1);
    assert_int_equal(n_progress[1], 0); /* taken from what the other one has saved */

    remove_all(wi_session_store(session[1]));
    for (int i = 0; i < 4; i++) {
        double after = ask(session[i % 2], questions[i / 2], &own);

        assert_true(fabs(after - before) < 1e-9);
        assert_false(own);
    }
    wi_session_close(session[0]);
    wi_session_close(session[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(imports_and_removals_count_at_once_in_every_session, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * kernel: scenarios per second of the prediction kernel alone, on one core: mean, both
 * bounds, five percentiles, bandwidth and domain; no text, no evidence ids, scenarios ready made.
 * Prints the best of five runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/fastpath.h"
#include "core/random.h"
#include "experiments/session.h"

#define N 20000

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double between(struct wi_random *r, double low, double high)
{
    return low + wi_random_uniform(r) * (high - low);
}

/* The ranges of the study's own measurement, `hottest` for the step that is asked about. */
static enum wi_status make(struct wi_scenario *list, bool post, double hottest, struct wi_err *err)
{
    static const double percentiles[] = {99.0, 99.9, 99.99, 99.999, 99.9999};
    struct wi_random r = {.state = 1};
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < N && st == WI_OK; i++) {
        struct wi_scenario *s = &list[i];
        struct wi_exposure *e = &s->exposure;

        wi_scenario_init(s);
        s->nand = WI_NAND_TLC;
        s->phase = post ? WI_PHASE_POST : WI_PHASE_RUNNING;
        e->before.temp_c = between(&r, 0.0, 60.0);
        e->during.temp_c = between(&r, 0.0, hottest);
        e->before.rh_pct = between(&r, 10.0, 80.0);
        e->during.rh_pct = between(&r, 10.0, 90.0);
        s->given = WI_F_NAND | WI_F_PHASE | WI_F_BEFORE_TEMP | WI_F_BEFORE_RH | WI_F_DURING_TEMP |
                   WI_F_DURING_RH;
        if (post) {
            e->has_after = true;
            e->after.temp_c = between(&r, 10.0, 60.0);
            e->after.rh_pct = between(&r, 20.0, 80.0);
            s->given |= WI_F_AFTER_TEMP | WI_F_AFTER_RH;
        }
        st = wi_scenario_set_percentiles(s, percentiles, 5, err);
        if (st == WI_OK)
            st = wi_scenario_complete(s, err);
    }
    return st;
}

static enum wi_status measure(const struct wi_evidence *ev, const char *label, bool post,
                              double hottest, struct wi_err *err)
{
    struct wi_scenario *list = calloc(N, sizeof(*list));
    struct wi_fast *fast = NULL;
    struct wi_fast_row row = {0};
    double best_s = 1e9;
    double sum = 0.0;
    enum wi_status st = list ? make(list, post, hottest, err) : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_fast_new(ev, false, &fast, err);
    for (int run = 0; run < 5 && st == WI_OK; run++) {
        double start_s = now_s();

        for (size_t i = 0; i < N && st == WI_OK; i++) {
            st = wi_fast_predict(fast, &list[i], &row, err);
            sum += row.out[2].change_pct;
        }
        if (now_s() - start_s < best_s)
            best_s = now_s() - start_s;
    }
    if (st == WI_OK)
        printf("%-28s %12.0f scenarios/s\n", label, N / best_s);
    if (sum == 0.0)
        printf("(nothing predicted)\n");
    wi_fast_free(fast);
    free(list);
    return st;
}

/* All cases of one model: the default with its spread between drives and its throttling mixture,
 * the study with the weight-space form alone. */
static enum wi_status measure_model(const char *db, enum wi_model_kind kind, struct wi_err *err)
{
    static const struct {
        const char *label;
        bool post;
        double hottest_c;
    } cases[] = {{"running, up to 85 C", false, 85.0},
                 {"running, up to 60 C", false, 60.0},
                 {"post, up to 85 C", true, 85.0}};
    const struct wi_session_options opt = {.db = db, .model = kind};
    struct wi_session *session = NULL;
    const struct wi_evidence *ev = NULL;
    enum wi_status st = wi_session_open(&opt, &session, err);

    if (st == WI_OK)
        st = wi_session_evidence(session, &ev, err);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && st == WI_OK; i++) {
        char label[64];

        snprintf(label, sizeof(label), "%s: %s", kind == WI_MODEL_STUDY ? "study" : "default",
                 cases[i].label);
        st = measure(ev, label, cases[i].post, cases[i].hottest_c, err);
    }
    wi_session_close(session);
    return st;
}

int main(void)
{
    struct wi_err err = {0};
    char path[] = "/tmp/kernel-bench-XXXXXX";
    int fd = mkstemp(path);
    enum wi_status st;

    if (fd < 0)
        return 1;
    remove(path);
    st = measure_model(path, WI_MODEL_DEFAULT, &err);
    if (st == WI_OK)
        st = measure_model(path, WI_MODEL_STUDY, &err);
    remove(path);
    if (st != WI_OK)
        fprintf(stderr, "kernel: %s\n", err.msg);
    return st != WI_OK;
}

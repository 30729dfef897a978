/* Two threads predict from one store: temperatures 25 to 60 C, odd and even ones. */
#include <pthread.h>
#include <stdio.h>

#include <ssdwhatif.h>

#define N 36

struct job {
    const struct wi_evidence *ev;
    int first;
    double p99_pct[N];
    enum wi_status st;
};

static void *run(void *arg)
{
    struct job *job = arg;
    struct wi_fast *fast = NULL;

    job->st = wi_fast_new(job->ev, true, &fast, NULL);
    for (int i = job->first; i < N && job->st == WI_OK; i += 2) {
        const double p = 99.0;
        struct wi_fast_row row;
        struct wi_scenario s;

        wi_scenario_init(&s);
        s.nand = WI_NAND_TLC;
        s.exposure.during.temp_c = 25.0 + i;
        s.given = WI_F_NAND | WI_F_DURING_TEMP;
        job->st = wi_scenario_set_percentiles(&s, &p, 1, NULL);
        if (job->st == WI_OK)
            job->st = wi_scenario_complete(&s, NULL);
        if (job->st == WI_OK)
            job->st = wi_fast_predict(fast, &s, &row, NULL);
        if (job->st == WI_OK)
            job->p99_pct[i] = row.out[0].change_pct;
    }
    wi_fast_free(fast);
    return NULL;
}

int main(void)
{
    const struct wi_session_options opt = {0};
    struct wi_session *session = NULL;
    const struct wi_evidence *ev = NULL;
    struct wi_err err;
    pthread_t threads[2];
    struct job jobs[2];

    if (wi_session_open(&opt, &session, &err) != WI_OK ||
        wi_session_evidence(session, &ev, &err) != WI_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    for (int t = 0; t < 2; t++) {
        jobs[t] = (struct job){.ev = ev, .first = t};
        if (pthread_create(&threads[t], NULL, run, &jobs[t]) != 0)
            return 1;
    }
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    for (int i = 0; i < N && jobs[0].st == WI_OK && jobs[1].st == WI_OK; i++)
        printf("%d C: p99 %+.2f %%\n", 25 + i, jobs[i % 2].p99_pct[i]);
    wi_session_close(session);
    return jobs[0].st == WI_OK && jobs[1].st == WI_OK ? 0 : 1;
}

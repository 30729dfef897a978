#include "experiments/sweep_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct sweep_engine {
    struct wi_fast *fast; /* evidence */
    const struct wi_sweep_llm *options;
    struct wi_session *session;
    struct wi_llm *llm;
    struct sweep_budget *budget;
    bool evidence_ids;
};

enum wi_status sweep_engine_new(const struct wi_evidence *ev, const struct wi_sweep_options *opt,
                                struct sweep_budget *budget, struct sweep_engine **out,
                                struct wi_err *err)
{
    struct sweep_engine *e = calloc(1, sizeof(*e));
    enum wi_status st;

    if (!e)
        return wi_fail_nomem(err);
    e->options = opt->llm;
    e->budget = budget;
    e->evidence_ids = !opt->no_evidence_ids;
    st = opt->llm ? opt->llm->open(opt->llm->ctx, &e->session, &e->llm, err)
                  : wi_fast_new(ev, e->evidence_ids, &e->fast, err);
    if (st != WI_OK) {
        sweep_engine_free(e);
        return st;
    }
    *out = e;
    return WI_OK;
}

void sweep_engine_free(struct sweep_engine *e)
{
    if (!e)
        return;
    wi_fast_free(e->fast);
    wi_llm_close(e->llm);
    wi_session_close(e->session);
    free(e);
}

/* --- budget ------------------------------------------------------------------------------------
 */

/* A thread that is asking makes at least one call, unless the reply is in the log. */
static enum wi_status spend(struct sweep_engine *e, struct wi_err *err)
{
    const struct wi_sweep_llm *o = e->options;
    struct sweep_budget *b = e->budget;
    enum wi_status st = WI_OK;

    pthread_mutex_lock(&b->lock);
    if (o->max_calls && b->n_calls + b->n_asking >= o->max_calls)
        st = wi_fail(err, WI_ECANCEL,
                     "the budget of %zu calls is used up; the rows before stay, --resume goes on",
                     o->max_calls);
    else if (o->max_tokens && b->n_tokens >= o->max_tokens)
        st = wi_fail(err, WI_ECANCEL,
                     "the budget of %" PRId64 " tokens is used up; the rows before stay, --resume "
                     "goes on",
                     o->max_tokens);
    else
        b->n_asking++;
    pthread_mutex_unlock(&b->lock);
    return st;
}

/* What the scenario really cost: only requests that were sent count. */
static void settle(struct sweep_engine *e, const struct wi_llm_usage *before)
{
    struct wi_llm_usage now = wi_llm_usage(e->llm);
    struct sweep_budget *b = e->budget;
    bool sent = now.n_requests > before->n_requests;

    pthread_mutex_lock(&b->lock);
    b->n_asking--;
    b->n_calls += now.n_requests - before->n_requests;
    if (sent)
        b->n_tokens += now.prompt_tokens - before->prompt_tokens + now.completion_tokens -
                       before->completion_tokens;
    pthread_mutex_unlock(&b->lock);
}

/* --- one scenario ------------------------------------------------------------------------------
 */

/* The experiments that the answer cites first are those with the largest weight in it. */
static void copy_row(const struct wi_prediction *p, bool evidence_ids, struct wi_fast_row *row,
                     char (*ids)[WI_ID_MAX])
{
    const struct wi_forecast *f = &p->forecast;

    for (size_t i = 0; i <= f->n_tail; i++) {
        const struct wi_change *c = i < f->n_tail ? &f->tail[i] : &f->bandwidth;

        row->out[i].change_pct = c->change_pct;
        row->out[i].low_pct = c->low_pct;
        row->out[i].high_pct = c->high_pct;
    }
    row->domain = f->domain;
    row->n_evidence = 0;
    for (size_t i = 0; evidence_ids && i < f->n_top && i < WI_FORECAST_EXPS; i++) {
        snprintf(ids[i], WI_ID_MAX, "%s", f->top[i].id);
        row->evidence[row->n_evidence++] = ids[i];
    }
}

enum wi_status sweep_engine_predict(struct sweep_engine *e, const struct wi_scenario *s,
                                    struct wi_fast_row *row, char (*ids)[WI_ID_MAX],
                                    struct wi_err *err)
{
    struct wi_predict_options opt = {0};
    struct wi_prediction p = {0};
    struct wi_llm_usage before;
    enum wi_status st;

    if (e->fast)
        return wi_fast_predict(e->fast, s, row, err);
    opt.llm = e->llm;
    opt.prompt = e->options->prompt;
    opt.top_k = e->options->top_k;
    before = wi_llm_usage(e->llm);
    st = spend(e, err);
    if (st != WI_OK)
        return st;
    st = wi_session_predict(e->session, s, &opt, &p, err);
    settle(e, &before);
    if (st != WI_OK)
        return st;
    copy_row(&p, e->evidence_ids, row, ids);
    wi_prediction_release(&p);
    return WI_OK;
}

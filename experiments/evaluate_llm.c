#include "experiments/evaluate_llm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "experiments/llm_input.h"

#define CONFIDENCE 0.9
#define N_SHOWN 5 /* items of a kind, as ask shows by default */

const char *wi_llm_view_name(enum wi_llm_view v)
{
    static const char *const names[] = {"llm", "llm_alone", "evidence"};

    return names[v];
}

/* The cases of one experiment and operation. */
struct question {
    size_t exp;
    enum wi_op op;
    size_t fold;
    size_t cases[WI_PERCENTILES_MAX + 1];
    size_t n;
};

struct run {
    struct wi_session *session;
    const struct wi_dataset *ds;
    const struct wi_evaluation *ev;
    struct wi_llm *llm;
    const struct wi_llm_variant *variant;
    struct wi_llm_evaluation *out;
    /* per case of ev and view; NaN = not asked or no reply */
    double (*change)[WI_LLM_N_VIEWS], (*low)[WI_LLM_N_VIEWS], (*high)[WI_LLM_N_VIEWS];
};

static bool same_question(const struct run *run, const struct question *q, size_t i)
{
    const struct wi_observation *o = &run->ds->obs[run->ev->cases[i].obs];

    return o->exp == q->exp && o->op == q->op && run->ev->cases[i].fold == q->fold;
}

/* Group the cases; a curve hold-out gives tail latency and bandwidth as questions of their own. */
static enum wi_status list_questions(const struct run *run, struct question **list, size_t *n,
                                     struct wi_err *err)
{
    const struct wi_evaluation *ev = run->ev;
    struct question *out = calloc(ev->n_cases + 1, sizeof(*out));

    *n = 0;
    if (!out)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < ev->n_cases; i++) {
        const struct wi_observation *o = &run->ds->obs[ev->cases[i].obs];
        size_t k = 0;

        while (k < *n && !same_question(run, &out[k], i))
            k++;
        if (k == *n)
            out[(*n)++] = (struct question){.exp = o->exp, .op = o->op, .fold = ev->cases[i].fold};
        if (out[k].n < WI_PERCENTILES_MAX)
            out[k].cases[out[k].n++] = i;
    }
    *list = out;
    return WI_OK;
}

static const struct wi_observation *observation(const struct run *run, size_t i)
{
    return &run->ds->obs[run->ev->cases[i].obs];
}

static enum wi_status make_scenario(const struct run *run, const struct question *q,
                                    struct wi_scenario *s, struct wi_err *err)
{
    const struct wi_experiment *x = &run->ds->exps[q->exp];
    double percentiles[WI_PERCENTILES_MAX];
    size_t n = 0;

    wi_scenario_init(s);
    s->nand = x->nand;
    s->op = q->op;
    s->phase = x->phase;
    s->exposure = x->exposure;
    s->confidence = CONFIDENCE;
    for (size_t i = 0; i < q->n; i++) {
        const struct wi_observation *o = observation(run, q->cases[i]);

        if (o->metric == WI_METRIC_TAIL_LATENCY && isfinite(o->percentile))
            percentiles[n++] = o->percentile;
    }
    if (n == 0)
        percentiles[n++] = 99.0; /* only bandwidth was measured */
    return wi_scenario_set_percentiles(s, percentiles, n, err);
}

static struct wi_change *target(struct wi_forecast *f, const struct wi_observation *o)
{
    if (o->metric == WI_METRIC_BANDWIDTH)
        return &f->bandwidth;
    for (size_t i = 0; i < f->n_tail; i++) {
        if (fabs(f->tail[i].percentile - o->percentile) < 1e-9)
            return &f->tail[i];
    }
    return NULL;
}

/*
 * The refitted model's numbers for this fold. Where the fold holds no case for a quantity it is
 * "no change" with an interval as wide as anything measured, so that nothing seen leaks in.
 */
static void make_estimate(const struct run *run, const struct question *q,
                          const struct wi_scenario *s, struct wi_forecast *f)
{
    static const struct wi_change unknown = {NAN, 0, -65, 75, NAN, NAN, NAN};

    f->n_tail = s->n_percentiles;
    f->bandwidth = unknown;
    for (size_t i = 0; i < f->n_tail; i++) {
        f->tail[i] = unknown;
        f->tail[i].percentile = s->percentiles[i];
    }
    for (size_t i = 0; i < q->n; i++) {
        const struct wi_eval_case *c = &run->ev->cases[q->cases[i]];
        struct wi_change *t = target(f, observation(run, q->cases[i]));

        if (!t)
            continue;
        t->change_pct = c->change[WI_PREDICT_EVIDENCE];
        t->low_pct = c->low[WI_PREDICT_EVIDENCE];
        t->high_pct = c->high[WI_PREDICT_EVIDENCE];
        f->domain = c->domain;
    }
}

/* True if any case of the question's fold was measured in this experiment. */
static bool in_fold(const struct run *run, size_t fold, const char *id)
{
    for (size_t i = 0; i < run->ev->n_cases; i++) {
        if (run->ev->cases[i].fold == fold &&
            strcmp(run->ds->exps[observation(run, i)->exp].id, id) == 0)
            return true;
    }
    return false;
}

static bool is_held_out(const struct run *run, const struct question *q, const struct wi_item *item)
{
    if (item->kind == WI_ITEM_PRINCIPLE)
        return strcmp(item->source, run->ds->exps[q->exp].source) == 0;
    return in_fold(run, q->fold, item->id);
}

/* What the prompt of one question is made from. */
struct found {
    struct wi_item *evidence, *principles, *examples;
    size_t n_evidence, n_principles, n_examples;
};

static void found_release(struct found *f)
{
    wi_items_free(f->evidence, f->n_evidence);
    wi_items_free(f->principles, f->n_principles);
    wi_items_free(f->examples, f->n_examples);
}

static enum wi_status take_item(struct wi_item *item, struct wi_item **list, size_t *n,
                                struct wi_err *err)
{
    struct wi_item *longer = realloc(*list, (*n + 1) * sizeof(*longer));

    if (!longer)
        return wi_fail_nomem(err);
    *list = longer;
    longer[(*n)++] = *item;
    *item = (struct wi_item){0};
    return WI_OK;
}

/*
 * Retrieval without the fold, experiments and principles apart, best first: five each; of the
 * experiments of other sources than the question's so many as worked examples are wanted, which are
 * then no evidence.
 */
static enum wi_status retrieve(const struct run *run, const struct question *q, bool principles,
                               const struct wi_scenario *s, struct found *f, struct wi_err *err)
{
    struct wi_search_query query = {
        .scenario = s, .top_k = WI_TOP_K_MAX, .experiments = !principles, .principles = principles};
    size_t wanted = principles ? 0 : run->variant->prompt.n_examples;
    const char *source = run->ds->exps[q->exp].source;
    struct wi_knowledge *k = NULL;
    struct wi_item *items = NULL;
    size_t n = 0;
    enum wi_status st = wi_session_knowledge(run->session, &k, err);

    if (st == WI_OK)
        st = wi_knowledge_search(k, &query, &items, &n, err);
    for (size_t i = 0; st == WI_OK && i < n; i++) {
        if (is_held_out(run, q, &items[i]))
            continue;
        if (f->n_examples < wanted && strcmp(items[i].source, source) != 0)
            st = take_item(&items[i], &f->examples, &f->n_examples, err);
        else if (principles && f->n_principles < N_SHOWN)
            st = take_item(&items[i], &f->principles, &f->n_principles, err);
        else if (!principles && f->n_evidence < N_SHOWN)
            st = take_item(&items[i], &f->evidence, &f->n_evidence, err);
    }
    wi_items_free(items, n);
    return st;
}

static void note(struct run *run, size_t i, enum wi_llm_view v, const struct wi_change *c)
{
    run->change[i][v] = c->change_pct;
    run->low[i][v] = c->low_pct;
    run->high[i][v] = c->high_pct;
}

/* The model's own numbers stand in the answer's JSON. */
static bool own_numbers(const struct cJSON *json, const struct wi_observation *o,
                        struct wi_change *c)
{
    const struct cJSON *at = wi_json_get(json, "bandwidth"), *item;
    double p;

    if (o->metric == WI_METRIC_TAIL_LATENCY) {
        at = NULL;
        cJSON_ArrayForEach(item, wi_json_get(json, "tail_latency"))
        {
            if (wi_json_num(item, "percentile", &p) && fabs(p - o->percentile) < 1e-9)
                at = item;
        }
    }
    at = wi_json_get(at, "model");
    return wi_json_num(at, "change_pct", &c->change_pct) &&
           wi_json_num(at, "low_pct", &c->low_pct) && wi_json_num(at, "high_pct", &c->high_pct);
}

static enum wi_status note_answer(struct run *run, const struct question *q,
                                  struct wi_prediction *p, struct wi_forecast *estimate,
                                  struct wi_err *err)
{
    struct cJSON *json = NULL;
    enum wi_status st = wi_json_parse(p->llm_json, strlen(p->llm_json), "answer", &json, err);

    for (size_t i = 0; i < q->n && st == WI_OK; i++) {
        const struct wi_observation *o = observation(run, q->cases[i]);
        struct wi_change *c = target(&p->forecast, o), own = {0};

        if (!c || !own_numbers(json, o, &own))
            continue;
        note(run, q->cases[i], WI_LLM_COMBINED, c);
        note(run, q->cases[i], WI_LLM_ALONE, &own);
        note(run, q->cases[i], WI_LLM_EVIDENCE, target(estimate, o));
    }
    run->out->n_unsupported += p->n_unsupported;
    cJSON_Delete(json);
    return st;
}

static enum wi_status ask(struct run *run, const struct question *q, struct wi_err *err)
{
    struct wi_scenario s;
    struct wi_forecast estimate = {0};
    struct wi_prediction p = {0};
    struct wi_prompt_input in = {.scenario = &s, .estimate = &estimate};
    struct found f = {0};
    enum wi_status st = make_scenario(run, q, &s, err);

    if (st == WI_OK)
        st = retrieve(run, q, false, &s, &f, err);
    if (st == WI_OK)
        st = retrieve(run, q, true, &s, &f, err);
    if (st == WI_OK) {
        make_estimate(run, q, &s, &estimate);
        in.evidence = f.evidence;
        in.n_evidence = f.n_evidence;
        in.examples = f.examples;
        in.n_examples = f.n_examples;
        in.principles = f.principles;
        in.n_principles = f.n_principles;
        st = wi_llm_predict(run->llm, &in, &run->variant->prompt, &p, err);
    }
    if (st == WI_OK)
        st = note_answer(run, q, &p, &estimate, err);
    wi_prediction_release(&p);
    wi_forecast_release(&estimate);
    found_release(&f);
    return st;
}

static enum wi_status score(struct run *run, enum wi_llm_view v, enum wi_family family,
                            struct wi_err *err)
{
    const struct wi_evaluation *ev = run->ev;
    double *x = calloc(4 * (ev->n_cases + 1), sizeof(*x));
    double *change, *low, *high;
    size_t n = 0;

    if (!x)
        return wi_fail_nomem(err);
    change = x + ev->n_cases + 1;
    low = change + ev->n_cases + 1;
    high = low + ev->n_cases + 1;
    for (size_t i = 0; i < ev->n_cases; i++) {
        if (!isfinite(run->change[i][v]) || !wi_family_has(family, &ev->cases[i]))
            continue;
        x[n] = ev->cases[i].truth_pct;
        change[n] = run->change[i][v];
        low[n] = run->low[i][v];
        high[n++] = run->high[i][v];
    }
    wi_scores_eval(n, x, change, low, high, CONFIDENCE, &run->out->scores[v][family]);
    free(x);
    return WI_OK;
}

static enum wi_status ask_all(struct run *run, const struct question *list, size_t n, size_t n_max,
                              wi_progress_fn progress, void *ctx, struct wi_err *err)
{
    size_t n_ask = n_max && n_max < n ? n_max : n;

    for (size_t k = 0; k < n_ask; k++) {
        struct wi_err why = {0};
        size_t n_unusable = wi_llm_usage(run->llm).n_unusable;
        /* Spread over the list, which is in order of the experiments. */
        enum wi_status st = ask(run, &list[k * n / n_ask], &why);

        /* An unusable reply is a result of its own; a failing endpoint is none. */
        if (st == WI_ENET && wi_llm_usage(run->llm).n_unusable > n_unusable) {
            run->out->n_failed++;
        } else if (st != WI_OK) {
            if (err)
                *err = why;
            return st;
        }
        run->out->n_questions++;
        if (progress)
            progress(ctx, k + 1, n_ask);
    }
    return WI_OK;
}

static enum wi_status run_init(struct run *run, struct wi_err *err)
{
    size_t n = run->ev->n_cases + 1;

    run->change = calloc(n, sizeof(*run->change));
    run->low = calloc(n, sizeof(*run->low));
    run->high = calloc(n, sizeof(*run->high));
    if (!run->change || !run->low || !run->high)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n; i++) {
        for (int v = 0; v < WI_LLM_N_VIEWS; v++)
            run->change[i][v] = NAN;
    }
    return WI_OK;
}

enum wi_status wi_evaluate_llm(struct wi_session *session, const struct wi_dataset *ds,
                               const struct wi_evaluation *ev, struct wi_llm *llm,
                               const struct wi_llm_variant *variant, size_t n_max,
                               wi_progress_fn progress, void *ctx, struct wi_llm_evaluation *out,
                               struct wi_err *err)
{
    struct run run = {
        .session = session, .ds = ds, .ev = ev, .llm = llm, .variant = variant, .out = out};
    struct wi_llm_usage before = wi_llm_usage(llm), after;
    struct question *list = NULL;
    size_t n = 0;
    enum wi_status st = run_init(&run, err);

    if (st == WI_OK)
        st = list_questions(&run, &list, &n, err);
    if (st == WI_OK)
        st = ask_all(&run, list, n, n_max, progress, ctx, err);
    for (int v = 0; v < WI_LLM_N_VIEWS; v++) {
        for (int f = 0; f < WI_N_FAMILIES && st == WI_OK; f++)
            st = score(&run, (enum wi_llm_view)v, (enum wi_family)f, err);
    }
    after = wi_llm_usage(llm);
    out->usage = (struct wi_llm_usage){.n_requests = after.n_requests - before.n_requests,
                                       .n_cached = after.n_cached - before.n_cached,
                                       .n_replies = after.n_replies - before.n_replies,
                                       .n_unusable = after.n_unusable - before.n_unusable,
                                       .prompt_tokens = after.prompt_tokens - before.prompt_tokens,
                                       .completion_tokens =
                                           after.completion_tokens - before.completion_tokens};
    free(list);
    free(run.change);
    free(run.low);
    free(run.high);
    return st;
}

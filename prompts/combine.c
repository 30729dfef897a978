#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/llm_parts.h"
#include "prompts/samples.h"

#define REPAIR_BYTES 6000 /* of the reply that is shown again */

enum wi_status wi_llm_repair_messages(const char *messages, const char *reply, const char *problems,
                                      char **out, struct wi_err *err)
{
    static const char *const roles[] = {"assistant", "user"};
    const char *const pairs[][2] = {{"problems", problems}};
    struct cJSON *list = NULL;
    struct wi_buf shown = {0};
    char *told = NULL;
    enum wi_status st = wi_json_parse(messages, strlen(messages), "messages", &list, err);

    if (st == WI_OK)
        st = wi_template_fill("prompts/repair.txt", pairs, 1, &told, err);
    wi_clean(&shown, reply, strlen(reply), REPAIR_BYTES);
    if (st == WI_OK && shown.failed)
        st = wi_fail_nomem(err);
    for (size_t i = 0; i < 2 && st == WI_OK; i++) {
        struct cJSON *m = cJSON_CreateObject();

        if (!m || !cJSON_AddStringToObject(m, "role", roles[i]) ||
            !cJSON_AddStringToObject(m, "content",
                                     i            ? told
                                     : shown.text ? shown.text
                                                  : "") ||
            !cJSON_AddItemToArray(list, m)) {
            cJSON_Delete(m);
            st = wi_fail_nomem(err);
        }
    }
    if (st == WI_OK)
        st = wi_json_format(list, false, out, err);
    cJSON_Delete(list);
    free(told);
    wi_buf_release(&shown);
    return st;
}

/* Change of one sample: index n_tail is bandwidth. */
static const struct wi_change *change_of(const struct wi_sample *s, size_t i)
{
    return i < s->reply.n_tail ? &s->reply.tail[i] : &s->reply.bandwidth;
}

static const struct wi_change *estimate_of(const struct wi_forecast *f, size_t i, size_t n_tail)
{
    if (!f || f->n_tail != n_tail)
        return NULL;
    return i < n_tail ? &f->tail[i] : &f->bandwidth;
}

/* Nothing changes: the answer is known, whatever a model says (0 for running and post). */
static bool no_exposure(const struct wi_scenario *s)
{
    struct wi_stressors x = wi_scenario_stressors(s);

    return !x.temp && !x.rh && !x.vib && s->phase != WI_PHASE_LONG_TERM;
}

static enum wi_status add_change(struct cJSON *obj, const char *key, const struct wi_change *c,
                                 struct wi_err *err)
{
    struct cJSON *o = cJSON_AddObjectToObject(obj, key);
    enum wi_status st = o ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_json_add_num(o, "change_pct", c->change_pct, err);
    if (st == WI_OK)
        st = wi_json_add_num(o, "low_pct", c->low_pct, err);
    if (st == WI_OK)
        st = wi_json_add_num(o, "high_pct", c->high_pct, err);
    return st;
}

/* "model", "evidence" and "disagree" of one quantity. */
static enum wi_status add_views(struct cJSON *o, const struct wi_change *model,
                                const struct wi_change *evidence, struct wi_err *err)
{
    enum wi_status st = add_change(o, "model", model, err);

    if (st == WI_OK && evidence)
        st = add_change(o, "evidence", evidence, err);
    if (st == WI_OK && evidence &&
        !cJSON_AddBoolToObject(o, "disagree", wi_samples_disagree(model, evidence)))
        st = wi_fail_nomem(err);
    return st;
}

static enum wi_status warn_disagreement(const struct wi_change *model,
                                        const struct wi_change *evidence, struct wi_texts *warnings,
                                        struct wi_err *err)
{
    char what[48] = "bandwidth";

    if (!isnan(model->percentile))
        snprintf(what, sizeof(what), "p%.10g tail latency", model->percentile);
    return wi_texts_add(warnings, "", err,
                        "the engines disagree on %s: the language model says %+.1f %% (%+.1f to "
                        "%+.1f), the evidence %+.1f %% (%+.1f to %+.1f)",
                        what, model->change_pct, model->low_pct, model->high_pct,
                        evidence->change_pct, evidence->low_pct, evidence->high_pct);
}

/* One quantity over all samples: the model's own, then what both engines say together. */
static enum wi_status combine_one(const struct wi_llm *llm, const struct wi_question *q,
                                  const struct wi_sample *samples, size_t n, size_t i,
                                  struct wi_forecast *f, struct cJSON *views, struct wi_err *err)
{
    const struct wi_scenario *s = q->in->scenario;
    size_t n_tail = s->n_percentiles;
    const struct wi_change *evidence = estimate_of(q->in->estimate, i, n_tail);
    struct wi_change *out = i < n_tail ? &f->tail[i] : &f->bandwidth;
    struct wi_change *all = calloc(n, sizeof(*all));
    struct wi_change model;
    enum wi_status st;

    if (!all)
        return wi_fail_nomem(err);
    for (size_t k = 0; k < n; k++)
        all[k] = *change_of(&samples[k], i);
    st = wi_samples_merge(all, n, s->confidence, &model, err);
    free(all);
    if (st != WI_OK)
        return st;
    *out = model;
    if (evidence && no_exposure(s))
        *out = *evidence;
    else if (evidence && !llm->alone)
        wi_samples_pool(&model, evidence, s->confidence, out);
    if (evidence && wi_samples_disagree(&model, evidence))
        st = warn_disagreement(&model, evidence, &f->warnings, err);
    return st == WI_OK ? add_views(views, &model, evidence, err) : st;
}

static enum wi_status combine_numbers(const struct wi_llm *llm, const struct wi_question *q,
                                      const struct wi_sample *samples, size_t n,
                                      struct wi_forecast *f, struct cJSON *json, struct wi_err *err)
{
    size_t n_tail = q->in->scenario->n_percentiles;
    struct cJSON *tail = cJSON_AddArrayToObject(json, "tail_latency");
    enum wi_status st = tail ? WI_OK : wi_fail_nomem(err);

    f->n_tail = n_tail;
    for (size_t i = 0; i <= n_tail && st == WI_OK; i++) {
        struct cJSON *o;

        if (i == n_tail) {
            o = cJSON_AddObjectToObject(json, "bandwidth");
        } else {
            o = cJSON_CreateObject();
            if (o && !cJSON_AddItemToArray(tail, o)) {
                cJSON_Delete(o);
                o = NULL;
            }
        }
        if (!o)
            return wi_fail_nomem(err);
        if (i < n_tail)
            st = wi_json_add_num(o, "percentile", q->in->scenario->percentiles[i], err);
        if (st == WI_OK)
            st = combine_one(llm, q, samples, n, i, f, o, err);
    }
    return st;
}

/* The sample whose numbers lie nearest to the combined ones of the model; the first of equals. */
static size_t nearest(const struct wi_sample *samples, size_t n, const struct cJSON *json)
{
    const struct cJSON *tail = wi_json_get(json, "tail_latency");
    size_t best = 0;
    double least = INFINITY;

    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        int i = 0;
        const struct cJSON *o;

        cJSON_ArrayForEach(o, tail)
        {
            double mid = 0;

            wi_json_num(wi_json_get(o, "model"), "change_pct", &mid);
            sum += fabs(log1p(samples[k].reply.tail[i++].change_pct / 100.0) - log1p(mid / 100.0));
        }
        if (sum < least) {
            least = sum;
            best = k;
        }
    }
    return best;
}

/* An answer without reasoning says so, since every answer has a reason. */
static enum wi_status add_no_reasoning(struct wi_prediction *p, struct wi_err *err)
{
    struct wi_reason *r = &p->reasoning[0];

    r->step = WI_REASON_LIMITS;
    p->n_reasoning = 1;
    r->text = strdup("The language model gave these numbers without any reasoning.");
    r->cites = strdup("");
    return r->text && r->cites ? WI_OK : wi_fail_nomem(err);
}

/* The shown sample's reasoning; a step that failed its check says so in its own text. */
static enum wi_status copy_reasoning(const struct wi_sample *s, struct wi_prediction *p,
                                     struct wi_err *err)
{
    size_t n = s->reply.n_claims;

    p->reasoning = calloc(n + 1, sizeof(*p->reasoning));
    if (!p->reasoning)
        return wi_fail_nomem(err);
    if (n == 0)
        return add_no_reasoning(p, err);
    for (size_t i = 0; i < n; i++) {
        const struct wi_verdict *v = &s->check.verdicts[i];
        struct wi_buf text = {0};
        struct wi_reason *r = &p->reasoning[i];
        enum wi_status st;

        wi_buf_puts(&text, s->reply.claims[i].text);
        if (*v->why)
            wi_buf_addf(&text, " [unsupported: %s]", v->why);
        st = wi_buf_take(&text, &r->text, err);
        if (st == WI_OK && !(r->cites = strdup(v->ids)))
            st = wi_fail_nomem(err);
        p->n_reasoning++;
        if (st != WI_OK)
            return st;
        r->step = s->reply.claims[i].step;
    }
    p->n_unsupported = s->check.n_unsupported;
    return WI_OK;
}

static enum wi_status copy_texts(const struct wi_texts *from, struct wi_texts *to,
                                 struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < from->n && st == WI_OK; i++)
        st = wi_texts_add(to, from->items[i].cites, err, "%s", from->items[i].text);
    return st;
}

/* How far the question lies from the measurements does not depend on who answers it. */
static enum wi_status copy_domain(const struct wi_question *q, struct wi_forecast *f,
                                  struct wi_err *err)
{
    const struct wi_forecast *e = q->in->estimate;
    enum wi_status st;

    if (!e) {
        f->domain = WI_DOMAIN_OUTSIDE;
        return wi_texts_add(&f->domain_reasons, "", err,
                            "nothing but the language model was asked, so its numbers were not "
                            "combined with the evidence");
    }
    f->domain = e->domain;
    f->from_physics = e->from_physics;
    f->n_top = e->n_top;
    memcpy(f->top, e->top, sizeof(f->top));
    st = copy_texts(&e->domain_reasons, &f->domain_reasons, err);
    return st == WI_OK ? copy_texts(&e->warnings, &f->warnings, err) : st;
}

static size_t n_examples_sent(const struct wi_prompt *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_sent; i++)
        n += p->sent[i].tag[0] == 'X';
    return n;
}

static enum wi_status warn_samples(const struct wi_llm *llm, const struct wi_question *q,
                                   const struct wi_sample *shown, size_t n, struct wi_forecast *f,
                                   struct wi_err *err)
{
    enum wi_status st = copy_texts(&shown->check.warnings, &f->warnings, err);

    if (st == WI_OK && n < llm->n_samples)
        st = wi_texts_add(&f->warnings, "", err, "%zu of %zu replies were unusable",
                          llm->n_samples - n, llm->n_samples);
    if (st == WI_OK && shown->check.n_unsupported)
        st = wi_texts_add(&f->warnings, "", err,
                          "%zu of the model's %zu reasoning steps are not supported by what it "
                          "was given",
                          shown->check.n_unsupported, shown->reply.n_claims);
    if (st == WI_OK && !shown->reply.n_claims && !q->popt->no_cot)
        st = wi_texts_add(&f->warnings, "", err, "the model gave numbers without any reasoning");
    if (st == WI_OK && q->prompt.dropped_ids[0])
        st = wi_texts_add(&f->warnings, q->prompt.dropped_ids, err,
                          "the prompt was over its budget, so less relevant items were left out: "
                          "%s",
                          q->prompt.dropped_ids);
    if (st == WI_OK && n_examples_sent(&q->prompt) < q->popt->n_examples)
        st = wi_texts_add(&f->warnings, "", err,
                          "%zu of the %zu worked examples asked for are there: they must come from "
                          "another source than the evidence, and fit the budget",
                          n_examples_sent(&q->prompt), q->popt->n_examples);
    if (st == WI_OK && no_exposure(q->in->scenario) && q->in->estimate)
        st = wi_texts_add(&f->warnings, "", err,
                          "nothing changes in this scenario, so the change is 0 by definition, "
                          "whatever the model said");
    return st;
}

/* Nothing here depends on the time or on whether a reply came from the log. */
static enum wi_status describe(const struct wi_llm *llm, const struct wi_question *q, size_t n,
                               struct cJSON *json, struct wi_err *err)
{
    const struct wi_prompt_options *o = q->popt;
    struct cJSON *prompt;
    bool ok = cJSON_AddStringToObject(json, "model", llm->model) &&
              cJSON_AddStringToObject(json, "endpoint", wi_endpoint_base(llm->chat.ep)) &&
              cJSON_AddNumberToObject(json, "samples", (double)llm->n_samples) &&
              cJSON_AddNumberToObject(json, "usable_samples", (double)n) &&
              cJSON_AddNumberToObject(json, "temperature", llm->temperature) &&
              cJSON_AddNumberToObject(json, "seed", (double)llm->seed) &&
              cJSON_AddStringToObject(json, "response_format",
                                      wi_chat_format_name(llm->chat.can.format)) &&
              cJSON_AddBoolToObject(json, "combined", q->in->estimate && !llm->alone);

    prompt = ok ? cJSON_AddObjectToObject(json, "prompt") : NULL;
    ok = prompt && cJSON_AddStringToObject(prompt, "version", q->prompt.version) &&
         cJSON_AddNumberToObject(prompt, "tokens", (double)q->prompt.n_tokens) &&
         cJSON_AddStringToObject(prompt, "dropped", q->prompt.dropped_ids) &&
         cJSON_AddBoolToObject(prompt, "cot", !o->no_cot) &&
         cJSON_AddBoolToObject(prompt, "evidence", !o->no_evidence) &&
         cJSON_AddBoolToObject(prompt, "principles", !o->no_principles) &&
         cJSON_AddBoolToObject(prompt, "estimate", !o->no_estimate) &&
         cJSON_AddNumberToObject(prompt, "examples", (double)n_examples_sent(&q->prompt));
    return ok ? WI_OK : wi_fail_nomem(err);
}

static enum wi_status describe_checks(const struct wi_sample *shown, struct cJSON *json,
                                      struct wi_err *err)
{
    struct cJSON *list = cJSON_AddArrayToObject(json, "unsupported");

    if (!list)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < shown->check.n_verdicts; i++) {
        struct cJSON *o;

        if (!*shown->check.verdicts[i].why)
            continue;
        o = cJSON_CreateObject();
        if (!o ||
            !cJSON_AddStringToObject(o, "step", wi_step_kind_name(shown->reply.claims[i].step)) ||
            !cJSON_AddStringToObject(o, "why", shown->check.verdicts[i].why) ||
            !cJSON_AddItemToArray(list, o)) {
            cJSON_Delete(o);
            return wi_fail_nomem(err);
        }
    }
    return WI_OK;
}

static void drop_reasoning(struct wi_prediction *p)
{
    for (size_t i = 0; i < p->n_reasoning; i++) {
        free(p->reasoning[i].text);
        free(p->reasoning[i].cites);
    }
    free(p->reasoning);
    p->reasoning = NULL;
    p->n_reasoning = 0;
}

/* Everything but the forecast itself, which is handed over last: it may be the estimate. */
static enum wi_status fill(const struct wi_llm *llm, const struct wi_question *q,
                           const struct wi_sample *samples, size_t n, struct wi_forecast *f,
                           struct wi_prediction *p, struct cJSON *json, struct wi_err *err)
{
    const struct wi_sample *shown = samples;
    enum wi_status st = describe(llm, q, n, json, err);

    if (st == WI_OK)
        st = copy_domain(q, f, err);
    if (st == WI_OK)
        st = combine_numbers(llm, q, samples, n, f, json, err);
    if (st == WI_OK) {
        shown = &samples[nearest(samples, n, json)];
        st = warn_samples(llm, q, shown, n, f, err);
    }
    if (st == WI_OK)
        st = copy_reasoning(shown, p, err);
    if (st == WI_OK)
        st = describe_checks(shown, json, err);
    if (st == WI_OK)
        st = wi_json_format(json, false, &p->llm_json, err);
    return st;
}

enum wi_status wi_llm_combine(const struct wi_llm *llm, const struct wi_question *q,
                              const struct wi_sample *samples, size_t n, struct wi_prediction *p,
                              struct wi_err *err)
{
    struct cJSON *json = cJSON_CreateObject();
    struct wi_forecast f = {0};
    enum wi_status st = json ? WI_OK : wi_fail_nomem(err);

    drop_reasoning(p);
    if (st == WI_OK)
        st = fill(llm, q, samples, n, &f, p, json, err);
    if (st == WI_OK) {
        snprintf(p->engine, sizeof(p->engine), "llm");
        wi_forecast_release(&p->forecast);
        p->forecast = f;
    } else {
        drop_reasoning(p);
        wi_forecast_release(&f);
    }
    cJSON_Delete(json);
    return st;
}

#include "prompts/llm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompts/llm_parts.h"

#define TRIES_MAX 6 /* requests for one sample, before repairs: formats and larger limits */

void wi_llm_options_init(struct wi_llm_options *opt)
{
    *opt = (struct wi_llm_options){.temperature = NAN, .n_retries = SIZE_MAX};
}

static double or_default(double v, double fallback)
{
    return v > 0 ? v : fallback;
}

/* Settings of the endpoint from those of the engine. */
struct wi_endpoint_options wi_llm_endpoint_options(const struct wi_llm_options *opt)
{
    return (struct wi_endpoint_options){
        .http = {.base_url = opt->base_url,
                 .api_key = opt->api_key,
                 .ca_file = opt->ca_file,
                 .ca_dir = opt->ca_dir,
                 .insecure_http = opt->insecure_http,
                 .connect_s = or_default(opt->connect_s, 10.0),
                 .first_byte_s = or_default(opt->first_byte_s, 300.0),
                 .total_s = or_default(opt->total_s, 600.0),
                 .body_max = WI_LLM_BODY_MAX,
                 .cancel = opt->cancel},
        .retry = {.n_max = opt->n_retries == SIZE_MAX ? 4 : opt->n_retries,
                  .base_s = or_default(opt->retry_base_s, 0.5),
                  .cap_s = or_default(opt->retry_cap_s, 60.0)},
        .log = opt->log,
        .no_cache = opt->no_cache,
        .refresh = opt->refresh,
        .offline = opt->offline,
        .verbose = opt->verbose,
        .note = opt->note,
        .note_ctx = opt->note_ctx,
    };
}

static enum wi_status check_options(const struct wi_llm_options *opt, struct wi_err *err)
{
    if (!opt->model || !*opt->model)
        return wi_fail(err, WI_ENET, "no model is set; give --llm-model or SSD_WHATIF_MODEL");
    if (strlen(opt->model) > 200)
        return wi_fail(err, WI_ENET, "the name of the model is longer than 200 bytes");
    if (opt->n_samples > WI_LLM_SAMPLES_MAX)
        return wi_fail(err, WI_ERANGE, "samples are %zu, must be 1 to %d", opt->n_samples,
                       WI_LLM_SAMPLES_MAX);
    if (opt->n_repair > WI_LLM_REPAIR_MAX)
        return wi_fail(err, WI_ERANGE, "repair rounds are %zu, must be 0 to %d", opt->n_repair,
                       WI_LLM_REPAIR_MAX);
    if (opt->max_tokens > WI_LLM_TOKENS_MAX)
        return wi_fail(err, WI_ERANGE, "tokens of a reply are %zu, must be 1 to %d",
                       opt->max_tokens, WI_LLM_TOKENS_MAX);
    if (!isnan(opt->temperature) && !(opt->temperature >= 0 && opt->temperature <= 2))
        return wi_fail(err, WI_ERANGE, "temperature is %g, must be 0 to 2", opt->temperature);
    return WI_OK;
}

enum wi_status wi_llm_open(const struct wi_llm_options *opt, struct wi_llm **llm,
                           struct wi_err *err)
{
    struct wi_endpoint_options eo = wi_llm_endpoint_options(opt);
    struct wi_llm *l;
    enum wi_status st = check_options(opt, err);

    if (st != WI_OK)
        return st;
    l = calloc(1, sizeof(*l));
    if (!l)
        return wi_fail_nomem(err);
    l->n_samples = opt->n_samples ? opt->n_samples : 1;
    l->n_repair = opt->n_repair;
    l->max_tokens = opt->max_tokens;
    l->seed = opt->seed;
    l->alone = opt->alone;
    l->temperature = !isnan(opt->temperature) ? opt->temperature : l->n_samples > 1 ? 0.7 : 0.0;
    l->model = strdup(opt->model);
    st = l->model ? wi_endpoint_open(&eo, &l->chat.ep, err) : wi_fail_nomem(err);
    if (st != WI_OK) {
        wi_llm_close(l);
        return st;
    }
    l->chat.model = l->model;
    l->chat.stream = opt->stream;
    l->chat.progress = opt->progress;
    l->chat.progress_ctx = opt->progress_ctx;
    *llm = l;
    return WI_OK;
}

void wi_llm_close(struct wi_llm *llm)
{
    if (!llm)
        return;
    wi_endpoint_close(llm->chat.ep);
    free(llm->model);
    free(llm);
}

struct wi_llm_usage wi_llm_usage(const struct wi_llm *llm)
{
    return (struct wi_llm_usage){.n_requests = llm->chat.n_requests,
                                 .n_cached = llm->chat.n_cached,
                                 .n_replies = llm->chat.n_replies,
                                 .n_unusable = llm->n_unusable,
                                 .prompt_tokens = llm->chat.prompt_tokens,
                                 .completion_tokens = llm->chat.completion_tokens};
}

void wi_sample_release(struct wi_sample *s)
{
    wi_forecast_reply_release(&s->reply);
    wi_check_release(&s->check);
}

static bool was_cut(const struct wi_envelope *e, size_t max_tokens)
{
    return strcmp(e->finish, "length") == 0 ||
           (e->completion_tokens >= 0 && (size_t)e->completion_tokens >= max_tokens);
}

/* The forecast in what came back, wherever the server put it. */
static enum wi_status find_forecast(const struct wi_envelope *e, const struct wi_scenario *s,
                                    struct wi_forecast_reply *r, struct wi_err *err)
{
    enum wi_status st = wi_forecast_reply_parse(e->content, s, r, err);

    if (st == WI_EDATA && *e->reasoning)
        st = wi_forecast_reply_parse(e->reasoning, s, r, NULL);
    return st;
}

/* Why a reply is unusable, for the user. WI_EDATA, so that callers tell it from a failing endpoint.
 */
static enum wi_status unusable(const struct wi_llm *llm, const struct wi_envelope *e, bool cut,
                               const struct wi_err *why, struct wi_err *err)
{
    struct wi_buf said = {0};
    const char *text = *e->refusal ? e->refusal : *e->content ? e->content : e->reasoning;

    wi_clean(&said, text, strlen(text), 160);
    if (*e->refusal)
        wi_fail(err, WI_EDATA, "model '%s' refuses to answer: '%s'", llm->model, said.text);
    else if (!*text)
        wi_fail(err, WI_EDATA, "model '%s' sent an empty reply", llm->model);
    else if (cut)
        wi_fail(err, WI_EDATA, "the reply of model '%s' was cut at its token limit (--max-tokens)",
                llm->model);
    else
        wi_fail(err, WI_EDATA, "the reply of model '%s' is unusable: %s; it begins '%s'",
                llm->model, why->msg, said.text ? said.text : "");
    wi_buf_release(&said);
    return WI_EDATA;
}

/*
 * Ask until a forecast comes: again with a larger limit when the reply was cut, again with a
 * simpler format when it is no JSON. out:  raw   the reply's text, for a repair round; free with
 * free() returns WI_OK; WI_EDATA if no reply was usable; WI_ENET; WI_ECANCEL
 */
static enum wi_status ask_forecast(struct wi_llm *llm, const struct wi_question *q,
                                   const char *messages, int64_t seed, struct wi_forecast_reply *r,
                                   char **raw, struct wi_err *err)
{
    struct wi_chat_request req = {.messages = messages,
                                  .schema = q->prompt.schema,
                                  .temperature = llm->temperature,
                                  .seed = seed,
                                  .max_tokens = q->max_tokens};
    enum wi_status st = WI_EDATA;

    for (int i = 0; i < TRIES_MAX; i++) {
        struct wi_envelope e = {0};
        struct wi_err why = {0};
        bool cut;

        st = wi_chat_ask(&llm->chat, &req, &e, err);
        if (st != WI_OK)
            return st;
        st = find_forecast(&e, q->in->scenario, r, &why);
        if (st == WI_OK) {
            wi_chat_confirm(&llm->chat);
            *raw = e.content;
            e.content = NULL;
            wi_envelope_release(&e);
            return WI_OK;
        }
        cut = was_cut(&e, req.max_tokens);
        if (st == WI_EDATA)
            st = unusable(llm, &e, cut, &why, err);
        else
            wi_fail_nomem(err);
        if (cut && i < 3 && req.max_tokens * 2 <= WI_LLM_TOKENS_MAX) {
            req.max_tokens *= 2;
            wi_endpoint_note(llm->chat.ep, "the reply was cut; asking again with %zu tokens",
                             req.max_tokens);
        } else if (cut || *e.refusal || !wi_chat_lower_format(&llm->chat)) {
            i = TRIES_MAX;
        } else {
            wi_endpoint_note(llm->chat.ep, "the reply is no forecast; asking for %s instead",
                             wi_chat_format_name(llm->chat.can.format));
        }
        wi_envelope_release(&e);
    }
    return st;
}

static bool has_problems(const struct wi_check *c)
{
    return c->n_unsupported > 0 || c->warnings.n > 0;
}

static size_t n_problems(const struct wi_check *c)
{
    return c->n_unsupported + c->warnings.n;
}

/* One repair round; keeps the better of the two replies. A round that fails changes nothing. */
static enum wi_status repair(struct wi_llm *llm, const struct wi_question *q, int64_t seed,
                             struct wi_sample *s, char **raw, struct wi_err *err)
{
    struct wi_sample again = {0};
    char *problems = NULL, *messages = NULL, *text = NULL;
    enum wi_status st = wi_check_problems(&s->reply, &s->check, &problems, err);

    if (st == WI_OK)
        st = wi_llm_repair_messages(q->prompt.messages, *raw, problems, &messages, err);
    if (st == WI_OK)
        st = ask_forecast(llm, q, messages, seed, &again.reply, &text, err);
    if (st == WI_OK)
        st = wi_check_reply(q->in, &q->prompt, &again.reply, &again.check, err);
    if (st == WI_OK && n_problems(&again.check) <= n_problems(&s->check)) {
        struct wi_sample old = *s;
        char *old_raw = *raw;

        *s = again;
        *raw = text;
        again = old;
        text = old_raw;
    }
    free(problems);
    free(messages);
    free(text);
    wi_sample_release(&again);
    return st;
}

static enum wi_status take_sample(struct wi_llm *llm, const struct wi_question *q, int64_t seed,
                                  struct wi_sample *s, struct wi_err *err)
{
    char *raw = NULL;
    enum wi_status st = ask_forecast(llm, q, q->prompt.messages, seed, &s->reply, &raw, err);

    if (st == WI_OK)
        st = wi_check_reply(q->in, &q->prompt, &s->reply, &s->check, err);
    for (size_t round = 0; st == WI_OK && round < llm->n_repair && has_problems(&s->check);
         round++) {
        struct wi_err why = {0};

        st = repair(llm, q, seed, s, &raw, &why);
        if (st == WI_ENET || st == WI_EDATA) { /* what is there is good enough to show */
            wi_endpoint_note(llm->chat.ep, "repair round %zu failed: %s", round + 1, why.msg);
            st = WI_OK;
            break;
        }
        if (st != WI_OK && err)
            *err = why;
    }
    free(raw);
    return st;
}

/*
 * All samples. One that stays unusable is left out; when all are, the first error counts. A failing
 * endpoint ends the series: with what is there, or with its error if nothing is.
 */
static enum wi_status take_samples(struct wi_llm *llm, const struct wi_question *q,
                                   struct wi_sample *samples, size_t *n, struct wi_err *err)
{
    struct wi_err first = {0};

    *n = 0;
    for (size_t k = 0; k < llm->n_samples; k++) {
        struct wi_err why = {0};
        enum wi_status st = take_sample(llm, q, llm->seed + (int64_t)k, &samples[*n], &why);

        if (st == WI_OK) {
            ++*n;
            continue;
        }
        wi_sample_release(&samples[*n]);
        if (first.status == WI_OK)
            first = why;
        if (st == WI_EDATA)
            continue;
        if (st == WI_ENET && *n > 0) {
            wi_endpoint_note(llm->chat.ep, "only %zu of %zu samples: %s", *n, llm->n_samples,
                             why.msg);
            break;
        }
        if (err)
            *err = why;
        return st;
    }
    if (*n > 0)
        return WI_OK;
    llm->n_unusable++;
    return wi_fail(err, WI_ENET, "%s", first.msg);
}

enum wi_status wi_llm_predict(struct wi_llm *llm, const struct wi_prompt_input *in,
                              const struct wi_prompt_options *popt, struct wi_prediction *p,
                              struct wi_err *err)
{
    struct wi_question q = {.in = in, .popt = popt};
    struct wi_sample *samples = calloc(llm->n_samples, sizeof(*samples));
    size_t n = 0;
    enum wi_status st = samples ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_prompt_build(in, popt, &q.prompt, err);
    q.max_tokens = llm->max_tokens
                       ? llm->max_tokens
                       : wi_prompt_default_reply(in->scenario->n_percentiles, popt->no_cot);
    if (st == WI_OK)
        st = take_samples(llm, &q, samples, &n, err);
    if (st == WI_OK)
        st = wi_llm_combine(llm, &q, samples, n, p, err);
    for (size_t i = 0; samples && i < llm->n_samples; i++)
        wi_sample_release(&samples[i]);
    free(samples);
    wi_prompt_release(&q.prompt);
    return st;
}

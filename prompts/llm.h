/*
 * The LLM engine: sends a prompt to an OpenAI-compatible endpoint and turns the reply into a
 * forecast, checked against what was sent.
 */
#ifndef WI_PROMPTS_LLM_H
#define WI_PROMPTS_LLM_H

#include "core/reply_log.h"
#include "prompts/prompt.h"

struct wi_llm; /* an endpoint with its settings */

struct wi_llm_options {
    const char *base_url; /* "http://127.0.0.1:8080/v1"; with or without /v1 */
    const char *api_key;  /* NULL = none; copied, wiped on close */
    const char *model;
    double temperature;
    size_t n_samples;  /* 1.. */
    size_t n_repair;   /* repair rounds, 0.. */
    size_t max_tokens; /* of a reply; 0 = default */
    int64_t seed;
    double connect_s, first_byte_s, total_s; /* 0 = defaults */
    bool insecure_http, stream, no_cache, refresh, offline;
    struct wi_reply_log *log; /* NULL = nothing is kept */
    void (*note)(void *ctx, const char *line);
    void *note_ctx;
};

enum wi_status wi_llm_open(const struct wi_llm_options *opt, struct wi_llm **llm,
                           struct wi_err *err);
void wi_llm_close(struct wi_llm *llm);

/*
 * Ask for a forecast.
 *
 * in:   in, popt   the prompt is built inside, since a repair round needs it again; in->estimate
 *                  is also what the reply is combined with
 * out:  p          forecast, reasoning, n_unsupported, llm_json are filled in; scenario, evidence
 *                  and principles are the caller's
 * returns WI_OK; WI_ENET for endpoint, key or an unusable reply; WI_ECANCEL
 */
enum wi_status wi_llm_predict(struct wi_llm *llm, const struct wi_prompt_input *in,
                              const struct wi_prompt_options *popt, struct wi_prediction *p,
                              struct wi_err *err);

/* One line about the endpoint for doctor: reachable, models, schema support, round trip. */
enum wi_status wi_llm_probe(struct wi_llm *llm, char *line, size_t size, struct wi_err *err);

#endif

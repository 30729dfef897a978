/*
 * The LLM engine: sends a prompt to an OpenAI-compatible endpoint and turns the reply into a
 * forecast, checked against what was sent.
 */
#ifndef WI_PROMPTS_LLM_H
#define WI_PROMPTS_LLM_H

#include <signal.h>

#include "core/embedder.h"
#include "core/reply_log.h"
#include "prompts/prompt.h"

struct wi_llm; /* an endpoint with its settings */

#define WI_LLM_SAMPLES_MAX 1000
#define WI_LLM_REPAIR_MAX 10
#define WI_LLM_TOKENS_MAX 32768    /* a larger reply is never asked for */
#define WI_LLM_BODY_MAX (8u << 20) /* bytes of one HTTP body */

struct wi_llm_options {
    const char *base_url;                    /* "http://127.0.0.1:8080/v1"; with or without /v1 */
    const char *api_key;                     /* NULL = none; copied, wiped on close */
    const char *model;                       /* NULL or "" = the only one that the endpoint lists */
    double temperature;                      /* 0..2; NaN = 0 for one sample, 0.7 for several */
    size_t n_samples;                        /* 1..WI_LLM_SAMPLES_MAX; 0 = 1 */
    size_t n_repair;                         /* repair rounds per sample, 0..WI_LLM_REPAIR_MAX */
    size_t max_tokens;                       /* of a reply; 0 = default */
    int64_t seed;                            /* of the first sample; sample k has seed + k */
    double connect_s, first_byte_s, total_s; /* 0 = 10, 300, 600 */
    size_t n_retries;                        /* tries after the first; SIZE_MAX = 4 */
    double retry_base_s;                     /* 0 = 0.5 */
    double retry_cap_s;                      /* longest Retry-After obeyed; 0 = 60 */
    const char *ca_file, *ca_dir;            /* NULL = libcurl's own */
    bool insecure_http, stream, no_cache, refresh, offline;
    bool alone;               /* the model's own numbers, not combined with the evidence engine's */
    bool verbose;             /* note every request: where to, how long, whether with a key */
    struct wi_reply_log *log; /* NULL = nothing is kept */
    void (*note)(void *ctx, const char *line); /* retries, fallbacks, requests; NULL = silent */
    void *note_ctx;
    /* with `stream`: bytes of the reply received so far; NULL = silent */
    void (*progress)(void *ctx, size_t n_bytes);
    void *progress_ctx;
    const volatile sig_atomic_t *cancel; /* not 0 = stop; NULL = never */
};

/* All defaults: zeros, NaN temperature, n_retries SIZE_MAX. */
void wi_llm_options_init(struct wi_llm_options *opt);

/*
 * Check the settings; nothing is loaded or sent yet.
 * returns WI_OK; WI_ENET for a base URL or key that cannot be used
 * threads: one object belongs to one thread at a time
 */
enum wi_status wi_llm_open(const struct wi_llm_options *opt, struct wi_llm **llm,
                           struct wi_err *err);
void wi_llm_close(struct wi_llm *llm);

/* Calls made through one object. */
struct wi_llm_usage {
    size_t n_requests;                        /* sent, refused and repeated ones included */
    size_t n_cached;                          /* answered from the log */
    size_t n_replies;                         /* completions received, sent for or from the log */
    size_t n_unusable;                        /* questions without one usable reply */
    int64_t prompt_tokens, completion_tokens; /* of both, as far as reported */
};
struct wi_llm_usage wi_llm_usage(const struct wi_llm *llm);

/*
 * Ask for a forecast.
 *
 * in:   in, popt   the prompt is built inside, since a repair round needs it again; in->estimate
 *                  is also what the reply is combined with (samples.h), even when it is withheld
 * out:  p          forecast, reasoning, n_unsupported, llm_json are replaced; scenario, evidence
 *                  and principles are the caller's. p->forecast must be zeroed or valid, and may be
 *                  in->estimate itself
 * returns WI_OK; WI_ENET for endpoint, key or an unusable reply; WI_ECANCEL
 */
enum wi_status wi_llm_predict(struct wi_llm *llm, const struct wi_prompt_input *in,
                              const struct wi_prompt_options *popt, struct wi_prediction *p,
                              struct wi_err *err);

/* One line about the endpoint for doctor: reachable, models, schema support, round trip. */
enum wi_status wi_llm_probe(struct wi_llm *llm, char *line, size_t size, struct wi_err *err);

/*
 * An embedder that asks POST /embeddings: batches of 16 texts, each batch kept in the log, so that
 * an interrupted run goes on where it stopped. Its name is "openai:MODEL".
 *
 * in:   opt      base_url, api_key, model, timeouts, retries, log and notes are used
 *       dim      components recorded with the stored vectors; 0 = not known, asked for at once, so
 *                that e->dim is never 0
 * out:  e        heap object; freed by e->free
 * returns WI_OK; WI_ENET for unusable settings. e->embed returns WI_ENET for a failing endpoint or
 *         vectors that are none (another count, another length, no finite numbers), which are not
 *         given from the log again, and WI_EDATA for another dimension than recorded
 */
enum wi_status wi_embed_endpoint_new(const struct wi_llm_options *opt, size_t dim,
                                     struct wi_embedder **e, struct wi_err *err);

#endif

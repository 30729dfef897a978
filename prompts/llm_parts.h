/*
 * What the files of the LLM engine share.
 */
#ifndef WI_PROMPTS_LLM_PARTS_H
#define WI_PROMPTS_LLM_PARTS_H

#include "prompts/buf.h"
#include "prompts/chat.h"
#include "prompts/check.h"
#include "prompts/llm.h"
#include "prompts/quote.h"

struct wi_llm {
    struct wi_chat chat;
    char *model;
    double temperature;
    size_t n_samples, n_repair, max_tokens;
    int64_t seed;
    bool alone;
    size_t n_unusable; /* questions without one usable reply */
};

/* One question while it is asked. */
struct wi_question {
    const struct wi_prompt_input *in;
    const struct wi_prompt_options *popt;
    struct wi_prompt prompt;
    size_t max_tokens;
};

/* One usable reply with its verdicts. */
struct wi_sample {
    struct wi_forecast_reply reply;
    struct wi_check check;
};
void wi_sample_release(struct wi_sample *s);

struct wi_endpoint_options wi_llm_endpoint_options(const struct wi_llm_options *opt);

/* The messages so far, the reply, and what is wrong with it. */
enum wi_status wi_llm_repair_messages(const char *messages, const char *reply, const char *problems,
                                      char **out, struct wi_err *err);

/* Make one prediction of n >= 1 samples and the evidence engine's estimate. */
enum wi_status wi_llm_combine(const struct wi_llm *llm, const struct wi_question *q,
                              const struct wi_sample *samples, size_t n, struct wi_prediction *p,
                              struct wi_err *err);

#endif

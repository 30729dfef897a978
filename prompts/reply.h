/*
 * Reading what an endpoint sent: the envelope of a chat completion, and the forecast in its text.
 */
#ifndef WI_PROMPTS_REPLY_H
#define WI_PROMPTS_REPLY_H

#include <stdint.h>

#include "core/prediction.h"

#define WI_REPLY_TEXT_MAX (1u << 20) /* bytes of a reply's text that are looked at */
#define WI_REPLY_STARTS_MAX 64       /* places where an object may begin that are tried */
#define WI_CLAIMS_MAX 32             /* reasoning steps kept */
#define WI_CLAIM_BYTES 1000          /* of one step's text */

/* A chat completion, whole or put together from a stream. */
struct wi_envelope {
    char *content;                            /* "" = none */
    char *reasoning;                          /* reasoning_content or reasoning, "" = none */
    char *refusal;                            /* "" = none */
    char finish[32];                          /* finish_reason, "" = not said */
    char model[128];                          /* as the server names it */
    int64_t prompt_tokens, completion_tokens; /* -1 = not reported */
};
void wi_envelope_release(struct wi_envelope *e);

/*
 * in:   body, n   JSON of a chat completion, or the server-sent events of a streamed one
 * out:  e         release with wi_envelope_release
 * returns WI_OK; WI_EDATA for what is no chat completion; WI_ENET for an error event in a stream
 */
enum wi_status wi_envelope_parse(const char *body, size_t n, struct wi_envelope *e,
                                 struct wi_err *err);

/* One step of the model's reasoning, as it said it. */
struct wi_claim {
    enum wi_step_kind step;
    char *text;  /* cleaned for a terminal */
    char *cites; /* tags or ids, separated by single spaces, unchecked */
};

struct wi_forecast_reply {
    struct wi_claim *claims;
    size_t n_claims;
    struct wi_change tail[WI_PERCENTILES_MAX]; /* in the order of the scenario's percentiles */
    size_t n_tail;
    struct wi_change bandwidth;
    size_t n_mended; /* intervals that were the wrong way round or did not hold their change */
};
void wi_forecast_reply_release(struct wi_forecast_reply *r);

/*
 * Find the forecast in a text: prose, fences, a <think> block and further objects may stand around
 * it. Of several objects that fit the last one counts, since drafts come first.
 *
 * out:  r   release with wi_forecast_reply_release
 * returns WI_OK; WI_EDATA if no object fits, saying why the best one does not
 */
enum wi_status wi_forecast_reply_parse(const char *text, const struct wi_scenario *s,
                                       struct wi_forecast_reply *r, struct wi_err *err);

#endif

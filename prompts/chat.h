/*
 * One chat completion: the request body, what this endpoint can do, the envelope of its reply.
 */
#ifndef WI_PROMPTS_CHAT_H
#define WI_PROMPTS_CHAT_H

#include "prompts/endpoint.h"
#include "prompts/reply.h"

/* Ways to ask for JSON, from the strictest to none. */
enum wi_chat_format {
    WI_CHAT_SCHEMA, /* response_format json_schema */
    WI_CHAT_PLAIN,  /* the same without lengths and counts, which some servers refuse */
    WI_CHAT_OBJECT, /* json_object, the schema stands in the prompt */
    WI_CHAT_TEXT,   /* no response_format, the schema stands in the prompt */
    WI_CHAT_N_FORMATS
};
const char *wi_chat_format_name(enum wi_chat_format f);

/* What an endpoint understands for one model; found by asking, remembered as facts. */
struct wi_chat_abilities {
    enum wi_chat_format format;
    bool no_temperature, no_seed, no_stream_options;
    bool completion_tokens; /* the limit is named max_completion_tokens */
    bool known;             /* read from the log */
};

struct wi_chat {
    struct wi_endpoint *ep;
    const char *model;
    bool stream;
    void (*progress)(void *ctx, size_t n_bytes);
    void *progress_ctx;
    struct wi_chat_abilities can, kept; /* as used now, as the log has them */
    size_t n_requests, n_cached, n_replies;
    int64_t prompt_tokens, completion_tokens; /* sums of what was reported */
};

struct wi_chat_request {
    const char *messages; /* JSON array */
    const char *schema;   /* JSON Schema */
    double temperature;
    int64_t seed;
    size_t max_tokens;
};

/*
 * Ask; falls back by what the server's refusal says.
 * out:  e   release with wi_envelope_release
 * returns WI_OK; WI_ENET; WI_ECANCEL
 */
enum wi_status wi_chat_ask(struct wi_chat *chat, const struct wi_chat_request *req,
                           struct wi_envelope *e, struct wi_err *err);

/*
 * After a reply without the JSON that the format promised: ask for less from now on. returns false
 * when nothing is left to try
 */
bool wi_chat_lower_format(struct wi_chat *chat);

/* The reply was usable: what was learned on the way to it goes to the log. */
void wi_chat_confirm(struct wi_chat *chat);

#endif

/*
 * One request to an endpoint from end to end: answered from the log where it was asked before, else
 * sent, tried again where that helps, and committed to the log before anybody reads the answer.
 */
#ifndef WI_PROMPTS_ENDPOINT_H
#define WI_PROMPTS_ENDPOINT_H

#include <stdint.h>

#include "core/reply_log.h"
#include "prompts/http.h"
#include "prompts/retry.h"

struct wi_endpoint;

struct wi_endpoint_options {
    struct wi_http_options http; /* base_url with or without /v1 */
    struct wi_retry retry;
    struct wi_reply_log *log; /* borrowed; NULL = nothing is kept */
    bool no_cache;            /* neither look an answer up nor keep it as one that can be found */
    bool refresh;             /* do not look it up, but keep it */
    bool offline;             /* look it up only */
    bool verbose;             /* note every request */
    void (*note)(void *ctx, const char *line);
    void *note_ctx;
};

struct wi_ask {
    const char *path;      /* "/chat/completions" */
    const char *model;     /* for the log */
    const char *body;      /* as sent */
    const char *canonical; /* what the key is made from: the body without what does not change the
                              answer; NULL = body */
    /* false for an answer that is none (HTML, {}), which is kept but never given again */
    bool (*is_answer)(const struct wi_ask *ask, const char *body, size_t n, int64_t *prompt_tokens,
                      int64_t *completion_tokens);
    const void *expected; /* for is_answer */
    wi_http_sink sink;    /* NULL = none */
    void *sink_ctx;
};

struct wi_answer {
    struct wi_http_response http; /* status and body, whatever the status is */
    bool cached;
    size_t n_requests; /* sent for it, 0 when cached */
    char key[65];      /* of the log */
};
void wi_answer_release(struct wi_answer *a);

enum wi_status wi_endpoint_open(const struct wi_endpoint_options *opt, struct wi_endpoint **ep,
                                struct wi_err *err);
void wi_endpoint_close(struct wi_endpoint *ep);
const char *wi_endpoint_base(const struct wi_endpoint *ep);

/*
 * out:  a   release with wi_answer_release, also after an error
 * returns WI_OK with any HTTP status that is not worth another try; WI_ENET after the last try,
 * with the wait that the server asked for; WI_ENET offline without an answer; what the log returns
 * if an answer could not be committed
 */
enum wi_status wi_endpoint_ask(struct wi_endpoint *ep, const struct wi_ask *ask,
                               struct wi_answer *a, struct wi_err *err);

/* A GET, without log and without a second try. */
enum wi_status wi_endpoint_get(struct wi_endpoint *ep, const char *path, struct wi_http_response *r,
                               struct wi_err *err);

/*
 * The error for an answer whose status is not 2xx or that is no API reply: status, cause, remedy.
 * in:   what   was asked for, "chat completion"
 */
enum wi_status wi_endpoint_fail(const struct wi_endpoint *ep, const char *what,
                                const struct wi_http_response *r, struct wi_err *err);

/* The server's own message, cleaned and cut, "" = none. */
void wi_endpoint_message(const struct wi_http_response *r, char *out, size_t size);

/* Facts about the endpoint that outlive the program when there is a log. */
enum wi_status wi_endpoint_get_fact(struct wi_endpoint *ep, const char *name, char **value,
                                    struct wi_err *err);
void wi_endpoint_set_fact(struct wi_endpoint *ep, const char *name, const char *value);

void wi_endpoint_note(const struct wi_endpoint *ep, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif

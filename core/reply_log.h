/*
 * Where requests to language models and their replies are kept before anybody parses them.
 * knowledge/store_log.c implements it on the store; prompts/ only calls it.
 */
#ifndef WI_CORE_REPLY_LOG_H
#define WI_CORE_REPLY_LOG_H

#include <stdint.h>

#include "core/status.h"

struct wi_reply {
    char key[65];         /* SHA-256 of endpoint, model, messages, schema, seed, parameters */
    const char *endpoint; /* base URL without credentials */
    const char *model;
    const char *request;  /* JSON body as sent */
    const char *response; /* raw body as received, `n_response` bytes */
    size_t n_response;
    int http_status;
    int64_t prompt_tokens; /* -1 = not reported */
    int64_t completion_tokens;
    double wall_s;
};

struct wi_reply_log {
    void *ctx;
    /* WI_OK and an allocated copy of the response; WI_ENOTFOUND if the key was never answered */
    enum wi_status (*find)(struct wi_reply_log *log, const char *key, char **response,
                           size_t *n_response, int *http_status, struct wi_err *err);
    /* Committed to disk when it returns WI_OK. */
    enum wi_status (*add)(struct wi_reply_log *log, const struct wi_reply *reply,
                          struct wi_err *err);
    /* A small fact per endpoint ("response_format" -> "json_object"); value NULL when unknown. */
    enum wi_status (*get_fact)(struct wi_reply_log *log, const char *endpoint, const char *name,
                               char **value, struct wi_err *err);
    enum wi_status (*set_fact)(struct wi_reply_log *log, const char *endpoint, const char *name,
                               const char *value, struct wi_err *err);
};

#endif

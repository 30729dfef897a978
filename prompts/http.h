/*
 * One HTTP request at a time over libcurl, which is loaded when the first request is made.
 */
#ifndef WI_PROMPTS_HTTP_H
#define WI_PROMPTS_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct wi_http; /* a connection that is kept between requests */

struct wi_http_options {
    const char *base_url; /* checked once; every request goes to this origin */
    const char *api_key;  /* NULL = none; copied, wiped on close; sent to base_url's origin only */
    const char *ca_file;  /* NULL = libcurl's own */
    const char *ca_dir;   /* NULL = libcurl's own */
    bool insecure_http;   /* plain http to other machines, which otherwise is refused */
    double connect_s;     /* > 0 */
    double first_byte_s;  /* > 0, from the start of the request to the first byte of the body */
    double total_s;       /* > 0 */
    size_t body_max;      /* bytes of a body after decompression, > 0 */
    const volatile sig_atomic_t *cancel; /* not 0 = stop; NULL = never */
};

/* Bytes of the body as they arrive. */
typedef void (*wi_http_sink)(void *ctx, const char *bytes, size_t n);

struct wi_http_response {
    int status; /* HTTP status, 0 = none */
    char *body; /* NUL-terminated, n_body bytes */
    size_t n_body;
    char content_type[128];
    char retry_after[64];    /* value of Retry-After, "" = none */
    char retry_after_ms[32]; /* value of retry-after-ms, "" = none */
    double wall_s;
    bool lost; /* no connection in time, or it broke before the answer was complete: try again */
};
void wi_http_response_release(struct wi_http_response *r);

/*
 * Check the base URL and remember the settings; nothing is loaded or sent.
 * returns WI_OK; WI_ENET for a URL without scheme or host, another scheme than http or https, with
 *         credentials, query or fragment, plain http to another machine, or a key that no header
 * can hold (empty, line end, control character)
 */
enum wi_status wi_http_open(const struct wi_http_options *opt, struct wi_http **http,
                            struct wi_err *err);
void wi_http_close(struct wi_http *http);

/* "https://host:port/v1": scheme, host, port and path, without a '/' at the end. */
const char *wi_http_base(const struct wi_http *http);

bool wi_http_has_key(const struct wi_http *http);

/*
 * Send one request and read the whole answer, whatever its status.
 *
 * in:   path   after the base, "/chat/completions"
 *       body   JSON of a POST; NULL = GET
 *       sink   NULL = none
 * out:  resp   release with wi_http_response_release, also after an error
 * returns WI_OK with any HTTP status; WI_ENET with resp->lost where no whole answer came;
 * WI_ECANCEL
 */
enum wi_status wi_http_send(struct wi_http *http, const char *path, const char *body,
                            wi_http_sink sink, void *sink_ctx, struct wi_http_response *resp,
                            struct wi_err *err);

#endif

#include "prompts/endpoint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "core/sha256.h"
#include "prompts/buf.h"
#include "prompts/quote.h"
#include "prompts/url.h"

struct wi_endpoint {
    struct wi_http *http;
    struct wi_endpoint_options opt;
};

void wi_answer_release(struct wi_answer *a)
{
    wi_http_response_release(&a->http);
    *a = (struct wi_answer){0};
}

/* A base without a path gets the one that every OpenAI-compatible server has. */
static enum wi_status complete_base(const char *base, char out[WI_URL_MAX + 8], struct wi_err *err)
{
    struct wi_url url;
    enum wi_status st;

    if (!base || !*base)
        return wi_fail(err, WI_ENET,
                       "no endpoint is set; give OPENAI_BASE_URL, like http://127.0.0.1:8080/v1");
    st = wi_url_parse(base, "the base URL", &url, err);
    if (st == WI_OK)
        snprintf(out, WI_URL_MAX + 8, "%s%s", url.text, *url.path ? "" : "/v1");
    return st;
}

enum wi_status wi_endpoint_open(const struct wi_endpoint_options *opt, struct wi_endpoint **ep,
                                struct wi_err *err)
{
    char base[WI_URL_MAX + 8];
    struct wi_http_options http = opt->http;
    struct wi_endpoint *e;
    enum wi_status st = complete_base(http.base_url, base, err);

    if (st != WI_OK)
        return st;
    e = calloc(1, sizeof(*e));
    if (!e)
        return wi_fail_nomem(err);
    http.base_url = base;
    st = wi_http_open(&http, &e->http, err);
    if (st != WI_OK) {
        free(e);
        return st;
    }
    e->opt = *opt;
    e->opt.http = (struct wi_http_options){.cancel = opt->http.cancel};
    *ep = e;
    return WI_OK;
}

void wi_endpoint_close(struct wi_endpoint *ep)
{
    if (!ep)
        return;
    wi_http_close(ep->http);
    free(ep);
}

const char *wi_endpoint_base(const struct wi_endpoint *ep)
{
    return wi_http_base(ep->http);
}

void wi_endpoint_note(const struct wi_endpoint *ep, const char *fmt, ...)
{
    char line[512];
    va_list ap;

    if (!ep->opt.note)
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    ep->opt.note(ep->opt.note_ctx, line);
}

enum wi_status wi_endpoint_get_fact(struct wi_endpoint *ep, const char *name, char **value,
                                    struct wi_err *err)
{
    *value = NULL;
    if (!ep->opt.log)
        return WI_OK;
    return ep->opt.log->get_fact(ep->opt.log, wi_endpoint_base(ep), name, value, err);
}

void wi_endpoint_set_fact(struct wi_endpoint *ep, const char *name, const char *value)
{
    /* A fact that cannot be kept costs one more request next time, nothing else. */
    if (ep->opt.log && !ep->opt.no_cache)
        ep->opt.log->set_fact(ep->opt.log, wi_endpoint_base(ep), name, value, NULL);
}

static enum wi_status make_key(const struct wi_endpoint *ep, const struct wi_ask *ask, char key[65],
                               struct wi_err *err)
{
    struct wi_buf text = {0};

    wi_buf_addf(&text, "%s%s\n%s\n%s", wi_endpoint_base(ep), ask->path, ask->model,
                ask->canonical ? ask->canonical : ask->body);
    if (text.failed) {
        wi_buf_release(&text);
        return wi_fail_nomem(err);
    }
    wi_sha256(text.text, text.n, key);
    wi_buf_release(&text);
    return WI_OK;
}

/* WI_ENOTFOUND if the log has no answer that can be given again. */
static enum wi_status look_up(struct wi_endpoint *ep, const struct wi_ask *ask, struct wi_answer *a,
                              struct wi_err *err)
{
    int64_t in, out;
    enum wi_status st;

    if (!ep->opt.log || ep->opt.no_cache || ep->opt.refresh)
        return WI_ENOTFOUND;
    st = ep->opt.log->find(ep->opt.log, a->key, &a->http.body, &a->http.n_body, &a->http.status,
                           err);
    if (st != WI_OK)
        return st;
    if (a->http.status == 200 && ask->is_answer(ask, a->http.body, a->http.n_body, &in, &out)) {
        a->cached = true;
        if (ep->opt.verbose)
            wi_endpoint_note(ep, "answered from the log, key %.12s", a->key);
        return WI_OK;
    }
    wi_http_response_release(&a->http);
    return WI_ENOTFOUND;
}

/*
 * Committed before it is parsed: it was paid for. If that fails the reply is still used, since
 * throwing it away would lose it for certain.
 */
static void keep(struct wi_endpoint *ep, const struct wi_ask *ask, const struct wi_answer *a)
{
    struct wi_reply r = {.endpoint = wi_endpoint_base(ep),
                         .model = ask->model,
                         .request = ask->body,
                         .response = a->http.body,
                         .n_response = a->http.n_body,
                         .http_status = a->http.status,
                         .prompt_tokens = -1,
                         .completion_tokens = -1,
                         .wall_s = a->http.wall_s};
    struct wi_err err = {0};

    if (!ep->opt.log || ep->opt.no_cache || a->http.status != 200)
        return;
    memcpy(r.key, a->key, sizeof(r.key));
    ask->is_answer(ask, a->http.body, a->http.n_body, &r.prompt_tokens, &r.completion_tokens);
    if (ep->opt.log->add(ep->opt.log, &r, &err) != WI_OK)
        wi_endpoint_note(ep, "the reply could not be kept: %s", err.msg);
}

static double uniform(void)
{
    uint32_t v = 0;

    /* Without entropy all clients wait the same time, which is safe. */
    if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != (ssize_t)sizeof(v))
        return 0.5;
    return v / 4294967296.0;
}

static enum wi_status wait_for(const struct wi_endpoint *ep, double wait_s, struct wi_err *err)
{
    struct timespec step = {0, 50000000};

    /* In small steps, so that an interrupt is noticed. */
    for (; wait_s > 0; wait_s -= 0.05) {
        if (ep->opt.http.cancel && *ep->opt.http.cancel)
            return wi_fail(err, WI_ECANCEL, "interrupted");
        if (wait_s < 0.05)
            step.tv_nsec = (long)(wait_s * 1e9);
        nanosleep(&step, NULL);
    }
    return WI_OK;
}

/*
 * Decide on another try after a failed one and wait for it.
 * returns WI_OK to try again; the error of the last try, with the wait the server asked for
 */
static enum wi_status wait_or_fail(struct wi_endpoint *ep, const struct wi_answer *a, size_t tries,
                                   enum wi_status st, struct wi_err *err)
{
    const struct wi_retry *r = &ep->opt.retry;
    double asked_s = wi_retry_after_s(a->http.retry_after, a->http.retry_after_ms, time(NULL));
    double wait_s = asked_s >= 0 ? asked_s : wi_retry_backoff_s(r, tries, uniform());
    char message[320], told[64] = "";

    if (asked_s <= r->cap_s && tries <= r->n_max) {
        wi_endpoint_note(ep, "%s; try %zu of %zu in %.2g s",
                         a->http.lost ? "the connection failed" : "the endpoint is busy", tries + 1,
                         r->n_max + 1, wait_s);
        return wait_for(ep, wait_s, err);
    }
    if (asked_s >= 0)
        snprintf(told, sizeof(told), "; it asks to wait %.10g s", asked_s);
    if (st != WI_OK) /* a broken connection: its message stands in err */
        return st;
    wi_endpoint_message(&a->http, message, sizeof(message));
    return wi_fail(err, WI_ENET, "'%s' answered %d after %zu %s%s%s%s", wi_endpoint_base(ep),
                   a->http.status, tries, tries == 1 ? "try" : "tries", *message ? ": " : "",
                   message, told);
}

enum wi_status wi_endpoint_ask(struct wi_endpoint *ep, const struct wi_ask *ask,
                               struct wi_answer *a, struct wi_err *err)
{
    enum wi_status st;

    *a = (struct wi_answer){0};
    st = make_key(ep, ask, a->key, err);
    if (st == WI_OK)
        st = look_up(ep, ask, a, err);
    if (st != WI_ENOTFOUND)
        return st;
    if (ep->opt.offline)
        return wi_fail(err, WI_ENET,
                       "this request was never answered before, and --offline allows no new one");
    for (;;) {
        wi_http_response_release(&a->http);
        if (ep->opt.verbose)
            wi_endpoint_note(ep, "POST %s%s, %zu bytes, key %s", wi_endpoint_base(ep), ask->path,
                             strlen(ask->body), wi_http_has_key(ep->http) ? "set" : "not set");
        st = wi_http_send(ep->http, ask->path, ask->body, ask->sink, ask->sink_ctx, &a->http, err);
        a->n_requests++;
        if (!wi_retry_is_worth(st == WI_OK ? a->http.status : 0, a->http.lost))
            break;
        st = wait_or_fail(ep, a, a->n_requests, st, err);
        if (st != WI_OK)
            return st;
    }
    if (st == WI_OK)
        keep(ep, ask, a);
    return st;
}

enum wi_status wi_endpoint_get(struct wi_endpoint *ep, const char *path, struct wi_http_response *r,
                               struct wi_err *err)
{
    return wi_http_send(ep->http, path, NULL, NULL, NULL, r, err);
}

static bool looks_like_html(const struct wi_http_response *r)
{
    const char *p = r->body;

    if (strncasecmp(r->content_type, "text/html", 9) == 0)
        return true;
    while (p && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p && (strncasecmp(p, "<!doctype", 9) == 0 || strncasecmp(p, "<html", 5) == 0);
}

static void clean_to(const char *text, size_t n, char *out, size_t size)
{
    struct wi_buf b = {0};

    wi_clean(&b, text, n, size - 8);
    snprintf(out, size, "%s", b.text ? b.text : "");
    wi_buf_release(&b);
}

void wi_endpoint_message(const struct wi_http_response *r, char *out, size_t size)
{
    struct cJSON *json = NULL;
    const char *text = NULL;

    *out = '\0';
    if (!r->body || r->n_body == 0)
        return;
    if (!looks_like_html(r) && wi_json_parse(r->body, r->n_body, "error", &json, NULL) == WI_OK) {
        const struct cJSON *error = wi_json_get(json, "error");

        text = cJSON_IsString(error) ? error->valuestring : wi_json_str(error, "message");
        if (!text)
            text = wi_json_str(json, "message");
        if (!text)
            text = wi_json_str(json, "detail");
    }
    if (text)
        clean_to(text, strlen(text), out, size);
    else
        clean_to(r->body, r->n_body < 200 ? r->n_body : 200, out, size);
    cJSON_Delete(json);
}

enum wi_status wi_endpoint_fail(const struct wi_endpoint *ep, const char *what,
                                const struct wi_http_response *r, struct wi_err *err)
{
    static const struct {
        int status;
        const char *how;
    } known[] = {
        {400, "refused the request"},
        {401, "refused the key (OPENAI_API_KEY)"},
        {402, "wants payment"},
        {403, "does not allow this key to ask"},
        {404, "does not know this model or path (SSD_WHATIF_MODEL or --embedder, OPENAI_BASE_URL)"},
        {405, "has no such endpoint at this path (OPENAI_BASE_URL)"},
        {413, "finds the request too large (--budget)"},
        {422, "refused the request"},
    };
    const char *how = "failed";
    char message[320], none[64];

    snprintf(none, sizeof(none), "sent no %s", what);
    if (r->status == 200)
        how = none;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].status == r->status)
            how = known[i].how;
    }
    if (r->status == 401 && !wi_http_has_key(ep->http))
        how = "wants a key, and none is set (OPENAI_API_KEY)";
    if (looks_like_html(r)) {
        clean_to(r->body, r->n_body < 200 ? r->n_body : 200, message, sizeof(message));
        return wi_fail(err, WI_ENET,
                       "'%s' answered %d with an HTML page, as a proxy or a login does: '%s'",
                       wi_endpoint_base(ep), r->status, message);
    }
    wi_endpoint_message(r, message, sizeof(message));
    return wi_fail(err, WI_ENET, "'%s' %s (%d)%s%s", wi_endpoint_base(ep), how, r->status,
                   *message ? ": " : "", message);
}

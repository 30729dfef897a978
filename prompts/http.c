#include "prompts/http.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <curl/curl.h>

#include "prompts/buf.h"
#include "prompts/url.h"

#define REDIRECTS_MAX 3

/*
 * libcurl by dlopen: linking it would load its 36 libraries, 4 to 5 ms, in every start of a program
 * that mostly sends nothing.
 */
struct curl_api {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_setopt) easy_setopt;
    __typeof__(&curl_easy_perform) easy_perform;
    __typeof__(&curl_easy_getinfo) easy_getinfo;
    __typeof__(&curl_easy_reset) easy_reset;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_strerror) easy_strerror;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
};

struct wi_http {
    struct wi_url base;
    char *key;
    char *ca_file, *ca_dir;
    bool insecure_http;
    double connect_s, first_byte_s, total_s;
    size_t body_max;
    const volatile sig_atomic_t *cancel;
    struct curl_api api;
    void *lib;
    CURL *easy;
};

/* One request in flight. */
struct transfer {
    const struct wi_http *http;
    struct wi_http_response *resp;
    struct wi_buf body;
    char location[WI_URL_MAX];
    wi_http_sink sink;
    void *sink_ctx;
    struct timespec start;
    bool too_big, no_first_byte, cancelled, headers_done;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

void wi_http_response_release(struct wi_http_response *r)
{
    free(r->body);
    *r = (struct wi_http_response){0};
}

static void free_secret(char *s)
{
    if (s)
        explicit_bzero(s, strlen(s));
    free(s);
}

void wi_http_close(struct wi_http *http)
{
    if (!http)
        return;
    if (http->easy)
        http->api.easy_cleanup(http->easy);
    /* The library stays loaded: TLS libraries register exit handlers and cannot be unloaded. */
    free_secret(http->key);
    free(http->ca_file);
    free(http->ca_dir);
    free(http);
}

static enum wi_status check_key(const char *key, struct wi_err *err)
{
    if (!*key)
        return wi_fail(err, WI_ENET, "the API key is empty; set OPENAI_API_KEY or leave it unset");
    for (const char *p = key; *p; p++) {
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f)
            return wi_fail(err, WI_ENET,
                           "the API key holds a blank, a line end or another character that no "
                           "header can carry; check OPENAI_API_KEY");
    }
    return WI_OK;
}

static enum wi_status copy_text(const char *text, char **out, struct wi_err *err)
{
    if (!text)
        return WI_OK;
    *out = strdup(text);
    return *out ? WI_OK : wi_fail_nomem(err);
}

enum wi_status wi_http_open(const struct wi_http_options *opt, struct wi_http **http,
                            struct wi_err *err)
{
    struct wi_http *h = calloc(1, sizeof(*h));
    enum wi_status st = h ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_url_parse(opt->base_url, "the base URL", &h->base, err);
    if (st == WI_OK && !h->base.https && !opt->insecure_http && !wi_url_is_loopback(&h->base))
        st = wi_fail(err, WI_ENET,
                     "plain http to '%s' would send the key and the question unencrypted; use "
                     "https, or --insecure-http if you mean it",
                     h->base.host);
    if (st == WI_OK && opt->api_key)
        st = check_key(opt->api_key, err);
    if (st == WI_OK)
        st = copy_text(opt->api_key, &h->key, err);
    if (st == WI_OK)
        st = copy_text(opt->ca_file, &h->ca_file, err);
    if (st == WI_OK)
        st = copy_text(opt->ca_dir, &h->ca_dir, err);
    if (st != WI_OK) {
        wi_http_close(h);
        return st;
    }
    h->insecure_http = opt->insecure_http;
    h->connect_s = opt->connect_s;
    h->first_byte_s = opt->first_byte_s;
    h->total_s = opt->total_s;
    h->body_max = opt->body_max;
    h->cancel = opt->cancel;
    *http = h;
    return WI_OK;
}

const char *wi_http_base(const struct wi_http *http)
{
    return http->base.text;
}

bool wi_http_has_key(const struct wi_http *http)
{
    return http->key != NULL;
}

static enum wi_status load_curl(struct wi_http *http, struct wi_err *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
    static const char *const functions[] = {
        "curl_global_init",  "curl_easy_init",     "curl_easy_setopt",  "curl_easy_perform",
        "curl_easy_getinfo", "curl_easy_reset",    "curl_easy_cleanup", "curl_easy_strerror",
        "curl_slist_append", "curl_slist_free_all"};
    void *lib = NULL;
    void *found[sizeof(functions) / sizeof(functions[0])];
    int rc;

    if (http->easy)
        return WI_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return wi_fail(err, WI_ENET,
                       "libcurl is not installed, so no endpoint can be asked; install libcurl4");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        found[i] = dlsym(lib, functions[i]);
        if (!found[i])
            return wi_fail(err, WI_ENET, "libcurl has no function '%s'; 7.85 or newer is needed",
                           functions[i]);
    }
    _Static_assert(sizeof(found) == sizeof(struct curl_api), "one pointer per function");
    memcpy(&http->api, found, sizeof(found));
    /* Thread-safe since 7.84; set_options fails before 7.85. */
    rc = (int)http->api.global_init(CURL_GLOBAL_DEFAULT);
    http->easy = rc == 0 ? http->api.easy_init() : NULL;
    return http->easy ? WI_OK : wi_fail(err, WI_ENET, "libcurl could not be started");
}

static size_t on_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;

    n *= size; /* size is always 1 */
    if (n > t->http->body_max - t->body.n) {
        t->too_big = true;
        return 0;
    }
    wi_buf_add(&t->body, bytes, n);
    if (t->sink && !t->body.failed)
        t->sink(t->sink_ctx, bytes, n);
    return t->body.failed ? 0 : n;
}

/* The value of a header line if it has this name, trimmed, cut to fit. */
static bool header_value(const char *line, size_t n, const char *name, char *out, size_t size)
{
    size_t k = strlen(name);

    if (n <= k || line[k] != ':' || strncasecmp(line, name, k) != 0)
        return false;
    for (k++; k < n && (line[k] == ' ' || line[k] == '\t'); k++)
        ;
    while (n > k && (line[n - 1] == '\r' || line[n - 1] == '\n' || line[n - 1] == ' '))
        n--;
    snprintf(out, size, "%.*s", (int)(n - k), line + k);
    return true;
}

static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    struct wi_http_response *r = t->resp;

    n *= size;
    t->headers_done = n > 0 && (line[0] == '\r' || line[0] == '\n');
    if (!header_value(line, n, "content-type", r->content_type, sizeof(r->content_type)) &&
        !header_value(line, n, "retry-after", r->retry_after, sizeof(r->retry_after)) &&
        !header_value(line, n, "retry-after-ms", r->retry_after_ms, sizeof(r->retry_after_ms)))
        header_value(line, n, "location", t->location, sizeof(t->location));
    return n;
}

/* Called at least once a second; not 0 stops the transfer. */
static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                       curl_off_t up)
{
    struct transfer *t = ctx;

    (void)down_all;
    (void)up_all;
    (void)up;
    if (t->http->cancel && *t->http->cancel)
        t->cancelled = true;
    else if (down == 0 && seconds_since(&t->start) > t->http->first_byte_s)
        t->no_first_byte = true;
    return t->cancelled || t->no_first_byte;
}

static void wipe_headers(const struct wi_http *http, struct curl_slist *list)
{
    for (struct curl_slist *p = list; p; p = p->next)
        explicit_bzero(p->data, strlen(p->data));
    http->api.slist_free_all(list);
}

static bool add_header(const struct wi_http *http, struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = http->api.slist_append(*list, line);

    if (!longer)
        return false;
    *list = longer;
    return true;
}

static enum wi_status make_headers(const struct wi_http *http, bool post, struct curl_slist **list,
                                   struct wi_err *err)
{
    struct wi_buf auth = {0};
    bool ok = !post || add_header(http, list, "Content-Type: application/json");

    /* "Expect: 100-continue" costs a second with servers that do not know it. */
    ok = ok && add_header(http, list, "Expect:") &&
         add_header(http, list, "Accept: application/json, text/event-stream");
    if (ok && http->key) {
        wi_buf_addf(&auth, "Authorization: Bearer %s", http->key);
        ok = !auth.failed && add_header(http, list, auth.text);
        wi_buf_wipe(&auth);
    }
    return ok ? WI_OK : wi_fail_nomem(err);
}

static long milliseconds(double s)
{
    return s > 1e6 ? 1000000000L : s < 0.001 ? 1 : (long)(s * 1000.0);
}

static enum wi_status set_options(struct wi_http *http, const char *url, const char *body,
                                  struct curl_slist *headers, struct transfer *t,
                                  struct wi_err *err)
{
    const struct curl_api *c = &http->api;
    CURL *e = http->easy;
    CURLcode rc = CURLE_OK;

    c->easy_reset(e);
#define SET(option, value)                                                                         \
    if (rc == CURLE_OK)                                                                            \
    rc = c->easy_setopt(e, option, value)
    SET(CURLOPT_URL, url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 0L); /* redirects are judged in follow() */
    SET(CURLOPT_USERAGENT, "ssd-whatif/" WI_VERSION);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_ACCEPT_ENCODING, "");
    SET(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(http->connect_s));
    SET(CURLOPT_TIMEOUT_MS, milliseconds(http->total_s));
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, t);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, t);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, t);
    if (body) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
        SET(CURLOPT_POSTFIELDS, body);
    }
    if (http->ca_file)
        SET(CURLOPT_CAINFO, http->ca_file);
    if (http->ca_dir)
        SET(CURLOPT_CAPATH, http->ca_dir);
    /* A proxy's loopback is another machine's: the key must not go there in the clear. */
    if (wi_url_is_loopback(&http->base))
        SET(CURLOPT_NOPROXY, "*");
#undef SET
    if (rc != CURLE_OK)
        return wi_fail(err, WI_ENET, "libcurl refused a setting: %s", c->easy_strerror(rc));
    return WI_OK;
}

/* True once the request of the last transfer began to leave. */
static bool was_sent(const struct wi_http *http)
{
    double s = 0;

    return http->api.easy_getinfo(http->easy, CURLINFO_PRETRANSFER_TIME, &s) == CURLE_OK && s > 0;
}

/* What went wrong, in the user's words. */
static enum wi_status explain(struct wi_http *http, CURLcode rc, struct transfer *t,
                              const char *detail, struct wi_err *err)
{
    const char *base = http->base.text;
    char seconds[32];

    if (t->cancelled)
        return wi_fail(err, WI_ECANCEL, "interrupted");
    if (t->too_big)
        return wi_fail(err, WI_ENET, "the answer of '%s' is larger than %zu bytes", base,
                       http->body_max);
    if (t->body.failed)
        return wi_fail_nomem(err);
    /*
     * Without a connection nothing was sent, which is a lost connection. What was sent may still be
     * worked on, and billed: another try would wait as long and pay twice.
     */
    if ((t->no_first_byte || rc == CURLE_OPERATION_TIMEDOUT) && !was_sent(http)) {
        t->resp->lost = true;
        snprintf(seconds, sizeof(seconds), "%.3g", fmin(http->connect_s, http->total_s));
        return wi_fail(err, WI_ENET, "no connection to '%s' within %s s", base, seconds);
    }
    if (t->no_first_byte) {
        snprintf(seconds, sizeof(seconds), "%.3g", http->first_byte_s);
        return wi_fail(err, WI_ENET, "'%s' sent nothing within %s s", base, seconds);
    }
    switch (rc) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return wi_fail(err, WI_ENET, "host '%s' is not known; check OPENAI_BASE_URL",
                       http->base.host);
    case CURLE_COULDNT_CONNECT:
        return wi_fail(err, WI_ENET,
                       "no server answers at '%s' (%s); start it, or correct OPENAI_BASE_URL", base,
                       detail);
    case CURLE_OPERATION_TIMEDOUT:
        return wi_fail(err, WI_ENET, "'%s' did not finish within the time allowed (%s)", base,
                       detail);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return wi_fail(err, WI_ENET,
                       "the certificate of '%s' is not trusted (%s); a private authority goes into "
                       "CURL_CA_BUNDLE",
                       base, detail);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        t->resp->lost = true;
        return wi_fail(err, WI_ENET, "the connection to '%s' broke (%s)", base, detail);
    default:
        return wi_fail(err, WI_ENET, "cannot ask '%s': %s", base, detail);
    }
}

static enum wi_status perform(struct wi_http *http, const char *url, const char *body,
                              struct transfer *t, struct wi_err *err)
{
    char detail[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;
    long status = 0;
    CURLcode rc;
    enum wi_status st = make_headers(http, body != NULL, &headers, err);

    if (st == WI_OK)
        st = set_options(http, url, body, headers, t, err);
    if (st == WI_OK) {
        http->api.easy_setopt(http->easy, CURLOPT_ERRORBUFFER, detail);
        rc = http->api.easy_perform(http->easy);
        http->api.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
        t->resp->status = (int)status;
        if (rc != CURLE_OK)
            st = explain(http, rc, t, *detail ? detail : http->api.easy_strerror(rc), err);
        else if (!t->headers_done) /* libcurl takes an end within the headers for the end of them */
            st = explain(http, CURLE_PARTIAL_FILE, t, "it ended within the headers", err);
        /* Nothing in the handle may point at this frame or at the wiped key. */
        http->api.easy_reset(http->easy);
    }
    wipe_headers(http, headers);
    return st;
}

/*
 * The next URL of a redirect: only 307 and 308, which keep the request as it is, and only within
 * the origin, since the key and the question were meant for that server alone.
 */
static enum wi_status follow(const struct wi_http *http, const struct transfer *t, int status,
                             char *url, size_t size, struct wi_err *err)
{
    struct wi_url to;
    char text[2 * WI_URL_MAX];
    bool same;

    if (t->location[0] == '/' && t->location[1] != '/') {
        struct wi_url origin = http->base;

        snprintf(text, sizeof(text), "%.*s%s", (int)(strlen(origin.text) - strlen(origin.path)),
                 origin.text, t->location);
    } else {
        snprintf(text, sizeof(text), "%s", t->location);
    }
    same =
        wi_url_parse(text, "redirect", &to, NULL) == WI_OK && wi_url_same_origin(&to, &http->base);
    if (!same || (status != 307 && status != 308))
        return wi_fail(err, WI_ENET,
                       "'%s' redirects (%d) to '%.200s'; redirects are not followed %s, set "
                       "OPENAI_BASE_URL to the right place",
                       http->base.text, status, *t->location ? t->location : "nowhere",
                       same ? "with another method" : "to another server");
    snprintf(url, size, "%s", to.text);
    return WI_OK;
}

/* Servers quote keys in their messages; nothing that is kept or shown may hold it. */
static void redact(const struct wi_http *http, char *text, size_t n)
{
    size_t k = http->key ? strlen(http->key) : 0;
    char *end = text + n, *at = text;

    /* A key of a few letters is no secret and would tear words apart. */
    if (k < 6 || n < k)
        return;
    while (at < end && (at = memmem(at, (size_t)(end - at), http->key, k))) {
        memset(at, '*', k);
        at += k;
    }
}

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

enum wi_status wi_http_send(struct wi_http *http, const char *path, const char *body,
                            wi_http_sink sink, void *sink_ctx, struct wi_http_response *resp,
                            struct wi_err *err)
{
    char url[WI_URL_MAX + 256];
    struct transfer t = {.http = http, .resp = resp, .sink = sink, .sink_ctx = sink_ctx};
    enum wi_status st;

    *resp = (struct wi_http_response){0};
    st = load_curl(http, err);
    if (st != WI_OK)
        return st;
    snprintf(url, sizeof(url), "%s%s", http->base.text, path);
    clock_gettime(CLOCK_MONOTONIC, &t.start);
    for (int hop = 0;; hop++) {
        wi_buf_cut(&t.body, 0);
        t.location[0] = '\0';
        st = perform(http, url, body, &t, err);
        if (st != WI_OK || !is_redirect(resp->status))
            break;
        redact(http, t.location, strlen(t.location));
        st = hop < REDIRECTS_MAX ? follow(http, &t, resp->status, url, sizeof(url), err)
                                 : wi_fail(err, WI_ENET, "'%s' redirects more than %d times",
                                           http->base.text, REDIRECTS_MAX);
        if (st != WI_OK)
            break;
    }
    redact(http, t.body.text, t.body.n);
    resp->wall_s = seconds_since(&t.start);
    resp->n_body = t.body.n;
    if (st == WI_OK)
        st = wi_buf_take(&t.body, &resp->body, err);
    wi_buf_release(&t.body);
    return st;
}

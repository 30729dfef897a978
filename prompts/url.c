#include "prompts/url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * A small reader of our own and not libcurl's: the URL must be judged before libcurl is loaded, and
 * only one plain form of it is allowed, so that no two readers can disagree on the host.
 */
static enum wi_status read_scheme(const char *text, const char *what, struct wi_url *u,
                                  const char **rest, struct wi_err *err)
{
    size_t n;

    if (strncasecmp(text, "https://", 8) == 0) {
        u->https = true;
        *rest = text + 8;
        return WI_OK;
    }
    if (strncasecmp(text, "http://", 7) == 0) {
        *rest = text + 7;
        return WI_OK;
    }
    /* Before '@' stand credentials, of which only what is before the first ':' is no secret. */
    n = strcspn(text, strchr(text, '@') ? "@?#:/" : "?#");
    return wi_fail(err, WI_ENET, "%s '%.*s' does not begin with http:// or https://", what,
                   n < 60 ? (int)n : 60, text);
}

static enum wi_status read_port(const char *text, const char *what, struct wi_url *u,
                                struct wi_err *err)
{
    char *end;
    long port;

    if (!*text) {
        u->port = u->https ? 443 : 80;
        return WI_OK;
    }
    errno = 0;
    port = *text == ':' && text[1] >= '0' && text[1] <= '9' ? strtol(text + 1, &end, 10) : -1;
    if (port < 1 || port > 65535 || errno || *end)
        return wi_fail(err, WI_ENET, "%s has port '%.20s', must be 1 to 65535", what,
                       *text == ':' ? text + 1 : text);
    u->port = (int)port;
    return WI_OK;
}

static bool host_ok(const char *host)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-._:";

    return *host && strspn(host, allowed) == strlen(host);
}

static enum wi_status read_authority(const char *text, size_t n, const char *what, struct wi_url *u,
                                     struct wi_err *err)
{
    char copy[WI_HOST_MAX + 16];
    char *host = copy, *end;
    enum wi_status st;

    if (n >= sizeof(copy))
        return wi_fail(err, WI_ENET, "%s has a host name longer than %d bytes", what, WI_HOST_MAX);
    memcpy(copy, text, n);
    copy[n] = '\0';
    for (char *p = copy; *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p | 32);
    }
    if (*copy == '[') {
        host = copy + 1;
        end = strchr(host, ']');
        if (!end)
            return wi_fail(err, WI_ENET, "%s has '[' without ']'", what);
        *end++ = '\0';
    } else {
        end = copy + strcspn(copy, ":");
    }
    st = read_port(end, what, u, err);
    if (st != WI_OK)
        return st;
    if (host == copy)
        *end = '\0';
    if (!host_ok(host) || strlen(host) >= sizeof(u->host))
        return wi_fail(err, WI_ENET, "%s has no usable host name; like https://host/v1", what);
    memcpy(u->host, host, strlen(host) + 1);
    return WI_OK;
}

static enum wi_status read_path(const char *text, const char *what, struct wi_url *u,
                                struct wi_err *err)
{
    size_t n = strlen(text);

    for (const char *p = text; *p; p++) {
        if (*p <= ' ' || *p == 0x7f || *p == '\\' || *p == '?' || *p == '#')
            return wi_fail(err, WI_ENET,
                           "%s has '%c' in its path; a plain path like /v1 is allowed", what, *p);
    }
    while (n > 0 && text[n - 1] == '/')
        n--;
    if (n >= sizeof(u->path))
        return wi_fail(err, WI_ENET, "%s is longer than %d bytes", what, WI_URL_MAX);
    memcpy(u->path, text, n);
    u->path[n] = '\0';
    return WI_OK;
}

enum wi_status wi_url_parse(const char *text, const char *what, struct wi_url *out,
                            struct wi_err *err)
{
    struct wi_url u = {0};
    const char *rest = text;
    size_t n;
    bool v6;
    enum wi_status st = read_scheme(text, what, &u, &rest, err);

    if (st != WI_OK)
        return st;
    n = strcspn(rest, "/?#\\");
    if (memchr(rest, '@', n))
        return wi_fail(
            err, WI_ENET,
            "%s holds credentials; give the key in OPENAI_API_KEY and the URL without it", what);
    st = read_authority(rest, n, what, &u, err);
    if (st == WI_OK)
        st = read_path(rest + n, what, &u, err);
    if (st != WI_OK)
        return st;
    v6 = strchr(u.host, ':') != NULL;
    n = (size_t)snprintf(u.text, sizeof(u.text), "%s://%s%s%s", u.https ? "https" : "http",
                         v6 ? "[" : "", u.host, v6 ? "]" : "");
    if (u.port != (u.https ? 443 : 80))
        n += (size_t)snprintf(u.text + n, sizeof(u.text) - n, ":%d", u.port);
    n += (size_t)snprintf(u.text + n, sizeof(u.text) - n, "%s", u.path);
    if (n >= sizeof(u.text))
        return wi_fail(err, WI_ENET, "%s is longer than %d bytes", what, WI_URL_MAX);
    *out = u;
    return WI_OK;
}

bool wi_url_is_loopback(const struct wi_url *url)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (strcmp(url->host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, url->host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, url->host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool wi_url_same_origin(const struct wi_url *a, const struct wi_url *b)
{
    return a->https == b->https && a->port == b->port && strcmp(a->host, b->host) == 0;
}

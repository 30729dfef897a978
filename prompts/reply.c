#include "prompts/reply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/buf.h"
#include "prompts/prompt_parts.h"
#include "prompts/quote.h"

void wi_forecast_reply_release(struct wi_forecast_reply *r)
{
    for (size_t i = 0; i < r->n_claims; i++) {
        free(r->claims[i].text);
        free(r->claims[i].cites);
    }
    free(r->claims);
    *r = (struct wi_forecast_reply){0};
}

/*
 * A number, or a text that is nothing but a number with an optional percent sign: models write
 * "-12.1 %" where a number was asked for. The typographic minus is one, too.
 */
static bool read_number(const struct cJSON *v, double *out)
{
    const char *text;
    char *end;
    bool negative = false;

    if (cJSON_IsNumber(v)) {
        *out = v->valuedouble + 0.0; /* "-0" becomes 0 */
        return isfinite(*out);
    }
    if (!cJSON_IsString(v))
        return false;
    text = v->valuestring;
    while (*text == ' ')
        text++;
    if (strncmp(text, "\xe2\x88\x92", 3) == 0) {
        negative = true;
        text += 3;
    } else if (*text == '-' || *text == '+') {
        negative = *text++ == '-';
    }
    /* strtod would take "inf", "nan" and hexadecimal as well */
    if (*text < '0' || *text > '9' || text[1] == 'x' || text[1] == 'X')
        return false;
    *out = strtod(text, &end);
    if (negative)
        *out = -*out;
    while (*end == ' ' || *end == '%')
        end++;
    return *end == '\0' && isfinite(*out);
}

static const struct cJSON *first_of(const struct cJSON *obj, const char *const *names)
{
    for (; *names; names++) {
        const struct cJSON *v = wi_json_get(obj, *names);

        if (v)
            return v;
    }
    return NULL;
}

/* {"change_pct", "low_pct", "high_pct"}; the interval is mended where it cannot be one. */
static enum wi_status read_change(const struct cJSON *v, const char *name, struct wi_change *c,
                                  size_t *n_mended, struct wi_err *err)
{
    static const char *const change[] = {"change_pct", "change", NULL};
    static const char *const low[] = {"low_pct", "low", NULL};
    static const char *const high[] = {"high_pct", "high", NULL};

    if (!cJSON_IsObject(v))
        return wi_fail(err, WI_EDATA, "the reply has no object '%s'", name);
    if (!read_number(first_of(v, change), &c->change_pct) ||
        !read_number(first_of(v, low), &c->low_pct) ||
        !read_number(first_of(v, high), &c->high_pct))
        return wi_fail(err, WI_EDATA,
                       "'%s' of the reply lacks a number change_pct, low_pct or high_pct", name);
    if (c->change_pct <= -100.0)
        return wi_fail(err, WI_EDATA, "'%s' of the reply has change_pct %g, must be above -100",
                       name, c->change_pct);
    if (c->low_pct > c->high_pct || c->low_pct > c->change_pct || c->high_pct < c->change_pct) {
        double lowest = fmin(c->low_pct, c->high_pct), highest = fmax(c->low_pct, c->high_pct);

        c->low_pct = fmin(lowest, c->change_pct);
        c->high_pct = fmax(highest, c->change_pct);
        ++*n_mended;
    }
    c->low_pct = fmax(c->low_pct, -99.9);
    c->value = c->low = c->high = NAN;
    return WI_OK;
}

/* tail_latency as an object by percentile, as asked for, or as an array with "percentile". */
static const struct cJSON *find_percentile(const struct cJSON *tail, double percentile)
{
    const struct cJSON *item;

    cJSON_ArrayForEach(item, tail)
    {
        const char *key = item->string;
        double p;
        char *end;

        if (cJSON_IsArray(tail)) {
            if (read_number(wi_json_get(item, "percentile"), &p) && fabs(p - percentile) < 1e-9)
                return item;
            continue;
        }
        if (!key)
            continue;
        if (*key == 'p' || *key == 'P')
            key++;
        if ((strcasecmp(key, "max") == 0 || strcasecmp(key, "maximum") == 0) && percentile >= 100.0)
            return item;
        p = strtod(key, &end);
        if (end != key && *end == '\0' && fabs(p - percentile) < 1e-9)
            return item;
    }
    return NULL;
}

static enum wi_status read_numbers(const struct cJSON *obj, const struct wi_scenario *s,
                                   struct wi_forecast_reply *r, struct wi_err *err)
{
    const struct cJSON *tail = wi_json_get(obj, "tail_latency");
    enum wi_status st = WI_OK;

    if (!tail)
        return wi_fail(err, WI_EDATA, "the reply has no member 'tail_latency'");
    for (size_t i = 0; i < s->n_percentiles && st == WI_OK; i++) {
        char name[WI_PERCENTILE_KEY + 16] = "tail_latency.";

        wi_percentile_key(s->percentiles[i], name + strlen(name));
        st = read_change(find_percentile(tail, s->percentiles[i]), name, &r->tail[i], &r->n_mended,
                         err);
        r->tail[i].percentile = s->percentiles[i];
    }
    r->n_tail = s->n_percentiles;
    if (st == WI_OK)
        st = read_change(wi_json_get(obj, "bandwidth"), "bandwidth", &r->bandwidth, &r->n_mended,
                         err);
    r->bandwidth.percentile = NAN;
    return st;
}

/* The member's name of an object by step, or the "step" of an array's item. */
static enum wi_step_kind read_step(const struct cJSON *item)
{
    const char *name = item->string ? item->string : wi_json_str(item, "step");

    for (int k = WI_REASON_DEVICE; name && k <= WI_REASON_LIMITS; k++) {
        if (strcasecmp(name, wi_step_kind_name((enum wi_step_kind)k)) == 0)
            return (enum wi_step_kind)k;
    }
    return WI_REASON_EVIDENCE;
}

/* Ids and tags as words, whatever separates them. */
static void add_cites(struct wi_buf *b, const char *text)
{
    static const char separators[] = " ,;[]()\"'\t\r\n";

    while (*text) {
        size_t n;

        text += strspn(text, separators);
        n = strcspn(text, separators);
        if (n > 0 && n < WI_ID_MAX) {
            if (b->n > 0)
                wi_buf_puts(b, " ");
            wi_clean(b, text, n, WI_ID_MAX);
        }
        text += n;
    }
}

static enum wi_status add_claim(struct wi_forecast_reply *r, const struct cJSON *item,
                                struct wi_err *err)
{
    const char *text = cJSON_IsString(item) ? item->valuestring : wi_json_str(item, "text");
    const struct cJSON *cites = wi_json_get(item, "cites"), *cite;
    struct wi_buf clean = {0}, ids = {0};
    struct wi_claim c = {.step = read_step(item)};
    struct wi_claim *grown;
    enum wi_status st;

    /* "..." is the shape copied, not a step */
    if (!text || !text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
        return WI_OK;
    wi_clean(&clean, text, strlen(text), WI_CLAIM_BYTES);
    if (cJSON_IsString(cites))
        add_cites(&ids, cites->valuestring);
    cJSON_ArrayForEach(cite, cites)
    {
        if (cJSON_IsString(cite))
            add_cites(&ids, cite->valuestring);
    }
    st = wi_buf_take(&clean, &c.text, err);
    if (st == WI_OK)
        st = wi_buf_take(&ids, &c.cites, err);
    grown = st == WI_OK ? realloc(r->claims, (r->n_claims + 1) * sizeof(*grown)) : NULL;
    if (!grown) {
        free(c.text);
        free(c.cites);
        wi_buf_release(&ids);
        return st == WI_OK ? wi_fail_nomem(err) : st;
    }
    r->claims = grown;
    r->claims[r->n_claims++] = c;
    return WI_OK;
}

static enum wi_status read_claims(const struct cJSON *obj, struct wi_forecast_reply *r,
                                  struct wi_err *err)
{
    const struct cJSON *list = wi_json_get(obj, "reasoning"), *item;
    enum wi_status st = WI_OK;

    if (cJSON_IsString(list))
        return add_claim(r, list, err);
    if (!cJSON_IsArray(list) && !cJSON_IsObject(list))
        return WI_OK;
    cJSON_ArrayForEach(item, list)
    {
        if (r->n_claims >= WI_CLAIMS_MAX || st != WI_OK)
            break;
        st = add_claim(r, item, err);
    }
    return st;
}

/* One object of the text, which may be wrapped once ({"prediction": {...}}). */
static enum wi_status read_object(const struct cJSON *obj, const struct wi_scenario *s,
                                  struct wi_forecast_reply *r, struct wi_err *err)
{
    enum wi_status st;

    if (cJSON_GetArraySize(obj) == 1 && cJSON_IsObject(obj->child) &&
        !wi_json_get(obj, "tail_latency"))
        obj = obj->child;
    st = read_numbers(obj, s, r, err);
    if (st == WI_OK)
        st = read_claims(obj, r, err);
    if (st != WI_OK)
        wi_forecast_reply_release(r);
    return st;
}

/* Past a leading <think> block; what follows an unclosed one is thought and not answer. */
static const char *skip_thought(const char *text, size_t *n)
{
    static const char *const tags[][2] = {{"<think>", "</think>"}, {"<thinking>", "</thinking>"}};
    const char *end = text + *n;

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        size_t lead = 0;
        const char *close;

        while (lead < *n && strchr(" \r\n\t", text[lead]))
            lead++;
        close = memmem(text, *n, tags[i][1], strlen(tags[i][1]));
        /* A server may swallow the opening tag, so a closing one alone counts too. */
        if (close) {
            text = close + strlen(tags[i][1]);
            *n = (size_t)(end - text);
        } else if (*n - lead >= strlen(tags[i][0]) &&
                   memcmp(text + lead, tags[i][0], strlen(tags[i][0])) == 0) {
            *n = 0;
        }
    }
    return text;
}

/* One place where an object may begin. */
static enum wi_status try_object(const char *at, size_t n, const struct wi_scenario *s,
                                 struct wi_forecast_reply *r, size_t *used, bool *has_tail,
                                 struct wi_err *err)
{
    struct cJSON *json = NULL;
    enum wi_status st = wi_json_parse_prefix(at, n, "reply", &json, used, err);

    *has_tail = false;
    if (st == WI_OK) {
        *has_tail = wi_json_get(json, "tail_latency") != NULL;
        st = read_object(json, s, r, err);
    }
    /* A brace in prose, or an object that holds the one that fits: go on right behind it. */
    if (st != WI_OK)
        *used = 1;
    cJSON_Delete(json);
    return st;
}

enum wi_status wi_forecast_reply_parse(const char *text, const struct wi_scenario *s,
                                       struct wi_forecast_reply *r, struct wi_err *err)
{
    size_t n = strnlen(text, WI_REPLY_TEXT_MAX);
    const char *at = skip_thought(text, &n), *end = at + n;
    struct wi_err best = {0};
    bool found = false, told = false;

    wi_fail(&best, WI_EDATA, "the reply holds no JSON object");
    for (int starts = 0; starts < WI_REPLY_STARTS_MAX; starts++) {
        struct wi_forecast_reply one = {0};
        struct wi_err why = {0};
        size_t used = 1;
        bool has_tail;
        enum wi_status st;

        at = memchr(at, '{', (size_t)(end - at));
        if (!at)
            break;
        st = try_object(at, (size_t)(end - at), s, &one, &used, &has_tail, &why);
        if (st == WI_ENOMEM) {
            wi_forecast_reply_release(r);
            return wi_fail_nomem(err);
        }
        if (st == WI_OK) {
            wi_forecast_reply_release(r);
            *r = one;
            found = true;
        } else if (starts == 0 || (has_tail && !told)) {
            best = why;
            told = has_tail;
        }
        at += used;
    }
    if (!found && err)
        *err = best;
    return found ? WI_OK : WI_EDATA;
}

#include "prompts/reply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/buf.h"
#include "prompts/quote.h"

/* Texts and figures as they come together from one object or many chunks. */
struct parts {
    struct wi_buf content, reasoning, refusal;
    char finish[32], model[128];
    int64_t prompt_tokens, completion_tokens;
    bool any_choice;
};

void wi_envelope_release(struct wi_envelope *e)
{
    free(e->content);
    free(e->reasoning);
    free(e->refusal);
    *e = (struct wi_envelope){0};
}

/* A string, or an array of {"type": "text", "text"} parts. */
static void add_text(struct wi_buf *b, const struct cJSON *v)
{
    const struct cJSON *part;

    if (cJSON_IsString(v)) {
        wi_buf_puts(b, v->valuestring);
        return;
    }
    if (!cJSON_IsArray(v))
        return;
    cJSON_ArrayForEach(part, v)
    {
        const char *text = wi_json_str(part, "text");

        if (text)
            wi_buf_puts(b, text);
    }
}

static void add_message(struct parts *p, const struct cJSON *m)
{
    const struct cJSON *call = cJSON_GetArrayItem(wi_json_get(m, "tool_calls"), 0);

    add_text(&p->content, wi_json_get(m, "content"));
    if (cJSON_IsString(wi_json_get(m, "reasoning_content")))
        add_text(&p->reasoning, wi_json_get(m, "reasoning_content"));
    else
        add_text(&p->reasoning, wi_json_get(m, "reasoning"));
    add_text(&p->refusal, wi_json_get(m, "refusal"));
    /* Some servers put structured output into a call that nobody offered. */
    if (call && p->content.n == 0)
        add_text(&p->content, wi_json_get(wi_json_get(call, "function"), "arguments"));
}

static int64_t count(const struct cJSON *usage, const char *key)
{
    double v;

    return wi_json_num(usage, key, &v) && v >= 0 && v < 9e15 ? (int64_t)v : -1;
}

/* One completion or chunk. */
static void add_object(struct parts *p, const struct cJSON *json)
{
    const struct cJSON *choice = cJSON_GetArrayItem(wi_json_get(json, "choices"), 0);
    const struct cJSON *usage = wi_json_get(json, "usage");
    const char *finish = wi_json_str(choice, "finish_reason");
    const char *model = wi_json_str(json, "model");

    if (choice) {
        p->any_choice = true;
        if (cJSON_IsObject(wi_json_get(choice, "message")))
            add_message(p, wi_json_get(choice, "message"));
        else if (cJSON_IsObject(wi_json_get(choice, "delta")))
            add_message(p, wi_json_get(choice, "delta"));
        else
            add_text(&p->content, wi_json_get(choice, "text"));
    }
    if (finish)
        snprintf(p->finish, sizeof(p->finish), "%s", finish);
    if (model) {
        struct wi_buf clean = {0};

        wi_clean(&clean, model, strlen(model), sizeof(p->model) - 8);
        snprintf(p->model, sizeof(p->model), "%s", clean.text ? clean.text : "");
        wi_buf_release(&clean);
    }
    if (cJSON_IsObject(usage)) {
        p->prompt_tokens = count(usage, "prompt_tokens");
        p->completion_tokens = count(usage, "completion_tokens");
    }
}

static enum wi_status server_error(const struct cJSON *json, struct wi_err *err)
{
    const struct cJSON *error = wi_json_get(json, "error");
    const char *text = cJSON_IsString(error) ? error->valuestring : wi_json_str(error, "message");

    return wi_fail(err, WI_ENET, "the endpoint broke off: %.300s", text ? text : "no reason given");
}

static bool has_error(const struct cJSON *json)
{
    const struct cJSON *error = wi_json_get(json, "error");

    return error && !cJSON_IsNull(error);
}

/* The data of one event. */
static enum wi_status add_event(struct parts *p, const char *data, size_t n, struct wi_err *err)
{
    struct cJSON *json = NULL;
    enum wi_status st;

    if (n == 6 && memcmp(data, "[DONE]", 6) == 0)
        return WI_OK;
    st = wi_json_parse(data, n, "event", &json, err);
    if (st != WI_OK)
        return st;
    if (has_error(json))
        st = server_error(json, err);
    else
        add_object(p, json);
    cJSON_Delete(json);
    return st;
}

/*
 * Server-sent events: lines "data: ...", of which several in a row are one event; comments begin
 * with ':', other fields do not matter. A last event cut off by the end of the stream is left out.
 */
static enum wi_status add_stream(struct parts *p, const char *body, size_t n, struct wi_err *err)
{
    struct wi_buf data = {0};
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK;) {
        const char *line = body + i;
        const char *nl = memchr(line, '\n', n - i);
        size_t len = nl ? (size_t)(nl - line) : n - i;

        i += len + 1;
        if (len > 0 && line[len - 1] == '\r')
            len--;
        if (len >= 5 && memcmp(line, "data:", 5) == 0) {
            size_t skip = len > 5 && line[5] == ' ' ? 6 : 5;

            wi_buf_add(&data, line + skip, len - skip);
        }
        if ((len == 0 || i >= n) && data.n > 0) {
            bool last = i >= n && len != 0;

            st = add_event(p, data.text, data.n, err);
            if (st == WI_EDATA && last)
                st = WI_OK;
            wi_buf_cut(&data, 0);
        }
    }
    if (data.failed)
        st = wi_fail_nomem(err);
    wi_buf_release(&data);
    return st;
}

static bool is_stream(const char *body, size_t n)
{
    size_t i = 0;

    while (i < n && (body[i] == '\n' || body[i] == '\r' || body[i] == ' '))
        i++;
    return (n - i >= 5 && memcmp(body + i, "data:", 5) == 0) ||
           (n - i >= 6 && memcmp(body + i, "event:", 6) == 0) || (i < n && body[i] == ':');
}

static enum wi_status add_whole(struct parts *p, const char *body, size_t n, struct wi_err *err)
{
    struct cJSON *json = NULL;
    enum wi_status st = wi_json_parse(body, n, "reply", &json, err);

    if (st != WI_OK)
        return st;
    if (!cJSON_IsArray(wi_json_get(json, "choices")) && has_error(json))
        st = server_error(json, err);
    else
        add_object(p, json);
    cJSON_Delete(json);
    return st;
}

enum wi_status wi_envelope_parse(const char *body, size_t n, struct wi_envelope *e,
                                 struct wi_err *err)
{
    struct parts p = {.prompt_tokens = -1, .completion_tokens = -1};
    struct wi_envelope out = {0};
    enum wi_status st =
        is_stream(body, n) ? add_stream(&p, body, n, err) : add_whole(&p, body, n, err);

    if (st == WI_OK && !p.any_choice)
        st = wi_fail(err, WI_EDATA, "the reply is no chat completion: it has no 'choices'");
    if (st == WI_OK)
        st = wi_buf_take(&p.content, &out.content, err);
    if (st == WI_OK)
        st = wi_buf_take(&p.reasoning, &out.reasoning, err);
    if (st == WI_OK)
        st = wi_buf_take(&p.refusal, &out.refusal, err);
    if (st == WI_OK) {
        memcpy(out.finish, p.finish, sizeof(out.finish));
        memcpy(out.model, p.model, sizeof(out.model));
        out.prompt_tokens = p.prompt_tokens;
        out.completion_tokens = p.completion_tokens;
        *e = out;
        out = (struct wi_envelope){0};
    }
    wi_envelope_release(&out);
    wi_buf_release(&p.content);
    wi_buf_release(&p.reasoning);
    wi_buf_release(&p.refusal);
    return st;
}

#include "prompts/chat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "core/json.h"

#define FALLBACKS_MAX 8

static const char *const format_names[WI_CHAT_N_FORMATS] = {"json_schema", "json_schema_plain",
                                                            "json_object", "text"};

const char *wi_chat_format_name(enum wi_chat_format f)
{
    return format_names[f];
}

static void fact_name(const struct wi_chat *chat, const char *what, char *out, size_t size)
{
    snprintf(out, size, "%s %s", what, chat->model);
}

static bool get_fact(struct wi_chat *chat, const char *what, char **value)
{
    char name[300];

    fact_name(chat, what, name, sizeof(name));
    return wi_endpoint_get_fact(chat->ep, name, value, NULL) == WI_OK && *value;
}

static void set_fact(struct wi_chat *chat, const char *what, const char *value)
{
    char name[300];

    fact_name(chat, what, name, sizeof(name));
    wi_endpoint_set_fact(chat->ep, name, value);
}

/* Abilities that are one bit, with the word in a refusal that shows they are missing. */
struct ability {
    const char *fact, *word;
    size_t at; /* offset of the bool */
};
#define ABILITY(name, word)                                                                        \
    {                                                                                              \
#name, word, offsetof(struct wi_chat_abilities, name)                                      \
    }
static const struct ability abilities[] = {
    ABILITY(completion_tokens, "max_completion_tokens"),
    ABILITY(no_stream_options, "stream_options"),
    ABILITY(no_temperature, "temperature"),
    ABILITY(no_seed, "seed"),
};
#define N_ABILITIES (sizeof(abilities) / sizeof(abilities[0]))

static bool *bit_of(struct wi_chat_abilities *can, const struct ability *a)
{
    return (bool *)((char *)can + a->at);
}

static void recall(struct wi_chat *chat)
{
    char *value = NULL;

    if (chat->can.known)
        return;
    chat->can.known = true;
    if (get_fact(chat, "response_format", &value)) {
        for (int i = 0; i < WI_CHAT_N_FORMATS; i++) {
            if (strcmp(value, format_names[i]) == 0)
                chat->can.format = (enum wi_chat_format)i;
        }
        free(value);
    }
    for (size_t i = 0; i < N_ABILITIES; i++) {
        value = NULL;
        if (get_fact(chat, abilities[i].fact, &value))
            *bit_of(&chat->can, &abilities[i]) = strcmp(value, "yes") == 0;
        free(value);
    }
    chat->kept = chat->can;
}

bool wi_chat_lower_format(struct wi_chat *chat)
{
    if (chat->can.format == WI_CHAT_TEXT)
        return false;
    chat->can.format = chat->can.format < WI_CHAT_OBJECT ? WI_CHAT_OBJECT : WI_CHAT_TEXT;
    return true;
}

static bool contains(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

/*
 * Learn from a refusal.
 * returns true if another request, changed by it, makes sense
 */
static bool learn(struct wi_chat *chat, const struct wi_http_response *r)
{
    static const char *const format_words[] = {"response_format", "json_schema", "schema",
                                               "json_object",     "grammar",     "structured"};
    char message[512];

    if (r->status != 400 && r->status != 404 && r->status != 422 && r->status != 501)
        return false;
    wi_endpoint_message(r, message, sizeof(message));
    for (size_t i = 0; i < N_ABILITIES; i++) {
        bool *bit = bit_of(&chat->can, &abilities[i]);

        if (!*bit && contains(message, abilities[i].word)) {
            *bit = true;
            wi_endpoint_note(chat->ep, "the endpoint refuses a parameter (%s); asking without",
                             abilities[i].word);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(format_words) / sizeof(format_words[0]); i++) {
        if (chat->can.format < WI_CHAT_TEXT && contains(message, format_words[i])) {
            chat->can.format++;
            wi_endpoint_note(chat->ep, "the endpoint refuses the reply format; asking for %s",
                             format_names[chat->can.format]);
            return true;
        }
    }
    return false;
}

void wi_chat_confirm(struct wi_chat *chat)
{
    if (chat->kept.format != chat->can.format)
        set_fact(chat, "response_format", format_names[chat->can.format]);
    for (size_t i = 0; i < N_ABILITIES; i++) {
        if (*bit_of(&chat->kept, &abilities[i]) != *bit_of(&chat->can, &abilities[i]))
            set_fact(chat, abilities[i].fact, "yes");
    }
    chat->kept = chat->can;
}

/* Delete the keywords that strict servers do not know, everywhere in a schema. */
static void strip_limits(struct cJSON *node)
{
    static const char *const limits[] = {"minItems", "maxItems", "minLength", "maxLength"};

    for (size_t i = 0; cJSON_IsObject(node) && i < sizeof(limits) / sizeof(limits[0]); i++)
        cJSON_DeleteItemFromObjectCaseSensitive(node, limits[i]);
    for (struct cJSON *m = node->child; m; m = m->next)
        strip_limits(m);
}

/* response_format of a request; takes nothing over. */
static enum wi_status add_format(struct cJSON *body, enum wi_chat_format format,
                                 const char *schema_text, struct wi_err *err)
{
    struct cJSON *rf, *js, *schema = NULL;
    enum wi_status st;

    if (format == WI_CHAT_TEXT)
        return WI_OK;
    rf = cJSON_AddObjectToObject(body, "response_format");
    if (!rf || !cJSON_AddStringToObject(rf, "type",
                                        format == WI_CHAT_OBJECT ? "json_object" : "json_schema"))
        return wi_fail_nomem(err);
    if (format == WI_CHAT_OBJECT)
        return WI_OK;
    js = cJSON_AddObjectToObject(rf, "json_schema");
    if (!js || !cJSON_AddStringToObject(js, "name", "forecast") ||
        !cJSON_AddTrueToObject(js, "strict"))
        return wi_fail_nomem(err);
    st = wi_json_parse(schema_text, strlen(schema_text), "schema", &schema, err);
    if (st != WI_OK)
        return st;
    if (format == WI_CHAT_PLAIN)
        strip_limits(schema);
    if (!cJSON_AddItemToObject(js, "schema", schema)) {
        cJSON_Delete(schema);
        return wi_fail_nomem(err);
    }
    return WI_OK;
}

/*
 * out:  text   the body; with `stream` false it is what the log's key is made from, since streaming
 *              does not change the answer
 */
static enum wi_status make_body(const struct wi_chat *chat, const struct wi_chat_request *req,
                                bool stream, char **text, struct wi_err *err)
{
    const struct wi_chat_abilities *can = &chat->can;
    struct cJSON *body = cJSON_CreateObject();
    enum wi_status st = WI_OK;
    bool ok = body && cJSON_AddStringToObject(body, "model", chat->model);

    if (ok)
        ok = cJSON_AddRawToObject(body, "messages", req->messages) != NULL;
    if (ok && st == WI_OK)
        st = add_format(body, can->format, req->schema, err);
    if (ok && st == WI_OK) {
        ok = cJSON_AddNumberToObject(
                 body, can->completion_tokens ? "max_completion_tokens" : "max_tokens",
                 (double)req->max_tokens) != NULL;
        if (!can->no_temperature)
            ok = ok && cJSON_AddNumberToObject(body, "temperature", req->temperature);
        if (!can->no_seed)
            ok = ok && cJSON_AddNumberToObject(body, "seed", (double)req->seed);
        if (stream)
            ok = ok && cJSON_AddTrueToObject(body, "stream");
        if (stream && !can->no_stream_options)
            ok = ok && cJSON_AddTrueToObject(cJSON_AddObjectToObject(body, "stream_options"),
                                             "include_usage");
    }
    if (!ok && st == WI_OK)
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = wi_json_format(body, false, text, err);
    cJSON_Delete(body);
    return st;
}

static bool is_completion(const struct wi_ask *ask, const char *body, size_t n,
                          int64_t *prompt_tokens, int64_t *completion_tokens)
{
    struct wi_envelope e = {0};

    (void)ask;
    if (wi_envelope_parse(body, n, &e, NULL) != WI_OK)
        return false;
    *prompt_tokens = e.prompt_tokens;
    *completion_tokens = e.completion_tokens;
    wi_envelope_release(&e);
    return true;
}

struct counter {
    const struct wi_chat *chat;
    size_t n;
};

static void on_bytes(void *ctx, const char *bytes, size_t n)
{
    struct counter *c = ctx;

    (void)bytes;
    c->n += n;
    if (c->chat->progress)
        c->chat->progress(c->chat->progress_ctx, c->n);
}

static enum wi_status ask_once(struct wi_chat *chat, const struct wi_chat_request *req,
                               struct wi_answer *a, struct wi_err *err)
{
    char *body = NULL, *canonical = NULL;
    struct counter counter = {.chat = chat};
    enum wi_status st = make_body(chat, req, chat->stream, &body, err);

    if (st == WI_OK)
        st = make_body(chat, req, false, &canonical, err);
    if (st == WI_OK) {
        struct wi_ask ask = {.path = "/chat/completions",
                             .model = chat->model,
                             .body = body,
                             .canonical = canonical,
                             .is_answer = is_completion,
                             .sink = chat->stream ? on_bytes : NULL,
                             .sink_ctx = &counter};

        st = wi_endpoint_ask(chat->ep, &ask, a, err);
        chat->n_requests += a->n_requests;
        chat->n_cached += a->cached;
    }
    free(body);
    free(canonical);
    return st;
}

static enum wi_status read_answer(struct wi_chat *chat, const struct wi_answer *a,
                                  struct wi_envelope *e, struct wi_err *err)
{
    struct wi_err why = {0};
    enum wi_status st;

    if (a->http.status != 200)
        return wi_endpoint_fail(chat->ep, "chat completion", &a->http, err);
    st = wi_envelope_parse(a->http.body, a->http.n_body, e, &why);
    if (st == WI_EDATA)
        return wi_endpoint_fail(chat->ep, "chat completion", &a->http, err);
    if (st != WI_OK) {
        if (err)
            *err = why;
        return st;
    }
    chat->n_replies++;
    if (e->prompt_tokens > 0)
        chat->prompt_tokens += e->prompt_tokens;
    if (e->completion_tokens > 0)
        chat->completion_tokens += e->completion_tokens;
    return WI_OK;
}

enum wi_status wi_chat_ask(struct wi_chat *chat, const struct wi_chat_request *req,
                           struct wi_envelope *e, struct wi_err *err)
{
    enum wi_status st;

    recall(chat);
    for (int i = 0;; i++) {
        struct wi_answer a = {0};

        st = ask_once(chat, req, &a, err);
        if (st == WI_OK && a.http.status != 200 && i < FALLBACKS_MAX && learn(chat, &a.http)) {
            wi_answer_release(&a);
            continue;
        }
        if (st == WI_OK)
            st = read_answer(chat, &a, e, err);
        wi_answer_release(&a);
        break;
    }
    return st;
}

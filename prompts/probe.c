#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/llm_parts.h"

/*
 * How many models the endpoint lists and whether ours is among them.
 * out:  n   -1 where it lists none
 */
static void count_models(const struct wi_http_response *r, const char *model, int *n, bool *listed)
{
    struct cJSON *json = NULL;
    const struct cJSON *list, *item;

    *n = -1;
    *listed = false;
    if (r->status != 200 || wi_json_parse(r->body, r->n_body, "models", &json, NULL) != WI_OK)
        return;
    list = wi_json_get(json, "data");
    if (cJSON_IsArray(list)) {
        *n = cJSON_GetArraySize(list);
        cJSON_ArrayForEach(item, list)
        {
            const char *id = wi_json_str(item, "id");

            if (id && strcmp(id, model) == 0)
                *listed = true;
        }
    }
    cJSON_Delete(json);
}

static bool holds_object(const char *text)
{
    const char *at = strchr(text, '{');

    for (int i = 0; at && i < 64; i++, at = strchr(at + 1, '{')) {
        struct cJSON *json = NULL;
        size_t used;
        bool ok = wi_json_parse_prefix(at, strlen(at), "reply", &json, &used, NULL) == WI_OK;

        cJSON_Delete(json);
        if (ok)
            return true;
    }
    return false;
}

/*
 * A question of a few tokens, to learn which reply formats the endpoint takes: what it does not
 * refuse it may still ignore.
 * out:  works   false if even as text no JSON came
 */
static enum wi_status try_format(struct wi_llm *llm, bool *works, struct wi_err *err)
{
    static const struct wi_chat_request req = {
        .messages = "[{\"role\":\"system\",\"content\":\"Answer with one JSON object.\"},"
                    "{\"role\":\"user\",\"content\":\"Are you there? {\\\"ok\\\": true}\\n\"}]",
        .schema = "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},"
                  "\"required\":[\"ok\"],\"additionalProperties\":false}",
        .max_tokens = 16,
    };
    enum wi_status st;

    *works = false;
    do {
        struct wi_envelope e = {0};

        st = wi_chat_ask(&llm->chat, &req, &e, err);
        *works = st == WI_OK && (holds_object(e.content) || holds_object(e.reasoning));
        wi_envelope_release(&e);
    } while (st == WI_OK && !*works && wi_chat_lower_format(&llm->chat));
    if (*works)
        wi_chat_confirm(&llm->chat);
    return st;
}

enum wi_status wi_llm_probe(struct wi_llm *llm, char *line, size_t size, struct wi_err *err)
{
    struct wi_http_response r = {0};
    char models[96] = "it lists no models";
    int n;
    bool listed, works = false;
    enum wi_status st = wi_endpoint_get(llm->chat.ep, "/models", &r, err);

    if (st == WI_OK && (r.status == 401 || r.status == 403))
        st = wi_endpoint_fail(llm->chat.ep, "list of models", &r, err);
    count_models(&r, llm->model, &n, &listed);
    if (n >= 0)
        snprintf(models, sizeof(models), "%s of the %d model%s it lists",
                 listed ? "one" : "not one", n, n == 1 ? "" : "s");
    if (st == WI_OK)
        st = try_format(llm, &works, err);
    if (st == WI_OK && !works)
        st = wi_fail(err, WI_ENET,
                     "model '%s' of '%s' answers, but with no JSON in any reply format; another "
                     "model may follow instructions better (SSD_WHATIF_MODEL)",
                     llm->model, wi_endpoint_base(llm->chat.ep));
    if (st == WI_OK)
        snprintf(line, size, "%s, model %s (%s), reply format %s, round trip %.0f ms",
                 wi_endpoint_base(llm->chat.ep), llm->model, models,
                 wi_chat_format_name(llm->chat.can.format), r.wall_s * 1000.0);
    wi_http_response_release(&r);
    return st;
}

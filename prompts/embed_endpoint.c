#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/llm_parts.h"

#define BATCH 16         /* texts of one request: a server on one core takes a minute for them */
#define EMBED_BYTES 1500 /* of one text: about 400 tokens, under the 512 of small models */
#define DIM_MAX 16384

struct endpoint_embedder {
    struct wi_embedder e;
    struct wi_endpoint *ep;
    char *model;
    char name[256];
};

static void embed_free(struct wi_embedder *e)
{
    struct endpoint_embedder *x = e->ctx;

    wi_endpoint_close(x->ep);
    free(x->model);
    free(x);
}

static enum wi_status make_body(const char *model, size_t n, const char *const *texts, char **body,
                                struct wi_err *err)
{
    struct cJSON *json = cJSON_CreateObject();
    struct cJSON *input = NULL;
    bool ok = json && cJSON_AddStringToObject(json, "model", model) &&
              (input = cJSON_AddArrayToObject(json, "input"));
    enum wi_status st;

    for (size_t i = 0; ok && i < n; i++) {
        struct wi_buf clean = {0};
        struct cJSON *text;

        wi_clean(&clean, texts[i], strlen(texts[i]), EMBED_BYTES);
        /* An empty input is an error at most servers; a blank is not. */
        text = clean.failed ? NULL : cJSON_CreateString(clean.n ? clean.text : " ");
        ok = text && cJSON_AddItemToArray(input, text);
        wi_buf_release(&clean);
    }
    st = ok ? wi_json_format(json, false, body, err) : wi_fail_nomem(err);
    cJSON_Delete(json);
    return st;
}

static bool is_embedding(const char *body, size_t n, int64_t *prompt_tokens,
                         int64_t *completion_tokens)
{
    struct cJSON *json = NULL;
    double tokens;
    bool ok;

    if (wi_json_parse(body, n, "reply", &json, NULL) != WI_OK)
        return false;
    ok = cJSON_IsArray(wi_json_get(json, "data"));
    *completion_tokens = 0;
    *prompt_tokens = wi_json_num(wi_json_get(json, "usage"), "prompt_tokens", &tokens) &&
                             tokens >= 0 && tokens < 9e15
                         ? (int64_t)tokens
                         : -1;
    cJSON_Delete(json);
    return ok;
}

/* One vector to unit length; a vector of zeros stays. */
static enum wi_status read_vector(const struct cJSON *v, size_t dim, float *out, struct wi_err *err)
{
    const struct cJSON *x;
    double sum = 0;
    size_t i = 0;

    cJSON_ArrayForEach(x, v)
    {
        if (!cJSON_IsNumber(x) || !isfinite(x->valuedouble) || fabs(x->valuedouble) > 1e6)
            return wi_fail(err, WI_EDATA, "an embedding of the endpoint holds no usable number");
        out[i++] = (float)x->valuedouble;
        sum += x->valuedouble * x->valuedouble;
    }
    for (i = 0; sum > 0 && i < dim; i++)
        out[i] = (float)(out[i] / sqrt(sum));
    return WI_OK;
}

static enum wi_status read_vectors(struct endpoint_embedder *x, const struct cJSON *data, size_t n,
                                   bool *seen, float *vec, struct wi_err *err)
{
    const struct cJSON *item;
    size_t at = 0;
    enum wi_status st = WI_OK;

    if ((size_t)cJSON_GetArraySize(data) != n)
        return wi_fail(err, WI_EDATA, "the endpoint sent %d embeddings for %zu texts",
                       cJSON_GetArraySize(data), n);
    cJSON_ArrayForEach(item, data)
    {
        const struct cJSON *v = wi_json_get(item, "embedding");
        size_t dim = cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) : 0;
        double index = (double)at++;

        wi_json_num(item, "index", &index);
        if (index < 0 || index >= (double)n || index != floor(index) || seen[(size_t)index])
            return wi_fail(err, WI_EDATA, "the endpoint numbers its embeddings wrongly");
        seen[(size_t)index] = true;
        if (dim == 0 || dim != x->e.dim)
            return wi_fail(err, WI_EDATA,
                           "embedder '%s' gave a vector of %zu numbers, %zu are recorded; another "
                           "model answers under this name",
                           x->name, dim, x->e.dim);
        st = read_vector(v, dim, vec + (size_t)index * dim, err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static enum wi_status ask_batch(struct endpoint_embedder *x, size_t n, const char *const *texts,
                                struct cJSON **json, struct wi_err *err)
{
    struct wi_ask ask = {.path = "/embeddings", .model = x->model, .is_answer = is_embedding};
    struct wi_answer a = {0};
    char *body = NULL;
    int64_t in, out;
    enum wi_status st = make_body(x->model, n, texts, &body, err);

    ask.body = body;
    if (st == WI_OK)
        st = wi_endpoint_ask(x->ep, &ask, &a, err);
    if (st == WI_OK &&
        (a.http.status != 200 || !is_embedding(a.http.body, a.http.n_body, &in, &out)))
        st = wi_endpoint_fail(x->ep, &a.http, err);
    if (st == WI_OK)
        st = wi_json_parse(a.http.body, a.http.n_body, "reply", json, err);
    wi_answer_release(&a);
    free(body);
    return st;
}

static enum wi_status embed_batch(struct endpoint_embedder *x, size_t n, const char *const *texts,
                                  float *vec, struct wi_err *err)
{
    bool seen[BATCH] = {false};
    struct cJSON *json = NULL;
    enum wi_status st = ask_batch(x, n, texts, &json, err);

    if (st == WI_OK)
        st = read_vectors(x, wi_json_get(json, "data"), n, seen, vec, err);
    cJSON_Delete(json);
    return st;
}

static enum wi_status embed(struct wi_embedder *e, size_t n, const char *const *texts, float *vec,
                            struct wi_err *err)
{
    struct endpoint_embedder *x = e->ctx;
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i += BATCH)
        st = embed_batch(x, n - i < BATCH ? n - i : BATCH, texts + i, vec + i * e->dim, err);
    return st;
}

/* The dimension is what the endpoint gives for one short text. */
static enum wi_status find_dim(struct endpoint_embedder *x, struct wi_err *err)
{
    static const char *const text = "tail latency of a solid state drive";
    struct cJSON *json = NULL;
    enum wi_status st = ask_batch(x, 1, &text, &json, err);

    if (st == WI_OK) {
        const struct cJSON *v =
            wi_json_get(cJSON_GetArrayItem(wi_json_get(json, "data"), 0), "embedding");

        x->e.dim = cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) : 0;
        if (x->e.dim == 0 || x->e.dim > DIM_MAX)
            st = wi_fail(err, WI_EDATA,
                         "embedder '%s' gave a vector of %zu numbers, must be 1 to %d", x->name,
                         x->e.dim, DIM_MAX);
    }
    cJSON_Delete(json);
    return st;
}

enum wi_status wi_embed_endpoint_new(const struct wi_llm_options *opt, size_t dim,
                                     struct wi_embedder **e, struct wi_err *err)
{
    struct wi_endpoint_options eo = wi_llm_endpoint_options(opt);
    struct endpoint_embedder *x;
    enum wi_status st;

    if (!opt->model || !*opt->model || strlen(opt->model) > 200)
        return wi_fail(err, WI_ENET, "no embedding model is named; like --embedder openai:MODEL");
    x = calloc(1, sizeof(*x));
    if (!x)
        return wi_fail_nomem(err);
    snprintf(x->name, sizeof(x->name), "openai:%s", opt->model);
    x->e = (struct wi_embedder){
        .name = x->name, .dim = dim, .ctx = x, .embed = embed, .free = embed_free};
    x->model = strdup(opt->model);
    st = x->model ? wi_endpoint_open(&eo, &x->ep, err) : wi_fail_nomem(err);
    if (st == WI_OK && dim == 0)
        st = find_dim(x, err);
    if (st != WI_OK) {
        embed_free(&x->e);
        return st;
    }
    *e = &x->e;
    return WI_OK;
}

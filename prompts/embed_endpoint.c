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

/* What a request for vectors must be answered with. */
struct expected {
    const char *name; /* of the embedder */
    size_t n, dim;    /* vectors, and components of each; dim 0 = as many as the first has */
};

/* One vector to unit length; a vector of zeros stays. out: vec  NULL = check only */
static enum wi_status read_vector(const struct cJSON *v, size_t dim, float *vec, struct wi_err *err)
{
    const struct cJSON *x;
    double sum = 0;
    size_t i = 0;

    cJSON_ArrayForEach(x, v)
    {
        if (!cJSON_IsNumber(x) || !isfinite(x->valuedouble) || fabs(x->valuedouble) > 1e6)
            return wi_fail(err, WI_ENET, "an embedding of the endpoint holds no usable number");
        if (vec)
            vec[i++] = (float)x->valuedouble;
        sum += x->valuedouble * x->valuedouble;
    }
    for (i = 0; vec && sum > 0 && i < dim; i++)
        vec[i] = (float)(vec[i] / sqrt(sum));
    return WI_OK;
}

/*
 * Where each vector of a reply belongs, whatever order they were sent in, and that all are there
 * and of one length. out:  place   (n,) index of the text dim     components of each
 */
static enum wi_status place_vectors(const struct expected *x, const struct cJSON *data,
                                    size_t place[BATCH], size_t *dim, struct wi_err *err)
{
    const struct cJSON *item;
    bool seen[BATCH] = {false};
    size_t at = 0;

    if ((size_t)cJSON_GetArraySize(data) != x->n)
        return wi_fail(err, WI_ENET, "the endpoint sent %d embeddings for %zu text%s",
                       cJSON_GetArraySize(data), x->n, x->n == 1 ? "" : "s");
    cJSON_ArrayForEach(item, data)
    {
        const struct cJSON *v = wi_json_get(item, "embedding");
        size_t size = cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) : 0;
        double index = (double)at;

        wi_json_num(item, "index", &index);
        if (index < 0 || index >= (double)x->n || index != floor(index) || seen[(size_t)index])
            return wi_fail(err, WI_ENET, "the endpoint numbers its embeddings wrongly");
        seen[(size_t)index] = true;
        if (size == 0 || size > DIM_MAX)
            return wi_fail(err, WI_ENET,
                           "embedder '%s' gave a vector of %zu numbers, must be 1 to %d", x->name,
                           size, DIM_MAX);
        if (at > 0 && size != *dim)
            return wi_fail(err, WI_ENET, "embedder '%s' gave vectors of %zu and of %zu numbers",
                           x->name, *dim, size);
        *dim = size;
        place[at++] = (size_t)index;
    }
    if (x->dim && *dim != x->dim)
        return wi_fail(
            err, WI_EDATA,
            "embedder '%s' gave a vector of %zu numbers, %zu are recorded: another model "
            "answers under this name; --refresh makes all vectors anew",
            x->name, *dim, x->dim);
    return WI_OK;
}

/* All vectors of a reply in the order of the texts. out: vec  (n, dim); NULL = check only */
static enum wi_status read_vectors(const struct expected *x, const struct cJSON *data, size_t *dim,
                                   float *vec, struct wi_err *err)
{
    const struct cJSON *item;
    size_t place[BATCH], size = 0, at = 0;
    enum wi_status st = place_vectors(x, data, place, &size, err);

    if (st != WI_OK)
        return st;
    cJSON_ArrayForEach(item, data)
    {
        float *to = vec ? vec + place[at] * size : NULL;

        at++;
        st = read_vector(wi_json_get(item, "embedding"), size, to, err);
        if (st != WI_OK)
            return st;
    }
    *dim = size;
    return WI_OK;
}

/* A reply that is not wholly usable is asked for again next time, not given from the log. */
static bool is_embedding(const struct wi_ask *ask, const char *body, size_t n,
                         int64_t *prompt_tokens, int64_t *completion_tokens)
{
    struct cJSON *json = NULL;
    double tokens;
    size_t dim;
    bool ok;

    if (wi_json_parse(body, n, "reply", &json, NULL) != WI_OK)
        return false;
    ok = read_vectors(ask->expected, wi_json_get(json, "data"), &dim, NULL, NULL) == WI_OK;
    *completion_tokens = 0;
    *prompt_tokens = wi_json_num(wi_json_get(json, "usage"), "prompt_tokens", &tokens) &&
                             tokens >= 0 && tokens < 9e15
                         ? (int64_t)tokens
                         : -1;
    cJSON_Delete(json);
    return ok;
}

static enum wi_status parse_answer(struct endpoint_embedder *x, const struct wi_answer *a,
                                   struct cJSON **json, struct wi_err *err)
{
    enum wi_status st = WI_EDATA;

    if (a->http.status == 200)
        st = wi_json_parse(a->http.body, a->http.n_body, "reply", json, NULL);
    if (st == WI_OK && cJSON_IsArray(wi_json_get(*json, "data")))
        return WI_OK;
    return st == WI_ENOMEM ? wi_fail_nomem(err)
                           : wi_endpoint_fail(x->ep, "embedding", &a->http, err);
}

/* One request. out: dim, vec as read_vectors gives them */
static enum wi_status embed_batch(struct endpoint_embedder *x, size_t n, const char *const *texts,
                                  size_t *dim, float *vec, struct wi_err *err)
{
    struct expected expected = {x->name, n, x->e.dim};
    struct wi_ask ask = {
        .path = "/embeddings", .model = x->model, .is_answer = is_embedding, .expected = &expected};
    struct wi_answer a = {0};
    struct cJSON *json = NULL;
    char *body = NULL;
    enum wi_status st = make_body(x->model, n, texts, &body, err);

    ask.body = body;
    if (st == WI_OK)
        st = wi_endpoint_ask(x->ep, &ask, &a, err);
    if (st == WI_OK)
        st = parse_answer(x, &a, &json, err);
    if (st == WI_OK)
        st = read_vectors(&expected, wi_json_get(json, "data"), dim, vec, err);
    cJSON_Delete(json);
    wi_answer_release(&a);
    free(body);
    return st;
}

static enum wi_status embed(struct wi_embedder *e, size_t n, const char *const *texts, float *vec,
                            struct wi_err *err)
{
    struct endpoint_embedder *x = e->ctx;
    enum wi_status st = WI_OK;
    size_t dim;

    for (size_t i = 0; i < n && st == WI_OK; i += BATCH)
        st = embed_batch(x, n - i < BATCH ? n - i : BATCH, texts + i, &dim, vec + i * e->dim, err);
    return st;
}

/* The dimension is what the endpoint gives for one short text. */
static enum wi_status find_dim(struct endpoint_embedder *x, struct wi_err *err)
{
    static const char *const text = "tail latency of a solid state drive";

    return embed_batch(x, 1, &text, &x->e.dim, NULL, err);
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

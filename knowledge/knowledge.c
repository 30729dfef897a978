/* Opening the indexes: from their files, else from the vectors in the store. */
#include "knowledge/knowledge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>

#include "core/embedded.h"
#include "knowledge/store_internal.h"
#include "knowledge/store_vectors.h"

__attribute__((format(printf, 2, 3))) static void note(struct wi_knowledge *k, const char *fmt, ...)
{
    char line[WI_ERR_MAX];
    va_list ap;

    if (!k->note)
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    k->note(k->note_ctx, line);
}

/* ---- the built-in embedder ---- */

static enum wi_status fit_basis(struct wi_knowledge *k, struct wi_err *err)
{
    struct wi_texts_of_items corpus = {0};
    enum wi_status st = wi_store_load_corpus(k->store, &corpus, err);
    size_t n = 0;

    if (st == WI_OK)
        st = wi_lsa_fit(k->terms, corpus.n, (const char *const *)corpus.texts, WI_LSA_DIM, &k->lsa,
                        err);
    wi_texts_of_items_release(&corpus);
    if (st == WI_OK) { /* a cache: where it cannot be saved it is made again next time */
        const void *bytes = wi_lsa_bytes(k->lsa, &n);
        wi_store_put_cache(k->store, k->own_name, 0, bytes, n, NULL);
    }
    return st;
}

static enum wi_status need_basis(struct wi_knowledge *k, struct wi_err *err)
{
    void *bytes = NULL;
    size_t n = 0;

    if (k->lsa)
        return WI_OK;
    if (wi_store_get_cache(k->store, k->own_name, 0, &bytes, &n, NULL) == WI_OK &&
        wi_lsa_load(k->terms, bytes, n, &k->lsa, NULL) == WI_OK) {
        if (wi_lsa_dim(k->lsa) == WI_LSA_DIM)
            return WI_OK;
        wi_lsa_free(k->lsa);
        k->lsa = NULL;
    }
    return fit_basis(k, err);
}

static enum wi_status embed_own(struct wi_embedder *e, size_t n, const char *const *texts,
                                float *vec, struct wi_err *err)
{
    struct wi_knowledge *k = e->ctx;
    enum wi_status st = need_basis(k, err);

    for (size_t i = 0; st == WI_OK && i < n; i++)
        st = wi_lsa_embed(k->lsa, texts[i], vec + i * e->dim, err);
    return st;
}

/* Named after the data and the synonyms it was fitted with. */
static void use_own_embedder(struct wi_knowledge *k, const char *data_sha)
{
    bool same = strcmp(data_sha, wi_embedded_sha256) == 0;

    snprintf(k->own_name, sizeof(k->own_name), "lsa/2-%.12s%s%.12s", data_sha, same ? "" : "-",
             same ? "" : wi_embedded_sha256);
    k->own =
        (struct wi_embedder){.name = k->own_name, .dim = WI_LSA_DIM, .ctx = k, .embed = embed_own};
    k->embedder = &k->own;
}

/* ---- the indexes ---- */

enum wi_status wi_knowledge_embed(struct wi_knowledge *k, size_t n, const char *const *texts,
                                  float *vec, struct wi_err *err)
{
    struct wi_embedder *e = k->embedder;
    enum wi_status st = e->embed(e, n, texts, vec, err);

    for (size_t i = 0; st == WI_OK && i < n * e->dim; i++) {
        if (!isfinite(vec[i]))
            return wi_fail(err, WI_EDATA, "embedder '%s' gave a vector that is not finite",
                           e->name);
    }
    return st;
}

#define BATCH 256
/* Of an embedder that asks somebody: what was paid for is stored before the next is asked for. */
#define FOREIGN_BATCH 16

/* Embeds texts; their vectors stay in the store where it can be written. */
static enum wi_status embed_and_keep(struct wi_knowledge *k, size_t n, int64_t *items,
                                     const char *const *texts, float *vec, struct wi_err *err)
{
    struct wi_vectors v = {items, vec, n, k->embedder->dim};
    enum wi_status st = wi_knowledge_embed(k, n, texts, vec, err);

    if (st == WI_OK)
        wi_store_put_text_vectors(k->store, k->embedder->name, &v, NULL);
    return st;
}

static enum wi_status embed_missing(struct wi_knowledge *k, enum wi_item_kind kind,
                                    struct wi_vecindex *index, struct wi_err *err)
{
    struct wi_texts_of_items t = {0};
    size_t dim = k->embedder->dim;
    size_t batch = k->embedder == &k->own ? BATCH : FOREIGN_BATCH;
    enum wi_status st =
        wi_store_load_missing_texts(k->store, k->embedder->name, dim, kind, &t, err);

    for (size_t i = 0; st == WI_OK && i < t.n; i += batch) {
        size_t n = t.n - i < batch ? t.n - i : batch;
        float *vec = malloc(n * dim * sizeof(*vec));

        if (!vec)
            st = wi_fail_nomem(err);
        if (st == WI_OK)
            st = embed_and_keep(k, n, t.items + i, (const char *const *)t.texts + i, vec, err);
        if (st == WI_OK)
            st = wi_vecindex_add(index, n, t.items + i, vec, dim, err);
        free(vec);
    }
    wi_texts_of_items_release(&t);
    return st;
}

enum wi_status wi_knowledge_text_vectors(struct wi_knowledge *k, size_t n, const int64_t *items,
                                         float *vec, struct wi_err *err)
{
    size_t dim = k->embedder->dim, n_missing = 0;
    struct wi_texts_of_items t = {0};
    size_t *missing = malloc((n + 1) * sizeof(*missing));
    float *made = NULL;
    enum wi_status st = missing ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_store_load_vectors_of(k->store, k->embedder->name, dim, n, items, vec, missing,
                                      &n_missing, err);
    if (st == WI_OK && n_missing)
        st = wi_store_load_texts_of(k->store, n_missing, missing, items, &t, err);
    if (st == WI_OK && t.n) {
        made = malloc(t.n * dim * sizeof(*made));
        st = made ? embed_and_keep(k, t.n, t.items, (const char *const *)t.texts, made, err)
                  : wi_fail_nomem(err);
    }
    for (size_t i = 0, m = 0; st == WI_OK && i < t.n; i++) {
        while (items[missing[m]] != t.items[i]) /* in the same order; some may have gone */
            m++;
        memcpy(vec + missing[m] * dim, made + i * dim, dim * sizeof(*vec));
    }
    free(missing);
    free(made);
    wi_texts_of_items_release(&t);
    return st;
}

static enum wi_status build_texts(struct wi_knowledge *k, enum wi_item_kind kind,
                                  struct wi_vecindex *index, struct wi_err *err)
{
    struct wi_vectors v = {0};
    enum wi_status st =
        wi_store_load_text_vectors(k->store, k->embedder->name, k->embedder->dim, kind, &v, err);

    if (st == WI_OK)
        st = wi_vecindex_add(index, v.n, v.items, v.vec, v.dim, err);
    wi_vectors_release(&v);
    return st == WI_OK ? embed_missing(k, kind, index, err) : st;
}

static enum wi_status build_experiments(struct wi_knowledge *k, struct wi_vecindex *index,
                                        struct wi_err *err)
{
    return build_texts(k, WI_ITEM_EXPERIMENT, index, err);
}

static enum wi_status build_principles(struct wi_knowledge *k, struct wi_vecindex *index,
                                       struct wi_err *err)
{
    return build_texts(k, WI_ITEM_PRINCIPLE, index, err);
}

static enum wi_status build_scenarios(struct wi_knowledge *k, struct wi_vecindex *index,
                                      struct wi_err *err)
{
    struct wi_vectors v = {0};
    enum wi_status st = wi_store_load_scenario_vectors(k->store, WI_SCENARIO_DIM, &v, err);

    if (st == WI_OK)
        st = wi_vecindex_add(index, v.n, v.items, v.vec, v.dim, err);
    wi_vectors_release(&v);
    return st;
}

/* One index: which file beside the database, of which vectors, and what fills it when the file is
 * of no use. */
struct kind {
    const char *what, *suffix, *of;
    enum wi_status (*build)(struct wi_knowledge *k, struct wi_vecindex *index, struct wi_err *err);
};
static const struct kind kinds[WI_N_INDEXES] = {
    [WI_INDEX_SCENARIO] = {"scenario", ".scenario.index", "", build_scenarios},
    [WI_INDEX_TEXT] = {"text", ".text.index", " experiments", build_experiments},
    [WI_INDEX_PRINCIPLE] = {"principle", ".principle.index", " principles", build_principles},
};

static enum wi_status build(struct wi_knowledge *k, const struct kind *kind,
                            const struct wi_vecindex_label *label, const char *path,
                            struct wi_vecindex **index, struct wi_err *err)
{
    struct wi_vecindex *out = NULL;
    enum wi_status st = wi_vecindex_new(label->dim, &out, err);

    if (st == WI_OK)
        st = kind->build(k, out, err);
    if (st != WI_OK) {
        wi_vecindex_free(out);
        return st;
    }
    if (path)
        wi_vecindex_save(out, path, label, NULL);
    *index = out;
    return WI_OK;
}

static enum wi_status open_index(struct wi_knowledge *k, const struct kind *kind,
                                 const struct wi_vecindex_label *label, struct wi_vecindex **index,
                                 struct wi_err *err)
{
    struct wi_err why = {0};
    char *path = NULL;
    enum wi_status st;

    if (wi_store_is_memory(k->store))
        return build(k, kind, label, NULL, index, err);
    if (asprintf(&path, "%s%s", wi_store_path(k->store), kind->suffix) < 0)
        return wi_fail_nomem(err);
    st = wi_vecindex_load(path, label, index, &why);
    if (st != WI_OK) {
        /* A new store has no index yet, which is nothing to tell. */
        if (st == WI_ENOTFOUND && !wi_store_was_created(k->store))
            note(k, "the %s index is made anew: '%s' is absent", kind->what, path);
        else if (st != WI_ENOTFOUND)
            note(k, "the %s index is made anew: %s", kind->what, why.msg);
        st = build(k, kind, label, path, index, err);
    }
    free(path);
    return st;
}

enum wi_status wi_knowledge_index(struct wi_knowledge *k, enum wi_index which,
                                  const struct wi_vecindex **index, struct wi_err *err)
{
    bool scenario = which == WI_INDEX_SCENARIO;
    struct wi_vecindex_label label = {.dim = scenario ? WI_SCENARIO_DIM : k->embedder->dim};
    char name[512];
    enum wi_status st = WI_OK;

    snprintf(name, sizeof(name), "%.300s%s store %s",
             scenario ? WI_SCENARIO_VECTOR_NAME : k->embedder->name, kinds[which].of, k->store_id);
    label.name = name;
    if (!k->index[which])
        st = wi_store_revision(k->store, &label.revision, err);
    if (st == WI_OK && !k->index[which])
        st = open_index(k, &kinds[which], &label, &k->index[which], err);
    *index = k->index[which];
    return st;
}

/* A new store gets its index files at once: later a missing one is a thing to tell. */
static enum wi_status make_files(struct wi_knowledge *k, struct wi_err *err)
{
    const struct wi_vecindex *index;
    enum wi_status st = WI_OK;

    for (int i = 0; st == WI_OK && i < WI_N_INDEXES; i++)
        st = wi_knowledge_index(k, (enum wi_index)i, &index, err);
    return st;
}

enum wi_status wi_knowledge_open(struct wi_store *store, struct wi_embedder *embedder,
                                 wi_note_fn note_fn, void *note_ctx, struct wi_knowledge **k,
                                 struct wi_err *err)
{
    struct wi_knowledge *out = calloc(1, sizeof(*out));
    char data_sha[80];

    if (!out)
        return wi_fail_nomem(err);
    out->store = store;
    out->note = note_fn;
    out->note_ctx = note_ctx;
    out->embedder = embedder;
    enum wi_status st = wi_store_identity(store, out->store_id, sizeof(out->store_id), data_sha,
                                          sizeof(data_sha), err);
    if (st == WI_OK)
        st = wi_store_terms(store, &out->terms, err);
    if (st == WI_OK && !embedder)
        use_own_embedder(out, data_sha);
    if (st == WI_OK && wi_store_was_created(store) && !wi_store_is_memory(store))
        st = make_files(out, err);
    if (st != WI_OK) {
        wi_knowledge_close(out);
        return st;
    }
    *k = out;
    return WI_OK;
}

enum wi_status wi_knowledge_kept_dim(struct wi_store *store, const char *embedder, size_t *dim,
                                     struct wi_err *err)
{
    int64_t n = 0;
    enum wi_status st = wi_store_text_vector_bytes(store, embedder, &n, err);

    *dim = (size_t)n / sizeof(float);
    return st;
}

enum wi_status wi_knowledge_forget(struct wi_store *store, const char *embedder, struct wi_err *err)
{
    enum wi_status st = wi_store_drop_text_vectors(store, embedder, err);

    /* Made of those vectors, or of others and then made anew from them. */
    for (int i = WI_INDEX_TEXT; st == WI_OK && !wi_store_is_memory(store) && i < WI_N_INDEXES;
         i++) {
        char *path = NULL;

        if (asprintf(&path, "%s%s", wi_store_path(store), kinds[i].suffix) < 0)
            return wi_fail_nomem(err);
        unlink(path);
        free(path);
    }
    return st;
}

void wi_knowledge_close(struct wi_knowledge *k)
{
    if (!k)
        return;
    for (int i = 0; i < WI_N_INDEXES; i++)
        wi_vecindex_free(k->index[i]);
    wi_lsa_free(k->lsa);
    free(k->last_text);
    free(k->last_vec);
    free(k);
}

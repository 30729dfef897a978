#include "knowledge/store_vectors.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/describe.h"
#include "knowledge/store_internal.h"

/* A guard for the sizes that a database from elsewhere may claim. */
#define VECTORS_MAX ((size_t)1 << 31)

void wi_vectors_release(struct wi_vectors *v)
{
    free(v->items);
    free(v->vec);
    *v = (struct wi_vectors){0};
}

static enum wi_status add_vector(struct wi_vectors *v, size_t *cap, int64_t item, const void *blob,
                                 struct wi_err *err)
{
    if (v->n == *cap) {
        size_t more = *cap ? 2 * *cap : 256;
        int64_t *items = more * v->dim > VECTORS_MAX / sizeof(float)
                             ? NULL
                             : realloc(v->items, more * sizeof(*items));
        if (!items)
            return wi_fail_nomem(err);
        v->items = items;
        float *vec = realloc(v->vec, more * v->dim * sizeof(*vec));
        if (!vec)
            return wi_fail_nomem(err);
        v->vec = vec;
        *cap = more;
    }
    v->items[v->n] = item;
    memcpy(v->vec + v->n * v->dim, blob, v->dim * sizeof(float));
    v->n++;
    return WI_OK;
}

static enum wi_status collect_vectors(struct wi_store *store, sqlite3_stmt *stmt, size_t dim,
                                      struct wi_vectors *v, struct wi_err *err)
{
    struct wi_vectors out = {.dim = dim};
    size_t cap = 0;
    bool row = true;
    enum wi_status st = WI_OK;

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        if ((size_t)sqlite3_column_bytes(stmt, 1) == dim * sizeof(float))
            st = add_vector(&out, &cap, sqlite3_column_int64(stmt, 0), sqlite3_column_blob(stmt, 1),
                            err);
    }
    if (st != WI_OK) {
        wi_vectors_release(&out);
        return st;
    }
    *v = out;
    return WI_OK;
}

enum wi_status wi_store_load_scenario_vectors(struct wi_store *store, size_t dim,
                                              struct wi_vectors *v, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum wi_status st = wi_sql_query(store, &stmt, err,
                                     "SELECT 2 * exp, vec FROM scenario_vectors ORDER BY exp", "");

    if (st == WI_OK)
        st = collect_vectors(store, stmt, dim, v, err);
    wi_sql_done(store, stmt);
    return st;
}

/* Items of a kind stand between these; where principles are asked for, thousands of imported
 * experiments behind the last of them are not even looked at. */
static enum wi_status last_item(struct wi_store *store, enum wi_item_kind kind, int64_t *last,
                                struct wi_err *err)
{
    *last = INT64_MAX;
    return kind == WI_ITEM_PRINCIPLE
               ? wi_sql_int(store, 0, last, err, "SELECT 2 * max(n) + 1 FROM principles", "")
               : WI_OK;
}

enum wi_status wi_store_load_text_vectors(struct wi_store *store, const char *embedder, size_t dim,
                                          enum wi_item_kind kind, struct wi_vectors *v,
                                          struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t last = 0;
    enum wi_status st = last_item(store, kind, &last, err);

    if (st == WI_OK)
        st = wi_sql_query(store, &stmt, err,
                          "SELECT item, vec FROM text_vectors WHERE embedder = ? AND item <= ? "
                          "AND item & 1 = ? ORDER BY item",
                          "tii", embedder, last, (int64_t)(kind == WI_ITEM_PRINCIPLE));
    if (st == WI_OK)
        st = collect_vectors(store, stmt, dim, v, err);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_load_vectors_of(struct wi_store *store, const char *embedder, size_t dim,
                                        size_t n, const int64_t *items, float *vec, size_t *missing,
                                        size_t *n_missing, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err, "SELECT vec FROM text_vectors WHERE embedder = ? AND item = ?", "");

    memset(vec, 0, n * dim * sizeof(*vec));
    *n_missing = 0;
    for (size_t i = 0; st == WI_OK && i < n; i++) {
        st = wi_sql_rebind(store, stmt, err, "ti", embedder, items[i]);
        if (st == WI_OK)
            st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK)
            break;
        if (row && (size_t)sqlite3_column_bytes(stmt, 0) == dim * sizeof(*vec))
            memcpy(vec + i * dim, sqlite3_column_blob(stmt, 0), dim * sizeof(*vec));
        else
            missing[(*n_missing)++] = i;
    }
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_put_text_vectors(struct wi_store *store, const char *embedder,
                                         const struct wi_vectors *v, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row;
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    /* An item may have gone since it was read. */
    st = wi_sql_query(store, &stmt, err,
                      "INSERT OR REPLACE INTO text_vectors(embedder, item, vec) SELECT ?1, ?2, ?3 "
                      "WHERE EXISTS(SELECT 1 FROM item_texts WHERE item = ?2)",
                      "");
    for (size_t i = 0; st == WI_OK && i < v->n; i++) {
        st = wi_sql_rebind(store, stmt, err, "tib", embedder, v->items[i],
                           (const void *)(v->vec + i * v->dim), v->dim * sizeof(float));
        if (st == WI_OK)
            st = wi_sql_step(store, stmt, &row, err);
    }
    wi_sql_done(store, stmt);
    return wi_sql_end(store, st, err);
}

enum wi_status wi_store_text_vector_bytes(struct wi_store *store, const char *embedder,
                                          int64_t *n_bytes, struct wi_err *err)
{
    return wi_sql_int(store, 0, n_bytes, err,
                      "SELECT length(vec) FROM text_vectors WHERE embedder = ? LIMIT 1", "t",
                      embedder);
}

enum wi_status wi_store_drop_text_vectors(struct wi_store *store, const char *embedder,
                                          struct wi_err *err)
{
    return wi_sql_run(store, err, "DELETE FROM text_vectors WHERE embedder = ?", "t", embedder);
}

void wi_texts_of_items_release(struct wi_texts_of_items *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->texts[i]);
    free(t->texts);
    free(t->items);
    *t = (struct wi_texts_of_items){0};
}

static enum wi_status add_text(struct wi_texts_of_items *t, size_t *cap, sqlite3_stmt *stmt,
                               struct wi_err *err)
{
    if (t->n == *cap) {
        size_t more = *cap ? 2 * *cap : 256;
        int64_t *items = realloc(t->items, more * sizeof(*items));
        if (!items)
            return wi_fail_nomem(err);
        t->items = items;
        char **texts = realloc(t->texts, more * sizeof(*texts));
        if (!texts)
            return wi_fail_nomem(err);
        t->texts = texts;
        *cap = more;
    }
    t->items[t->n] = sqlite3_column_int64(stmt, 0);
    t->texts[t->n] = wi_sql_dup_text(stmt, 1);
    if (!t->texts[t->n])
        return wi_fail_nomem(err);
    t->n++;
    return WI_OK;
}

static enum wi_status collect_texts(struct wi_store *store, sqlite3_stmt *stmt,
                                    struct wi_texts_of_items *t, struct wi_err *err)
{
    struct wi_texts_of_items out = {0};
    size_t cap = 0;
    bool row = true;
    enum wi_status st = WI_OK;

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        st = add_text(&out, &cap, stmt, err);
    }
    if (st != WI_OK) {
        wi_texts_of_items_release(&out);
        return st;
    }
    *t = out;
    return WI_OK;
}

enum wi_status wi_store_load_missing_texts(struct wi_store *store, const char *embedder, size_t dim,
                                           enum wi_item_kind kind, struct wi_texts_of_items *t,
                                           struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t last = 0;
    enum wi_status st = last_item(store, kind, &last, err);

    if (st == WI_OK)
        st = wi_sql_query(
            store, &stmt, err,
            "SELECT item, body FROM item_texts WHERE item <= ? AND item & 1 = ? AND item NOT "
            "IN (SELECT item FROM text_vectors WHERE embedder = ? AND length(vec) = ?) ORDER BY "
            "item",
            "iiti", last, (int64_t)(kind == WI_ITEM_PRINCIPLE), embedder,
            (int64_t)(dim * sizeof(float)));
    if (st == WI_OK)
        st = collect_texts(store, stmt, t, err);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_load_texts_of(struct wi_store *store, size_t n, const size_t *at,
                                      const int64_t *items, struct wi_texts_of_items *t,
                                      struct wi_err *err)
{
    struct wi_texts_of_items out = {0};
    sqlite3_stmt *stmt = NULL;
    size_t cap = 0;
    bool row = false;
    enum wi_status st =
        wi_sql_query(store, &stmt, err, "SELECT item, body FROM item_texts WHERE item = ?", "");

    for (size_t i = 0; st == WI_OK && i < n; i++) {
        st = wi_sql_rebind(store, stmt, err, "i", items[at[i]]);
        if (st == WI_OK)
            st = wi_sql_step(store, stmt, &row, err);
        if (st == WI_OK && row)
            st = add_text(&out, &cap, stmt, err);
    }
    wi_sql_done(store, stmt);
    if (st != WI_OK) {
        wi_texts_of_items_release(&out);
        return st;
    }
    *t = out;
    return WI_OK;
}

enum wi_status wi_store_load_corpus(struct wi_store *store, struct wi_texts_of_items *t,
                                    struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT t.item, t.body FROM (SELECT 2 * n AS item, 0 AS kind, id FROM experiments WHERE "
        "embedded UNION ALL SELECT 2 * n + 1, 1, id FROM principles WHERE embedded) i "
        "JOIN item_texts t ON t.item = i.item ORDER BY i.kind, i.id",
        "");

    if (st == WI_OK)
        st = collect_texts(store, stmt, t, err);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_bm25(struct wi_store *store, const char *match, enum wi_item_kind kind,
                             size_t limit, int64_t *items, size_t *n, struct wi_err *err)
{
    /* title, body, notes, terms */
#define RANKED(table)                                                                              \
    "SELECT rowid FROM " table " WHERE " table " MATCH ? ORDER BY bm25(" table                     \
    ", 0.3, 0.3, 0.1, 1.0), rowid LIMIT ?"
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st = wi_sql_query(store, &stmt, err,
                                     kind == WI_ITEM_PRINCIPLE ? RANKED("principle_texts")
                                                               : RANKED("experiment_texts"),
                                     "ti", match, (int64_t)limit);
#undef RANKED

    *n = 0;
    while (st == WI_OK && *n < limit) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        items[(*n)++] = sqlite3_column_int64(stmt, 0);
    }
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_find_item(struct wi_store *store, const char *id, int64_t *item,
                                  struct wi_err *err)
{
    enum wi_status st = wi_sql_int(store, -1, item, err,
                                   "SELECT 2 * n FROM experiments WHERE id = ?1 UNION ALL "
                                   "SELECT 2 * n + 1 FROM principles WHERE id = ?1 LIMIT 1",
                                   "t", id);

    if (st == WI_OK && *item < 0)
        st = wi_fail(err, WI_ENOTFOUND, "no experiment or principle '%s' is stored", id);
    return st;
}

static enum wi_status fill_experiment(struct wi_store *store, const char *id, struct wi_item *out,
                                      struct wi_err *err)
{
    struct wi_experiment_filter filter = {.id = id};
    struct wi_dataset ds = {0};
    struct wi_item_text text = {0};
    enum wi_status st = wi_store_load_dataset(store, &filter, &ds, err);

    if (st == WI_OK && ds.n_exps != 1)
        st = wi_fail(err, WI_ENOTFOUND, "no experiment '%s' is stored", id);
    if (st == WI_OK)
        st = wi_describe_experiment(&ds.exps[0], ds.obs, ds.n_obs, &text, err);
    if (st == WI_OK) {
        memcpy(out->source, ds.exps[0].source, sizeof(out->source));
        out->embedded = ds.exps[0].embedded;
    }
    out->title = text.title;
    out->summary = text.summary;
    free(text.body);
    free(text.notes);
    wi_dataset_release(&ds);
    return st;
}

static enum wi_status fill_principle(struct wi_store *store, const char *id, struct wi_item *out,
                                     struct wi_err *err)
{
    struct wi_principle p = {0};
    enum wi_status st = wi_store_get_principle(store, id, &p, err);

    if (st != WI_OK)
        return st;
    if (p.n_sources)
        memcpy(out->source, p.sources[0].id, sizeof(out->source));
    out->embedded = p.embedded;
    out->title = p.title;
    out->summary = p.statement;
    p.title = p.statement = NULL;
    wi_principle_release(&p);
    return WI_OK;
}

enum wi_status wi_store_item_id(struct wi_store *store, int64_t item, char id[WI_ID_MAX],
                                struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(store, &stmt, err,
                                     item & 1 ? "SELECT id FROM principles WHERE n = ?"
                                              : "SELECT id FROM experiments WHERE n = ?",
                                     "i", item >> 1);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st = wi_fail(err, WI_ENOTFOUND, "item %lld is not stored", (long long)item);
    if (st == WI_OK)
        wi_sql_copy_text(stmt, 0, id, WI_ID_MAX);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_load_item(struct wi_store *store, int64_t item, struct wi_item *out,
                                  struct wi_err *err)
{
    struct wi_item i = {.kind = wi_item_kind_of(item)};
    enum wi_status st = wi_store_item_id(store, item, i.id, err);

    if (st == WI_OK)
        st = i.kind == WI_ITEM_EXPERIMENT ? fill_experiment(store, i.id, &i, err)
                                          : fill_principle(store, i.id, &i, err);
    if (st == WI_OK && (!i.title || !i.summary))
        st = wi_fail_nomem(err);
    if (st != WI_OK) {
        wi_item_release(&i);
        return st;
    }
    *out = i;
    return WI_OK;
}

enum wi_status wi_store_load_terms(struct wi_store *store, int64_t item, char **terms,
                                   struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st =
        wi_sql_query(store, &stmt, err, "SELECT terms FROM item_texts WHERE item = ?", "i", item);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !(*terms = row ? wi_sql_dup_text(stmt, 0) : calloc(1, 1)))
        st = wi_fail_nomem(err);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_identity(struct wi_store *store, char *store_id, size_t n_store_id,
                                 char *data_sha, size_t n_data_sha, struct wi_err *err)
{
    enum wi_status st = wi_store_get_meta(store, "store_id", store_id, n_store_id, err);

    if (st == WI_OK)
        st = wi_store_get_meta(store, "embedded_sha256", data_sha, n_data_sha, err);
    return st;
}

bool wi_store_was_created(const struct wi_store *store)
{
    return store->created;
}

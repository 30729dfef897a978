/* The searched texts and the scenario vectors of items, kept in step with their rows. */
#include "knowledge/store_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/embedded.h"
#include "core/sha256.h"
#include "knowledge/describe.h"
#include "knowledge/scenario_vector.h"

#define SYNONYMS "data/synonyms.csv"

/* Compiling the table takes some milliseconds: the result is kept in the store. */
enum wi_status wi_store_terms(struct wi_store *store, const struct wi_terms **terms,
                              struct wi_err *err)
{
    const struct wi_embedded_file *file = wi_embedded_find(SYNONYMS);
    char name[64];
    void *bytes = NULL;
    size_t n = 0;

    *terms = store->terms;
    if (store->terms)
        return WI_OK;
    snprintf(name, sizeof(name), "%s-%.16s", WI_TERMS_VERSION, wi_embedded_sha256);
    if (store->depth == 0 && wi_store_get_cache(store, name, 0, &bytes, &n, NULL) == WI_OK &&
        wi_terms_load(bytes, n, &store->terms, NULL) == WI_OK) {
        *terms = store->terms;
        return WI_OK;
    }
    if (!file)
        return wi_fail(err, WI_EDATA, "the program was built without '%s'", SYNONYMS);
    enum wi_status st = wi_terms_new(file->bytes, file->n_bytes, SYNONYMS, &store->terms, err);
    if (st != WI_OK)
        return st;
    const void *block = wi_terms_bytes(store->terms, &n);
    if (!store->read_only)
        wi_store_put_cache(store, name, 0, block, n, NULL);
    *terms = store->terms;
    return WI_OK;
}

void wi_store_index_key(char *out, size_t size)
{
    const struct wi_embedded_file *file = wi_embedded_find(SYNONYMS);
    char hex[WI_SHA256_HEX];

    wi_sha256(file ? file->bytes : "", file ? file->n_bytes : 0, hex);
    snprintf(out, size, "%s %s %.16s", WI_SCENARIO_VECTOR_NAME, WI_TERMS_VERSION, hex);
}

/* By kind of item. */
static const char *const delete_text[] = {"DELETE FROM experiment_texts WHERE rowid = ?",
                                          "DELETE FROM principle_texts WHERE rowid = ?"};
#define INSERT_TEXT(table)                                                                         \
    "INSERT INTO " table "(rowid, title, body, notes, terms) VALUES(?, ?, ?, ?, ?)"
static const char *const insert_text[] = {INSERT_TEXT("experiment_texts"),
                                          INSERT_TEXT("principle_texts")};

static enum wi_status put_text(struct wi_store *store, int64_t item, const struct wi_item_text *t,
                               struct wi_err *err)
{
    const struct wi_terms *table = NULL;
    char *terms = NULL;
    enum wi_status st = wi_store_terms(store, &table, err);

    if (st == WI_OK)
        st = wi_terms_join(table, t->body, &terms, err);
    if (st == WI_OK) /* vectors of another text than this are wrong, whoever made them */
        st = wi_sql_run(store, err,
                        "DELETE FROM text_vectors WHERE item = ?1 AND NOT EXISTS(SELECT 1 FROM "
                        "item_texts WHERE item = ?1 AND body = ?2)",
                        "it", item, t->body);
    if (st == WI_OK)
        st = wi_sql_run(store, err, delete_text[item & 1], "i", item);
    if (st == WI_OK)
        st = wi_sql_run(store, err, insert_text[item & 1], "itttt", item, t->title, t->body,
                        t->notes, terms);
    free(terms);
    return st;
}

enum wi_status wi_store_index_experiment(struct wi_store *store, int64_t n,
                                         const struct wi_experiment *exp,
                                         const struct wi_observation *obs, size_t n_obs,
                                         struct wi_err *err)
{
    struct wi_item_text text = {0};
    float vec[WI_SCENARIO_DIM];
    enum wi_status st = wi_describe_experiment(exp, obs, n_obs, &text, err);

    if (st == WI_OK)
        st = put_text(store, 2 * n, &text, err);
    wi_item_text_release(&text);
    if (st != WI_OK)
        return st;
    wi_scenario_vector_of_experiment(exp, obs, n_obs, vec);
    return wi_sql_run(store, err, "INSERT OR REPLACE INTO scenario_vectors VALUES(?, ?)", "ib", n,
                      (const void *)vec, sizeof(vec));
}

enum wi_status wi_store_index_principle(struct wi_store *store, int64_t n,
                                        const struct wi_principle *p, struct wi_err *err)
{
    struct wi_item_text text = {0};
    enum wi_status st = wi_describe_principle(p, &text, err);

    if (st == WI_OK)
        st = put_text(store, 2 * n + 1, &text, err);
    wi_item_text_release(&text);
    return st;
}

static enum wi_status number_of(struct wi_store *store, const char *sql, const char *id, int64_t *n,
                                struct wi_err *err)
{
    return wi_sql_int(store, 0, n, err, sql, "t", id);
}

enum wi_status wi_store_index_all(struct wi_store *store, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_principle *principles = NULL;
    size_t n_principles = 0, from = 0;
    int64_t n = 0;
    enum wi_status st = wi_store_load_dataset(store, NULL, &ds, err);

    for (size_t i = 0; st == WI_OK && i < ds.n_exps; i++) {
        size_t to = from;

        while (to < ds.n_obs && ds.obs[to].exp == i)
            to++;
        st = number_of(store, "SELECT n FROM experiments WHERE id = ?", ds.exps[i].id, &n, err);
        if (st == WI_OK)
            st = wi_store_index_experiment(store, n, &ds.exps[i], ds.obs + from, to - from, err);
        from = to;
    }
    if (st == WI_OK)
        st = wi_store_load_principles(store, &principles, &n_principles, err);
    for (size_t i = 0; st == WI_OK && i < n_principles; i++) {
        st = number_of(store, "SELECT n FROM principles WHERE id = ?", principles[i].id, &n, err);
        if (st == WI_OK)
            st = wi_store_index_principle(store, n, &principles[i], err);
    }
    wi_dataset_release(&ds);
    wi_principles_free(principles, n_principles);
    return st;
}

/* Principles with their sources and links. */
#include "knowledge/store_internal.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/describe.h"

/* The texts of a principle, in the order of the columns from `title` on. */
static const size_t texts[] = {
    offsetof(struct wi_principle, title),          offsetof(struct wi_principle, statement),
    offsetof(struct wi_principle, latency_effect), offsetof(struct wi_principle, bandwidth_effect),
    offsetof(struct wi_principle, equation),       offsetof(struct wi_principle, validity),
    offsetof(struct wi_principle, stressors),      offsetof(struct wi_principle, nand),
};
#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

static char **text_of(struct wi_principle *p, size_t i)
{
    return (char **)(void *)((char *)p + texts[i]);
}

static const char *get_text(const struct wi_principle *p, size_t i)
{
    char *text;

    memcpy(&text, (const char *)p + texts[i], sizeof(text));
    return text ? text : "";
}

static enum wi_status load_sources(struct wi_store *store, int64_t n, struct wi_principle *p,
                                   struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT source, confidence FROM principle_sources WHERE principle = ? ORDER BY pos", "i",
        n);

    while (st == WI_OK && p->n_sources < WI_PRINCIPLE_SOURCES_MAX) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        wi_sql_copy_text(stmt, 0, p->sources[p->n_sources].id, WI_ID_MAX);
        wi_confidence_parse((const char *)sqlite3_column_text(stmt, 1),
                            &p->sources[p->n_sources].confidence);
        p->n_sources++;
    }
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status load_links(struct wi_store *store, int64_t n, struct wi_principle *p,
                                 struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st =
        wi_sql_query(store, &stmt, err,
                     "SELECT target FROM principle_links WHERE principle = ? ORDER BY pos", "i", n);

    while (st == WI_OK && p->n_contradicted_by < WI_PRINCIPLE_LINKS_MAX) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        wi_sql_copy_text(stmt, 0, p->contradicted_by[p->n_contradicted_by++], WI_ID_MAX);
    }
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status load_row(struct wi_store *store, sqlite3_stmt *stmt, struct wi_principle *p,
                               struct wi_err *err)
{
    int64_t n = sqlite3_column_int64(stmt, 0);

    wi_sql_copy_text(stmt, 1, p->id, sizeof(p->id));
    p->embedded = sqlite3_column_int(stmt, 2) != 0;
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (!(*text_of(p, i) = wi_sql_dup_text(stmt, 3 + (int)i)))
            return wi_fail_nomem(err);
    }
    enum wi_status st = load_sources(store, n, p, err);
    return st == WI_OK ? load_links(store, n, p, err) : st;
}

static enum wi_status load(struct wi_store *store, const char *id, struct wi_principle **list,
                           size_t *n, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct wi_principle *out = NULL;
    size_t count = 0, cap = 0;
    bool row = true;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT n, id, embedded, title, statement, latency_effect, bandwidth_effect, equation, "
        "validity, stressors, nand FROM principles WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
        "t", id);

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        struct wi_principle *p = wi_list_push(&out, &count, &cap, sizeof(*p));
        st = p ? load_row(store, stmt, p, err) : wi_fail_nomem(err);
    }
    wi_sql_done(store, stmt);
    if (st != WI_OK) {
        wi_principles_free(out, count);
        return st;
    }
    *list = out;
    *n = count;
    return WI_OK;
}

enum wi_status wi_store_load_principles(struct wi_store *store, struct wi_principle **list,
                                        size_t *n, struct wi_err *err)
{
    return load(store, NULL, list, n, err);
}

enum wi_status wi_store_get_principle(struct wi_store *store, const char *id,
                                      struct wi_principle *out, struct wi_err *err)
{
    struct wi_principle *list = NULL;
    size_t n = 0;
    enum wi_status st = load(store, id, &list, &n, err);

    if (st != WI_OK)
        return st;
    if (n == 0)
        return wi_fail(err, WI_ENOTFOUND, "no principle '%s' is stored", id);
    *out = list[0];
    free(list);
    return WI_OK;
}

static enum wi_status insert_children(struct wi_store *store, int64_t n,
                                      const struct wi_principle *p, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; st == WI_OK && i < p->n_sources; i++) {
        st = wi_store_need_source(store, p->sources[i].id, err);
        if (st == WI_OK)
            st = wi_sql_run(store, err, "INSERT INTO principle_sources VALUES(?, ?, ?, ?)", "iitt",
                            n, (int64_t)i, p->sources[i].id,
                            wi_confidence_name(p->sources[i].confidence));
    }
    for (size_t i = 0; st == WI_OK && i < p->n_contradicted_by; i++)
        st = wi_sql_run(store, err, "INSERT INTO principle_links VALUES(?, ?, ?)", "iit", n,
                        (int64_t)i, p->contradicted_by[i]);
    return st;
}

enum wi_status wi_store_insert_principle(struct wi_store *store, const struct wi_principle *p,
                                         struct wi_err *err)
{
    enum wi_status st = wi_sql_run(
        store, err,
        "INSERT INTO principles(id, embedded, title, statement, latency_effect, bandwidth_effect, "
        "equation, validity, stressors, nand) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "titttttttt", p->id, (int64_t)p->embedded, get_text(p, 0), get_text(p, 1), get_text(p, 2),
        get_text(p, 3), get_text(p, 4), get_text(p, 5), get_text(p, 6), get_text(p, 7));

    if (st != WI_OK)
        return st;
    int64_t n = sqlite3_last_insert_rowid(store->db);
    st = insert_children(store, n, p, err);
    return st == WI_OK ? wi_store_index_principle(store, n, p, err) : st;
}

enum wi_status wi_store_delete_principle(struct wi_store *store, const char *id, struct wi_err *err)
{
    return wi_sql_run(store, err, "DELETE FROM principles WHERE id = ?", "t", id);
}

enum wi_status wi_store_add_principle(struct wi_store *store, const struct wi_principle *p,
                                      struct wi_err *err)
{
    struct wi_principle own = *p; /* borrows the texts */
    int64_t owner = -1;
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    own.embedded = false;
    st = wi_sql_int(store, -1, &owner, err, "SELECT embedded FROM principles WHERE id = ?", "t",
                    p->id);
    if (st == WI_OK && owner == 1)
        st = wi_fail(err, WI_EDATA, "principle '%s' belongs to the embedded data; use another id",
                     p->id);
    else if (st == WI_OK && owner == 0)
        st = wi_fail(err, WI_EDATA, "principle '%s' is already stored; remove it first", p->id);
    if (st == WI_OK)
        st = wi_store_insert_principle(store, &own, err);
    return wi_sql_end(store, st, err);
}

enum wi_status wi_store_remove_principle(struct wi_store *store, const char *id, struct wi_err *err)
{
    int64_t owner = -1;
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    st =
        wi_sql_int(store, -1, &owner, err, "SELECT embedded FROM principles WHERE id = ?", "t", id);
    if (st == WI_OK && owner < 0)
        st = wi_fail(err, WI_ENOTFOUND, "no principle '%s' is stored", id);
    else if (st == WI_OK && owner == 1)
        st = wi_fail(err, WI_EUSAGE,
                     "principle '%s' belongs to the embedded data, which are never removed", id);
    if (st == WI_OK)
        st = wi_store_delete_principle(store, id, err);
    if (st == WI_OK)
        st = wi_store_drop_unused_sources(store, err);
    return wi_sql_end(store, st, err);
}

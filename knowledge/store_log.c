/* The log of calls to language models: core/reply_log.h on the store, and what `log` shows. */
#include "knowledge/store_internal.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/utc.h"

/* A blob or text column with a NUL behind it. */
static char *dup_bytes(sqlite3_stmt *stmt, int col, size_t *n)
{
    const void *bytes = sqlite3_column_blob(stmt, col);
    size_t len = (size_t)sqlite3_column_bytes(stmt, col);
    char *out = malloc(len + 1);

    if (!out)
        return NULL;
    if (len)
        memcpy(out, bytes, len);
    out[len] = '\0';
    if (n)
        *n = len;
    return out;
}

/* The newest answer, a good one before a bad one. */
static enum wi_status find_reply(struct wi_reply_log *log, const char *key, char **response,
                                 size_t *n_response, int *http_status, struct wi_err *err)
{
    struct wi_store *store = log->ctx;
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st =
        wi_sql_query(store, &stmt, err,
                     "SELECT response, http_status FROM replies WHERE key = ? ORDER BY "
                     "http_status BETWEEN 200 AND 299 DESC, n DESC LIMIT 1",
                     "t", key);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st = wi_fail(err, WI_ENOTFOUND, "no reply is logged for this request");
    if (st == WI_OK) {
        char *copy = dup_bytes(stmt, 0, n_response);

        if (!copy) {
            st = wi_fail_nomem(err);
        } else {
            *response = copy;
            *http_status = sqlite3_column_int(stmt, 1);
        }
    }
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status add_reply(struct wi_reply_log *log, const struct wi_reply *r,
                                struct wi_err *err)
{
    char at[32];

    wi_utc_format(time(NULL), at, sizeof(at));
    return wi_sql_run(log->ctx, err,
                      "INSERT INTO replies(key, logged_at, endpoint, model, request, response, "
                      "http_status, prompt_tokens, completion_tokens, wall_s) "
                      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      "tttttbiiid", r->key, at, r->endpoint, r->model, r->request,
                      (const void *)r->response, r->n_response, (int64_t)r->http_status,
                      r->prompt_tokens, r->completion_tokens, r->wall_s);
}

static enum wi_status get_fact(struct wi_reply_log *log, const char *endpoint, const char *name,
                               char **value, struct wi_err *err)
{
    struct wi_store *store = log->ctx;
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err, "SELECT value FROM endpoint_facts WHERE endpoint = ? AND name = ?", "tt",
        endpoint, name);

    *value = NULL;
    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && row && !(*value = wi_sql_dup_text(stmt, 0)))
        st = wi_fail_nomem(err);
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status set_fact(struct wi_reply_log *log, const char *endpoint, const char *name,
                               const char *value, struct wi_err *err)
{
    if (!value)
        return wi_sql_run(log->ctx, err,
                          "DELETE FROM endpoint_facts WHERE endpoint = ? AND name = ?", "tt",
                          endpoint, name);
    return wi_sql_run(log->ctx, err, "INSERT OR REPLACE INTO endpoint_facts VALUES(?, ?, ?)", "ttt",
                      endpoint, name, value);
}

void wi_store_init_log(struct wi_store *store)
{
    store->log = (struct wi_reply_log){store, find_reply, add_reply, get_fact, set_fact};
}

struct wi_reply_log *wi_store_reply_log(struct wi_store *store)
{
    return &store->log;
}

void wi_logged_reply_release(struct wi_logged_reply *r)
{
    if (!r)
        return;
    free(r->endpoint);
    free(r->model);
    free(r->request);
    free(r->response);
    *r = (struct wi_logged_reply){0};
}

void wi_logged_replies_free(struct wi_logged_reply *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        wi_logged_reply_release(&list[i]);
    free(list);
}

/* The columns that a list and a single call share. */
#define REPLY_COLUMNS                                                                              \
    "n, key, logged_at, endpoint, model, http_status, prompt_tokens, completion_tokens, wall_s, "  \
    "length(response)"

static enum wi_status load_reply(sqlite3_stmt *stmt, struct wi_logged_reply *r, struct wi_err *err)
{
    r->n = sqlite3_column_int64(stmt, 0);
    wi_sql_copy_text(stmt, 1, r->key, sizeof(r->key));
    wi_sql_copy_text(stmt, 2, r->logged_at, sizeof(r->logged_at));
    r->endpoint = wi_sql_dup_text(stmt, 3);
    r->model = wi_sql_dup_text(stmt, 4);
    r->http_status = sqlite3_column_int(stmt, 5);
    r->prompt_tokens = sqlite3_column_int64(stmt, 6);
    r->completion_tokens = sqlite3_column_int64(stmt, 7);
    r->wall_s = wi_sql_num(stmt, 8);
    r->n_response = (size_t)sqlite3_column_int64(stmt, 9);
    return r->endpoint && r->model ? WI_OK : wi_fail_nomem(err);
}

enum wi_status wi_store_list_replies(struct wi_store *store, size_t limit,
                                     struct wi_logged_reply **list, size_t *n, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct wi_logged_reply *out = NULL;
    size_t count = 0, cap = 0;
    bool row = true;
    int64_t most = limit > 0 && limit < INT64_MAX ? (int64_t)limit : -1;
    enum wi_status st =
        wi_sql_query(store, &stmt, err,
                     "SELECT " REPLY_COLUMNS " FROM replies ORDER BY n DESC LIMIT ?", "i", most);

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        struct wi_logged_reply *r = wi_list_push(&out, &count, &cap, sizeof(*r));
        st = r ? load_reply(stmt, r, err) : wi_fail_nomem(err);
    }
    wi_sql_done(store, stmt);
    if (st != WI_OK) {
        wi_logged_replies_free(out, count);
        return st;
    }
    *list = out;
    *n = count;
    return WI_OK;
}

enum wi_status wi_store_get_reply(struct wi_store *store, int64_t n, struct wi_logged_reply *out,
                                  struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct wi_logged_reply r = {0};
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err, "SELECT " REPLY_COLUMNS ", request, response FROM replies WHERE n = ?",
        "i", n);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st = wi_fail(err, WI_ENOTFOUND, "no call %lld is logged", (long long)n);
    if (st == WI_OK)
        st = load_reply(stmt, &r, err);
    if (st == WI_OK && (!(r.request = dup_bytes(stmt, 10, NULL)) ||
                        !(r.response = dup_bytes(stmt, 11, &r.n_response))))
        st = wi_fail_nomem(err);
    wi_sql_done(store, stmt);
    if (st != WI_OK)
        wi_logged_reply_release(&r);
    else
        *out = r;
    return st;
}

enum wi_status wi_store_prune_replies(struct wi_store *store, const char *before, size_t keep,
                                      size_t *n_removed, struct wi_err *err)
{
    int64_t most = keep < INT64_MAX ? (int64_t)keep : INT64_MAX;
    enum wi_status st = wi_sql_begin(store, err);
    int64_t n = 0;

    if (st != WI_OK)
        return st;
    st = wi_sql_run(store, err,
                    "DELETE FROM replies WHERE ?1 IS NULL OR logged_at < ?1 OR n NOT IN "
                    "(SELECT n FROM replies ORDER BY n DESC LIMIT ?2)",
                    "ti", before, most);
    if (st == WI_OK)
        n = sqlite3_changes64(store->db);
    st = wi_sql_end(store, st, err);
    if (st == WI_OK)
        *n_removed = (size_t)n;
    return st;
}

/*
 * BM25 as FTS5 computes it, but for how rare a word and how long a text is against others. FTS5's
 * own function counts that among all items, so that thousands of imported experiments that repeat
 * the same words make these words worth nothing for the principles, and every search a pass over
 * all of them. Here it is counted among the principles for these, and for experiments among the
 * first items of the store, up to its last principle.
 *
 * source: Robertson et al. 1994, "Okapi at TREC-3", with k1 = 1.2, b = 0.75 and the floor of the
 *         inverse document frequency of SQLite's documentation of FTS5, "The bm25() function"
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/store_internal.h"
#include "knowledge/store_vectors.h"

#define K1 1.2
#define B 0.75
#define IDF_MIN 1e-6
#define N_ARGS 4 /* before the weights of the columns */

/* The items that words are counted among. */
struct among {
    sqlite3_int64 last, n_rows;
    bool principles_only;
    double mean_size; /* words of a text */
};

/* Of one query; kept by FTS5 from row to row. */
struct rank {
    struct among among;
    int n;       /* terms */
    double *idf; /* (n,) */
    double *freq;
};

struct count {
    struct among among;
    sqlite3_int64 n;
};

static int count_row(const Fts5ExtensionApi *api, Fts5Context *fts, void *ctx)
{
    struct count *c = ctx;
    sqlite3_int64 item = api->xRowid(fts);

    if (item > c->among.last)
        return SQLITE_DONE;
    c->n += c->among.principles_only ? item & 1 : 1;
    return SQLITE_OK;
}

static int count_terms(const Fts5ExtensionApi *api, Fts5Context *fts, struct rank *r)
{
    int rc = SQLITE_OK;

    for (int i = 0; rc == SQLITE_OK && i < r->n; i++) {
        struct count c = {r->among, 0};

        rc = api->xQueryPhrase(fts, i, &c, count_row);
        double idf = log(((double)(r->among.n_rows - c.n) + 0.5) / ((double)c.n + 0.5));
        r->idf[i] = idf > 0.0 ? idf : IDF_MIN;
    }
    return rc;
}

static int new_rank(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_value **args,
                    struct rank **out)
{
    int n = api->xPhraseCount(fts);
    struct rank *r = calloc(1, sizeof(*r) + 2 * (size_t)n * sizeof(double));
    int rc = r ? SQLITE_OK : SQLITE_NOMEM;

    if (rc == SQLITE_OK) {
        r->among = (struct among){sqlite3_value_int64(args[0]), sqlite3_value_int64(args[1]),
                                  sqlite3_value_int(args[2]) != 0, sqlite3_value_double(args[3])};
        r->n = n;
        r->idf = (double *)(r + 1);
        r->freq = r->idf + n;
        rc = count_terms(api, fts, r);
    }
    if (rc == SQLITE_OK)
        rc = api->xSetAuxdata(fts, r, free); /* frees it on failure, too */
    else
        free(r);
    *out = rc == SQLITE_OK ? r : NULL;
    return rc;
}

/* What the terms count in this row: an instance the weight of its column. */
static int add_instances(const Fts5ExtensionApi *api, Fts5Context *fts, int n_args,
                         sqlite3_value **args, struct rank *r)
{
    int n = 0, rc = api->xInstCount(fts, &n);

    memset(r->freq, 0, (size_t)r->n * sizeof(*r->freq));
    for (int i = 0; rc == SQLITE_OK && i < n; i++) {
        int term, col, at;

        rc = api->xInst(fts, i, &term, &col, &at);
        if (rc == SQLITE_OK)
            r->freq[term] += N_ARGS + col < n_args ? sqlite3_value_double(args[N_ARGS + col]) : 1.0;
    }
    return rc;
}

/* wi_bm25(table, last item, how many, principles only, mean size, weights of the columns...) */
static void rank_row(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx,
                     int n_args, sqlite3_value **args)
{
    struct rank *r = api->xGetAuxdata(fts, 0);
    int rc = SQLITE_OK, size = 0;
    double score = 0.0;

    if (!r)
        rc = new_rank(api, fts, args, &r);
    if (rc == SQLITE_OK)
        rc = add_instances(api, fts, n_args, args, r);
    if (rc == SQLITE_OK)
        rc = api->xColumnSize(fts, -1, &size);
    if (rc != SQLITE_OK) {
        sqlite3_result_error_code(ctx, rc);
        return;
    }
    for (int i = 0; i < r->n; i++)
        score += r->idf[i] * ((r->freq[i] * (K1 + 1.0)) /
                              (r->freq[i] + K1 * (1 - B + B * (double)size / r->among.mean_size)));
    sqlite3_result_double(ctx, -score);
}

/* The function belongs to a connection: registered once, where it is first needed. */
static enum wi_status need_rank(struct wi_store *store, struct wi_err *err)
{
    fts5_api *api = NULL;
    sqlite3_stmt *stmt = NULL;
    int rc;

    if (store->ranks)
        return WI_OK;
    rc = sqlite3_prepare_v2(store->db, "SELECT fts5(?)", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_pointer(stmt, 1, &api, "fts5_api_ptr", NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt) == SQLITE_ROW && api ? SQLITE_OK : SQLITE_ERROR;
    sqlite3_finalize(stmt);
    if (rc == SQLITE_OK)
        rc = api->xCreateFunction(api, "wi_bm25", NULL, rank_row, NULL);
    if (rc != SQLITE_OK)
        return wi_sql_fail(store, rc, err);
    store->ranks = true;
    return WI_OK;
}

/* Words of a text by column, as FTS5 keeps them: big-endian groups of seven bits, the eighth set
 * in all but the last of a number. */
static int64_t words_of(const unsigned char *p, int n)
{
    int64_t sum = 0, word = 0;

    for (int i = 0; i < n; i++) {
        word = (word << 7 | (p[i] & 0x7f)) & 0xffffffff;
        if (p[i] & 0x80)
            continue;
        sum += word;
        word = 0;
    }
    return sum;
}

static enum wi_status count_among(struct wi_store *store, struct among *a, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t last = 0, n_words = 0;
    bool row = true;
    enum wi_status st =
        wi_sql_int(store, 0, &last, err, "SELECT 2 * max(n) + 1 FROM principles", "");

    if (st == WI_OK)
        st = wi_sql_query(store, &stmt, err,
                          "SELECT sz FROM item_texts_docsize WHERE id <= ? AND id & ?", "ii", last,
                          (int64_t)(a->principles_only ? 1 : -1));
    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        n_words += words_of(sqlite3_column_blob(stmt, 0), sqlite3_column_bytes(stmt, 0));
        a->n_rows++;
    }
    wi_sql_done(store, stmt);
    a->last = last;
    a->mean_size = n_words > 0 ? (double)n_words / (double)a->n_rows : 1.0;
    return st;
}

enum wi_status wi_store_bm25(struct wi_store *store, const char *match, unsigned kinds,
                             size_t limit, int64_t *items, size_t *n, struct wi_err *err)
{
    struct among a = {.principles_only = kinds == 2};
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st = need_rank(store, err);

    *n = 0;
    if (st == WI_OK)
        st = count_among(store, &a, err);
    if (st == WI_OK)
        st = wi_sql_query(
            store, &stmt, err,
            "SELECT rowid FROM item_texts WHERE item_texts MATCH ?1 AND rowid <= ?2 AND "
            "(?3 >> (rowid & 1)) & 1 "
            "ORDER BY wi_bm25(item_texts, ?4, ?5, ?6, ?7, 0.3, 0.3, 0.1, 1.0), rowid LIMIT ?8",
            "tiiiiidi", match, a.principles_only ? (int64_t)a.last : INT64_MAX, (int64_t)kinds,
            (int64_t)a.last, (int64_t)a.n_rows, (int64_t)a.principles_only, a.mean_size,
            (int64_t)limit);
    while (st == WI_OK && *n < limit) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        items[(*n)++] = sqlite3_column_int64(stmt, 0);
    }
    wi_sql_done(store, stmt);
    return st;
}

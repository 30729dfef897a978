/* Running SQL: binding, stepping, transactions, and the translation of SQLite's errors. */
#include "knowledge/store_internal.h"

#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One row per kind of failure; the message names the file. */
static const struct {
    int rc;
    enum wi_status st;
    const char *text;
} failures[] = {
    {SQLITE_BUSY, WI_EBUSY, "is in use by another process; try again when it has finished"},
    {SQLITE_LOCKED, WI_EBUSY, "is in use by another process; try again when it has finished"},
    {SQLITE_FULL, WI_EIO, "cannot be written: the disk is full; nothing was stored"},
    {SQLITE_READONLY, WI_EIO, "cannot be written: it is read-only"},
    {SQLITE_CANTOPEN, WI_EIO, "cannot be opened"},
    {SQLITE_PERM, WI_EIO, "cannot be opened: permission denied"},
    {SQLITE_AUTH, WI_EIO, "cannot be opened: permission denied"},
    {SQLITE_IOERR, WI_EIO, "cannot be read or written"},
    {SQLITE_NOTADB, WI_EDATA, "is no ssd-whatif store: it is not an SQLite database"},
    {SQLITE_CORRUPT, WI_EDATA, "is damaged; remove it, or restore it from a copy"},
    {SQLITE_TOOBIG, WI_EDATA, "cannot hold a value of this size"},
};

enum wi_status wi_sql_fail(const struct wi_store *store, int rc, struct wi_err *err)
{
    const char *path = store->path && store->path[0] ? store->path : "in memory";

    if ((rc & 0xff) == SQLITE_NOMEM)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if ((rc & 0xff) == failures[i].rc) {
            bool io = rc != SQLITE_BUSY && failures[i].st == WI_EIO && (rc & 0xff) != SQLITE_FULL;
            int sys = io && store->db ? sqlite3_system_errno(store->db) : 0;

            return wi_fail(err, failures[i].st, "database '%s' %s%s%s", path, failures[i].text,
                           sys ? ": " : "", sys ? strerror(sys) : "");
        }
    }
    return wi_fail(err, WI_EDATA, "database '%s': %s", path,
                   store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
}

static int bind_all(sqlite3_stmt *stmt, const char *kinds, va_list ap)
{
    int rc = SQLITE_OK;

    for (int i = 1; *kinds && rc == SQLITE_OK; kinds++, i++) {
        if (*kinds == 't') {
            const char *text = va_arg(ap, const char *);
            rc = text ? sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC)
                      : sqlite3_bind_null(stmt, i);
        } else if (*kinds == 'i') {
            rc = sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
        } else if (*kinds == 'd') {
            double v = va_arg(ap, double);
            rc = isnan(v) ? sqlite3_bind_null(stmt, i) : sqlite3_bind_double(stmt, i, v);
        } else {
            const void *bytes = va_arg(ap, const void *);
            size_t n = va_arg(ap, size_t);
            rc = sqlite3_bind_blob64(stmt, i, n ? bytes : "", n, SQLITE_STATIC);
        }
    }
    return rc;
}

/* A statement of this text that nobody uses at the moment; else a new one. */
static int take_statement(struct wi_store *store, const char *sql, sqlite3_stmt **stmt)
{
    for (size_t i = 0; i < store->n_statements; i++) {
        if (!store->statements[i].in_use && strcmp(store->statements[i].sql, sql) == 0) {
            store->statements[i].in_use = true;
            *stmt = store->statements[i].stmt;
            return SQLITE_OK;
        }
    }
    int rc = sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    /* PRAGMA statements may read while they are prepared; they are run once anyway. */
    bool keep = strncmp(sql, "SELECT", 6) == 0 || strncmp(sql, "INSERT", 6) == 0;
    char *copy = rc == SQLITE_OK && keep && store->n_statements < WI_STORE_STATEMENTS_MAX
                     ? strdup(sql)
                     : NULL;
    if (copy) {
        store->statements[store->n_statements].sql = copy;
        store->statements[store->n_statements].stmt = *stmt;
        store->statements[store->n_statements++].in_use = true;
    }
    return rc;
}

enum wi_status wi_sql_vquery(struct wi_store *store, struct sqlite3_stmt **stmt, struct wi_err *err,
                             const char *sql, const char *kinds, va_list ap)
{
    int rc = take_statement(store, sql, stmt);

    if (rc == SQLITE_OK)
        rc = bind_all(*stmt, kinds, ap);
    if (rc == SQLITE_OK)
        return WI_OK;
    enum wi_status st = wi_sql_fail(store, rc, err);
    wi_sql_done(store, *stmt);
    *stmt = NULL;
    return st;
}

enum wi_status wi_sql_query(struct wi_store *store, struct sqlite3_stmt **stmt, struct wi_err *err,
                            const char *sql, const char *kinds, ...)
{
    va_list ap;

    va_start(ap, kinds);
    enum wi_status st = wi_sql_vquery(store, stmt, err, sql, kinds, ap);
    va_end(ap);
    return st;
}

enum wi_status wi_sql_rebind(struct wi_store *store, struct sqlite3_stmt *stmt, struct wi_err *err,
                             const char *kinds, ...)
{
    va_list ap;

    sqlite3_reset(stmt);
    va_start(ap, kinds);
    int rc = bind_all(stmt, kinds, ap);
    va_end(ap);
    return rc == SQLITE_OK ? WI_OK : wi_sql_fail(store, rc, err);
}

enum wi_status wi_sql_step(struct wi_store *store, struct sqlite3_stmt *stmt, bool *row,
                           struct wi_err *err)
{
    int rc = sqlite3_step(stmt);

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return WI_OK;
    return wi_sql_fail(store, sqlite3_extended_errcode(store->db), err);
}

void wi_sql_done(struct wi_store *store, struct sqlite3_stmt *stmt)
{
    for (size_t i = 0; stmt && i < store->n_statements; i++) {
        if (store->statements[i].stmt == stmt) {
            sqlite3_reset(stmt);
            sqlite3_clear_bindings(stmt); /* they borrow texts of the caller */
            store->statements[i].in_use = false;
            return;
        }
    }
    sqlite3_finalize(stmt);
}

void wi_sql_forget_all(struct wi_store *store)
{
    for (size_t i = 0; i < store->n_statements; i++) {
        sqlite3_finalize(store->statements[i].stmt);
        free(store->statements[i].sql);
    }
    store->n_statements = 0;
}

enum wi_status wi_sql_run(struct wi_store *store, struct wi_err *err, const char *sql,
                          const char *kinds, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list ap;
    bool row;

    if (!*kinds) { /* a script: every statement in turn */
        int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
        return rc == SQLITE_OK ? WI_OK
                               : wi_sql_fail(store, sqlite3_extended_errcode(store->db), err);
    }
    va_start(ap, kinds);
    enum wi_status st = wi_sql_vquery(store, &stmt, err, sql, kinds, ap);
    va_end(ap);
    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_sql_int(struct wi_store *store, int64_t fallback, int64_t *out,
                          struct wi_err *err, const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list ap;
    bool row = false;

    va_start(ap, kinds);
    enum wi_status st = wi_sql_vquery(store, &stmt, err, sql, kinds, ap);
    va_end(ap);
    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK)
        *out = row ? sqlite3_column_int64(stmt, 0) : fallback;
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_sql_text(struct wi_store *store, char *out, size_t size, struct wi_err *err,
                           const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list ap;
    bool row = false;

    out[0] = '\0';
    va_start(ap, kinds);
    enum wi_status st = wi_sql_vquery(store, &stmt, err, sql, kinds, ap);
    va_end(ap);
    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && row)
        wi_sql_copy_text(stmt, 0, out, size);
    wi_sql_done(store, stmt);
    return st;
}

void wi_sql_copy_text(struct sqlite3_stmt *stmt, int col, char *out, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(stmt, col);
    size_t n = text ? strlen(text) : 0;

    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    if (n)
        memcpy(out, text, n);
    out[n] = '\0';
}

char *wi_sql_dup_text(struct sqlite3_stmt *stmt, int col)
{
    const char *text = (const char *)sqlite3_column_text(stmt, col);

    return strdup(text ? text : "");
}

double wi_sql_num(struct sqlite3_stmt *stmt, int col)
{
    return sqlite3_column_type(stmt, col) == SQLITE_NULL ? (double)NAN
                                                         : sqlite3_column_double(stmt, col);
}

enum wi_status wi_sql_begin(struct wi_store *store, struct wi_err *err)
{
    if (store->depth == 0) {
        wi_store_let_go(store);
        enum wi_status st =
            wi_sql_run(store, err, "PRAGMA cache_size = -16000; BEGIN IMMEDIATE", "");
        if (st != WI_OK)
            return st;
    }
    store->depth++;
    return WI_OK;
}

enum wi_status wi_sql_end(struct wi_store *store, enum wi_status st, struct wi_err *err)
{
    store->depth--;
    if (store->depth > 0)
        return st;
    if (st == WI_OK)
        st = wi_sql_run(store, err, "COMMIT", "");
    /* A failed commit, or a full disk in the middle, may have rolled back already. */
    if (st != WI_OK && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

void *wi_list_push(void *list, size_t *n, size_t *cap, size_t size)
{
    char *items;

    memcpy(&items, list, sizeof(items)); /* `list` is the address of a pointer of any type */
    if (*n == *cap) {
        size_t more = *cap ? *cap * 2 : 64;
        char *p = more > (1u << 30) ? NULL : realloc(items, more * size);

        if (!p)
            return NULL;
        items = p;
        memcpy(list, &items, sizeof(items));
        *cap = more;
    }
    char *item = items + *n * size;
    memset(item, 0, size);
    ++*n;
    return item;
}

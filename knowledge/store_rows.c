#include "knowledge/store_rows.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64
#define SQL_MAX 4096
#define BUSY_MS 2000

struct wi_rows {
    sqlite3 *db;
    char *path;
    const char *table;
    struct wi_rows_column columns[COLUMNS_MAX];
    size_t n_columns;
    sqlite3_stmt *insert;
};

static enum wi_status fail(const struct wi_rows *r, int rc, struct wi_err *err)
{
    enum wi_status st = WI_EIO;

    if ((rc & 0xff) == SQLITE_NOMEM)
        return wi_fail_nomem(err);
    if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
        st = WI_EBUSY;
    if ((rc & 0xff) == SQLITE_NOTADB || (rc & 0xff) == SQLITE_CORRUPT)
        st = WI_EDATA;
    return wi_fail(err, st, "cannot write '%s': %s", r->path,
                   (rc & 0xff) == SQLITE_BUSY ? "it is being written by another process"
                                              : sqlite3_errmsg(r->db));
}

static enum wi_status run(struct wi_rows *r, const char *sql, struct wi_err *err)
{
    int rc = sqlite3_exec(r->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? WI_OK : fail(r, rc, err);
}

enum wi_status wi_rows_open(const char *path, const char *table,
                            const struct wi_rows_column *columns, size_t n_columns,
                            struct wi_rows **out, struct wi_err *err)
{
    struct wi_rows *r;
    int rc;

    if (n_columns > COLUMNS_MAX)
        return wi_fail(err, WI_ERANGE, "%zu columns, at most %d", n_columns, COLUMNS_MAX);
    r = calloc(1, sizeof(*r));
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return wi_fail_nomem(err);
    }
    r->table = table;
    memcpy(r->columns, columns, n_columns * sizeof(*columns));
    r->n_columns = n_columns;
    rc = sqlite3_open_v2(path, &r->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(r->db, BUSY_MS);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(r->db, "pragma locking_mode = exclusive; pragma synchronous = normal",
                          NULL, NULL, NULL);
    if (rc != SQLITE_OK) {
        enum wi_status st = fail(r, rc, err);

        wi_rows_close(r);
        return st;
    }
    *out = r;
    return WI_OK;
}

void wi_rows_close(struct wi_rows *r)
{
    if (!r)
        return;
    sqlite3_finalize(r->insert);
    sqlite3_close(r->db);
    free(r->path);
    free(r);
}

enum wi_status wi_rows_exists(struct wi_rows *r, bool *exists, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(r->db, "select 1 from sqlite_schema where name = ?1", -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, r->table, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *exists = rc == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? WI_OK : fail(r, rc, err);
}

enum wi_status wi_rows_create(struct wi_rows *r, struct wi_err *err)
{
    static const char *const types[] = {"integer", "real", "text"};
    char sql[SQL_MAX];
    int n = snprintf(sql, sizeof(sql),
                     "drop table if exists %s; drop table if exists %s_meta; "
                     "create table %s_meta (key text primary key, value text not null) "
                     "without rowid; create table %s (",
                     r->table, r->table, r->table, r->table);

    for (size_t i = 0; i < r->n_columns; i++)
        n += snprintf(sql + n, sizeof(sql) - (size_t)n, "%s%s %s", i ? ", " : "",
                      r->columns[i].name, types[r->columns[i].type]);
    snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
    sqlite3_finalize(r->insert);
    r->insert = NULL;
    return run(r, sql, err);
}

enum wi_status wi_rows_begin(struct wi_rows *r, struct wi_err *err)
{
    return run(r, "begin immediate", err);
}

enum wi_status wi_rows_commit(struct wi_rows *r, struct wi_err *err)
{
    return run(r, "commit", err);
}

static enum wi_status prepare(struct wi_rows *r, struct wi_err *err)
{
    char sql[SQL_MAX];
    int n = snprintf(sql, sizeof(sql), "insert into %s values (", r->table);
    int rc;

    for (size_t i = 0; i < r->n_columns; i++)
        n += snprintf(sql + n, sizeof(sql) - (size_t)n, i ? ",?" : "?");
    snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
    rc = sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &r->insert, NULL);
    return rc == SQLITE_OK ? WI_OK : fail(r, rc, err);
}

static int bind(struct wi_rows *r, size_t i, const union wi_rows_cell *cell)
{
    int at = (int)i + 1;

    switch (r->columns[i].type) {
    case WI_ROWS_COUNT:
        return sqlite3_bind_int64(r->insert, at, cell->count);
    case WI_ROWS_NUMBER:
        return isnan(cell->number) ? sqlite3_bind_null(r->insert, at)
                                   : sqlite3_bind_double(r->insert, at, cell->number);
    case WI_ROWS_TEXT:
        break;
    }
    return cell->text ? sqlite3_bind_text(r->insert, at, cell->text, -1, SQLITE_STATIC)
                      : sqlite3_bind_null(r->insert, at);
}

enum wi_status wi_rows_add(struct wi_rows *r, const union wi_rows_cell *cells, struct wi_err *err)
{
    enum wi_status st = r->insert ? WI_OK : prepare(r, err);
    int rc = SQLITE_OK;

    if (st != WI_OK)
        return st;
    for (size_t i = 0; i < r->n_columns && rc == SQLITE_OK; i++)
        rc = bind(r, i, &cells[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(r->insert);
    if (rc != SQLITE_DONE)
        st = fail(r, rc, err);
    sqlite3_reset(r->insert);
    return st;
}

enum wi_status wi_rows_get_meta(struct wi_rows *r, const char *key, char *value, size_t size,
                                struct wi_err *err)
{
    char sql[SQL_MAX];
    sqlite3_stmt *stmt = NULL;
    enum wi_status st = WI_OK;
    int rc;

    snprintf(sql, sizeof(sql), "select value from %s_meta where key = ?1", r->table);
    rc = sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        snprintf(value, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    else if (rc == SQLITE_DONE)
        st = wi_fail(err, WI_ENOTFOUND, "'%s' has no '%s'", r->path, key);
    else
        st = fail(r, rc, err);
    sqlite3_finalize(stmt);
    return st;
}

enum wi_status wi_rows_set_meta(struct wi_rows *r, const char *key, const char *value,
                                struct wi_err *err)
{
    char sql[SQL_MAX];
    sqlite3_stmt *stmt = NULL;
    int rc;

    snprintf(sql, sizeof(sql), "insert or replace into %s_meta values (?1, ?2)", r->table);
    rc = sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? WI_OK : fail(r, rc, err);
}

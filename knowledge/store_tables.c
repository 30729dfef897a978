/* Reading and writing whole rows of the small tables: sources, devices, contradictions. */
#include "knowledge/store_columns.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum wi_status collect(struct wi_store *store, const struct wi_table *t, sqlite3_stmt *stmt,
                              void *rows, size_t *n, struct wi_err *err)
{
    char *list = NULL;
    size_t count = 0, cap = 0;
    bool row = true;
    enum wi_status st = WI_OK;

    while (st == WI_OK && row) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        void *item = wi_list_push(&list, &count, &cap, t->row_size);
        if (!item)
            st = wi_fail_nomem(err);
        else
            wi_table_load(t, stmt, 0, item);
    }
    if (st != WI_OK) {
        free(list);
        return st;
    }
    memcpy(rows, &list, sizeof(list));
    *n = count;
    return WI_OK;
}

enum wi_status wi_table_select(struct wi_store *store, const struct wi_table *t, void *rows,
                               size_t *n, struct wi_err *err, const char *tail, const char *kinds,
                               ...)
{
    sqlite3_stmt *stmt = NULL;
    char *names = wi_table_names(t, false), *sql = NULL;
    va_list ap;
    enum wi_status st = WI_OK;

    if (!names || asprintf(&sql, "SELECT %s FROM %s %s", names, t->name, tail) < 0) {
        free(names);
        return wi_fail_nomem(err);
    }
    va_start(ap, kinds);
    st = wi_sql_vquery(store, &stmt, err, sql, kinds, ap);
    va_end(ap);
    if (st == WI_OK)
        st = collect(store, t, stmt, rows, n, err);
    wi_sql_done(store, stmt);
    free(names);
    free(sql);
    return st;
}

/* An upsert and not a replace, which would delete the old row and trip over references to it. */
static char *upsert_sql(const struct wi_table *t)
{
    char *names = wi_table_names(t, false), *marks = wi_table_names(t, true), *sql = NULL, *sets;
    size_t size = 1, n = 0;

    for (size_t i = 1; i < t->n_columns; i++)
        size += 2 * strlen(t->columns[i].name) + 16;
    sets = malloc(size);
    for (size_t i = 1; sets && i < t->n_columns; i++)
        n += (size_t)snprintf(sets + n, size - n, "%s%s = excluded.%s", i > 1 ? ", " : "",
                              t->columns[i].name, t->columns[i].name);
    if (!names || !marks || !sets ||
        asprintf(&sql, "INSERT INTO %s(%s) VALUES(%s) ON CONFLICT DO UPDATE SET %s", t->name, names,
                 marks, sets) < 0)
        sql = NULL;
    free(names);
    free(marks);
    free(sets);
    return sql;
}

enum wi_status wi_table_put(struct wi_store *store, const struct wi_table *t, const void *rows,
                            size_t n, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = upsert_sql(t);
    bool row;
    enum wi_status st = sql ? wi_sql_query(store, &stmt, err, sql, "") : wi_fail_nomem(err);

    for (size_t i = 0; st == WI_OK && i < n; i++) {
        st = wi_table_bind(store, t, stmt, 1, (const char *)rows + i * t->row_size, err);
        if (st == WI_OK)
            st = wi_sql_step(store, stmt, &row, err);
        sqlite3_reset(stmt);
    }
    wi_sql_done(store, stmt);
    free(sql);
    return st;
}

enum wi_status wi_store_load_sources(struct wi_store *store, struct wi_source **list, size_t *n,
                                     struct wi_err *err)
{
    return wi_table_select(store, &wi_table_sources, list, n, err, "ORDER BY id", "");
}

enum wi_status wi_store_load_devices(struct wi_store *store, struct wi_device **list, size_t *n,
                                     struct wi_err *err)
{
    return wi_table_select(store, &wi_table_devices, list, n, err,
                           "ORDER BY CASE nand WHEN 'slc' THEN 1 WHEN 'mlc' THEN 2 "
                           "WHEN 'tlc' THEN 3 ELSE 4 END",
                           "");
}

enum wi_status wi_store_load_contradictions(struct wi_store *store, struct wi_contradiction **list,
                                            size_t *n, struct wi_err *err)
{
    return wi_table_select(store, &wi_table_contradictions, list, n, err, "ORDER BY id", "");
}

enum wi_status wi_store_need_source(struct wi_store *store, const char *id, struct wi_err *err)
{
    return wi_sql_run(store, err,
                      "INSERT INTO sources VALUES(?, 'named by the user', '', '', 0) "
                      "ON CONFLICT DO NOTHING",
                      "t", id);
}

enum wi_status wi_store_drop_unused_sources(struct wi_store *store, struct wi_err *err)
{
    return wi_sql_run(store, err,
                      "DELETE FROM sources WHERE embedded = 0 AND id NOT IN (SELECT source FROM "
                      "experiments) AND id NOT IN (SELECT source FROM principle_sources)",
                      "");
}

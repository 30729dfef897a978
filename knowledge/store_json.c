#include "knowledge/store_json.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>

enum wi_status wi_store_json_text(const char *json, size_t len, const char *path, char *buf,
                                  size_t size, bool *found, struct wi_err *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    enum wi_status st = WI_OK;

    *found = false;
    if (len > INT_MAX)
        return WI_OK;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT ?1 -> ?2", -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_bind_text(stmt, 1, json, (int)len, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_text(stmt, 2, path, -1, SQLITE_STATIC) != SQLITE_OK) {
        st = wi_fail_nomem(err);
    } else {
        int rc = sqlite3_step(stmt); /* an error other than memory: the text is not JSON */
        const unsigned char *text = rc == SQLITE_ROW ? sqlite3_column_text(stmt, 0) : NULL;

        if (rc == SQLITE_NOMEM ||
            (rc == SQLITE_ROW && !text && sqlite3_errcode(db) == SQLITE_NOMEM))
            st = wi_fail_nomem(err);
        *found = text != NULL;
        if (text)
            snprintf(buf, size, "%s", (const char *)text);
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return st;
}

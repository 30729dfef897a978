/*
 * A table of results in an SQLite file of the user's: created, filled in transactions, continued.
 * It has nothing to do with the knowledge base.
 *
 * Beside the table T stands T_meta (key, value), written in the same transactions.
 */
#ifndef WI_KNOWLEDGE_STORE_ROWS_H
#define WI_KNOWLEDGE_STORE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct wi_rows;

enum wi_rows_type { WI_ROWS_COUNT, WI_ROWS_NUMBER, WI_ROWS_TEXT };

struct wi_rows_column {
    const char *name; /* letters, digits, '_' */
    enum wi_rows_type type;
};

/* One cell; which member counts is the column's type. A NaN is written as NULL. */
union wi_rows_cell {
    int64_t count;
    double number;
    const char *text; /* borrowed during the call; NULL = NULL */
};

/*
 * Open the file, or create it; the table is created by wi_rows_begin.
 * returns WI_OK; WI_EIO; WI_EDATA if it is no SQLite file
 */
enum wi_status wi_rows_open(const char *path, const char *table,
                            const struct wi_rows_column *columns, size_t n_columns,
                            struct wi_rows **rows, struct wi_err *err);
void wi_rows_close(struct wi_rows *rows); /* an open transaction is rolled back */

/* Whether the table exists. */
enum wi_status wi_rows_exists(struct wi_rows *rows, bool *exists, struct wi_err *err);

/* Make the table anew, without rows. Needs a transaction, as all below do. */
enum wi_status wi_rows_create(struct wi_rows *rows, struct wi_err *err);

/*
 * Transactions. returns WI_EBUSY if another process writes the file
 */
enum wi_status wi_rows_begin(struct wi_rows *rows, struct wi_err *err);
enum wi_status wi_rows_commit(struct wi_rows *rows, struct wi_err *err);

enum wi_status wi_rows_add(struct wi_rows *rows, const union wi_rows_cell *cells,
                           struct wi_err *err);

/* WI_ENOTFOUND if there is no such key. get also works outside a transaction. */
enum wi_status wi_rows_get_meta(struct wi_rows *rows, const char *key, char *value, size_t size,
                                struct wi_err *err);
enum wi_status wi_rows_set_meta(struct wi_rows *rows, const char *key, const char *value,
                                struct wi_err *err);

#endif

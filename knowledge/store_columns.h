/*
 * The columns of experiments, observations and the small tables: one row per column serves the
 * CSV files of data/, the SQL and the comparison of two rows.
 */
#ifndef WI_KNOWLEDGE_STORE_COLUMNS_H
#define WI_KNOWLEDGE_STORE_COLUMNS_H

#include "knowledge/store_internal.h"

enum wi_column_kind {
    WI_COL_TEXT, /* char[size] */
    WI_COL_REF,  /* char[size]; "" is stored as NULL */
    WI_COL_NUM,  /* double; NaN is stored as NULL */
    WI_COL_BOOL,
    WI_COL_NAND,
    WI_COL_PHASE,
    WI_COL_AXIS,
    WI_COL_OP,
    WI_COL_METRIC,
    WI_COL_STAT,
    WI_COL_OBS_KIND,
    WI_COL_CONFIDENCE
};

struct wi_column {
    const char *name; /* in SQL and in CSV */
    enum wi_column_kind kind;
    size_t offset;    /* of the member in its struct */
    size_t size;      /* bytes of a text */
    bool stored_only; /* not in the CSV file */
};

struct wi_table {
    const char *name;
    const struct wi_column *columns;
    size_t n_columns;
    size_t row_size;
};

extern const struct wi_table wi_table_experiments;
extern const struct wi_table wi_table_observations; /* without exp */
extern const struct wi_table wi_table_sources;      /* without embedded */
extern const struct wi_table wi_table_devices;
extern const struct wi_table wi_table_contradictions;

/* "a, b, c" of a table; with marks, "?, ?, ?". Heap; NULL = out of memory. */
char *wi_table_names(const struct wi_table *t, bool marks);

/* All columns of a row to the parameters from `first` on, or from the columns from `first` on. */
enum wi_status wi_table_bind(struct wi_store *store, const struct wi_table *t,
                             struct sqlite3_stmt *stmt, int first, const void *row,
                             struct wi_err *err);
void wi_table_load(const struct wi_table *t, struct sqlite3_stmt *stmt, int first, void *row);

/*
 * One field as text and back, for whoever reads or writes tables of these rows.
 * format: numbers in the fewest digits that read back the same; NaN is "". Like snprintf.
 * parse:  false, the row unchanged, for a text that the column cannot hold; "" is NaN or the first
 *         value of an enumeration
 */
int wi_column_format(const struct wi_column *c, const void *row, char *buf, size_t size);
bool wi_column_parse(const struct wi_column *c, const char *text, void *row);

/* "tail_latency, bandwidth": what an enumeration may be; false for another column. */
bool wi_column_words(const struct wi_column *c, char *buf, size_t size);

bool wi_table_equal(const struct wi_table *t, const void *a, const void *b);

/* Read a whole CSV file of data/ whose header names the columns. out: rows heap array. */
enum wi_status wi_table_read_csv(const struct wi_table *t, const char *path, void *rows, size_t *n,
                                 struct wi_err *err);

/*
 * `WHERE` and more of a select over one table into a heap array.
 * in: tail  "WHERE id = ? ORDER BY id", parameters as in wi_sql_query
 */
enum wi_status wi_table_select(struct wi_store *store, const struct wi_table *t, void *rows,
                               size_t *n, struct wi_err *err, const char *tail, const char *kinds,
                               ...);

/* INSERT OR REPLACE of whole rows. */
enum wi_status wi_table_put(struct wi_store *store, const struct wi_table *t, const void *rows,
                            size_t n, struct wi_err *err);

#endif

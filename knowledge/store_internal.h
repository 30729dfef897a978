/*
 * Inside of the store, shared by knowledge/store*.c and the retrieval on top of it. Nothing here is
 * API of the library.
 */
#ifndef WI_KNOWLEDGE_STORE_INTERNAL_H
#define WI_KNOWLEDGE_STORE_INTERNAL_H

#include <stdarg.h>
#include <stdint.h>

#include "knowledge/store.h"
#include "knowledge/terms.h"

struct sqlite3;
struct sqlite3_stmt;

#define WI_STORE_STATEMENTS_MAX 40

struct wi_store {
    struct sqlite3 *db;
    char *path;                /* "" in memory */
    bool read_only;            /* by wish, or because the file cannot be written */
    bool created;              /* by this very opening */
    bool ranks;                /* the ranking function of store_rank.c is registered */
    int depth;                 /* of nested wi_sql_begin */
    struct sqlite3_stmt *held; /* half read: what keeps the lock of wi_store_hold */
    struct wi_reply_log log;
    struct wi_terms *terms; /* made at first use */
    /* Prepared statements: half the cost of a small query is its parsing. */
    struct {
        char *sql;
        struct sqlite3_stmt *stmt;
        bool in_use;
    } statements[WI_STORE_STATEMENTS_MAX];
    size_t n_statements;
};

/* "WIFS": marks a file as ours in its SQLite header. */
#define WI_STORE_APPLICATION_ID 0x57494653

/* Record an SQLite failure: status by its code, message with the file's name. Returns the status.
 */
enum wi_status wi_sql_fail(const struct wi_store *store, int rc, struct wi_err *err);

/*
 * Prepare a statement and bind its parameters.
 *
 * in:   kinds   one letter per parameter: t const char * (NULL = SQL NULL), i int64_t,
 *               d double (NaN = SQL NULL), b const void * and size_t
 *       ...     the values; texts and blobs are borrowed until the statement is finalised
 * out:  stmt    finalise with wi_sql_done
 */
enum wi_status wi_sql_query(struct wi_store *store, struct sqlite3_stmt **stmt, struct wi_err *err,
                            const char *sql, const char *kinds, ...);

enum wi_status wi_sql_vquery(struct wi_store *store, struct sqlite3_stmt **stmt, struct wi_err *err,
                             const char *sql, const char *kinds, va_list ap);

/* Bind again a statement that was prepared: resets it first. */
enum wi_status wi_sql_rebind(struct wi_store *store, struct sqlite3_stmt *stmt, struct wi_err *err,
                             const char *kinds, ...);

/* Next row. out: row false after the last one. */
enum wi_status wi_sql_step(struct wi_store *store, struct sqlite3_stmt *stmt, bool *row,
                           struct wi_err *err);

/* The statement is not needed any more; it may be kept for the next time. Accepts NULL. */
void wi_sql_done(struct wi_store *store, struct sqlite3_stmt *stmt);
void wi_sql_forget_all(struct wi_store *store); /* before closing */

/* One statement without result, or a script without parameters (kinds ""). */
enum wi_status wi_sql_run(struct wi_store *store, struct wi_err *err, const char *sql,
                          const char *kinds, ...);

/* First column of the first row as integer; `fallback` when there is no row. */
enum wi_status wi_sql_int(struct wi_store *store, int64_t fallback, int64_t *out,
                          struct wi_err *err, const char *sql, const char *kinds, ...);

/* The same as text, cut at a whole character; "" when there is no row. */
enum wi_status wi_sql_text(struct wi_store *store, char *out, size_t size, struct wi_err *err,
                           const char *sql, const char *kinds, ...);

/* Columns: text copied into a fixed field (cut at a whole character), or onto the heap. */
void wi_sql_copy_text(struct sqlite3_stmt *stmt, int col, char *out, size_t size);
char *wi_sql_dup_text(struct sqlite3_stmt *stmt, int col); /* NULL = out of memory; "" for NULL */
double wi_sql_num(struct sqlite3_stmt *stmt, int col);     /* NaN for NULL */

/*
 * Transactions. begin takes the write lock (waiting for the busy timeout); nested calls count.
 * end commits when st is WI_OK, else rolls back, and returns st or the failure of the commit.
 */
enum wi_status wi_sql_begin(struct wi_store *store, struct wi_err *err);
enum wi_status wi_sql_end(struct wi_store *store, enum wi_status st, struct wi_err *err);

/* store_schema.c: bring an empty or older database to the newest schema, inside a transaction. */
enum wi_status wi_store_migrate(struct wi_store *store, int from, struct wi_err *err);
int wi_store_schema_version(void);

/* store_seed.c: write the embedded data; with merge, only what differs, never the user's rows. */
enum wi_status wi_store_seed(struct wi_store *store, bool merge, struct wi_err *err);

/* store_seed_csv.c: the embedded files as structures. */
struct wi_seed {
    struct wi_dataset ds;
    struct wi_principle *principles;
    size_t n_principles;
    struct wi_source *sources;
    size_t n_sources;
    struct wi_device *devices;
    size_t n_devices;
    struct wi_contradiction *contradictions;
    size_t n_contradictions;
};
enum wi_status wi_seed_read(struct wi_seed *seed, struct wi_err *err);
void wi_seed_release(struct wi_seed *seed);

/* Meta facts: one text per key. out: value "" when absent. */
enum wi_status wi_store_get_meta(struct wi_store *store, const char *key, char *out, size_t size,
                                 struct wi_err *err);
enum wi_status wi_store_set_meta(struct wi_store *store, const char *key, const char *value,
                                 struct wi_err *err);

/* Rows without questions asked: the caller holds a transaction and has checked the content. */
enum wi_status wi_store_insert_experiment(struct wi_store *store, const struct wi_experiment *exp,
                                          const struct wi_observation *obs, size_t n_obs,
                                          struct wi_err *err);
enum wi_status wi_store_delete_experiment(struct wi_store *store, const char *id,
                                          struct wi_err *err);
enum wi_status wi_store_insert_principle(struct wi_store *store, const struct wi_principle *p,
                                         struct wi_err *err);
enum wi_status wi_store_delete_principle(struct wi_store *store, const char *id,
                                         struct wi_err *err);

/* Make sure that a source of this id exists; one made here belongs to the user. */
enum wi_status wi_store_need_source(struct wi_store *store, const char *id, struct wi_err *err);
/* Remove the user's sources that nothing refers to any more. */
enum wi_status wi_store_drop_unused_sources(struct wi_store *store, struct wi_err *err);

/*
 * What is stored for an id. out: equal = same content, embedded flag aside; owner_embedded.
 * returns WI_OK; WI_ENOTFOUND
 */
enum wi_status wi_store_compare_experiment(struct wi_store *store, const struct wi_experiment *exp,
                                           const struct wi_observation *obs, size_t n_obs,
                                           bool *equal, bool *owner_embedded, struct wi_err *err);

/*
 * Growing list of structs: make room for one more zeroed element.
 * returns the new element; NULL when out of memory or beyond 2^31 elements (list unchanged)
 */
void *wi_list_push(void *list, size_t *n, size_t *cap, size_t size);

/* store_index.c: the synonym table; and what texts and scenario vectors were indexed with. */
enum wi_status wi_store_terms(struct wi_store *store, const struct wi_terms **terms,
                              struct wi_err *err);
#define WI_INDEX_KEY_MAX 96
void wi_store_index_key(char *out, size_t size);

void wi_store_init_log(struct wi_store *store);

#endif

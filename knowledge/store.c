/* Opening, creating and upgrading the store; its revision, meta facts and caches. */
#include "knowledge/store_internal.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/embedded.h"

#define BUSY_MS 10000
#define READ_CACHE_PAGES "100"

/* What the header and the meta table say, read before anything else is believed. */
struct header {
    int64_t application_id, user_version, n_tables;
};

static enum wi_status read_header(struct wi_store *store, struct header *h, struct wi_err *err)
{
    enum wi_status st = wi_sql_int(store, 0, &h->application_id, err, "PRAGMA application_id", "");

    if (st == WI_OK)
        st = wi_sql_int(store, 0, &h->user_version, err, "PRAGMA user_version", "");
    if (st == WI_OK && h->application_id == 0)
        st = wi_sql_int(store, 0, &h->n_tables, err, "SELECT count(*) FROM sqlite_schema", "");
    return st;
}

static bool is_blank(const struct header *h)
{
    return h->application_id == 0 && h->user_version == 0 && h->n_tables == 0;
}

static enum wi_status check_header(const struct wi_store *store, const struct header *h,
                                   struct wi_err *err)
{
    if (h->application_id != WI_STORE_APPLICATION_ID)
        return wi_fail(err, WI_EDATA,
                       "database '%s' is no ssd-whatif store: it belongs to "
                       "another program (application id %lld)",
                       store->path, (long long)h->application_id);
    if (h->user_version > wi_store_schema_version())
        return wi_fail(err, WI_EDATA,
                       "database '%s' was written by a newer ssd-whatif: its schema is version "
                       "%lld, this program knows up to %d",
                       store->path, (long long)h->user_version, wi_store_schema_version());
    if (h->user_version < 1)
        return wi_fail(err, WI_EDATA, "database '%s' is damaged: schema version %lld", store->path,
                       (long long)h->user_version);
    return WI_OK;
}

/* The mark of a file that this installation made or has checked: its inode number. A copy, a
 * download or a restored backup has another one. */
static void file_mark(const struct wi_store *store, char *out, size_t size)
{
    struct stat sb;

    if (wi_store_is_memory(store) || stat(store->path, &sb) != 0)
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%llu", (unsigned long long)sb.st_ino);
}

enum wi_status wi_store_get_meta(struct wi_store *store, const char *key, char *out, size_t size,
                                 struct wi_err *err)
{
    return wi_sql_text(store, out, size, err, "SELECT value FROM meta WHERE key = ?", "t", key);
}

enum wi_status wi_store_set_meta(struct wi_store *store, const char *key, const char *value,
                                 struct wi_err *err)
{
    return wi_sql_run(store, err, "INSERT OR REPLACE INTO meta VALUES(?, ?)", "tt", key, value);
}

/* In one transaction: the schema, the data, the marks. Another process may have been faster. */
static enum wi_status make_store_id(struct wi_store *store, struct wi_err *err)
{
    unsigned char bytes[16];
    char hex[2 * sizeof(bytes) + 1];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return wi_fail(err, WI_EIO, "no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return wi_store_set_meta(store, "store_id", hex, err);
}

static enum wi_status create(struct wi_store *store, struct wi_err *err)
{
    struct header h = {0};
    char mark[32];
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    st = read_header(store, &h, err);
    if (st == WI_OK && is_blank(&h)) {
        file_mark(store, mark, sizeof(mark));
        st = wi_store_migrate(store, 0, err);
        if (st == WI_OK)
            st = wi_store_set_meta(store, "file_mark", mark, err);
        if (st == WI_OK)
            st = make_store_id(store, err);
        if (st == WI_OK)
            st = wi_store_seed(store, false, err);
        store->created = st == WI_OK;
    }
    return wi_sql_end(store, st, err);
}

static enum wi_status upgrade_schema(struct wi_store *store, struct wi_err *err)
{
    struct header h = {0};

    if (store->read_only)
        return wi_fail(err, WI_EIO,
                       "database '%s' was written by an older ssd-whatif and cannot be upgraded: "
                       "it is read-only",
                       store->path);
    enum wi_status st = wi_sql_begin(store, err);
    if (st != WI_OK)
        return st;
    st = read_header(store, &h, err);
    if (st == WI_OK)
        st = check_header(store, &h, err);
    if (st == WI_OK && h.user_version < wi_store_schema_version())
        st = wi_store_migrate(store, (int)h.user_version, err);
    return wi_sql_end(store, st, err);
}

/* -1, 0, 1 as with strcmp, for "1.20.3"; a missing or odd part counts as 0. */
static int compare_versions(const char *a, const char *b)
{
    for (int i = 0; i < 3; i++) {
        char *end_a, *end_b;
        long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);

        if (x != y)
            return x < y ? -1 : 1;
        a = *end_a ? end_a + 1 : end_a;
        b = *end_b ? end_b + 1 : end_b;
    }
    return 0;
}

/* Newer embedded data come in; an older program leaves the newer data of another one alone. */
static enum wi_status merge_embedded(struct wi_store *store, struct wi_err *err)
{
    char sha[80], version[32];
    enum wi_status st = wi_store_get_meta(store, "embedded_sha256", sha, sizeof(sha), err);

    if (st != WI_OK || strcmp(sha, wi_embedded_sha256) == 0 || store->read_only)
        return st;
    st = wi_store_get_meta(store, "embedded_version", version, sizeof(version), err);
    if (st != WI_OK || compare_versions(WI_VERSION, version) < 0)
        return st;
    st = wi_sql_begin(store, err);
    if (st != WI_OK)
        return st;
    st = wi_store_get_meta(store, "embedded_sha256", sha, sizeof(sha), err);
    if (st == WI_OK && strcmp(sha, wi_embedded_sha256) != 0)
        st = wi_store_seed(store, true, err);
    return wi_sql_end(store, st, err);
}

static enum wi_status quick_check(struct wi_store *store, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    char text[256] = "";
    bool row = false;
    enum wi_status st = wi_sql_query(store, &stmt, err, "PRAGMA quick_check(1)", "");

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && row)
        wi_sql_copy_text(stmt, 0, text, sizeof(text));
    wi_sql_done(store, stmt);
    if (st != WI_OK || strcmp(text, "ok") == 0)
        return st;
    return wi_fail(err, WI_EDATA, "database '%s' is damaged: %s", store->path, text);
}

/* A file that came here by another way is checked once, then adopted where it can be written. */
static enum wi_status check_foreign(struct wi_store *store, struct wi_err *err)
{
    char mark[32], known[32];
    enum wi_status st = wi_store_get_meta(store, "file_mark", known, sizeof(known), err);

    file_mark(store, mark, sizeof(mark));
    if (st != WI_OK || strcmp(mark, known) == 0)
        return st;
    st = quick_check(store, err);
    if (st == WI_OK && !store->read_only)
        st = wi_store_set_meta(store, "file_mark", mark, err);
    return st;
}

/* Write-ahead log where the file system can share memory; else the rollback journal stays. Another
 * process in the middle of something is no reason to wait: a later opening will do it. */
static void prefer_wal(struct wi_store *store)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(store->db, "PRAGMA journal_mode", -1, &stmt, NULL) != SQLITE_OK)
        return;
    bool wal = sqlite3_step(stmt) == SQLITE_ROW &&
               strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
    sqlite3_finalize(stmt);
    if (wal)
        return;
    sqlite3_busy_timeout(store->db, 0);
    sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
}

/* "file:" URI of a path with immutable=1: for a store in a folder where nothing can be created. */
static char *immutable_uri(const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = strlen(path);
    char *uri = malloc(3 * n + 32), *p = uri;

    if (!uri)
        return NULL;
    memcpy(p, "file:", 5);
    p += 5;
    for (; *path; path++) {
        if (strchr("?#%", *path)) {
            *p++ = '%';
            *p++ = hex[(unsigned char)*path >> 4];
            *p++ = hex[(unsigned char)*path & 15];
        } else {
            *p++ = *path;
        }
    }
    memcpy(p, "?immutable=1", 13);
    return uri;
}

static bool has_log(const char *path)
{
    struct stat sb;
    char *log = NULL;

    if (asprintf(&log, "%s-wal", path) < 0)
        return true;
    bool found = stat(log, &sb) == 0 && sb.st_size > 0;
    free(log);
    return found;
}

static enum wi_status open_db(struct wi_store *store, const char *name, int flags, int busy_ms,
                              struct wi_err *err)
{
    int rc = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);

    if (rc == SQLITE_OK) {
        sqlite3_extended_result_codes(store->db, 1);
        sqlite3_busy_timeout(store->db, busy_ms);
        sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
        /* Every page is read once or twice: a small cache touches less memory. */
        sqlite3_exec(store->db, "PRAGMA cache_size = " READ_CACHE_PAGES, NULL, NULL, NULL);
        /* Names in double quotes are names; a foreign schema runs no code of its own. */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)NULL);
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)NULL);
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
        return WI_OK;
    }
    enum wi_status st = wi_sql_fail(store, rc, err);
    sqlite3_close(store->db);
    store->db = NULL;
    return st;
}

static enum wi_status open_file(struct wi_store *store, int busy_ms, struct header *h,
                                struct wi_err *err)
{
    int flags =
        store->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    struct stat sb;

    if (stat(store->path, &sb) == 0 && S_ISDIR(sb.st_mode))
        return wi_fail(err, WI_EIO, "cannot open database '%s': is a directory", store->path);
    if (store->read_only && access(store->path, R_OK) != 0)
        return wi_fail(err, WI_EIO, "cannot open database '%s': %s", store->path, strerror(errno));
    enum wi_status st = open_db(store, store->path, flags, busy_ms, err);
    if (st != WI_OK)
        return st;
    if (sqlite3_db_readonly(store->db, "main") == 1)
        store->read_only = true;
    st = read_header(store, h, err);
    if (st != WI_EIO || !store->read_only)
        return st;

    /* A write-ahead log needs files beside the database. Without a log there is nothing that an
     * immutable reading could miss. */
    if (has_log(store->path))
        return st;
    char *uri = immutable_uri(store->path);
    if (!uri)
        return wi_fail_nomem(err);
    wi_sql_forget_all(store);
    sqlite3_close(store->db);
    store->db = NULL;
    st = open_db(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, busy_ms, err);
    free(uri);
    return st == WI_OK ? read_header(store, h, err) : st;
}

static enum wi_status bring_up(struct wi_store *store, const struct wi_store_options *opt,
                               struct wi_err *err)
{
    struct header h = {0};
    int busy_ms = opt->busy_ms > 0 ? opt->busy_ms : BUSY_MS;
    enum wi_status st;

    if (wi_store_is_memory(store))
        st = open_db(store, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busy_ms, err);
    else
        st = open_file(store, busy_ms, &h, err);
    if (st == WI_OK && is_blank(&h)) {
        if (store->read_only)
            return wi_fail(err, WI_EIO,
                           "database '%s' is empty and cannot be created: it is "
                           "read-only",
                           store->path);
        st = create(store, err);
        if (st == WI_OK)
            st = read_header(store, &h, err);
    }
    if (st == WI_OK)
        st = check_header(store, &h, err);
    if (st == WI_OK)
        st = check_foreign(store, err);
    if (st == WI_OK && h.user_version < wi_store_schema_version())
        st = upgrade_schema(store, err);
    if (st == WI_OK)
        st = merge_embedded(store, err);
    if (st == WI_OK && !store->read_only && !wi_store_is_memory(store)) {
        prefer_wal(store);
        sqlite3_busy_timeout(store->db, busy_ms);
    }
    return st;
}

enum wi_status wi_store_open(const struct wi_store_options *opt, struct wi_store **store,
                             struct wi_err *err)
{
    struct wi_store *s = calloc(1, sizeof(*s));

    if (!s || !(s->path = strdup(opt->path ? opt->path : ""))) {
        free(s);
        return wi_fail_nomem(err);
    }
    s->read_only = opt->path && opt->path[0] && opt->read_only;
    wi_store_init_log(s);
    enum wi_status st = bring_up(s, opt, err);
    if (st != WI_OK) {
        wi_store_close(s);
        return st;
    }
    *store = s;
    return WI_OK;
}

/* A statement that has not come to its end keeps the reading transaction of its connection open.
 * Where that fails, each read takes the lock for itself. */
void wi_store_hold(struct wi_store *store)
{
    if (!store->held && sqlite3_prepare_v2(store->db, "SELECT n FROM revision", -1, &store->held,
                                           NULL) == SQLITE_OK)
        sqlite3_step(store->held);
}

void wi_store_let_go(struct wi_store *store)
{
    sqlite3_finalize(store->held);
    store->held = NULL;
}

void wi_store_close(struct wi_store *store)
{
    if (!store)
        return;
    wi_store_let_go(store);
    wi_sql_forget_all(store);
    sqlite3_close(store->db);
    wi_terms_free(store->terms);
    free(store->path);
    free(store);
}

bool wi_store_is_memory(const struct wi_store *store)
{
    return store->path[0] == '\0';
}

const char *wi_store_path(const struct wi_store *store)
{
    return store->path;
}

enum wi_status wi_store_revision(struct wi_store *store, int64_t *revision, struct wi_err *err)
{
    return wi_sql_int(store, 0, revision, err, "SELECT n FROM revision", "");
}

/* The pages of a large block in one go: a fault for each costs more than the reading. */
static void populate(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    size_t page = (size_t)sysconf(_SC_PAGESIZE), skip = (page - (uintptr_t)p % page) % page;

    if (n > 64 * page)
        madvise((char *)p + skip, (n - skip) / page * page, MADV_POPULATE_WRITE);
#else
    (void)p;
    (void)n;
#endif
}

/* Straight into our memory: a column value would be put together in SQLite's first, and these blobs
 * are the largest thing that a warm start reads. */
static enum wi_status read_blob(struct wi_store *store, int64_t row, size_t n, char *out,
                                struct wi_err *err)
{
    sqlite3_blob *blob = NULL;
    int rc = sqlite3_blob_open(store->db, "main", "cache", "bytes", row, 0, &blob);

    if (rc == SQLITE_OK && (size_t)sqlite3_blob_bytes(blob) != n)
        rc = SQLITE_CORRUPT;
    if (rc == SQLITE_OK)
        rc = sqlite3_blob_read(blob, out, (int)n, 0);
    sqlite3_blob_close(blob);
    return rc == SQLITE_OK ? WI_OK : wi_sql_fail(store, rc, err);
}

enum wi_status wi_store_get_cache(struct wi_store *store, const char *name, int64_t revision,
                                  void **bytes, size_t *n_bytes, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    char *copy = NULL;
    size_t n = 0;
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err, "SELECT rowid, length(bytes) FROM cache WHERE name = ? AND revision = ?",
        "ti", name, revision);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st =
            wi_fail(err, WI_ENOTFOUND, "no cache '%s' of revision %lld", name, (long long)revision);
    if (st == WI_OK) {
        n = (size_t)sqlite3_column_int64(stmt, 1);
        copy = malloc(n ? n : 1);
        if (copy)
            populate(copy, n);
        st = copy ? read_blob(store, sqlite3_column_int64(stmt, 0), n, copy, err)
                  : wi_fail_nomem(err);
    }
    wi_sql_done(store, stmt);
    if (st != WI_OK) {
        free(copy);
        return st;
    }
    *bytes = copy;
    *n_bytes = n;
    return WI_OK;
}

enum wi_status wi_store_put_cache(struct wi_store *store, const char *name, int64_t revision,
                                  const void *bytes, size_t n_bytes, struct wi_err *err)
{
    wi_store_let_go(store);
    return wi_sql_run(store, err, "INSERT OR REPLACE INTO cache VALUES(?, ?, ?)", "tib", name,
                      revision, bytes, n_bytes);
}

/* Experiments, their observations and where they came from. */
#include "knowledge/store_columns.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/describe.h"

/* One row per member of the filter that is a text. */
static const struct {
    const char *clause;
    size_t offset;
} text_filters[] = {
    {" AND id = ?", offsetof(struct wi_experiment_filter, id)},
    {" AND source = ?", offsetof(struct wi_experiment_filter, source)},
    {" AND device = ?", offsetof(struct wi_experiment_filter, device)},
    {" AND vendor = ?", offsetof(struct wi_experiment_filter, vendor)},
};

#define FILTERS_MAX 8

/* The filter as SQL and its texts, in order. */
struct where {
    char sql[256];
    const char *values[FILTERS_MAX];
    int n;
};

static void where_add(struct where *w, const char *clause, const char *value)
{
    size_t len = strlen(w->sql);

    snprintf(w->sql + len, sizeof(w->sql) - len, "%s", clause);
    if (value)
        w->values[w->n++] = value;
}

static void make_where(const struct wi_experiment_filter *f, struct where *w)
{
    *w = (struct where){.sql = "WHERE 1"};
    if (!f)
        return;
    for (size_t i = 0; i < sizeof(text_filters) / sizeof(text_filters[0]); i++) {
        const char *value;

        memcpy(&value, (const char *)f + text_filters[i].offset, sizeof(value));
        if (value)
            where_add(w, text_filters[i].clause, value);
    }
    if (f->nand)
        where_add(w, " AND nand = ?", wi_nand_name(*f->nand));
    if (f->phase)
        where_add(w, " AND phase = ?", wi_phase_name(*f->phase));
    if (f->embedded)
        where_add(w, *f->embedded ? " AND embedded" : " AND NOT embedded", NULL);
}

static enum wi_status query_experiments(struct wi_store *store, const struct where *w,
                                        sqlite3_stmt **stmt, struct wi_err *err)
{
    char *names = wi_table_names(&wi_table_experiments, false), *sql = NULL;
    enum wi_status st = WI_OK;

    if (!names || asprintf(&sql, "SELECT n, %s FROM experiments %s ORDER BY embedded DESC, id",
                           names, w->sql) < 0) {
        sql = NULL;
        st = wi_fail_nomem(err);
    }
    if (st == WI_OK)
        st = wi_sql_query(store, stmt, err, sql, "");
    for (int i = 0; st == WI_OK && i < w->n; i++) {
        int rc = sqlite3_bind_text(*stmt, i + 1, w->values[i], -1, SQLITE_STATIC);
        if (rc != SQLITE_OK)
            st = wi_sql_fail(store, rc, err);
    }
    free(names);
    free(sql);
    return st;
}

static enum wi_status query_observations(struct wi_store *store, sqlite3_stmt **stmt,
                                         struct wi_err *err)
{
    char *names = wi_table_names(&wi_table_observations, false), *sql = NULL;
    enum wi_status st;

    if (!names ||
        asprintf(&sql, "SELECT %s FROM observations WHERE exp = ? ORDER BY n", names) < 0) {
        free(names);
        return wi_fail_nomem(err);
    }
    st = wi_sql_query(store, stmt, err, sql, "");
    free(names);
    free(sql);
    return st;
}

struct loader {
    struct wi_dataset ds;
    size_t cap_exps, cap_obs;
};

static enum wi_status load_observations(struct wi_store *store, sqlite3_stmt *stmt, int64_t n,
                                        struct loader *l, struct wi_err *err)
{
    bool row = true;
    enum wi_status st = wi_sql_rebind(store, stmt, err, "i", n);

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        struct wi_observation *o = wi_list_push(&l->ds.obs, &l->ds.n_obs, &l->cap_obs, sizeof(*o));
        if (!o)
            return wi_fail_nomem(err);
        wi_table_load(&wi_table_observations, stmt, 0, o);
        o->exp = l->ds.n_exps - 1;
    }
    return st;
}

enum wi_status wi_store_load_dataset(struct wi_store *store,
                                     const struct wi_experiment_filter *filter,
                                     struct wi_dataset *ds, struct wi_err *err)
{
    sqlite3_stmt *exps = NULL, *obs = NULL;
    struct loader l = {0};
    struct where w;
    bool row = true;

    make_where(filter, &w);
    enum wi_status st = query_experiments(store, &w, &exps, err);
    if (st == WI_OK)
        st = query_observations(store, &obs, err);
    while (st == WI_OK) {
        st = wi_sql_step(store, exps, &row, err);
        if (st != WI_OK || !row)
            break;
        struct wi_experiment *e = wi_list_push(&l.ds.exps, &l.ds.n_exps, &l.cap_exps, sizeof(*e));
        if (!e) {
            st = wi_fail_nomem(err);
            break;
        }
        wi_table_load(&wi_table_experiments, exps, 1, e);
        st = load_observations(store, obs, sqlite3_column_int64(exps, 0), &l, err);
    }
    wi_sql_done(store, exps);
    wi_sql_done(store, obs);
    if (st != WI_OK) {
        wi_dataset_release(&l.ds);
        return st;
    }
    *ds = l.ds;
    return WI_OK;
}

/* INSERT with the columns of a table after one leading column. out: rowid. */
static enum wi_status prepare_insert(struct wi_store *store, const struct wi_table *t,
                                     const char *leading, sqlite3_stmt **stmt, struct wi_err *err)
{
    char *names = wi_table_names(t, false), *marks = wi_table_names(t, true), *sql = NULL;
    enum wi_status st;

    if (!names || !marks ||
        asprintf(&sql, "INSERT INTO %s(%s, %s) VALUES(?, %s)", t->name, leading, names, marks) <
            0) {
        sql = NULL;
        st = wi_fail_nomem(err);
    } else {
        st = wi_sql_query(store, stmt, err, sql, "");
    }
    free(names);
    free(marks);
    free(sql);
    return st;
}

static enum wi_status insert_observations(struct wi_store *store, int64_t exp,
                                          const struct wi_observation *obs, size_t n_obs,
                                          struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row;
    enum wi_status st = prepare_insert(store, &wi_table_observations, "exp", &stmt, err);

    for (size_t i = 0; st == WI_OK && i < n_obs; i++) {
        st = wi_sql_rebind(store, stmt, err, "i", exp);
        if (st == WI_OK)
            st = wi_table_bind(store, &wi_table_observations, stmt, 2, &obs[i], err);
        if (st == WI_OK)
            st = wi_sql_step(store, stmt, &row, err);
    }
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_insert_experiment(struct wi_store *store, const struct wi_experiment *exp,
                                          const struct wi_observation *obs, size_t n_obs,
                                          struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row;
    int64_t n = 0;
    enum wi_status st = prepare_insert(store, &wi_table_experiments, "n", &stmt, err);

    if (st == WI_OK)
        st = wi_sql_rebind(store, stmt, err, "t", (const char *)NULL);
    if (st == WI_OK)
        st = wi_table_bind(store, &wi_table_experiments, stmt, 2, exp, err);
    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    wi_sql_done(store, stmt);
    if (st != WI_OK)
        return st;
    n = sqlite3_last_insert_rowid(store->db);
    st = insert_observations(store, n, obs, n_obs, err);
    return st == WI_OK ? wi_store_index_experiment(store, n, exp, obs, n_obs, err) : st;
}

enum wi_status wi_store_delete_experiment(struct wi_store *store, const char *id,
                                          struct wi_err *err)
{
    return wi_sql_run(store, err, "DELETE FROM experiments WHERE id = ?", "t", id);
}

enum wi_status wi_store_compare_experiment(struct wi_store *store, const struct wi_experiment *exp,
                                           const struct wi_observation *obs, size_t n_obs,
                                           bool *equal, bool *owner_embedded, struct wi_err *err)
{
    struct wi_experiment_filter filter = {.id = exp->id};
    struct wi_dataset have = {0};
    enum wi_status st = wi_store_load_dataset(store, &filter, &have, err);

    if (st != WI_OK)
        return st;
    if (have.n_exps == 0)
        return wi_fail(err, WI_ENOTFOUND, "no experiment '%s' is stored", exp->id);
    *owner_embedded = have.exps[0].embedded;
    *equal = have.n_obs == n_obs && wi_table_equal(&wi_table_experiments, &have.exps[0], exp);
    for (size_t i = 0; *equal && i < n_obs; i++)
        *equal = wi_table_equal(&wi_table_observations, &have.obs[i], &obs[i]);
    wi_dataset_release(&have);
    return WI_OK;
}

/* Observations stand in order of experiment; those of one are a slice. */
static size_t slice_end(const struct wi_dataset *ds, size_t exp, size_t from)
{
    while (from < ds->n_obs && ds->obs[from].exp == exp)
        from++;
    return from;
}

static enum wi_status insert_provenance(struct wi_store *store, const char *id,
                                        const struct wi_provenance *p, struct wi_err *err)
{
    return wi_sql_run(
        store, err, "INSERT INTO provenance SELECT n, ?, ?, ?, ?, ? FROM experiments WHERE id = ?",
        "tttttt", p->file, p->sha256, p->tool, p->imported_at, p->options, id);
}

static enum wi_status add_one(struct wi_store *store, const struct wi_dataset *ds, size_t i,
                              size_t from, size_t to, const struct wi_provenance *provenance,
                              size_t *n_added, struct wi_err *err)
{
    struct wi_experiment exp = ds->exps[i];
    bool equal = false, embedded = false;
    enum wi_status st =
        wi_store_compare_experiment(store, &exp, ds->obs + from, to - from, &equal, &embedded, err);

    if (st == WI_OK && embedded)
        return wi_fail(err, WI_EDATA,
                       "experiment '%s' belongs to the embedded data; use another id", exp.id);
    if (st == WI_OK && !equal)
        return wi_fail(err, WI_EDATA,
                       "experiment '%s' is already stored with other content; remove it first, or "
                       "use another id",
                       exp.id);
    if (st != WI_ENOTFOUND)
        return st;
    exp.embedded = false;
    st = wi_store_need_source(store, exp.source, err);
    if (st == WI_OK)
        st = wi_store_insert_experiment(store, &exp, ds->obs + from, to - from, err);
    if (st == WI_OK)
        st = insert_provenance(store, exp.id, provenance, err);
    if (st == WI_OK)
        ++*n_added;
    return st;
}

/* A control that does not exist would fail the commit with SQLite's words; say which it is. */
static enum wi_status check_controls(struct wi_store *store, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(store, &stmt, err,
                                     "SELECT id, control FROM experiments e WHERE control IS NOT "
                                     "NULL AND NOT EXISTS(SELECT 1 FROM experiments c WHERE c.id = "
                                     "e.control) ORDER BY id LIMIT 1",
                                     "");

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && row)
        st = wi_fail(err, WI_EDATA, "the control of experiment '%s', '%s', is not stored",
                     sqlite3_column_text(stmt, 0), sqlite3_column_text(stmt, 1));
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_add_experiments(struct wi_store *store, const struct wi_dataset *ds,
                                        const struct wi_provenance *provenance, size_t *n_added,
                                        struct wi_err *err)
{
    size_t added = 0, from = 0;
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    for (size_t i = 0; st == WI_OK && i < ds->n_exps; i++) {
        size_t to = slice_end(ds, i, from);

        st = add_one(store, ds, i, from, to, &provenance[i], &added, err);
        from = to;
    }
    if (st == WI_OK && from != ds->n_obs)
        st = wi_fail(err, WI_EDATA, "observation '%s' stands out of the order of its experiments",
                     ds->obs[from].id);
    if (st == WI_OK)
        st = check_controls(store, err);
    st = wi_sql_end(store, st, err);
    if (st == WI_OK)
        *n_added = added;
    return st;
}

enum wi_status wi_store_get_provenance(struct wi_store *store, const char *exp_id,
                                       struct wi_provenance *out, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT p.file, p.sha256, p.tool, p.imported_at, p.options FROM provenance p JOIN "
        "experiments e ON e.n = p.exp WHERE e.id = ?",
        "t", exp_id);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st = wi_fail(err, WI_ENOTFOUND, "experiment '%s' was not imported", exp_id);
    if (st == WI_OK) {
        wi_sql_copy_text(stmt, 0, out->file, sizeof(out->file));
        wi_sql_copy_text(stmt, 1, out->sha256, sizeof(out->sha256));
        wi_sql_copy_text(stmt, 2, out->tool, sizeof(out->tool));
        wi_sql_copy_text(stmt, 3, out->imported_at, sizeof(out->imported_at));
        wi_sql_copy_text(stmt, 4, out->options, sizeof(out->options));
    }
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_find_import(struct wi_store *store, const char *sha256, char **exp_ids,
                                    struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st =
        wi_sql_query(store, &stmt, err,
                     "SELECT group_concat(id, ' ') FROM (SELECT e.id FROM provenance p JOIN "
                     "experiments e ON e.n = p.exp WHERE p.sha256 = ? ORDER BY e.id)",
                     "t", sha256);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && (!row || sqlite3_column_type(stmt, 0) == SQLITE_NULL))
        st = wi_fail(err, WI_ENOTFOUND, "no file of this content was imported");
    if (st == WI_OK && !(*exp_ids = wi_sql_dup_text(stmt, 0)))
        st = wi_fail_nomem(err);
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status check_removable(struct wi_store *store, const char *id, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT embedded, (SELECT id FROM experiments c WHERE c.control = e.id AND c.id <> e.id "
        "ORDER BY id LIMIT 1) FROM experiments e WHERE id = ?",
        "t", id);

    if (st == WI_OK)
        st = wi_sql_step(store, stmt, &row, err);
    if (st == WI_OK && !row)
        st = wi_fail(err, WI_ENOTFOUND, "no experiment '%s' is stored", id);
    else if (st == WI_OK && sqlite3_column_int(stmt, 0))
        st = wi_fail(err, WI_EUSAGE,
                     "experiment '%s' belongs to the embedded data, which are never "
                     "removed",
                     id);
    else if (st == WI_OK && sqlite3_column_type(stmt, 1) != SQLITE_NULL)
        st =
            wi_fail(err, WI_EUSAGE, "experiment '%s' is the control of '%s'; remove that one first",
                    id, sqlite3_column_text(stmt, 1));
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_remove_experiment(struct wi_store *store, const char *id,
                                          struct wi_err *err)
{
    enum wi_status st = wi_sql_begin(store, err);

    if (st != WI_OK)
        return st;
    st = check_removable(store, id, err);
    if (st == WI_OK)
        st = wi_store_delete_experiment(store, id, err);
    if (st == WI_OK)
        st = wi_store_drop_unused_sources(store, err);
    return wi_sql_end(store, st, err);
}

enum wi_status wi_store_begin(struct wi_store *store, struct wi_err *err)
{
    return wi_sql_begin(store, err);
}

enum wi_status wi_store_end(struct wi_store *store, enum wi_status st, struct wi_err *err)
{
    return wi_sql_end(store, st, err);
}

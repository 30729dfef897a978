/*
 * The embedded data: into a new store whole, into an existing one only what differs. Rows of the
 * user are never touched; an embedded row whose id the user has taken stays out.
 */
#include "knowledge/store_columns.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/embedded.h"
#include "knowledge/describe.h"

#define PRINCIPLES_FOLDER "data/principles/"

/* An observation with the id of its experiment, as it stands in the file. */
struct csv_observation {
    struct wi_observation obs;
    char experiment[WI_ID_MAX];
};

static enum wi_status read_observations(struct wi_dataset *ds, struct wi_err *err)
{
    enum { MAX = 32 };
    struct wi_column columns[MAX];
    size_t n = wi_table_observations.n_columns, n_rows = 0, exp = 0;
    struct csv_observation *rows = NULL;

    memcpy(columns, wi_table_observations.columns, n * sizeof(columns[0]));
    columns[n] = (struct wi_column){"experiment", WI_COL_TEXT,
                                    offsetof(struct csv_observation, experiment), WI_ID_MAX, false};
    const struct wi_table table = {"observations", columns, n + 1, sizeof(struct csv_observation)};
    enum wi_status st = wi_table_read_csv(&table, "data/observations.csv", &rows, &n_rows, err);
    if (st != WI_OK)
        return st;
    ds->obs = calloc(n_rows ? n_rows : 1, sizeof(*ds->obs));
    if (!ds->obs)
        st = wi_fail_nomem(err);
    for (size_t i = 0; st == WI_OK && i < n_rows; i++) {
        while (exp < ds->n_exps && strcmp(ds->exps[exp].id, rows[i].experiment) != 0)
            exp++;
        if (exp == ds->n_exps) {
            st = wi_fail(err, WI_EDATA,
                         "data/observations.csv: '%s' names no experiment, or stands out of order",
                         rows[i].obs.id);
            break;
        }
        ds->obs[i] = rows[i].obs;
        ds->obs[i].exp = exp;
        ds->n_obs = i + 1;
    }
    free(rows);
    return st;
}

static enum wi_status read_principles(struct wi_seed *seed, struct wi_err *err)
{
    size_t cap = 0;
    enum wi_status st = WI_OK;

    for (size_t i = 0; st == WI_OK && i < wi_n_embedded_files; i++) {
        const struct wi_embedded_file *f = &wi_embedded_files[i];

        if (strncmp(f->path, PRINCIPLES_FOLDER, strlen(PRINCIPLES_FOLDER)) != 0)
            continue;
        struct wi_principle *p =
            wi_list_push(&seed->principles, &seed->n_principles, &cap, sizeof(*p));
        if (!p)
            return wi_fail_nomem(err);
        st = wi_principle_parse(f->bytes, f->n_bytes, f->path, p, err);
        p->embedded = true;
    }
    return st;
}

enum wi_status wi_seed_read(struct wi_seed *seed, struct wi_err *err)
{
    struct wi_dataset *ds = &seed->ds;
    enum wi_status st = wi_table_read_csv(&wi_table_experiments, "data/experiments.csv", &ds->exps,
                                          &ds->n_exps, err);

    for (size_t i = 0; i < ds->n_exps; i++) {
        struct wi_exposure *x = &ds->exps[i].exposure;

        ds->exps[i].embedded = true;
        x->has_after = x->after.temp_c == x->after.temp_c; /* NaN: no after step in the file */
        if (!x->has_after)
            x->after = x->before;
    }
    if (st == WI_OK)
        st = read_observations(ds, err);
    if (st == WI_OK)
        st = wi_table_read_csv(&wi_table_sources, "data/sources.csv", &seed->sources,
                               &seed->n_sources, err);
    if (st == WI_OK)
        st = wi_table_read_csv(&wi_table_devices, "data/devices.csv", &seed->devices,
                               &seed->n_devices, err);
    if (st == WI_OK)
        st = wi_table_read_csv(&wi_table_contradictions, "data/contradictions.csv",
                               &seed->contradictions, &seed->n_contradictions, err);
    return st == WI_OK ? read_principles(seed, err) : st;
}

void wi_seed_release(struct wi_seed *seed)
{
    wi_dataset_release(&seed->ds);
    wi_principles_free(seed->principles, seed->n_principles);
    free(seed->sources);
    free(seed->devices);
    free(seed->contradictions);
    *seed = (struct wi_seed){0};
}

static enum wi_status put_experiment(struct wi_store *store, const struct wi_experiment *exp,
                                     const struct wi_observation *obs, size_t n_obs, bool merge,
                                     struct wi_err *err)
{
    bool equal = false, embedded = true;
    enum wi_status st = WI_ENOTFOUND;

    if (merge)
        st = wi_store_compare_experiment(store, exp, obs, n_obs, &equal, &embedded, err);
    if (st == WI_OK && (equal || !embedded))
        return WI_OK;
    if (st == WI_OK)
        st = wi_store_delete_experiment(store, exp->id, err);
    if (st == WI_OK || st == WI_ENOTFOUND)
        st = wi_store_insert_experiment(store, exp, obs, n_obs, err);
    return st;
}

static enum wi_status put_experiments(struct wi_store *store, const struct wi_dataset *ds,
                                      bool merge, struct wi_err *err)
{
    enum wi_status st = WI_OK;
    size_t from = 0;

    for (size_t i = 0; st == WI_OK && i < ds->n_exps; i++) {
        size_t to = from;

        while (to < ds->n_obs && ds->obs[to].exp == i)
            to++;
        st = put_experiment(store, &ds->exps[i], ds->obs + from, to - from, merge, err);
        from = to;
    }
    return st;
}

/* Equal when both have the same file form. */
static enum wi_status same_principle(struct wi_store *store, const struct wi_principle *p,
                                     bool *equal, bool *embedded, struct wi_err *err)
{
    struct wi_principle have = {0};
    char *a = NULL, *b = NULL;
    enum wi_status st = wi_store_get_principle(store, p->id, &have, err);

    if (st != WI_OK)
        return st;
    *embedded = have.embedded;
    st = wi_principle_format(&have, &a, err);
    if (st == WI_OK)
        st = wi_principle_format(p, &b, err);
    *equal = st == WI_OK && strcmp(a, b) == 0;
    free(a);
    free(b);
    wi_principle_release(&have);
    return st;
}

static enum wi_status put_principle(struct wi_store *store, const struct wi_principle *p,
                                    bool merge, struct wi_err *err)
{
    bool equal = false, embedded = true;
    enum wi_status st = merge ? same_principle(store, p, &equal, &embedded, err) : WI_ENOTFOUND;

    if (st == WI_OK && (equal || !embedded))
        return WI_OK;
    if (st == WI_OK)
        st = wi_store_delete_principle(store, p->id, err);
    if (st == WI_OK || st == WI_ENOTFOUND)
        st = wi_store_insert_principle(store, p, err);
    return st;
}

/* Ids that came with this program, to find those that a newer one no longer brings. */
static enum wi_status note_seen(struct wi_store *store, const struct wi_seed *seed,
                                struct wi_err *err)
{
    enum wi_status st = wi_sql_run(store, err, "CREATE TEMP TABLE seen(id TEXT PRIMARY KEY)", "");

    for (size_t i = 0; st == WI_OK && i < seed->ds.n_exps; i++)
        st = wi_sql_run(store, err, "INSERT OR IGNORE INTO seen VALUES('e' || ?)", "t",
                        seed->ds.exps[i].id);
    for (size_t i = 0; st == WI_OK && i < seed->n_principles; i++)
        st = wi_sql_run(store, err, "INSERT OR IGNORE INTO seen VALUES('p' || ?)", "t",
                        seed->principles[i].id);
    for (size_t i = 0; st == WI_OK && i < seed->n_sources; i++)
        st = wi_sql_run(store, err, "INSERT OR IGNORE INTO seen VALUES('s' || ?)", "t",
                        seed->sources[i].id);
    return st;
}

/*
 * What a user's row refers to stays: a source that his experiment names, and the control of his
 * experiment, which becomes his.
 */
static const char drop_sql[] =
    "UPDATE experiments SET embedded = 0 WHERE embedded AND 'e' || id NOT IN (SELECT id FROM seen)"
    " AND id IN (SELECT control FROM experiments WHERE NOT embedded);"
    "DELETE FROM experiments WHERE embedded AND 'e' || id NOT IN (SELECT id FROM seen);"
    "DELETE FROM principles WHERE embedded AND 'p' || id NOT IN (SELECT id FROM seen);"
    "UPDATE sources SET embedded = 's' || id IN (SELECT id FROM seen);"
    "DROP TABLE seen";

static enum wi_status put_all(struct wi_store *store, const struct wi_seed *seed, bool merge,
                              struct wi_err *err)
{
    enum wi_status st = wi_table_put(store, &wi_table_sources, seed->sources, seed->n_sources, err);

    if (st == WI_OK && merge)
        st = wi_sql_run(store, err, "DELETE FROM devices; DELETE FROM contradictions", "");
    if (st == WI_OK)
        st = wi_table_put(store, &wi_table_devices, seed->devices, seed->n_devices, err);
    if (st == WI_OK)
        st = wi_table_put(store, &wi_table_contradictions, seed->contradictions,
                          seed->n_contradictions, err);
    if (st == WI_OK)
        st = put_experiments(store, &seed->ds, merge, err);
    for (size_t i = 0; st == WI_OK && i < seed->n_principles; i++)
        st = put_principle(store, &seed->principles[i], merge, err);
    return st;
}

/* Other synonyms or features: all items anew, the user's too. Bases of the old texts are dropped.
 */
static enum wi_status renew_index(struct wi_store *store, bool merge, struct wi_err *err)
{
    char key[WI_INDEX_KEY_MAX], known[WI_INDEX_KEY_MAX];
    enum wi_status st = wi_store_get_meta(store, "index_key", known, sizeof(known), err);

    wi_store_index_key(key, sizeof(key));
    if (st == WI_OK && merge)
        st = wi_sql_run(store, err,
                        "DELETE FROM text_vectors WHERE embedder LIKE 'lsa/%';"
                        "DELETE FROM cache WHERE name LIKE 'lsa/%' OR name LIKE 'terms/%'",
                        "");
    if (st == WI_OK && merge && strcmp(key, known) != 0)
        st = wi_store_index_all(store, err);
    return st == WI_OK ? wi_store_set_meta(store, "index_key", key, err) : st;
}

enum wi_status wi_store_seed(struct wi_store *store, bool merge, struct wi_err *err)
{
    struct wi_seed seed = {0};
    enum wi_status st = wi_seed_read(&seed, err);

    if (st == WI_OK)
        st = put_all(store, &seed, merge, err);
    if (st == WI_OK && merge)
        st = note_seen(store, &seed, err);
    if (st == WI_OK && merge)
        st = wi_sql_run(store, err, drop_sql, "");
    if (st == WI_OK && merge)
        st = wi_store_drop_unused_sources(store, err);
    if (st == WI_OK)
        st = renew_index(store, merge, err);
    if (st == WI_OK)
        st = wi_store_set_meta(store, "embedded_sha256", wi_embedded_sha256, err);
    if (st == WI_OK)
        st = wi_store_set_meta(store, "embedded_version", WI_VERSION, err);
    wi_seed_release(&seed);
    return st;
}

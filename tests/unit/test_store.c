#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "core/embedded.h"
#include "knowledge/store.h"

/* A folder of its own for each test. */
struct fixture {
    char dir[64];
    char db[96];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    snprintf(f->dir, sizeof(f->dir), "/tmp/wi-store-XXXXXX");
    if (!mkdtemp(f->dir))
        return -1;
    snprintf(f->db, sizeof(f->db), "%s/k.db", f->dir);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    DIR *dir = opendir(f->dir);
    struct dirent *e;
    char path[400];

    while (dir && (e = readdir(dir))) {
        snprintf(path, sizeof(path), "%s/%s", f->dir, e->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(f->dir);
    free(f);
    return 0;
}

static struct wi_store *open_ok(const char *path)
{
    struct wi_store_options opt = {.path = path};
    struct wi_store *store = NULL;
    struct wi_err err = {0};
    enum wi_status st = wi_store_open(&opt, &store, &err);

    if (st != WI_OK)
        fail_msg("%s", err.msg);
    return store;
}

/* Opening must fail with this status, and with these words in the message. */
static void open_fails(const struct wi_store_options *opt, enum wi_status want, const char *words)
{
    struct wi_store *store = NULL;
    struct wi_err err = {0};

    assert_int_equal(wi_store_open(opt, &store, &err), want);
    assert_null(store);
    if (!strstr(err.msg, words))
        fail_msg("'%s' lacks '%s'", err.msg, words);
}

/* SQL by another program. */
static void sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    char *msg = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &msg) != SQLITE_OK)
        fail_msg("%s: %s", text, msg);
    sqlite3_close(db);
}

static long long sql_int(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    long long v = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return v;
}

/* Lines of an embedded file that hold a record; no field of ours holds a newline. */
static size_t records(const char *path)
{
    const struct wi_embedded_file *f = wi_embedded_find(path);
    size_t n = 0;

    assert_non_null(f);
    for (size_t i = 0; i < f->n_bytes; i++)
        n += f->bytes[i] == '\n';
    return n - 1;
}

static size_t principle_files(void)
{
    size_t n = 0;

    for (size_t i = 0; i < wi_n_embedded_files; i++)
        n += strncmp(wi_embedded_files[i].path, "data/principles/", 16) == 0;
    return n;
}

static void check_whole(struct wi_store *store)
{
    struct wi_dataset ds = {0};
    struct wi_principle *p = NULL;
    size_t n = 0;

    assert_int_equal(wi_store_load_dataset(store, NULL, &ds, NULL), WI_OK);
    assert_int_equal(ds.n_exps, records("data/experiments.csv"));
    assert_int_equal(ds.n_obs, records("data/observations.csv"));
    wi_dataset_release(&ds);
    assert_int_equal(wi_store_load_principles(store, &p, &n, NULL), WI_OK);
    assert_int_equal(n, principle_files());
    wi_principles_free(p, n);
}

static void a_new_store_holds_the_embedded_data(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    int64_t first, second;

    assert_false(wi_store_is_memory(store));
    check_whole(store);
    assert_int_equal(wi_store_revision(store, &first, NULL), WI_OK);
    wi_store_close(store);

    store = open_ok(f->db);
    check_whole(store);
    assert_int_equal(wi_store_revision(store, &second, NULL), WI_OK);
    assert_int_equal(first, second);
    wi_store_close(store);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM pragma_table_list WHERE type = 'table' "
                                    "AND name NOT LIKE 'sqlite%' AND NOT strict"),
                     0);
}

static void a_store_in_memory_needs_no_file(void **state)
{
    struct wi_store *store = open_ok(NULL);

    (void)state;
    assert_true(wi_store_is_memory(store));
    assert_string_equal(wi_store_path(store), "");
    check_whole(store);
    wi_store_close(store);
}

/* One row of the file, field by field. */
static void a_row_arrives_as_it_stands_in_the_file(void **state)
{
    struct wi_store *store = open_ok(NULL);
    struct wi_experiment_filter filter = {.id = "DAC19-B-perpendicular-running"};
    struct wi_dataset ds = {0};

    (void)state;
    assert_int_equal(wi_store_load_dataset(store, &filter, &ds, NULL), WI_OK);
    assert_int_equal(ds.n_exps, 1);
    const struct wi_experiment *e = &ds.exps[0];
    assert_string_equal(e->source, "DAC19");
    assert_string_equal(e->vendor, "B");
    assert_int_equal(e->nand, WI_NAND_UNKNOWN);
    assert_int_equal(e->phase, WI_PHASE_RUNNING);
    assert_int_equal(e->exposure.during.vib.axis, WI_AXIS_PERPENDICULAR);
    assert_true(fabs(e->exposure.during.vib.freq_hz - 20) < 1e-12);
    assert_true(isnan(e->exposure.during.vib.grms));
    assert_true(fabs(e->exposure.during_h - 6) < 1e-12);
    assert_true(e->embedded);
    assert_string_equal(e->control_id, "");
    /* p99.9999 write of vendor B, perpendicular, running: +31.8 % in the table of the study. */
    bool found = false;
    for (size_t i = 0; i < ds.n_obs; i++)
        found = found || (ds.obs[i].op == WI_OP_WRITE && fabs(ds.obs[i].change_pct - 31.8) < 1e-9 &&
                          fabs(ds.obs[i].percentile - 99.9999) < 1e-9);
    assert_true(found);
    wi_dataset_release(&ds);
    wi_store_close(store);
}

static void a_newer_schema_is_refused(void **state)
{
    struct fixture *f = *state;

    wi_store_close(open_ok(f->db));
    sql(f->db, "PRAGMA user_version = 99");
    open_fails(&(struct wi_store_options){.path = f->db}, WI_EDATA, "newer ssd-whatif");
}

static void a_foreign_database_is_refused_and_left_alone(void **state)
{
    struct fixture *f = *state;

    sql(f->db, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)");
    open_fails(&(struct wi_store_options){.path = f->db}, WI_EDATA, "no ssd-whatif store");
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM sqlite_schema"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_store_holds_the_embedded_data, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_schema_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_foreign_database_is_refused_and_left_alone, setup,
                                        teardown),
        cmocka_unit_test(a_store_in_memory_needs_no_file),
        cmocka_unit_test(a_row_arrives_as_it_stands_in_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

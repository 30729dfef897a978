#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static void a_damaged_file_is_one_clear_error(void **state)
{
    struct fixture *f = *state;
    unsigned char junk[4096];

    /* A page in the middle overwritten: found by the check of a file that came from elsewhere. */
    wi_store_close(open_ok(f->db));
    char copy[128], cmd[300];
    snprintf(copy, sizeof(copy), "%s/copy.db", f->dir);
    snprintf(cmd, sizeof(cmd), "cp '%s' '%s'", f->db, copy);
    assert_int_equal(system(cmd), 0);
    int fd = open(copy, O_RDWR);
    memset(junk, 0xa5, sizeof(junk));
    for (off_t page = 3; page < 12; page++)
        assert_int_equal(pwrite(fd, junk, sizeof(junk), page * 4096), sizeof(junk));
    close(fd);
    open_fails(&(struct wi_store_options){.path = copy}, WI_EDATA, "damaged");

    /* No SQLite at all. */
    fd = open(copy, O_RDWR | O_TRUNC);
    assert_int_equal(write(fd, "this is a diary, dear diary, and nothing else but a diary", 57),
                     57);
    close(fd);
    open_fails(&(struct wi_store_options){.path = copy}, WI_EDATA, "not an SQLite database");
    fd = open(copy, O_RDONLY);
    assert_int_equal(read(fd, junk, 57), 57); /* and it was not touched */
    assert_memory_equal(junk, "this is a diary", 15);
    close(fd);
}

static void a_copied_store_is_checked_once_and_adopted(void **state)
{
    struct fixture *f = *state;
    char copy[128], cmd[300];
    struct stat sb;

    wi_store_close(open_ok(f->db));
    snprintf(copy, sizeof(copy), "%s/copy.db", f->dir);
    snprintf(cmd, sizeof(cmd), "cp '%s' '%s'", f->db, copy);
    assert_int_equal(system(cmd), 0);
    wi_store_close(open_ok(copy));
    assert_int_equal(stat(copy, &sb), 0);
    assert_int_equal(sql_int(copy, "SELECT value FROM meta WHERE key = 'file_mark'"),
                     (long long)sb.st_ino);
}

static void a_missing_folder_and_a_folder_are_errors(void **state)
{
    struct fixture *f = *state;
    char path[128];

    snprintf(path, sizeof(path), "%s/no/such/k.db", f->dir);
    open_fails(&(struct wi_store_options){.path = path}, WI_EIO, "No such file");
    open_fails(&(struct wi_store_options){.path = f->dir}, WI_EIO, "is a directory");
    open_fails(&(struct wi_store_options){.path = f->db, .read_only = true}, WI_EIO, f->db);
}

static void a_lock_of_somebody_else_is_busy(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    struct wi_principle *p = NULL;
    struct wi_err err = {0};
    size_t n = 0;
    sqlite3 *db = NULL;

    wi_store_close(store);
    struct wi_store_options opt = {.path = f->db, .busy_ms = 50};
    assert_int_equal(wi_store_open(&opt, &store, &err), WI_OK);
    assert_int_equal(sqlite3_open(f->db, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(wi_store_remove_experiment(store, "x", &err), WI_EBUSY);
    assert_non_null(strstr(err.msg, "in use by another process"));
    /* Reading goes on. */
    assert_int_equal(wi_store_load_principles(store, &p, &n, &err), WI_OK);
    wi_principles_free(p, n);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(wi_store_remove_experiment(store, "x", &err), WI_ENOTFOUND);
    wi_store_close(store);
}

static void a_read_only_store_answers_and_refuses_to_save(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = NULL;
    struct wi_err err = {0};

    wi_store_close(open_ok(f->db));
    struct wi_store_options opt = {.path = f->db, .read_only = true};
    assert_int_equal(wi_store_open(&opt, &store, &err), WI_OK);
    check_whole(store);
    assert_int_equal(wi_store_put_cache(store, "x", 1, "y", 1, &err), WI_EIO);
    assert_non_null(strstr(err.msg, "read-only"));
    wi_store_close(store);
}

/* Writes stop at a size that the store exceeds, as on a full disk. */
static void a_full_disk_leaves_nothing_half_written(void **state)
{
    struct fixture *f = *state;
    pid_t pid = fork();

    if (pid == 0) {
        struct rlimit limit = {200000, 200000};
        struct wi_store *store = NULL;
        struct wi_err err = {0};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        enum wi_status st = wi_store_open(&(struct wi_store_options){.path = f->db}, &store, &err);
        _exit(st == WI_EIO && strstr(err.msg, f->db) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    struct wi_store *store = open_ok(f->db);
    check_whole(store);
    wi_store_close(store);
}

static void eight_processes_create_one_store(void **state)
{
    struct fixture *f = *state;
    pid_t pids[8];

    for (int i = 0; i < 8; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            struct wi_store *store = NULL;
            struct wi_dataset ds = {0};
            bool ok =
                wi_store_open(&(struct wi_store_options){.path = f->db}, &store, NULL) == WI_OK &&
                wi_store_load_dataset(store, NULL, &ds, NULL) == WI_OK && ds.n_obs > 300;
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < 8; i++) {
        int status = -1;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    struct wi_store *store = open_ok(f->db);
    check_whole(store);
    wi_store_close(store);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM pragma_integrity_check WHERE "
                                    "integrity_check <> 'ok'"),
                     0);
}

static void killed_at_any_moment_the_next_run_completes(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 50; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            struct wi_store *store = NULL;
            wi_store_open(&(struct wi_store_options){.path = f->db}, &store, NULL);
            wi_store_close(store);
            _exit(0);
        }
        /* From before the first system call to after the last: a creation takes some 50 ms. */
        usleep((useconds_t)(i * i * 40));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        struct wi_store *store = open_ok(f->db);
        check_whole(store);
        wi_store_close(store);
        char path[160];
        static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
        for (size_t k = 0; k < 4; k++) {
            snprintf(path, sizeof(path), "%s%s", f->db, suffixes[k]);
            unlink(path);
        }
    }
}

/* ---- the user's own rows ---- */

static void make_user_data(struct wi_experiment *e, struct wi_observation *o,
                           struct wi_provenance *p, const char *id)
{
    memset(e, 0, sizeof(*e));
    memset(o, 0, 2 * sizeof(*o));
    memset(p, 0, sizeof(*p));
    snprintf(e->id, sizeof(e->id), "%s", id);
    snprintf(e->source, sizeof(e->source), "MYLAB");
    snprintf(e->vendor, sizeof(e->vendor), "Acme \"quoted\" '; DROP TABLE experiments; --");
    e->nand = WI_NAND_QLC;
    e->capacity_gb = e->pe_cycles = NAN;
    e->temp_low_c = e->temp_high_c = e->rh_low_pct = e->rh_high_pct = NAN;
    struct wi_step room = {22.5, 50, {WI_AXIS_NONE, NAN, NAN}};
    e->exposure = (struct wi_exposure){room, room, room, 2.5, false};
    e->exposure.during.temp_c = 45;
    for (int i = 0; i < 2; i++) {
        snprintf(o[i].id, sizeof(o[i].id), "%s-%d", id, i);
        o[i].op = WI_OP_READ;
        o[i].percentile = i ? NAN : 99.9;
        o[i].metric = i ? WI_METRIC_BANDWIDTH : WI_METRIC_TAIL_LATENCY;
        o[i].change_pct = 12.25;
        o[i].low_pct = o[i].high_pct = o[i].base_value = o[i].value = o[i].n_samples = NAN;
        o[i].reading_error_pct = 0.5;
        o[i].confidence = WI_CONF_MEASURED;
    }
    snprintf(p->file, sizeof(p->file), "run.json");
    snprintf(p->sha256, sizeof(p->sha256), "%064d", 7);
    snprintf(p->tool, sizeof(p->tool), "fio-3.33");
    snprintf(p->imported_at, sizeof(p->imported_at), "2026-01-01T00:00:00Z");
    snprintf(p->options, sizeof(p->options), "{}");
}

static void what_is_added_comes_back_and_can_be_removed(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    struct wi_experiment e;
    struct wi_observation o[2];
    struct wi_provenance p, back;
    struct wi_dataset ds = {&e, 1, o, 2}, got = {0};
    struct wi_err err = {0};
    int64_t r0, r1, r2;
    size_t n = 99;
    char *ids = NULL;

    make_user_data(&e, o, &p, "mine");
    assert_int_equal(wi_store_revision(store, &r0, NULL), WI_OK);
    assert_int_equal(wi_store_add_experiments(store, &ds, &p, &n, &err), WI_OK);
    assert_int_equal(n, 1);
    assert_int_equal(wi_store_add_experiments(store, &ds, &p, &n, &err), WI_OK);
    assert_int_equal(n, 0); /* the same again */
    assert_int_equal(wi_store_revision(store, &r1, NULL), WI_OK);
    assert_true(r1 > r0);

    bool embedded = false;
    struct wi_experiment_filter filter = {.embedded = &embedded, .source = "MYLAB"};
    assert_int_equal(wi_store_load_dataset(store, &filter, &got, &err), WI_OK);
    assert_int_equal(got.n_exps, 1);
    assert_int_equal(got.n_obs, 2);
    assert_string_equal(got.exps[0].vendor, e.vendor);
    assert_false(got.exps[0].embedded);
    assert_true(isnan(got.obs[1].percentile) && isnan(got.obs[0].value));
    assert_true(fabs(got.obs[0].change_pct - 12.25) < 1e-12);
    wi_dataset_release(&got);
    assert_int_equal(wi_store_get_provenance(store, "mine", &back, &err), WI_OK);
    assert_string_equal(back.tool, "fio-3.33");
    assert_int_equal(wi_store_find_import(store, p.sha256, &ids, &err), WI_OK);
    assert_string_equal(ids, "mine");
    free(ids);
    assert_int_equal(wi_store_find_import(store, "0", &ids, &err), WI_ENOTFOUND);

    o[0].change_pct = 13; /* the same id with other content */
    assert_int_equal(wi_store_add_experiments(store, &ds, &p, &n, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "other content"));

    assert_int_equal(wi_store_remove_experiment(store, "mine", &err), WI_OK);
    assert_int_equal(wi_store_remove_experiment(store, "mine", &err), WI_ENOTFOUND);
    assert_int_equal(wi_store_remove_experiment(store, "DATE22-1-TLC", &err), WI_EUSAGE);
    assert_int_equal(wi_store_revision(store, &r2, NULL), WI_OK);
    assert_true(r2 > r1);
    wi_store_close(store);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM sources WHERE id = 'MYLAB'"), 0);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM observations WHERE id LIKE 'mine%'"), 0);
    assert_int_equal(
        sql_int(f->db, "SELECT count(*) FROM item_texts WHERE title LIKE 'QLC drive%'"), 0);
}

static void adding_is_all_or_nothing(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    struct wi_experiment e[2];
    struct wi_observation o[4];
    struct wi_provenance p[2];
    struct wi_dataset ds = {e, 2, o, 4};
    struct wi_err err = {0};
    size_t n = 0;

    make_user_data(&e[0], o, &p[0], "first");
    make_user_data(&e[1], o + 2, &p[1], "DATE22-1-TLC"); /* taken by the embedded data */
    o[2].exp = o[3].exp = 1;
    assert_int_equal(wi_store_add_experiments(store, &ds, p, &n, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "embedded data"));
    check_whole(store);

    make_user_data(&e[1], o + 2, &p[1], "second");
    o[2].exp = o[3].exp = 1;
    snprintf(e[1].control_id, sizeof(e[1].control_id), "nowhere");
    assert_int_equal(wi_store_add_experiments(store, &ds, p, &n, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "'nowhere'"));
    check_whole(store);

    snprintf(e[1].control_id, sizeof(e[1].control_id), "first");
    assert_int_equal(wi_store_add_experiments(store, &ds, p, &n, &err), WI_OK);
    assert_int_equal(n, 2);
    assert_int_equal(wi_store_remove_experiment(store, "first", &err), WI_EUSAGE);
    assert_non_null(strstr(err.msg, "control of 'second'"));
    wi_store_close(store);
}

/* Another release: its data differ, a row of ours is gone from them and one is new in the store. */
static void newer_embedded_data_are_merged_around_the_users_rows(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    struct wi_experiment e;
    struct wi_observation o[2];
    struct wi_provenance p;
    struct wi_dataset ds = {&e, 1, o, 2};
    size_t n = 0;
    int64_t before, after;

    make_user_data(&e, o, &p, "mine");
    assert_int_equal(wi_store_add_experiments(store, &ds, &p, &n, NULL), WI_OK);
    wi_store_close(store);
    sql(f->db, "UPDATE meta SET value = 'older' WHERE key = 'embedded_sha256';"
               "UPDATE meta SET value = '0.0.1' WHERE key = 'embedded_version';"
               "DELETE FROM observations WHERE exp = (SELECT n FROM experiments WHERE id = "
               "'DATE22-1-TLC');"
               "UPDATE principles SET title = 'old' WHERE id = 'dew-point';"
               "INSERT INTO principles SELECT NULL, 'withdrawn', title, statement, latency_effect, "
               "bandwidth_effect, equation, validity, stressors, nand, 1 FROM principles LIMIT 1;"
               "DELETE FROM principles WHERE id = 'ecc-limit'");
    store = open_ok(f->db);
    struct wi_principle one = {0};
    assert_int_equal(wi_store_get_principle(store, "dew-point", &one, NULL), WI_OK);
    assert_string_not_equal(one.title, "old");
    wi_principle_release(&one);
    assert_int_equal(wi_store_get_principle(store, "withdrawn", &one, NULL), WI_ENOTFOUND);
    assert_int_equal(wi_store_remove_experiment(store, "mine", NULL), WI_OK); /* it was there */
    check_whole(store);
    assert_int_equal(wi_store_revision(store, &before, NULL), WI_OK);
    wi_store_close(store);

    /* Equal content under another hash changes no row, so that caches stay valid. */
    sql(f->db, "UPDATE meta SET value = 'other' WHERE key = 'embedded_sha256'");
    store = open_ok(f->db);
    assert_int_equal(wi_store_revision(store, &after, NULL), WI_OK);
    assert_int_equal(before, after);
    wi_store_close(store);

    /* An older program leaves the data of a newer one alone. */
    sql(f->db, "UPDATE meta SET value = 'newer' WHERE key = 'embedded_sha256';"
               "UPDATE meta SET value = '99.0.0' WHERE key = 'embedded_version';"
               "UPDATE principles SET title = 'new' WHERE id = 'dew-point'");
    store = open_ok(f->db);
    assert_int_equal(wi_store_get_principle(store, "dew-point", &one, NULL), WI_OK);
    assert_string_equal(one.title, "new");
    wi_principle_release(&one);
    wi_store_close(store);
}

/* A file as the first release of the schema left it: what later steps add is taken back. */
static void an_older_schema_is_migrated(void **state)
{
    struct fixture *f = *state;

    wi_store_close(open_ok(f->db));
    sql(f->db, "DROP VIEW item_texts; DROP TABLE experiment_texts; DROP TABLE principle_texts;"
               "DROP TABLE scenario_vectors; DROP TABLE text_vectors;"
               "DROP TRIGGER experiments_gone; DROP TRIGGER principles_gone;"
               "DROP TABLE replies; DROP TABLE endpoint_facts; DROP TABLE cache;"
               "PRAGMA user_version = 2");
    struct wi_store_options opt = {.path = f->db, .read_only = true};
    open_fails(&opt, WI_EIO, "cannot be upgraded");
    struct wi_store *store = open_ok(f->db);
    check_whole(store);
    wi_store_close(store);
    assert_int_equal(sql_int(f->db, "PRAGMA user_version"), 5);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM item_texts"),
                     (long long)(records("data/experiments.csv") + principle_files()));
}

/* Schema 4 kept all texts in one table; vectors that an endpoint was paid for stay. */
static void the_texts_of_schema_4_are_moved_and_vectors_stay(void **state)
{
    struct fixture *f = *state;
    long long n;

    wi_store_close(open_ok(f->db));
    n = sql_int(f->db, "SELECT count(*) FROM item_texts");
    sql(f->db, "CREATE VIRTUAL TABLE old USING fts5(title, body, notes, terms, tokenize = 'porter "
               "unicode61');"
               "INSERT INTO old(rowid, title, body, notes, terms) SELECT * FROM item_texts;"
               "INSERT INTO text_vectors SELECT 'paid', item, zeroblob(8) FROM item_texts;"
               "DROP TRIGGER experiments_gone; DROP TRIGGER principles_gone; DROP VIEW item_texts;"
               "DROP TABLE experiment_texts; DROP TABLE principle_texts;"
               "ALTER TABLE old RENAME TO item_texts;"
               "CREATE TRIGGER experiments_gone AFTER DELETE ON experiments BEGIN"
               " DELETE FROM item_texts WHERE rowid = 2 * old.n; END;"
               "CREATE TRIGGER principles_gone AFTER DELETE ON principles BEGIN"
               " DELETE FROM item_texts WHERE rowid = 2 * old.n + 1; END;"
               "PRAGMA user_version = 4");
    wi_store_close(open_ok(f->db));
    assert_int_equal(sql_int(f->db, "PRAGMA user_version"), 5);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM item_texts"), n);
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM text_vectors WHERE embedder = 'paid'"),
                     n);
    sql(f->db, "DELETE FROM principles WHERE id = 'dew-point'");
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM item_texts"), n - 1);
}

static void own_principles_are_marked_and_removable(void **state)
{
    struct wi_store *store = open_ok(NULL);
    struct wi_principle p = {0}, back = {0};
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_store_get_principle(store, "dew-point", &p, &err), WI_OK);
    assert_int_equal(wi_store_add_principle(store, &p, &err), WI_EDATA);
    snprintf(p.id, sizeof(p.id), "my-rule");
    snprintf(p.sources[0].id, WI_ID_MAX, "MYBOOK");
    assert_int_equal(wi_store_add_principle(store, &p, &err), WI_OK);
    assert_int_equal(wi_store_add_principle(store, &p, &err), WI_EDATA);
    assert_int_equal(wi_store_get_principle(store, "my-rule", &back, &err), WI_OK);
    assert_false(back.embedded);
    assert_string_equal(back.statement, p.statement);
    assert_int_equal(back.n_sources, p.n_sources);
    assert_int_equal(wi_store_remove_principle(store, "dew-point", &err), WI_EUSAGE);
    assert_int_equal(wi_store_remove_principle(store, "my-rule", &err), WI_OK);
    assert_int_equal(wi_store_remove_principle(store, "my-rule", &err), WI_ENOTFOUND);
    wi_principle_release(&p);
    wi_principle_release(&back);
    wi_store_close(store);
}

static void the_log_keeps_replies_before_anybody_reads_them(void **state)
{
    struct fixture *f = *state;
    struct wi_store *store = open_ok(f->db);
    struct wi_reply_log *log = wi_store_reply_log(store);
    struct wi_reply r = {.key = "k1",
                         .endpoint = "http://x/v1",
                         .model = "m",
                         .request = "{}",
                         .response = "a\0b",
                         .n_response = 3,
                         .http_status = 200,
                         .prompt_tokens = -1,
                         .completion_tokens = 5,
                         .wall_s = 0.5};
    struct wi_logged_reply *list = NULL, one = {0};
    struct wi_err err = {0};
    char *text = NULL;
    size_t n = 0;
    int status = 0;

    assert_int_equal(log->find(log, "k1", &text, &n, &status, &err), WI_ENOTFOUND);
    assert_int_equal(log->add(log, &r, &err), WI_OK);
    r.response = "oops";
    r.n_response = 4;
    r.http_status = 500;
    assert_int_equal(log->add(log, &r, &err), WI_OK);
    assert_int_equal(log->find(log, "k1", &text, &n, &status, &err), WI_OK);
    assert_int_equal(status, 200); /* a good answer before a later bad one */
    assert_int_equal(n, 3);
    assert_memory_equal(text, "a\0b", 4);
    free(text);
    /* Committed: another process sees it at once. */
    assert_int_equal(sql_int(f->db, "SELECT count(*) FROM replies"), 2);

    assert_int_equal(log->get_fact(log, "http://x/v1", "response_format", &text, &err), WI_OK);
    assert_null(text);
    assert_int_equal(log->set_fact(log, "http://x/v1", "response_format", "json_object", &err),
                     WI_OK);
    assert_int_equal(log->get_fact(log, "http://x/v1", "response_format", &text, &err), WI_OK);
    assert_string_equal(text, "json_object");
    free(text);
    assert_int_equal(log->set_fact(log, "http://x/v1", "response_format", NULL, &err), WI_OK);
    assert_int_equal(log->get_fact(log, "http://x/v1", "response_format", &text, &err), WI_OK);
    assert_null(text);

    assert_int_equal(wi_store_list_replies(store, 0, &list, &n, &err), WI_OK);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].http_status, 500); /* newest first */
    assert_int_equal(wi_store_get_reply(store, list[1].n, &one, &err), WI_OK);
    assert_int_equal(one.n_response, 3);
    assert_string_equal(one.request, "{}");
    wi_logged_reply_release(&one);
    wi_logged_replies_free(list, n);
    assert_int_equal(wi_store_get_reply(store, 99, &one, &err), WI_ENOTFOUND);
    assert_int_equal(wi_store_prune_replies(store, "1999", 1, &n, &err), WI_OK);
    assert_int_equal(n, 1);
    assert_int_equal(wi_store_prune_replies(store, NULL, SIZE_MAX, &n, &err), WI_OK);
    assert_int_equal(n, 1);
    wi_store_close(store);
}

static void a_cache_belongs_to_a_revision(void **state)
{
    struct wi_store *store = open_ok(NULL);
    void *bytes = NULL;
    size_t n = 0;

    (void)state;
    assert_int_equal(wi_store_put_cache(store, "model", 7, "abc", 3, NULL), WI_OK);
    assert_int_equal(wi_store_get_cache(store, "model", 8, &bytes, &n, NULL), WI_ENOTFOUND);
    assert_int_equal(wi_store_get_cache(store, "model", 7, &bytes, &n, NULL), WI_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(bytes, "abc", 3);
    free(bytes);
    wi_store_close(store);
}

static size_t cached(struct wi_store *store, const char *name)
{
    void *bytes = NULL;
    size_t n = 0;

    if (wi_store_get_cache(store, name, 1, &bytes, &n, NULL) != WI_OK)
        return 0;
    free(bytes);
    return n;
}

static void reads_of_a_held_store_see_one_state(void **state)
{
    struct fixture *f = *state;
    struct wi_store *a = open_ok(f->db), *b = open_ok(f->db);
    struct wi_err err = {0};

    wi_store_hold(a);
    wi_store_hold(a); /* once is enough */
    assert_int_equal(cached(a, "other"), 0);
    assert_int_equal(wi_store_put_cache(b, "other", 1, "de", 2, &err), WI_OK); /* not held back */
    assert_int_equal(cached(a, "other"), 0);
    wi_store_let_go(a);
    wi_store_let_go(a);
    assert_int_equal(cached(a, "other"), 2);
    for (int transaction = 0; transaction < 2; transaction++) { /* what is written is never lost */
        wi_store_hold(a);
        assert_int_equal(cached(a, "other"), 2 + (size_t)transaction);
        assert_int_equal(wi_store_put_cache(b, "other", 1, "defg", 3 + (size_t)transaction, &err),
                         WI_OK);
        if (transaction)
            assert_int_equal(wi_store_begin(a, &err), WI_OK);
        assert_int_equal(wi_store_put_cache(a, "own", 1, "abcd", 4, &err), WI_OK);
        if (transaction)
            assert_int_equal(wi_store_end(a, WI_OK, &err), WI_OK);
        assert_int_equal(cached(a, "other"), 3 + (size_t)transaction);
    }
    wi_store_hold(a); /* closed while it is held */
    wi_store_close(a);
    assert_int_equal(cached(b, "own"), 4);
    wi_store_close(b);
}

int main(void)
{
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_store_holds_the_embedded_data),
        IN_FOLDER(a_newer_schema_is_refused),
        IN_FOLDER(a_foreign_database_is_refused_and_left_alone),
        IN_FOLDER(a_damaged_file_is_one_clear_error),
        IN_FOLDER(a_copied_store_is_checked_once_and_adopted),
        IN_FOLDER(a_missing_folder_and_a_folder_are_errors),
        IN_FOLDER(a_lock_of_somebody_else_is_busy),
        IN_FOLDER(a_read_only_store_answers_and_refuses_to_save),
        IN_FOLDER(a_full_disk_leaves_nothing_half_written),
        IN_FOLDER(eight_processes_create_one_store),
        IN_FOLDER(killed_at_any_moment_the_next_run_completes),
        IN_FOLDER(what_is_added_comes_back_and_can_be_removed),
        IN_FOLDER(adding_is_all_or_nothing),
        IN_FOLDER(newer_embedded_data_are_merged_around_the_users_rows),
        IN_FOLDER(an_older_schema_is_migrated),
        IN_FOLDER(the_texts_of_schema_4_are_moved_and_vectors_stay),
        IN_FOLDER(the_log_keeps_replies_before_anybody_reads_them),
        cmocka_unit_test(a_store_in_memory_needs_no_file),
        cmocka_unit_test(a_row_arrives_as_it_stands_in_the_file),
        cmocka_unit_test(own_principles_are_marked_and_removable),
        cmocka_unit_test(a_cache_belongs_to_a_revision),
        IN_FOLDER(reads_of_a_held_store_see_one_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit.h"
#include "near.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json.h"
#include "experiments/experiments_io.h"
#include "experiments/import.h"

#define FIO "tests/fixtures/fio/"

struct world {
    struct wi_store *store;
    struct wi_scenario scenario;
    struct wi_import_options opt;
    struct wi_import_report report;
    struct wi_texts notes;
    struct wi_err err;
    char dir[64];
};

static void keep_note(void *ctx, const char *line)
{
    assert_int_equal(wi_texts_add(ctx, "", NULL, "%s", line), WI_OK);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct wi_store_options opt = {0};

    assert_non_null(w);
    assert_int_equal(wi_store_open(&opt, &w->store, &w->err), WI_OK);
    wi_scenario_init(&w->scenario);
    assert_int_equal(wi_scenario_parse_temp(&w->scenario, "22.5:60", NULL), WI_OK);
    snprintf(w->scenario.device, sizeof(w->scenario.device), "Acme X1");
    w->scenario.nand = WI_NAND_TLC;
    w->scenario.given |= WI_F_NAND;
    assert_int_equal(wi_scenario_complete(&w->scenario, NULL), WI_OK);
    w->opt = (struct wi_import_options){
        .scenario = &w->scenario, .note = keep_note, .note_ctx = &w->notes};
    snprintf(w->dir, sizeof(w->dir), "/tmp/wi-import-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", w->dir);
    assert_int_equal(system(command), 0);
    wi_import_report_release(&w->report);
    wi_texts_release(&w->notes);
    wi_store_close(w->store);
    free(w);
    return 0;
}

static enum wi_status import_one(struct world *w, const char *kind, const char *file)
{
    wi_import_report_release(&w->report);
    w->err = (struct wi_err){0};
    return wi_import_files(w->store, kind, &file, 1, &w->opt, &w->report, &w->err);
}

static void load_own(struct world *w, struct wi_dataset *ds)
{
    static const bool no = false;
    struct wi_experiment_filter filter = {.embedded = &no};

    assert_int_equal(wi_store_load_dataset(w->store, &filter, ds, NULL), WI_OK);
}

static size_t count_own(struct world *w)
{
    struct wi_dataset ds = {0};
    size_t n;

    load_own(w, &ds);
    n = ds.n_exps;
    wi_dataset_release(&ds);
    return n;
}

static const struct wi_observation *find(const struct wi_dataset *ds, enum wi_op op,
                                         enum wi_metric metric, double percentile)
{
    for (size_t i = 0; i < ds->n_obs; i++) {
        if (ds->obs[i].op == op && ds->obs[i].metric == metric &&
            (metric == WI_METRIC_BANDWIDTH || ds->obs[i].percentile == percentile))
            return &ds->obs[i];
    }
    fail_msg("no figure at %g", percentile);
    return NULL;
}

static bool noted(const struct world *w, const char *words)
{
    for (size_t i = 0; i < w->notes.n; i++) {
        if (strstr(w->notes.items[i].text, words))
            return true;
    }
    return false;
}

static void path_in(const struct world *w, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "%s/%s", w->dir, name);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
    assert_int_equal(fclose(out), 0);
}

/* ---- fio -------------------------------------------------------------------------------- */

static void a_baseline_and_an_exposed_run_give_a_change(void **state)
{
    /* By hand from the files: p99 107.008 / 144.384, bandwidth 68.291067 / 52.546452. */
    struct world *w = *state;
    const char *baseline = FIO "fio-3.33.status-interval.json";
    struct wi_dataset ds = {0};
    const struct wi_observation *o;

    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    assert_int_equal(w->report.n_added, 1);
    load_own(w, &ds);
    assert_int_equal(ds.n_exps, 1);
    assert_string_equal(ds.exps[0].device, "Acme X1");
    assert_near(ds.exps[0].exposure.during.temp_c, 60.0, 0.0);
    o = find(&ds, WI_OP_READ, WI_METRIC_TAIL_LATENCY, 99.0);
    assert_int_equal(o->kind, WI_OBS_VALUE);
    assert_int_equal(o->confidence, WI_CONF_MEASURED);
    assert_near(o->change_pct, 100.0 * (107.008 / 144.384 - 1.0), 1e-9);
    assert_near(o->base_value, 144.384, 1e-9);
    assert_near(o->value, 107.008, 1e-9);
    assert_true(o->low_pct < o->change_pct && o->change_pct < o->high_pct);
    assert_near(o->reading_error_pct, (o->high_pct - o->low_pct) / 2.0, 1e-9);
    o = find(&ds, WI_OP_READ, WI_METRIC_BANDWIDTH, NAN);
    assert_near(o->change_pct, 100.0 * (68.291067 / 52.546452 - 1.0), 1e-9);
    o = find(&ds, WI_OP_READ, WI_METRIC_TAIL_LATENCY, 50.0); /* no tail: kept, no change claimed */
    assert_int_equal(o->kind, WI_OBS_ABSOLUTE);
    assert_true(noted(w, "read: 20524 samples cannot support p99.99"));
    wi_dataset_release(&ds);
}

static void without_a_baseline_no_change_is_claimed(void **state)
{
    struct world *w = *state;
    struct wi_dataset ds = {0};

    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    load_own(w, &ds);
    assert_true(ds.n_obs > 0);
    for (size_t i = 0; i < ds.n_obs; i++) {
        assert_int_equal(ds.obs[i].kind, WI_OBS_ABSOLUTE);
        assert_true(isnan(ds.obs[i].change_pct));
        assert_true(ds.obs[i].value > 0.0);
    }
    wi_dataset_release(&ds);
}

static void the_same_file_twice_adds_nothing(void **state)
{
    struct world *w = *state;

    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    assert_int_equal(w->report.files[0].outcome, WI_IMPORT_ADDED);
    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    assert_int_equal(w->report.files[0].outcome, WI_IMPORT_KNOWN);
    assert_int_equal(w->report.n_added, 0);
    assert_string_equal(w->report.files[0].ids, "own-0dac9e7b8c01");
    assert_int_equal(count_own(w), 1);
}

static void a_run_against_itself_is_refused(void **state)
{
    struct world *w = *state;
    const char *baseline = FIO "fio-3.33.sigint.json";

    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_EDATA);
    assert_non_null(strstr(w->err.msg, "is the baseline and the exposed run at once"));
    assert_int_equal(count_own(w), 0);
}

/* fio's JSON for one read job with p99 and N, otherwise plain. */
static void write_run(const char *path, double p99_us, double bw_mbps)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"j\",\"error\":0,"
             "\"job options\":{\"rw\":\"randread\",\"direct\":\"1\",\"ioengine\":\"libaio\"},"
             "\"read\":{\"io_bytes\":409600000,\"bw_bytes\":%.0f,\"runtime\":60000,"
             "\"total_ios\":100000,\"clat_ns\":{\"min\":10000,\"max\":%.0f,\"mean\":20000,"
             "\"stddev\":9000,\"N\":100000,\"percentile\":{\"50.000000\":18000,"
             "\"99.000000\":%.0f}}}}]}",
             bw_mbps * 1e6, p99_us * 1e3 * 4.0, p99_us * 1e3);
    write_file(path, text);
}

static void another_workload_than_that_of_the_baseline_is_refused(void **state)
{
    struct world *w = *state;
    char run[96], base[96], *text = NULL;
    const char *baseline = base;
    size_t n = 0;
    FILE *out;

    path_in(w, "deep.json", run, sizeof(run));
    path_in(w, "base.json", base, sizeof(base));
    write_run(base, 100.0, 200.0);
    out = open_memstream(&text, &n);
    assert_non_null(out);
    fputs("{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"j\",\"error\":0,"
          "\"job options\":{\"rw\":\"randread\",\"direct\":\"1\",\"ioengine\":\"libaio\","
          "\"iodepth\":\"32\"},\"read\":{\"io_bytes\":409600000,\"bw_bytes\":1e8,"
          "\"runtime\":60000,\"total_ios\":100000,\"clat_ns\":{\"min\":10000,\"max\":900000,"
          "\"mean\":20000,\"stddev\":9000,\"N\":100000,\"percentile\":{\"99.000000\":90000}}}}]}",
          out);
    fclose(out);
    write_file(run, text);
    free(text);
    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    assert_int_equal(import_one(w, "fio", run), WI_EDATA);
    assert_non_null(strstr(w->err.msg, "iodepth=32"));
    assert_non_null(strstr(w->err.msg, "same job file"));
    assert_int_equal(count_own(w), 0);
}

static void the_same_job_twice_is_no_precise_change(void **state)
{
    /* p99 100 and 120 us of one run each: 1.644854 * 0.1 * sqrt(2) = 0.2326 in the logarithm. */
    struct world *w = *state;
    char run[96], base[96];
    const char *baseline = base;
    struct wi_dataset ds = {0};
    const struct wi_observation *o;

    path_in(w, "run.json", run, sizeof(run));
    path_in(w, "base.json", base, sizeof(base));
    write_run(base, 100.0, 200.0);
    write_run(run, 120.0, 200.0);
    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    assert_int_equal(import_one(w, "fio", run), WI_OK);
    assert_true(noted(w, "exposed runs: 1, of the baseline: 1"));
    load_own(w, &ds);
    o = find(&ds, WI_OP_READ, WI_METRIC_TAIL_LATENCY, 99.0);
    assert_true(o->low_pct < 0.0);
    assert_true(log1p(o->change_pct / 100.0) - log1p(o->low_pct / 100.0) >= 0.2326);
    assert_non_null(strstr(o->note, "an error between runs is assumed"));
    wi_dataset_release(&ds);
}

static void repetitions_combine_and_their_scatter_widens_the_interval(void **state)
{
    /*
     * Exposed 110, 121, 100 us; baseline 100 us. The mean of the logarithms is ln(cuberoot(110 *
     * 121 * 100)) = ln 110; Student's t with 2 degrees 2.919986; sd of the logarithms ln 1.1: half
     * width 2.919986 * ln(1.1) / sqrt(3) = 0.160679, far above the sampling error of one run. The
     * baseline was run once: 1.644854 * 0.1 for what is between runs; together 0.229942.
     */
    struct world *w = *state;
    static const double us[] = {110.0, 121.0, 100.0};
    char paths[4][96];
    const char *files[3];
    const char *baseline = paths[3];
    struct wi_dataset ds = {0};
    const struct wi_observation *o;

    for (size_t i = 0; i < 3; i++) {
        path_in(w, "run-0.json", paths[i], sizeof(paths[i]));
        paths[i][strlen(paths[i]) - 6] = (char)('1' + i);
        write_run(paths[i], us[i], 200.0);
        files[i] = paths[i];
    }
    path_in(w, "base.json", paths[3], sizeof(paths[3]));
    write_run(paths[3], 100.0 * 1.0001, 200.0);
    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    assert_int_equal(wi_import_files(w->store, "fio", files, 3, &w->opt, &w->report, &w->err),
                     WI_OK);
    load_own(w, &ds);
    assert_int_equal(ds.n_exps, 1);
    o = find(&ds, WI_OP_READ, WI_METRIC_TAIL_LATENCY, 99.0);
    assert_near(o->value, 110.0, 1e-6);
    assert_true(log1p(o->high_pct / 100.0) - log1p(o->change_pct / 100.0) >= 0.229942);
    assert_true(log1p(o->high_pct / 100.0) - log1p(o->change_pct / 100.0) < 0.24);
    assert_true(noted(w, "exposed runs: 3, of the baseline: 1"));
    wi_dataset_release(&ds);
    /* One of them is no new evidence beside another set. */
    w->opt.n_baselines = 0;
    path_in(w, "run-9.json", paths[3], sizeof(paths[3]));
    write_run(paths[3], 130.0, 200.0);
    assert_int_equal(import_one(w, "fio", paths[3]), WI_OK);
    path_in(w, "base.json", paths[0], sizeof(paths[0]));
    baseline = paths[0];
    w->opt.n_baselines = 1;
    files[0] = paths[3];
    assert_int_equal(wi_import_files(w->store, "fio", files, 2, &w->opt, &w->report, &w->err),
                     WI_EDATA);
    assert_non_null(strstr(w->err.msg, "run-9.json' was imported before as own-"));
}

static void a_smart_snapshot_goes_with_the_run(void **state)
{
    struct world *w = *state;
    struct wi_dataset ds = {0};

    w->opt.smart = "tests/fixtures/smart/smartctl-7.2-ata-194-packed.json";
    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    load_own(w, &ds);
    assert_non_null(strstr(ds.exps[0].note, "smartctl 7.2, drive 36 C, 412 erase cycles"));
    assert_near(ds.exps[0].pe_cycles, 412.0, 0.0);
    wi_dataset_release(&ds);
}

static void refused_files_store_nothing(void **state)
{
    static const struct {
        const char *kind, *file;
    } rows[] = {
        {"fio", FIO "fio-3.33.enospc-devfull.json"},
        {"fio", FIO "fio-3.33.killed_empty.json"},
        {"fio", FIO "fio-3.33.truncated_3000B.json"},
        {"fio", FIO "fio-3.33.null_randtrim.json"},
        {"smartctl", "tests/fixtures/smart/smartctl-7.3-open-failed.json"},
        {"smartctl", "tests/fixtures/smart/smartctl-text.txt"},
        {"nvme", "tests/fixtures/smart/nvme-2.8-error.json"},
        {"csv", "tests/fixtures/smart/nvme-text.txt"},
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(import_one(w, rows[i].kind, rows[i].file), WI_EDATA);
        assert_non_null(strstr(w->err.msg, rows[i].file));
        assert_int_equal(count_own(w), 0);
    }
}

static void the_state_of_a_drive_becomes_an_experiment(void **state)
{
    struct world *w = *state;
    struct wi_dataset ds = {0};

    *w->scenario.device = '\0';
    assert_int_equal(import_one(w, "smartctl", "tests/fixtures/smart/smartctl-7.3-nvme.json"),
                     WI_OK);
    load_own(w, &ds);
    assert_int_equal(ds.n_exps, 1);
    assert_int_equal(ds.n_obs, 0);
    assert_string_equal(ds.exps[0].device, "Acme X1 1TB");
    assert_non_null(strstr(ds.exps[0].note, "used 3 %"));
    wi_dataset_release(&ds);
}

/* ---- files that are none ---------------------------------------------------------------- */

static void what_is_no_file_is_refused_at_once(void **state)
{
    struct world *w = *state;
    char path[96];
    static const char *const kinds[] = {"fio", "smartctl", "nvme", "csv", "sensors"};

    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(import_one(w, kinds[k], w->dir), WI_EDATA);
        assert_non_null(strstr(w->err.msg, "is a directory, a file is needed"));
        path_in(w, "fifo", path, sizeof(path));
        if (k == 0)
            assert_int_equal(mkfifo(path, 0600), 0);
        assert_int_equal(import_one(w, kinds[k], path), WI_EDATA);
        assert_non_null(strstr(w->err.msg, "is a FIFO; pipe it into '-' instead"));
        path_in(w, "loop", path, sizeof(path));
        if (k == 0)
            assert_int_equal(symlink(path, path), 0);
        assert_int_equal(import_one(w, kinds[k], path), WI_EIO);
        assert_non_null(strstr(w->err.msg, "Too many levels of symbolic links"));
        path_in(w, "missing", path, sizeof(path));
        assert_int_equal(import_one(w, kinds[k], path), WI_EIO);
        path_in(w, "two\nlines", path, sizeof(path));
        write_file(path, "");
        assert_int_equal(import_one(w, kinds[k], path), WI_EDATA);
        assert_null(strchr(w->err.msg, '\n'));
        assert_non_null(strstr(w->err.msg, "two?lines"));
    }
    assert_int_equal(count_own(w), 0);
}

static void two_gigabytes_of_holes_are_refused(void **state)
{
    struct world *w = *state;
    static const char *const kinds[] = {"fio", "smartctl", "sensors"};
    char path[96];
    int fd;

    path_in(w, "sparse", path, sizeof(path));
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 2147483648), 0);
    close(fd);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(import_one(w, kinds[k], path), WI_EDATA);
    assert_non_null(strstr(w->err.msg, "a NUL byte after 0 rows: this is no text file"));
    assert_int_equal(import_one(w, "fio", path), WI_EDATA);
    assert_non_null(strstr(w->err.msg, "holds 2147483648 bytes, at most 268435456 are read"));
    assert_int_equal(count_own(w), 0);
}

static void an_interruption_leaves_whole_files(void **state)
{
    struct world *w = *state;
    const char *files[] = {FIO "fio-3.33.sigint.json", FIO "fio-3.33.basic.json"};
    volatile sig_atomic_t stop = 1;

    w->opt.stop = &stop;
    assert_int_equal(wi_import_files(w->store, "fio", files, 2, &w->opt, &w->report, &w->err),
                     WI_ECANCEL);
    assert_int_equal(count_own(w), 0);
    assert_int_equal(import_one(w, "sensors", FIO "fio-3.33.basic.json"), WI_ECANCEL);
}

/* ---- the observation table -------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t n;
};

static enum wi_status append(void *ctx, const char *bytes, size_t n, struct wi_err *err)
{
    struct text *t = ctx;
    char *more = realloc(t->bytes, t->n + n + 1);

    if (!more)
        return wi_fail_nomem(err);
    t->bytes = more;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    t->bytes[t->n] = '\0';
    return WI_OK;
}

static void export_own(struct world *w, struct text *out)
{
    static const bool no = false;
    struct wi_experiment_filter filter = {.embedded = &no};

    *out = (struct text){0};
    assert_int_equal(wi_experiments_export(w->store, &filter, append, out, NULL), WI_OK);
}

static void remove_all_own(struct world *w)
{
    struct wi_dataset ds = {0};

    load_own(w, &ds);
    for (size_t i = 0; i < ds.n_exps; i++)
        assert_int_equal(wi_store_remove_experiment(w->store, ds.exps[i].id, NULL), WI_OK);
    wi_dataset_release(&ds);
}

static void export_remove_import_gives_the_same_bytes(void **state)
{
    struct world *w = *state;
    const char *baseline = FIO "fio-3.33.status-interval.json";
    struct text first;
    struct text second;
    char path[96];

    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.basic.json"), WI_OK);
    assert_int_equal(import_one(w, "smartctl", "tests/fixtures/smart/smartctl-7.3-nvme.json"),
                     WI_OK);
    w->opt.baselines = &baseline;
    w->opt.n_baselines = 1;
    snprintf(w->scenario.device, sizeof(w->scenario.device), "a \"quoted\", device");
    assert_int_equal(import_one(w, "fio", FIO "fio-3.33.sigint.json"), WI_OK);
    export_own(w, &first);
    path_in(w, "export.csv", path, sizeof(path));
    write_file(path, first.bytes);
    remove_all_own(w);
    assert_int_equal(count_own(w), 0);
    if (import_one(w, "csv", path) != WI_OK)
        fail_msg("%s", w->err.msg);
    assert_int_equal(w->report.n_added, 5);
    export_own(w, &second);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.bytes, second.bytes, first.n);
    assert_int_equal(import_one(w, "csv", path), WI_OK); /* and once more: nothing new */
    assert_int_equal(w->report.files[0].outcome, WI_IMPORT_KNOWN);
    assert_int_equal(w->report.n_added, 0);
    free(first.bytes);
    free(second.bytes);
}

static void embedded_data_are_never_removed_or_replaced(void **state)
{
    struct world *w = *state;
    char path[96];

    assert_int_equal(wi_store_remove_experiment(w->store, "DATE22-1-TLC", NULL), WI_EUSAGE);
    path_in(w, "table.csv", path, sizeof(path));
    write_file(path, "experiment,op,percentile,change_pct,reading_error_pct\n"
                     "DATE22-1-TLC,read,99,5,1\n");
    assert_int_equal(import_one(w, "csv", path), WI_EDATA);
    assert_non_null(strstr(w->err.msg, "belongs to the embedded data"));
    assert_int_equal(count_own(w), 0);
}

static void a_hand_written_table_is_read(void **state)
{
    struct world *w = *state;
    struct wi_dataset ds = {0};
    const struct wi_observation *o;
    char path[96];

    path_in(w, "table.csv", path, sizeof(path));
    write_file(path, "\xef\xbb\xbf# remark\n"
                     "experiment;device;nand;during_temp_c;op;percentile;change_pct;"
                     "reading_error_pct;base_value;value\n"
                     "hot;Acme;tlc;60,5;read;99,9;;2,5;100;88,5\n"
                     "hot;;;;write;99;-3;1;;\n"
                     "hot;;;;read;;;;;512\n"
                     "\n"
                     "cold;Acme;tlc;-10;read;99;4;1;;\n");
    if (import_one(w, "csv", path) != WI_OK)
        fail_msg("%s", w->err.msg);
    load_own(w, &ds);
    assert_int_equal(ds.n_exps, 2);
    assert_int_equal(ds.n_obs, 4);
    assert_near(ds.exps[1].exposure.during.temp_c, 60.5, 0.0);
    assert_near(ds.exps[1].exposure.before.temp_c, 22.5, 0.0);
    assert_true(ds.exps[1].states_assumed);
    o = find(&ds, WI_OP_READ, WI_METRIC_TAIL_LATENCY, 99.9);
    assert_near(o->change_pct, -11.5, 1e-9);
    assert_near(o->reading_error_pct, 2.5, 0.0);
    o = find(&ds, WI_OP_READ, WI_METRIC_BANDWIDTH, NAN);
    assert_int_equal(o->kind, WI_OBS_ABSOLUTE);
    wi_dataset_release(&ds);
}

static void faulty_tables_are_refused_with_line_and_column(void **state)
{
#define HEAD "experiment,op,percentile,change_pct,reading_error_pct\n"
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", ": empty: no header and no row"},
        {HEAD, ": a header and no row"},
        {"experiment,op,color\nx,read,red\n",
         ":1: unknown column 'color'; 'import csv --template' prints the known ones"},
        {"experiment,op,op\n", ":1: column 'op' stands twice"},
        {"op,percentile\nread,99\n", ":1: column 'experiment' is missing"},
        {HEAD "x,read,101,5,1\n", ":2: 'percentile' is 101, allowed is 1 to 100"},
        {HEAD "x,read,99,05. Okt,1\n",
         ":2: 'change_pct' is '05. Okt', a date that a spreadsheet made of a number such as 5.10: "
         "the number is lost; type it again in a text column"},
        {HEAD "x,read,99,-100,1\n", ":2: 'change_pct' is -100, allowed is -100 to 1e+06"},
        {HEAD "x,read,99,nan,1\n", ":2: 'change_pct' cannot be 'nan'"},
        {HEAD "x,trim,99,5,1\n", ":2: 'op' cannot be 'trim', only one of mixed, read, write"},
        {HEAD "x,read,99,5,\n", ":2: 'reading_error_pct' is empty: how well is the change known? "
                                "Give it, or 'low_pct' and "
                                "'high_pct'"},
        {HEAD "x,read,99,,\n", ":2: 'change_pct' is empty: give it, or 'value' and 'base_value'; "
                               "'value' alone is of kind "
                               "absolute"},
        {HEAD ",read,99,5,1\n", ":2: 'experiment' is empty"},
        {HEAD "my drive,read,99,5,1\n",
         ":2: 'experiment' is 'my drive': an id has letters, digits, dot, dash and underscore, and "
         "starts with a letter or digit"},
        {HEAD "x,read,99,5,1\ny,read,99,5,1\nx,read,95,5,1\n",
         ":4: rows of experiment 'x' do not stand together"},
        {HEAD "x,read,99,5,1,7\n", ":2: 6 fields under 5 columns"},
        {HEAD "\"x,read,99,5,1\n", ":2: stray or missing double quote"},
        {"experiment,during_temp_c,op,percentile,change_pct,reading_error_pct\n"
         "x,60,read,99,5,1\nx,70,read,95,5,1\n",
         ":3: experiment 'x' is described otherwise here than on its first row"},
        {"experiment,during_rh_pct,op\nx,3317,read\n",
         ":2: 'during_rh_pct' is 3317, allowed is 0 to 100"},
        {"PK\x03\x04",
         ": this is a spreadsheet (.xlsx, .ods): save the sheet as CSV and import that; "
         "'import csv --template' prints the columns"},
    };
    struct world *w = *state;
    char path[96];

    path_in(w, "t.csv", path, sizeof(path));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_file(path, rows[i].text);
        if (import_one(w, "csv", path) != WI_EDATA)
            fail_msg("row %zu was not refused", i);
        assert_memory_equal(w->err.msg, path, strlen(path));
        assert_string_equal(w->err.msg + strlen(path), rows[i].message);
        assert_int_equal(count_own(w), 0);
    }
}

static void the_template_is_a_table_that_can_be_filled_in(void **state)
{
    struct world *w = *state;
    struct text t = {0};
    char path[96];

    assert_int_equal(wi_experiments_template(append, &t, NULL), WI_OK);
    assert_int_equal(append(&t, "mine", 4, NULL), WI_OK);
    for (size_t i = 0; i < 35; i++) /* over 34 columns of the experiment and the id */
        assert_int_equal(append(&t, i == 16 ? ",50" : ",", i == 16 ? 3 : 1, NULL), WI_OK);
    assert_int_equal(append(&t, "read,,99,,,7,,,2\n", 17, NULL), WI_OK);
    path_in(w, "t.csv", path, sizeof(path));
    write_file(path, t.bytes);
    if (import_one(w, "csv", path) != WI_OK)
        fail_msg("%s", w->err.msg);
    assert_int_equal(count_own(w), 1);
    free(t.bytes);
}

static void a_difference_names_fields_and_figures(void **state)
{
    struct world *w = *state;
    char path[96];
    cJSON *json = NULL;
    char *text = NULL;

    path_in(w, "t.csv", path, sizeof(path));
    write_file(path, "experiment,during_temp_c,op,percentile,change_pct,reading_error_pct\n"
                     "a,60,read,99,5,1\nb,70,read,99,6,1\nb,,read,95,2,1\n");
    assert_int_equal(import_one(w, "csv", path), WI_OK);
    assert_int_equal(wi_experiments_diff(w->store, "a", "b", &json, NULL), WI_OK);
    assert_int_equal(wi_json_format(json, false, &text, NULL), WI_OK);
    assert_string_equal(
        text, "{\"a\":\"a\",\"b\":\"b\",\"fields\":[{\"field\":\"during_temp_c\",\"a\":\"60\","
              "\"b\":\"70\"}],\"observations\":[{\"op\":\"read\",\"metric\":\"tail_latency\","
              "\"percentile\":99,\"a_change_pct\":5,\"b_change_pct\":6,\"a_value\":null,"
              "\"b_value\":null},{\"op\":\"read\",\"metric\":\"tail_latency\",\"percentile\":95,"
              "\"a_change_pct\":null,\"b_change_pct\":2,\"a_value\":null,\"b_value\":null}]}");
    cJSON_Delete(json);
    free(text);
    assert_int_equal(wi_experiments_diff(w->store, "a", "nobody", &json, &w->err), WI_ENOTFOUND);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_baseline_and_an_exposed_run_give_a_change),
        T(without_a_baseline_no_change_is_claimed),
        T(the_same_file_twice_adds_nothing),
        T(a_run_against_itself_is_refused),
        T(another_workload_than_that_of_the_baseline_is_refused),
        T(the_same_job_twice_is_no_precise_change),
        T(repetitions_combine_and_their_scatter_widens_the_interval),
        T(a_smart_snapshot_goes_with_the_run),
        T(refused_files_store_nothing),
        T(the_state_of_a_drive_becomes_an_experiment),
        T(what_is_no_file_is_refused_at_once),
        T(two_gigabytes_of_holes_are_refused),
        T(an_interruption_leaves_whole_files),
        T(export_remove_import_gives_the_same_bytes),
        T(embedded_data_are_never_removed_or_replaced),
        T(a_hand_written_table_is_read),
        T(faulty_tables_are_refused_with_line_and_column),
        T(the_template_is_a_table_that_can_be_filled_in),
        T(a_difference_names_fields_and_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

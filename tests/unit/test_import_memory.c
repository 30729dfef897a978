/* Every parser of the importers with each of its allocations failing in turn. */
#include "unit.h"
#include "near.h"

#include <string.h>

#include "alloc_fail.h"
#include "experiments/experiments_io.h"
#include "experiments/exposure_series.h"
#include "experiments/import_fio.h"
#include "experiments/import_sensors.h"
#include "experiments/import_smart.h"

#define RUNS_MAX 200000

typedef enum wi_status (*load_fn)(const char *text, size_t n, struct wi_err *err);

static enum wi_status load_fio(const char *text, size_t n, struct wi_err *err)
{
    struct wi_fio_run run = {0};
    enum wi_status st = wi_fio_parse(text, n, "f", &run, err);

    wi_fio_run_release(&run);
    return st;
}

static enum wi_status load_smart(const char *text, size_t n, struct wi_err *err)
{
    struct wi_drive_state state;
    struct wi_texts warnings = {0};
    enum wi_status st = wi_smartctl_parse(text, n, "f", &state, &warnings, err);

    wi_texts_release(&warnings);
    return st;
}

static enum wi_status load_sensors(const char *text, size_t n, struct wi_err *err)
{
    struct wi_exposure_record record = {.file = "f"};
    struct wi_series *series = NULL;
    struct wi_sensors *sensors = NULL;
    enum wi_status st = wi_series_new(&series, err);

    if (st == WI_OK)
        st = wi_sensors_new("f", NULL, series, &record, &sensors, err);
    if (st == WI_OK)
        st = wi_sensors_feed(sensors, text, n, err);
    if (st == WI_OK)
        st = wi_sensors_finish(sensors, err);
    if (st == WI_OK)
        st = wi_series_segment(series, WI_AXIS_NONE, false, &record, err);
    wi_exposure_record_release(&record);
    wi_sensors_free(sensors);
    wi_series_free(series);
    return st;
}

static enum wi_status accept_batch(void *ctx, const struct wi_dataset *ds,
                                   const struct wi_provenance *provenance, struct wi_err *err)
{
    (void)ctx;
    (void)ds;
    (void)provenance;
    (void)err;
    return WI_OK;
}

static enum wi_status load_table(const char *text, size_t n, struct wi_err *err)
{
    struct wi_table_reader *reader = NULL;
    enum wi_status st = wi_table_reader_new("f", accept_batch, NULL, &reader, err);

    if (st == WI_OK)
        st = wi_table_reader_feed(reader, text, n, err);
    if (st == WI_OK)
        st = wi_table_reader_finish(reader, err);
    wi_table_reader_free(reader);
    return st;
}

static enum wi_status load_exposure(const char *text, size_t n, struct wi_err *err)
{
    struct wi_scenario s;

    wi_scenario_init(&s);
    return wi_exposure_parse(text, n, "f", &s, err);
}

/*
 * Leaves nothing behind, whichever allocation fails. Some failures are no error: qsort of glibc
 * sorts in place then, and SQLite does without its lookaside memory.
 */
static void fail_each(load_fn load, const char *text, size_t n)
{
    struct wi_err err = {0};
    long n_errors = 0;
    long i;

    if (!alloc_fail_works())
        skip();
    if (load(text, n, &err) != WI_OK) /* also settles what libraries allocate once */
        fail_msg("%s", err.msg);
    for (i = 0; i < RUNS_MAX; i++) {
        long live = alloc_live;
        enum wi_status st;

        alloc_fail_at(i);
        st = load(text, n, &err);
        if (!alloc_has_failed())
            break;
        n_errors += st != WI_OK;
        assert_true(st == WI_OK || err.msg[0]);
        assert_int_equal(alloc_live, live);
    }
    assert_true(i > 0 && i < RUNS_MAX);
    assert_true(2 * n_errors > i);
}

static void a_fio_output_survives_every_failure(void **state)
{
    size_t n;
    char *text;

    if (!alloc_fail_works()) /* before anything is held that skip() would leave behind */
        skip();
    text = read_fixture("tests/fixtures/fio/fio-3.33.jsonplus.json", &n);

    (void)state;
    fail_each(load_fio, text, n);
    free(text);
}

static void a_drive_state_survives_every_failure(void **state)
{
    size_t n;
    char *text;

    if (!alloc_fail_works()) /* before anything is held that skip() would leave behind */
        skip();
    text = read_fixture("tests/fixtures/smart/smartctl-7.5-nvme-bigint.json", &n);

    (void)state;
    fail_each(load_smart, text, n);
    free(text);
}

static void a_sensor_log_survives_every_failure(void **state)
{
    const char *text = "time,temp,rh,acc_x,acc_y,acc_z\n"
                       "2026-03-01 00:00:00,20,3317,0,0,1\n2026-03-01 00:00:01,21,50,0,0,1\n";

    (void)state;
    fail_each(load_sensors, text, strlen(text));
}

static void a_table_survives_every_failure(void **state)
{
    const char *text = "experiment,op,percentile,change_pct,reading_error_pct,sha256\n"
                       "a,read,99,5,1,\nb,read,99,6,1,\nb,write,99,6,1,\n";

    (void)state;
    fail_each(load_table, text, strlen(text));
}

static void an_exposure_survives_every_failure(void **state)
{
    const char *text = "{\"schema\":\"ssd-whatif/exposure/1\",\"during\":{\"temp_c\":60}}";

    (void)state;
    fail_each(load_exposure, text, strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fio_output_survives_every_failure),
        cmocka_unit_test(a_drive_state_survives_every_failure),
        cmocka_unit_test(a_sensor_log_survives_every_failure),
        cmocka_unit_test(a_table_survives_every_failure),
        cmocka_unit_test(an_exposure_survives_every_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

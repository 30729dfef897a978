#include "unit.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"

#define FUZZ_REPLAY
#include "../fuzz/fuzz_export.c"

/* ---- numbers given one by one ------------------------------------------------------------ */

static void a_number_has_a_name_and_perhaps_a_unit(void **state)
{
    static const struct {
        const char *text, *name, *unit;
        double value;
        enum wi_status st;
    } rows[] = {{"pg_rd_lat=40us", "pg_rd_lat", "us", 40.0, WI_OK},
                {"osd.3=0.5", "osd.3", "", 0.5, WI_OK},
                {"read.p99.9=1e3ps", "read.p99.9", "ps", 1000.0, WI_OK},
                {"a=0s", "a", "s", 0.0, WI_OK},
                {"=5", "", "", 0.0, WI_EUSAGE},
                {"a", "", "", 0.0, WI_EUSAGE},
                {"a=", "", "", 0.0, WI_EUSAGE},
                {"a=us", "", "", 0.0, WI_EUSAGE},
                {"a=5 us", "", "", 0.0, WI_EUSAGE},
                {"a=5min", "", "", 0.0, WI_EUSAGE},
                {"a=5usus5678901", "", "", 0.0, WI_EUSAGE},
                {"a=inf", "", "", 0.0, WI_EUSAGE},
                {"a=1e999", "", "", 0.0, WI_EUSAGE},
                {"a=-0.1", "", "", 0.0, WI_ERANGE},
                {"a=1.1e18", "", "", 0.0, WI_ERANGE}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_export_value v = {.value = 0.0};
        struct wi_err err = {0};

        if (wi_export_value_parse(rows[i].text, &v, &err) != rows[i].st)
            fail_msg("%s: %s", rows[i].text, err.msg);
        assert_string_equal(v.name, rows[i].name);
        assert_string_equal(v.unit, rows[i].unit);
        assert_true(v.value == rows[i].value);
    }
}

/* ---- what is written --------------------------------------------------------------------- */

/* A change of +25 %, so expected numbers are the base times 1.25, by hand. */
static const struct {
    const char *target, *name, *unit;
    double value;
    const char *expected; /* a line of the export */
} scaled[] = {
    {"mqsim", "Page_Read_Latency_LSB", "us", 75.0,
     "\t\t\t<Page_Read_Latency_LSB>93750</Page_Read_Latency_LSB>\n"},
    {"simplessd", "MSBRead", "us", 65.0, "\nMSBRead = 81250000\n"},
    {"femu", "pg_rd_lat", "", 40001.0, "\n-device femu,femu_mode=1,pg_rd_lat=50001\n"},
    {"nvmevirt", "NAND_4KB_READ_LATENCY_MSB", "ns", 41760.0,
     "\n#define NAND_4KB_READ_LATENCY_MSB (52200)\n"},
    {"ceph", "osd.3", "", 1.0, "\nceph osd primary-affinity osd.3 0.800 # was 1.000\n"},
    {"fio", "read.p99", "ms", 2.0, "\nlatency_target=3000\n"}, /* the upper end, +50 % */
    {"csv", "read.p99", "us", 80.0, "\nread,latency_us,99,80,25,10,50,100,88,120,0.9,inside,\n"},
};
#define N_SCALED (sizeof(scaled) / sizeof(scaled[0]))

static enum wi_status export_row(size_t i, char **text, struct wi_err *err)
{
    struct wi_export_value value = {.value = scaled[i].value};
    struct wi_export_options opt = {
        .values = &value, .n_values = 1, .percentile = NAN, .bound = -1};
    struct export_job job = {.target = wi_export_find(scaled[i].target), .opt = &opt};
    struct wi_buf out = {0};
    enum wi_status st;

    snprintf(value.name, sizeof(value.name), "%s", scaled[i].name);
    snprintf(value.unit, sizeof(value.unit), "%s", scaled[i].unit);
    job.bound = job.target->bound;
    make_side(&job.side[WI_OP_READ], WI_OP_READ, 1.25);
    st = job.target->write(&job, &out, err);
    if (st == WI_OK)
        st = wi_buf_take(&out, text, err);
    wi_buf_release(&out);
    wi_prediction_release(&job.side[WI_OP_READ].prediction);
    return st;
}

static void every_target_scales_in_its_own_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SCALED; i++) {
        char *text = NULL;
        struct wi_err err = {0};

        if (export_row(i, &text, &err) != WI_OK)
            fail_msg("%s: %s", scaled[i].target, err.msg);
        if (!strstr(text, scaled[i].expected))
            fail_msg("%s: no '%s' in\n%s", scaled[i].target, scaled[i].expected, text);
        if (strcmp(scaled[i].target, "csv") != 0) {
            assert_non_null(strstr(text, "p99 latency +25.0 % (90 % interval +10.0 to +50.0 %)"));
            assert_non_null(strstr(text, "inside what was measured"));
        }
        free(text);
    }
    for (size_t i = 0; wi_export_targets[i]; i++)
        assert_ptr_equal(wi_export_find(wi_export_targets[i]->name), wi_export_targets[i]);
    assert_null(wi_export_find("disksim"));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    if (!alloc_fail_works())
        skip();
    for (size_t i = 0; i < N_SCALED; i++) {
        long n_failed = 0;

        for (long n = 0;; n++) {
            char *text = NULL;
            struct wi_err err = {0};
            enum wi_status st;
            bool failed;
            long live = alloc_live;

            alloc_fail_at(n);
            st = export_row(i, &text, &err);
            failed = alloc_has_failed();
            if (failed && st != WI_ENOMEM)
                fail_msg("%s, allocation %ld: %s", scaled[i].target, n, err.msg);
            n_failed += failed;
            free(text);
            assert_int_equal(alloc_live, live);
            if (!failed) {
                assert_int_equal(st, WI_OK);
                break;
            }
        }
        assert_true(n_failed > 0);
    }
}

static void the_fuzz_corpus_replays(void **state)
{
    static const char folder[] = "tests/fuzz/corpus/export";
    DIR *dir = opendir(folder);
    size_t n_files = 0;

    (void)state;
    if (!dir)
        fail_msg("cannot open %s: run the tests at the top of the project", folder);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        static uint8_t bytes[65536];
        char path[512];
        FILE *in;
        size_t n;

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        in = fopen(path, "rb");
        assert_non_null(in);
        n = fread(bytes, 1, sizeof(bytes), in);
        fclose(in);
        assert_int_equal(fuzz_export(bytes, n), 0);
        n_files++;
    }
    closedir(dir);
    assert_true(n_files >= 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_has_a_name_and_perhaps_a_unit),
        cmocka_unit_test(every_target_scales_in_its_own_unit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_fuzz_corpus_replays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

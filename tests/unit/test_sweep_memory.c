/* Sweeps with each allocation failing in turn, and the corpus of their fuzzer. */
#include "evidence_data.h"

#include <dirent.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "core/evidence.h"
#include "experiments/sweep.h"
#include "experiments/sweep_find.h"
#include "experiments/sweep_join.h"
#include "experiments/sweep_summary.h"

#define FUZZ_REPLAY
#include "../fuzz/fuzz_sweep.c"

#define INPUT_MAX 65536

static struct wi_evidence *model;

static int set_up(void **state)
{
    struct wi_dataset data = {0};
    struct wi_fit *fit = NULL;
    struct wi_err err;

    (void)state;
    embedded_dataset(&data);
    if (wi_fit_embedded(WI_MODEL_DEFAULT, &fit, &err) != WI_OK ||
        wi_evidence_new(&data, fit, &model, &err) != WI_OK)
        fail_msg("%s", err.msg);
    wi_fit_free(fit);
    wi_dataset_release(&data);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_evidence_free(model);
    return 0;
}

static const char grid[] =
    "{\"schema\": \"ssd-whatif/sweep/1\", \"base\": {\"percentiles\": [99, 99.9]}, \"factors\": "
    "{\"nand\": [\"mlc\", \"tlc\"], \"temp_c\": {\"from\": 20, \"to\": 60, \"step\": 20}}}";
static const char list[] = "{\"schema\": \"ssd-whatif/sweep/1\", \"design\": \"list\", \"list\": "
                           "\"rows.csv\"}";

static void a_spec_and_a_list_survive_any_failing_allocation(void **state)
{
    char rows[] = "nand,temp_c,vendor\ntlc,40,a\nmlc,50,\"b \"\"c\"\"\"\n";
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    for (bool failed = true; failed; n += n < 40 ? 1 : 9) {
        struct wi_sweep_spec *spec = NULL;
        struct wi_err err = {0};
        struct wi_scenario s;
        FILE *in = fmemopen(rows, strlen(rows), "r");
        long before = alloc_live;
        enum wi_status st;

        assert_non_null(in);
        /* The stream makes its buffer at the first read, which is not what is tested. */
        ungetc(fgetc(in), in);
        before = alloc_live;
        alloc_fail_at(n);
        st = wi_sweep_parse(list, strlen(list), "s", &spec, &err);
        if (st == WI_OK)
            st = wi_sweep_read_list(spec, in, "l", &err);
        if (st == WI_OK)
            st = wi_sweep_scenario(spec, 1, &s, &err);
        failed = alloc_has_failed();
        if (st != WI_OK)
            assert_true(failed && *err.msg);
        wi_sweep_free(spec);
        assert_int_equal(alloc_live, before);
        fclose(in);
    }
    assert_true(n > 10);
}

static void a_run_survives_any_failing_allocation(void **state)
{
    struct wi_sweep_spec *spec = NULL;
    char path[] = "sweep-memory-XXXXXX";
    int fd = mkstemp(path);
    struct wi_sweep_options opt = {.fd = fd};
    long n = 0;

    (void)state;
    assert_true(fd >= 0);
    remove(path);
    if (!alloc_fail_works())
        skip();
    assert_int_equal(wi_sweep_parse(grid, strlen(grid), "s", &spec, NULL), WI_OK);
    for (bool failed = true; failed; n += n < 40 ? 1 : 9) {
        struct wi_err err = {0};
        long before = alloc_live;
        enum wi_status st;

        alloc_fail_at(n);
        st = wi_sweep_run(spec, model, &opt, NULL, &err);
        failed = alloc_has_failed();
        if (st != WI_OK)
            assert_true(failed && *err.msg);
        assert_int_equal(alloc_live, before);
    }
    assert_true(n > 10);
    wi_sweep_free(spec);
    close(fd);
}

static void joining_survives_any_failing_allocation(void **state)
{
    char folder[] = "sweep-join-XXXXXX", parts[2][64], record[2][64];
    char *paths[2] = {parts[1], parts[0]};
    struct wi_sweep_spec *spec = NULL;
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(wi_sweep_parse(grid, strlen(grid), "s", &spec, NULL), WI_OK);
    for (size_t k = 0; k < 2; k++) {
        struct wi_sweep_options opt = {.path = parts[k], .shard = k + 1, .n_shards = 2};

        snprintf(parts[k], sizeof(parts[k]), "%s/%zu", folder, k);
        snprintf(record[k], sizeof(record[k]), "%s/.%zu.resume", folder, k);
        assert_int_equal(wi_sweep_run(spec, model, &opt, NULL, NULL), WI_OK);
    }
    for (bool failed = true; failed; n++) {
        struct wi_err err = {0};
        FILE *out = tmpfile();
        long before = alloc_live;
        enum wi_status st;

        assert_non_null(out);
        fputc('#', out); /* so that it has its buffer */
        before = alloc_live;
        alloc_fail_at(n);
        st = wi_sweep_join(spec, WI_SWEEP_CSV, paths, 2, out, &err);
        failed = alloc_has_failed();
        if (st != WI_OK)
            assert_true(failed && *err.msg && (ftell(out) == 1 || st == WI_EIO));
        else
            assert_true(ftell(out) > 1000);
        assert_int_equal(alloc_live, before);
        fclose(out);
    }
    assert_true(n > 5);
    for (size_t k = 0; k < 2; k++) {
        remove(parts[k]);
        remove(record[k]);
    }
    rmdir(folder);
    wi_sweep_free(spec);
}

static void a_summary_survives_any_failing_allocation(void **state)
{
    struct wi_sweep_spec *spec = NULL;
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    assert_int_equal(wi_sweep_parse(grid, strlen(grid), "s", &spec, NULL), WI_OK);
    for (bool failed = true; failed; n += n < 40 ? 1 : 9) {
        struct wi_summary sum = {0};
        struct wi_err err = {0};
        long before = alloc_live;
        enum wi_status st;

        alloc_fail_at(n);
        st = wi_sweep_summary(spec, model, 64, &sum, &err);
        failed = alloc_has_failed();
        if (st != WI_OK)
            assert_true(failed && *err.msg);
        wi_summary_release(&sum);
        assert_int_equal(alloc_live, before);
    }
    wi_sweep_free(spec);
}

/* Parts cover the whole without gap or overlap, and differ by at most one scenario. */
static void parts_are_a_partition(void **state)
{
    static const uint64_t sizes[] = {0, 1, 7, 100, 12345, UINT64_C(1) << 62};
    static const uint64_t counts[] = {1, 2, 3, 8, 101};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            uint64_t at = 0;

            for (uint64_t part = 1; part <= counts[k]; part++) {
                uint64_t first, end;

                wi_sweep_part(sizes[i], part, counts[k], &first, &end);
                assert_true(first == at && end >= first);
                assert_true(end - first <= sizes[i] / counts[k] + 1);
                at = end;
            }
            assert_true(at == sizes[i]);
        }
    }
}

static void questions_are_read_with_and_without_spaces(void **state)
{
    static const struct {
        const char *text, *factor;
        double percentile, threshold_pct;
        bool below;
    } cases[] = {{"temp_c:p99.99>20", "temp_c", 99.99, 20.0, false},
                 {" rh_pct : p90 < -5 % ", "rh_pct", 90.0, -5.0, true},
                 {"temp_c: max > 1e1", "temp_c", 100.0, 10.0, false},
                 {"temp_c: bandwidth < -20%", "temp_c", NAN, -20.0, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wi_sweep_question q;

        assert_int_equal(wi_sweep_question_parse(cases[i].text, &q, NULL), WI_OK);
        assert_string_equal(q.factor, cases[i].factor);
        assert_true(q.percentile == cases[i].percentile ||
                    (isnan(q.percentile) && isnan(cases[i].percentile)));
        assert_true(q.threshold_pct == cases[i].threshold_pct);
        assert_int_equal(q.below, cases[i].below);
    }
}

static void every_input_of_the_fuzzer_is_read_or_refused(void **state)
{
    const char *folder = "tests/fuzz/corpus/sweep";
    uint8_t *bytes = malloc(INPUT_MAX);
    DIR *dir = opendir(folder);
    size_t n_files = 0;

    (void)state;
    if (!dir || !bytes)
        fail_msg("cannot open %s: run the tests at the top of the project", folder);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[512];
        FILE *in;
        size_t n;

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        in = fopen(path, "rb");
        assert_non_null(in);
        n = fread(bytes, 1, INPUT_MAX, in);
        fclose(in);
        assert_int_equal(fuzz_sweep(bytes, n), 0);
        n_files++;
    }
    closedir(dir);
    free(bytes);
    assert_true(n_files >= 40);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_and_a_list_survive_any_failing_allocation),
        cmocka_unit_test(a_run_survives_any_failing_allocation),
        cmocka_unit_test(joining_survives_any_failing_allocation),
        cmocka_unit_test(a_summary_survives_any_failing_allocation),
        cmocka_unit_test(parts_are_a_partition),
        cmocka_unit_test(questions_are_read_with_and_without_spaces),
        cmocka_unit_test(every_input_of_the_fuzzer_is_read_or_refused)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

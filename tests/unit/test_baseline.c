#include "unit.h"
#include "near.h"

#include <string.h>

#include "experiments/baseline.h"

#define FIO "tests/fixtures/fio/"

static void a_run_turns_percent_into_microseconds(void **state)
{
    /* By hand: p99 of the file 144.384 us, +10 % is 158.8224; 52.546452 MB/s, -20 % 42.0371616. */
    struct wi_baseline b;
    struct wi_prediction p = {0};

    (void)state;
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.status-interval.json", &b, NULL, NULL), WI_OK);
    p.scenario.op = WI_OP_READ;
    p.forecast.n_tail = 3;
    p.forecast.tail[0] =
        (struct wi_change){.percentile = 99, .change_pct = 10, .low_pct = 5, .high_pct = 15};
    p.forecast.tail[1] =
        (struct wi_change){.percentile = 99.9, .change_pct = 0, .low_pct = -5, .high_pct = 5};
    p.forecast.tail[2] =
        (struct wi_change){.percentile = 99.9999, .change_pct = 0, .low_pct = -5, .high_pct = 5};
    p.forecast.bandwidth =
        (struct wi_change){.percentile = NAN, .change_pct = -20, .low_pct = -30, .high_pct = -10};
    assert_int_equal(wi_baseline_apply(&b, &p, NULL), WI_OK);
    assert_near(p.forecast.tail[0].value, 144.384 * 1.1, 1e-9);
    assert_true(p.forecast.tail[0].low < 144.384 * 1.05);
    assert_true(p.forecast.tail[0].high > 144.384 * 1.15);
    assert_near(p.forecast.tail[1].value, 370.688, 1e-9);
    assert_true(isnan(p.forecast.tail[2].value)); /* 38,499 I/Os know nothing of p99.9999 */
    assert_near(p.forecast.bandwidth.value, 52.546452 * 0.8, 1e-9);
    assert_int_equal(p.forecast.warnings.n, 1);
    assert_non_null(strstr(p.forecast.warnings.items[0].text, "knows percentiles 1 to 99.99"));
    wi_texts_release(&p.forecast.warnings);
}

static void percentiles_between_are_interpolated_and_never_fall(void **state)
{
    struct wi_baseline b;
    double last = 0.0;

    (void)state;
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.status-interval.json", &b, NULL, NULL), WI_OK);
    for (double q = 50.0; q < 99.99; q += (100.0 - q) / 20.0) {
        double v;
        double low;
        double high;

        assert_true(wi_baseline_latency(&b.ops[WI_OP_READ], q, &v, &low, &high));
        assert_true(v >= last && low < v && v < high);
        last = v;
    }
}

static void absolute_latencies_are_monotone(void **state)
{
    struct wi_baseline b;
    struct wi_prediction p = {0};

    (void)state;
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.status-interval.json", &b, NULL, NULL), WI_OK);
    p.scenario.op = WI_OP_READ;
    p.forecast.n_tail = 2;
    p.forecast.tail[0] =
        (struct wi_change){.percentile = 99, .change_pct = 200, .low_pct = 150, .high_pct = 250};
    p.forecast.tail[1] =
        (struct wi_change){.percentile = 99.5, .change_pct = 0, .low_pct = -5, .high_pct = 5};
    assert_int_equal(wi_baseline_apply(&b, &p, NULL), WI_OK);
    assert_near(p.forecast.tail[1].value, p.forecast.tail[0].value, 0.0);
    assert_true(p.forecast.tail[1].low <= p.forecast.tail[1].value);
    assert_true(p.forecast.tail[1].value <= p.forecast.tail[1].high);
    assert_non_null(strstr(p.forecast.warnings.items[0].text, "were raised"));
    wi_texts_release(&p.forecast.warnings);
}

static void reads_and_writes_of_one_job_make_the_mixture(void **state)
{
    /*
     * fio-3.33.unified_both.json holds read, write and fio's own mixture; its reads and writes
     * (fio-3.33.jsonplus.json has no mixture of fio's) are mixed here. 242 reads beside 270 writes:
     * the lower half is all writes, the upper all reads, so the mixture's p90 is the reads'
     * 1 - 0.1 * 512 / 242 = 78.8th percentile, which lies between their 70th and 80th.
     */
    struct wi_baseline b;
    double v;
    double low;
    double high;
    const struct wi_baseline_op *r;

    (void)state;
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.jsonplus.json", &b, NULL, NULL), WI_OK);
    r = &b.ops[WI_OP_READ];
    assert_true(b.ops[WI_OP_MIXED].known);
    assert_near(b.ops[WI_OP_MIXED].bw_mbps, 43.097043 + 48.083478, 1e-9);
    assert_true(wi_baseline_latency(&b.ops[WI_OP_MIXED], 90.0, &v, &low, &high));
    for (size_t i = 0; i < r->n; i++) {
        if (r->percentile[i] == 70.0)
            assert_true(v > r->lat_us[i]);
        if (r->percentile[i] == 80.0)
            assert_true(v < r->lat_us[i]);
    }
}

static void what_is_no_baseline_is_refused(void **state)
{
    struct wi_baseline b;
    struct wi_prediction p = {0};
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.basic.json", &b, NULL, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "jobs 'r' and 'mix' both measure read"));
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.killed_empty.json", &b, NULL, &err), WI_EDATA);
    assert_int_equal(wi_baseline_load(FIO "fio-3.33.sigint.json", &b, NULL, NULL), WI_OK);
    p.scenario.op = WI_OP_WRITE;
    assert_int_equal(wi_baseline_apply(&b, &p, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "did not measure write"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_turns_percent_into_microseconds),
        cmocka_unit_test(percentiles_between_are_interpolated_and_never_fall),
        cmocka_unit_test(absolute_latencies_are_monotone),
        cmocka_unit_test(reads_and_writes_of_one_job_make_the_mixture),
        cmocka_unit_test(what_is_no_baseline_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

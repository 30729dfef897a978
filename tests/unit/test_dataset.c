#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/dataset.h"

static void names_and_their_parsers_agree(void **state)
{
    enum wi_metric metric;
    enum wi_obs_kind kind;
    enum wi_stat stat;
    enum wi_confidence confidence;

    (void)state;
    for (int i = WI_METRIC_TAIL_LATENCY; i <= WI_METRIC_BANDWIDTH; i++) {
        assert_true(wi_metric_parse(wi_metric_name((enum wi_metric)i), &metric));
        assert_int_equal(metric, i);
    }
    for (int i = WI_OBS_VALUE; i <= WI_OBS_ABSOLUTE; i++) {
        assert_true(wi_obs_kind_parse(wi_obs_kind_name((enum wi_obs_kind)i), &kind));
        assert_int_equal(kind, i);
    }
    for (int i = WI_STAT_NONE; i <= WI_STAT_MAX; i++) {
        assert_true(wi_stat_parse(wi_stat_name((enum wi_stat)i), &stat));
        assert_int_equal(stat, i);
    }
    for (int i = WI_CONF_READ; i <= WI_CONF_MEASURED; i++) {
        assert_true(wi_confidence_parse(wi_confidence_name((enum wi_confidence)i), &confidence));
        assert_int_equal(confidence, i);
    }
    assert_string_equal(wi_metric_name(WI_METRIC_TAIL_LATENCY), "tail_latency");
    assert_string_equal(wi_obs_kind_name(WI_OBS_TOO_SMALL), "too_small");
    assert_string_equal(wi_stat_name(WI_STAT_NONE), "");
    assert_string_equal(wi_confidence_name(WI_CONF_UNVERIFIED), "unverified");
    assert_false(wi_metric_parse("latency", &metric));
    assert_false(wi_obs_kind_parse("", &kind));
    assert_false(wi_confidence_parse("sure", &confidence));
}

static void release_accepts_zeroed_and_released_datasets(void **state)
{
    struct wi_dataset ds = {0};

    (void)state;
    wi_dataset_release(NULL);
    wi_dataset_release(&ds);
    ds.exps = calloc(2, sizeof(*ds.exps));
    ds.obs = calloc(3, sizeof(*ds.obs));
    ds.n_exps = 2;
    ds.n_obs = 3;
    wi_dataset_release(&ds);
    assert_null(ds.exps);
    assert_int_equal(ds.n_obs, 0);
    wi_dataset_release(&ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_their_parsers_agree),
        cmocka_unit_test(release_accepts_zeroed_and_released_datasets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

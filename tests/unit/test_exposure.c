#include "unit.h"
#include "near.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

#include "core/json.h"
#include "experiments/exposure_series.h"

static enum wi_status parse(const char *text, struct wi_scenario *s, struct wi_err *err)
{
    return wi_exposure_parse(text, strlen(text), "f", s, err);
}

#define STEPS                                                                                      \
    "\"before\":{\"temp_c\":22,\"rh_pct\":null,\"vib\":null},"                                     \
    "\"during\":{\"temp_c\":60,\"rh_pct\":80,\"vib\":{\"axis\":\"parallel\",\"freq_hz\":20,"       \
    "\"grms\":1.1},\"hours\":6},\"after\":null"

static void a_file_fills_a_scenario_and_leaves_the_rest_open(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(parse("{\"schema\":\"ssd-whatif/exposure/1\"," STEPS "}", &s, NULL), WI_OK);
    assert_near(s.exposure.before.temp_c, 22, 0);
    assert_true(isnan(s.exposure.before.rh_pct));
    assert_near(s.exposure.during.temp_c, 60, 0);
    assert_near(s.exposure.during.rh_pct, 80, 0);
    assert_int_equal(s.exposure.during.vib.axis, WI_AXIS_PARALLEL);
    assert_near(s.exposure.during_h, 6, 0);
    assert_false(s.exposure.has_after);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_near(s.exposure.before.rh_pct, 50, 0);
    assert_true(s.assumed & WI_F_BEFORE_RH);
    assert_false(s.assumed & WI_F_DURING_RH);
}

static void what_was_given_before_wins(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_temp(&s, "25:50", NULL), WI_OK);
    assert_int_equal(parse("{\"schema\":\"ssd-whatif/exposure/1\"," STEPS "}", &s, NULL), WI_OK);
    assert_near(s.exposure.during.temp_c, 50, 0);
    assert_near(s.exposure.during.rh_pct, 80, 0);
}

static void a_vibration_of_unknown_axis_is_completed_as_assumed(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(parse("{\"schema\":\"ssd-whatif/exposure/1\",\"during\":{\"vib\":{\"axis\":"
                           "\"unknown\",\"freq_hz\":null,\"grms\":2}}}",
                           &s, NULL),
                     WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_int_equal(s.exposure.during.vib.axis, WI_AXIS_PERPENDICULAR);
    assert_near(s.exposure.during.vib.grms, 2, 0);
    assert_true(s.assumed & WI_F_DURING_AXIS);
}

static void faulty_files_are_refused_with_their_path(void **state)
{
    static const struct {
        const char *text;
        enum wi_status st;
        const char *message;
    } rows[] = {
        {"{}", WI_EDATA,
         "f: schema: must be \"ssd-whatif/exposure/1\"; 'import sensors' writes one"},
        {"{\"schema\":\"ssd-whatif/exposure/1\"}", WI_EDATA, "f: during: missing"},
        {"{\"schema\":\"ssd-whatif/exposure/1\",\"during\":{\"temp_c\":\"60\"}}", WI_EDATA,
         "f: during.temp_c: must be a number or null"},
        {"{\"schema\":\"ssd-whatif/exposure/1\",\"during\":{\"rh_pct\":3317}}", WI_ERANGE,
         "f: during.rh_pct: 3317 is out of range, allowed is 0 to 100"},
        {"{\"schema\":\"ssd-whatif/exposure/1\",\"during\":{\"vib\":{\"axis\":\"up\"}}}", WI_EDATA,
         "f: during.vib.axis: must be none, parallel, perpendicular or unknown"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_scenario s;
        struct wi_scenario untouched;
        struct wi_err err = {0};

        wi_scenario_init(&s);
        untouched = s;
        assert_int_equal(parse(rows[i].text, &s, &err), rows[i].st);
        assert_string_equal(err.msg, rows[i].message);
        assert_memory_equal(&s, &untouched, sizeof(s));
    }
}

static void a_record_written_is_the_scenario_read(void **state)
{
    struct wi_series *series = NULL;
    struct wi_exposure_record r = {.file = "f", .is_absolute = true};
    struct wi_scenario s;
    char path[] = "/tmp/wi-exposure-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(wi_series_new(&series, NULL), WI_OK);
    for (int m = 0; m < 600; m++) {
        bool during = m >= 100 && m < 500;

        wi_series_add(series, WI_CH_TEMP, 60.0 * m, during ? 55.0 : 21.0);
        wi_series_add(series, WI_CH_GRMS, 60.0 * m, during ? 1.5 : 0.001);
    }
    assert_int_equal(wi_series_segment(series, WI_AXIS_PARALLEL, true, &r, NULL), WI_OK);
    assert_int_equal(wi_exposure_record_save(&r, path, NULL), WI_OK);
    wi_scenario_init(&s);
    assert_int_equal(wi_exposure_load(path, &s, NULL), WI_OK);
    assert_near(s.exposure.before.temp_c, 21, 1e-9);
    assert_near(s.exposure.during.temp_c, 55, 1e-9);
    assert_near(s.exposure.after.temp_c, 21, 1e-9);
    assert_true(s.exposure.has_after);
    assert_int_equal(s.exposure.during.vib.axis, WI_AXIS_PARALLEL);
    assert_near(s.exposure.during.vib.grms, 1.5, 1e-3);
    assert_int_equal(s.exposure.after.vib.axis, WI_AXIS_NONE);
    assert_near(s.exposure.during_h, 400.0 / 60.0, 0.01);
    assert_true(isnan(s.exposure.during.rh_pct));
    wi_exposure_record_release(&r);
    wi_series_free(series);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_fills_a_scenario_and_leaves_the_rest_open),
        cmocka_unit_test(what_was_given_before_wins),
        cmocka_unit_test(a_vibration_of_unknown_axis_is_completed_as_assumed),
        cmocka_unit_test(faulty_files_are_refused_with_their_path),
        cmocka_unit_test(a_record_written_is_the_scenario_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

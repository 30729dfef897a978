#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/scenario.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NOT_STATED NAN

static void same(double a, double b)
{
    if (isnan(b))
        assert_true(isnan(a));
    else
        assert_true(fabs(a - b) <= 1e-9 * fmax(1.0, fabs(b)));
}

static void an_empty_scenario_becomes_the_reference_room(void **state)
{
    static const double expected[] = {90, 95, 99, 99.9, 99.99};
    struct wi_scenario s;
    struct wi_stressors x;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    same(s.exposure.before.temp_c, 22.5);
    same(s.exposure.before.rh_pct, 50);
    same(s.exposure.during.temp_c, 22.5);
    same(s.exposure.during.rh_pct, 50);
    assert_int_equal(s.exposure.during.vib.axis, WI_AXIS_NONE);
    assert_false(s.exposure.has_after);
    assert_int_equal(s.op, WI_OP_MIXED);
    assert_int_equal(s.phase, WI_PHASE_RUNNING);
    assert_int_equal(s.nand, WI_NAND_UNKNOWN);
    same(s.confidence, 0.9);
    assert_int_equal(s.n_percentiles, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        same(s.percentiles[i], expected[i]);
    x = wi_scenario_stressors(&s);
    assert_false(x.temp || x.rh || x.vib);
    assert_int_equal(s.assumed, WI_F_NAND | WI_F_OP | WI_F_PHASE | WI_F_PERCENTILES |
                                    WI_F_CONFIDENCE | WI_F_BEFORE_TEMP | WI_F_BEFORE_RH |
                                    WI_F_BEFORE_VIB | WI_F_DURING_TEMP | WI_F_DURING_RH |
                                    WI_F_DURING_VIB);
}

static void what_is_given_is_not_assumed(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    s.nand = WI_NAND_TLC;
    s.given |= WI_F_NAND;
    assert_int_equal(wi_scenario_parse_temp(&s, "25:60", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_false(s.assumed & (WI_F_NAND | WI_F_BEFORE_TEMP | WI_F_DURING_TEMP));
    assert_true(s.assumed & WI_F_BEFORE_RH);
    assert_true(wi_scenario_stressors(&s).temp);
    assert_false(wi_scenario_stressors(&s).rh);
}

static void during_takes_the_before_value_where_it_is_not_given(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    s.exposure.before.temp_c = 40;
    s.given |= WI_F_BEFORE_TEMP;
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    same(s.exposure.during.temp_c, 40);
}

static void an_after_step_means_post_and_post_means_an_after_step(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_temp(&s, "22.5:50:30", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_int_equal(s.phase, WI_PHASE_POST);
    assert_true(s.assumed & WI_F_PHASE);
    same(s.exposure.after.temp_c, 30);
    same(s.exposure.after.rh_pct, 50);

    wi_scenario_init(&s);
    s.phase = WI_PHASE_POST;
    s.given |= WI_F_PHASE;
    assert_int_equal(wi_scenario_parse_temp(&s, "25:60", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_true(s.exposure.has_after);
    same(s.exposure.after.temp_c, 25);
    assert_true(s.assumed & WI_F_AFTER_TEMP);
}

/* The axis that measured worse: DAC'19, short-term perpendicular, 120 h parallel. */
static void vibration_without_an_axis_takes_the_worse_one(void **state)
{
    static const struct {
        enum wi_phase phase;
        enum wi_axis axis;
    } rows[] = {{WI_PHASE_RUNNING, WI_AXIS_PERPENDICULAR},
                {WI_PHASE_POST, WI_AXIS_PERPENDICULAR},
                {WI_PHASE_LONG_TERM, WI_AXIS_PARALLEL}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s;

        wi_scenario_init(&s);
        s.phase = rows[i].phase;
        s.given |= WI_F_DURING_VIB | WI_F_PHASE;
        assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
        assert_int_equal(s.exposure.during.vib.axis, rows[i].axis);
        assert_true(s.assumed & WI_F_DURING_AXIS);
        assert_true(s.assumed & WI_F_DURING_FREQ);
        assert_true(isnan(s.exposure.during.vib.freq_hz));
    }
}

static void percentiles_follow_the_stressor(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_vib(&s, "parallel@20", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    same(s.percentiles[0], 99);
    same(s.percentiles[4], 99.9999);

    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_vib(&s, "parallel", NULL), WI_OK);
    assert_int_equal(wi_scenario_parse_temp(&s, "60", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    same(s.percentiles[0], 90);
}

static void completing_twice_changes_nothing(void **state)
{
    static const char *const vibs[] = {"none", "parallel@20:1", "perpendicular"};

    (void)state;
    for (size_t i = 0; i < COUNT(vibs); i++) {
        struct wi_scenario a, b;

        wi_scenario_init(&a);
        assert_int_equal(wi_scenario_parse_vib(&a, vibs[i], NULL), WI_OK);
        assert_int_equal(wi_scenario_complete(&a, NULL), WI_OK);
        b = a;
        assert_int_equal(wi_scenario_complete(&b, NULL), WI_OK);
        assert_memory_equal(&a, &b, sizeof(a));
    }
}

static void an_assumed_value_follows_a_later_given_one(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    s.exposure.before.temp_c = 0;
    s.given |= WI_F_BEFORE_TEMP;
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    same(s.exposure.during.temp_c, 0);
    assert_false(s.assumed & WI_F_BEFORE_TEMP);
}

static void no_vibration_strength_is_no_vibration(void **state)
{
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_vib(&s, "parallel@20:0", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_false(wi_scenario_stressors(&s).vib);
}

static void shorthand_temperatures_are_read_in_any_unit(void **state)
{
    static const struct {
        const char *text;
        double before, during, after;
    } rows[] = {
        {"60", NOT_STATED, 60, NOT_STATED},
        {"22.5:60", 22.5, 60, NOT_STATED},
        {"25C:140F:25C", 25, 60, 25}, /* 140 F = 60 C */
        {"333.15K", NOT_STATED, 60, NOT_STATED},
        {"-10", NOT_STATED, -10, NOT_STATED},
        {" -40 : 85 ", -40, 85, NOT_STATED},
        {"72f:140f", 22.2222222222, 60, NOT_STATED},
        {"-40F", NOT_STATED, -40, NOT_STATED}, /* the scales meet at -40 */
        {"60\xc2\xb0"
         "C",
         NOT_STATED, 60, NOT_STATED},
        {".5", NOT_STATED, 0.5, NOT_STATED},
        {"-60:150", -60, 150, NOT_STATED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s;

        wi_scenario_init(&s);
        assert_int_equal(wi_scenario_parse_temp(&s, rows[i].text, NULL), WI_OK);
        same(s.exposure.before.temp_c, rows[i].before);
        same(s.exposure.during.temp_c, rows[i].during);
        same(s.exposure.after.temp_c, rows[i].after);
        assert_int_equal(s.exposure.has_after, !isnan(rows[i].after));
        assert_int_equal(!!(s.given & WI_F_BEFORE_TEMP), !isnan(rows[i].before));
        assert_true(s.given & WI_F_DURING_TEMP);
    }
}

static void shorthand_vibration_has_axis_frequency_and_strength(void **state)
{
    static const struct {
        const char *text;
        enum wi_axis axis;
        double freq_hz, grms;
    } rows[] = {
        {"none", WI_AXIS_NONE, NOT_STATED, NOT_STATED},
        {"parallel", WI_AXIS_PARALLEL, NOT_STATED, NOT_STATED},
        {"Parallel@20", WI_AXIS_PARALLEL, 20, NOT_STATED},
        {"perpendicular@20:1.14", WI_AXIS_PERPENDICULAR, 20, 1.14},
        {"perpendicular@20Hz:1.14g", WI_AXIS_PERPENDICULAR, 20, 1.14},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s;

        wi_scenario_init(&s);
        assert_int_equal(wi_scenario_parse_vib(&s, rows[i].text, NULL), WI_OK);
        assert_int_equal(s.exposure.during.vib.axis, rows[i].axis);
        same(s.exposure.during.vib.freq_hz, rows[i].freq_hz);
        same(s.exposure.during.vib.grms, rows[i].grms);
        assert_true(s.given & WI_F_DURING_VIB);
        assert_true(s.given & WI_F_DURING_AXIS);
    }
}

typedef enum wi_status (*parse_fn)(struct wi_scenario *, const char *, struct wi_err *);

static void bad_shorthand_is_refused_and_changes_nothing(void **state)
{
    static const struct {
        parse_fn parse;
        const char *text;
        enum wi_status status;
        const char *says;
    } rows[] = {
        {wi_scenario_parse_temp, "", WI_EUSAGE, "B:D:A"},
        {wi_scenario_parse_temp, "hot", WI_EUSAGE, "'hot'"},
        {wi_scenario_parse_temp, "60X", WI_EUSAGE, "'60X'"},
        {wi_scenario_parse_temp, "60CC", WI_EUSAGE, "'60CC'"},
        {wi_scenario_parse_temp, "1:2:3:4", WI_EUSAGE, "'1:2:3:4'"},
        {wi_scenario_parse_temp, "25:", WI_EUSAGE, "'25:'"},
        {wi_scenario_parse_temp, "0x20", WI_EUSAGE, "'0x20'"},
        {wi_scenario_parse_temp, "nan", WI_EUSAGE, "'nan'"},
        {wi_scenario_parse_temp, "inf", WI_EUSAGE, "'inf'"},
        {wi_scenario_parse_temp, "1e999", WI_EUSAGE, "1e999"},
        {wi_scenario_parse_temp, "500", WI_ERANGE, "-60..150 C"},
        {wi_scenario_parse_temp, "25:-61", WI_ERANGE, "-60..150 C"},
        {wi_scenario_parse_temp, "0K", WI_ERANGE, "-60..150 C"},
        {wi_scenario_parse_rh, "130", WI_ERANGE, "0..100 %RH"},
        {wi_scenario_parse_rh, "-1", WI_ERANGE, "0..100 %RH"},
        {wi_scenario_parse_rh, "50C", WI_EUSAGE, "'50C'"},
        {wi_scenario_parse_vib, "sideways", WI_EUSAGE, "parallel"},
        {wi_scenario_parse_vib, "none@20", WI_EUSAGE, "'none@20'"},
        {wi_scenario_parse_vib, "parallel@", WI_EUSAGE, "'parallel@'"},
        {wi_scenario_parse_vib, "parallel@0", WI_ERANGE, "0.1..20000 Hz"},
        {wi_scenario_parse_vib, "parallel@20:101", WI_ERANGE, "0..100 grms"},
        {wi_scenario_parse_vib, "parallel@20:1:2", WI_EUSAGE, "'parallel@20:1:2'"},
        {wi_scenario_parse_percentiles, "101", WI_ERANGE, "1..100"},
        {wi_scenario_parse_percentiles, "0", WI_ERANGE, "1..100"},
        {wi_scenario_parse_percentiles, "99,,95", WI_EUSAGE, "99,,95"},
        {wi_scenario_parse_percentiles, "tail", WI_EUSAGE, "'tail'"},
        {wi_scenario_parse_percentiles,
         "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
         "33",
         WI_EUSAGE, "at most 32"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s, unchanged;
        struct wi_err err = {0};

        wi_scenario_init(&s);
        unchanged = s;
        assert_int_equal(rows[i].parse(&s, rows[i].text, &err), rows[i].status);
        if (!strstr(err.msg, rows[i].says))
            fail_msg("'%s': message '%s' lacks '%s'", rows[i].text, err.msg, rows[i].says);
        assert_memory_equal(&s, &unchanged, sizeof(s));
    }
}

static void percentiles_are_sorted_and_distinct(void **state)
{
    static const double expected[] = {95, 99, 99.9, 100};
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_percentiles(&s, "99.9, 99,max,95,p99", NULL), WI_OK);
    assert_int_equal(s.n_percentiles, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        same(s.percentiles[i], expected[i]);
    assert_true(s.given & WI_F_PERCENTILES);
    assert_int_equal(wi_scenario_set_percentiles(&s, NULL, 0, NULL), WI_ERANGE);
}

static void a_value_out_of_range_is_refused_and_changes_nothing(void **state)
{
    static const struct {
        size_t offset;
        double value;
        const char *says;
    } rows[] = {
        {offsetof(struct wi_scenario, exposure.before.temp_c), -61, "-60..150 C"},
        {offsetof(struct wi_scenario, exposure.during.temp_c), 151, "-60..150 C"},
        {offsetof(struct wi_scenario, exposure.during.temp_c), INFINITY, "-60..150 C"},
        {offsetof(struct wi_scenario, exposure.during.rh_pct), 101, "0..100 %RH"},
        {offsetof(struct wi_scenario, exposure.during_h), -1, "0..876000 h"},
        {offsetof(struct wi_scenario, confidence), 0.4, "0.5..0.999"},
        {offsetof(struct wi_scenario, confidence), 1, "0.5..0.999"},
        {offsetof(struct wi_scenario, capacity_gb), -5, "capacity"},
        {offsetof(struct wi_scenario, pe_cycles), 2e6, "P/E cycles"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s, unchanged;
        struct wi_err err = {0};

        wi_scenario_init(&s);
        memcpy((char *)&s + rows[i].offset, &rows[i].value, sizeof(double));
        unchanged = s;
        assert_int_equal(wi_scenario_complete(&s, &err), WI_ERANGE);
        if (!strstr(err.msg, rows[i].says))
            fail_msg("message '%s' lacks '%s'", err.msg, rows[i].says);
        assert_memory_equal(&s, &unchanged, sizeof(s));
    }
}

static void names_and_their_parsers_agree(void **state)
{
    enum wi_nand nand;
    enum wi_op op;
    enum wi_phase phase;
    enum wi_axis axis;

    (void)state;
    for (int i = WI_NAND_UNKNOWN; i <= WI_NAND_QLC; i++) {
        assert_true(wi_nand_parse(wi_nand_name((enum wi_nand)i), &nand));
        assert_int_equal(nand, i);
    }
    for (int i = WI_OP_MIXED; i <= WI_OP_WRITE; i++) {
        assert_true(wi_op_parse(wi_op_name((enum wi_op)i), &op));
        assert_int_equal(op, i);
    }
    for (int i = WI_PHASE_RUNNING; i <= WI_PHASE_LONG_TERM; i++) {
        assert_true(wi_phase_parse(wi_phase_name((enum wi_phase)i), &phase));
        assert_int_equal(phase, i);
    }
    for (int i = WI_AXIS_NONE; i <= WI_AXIS_PERPENDICULAR; i++) {
        assert_true(wi_axis_parse(wi_axis_name((enum wi_axis)i), &axis));
        assert_int_equal(axis, i);
    }
    assert_true(wi_nand_parse("TLC", &nand));
    assert_false(wi_nand_parse("plc", &nand));
    assert_false(wi_op_parse("", &op));
    assert_string_equal(wi_field_name(WI_F_NAND), "nand");
    assert_string_equal(wi_field_name(WI_F_DURING_HOURS), "exposure.during.hours");
    assert_string_equal(wi_field_name(WI_F_AFTER_VIB), "exposure.after.vib");
    assert_null(wi_field_name((enum wi_field)(1u << WI_N_FIELDS)));
    assert_null(wi_field_name((enum wi_field)0));
}

static void a_scenario_is_one_line_for_people(void **state)
{
    static const struct {
        const char *temp, *rh, *vib;
        const char *line;
    } rows[] = {
        {"60", NULL, NULL, "any NAND, mixed, running; 22.5 C 50 %RH still -> 60 C"},
        {"25:60:25", NULL, NULL, "any NAND, mixed, post; 25 C 50 %RH still -> 60 C -> 25 C"},
        {NULL, "80", "parallel@20:1.14",
         "any NAND, mixed, running; 22.5 C 50 %RH still -> 80 %RH parallel vibration 20 Hz 1.14 "
         "grms"},
        {NULL, NULL, NULL, "any NAND, mixed, running; 22.5 C 50 %RH still -> unchanged"},
    };
    char buf[256], tiny[8];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s;
        int n;

        wi_scenario_init(&s);
        if (rows[i].temp)
            assert_int_equal(wi_scenario_parse_temp(&s, rows[i].temp, NULL), WI_OK);
        if (rows[i].rh)
            assert_int_equal(wi_scenario_parse_rh(&s, rows[i].rh, NULL), WI_OK);
        if (rows[i].vib)
            assert_int_equal(wi_scenario_parse_vib(&s, rows[i].vib, NULL), WI_OK);
        assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
        n = wi_scenario_format(&s, buf, sizeof(buf));
        assert_string_equal(buf, rows[i].line);
        assert_int_equal(n, strlen(rows[i].line));
        assert_int_equal(wi_scenario_format(&s, tiny, sizeof(tiny)), n);
        assert_int_equal(strlen(tiny), sizeof(tiny) - 1);
        assert_int_equal(wi_scenario_format(&s, NULL, 0), n);
    }
}

static void what_was_assumed_is_one_line_for_people(void **state)
{
    static const struct {
        const char *temp, *vib;
        enum wi_phase phase;
        const char *line;
    } rows[] = {
        {"20:60", "none", WI_PHASE_RUNNING,
         "any NAND, mixed operation, the measured percentiles, 90 % interval; before: 50 %RH, "
         "no vibration; during: 50 %RH"},
        {NULL, "parallel", WI_PHASE_LONG_TERM,
         "any NAND, mixed operation, the measured percentiles, 90 % interval, the measured "
         "frequency, the measured duration; before: 22.5 C, 50 %RH, no vibration; during: 22.5 C, "
         "50 %RH"},
        {"20:60:30", "parallel@20", WI_PHASE_POST,
         "any NAND, mixed operation, the measured percentiles, 90 % interval; before: 50 %RH, "
         "no vibration; during: 50 %RH; after: 50 %RH, no vibration"},
    };
    char buf[256];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario s;

        wi_scenario_init(&s);
        s.phase = rows[i].phase;
        s.given |= WI_F_PHASE;
        if (rows[i].temp)
            assert_int_equal(wi_scenario_parse_temp(&s, rows[i].temp, NULL), WI_OK);
        if (rows[i].vib)
            assert_int_equal(wi_scenario_parse_vib(&s, rows[i].vib, NULL), WI_OK);
        assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
        assert_int_equal(wi_scenario_format_assumed(&s, buf, sizeof(buf)), strlen(rows[i].line));
        assert_string_equal(buf, rows[i].line);
    }
}

static void nothing_assumed_is_an_empty_line(void **state)
{
    struct wi_scenario s;
    char buf[8] = "x";

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_format_assumed(&s, buf, sizeof(buf)), 0);
    assert_string_equal(buf, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_scenario_becomes_the_reference_room),
        cmocka_unit_test(what_is_given_is_not_assumed),
        cmocka_unit_test(during_takes_the_before_value_where_it_is_not_given),
        cmocka_unit_test(an_after_step_means_post_and_post_means_an_after_step),
        cmocka_unit_test(vibration_without_an_axis_takes_the_worse_one),
        cmocka_unit_test(percentiles_follow_the_stressor),
        cmocka_unit_test(completing_twice_changes_nothing),
        cmocka_unit_test(an_assumed_value_follows_a_later_given_one),
        cmocka_unit_test(no_vibration_strength_is_no_vibration),
        cmocka_unit_test(shorthand_temperatures_are_read_in_any_unit),
        cmocka_unit_test(shorthand_vibration_has_axis_frequency_and_strength),
        cmocka_unit_test(bad_shorthand_is_refused_and_changes_nothing),
        cmocka_unit_test(percentiles_are_sorted_and_distinct),
        cmocka_unit_test(a_value_out_of_range_is_refused_and_changes_nothing),
        cmocka_unit_test(names_and_their_parsers_agree),
        cmocka_unit_test(a_scenario_is_one_line_for_people),
        cmocka_unit_test(what_was_assumed_is_one_line_for_people),
        cmocka_unit_test(nothing_assumed_is_an_empty_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit.h"
#include "near.h"

#include <string.h>

#include "experiments/import_smart.h"

#define FIXTURES "tests/fixtures/smart/"
#define NONE NAN

struct parsed {
    enum wi_status st;
    struct wi_drive_state s;
    struct wi_texts warnings;
    struct wi_err err;
};

static void parse_file(const char *name, struct parsed *p)
{
    char path[256];
    size_t n;
    char *text;

    snprintf(path, sizeof(path), FIXTURES "%s", name);
    text = read_fixture(path, &n);
    *p = (struct parsed){0};
    p->st = strncmp(name, "nvme", 4) == 0
                ? wi_nvme_parse(text, n, name, &p->s, &p->warnings, &p->err)
                : wi_smartctl_parse(text, n, name, &p->s, &p->warnings, &p->err);
    free(text);
}

static bool warned(const struct parsed *p, const char *words)
{
    for (size_t i = 0; i < p->warnings.n; i++) {
        if (strstr(p->warnings.items[i].text, words))
            return true;
    }
    return false;
}

static void check(double got, double expected)
{
    if (isnan(expected))
        assert_true(isnan(got));
    else
        assert_near(got, expected, 1e-9);
}

static void every_shape_gives_the_values_written_into_it(void **state)
{
    /*
     * Read off the fixtures by hand; kelvin - 273.15: 309 -> 35.85, 316 -> 42.85, 349 -> 75.85,
     * 340 -> 66.85. 240518299684 = 0x38_0002_0024: now 0x24 = 36, low 2, high 0x38 = 56.
     */
    static const struct {
        const char *file;
        double temp_c, low_c, high_c, sensor_1, sensor_2, sensor_3, used, spare, pe;
        const char *power_on, *written, *media;
        int critical, passed;
    } rows[] = {
        {"smartctl-7.3-nvme.json", 41, NONE, NONE, 41, 52, NONE, 3, 100, NONE, "7890", "12345678",
         "0", 0, 1},
        {"smartctl-7.5-nvme-bigint.json", 67, NONE, NONE, 67, NONE, 71, 118, 9, NONE, "61320",
         "18446744073709551615", "17", 4, -1},
        {"smartctl-7.2-ata-194-packed.json", 36, 2, 56, NONE, NONE, NONE, NONE, NONE, 412, "4386",
         "", "1", -1, 1},
        {"smartctl-7.0-ata-194-raw-only.json", 36, 2, 56, NONE, NONE, NONE, NONE, NONE, 35, "", "",
         "", -1, -1},
        {"smartctl-7.3-raid-zero.json", NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
         "12000", "", "", -1, -1},
        {"smartctl-7.4-sas.json", 33, NONE, NONE, NONE, NONE, NONE, 6, NONE, NONE, "15432", "", "",
         -1, -1},
        {"smartctl-7.3-minus-93.json", NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, "5",
         "", "", -1, -1},
        {"smartctl-7.3-ata-194-absurd.json", NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
         "100", "", "", -1, -1},
        {"nvme-1.12-kelvin.json", 35.85, NONE, NONE, 35.85, 42.85, NONE, 1, 100, NONE, "3456",
         "3456789", "0", 0, -1},
        {"nvme-2.8-big.json", 75.85, NONE, NONE, 75.85, NONE, 66.85, 42, 99, NONE, "26280",
         "9223372036854775809", "3", 2, -1},
        {"nvme-3.0-celsius-strings.json", 46, NONE, NONE, 46, 58, NONE, 7, 100, NONE, "8760",
         "7654321", "0", 0, -1},
        {"nvme-1.9-no-sensors.json", NONE, NONE, NONE, NONE, NONE, NONE, 0, 100, NONE, "1", "2",
         "0", 0, -1},
        {"nvme-1.9-180-kelvin.json", NONE, NONE, NONE, NONE, NONE, NONE, 0, 100, NONE, "3", "", "",
         0, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;

        parse_file(rows[i].file, &p);
        if (p.st != WI_OK)
            fail_msg("%s", p.err.msg);
        check(p.s.temp_c, rows[i].temp_c);
        check(p.s.temp_low_c, rows[i].low_c);
        check(p.s.temp_high_c, rows[i].high_c);
        check(p.s.n_sensors > 0 ? p.s.sensors_c[0] : NAN, rows[i].sensor_1);
        check(p.s.n_sensors > 1 ? p.s.sensors_c[1] : NAN, rows[i].sensor_2);
        check(p.s.n_sensors > 2 ? p.s.sensors_c[2] : NAN, rows[i].sensor_3);
        check(p.s.used_pct, rows[i].used);
        check(p.s.spare_pct, rows[i].spare);
        check(p.s.pe_cycles, rows[i].pe);
        assert_string_equal(p.s.counters[WI_CTR_POWER_ON_H].text, rows[i].power_on);
        assert_string_equal(p.s.counters[WI_CTR_DATA_WRITTEN].text, rows[i].written);
        assert_string_equal(p.s.counters[WI_CTR_MEDIA_ERRORS].text, rows[i].media);
        assert_int_equal(p.s.critical_warning, rows[i].critical);
        assert_int_equal(p.s.passed, rows[i].passed);
        wi_texts_release(&p.warnings);
    }
}

static void counts_beyond_doubles_stay_exact(void **state)
{
    /* 2^53 + 1 and + 3, 2^64 - 1, 2^65 + 1 and 2^128 - 1: none is a double. */
    static const struct {
        const char *file;
        enum wi_counter counter;
        const char *text;
    } rows[] = {
        {"smartctl-7.5-nvme-bigint.json", WI_CTR_DATA_READ, "9007199254740993"},
        {"smartctl-7.5-nvme-bigint.json", WI_CTR_HOST_WRITES, "9007199254740995"},
        {"smartctl-7.5-nvme-bigint.json", WI_CTR_DATA_WRITTEN, "18446744073709551615"},
        {"smartctl-7.5-nvme-bigint.json", WI_CTR_HOST_READS, "36893488147419103233"},
        {"nvme-2.8-big.json", WI_CTR_HOST_READS, "9007199254740993"},
        {"nvme-2.8-big.json", WI_CTR_DATA_READ, "340282366920938463463374607431768211455"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;

        parse_file(rows[i].file, &p);
        assert_int_equal(p.st, WI_OK);
        assert_string_equal(p.s.counters[rows[i].counter].text, rows[i].text);
        wi_texts_release(&p.warnings);
    }
}

static void the_largest_number_of_64_bits_is_not_beyond_them(void **state)
{
    struct parsed p;

    (void)state;
    parse_file("smartctl-7.5-nvme-bigint.json", &p);
    assert_false(warned(&p, "18446744073709551615 is beyond 64 bits"));
    wi_texts_release(&p.warnings);
}

static void throttling_is_read_from_nvme(void **state)
{
    struct parsed p;

    (void)state;
    parse_file("nvme-2.8-big.json", &p);
    assert_string_equal(p.s.counters[WI_CTR_TMT1_TRANSITIONS].text, "44");
    assert_string_equal(p.s.counters[WI_CTR_TMT2_TRANSITIONS].text, "3");
    assert_string_equal(p.s.counters[WI_CTR_TMT1_TIME_S].text, "5400");
    assert_string_equal(p.s.counters[WI_CTR_TMT2_TIME_S].text, "60");
    assert_string_equal(p.s.counters[WI_CTR_WARNING_TEMP_MIN].text, "181");
    assert_string_equal(p.s.counters[WI_CTR_CRITICAL_TEMP_MIN].text, "2");
    wi_texts_release(&p.warnings);
}

static void what_is_not_taken_is_said(void **state)
{
    static const struct {
        const char *file, *words;
    } rows[] = {
        {"smartctl-7.3-raid-zero.json", "temperature.current: 0 means no sensor"},
        {"smartctl-7.3-minus-93.json", "temperature.current: -93 is -93.0 C"},
        {"smartctl-7.3-ata-194-absurd.json",
         "attribute 194 holds no plausible temperature (65535)"},
        {"smartctl-7.5-nvme-bigint.json", "36893488147419103233 is beyond 64 bits"},
        {"smartctl-7.5-nvme-bigint.json", "temperature_sensors[1]: 0 means no sensor"},
        {"nvme-2.8-big.json", "340282366920938463463374607431768211455 is beyond 64 bits"},
        {"nvme-1.9-no-sensors.json", "temperature: 0 means no sensor"},
        {"nvme-1.9-180-kelvin.json", "180 is -93.1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;

        parse_file(rows[i].file, &p);
        assert_int_equal(p.st, WI_OK);
        if (!warned(&p, rows[i].words))
            fail_msg("%s: no warning '%s'", rows[i].file, rows[i].words);
        wi_texts_release(&p.warnings);
    }
}

static void what_is_no_state_is_refused_with_its_reason(void **state)
{
    static const struct {
        const char *file, *words;
    } rows[] = {
        {"smartctl-7.3-open-failed.json", "the tool failed: Smartctl open device: /dev/sdz failed"},
        {"smartctl-text.txt", "no JSON object in it: run smartctl with -j"},
        {"nvme-text.txt", "no JSON object in it: run nvme smart-log with -o json"},
        {"nvme-2.8-error.json", "the tool failed: /dev/nvme9: No such file or directory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;

        parse_file(rows[i].file, &p);
        assert_int_equal(p.st, WI_EDATA);
        if (!strstr(p.err.msg, rows[i].words))
            fail_msg("'%s' does not say '%s'", p.err.msg, rows[i].words);
        wi_texts_release(&p.warnings);
    }
}

static void each_tool_is_told_from_the_other(void **state)
{
    const char *smartctl = "{\"smartctl\":{\"version\":[7,3]},\"temperature\":{\"current\":40}}";
    const char *nvme = "{\"temperature\":310}";
    struct wi_drive_state s;
    struct wi_texts warnings = {0};
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_nvme_parse(smartctl, strlen(smartctl), "f", &s, &warnings, &err), WI_EDATA);
    assert_string_equal(err.msg, "f: this is smartctl's output: import it as smartctl");
    assert_int_equal(wi_smartctl_parse(nvme, strlen(nvme), "f", &s, &warnings, &err), WI_EDATA);
    assert_string_equal(err.msg, "f: JSON, but not smartctl's: no member 'smartctl'");
}

static void a_state_reads_as_one_line(void **state)
{
    struct parsed p;
    char line[512];

    (void)state;
    parse_file("nvme-1.12-kelvin.json", &p);
    wi_drive_state_format(&p.s, line, sizeof(line));
    assert_non_null(strstr(line,
                           "nvme smart-log, drive 35.85 C, sensor 1 35.85 C, sensor 2 42.85 C, "
                           "used 1 %, spare 100 %, critical warning 0x00, media_errors 0, "
                           "tmt1_transitions 5, tmt2_transitions 1"));
    wi_texts_release(&p.warnings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_gives_the_values_written_into_it),
        cmocka_unit_test(counts_beyond_doubles_stay_exact),
        cmocka_unit_test(the_largest_number_of_64_bits_is_not_beyond_them),
        cmocka_unit_test(throttling_is_read_from_nvme),
        cmocka_unit_test(what_is_not_taken_is_said),
        cmocka_unit_test(what_is_no_state_is_refused_with_its_reason),
        cmocka_unit_test(each_tool_is_told_from_the_other),
        cmocka_unit_test(a_state_reads_as_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

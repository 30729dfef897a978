#include "unit.h"
#include "near.h"

#include <string.h>

#include "experiments/import_sensors.h"
#include "experiments/series_time.h"
#include "experiments/series_value.h"

/* Feed a text in pieces of a given size and cut it into steps. */
static enum wi_status read_text(const char *text, const struct wi_series_options *opt, size_t piece,
                                struct wi_exposure_record *record, struct wi_err *err)
{
    struct wi_series *series = NULL;
    struct wi_sensors *sensors = NULL;
    size_t n = strlen(text);
    enum wi_status st;

    *record = (struct wi_exposure_record){.file = "f"};
    assert_int_equal(wi_series_new(&series, NULL), WI_OK);
    assert_int_equal(wi_sensors_new("f", opt, series, record, &sensors, NULL), WI_OK);
    st = WI_OK;
    for (size_t i = 0; i < n && st == WI_OK; i += piece)
        st = wi_sensors_feed(sensors, text + i, piece < n - i ? piece : n - i, err);
    if (st == WI_OK)
        st = wi_sensors_finish(sensors, err);
    if (st == WI_OK)
        st = wi_series_segment(series, WI_AXIS_NONE, false, record, err);
    wi_sensors_free(sensors);
    wi_series_free(series);
    return st;
}

static bool warned(const struct wi_exposure_record *r, const char *words)
{
    for (size_t i = 0; i < r->warnings.n; i++) {
        if (strstr(r->warnings.items[i].text, words))
            return true;
    }
    return false;
}

static void times_of_loggers_are_read(void **state)
{
    /* Seconds by `date -u -d ... +%s`. */
    static const struct {
        const char *text;
        char order;
        enum wi_time_kind kind;
        double time_s;
    } rows[] = {
        {"2026-03-01T12:00:00Z", 0, WI_TIME_ZONED, 1772366400},
        {"2026-03-01T12:00:00.25+01:00", 0, WI_TIME_ZONED, 1772362800.25},
        {"2026-03-01 12:00:00 -0530", 0, WI_TIME_ZONED, 1772386200},
        {"2026-03-01 12:00:00", 0, WI_TIME_LOCAL, 1772366400},
        {"2026/03/01 12:00", 0, WI_TIME_LOCAL, 1772366400},
        {"01.03.2026 12:00:00", 0, WI_TIME_LOCAL, 1772366400},
        {"01.03.26 12:00", 0, WI_TIME_LOCAL, 1772366400},
        {"13/02/2026 00:00", 0, WI_TIME_LOCAL, 1770940800},
        {"02/13/2026 00:00", 0, WI_TIME_LOCAL, 1770940800},
        {"03/04/2026 00:00", 0, WI_TIME_AMBIGUOUS, 0},
        {"03/04/2026 00:00", 'd', WI_TIME_LOCAL, 1775174400},
        {"03/04/2026 00:00", 'm', WI_TIME_LOCAL, 1772582400},
        {"03/04/2026 2:05:30 PM", 'm', WI_TIME_LOCAL, 1772633130},
        {"2026-03-01", 0, WI_TIME_LOCAL, 1772323200},
        {"1772366400", 0, WI_TIME_ZONED, 1772366400},
        {"1772366400250", 0, WI_TIME_ZONED, 1772366400.25},
        {"1772366400250000", 0, WI_TIME_ZONED, 1772366400.25},
        {"1772366400250000000", 0, WI_TIME_ZONED, 1772366400.25},
        {"12.5", 0, WI_TIME_RELATIVE, 12.5},
        {"2024-02-29 00:00:00", 0, WI_TIME_LOCAL, 1709164800},
        {"2026-02-29 00:00:00", 0, WI_TIME_BAD, 0},
        {"2026-13-01", 0, WI_TIME_BAD, 0},
        {"yesterday", 0, WI_TIME_BAD, 0},
        {"2026-03-01T25:61:00Z", 0, WI_TIME_BAD, 0},
        {"-5", 0, WI_TIME_BAD, 0},
        {"", 0, WI_TIME_BAD, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double t = 0.0;
        enum wi_time_kind kind = wi_time_parse(rows[i].text, rows[i].order, &t);

        if (kind != rows[i].kind)
            fail_msg("'%s': kind %d", rows[i].text, kind);
        if (kind > WI_TIME_AMBIGUOUS)
            assert_near(t, rows[i].time_s, 1e-6);
    }
}

static void cells_are_read_with_their_units(void **state)
{
    static const struct {
        const char *text;
        bool comma;
        enum wi_value_kind kind;
        double value;
        enum wi_unit unit;
    } rows[] = {
        {"23.5", false, WI_VALUE_NUMBER, 23.5, WI_UNIT_NONE},
        {"23,5", true, WI_VALUE_NUMBER, 23.5, WI_UNIT_NONE},
        {"1.234,5", true, WI_VALUE_NUMBER, 1234.5, WI_UNIT_NONE},
        {"23.5 °C", false, WI_VALUE_NUMBER, 23.5, WI_UNIT_C},
        {"73.4F", false, WI_VALUE_NUMBER, 73.4, WI_UNIT_F},
        {"309 K", false, WI_VALUE_NUMBER, 309, WI_UNIT_K},
        {"23 degrees C", false, WI_VALUE_NUMBER, 23, WI_UNIT_C},
        {"+45.0°C", false, WI_VALUE_NUMBER, 45, WI_UNIT_C},
        {"55%", false, WI_VALUE_NUMBER, 55, WI_UNIT_PCT},
        {"-1.5e1", false, WI_VALUE_NUMBER, -15, WI_UNIT_NONE},
        {"123456789012345678", false, WI_VALUE_NUMBER, 123456789012345678.0, WI_UNIT_NONE},
        {"unavailable", false, WI_VALUE_MISSING, 0, WI_UNIT_NONE},
        {"nan", false, WI_VALUE_MISSING, 0, WI_UNIT_NONE},
        {"", false, WI_VALUE_MISSING, 0, WI_UNIT_NONE},
        {"12:30", false, WI_VALUE_MISSING, 0, WI_UNIT_NONE},
        {"05. Okt", true, WI_VALUE_DATE, 0, WI_UNIT_NONE},
        {"10-May", false, WI_VALUE_DATE, 0, WI_UNIT_NONE},
        {"Oct 5", false, WI_VALUE_DATE, 0, WI_UNIT_NONE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double v = 0.0;
        enum wi_unit unit = WI_UNIT_NONE;
        enum wi_value_kind kind = wi_value_parse(rows[i].text, rows[i].comma, &v, &unit);

        if (kind != rows[i].kind || (kind == WI_VALUE_NUMBER && unit != rows[i].unit))
            fail_msg("'%s': kind %d unit %d", rows[i].text, kind, unit);
        if (kind == WI_VALUE_NUMBER)
            assert_near(v, rows[i].value, 0.0);
    }
}

enum dialect { ISO_COMMA, FAHRENHEIT_SEMICOLON, KELVIN_TAB, BAR_UNITS };

static int format_row(enum dialect d, char *buf, size_t size, int m, double temp_c, double rh_pct)
{
    int h = m / 60;
    int min = m % 60;

    switch (d) {
    case ISO_COMMA:
        return snprintf(buf, size, "2026-03-01T%02d:%02d:00Z,%.2f,%.2f\n", h, min, temp_c, rh_pct);
    case FAHRENHEIT_SEMICOLON:
        return snprintf(buf, size, "2026-03-01 %02d:%02d:00;%.2f;%.2f\n", h, min,
                        32.0 + 1.8 * temp_c, rh_pct);
    case KELVIN_TAB:
        return snprintf(buf, size, "01.03.2026 %02d:%02d\t%.2f\t%.2f\n", h, min, temp_c + 273.15,
                        rh_pct);
    case BAR_UNITS:
        return snprintf(buf, size, "2026-03-01 %02d:%02d:00 | %.2f degrees C | %.2f %%\n", h, min,
                        temp_c, rh_pct);
    }
    return 0;
}

/* 22 C for 2 h, ramp of 30 min to 60 C, 6 h there, ramp back, 2 h: a row every minute. */
static char *make_cycle(enum dialect d)
{
    /* A string of its own, since "\xbf" would take the D of Date as one more hex digit. */
    static const char bom_header[] = {"\xef\xbb\xbf"
                                      "Date\tTemp [K]\trh"};
    static const char *const headers[] = {"time,temperature,humidity", "time;Temp (°F);RH (%)",
                                          bom_header, "timestamp|Inlet Temp|RH"};
    size_t size = 1000 * 96;
    char *text = malloc(size);
    size_t used;

    assert_non_null(text);
    used = (size_t)snprintf(text, size, "%s\n", headers[d]);
    for (int m = 0; m < 660; m++) {
        double up = fmin(1.0, fmax(0.0, (m - 120) / 30.0));
        double down = fmin(1.0, fmax(0.0, (m - 510) / 30.0));
        double temp = 22.0 + 38.0 * (up - down) + 0.2 * ((m * 7) % 3 - 1);
        double rh = 50.0 + 30.0 * (up - down) + 0.3 * ((m * 5) % 3 - 1);

        used += (size_t)format_row(d, text + used, size - used, m, temp, rh);
    }
    return text;
}

static void check_cycle(const struct wi_exposure_record *r)
{
    assert_int_equal(r->n_steps, 3);
    assert_near(r->exposure.before.temp_c, 22.0, 0.3);
    assert_near(r->exposure.during.temp_c, 60.0, 0.3);
    assert_near(r->exposure.after.temp_c, 22.0, 0.3);
    assert_near(r->exposure.before.rh_pct, 50.0, 0.5);
    assert_near(r->exposure.during.rh_pct, 80.0, 0.5);
    assert_true(r->exposure.has_after);
    assert_near(r->exposure.during_h, 6.0, 0.2);
    assert_near(r->ramps[0].hours, 0.5, 0.15);
    assert_near(r->ramps[0].temp_c_per_h, 76.0, 25.0);
}

static void a_cycle_is_cut_into_before_during_after(void **state)
{
    (void)state;
    for (int d = ISO_COMMA; d <= BAR_UNITS; d++) {
        char *text = make_cycle((enum dialect)d);
        struct wi_exposure_record r;
        struct wi_err err = {0};

        if (read_text(text, NULL, 1000, &r, &err) != WI_OK)
            fail_msg("dialect %d: %s", d, err.msg);
        check_cycle(&r);
        assert_true(r.is_absolute);
        assert_near(r.counts.rows, 660.0, 0.0);
        wi_exposure_record_release(&r);
        free(text);
    }
}

static void pieces_of_any_size_give_the_same_exposure(void **state)
{
    static const size_t pieces[] = {1, 7, 4096, 1000000};
    char *text = make_cycle(ISO_COMMA);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct wi_exposure_record r;

        assert_int_equal(read_text(text, NULL, pieces[i], &r, NULL), WI_OK);
        check_cycle(&r);
        wi_exposure_record_release(&r);
    }
    free(text);
}

static void formats_of_well_known_loggers_are_read(void **state)
{
    static const struct {
        const char *name, *text;
        double temp_c, rh_pct, rows;
    } rows[] = {
        {"Home Assistant history",
         "entity_id,state,last_changed\n"
         "sensor.rack_temperature,40.0,2026-03-01T00:00:00.000Z\n"
         "sensor.rack_humidity,60.5,2026-03-01T00:00:10.000Z\n"
         "sensor.rack_dew_point,30.1,2026-03-01T00:00:20.000Z\n"
         "sensor.rack_temperature,unavailable,2026-03-01T00:01:00.000Z\n"
         "sensor.rack_temperature,40.4,2026-03-01T00:02:00.000Z\n"
         "sensor.rack_humidity,61.5,2026-03-01T00:02:10.000Z\n",
         40.2, 61.0, 6},
        {"InfluxDB annotated",
         "#group,false,false,true,true,false,false,true,true\n"
         "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,"
         "string\n"
         "#default,_result,,,,,,,\n"
         ",result,table,_start,_stop,_time,_value,_field,_measurement\n"
         ",,0,2026-03-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-01T01:00:00Z,55.5,temperature,env\n"
         ",,0,2026-03-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-01T01:01:00Z,56.5,temperature,env\n"
         "\n"
         "#group,false,false,true,true,false,false,true,true\n"
         "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,"
         "string\n"
         "#default,_result,,,,,,,\n"
         ",result,table,_start,_stop,_time,_value,_field,_measurement\n"
         ",,1,2026-03-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-01T01:00:00Z,33,humidity,env\n",
         56.0, 33.0, 3},
        {"ESP with a DHT22, epoch",
         "ts,t,h\n1772366400,23.10,41.20\n1772366460,23.30,41.40\n1772366520,23.20,41.30\n", 23.2,
         41.3, 3},
        {"date and clock apart, decimal comma",
         "Datum;Uhrzeit;Temperatur in °C;Luftfeuchte in %\n"
         "01.03.2026;12:00:00;23,50;45,0\n01.03.2026;12:01:00;24,50;47,0\n",
         24.0, 46.0, 2},
        {"several temperatures",
         "time,CPU Temp,Ambient Temp,Humidity\n"
         "2026-03-01 00:00:00,80,25,40\n2026-03-01 00:01:00,82,27,40\n",
         26.0, 40.0, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_exposure_record r;
        struct wi_err err = {0};

        if (read_text(rows[i].text, NULL, 64, &r, &err) != WI_OK)
            fail_msg("%s: %s", rows[i].name, err.msg);
        assert_int_equal(r.n_steps, 1);
        assert_near(r.exposure.during.temp_c, rows[i].temp_c, 1e-9);
        assert_near(r.exposure.during.rh_pct, rows[i].rh_pct, 1e-9);
        assert_near(r.counts.rows, rows[i].rows, 0.0);
        wi_exposure_record_release(&r);
    }
}

static void doubtful_rows_are_counted_and_said(void **state)
{
    static const struct {
        const char *text, *words;
        double temp_c;
    } rows[] = {
        {"time,temp,rh\n2026-03-01 00:00:00,20,3317\n2026-03-01 00:01:00,22,50\n",
         "f:2: 3317 %RH is impossible (humidity is 0 to 100); 1 such readings left out", 21},
        {"time,temp\n2026-03-01 00:00:00,20\n2026-03-01 00:01:00,-127\n2026-03-01 00:02:00,22\n",
         "f:3: -127 C is impossible", 21},
        {"time,temp\n2026-03-01 00:00:00,20\n2026-03-01 00:00:00,99\n2026-03-01 00:01:00,22\n",
         "1 readings repeat a time", 21},
        {"time,temp\n2026-03-01 00:01:00,20\n2026-03-01 00:00:00,22\n", "1 times go backward", 21},
        {"time,temp\n2026-03-01 00:00:00,20\n2026-03-01 00:01:00,21\n2026-03-01 09:00:00,22\n",
         "1 gaps, the longest of 32340 s", 21},
        {"time,temp\n2026-03-01 00:00:00Z,20\n2026-03-01 00:01:00,22\n",
         "1 times name a zone and 1 do not", 21},
        {"time,temp\n2026-03-01 00:00:00,20 C\n2026-03-01 00:01:00,71.6 F\n", "mixed units", 21},
        {"time,temp\n2026-03-01 00:00:00,20\n2026-03-01 00:01:00,nan\n2026-03-01 00:02:00,22\n",
         "1 of 3 rows or cells hold no number", 21},
        {"time,temp in,temp out\n2026-03-01 00:00:00,20,1\n2026-03-01 00:01:00,22,1\n",
         "f: column 'temp out' is not used: 'temp in' stands for this quantity", 21},
        {"time,temp a,temp b,temp c\n2026-03-01 00:00:00,20,1,1\n2026-03-01 00:01:00,22,1,1\n",
         "f: columns 'temp b', 'temp c' are not used: 'temp a' stands for this quantity", 21},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_exposure_record r;
        struct wi_err err = {0};

        if (read_text(rows[i].text, NULL, 4096, &r, &err) != WI_OK)
            fail_msg("row %zu: %s", i, err.msg);
        if (!warned(&r, rows[i].words))
            fail_msg("row %zu: no warning '%s'", i, rows[i].words);
        assert_near(r.exposure.during.temp_c, rows[i].temp_c, 1e-9);
        wi_exposure_record_release(&r);
    }
}

/* As InfluxDB does after each block of # lines; a hostile file at every other row. */
static void headers_that_come_again_are_warned_of_once(void **state)
{
    static const char *const rows[][2] = {{"time,temp,temp x\n", "time,temp,temp x\n"},
                                          {"time,temp,temp y\n", "time,temp x,temp\n"}};
    const size_t n_headers = 1000;
    char *text = malloc(n_headers * 64);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < 2; i++) {
        struct wi_exposure_record r;
        struct wi_err err = {0};
        size_t used = 0;

        for (size_t k = 0; k < n_headers; k++)
            used += (size_t)snprintf(text + used, 64, "#\n%s%zu,20,20\n", rows[i][k % 2],
                                     1700000000 + k);
        if (read_text(text, NULL, 4096, &r, &err) != WI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(r.counts.rows, n_headers);
        assert_true(r.warnings.n <= (i ? 8 : 1));
        wi_exposure_record_release(&r);
    }
    free(text);
}

static void unusable_files_are_refused_with_file_and_line(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "f: empty: no header and no row"},
        {"PK\x03\x04 rest",
         "f: this is a spreadsheet (.xlsx, .ods): save the sheet as CSV and import "
         "that"},
        {"time,temp\n", "f: no usable reading in 0 rows"},
        {"temp,rh\n20,50\n", "f:1: no column of times in the header; name one with --columns "
                             "time=NAME, or give --interval SECONDS"},
        {"time,pressure\n2026-03-01 00:00:00,1013\n",
         "f:1: no column of temperature, humidity or vibration in the header; name one with "
         "--columns temp=NAME,rh=NAME,grms=NAME"},
        {"2026-03-01 00:00:00,20\n",
         "f:1: '20' where a header was expected: the first row must name "
         "the columns"},
        {"time,temp\nsoon,20\n", "f:2: 'soon' is no time: ISO 8601, epoch or day.month.year is "
                                 "needed"},
        {"time,temp\n03/04/2026 00:00,20\n", "f:2: '03/04/2026 00:00': day or month first? say it "
                                             "with --date-order dmy or mdy"},
        {"time,temp\n2026-03-01 00:00:00,05. Okt\n",
         "f:2: '05. Okt' is a date that a spreadsheet made of a number such as 5.10: the number is "
         "lost; export the logger's own file"},
        {"time,rh\n2026-03-01 00:00:00,3317\n",
         "f:2: 3317 %RH is impossible, 0 to 100 is possible; no usable reading in the file"},
        {"time,vibration (mm/s)\n2026-03-01 00:00:00,3\n",
         "f:2: '3': this unit is none of g, mg, m/s2 (a velocity needs its frequency)"},
        {"time,acc_x\n1772366400,0\n1772366400,900\n",
         "f: the acceleration amounts to 450 g rms, possible is 0 to 100: is its unit mg or m/s2?"},
        {"time,temp\n\"2026-03-01 00:00:00,20\n", "f:2: stray or missing double quote"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_exposure_record r;
        struct wi_err err = {0};

        if (read_text(rows[i].text, NULL, 4096, &r, &err) != WI_EDATA)
            fail_msg("row %zu was not refused", i);
        assert_string_equal(err.msg, rows[i].message);
        wi_exposure_record_release(&r);
    }
}

static void columns_and_interval_can_be_said(void **state)
{
    struct wi_series_options opt = {.interval_s = 60.0, .columns = "temp=probe 2"};
    struct wi_exposure_record r;

    (void)state;
    assert_int_equal(read_text("probe 1,Probe 2\n1,30\n1,32\n1,34\n", &opt, 4096, &r, NULL), WI_OK);
    assert_near(r.exposure.during.temp_c, 32.0, 1e-9);
    assert_near(r.end_s - r.start_s, 120.0, 1e-9);
    assert_false(r.is_absolute);
    wi_exposure_record_release(&r);
    opt.columns = "temp=nothing";
    assert_int_equal(read_text("probe 1,Probe 2\n1,30\n", &opt, 4096, &r, NULL), WI_EUSAGE);
}

static void a_stuck_sensor_is_reported(void **state)
{
    char text[64 * 400] = "time,temp\n";
    size_t used = strlen(text);
    struct wi_exposure_record r;

    (void)state;
    for (int m = 0; m < 300; m++) { /* moves for 180 minutes, stands for 120 rows */
        double temp = m < 180 ? 20.0 + 0.1 * (m % 5) : 20.0;

        used += (size_t)snprintf(text + used, sizeof(text) - used, "2026-03-01 %02d:%02d:00,%.1f\n",
                                 m / 60, m % 60, temp);
    }
    assert_int_equal(read_text(text, NULL, 4096, &r, NULL), WI_OK);
    assert_true(warned(&r, "temperature stood still to the last digit for up to 2.0 h"));
    assert_near(r.counts.stuck, 120.0, 0.0);
    wi_exposure_record_release(&r);
}

static void raw_acceleration_becomes_root_mean_square(void **state)
{
    /*
     * A sine of 1.6 g amplitude on z beside gravity, 64 samples a period: rms 1.6 / sqrt 2 =
     * 1.1314, whatever gravity is.
     */
    size_t size = 40 * 4096;
    char *text = malloc(size);
    size_t used;
    struct wi_exposure_record r;

    (void)state;
    assert_non_null(text);
    used = (size_t)snprintf(text, size, "seconds,acc_x (g),acc_y (g),acc_z (g)\n");
    for (int i = 0; i < 3200; i++)
        used += (size_t)snprintf(text + used, size - used, "%.5f,0,0,%.6f\n", i / 1280.0,
                                 1.0 + 1.6 * sin(2.0 * 3.14159265358979 * i / 64.0));
    assert_int_equal(read_text(text, NULL, 4096, &r, NULL), WI_OK);
    assert_near(r.exposure.during.vib.grms, 1.6 / sqrt(2.0), 0.05);
    assert_false(r.axis_known);
    wi_exposure_record_release(&r);
    free(text);
}

static void ten_million_seconds_fit_into_the_same_memory(void **state)
{
    /* The series keeps 8192 buckets per channel whatever it is fed; both ends stay in it. */
    struct wi_series *series = NULL;
    struct wi_exposure_record r = {.file = "f"};

    (void)state;
    assert_int_equal(wi_series_new(&series, NULL), WI_OK);
    for (int i = 0; i < 1000000; i++)
        wi_series_add(series, WI_CH_TEMP, 1.7e9 + 10.0 * i, i < 500000 ? 20.0 : 50.0);
    wi_series_add(series, WI_CH_TEMP, 1.7e9 - 5000.0, 20.0); /* late, before the first */
    assert_int_equal(wi_series_segment(series, WI_AXIS_NONE, false, &r, NULL), WI_OK);
    assert_int_equal(r.n_steps, 2);
    assert_near(r.exposure.before.temp_c, 20.0, 0.01);
    assert_near(r.exposure.during.temp_c, 50.0, 0.01);
    assert_near(r.start_s, 1.7e9 - 5000.0, 0.0);
    assert_near(r.end_s, 1.7e9 + 9999990.0, 0.0);
    assert_near(r.steps[0].temp.n + r.steps[1].temp.n, 1000001.0, 2000.0);
    wi_exposure_record_release(&r);
    wi_series_free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_loggers_are_read),
        cmocka_unit_test(cells_are_read_with_their_units),
        cmocka_unit_test(a_cycle_is_cut_into_before_during_after),
        cmocka_unit_test(pieces_of_any_size_give_the_same_exposure),
        cmocka_unit_test(formats_of_well_known_loggers_are_read),
        cmocka_unit_test(headers_that_come_again_are_warned_of_once),
        cmocka_unit_test(doubtful_rows_are_counted_and_said),
        cmocka_unit_test(unusable_files_are_refused_with_file_and_line),
        cmocka_unit_test(columns_and_interval_can_be_said),
        cmocka_unit_test(a_stuck_sensor_is_reported),
        cmocka_unit_test(raw_acceleration_becomes_root_mean_square),
        cmocka_unit_test(ten_million_seconds_fit_into_the_same_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

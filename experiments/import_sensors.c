#include "experiments/import_sensors.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/csv_read.h"
#include "experiments/csv_start.h"
#include "experiments/sensor_readings.h"
#include "experiments/series_time.h"
#include "experiments/series_value.h"

#define COLUMNS_MAX 256
#define SNIFF_BYTES 65536u /* the header must end within */
#define HEADERS_WARNED 8   /* a file may repeat its header at every other row */

struct sensor_name {
    char text[96];
    struct wi_series_column column;
};

struct wi_sensors {
    const char *name;
    const struct wi_series_options *opt;
    struct wi_exposure_record *record;
    struct wi_readings readings;
    struct wi_csv *csv;
    char *head; /* bytes kept until the delimiter is known */
    size_t n_head;
    char delimiter;
    struct wi_series_column columns[COLUMNS_MAX];
    size_t n_columns;
    bool has_header, expect_header; /* after # lines InfluxDB repeats its header */
    size_t n_warned;                /* headers */
    struct wi_series_layout layout;
    enum wi_channel active[WI_N_CHANNELS]; /* those with a column */
    size_t n_active;
    struct sensor_name names[16];
    size_t n_names;
    struct wi_time_cache times;
    double n_zoned, n_local, n_relative;
    double n_units[3]; /* C, F, K stated */
};

enum wi_status wi_sensors_new(const char *name, const struct wi_series_options *opt,
                              struct wi_series *series, struct wi_exposure_record *record,
                              struct wi_sensors **sensors, struct wi_err *err)
{
    struct wi_sensors *s = calloc(1, sizeof(*s));

    if (!s)
        return wi_fail_nomem(err);
    s->head = malloc(SNIFF_BYTES);
    if (!s->head) {
        free(s);
        return wi_fail_nomem(err);
    }
    s->name = name;
    s->opt = opt;
    s->record = record;
    wi_readings_init(&s->readings, name, series, record);
    *sensors = s;
    return WI_OK;
}

void wi_sensors_free(struct wi_sensors *s)
{
    if (!s)
        return;
    wi_csv_free(s->csv);
    free(s->head);
    free(s);
}

static enum wi_status bad_time(const struct wi_sensors *s, size_t line, const char *text,
                               enum wi_time_kind kind, struct wi_err *err)
{
    if (kind == WI_TIME_AMBIGUOUS)
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: '%.40s': day or month first? say it with --date-order dmy or mdy",
                       s->name, line, text);
    return wi_fail(err, WI_EDATA,
                   "%s:%zu: '%.40s' is no time: ISO 8601, epoch or day.month.year is needed",
                   s->name, line, text);
}

/* The time of a row, from one column, from date and clock, or from the row's number. */
static enum wi_status row_time(struct wi_sensors *s, size_t line, char *const *f, size_t n,
                               double *time_s, bool *missing, struct wi_err *err)
{
    const struct wi_series_layout *l = &s->layout;
    enum wi_time_kind kind;
    char order = s->opt ? s->opt->date_order : 0;
    double clock_s = 0.0;

    *missing = false;
    if (l->time < 0 && l->date < 0) {
        *time_s = (s->record->counts.rows - 1.0) * s->opt->interval_s;
        s->n_relative += 1.0;
        return WI_OK;
    }
    if ((size_t)(l->time >= 0 ? l->time : l->date) >= n ||
        wi_value_is_missing(f[l->time >= 0 ? l->time : l->date])) {
        *missing = true;
        return WI_OK;
    }
    kind = wi_time_parse_next(&s->times, f[l->time >= 0 ? l->time : l->date], order, time_s);
    if (kind <= WI_TIME_AMBIGUOUS)
        return bad_time(s, line, f[l->time >= 0 ? l->time : l->date], kind, err);
    if (l->time < 0 && l->clock >= 0) {
        if ((size_t)l->clock >= n || !wi_clock_parse(f[l->clock], &clock_s))
            return bad_time(s, line, (size_t)l->clock < n ? f[l->clock] : "", WI_TIME_BAD, err);
        *time_s += clock_s;
    }
    s->n_zoned += kind == WI_TIME_ZONED;
    s->n_local += kind == WI_TIME_LOCAL;
    s->n_relative += kind == WI_TIME_RELATIVE;
    return WI_OK;
}

static void count_unit(struct wi_sensors *s, enum wi_unit unit)
{
    if (unit == WI_UNIT_C || unit == WI_UNIT_F || unit == WI_UNIT_K)
        s->n_units[unit - WI_UNIT_C] += 1.0;
}

static enum wi_status take_cell(struct wi_sensors *s, size_t line, enum wi_channel ch,
                                enum wi_unit unit, const char *text, double time_s,
                                struct wi_err *err)
{
    double value;
    enum wi_unit stated = WI_UNIT_NONE;
    enum wi_value_kind kind = wi_value_parse(text, s->delimiter != ',', &value, &stated);

    if (kind == WI_VALUE_DATE)
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: '%.40s' is a date that a spreadsheet made of a number such as 5.10: "
            "the number is lost; export the logger's own file",
            s->name, line, text);
    if (kind != WI_VALUE_NUMBER) {
        s->record->counts.missing += 1.0;
        return WI_OK;
    }
    if (stated != WI_UNIT_NONE)
        unit = stated;
    if (!wi_unit_convert(ch, unit, &value))
        return wi_fail(err, WI_EDATA, "%s:%zu: '%.40s': this unit is none of %s", s->name, line,
                       text,
                       ch == WI_CH_TEMP ? "C, F, K"
                                        : (ch == WI_CH_RH ? "%"
                                                          : "g, mg, m/s2 (a velocity needs "
                                                            "its frequency)"));
    if (ch == WI_CH_TEMP)
        count_unit(s, unit);
    wi_readings_add(&s->readings, ch, time_s, value, line);
    return WI_OK;
}

/* A long table repeats a handful of names; reading one costs more than all else in its row. */
static const struct wi_series_column *meaning_of(struct wi_sensors *s, const char *name)
{
    const size_t n = sizeof(s->names) / sizeof(s->names[0]);
    struct sensor_name *slot;

    for (size_t i = 0; i < n; i++) {
        if (*s->names[i].text && strcmp(s->names[i].text, name) == 0)
            return &s->names[i].column;
    }
    slot = &s->names[s->n_names++ % n];
    snprintf(slot->text, sizeof(slot->text), "%s", strlen(name) < sizeof(slot->text) ? name : "");
    wi_series_column_read(name, &slot->column);
    return &slot->column;
}

static enum wi_status take_row(struct wi_sensors *s, size_t line, char *const *f, size_t n,
                               struct wi_err *err)
{
    const struct wi_series_layout *l = &s->layout;
    double time_s;
    bool missing;
    enum wi_status st;

    s->record->counts.rows += 1.0;
    st = row_time(s, line, f, n, &time_s, &missing, err);
    if (st != WI_OK)
        return st;
    if (missing) {
        s->record->counts.missing += 1.0;
        return WI_OK;
    }
    wi_readings_time(&s->readings, time_s);
    if (l->is_long) { /* one row per sensor: its name says which quantity */
        struct wi_series_column c = {.role = WI_ROLE_IGNORE};

        if ((size_t)l->name < n)
            c = *meaning_of(s, f[l->name]);
        if (l->unit >= 0 && (size_t)l->unit < n && wi_unit_parse(f[l->unit]) != WI_UNIT_NONE)
            c.unit = wi_unit_parse(f[l->unit]);
        if (c.role < WI_ROLE_CHANNEL || (size_t)l->value >= n)
            return WI_OK;
        return take_cell(s, line, (enum wi_channel)(c.role - WI_ROLE_CHANNEL), c.unit, f[l->value],
                         time_s, err);
    }
    for (size_t i = 0; i < s->n_active && st == WI_OK; i++) {
        enum wi_channel ch = s->active[i];
        size_t col = (size_t)l->channels[ch];

        if (col < n)
            st = take_cell(s, line, ch, s->columns[col].unit, f[col], time_s, err);
    }
    return st;
}

/* ---- the header ------------------------------------------------------------------------- */

static enum wi_status choose_layout(struct wi_sensors *s, size_t line, bool repeated,
                                    struct wi_err *err)
{
    bool timed;
    bool warns = !repeated && s->n_warned < HEADERS_WARNED;
    enum wi_status st = wi_series_layout_choose(s->columns, s->n_columns, &s->layout,
                                                warns ? &s->record->warnings : NULL, s->name, err);

    s->n_warned += warns;

    if (st != WI_OK)
        return st;
    s->n_active = 0;
    for (size_t ch = 0; ch < WI_N_CHANNELS; ch++) {
        if (s->layout.channels[ch] >= 0)
            s->active[s->n_active++] = (enum wi_channel)ch;
    }
    timed = s->layout.time >= 0 || s->layout.date >= 0 || (s->opt && s->opt->interval_s > 0.0);
    if (!timed)
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: no column of times in the header; name one with --columns time=NAME, "
            "or give --interval SECONDS",
            s->name, line);
    if (!s->layout.is_long && !s->n_active)
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: no column of temperature, humidity or vibration in the header; name "
            "one with --columns temp=NAME,rh=NAME,grms=NAME",
            s->name, line);
    return WI_OK;
}

static enum wi_status take_header(struct wi_sensors *s, size_t line, char *const *f, size_t n,
                                  struct wi_err *err)
{
    bool repeated;

    if (n > COLUMNS_MAX)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu columns, at most %d are read", s->name, line, n,
                       COLUMNS_MAX);
    repeated = n == s->n_columns;
    s->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        struct wi_series_column c;

        if (wi_value_is_number(f[i]) && *f[i])
            return wi_fail(
                err, WI_EDATA,
                "%s:%zu: '%.40s' where a header was expected: the first row must name the "
                "columns",
                s->name, line, f[i]);
        wi_series_column_read(f[i], &c);
        repeated = repeated && strcmp(c.name, s->columns[i].name) == 0;
        s->columns[i] = c;
    }
    if (s->opt && s->opt->columns) {
        enum wi_status st = wi_series_columns_by_option(s->opt->columns, f, n, s->columns, err);

        if (st != WI_OK)
            return st;
    }
    s->has_header = true;
    s->expect_header = false;
    return choose_layout(s, line, repeated, err);
}

static enum wi_status on_row(void *ctx, size_t line, char *const *f, size_t n, struct wi_err *err)
{
    struct wi_sensors *s = ctx;

    if (n == 0 || (n == 1 && !*f[0]))
        return WI_OK;
    if (f[0][0] == '#') { /* InfluxDB's annotations, loggers' remarks */
        s->expect_header = s->expect_header || s->has_header;
        return WI_OK;
    }
    if (!s->has_header)
        return take_header(s, line, f, n, err);
    if (s->expect_header) {
        s->expect_header = false;
        for (size_t i = 0; i < n; i++) {
            if (wi_value_is_number(f[i]) && *f[i])
                return take_row(s, line, f, n, err);
        }
        return take_header(s, line, f, n, err);
    }
    return take_row(s, line, f, n, err);
}

/* ---- the start of the file -------------------------------------------------------------- */

static enum wi_status begin(struct wi_sensors *s, struct wi_err *err)
{
    struct wi_csv_options opt = {.n_fields_max = COLUMNS_MAX};
    size_t n_skip = 0;
    enum wi_status st = wi_csv_start(s->name, "", s->head, s->n_head, &opt.delimiter, &n_skip, err);

    if (st != WI_OK)
        return st;
    s->delimiter = opt.delimiter;
    st = wi_csv_new(s->name, &opt, on_row, s, &s->csv, err);
    if (st == WI_OK)
        st = wi_csv_feed(s->csv, s->head + n_skip, s->n_head - n_skip, err);
    return st;
}

enum wi_status wi_sensors_feed(struct wi_sensors *s, const char *bytes, size_t n,
                               struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (!s->csv) { /* wait for the whole header */
        size_t part = n < SNIFF_BYTES - s->n_head ? n : SNIFF_BYTES - s->n_head;

        memcpy(s->head + s->n_head, bytes, part);
        s->n_head += part;
        if (s->n_head < SNIFF_BYTES)
            return WI_OK;
        bytes += part;
        n -= part;
        st = begin(s, err);
    }
    if (st == WI_OK)
        st = wi_csv_refuse_nul(s->name, s->record->counts.rows, bytes, n, err);
    return st == WI_OK ? wi_csv_feed(s->csv, bytes, n, err) : st;
}

/* ---- the end ---------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static enum wi_status
warn(struct wi_sensors *s, bool when, struct wi_err *err, const char *fmt, ...)
{
    char line[256];
    va_list ap;

    if (!when)
        return WI_OK;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    return wi_texts_add(&s->record->warnings, "", err, "%s: %s", s->name, line);
}

static enum wi_status refuse_without_reading(const struct wi_sensors *s, struct wi_err *err)
{
    enum wi_status st = wi_readings_refuse_impossible(&s->readings, err);

    if (st != WI_OK)
        return st;
    if (!s->has_header)
        return wi_fail(err, WI_EDATA, "%s: empty: no header and no row", s->name);
    return wi_fail(err, WI_EDATA, "%s: no usable reading in %.0f rows", s->name,
                   s->record->counts.rows);
}

enum wi_status wi_sensors_finish(struct wi_sensors *s, struct wi_err *err)
{
    const struct wi_exposure_record *r = s->record;
    enum wi_status st = WI_OK;

    if (!s->csv)
        st = begin(s, err);
    if (st == WI_OK)
        st = wi_csv_finish(s->csv, err);
    if (st == WI_OK && !wi_readings_any(&s->readings))
        st = refuse_without_reading(s, err);
    if (st == WI_OK)
        st = wi_readings_finish(&s->readings, err);
    if (st == WI_OK)
        st = warn(s, r->counts.missing > 0.0, err,
                  "%.0f of %.0f rows or cells hold no number: left out", r->counts.missing,
                  r->counts.rows);
    if (st == WI_OK)
        st = warn(s, r->counts.duplicate > 0.0, err, "%.0f readings repeat a time: left out",
                  r->counts.duplicate);
    if (st == WI_OK)
        st = warn(
            s, r->counts.backward > 0.0, err,
            "%.0f times go backward (clock set, summer time, newest first?): kept by their time",
            r->counts.backward);
    if (st == WI_OK)
        st = warn(s, r->counts.gaps > 0.0, err, "%.0f gaps, the longest of %g s", r->counts.gaps,
                  r->counts.longest_gap_s);
    if (st == WI_OK)
        st = warn(s, s->n_zoned > 0.0 && s->n_local > 0.0, err,
                  "%.0f times name a zone and %.0f do not: those are taken as UTC", s->n_zoned,
                  s->n_local);
    if (st == WI_OK)
        st = warn(s, (s->n_units[0] > 0.0) + (s->n_units[1] > 0.0) + (s->n_units[2] > 0.0) > 1, err,
                  "temperatures in mixed units: each was converted by its own");
    s->record->is_absolute = s->n_relative <= 0.0;
    return st;
}

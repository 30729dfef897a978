/* One table per kind of row, and everything that can be done from the table alone. */
#include "knowledge/store_columns.h"

#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/embedded.h"

#define N_COLUMNS_MAX 64

#define TEXT(T, name, m)                                                                           \
    {                                                                                              \
        name, WI_COL_TEXT, offsetof(T, m), sizeof(((T *)0)->m), false                              \
    }
#define COL(T, name, kind, m)                                                                      \
    {                                                                                              \
        name, kind, offsetof(T, m), 0, false                                                       \
    }
#define NUM(T, name, m) COL(T, name, WI_COL_NUM, m)
#define TABLE(name, columns, T)                                                                    \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof((columns)[0]), sizeof(T)                           \
    }

typedef struct wi_experiment E; /* only to keep the rows below on one line each */
typedef struct wi_observation O;
typedef struct wi_device D;
typedef struct wi_contradiction C;

static const struct wi_column experiment_columns[] = {
    TEXT(E, "id", id),
    TEXT(E, "source", source),
    TEXT(E, "vendor", vendor),
    TEXT(E, "device", device),
    TEXT(E, "interface", interface),
    COL(E, "nand", WI_COL_NAND, nand),
    NUM(E, "capacity_gb", capacity_gb),
    NUM(E, "pe_cycles", pe_cycles),
    COL(E, "phase", WI_COL_PHASE, phase),
    COL(E, "failing", WI_COL_BOOL, failing),
    {"control", WI_COL_REF, offsetof(E, control_id), WI_ID_MAX, false},
    COL(E, "states_assumed", WI_COL_BOOL, states_assumed),
    NUM(E, "before_temp_c", exposure.before.temp_c),
    NUM(E, "before_rh_pct", exposure.before.rh_pct),
    COL(E, "before_vib_axis", WI_COL_AXIS, exposure.before.vib.axis),
    NUM(E, "before_vib_freq_hz", exposure.before.vib.freq_hz),
    NUM(E, "before_vib_grms", exposure.before.vib.grms),
    NUM(E, "during_temp_c", exposure.during.temp_c),
    NUM(E, "during_rh_pct", exposure.during.rh_pct),
    COL(E, "during_vib_axis", WI_COL_AXIS, exposure.during.vib.axis),
    NUM(E, "during_vib_freq_hz", exposure.during.vib.freq_hz),
    NUM(E, "during_vib_grms", exposure.during.vib.grms),
    NUM(E, "during_h", exposure.during_h),
    {"has_after", WI_COL_BOOL, offsetof(E, exposure.has_after), 0, true},
    NUM(E, "after_temp_c", exposure.after.temp_c),
    NUM(E, "after_rh_pct", exposure.after.rh_pct),
    COL(E, "after_vib_axis", WI_COL_AXIS, exposure.after.vib.axis),
    NUM(E, "after_vib_freq_hz", exposure.after.vib.freq_hz),
    NUM(E, "after_vib_grms", exposure.after.vib.grms),
    NUM(E, "temp_low_c", temp_low_c),
    NUM(E, "temp_high_c", temp_high_c),
    NUM(E, "rh_low_pct", rh_low_pct),
    NUM(E, "rh_high_pct", rh_high_pct),
    TEXT(E, "workload", workload),
    TEXT(E, "note", note),
    {"embedded", WI_COL_BOOL, offsetof(E, embedded), 0, true},
};

static const struct wi_column observation_columns[] = {
    TEXT(O, "id", id),
    COL(O, "op", WI_COL_OP, op),
    COL(O, "metric", WI_COL_METRIC, metric),
    NUM(O, "percentile", percentile),
    COL(O, "stat", WI_COL_STAT, stat),
    COL(O, "kind", WI_COL_OBS_KIND, kind),
    NUM(O, "change_pct", change_pct),
    NUM(O, "low_pct", low_pct),
    NUM(O, "high_pct", high_pct),
    NUM(O, "reading_error_pct", reading_error_pct),
    COL(O, "confidence", WI_COL_CONFIDENCE, confidence),
    NUM(O, "base_value", base_value),
    NUM(O, "value", value),
    NUM(O, "n_samples", n_samples),
    TEXT(O, "locator", locator),
    TEXT(O, "note", note),
};

static const struct wi_column source_columns[] = {
    TEXT(struct wi_source, "id", id),
    TEXT(struct wi_source, "citation", citation),
    TEXT(struct wi_source, "url", url),
    TEXT(struct wi_source, "access", access),
};

static const struct wi_column device_columns[] = {
    COL(D, "nand", WI_COL_NAND, nand),
    NUM(D, "read_us_low", read_us_low),
    NUM(D, "read_us_high", read_us_high),
    NUM(D, "program_us_low", program_us_low),
    NUM(D, "program_us_high", program_us_high),
    NUM(D, "erase_us_low", erase_us_low),
    NUM(D, "erase_us_high", erase_us_high),
    NUM(D, "pe_cycles_low", pe_cycles_low),
    NUM(D, "pe_cycles_high", pe_cycles_high),
    TEXT(D, "sources", sources),
    TEXT(D, "note", note),
};

static const struct wi_column contradiction_columns[] = {
    TEXT(C, "id", id),         TEXT(C, "title", title),       TEXT(C, "side_a", side_a),
    TEXT(C, "side_b", side_b), TEXT(C, "handling", handling), TEXT(C, "items", items),
};

const struct wi_table wi_table_experiments = TABLE("experiments", experiment_columns, E);
const struct wi_table wi_table_observations = TABLE("observations", observation_columns, O);
const struct wi_table wi_table_sources = TABLE("sources", source_columns, struct wi_source);
const struct wi_table wi_table_devices = TABLE("devices", device_columns, D);
const struct wi_table wi_table_contradictions = TABLE("contradictions", contradiction_columns, C);

static const char *enum_name(enum wi_column_kind kind, const void *p)
{
    switch (kind) {
    case WI_COL_NAND:
        return wi_nand_name(*(const enum wi_nand *)p);
    case WI_COL_PHASE:
        return wi_phase_name(*(const enum wi_phase *)p);
    case WI_COL_AXIS:
        return wi_axis_name(*(const enum wi_axis *)p);
    case WI_COL_OP:
        return wi_op_name(*(const enum wi_op *)p);
    case WI_COL_METRIC:
        return wi_metric_name(*(const enum wi_metric *)p);
    case WI_COL_STAT:
        return wi_stat_name(*(const enum wi_stat *)p);
    case WI_COL_OBS_KIND:
        return wi_obs_kind_name(*(const enum wi_obs_kind *)p);
    default:
        return wi_confidence_name(*(const enum wi_confidence *)p);
    }
}

/* Unknown words leave the first value: a CHECK of the schema or a test of the data finds them. */
static bool enum_parse(enum wi_column_kind kind, const char *text, void *p)
{
    switch (kind) {
    case WI_COL_NAND:
        return wi_nand_parse(text, p);
    case WI_COL_PHASE:
        return wi_phase_parse(text, p);
    case WI_COL_AXIS:
        return !*text || wi_axis_parse(text, p);
    case WI_COL_OP:
        return wi_op_parse(text, p);
    case WI_COL_METRIC:
        return wi_metric_parse(text, p);
    case WI_COL_STAT:
        return !*text || wi_stat_parse(text, p);
    case WI_COL_OBS_KIND:
        return wi_obs_kind_parse(text, p);
    default:
        return wi_confidence_parse(text, p);
    }
}

static int bind_column(const struct wi_column *c, sqlite3_stmt *stmt, int i, const void *p)
{
    switch (c->kind) {
    case WI_COL_TEXT:
    case WI_COL_REF:
        if (c->kind == WI_COL_REF && !*(const char *)p)
            return sqlite3_bind_null(stmt, i);
        return sqlite3_bind_text(stmt, i, p, -1, SQLITE_STATIC);
    case WI_COL_NUM:
        if (isnan(*(const double *)p))
            return sqlite3_bind_null(stmt, i);
        return sqlite3_bind_double(stmt, i, *(const double *)p);
    case WI_COL_BOOL:
        return sqlite3_bind_int(stmt, i, *(const bool *)p);
    default:
        return sqlite3_bind_text(stmt, i, enum_name(c->kind, p), -1, SQLITE_STATIC);
    }
}

enum wi_status wi_table_bind(struct wi_store *store, const struct wi_table *t,
                             struct sqlite3_stmt *stmt, int first, const void *row,
                             struct wi_err *err)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct wi_column *c = &t->columns[i];
        int rc = bind_column(c, stmt, first + (int)i, (const char *)row + c->offset);

        if (rc != SQLITE_OK)
            return wi_sql_fail(store, rc, err);
    }
    return WI_OK;
}

void wi_table_load(const struct wi_table *t, struct sqlite3_stmt *stmt, int first, void *row)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct wi_column *c = &t->columns[i];
        char *p = (char *)row + c->offset;
        int col = first + (int)i;

        if (c->kind == WI_COL_TEXT || c->kind == WI_COL_REF)
            wi_sql_copy_text(stmt, col, p, c->size);
        else if (c->kind == WI_COL_NUM)
            *(double *)(void *)p = wi_sql_num(stmt, col);
        else if (c->kind == WI_COL_BOOL)
            *(bool *)p = sqlite3_column_int(stmt, col) != 0;
        else if (sqlite3_column_type(stmt, col) == SQLITE_TEXT)
            enum_parse(c->kind, (const char *)sqlite3_column_text(stmt, col), p);
    }
}

bool wi_table_equal(const struct wi_table *t, const void *a, const void *b)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct wi_column *c = &t->columns[i];
        const void *p = (const char *)a + c->offset, *q = (const char *)b + c->offset;
        bool same;

        if (strcmp(c->name, "embedded") == 0)
            continue;
        if (c->kind == WI_COL_TEXT || c->kind == WI_COL_REF) {
            same = strcmp(p, q) == 0;
        } else if (c->kind == WI_COL_NUM) {
            double x = *(const double *)p, y = *(const double *)q;
            same = (isnan(x) && isnan(y)) || !(x < y || x > y || isnan(x) || isnan(y));
        } else if (c->kind == WI_COL_BOOL) {
            same = *(const bool *)p == *(const bool *)q;
        } else {
            same = strcmp(enum_name(c->kind, p), enum_name(c->kind, q)) == 0;
        }
        if (!same)
            return false;
    }
    return true;
}

char *wi_table_names(const struct wi_table *t, bool marks)
{
    size_t size = 1;

    for (size_t i = 0; i < t->n_columns; i++)
        size += strlen(t->columns[i].name) + 2;
    char *out = malloc(size), *p = out;
    if (!out)
        return NULL;
    for (size_t i = 0; i < t->n_columns; i++) {
        const char *name = marks ? "?" : t->columns[i].name;
        size_t n = strlen(name);

        if (i) {
            memcpy(p, ", ", 2);
            p += 2;
        }
        memcpy(p, name, n);
        p += n;
    }
    *p = '\0';
    return out;
}

struct csv_reader {
    const struct wi_table *t;
    const char *path;
    const struct wi_column *map[N_COLUMNS_MAX]; /* of each field */
    size_t n_fields;
    char *rows;
    size_t n, cap;
};

static enum wi_status read_csv_header(struct csv_reader *r, char *const *fields, size_t n,
                                      struct wi_err *err)
{
    size_t found = 0;

    r->n_fields = n;
    for (size_t f = 0; f < n && f < N_COLUMNS_MAX; f++) {
        for (size_t i = 0; i < r->t->n_columns; i++) {
            if (strcmp(fields[f], r->t->columns[i].name) == 0) {
                r->map[f] = &r->t->columns[i];
                found++;
            }
        }
    }
    for (size_t i = 0; i < r->t->n_columns; i++)
        found += r->t->columns[i].stored_only;
    if (found != r->t->n_columns)
        return wi_fail(err, WI_EDATA, "%s:1: the header lacks a column of '%s'", r->path,
                       r->t->name);
    return WI_OK;
}

static bool read_field(const struct wi_column *c, const char *text, char *p)
{
    char *end;

    switch (c->kind) {
    case WI_COL_TEXT:
    case WI_COL_REF:
        if (strlen(text) >= c->size)
            return false;
        memcpy(p, text, strlen(text) + 1);
        return true;
    case WI_COL_NUM:
        *(double *)(void *)p = strtod(text, &end);
        if (!*text)
            *(double *)(void *)p = (double)NAN;
        return *end == '\0';
    case WI_COL_BOOL:
        *(bool *)p = *text == '1';
        return strcmp(text, "1") == 0 || strcmp(text, "0") == 0 || !*text;
    default:
        return enum_parse(c->kind, text, p);
    }
}

bool wi_column_parse(const struct wi_column *c, const char *text, void *row)
{
    char *p = (char *)row + c->offset;

    if (c->kind == WI_COL_NUM) { /* strtod would leave a half-read number behind */
        double value;

        if (!read_field(c, text, (char *)&value) || isinf(value))
            return false;
        *(double *)(void *)p = value;
        return true;
    }
    return read_field(c, text, p);
}

static int format_number(double value, char *buf, size_t size)
{
    int n = 0;

    if (isnan(value))
        return snprintf(buf, size, "%s", "");
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(buf, size, "%.*g", digits, value);
        double back = strtod(buf, NULL);
        if (!(back < value) && !(back > value))
            break;
    }
    return n;
}

bool wi_column_words(const struct wi_column *c, char *buf, size_t size)
{
    size_t used = 0;

    if (c->kind == WI_COL_TEXT || c->kind == WI_COL_REF || c->kind == WI_COL_NUM ||
        c->kind == WI_COL_BOOL)
        return false;
    for (int v = 0; used < size; v++) {
        const char *name = enum_name(c->kind, &v);

        if (strcmp(name, "?") == 0)
            break;
        if (*name)
            used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", name);
    }
    return used < size;
}

int wi_column_format(const struct wi_column *c, const void *row, char *buf, size_t size)
{
    const char *p = (const char *)row + c->offset;

    switch (c->kind) {
    case WI_COL_TEXT:
    case WI_COL_REF:
        return snprintf(buf, size, "%s", p);
    case WI_COL_NUM:
        return format_number(*(const double *)(const void *)p, buf, size);
    case WI_COL_BOOL:
        return snprintf(buf, size, "%d", *(const bool *)p);
    default:
        return snprintf(buf, size, "%s", enum_name(c->kind, p));
    }
}

static enum wi_status read_csv_row(void *ctx, size_t line, char *const *fields, size_t n,
                                   struct wi_err *err)
{
    struct csv_reader *r = ctx;

    if (r->n_fields == 0)
        return read_csv_header(r, fields, n, err);
    if (n != r->n_fields)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields, must be %zu", r->path, line, n,
                       r->n_fields);
    char *row = wi_list_push(&r->rows, &r->n, &r->cap, r->t->row_size);
    if (!row)
        return wi_fail_nomem(err);
    for (size_t f = 0; f < n && f < N_COLUMNS_MAX; f++) {
        const struct wi_column *c = r->map[f];

        if (c && !read_field(c, fields[f], row + c->offset))
            return wi_fail(err, WI_EDATA, "%s:%zu: '%s' cannot be '%s'", r->path, line, c->name,
                           fields[f]);
    }
    return WI_OK;
}

enum wi_status wi_table_read_csv(const struct wi_table *t, const char *path, void *rows, size_t *n,
                                 struct wi_err *err)
{
    const struct wi_embedded_file *file = wi_embedded_find(path);
    struct csv_reader r = {.t = t, .path = path};

    if (!file)
        return wi_fail(err, WI_EDATA, "the program was built without '%s'", path);
    enum wi_status st = wi_csv_parse(path, file->bytes, file->n_bytes, NULL, read_csv_row, &r, err);
    if (st != WI_OK) {
        free(r.rows);
        return st;
    }
    memcpy(rows, &r.rows, sizeof(r.rows));
    *n = r.n;
    return WI_OK;
}

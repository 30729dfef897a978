/* What the header and the rows of an observation table may hold. */
#include "experiments/table_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/series_value.h"

static const struct wi_table_column *find_column(const struct wi_table_reader *r, const char *name)
{
    for (size_t i = 0; i < r->n_columns; i++) {
        if (strcmp(r->columns[i].name, name) == 0)
            return &r->columns[i];
    }
    return NULL;
}

static size_t column_index(const struct wi_table_reader *r, const char *name)
{
    return (size_t)(find_column(r, name) - r->columns);
}

void wi_table_columns_init(struct wi_table_reader *r)
{
    r->n_columns = wi_table_columns(r->columns);
    for (size_t i = 0; i < r->n_columns; i++) {
        if (!wi_table_range(r->columns[i].name, &r->min[i], &r->max[i])) {
            r->min[i] = -HUGE_VAL;
            r->max[i] = HUGE_VAL;
        }
    }
    r->col_metric = column_index(r, "metric");
    r->col_kind = column_index(r, "kind");
    r->col_error = column_index(r, "reading_error_pct");
    r->col_op = column_index(r, "op");
    r->col_assumed = column_index(r, "states_assumed");
}

/* Ids are listed with spaces between them, and stand on command lines. */
bool wi_table_is_id(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    return *text && strchr(plain, *text) &&
           text[strspn(
               text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0';
}

enum wi_status wi_table_header_take(struct wi_table_reader *r, size_t line, char *const *f,
                                    size_t n, struct wi_err *err)
{
    bool has_experiment = false;
    bool has_op = false;

    if (n > WI_TABLE_COLUMNS_MAX)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu columns, at most %d are known", r->name, line, n,
                       WI_TABLE_COLUMNS_MAX);
    for (size_t i = 0; i < n; i++) {
        r->map[i] = find_column(r, f[i]);
        if (!r->map[i])
            return wi_fail(
                err, WI_EDATA,
                "%s:%zu: unknown column '%.60s'; 'import csv --template' prints the known "
                "ones",
                r->name, line, f[i]);
        for (size_t k = 0; k < i; k++) {
            if (r->map[k] == r->map[i])
                return wi_fail(err, WI_EDATA, "%s:%zu: column '%s' stands twice", r->name, line,
                               f[i]);
        }
        r->has_provenance = r->has_provenance || r->map[i]->part == WI_PART_PROVENANCE;
        has_experiment = has_experiment || strcmp(f[i], "experiment") == 0;
        has_op = has_op || strcmp(f[i], "op") == 0;
    }
    if (!has_experiment || !has_op)
        return wi_fail(err, WI_EDATA, "%s:%zu: column '%s' is missing", r->name, line,
                       has_experiment ? "op" : "experiment");
    for (r->id_field = 0; strcmp(r->map[r->id_field]->name, "experiment") != 0;)
        r->id_field++;
    r->n_map = n;
    return WI_OK;
}

static enum wi_status bad_field(const struct wi_table_reader *r, size_t line,
                                const struct wi_table_column *c, const char *text,
                                struct wi_err *err)
{
    const char *name = c->name;
    char words[160];
    double v;
    enum wi_unit unit = WI_UNIT_NONE;

    if (wi_value_parse(text, false, &v, &unit) == WI_VALUE_DATE)
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: '%s' is '%.40s', a date that a spreadsheet made of a number such as "
            "5.10: the number is lost; type it again in a text column",
            r->name, line, name, text);
    if (wi_column_words(c->column, words, sizeof(words)))
        return wi_fail(err, WI_EDATA, "%s:%zu: '%s' cannot be '%.60s', only one of %s", r->name,
                       line, name, text, words);
    return wi_fail(err, WI_EDATA, "%s:%zu: '%s' cannot be '%.60s'", r->name, line, name, text);
}

static enum wi_status parse_number(const struct wi_table_reader *r, size_t line,
                                   const struct wi_table_column *c, const char *text, void *row,
                                   struct wi_err *err)
{
    char buf[64];
    double *value = (double *)(void *)((char *)row + c->column->offset);
    size_t col = (size_t)(c - r->columns);
    size_t n = strlen(text);

    if (n >= sizeof(buf))
        return bad_field(r, line, c, text, err);
    memcpy(buf, text, n + 1);
    for (size_t i = 0; r->delimiter != ',' && i < n; i++) {
        if (buf[i] == ',')
            buf[i] = '.';
    }
    if (!wi_value_is_short(buf, value) &&
        (strspn(buf, "+-.0123456789eE") != n || !wi_column_parse(c->column, buf, row)))
        return bad_field(r, line, c, text, err);
    if (!(*value >= r->min[col] && *value <= r->max[col]))
        return wi_fail(err, WI_EDATA, "%s:%zu: '%s' is %s, allowed is %g to %g", r->name, line,
                       c->name, buf, r->min[col], r->max[col]);
    return WI_OK;
}

enum wi_status wi_table_fields_parse(struct wi_table_reader *r, size_t line, char *const *f,
                                     size_t n, bool repeats, void *const parts[3],
                                     struct wi_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct wi_table_column *c = r->map[i];
        void *row = parts[c->part];
        enum wi_status st = WI_OK;

        if (repeats && c->part != WI_PART_OBSERVATION)
            continue;
        r->given[c - r->columns] = *f[i] != '\0';
        if (!*f[i])
            continue;
        if (c->column->kind == WI_COL_NUM)
            st = parse_number(r, line, c, f[i], row, err);
        else if (!wi_column_parse(c->column, f[i], row))
            st = bad_field(r, line, c, f[i], err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

void wi_table_experiment_init(struct wi_experiment *e)
{
    const struct wi_step open = {NAN, NAN, {WI_AXIS_NONE, NAN, NAN}};

    *e = (struct wi_experiment){.capacity_gb = NAN,
                                .pe_cycles = NAN,
                                .exposure = {open, open, open, NAN, false},
                                .temp_low_c = NAN,
                                .temp_high_c = NAN,
                                .rh_low_pct = NAN,
                                .rh_high_pct = NAN};
    snprintf(e->source, sizeof(e->source), "%s", WI_OWN_SOURCE);
}

static void fill(double *value, double fallback, bool *assumed)
{
    if (!isnan(*value))
        return;
    *value = fallback;
    *assumed = true;
}

void wi_table_experiment_complete(struct wi_experiment *e, bool says_assumed)
{
    struct wi_exposure *x = &e->exposure;
    bool assumed = false;

    fill(&x->before.temp_c, WI_ROOM_TEMP_C, &assumed);
    fill(&x->before.rh_pct, WI_ROOM_RH_PCT, &assumed);
    fill(&x->during.temp_c, x->before.temp_c, &assumed);
    fill(&x->during.rh_pct, x->before.rh_pct, &assumed);
    x->has_after = isfinite(x->after.temp_c) || isfinite(x->after.rh_pct);
    if (x->has_after) {
        fill(&x->after.temp_c, x->before.temp_c, &assumed);
        fill(&x->after.rh_pct, x->before.rh_pct, &assumed);
    } else {
        x->after = (struct wi_step){NAN, NAN, {WI_AXIS_NONE, NAN, NAN}};
    }
    if (!says_assumed)
        e->states_assumed = assumed;
}

static enum wi_status check_change(const struct wi_table_reader *r, size_t line,
                                   struct wi_observation *o, struct wi_err *err)
{
    if (isnan(o->change_pct) && o->kind == WI_OBS_VALUE && isfinite(o->value) &&
        isfinite(o->base_value))
        o->change_pct = 100.0 * (o->value / o->base_value - 1.0);
    if (o->kind == WI_OBS_VALUE && isnan(o->change_pct))
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: 'change_pct' is empty: give it, or 'value' and 'base_value'; 'value' "
            "alone is of kind absolute",
            r->name, line);
    if (isfinite(o->low_pct) && isfinite(o->high_pct) && o->low_pct > o->high_pct)
        return wi_fail(err, WI_EDATA, "%s:%zu: 'low_pct' is above 'high_pct'", r->name, line);
    if (isfinite(o->change_pct) && (o->change_pct < o->low_pct || o->change_pct > o->high_pct))
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: 'change_pct' lies outside of 'low_pct' to 'high_pct'", r->name,
                       line);
    if (o->kind == WI_OBS_BOUND && isnan(o->low_pct) && isnan(o->high_pct))
        return wi_fail(err, WI_EDATA, "%s:%zu: a bound needs 'low_pct' or 'high_pct'", r->name,
                       line);
    if (o->kind == WI_OBS_ABSOLUTE && isnan(o->value))
        return wi_fail(err, WI_EDATA, "%s:%zu: kind absolute needs 'value'", r->name, line);
    return WI_OK;
}

static const char *percentile_text(struct wi_table_reader *r, double percentile)
{
    size_t slot;

    for (size_t i = 0; i < sizeof(r->recent) / sizeof(r->recent[0]); i++) {
        if (r->recent[i].percentile == percentile)
            return r->recent[i].text;
    }
    slot = r->n_recent++ % (sizeof(r->recent) / sizeof(r->recent[0]));
    r->recent[slot].percentile = percentile;
    snprintf(r->recent[slot].text, sizeof(r->recent[slot].text), "p%.8g", percentile);
    return r->recent[slot].text;
}

static size_t append(char *buf, size_t used, const char *text, size_t n_max)
{
    size_t n = strnlen(text, n_max);

    memcpy(buf + used, text, n);
    return used + n;
}

/* The same id as wi_import_observation makes, without printf. */
static void make_id(struct wi_table_reader *r, const char *exp_id, struct wi_observation *o)
{
    size_t used = append(o->id, 0, exp_id, 72);

    o->id[used++] = '/';
    used = append(o->id, used, wi_op_name(o->op), 8);
    o->id[used++] = '-';
    used = o->metric == WI_METRIC_BANDWIDTH
               ? append(o->id, used, "bw", 2)
               : append(o->id, used, percentile_text(r, o->percentile), 12);
    o->id[used] = '\0';
}

enum wi_status wi_table_observation_complete(struct wi_table_reader *r, size_t line,
                                             const char *exp_id, struct wi_observation *o,
                                             struct wi_err *err)
{
    enum wi_status st;

    if (!r->given[r->col_metric])
        o->metric = isnan(o->percentile) ? WI_METRIC_BANDWIDTH : WI_METRIC_TAIL_LATENCY;
    if (!r->given[r->col_kind]) {
        bool bound = isnan(o->change_pct) && (isfinite(o->low_pct) || isfinite(o->high_pct));
        bool absolute = isnan(o->change_pct) && isfinite(o->value) && isnan(o->base_value);

        o->kind = bound ? WI_OBS_BOUND : (absolute ? WI_OBS_ABSOLUTE : WI_OBS_VALUE);
    }
    st = check_change(r, line, o, err);
    if (st != WI_OK)
        return st;
    if (!r->given[r->col_error]) {
        if (isfinite(o->low_pct) && isfinite(o->high_pct))
            o->reading_error_pct = o->kind == WI_OBS_VALUE ? (o->high_pct - o->low_pct) / 2.0 : 0.0;
        else if (o->kind == WI_OBS_VALUE)
            return wi_fail(
                err, WI_EDATA,
                "%s:%zu: 'reading_error_pct' is empty: how well is the change known? Give "
                "it, or 'low_pct' and 'high_pct'",
                r->name, line);
    }
    if (!*o->id)
        make_id(r, exp_id, o);
    return WI_OK;
}

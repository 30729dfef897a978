/* Reading the observation table, and `import csv` on top of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/csv_read.h"
#include "experiments/experiments_columns.h"
#include "experiments/experiments_io.h"
#include "experiments/input.h"
#include "experiments/series_value.h"

#define BATCH_EXPERIMENTS 256 /* fits the processor's cache */
#define CHUNK 262144u

struct wi_table_reader {
    const char *name;
    wi_table_batch_fn batch;
    void *ctx;
    struct wi_csv *csv;
    bool begun;
    char delimiter;
    struct wi_table_column columns[WI_TABLE_COLUMNS_MAX];
    size_t n_columns;
    const struct wi_table_column *map[WI_TABLE_COLUMNS_MAX];     /* of each field */
    double min[WI_TABLE_COLUMNS_MAX], max[WI_TABLE_COLUMNS_MAX]; /* by column; +-HUGE_VAL */
    struct {
        double percentile;
        char text[24];
    } recent[8]; /* percentiles as text, for ids: printing a double costs more than all else */
    size_t n_recent;
    size_t n_map;
    struct wi_dataset ds; /* of the batch; its arrays are kept from batch to batch */
    size_t exps_size, obs_size;
    bool has_provenance;              /* the table has such columns */
    struct wi_provenance *provenance; /* then: one per experiment */
    size_t provenance_size;
    uint32_t hashes[BATCH_EXPERIMENTS]; /* of the ids in ds, to find an id that came before */
    size_t first_obs;                   /* of the last experiment */
    bool given[WI_TABLE_COLUMNS_MAX];   /* which fields of the row hold something */
    size_t col_metric, col_kind, col_error, col_op, col_assumed; /* in columns */
    size_t id_field;
    char *last_texts; /* the experiment's fields of the row before, for rows that repeat them */
    size_t n_last, last_size;
    double n_rows;
};

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

enum wi_status wi_table_reader_new(const char *name, wi_table_batch_fn batch, void *ctx,
                                   struct wi_table_reader **reader, struct wi_err *err)
{
    struct wi_table_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return wi_fail_nomem(err);
    r->name = name;
    r->batch = batch;
    r->ctx = ctx;
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
    *reader = r;
    return WI_OK;
}

void wi_table_reader_free(struct wi_table_reader *r)
{
    if (!r)
        return;
    wi_csv_free(r->csv);
    wi_dataset_release(&r->ds);
    free(r->provenance);
    free(r->last_texts);
    free(r);
}

/* ---- one row ---------------------------------------------------------------------------- */

static enum wi_status take_header(struct wi_table_reader *r, size_t line, char *const *f, size_t n,
                                  struct wi_err *err)
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

static enum wi_status bad_field(const struct wi_table_reader *r, size_t line, const char *name,
                                const char *text, struct wi_err *err)
{
    double v;
    enum wi_unit unit = WI_UNIT_NONE;

    if (wi_value_parse(text, false, &v, &unit) == WI_VALUE_DATE)
        return wi_fail(
            err, WI_EDATA,
            "%s:%zu: '%s' is '%.40s', a date that a spreadsheet made of a number such as "
            "5.10: the number is lost; type it again in a text column",
            r->name, line, name, text);
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
        return bad_field(r, line, c->name, text, err);
    memcpy(buf, text, n + 1);
    for (size_t i = 0; r->delimiter != ',' && i < n; i++) {
        if (buf[i] == ',')
            buf[i] = '.';
    }
    if (!wi_value_is_short(buf, value) &&
        (strspn(buf, "+-.0123456789eE") != n || !wi_column_parse(c->column, buf, row)))
        return bad_field(r, line, c->name, text, err);
    if (!(*value >= r->min[col] && *value <= r->max[col]))
        return wi_fail(err, WI_EDATA, "%s:%zu: '%s' is %s, allowed is %g to %g", r->name, line,
                       c->name, buf, r->min[col], r->max[col]);
    return WI_OK;
}

/* Fields of a row that hold something, into the row's experiment, observation and provenance. */
static enum wi_status parse_fields(struct wi_table_reader *r, size_t line, char *const *f, size_t n,
                                   bool repeats, void *const parts[3], struct wi_err *err)
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
            st = bad_field(r, line, c->name, f[i], err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static void experiment_defaults(struct wi_experiment *e)
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

/*
 * What the table leaves open takes the defaults of a scenario. Whether the states are assumed is
 * the table's own statement where it makes one.
 */
static void complete_experiment(struct wi_experiment *e, bool says_assumed)
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

/* What the row leaves open about its observation, from what it says. */
static enum wi_status complete_observation(struct wi_table_reader *r, size_t line,
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

/* ---- experiments, in batches ------------------------------------------------------------ */

static int compare_observations(const void *a, const void *b)
{
    const struct wi_observation *x = a;
    const struct wi_observation *y = b;
    double px = isnan(x->percentile) ? 0.0 : x->percentile;
    double py = isnan(y->percentile) ? 0.0 : y->percentile;

    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->metric != y->metric)
        return x->metric < y->metric ? -1 : 1;
    if (px != py)
        return px < py ? -1 : 1;
    return x->stat != y->stat ? (x->stat < y->stat ? -1 : 1) : strcmp(x->id, y->id);
}

static void end_experiment(struct wi_table_reader *r)
{
    if (r->ds.n_obs > r->first_obs)
        qsort(r->ds.obs + r->first_obs, r->ds.n_obs - r->first_obs, sizeof(*r->ds.obs),
              compare_observations);
    r->first_obs = r->ds.n_obs;
}

static enum wi_status flush_batch(struct wi_table_reader *r, struct wi_err *err)
{
    enum wi_status st;

    if (!r->ds.n_exps)
        return WI_OK;
    end_experiment(r);
    st = r->batch(r->ctx, &r->ds, r->has_provenance ? r->provenance : NULL, err);
    r->ds.n_exps = r->ds.n_obs = 0;
    r->first_obs = 0;
    return st;
}

static enum wi_status make_room(void **items, size_t n, size_t *size, size_t item_size,
                                struct wi_err *err)
{
    size_t more = *size ? 2 * *size : 4;
    void *bigger;

    if (n < *size)
        return WI_OK;
    bigger = realloc(*items, more * item_size);
    if (!bigger)
        return wi_fail_nomem(err);
    *items = bigger;
    *size = more;
    return WI_OK;
}

static enum wi_status keep_experiment(struct wi_table_reader *r, const struct wi_experiment *e,
                                      struct wi_err *err)
{
    void *items = r->ds.exps;
    enum wi_status st = make_room(&items, r->ds.n_exps, &r->exps_size, sizeof(*e), err);

    r->ds.exps = items;
    if (st == WI_OK)
        r->ds.exps[r->ds.n_exps++] = *e;
    return st;
}

static enum wi_status keep_observation(struct wi_table_reader *r, const struct wi_observation *o,
                                       struct wi_err *err)
{
    void *items = r->ds.obs;
    enum wi_status st = make_room(&items, r->ds.n_obs, &r->obs_size, sizeof(*o), err);

    r->ds.obs = items;
    if (st == WI_OK)
        r->ds.obs[r->ds.n_obs++] = *o;
    return st;
}

static enum wi_status keep_provenance(struct wi_table_reader *r, const struct wi_provenance *p,
                                      struct wi_err *err)
{
    void *items = r->provenance;
    enum wi_status st = make_room(&items, r->ds.n_exps - 1, &r->provenance_size, sizeof(*p), err);

    r->provenance = items;
    if (st == WI_OK)
        r->provenance[r->ds.n_exps - 1] = *p;
    return st;
}

/* FNV-1a, 32 bits. */
static uint32_t hash_of(const char *text)
{
    uint32_t h = 2166136261u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static enum wi_status begin_experiment(struct wi_table_reader *r, size_t line,
                                       const struct wi_experiment *e, const struct wi_provenance *p,
                                       struct wi_err *err)
{
    uint32_t hash = hash_of(e->id);
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < r->ds.n_exps; i++) {
        if (r->hashes[i] == hash && strcmp(r->ds.exps[i].id, e->id) == 0)
            return wi_fail(err, WI_EDATA, "%s:%zu: rows of experiment '%s' do not stand together",
                           r->name, line, e->id);
    }
    if (r->ds.n_exps == BATCH_EXPERIMENTS)
        st = flush_batch(r, err);
    else if (r->ds.n_exps)
        end_experiment(r);
    if (st == WI_OK)
        st = keep_experiment(r, e, err);
    if (st == WI_OK)
        r->hashes[r->ds.n_exps - 1] = hash;
    return st == WI_OK && r->has_provenance ? keep_provenance(r, p, err) : st;
}

/*
 * Do the fields of experiment and provenance read as on the row before? Most rows of a long table
 * repeat them, and need not be parsed again. Keeps the texts for the next row.
 */
static enum wi_status same_texts(struct wi_table_reader *r, char *const *f, size_t n, bool *same,
                                 struct wi_err *err)
{
    size_t used = 0;

    *same = r->ds.n_exps > 0;
    for (size_t i = 0; i < n; i++) {
        size_t len;

        if (r->map[i]->part == WI_PART_OBSERVATION)
            continue;
        len = strlen(f[i]) + 1;
        if (used + len > r->last_size) {
            char *more = realloc(r->last_texts, 2 * (used + len));

            if (!more)
                return wi_fail_nomem(err);
            r->last_texts = more;
            r->last_size = 2 * (used + len);
        }
        if (*same && (used + len > r->n_last || memcmp(r->last_texts + used, f[i], len) != 0))
            *same = false;
        memcpy(r->last_texts + used, f[i], len);
        used += len;
    }
    *same = *same && used == r->n_last;
    r->n_last = used;
    return WI_OK;
}

/* A row that describes its experiment, for the first time or again. */
static enum wi_status describe_experiment(struct wi_table_reader *r, size_t line, char *const *f,
                                          size_t n, struct wi_observation *o, struct wi_err *err)
{
    struct wi_experiment *last = r->ds.n_exps ? &r->ds.exps[r->ds.n_exps - 1] : NULL;
    bool goes_on = last && strcmp(last->id, f[r->id_field]) == 0;
    struct wi_experiment e;
    struct wi_provenance p; /* 5 kB, and most tables have none */
    void *const parts[3] = {&e, o, &p};
    enum wi_status st;

    if (r->has_provenance)
        p = (struct wi_provenance){0};
    experiment_defaults(&e);
    if (goes_on)
        e = *last;
    st = parse_fields(r, line, f, n, false, parts, err);
    if (st != WI_OK)
        return st;
    complete_experiment(&e, goes_on || r->given[r->col_assumed]);
    if (!goes_on)
        return begin_experiment(r, line, &e, &p, err);
    if (!wi_table_equal(&wi_table_experiments, last, &e))
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: experiment '%s' is described otherwise here than on its first row",
                       r->name, line, e.id);
    return WI_OK;
}

/* Ids are listed with spaces between them, and stand on command lines. */
static bool is_id(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    return *text && strchr(plain, *text) &&
           text[strspn(
               text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0';
}

static enum wi_status take_row(struct wi_table_reader *r, size_t line, char *const *f, size_t n,
                               struct wi_err *err)
{
    struct wi_observation o;
    void *const parts[3] = {NULL, &o, NULL};
    bool repeats;
    enum wi_status st;

    if (n > r->n_map)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields under %zu columns", r->name, line, n,
                       r->n_map);
    if (r->id_field >= n || !*f[r->id_field])
        return wi_fail(err, WI_EDATA, "%s:%zu: 'experiment' is empty", r->name, line);
    if (!is_id(f[r->id_field]))
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: 'experiment' is '%.60s': an id has letters, digits, dot, dash and "
                       "underscore, and starts with a letter or digit",
                       r->name, line, f[r->id_field]);
    st = same_texts(r, f, n, &repeats, err);
    if (st != WI_OK)
        return st;
    wi_import_observation(NULL, WI_OP_MIXED, WI_METRIC_BANDWIDTH, NAN, &o);
    memset(r->given, 0, sizeof(r->given));
    st = repeats ? parse_fields(r, line, f, n, true, parts, err)
                 : describe_experiment(r, line, f, n, &o, err);
    if (st != WI_OK || !r->given[r->col_op])
        return st;
    o.exp = r->ds.n_exps - 1;
    st = complete_observation(r, line, f[r->id_field], &o, err);
    return st == WI_OK ? keep_observation(r, &o, err) : st;
}

static enum wi_status on_row(void *ctx, size_t line, char *const *f, size_t n, struct wi_err *err)
{
    struct wi_table_reader *r = ctx;
    bool blank = true;

    if (n && f[0][0] == '#')
        return WI_OK;
    for (size_t i = 0; i < n; i++)
        blank = blank && !*f[i];
    if (blank)
        return WI_OK;
    if (!r->n_map)
        return take_header(r, line, f, n, err);
    r->n_rows += 1.0;
    return take_row(r, line, f, n, err);
}

/* ---- the stream ------------------------------------------------------------------------- */

static enum wi_status refuse_foreign(const char *name, const char *p, size_t n, struct wi_err *err)
{
    if (n >= 4 && memcmp(p, "PK\x03\x04", 4) == 0)
        return wi_fail(err, WI_EDATA,
                       "%s: this is a spreadsheet (.xlsx, .ods): save the sheet as CSV and import "
                       "that; 'import csv --template' prints the columns",
                       name);
    if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return wi_fail(err, WI_EDATA, "%s: this is UTF-16: save it as UTF-8", name);
    return WI_OK;
}

/* A semicolon before the first comma of the first line that is no remark. */
static char find_delimiter(const char *p, size_t n)
{
    while (n && *p == '#') {
        const char *end = memchr(p, '\n', n);

        if (!end)
            return ',';
        n -= (size_t)(end + 1 - p);
        p = end + 1;
    }
    for (size_t i = 0; i < n && p[i] != '\n'; i++) {
        if (p[i] == ';' || p[i] == ',' || p[i] == '\t')
            return p[i];
    }
    return ',';
}

enum wi_status wi_table_reader_feed(struct wi_table_reader *r, const char *bytes, size_t n,
                                    struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (n && memchr(bytes, '\0', n))
        return wi_fail(err, WI_EDATA, "%s: a NUL byte after %.0f rows: this is no text file",
                       r->name, r->n_rows);
    if (!r->begun && n) { /* the caller's first piece holds the header */
        struct wi_csv_options opt = {.n_fields_max = 256};

        st = refuse_foreign(r->name, bytes, n, err);
        if (st != WI_OK)
            return st;
        if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
            bytes += 3;
            n -= 3;
        }
        r->delimiter = find_delimiter(bytes, n);
        opt.delimiter = r->delimiter;
        r->begun = true;
        st = wi_csv_new(r->name, &opt, on_row, r, &r->csv, err);
    }
    if (st == WI_OK && n)
        st = wi_csv_feed(r->csv, bytes, n, err);
    return st;
}

enum wi_status wi_table_reader_finish(struct wi_table_reader *r, struct wi_err *err)
{
    enum wi_status st = r->csv ? wi_csv_finish(r->csv, err) : WI_OK;

    if (st == WI_OK && (!r->n_map || r->n_rows <= 0.0))
        return wi_fail(err, WI_EDATA, "%s: %s", r->name,
                       r->n_map ? "a header and no row" : "empty: no header and no row");
    return st == WI_OK ? flush_batch(r, err) : st;
}

/* ---- import ----------------------------------------------------------------------------- */

struct storing {
    struct wi_store *store;
    const char *file;
    char sha256[WI_SHA256_HEX];
    char now[32];
    size_t n_added, n_obs, n_exps;
    char first[WI_ID_MAX];
};

/* Rows without a provenance of their own come from this file. */
static enum wi_status store_batch(void *ctx, const struct wi_dataset *ds,
                                  const struct wi_provenance *provenance, struct wi_err *err)
{
    struct storing *s = ctx;
    struct wi_provenance *list = calloc(ds->n_exps, sizeof(*list));
    size_t n_added = 0;
    enum wi_status st;

    if (!list)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < ds->n_exps; i++) {
        if (provenance)
            list[i] = provenance[i];
        if (*list[i].sha256 || *list[i].file)
            continue;
        snprintf(list[i].file, sizeof(list[i].file), "%s", s->file);
        memcpy(list[i].sha256, s->sha256, sizeof(list[i].sha256));
        snprintf(list[i].tool, sizeof(list[i].tool), "observation table");
        memcpy(list[i].imported_at, s->now, sizeof(s->now));
        snprintf(list[i].options, sizeof(list[i].options), "{}");
    }
    if (!s->n_exps)
        memcpy(s->first, ds->exps[0].id, sizeof(s->first));
    st = wi_store_add_experiments(s->store, ds, list, &n_added, err);
    s->n_added += n_added;
    s->n_exps += ds->n_exps;
    s->n_obs += ds->n_obs;
    free(list);
    return st;
}

static enum wi_status feed_file(const char *path, struct wi_table_reader *reader,
                                const struct wi_import_options *opt, struct wi_err *err)
{
    char *buf = malloc(CHUNK);
    struct wi_input in = {.fd = -1};
    size_t n = 1;
    enum wi_status st = buf ? wi_input_open(path, &in, err) : wi_fail_nomem(err);

    while (st == WI_OK && n) {
        if (wi_import_stopped(opt))
            st = wi_fail(err, WI_ECANCEL, "'%s': interrupted, nothing of it is stored", path);
        else
            st = wi_input_read(&in, path, buf, CHUNK, &n, err);
        if (st == WI_OK && n)
            st = wi_table_reader_feed(reader, buf, n, err);
    }
    wi_input_close(&in);
    free(buf);
    return st == WI_OK ? wi_table_reader_finish(reader, err) : st;
}

static enum wi_status import_table(struct wi_store *store, const char *path,
                                   const struct wi_import_options *opt,
                                   struct wi_import_report *report, struct wi_err *err)
{
    struct storing s = {.store = store, .file = wi_input_name(path)};
    struct wi_table_reader *reader = NULL;
    time_t now = time(NULL);
    struct tm tm;
    bool known = false;
    char ids[WI_ID_MAX + 64];
    enum wi_status st;

    if (!gmtime_r(&now, &tm) || !strftime(s.now, sizeof(s.now), "%Y-%m-%dT%H:%M:%SZ", &tm))
        snprintf(s.now, sizeof(s.now), "unknown");
    if (strcmp(path, "-") == 0)
        st = wi_fail(err, WI_EUSAGE, "import csv reads files only, for their digest");
    else
        st = wi_input_sha256(path, s.sha256, err);
    if (st == WI_OK)
        st = wi_import_check_known(store, path, s.sha256, report, &known, err);
    if (st != WI_OK || known)
        return st;
    st = wi_store_begin(store, err);
    if (st != WI_OK)
        return st;
    st = wi_table_reader_new(s.file, store_batch, &s, &reader, err);
    if (st == WI_OK)
        st = feed_file(path, reader, opt, err);
    wi_table_reader_free(reader);
    st = wi_store_end(store, st, err);
    if (st != WI_OK)
        return st;
    report->n_added += s.n_added;
    if (s.n_exps == 1)
        snprintf(ids, sizeof(ids), "%s", s.first);
    else
        snprintf(ids, sizeof(ids), "%s and %zu more", s.first, s.n_exps - 1);
    return wi_import_report_add(report, path, s.n_added ? WI_IMPORT_ADDED : WI_IMPORT_KNOWN, ids,
                                s.n_obs, err);
}

enum wi_status wi_import_csv(struct wi_store *store, const char *const *files, size_t n,
                             const struct wi_import_options *opt, struct wi_import_report *report,
                             struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++)
        st = import_table(store, files[i], opt, report, err);
    return st;
}

/*
 * Rows in a table `sweep` of an SQLite file. Rows and the number of the next scenario are committed
 * together, so that a sweep goes on where it stopped.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "experiments/sweep_out.h"
#include "knowledge/store_rows.h"

/* A commit waits for the disk: one for many blocks. */
#define SCENARIOS_PER_COMMIT 20000
#define N_OTHER 8 /* scenario, metric, percentile, change, low, high, domain, evidence */

struct table {
    struct sweep_out base;
    struct wi_rows *rows;
    const struct sweep_columns *columns;
    uint64_t next;
    size_t n_pending; /* scenarios since the last commit */
    bool open;        /* a transaction */
};

static size_t list_columns(const struct sweep_columns *cols, struct wi_rows_column *out)
{
    static const struct wi_rows_column rest[] = {
        {"metric", WI_ROWS_TEXT},    {"percentile", WI_ROWS_NUMBER}, {"change_pct", WI_ROWS_NUMBER},
        {"low_pct", WI_ROWS_NUMBER}, {"high_pct", WI_ROWS_NUMBER},   {"domain", WI_ROWS_TEXT},
        {"evidence", WI_ROWS_TEXT}};
    size_t n = 0;
    size_t n_rest = sizeof(rest) / sizeof(rest[0]) - (cols->evidence_ids ? 0 : 1);

    out[n++] = (struct wi_rows_column){"scenario", WI_ROWS_COUNT};
    for (size_t i = 0; i < cols->n_fields; i++)
        out[n++] = (struct wi_rows_column){cols->fields[i]->name,
                                           cols->fields[i]->kind == SWEEP_NUMBER ? WI_ROWS_NUMBER
                                                                                 : WI_ROWS_TEXT};
    memcpy(out + n, rest, n_rest * sizeof(rest[0]));
    return n + n_rest;
}

/* The same four decimals as in text. */
static double round4(double value)
{
    char text[WI_DECIMAL_MAX + 1];

    if (!isfinite(value))
        return NAN;
    text[wi_decimal_fixed4(value, text)] = '\0';
    return strtod(text, NULL);
}

static enum wi_status add_scenario(struct table *t, uint64_t index, const struct wi_scenario *s,
                                   const struct wi_fast_row *row, struct wi_err *err)
{
    union wi_rows_cell cells[SWEEP_FIELDS_MAX + N_OTHER];
    char ids[WI_FORECAST_EXPS * (WI_ID_MAX + 1)] = "";
    size_t n = 0;
    size_t len = 0;
    enum wi_status st = WI_OK;

    cells[n++].count = (int64_t)index;
    for (size_t i = 0; i < t->columns->n_fields; i++) {
        double number;
        const char *text = sweep_field_value(t->columns->fields[i], s, &number);

        if (text)
            cells[n++].text = text;
        else
            cells[n++].number = number;
    }
    for (size_t i = 0; i < row->n_evidence; i++)
        len +=
            (size_t)snprintf(ids + len, sizeof(ids) - len, "%s%s", i ? ";" : "", row->evidence[i]);
    for (size_t i = 0; i <= s->n_percentiles && st == WI_OK; i++) {
        bool tail = i < s->n_percentiles;
        size_t at = n;

        cells[at++].text = tail ? SWEEP_TAIL : SWEEP_BANDWIDTH;
        cells[at++].number = tail ? s->percentiles[i] : NAN;
        cells[at++].number = round4(row->out[i].change_pct);
        cells[at++].number = round4(row->out[i].low_pct);
        cells[at++].number = round4(row->out[i].high_pct);
        cells[at++].text = wi_domain_name(row->domain);
        if (t->columns->evidence_ids)
            cells[at++].text = ids;
        st = wi_rows_add(t->rows, cells, err);
    }
    return st;
}

static enum wi_status commit(struct table *t, struct wi_err *err)
{
    char next[32];
    enum wi_status st;

    if (!t->open)
        return WI_OK;
    snprintf(next, sizeof(next), "%" PRIu64, t->next);
    st = wi_rows_set_meta(t->rows, "next", next, err);
    if (st == WI_OK)
        st = wi_rows_commit(t->rows, err);
    t->open = st != WI_OK;
    t->n_pending = 0;
    return st;
}

static enum wi_status table_add(struct sweep_out *out, const struct sweep_block *block,
                                struct wi_err *err)
{
    struct table *t = (struct table *)out;
    enum wi_status st = WI_OK;

    if (!t->open) {
        st = wi_rows_begin(t->rows, err);
        t->open = st == WI_OK;
    }
    for (size_t i = 0; i < block->n && st == WI_OK; i++)
        st = add_scenario(t, block->first + i, &block->scenarios[i], &block->rows[i], err);
    if (st != WI_OK)
        return st;
    t->next = block->first + block->n;
    t->n_pending += block->n;
    return t->n_pending >= SCENARIOS_PER_COMMIT ? commit(t, err) : WI_OK;
}

static enum wi_status table_finish(struct sweep_out *out, struct wi_err *err)
{
    return commit((struct table *)out, err);
}

static void table_close(struct sweep_out *out)
{
    struct table *t = (struct table *)out;

    wi_rows_close(t->rows);
    free(t);
}

static const struct sweep_out_methods table_methods = {table_add, table_finish, table_close};

static enum wi_status begin(struct table *t, const struct sweep_out_options *o, struct wi_err *err)
{
    enum wi_status st = wi_rows_begin(t->rows, err);

    t->open = st == WI_OK;
    if (st == WI_OK)
        st = wi_rows_create(t->rows, err);
    if (st == WI_OK)
        st = wi_rows_set_meta(t->rows, "record", o->record, err);
    return st == WI_OK ? commit(t, err) : st;
}

static enum wi_status go_on(struct table *t, const struct sweep_out_options *o, struct wi_err *err)
{
    char before[SWEEP_RECORD_MAX];
    char next[32];
    enum wi_status st = wi_rows_get_meta(t->rows, "record", before, sizeof(before), err);

    if (st == WI_OK)
        st = sweep_record_compare(o->path, before, o->record, err);
    if (st == WI_OK)
        st = wi_rows_get_meta(t->rows, "next", next, sizeof(next), err);
    if (st == WI_OK)
        t->next = strtoull(next, NULL, 10);
    if (st == WI_OK && (t->next < o->first || t->next > o->end))
        st = wi_fail(err, WI_EDATA, "cannot resume '%s': it holds other scenarios", o->path);
    return st;
}

enum wi_status sweep_out_table(const struct sweep_out_options *o, struct sweep_out **out,
                               uint64_t *next, struct wi_err *err)
{
    struct wi_rows_column columns[SWEEP_FIELDS_MAX + N_OTHER];
    struct table *t = calloc(1, sizeof(*t));
    bool exists = false;
    enum wi_status st;

    if (!t)
        return wi_fail_nomem(err);
    t->base.methods = &table_methods;
    t->columns = o->columns;
    t->next = o->first;
    st = wi_rows_open(o->path, "sweep", columns, list_columns(o->columns, columns), &t->rows, err);
    if (st == WI_OK && o->resume)
        st = wi_rows_exists(t->rows, &exists, err);
    if (st == WI_OK)
        st = exists ? go_on(t, o, err) : begin(t, o, err);
    if (st != WI_OK) {
        table_close(&t->base);
        return st;
    }
    *next = t->next;
    *out = &t->base;
    return WI_OK;
}

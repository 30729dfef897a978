#include "experiments/sweep_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"

/* Columns that every output has. */
static const char *const always[] = {"nand",          "op",     "phase",  "temp_c_before",
                                     "rh_pct_before", "temp_c", "rh_pct", "vib_axis"};
/* Not a column of their own: the percentile is one of each row. */
static const char *const never[] = {"percentiles"};

static bool is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

void sweep_columns_init(struct sweep_columns *cols, const struct wi_sweep_spec *spec,
                        bool evidence_ids)
{
    uint32_t named = wi_sweep_fields(spec);
    const struct sweep_field *f;

    *cols = (struct sweep_columns){.evidence_ids = evidence_ids};
    for (size_t i = 0; (f = sweep_field_at(i)); i++) {
        if ((named >> i & 1 || is_among(f->name, always, sizeof(always) / sizeof(always[0]))) &&
            !is_among(f->name, never, sizeof(never) / sizeof(never[0])))
            cols->fields[cols->n_fields++] = f;
    }
}

const char *sweep_field_value(const struct sweep_field *f, const struct wi_scenario *s,
                              double *number)
{
    const void *place = (const char *)s + f->offset;

    *number = NAN;
    switch (f->kind) {
    case SWEEP_NUMBER:
        *number = *(const double *)place;
        return NULL;
    case SWEEP_NAND:
        return wi_nand_name(*(const enum wi_nand *)place);
    case SWEEP_OP:
        return wi_op_name(*(const enum wi_op *)place);
    case SWEEP_PHASE:
        return wi_phase_name(*(const enum wi_phase *)place);
    case SWEEP_AXIS:
        return wi_axis_name(*(const enum wi_axis *)place);
    case SWEEP_NAME:
        return place;
    case SWEEP_PERCENTILES:
        break;
    }
    return "";
}

/* --- text --------------------------------------------------------------------------------------
 */

void sweep_text_release(struct sweep_text *t)
{
    free(t->bytes);
    *t = (struct sweep_text){0};
}

static enum wi_status make_room(struct sweep_text *t, size_t more, struct wi_err *err)
{
    size_t size = t->size ? t->size : 4096;
    char *bytes;

    if (t->size - t->n >= more)
        return WI_OK;
    while (size - t->n < more)
        size *= 2;
    bytes = realloc(t->bytes, size);
    if (!bytes)
        return wi_fail_nomem(err);
    t->bytes = bytes;
    t->size = size;
    return WI_OK;
}

/* The put functions write into room that was made before. */
static void put(struct sweep_text *t, const char *bytes, size_t n)
{
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

static void put_text(struct sweep_text *t, const char *text)
{
    put(t, text, strlen(text));
}

static void put_char(struct sweep_text *t, char c)
{
    t->bytes[t->n++] = c;
}

/* A CSV cell, quoted where it must be (RFC 4180); at most 2 n + 2 bytes. */
static void put_cell(struct sweep_text *t, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        put_text(t, text);
        return;
    }
    put_char(t, '"');
    for (; *text; text++) {
        if (*text == '"')
            put_char(t, '"');
        put_char(t, *text);
    }
    put_char(t, '"');
}

/* A JSON string; names hold no control characters. At most 2 n + 2 bytes. */
static void put_string(struct sweep_text *t, const char *text)
{
    put_char(t, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put_char(t, '\\');
        put_char(t, *text);
    }
    put_char(t, '"');
}

static void put_exact(struct sweep_text *t, double value, const char *missing)
{
    if (isfinite(value))
        t->n += wi_decimal_exact(value, t->bytes + t->n);
    else
        put_text(t, missing);
}

static void put_change(struct sweep_text *t, double value, const char *missing)
{
    if (isfinite(value))
        t->n += wi_decimal_fixed4(value, t->bytes + t->n);
    else
        put_text(t, missing);
}

/* --- rows --------------------------------------------------------------------------------------
 */

#define CELL_MAX (2 * WI_NAME_MAX + 2 + 32) /* one field with its name and punctuation */
#define ROW_EXTRA 256                       /* metric, percentile, changes, domain with names */

static size_t pattern_max(const struct sweep_columns *cols)
{
    return (cols->n_fields + WI_FORECAST_EXPS + 2) * CELL_MAX + ROW_EXTRA;
}

static void head_csv(const struct sweep_columns *cols, uint64_t index, const struct wi_scenario *s,
                     struct sweep_text *t)
{
    t->n += wi_decimal_count(index, t->bytes + t->n);
    for (size_t i = 0; i < cols->n_fields; i++) {
        double number;
        const char *text = sweep_field_value(cols->fields[i], s, &number);

        put_char(t, ',');
        if (text)
            put_cell(t, text);
        else
            put_exact(t, number, "");
    }
    put_char(t, ',');
}

static void head_json(const struct sweep_columns *cols, uint64_t index, const struct wi_scenario *s,
                      struct sweep_text *t)
{
    put_text(t, "{\"scenario\":");
    t->n += wi_decimal_count(index, t->bytes + t->n);
    for (size_t i = 0; i < cols->n_fields; i++) {
        double number;
        const char *text = sweep_field_value(cols->fields[i], s, &number);

        put_text(t, ",\"");
        put_text(t, cols->fields[i]->name);
        put_text(t, "\":");
        if (text)
            put_string(t, text);
        else
            put_exact(t, number, "null");
    }
    put_text(t, ",\"metric\":\"");
}

static void tail_csv(const struct sweep_columns *cols, const struct wi_fast_row *row,
                     struct sweep_text *t)
{
    put_char(t, ',');
    put_text(t, wi_domain_name(row->domain));
    if (cols->evidence_ids) {
        char ids[WI_FORECAST_EXPS * WI_ID_MAX] = "";
        size_t n = 0;

        for (size_t i = 0; i < row->n_evidence; i++) {
            size_t len = strlen(row->evidence[i]);

            if (i)
                ids[n++] = ';';
            memcpy(ids + n, row->evidence[i], len + 1);
            n += len;
        }
        put_char(t, ',');
        put_cell(t, ids);
    }
    put_char(t, '\n');
}

static void tail_json(const struct sweep_columns *cols, const struct wi_fast_row *row,
                      struct sweep_text *t)
{
    put_text(t, ",\"domain\":\"");
    put_text(t, wi_domain_name(row->domain));
    put_char(t, '"');
    if (cols->evidence_ids) {
        put_text(t, ",\"evidence\":[");
        for (size_t i = 0; i < row->n_evidence; i++) {
            if (i)
                put_char(t, ',');
            put_string(t, row->evidence[i]);
        }
        put_char(t, ']');
    }
    put_text(t, "}\n");
}

/* metric, percentile, change, low, high */
static void middle_csv(double percentile, const struct wi_fast_row *row, size_t i,
                       struct sweep_text *t)
{
    put_text(t, isnan(percentile) ? SWEEP_BANDWIDTH : SWEEP_TAIL);
    put_char(t, ',');
    put_exact(t, percentile, "");
    put_char(t, ',');
    put_change(t, row->out[i].change_pct, "");
    put_char(t, ',');
    put_change(t, row->out[i].low_pct, "");
    put_char(t, ',');
    put_change(t, row->out[i].high_pct, "");
}

static void middle_json(double percentile, const struct wi_fast_row *row, size_t i,
                        struct sweep_text *t)
{
    put_text(t, isnan(percentile) ? SWEEP_BANDWIDTH : SWEEP_TAIL);
    put_text(t, "\",\"percentile\":");
    put_exact(t, percentile, "null");
    put_text(t, ",\"change_pct\":");
    put_change(t, row->out[i].change_pct, "null");
    put_text(t, ",\"low_pct\":");
    put_change(t, row->out[i].low_pct, "null");
    put_text(t, ",\"high_pct\":");
    put_change(t, row->out[i].high_pct, "null");
}

enum wi_status sweep_rows_add(const struct sweep_columns *cols, enum wi_sweep_format format,
                              uint64_t index, const struct wi_scenario *s,
                              const struct wi_fast_row *row, struct sweep_text *out,
                              struct wi_err *err)
{
    bool csv = format == WI_SWEEP_CSV;
    size_t n_out = s->n_percentiles + 1;
    size_t max = pattern_max(cols);
    size_t start;
    size_t tail;
    size_t end;
    enum wi_status st = make_room(out, (n_out + 1) * max, err);

    if (st != WI_OK)
        return st;
    /* Begin and end are the same in all rows: made once, in the room behind the rows. */
    start = out->n;
    out->n += n_out * max;
    (csv ? head_csv : head_json)(cols, index, s, out);
    tail = out->n;
    (csv ? tail_csv : tail_json)(cols, row, out);
    end = out->n;
    out->n = start;
    for (size_t i = 0; i < n_out; i++) {
        double percentile = i + 1 < n_out ? s->percentiles[i] : NAN;

        put(out, out->bytes + start + n_out * max, tail - (start + n_out * max));
        (csv ? middle_csv : middle_json)(percentile, row, i, out);
        put(out, out->bytes + tail, end - tail);
    }
    return WI_OK;
}

enum wi_status sweep_rows_header(const struct sweep_columns *cols, enum wi_sweep_format format,
                                 struct sweep_text *out, struct wi_err *err)
{
    enum wi_status st = make_room(out, pattern_max(cols), err);

    if (st != WI_OK || format != WI_SWEEP_CSV)
        return st;
    put_text(out, "scenario,");
    for (size_t i = 0; i < cols->n_fields; i++) {
        put_text(out, cols->fields[i]->name);
        put_char(out, ',');
    }
    put_text(out, "metric,percentile,change_pct,low_pct,high_pct,domain");
    put_text(out, cols->evidence_ids ? ",evidence\n" : "\n");
    return WI_OK;
}

bool sweep_rows_index(enum wi_sweep_format format, const char *line, size_t len, uint64_t *index)
{
    static const char lead[] = "{\"scenario\":";
    size_t at = 0;
    uint64_t value = 0;
    size_t digits;

    if (format == WI_SWEEP_JSONL) {
        if (len < sizeof(lead) || memcmp(line, lead, sizeof(lead) - 1) != 0)
            return false;
        at = sizeof(lead) - 1;
    }
    for (digits = 0; at < len && line[at] >= '0' && line[at] <= '9' && digits < 19; at++, digits++)
        value = value * 10 + (uint64_t)(line[at] - '0');
    if (!digits || at >= len || line[at] != ',')
        return false;
    *index = value;
    return true;
}

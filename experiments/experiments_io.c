/* Writing the observation table, its template, and the difference of two experiments. */
#include "experiments/experiments_io.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/experiments_columns.h"

#define FIELD_MAX 8192

struct writer {
    wi_write_fn write;
    void *ctx;
    struct wi_table_column columns[WI_TABLE_COLUMNS_MAX];
    size_t n_columns;
    char row[65536]; /* all texts of one row, quoted, fit: 2 x (4096 + 1024 + ...) */
    size_t n_row;
};

static void put(struct writer *w, const char *text, size_t n)
{
    if (n > sizeof(w->row) - w->n_row)
        n = sizeof(w->row) - w->n_row;
    memcpy(w->row + w->n_row, text, n);
    w->n_row += n;
}

static void put_field(struct writer *w, const char *text)
{
    if (!strpbrk(text, ",\"\r\n") && *text != '#' && *text != ' ') {
        put(w, text, strlen(text));
        return;
    }
    put(w, "\"", 1);
    for (; *text; text++)
        put(w, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    put(w, "\"", 1);
}

static enum wi_status flush_row(struct writer *w, struct wi_err *err)
{
    enum wi_status st;

    put(w, "\n", 1);
    st = w->write(w->ctx, w->row, w->n_row, err);
    w->n_row = 0;
    return st;
}

static enum wi_status write_header(struct writer *w, struct wi_err *err)
{
    for (size_t i = 0; i < w->n_columns; i++) {
        put(w, ",", i > 0);
        put_field(w, w->columns[i].name);
    }
    return flush_row(w, err);
}

/* parts: what the columns of each part are read from; NULL leaves them empty. */
static enum wi_status write_row(struct writer *w, const void *const parts[3], struct wi_err *err)
{
    char field[FIELD_MAX];

    for (size_t i = 0; i < w->n_columns; i++) {
        const void *from = parts[w->columns[i].part];

        put(w, ",", i > 0);
        if (!from)
            continue;
        wi_column_format(w->columns[i].column, from, field, sizeof(field));
        put_field(w, field);
    }
    return flush_row(w, err);
}

static enum wi_status writer_new(wi_write_fn write, void *ctx, struct writer **out,
                                 struct wi_err *err)
{
    struct writer *w = malloc(sizeof(*w));

    if (!w)
        return wi_fail_nomem(err);
    w->write = write;
    w->ctx = ctx;
    w->n_row = 0;
    w->n_columns = wi_table_columns(w->columns);
    *out = w;
    return WI_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const struct wi_experiment *const *x = a;
    const struct wi_experiment *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

static enum wi_status write_experiment(struct writer *w, struct wi_store *store,
                                       const struct wi_dataset *ds, size_t exp, size_t from,
                                       struct wi_err *err)
{
    struct wi_provenance provenance = {0};
    struct wi_err ignored;
    const void *parts[3] = {&ds->exps[exp], NULL, &provenance};
    enum wi_status st = wi_store_get_provenance(store, ds->exps[exp].id, &provenance, &ignored);

    if (st == WI_ENOTFOUND) { /* embedded data */
        parts[2] = NULL;
    } else if (st != WI_OK) {
        if (err)
            *err = ignored;
        return st;
    }
    if (from >= ds->n_obs || ds->obs[from].exp != exp)
        return write_row(w, parts, err);
    st = WI_OK;
    for (size_t i = from; i < ds->n_obs && ds->obs[i].exp == exp && st == WI_OK; i++) {
        parts[1] = &ds->obs[i];
        st = write_row(w, parts, err);
    }
    return st;
}

static enum wi_status write_all(struct writer *w, struct wi_store *store,
                                const struct wi_dataset *ds, struct wi_err *err)
{
    const struct wi_experiment **sorted = calloc(ds->n_exps + 1, sizeof(*sorted));
    size_t *first = calloc(ds->n_exps + 1, sizeof(*first));
    enum wi_status st = sorted && first ? write_header(w, err) : wi_fail_nomem(err);

    for (size_t i = 0; st == WI_OK && i < ds->n_exps; i++) {
        sorted[i] = &ds->exps[i];
        first[i] = ds->n_obs;
    }
    for (size_t i = ds->n_obs; st == WI_OK && i-- > 0;)
        first[ds->obs[i].exp] = i;
    if (st == WI_OK)
        qsort(sorted, ds->n_exps, sizeof(*sorted), compare_ids);
    for (size_t i = 0; st == WI_OK && i < ds->n_exps; i++) {
        size_t exp = (size_t)(sorted[i] - ds->exps);

        st = write_experiment(w, store, ds, exp, first[exp], err);
    }
    free(sorted);
    free(first);
    return st;
}

enum wi_status wi_experiments_export(struct wi_store *store,
                                     const struct wi_experiment_filter *filter, wi_write_fn write,
                                     void *ctx, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct writer *w = NULL;
    enum wi_status st = writer_new(write, ctx, &w, err);

    if (st == WI_OK)
        st = wi_store_load_dataset(store, filter, &ds, err);
    if (st == WI_OK)
        st = write_all(w, store, &ds, err);
    wi_dataset_release(&ds);
    free(w);
    return st;
}

static const char template_text[] =
    "# ssd-whatif observation table: one row per measured figure; rows that start with # are "
    "skipped.\n"
    "# Needed: experiment, during_temp_c or during_rh_pct or during_vib_axis, op, and either\n"
    "#   change_pct with reading_error_pct (half width of the 90 % reading error, in points) or "
    "low_pct and high_pct;\n"
    "#   value and base_value (us for latency, MB/s for bandwidth), from which the change follows; "
    "or value alone\n"
    "#   (kind absolute: no change is claimed).\n"
    "# Columns may be left out or left empty, and stand in any order. The experiment's columns "
    "need "
    "its first row only.\n"
    "# nand: slc mlc tlc qlc unknown. phase: running post long_term. op: read write mixed. "
    "vib_axis: "
    "none parallel perpendicular.\n"
    "# metric: tail_latency (with percentile 1 to 100, 100 = maximum) or bandwidth. Change: "
    "percent, "
    "+ = the value rises.\n"
    "# kind: value bound too_small no_change text box absolute. Temperatures in C, humidity in "
    "%RH, "
    "durations in hours.\n"
    "# before defaults to the reference room, 22.5 C, 50 %RH, still. Example:\n"
    "# my-drive-60C,,,Acme "
    "X1,NVMe,tlc,...,running,...,60,...,read,tail_latency,99,,value,-12.5,,,3,"
    "...\n";

enum wi_status wi_experiments_template(wi_write_fn write, void *ctx, struct wi_err *err)
{
    struct writer *w = NULL;
    enum wi_status st = writer_new(write, ctx, &w, err);

    if (st == WI_OK)
        st = write(ctx, template_text, sizeof(template_text) - 1, err);
    if (st == WI_OK)
        st = write_header(w, err);
    free(w);
    return st;
}

/* ---- difference ------------------------------------------------------------------------- */

static enum wi_status load_one(struct wi_store *store, const char *id, struct wi_dataset *ds,
                               struct wi_err *err)
{
    struct wi_experiment_filter filter = {.id = id};
    enum wi_status st = wi_store_load_dataset(store, &filter, ds, err);

    if (st == WI_OK && !ds->n_exps)
        st = wi_fail(err, WI_ENOTFOUND, "no experiment '%.80s' is stored", id);
    return st;
}

static enum wi_status diff_fields(const struct wi_experiment *a, const struct wi_experiment *b,
                                  cJSON *list, struct wi_err *err)
{
    char text_a[FIELD_MAX];
    char text_b[FIELD_MAX];

    for (size_t i = 0; i < wi_table_experiments.n_columns; i++) {
        const struct wi_column *c = &wi_table_experiments.columns[i];
        cJSON *row;

        wi_column_format(c, a, text_a, sizeof(text_a));
        wi_column_format(c, b, text_b, sizeof(text_b));
        if (strcmp(c->name, "id") == 0 || strcmp(text_a, text_b) == 0)
            continue;
        row = cJSON_CreateObject();
        if (!row || !cJSON_AddStringToObject(row, "field", c->name) ||
            !cJSON_AddStringToObject(row, "a", text_a) ||
            !cJSON_AddStringToObject(row, "b", text_b) || !cJSON_AddItemToArray(list, row)) {
            cJSON_Delete(row);
            return wi_fail_nomem(err);
        }
    }
    return WI_OK;
}

static bool same_figure(const struct wi_observation *a, const struct wi_observation *b)
{
    return a->op == b->op && a->metric == b->metric && a->stat == b->stat &&
           (a->percentile == b->percentile || (isnan(a->percentile) && isnan(b->percentile)));
}

static const struct wi_observation *find_figure(const struct wi_dataset *ds,
                                                const struct wi_observation *o)
{
    for (size_t i = 0; i < ds->n_obs; i++) {
        if (same_figure(&ds->obs[i], o))
            return &ds->obs[i];
    }
    return NULL;
}

static enum wi_status add_figure_row(cJSON *list, const struct wi_observation *a,
                                     const struct wi_observation *b, struct wi_err *err)
{
    const struct wi_observation *o = a ? a : b;
    cJSON *row = cJSON_CreateObject();
    enum wi_status st = WI_OK;

    if (!row || !cJSON_AddStringToObject(row, "op", wi_op_name(o->op)) ||
        !cJSON_AddStringToObject(row, "metric", wi_metric_name(o->metric)) ||
        !cJSON_AddItemToArray(list, row)) {
        cJSON_Delete(row);
        return wi_fail_nomem(err);
    }
    st = wi_json_add_num(row, "percentile", o->percentile, err);
    if (st == WI_OK)
        st = wi_json_add_num(row, "a_change_pct", a ? a->change_pct : NAN, err);
    if (st == WI_OK)
        st = wi_json_add_num(row, "b_change_pct", b ? b->change_pct : NAN, err);
    if (st == WI_OK)
        st = wi_json_add_num(row, "a_value", a ? a->value : NAN, err);
    return st == WI_OK ? wi_json_add_num(row, "b_value", b ? b->value : NAN, err) : st;
}

static bool differs(double x, double y)
{
    return !(isnan(x) && isnan(y)) && !(x == y);
}

static enum wi_status diff_observations(const struct wi_dataset *a, const struct wi_dataset *b,
                                        cJSON *list, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < a->n_obs && st == WI_OK; i++) {
        const struct wi_observation *other = find_figure(b, &a->obs[i]);

        if (!other || differs(a->obs[i].change_pct, other->change_pct) ||
            differs(a->obs[i].value, other->value))
            st = add_figure_row(list, &a->obs[i], other, err);
    }
    for (size_t i = 0; i < b->n_obs && st == WI_OK; i++) {
        if (!find_figure(a, &b->obs[i]))
            st = add_figure_row(list, NULL, &b->obs[i], err);
    }
    return st;
}

enum wi_status wi_experiments_diff(struct wi_store *store, const char *id_a, const char *id_b,
                                   cJSON **json, struct wi_err *err)
{
    struct wi_dataset a = {0};
    struct wi_dataset b = {0};
    cJSON *root = cJSON_CreateObject();
    cJSON *fields = NULL;
    cJSON *observations = NULL;
    enum wi_status st = root ? load_one(store, id_a, &a, err) : wi_fail_nomem(err);

    if (st == WI_OK)
        st = load_one(store, id_b, &b, err);
    if (st == WI_OK &&
        (!cJSON_AddStringToObject(root, "a", id_a) || !cJSON_AddStringToObject(root, "b", id_b) ||
         !(fields = cJSON_AddArrayToObject(root, "fields")) ||
         !(observations = cJSON_AddArrayToObject(root, "observations"))))
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = diff_fields(&a.exps[0], &b.exps[0], fields, err);
    if (st == WI_OK)
        st = diff_observations(&a, &b, observations, err);
    wi_dataset_release(&a);
    wi_dataset_release(&b);
    if (st != WI_OK) {
        cJSON_Delete(root);
        return st;
    }
    *json = root;
    return WI_OK;
}

/* Observation tables from a stream: rows become experiments, handed on in batches. */
#include "experiments/table_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/csv_start.h"

enum wi_status wi_table_reader_new(const char *name, wi_table_batch_fn batch, void *ctx,
                                   struct wi_table_reader **reader, struct wi_err *err)
{
    struct wi_table_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return wi_fail_nomem(err);
    r->name = name;
    r->batch = batch;
    r->ctx = ctx;
    wi_table_columns_init(r);
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
    if (r->ds.n_exps == WI_TABLE_BATCH)
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
    wi_table_experiment_init(&e);
    if (goes_on)
        e = *last;
    st = wi_table_fields_parse(r, line, f, n, false, parts, err);
    if (st != WI_OK)
        return st;
    wi_table_experiment_complete(&e, goes_on || r->given[r->col_assumed]);
    if (!goes_on)
        return begin_experiment(r, line, &e, &p, err);
    if (!wi_table_equal(&wi_table_experiments, last, &e))
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: experiment '%s' is described otherwise here than on its first row",
                       r->name, line, e.id);
    return WI_OK;
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
    if (!wi_table_is_id(f[r->id_field]))
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: 'experiment' is '%.60s': an id has letters, digits, dot, dash and "
                       "underscore, and starts with a letter or digit",
                       r->name, line, f[r->id_field]);
    st = same_texts(r, f, n, &repeats, err);
    if (st != WI_OK)
        return st;
    wi_import_observation(NULL, WI_OP_MIXED, WI_METRIC_BANDWIDTH, NAN, &o);
    memset(r->given, 0, sizeof(r->given));
    st = repeats ? wi_table_fields_parse(r, line, f, n, true, parts, err)
                 : describe_experiment(r, line, f, n, &o, err);
    if (st != WI_OK || !r->given[r->col_op])
        return st;
    o.exp = r->ds.n_exps - 1;
    st = wi_table_observation_complete(r, line, f[r->id_field], &o, err);
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
        return wi_table_header_take(r, line, f, n, err);
    r->n_rows += 1.0;
    return take_row(r, line, f, n, err);
}

/* ---- the stream ------------------------------------------------------------------------- */

/* The caller's first piece holds the header. */
static enum wi_status begin(struct wi_table_reader *r, const char *bytes, size_t n, size_t *n_skip,
                            struct wi_err *err)
{
    struct wi_csv_options opt = {.n_fields_max = 256};
    enum wi_status st = wi_csv_start(r->name, "; 'import csv --template' prints the columns", bytes,
                                     n, &opt.delimiter, n_skip, err);

    if (st != WI_OK)
        return st;
    r->delimiter = opt.delimiter;
    return wi_csv_new(r->name, &opt, on_row, r, &r->csv, err);
}

enum wi_status wi_table_reader_feed(struct wi_table_reader *r, const char *bytes, size_t n,
                                    struct wi_err *err)
{
    size_t n_skip = 0;
    enum wi_status st;

    if (!n)
        return WI_OK;
    st = r->csv ? wi_csv_refuse_nul(r->name, r->n_rows, bytes, n, err)
                : begin(r, bytes, n, &n_skip, err);
    return st == WI_OK ? wi_csv_feed(r->csv, bytes + n_skip, n - n_skip, err) : st;
}

enum wi_status wi_table_reader_finish(struct wi_table_reader *r, struct wi_err *err)
{
    enum wi_status st = r->csv ? wi_csv_finish(r->csv, err) : WI_OK;

    if (st == WI_OK && (!r->n_map || r->n_rows <= 0.0))
        return wi_fail(err, WI_EDATA, "%s: %s", r->name,
                       r->n_map ? "a header and no row" : "empty: no header and no row");
    return st == WI_OK ? flush_batch(r, err) : st;
}

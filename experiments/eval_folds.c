/* What is left out together, and which measurements are scored. */
#include "experiments/eval_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/embedded.h"

#define KEY_MAX 256

/* The step of a temperature or humidity experiment, whatever the NAND type. */
static void condition_key(const struct wi_experiment *x, char *key, size_t size)
{
    const struct wi_exposure *e = &x->exposure;

    snprintf(key, size, "%g/%g>%g/%g>%g/%g %g-%g %g-%g %d", e->before.temp_c, e->before.rh_pct,
             e->during.temp_c, e->during.rh_pct, e->has_after ? e->after.temp_c : 0.0,
             e->has_after ? e->after.rh_pct : 0.0, x->temp_low_c, x->temp_high_c, x->rh_low_pct,
             x->rh_high_pct, (int)x->phase);
}

static void curve_key(const struct wi_experiment *x, const struct wi_row *r, char *key, size_t size)
{
    snprintf(key, size, "%.90s|%.2f|%d", x->id, r->w_read, r->bandwidth ? 1 : 0);
}

/* False: the row belongs to no fold of this kind. */
static bool fold_key(const struct wi_eval_run *run, const struct wi_row *r, char *key, size_t size)
{
    const struct wi_experiment *x = &run->ds->exps[run->ds->obs[r->obs].exp];

    switch (run->ev->holdout) {
    case WI_HOLDOUT_CURVE:
        curve_key(x, r, key, size);
        return true;
    case WI_HOLDOUT_EXPERIMENT:
        snprintf(key, size, "%s", x->id);
        return true;
    case WI_HOLDOUT_CONDITION:
        condition_key(x, key, size);
        return r->group == WI_GROUP_TH;
    case WI_HOLDOUT_VENDOR:
        snprintf(key, size, "%s", x->vendor);
        return x->vendor[0] != '\0';
    case WI_HOLDOUT_SOURCE:
        snprintf(key, size, "%s", x->source);
        return true;
    default:
        snprintf(key, size, "all");
        return true;
    }
}

static double reading_sd_pct(const struct wi_observation *o)
{
    if (o->kind == WI_OBS_VALUE)
        return o->reading_error_pct / 1.645;
    return o->kind == WI_OBS_NO_CHANGE ? 2.0 : o->reading_error_pct / sqrt(3.0);
}

static enum wi_status add_case(struct wi_eval_run *run, const struct wi_row *r, int fold)
{
    const struct wi_observation *o = &run->ds->obs[r->obs];
    struct wi_eval_case *c = &run->ev->cases[run->ev->n_cases];
    char key[KEY_MAX];
    int curve;
    enum wi_status st;

    curve_key(&run->ds->exps[o->exp], r, key, sizeof(key));
    st = wi_names_intern(&run->curves, key, &curve, run->err);
    if (st != WI_OK)
        return st;
    *c = (struct wi_eval_case){.obs = r->obs,
                               .row = *r,
                               .truth_pct = o->change_pct,
                               .reading_sd_pct = reading_sd_pct(o),
                               .fold = (size_t)fold,
                               .curve = (size_t)curve,
                               .llm_pct = NAN};
    run->ev->n_cases++;
    return WI_OK;
}

enum wi_status wi_eval_folds_make(struct wi_eval_run *run)
{
    char key[KEY_MAX];
    enum wi_status st = WI_OK;

    run->fold_of = calloc(run->rows.n + 1, sizeof(*run->fold_of));
    run->ev->cases = calloc(run->rows.n + 1, sizeof(*run->ev->cases));
    if (!run->fold_of || !run->ev->cases)
        return wi_fail_nomem(run->err);
    for (size_t i = 0; i < run->rows.n && st == WI_OK; i++) {
        const struct wi_row *r = &run->rows.rows[i];

        run->fold_of[i] = WI_NONE_ID;
        if (!fold_key(run, r, key, sizeof(key)))
            continue;
        st = wi_names_intern(&run->folds, key, &run->fold_of[i], run->err);
        if (st == WI_OK && r->scored)
            st = add_case(run, r, run->fold_of[i]);
    }
    run->ev->n_folds = run->folds.n;
    run->ev->n_curves = run->curves.n;
    return st;
}

/* ------------------------------------------------------------------ the published comparison */

struct published {
    struct wi_eval_run *run;
    int experiment, metric, percentile, set, llm;
};

static int column(char *const *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i], name) == 0)
            return (int)i;
    }
    return -1;
}

static enum wi_status read_published(void *ctx, size_t line, char *const *f, size_t n,
                                     struct wi_err *err)
{
    struct published *p = ctx;
    struct wi_evaluation *ev = p->run->ev;

    if (line == 1) {
        p->experiment = column(f, n, "experiment");
        p->metric = column(f, n, "metric");
        p->percentile = column(f, n, "percentile");
        p->set = column(f, n, "set");
        p->llm = column(f, n, "llm_pct");
        if (p->experiment < 0 || p->metric < 0 || p->percentile < 0 || p->set < 0 || p->llm < 0)
            return wi_fail(err, WI_EDATA, "data/hotstorage25.csv:1: a column is missing");
        return WI_OK;
    }
    if (n <= (size_t)p->llm || strncmp(f[p->set], "temp_hum", 8) != 0 || !f[p->experiment][0] ||
        strcmp(f[p->metric], "tail_latency") != 0)
        return WI_OK;
    for (size_t i = 0; i < ev->n_cases; i++) {
        struct wi_eval_case *c = &ev->cases[i];
        const struct wi_observation *o = &p->run->ds->obs[c->obs];

        if (strcmp(p->run->ds->exps[o->exp].id, f[p->experiment]) == 0 && !c->row.bandwidth &&
            fabs(o->percentile - strtod(f[p->percentile], NULL)) < 1e-9) {
            c->published = true;
            c->llm_pct = strtod(f[p->llm], NULL);
        }
    }
    return WI_OK;
}

enum wi_status wi_eval_published_mark(struct wi_eval_run *run)
{
    const struct wi_embedded_file *file = wi_embedded_find("data/hotstorage25.csv");
    struct published p = {.run = run};

    if (!file)
        return wi_fail(run->err, WI_ENOTFOUND, "no embedded 'data/hotstorage25.csv'");
    return wi_csv_parse(file->path, file->bytes, file->n_bytes, NULL, read_published, &p, run->err);
}

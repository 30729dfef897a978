/* The fit as CSV: group, name, mode, 12 cloud points; two rows at the top for kind and sizes. */
#include "core/fit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/embedded.h"

#define FIT_FORMAT "ssd-whatif-fit/1"

void wi_fit_free(struct wi_fit *fit)
{
    free(fit);
}

enum wi_status wi_fit_new(const struct wi_dataset *ds, enum wi_model_kind kind, struct wi_fit **fit,
                          struct wi_err *err)
{
    struct wi_rows rows = {0};
    struct wi_fit *f = calloc(1, sizeof(*f));
    enum wi_status st = f ? wi_rows_from_dataset(ds, kind, &rows, err) : wi_fail_nomem(err);

    *fit = NULL;
    if (st == WI_OK)
        st = wi_fit_rows(&rows, kind, f, err);
    wi_rows_release(&rows);
    if (st != WI_OK) {
        free(f);
        return st;
    }
    *fit = f;
    return WI_OK;
}

static const char *const kind_names[] = {"default", "study"};

enum wi_status wi_fit_format(const struct wi_fit *fit, char **text, struct wi_err *err)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    int bad;

    if (!out)
        return wi_fail_nomem(err);
    fprintf(out, "%s,%s\n", FIT_FORMAT, kind_names[fit->kind]);
    for (int g = 0; g < WI_N_GROUPS; g++) {
        const struct wi_kernel *k = wi_kernel_of((enum wi_group)g);
        const struct wi_group_fit *f = &fit->group[g];

        fprintf(out, "%s,rows,%zu,objective,%.17g,stop,%d\n", k->name, f->n_rows, f->objective,
                f->stop);
        for (size_t i = 0; i < k->n_par; i++) {
            fprintf(out, "%s,%s,%.17g", k->name, k->par[i].name, f->mode[i]);
            for (size_t c = 0; c < WI_CLOUD; c++)
                fprintf(out, ",%.17g", f->cloud[c][i]);
            fputc('\n', out);
        }
    }
    bad = ferror(out);
    if (fclose(out) != 0 || bad) {
        free(*text);
        *text = NULL;
        return wi_fail_nomem(err);
    }
    return WI_OK;
}

struct reader {
    struct wi_fit fit;
    bool seen[WI_N_GROUPS][WI_PAR_MAX], sized[WI_N_GROUPS], headed;
};

static bool number(const char *text, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

static enum wi_status malformed(size_t line, const char *what, struct wi_err *err)
{
    return wi_fail(err, WI_EDATA, "fit:%zu: %s", line, what);
}

static enum wi_status read_head(struct reader *r, size_t line, char *const *f, size_t n,
                                struct wi_err *err)
{
    if (n != 2 || strcmp(f[0], FIT_FORMAT) != 0)
        return malformed(line, "not a fit of this version", err);
    for (int k = 0; k < 2; k++) {
        if (strcmp(f[1], kind_names[k]) == 0) {
            r->fit.kind = (enum wi_model_kind)k;
            r->headed = true;
            return WI_OK;
        }
    }
    return malformed(line, "unknown kind of model", err);
}

static enum wi_status read_sizes(struct reader *r, int g, size_t line, char *const *f, size_t n,
                                 struct wi_err *err)
{
    double rows, objective, stop;

    if (n != 7 || !number(f[2], &rows) || !number(f[4], &objective) || !number(f[6], &stop) ||
        !(rows >= 0.0 && rows < 1e9) || fabs(stop) > 100.0)
        return malformed(line, "needs rows, objective and stop", err);
    r->fit.group[g].n_rows = (size_t)rows;
    r->fit.group[g].objective = objective;
    r->fit.group[g].stop = (int)stop;
    r->sized[g] = true;
    return WI_OK;
}

static enum wi_status read_par(struct reader *r, int g, size_t line, char *const *f, size_t n,
                               struct wi_err *err)
{
    const struct wi_kernel *k = wi_kernel_of((enum wi_group)g);
    double v;

    for (size_t i = 0; i < k->n_par; i++) {
        if (strcmp(k->par[i].name, f[1]) != 0)
            continue;
        if (r->seen[g][i])
            return malformed(line, "a parameter stands twice", err);
        if (n != WI_CLOUD + 3)
            return malformed(line, "needs a mode and 12 cloud points", err);
        for (size_t c = 0; c < WI_CLOUD + 1; c++) {
            /* Beyond this an exponential of it would overflow. */
            if (!number(f[c + 2], &v) || fabs(v) > 100.0)
                return malformed(line, "a value is no number within -100..100", err);
            *(c == 0 ? &r->fit.group[g].mode[i] : &r->fit.group[g].cloud[c - 1][i]) = v;
        }
        r->seen[g][i] = true;
        return WI_OK;
    }
    return malformed(line, "unknown parameter", err);
}

static enum wi_status read_row(void *ctx, size_t line, char *const *f, size_t n, struct wi_err *err)
{
    struct reader *r = ctx;

    if (!r->headed)
        return read_head(r, line, f, n, err);
    for (int g = 0; g < WI_N_GROUPS && n >= 3; g++) {
        if (strcmp(f[0], wi_kernel_of((enum wi_group)g)->name) != 0)
            continue;
        return strcmp(f[1], "rows") == 0 ? read_sizes(r, g, line, f, n, err)
                                         : read_par(r, g, line, f, n, err);
    }
    return malformed(line, "unknown row", err);
}

enum wi_status wi_fit_parse(const char *text, size_t len, struct wi_fit **fit, struct wi_err *err)
{
    struct reader *r = calloc(1, sizeof(*r));
    enum wi_status st;

    *fit = NULL;
    if (!r)
        return wi_fail_nomem(err);
    st = wi_csv_parse("fit", text, len, NULL, read_row, r, err);
    for (int g = 0; g < WI_N_GROUPS && st == WI_OK; g++) {
        const struct wi_kernel *k = wi_kernel_of((enum wi_group)g);
        bool whole = r->sized[g];

        for (size_t i = 0; i < k->n_par; i++)
            whole = whole && r->seen[g][i];
        if (!whole)
            st = wi_fail(err, WI_EDATA, "fit: the '%s' parameters are incomplete", k->name);
    }
    if (st == WI_OK) {
        *fit = malloc(sizeof(**fit));
        if (*fit)
            **fit = r->fit;
        else
            st = wi_fail_nomem(err);
    }
    free(r);
    return st;
}

enum wi_status wi_fit_embedded(enum wi_model_kind kind, struct wi_fit **fit, struct wi_err *err)
{
    char path[64];
    const struct wi_embedded_file *f;

    *fit = NULL;
    snprintf(path, sizeof(path), "data/fit-%s.csv", kind_names[kind]);
    f = wi_embedded_find(path);
    if (!f)
        return wi_fail(err, WI_ENOTFOUND, "no embedded '%s'", path);
    return wi_fit_parse(f->bytes, f->n_bytes, fit, err);
}

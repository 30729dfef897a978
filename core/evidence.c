#include "core/evidence_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fit.h"
#include "core/normal.h"
#include "core/student.h"

enum wi_part wi_part_of(const struct wi_row *row)
{
    if (row->group == WI_GROUP_TH)
        return WI_PART_TH;
    return row->phase == WI_PHASE_LONG_TERM ? WI_PART_VIB_LONG : WI_PART_VIB_SHORT;
}

void wi_evidence_free(struct wi_evidence *ev)
{
    if (!ev)
        return;
    for (int p = 0; p < WI_N_PARTS; p++) {
        wi_gp_release(&ev->gp[p]);
        wi_misfit_release(&ev->misfit[p]);
    }
    wi_rows_release(&ev->rows);
    free(ev->bytes);
    free(ev);
}

static enum wi_status condition_part(struct wi_evidence *ev, enum wi_part part,
                                     const struct wi_rows *rows, const struct wi_fit *fit,
                                     struct wi_row *buf, struct wi_err *err)
{
    enum wi_group group = part == WI_PART_TH ? WI_GROUP_TH : WI_GROUP_VIB;
    const struct wi_kernel *kernel = wi_kernel_of(group);
    double *t = malloc(WI_CLOUD * kernel->n_par * sizeof(*t));
    enum wi_status st;
    size_t n = 0;

    if (!t)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < rows->n; i++) {
        if (wi_part_of(&rows->rows[i]) == part)
            buf[n++] = rows->rows[i];
    }
    for (size_t c = 0; c < WI_CLOUD; c++)
        memcpy(t + c * kernel->n_par, fit->group[group].cloud[c], kernel->n_par * sizeof(*t));
    st = wi_gp_init(&ev->gp[part], kernel, buf, n, t, WI_CLOUD, err);
    if (st == WI_OK && ev->kind == WI_MODEL_DEFAULT)
        st = wi_misfit_init(&ev->misfit[part], &ev->gp[part], buf, n, err);
    free(t);
    return st;
}

enum wi_status wi_evidence_from_rows(struct wi_rows *rows, const struct wi_fit *fit,
                                     struct wi_evidence **ev, struct wi_err *err)
{
    struct wi_evidence *e = calloc(1, sizeof(*e));
    struct wi_row *buf = malloc((rows->n + 1) * sizeof(*buf));
    enum wi_status st = e && buf ? WI_OK : wi_fail_nomem(err);

    *ev = NULL;
    if (st == WI_OK)
        e->kind = fit->kind;
    for (int p = 0; p < WI_N_PARTS && st == WI_OK; p++)
        st = condition_part(e, (enum wi_part)p, rows, fit, buf, err);
    free(buf);
    if (st != WI_OK) {
        wi_evidence_free(e);
        return st;
    }
    wi_hull_set(&e->hull, rows->rows, rows->n);
    e->rows = *rows;
    *rows = (struct wi_rows){0};
    *ev = e;
    return WI_OK;
}

enum wi_status wi_evidence_new(const struct wi_dataset *ds, const struct wi_fit *fit,
                               struct wi_evidence **ev, struct wi_err *err)
{
    struct wi_rows rows = {0};
    enum wi_status st = wi_rows_from_dataset(ds, fit->kind, &rows, err);

    *ev = NULL;
    if (st == WI_OK)
        st = wi_evidence_from_rows(&rows, fit, ev, err);
    wi_rows_release(&rows);
    return st;
}

enum wi_status wi_evidence_moments(const struct wi_evidence *ev, struct wi_row *q, size_t m,
                                   struct wi_moments *out, double *exp_weight, size_t n_weighted,
                                   struct wi_err *err)
{
    enum wi_part part = wi_part_of(&q[0]);
    const struct wi_gp *gp = &ev->gp[part];
    double *weight = exp_weight ? calloc(gp->n + 1, sizeof(*weight)) : NULL;
    enum wi_status st;

    if (exp_weight && !weight)
        return wi_fail_nomem(err);
    wi_rows_mark_fresh(q, m, gp->rows, gp->n);
    st = wi_gp_predict(gp, q, m, out, weight, n_weighted, err);
    if (st == WI_OK) {
        wi_misfit_add(&ev->misfit[part], gp, q, m, out);
        wi_misfit_pull(gp, q, m, out);
    }
    for (size_t i = 0; i < gp->n && weight && st == WI_OK; i++)
        exp_weight[gp->rows[i].exp] += weight[i];
    free(weight);
    return st;
}

#define LN_MAX 18.0 /* a change of 6.6e9 %: no number beyond says anything */

double wi_interval_sds(double confidence, bool student)
{
    double p = 0.5 + 0.5 * confidence;

    return student ? wi_student_quantile(p, 5.0) : wi_gauss_quantile(p);
}

void wi_change_set(struct wi_change *out, double mean, double var, double sds)
{
    double half = sqrt(var) * sds;

    mean = fmax(fmin(mean, LN_MAX), -LN_MAX);
    half = fmin(fmax(half, 1e-9), LN_MAX);
    out->change_pct = 100.0 * expm1(mean);
    out->low_pct = 100.0 * expm1(mean - half);
    out->high_pct = 100.0 * expm1(mean + half);
    /* Where rounding closes the gap at the ends of the range. */
    if (!(out->low_pct < out->change_pct))
        out->low_pct = nextafter(out->change_pct, -100.0);
    if (!(out->high_pct > out->change_pct))
        out->high_pct = nextafter(out->change_pct, HUGE_VAL);
}

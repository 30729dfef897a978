#include "core/fit.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/gp.h"
#include "core/linalg.h"

#define FIT_EVALS_MAX 600
#define FIT_ROWS_MAX 700 /* of one block: above, an even selection is fitted */
#define FIT_BOUND_SD 4.0
#define BLOCKS_MAX 2

double wi_par_mean(const struct wi_par *par, enum wi_model_kind kind)
{
    return kind == WI_MODEL_STUDY ? par->study_mean : par->mean;
}

double wi_par_sd(const struct wi_par *par, enum wi_model_kind kind)
{
    return kind == WI_MODEL_STUDY ? par->study_sd : par->sd;
}

struct block {
    struct wi_row *rows;
    size_t n;
    double *z, *e2; /* (n,) */
};

struct wi_objective {
    const struct wi_kernel *kernel;
    enum wi_model_kind kind;
    struct block blocks[BLOCKS_MAX];
    double *k, *a; /* (n, n), (n,) of the largest block */
};

void wi_objective_free(struct wi_objective *obj)
{
    if (!obj)
        return;
    for (size_t i = 0; i < BLOCKS_MAX; i++) {
        free(obj->blocks[i].rows);
        free(obj->blocks[i].z);
    }
    free(obj->k);
    free(obj->a);
    free(obj);
}

/* Long-term vibration has no covariance with the other phases. */
static size_t block_of(const struct wi_row *r)
{
    return r->group == WI_GROUP_VIB && r->phase == WI_PHASE_LONG_TERM ? 1 : 0;
}

static bool fill_block(struct block *b, size_t index, const struct wi_row *rows, size_t n)
{
    size_t all = 0, seen = 0, step;

    for (size_t i = 0; i < n; i++)
        all += block_of(&rows[i]) == index ? 1 : 0;
    step = (all + FIT_ROWS_MAX - 1) / FIT_ROWS_MAX;
    b->rows = calloc(all + 1, sizeof(*b->rows));
    b->z = calloc(2 * all + 1, sizeof(*b->z));
    if (!b->rows || !b->z)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (block_of(&rows[i]) == index && seen++ % step == 0)
            b->rows[b->n++] = rows[i];
    }
    b->e2 = b->z + b->n;
    for (size_t i = 0; i < b->n; i++) {
        b->z[i] = b->rows[i].z;
        b->e2[i] = wi_row_err_var(&b->rows[i]);
    }
    return true;
}

enum wi_status wi_objective_new(const struct wi_kernel *kernel, enum wi_model_kind kind,
                                const struct wi_row *rows, size_t n, struct wi_objective **obj,
                                struct wi_err *err)
{
    struct wi_objective *o = calloc(1, sizeof(*o));
    size_t most = 0;

    *obj = NULL;
    if (!o)
        return wi_fail_nomem(err);
    o->kernel = kernel;
    o->kind = kind;
    for (size_t i = 0; i < BLOCKS_MAX; i++) {
        if (!fill_block(&o->blocks[i], i, rows, n))
            goto nomem;
        most = o->blocks[i].n > most ? o->blocks[i].n : most;
    }
    o->k = calloc(most * most + 1, sizeof(*o->k));
    o->a = calloc(most + 1, sizeof(*o->a));
    if (!o->k || !o->a)
        goto nomem;
    *obj = o;
    return WI_OK;

nomem:
    wi_objective_free(o);
    return wi_fail_nomem(err);
}

/* Adds one block's negative log likelihood (without its constant). False: not positive definite. */
static bool add_block(struct wi_objective *o, const struct block *b, const double *t, double *value,
                      double *grad)
{
    size_t n = b->n;

    o->kernel->block(t, b->rows, n, b->rows, n, o->k);
    o->kernel->noise(t, b->rows, n, o->a);
    for (size_t i = 0; i < n; i++)
        o->k[i * n + i] += o->a[i] + b->e2[i] + WI_GP_JITTER;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(o->k[i]))
            return false;
    }
    if (wi_linalg_cholesky(o->k, n, NULL) != WI_OK)
        return false;
    memcpy(o->a, b->z, n * sizeof(*o->a));
    wi_linalg_solve_lower(o->k, n, o->a, 1);
    for (size_t i = 0; i < n; i++)
        *value += 0.5 * o->a[i] * o->a[i] + log(o->k[i * n + i]);
    if (!grad)
        return true;
    wi_linalg_solve_lower_t(o->k, n, o->a, 1);
    if (wi_linalg_invert_from_cholesky(o->k, n, NULL) != WI_OK)
        return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            o->k[i * n + j] = 0.5 * (o->k[i * n + j] - o->a[i] * o->a[j]);
    }
    o->kernel->grad(t, b->rows, n, o->k, grad);
    return true;
}

void wi_objective_eval(struct wi_objective *obj, const double *t, double *value, double *grad)
{
    const struct wi_kernel *kernel = obj->kernel;

    *value = 0.0;
    if (grad)
        memset(grad, 0, kernel->n_par * sizeof(*grad));
    for (size_t i = 0; i < BLOCKS_MAX; i++) {
        if (obj->blocks[i].n && !add_block(obj, &obj->blocks[i], t, value, grad)) {
            *value = HUGE_VAL;
            if (grad)
                memset(grad, 0, kernel->n_par * sizeof(*grad));
            return;
        }
    }
    for (size_t i = 0; i < kernel->n_par; i++) {
        double sd = wi_par_sd(&kernel->par[i], obj->kind);
        double u = sd > 0.0 ? (t[i] - wi_par_mean(&kernel->par[i], obj->kind)) / sd : 0.0;

        *value += 0.5 * u * u;
        if (grad)
            grad[i] = sd > 0.0 ? grad[i] + u / sd : 0.0;
    }
}

/* The optimiser sees the free parameters in units of their prior sd. */
struct search {
    struct wi_objective *obj;
    size_t free_par[WI_PAR_MAX];
    unsigned n_free;
    double t[WI_PAR_MAX], grad[WI_PAR_MAX];
};

static void search_set(struct search *s, const double *u)
{
    for (unsigned i = 0; i < s->n_free; i++) {
        const struct wi_par *par = &s->obj->kernel->par[s->free_par[i]];

        s->t[s->free_par[i]] = wi_par_mean(par, s->obj->kind) + u[i] * wi_par_sd(par, s->obj->kind);
    }
}

static double search_value(unsigned n, const double *u, double *grad, void *ctx)
{
    struct search *s = ctx;
    double value;

    search_set(s, u);
    wi_objective_eval(s->obj, s->t, &value, grad ? s->grad : NULL);
    if (grad) {
        for (unsigned i = 0; i < n; i++)
            grad[i] = s->grad[s->free_par[i]] *
                      wi_par_sd(&s->obj->kernel->par[s->free_par[i]], s->obj->kind);
    }
    return isfinite(value) ? value : 1e10;
}

static void search_init(struct search *s, struct wi_objective *obj)
{
    *s = (struct search){.obj = obj};
    for (size_t i = 0; i < obj->kernel->n_par; i++) {
        s->t[i] = wi_par_mean(&obj->kernel->par[i], obj->kind);
        if (wi_par_sd(&obj->kernel->par[i], obj->kind) > 0.0)
            s->free_par[s->n_free++] = i;
    }
}

static enum wi_status optimise(struct search *s, struct wi_group_fit *out, struct wi_err *err)
{
    double u[WI_PAR_MAX] = {0}, best = HUGE_VAL;
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, s->n_free);
    nlopt_result res;

    if (!opt)
        return wi_fail_nomem(err);
    nlopt_set_min_objective(opt, search_value, s);
    nlopt_set_lower_bounds1(opt, -FIT_BOUND_SD);
    nlopt_set_upper_bounds1(opt, FIT_BOUND_SD);
    nlopt_set_ftol_rel(opt, 1e-9);
    nlopt_set_maxeval(opt, FIT_EVALS_MAX);
    nlopt_set_vector_storage(opt, 20);
    res = nlopt_optimize(opt, u, &best);
    nlopt_destroy(opt);
    /* A line search that cannot go on at the rounding limit reports failure at a good point. */
    if (res == NLOPT_OUT_OF_MEMORY)
        return wi_fail_nomem(err);
    if (!isfinite(best) || best >= 1e10)
        return wi_fail(err, WI_ENUMERIC, "no usable optimum of the '%s' hyper-parameters",
                       s->obj->kernel->name);
    search_set(s, u);
    memcpy(out->mode, s->t, sizeof(out->mode));
    out->objective = best;
    out->stop = (int)res;
    return WI_OK;
}

enum wi_status wi_fit_group(const struct wi_kernel *kernel, enum wi_model_kind kind,
                            const struct wi_row *rows, size_t n, bool with_cloud,
                            struct wi_group_fit *out, struct wi_err *err)
{
    struct wi_objective *obj = NULL;
    struct search s;
    enum wi_status st;

    memset(out, 0, sizeof(*out));
    st = wi_objective_new(kernel, kind, rows, n, &obj, err);
    if (st != WI_OK)
        return st;
    search_init(&s, obj);
    out->n_rows = n;
    memcpy(out->mode, s.t, sizeof(out->mode));
    if (n)
        st = optimise(&s, out, err);
    if (st == WI_OK && with_cloud)
        st = wi_cloud_draw(obj, kernel, kind, out, err);
    wi_objective_free(obj);
    return st;
}

enum wi_status wi_fit_rows(const struct wi_rows *rows, enum wi_model_kind kind, struct wi_fit *fit,
                           struct wi_err *err)
{
    enum wi_status st = WI_OK;
    struct wi_row *part = calloc(rows->n + 1, sizeof(*part));

    if (!part)
        return wi_fail_nomem(err);
    memset(fit, 0, sizeof(*fit));
    fit->kind = kind;
    for (int g = 0; g < WI_N_GROUPS && st == WI_OK; g++) {
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++) {
            if ((int)rows->rows[i].group == g)
                part[n++] = rows->rows[i];
        }
        st = wi_fit_group(wi_kernel_of((enum wi_group)g), kind, part, n, true, &fit->group[g], err);
    }
    free(part);
    return st;
}

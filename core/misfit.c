#include "core/misfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/features.h"
#include "core/places.h"

#define HELD_VAR 2.7055 /* squared half width of a 90 % interval in sds */
#define KERNEL_MIN 1e-12
#define CHUNK 32               /* own rows looked at between two bounds */
#define BOUND_SLACK (1 + 1e-6) /* rounding of a covariance against the bound on it */

void wi_misfit_release(struct wi_misfit *misfit)
{
    if (!misfit->borrowed) {
        free(misfit->rows);
        free(misfit->within);
        free(misfit->between);
        free(misfit->prior);
    }
    *misfit = (struct wi_misfit){0};
}

/* What an interval does not hold of a row: squared distance beyond it, as variance. */
static double excess(const struct wi_row *r, const struct wi_moments *m)
{
    double low = r->interval ? r->z_low : r->z, high = r->interval ? r->z_high : r->z;
    double off = fmax(0.0, fmax(low - m->mean, m->mean - high));

    return fmax(0.0, off * off - HELD_VAR * (m->var + m->noise_var + r->err_var));
}

/* Published rows to the front of `sorted`, own ones behind; how many are published. */
static size_t split(const struct wi_row *rows, size_t n, struct wi_row *sorted)
{
    size_t n_published = 0, at;

    for (size_t i = 0; i < n; i++) {
        if (!rows[i].own)
            sorted[n_published++] = rows[i];
    }
    at = n_published;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].own)
            sorted[at++] = rows[i];
    }
    return n_published;
}

/* As a drive of nobody's would be asked for: not known from its own rows. */
static void forget_drives(struct wi_row *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        q[i].vendor = q[i].device = WI_NONE_ID;
        q[i].letter = 3;
        q[i].reference = false;
    }
}

/* How much a row can widen an answer about another drive at most: by the Cauchy-Schwarz inequality
 * this times the prior variance of the answer. */
static double reach(const struct wi_misfit *misfit, size_t i)
{
    return misfit->between[i] / misfit->prior[i];
}

struct reached {
    struct wi_row row;
    double within, between, prior, reach;
    size_t at;
};

static int compare_reached(const void *a, const void *b)
{
    const struct reached *x = a, *y = b;

    if (x->reach > y->reach || x->reach < y->reach)
        return x->reach > y->reach ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Those that reach furthest to the front. */
static enum wi_status sort_by_reach(struct wi_misfit *misfit, struct wi_err *err)
{
    struct reached *all = malloc((misfit->n + 1) * sizeof(*all));

    if (!all)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < misfit->n; i++)
        all[i] = (struct reached){misfit->rows[i],  misfit->within[i], misfit->between[i],
                                  misfit->prior[i], reach(misfit, i),  i};
    qsort(all, misfit->n, sizeof(*all), compare_reached);
    for (size_t i = 0; i < misfit->n; i++) {
        misfit->rows[i] = all[i].row;
        misfit->within[i] = all[i].within;
        misfit->between[i] = all[i].between;
        misfit->prior[i] = all[i].prior;
    }
    free(all);
    return WI_OK;
}

/* Places without a row that fits badly, and those that the model expects nothing of, which pass
 * nothing on, are left out. */
static void drop_good(struct wi_misfit *misfit)
{
    size_t n = 0;

    for (size_t i = 0; i < misfit->n; i++) {
        if (!(misfit->prior[i] > KERNEL_MIN) ||
            (!(misfit->within[i] > 0.0) && !(misfit->between[i] > 0.0)))
            continue;
        misfit->rows[n] = misfit->rows[i];
        misfit->within[n] = misfit->within[i];
        misfit->between[n] = misfit->between[i];
        misfit->prior[n++] = misfit->prior[i];
    }
    misfit->n = n;
}

/* The own rows at their places, without excess yet. */
static enum wi_status take_places(struct wi_misfit *misfit, const struct wi_places *places,
                                  struct wi_err *err)
{
    size_t n = places->n;

    misfit->rows = calloc(n, sizeof(*misfit->rows));
    misfit->within = calloc(n, sizeof(*misfit->within));
    misfit->between = calloc(n, sizeof(*misfit->between));
    misfit->prior = calloc(n, sizeof(*misfit->prior));
    if (!misfit->rows || !misfit->within || !misfit->between || !misfit->prior)
        return wi_fail_nomem(err);
    memcpy(misfit->rows, places->rows, n * sizeof(*misfit->rows));
    misfit->n = n;
    return WI_OK;
}

/* What the own rows (n,) are off by, the largest of each place. */
static enum wi_status find_bad(struct wi_misfit *misfit, const struct wi_gp *gp,
                               const struct wi_gp *published, const struct wi_row *own, size_t n,
                               const struct wi_places *places, struct wi_err *err)
{
    size_t m = places->n;
    struct wi_row *q = calloc(m, sizeof(*q));
    struct wi_moments *with = calloc(2 * m, sizeof(*with)), *without = with ? with + m : NULL;
    enum wi_status st = q && with ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = take_places(misfit, places, err);
    if (st == WI_OK)
        st = wi_gp_predict(gp, places->rows, m, with, NULL, 0, err);
    if (st == WI_OK) {
        memcpy(q, places->rows, m * sizeof(*q));
        forget_drives(q, m);
        wi_rows_mark_fresh(q, m, published->rows, published->n);
        st = wi_gp_predict(published, q, m, without, NULL, 0, err);
    }
    for (size_t i = 0; st == WI_OK && i < n; i++) {
        size_t p = places->of[i];

        misfit->within[p] = fmax(misfit->within[p], excess(&own[i], &with[p]));
        misfit->between[p] = fmax(misfit->between[p], excess(&own[i], &without[p]));
    }
    free(q);
    free(with);
    return st;
}

enum wi_status wi_misfit_init(struct wi_misfit *misfit, const struct wi_gp *gp,
                              const struct wi_row *rows, size_t n, struct wi_err *err)
{
    struct wi_row *sorted = calloc(n + 1, sizeof(*sorted));
    struct wi_places places = {0};
    struct wi_gp published = {0};
    enum wi_status st = sorted ? WI_OK : wi_fail_nomem(err);
    size_t from = st == WI_OK ? split(rows, n, sorted) : n, n_own = n - from;

    if (st != WI_OK || n_own == 0)
        goto cleanup;
    st = wi_places_init(&places, sorted + from, n_own, err);
    if (st == WI_OK)
        st = wi_gp_init(&published, gp->kernel, sorted, from, gp->t, gp->n_points, err);
    if (st == WI_OK)
        st = find_bad(misfit, gp, &published, sorted + from, n_own, &places, err);
    if (st != WI_OK)
        goto cleanup;
    gp->kernel->diag(gp->t, misfit->rows, misfit->n, misfit->prior);
    drop_good(misfit);
    st = sort_by_reach(misfit, err);

cleanup:
    wi_gp_release(&published);
    wi_places_release(&places);
    free(sorted);
    if (st != WI_OK)
        wi_misfit_release(misfit);
    return st;
}

bool wi_misfit_holds_device(const struct wi_gp *gp, int device)
{
    for (size_t i = 0; i < gp->n && device >= 0; i++) {
        if (gp->rows[i].device == device)
            return true;
    }
    return false;
}

/* One row asked for, while the own rows pass. */
struct asked {
    const struct wi_row *q;
    double prior, open, worst;
    bool stored;
};

static void pass(const struct wi_misfit *misfit, const struct wi_gp *gp, size_t from, size_t count,
                 struct asked *a)
{
    double k[CHUNK];

    gp->kernel->block(gp->t, a->q, 1, misfit->rows + from, count, k);
    for (size_t j = from; j < from + count; j++) {
        bool same = a->stored && a->q->device == misfit->rows[j].device;
        double b = k[j - from] / misfit->prior[j];
        double var = same ? misfit->within[j] : a->open * misfit->between[j];

        a->worst = fmax(a->worst, b * b * var);
    }
}

/* Whether a row whose variance reaches so far could still be the worst of all. */
static bool matters(const struct asked *a, double reach)
{
    return reach * a->prior * BOUND_SLACK > a->worst;
}

/* Those that reach furthest first, until none behind can be worse; but a drive's own rows count by
 * another variance, which no order of the others bounds. */
static void find_worst(const struct wi_misfit *misfit, const struct wi_gp *gp, struct asked *a)
{
    size_t i = 0;

    while (i < misfit->n && matters(a, a->open * reach(misfit, i))) {
        size_t count = misfit->n - i < CHUNK ? misfit->n - i : CHUNK;

        pass(misfit, gp, i, count, a);
        i += count;
    }
    for (; a->stored && i < misfit->n; i++) {
        if (misfit->rows[i].device == a->q->device &&
            matters(a, misfit->within[i] / misfit->prior[i]))
            pass(misfit, gp, i, 1, a);
    }
}

void wi_misfit_add(const struct wi_misfit *misfit, const struct wi_gp *gp, const struct wi_row *q,
                   size_t m, struct wi_moments *out)
{
    for (size_t i = 0; i < m && misfit->n > 0; i++) {
        /* A stored drive is known by its own rows: what those leave open is what others move. */
        bool stored = wi_misfit_holds_device(gp, q[i].device);
        double open = stored ? fmin(1.0, out[i].var / fmax(out[i].prior_var, KERNEL_MIN)) : 1.0;
        struct asked a = {.q = &q[i], .open = open, .stored = stored};

        gp->kernel->diag(gp->t, &q[i], 1, &a.prior);
        find_worst(misfit, gp, &a);
        out[i].misfit_var = a.worst;
        out[i].var += a.worst;
    }
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* That very drive, at that very condition and percentile. */
static bool is_same(const struct wi_row *q, const struct wi_row *r)
{
    bool climate = q->device == r->device;

    for (size_t k = 0; k < 3 && climate; k++)
        climate &= q->temp_c[k] == r->temp_c[k] && q->rh_pct[k] == r->rh_pct[k];
    return climate && q->nand == r->nand && q->phase == r->phase && q->axis == r->axis &&
           q->bandwidth == r->bandwidth && q->nines == r->nines && q->w_read == r->w_read &&
           q->w_write == r->w_write && same_number(q->ln_freq, r->ln_freq) &&
           same_number(q->ln_grms, r->ln_grms);
}

/* What the drive itself measured there: the mean, where more than once. */
struct own {
    double low, high, err_var;
    size_t n;
};

static struct own find_own(const struct wi_gp *gp, const struct wi_row *q)
{
    struct own o = {0};

    for (size_t i = 0; i < gp->n; i++) {
        const struct wi_row *r = &gp->rows[i];

        if (!r->own || !is_same(q, r))
            continue;
        o.low += r->interval ? r->z_low : r->z;
        o.high += r->interval ? r->z_high : r->z;
        o.err_var += r->err_var;
        o.n++;
    }
    return o;
}

void wi_misfit_pull(const struct wi_gp *gp, const struct wi_row *q, size_t m,
                    struct wi_moments *out)
{
    for (size_t i = 0; i < m; i++) {
        struct wi_moments *o = &out[i];
        struct own own = {0};
        double at, n;

        if (o->misfit_var > 0.0 && q[i].device >= 0)
            own = find_own(gp, &q[i]);
        if (own.n == 0)
            continue;
        n = (double)own.n;
        at = fmin(fmax(o->mean, own.low / n), own.high / n);
        o->mean +=
            o->misfit_var / (o->misfit_var + o->noise_var + own.err_var / n) * (at - o->mean);
    }
}

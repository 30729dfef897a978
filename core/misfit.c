#include "core/misfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/features.h"

#define HELD_VAR 2.7055 /* squared half width of a 90 % interval in sds */
#define KERNEL_MIN 1e-12
#define CHUNK 32               /* own rows looked at between two bounds */
#define BOUND_SLACK (1 + 1e-6) /* rounding of a covariance against the bound on it */

void wi_misfit_release(struct wi_misfit *misfit)
{
    free(misfit->rows);
    free(misfit->within);
    free(misfit->between);
    free(misfit->prior);
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

/* All of a row that a covariance sees; filled with zeros first, so that it compares as bytes. */
struct place {
    double nines, w_read, w_write, temp_c[3], rh_pct[3], ln_freq, ln_grms;
    int group, phase, axis, nand, vendor, device, letter;
    bool bandwidth, reference, fresh;
};

struct placed {
    struct place place;
    struct wi_row row;
};

static struct placed place_of(const struct wi_row *r)
{
    struct placed p;

    memset(&p, 0, sizeof(p));
    p.place.nines = r->nines;
    p.place.w_read = r->w_read;
    p.place.w_write = r->w_write;
    memcpy(p.place.temp_c, r->temp_c, sizeof(r->temp_c));
    memcpy(p.place.rh_pct, r->rh_pct, sizeof(r->rh_pct));
    p.place.ln_freq = r->ln_freq;
    p.place.ln_grms = r->ln_grms;
    p.place.group = (int)r->group;
    p.place.phase = (int)r->phase;
    p.place.axis = (int)r->axis;
    p.place.nand = (int)r->nand;
    p.place.vendor = r->vendor;
    p.place.device = r->device;
    p.place.letter = r->letter;
    p.place.bandwidth = r->bandwidth;
    p.place.reference = r->reference;
    p.place.fresh = r->fresh;
    p.row = *r;
    return p;
}

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct place));
}

/*
 * Own rows that differ in what was measured only come together; at[i] is the place of row i among
 * the first of each, which go to `first`. Returns how many there are. A drive measured a thousand
 * times at one step is asked for once.
 */
static size_t gather(struct wi_row *own, size_t n, struct placed *work, struct wi_row *first,
                     size_t *at)
{
    size_t n_places = 0;

    for (size_t i = 0; i < n; i++)
        work[i] = place_of(&own[i]);
    qsort(work, n, sizeof(*work), compare_places);
    for (size_t i = 0; i < n; i++) {
        own[i] = work[i].row;
        if (i == 0 || compare_places(&work[i - 1], &work[i]) != 0)
            first[n_places++] = own[i];
        at[i] = n_places - 1;
    }
    return n_places;
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

/* Where a row fits badly, with the largest excess of those at one place. */
static void keep_bad(struct wi_misfit *misfit, const struct wi_row *own, size_t n, const size_t *at,
                     const struct wi_moments *with, const struct wi_moments *without)
{
    size_t last = SIZE_MAX;

    for (size_t i = 0; i < n; i++) {
        double within = excess(&own[i], &with[at[i]]), between = excess(&own[i], &without[at[i]]);

        if (!(within > 0.0) && !(between > 0.0))
            continue;
        if (at[i] != last) {
            misfit->rows[misfit->n] = own[i];
            misfit->within[misfit->n] = misfit->between[misfit->n] = 0.0;
            misfit->n++;
            last = at[i];
        }
        misfit->within[misfit->n - 1] = fmax(misfit->within[misfit->n - 1], within);
        misfit->between[misfit->n - 1] = fmax(misfit->between[misfit->n - 1], between);
    }
}

/* A row that the model expects nothing of passes nothing on. */
static void drop_blind(struct wi_misfit *misfit)
{
    size_t n = 0;

    for (size_t i = 0; i < misfit->n; i++) {
        if (!(misfit->prior[i] > KERNEL_MIN))
            continue;
        misfit->rows[n] = misfit->rows[i];
        misfit->within[n] = misfit->within[i];
        misfit->between[n] = misfit->between[i];
        misfit->prior[n++] = misfit->prior[i];
    }
    misfit->n = n;
}

static enum wi_status allocate(struct wi_misfit *misfit, size_t n, struct wi_err *err)
{
    misfit->rows = calloc(n, sizeof(*misfit->rows));
    misfit->within = calloc(n, sizeof(*misfit->within));
    misfit->between = calloc(n, sizeof(*misfit->between));
    misfit->prior = calloc(n, sizeof(*misfit->prior));
    return misfit->rows && misfit->within && misfit->between && misfit->prior ? WI_OK
                                                                              : wi_fail_nomem(err);
}

/* What the own rows (n_own,) are off by; `work` and `at` as long as they are. */
static enum wi_status find_bad(struct wi_misfit *misfit, const struct wi_gp *gp,
                               const struct wi_gp *published, struct wi_row *own, size_t n_own,
                               struct placed *work, size_t *at, struct wi_err *err)
{
    struct wi_row *q = calloc(n_own, sizeof(*q));
    struct wi_moments *m = calloc(2 * n_own, sizeof(*m));
    enum wi_status st = q && m ? WI_OK : wi_fail_nomem(err);
    size_t n = st == WI_OK ? gather(own, n_own, work, q, at) : 0;

    if (st == WI_OK)
        st = wi_gp_predict(gp, q, n, m, NULL, 0, err);
    if (st == WI_OK) {
        forget_drives(q, n);
        wi_rows_mark_fresh(q, n, published->rows, published->n);
        st = wi_gp_predict(published, q, n, m + n, NULL, 0, err);
    }
    if (st == WI_OK)
        st = allocate(misfit, n, err);
    if (st == WI_OK) {
        keep_bad(misfit, own, n_own, at, m, m + n);
        gp->kernel->diag(gp->t, misfit->rows, misfit->n, misfit->prior);
        drop_blind(misfit);
        st = sort_by_reach(misfit, err);
    }
    free(q);
    free(m);
    return st;
}

enum wi_status wi_misfit_init(struct wi_misfit *misfit, const struct wi_gp *gp,
                              const struct wi_row *rows, size_t n, struct wi_err *err)
{
    struct wi_row *sorted = calloc(n + 1, sizeof(*sorted));
    struct placed *work = NULL;
    size_t *at = NULL;
    struct wi_gp published = {0};
    enum wi_status st = sorted ? WI_OK : wi_fail_nomem(err);
    size_t from = st == WI_OK ? split(rows, n, sorted) : n, n_own = n - from;

    if (st != WI_OK || n_own == 0)
        goto cleanup;
    work = malloc(n_own * sizeof(*work));
    at = malloc(n_own * sizeof(*at));
    if (!work || !at)
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = wi_gp_init(&published, gp->kernel, sorted, from, gp->t, gp->n_points, err);
    if (st == WI_OK)
        st = find_bad(misfit, gp, &published, sorted + from, n_own, work, at, err);

cleanup:
    wi_gp_release(&published);
    free(sorted);
    free(work);
    free(at);
    if (st != WI_OK)
        wi_misfit_release(misfit);
    return st;
}

static bool holds_device(const struct wi_gp *gp, int device)
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
        bool stored = holds_device(gp, q[i].device);
        double open = stored ? fmin(1.0, out[i].var / fmax(out[i].prior_var, KERNEL_MIN)) : 1.0;
        struct asked a = {.q = &q[i], .open = open, .stored = stored};

        gp->kernel->diag(gp->t, &q[i], 1, &a.prior);
        find_worst(misfit, gp, &a);
        out[i].misfit_var = a.worst;
        out[i].var += a.worst;
    }
}

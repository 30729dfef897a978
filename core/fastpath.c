#include "core/fastpath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/evidence_model.h"
#include "core/kernel_th.h"
#include "core/physics_forecast.h"
#include "core/weights.h"

#define CONTEXTS_MAX 512 /* kept at a time: about 100 kB each */
#define SLOTS 2048       /* of the hash table, a power of two */

/* All that a context depends on; filled with zeros first, so that it compares as bytes. */
struct key {
    int nand, op, phase, has_after, axis[3];
    double freq_hz[3], grms[3], during_h, pe_cycles, confidence, capacity_gb;
    double percentiles[WI_PERCENTILES_MAX];
    size_t n_percentiles;
    char vendor[WI_NAME_MAX], device[WI_NAME_MAX], interface[WI_NAME_MAX];
};

struct context {
    struct key key;
    struct wi_asking still, moved;    /* vibration part without and with a change of climate */
    struct wi_weights weights, other; /* other: as MLC, where the cell type is not stated */
    double *vib_weight;               /* (n experiments,) of `moved` */
    double sds_still, sds_moved;
    size_t
        n_like; /* columns after the answers: the most alike drive at one percentile, bandwidth */
    bool mixes_kinds;
};

struct wi_fast {
    const struct wi_evidence *ev;
    bool evidence_ids;
    double *exp_weight; /* (n experiments,) work */
    struct wi_features features;
    struct context *contexts[CONTEXTS_MAX];
    size_t n;
    short slots[SLOTS]; /* index + 1; 0 = free */
    struct context *last;
};

static void context_free(struct context *c)
{
    if (!c)
        return;
    wi_weights_release(&c->weights);
    wi_weights_release(&c->other);
    free(c->vib_weight);
    free(c);
}

static void forget(struct wi_fast *fast)
{
    for (size_t i = 0; i < fast->n; i++)
        context_free(fast->contexts[i]);
    fast->n = 0;
    fast->last = NULL;
    memset(fast->slots, 0, sizeof(fast->slots));
}

void wi_fast_free(struct wi_fast *fast)
{
    if (!fast)
        return;
    forget(fast);
    wi_features_release(&fast->features);
    free(fast->exp_weight);
    free(fast);
}

enum wi_status wi_fast_new(const struct wi_evidence *ev, bool evidence_ids, struct wi_fast **fast,
                           struct wi_err *err)
{
    struct wi_fast *f = calloc(1, sizeof(*f));
    enum wi_status st = f ? wi_features_init(&f->features, err) : wi_fail_nomem(err);

    *fast = NULL;
    if (st == WI_OK) {
        f->ev = ev;
        f->evidence_ids = evidence_ids;
        f->exp_weight = calloc(ev->rows.exps.n + 1, sizeof(*f->exp_weight));
        if (!f->exp_weight)
            st = wi_fail_nomem(err);
    }
    if (st != WI_OK) {
        wi_fast_free(f);
        return st;
    }
    *fast = f;
    return WI_OK;
}

/* ------------------------------------------------------------------ contexts */

static double plain(double x)
{
    return isnan(x) ? -1e300 : x; /* one bit pattern for "not stated" */
}

static void copy_name(char *to, const char *from)
{
    size_t len = strnlen(from, WI_NAME_MAX - 1);

    memcpy(to, from, len);
}

static void make_key(const struct wi_scenario *s, struct key *k)
{
    const struct wi_exposure *e = &s->exposure;
    const struct wi_step *steps[3] = {&e->before, &e->during, &e->after};

    memset(k, 0, sizeof(*k));
    k->nand = (int)s->nand;
    k->op = (int)s->op;
    k->phase = (int)s->phase;
    k->has_after = e->has_after;
    for (size_t i = 0; i < (e->has_after ? 3u : 2u); i++) {
        k->axis[i] = (int)steps[i]->vib.axis;
        k->freq_hz[i] = plain(steps[i]->vib.freq_hz);
        k->grms[i] = plain(steps[i]->vib.grms);
    }
    k->during_h = plain(e->during_h);
    k->pe_cycles = plain(s->pe_cycles);
    k->capacity_gb = plain(s->capacity_gb);
    k->confidence = s->confidence;
    k->n_percentiles = s->n_percentiles;
    memcpy(k->percentiles, s->percentiles, s->n_percentiles * sizeof(*k->percentiles));
    copy_name(k->vendor, s->vendor);
    copy_name(k->device, s->device);
    copy_name(k->interface, s->interface);
}

static size_t hash(const struct key *k)
{
    const unsigned char *p = (const unsigned char *)k;
    uint64_t h = 0;

    for (size_t i = 0; i + 8 <= sizeof(*k); i += 8) {
        uint64_t w;

        memcpy(&w, p + i, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return (size_t)h & (SLOTS - 1);
}

/* Columns of the climate part: the answers, and for a new drive two of the most alike one. */
static enum wi_status make_weights(const struct wi_fast *fast, struct context *c,
                                   const struct wi_row *base, struct wi_weights *weights,
                                   struct wi_err *err)
{
    const struct wi_gp *gp = &fast->ev->gp[WI_PART_TH];
    struct wi_row q[WI_N_OUT + 2], like = *base;
    const struct wi_scenario *s = c->moved.s;
    size_t n = c->moved.n;

    for (size_t i = 0; i < n; i++) {
        q[i] = *base;
        wi_row_set_percentile(&q[i], i + 1 < n ? s->percentiles[i] : NAN);
    }
    if (like.vendor < 0 && gp->n > 0) {
        wi_asking_borrow_drive(gp, &like);
        q[n] = q[n + 1] = like;
        wi_row_set_percentile(&q[n], s->percentiles[0]);
        wi_row_set_percentile(&q[n + 1], NAN);
        c->n_like = 2;
    }
    return wi_weights_init(weights, &fast->features, gp, q, n + c->n_like, err);
}

static enum wi_status make_all_weights(const struct wi_fast *fast, struct context *c,
                                       struct wi_err *err)
{
    struct wi_row base = c->moved.look.th;
    enum wi_status st;

    c->mixes_kinds = wi_asking_mixes_kinds(&c->moved);
    if (c->mixes_kinds)
        base.nand = WI_NAND_TLC;
    st = make_weights(fast, c, &base, &c->weights, err);
    if (st != WI_OK || !c->mixes_kinds)
        return st;
    base.nand = WI_NAND_MLC;
    return make_weights(fast, c, &base, &c->other, err);
}

static enum wi_status context_new(const struct wi_fast *fast, const struct wi_scenario *s,
                                  const struct key *key, struct context **out, struct wi_err *err)
{
    struct context *c = calloc(1, sizeof(*c));
    struct wi_scenario moved = *s, still = *s;
    enum wi_status st = WI_OK;

    if (!c)
        return wi_fail_nomem(err);
    c->key = *key;
    c->vib_weight = calloc(fast->ev->rows.exps.n + 1, sizeof(*c->vib_weight));
    if (!c->vib_weight)
        st = wi_fail_nomem(err);
    /* The temperatures themselves do not matter, only whether they change. */
    still.exposure.during.temp_c = moved.exposure.during.temp_c = still.exposure.before.temp_c;
    still.exposure.during.rh_pct = moved.exposure.during.rh_pct = still.exposure.before.rh_pct;
    still.exposure.after.temp_c = moved.exposure.after.temp_c = still.exposure.before.temp_c;
    still.exposure.after.rh_pct = moved.exposure.after.rh_pct = still.exposure.before.rh_pct;
    moved.exposure.during.temp_c += 1.0;
    wi_asking_init(&c->still, fast->ev, &still);
    wi_asking_init(&c->moved, fast->ev, &moved);
    c->moved.exp_weight = c->vib_weight;
    if (st == WI_OK)
        st = wi_asking_vib(&c->still, err);
    if (st == WI_OK)
        st = wi_asking_vib(&c->moved, err);
    if (st == WI_OK)
        st = make_all_weights(fast, c, err);
    c->sds_still = wi_interval_sds(s->confidence, wi_asking_is_student(&c->still));
    c->sds_moved = wi_interval_sds(s->confidence, wi_asking_is_student(&c->moved));
    c->moved.exp_weight = NULL;
    if (st != WI_OK) {
        context_free(c);
        return st;
    }
    *out = c;
    return WI_OK;
}

static enum wi_status find_context(struct wi_fast *fast, const struct wi_scenario *s,
                                   struct context **out, struct wi_err *err)
{
    struct key key;
    size_t slot;
    enum wi_status st;

    make_key(s, &key);
    if (fast->last && memcmp(&fast->last->key, &key, sizeof(key)) == 0) {
        *out = fast->last;
        return WI_OK;
    }
    for (slot = hash(&key); fast->slots[slot]; slot = (slot + 1) & (SLOTS - 1)) {
        struct context *c = fast->contexts[fast->slots[slot] - 1];

        if (memcmp(&c->key, &key, sizeof(key)) == 0) {
            *out = fast->last = c;
            return WI_OK;
        }
    }
    if (fast->n == CONTEXTS_MAX) {
        forget(fast);
        slot = hash(&key);
    }
    st = context_new(fast, s, &key, out, err);
    if (st != WI_OK)
        return st;
    fast->contexts[fast->n++] = fast->last = *out;
    fast->slots[slot] = (short)fast->n;
    return WI_OK;
}

/* ------------------------------------------------------------------ one scenario */

/* A step that was measured as such has a discrepancy of its own, which only the full form knows. */
static bool is_measured_step(const struct wi_gp *gp, const struct wi_row *q, bool any_nand)
{
    for (size_t i = 0; i < gp->n; i++) {
        const struct wi_row *r = &gp->rows[i];

        if ((r->nand != q->nand && !any_nand) || r->phase != q->phase)
            continue;
        if ((r->temp_c[0] == q->temp_c[0] && r->temp_c[1] == q->temp_c[1] &&
             r->rh_pct[0] == q->rh_pct[0] && r->rh_pct[1] == q->rh_pct[1]) ||
            (r->temp_c[0] == q->temp_c[1] && r->temp_c[1] == q->temp_c[0] &&
             r->rh_pct[0] == q->rh_pct[1] && r->rh_pct[1] == q->rh_pct[0]))
            return true;
    }
    return false;
}

static void copy_out(const struct wi_forecast *f, struct wi_fast_row *out)
{
    for (size_t i = 0; i <= f->n_tail; i++) {
        const struct wi_change *c = i < f->n_tail ? &f->tail[i] : &f->bandwidth;

        out->out[i].change_pct = c->change_pct;
        out->out[i].low_pct = c->low_pct;
        out->out[i].high_pct = c->high_pct;
    }
    out->domain = f->domain;
}

/* Where the weights do not hold: measured steps, physics. */
static enum wi_status direct(const struct wi_fast *fast, const struct wi_scenario *s,
                             struct wi_fast_row *out, struct wi_err *err)
{
    struct wi_forecast f = {0};
    enum wi_status st = wi_evidence_predict(fast->ev, s, &f, err);

    if (st != WI_OK)
        return st;
    copy_out(&f, out);
    out->n_evidence = 0;
    for (size_t i = 0; i < f.n_top && fast->evidence_ids; i++) {
        int id = wi_names_find(&fast->ev->rows.exps, f.top[i].id);

        if (id >= 0)
            out->evidence[out->n_evidence++] = fast->ev->rows.exps.items[id].text;
    }
    wi_forecast_release(&f);
    return WI_OK;
}

static void eval_kind(const struct wi_fast *fast, const struct context *c,
                      const struct wi_weights *weights, struct wi_asking *p, const double *phi,
                      struct wi_moments *m)
{
    size_t n = p->n, from = c->n_like ? n : 0, to = n + c->n_like;

    wi_weights_eval(weights, fast->features.n, phi, wi_th_size(&p->look.th), m);
    for (size_t i = from; i + 1 < to; i++)
        p->look.ratio = fmax(p->look.ratio, wi_asking_ratio(WI_GROUP_TH, m[i].var, m[i].prior_var));
    p->look.ratio_bw =
        fmax(p->look.ratio_bw, wi_asking_ratio(WI_GROUP_TH, m[to - 1].var, m[to - 1].prior_var));
}

static void add_climate(const struct wi_fast *fast, const struct context *c, struct wi_asking *p,
                        const double *phi)
{
    struct wi_moments m[WI_N_OUT + 2], other[WI_N_OUT + 2];

    eval_kind(fast, c, &c->weights, p, phi, m);
    if (c->mixes_kinds) {
        eval_kind(fast, c, &c->other, p, phi, other);
        wi_asking_mix_kinds(m, other, p->n);
    }
    wi_asking_add_th(p, m);
}

/* The experiments with the largest weight; a measure of |sum| per experiment, not per row. */
static void name_evidence(struct wi_fast *fast, const struct context *c, bool climate,
                          const double *phi, size_t n, struct wi_fast_row *out)
{
    const struct wi_names *exps = &fast->ev->rows.exps;
    double *w = fast->exp_weight;

    out->n_evidence = 0;
    if (!fast->evidence_ids)
        return;
    memcpy(w, c->vib_weight, exps->n * sizeof(*w));
    if (climate)
        wi_weights_shares(&c->weights, fast->features.n, phi, n, w);
    if (climate && c->mixes_kinds)
        wi_weights_shares(&c->other, fast->features.n, phi, n, w);
    while (out->n_evidence < WI_FORECAST_EXPS) {
        size_t best = 0;

        for (size_t i = 1; i < exps->n; i++)
            best = w[i] > w[best] ? i : best;
        if (exps->n == 0 || !(w[best] > 0.0))
            return;
        out->evidence[out->n_evidence++] = exps->items[best].text;
        w[best] = 0.0;
    }
}

enum wi_status wi_fast_predict(struct wi_fast *fast, const struct wi_scenario *s,
                               struct wi_fast_row *out, struct wi_err *err)
{
    const struct wi_gp *th = &fast->ev->gp[WI_PART_TH];
    struct wi_stressors on = wi_scenario_stressors(s);
    bool climate = on.temp || on.rh;
    double phi[WI_FEATURES_MAX] = {0};
    struct wi_throttle t = {0};
    struct wi_forecast f;
    struct wi_asking p;
    struct context *c = NULL;
    enum wi_status st;

    if (wi_asking_role(fast->ev, s) != (int)WI_PHYSICS_NONE)
        return direct(fast, s, out, err);
    st = find_context(fast, s, &c, err);
    if (st != WI_OK)
        return st;
    p = climate ? c->moved : c->still;
    p.s = p.look.s = s;
    p.look.on.temp = on.temp;
    p.look.on.rh = on.rh;
    if (climate) {
        struct wi_row row;

        wi_row_init(&row, WI_GROUP_TH, s->op, s->phase, &s->exposure, s->nand);
        memcpy(p.look.th.temp_c, row.temp_c, sizeof(row.temp_c));
        memcpy(p.look.th.rh_pct, row.rh_pct, sizeof(row.rh_pct));
        if (th->levels.n > WI_LEVELS_MAX || fast->ev->misfit[WI_PART_TH].n > 0 ||
            (!th->sparse && is_measured_step(th, &row, c->mixes_kinds)))
            return direct(fast, s, out, err);
        wi_features_eval(&fast->features, &row, phi);
        add_climate(fast, c, &p, phi);
    }
    if (fast->ev->kind == WI_MODEL_DEFAULT)
        wi_throttle_eval(s, p.look.known_th, s->tmt1_c, &t);
    wi_evidence_write_changes(s, &p.sum, &t, climate ? c->sds_moved : c->sds_still, &f);
    f.domain = WI_DOMAIN_INSIDE;
    st = wi_domain_judge(fast->ev, &p.look, false, &f, err);
    copy_out(&f, out);
    name_evidence(fast, c, climate, phi, p.n - 1, out);
    return st;
}
